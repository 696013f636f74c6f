/* SPDX-License-Identifier: Apache-2.0
 *
 * A TrackEvent becomes an event: on which track, when, of which type, with what on it.
 */
#include "perfetto/reader/track_event_importer.h"
#include "model/phases.h"
#include "perfetto/reader/typed_fields.h"

static const char LOSS_TIME[] = "an event has no timestamp";
static const char LOSS_TYPE[] = "an event is of no known type";
static const char LOSS_REFERENCE[] = "a time that counts from a thread descriptor that was not sent";

/* ---- which track ------------------------------------------------------------------------------------------------- */

static struct tb_perfetto_track *kept_default(struct tb_perfetto_reader *r) {
  const struct tb_sequence_extras *known = r->context.sequence->extras;
  if (known->default_track_object) return known->default_track_object;
  struct tb_perfetto_track *track = tb_perfetto_find_track(r, known->default_track);
  struct tb_sequence_extras *extras = tb_sequence_own_extras(&r->state, r->context.sequence); /* it has a default */
  if (extras) extras->default_track_object = track;
  return track;
}

static struct tb_perfetto_track *sequence_thread(struct tb_perfetto_reader *r) {
  const struct tb_sequence_state *sequence = r->context.sequence;
  int64_t pid = tb_sequence_pid(sequence);
  return tb_tracks_thread(&r->tracks, &pid, tb_sequence_tid(sequence), r->head.machine);
}

struct tb_perfetto_track *tb_perfetto_default_track(struct tb_perfetto_reader *r) {
  const struct tb_sequence_state *sequence = r->context.sequence;
  if (sequence->has_default_track && sequence->extras->default_track) return kept_default(r);
  return sequence->has_thread ? sequence_thread(r) : NULL;
}

/* The thread that the legacy event names in place of the sequence's; where it names a process only, that one's track.
 */
static struct tb_perfetto_track *overridden_track(struct tb_perfetto_reader *r, const struct tb_legacy_event *legacy) {
  const struct tb_sequence_state *sequence = r->context.sequence;
  int64_t pid = legacy->has_pid ? legacy->pid : tb_sequence_pid(sequence);
  if (!legacy->has_tid) return tb_tracks_process(&r->tracks, pid, r->head.machine);
  return tb_tracks_thread(&r->tracks, &pid, legacy->tid, r->head.machine);
}

/* The rules by which the importer finds an event's track: its uuid, the default's; else, for events of before there
 * were tracks, the thread that the sequence or the event names; else the trace's own. */
static struct tb_perfetto_track *find_track(struct tb_perfetto_reader *r, const struct tb_track_event_parse *e) {
  const struct tb_track_event_fields *fields = &e->fields;
  const struct tb_sequence_state *sequence = r->context.sequence;
  const struct tb_legacy_event *legacy = &e->legacy;
  if ((fields->has & TB_TE_TRACK) && fields->track_uuid) return tb_perfetto_find_track(r, fields->track_uuid);
  if (!(fields->has & TB_TE_TRACK) && sequence->has_default_track && sequence->extras->default_track)
    return kept_default(r);
  if (legacy->has_pid || (legacy->has_tid && sequence->has_thread)) return overridden_track(r, legacy);
  bool old = !(fields->has & TB_TE_TRACK) || !(fields->has & TB_TE_TYPE);
  if (old && sequence->has_thread) return sequence_thread(r);
  return tb_perfetto_find_track(r, 0);
}

static const struct tb_track *process_of(const struct tb_track *track) {
  while (track && track->type != TB_TRACK_PROCESS) track = track->parent;
  return track;
}

/* ---- when -------------------------------------------------------------------------------------------------------- */

