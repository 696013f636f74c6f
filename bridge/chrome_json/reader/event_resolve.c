/* SPDX-License-Identifier: Apache-2.0
 *
 * What the members of an event say together: its type and its track.
 */
#include "chrome_json/reader/field_parser.h"
#include "model/arg_lookup.h"
#include "model/metadata.h"

enum place {
  ON_THREAD,       /* the thread, even if no tid is given: it is the pid then */
  ON_NAMED_THREAD, /* the thread where a tid is given, else the process */
  ON_PROCESS,      /* the process; `thread` is the emitting one */
  ON_TRACE,        /* the whole trace; the same */
  BY_SCOPE,        /* of an instant */
  BY_NAME          /* of a metadata event */
};

struct phase {
  uint8_t type, place;
  bool needs_id; /* events of one id belong together: one without is none */
};

/* By phase character, from '(' to 'v'. */
#define PHASE(c) [(c) - '(']
static const struct phase phases[] = {
    PHASE('B') = {TB_EVENT_SLICE_BEGIN, ON_THREAD, false},
    PHASE('E') = {TB_EVENT_SLICE_END, ON_THREAD, false},
    PHASE('X') = {TB_EVENT_SLICE_COMPLETE, ON_THREAD, false},
    PHASE('i') = {TB_EVENT_INSTANT, BY_SCOPE, false},
    PHASE('I') = {TB_EVENT_INSTANT, BY_SCOPE, false},
    PHASE('R') = {TB_EVENT_INSTANT, BY_SCOPE, false},
    PHASE('P') = {TB_EVENT_INSTANT, ON_THREAD, false},
    PHASE('C') = {TB_EVENT_COUNTER, ON_PROCESS, false},
    PHASE('b') = {TB_EVENT_ASYNC_BEGIN, ON_NAMED_THREAD, true},
    PHASE('S') = {TB_EVENT_ASYNC_BEGIN, ON_NAMED_THREAD, true},
    PHASE('n') = {TB_EVENT_ASYNC_INSTANT, ON_NAMED_THREAD, true},
    PHASE('T') = {TB_EVENT_ASYNC_INSTANT, ON_NAMED_THREAD, true},
    PHASE('p') = {TB_EVENT_ASYNC_INSTANT, ON_NAMED_THREAD, true},
    PHASE('e') = {TB_EVENT_ASYNC_END, ON_NAMED_THREAD, true},
    PHASE('F') = {TB_EVENT_ASYNC_END, ON_NAMED_THREAD, true},
    PHASE('s') = {TB_EVENT_FLOW_BEGIN, ON_THREAD, true},
    PHASE('t') = {TB_EVENT_FLOW_STEP, ON_THREAD, true},
    PHASE('f') = {TB_EVENT_FLOW_END, ON_THREAD, true},
    PHASE('N') = {TB_EVENT_OBJECT_CREATE, ON_NAMED_THREAD, true},
    PHASE('O') = {TB_EVENT_OBJECT_SNAPSHOT, ON_NAMED_THREAD, true},
    PHASE('D') = {TB_EVENT_OBJECT_DELETE, ON_NAMED_THREAD, true},
    PHASE('(') = {TB_EVENT_CONTEXT_ENTER, ON_THREAD, false},
    PHASE(')') = {TB_EVENT_CONTEXT_LEAVE, ON_THREAD, false},
    PHASE('=') = {TB_EVENT_ID_LINK, ON_NAMED_THREAD, false},
    PHASE('c') = {TB_EVENT_CLOCK_SYNC, ON_NAMED_THREAD, false},
    PHASE('V') = {TB_EVENT_MEMORY_DUMP, ON_NAMED_THREAD, false},
    PHASE('v') = {TB_EVENT_MEMORY_DUMP, ON_NAMED_THREAD, false},
    PHASE('M') = {TB_EVENT_METADATA, BY_NAME, false},
};

/* Of a text of several letters the first counts, as the trace processor has it. SLICE_BEGIN is 0, so an unset entry is
 * recognised by the character alone. */
static struct phase phase_of(struct tb_str text) {
  const struct phase other = {TB_EVENT_OTHER, ON_NAMED_THREAD, false};
  if (!text.len) return other;
  unsigned i = (unsigned)(unsigned char)text.ptr[0] - '(';
  if (i >= sizeof(phases) / sizeof(phases[0])) return other;
  if (phases[i].type == 0 && text.ptr[0] != 'B') return other;
  return phases[i];
}

