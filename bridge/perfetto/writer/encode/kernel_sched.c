/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/writer/encode/kernel_sched.h"

#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { BUNDLE_BYTES = 32 << 10, IDLE_PRIORITY = 120, NAME_MAX_BYTES = 256, FIELDS = 16 };

static const struct tb_sched_task idle = {.name = {"swapper", 7}, .priority = IDLE_PRIORITY};

void tb_kernel_sched_init(struct tb_kernel_sched *sched, const struct tb_allocator *allocator,
                          struct tb_buffer *packets) {
  *sched = (struct tb_kernel_sched){.packets = packets};
  tb_buffer_init(&sched->bundle, allocator, 0);
}

void tb_kernel_sched_free(struct tb_kernel_sched *sched) { tb_buffer_free(&sched->bundle); }

bool tb_kernel_sched_takes(const struct tb_event *event) {
  return event->has & TB_HAS_KERNEL_STATE && event->track->type == TB_TRACK_THREAD && event->ts >= 0 &&
         event->track->tid >= 0 && event->track->tid <= INT32_MAX;
}

static enum tb_status end_bundle(struct tb_kernel_sched *sched) {
  struct tb_buffer *bundle = &sched->bundle, *to = sched->packets;
  if (!bundle->len) return TB_OK;
  enum tb_status status = tb_wire_buffer_open(to, TB_TRACE_PACKET);
  size_t start = to->len;
  if (status == TB_OK)
    status = tb_wire_buffer_bytes(to, TB_TRACE_PACKET_FTRACE_EVENTS, (struct tb_str){bundle->data, bundle->len});
  bundle->len = 0;
  return status == TB_OK ? tb_wire_buffer_close(to, start) : status;
}

/* Adds an event of the kernel's, whose message is `kind`. */
static enum tb_status put_event(struct tb_kernel_sched *sched, uint32_t cpu, int64_t ts, int64_t pid, uint32_t kind,
                                struct tb_str message) {
  struct tb_buffer *bundle = &sched->bundle;
  enum tb_status status = TB_OK;
  if (cpu != sched->bundle_cpu || bundle->len > BUNDLE_BYTES) status = end_bundle(sched);
  sched->bundle_cpu = cpu;
  if (status == TB_OK && !bundle->len) status = tb_wire_buffer_uint(bundle, TB_FTRACE_EVENT_BUNDLE_CPU, cpu);
  if (status == TB_OK) status = tb_wire_buffer_open(bundle, TB_FTRACE_EVENT_BUNDLE_EVENT);
  size_t start = bundle->len;
  if (status == TB_OK) status = tb_wire_buffer_uint(bundle, TB_FTRACE_EVENT_TIMESTAMP, (uint64_t)ts);
  if (status == TB_OK) status = tb_wire_buffer_uint(bundle, TB_FTRACE_EVENT_PID, (uint64_t)pid);
  if (status == TB_OK) status = tb_wire_buffer_bytes(bundle, kind, message);
  return status == TB_OK ? tb_wire_buffer_close(bundle, start) : status;
}

static char *put_name(char *at, uint32_t field, struct tb_str name) {
  return tb_wire_put_bytes(at, field, name.ptr, name.len < NAME_MAX_BYTES ? name.len : NAME_MAX_BYTES);
}

static enum tb_status put_switch(struct tb_kernel_sched *sched, uint32_t cpu, int64_t ts,
                                 const struct tb_sched_task *prev, const struct tb_sched_task *next) {
  char message[2 * NAME_MAX_BYTES + FIELDS * TB_WIRE_VARINT_MAX];
  char *at = put_name(message, TB_SCHED_SWITCH_FTRACE_EVENT_PREV_COMM, prev->name);
  at = tb_wire_put_uint(at, TB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID, (uint64_t)prev->tid);
  at = tb_wire_put_uint(at, TB_SCHED_SWITCH_FTRACE_EVENT_PREV_PRIO, (uint64_t)(int64_t)prev->priority);
  at = tb_wire_put_uint(at, TB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE, prev->kernel_state);
  at = put_name(at, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM, next->name);
  at = tb_wire_put_uint(at, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID, (uint64_t)next->tid);
  at = tb_wire_put_uint(at, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PRIO, (uint64_t)(int64_t)next->priority);
  return put_event(sched, cpu, ts, prev->tid, TB_FTRACE_EVENT_SCHED_SWITCH,
                   (struct tb_str){message, (size_t)(at - message)});
}

static enum tb_status put_waking(struct tb_kernel_sched *sched, const struct tb_event *event, struct tb_str name) {
  char message[NAME_MAX_BYTES + FIELDS * TB_WIRE_VARINT_MAX];
  int64_t waker = event->thread && event->thread->tid > 0 && event->thread->tid <= INT32_MAX ? event->thread->tid : 0;
  char *at = put_name(message, TB_SCHED_WAKING_FTRACE_EVENT_COMM, name);
  at = tb_wire_put_uint(at, TB_SCHED_WAKING_FTRACE_EVENT_PID, (uint64_t)event->track->tid);
  at = tb_wire_put_uint(at, TB_SCHED_WAKING_FTRACE_EVENT_PRIO, (uint64_t)(int64_t)event->priority);
  at = tb_wire_put_uint(at, TB_SCHED_WAKING_FTRACE_EVENT_SUCCESS, 1);
  return put_event(sched, sched->bundle_cpu, event->ts, waker, TB_FTRACE_EVENT_SCHED_WAKING,
                   (struct tb_str){message, (size_t)(at - message)});
}

/* The thread that left, whose successor did not come. */
static enum tb_status end_leaving(struct tb_kernel_sched *sched) {
  struct tb_sched_leaving *leaving = &sched->leaving;
  if (!leaving->is_set) return TB_OK;
  leaving->is_set = false;
  return put_switch(sched, leaving->cpu, leaving->ts, &leaving->task, &idle);
}

enum tb_status tb_kernel_sched_put(struct tb_kernel_sched *sched, const struct tb_event *event, struct tb_str name) {
  struct tb_sched_leaving *leaving = &sched->leaving;
  const struct tb_sched_task task = {
      .name = name, .tid = event->track->tid, .priority = event->priority, .kernel_state = event->kernel_state};
  bool has_cpu = event->has & TB_HAS_CPU;
  if (has_cpu && event->task_state == TB_TASK_RUNNING) {
    bool follows = leaving->is_set && leaving->cpu == event->cpu && leaving->ts == event->ts;
    enum tb_status status = follows ? TB_OK : end_leaving(sched);
    leaving->is_set = false;
    return status == TB_OK ? put_switch(sched, event->cpu, event->ts, follows ? &leaving->task : &idle, &task) : status;
  }
  enum tb_status status = end_leaving(sched);
  if (status != TB_OK || !has_cpu) return status == TB_OK ? put_waking(sched, event, name) : status;
  *leaving = (struct tb_sched_leaving){true, event->cpu, event->ts, task};
  return TB_OK;
}

enum tb_status tb_kernel_sched_end(struct tb_kernel_sched *sched) {
  enum tb_status status = end_leaving(sched);
  return status == TB_OK ? end_bundle(sched) : status;
}
