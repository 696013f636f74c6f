/* SPDX-License-Identifier: Apache-2.0
 *
 * Instants, async events and flows; and, as one of these with an argument that names the phase, events that FXT does
 * not know.
 */
#include "fxt/writer/writer.h"
#include "model/phases.h"

/* Which record stands for an event: of those with an id, one that holds it. */
static unsigned record_type(const struct tb_event *event) {
  switch (event->type) {
    case TB_EVENT_ASYNC_BEGIN:
      return TB_FXT_ASYNC_BEGIN;
    case TB_EVENT_ASYNC_END:
      return TB_FXT_ASYNC_END;
    case TB_EVENT_FLOW_BEGIN:
      return TB_FXT_FLOW_BEGIN;
    case TB_EVENT_FLOW_STEP:
      return TB_FXT_FLOW_STEP;
    case TB_EVENT_FLOW_END:
      return TB_FXT_FLOW_END;
    default:
      return event->id.kind != TB_ID_NONE || event->track->type == TB_TRACK_CUSTOM ? TB_FXT_ASYNC_INSTANT
                                                                                   : TB_FXT_INSTANT;
  }
}

/* The phase that a reader of FXT gives to a record of that type. */
static char implied_phase(unsigned type) {
  static const char phases[] = {
      [TB_FXT_INSTANT] = 'i',    [TB_FXT_ASYNC_BEGIN] = 'b', [TB_FXT_ASYNC_INSTANT] = 'n', [TB_FXT_ASYNC_END] = 'e',
      [TB_FXT_FLOW_BEGIN] = 's', [TB_FXT_FLOW_STEP] = 't',   [TB_FXT_FLOW_END] = 'f'};
  return phases[type];
}

/* A sample of Perfetto's, or of JSON's list of samples. */
static bool is_sample(const struct tb_event *event) { return event->type == TB_EVENT_SAMPLE && !event->phase; }

static bool has_plain_phase(const struct tb_event *event, unsigned type) {
  if (is_sample(event)) return false;
  if (event->phase_text.len) return false;
  if (event->phase) return event->phase == implied_phase(type) || (event->phase == 'I' && type == TB_FXT_INSTANT);
  return event->type != TB_EVENT_OTHER;
}

/* What the record itself does not say of the event, as arguments. */
static void add_particulars(struct tb_fxt_writer *w, const struct tb_event *event, unsigned type) {
  if (tb_event_is_untimed(event)) tb_fxt_carry_text(w, TB_CARRIED_NO_TS, TB_STR(""));
  if (!has_plain_phase(event, type)) {
    struct tb_str phase = is_sample(event)                         ? TB_STR(TB_FXT_SAMPLE)
                          : event->phase_text.len || !event->phase ? event->phase_text
                                                                   : (struct tb_str){&event->phase, 1};
    tb_fxt_carry_text(w, TB_CARRIED_PHASE, phase);
  }
  bool of_process = event->track->type == TB_TRACK_PROCESS, of_all = event->track->type == TB_TRACK_GLOBAL;
  if ((event->type == TB_EVENT_INSTANT || event->type == TB_EVENT_SAMPLE) && (of_process || of_all)) {
    struct tb_str scope = of_process ? TB_STR("p0") : TB_STR("g0"); /* 0: of the thread of this id */
    if (!event->thread || event->thread->type != TB_TRACK_THREAD || tb_fxt_thread_koid(event->thread)) scope.len--;
    tb_fxt_carry_text(w, TB_CARRIED_INSTANT_SCOPE, scope);
  } else if (event->type == TB_EVENT_INSTANT && event->instant_scope == 't' && !has_plain_phase(event, type)) {
    tb_fxt_carry_text(w, TB_CARRIED_INSTANT_SCOPE, TB_STR("t")); /* others than instants have none */
  }
  bool binds_enclosing = event->has & TB_HAS_BIND_ENCLOSING; /* as ends do in FXT, and nothing else */
  if ((type == TB_FXT_FLOW_END) != binds_enclosing)
    tb_fxt_carry_text(w, TB_CARRIED_BIND_ENCLOSING, binds_enclosing ? TB_STR("e") : TB_STR("t"));
  tb_fxt_carry_id_kind(w, &event->id);
  if (event->type != TB_EVENT_SLICE_COMPLETE) tb_fxt_carry(w, event, TB_CARRIED_BIT(DUR));
}

