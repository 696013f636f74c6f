/* SPDX-License-Identifier: Apache-2.0
 *
 * Damage: what is wrong is counted once, at its first byte, and reading goes on where an event or a member of the
 * outermost object begins.
 */
#include "chrome_json/reader/reader.h"

enum {
  FRAME_ID_MAX = 64, /* bytes of an id that is looked for behind damage */
  STUCK_MAX = 64     /* attempts that may fail at one place before everything up to it is given up */
};

static const struct tb_str event_keys[] = {
    {"ph", 2},    {"name", 4}, {"cat", 3}, {"ts", 2},    {"pid", 3},     {"tid", 3},     {"args", 4},
    {"id", 2},    {"id2", 3},  {"dur", 3}, {"tts", 3},   {"tdur", 4},    {"bind_id", 7}, {"s", 1},
    {"cname", 5}, {"bp", 2},   {"sf", 2},  {"scope", 5}, {"flow_in", 7}, {"stack", 5},   {"flow_out", 8}};

static const struct tb_str trace_keys[] = {{"traceEvents", 11},       {"stackFrames", 11},     {"samples", 7},
                                           {"systemTraceEvents", 17}, {"displayTimeUnit", 15}, {"otherData", 9},
                                           {"metadata", 8},           {"trace_events", 12}};

/* The other keys that a sample begins with, and those that a stack frame does. */
static const struct tb_str sample_keys[] = {{"cpu", 3}, {"weight", 6}, {"comm", 4}};
static const struct tb_str frame_keys[] = {{"name", 4}, {"category", 8}, {"parent", 6}};

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

uint32_t tb_json_event_key_bit(struct tb_str key) {
  for (size_t i = 0; i < COUNT(event_keys); i++)
    if (tb_str_equal(key, event_keys[i])) return UINT32_C(1) << i;
  return 0;
}

bool tb_json_plausible_event(const struct tb_tokenizer *scan, const char *p) {
  if (*p != '{') return false;
  const char *key = tb_tokenizer_space(p + 1);
  return key < scan->end && known_key(key, event_keys, COUNT(event_keys)) != NULL;
}

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