static enum tb_status find_legacy_time(struct tb_perfetto_reader *r, struct tb_track_event_parse *e, bool *has_ts) {
  struct tb_sequence_state *sequence = r->context.sequence;
  const struct tb_track_event_fields *fields = &e->fields;
  if (fields->has & TB_TE_TIMESTAMP_ABSOLUTE) {
    e->ts = tb_us_to_ns(fields->timestamp_us);
  } else if (!sequence->has_reference) {
    return tb_perfetto_lose(r, LOSS_REFERENCE);
  } else {
    struct tb_sequence_extras *extras = tb_sequence_own_extras(&r->state, sequence); /* with the reference */
    if (!extras) return TB_NO_MEMORY;
    extras->reference_us = (int64_t)((uint64_t)extras->reference_us + (uint64_t)fields->timestamp_us);
    e->ts = tb_us_to_ns(extras->reference_us);
  }
  *has_ts = true;
  /* such times are Chrome's, which reads the monotonic clock */
  (void)tb_trace_state_convert(&r->state, &r->head, TB_CLOCK_MONOTONIC, e->ts, &e->ts);
  return TB_OK;
}

static void find_legacy_thread_times(struct tb_perfetto_reader *r, struct tb_track_event_parse *e) {
  const struct tb_track_event_fields *fields = &e->fields;
  bool has_reference = r->context.sequence->has_reference;
  struct tb_sequence_extras *extras = has_reference ? tb_sequence_own_extras(&r->state, r->context.sequence) : NULL;
  if (fields->has & TB_TE_THREAD_ABSOLUTE) {
    e->has_thread_ts = true;
    e->thread_ts = tb_us_to_ns(fields->thread_us);
  } else if ((fields->has & TB_TE_THREAD_DELTA) && extras) {
    extras->thread_time_us = (int64_t)((uint64_t)extras->thread_time_us + (uint64_t)fields->thread_us);
    e->has_thread_ts = true;
    e->thread_ts = tb_us_to_ns(extras->thread_time_us);
  }
  if (fields->has & TB_TE_INSTRUCTIONS_ABSOLUTE) {
    e->has_instructions = true;
    e->instructions = fields->instructions;
  } else if ((fields->has & TB_TE_INSTRUCTIONS_DELTA) && extras) {
    extras->instruction_count = (int64_t)((uint64_t)extras->instruction_count + (uint64_t)fields->instructions);
    e->has_instructions = true;
    e->instructions = extras->instruction_count;
  }
}

/* ---- what it is called ------------------------------------------------------------------------------------------- */

static void set_names(struct tb_perfetto_reader *r, struct tb_event *event, const struct tb_track_event_parse *e) {
  if (e->fields.has & TB_TE_NAME) {
    event->has |= TB_HAS_NAME;
    event->name = e->fields.name;
  } else if (e->legacy.has_name_iid) {
    const struct tb_str *name = tb_perfetto_interned(r, TB_INDEX_EVENT_NAMES, e->legacy.name_iid);
    event->has |= TB_HAS_NAME;
    if (name) event->name = *name;
  }
  if (e->fields.category_count) {
    event->has |= TB_HAS_CATEGORIES;
    event->categories =
        e->fields.category_count == 1 ? e->fields.categories[0] : tb_track_event_categories(r, e->payload, &e->fields);
  }
}

/* ---- the event --------------------------------------------------------------------------------------------------- */

static char phase_on_track(const struct tb_track *track, char on_thread, char elsewhere) {
  return track->type == TB_TRACK_CUSTOM || track->type == TB_TRACK_COUNTER ? elsewhere : on_thread;
}

static void set_instant_scope(struct tb_event *event) {
  static const char scopes[] = {[TB_TRACK_GLOBAL] = 'g', [TB_TRACK_PROCESS] = 'p', [TB_TRACK_THREAD] = 't'};
  if (event->track->type > TB_TRACK_THREAD) return;
  event->instant_scope = scopes[event->track->type];
}

static void set_modern_type(struct tb_event *event, uint32_t type) {
  switch (type) {
    case TB_TRACK_EVENT_TYPE_SLICE_BEGIN:
      event->type = TB_EVENT_SLICE_BEGIN;
      event->phase = phase_on_track(event->track, 'B', 'b');
      break;
    case TB_TRACK_EVENT_TYPE_SLICE_END:
      event->type = TB_EVENT_SLICE_END;
      event->phase = phase_on_track(event->track, 'E', 'e');
      break;
    default:
      event->type = TB_EVENT_INSTANT;
      event->phase = phase_on_track(event->track, 'i', 'n');
      set_instant_scope(event);
  }
}