static uint64_t number_of(struct tb_fxt_writer *w, const struct tb_event *event, unsigned type) {
  if (event->id.kind == TB_ID_NONE) return tb_fxt_track_number(w, event);
  bool is_flow = type >= TB_FXT_FLOW_BEGIN;
  uint64_t number = tb_fxt_id_number(w, event, &event->id, is_flow);
  if (!event->id.is_number || number != event->id.value) tb_fxt_carry_id(w, &event->id);
  return number;
}

/* The emitting thread where it is known, else one without an id, or of an instant of the process its thread 0. */
static void put_point(struct tb_fxt_writer *w, const struct tb_event *event, unsigned type, bool has_last,
                      uint64_t last) {
  const struct tb_track *emitter = event->thread ? event->thread : event->track;
  bool has_no_thread = emitter->type == TB_TRACK_PROCESS && (event->thread || event->type != TB_EVENT_INSTANT);
  uint64_t thread = has_no_thread ? tb_fxt_no_thread_koid(emitter) : tb_fxt_thread_koid(emitter);
  struct tb_fxt_event_record record = {.type = type,
                                       .ts = event->ts,
                                       .process = tb_fxt_process_koid(emitter),
                                       .thread = thread,
                                       .category = event->categories,
                                       .name = event->name,
                                       .args = w->args.items,
                                       .arg_count = w->args.count,
                                       .has_last = has_last,
                                       .last = last};
  if (type == TB_FXT_INSTANT || type >= TB_FXT_FLOW_BEGIN) tb_fxt_touch(w, emitter, event->ts);
  tb_fxt_put_event(w, &record);
}

/* A remark of a counter is a counter record again, with arguments that are no numbers. */
static const struct tb_arg *remarked_counter(const struct tb_event *event) {
  for (uint32_t i = 0; event->type == TB_EVENT_INSTANT && i < event->extra_count; i += event->extra[i].span)
    if (tb_str_equal(event->extra[i].name, tb_carried_key(TB_CARRIED_FXT_COUNTER))) return &event->extra[i];
  return NULL;
}

void tb_fxt_put_other(struct tb_fxt_writer *w, const struct tb_event *event) {
  bool is_flow = event->type >= TB_EVENT_FLOW_BEGIN && event->type <= TB_EVENT_FLOW_END;
  if (is_flow && tb_flow_source(event) == TB_FLOWS_DUPLICATED_BY_NAME) return; /* the slices say it by their flow ids */
  bool is_duplicated = is_flow && tb_flow_source(event) == TB_FLOWS_DUPLICATED_BY_ID;
  if (event->type == TB_EVENT_INSTANT && event->extra_count && tb_fxt_put_blob_again(w, event)) return;
  const struct tb_track *emitter = event->thread ? event->thread : event->track;
  if (is_duplicated)
    tb_fxt_note_source_flow(w, event);
  else
    tb_fxt_end_waiting(w, emitter, event->ts, is_flow);
  const struct tb_arg *counter = remarked_counter(event);
  if (counter) {
    tb_fxt_flatten(w, event);
    put_point(w, event, TB_FXT_COUNTER, true, counter->u);
    return;
  }
  unsigned type = record_type(event);
  bool has_last = type != TB_FXT_INSTANT;
  if (has_last && event->id.kind == TB_ID_NONE) (void)tb_fxt_track_number(w, event); /* as metadata, before the event */
  add_particulars(w, event, type);
  uint64_t last = has_last ? number_of(w, event, type) : 0;
  tb_fxt_flatten(w, event);
  if (is_duplicated && tb_fxt_hold_flow(w, event, type, last)) return;
  bool is_delayed = is_flow && !is_duplicated && tb_fxt_delay_flow(w, event, emitter, type, last);
  if (!is_delayed) put_point(w, event, type, has_last, last);
  if (is_flow && !(event->has & TB_HAS_ID_ONLY_MATCH)) tb_fxt_note_flow_end(w, type, last, event->ts);
  bool joins_next = type == TB_FXT_FLOW_END && !(event->has & TB_HAS_BIND_ENCLOSING);
  if (joins_next && (is_duplicated || w->writer->source.complete_first)) tb_fxt_note_arriving(w, emitter, event->ts);
  if (type == TB_FXT_FLOW_BEGIN && !is_delayed) w->writer->summary.flows++;
  if (type == TB_FXT_INSTANT)
    tb_fxt_put_flow_ids(w, event, event->ts);
  else if (!is_flow && event->flow_count + event->terminating_flow_count)
    tb_fxt_lose_event(w, "a flow of a slice that is on no thread's track", event);
}
