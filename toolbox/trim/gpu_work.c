/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/gpu_work.h"

#include "base/times.h"
#include "protos/field_numbers.h"
#include "toolbox/trim/ftrace_packet.h"

bool tb_gpu_work_read(const struct tb_ftrace_bundle *bundle, const struct tb_ftrace_event *event,
                      struct tb_gpu_work *work) {
  struct tb_input_clocks *clocks = &bundle->walk->source->prescan.clocks;
  struct tb_wire_field f[TB_GPU_WORK_PERIOD_FTRACE_EVENT_TOTAL_ACTIVE_DURATION_NS + 1];
  (void)tb_wire_read_fields(event->payload, f, sizeof(f) / sizeof(f[0]));
  work->raw_from = f[TB_GPU_WORK_PERIOD_FTRACE_EVENT_START_TIME_NS].value;
  work->raw_to = f[TB_GPU_WORK_PERIOD_FTRACE_EVENT_END_TIME_NS].value;
  work->active = f[TB_GPU_WORK_PERIOD_FTRACE_EVENT_TOTAL_ACTIVE_DURATION_NS].value;
  if (work->raw_to <= work->raw_from || work->raw_to > INT64_MAX ||
      !tb_input_clocks_convert(clocks, bundle->machine, TB_CLOCK_MONOTONIC_RAW, (int64_t)work->raw_from, &work->from))
    return false;
  work->from = tb_time_subtract(work->from, bundle->ahead);
  work->to = tb_time_add(work->from, (int64_t)(work->raw_to - work->raw_from));
  return true;
}

enum tb_status tb_gpu_work_append(const struct tb_gpu_work *work, const struct tb_window *window,
                                  const struct tb_ftrace_event *event, struct tb_buffer *b) {
  uint64_t before = work->from < window->start ? (uint64_t)tb_time_subtract(window->start, work->from) : 0;
  uint64_t behind = work->to > window->end ? (uint64_t)tb_time_subtract(work->to, window->end) : 0;
  uint64_t from = work->raw_from + before, to = work->raw_to - behind;
  double busy = (double)work->active / (double)(work->raw_to - work->raw_from);
  const struct tb_ftrace_change changes[] = {
      {TB_GPU_WORK_PERIOD_FTRACE_EVENT_START_TIME_NS, from},
      {TB_GPU_WORK_PERIOD_FTRACE_EVENT_END_TIME_NS, to},
      {TB_GPU_WORK_PERIOD_FTRACE_EVENT_TOTAL_ACTIVE_DURATION_NS, (uint64_t)(busy * (double)(to - from) + 0.5)}};
  return tb_ftrace_append_changed(event, changes, sizeof(changes) / sizeof(changes[0]), b);
}
