/* SPDX-License-Identifier: Apache-2.0
 *
 * One event as one object of the Trace Event Format.
 */
#include "base/utf8.h"
#include "chrome_json/writer/writer.h"
#include "model/arg_lookup.h"
#include "model/fields_as_args.h"

#define MEMBER TB_JSON_MEMBER

size_t tb_json_object_begin(struct tb_json_writer *w) {
  if (w->any_event) TB_JSON_EMIT(&w->out, ",\n");
  w->any_event = true;
  return w->out.buffer.len;
}

size_t tb_json_next_object(const struct tb_json_writer *w) {
  return w->out.buffer.len + (w->any_event ? sizeof(",\n") - 1 : 0);
}

void tb_json_object_end(struct tb_json_writer *w, size_t start, uint64_t flow_number) {
  if (flow_number) {
    tb_json_defer_object(w, start, flow_number);
    return;
  }
  if (w->out.buffer.len == start) TB_JSON_EMIT(&w->out, "{");
  if (w->out.status == TB_OK) w->out.buffer.data[start] = '{';
  TB_JSON_EMIT(&w->out, "}");
}

void tb_json_object_cancel(struct tb_json_writer *w, size_t start) {
  struct tb_buffer *out = &w->out.buffer;
  bool first = start < 2 || out->data[start - 2] != ',';
  out->len = first ? start : start - 2; /* the comma that parts it from the one before */
  if (first) w->any_event = false;
}

/* Whether a further member says it, as the source had it. */
static bool has_extra(const struct tb_event *event, struct tb_str key) {
  return event->extra_count && tb_find_member(event->extra, event->extra_count, key) != NULL;
}

void tb_json_emit_name(struct tb_json_emit *emit, const struct tb_event *event) {
  if ((!(event->has & TB_HAS_NAME) && !event->name.len) || has_extra(event, TB_STR("name"))) return;
  MEMBER(emit, "name");
  tb_json_emit_string(emit, event->name);
}

void tb_json_emit_category(struct tb_json_emit *emit, const struct tb_event *event) {
  if ((!(event->has & TB_HAS_CATEGORIES) && !event->categories.len) || has_extra(event, TB_STR("cat"))) return;
  MEMBER(emit, "cat");
  tb_json_emit_string(emit, event->categories);
}

void tb_json_emit_head(struct tb_json_emit *emit, const struct tb_event *event) {
  tb_json_emit_name(emit, event);
  tb_json_emit_category(emit, event);
}

void tb_json_emit_phase(struct tb_json_emit *emit, char phase) {
  if (phase > ' ' && phase < 0x7f && phase != '"' && phase != '\\') {
    const char member[] = {',', '"', 'p', 'h', '"', ':', '"', phase, '"'};
    tb_json_emit_raw(emit, member, sizeof(member));
    return;
  }
  MEMBER(emit, "ph");
  tb_json_emit_string(emit, (struct tb_str){&phase, 1});
}

/* `,"name":time`, with a name of at most four letters. */
static TB_ALWAYS_INLINE char *put_time(char *at, const char *member, size_t len, int64_t ns) {
  memcpy(at, member, len);
  return tb_json_put_micros(at + len, ns);
}
#define PUT_TIME(at, name, ns) put_time((at), ",\"" name "\":", sizeof(",\"" name "\":") - 1, (ns))

void tb_json_emit_some_times(struct tb_json_emit *emit, const struct tb_json_times *times) {
  enum { MEMBER_MAX = sizeof(",\"tdur\":") - 1 + TB_JSON_MICROS_MAX };
  char *at = tb_json_emit_room(emit, 4 * MEMBER_MAX);
  if (!at) return;
  if (times->has & TB_HAS_TS) at = PUT_TIME(at, "ts", times->ts);
  if (times->has & TB_HAS_DUR) at = PUT_TIME(at, "dur", times->dur);
  if (times->has & TB_HAS_THREAD_TS) at = PUT_TIME(at, "tts", times->thread_ts);
  if (times->has & TB_HAS_THREAD_DUR) at = PUT_TIME(at, "tdur", times->thread_dur);
  tb_json_emit_end(emit, at);
}

void tb_json_emit_times(struct tb_json_emit *emit, const struct tb_event *event) {
  struct tb_json_times times = {event->has, event->ts, event->dur, event->thread_ts, event->thread_dur};
  tb_json_emit_some_times(emit, &times);
}