static const char *reason(const struct tb_json_state *state, const struct tb_tokenizer *scan, const char *p) {
  bool cut_off = scan->status == TB_TOKENIZER_MORE;
  bool event = *p == '{' && (state->container == TB_JSON_EVENTS || state->container == TB_JSON_TOP);
  if (event) return cut_off ? "event cut off at the end of the input" : "event that is no JSON";
  switch (state->container) {
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
  if (state->container != TB_JSON_EVENTS && state->container != TB_JSON_SAMPLES) return NULL;
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
  if (*p == '{' && (state->container == TB_JSON_EVENTS || state->container == TB_JSON_TOP)) {
    if (scan->status == TB_TOKENIZER_BAD) {
      *next = tb_json_repaired_event(state, batch, p);
      if (*next) tb_reader_note(state->reader, TB_NOTE_MENDED, tb_json_offset(state, batch, p));
      if (*next || scan->status != TB_TOKENIZER_BAD) return TB_OK;
    }
    if (tb_json_plausible_event(scan, p)) state->seen_trace = true;
  }
  scan->status = TB_TOKENIZER_BAD;
  *next = other_element(state, p);
  if (!*next && scan->status == TB_TOKENIZER_MORE && !tb_json_is_last(state)) return TB_OK;
  if (*next || state->container != TB_JSON_TOP) state->seen_other = true; /* else not even JSON */
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
  return state->container != TB_JSON_EVENTS || (state->passed[0] == ']' && state->passed[1] == ',');
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

/* Undoes a try and looks on behind `p`; NULL as a unit where the try may succeed with more input. */
static const char *look_on(struct tb_json_state *state, struct tb_batch *batch, const char *p, size_t events,
                           size_t args) {
  bool cut_off = state->scan.status == TB_TOKENIZER_MORE;
  if (state->scan.status != TB_TOKENIZER_BAD && !(cut_off && tb_json_is_last(state))) return NULL;
  batch->event_count = events;
  batch->arg_count = args;
  pass(state, *p);
  return failed_attempt(state, batch, p);
}

/* Whether what comes is right behind an event, as the next one is. */
static bool is_next_element(const struct tb_json_state *state) {
  if (state->container == TB_JSON_TOP && state->passed[1] == '}') return true;
  return state->passed[0] == '}' && state->passed[1] == ',';
}

/* A further event that is torn is damage of its own, and counted; the search goes on as if it were not. With `strict`
 * reading ended at the first. */
static void count_torn(struct tb_json_state *state, const struct tb_batch *batch, const char *p) {
  if (state->scan.status == TB_TOKENIZER_BAD && is_next_element(state))
    tb_losses_add(&state->reader->losses, reason(state, &state->scan, p), tb_json_offset(state, batch, p));
}

/* Tries the event at `p`. Returns the byte after it, or after the brace where it is none; NULL as a unit. */
static const char *try_event(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  size_t events = batch->event_count, args = batch->arg_count;
  state->scan.at = state->scan.invalid = NULL;
  const char *end = tb_json_event(state, batch, p);
  if (!end) {
    count_torn(state, batch, p);
    return look_on(state, batch, p, events, args);
  }
  pass(state, *p);
  const struct tb_event *event = &batch->events[batch->event_count - 1];
  if (event->type == TB_EVENT_OTHER && !tb_json_has_phase(event)) { /* some inner object */
    batch->event_count = events;
    batch->arg_count = args;
    return end;
  }
  state->lost = false;
  if (state->container != TB_JSON_TOP) state->container = TB_JSON_EVENTS;
  return end;
}

/* ---- samples and stack frames ------------------------------------------------------------------------------------ */

static bool is_plausible_sample(const struct tb_json_state *state, const char *p) {
  if (state->container != TB_JSON_SAMPLES || *p != '{') return false;
  const char *key = tb_tokenizer_space(p + 1);
  return tb_json_plausible_event(&state->scan, p) || known_key(key, sample_keys, COUNT(sample_keys));
}

/* Tries the sample at `p`, as try_event does an event; an event is none. */
static const char *try_sample(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  size_t events = batch->event_count, args = batch->arg_count;
  state->scan.at = NULL;
  const char *end = tb_json_sample(state, batch, p);
  if (!end) return look_on(state, batch, p, events, args);
  if (batch->events[batch->event_count - 1].type != TB_EVENT_SAMPLE) {
    batch->event_count = events;
    batch->arg_count = args;
    return try_event(state, batch, p);
  }
  pass(state, *p);
  state->lost = false;
  return end;
}

/* Whether an entry of stackFrames, "ID": {"name": ..., begins at `p`. */
static bool is_plausible_frame(const struct tb_json_state *state, const char *p) {
  if (state->container != TB_JSON_FRAMES || *p != '"' || state->passed[1] != ',') return false;
  const char *end = p + 1;
  while (end < state->scan.end && end - p < FRAME_ID_MAX && *end != '"' && *end != '\\' && (unsigned char)*end >= ' ')
    end++;
  if (*end != '"') return false;
  end = tb_tokenizer_space(end + 1);
  if (*end != ':') return false;
  end = tb_tokenizer_space(end + 1);
  return *end == '{' && known_key(tb_tokenizer_space(end + 1), frame_keys, COUNT(frame_keys));
}

static const char *try_frame(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  size_t events = batch->event_count, args = batch->arg_count;
  state->scan.at = NULL;
  const char *end = tb_json_stack_frame(state, batch, p);
  if (!end) return look_on(state, batch, p, events, args);
  state->lost = false;
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
    if (is_plausible_sample(state, p)) return p > start ? p : try_sample(state, batch, p);
    if (is_plausible_frame(state, p)) return p > start ? p : try_frame(state, batch, p);
    if (*p == '{' && tb_json_plausible_event(scan, p)) return p > start ? p : try_event(state, batch, p);
    if (*p == '"' && member_begins(state, p)) {
      state->container = TB_JSON_OBJECT;
      state->lost = false;
      return p;
    }
  }
  return scan->end;
}
