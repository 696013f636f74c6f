/* SPDX-License-Identifier: Apache-2.0
 *
 * One event as one object of the Trace Event Format.
 */
#include "json/json_writer_state.h"

#define MEMBER(emit, name) TB_JSON_EMIT((emit), ",\"" name "\":")

size_t tb_json_object_begin(struct tb_json_writer *w) {
  if (w->any_event) TB_JSON_EMIT(&w->out, ",\n");
  w->any_event = true;
  return w->out.buffer.len;
}

void tb_json_object_end(struct tb_json_writer *w, size_t start) {
  if (w->out.status == TB_OK) w->out.buffer.data[start] = '{';
  TB_JSON_EMIT(&w->out, "}");
}

void tb_json_event_head(struct tb_json_emit *emit, const struct tb_event *event) {
  if (event->has & TB_HAS_NAME || event->name.len) {
    MEMBER(emit, "name");
    tb_json_emit_string(emit, event->name);
  }
  if (event->has & TB_HAS_CATEGORIES || event->categories.len) {
    MEMBER(emit, "cat");
    tb_json_emit_string(emit, event->categories);
  }
}

static void emit_phase(struct tb_json_emit *emit, const struct tb_event *event, char phase) {
  if (phase > ' ' && phase < 0x7f && phase != '"' && phase != '\\') {
    const char member[] = {',', '"', 'p', 'h', '"', ':', '"', phase, '"'};
    tb_json_emit_raw(emit, member, sizeof(member));
  } else if (event->phase_text.ptr) {
    MEMBER(emit, "ph");
    tb_json_emit_string(emit, event->phase_text);
  }
}

static void emit_times(struct tb_json_emit *emit, const struct tb_event *event) {
  if (event->has & TB_HAS_TS) {
    MEMBER(emit, "ts");
    tb_json_emit_micros(emit, event->ts);
  }
  if (event->has & TB_HAS_DUR) {
    MEMBER(emit, "dur");
    tb_json_emit_micros(emit, event->dur);
  }
  if (event->has & TB_HAS_THREAD_TS) {
    MEMBER(emit, "tts");
    tb_json_emit_micros(emit, event->thread_ts);
  }
  if (event->has & TB_HAS_THREAD_DUR) {
    MEMBER(emit, "tdur");
    tb_json_emit_micros(emit, event->thread_dur);
  }
}

static void emit_pid(struct tb_json_emit *emit, int64_t number, struct tb_slice text) {
  if (text.ptr) tb_json_emit_string(emit, text);
  else tb_json_emit_int(emit, number);
}

void tb_json_emit_ids(struct tb_json_emit *emit, const struct tb_track *track) {
  if (track->has_pid) {
    MEMBER(emit, "pid");
    emit_pid(emit, track->pid, track->pid_text);
  }
  if (track->has_tid) {
    MEMBER(emit, "tid");
    emit_pid(emit, track->tid, track->tid_text);
  }
}

/* Digits of a number that JSON readers take exactly. */
static bool is_small_number(struct tb_slice text) {
  if (!text.len || text.len > 15 || (text.ptr[0] == '0' && text.len > 1)) return false;
  for (size_t i = 0; i < text.len; i++)
    if (text.ptr[i] < '0' || text.ptr[i] > '9') return false;
  return true;
}

static void emit_id_value(struct tb_json_emit *emit, const struct tb_id *id) {
  if (id->text.len && is_small_number(id->text)) {
    tb_json_emit_raw(emit, id->text.ptr, id->text.len);
  } else if (id->text.ptr) {
    tb_json_emit_string(emit, id->text);
  } else {
    char *at = tb_json_emit_room(emit, TB_JSON_INTEGER_MAX);
    if (at) tb_json_emit_end(emit, tb_json_put_hex(at, id->value));
  }
}

