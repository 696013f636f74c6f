/* SPDX-License-Identifier: Apache-2.0
 *
 * What an application let a GPU do in a while, by an event of the kernel behind it (gpu_work_period): a slice by
 * itself, whose times are the raw clock's.
 */
#ifndef TB_TOOLBOX_TRIM_GPU_WORK_H
#define TB_TOOLBOX_TRIM_GPU_WORK_H

#include "toolbox/trim/edges.h"
#include "toolbox/walk/ftrace_bundle.h"

struct tb_gpu_work {
  int64_t from, to; /* on machine 0's trace clock */
  uint64_t raw_from, raw_to, active;
};

/* False where readers show nothing of it. */
bool tb_gpu_work_read(const struct tb_ftrace_bundle *bundle, const struct tb_ftrace_event *event,
                      struct tb_gpu_work *work);

static inline bool tb_gpu_work_is_whole(const struct tb_gpu_work *work, const struct tb_window *window) {
  return work->from >= window->start && work->to <= window->end;
}
static inline bool tb_gpu_work_touches(const struct tb_gpu_work *work, const struct tb_window *window) {
  return work->from < window->end && work->to > window->start;
}

/* Appends the fields of the event with as much of it as is in the window, as busy as all of it. TB_OK, TB_NO_MEMORY,
 * TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_gpu_work_append(const struct tb_gpu_work *work, const struct tb_window *window,
                                                const struct tb_ftrace_event *event, struct tb_buffer *b);

#endif
