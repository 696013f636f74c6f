/* SPDX-License-Identifier: Apache-2.0
 *
 * Thread states as scheduling records: a thread that stops running and the one that runs next are one context switch.
 */
#include "fxt/writer/writer.h"
#include "model/task_states.h"

/* A state of Linux' for which there is no word here: the thread does not run, which is what a record can say. */
static bool is_only_letter(const struct tb_event *event) {
  return event->task_state == TB_TASK_UNKNOWN && event->has & TB_HAS_KERNEL_STATE && event->has & TB_HAS_CPU;
}

static bool state_of(const struct tb_event *event, uint32_t *state) {
  switch (event->task_state) {
    case TB_TASK_CREATED:
      *state = TB_FXT_STATE_NEW;
      return true;
    case TB_TASK_RUNNABLE:
      *state = tb_str_equal(event->name, TB_STR("new")) ? TB_FXT_STATE_NEW : TB_FXT_STATE_RUNNING;
      return true;
    case TB_TASK_INTERRUPTIBLE_SLEEP:
    case TB_TASK_UNINTERRUPTIBLE_SLEEP:
      *state = TB_FXT_STATE_BLOCKED;
      return true;
    case TB_TASK_STOPPED:
      *state = TB_FXT_STATE_SUSPENDED;
      return true;
    case TB_TASK_DEAD:
      *state = TB_FXT_STATE_DYING;
      return true;
    case TB_TASK_DESTROYED:
      *state = TB_FXT_STATE_DEAD;
      return true;
    default:
      *state = TB_FXT_STATE_BLOCKED;
      return is_only_letter(event);
  }
}

static void add_weight(struct tb_fxt_flat *args, uint32_t *count, const char *name, int32_t weight) {
  if (weight == 0 || *count == TB_FXT_MAX_ARGS) return;
  args[(*count)++] =
      (struct tb_fxt_flat){.name = tb_str_from(name), .value = (uint32_t)weight, .type = TB_FXT_ARG_INT32};
}

/* A switch on a processor; the idle thread has koid 0 and the weight that marks it. */
struct context_change {
  int64_t ts;
  uint64_t process; /* whose provider writes it */
  uint64_t from, to;
  uint32_t cpu, state;
  int32_t from_weight, to_weight;
};

static void put_change(struct tb_fxt_writer *w, const struct context_change *change, const struct tb_fxt_flat *more,
                       uint32_t more_count) {
  struct tb_fxt_flat args[TB_FXT_MAX_ARGS];
  uint32_t count = 0;
  add_weight(args, &count, "incoming_weight", change->to_weight);
  add_weight(args, &count, "outgoing_weight", change->from_weight);
  for (uint32_t i = 0; i < more_count && count < TB_FXT_MAX_ARGS; i++) args[count++] = more[i];
  tb_fxt_use_process(w, change->process);
  /* names of the arguments come before the record that they are in: see tb_fxt_string_ref */
  tb_fxt_open_record(w, TB_FXT_SCHEDULING,
                     (uint64_t)TB_FXT_CONTEXT_SWITCH << 60 | (uint64_t)count << 16 |
                         (uint64_t)(change->cpu & UINT16_MAX) << 20 | (uint64_t)change->state << 36);
  tb_fxt_put_word(w, (uint64_t)change->ts);
  tb_fxt_put_word(w, change->from);
  tb_fxt_put_word(w, change->to);
  tb_fxt_put_args(w, args, count);
  tb_fxt_close_record(w);
}

static void put_wakeup(struct tb_fxt_writer *w, const struct context_change *change, const struct tb_fxt_flat *more,
                       uint32_t more_count) {
  struct tb_fxt_flat args[TB_FXT_MAX_ARGS];
  uint32_t count = 0;
  add_weight(args, &count, "weight", change->from_weight);
  for (uint32_t i = 0; i < more_count && count < TB_FXT_MAX_ARGS; i++) args[count++] = more[i];
  tb_fxt_use_process(w, change->process);
  tb_fxt_open_record(
      w, TB_FXT_SCHEDULING,
      (uint64_t)TB_FXT_WAKEUP << 60 | (uint64_t)count << 16 | (uint64_t)(change->cpu & UINT16_MAX) << 20);
  tb_fxt_put_word(w, (uint64_t)change->ts);
  tb_fxt_put_word(w, change->from);
  tb_fxt_put_args(w, args, count);
  tb_fxt_close_record(w);
}