static void emit_process_id(struct tb_json_emit *emit, int64_t number, struct tb_str text, bool is_number) {
  if (text.ptr && is_number)
    tb_json_emit_raw(emit, text.ptr, text.len);
  else if (text.ptr)
    tb_json_emit_string(emit, text);
  else
    tb_json_emit_int(emit, number);
}

static void emit_track_ids(struct tb_json_emit *emit, const struct tb_track *track) {
  const struct tb_track_details *details = tb_track_get_details(track);
  if (track->has_pid) {
    MEMBER(emit, "pid");
    emit_process_id(emit, track->pid, details->pid_text, details->pid_is_number);
  }
  if (track->has_tid) {
    MEMBER(emit, "tid");
    emit_process_id(emit, track->tid, details->tid_text, details->tid_is_number);
  }
}

static bool has_text_ids(const struct tb_track_details *details) {
  return details->pid_text.ptr || details->tid_text.ptr;
}

/* Keeps what was written from `start` on; texts in place of numbers may be too long for that. */
static void keep_ids(struct tb_json_ids *ids, const struct tb_json_emit *emit, size_t start,
                     const struct tb_track *track) {
  size_t len = emit->buffer.len - start;
  if (emit->status != TB_OK || len > sizeof(ids->text) || has_text_ids(tb_track_get_details(track))) return;
  *ids = (struct tb_json_ids){track, track->pid, track->tid, track->has_pid, track->has_tid, (uint8_t)len, ""};
  if (len) memcpy(ids->text, emit->buffer.data + start, len);
}

void tb_json_emit_ids(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_track *track) {
  struct tb_json_ids *ids = &w->ids[track->index % TB_JSON_IDS_KEPT];
  if (ids->track == track && ids->pid == track->pid && ids->tid == track->tid && ids->has_pid == track->has_pid &&
      ids->has_tid == track->has_tid && !(track->details && has_text_ids(track->details))) {
    char *at = tb_json_emit_room(emit, sizeof(ids->text));
    if (!at) return;
    memcpy(at, ids->text, sizeof(ids->text)); /* of a size that is known: more than is used, but no call */
    tb_json_emit_end(emit, at + ids->len);
    return;
  }
  size_t start = emit->buffer.len;
  emit_track_ids(emit, track);
  keep_ids(ids, emit, start, track);
}

bool tb_json_names_process(const struct tb_event *event) {
  const struct tb_track *track = event->thread ? event->thread : event->track;
  return (track && track->has_pid) || has_extra(event, TB_STR("pid"));
}

void tb_json_emit_ids_of(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event) {
  const struct tb_track *track = event->thread ? event->thread : event->track;
  if (!track) return;
  bool own_pid = has_extra(event, TB_STR("pid"));
  bool own_tid = has_extra(event, TB_STR("tid"));
  if (!own_pid && !own_tid) {
    tb_json_emit_ids(w, emit, track);
    return;
  }
  struct tb_track rest = *track;
  rest.has_pid &= !own_pid;
  rest.has_tid &= !own_tid;
  emit_track_ids(emit, &rest);
}

/* Digits of a number that every JSON reader takes exactly. */
static bool is_small_number(struct tb_str text) {
  if (!text.len || text.len > 15 || (text.ptr[0] == '0' && text.len > 1)) return false;
  for (size_t i = 0; i < text.len; i++)
    if (text.ptr[i] < '0' || text.ptr[i] > '9') return false;
  return true;
}

void tb_json_emit_reference(struct tb_json_emit *emit, struct tb_str text) {
  if (is_small_number(text))
    tb_json_emit_raw(emit, text.ptr, text.len);
  else
    tb_json_emit_string(emit, text);
}

static void emit_id_value(struct tb_json_emit *emit, const struct tb_id *id) {
  if (id->text.ptr || !id->is_number) {
    tb_json_emit_reference(emit, id->text);
  } else {
    char *at = tb_json_emit_room(emit, TB_JSON_INTEGER_MAX);
    if (at) tb_json_emit_end(emit, tb_json_put_hex(at, id->value));
  }
}

