/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples of counter tracks as C events. A counter of JSON is a name (and id) with any number of series, each of
 * which is a track of its own; samples that are side by side and are of one name and time join in one event again.
 *
 * A track says what it is in JSON by its description, `["name", "series"]` or `["name", "series", "id"]` (of FXT with
 * more behind), last `{"tid": …}` where a thread emits it. Where it says nothing, its name is taken apart at the last
 * space: readers name the track `name series`, so it comes out as it was. Counters of JSON are of processes: those of
 * a thread have its number as their id.
 */
#include "chrome_json/writer/writer.h"
#include "json/valid_text.h"

enum { PARTS = 3, MOST_PARTS = 5 };

/* `"tid":…` of the object that ends the array, and nothing else; empty where there is no such object. */
static struct tb_str thread_member(const char *object, const struct tb_str *array) {
  static const struct tb_str begin = {"{\"tid\":", 7};
  struct tb_str none = {NULL, 0}, member = {object + 1, array->len - (size_t)(object - array->ptr) - 3};
  if (array->len - (size_t)(object - array->ptr) < begin.len + 3 || memcmp(object, begin.ptr, begin.len) != 0 ||
      member.ptr[member.len] != '}')
    return none;
  const char *value = object + begin.len, *end = member.ptr + member.len;
  if (*value == '"') return tb_json_after_string(value) == end ? member : none;
  while (value < end && strchr("-0123456789", *value)) value++;
  return value == end ? member : none;
}

/* Takes the strings of a JSON array apart, quotes and escapes kept. The number of them; 0 where it is nothing of the
 * kind. */
static unsigned split_identity(struct tb_str text, struct tb_str parts[MOST_PARTS], struct tb_str *thread) {
  if (text.len < 2 || text.ptr[0] != '[' || !tb_json_is_valid(text, 2)) return 0;
  unsigned count = 0;
  for (const char *p = text.ptr + 1; *p != ']'; p++) {
    if (*p == ' ' || *p == ',') continue;
    if (*p == '{' && count >= 2) {
      *thread = thread_member(p, &text);
      if (!thread->len) return 0;
      break;
    }
    if (*p != '"' || count == MOST_PARTS) return 0;
    const char *start = p;
    p = tb_json_after_string(start) - 1;
    parts[count++] = (struct tb_str){start, (size_t)(p + 1 - start)};
  }
  if (count <= PARTS) return count < 2 ? 0 : count;
  /* FXT's counters all have an id: 0 is that of those that need none */
  return tb_str_equal(parts[PARTS - 1], TB_STR("\"0\"")) ? PARTS - 1 : PARTS;
}

/* The name without its last word, and that word; all of it and "value" where it is one word. */
static void split_name(struct tb_str text, struct tb_str *name, struct tb_str *series) {
  size_t i = text.len;
  while (i > 0 && text.ptr[i - 1] != ' ') i--;
  *name = text;
  *series = TB_STR("value");
  if (i == 0) return;
  name->len = i - 1;
  *series = (struct tb_str){text.ptr + i, text.len - i};
}

/* What a counter's sample is called: in JSON's words with quotes where the track says them, else by its name. */
struct identity {
  struct tb_str parts[MOST_PARTS];
  unsigned part_count;
  struct tb_str name, series;
  struct tb_str thread; /* `"tid":…`, where the track says it */
  struct tb_str id;     /* with quotes, where the track says it or is a thread's; else empty */
  char thread_id[TB_JSON_INTEGER_MAX + 2];
};

/* The id of a counter whose track says none: its thread's number. */
static struct tb_str spell_thread(const struct tb_track *track, char *text) {
  if (!track->parent || track->parent->type != TB_TRACK_THREAD || !track->has_tid) return (struct tb_str){NULL, 0};
  *text = '"';
  char *end = tb_json_put_int(text + 1, track->tid);
  *end++ = '"';
  return (struct tb_str){text, (size_t)(end - text)};
}

