/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer: scheduling.
 */
#include <string.h>

#include "model/task_states.h"
#include "perfetto/writer/sched_events.h"
#include "perfetto/writer/sequence.h"
#include "perfetto/writer/slice_events.h"
#include "perfetto/writer/staging.h"
#include "perfetto/writer/track_groups.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

size_t tb_perfetto_encode_thread_end(char *message, int64_t tid) {
  char *at = tb_wire_put_uint(message, TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID, (uint64_t)tid);
  at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_STATE, TB_TASK_DESTROYED);
  at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_DERIVED, 1);
  return (size_t)(at - message);
}

/* ---- states of JSON, which are carried whole and written once more ----------------------------------------------- */

enum { MANY_THREADS = TB_TASK_DESTROYED + 1, MAX_CPU = 4095 /* the trace processor takes no more */ };

static bool find_cpu(const struct tb_event *event, uint64_t *cpu) {
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span) {
    const struct tb_arg *arg = &event->args[i];
    if (arg->type != TB_ARG_INT || !tb_str_equal(arg->name, TB_STR("cpu"))) continue;
    *cpu = arg->u;
    return arg->i >= 0 && arg->i <= MAX_CPU;
  }
  return false;
}

/* The body of its entry: the tid, the state, then the message. */
struct state_head {
  int64_t tid;
  uint32_t state;
  bool far; /* on a processor that only our readers take */
  bool has_process;
};

static enum tb_status put_derived(struct tb_perfetto_writer *p, const struct tb_event *event) {
  const struct tb_track *thread = event->track;
  enum tb_task_state state = tb_task_state_named(event->name);
  uint64_t cpu = 0;
  bool has_cpu = find_cpu(event, &cpu);
  if (state == TB_TASK_UNKNOWN || (state == TB_TASK_RUNNING && !has_cpu)) return TB_OK;
  if (thread->type != TB_TRACK_THREAD || thread->tid <= 0 || thread->tid > INT32_MAX) return TB_OK;
  uint32_t key = tb_perfetto_track_group(p, NULL, TB_GROUP_STATE);
  if (!key) return TB_NO_MEMORY;
  char body[sizeof(struct state_head) + 4 * (2 + TB_WIRE_VARINT_MAX)];
  struct state_head head = {.tid = thread->tid, .state = state};
  memcpy(body, &head, sizeof(head));
  char *at = body + sizeof(head);
  if (state == TB_TASK_RUNNING) at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_CPU, cpu);
  at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID, (uint64_t)thread->tid);
  at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_STATE, state);
  at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_DERIVED, 1);
  struct tb_staged_event entry = {.ts = event->ts, .kind = TB_STAGED_COUNTER, .key = key};
  entry.body = (struct tb_str){body, (size_t)(at - body)};
  return tb_perfetto_add_entry(p, p->sequences[TB_SHARED_SEQUENCE], &entry);
}

/* A state has no process: a tid that threads of several have says nothing. A process has a thread of its own number,
 * to readers. */
static enum tb_status know_threads(struct tb_perfetto_writer *p) {
  enum { THREAD, PROCESS };
  struct tb_map *known = &p->sched.states;
  tb_map_init(known, p->allocator);
  for (size_t i = 0; i < p->tracks.count; i++) {
    const struct tb_track *track = p->tracks.items[i].track;
    if (!track || track->type != TB_TRACK_PROCESS) continue;
    if (tb_map_put(known, (uint64_t)track->pid, PROCESS, 0) != TB_OK) return TB_NO_MEMORY;
  }
  for (size_t i = 0; i < p->tracks.count; i++) {
    const struct tb_track *track = p->tracks.items[i].track;
    if (!track || track->type != TB_TRACK_THREAD) continue;
    uint64_t tid = (uint64_t)track->tid;
    uint32_t value;
    bool many =
        tb_map_get(known, tid, THREAD, &value) || (track->tid != track->pid && tb_map_get(known, tid, PROCESS, &value));
    if (tb_map_put(known, tid, THREAD, many ? MANY_THREADS : TB_TASK_UNKNOWN) != TB_OK) return TB_NO_MEMORY;
  }
  return TB_OK;
}

