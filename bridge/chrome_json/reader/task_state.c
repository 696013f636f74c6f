/* SPDX-License-Identifier: Apache-2.0
 *
 * States of threads, as scheduling has them: events of phase T that last until the thread's next one. Our writer makes
 * them of Perfetto's GenericKernelTaskStateEvent and of FXT's scheduling; without a duration and an id they are
 * nothing else in JSON.
 *
 *   {"name":"Running","ph":"T","ts":3,"tid":9,"args":{"cpu":1,"prio":120}}
 */
#include "chrome_json/reader/field_parser.h"
#include "model/task_states.h"

static const uint32_t NO_ARG = UINT32_MAX;

/* The last of the event's arguments, where it is that integer: the writer puts them there. */
static uint32_t find_last(const struct tb_event *event, uint32_t count, struct tb_str name, int64_t min, int64_t max) {
  uint32_t last = NO_ARG;
  for (uint32_t i = 0; i < count; i += event->args[i].span) last = i;
  if (last == NO_ARG) return NO_ARG;
  const struct tb_arg *arg = &event->args[last];
  bool fits = arg->type == TB_ARG_INT && arg->i >= min && arg->i <= max;
  return fits && tb_str_equal(arg->name, name) ? last : NO_ARG;
}

/* Other members say that it is another one's event, and stay with it. */
static bool may_be_state(const struct tb_event *event) {
  enum { MEMBERS = TB_HAS_TS | TB_HAS_NAME | TB_HAS_ARGS };
  bool is_bare = !(event->has & ~(uint32_t)MEMBERS) && event->id.kind == TB_ID_NONE && !event->scope.ptr &&
                 event->bind_id.kind == TB_ID_NONE && !event->stack.ref.ptr && !event->stack.frame_count &&
                 !event->end_stack.ref.ptr && !event->end_stack.frame_count;
  bool has_empty_args = event->has & TB_HAS_ARGS && !event->arg_count;
  return is_bare && !has_empty_args && event->has & TB_HAS_TS && event->track->type == TB_TRACK_THREAD;
}

void tb_json_take_task_state(struct tb_event *event) {
  if (!tb_str_equal(event->phase_text, TB_STR("T")) || !may_be_state(event)) return;
  enum tb_task_state state = tb_task_state_named(event->name);
  uint32_t count = event->arg_count;
  uint32_t priority = find_last(event, count, TB_STR("prio"), INT32_MIN, INT32_MAX);
  if (priority != NO_ARG) count = priority;
  uint32_t cpu = find_last(event, count, TB_STR("cpu"), 0, INT32_MAX);
  if (cpu != NO_ARG) count = cpu;
  if (state == TB_TASK_UNKNOWN || (state == TB_TASK_RUNNING && cpu == NO_ARG)) return;
  if (cpu != NO_ARG) event->cpu = (uint32_t)event->args[cpu].u;
  if (priority != NO_ARG) event->priority = (int32_t)event->args[priority].i;
  event->has |= (cpu != NO_ARG ? TB_HAS_CPU : 0u) | (priority != NO_ARG ? TB_HAS_PRIORITY : 0u);
  event->type = TB_EVENT_THREAD_STATE;
  event->task_state = (uint8_t)state;
  event->phase = 'T';
  event->phase_text = (struct tb_str){NULL, 0};
  event->arg_count = count;
  if (!count) event->has &= ~(uint32_t)TB_HAS_ARGS;
}