/* A sample's own word on its thread: that of the track does not hold then. NULL where it has none. */
static const struct tb_arg *own_thread(const struct tb_event *event) {
  for (uint32_t i = 0; i < event->extra_count; i += event->extra[i].span)
    if (tb_str_equal(event->extra[i].name, TB_STR("tid"))) return &event->extra[i];
  return NULL;
}

/* The members that have no field, but for a thread that is not there. */
static void emit_rest(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event) {
  struct tb_event rest = *event;
  const struct tb_arg *thread = own_thread(event);
  if (thread && thread == event->extra && thread->type == TB_ARG_NULL) {
    rest.extra++;
    rest.extra_count--;
  }
  tb_json_emit_rest(w, emit, &rest);
}

/* The id that the track says, as the member that the sample says. */
static void emit_identity(struct tb_json_emit *emit, uint8_t kind, struct tb_str id) {
  if (kind == TB_ID_LOCAL)
    TB_JSON_EMIT(emit, ",\"id2\":{\"local\":");
  else if (kind == TB_ID_GLOBAL)
    TB_JSON_EMIT(emit, ",\"id2\":{\"global\":");
  else
    TB_JSON_EMIT(emit, ",\"id\":");
  tb_json_emit_raw(emit, id.ptr, id.len);
  if (kind == TB_ID_LOCAL || kind == TB_ID_GLOBAL) TB_JSON_EMIT(emit, "}");
}

/* All of the event's object before its args and other members. Returns how much of it is name, categories and time:
 * what the samples of all series of one event have in common. */
static size_t emit_counter_head(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event,
                                const struct identity *identity) {
  TB_JSON_EMIT(emit, ",\"name\":");
  if (identity->part_count)
    tb_json_emit_raw(emit, identity->parts[0].ptr, identity->parts[0].len);
  else
    tb_json_emit_string(emit, identity->name);
  if (event->has & TB_HAS_CATEGORIES || event->categories.len) {
    TB_JSON_EMIT(emit, ",\"cat\":");
    tb_json_emit_string(emit, event->categories);
  }
  tb_json_emit_phase(emit, 'C');
  const struct tb_event start = {.has = event->has & TB_HAS_TS, .ts = event->ts};
  tb_json_emit_times(emit, &start);
  size_t common = emit->buffer.len;
  struct tb_event rest = *event;
  rest.has &= ~(uint32_t)TB_HAS_TS;
  tb_json_emit_times(emit, &rest);
  tb_json_emit_ids_of(w, emit, event);
  if (identity->thread.len && !event->thread && !own_thread(event)) {
    TB_JSON_EMIT(emit, ",");
    tb_json_emit_raw(emit, identity->thread.ptr, identity->thread.len);
  }
  if (identity->id.len)
    emit_identity(emit, event->id.kind, identity->id);
  else if (event->id.kind)
    tb_json_emit_id(emit, event);
  return common;
}

void tb_json_flush_counter(struct tb_json_writer *w) {
  if (!w->counter.buffer.len) return;
  if (w->counter.status != TB_OK) w->out.status = w->counter.status;
  size_t start = tb_json_object_begin(w);
  tb_json_emit_raw(&w->out, w->counter.buffer.data, w->counter.buffer.len);
  TB_JSON_EMIT(&w->out, "}");
  tb_json_object_end(w, start, 0);
  w->counter.buffer.len = 0;
}

/* May the sample join the event that is held? Not where the event has a value for its series already. */
static bool joins(const struct tb_json_writer *w, struct tb_str head, struct tb_str series) {
  const struct tb_buffer *held = &w->counter.buffer;
  if (w->counter_name_len != head.len || memcmp(held->data, head.ptr, head.len) != 0) return false;
  return !memmem(held->data + head.len, held->len - head.len, series.ptr, series.len);
}

/* A sample whose args the source had in another form than that of a number. */
static void put_with_own_args(struct tb_json_writer *w, const struct tb_event *event, struct tb_str head) {
  size_t start = tb_json_object_begin(w);
  tb_json_emit_raw(&w->out, head.ptr, head.len);
  emit_rest(w, &w->out, event);
  tb_json_emit_args(w, &w->out, event);
  tb_json_object_end(w, start, 0);
}