void tb_json_emit_id(struct tb_json_emit *emit, const struct tb_event *event) {
  if (event->id.kind == TB_ID_PLAIN) {
    MEMBER(emit, "id");
    emit_id_value(emit, &event->id);
  } else if (event->id.kind) {
    if (event->id.kind == TB_ID_LOCAL)
      TB_JSON_EMIT(emit, ",\"id2\":{\"local\":");
    else
      TB_JSON_EMIT(emit, ",\"id2\":{\"global\":");
    emit_id_value(emit, &event->id);
    TB_JSON_EMIT(emit, "}");
  }
  if (event->scope.ptr) {
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
  if (event->has & TB_HAS_USE_ASYNC_TTS) TB_JSON_EMIT(emit, ",\"use_async_tts\":1");
}

/* Further members that are the event's whole args come where its args do. */
static bool is_args(const struct tb_arg *extra) { return tb_str_equal(extra->name, TB_STR("args")); }

static bool has_stack(const struct tb_stack *stack) { return stack->ref.ptr || stack->frame_count; }

void tb_json_emit_scope(struct tb_json_emit *emit, char scope) {
  const char member[] = {',', '"', 's', '"', ':', '"', scope, '"'};
  tb_json_emit_raw(emit, member, sizeof(member));
}

void tb_json_emit_rest(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event) {
  enum { BINDING = TB_HAS_BIND_ENCLOSING | TB_HAS_FLOW_IN | TB_HAS_FLOW_OUT | TB_HAS_USE_ASYNC_TTS };
  if (event->bind_id.kind || event->has & BINDING) emit_binding(emit, event);
  w->writer->summary.flows += event->type == TB_EVENT_FLOW_BEGIN || event->has & TB_HAS_FLOW_OUT;
  if (has_stack(&event->stack) || has_stack(&event->end_stack)) tb_json_emit_stacks(w, emit, event);
  for (uint32_t i = 0; i < event->extra_count; i += event->extra[i].span)
    if (!is_args(&event->extra[i]) && !tb_is_absent_id(&event->extra[i]))
      tb_json_emit_members(emit, &event->extra[i], event->extra[i].span);
}

void tb_json_emit_tail(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event) {
  tb_json_emit_ids_of(w, emit, event);
  if (event->instant_scope && !has_extra(event, TB_STR("s"))) tb_json_emit_scope(emit, event->instant_scope);
  if (event->id.kind || event->scope.ptr) tb_json_emit_id(emit, event);
  tb_json_emit_rest(w, emit, event);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

/* What Perfetto and FXT have fields for and JSON does not: additional members of args. */
static bool has_typed(const struct tb_event *event) {
  return event->source_location.function.len || event->source_location.file.len || event->log_level ||
         event->has & (TB_HAS_CORRELATION | TB_HAS_THREAD_INSTRUCTIONS) ||
         (event->has & (TB_HAS_CPU | TB_HAS_PRIORITY) && event->type == TB_EVENT_THREAD_STATE);
}

static void emit_source_location(struct tb_json_emit *emit, const struct tb_frame *location) {
  size_t start = emit->buffer.len;
  if (location->function.len) {
    MEMBER(emit, TB_ARG_FUNCTION_NAME);
    tb_json_emit_string(emit, location->function);
  }
  if (location->file.len) {
    MEMBER(emit, TB_ARG_FILE_NAME);
    tb_json_emit_string(emit, location->file);
  }
  if (location->line) {
    MEMBER(emit, TB_ARG_LINE_NUMBER);
    tb_json_emit_uint(emit, location->line);
  }
  if (emit->status == TB_OK) emit->buffer.data[start] = '{';
  TB_JSON_EMIT(emit, "}");
}

/* The reader takes them back where they are the last (chrome_json/reader/task_state.c). */
static void emit_place_of_state(struct tb_json_emit *emit, const struct tb_event *event) {
  if (event->has & TB_HAS_CPU) {
    MEMBER(emit, "cpu");
    tb_json_emit_uint(emit, event->cpu);
  }
  if (event->has & TB_HAS_PRIORITY) {
    MEMBER(emit, "prio");
    tb_json_emit_int(emit, event->priority);
  }
}

static void emit_typed(struct tb_json_emit *emit, const struct tb_event *event) {
  struct tb_str level = tb_log_level_name(event->log_level);
  if (event->source_location.function.len || event->source_location.file.len) {
    MEMBER(emit, TB_ARG_SOURCE_LOCATION);
    emit_source_location(emit, &event->source_location);
  }
  if (level.len) {
    MEMBER(emit, TB_ARG_LOG_LEVEL);
    tb_json_emit_string(emit, level);
  }
  if (event->has & TB_HAS_CORRELATION) {
    MEMBER(emit, TB_ARG_CORRELATION);
    if (event->correlation_text.len)
      tb_json_emit_string(emit, event->correlation_text);
    else
      tb_json_emit_uint(emit, event->correlation_id);
  }
  if (event->has & TB_HAS_THREAD_INSTRUCTIONS) {
    /* that of an end is a member of an X as well as that of its begin */
    if (event->type == TB_EVENT_SLICE_END)
      MEMBER(emit, TB_ARG_INSTRUCTIONS_AT_END);
    else
      MEMBER(emit, TB_ARG_INSTRUCTIONS);
    tb_json_emit_int(emit, event->thread_instruction_count);
  }
  if (event->type == TB_EVENT_THREAD_STATE) emit_place_of_state(emit, event);
}

/* The event's args as its source had them, where they are among the further members; the last of them. */
static const struct tb_arg *own_args(const struct tb_event *event) {
  const struct tb_arg *args = NULL;
  for (uint32_t i = 0; i < event->extra_count; i += event->extra[i].span)
    if (is_args(&event->extra[i])) args = &event->extra[i];
  return args;
}

bool tb_json_has_own_args(const struct tb_event *event) { return own_args(event) != NULL; }

static bool is_utf8(struct tb_str text) {
  size_t skip, len = 1;
  for (const char *p = text.ptr, *end = text.len ? p + text.len : p; p != end && len; p += len)
    len = tb_utf8_character(p, end, &skip);
  return len != 0;
}

/* Bytes of no known meaning that are no text come out as replacement characters. */
static void count_lost_bytes(struct tb_json_writer *w, const struct tb_event *event) {
  for (uint32_t i = 0; i < event->arg_count; i++)
    if (event->args[i].type == TB_ARG_BLOB && !is_utf8(event->args[i].text))
      tb_json_lose(w, "bytes among the arguments that are no text (JSON has none)", event);
}

void tb_json_emit_args(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event) {
  unsigned bad_json = emit->bad_json, blobs = emit->blobs;
  const struct tb_arg *own = event->extra_count ? own_args(event) : NULL;
  if (own) {
    MEMBER(emit, "args");
    tb_json_emit_value(emit, own);
    return;
  }
  bool typed = has_typed(event);
  if (!(event->has & TB_HAS_ARGS) && !event->arg_count && !typed) return;
  MEMBER(emit, "args");
  size_t start = emit->buffer.len;
  tb_json_emit_members(emit, event->args, event->arg_count);
  if (typed) emit_typed(emit, event);
  if (emit->buffer.len == start) TB_JSON_EMIT(emit, "{");
  if (emit->status == TB_OK) emit->buffer.data[start] = '{';
  TB_JSON_EMIT(emit, "}");
  if (w->from_json) return;
  if (emit->bad_json != bad_json)
    tb_json_lose(w, "JSON text among the arguments that is no JSON, kept as a string", event);
  if (emit->blobs != blobs) count_lost_bytes(w, event);
}

static size_t begin_whole(struct tb_json_writer *w, const struct tb_event *event, char phase) {
  size_t start = tb_json_object_begin(w);
  tb_json_emit_head(&w->out, event);
  if (phase) {
    tb_json_emit_phase(&w->out, phase);
  } else if (event->phase_text.ptr) {
    MEMBER(&w->out, "ph");
    tb_json_emit_string(&w->out, event->phase_text);
  }
  tb_json_emit_times(&w->out, event);
  tb_json_emit_tail(w, &w->out, event);
  tb_json_emit_args(w, &w->out, event);
  return start;
}

void tb_json_defer_whole(struct tb_json_writer *w, const struct tb_event *event, char phase) {
  tb_json_defer_object(w, begin_whole(w, event, phase), 0);
}

void tb_json_hold_whole(struct tb_json_writer *w, const struct tb_event *event, char phase, struct tb_json_emit *to) {
  size_t start = begin_whole(w, event, phase), len = w->out.buffer.len - start;
  tb_json_emit_raw(to, (const char *)&len, sizeof(len));
  tb_json_emit_raw(to, w->out.buffer.data + start, len);
  tb_json_object_cancel(w, start);
}

void tb_json_write_held(struct tb_json_writer *w, struct tb_json_emit *from) {
  const struct tb_buffer *text = &from->buffer;
  if (from->status != TB_OK) (void)tb_json_fail(w, from->status);
  for (size_t at = 0, len; at < text->len && from->status == TB_OK; at += len) {
    memcpy(&len, text->data + at, sizeof(len));
    at += sizeof(len);
    size_t start = tb_json_object_begin(w);
    tb_json_emit_raw(&w->out, text->data + at, len);
    tb_json_object_end(w, start, 0);
  }
  from->buffer.len = 0;
}

void tb_json_put_whole(struct tb_json_writer *w, const struct tb_event *event, char phase) {
  size_t start = begin_whole(w, event, phase);
  tb_json_object_end(w, start, tb_json_keep_flows(w, event));
}
