/* SPDX-License-Identifier: Apache-2.0
 *
 * The containers around the events: outermost arrays and objects, one after the other or one to a line, and the members
 * of an object that have entries of their own.
 */
#include "chrome_json/reader/reader.h"

/* ---- outermost values -------------------------------------------------------------------------------------------- */

enum outermost_kind { CONTAINER, EVENT, UNDECIDED };

/* Whether the outermost object at `p` is an event, as in files of an event a line, or a container of events. */
static enum outermost_kind kind_of_object(struct tb_json_state *state, const char *p) {
  struct tb_tokenizer scan = state->scan;
  p = tb_tokenizer_space(p + 1);
  while (*p == '"') {
    struct tb_str key;
    p = tb_tokenizer_string(&scan, p + 1, &key);
    if (!p) break;
    if (tb_str_equal(key, TB_STR("ph"))) return EVENT;
    if (tb_str_equal(key, TB_STR("traceEvents")) || tb_str_equal(key, TB_STR("trace_events"))) return CONTAINER;
    p = tb_tokenizer_space(p);
    if (*p != ':') break;
    p = tb_tokenizer_skip_value(&scan, tb_tokenizer_space(p + 1));
    if (!p) break;
    p = tb_tokenizer_space(p);
    if (*p == ',') p = tb_tokenizer_space(p + 1);
  }
  state->scan.arena = scan.arena;
  bool more = p ? p >= scan.end : scan.status == TB_TOKENIZER_MORE;
  return more && !state->input_ended ? UNDECIDED : CONTAINER;
}

/* Whether to wait for more of an object that is undecided: one without a phase over a long way is no event. */
static bool waits_for_more(struct tb_json_state *state, const char *p) {
  if ((size_t)(state->scan.end - p) >= TB_BATCH_TEXT_BYTES / 2) return false;
  state->scan.status = TB_TOKENIZER_MORE;
  return true;
}

/* Behind damage nobody knows what a bracket opens. */
static void note_another_trace(struct tb_json_state *state, const struct tb_batch *batch, const char *p) {
  if ((state->seen_trace || state->seen_array) && !state->reader->losses.count)
    tb_reader_note(state->reader, TB_NOTE_ANOTHER_TRACE, tb_json_offset(state, batch, p));
}

static const char *outermost(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  if (*p == ']' || *p == '}') return p + 1;            /* closes what damage made us leave before */
  if (memcmp(p, "\xef\xbb\xbf", 3) == 0) return p + 3; /* a byte order mark */
  if (*p == '[') {
    note_another_trace(state, batch, p);
    state->container = TB_JSON_EVENTS;
    state->in_object = false;
    state->seen_array = true;
    return p + 1;
  }
  if (*p != '{') return tb_tokenizer_fail(&state->scan, p);
  switch (kind_of_object(state, p)) {
    case EVENT:
      return tb_json_element(state, batch, p);
    case UNDECIDED:
      if (waits_for_more(state, p)) return NULL;
      break;
    case CONTAINER:
      break;
  }
  note_another_trace(state, batch, p);
  state->container = TB_JSON_OBJECT;
  state->in_object = true;
  state->seen_other = true;
  return p + 1;
}

/* ---- members of an outermost object ------------------------------------------------------------------------------ */

static const struct {
  struct tb_str key;
  char opening;
  enum tb_json_container container;
} containers[] = {{{"traceEvents", 11}, '[', TB_JSON_EVENTS},
                  {{"stackFrames", 11}, '{', TB_JSON_FRAMES},
                  {{"samples", 7}, '[', TB_JSON_SAMPLES},
                  {{"systemTraceEvents", 17}, '"', TB_JSON_SYSTEM}};

/* The first of the elements behind `[` that says something: is it an event? */
static enum outermost_kind kind_of_elements(struct tb_json_state *state, const char *p) {
  for (;;) {
    p = tb_tokenizer_space(p + 1);
    if (p >= state->scan.end) return state->input_ended ? CONTAINER : UNDECIDED;
    if (*p != '{') return CONTAINER;
    const char *inside = tb_tokenizer_space(p + 1);
    if (*inside != '}') return kind_of_object(state, p);
    p = tb_tokenizer_space(inside + 1);
    if (*p != ',') return p >= state->scan.end && !state->input_ended ? UNDECIDED : CONTAINER;
  }
}

/* The value at `p` of `trace_events`, as some tracers call the events: is guessed to be them where it begins with one
 * and there is no `traceEvents` before it. */