void tb_fxt_finish_switch(struct tb_fxt_writer *w) {
  struct tb_fxt_switch *out = &w->outgoing;
  if (!out->waiting) return;
  out->waiting = false;
  struct context_change change = {.ts = out->ts,
                                  .process = out->process,
                                  .from = out->thread,
                                  .cpu = out->cpu,
                                  .state = out->state,
                                  .from_weight = out->priority,
                                  .to_weight = TB_FXT_IDLE_WEIGHT};
  if (out->may_wake)
    put_wakeup(w, &change, out->args, out->arg_count);
  else
    put_change(w, &change, out->args, out->arg_count);
  tb_free(w->writer->allocator, out->args, out->block_size);
  out->args = NULL;
}

/* ---- the states -------------------------------------------------------------------------------------------------- */

/* Linux's idle thread is 0; in FXT its weight says that it is idle. */
static int32_t weight_of(const struct tb_event *event) {
  return tb_fxt_thread_koid(event->track) == 0 ? TB_FXT_IDLE_WEIGHT : event->priority;
}

static void start_running(struct tb_fxt_writer *w, const struct tb_event *event) {
  struct tb_fxt_switch *out = &w->outgoing;
  uint64_t thread = tb_fxt_thread_koid(event->track);
  struct context_change change = {.ts = event->ts,
                                  .process = tb_fxt_process_koid(event->track),
                                  .to = thread,
                                  .cpu = event->cpu,
                                  .from_weight = TB_FXT_IDLE_WEIGHT,
                                  .to_weight = weight_of(event)};
  if (out->waiting && (out->ts != event->ts || out->cpu != event->cpu)) tb_fxt_finish_switch(w);
  if (out->waiting) {
    out->waiting = false;
    change.from = out->thread;
    change.from_weight = out->priority;
    change.state = out->state;
    for (uint32_t i = 0; out->args && i < out->arg_count && w->args.count < TB_FXT_MAX_ARGS; i++)
      w->args.items[w->args.count++] = out->args[i];
  }
  put_change(w, &change, w->args.items, w->args.count);
  tb_free(w->writer->allocator, out->args, out->block_size);
  out->args = NULL;
  out->arg_count = 0;
  out->block_size = 0;
  tb_fxt_fail(w, tb_map_put(&w->running, event->cpu, 0, thread));
}

static void stop_running(struct tb_fxt_writer *w, const struct tb_event *event, uint32_t state, bool may_wake) {
  struct tb_fxt_switch *out = &w->outgoing;
  *out = (struct tb_fxt_switch){.waiting = true,
                                .may_wake = may_wake,
                                .ts = event->ts,
                                .cpu = event->cpu,
                                .state = state,
                                .priority = weight_of(event),
                                .process = tb_fxt_process_koid(event->track),
                                .thread = tb_fxt_thread_koid(event->track)};
  out->block_size = tb_fxt_args_size(w->args.items, w->args.count);
  char *block = tb_alloc(w->writer->allocator, out->block_size);
  if (!block) {
    out->waiting = false;
    tb_fxt_fail(w, TB_NO_MEMORY);
    return;
  }
  out->args = tb_fxt_copy_args(w->args.items, w->args.count, block);
  out->arg_count = w->args.count;
  tb_map_remove(&w->running, event->cpu, 0);
}

static void wake(struct tb_fxt_writer *w, const struct tb_event *event) {
  struct context_change change = {.ts = event->ts,
                                  .process = tb_fxt_process_koid(event->track),
                                  .from = tb_fxt_thread_koid(event->track),
                                  .cpu = event->cpu,
                                  .from_weight = weight_of(event)};
  put_wakeup(w, &change, w->args.items, w->args.count);
}