bool tb_json_has_phase(const struct tb_event *event) {
  return tb_event_is_untimed(event) && phase_of(event->phase_text).type != TB_EVENT_OTHER;
}

/* Metadata named process_… says something of the process, any other of the thread, where there is one. */
static enum place metadata_place(const struct tb_json_event_parse *parse) {
  struct tb_str name = parse->event->name;
  if (name.len >= 8 && memcmp(name.ptr, "process_", 8) == 0) return ON_PROCESS;
  return tb_metadata_is_of_thread(name) ? ON_THREAD : ON_NAMED_THREAD;
}

/* The thread that emitted an event of another track, or its process where no thread is named and the track does not
 * say it. */
static bool set_emitter(struct tb_json_state *state, struct tb_json_event_parse *parse) {
  struct tb_event *event = parse->event;
  if (parse->tid.kind != TB_JSON_ID_NONE)
    event->thread = tb_json_thread_fast(&state->tracks, &parse->pid, &parse->tid);
  else if (parse->pid.kind != TB_JSON_ID_NONE && event->track->type == TB_TRACK_GLOBAL)
    event->thread = tb_json_process(&state->tracks, &parse->pid);
  else
    return true;
  return event->thread != NULL;
}

static enum place instant_place(const struct tb_event *event) {
  return event->instant_scope == 'g' ? ON_TRACE : event->instant_scope == 'p' ? ON_PROCESS : ON_THREAD;
}

static bool set_track(struct tb_json_state *state, struct tb_json_event_parse *parse, enum place place) {
  struct tb_event *event = parse->event;
  if (place == BY_NAME) place = metadata_place(parse);
  if (place == BY_SCOPE) place = instant_place(event);
  if (place == ON_THREAD || (place == ON_NAMED_THREAD && parse->tid.kind != TB_JSON_ID_NONE)) {
    event->track = tb_json_thread_fast(&state->tracks, &parse->pid, &parse->tid);
    return event->track != NULL;
  }
  event->track = place == ON_TRACE ? tb_json_global(&state->tracks) : tb_json_process(&state->tracks, &parse->pid);
  return event->track && set_emitter(state, parse);
}

static bool add_extra(struct tb_json_state *state, struct tb_arg extra) {
  if (state->extra_count == TB_JSON_EXTRAS) return false;
  extra.span = 1;
  state->extras[state->extra_count++] = extra;
  return true;
}

static bool add_extra_text(struct tb_json_state *state, struct tb_str name, struct tb_str text) {
  return add_extra(state, (struct tb_arg){.name = name, .text = text, .type = TB_ARG_STRING});
}

static bool add_extra_flag(struct tb_json_state *state, struct tb_str name) {
  return add_extra(state, (struct tb_arg){.name = name, .u = 1, .type = TB_ARG_BOOL});
}

static bool set_scope(struct tb_json_state *state, struct tb_json_event_parse *parse, bool is_instant) {
  struct tb_str s = parse->instant_scope;
  if (is_instant && s.len == 1 && (s.ptr[0] == 'g' || s.ptr[0] == 'p' || s.ptr[0] == 't')) {
    parse->event->instant_scope = s.ptr[0];
    return true;
  }
  return add_extra_text(state, TB_STR("s"), s);
}

/* What take_rare of chrome_json/reader/event_parser.c read. */
static bool set_rare(struct tb_json_state *state, struct tb_json_event_parse *parse) {
  struct tb_event *event = parse->event;
  if (parse->id2.kind && event->id.kind == TB_ID_NONE) event->id = parse->id2;
  bool untimed = tb_event_is_untimed(event); /* it joins nothing */
  if (untimed && parse->flow_in && !add_extra_flag(state, TB_STR("flow_in"))) return false;
  if (untimed && parse->flow_out && !add_extra_flag(state, TB_STR("flow_out"))) return false;
  if (parse->flow_in && !untimed) event->has |= TB_HAS_FLOW_IN;
  if (parse->flow_out && !untimed) event->has |= TB_HAS_FLOW_OUT;
  if (parse->use_async_tts) event->has |= TB_HAS_USE_ASYNC_TTS;
  if (!parse->binding_point.ptr) return true;
  if (untimed || !tb_str_equal(parse->binding_point, TB_STR("e")))
    return add_extra_text(state, TB_STR("bp"), parse->binding_point);
  event->has |= TB_HAS_BIND_ENCLOSING;
  return true;
}

