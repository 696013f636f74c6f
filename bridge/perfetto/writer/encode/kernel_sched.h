/* SPDX-License-Identifier: Apache-2.0
 *
 * Linux' scheduling, as the kernel's own events.
 *
 * A switch comes as two states of one time and CPU: of the thread that leaves the CPU, then of the one that gets it.
 * One of them may be missing, since users pick events: the idle thread then is in its place.
 *
 *   THREAD_STATE a  S        cpu 3, at 10  --+
 *   THREAD_STATE b  RUNNING  cpu 3, at 10  --+-->  sched_switch a -> b
 *   THREAD_STATE c  R        no cpu, at 11 ----->  sched_waking c
 *
 * Events of one CPU in a row are one bundle.
 */
#ifndef TB_PERFETTO_WRITER_ENCODE_KERNEL_SCHED_H
#define TB_PERFETTO_WRITER_ENCODE_KERNEL_SCHED_H

#include "base/memory.h"
#include "tracebridge/event.h"

/* A side of a switch. The name is the writer's copy. */
struct tb_sched_task {
  struct tb_str name;
  int64_t tid;
  int32_t priority;
  uint16_t kernel_state;
};

/* A thread that left a CPU, until the one that gets it comes. */
struct tb_sched_leaving {
  bool is_set;
  uint32_t cpu;
  int64_t ts;
  struct tb_sched_task task;
};

struct tb_kernel_sched {
  struct tb_buffer *packets; /* where packets go, with their tags and lengths */
  struct tb_buffer bundle;   /* events of one CPU */
  uint32_t bundle_cpu;
  struct tb_sched_leaving leaving;
};

void tb_kernel_sched_init(struct tb_kernel_sched *sched, const struct tb_allocator *allocator,
                          struct tb_buffer *packets);
void tb_kernel_sched_free(struct tb_kernel_sched *sched);

/* Whether the kernel's events can say the state. Their times are on the kernel's clock: the trace's must be that. */
bool tb_kernel_sched_takes(const struct tb_event *event);

/* Puts a state; `name` is a copy of its thread's. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_kernel_sched_put(struct tb_kernel_sched *sched, const struct tb_event *event,
                                                 struct tb_str name);

/* Puts what waits. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_kernel_sched_end(struct tb_kernel_sched *sched);

#endif