/* Whether the trace processor would call it an error that a state comes after another. */
static bool may_follow(uint32_t before, uint32_t state) {
  if (before == TB_TASK_DEAD || before == TB_TASK_DESTROYED || before == MANY_THREADS) return false;
  if (state == TB_TASK_CREATED) return before == TB_TASK_UNKNOWN;
  return before != TB_TASK_RUNNING || state != TB_TASK_RUNNING;
}

enum tb_status tb_perfetto_write_state(struct tb_sequence_writer *w, const struct tb_staged_event *entry) {
  struct tb_perfetto_writer *p = w->p;
  struct state_head head;
  uint32_t before = TB_TASK_UNKNOWN;
  memcpy(&head, entry->body.ptr, sizeof(head));
  if (!p->sched.states.allocator && know_threads(p) != TB_OK) return tb_sequence_no_memory(w);
  (void)tb_map_get(&p->sched.states, (uint64_t)head.tid, 0, &before);
  if (!may_follow(before, head.state)) return TB_OK;
  if (tb_map_put(&p->sched.states, (uint64_t)head.tid, 0, head.state) != TB_OK) return tb_sequence_no_memory(w);
  struct tb_str message = {entry->body.ptr + sizeof(head), entry->body.len - sizeof(head)};
  return tb_sequence_put_payload(w, entry->ts, TB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT, message);
}

/* ---- scheduling -------------------------------------------------------------------------------------------------- */

/* Whether our reader would call the state otherwise. What is FXT's own is called by its words on the way to FXT. */
static bool has_own_name(const struct tb_perfetto_writer *p, const struct tb_event *event, uint32_t kind) {
  if (kind || p->writer->source.own_states || !(event->has & TB_HAS_NAME)) return false;
  return !tb_str_equal(event->name, tb_task_state_letter((enum tb_task_state)event->task_state));
}

/* What the state does not say of an FXT record, or of a line of JSON: its kind, its name, its arguments except the
 * processor and the priority. */
static enum tb_status put_particulars(struct tb_perfetto_writer *p, const struct tb_event *event,
                                      struct tb_buffer *fields) {
  uint32_t kind = tb_str_equal(event->name, TB_STR("new"))      ? TB_GENERIC_KERNEL_TASK_STATE_EVENT_FXT_NEW
                  : tb_str_equal(event->name, TB_STR("waking")) ? TB_GENERIC_KERNEL_TASK_STATE_EVENT_FXT_WAKING
                                                                : 0;
  char head[4 * TB_WIRE_VARINT_MAX], *at = head;
  struct tb_str arguments = {NULL, 0};
  if (kind) at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_FXT_KIND, kind);
  unsigned own_name = has_own_name(p, event, kind) ? TB_ENCODE_OWN_NAME : 0;
  if (event->arg_count || event->extra_count || own_name) {
    struct tb_carried_parts carried = {.whole_args = false};
    enum tb_status status = tb_encode_event(&p->encoder, p->sequences[TB_SHARED_SEQUENCE]->uses, event,
                                            TB_ENCODE_ARGS | own_name, &carried, NULL, NULL);
    if (status != TB_OK) return status;
    arguments = (struct tb_str){p->encoder.body.data, p->encoder.body.len};
    at = tb_wire_put_tag(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_FXT_ARGUMENTS, TB_WIRE_BYTES);
    at = tb_wire_put_varint(at, arguments.len);
  }
  enum tb_status status = tb_buffer_append(fields, head, (size_t)(at - head));
  return status == TB_OK ? tb_buffer_append(fields, arguments.ptr, arguments.len) : status;
}

/* Of a thread's state Perfetto says the thread's number alone. */
static enum tb_status count_lost_process(struct tb_perfetto_writer *p, const struct state_head *head) {
  uint32_t before = TB_TASK_UNKNOWN;
  if (!head->has_process) return TB_OK;
  if (!p->sched.states.allocator && know_threads(p) != TB_OK) return TB_NO_MEMORY;
  (void)tb_map_get(&p->sched.states, (uint64_t)head->tid, 0, &before);
  if (before == MANY_THREADS)
    tb_losses_add(&p->writer->losses, "process of a state, whose thread's number several have (Perfetto has none)",
                  TB_NO_OFFSET);
  return TB_OK;
}