/* What it means that a thread becomes runnable: that another one takes its processor, or that it is woken. Records of
 * FXT say it; else it is the former where the thread runs, the latter where another one does, and where nothing is
 * known of the processor it shows by what comes next. */
enum meaning { SWITCHES, WAKES, MAY_WAKE };

static enum meaning meaning_of(const struct tb_fxt_writer *w, const struct tb_event *event) {
  if (event->task_state != TB_TASK_RUNNABLE && event->task_state != TB_TASK_CREATED) return SWITCHES;
  if (tb_str_equal(event->name, TB_STR("waking"))) return WAKES;
  /* Linux names no processor, and may wake a thread that runs yet */
  if (event->task_state == TB_TASK_RUNNABLE && !(event->has & TB_HAS_CPU)) return WAKES;
  if (tb_str_equal(event->name, TB_STR("preempted")) || tb_str_equal(event->name, TB_STR("new"))) return SWITCHES;
  const uint64_t *thread = tb_map_find(&w->running, event->cpu, 0);
  if (!thread) return MAY_WAKE;
  return *thread == tb_fxt_thread_koid(event->track) ? SWITCHES : WAKES;
}

/* Whether the text that says the state is kept as it is. */
static bool is_kept_as_text(const struct tb_fxt_writer *w, const struct tb_event *event) {
  const struct tb_source_traits *source = &w->writer->source;
  bool is_of_text = (source->system_text || source->some_text) && event->has & TB_HAS_KERNEL_STATE;
  return is_of_text && w->writer->options.keep_packets;
}

/* Whether a record says another state, the nearest that there is. */
static bool is_said_otherwise(const struct tb_event *event) {
  return is_only_letter(event) || event->task_state == TB_TASK_UNINTERRUPTIBLE_SLEEP ||
         event->task_state == TB_TASK_CREATED;
}

/* What a record of scheduling does not say of a state. */
static void count_lost_parts(struct tb_fxt_writer *w, const struct tb_event *event) {
  if (is_kept_as_text(w, event)) return;
  if (is_said_otherwise(event))
    tb_losses_add_kind(&w->writer->losses, "states of threads that FXT has no place for",
                       tb_task_state_letter((enum tb_task_state)event->task_state), event->offset);
  if (event->has & TB_HAS_CPU && event->cpu > UINT16_MAX)
    tb_fxt_lose_event(w, "processors of thread states past the range of FXT's", event);
  if (event->thread && event->thread != event->track)
    tb_fxt_lose_event(w, "who wakes a thread (FXT has no place for it)", event);
}

void tb_fxt_put_thread_state(struct tb_fxt_writer *w, const struct tb_event *event) {
  uint32_t state = 0;
  count_lost_parts(w, event);
  if (event->task_state != TB_TASK_RUNNING && !state_of(event, &state)) {
    tb_fxt_put_other(w, event); /* a state that only its name says, with a duration perhaps */
    return;
  }
  if (event->ts < 0) {
    tb_fxt_lose_event(w, "an event before time 0", event);
    return;
  }
  tb_fxt_describe(w, event->track);
  if (event->track->parent && !event->track->name.len) /* a thread record says the process, and no name */
    (void)tb_fxt_thread_ref(w, tb_fxt_process_koid(event->track), tb_fxt_thread_koid(event->track));
  tb_fxt_flatten(w, event);
  if (event->task_state == TB_TASK_RUNNING) {
    start_running(w, event);
    return;
  }
  tb_fxt_finish_switch(w);
  enum meaning meaning = meaning_of(w, event);
  if (meaning == SWITCHES && !(event->has & TB_HAS_CPU))
    tb_fxt_lose_event(w, "thread states without a processor, written as the first one's (FXT has none)", event);
  if (meaning == WAKES)
    wake(w, event);
  else
    stop_running(w, event, state, meaning == MAY_WAKE);
}
