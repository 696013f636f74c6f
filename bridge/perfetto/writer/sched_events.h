/* SPDX-License-Identifier: Apache-2.0
 *
 * Scheduling: states of threads, carried whole and written as scheduling once more.
 */
#ifndef TB_PERFETTO_WRITER_SCHED_EVENTS_H
#define TB_PERFETTO_WRITER_SCHED_EVENTS_H

#include "base/map.h"
#include "perfetto/writer/encode/kernel_sched.h"
#include "timeline/sort_queue.h"
#include "tracebridge/event.h"

struct tb_perfetto_writer;
struct tb_sequence_writer;

struct tb_writer_sched {
  struct tb_map states; /* by tid: the state that was written last */
  struct tb_map dying;  /* by tid: 1 where the last state of scheduling was that */
  struct tb_kernel_sched kernel;
};

TB_MUST_CHECK enum tb_status tb_perfetto_put_thread_state(struct tb_perfetto_writer *p, const struct tb_event *event);
/* Write an entry of class TB_GROUP_KERNEL, and one of class TB_GROUP_STATE. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_kernel(struct tb_sequence_writer *w,
                                                      const struct tb_staged_event *entry);
TB_MUST_CHECK enum tb_status tb_perfetto_write_state(struct tb_sequence_writer *w, const struct tb_staged_event *entry);

#endif
