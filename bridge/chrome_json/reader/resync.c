/* SPDX-License-Identifier: Apache-2.0
 *
 * Damage: what is wrong is counted once, at its first byte, and reading goes on where an event or a member of the
 * outermost object begins.
 */
#include "chrome_json/reader/reader.h"

enum {
  STUCK_MAX = 64 /* attempts that may fail at one place before everything up to it is given up */
};

static const struct tb_str event_keys[] = {
    {"ph", 2},    {"name", 4}, {"cat", 3}, {"ts", 2},    {"pid", 3},     {"tid", 3},     {"args", 4},
    {"id", 2},    {"id2", 3},  {"dur", 3}, {"tts", 3},   {"tdur", 4},    {"bind_id", 7}, {"s", 1},
    {"cname", 5}, {"bp", 2},   {"sf", 2},  {"scope", 5}, {"flow_in", 7}, {"stack", 5},   {"flow_out", 8}};

static const struct tb_str trace_keys[] = {
    {"traceEvents", 11},     {"stackFrames", 11}, {"samples", 7}, {"systemTraceEvents", 17},
    {"displayTimeUnit", 15}, {"otherData", 9},    {"metadata", 8}};

/* The byte after the key at `p` and its colon, where it is one of `keys`; NULL otherwise. */
static const char *known_key(const char *p, const struct tb_str *keys, size_t count) {
  if (*p != '"') return NULL;
  for (size_t i = 0; i < count; i++) {
    /* compared byte by byte: the padding of zeros ends it before the text's end is passed */
    if (strncmp(p + 1, keys[i].ptr, keys[i].len) != 0 || p[1 + keys[i].len] != '"') continue;
    p = tb_tokenizer_space(p + keys[i].len + 2);
    return *p == ':' ? p + 1 : NULL;
  }
  return NULL;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool tb_json_is_event_key(struct tb_str key) {
  for (size_t i = 0; i < COUNT(event_keys); i++)
    if (tb_str_equal(key, event_keys[i])) return true;
  return false;
}

bool tb_json_plausible_event(const struct tb_tokenizer *scan, const char *p) {
  if (*p != '{') return false;
  const char *key = tb_tokenizer_space(p + 1);
  return key < scan->end && known_key(key, event_keys, COUNT(event_keys)) != NULL;
}

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

static const char *reason(const struct tb_json_state *state, const struct tb_tokenizer *scan, const char *p) {
  bool cut_off = scan->status == TB_TOKENIZER_MORE;
  bool event = *p == '{' && (state->place == TB_JSON_EVENTS || state->place == TB_JSON_TOP);
  if (event) return cut_off ? "event cut off at the end of the input" : "event that is no JSON";
  switch (state->place) {
    case TB_JSON_EVENTS:
      return cut_off ? "event cut off at the end of the input" : "garbage between events";
    case TB_JSON_TOP:
      return "garbage outside of the trace";
    case TB_JSON_SYSTEM:
      return "systemTraceEvents cut off at the end of the input";
    case TB_JSON_FRAMES:
      return cut_off ? "stack frame cut off at the end of the input" : "stack frame that is no JSON object";
    case TB_JSON_SAMPLES:
      return cut_off ? "sample cut off at the end of the input" : "sample that is no JSON object";
    default:
      return cut_off ? "member of the outermost object cut off at the end of the input"
                     : "member of the outermost object that is no JSON";
  }
}

/* An element of the events that is well-formed but no object: the byte after it, NULL where it is something else. */
static const char *other_element(struct tb_json_state *state, const char *p) {
  if (state->place != TB_JSON_EVENTS && state->place != TB_JSON_SAMPLES) return NULL;
  if (*p == '{' || *p == '}' || *p == ']') return NULL;
  struct tb_tokenizer scan = state->scan;
  const char *end = tb_tokenizer_skip_value(&scan, p);
  state->scan.arena = scan.arena;
  state->scan.status = scan.status;
  state->scan.at = scan.at;
  if (!end) return NULL;
  state->scan.status = TB_TOKENIZER_MORE;
  const char *after = tb_tokenizer_space(end);
  if (after >= scan.end) return NULL;
  state->scan.status = TB_TOKENIZER_BAD;
  return *after == ',' || *after == ']' ? end : NULL;
}

static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/* Notes a byte that the search passes. The text before may be gone when it matters what it was. */
static void pass(struct tb_json_state *state, char c) {
  if (is_blank(c)) return;
  state->passed[0] = state->passed[1];
  state->passed[1] = c;
}

enum tb_status tb_json_damage(struct tb_json_state *state, struct tb_batch *batch, const char *p, const char **next) {
  struct tb_tokenizer *scan = &state->scan;
  const char *why = reason(state, scan, p);
  if (*p == '{' && (state->place == TB_JSON_EVENTS || state->place == TB_JSON_TOP)) {
    if (scan->status == TB_TOKENIZER_BAD) {
      *next = tb_json_repaired_event(state, batch, p);
      if (*next || scan->status != TB_TOKENIZER_BAD) return TB_OK;
    }
    if (tb_json_plausible_event(scan, p)) state->seen_trace = true;
  }
  scan->status = TB_TOKENIZER_BAD;
  *next = other_element(state, p);
  if (!*next && scan->status == TB_TOKENIZER_MORE && !tb_json_is_last(state)) return TB_OK;
  if (*next || state->place != TB_JSON_TOP) state->seen_other = true; /* else not even JSON */
  if (*next)
    return tb_reader_lose(state->reader, "element of the events that is no object", tb_json_offset(state, batch, p));
  state->lost = true;
  pass(state, *p);
  *next = p + 1;
  return tb_reader_lose(state->reader, why, tb_json_offset(state, batch, p));
}

/* ---- going on ---------------------------------------------------------------------------------------------------- */

/* Whether a member of the outermost object begins at `p`: for an array of events to have ended it has to say so. */
static bool member_begins(const struct tb_json_state *state, const char *p) {
  if (!state->in_object || !known_key(p, trace_keys, COUNT(trace_keys))) return false;
  return state->place != TB_JSON_EVENTS || (state->passed[0] == ']' && state->passed[1] == ',');
}

/* Counts an attempt that failed; the byte to look on from. */
static const char *failed_attempt(struct tb_json_state *state, const struct tb_batch *batch, const char *p) {
  if (!state->scan.at || state->scan.at <= p) return p + 1;
  uint64_t at = tb_json_offset(state, batch, state->scan.at);
  if (at != state->stuck_at) state->stuck_count = 0;
  state->stuck_at = at;
  if (++state->stuck_count < STUCK_MAX) return p + 1;
  return state->scan.at; /* whatever is still open there would fail there too */
}

/* Tries the event at `p`. Returns the byte after it, or after the brace where it is none; NULL as a unit. */
static const char *try_event(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  size_t events = batch->event_count, args = batch->arg_count;
  state->scan.at = NULL;
  const char *end = tb_json_event(state, batch, p);
  bool cut_off = !end && state->scan.status == TB_TOKENIZER_MORE;
  if (!end && state->scan.status != TB_TOKENIZER_BAD && !(cut_off && tb_json_is_last(state))) return NULL;
  pass(state, *p);
  if (!end) return failed_attempt(state, batch, p);
  if (batch->events[batch->event_count - 1].type == TB_EVENT_OTHER) { /* some inner object */
    batch->event_count = events;
    batch->arg_count = args;
    return end;
  }
  state->lost = false;
  if (state->place != TB_JSON_TOP) state->place = TB_JSON_EVENTS;
  return end;
}

const char *tb_json_search(struct tb_json_state *state, struct tb_batch *batch, const char *start) {
  struct tb_tokenizer *scan = &state->scan;
  bool last = tb_json_is_last(state);
  for (const char *p = start; p < scan->end; pass(state, *p++)) {
    if (*p != '{' && *p != '"') continue;
    if (!last && scan->end - p < TB_JSON_LOOK_AHEAD) {
      if (p > start) return p;
      scan->status = TB_TOKENIZER_MORE;
      return NULL;
    }
    if (*p == '{' && tb_json_plausible_event(scan, p)) return p > start ? p : try_event(state, batch, p);
    if (*p == '"' && member_begins(state, p)) {
      state->place = TB_JSON_OBJECT;
      state->lost = false;
      return p;
    }
  }
  return scan->end;
}
