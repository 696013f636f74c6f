/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TB_PERFETTO_PERFETTO_READER_KERNEL_H
#define TB_PERFETTO_PERFETTO_READER_KERNEL_H

#include "perfetto/perfetto_reader.h"

struct tb_kernel_state {
  int64_t ts, tid;
  enum tb_task_state state;
  bool has_cpu, has_priority;
  uint32_t cpu;
  int32_t priority;
  uint32_t fxt_kind; /* TB_GENERIC_KERNEL_TASK_STATE_EVENT_FXT_* */
  struct tb_slice fxt_arguments;
  struct tb_slice comm; /* the thread's name where the event says it; in memory of the batch */
};

/* Makes a TB_EVENT_THREAD_STATE. */
void tb_perfetto_emit_state(struct tb_perfetto_reader *r, const struct tb_kernel_state *state);

/* Makes the event that a line of userspace's trace marker says (B|pid|name and the like); `tid` wrote it. A line that says nothing
 * of the kind is left out. */
void tb_perfetto_emit_marker(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid, struct tb_slice line);

#endif
