/* SPDX-License-Identifier: Apache-2.0
 *
 * Scheduling: states of threads, carried whole and written as scheduling once more.
 */
#ifndef TB_PERFETTO_WRITER_SCHED_EVENTS_H
#define TB_PERFETTO_WRITER_SCHED_EVENTS_H

#include "base/map.h"
#include "perfetto/writer/encode/kernel_sched.h"
#include "protobuf/wire.h"
#include "timeline/sort_queue.h"
#include "tracebridge/event.h"

struct tb_perfetto_writer;
struct tb_sequence_writer;

struct tb_writer_sched {
  struct tb_map states; /* by tid: the state that was written last */
  struct tb_map dying;  /* by tid: 1 where the last state of scheduling was that */
  struct tb_kernel_sched kernel;
  bool zero_is_free; /* thread 0 of process 0 is the source's own, not the idle thread */
};

/* The message of a GenericKernelTaskStateEvent by which readers take a thread for ended, and its number for free; our
 * own pass over it. Its length, at most TB_THREAD_END_MAX. */
enum { TB_THREAD_END_MAX = 4 * (2 + TB_WIRE_VARINT_MAX) };
size_t tb_perfetto_encode_thread_end(char *message, int64_t tid);

TB_MUST_CHECK enum tb_status tb_perfetto_put_thread_state(struct tb_perfetto_writer *p, const struct tb_event *event);
/* Write an entry of class TB_GROUP_KERNEL, and one of class TB_GROUP_STATE. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_kernel(struct tb_sequence_writer *w,
                                                      const struct tb_staged_event *entry);
TB_MUST_CHECK enum tb_status tb_perfetto_write_state(struct tb_sequence_writer *w, const struct tb_staged_event *entry);

#endif
