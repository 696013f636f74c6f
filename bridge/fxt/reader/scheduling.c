/* SPDX-License-Identifier: Apache-2.0
 *
 * FXT scheduling records: each thread that changes its state gives one event.
 */
#include "fxt/reader/reader.h"

/* States of a thread that a processor is taken from, as the trace processor reads them. */
static const struct {
  enum tb_task_state state;
  const char *name;
} states[] = {
    [TB_FXT_STATE_NEW] = {TB_TASK_RUNNABLE, "new"},
    [TB_FXT_STATE_RUNNING] = {TB_TASK_RUNNABLE, "preempted"},
    [TB_FXT_STATE_SUSPENDED] = {TB_TASK_STOPPED, "suspended"},
    [TB_FXT_STATE_BLOCKED] = {TB_TASK_INTERRUPTIBLE_SLEEP, "blocked"},
    [TB_FXT_STATE_DYING] = {TB_TASK_DEAD, "dying"},
    [TB_FXT_STATE_DEAD] = {TB_TASK_DESTROYED, "dead"},
};

static enum tb_status add_state(struct tb_fxt_reader *fx, const struct tb_track *thread, int64_t ts, uint32_t cpu,
                                enum tb_task_state state, const char *name, struct tb_event **event) {
  enum tb_status status = tb_fxt_add_event(fx, TB_EVENT_THREAD_STATE, thread, event);
  if (status != TB_OK) return status;
  (*event)->ts = ts;
  (*event)->has = TB_HAS_TS | TB_HAS_CPU | TB_HAS_NAME;
  (*event)->cpu = cpu;
  (*event)->task_state = (uint8_t)state;
  (*event)->name = tb_str_from(name);
  return TB_OK;
}

/* One processor goes from one thread to another; a NULL thread is the idle one, which has no states. */
struct scheduling_change {
  const struct tb_track *from, *to;
  int64_t ts;
  uint32_t cpu, state;
  int32_t from_priority, to_priority;
};

/* A record without a weight has none, and 0 is none. */
static void set_priority(struct tb_event *event, int32_t weight) {
  event->priority = weight;
  if (weight) event->has |= TB_HAS_PRIORITY;
}

static enum tb_status add_change(struct tb_fxt_reader *fx, const struct scheduling_change *change) {
  if (change->state >= sizeof(states) / sizeof(states[0]))
    return tb_fxt_malformed(fx, "a thread state of unknown number", NULL);
  struct tb_event *event = NULL;
  enum tb_status status = TB_OK;
  if (change->from) {
    status = add_state(fx, change->from, change->ts, change->cpu, states[change->state].state,
                       states[change->state].name, &event);
    if (status == TB_OK) set_priority(event, change->from_priority);
  }
  if (change->to && status == TB_OK) {
    status = add_state(fx, change->to, change->ts, change->cpu, TB_TASK_RUNNING, "running", &event);
    if (status == TB_OK) set_priority(event, change->to_priority);
  }
  return status == TB_OK && event ? tb_fxt_give_args(fx, event->track, event) : status;
}

/* Takes the int32 argument `name` out of the record's arguments; 0 where there is none. */
static int32_t take_weight(struct tb_fxt_reader *fx, struct tb_str name) {
  for (uint32_t i = 0; i < fx->arg_count; i++) {
    const struct tb_arg *arg = &fx->args[i];
    if (arg->type != TB_ARG_INT || arg->width != 32 || !tb_str_equal(arg->name, name)) continue;
    int32_t weight = (int32_t)arg->i;
    memmove(&fx->args[i], &fx->args[i + 1], (fx->arg_count - i - 1) * sizeof(*fx->args));
    fx->arg_count--;
    return weight;
  }
  return 0;
}