/* A legacy instant belongs to its thread, whose sequence sent it; its scope says whose it really is. */
static void set_legacy_instant(struct tb_perfetto_reader *r, struct tb_event *event, uint8_t scope) {
  const struct tb_track *thread = event->track->type == TB_TRACK_THREAD ? event->track : NULL;
  const struct tb_track *other = NULL;
  if (scope == TB_TRACK_EVENT_LEGACY_EVENT_SCOPE_GLOBAL) {
    struct tb_perfetto_track *global = tb_perfetto_find_track(r, 0);
    other = global ? &global->track : NULL;
  } else if (scope == TB_TRACK_EVENT_LEGACY_EVENT_SCOPE_PROCESS) {
    other = process_of(event->track);
  }
  if (other && other != event->track) {
    event->track = other;
    event->thread = thread;
  }
  set_instant_scope(event);
}

static void set_legacy_type(struct tb_perfetto_reader *r, struct tb_event *event,
                            const struct tb_legacy_event *legacy) {
  event->phase = legacy->phase;
  event->type = tb_phase_event_type(legacy->phase);
  if (event->type == TB_EVENT_OTHER) {
    char *text = tb_perfetto_alloc(r, 1);
    if (text) *text = legacy->phase;
    event->phase_text = (struct tb_str){text, text ? 1 : 0};
  }
  bool has_scope = legacy->phase != 'P' || legacy->instant_scope; /* samples have none by themselves */
  if (event->type == TB_EVENT_INSTANT && has_scope) set_legacy_instant(r, event, legacy->instant_scope);
}

/* Without a phase the overrides say who emitted an event that is on a track of its own: a thread, or a process alone,
 * which the track may say already. */
static void set_emitter(struct tb_perfetto_reader *r, struct tb_event *event, const struct tb_legacy_event *legacy) {
  if (legacy->has_phase || (!legacy->has_pid && !(legacy->has_tid && event->track->has_pid))) return;
  int64_t pid = legacy->has_pid ? legacy->pid : event->track->pid;
  if (!legacy->has_tid && event->track->has_pid && event->track->pid == pid) return;
  struct tb_perfetto_track *emitter = legacy->has_tid ? tb_tracks_thread(&r->tracks, &pid, legacy->tid, r->head.machine)
                                                      : tb_tracks_process(&r->tracks, pid, r->head.machine);
  if (!emitter) r->out_of_memory = true;
  if (emitter && &emitter->track != event->track) event->thread = &emitter->track;
}

/* Of TB_TE_RARE. */
static void set_rare(struct tb_perfetto_reader *r, struct tb_event *event, const struct tb_track_event_fields *fields) {
  event->flow_count = fields->flows.count;
  if (event->flow_count) event->flow_ids = fields->flows.items;
  event->terminating_flow_count = fields->terminating_flows.count;
  if (event->terminating_flow_count) event->terminating_flow_ids = fields->terminating_flows.items;
  if (fields->has & TB_TE_CORRELATION) {
    event->has |= TB_HAS_CORRELATION;
    event->correlation_id = fields->correlation;
    event->correlation_text = fields->correlation_text;
  }
  if (fields->has & TB_TE_WEIGHT) {
    event->has |= TB_HAS_WEIGHT;
    event->weight = tb_wire_double(fields->weight);
  }
  if (fields->has & TB_TE_CALLSTACK_IID) event->stack = tb_perfetto_interned_stack(r, fields->callstack_iid);
  if (fields->has & TB_TE_CALLSTACK) event->stack = tb_perfetto_inline_stack(r, fields->callstack);
  if (fields->has & TB_TE_SOURCE_LOCATION)
    event->source_location = tb_perfetto_source_location(fields->source_location);
  if (fields->has & TB_TE_SOURCE_LOCATION_IID) {
    const struct tb_str *message = tb_perfetto_interned(r, TB_INDEX_SOURCE_LOCATIONS, fields->source_location_iid);
    if (message) event->source_location = tb_perfetto_source_location(*message);
  }
}