/* What says something of an id is a further member where there is none: formats have no field for it without one. */
static bool keep_id_members(struct tb_json_state *state, struct tb_event *event) {
  const uint32_t members = TB_HAS_SCOPE | TB_HAS_USE_ASYNC_TTS;
  if (!(event->has & members) || event->id.kind != TB_ID_NONE) return true;
  struct tb_arg flag = {.name = TB_STR("use_async_tts"), .i = 1, .type = TB_ARG_INT};
  if (event->has & TB_HAS_SCOPE && !add_extra_text(state, TB_STR("scope"), event->scope)) return false;
  if (event->has & TB_HAS_USE_ASYNC_TTS && !add_extra(state, flag)) return false;
  event->has &= ~members;
  event->scope = (struct tb_str){NULL, 0};
  return true;
}

/* What a track, which says it for most events, has of an id. */
struct track_id {
  bool there;
  int64_t number;
  struct tb_str text;
};

/* Whether an id is text where its track has a number, or the other way round, or is there where the track has none. */
static bool is_said_otherwise(const struct tb_json_id *id, const struct track_id *of_track) {
  if (id->kind == TB_JSON_ID_NONE) return of_track->there;
  return !of_track->there ||
         (id->kind == TB_JSON_ID_NUMBER && of_track->number == id->number && !id->text.ptr != !of_track->text.ptr);
}

static bool has_extra(const struct tb_json_state *state, struct tb_str key) {
  return tb_find_member(state->extras, (uint32_t)state->extra_count, key) != NULL;
}

/* A value that is no id is a further member already. */
static bool keep_id(struct tb_json_state *state, struct tb_str key, const struct tb_json_id *id,
                    const struct track_id *of_track) {
  if (!is_said_otherwise(id, of_track) || has_extra(state, key)) return true;
  if (id->kind == TB_JSON_ID_NONE) return add_extra(state, tb_absent_id(key));
  if (id->text.ptr) return add_extra_text(state, key, id->text);
  return add_extra(state, (struct tb_arg){.name = key, .i = id->number, .type = TB_ARG_INT});
}

/* "2" and 2 are one process, an absent tid is the pid; the events that do not write it as the first one did say so
 * themselves. */
static bool keep_ids(struct tb_json_state *state, struct tb_json_event_parse *parse) {
  const struct tb_track *track = parse->event->thread ? parse->event->thread : parse->event->track;
  const struct tb_track_details *details = tb_track_get_details(track);
  return keep_id(state, TB_STR("pid"), &parse->pid,
                 &(struct track_id){track->has_pid, track->pid, details->pid_text}) &&
         keep_id(state, TB_STR("tid"), &parse->tid, &(struct track_id){track->has_tid, track->tid, details->tid_text});
}

bool tb_json_finish(struct tb_json_state *state, struct tb_json_event_parse *parse) {
  struct tb_event *event = parse->event;
  struct phase phase = phase_of(parse->phase);
  if (phase.type == TB_EVENT_ASYNC_INSTANT && parse->phase.ptr[0] == 'T' && event->has & TB_HAS_DUR)
    phase = (struct phase){TB_EVENT_THREAD_STATE, ON_THREAD, false};
  bool is_mistake = state->repairing && parse->phase.len != 1;
  /* nothing begins, ends or counts at no time */
  bool lacks_time = !(event->has & TB_HAS_TS) && phase.type != TB_EVENT_METADATA;
  bool lacks_id = phase.needs_id && event->id.kind == TB_ID_NONE && !parse->id2.kind;
  if (is_mistake || lacks_time || lacks_id) phase = (struct phase){TB_EVENT_OTHER, ON_NAMED_THREAD, false};
  event->type = (enum tb_event_type)phase.type;
  if (event->type == TB_EVENT_OTHER) {
    event->phase = 0;
    event->phase_text = parse->phase;
    if (parse->phase.len)
      state->seen_trace = true;
    else
      state->seen_other = true;
  } else {
    event->phase = parse->phase.ptr[0];
    state->seen_trace = true;
  }
  if (event->type == TB_EVENT_SLICE_COMPLETE) event->type = tb_complete_event_type(event);
  if (parse->instant_scope.ptr && !set_scope(state, parse, event->type == TB_EVENT_INSTANT)) return false;
  if (parse->has_rare && !set_rare(state, parse)) return false;
  if (!keep_id_members(state, event)) return false;
  if (!set_track(state, parse, (enum place)phase.place)) return false;
  if (event->type == TB_EVENT_OTHER) tb_json_take_task_state(event);
  return !state->tracks.ids_vary || keep_ids(state, parse);
}
