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
    if (tb_str_equal(key, TB_STR("traceEvents"))) return CONTAINER;
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

static const char *outermost(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  if (*p == ']' || *p == '}') return p + 1;            /* closes what damage made us leave before */
  if (memcmp(p, "\xef\xbb\xbf", 3) == 0) return p + 3; /* a byte order mark */
  if (*p == '[') {
    state->place = TB_JSON_EVENTS;
    state->in_object = false;
    state->seen_array = true;
    return p + 1;
  }
  if (*p != '{') return tb_tokenizer_fail(&state->scan, p);
  switch (kind_of_object(state, p)) {
    case EVENT:
      return tb_json_element(state, batch, p);
    case UNDECIDED:
      if ((size_t)(state->scan.end - p) < TB_BATCH_TEXT_BYTES / 2) {
        state->scan.status = TB_TOKENIZER_MORE;
        return NULL;
      }
      break; /* a long way without a phase: no event */
    case CONTAINER:
      break;
  }
  state->place = TB_JSON_OBJECT;
  state->in_object = true;
  state->seen_other = true;
  return p + 1;
}

/* ---- members of an outermost object ------------------------------------------------------------------------------ */

static const struct {
  struct tb_str key;
  char opening;
  enum tb_json_container place;
} places[] = {{{"traceEvents", 11}, '[', TB_JSON_EVENTS},
              {{"stackFrames", 11}, '{', TB_JSON_FRAMES},
              {{"samples", 7}, '[', TB_JSON_SAMPLES},
              {{"systemTraceEvents", 17}, '"', TB_JSON_SYSTEM}};

static const char *member(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  struct tb_tokenizer *scan = &state->scan;
  struct tb_str key;
  if (*p == '}') {
    state->place = TB_JSON_TOP;
    state->in_object = false;
    return p + 1;
  }
  if (*p != '"') return tb_tokenizer_fail(scan, p);
  p = tb_tokenizer_string(scan, p + 1, &key);
  if (!p) return NULL;
  p = tb_tokenizer_space(p);
  if (*p != ':') return tb_tokenizer_fail(scan, p);
  p = tb_tokenizer_space(p + 1);
  if (p >= scan->end) return tb_tokenizer_fail(scan, p);
  for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    if (*p != places[i].opening || !tb_str_equal(key, places[i].key)) continue;
    state->place = places[i].place;
    state->seen_trace = true;
    return p + 1;
  }
  return tb_json_trace_member(state, batch, key, p);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static const char *leave(struct tb_json_state *state, const char *p) {
  state->place = state->in_object ? TB_JSON_OBJECT : TB_JSON_TOP;
  return p + 1;
}

static const char *element(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  if (*p == '{') return tb_json_element(state, batch, p);
  if (*p == ']') return leave(state, p);
  return tb_tokenizer_fail(&state->scan, p);
}

static const char *frame(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  return *p == '}' ? leave(state, p) : tb_json_stack_frame(state, batch, p);
}

static const char *sample(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  return *p == ']' ? leave(state, p) : tb_json_sample(state, batch, p);
}

const char *tb_json_unit(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  switch (state->place) {
    case TB_JSON_EVENTS:
      return element(state, batch, p);
    case TB_JSON_OBJECT:
      return member(state, batch, p);
    case TB_JSON_FRAMES:
      return frame(state, batch, p);
    case TB_JSON_SAMPLES:
      return sample(state, batch, p);
    case TB_JSON_SYSTEM:
      return tb_json_system_text(state, batch, p);
    default:
      return outermost(state, batch, p);
  }
}