static void set_thread_times(struct tb_event *event, const struct tb_track_event_parse *e) {
  if (e->has_thread_ts) {
    event->has |= TB_HAS_THREAD_TS;
    event->thread_ts = e->thread_ts;
  }
  if (e->has_instructions) {
    event->has |= TB_HAS_THREAD_INSTRUCTIONS;
    event->thread_instruction_count = e->instructions;
  }
}

static void add_typed(struct tb_perfetto_reader *r, struct tb_event *event, const struct tb_track_event_parse *e) {
  if (e->fields.has & TB_TE_LOG) tb_perfetto_log_message(r, e->fields.log, event);
  if (e->fields.has & TB_TE_TASK) tb_perfetto_task_execution(r, e->fields.task);
  if (e->fields.has & TB_TE_TYPED) tb_perfetto_typed_fields(r, e->payload);
}

/* Our writer puts an instant that has a thread time down as a slice that ends where it begins, with the instant's
 * phase carried: X of one without a duration. */
static bool is_zero_length(const struct tb_event *event) {
  return event->track->type == TB_TRACK_THREAD && event->phase && !strchr("BESN(", event->phase);
}

/* Whether the event is the end of such a slice, of which readers need know nothing. There are some on its track. */
static bool ends_zero_length(struct tb_perfetto_reader *r, struct tb_track_event_parse *e) {
  if (e->legacy.has_phase || e->fields.type != TB_TRACK_EVENT_TYPE_SLICE_END) return false;
  struct tb_track_more *more = tb_tracks_own_more(&r->tracks, e->track);
  bool zero_length = more && more->zero_length_slices & 1;
  if (more) e->track->zero_length = (more->zero_length_slices >>= 1) != 0;
  return zero_length;
}

/* Notes the innermost slice, which begins. */
static void begin_slice(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, bool zero_length) {
  if (!track->zero_length && !zero_length) return;
  struct tb_track_more *more = tb_tracks_own_more(&r->tracks, track);
  if (!more) {
    r->out_of_memory = true;
    return;
  }
  more->zero_length_slices = more->zero_length_slices << 1 | zero_length;
  track->zero_length = more->zero_length_slices != 0;
}

static struct tb_event *make_one(struct tb_perfetto_reader *r, struct tb_track_event_parse *e) {
  if (!e->track->emitted) tb_perfetto_emit_track(r, e->track);
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_INSTANT);
  event->has = TB_HAS_TS;
  event->ts = e->ts;
  event->track = &e->track->track;
  if (e->legacy.has_phase) {
    set_legacy_type(r, event, &e->legacy);
  } else {
    set_modern_type(event, e->fields.type);
  }
  set_names(r, event, e);
  if (e->legacy.present) {
    tb_legacy_event_apply(&e->legacy, r->reader->target.bind_ids_apart, event);
    set_emitter(r, event, &e->legacy);
  }
  if (e->has_thread_ts || e->has_instructions) set_thread_times(event, e);
  if (e->fields.has & TB_TE_RARE) set_rare(r, event, &e->fields);
  if (e->legacy.has_phase && event->type == TB_EVENT_SLICE_COMPLETE) tb_perfetto_put_carried_last(r, &e->fields);
  bool carried = tb_perfetto_is_carried(r, &e->fields);
  if (carried) tb_perfetto_apply_carried(r, &e->fields, event);
  if (event->type == TB_EVENT_SLICE_BEGIN && (carried || e->track->zero_length)) {
    bool zero_length = is_zero_length(event);
    if (!r->given) begin_slice(r, e->track, zero_length);
    if (zero_length) event->type = TB_EVENT_INSTANT;
  }
  if (e->fields.has & (TB_TE_LOG | TB_TE_TASK | TB_TE_TYPED)) add_typed(r, event, e);
  event->arg_count = (uint32_t)(r->batch->arg_count - e->fields.first_arg);
  if (event->arg_count) {
    event->has |= TB_HAS_ARGS;
    event->args = &r->batch->args[e->fields.first_arg];
  }
  if (event->phase == 'P' && e->legacy.has_phase) tb_perfetto_place_profile(r, e->fields.first_arg);
  return event;
}