static const char *misnamed_events(struct tb_json_state *state, struct tb_batch *batch, struct tb_str key,
                                   const char *p) {
  enum outermost_kind kind = *p == '[' && !state->seen_events ? kind_of_elements(state, p) : CONTAINER;
  if (kind == UNDECIDED && waits_for_more(state, p)) return NULL;
  if (kind != EVENT) return tb_json_trace_member(state, batch, key, p);
  tb_reader_note(state->reader, "key trace_events, taken for traceEvents: its events are the trace's",
                 tb_json_offset(state, batch, p));
  state->container = TB_JSON_EVENTS;
  state->seen_trace = true;
  return p + 1;
}

/* ---- events where none are looked for ---------------------------------------------------------------------------- */

enum { NESTED_DEPTH = 8 };

/* Appends a key to the first `used` bytes of the path; returns how many there are then, TB_JSON_PATH where it is
 * full. */
static size_t append_key(struct tb_json_state *state, size_t used, struct tb_str key) {
  size_t room = TB_JSON_PATH - used, dot = used > 0;
  if (key.len + dot >= room) return TB_JSON_PATH;
  if (dot) state->nested[used++] = '.';
  memcpy(state->nested + used, key.ptr, key.len);
  state->nested[used + key.len] = '\0';
  return used + key.len;
}

/* Looks in a whole value at `p`, to which the first `used` bytes of the path lead, for an array of events. Returns
 * where it is, and the path leads there; NULL: there is none, or deep down. */
static const char *find_nested(struct tb_json_state *state, struct tb_tokenizer *scan, const char *p, size_t used,
                               int depth) {
  if (*p == '[') return kind_of_elements(state, p) == EVENT ? p : NULL;
  if (*p != '{' || depth == NESTED_DEPTH || used >= TB_JSON_PATH) return NULL;
  for (p = tb_tokenizer_space(p + 1); *p == '"'; p = tb_tokenizer_space(p + (*p == ','))) {
    struct tb_str key;
    p = tb_tokenizer_string(scan, p + 1, &key);
    if (!p || *(p = tb_tokenizer_space(p)) != ':') return NULL;
    p = tb_tokenizer_space(p + 1);
    const char *found = find_nested(state, scan, p, append_key(state, used, key), depth + 1);
    if (found) return found;
    p = tb_tokenizer_skip_value(scan, p);
    if (!p) return NULL;
    p = tb_tokenizer_space(p);
  }
  return NULL;
}

/* A member that nobody knows, as long as there is no trace: keeps where the first events in it are, for the message
 * that there are none. */
static const char *other_member(struct tb_json_state *state, struct tb_batch *batch, struct tb_str key, const char *p) {
  const char *next = tb_json_trace_member(state, batch, key, p);
  if (!next || state->seen_trace || *state->nested) return next;
  struct tb_tokenizer scan = state->scan;
  const char *found = find_nested(state, &scan, p, append_key(state, 0, key), 0);
  if (found)
    state->nested_offset = tb_json_offset(state, batch, found);
  else
    *state->nested = '\0';
  return next;
}

static const char *member(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  struct tb_tokenizer *scan = &state->scan;
  struct tb_str key;
  if (*p == '}') {
    state->container = TB_JSON_TOP;
    state->in_object = false;
    return p + 1;
  }
  if (*p != '"') return tb_tokenizer_fail(scan, p);
  p = tb_tokenizer_name(scan, p + 1, &key);
  if (!p) return NULL;
  p = tb_tokenizer_space(p);
  if (*p != ':') return tb_tokenizer_fail(scan, p);
  p = tb_tokenizer_space(p + 1);
  if (p >= scan->end) return tb_tokenizer_fail(scan, p);
  for (size_t i = 0; i < sizeof(containers) / sizeof(containers[0]); i++) {
    if (*p != containers[i].opening || !tb_str_equal(key, containers[i].key)) continue;
    state->container = containers[i].container;
    state->seen_trace = true;
    state->seen_events |= state->container == TB_JSON_EVENTS;
    return p + 1;
  }
  if (tb_str_equal(key, TB_STR("trace_events"))) return misnamed_events(state, batch, key, p);
  return other_member(state, batch, key, p);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static const char *leave(struct tb_json_state *state, const char *p) {
  state->container = state->in_object ? TB_JSON_OBJECT : TB_JSON_TOP;
  return p + 1;
}

const char *tb_json_unit(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  switch (state->container) {
    case TB_JSON_EVENTS:
      if (*p == '{') return tb_json_element(state, batch, p);
      return *p == ']' ? leave(state, p) : tb_tokenizer_fail(&state->scan, p);
    case TB_JSON_OBJECT:
      return member(state, batch, p);
    case TB_JSON_FRAMES:
      return *p == '}' ? leave(state, p) : tb_json_stack_frame(state, batch, p);
    case TB_JSON_SAMPLES:
      return *p == ']' ? leave(state, p) : tb_json_sample(state, batch, p);
    case TB_JSON_SYSTEM:
      return tb_json_system_text(state, batch, p);
    default:
      return outermost(state, batch, p);
  }
}
