/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/gpu_work.h"

#include "base/times.h"
#include "protos/field_numbers.h"

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
  struct tb_wire_cursor cursor = tb_wire_cursor(event->payload);
  struct tb_wire_field field;
  uint64_t before = work->from < window->start ? (uint64_t)tb_time_subtract(window->start, work->from) : 0;
  uint64_t behind = work->to > window->end ? (uint64_t)tb_time_subtract(work->to, window->end) : 0;
  uint64_t from = work->raw_from + before, to = work->raw_to - behind;
  double busy = (double)work->active / (double)(work->raw_to - work->raw_from);
  enum tb_status status = tb_wire_buffer_uint(b, TB_FTRACE_EVENT_PID, (uint64_t)event->pid);
  if (status == TB_OK) status = tb_wire_buffer_open(b, event->kind);
  size_t body = b->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_GPU_WORK_PERIOD_FTRACE_EVENT_START_TIME_NS)
      status = tb_wire_buffer_uint(b, field.number, from);
    else if (field.number == TB_GPU_WORK_PERIOD_FTRACE_EVENT_END_TIME_NS)
      status = tb_wire_buffer_uint(b, field.number, to);
    else if (field.number == TB_GPU_WORK_PERIOD_FTRACE_EVENT_TOTAL_ACTIVE_DURATION_NS)
      status = tb_wire_buffer_uint(b, field.number, (uint64_t)(busy * (double)(to - from) + 0.5));
    else
      status = tb_buffer_append(b, field.start, (size_t)(cursor.at - field.start));
  }
  return status == TB_OK ? tb_wire_buffer_close(b, body) : status;
}