/* To the trace processor a thread that is dying runs no more, but on Fuchsia it does, to its end. It takes one that
 * was destroyed for the same number used anew: so what a dying thread still does comes after a state that says so,
 * and that our readers pass over. */
static enum tb_status revive(struct tb_sequence_writer *w, int64_t ts, int64_t tid) {
  char message[TB_THREAD_END_MAX];
  size_t len = tb_perfetto_encode_thread_end(message, tid);
  return tb_sequence_put_payload(w, ts, TB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT, (struct tb_str){message, len});
}

enum tb_status tb_perfetto_write_kernel(struct tb_sequence_writer *w, const struct tb_staged_event *entry) {
  struct tb_map *dying = &w->p->sched.dying;
  struct state_head head;
  uint32_t is_dying = 0;
  memcpy(&head, entry->body.ptr, sizeof(head));
  struct tb_str message = {entry->body.ptr + sizeof(head), entry->body.len - sizeof(head)};
  if (count_lost_process(w->p, &head) != TB_OK) return tb_sequence_no_memory(w);
  if (head.far) return tb_sequence_put_payload(w, entry->ts, TB_TRACE_PACKET_FAR_TASK_STATE, message);
  if (dying->count) (void)tb_map_get(dying, (uint64_t)head.tid, 0, &is_dying);
  enum tb_status status = TB_OK;
  if (is_dying && head.state != TB_TASK_DESTROYED) status = revive(w, entry->ts, head.tid);
  if (status == TB_OK && is_dying != (head.state == TB_TASK_DEAD))
    if (tb_map_put(dying, (uint64_t)head.tid, 0, head.state == TB_TASK_DEAD) != TB_OK) return tb_sequence_no_memory(w);
  if (status != TB_OK) return status;
  return tb_sequence_put_payload(w, entry->ts, TB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT, message);
}

enum tb_status tb_perfetto_put_thread_state(struct tb_perfetto_writer *p, const struct tb_event *event) {
  bool is_kernels = p->trace_clock == TB_CLOCK_BOOTTIME && tb_kernel_sched_takes(event);
  if (event->task_state == TB_TASK_UNKNOWN && !is_kernels) {
    enum tb_status status = tb_perfetto_put_deferred_side(p, event, TB_GROUP_SIDE);
    return status == TB_OK ? put_derived(p, event) : status;
  }
  struct tb_track_state *state = tb_perfetto_track_state(p, event->track);
  if (state && event->task_state == TB_TASK_CREATED) state->is_created = true;
  if (state && is_kernels) {
    state->has_state = true;
    return tb_kernel_sched_put(&p->sched.kernel, event, state->name);
  }
  uint32_t key = state ? tb_perfetto_track_group(p, NULL, TB_GROUP_KERNEL) : 0;
  if (!key) return TB_NO_MEMORY;
  struct tb_buffer *body = &p->scratch;
  body->len = 0;
  struct state_head head = {.tid = event->track->tid, .state = event->task_state};
  head.has_process = !p->writer->is_own_source && event->track->has_pid;
  head.far = head.state == TB_TASK_RUNNING && event->has & TB_HAS_CPU && event->cpu > MAX_CPU;
  if (tb_buffer_reserve(body, sizeof(head) + state->name.len + 8 * TB_WIRE_VARINT_MAX) != TB_OK) return TB_NO_MEMORY;
  memcpy(body->data, &head, sizeof(head));
  char *at = body->data + sizeof(head);
  if (event->has & TB_HAS_CPU) at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_CPU, event->cpu);
  if (state->name.len)
    at = tb_wire_put_bytes(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_COMM, state->name.ptr, state->name.len);
  state->has_state = true;
  at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID, (uint64_t)event->track->tid);
  at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_STATE, event->task_state);
  if (event->priority || event->has & TB_HAS_PRIORITY)
    at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_PRIO, (uint64_t)(int64_t)event->priority);
  body->len = (size_t)(at - body->data);
  enum tb_status status = put_particulars(p, event, body);
  if (status != TB_OK) return status;
  struct tb_staged_event entry = {.ts = event->ts, .kind = TB_STAGED_COUNTER, .key = key};
  entry.body = (struct tb_str){body->data, body->len};
  return tb_perfetto_add_entry(p, p->sequences[TB_SHARED_SEQUENCE], &entry);
}