/* Whether the sample belongs to the event that is held, because it says so: the first series carries what both have. */
static bool follows(const struct tb_json_writer *w, const struct tb_event *event, struct tb_str common) {
  const struct tb_buffer *held = &w->counter.buffer;
  return event->phase == '+' && held->len > common.len && memcmp(held->data, common.ptr, common.len) == 0;
}

static void emit_series(struct tb_json_emit *text, const struct identity *identity) {
  if (identity->part_count)
    tb_json_emit_raw(text, identity->parts[1].ptr, identity->parts[1].len);
  else
    tb_json_emit_string(text, identity->series);
  TB_JSON_EMIT(text, ":");
}

/* Says of a counter, once, what its samples cannot: a name of one word, or that it belongs to a thread or no process.
 */
static void describe_counter(struct tb_json_writer *w, const struct tb_track *track, const struct identity *identity) {
  struct tb_str name = track->name;
  bool is_whole = name.len > identity->name.len; /* name and series are its words */
  if (identity->part_count || !name.len || (is_whole && track->has_pid && !identity->id.len)) return;
  struct tb_json_track *state = tb_json_track_state(w, track);
  if (!state || state->described) return;
  state->described = true;
  size_t start = tb_json_begin_track_name(w, track);
  if (!track->has_pid) TB_JSON_EMIT(&w->out, ",\"pid\":0");
  TB_JSON_EMIT(&w->out, ",\"counter\":[");
  tb_json_emit_string(&w->out, identity->name);
  TB_JSON_EMIT(&w->out, ",");
  tb_json_emit_string(&w->out, identity->series);
  if (identity->id.len) {
    TB_JSON_EMIT(&w->out, ",");
    tb_json_emit_raw(&w->out, identity->id.ptr, identity->id.len);
  }
  TB_JSON_EMIT(&w->out, "]}");
  tb_json_end_track_name(w, start);
}

enum tb_status tb_json_put_counter(struct tb_json_writer *w, const struct tb_event *event) {
  struct identity identity = {.part_count = 0};
  identity.part_count =
      split_identity(tb_track_get_details(event->track)->description, identity.parts, &identity.thread);
  split_name(event->track->name.len ? event->track->name : event->name, &identity.name, &identity.series);
  if (identity.part_count == PARTS) identity.id = identity.parts[2];
  if (!identity.part_count) identity.id = spell_thread(event->track, identity.thread_id);
  describe_counter(w, event->track, &identity);
  struct tb_json_emit *text = &w->scratch;
  text->buffer.len = 0;
  size_t common = emit_counter_head(w, text, event, &identity), head_len = text->buffer.len;
  if (text->status != TB_OK) return tb_json_fail(w, text->status);
  if (tb_json_has_own_args(event)) {
    tb_json_flush_counter(w);
    put_with_own_args(w, event, (struct tb_str){text->buffer.data, head_len});
    return TB_OK;
  }
  if (event->phase == '+' && !w->counter.buffer.len) return TB_OK; /* of an event whose args were put whole */
  emit_series(text, &identity);
  size_t series_len = text->buffer.len - head_len;
  if (event->arg_count)
    tb_json_emit_value(text, event->args);
  else
    TB_JSON_EMIT(text, "0");
  if (text->status != TB_OK) return tb_json_fail(w, text->status);
  const char *data = text->buffer.data;
  bool more = follows(w, event, (struct tb_str){data, common}) ||
              joins(w, (struct tb_str){data, head_len}, (struct tb_str){data + head_len, series_len});
  bool plain = !event->extra_count && event->arg_count <= 1;
  if (!more) {
    tb_json_flush_counter(w);
    tb_json_emit_raw(&w->counter, data, head_len);
    emit_rest(w, &w->counter, event);
    TB_JSON_EMIT(&w->counter, ",\"args\":{");
    w->counter_name_len = plain ? head_len : 0;
  } else {
    TB_JSON_EMIT(&w->counter, ",");
  }
  tb_json_emit_raw(&w->counter, data + head_len, text->buffer.len - head_len);
  return TB_OK;
}