/* ---- flows of JSON and FXT --------------------------------------------------------------------------------------- */

static struct tb_perfetto_track *thread_of(struct tb_perfetto_track *track) {
  while (track->track.type == TB_TRACK_CUSTOM && track->track.parent)
    track = (struct tb_perfetto_track *)(uintptr_t)track->track.parent; /* see struct tb_perfetto_track */
  return track;
}

static enum tb_status read_legacy(struct tb_track_event_parse *e) {
  if (e->fields.has & TB_TE_LEGACY_AGAIN) return tb_legacy_event_merge(e->payload, &e->legacy);
  return tb_legacy_event_read(e->fields.legacy, &e->legacy);
}

/* A flow event that is kept whole. */
static enum tb_status make_whole_flow(struct tb_perfetto_reader *r, const struct tb_json_flow *flow,
                                      struct tb_track_event_parse *e) {
  e->payload = flow->event;
  e->legacy.present = e->legacy.has_phase = e->legacy.has_name_iid = e->legacy.has_pid = e->legacy.has_tid = false;
  e->has_thread_ts = e->has_instructions = e->has_counters = false;
  enum tb_status status = tb_track_event_fields_read(r, e->payload, &e->fields);
  if (status == TB_OK && (e->fields.has & TB_TE_LEGACY)) status = read_legacy(e);
  if (status != TB_OK) return status;
  e->fields.type = TB_TRACK_EVENT_TYPE_INSTANT;
  tb_json_flow_renumber(flow, make_one(r, e));
  return TB_OK;
}

static enum tb_status make_flow(struct tb_perfetto_reader *r, const struct tb_json_flow *flow,
                                const struct tb_track_event_parse *slice) {
  struct tb_track_event_parse e = {.track = thread_of(slice->track)};
  e.ts = (int64_t)((uint64_t)slice->ts + (uint64_t)flow->delay);
  if (flow->event.ptr) return make_whole_flow(r, flow, &e);
  tb_perfetto_emit_track(r, e.track);
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_FLOW_BEGIN);
  tb_json_flow_apply(flow, event);
  event->ts = e.ts;
  event->track = &e.track->track;
  return TB_OK;
}

/* The flow events that come before the slice, or after its begin. */
static enum tb_status make_flows(struct tb_perfetto_reader *r, const struct tb_track_event_parse *e, bool before) {
  struct tb_json_flow_walk walk;
  struct tb_json_flow flow;
  tb_perfetto_start_flows(r, e, &walk);
  enum tb_status status;
  while ((status = tb_perfetto_next_flow(r, &walk, &flow)) == TB_OK) {
    if (tb_json_flow_is_bind_id(&flow) || tb_json_flow_is_remark(&flow) || tb_json_flow_comes_first(&flow) != before)
      continue;
    status = make_flow(r, &flow, e);
    if (status != TB_OK) break;
  }
  return status == TB_END ? TB_OK : status;
}

static void bind(struct tb_perfetto_reader *r, const struct tb_track_event_parse *e, struct tb_event *event) {
  struct tb_json_flow_walk walk;
  struct tb_json_flow flow;
  tb_perfetto_start_flows(r, e, &walk);
  event->has |= TB_HAS_FLOWS_DUPLICATED;
  while (tb_perfetto_next_flow(r, &walk, &flow) == TB_OK) {
    if (tb_json_flow_is_bind_id(&flow)) tb_json_flow_bind(&flow, event);
    if (tb_json_flow_is_id_only(&flow)) event->has |= TB_HAS_ID_ONLY_MATCH;
  }
}

/* ---- events and what goes with them ------------------------------------------------------------------------------ */

static enum tb_status make_event_and_flows(struct tb_perfetto_reader *r, struct tb_track_event_parse *e) {
  size_t args = r->batch->arg_count;
  uint32_t type = e->fields.type;
  enum tb_status status = make_flows(r, e, true);
  /* an event's arguments are the last ones: those of the flows come behind the slice's */
  if (status == TB_OK && r->batch->arg_count != args) status = tb_track_event_fields_read(r, e->payload, &e->fields);
  if (status != TB_OK) return status;
  e->fields.type = type;
  bind(r, e, make_one(r, e));
  return make_flows(r, e, false);
}