static void emit_id(struct tb_json_emit *emit, const struct tb_event *event) {
  switch ((enum tb_id_kind)event->id.kind) {
    case TB_ID_NONE: break;
    case TB_ID_PLAIN:
      MEMBER(emit, "id");
      emit_id_value(emit, &event->id);
      break;
    case TB_ID_LOCAL:
    case TB_ID_GLOBAL:
      if (event->id.kind == TB_ID_LOCAL) TB_JSON_EMIT(emit, ",\"id2\":{\"local\":");
      else TB_JSON_EMIT(emit, ",\"id2\":{\"global\":");
      emit_id_value(emit, &event->id);
      TB_JSON_EMIT(emit, "}");
      break;
  }
  if (event->has & TB_HAS_SCOPE || event->scope.len) {
    MEMBER(emit, "scope");
    tb_json_emit_string(emit, event->scope);
  }
}

static void emit_binding(struct tb_json_emit *emit, const struct tb_event *event) {
  if (event->has & TB_HAS_BIND_ENCLOSING) TB_JSON_EMIT(emit, ",\"bp\":\"e\"");
  if (event->bind_id.kind) {
    MEMBER(emit, "bind_id");
    emit_id_value(emit, &event->bind_id);
  }
  if (event->has & TB_HAS_FLOW_IN) TB_JSON_EMIT(emit, ",\"flow_in\":true");
  if (event->has & TB_HAS_FLOW_OUT) TB_JSON_EMIT(emit, ",\"flow_out\":true");
  if (event->has & TB_HAS_USE_ASYNC_TTS) TB_JSON_EMIT(emit, ",\"use_async_tts\":true");
}

/* The ids that an event shows: its thread's, where the track is another one. */
static void emit_event_ids(struct tb_json_emit *emit, const struct tb_event *event) {
  const struct tb_track *track = event->thread ? event->thread : event->track;
  if (track) tb_json_emit_ids(emit, track);
}

static void emit_stacks(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event) {
  (void)w;
  if (event->stack.ref.ptr) {
    MEMBER(emit, "sf");
    if (is_small_number(event->stack.ref)) tb_json_emit_raw(emit, event->stack.ref.ptr, event->stack.ref.len);
    else tb_json_emit_string(emit, event->stack.ref);
  }
  if (event->end_stack.ref.ptr) {
    MEMBER(emit, "esf");
    if (is_small_number(event->end_stack.ref)) tb_json_emit_raw(emit, event->end_stack.ref.ptr, event->end_stack.ref.len);
    else tb_json_emit_string(emit, event->end_stack.ref);
  }
}

void tb_json_event_tail(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event) {
  emit_event_ids(emit, event);
  if (event->id.kind || event->has & TB_HAS_SCOPE) emit_id(emit, event);
  if (event->instant_scope) {
    const char member[] = {',', '"', 's', '"', ':', '"', event->instant_scope, '"'};
    tb_json_emit_raw(emit, member, sizeof(member));
  }
  emit_binding(emit, event);
  if (event->stack.ref.ptr || event->stack.frame_count || event->end_stack.ref.ptr || event->end_stack.frame_count)
    emit_stacks(w, emit, event);
  if (event->extra_count) tb_json_emit_members(emit, event->extra, event->extra_count, NULL);
}

static void emit_args(struct tb_json_emit *emit, const struct tb_event *event) {
  if (!(event->has & TB_HAS_ARGS) && !event->arg_count) return;
  MEMBER(emit, "args");
  tb_json_emit_object(emit, event->args, event->arg_count, NULL);
}

void tb_json_event_whole(struct tb_json_writer *w, const struct tb_event *event, char phase) {
  size_t start = tb_json_object_begin(w);
  tb_json_event_head(&w->out, event);
  emit_phase(&w->out, event, phase);
  emit_times(&w->out, event);
  tb_json_event_tail(w, &w->out, event);
  emit_args(&w->out, event);
  if (w->out.buffer.len == start) TB_JSON_EMIT(&w->out, "{");
  tb_json_object_end(w, start);
}