static enum tb_status parse_context_switch(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor) {
  struct scheduling_change change = {.cpu = (uint32_t)tb_fxt_field(header, 20, 35),
                                     .state = (uint32_t)tb_fxt_field(header, 36, 39)};
  uint64_t from, to;
  enum tb_status status = tb_fxt_take_time(fx, &cursor, &change.ts);
  if (status != TB_OK) return status;
  if (!tb_fxt_take_word(&cursor, &from) || !tb_fxt_take_word(&cursor, &to))
    return tb_fxt_malformed(fx, "a context switch without its threads", NULL);
  status = tb_fxt_parse_args(fx, (uint32_t)tb_fxt_field(header, 16, 19), &cursor);
  if (status != TB_OK) return status;
  change.from_priority = take_weight(fx, TB_STR("outgoing_weight"));
  change.to_priority = take_weight(fx, TB_STR("incoming_weight"));
  struct tb_track *track;
  if (change.from_priority != TB_FXT_IDLE_WEIGHT) {
    status = tb_fxt_thread_track_of_koid(&fx->tables, from, &track);
    if (status != TB_OK) return tb_fxt_no_memory(fx, status);
    change.from = track;
  }
  if (change.to_priority != TB_FXT_IDLE_WEIGHT) {
    status = tb_fxt_thread_track_of_koid(&fx->tables, to, &track);
    if (status != TB_OK) return tb_fxt_no_memory(fx, status);
    change.to = track;
  }
  return add_change(fx, &change);
}

static enum tb_status parse_wakeup(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor) {
  int64_t ts;
  uint64_t koid;
  enum tb_status status = tb_fxt_take_time(fx, &cursor, &ts);
  if (status != TB_OK) return status;
  if (!tb_fxt_take_word(&cursor, &koid)) return tb_fxt_malformed(fx, "a wakeup without its thread", NULL);
  status = tb_fxt_parse_args(fx, (uint32_t)tb_fxt_field(header, 16, 19), &cursor);
  if (status != TB_OK) return status;
  int32_t weight = take_weight(fx, TB_STR("weight"));
  if (weight == TB_FXT_IDLE_WEIGHT) return TB_OK;
  struct tb_track *thread;
  status = tb_fxt_thread_track_of_koid(&fx->tables, koid, &thread);
  if (status != TB_OK) return tb_fxt_no_memory(fx, status);
  struct tb_event *event;
  status = add_state(fx, thread, ts, (uint32_t)tb_fxt_field(header, 20, 35), TB_TASK_RUNNABLE, "waking", &event);
  if (status != TB_OK) return status;
  set_priority(event, weight);
  return tb_fxt_give_args(fx, thread, event);
}

/* Priority 0 marks an idle thread; a thread that a kernel object puts into a process is none, whatever its priority. */
static bool is_idle(const struct tb_fxt_reader *fx, const struct tb_track *thread, int32_t priority) {
  const uint64_t *process = tb_map_find(&fx->tables.thread_objects, (uint64_t)thread->tid, 0);
  return priority == 0 && (!process || *process == 0);
}

/* The thread of a legacy record's reference, NULL where it is idle. */
static enum tb_status resolve_legacy(struct tb_fxt_reader *fx, uint32_t ref, struct tb_fxt_cursor *cursor,
                                     int32_t priority, const struct tb_track **thread) {
  enum tb_status status = tb_fxt_resolve_thread(fx, ref, cursor, thread);
  if (status == TB_OK && is_idle(fx, *thread, priority)) *thread = NULL;
  return status;
}

static enum tb_status parse_legacy_switch(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor) {
  struct scheduling_change change = {.cpu = (uint32_t)tb_fxt_field(header, 16, 23),
                                     .state = (uint32_t)tb_fxt_field(header, 24, 27),
                                     .from_priority = (int32_t)tb_fxt_field(header, 44, 51),
                                     .to_priority = (int32_t)tb_fxt_field(header, 52, 59)};
  fx->arg_count = 0;
  enum tb_status status = tb_fxt_take_time(fx, &cursor, &change.ts);
  if (status == TB_OK)
    status = resolve_legacy(fx, (uint32_t)tb_fxt_field(header, 28, 35), &cursor, change.from_priority, &change.from);
  if (status == TB_OK)
    status = resolve_legacy(fx, (uint32_t)tb_fxt_field(header, 36, 43), &cursor, change.to_priority, &change.to);
  return status == TB_OK ? add_change(fx, &change) : status;
}

enum tb_status tb_fxt_parse_scheduling(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor) {
  switch (tb_fxt_field(header, 60, 63)) {
    case TB_FXT_LEGACY_SWITCH:
      return parse_legacy_switch(fx, header, cursor);
    case TB_FXT_CONTEXT_SWITCH:
      return parse_context_switch(fx, header, cursor);
    case TB_FXT_WAKEUP:
      return parse_wakeup(fx, header, cursor);
    default:
      return tb_fxt_malformed(fx, "a scheduling record of unknown kind", NULL);
  }
}