static enum tb_status make_event(struct tb_perfetto_reader *r, struct tb_track_event_parse *e) {
  if (e->track->zero_length && ends_zero_length(r, e)) return TB_OK;
  if (r->head.json_flow_count) {
    enum tb_status status = make_event_and_flows(r, e);
    if (status != TB_OK) return status;
  } else {
    (void)make_one(r, e);
  }
  return e->has_counters ? tb_perfetto_emit_extra_counters(r, e) : TB_OK;
}

static enum tb_status make_counter(struct tb_perfetto_reader *r, struct tb_track_event_parse *e) {
  if (e->track->track.type != TB_TRACK_COUNTER) return tb_perfetto_lose(r, TB_PERFETTO_LOSS_COUNTER);
  struct tb_event *event = tb_perfetto_emit_counter(r, e);
  set_names(r, event, e);
  if (e->legacy.present) tb_legacy_event_apply(&e->legacy, r->reader->target.bind_ids_apart, event);
  if (tb_perfetto_is_carried(r, &e->fields)) tb_perfetto_apply_carried(r, &e->fields, event);
  return TB_OK;
}

/* A state lasts until the next one: as a slice it ends there. An event without a name ends the state alone. */
static enum tb_status make_state(struct tb_perfetto_reader *r, struct tb_track_event_parse *e) {
  tb_perfetto_emit_track(r, e->track);
  if (e->track->in_state) {
    struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_SLICE_END);
    event->has = TB_HAS_TS;
    event->ts = e->ts;
    event->track = &e->track->track;
    event->phase = phase_on_track(event->track, 'E', 'e');
  }
  e->track->in_state = e->fields.has & TB_TE_NAME;
  e->fields.type = TB_TRACK_EVENT_TYPE_SLICE_BEGIN;
  if (e->track->in_state) return make_event(r, e);
  return e->has_counters ? tb_perfetto_emit_extra_counters(r, e) : TB_OK;
}

enum tb_status tb_perfetto_track_event(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct tb_track_event_parse e;
  e.payload = payload;
  e.legacy.present = e.legacy.has_phase = e.legacy.has_name_iid = e.legacy.has_pid = e.legacy.has_tid = false;
  e.has_thread_ts = e.has_instructions = false;
  size_t args = r->batch->arg_count;
  enum tb_status status = tb_track_event_fields_read(r, payload, &e.fields);
  if (status == TB_OK && (e.fields.has & TB_TE_LEGACY)) status = read_legacy(&e);
  if (status == TB_BAD_DATA) r->batch->arg_count = args;
  if (status != TB_OK) return status;
  bool has_ts = r->context.has_ts;
  e.ts = r->context.ts;
  if (e.fields.has & TB_TE_LATE_FIELDS) find_legacy_thread_times(r, &e);
  if (e.fields.has & (TB_TE_TIMESTAMP_ABSOLUTE | TB_TE_TIMESTAMP_DELTA)) status = find_legacy_time(r, &e, &has_ts);
  if (status != TB_OK) return status;
  if (!has_ts) return tb_perfetto_lose(r, LOSS_TIME);
  e.has_counters = e.fields.double_counter_values.count != 0;
  if (e.fields.counter_values.count) tb_perfetto_take_extra_counters(r, &e);
  e.track = find_track(r, &e);
  if (!e.track) {
    r->out_of_memory = true;
    return TB_OK;
  }
  if (e.legacy.has_phase) return make_event(r, &e);
  switch (e.fields.type) {
    case TB_TRACK_EVENT_TYPE_COUNTER:
      return make_counter(r, &e);
    case TB_TRACK_EVENT_TYPE_SLICE_BEGIN:
    case TB_TRACK_EVENT_TYPE_SLICE_END:
    case TB_TRACK_EVENT_TYPE_INSTANT:
      return make_event(r, &e);
    case TB_TRACK_EVENT_TYPE_STATE:
      return make_state(r, &e);
    default:
      return tb_perfetto_lose(r, LOSS_TYPE);
  }
}
