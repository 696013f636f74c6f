/* SPDX-License-Identifier: Apache-2.0
 *
 * Events without a time that can be used: `ts` is missing, null or no number. They get the time of the event before
 * them in the file, so that the trace does not begin at 0 for them; where there is none before, that of the next one
 * that has a time.
 */
#include "chrome_json/reader/field_parser.h"
#include "chrome_json/reader/reader.h"

#define UNTIMED_NOTE "event without a time (ts), kept at the time of the event before it"
#define FAR_NOTE "event whose time (ts) is past 292 years (no microseconds?), kept at the time of the event before it"

/* What one of the objects behind an event without a time says. */
struct time_found {
  int64_t ns;
  bool has_time, is_metadata; /* whose times, often 0, say nothing */
};

/* The member at `p`: the byte after its value. */
static const char *look_at_member(struct tb_tokenizer *scan, const char *p, struct time_found *found) {
  struct tb_str key;
  p = tb_tokenizer_string(scan, p + 1, &key);
  if (!p) return NULL;
  p = tb_tokenizer_space(p);
  if (*p != ':') return tb_tokenizer_fail(scan, p);
  p = tb_tokenizer_space(p + 1);
  if (tb_str_equal(key, TB_STR("ph"))) found->is_metadata = memcmp(p, "\"M\"", 3) == 0;
  if (!tb_str_equal(key, TB_STR("ts"))) return tb_tokenizer_skip_value(scan, p);
  scan->status = TB_TOKENIZER_OK;
  const char *end = tb_json_time(scan, p, &found->ns);
  found->has_time = end != NULL;
  if (end || scan->status != TB_TOKENIZER_OK) return end;
  return tb_tokenizer_skip_value(scan, p);
}

/* The object at `p`: the byte after it. */
static const char *look_at_object(struct tb_tokenizer *scan, const char *p, struct time_found *found) {
  p = tb_tokenizer_space(p + 1);
  while (*p == '"') {
    p = look_at_member(scan, p, found);
    if (!p) return NULL;
    p = tb_tokenizer_space(p);
    if (*p == ',') p = tb_tokenizer_space(p + 1);
  }
  return *p == '}' ? p + 1 : tb_tokenizer_fail(scan, p);
}

/* Finds the time of the first event with one from `p` on, and keeps it; 0 where there is none in what is looked at.
 * False where more of the text has to be known. */
static bool find_next_time(struct tb_json_state *state, const char *p) {
  size_t far = state->reader->options.max_record_bytes / 2;
  if (far > TB_JSON_LOOK_FOR_TIME) far = TB_JSON_LOOK_FOR_TIME;
  struct tb_tokenizer scan = state->scan;
  struct time_found found = {.has_time = false};
  const char *from = p;
  for (p = tb_json_skip_separators(p); p && (size_t)(p - from) < far; p = tb_json_skip_separators(p)) {
    if (p >= scan.end && !tb_json_is_last(state)) return false;
    if (*p != '{') break;
    found = (struct time_found){.has_time = false};
    p = look_at_object(&scan, p, &found);
    if (!p && scan.status == TB_TOKENIZER_MORE && !tb_json_is_last(state)) return false;
    if (!p || (found.has_time && !found.is_metadata)) break;
  }
  state->scan.arena = scan.arena;
  state->last_ts = found.has_time && !found.is_metadata ? found.ns : 0;
  state->has_last_ts = true;
  return true;
}

/* Metadata says nothing by its time. An event without a time has got one by then. */
static bool has_place_in_time(const struct tb_event *event) {
  return (event->has & TB_HAS_TS && event->type != TB_EVENT_METADATA) || tb_event_is_untimed(event);
}

void tb_json_note_last_time(struct tb_json_state *state, const struct tb_batch *batch, size_t count) {
  while (count && !has_place_in_time(&batch->events[count - 1])) count--;
  if (!count) return;
  state->last_ts = batch->events[count - 1].ts;
  state->has_last_ts = true;
}

bool tb_json_place_untimed(struct tb_json_state *state, struct tb_batch *batch, const char *end) {
  tb_json_note_last_time(state, batch, batch->event_count - 1);
  if (!state->has_last_ts && !find_next_time(state, end)) return false;
  batch->events[batch->event_count - 1].ts = state->last_ts;
  return true;
}

/* Its time is a number, which stays in `extra`: 64 bits of ns do not hold it. */
static bool is_far(const struct tb_event *event) {
  for (uint32_t i = 0; i < event->extra_count; i += event->extra[i].span) {
    const struct tb_arg *arg = &event->extra[i];
    if (!tb_str_equal(arg->name, TB_STR("ts"))) continue;
    return arg->type == TB_ARG_INT || arg->type == TB_ARG_UINT || arg->type == TB_ARG_DOUBLE;
  }
  return false;
}

const char *tb_json_element(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  const char *inside = tb_tokenizer_space(p + 1);
  if (*inside == '}') { /* an object without members says nothing */
    state->seen_other = true;
    return inside + 1;
  }
  const char *end = tb_json_event(state, batch, p);
  if (!end) return NULL;
  const struct tb_event *event = &batch->events[batch->event_count - 1];
  if (tb_event_is_untimed(event)) tb_reader_note(state->reader, is_far(event) ? FAR_NOTE : UNTIMED_NOTE, event->offset);
  return end;
}
