/* SPDX-License-Identifier: Apache-2.0
 *
 * Events that are no JSON but nearly: written out as JSON, then read as usual. What is repaired is what tracers were
 * seen to get wrong: keys without quotes or without one of them, single quotes, quotes inside strings that are not
 * escaped, missing commas, True, False and None.
 */
#include "chrome_json/reader/reader.h"

enum { REPAIR_MAX = 1 << 20 }; /* longer events are not repaired */

struct repair {
  struct tb_json_state *state;
  const char *end; /* of the text */
  const char *at;  /* how far it came */
  struct tb_buffer out;
  uint32_t keys_seen;            /* of the event: a bit for each key that events have */
  char open[TB_JSON_TREE_DEPTH]; /* the closing characters of what is open */
  unsigned depth;
};

static bool put(struct repair *r, const char *data, size_t len) {
  return tb_buffer_append(&r->out, data, len) == TB_OK;
}
static bool put_char(struct repair *r, char c) { return put(r, &c, 1); }

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '-' || c == '+' || c == '.';
}

/* Whether what follows the closing bracket at `p` may follow one. */
static bool may_follow_close(const char *p, const char *end) {
  p = tb_tokenizer_space(p + 1);
  return p >= end || *p == ',' || *p == '}' || *p == ']' || *p == '{';
}

/* Whether a key with its colon is at `p`. In an event only the keys that events have count, so that a comma inside a
 * name is not taken for the end of the name. */
static bool key_follows(const struct repair *r, const char *p) {
  if (*p == '}') return may_follow_close(p, r->end);
  char quote = *p == '"' || *p == '\'' ? *p++ : 0;
  const char *start = p;
  while (p < r->end && (quote ? *p != quote && *p != '\n' : is_word(*p))) p++;
  struct tb_str key = {start, (size_t)(p - start)};
  if (!key.len || p >= r->end) return false;
  if (*p == '"' || *p == '\'') p++;
  if (*tb_tokenizer_space(p) != ':') return false;
  return r->depth > 1 || tb_json_event_key_bit(key) != 0;
}

/* Whether the quote at `p` ends the value that is open, by what is behind it. */
static bool quote_ends_value(const struct repair *r, const char *p) {
  bool in_array = r->open[r->depth - 1] == ']';
  p = tb_tokenizer_space(p + 1);
  if (p >= r->end) return true;
  if (*p == '}' || *p == ']') return may_follow_close(p, r->end);
  if (*p != ',') return false;
  return in_array || key_follows(r, tb_tokenizer_space(p + 1));
}

static bool put_string_char(struct repair *r, const char **at, char quote) {
  const char *p = *at;
  if (*p == '\\' && p + 1 < r->end) {
    *at = p + 2;
    if (p[1] == '\'') return put_char(r, '\'');
    return put(r, p, 2);
  }
  *at = p + 1;
  if (!*p) return false; /* a hole */
  if (*p == '"') return put(r, "\\\"", 2);
  if (*p == '{' && quote == '"' && tb_json_plausible_event(&r->state->scan, p))
    return false; /* two events in one another */
  return put_char(r, *p);
}

/* The string whose quote is at `p`; NULL where it makes no sense. */
static const char *repair_string(struct repair *r, const char *p, bool is_key) {
  char quote = *p++;
  if (!put_char(r, '"')) return NULL;
  for (; p < r->end && *p != '\n'; r->at = p) {
    bool ends = *p == quote && (is_key ? *tb_tokenizer_space(p + 1) == ':' : quote_ends_value(r, p));
    if (ends) return put_char(r, '"') ? p + 1 : NULL;
    if (!put_string_char(r, &p, quote)) return NULL;
  }
  return NULL;
}

/* Whether the key that was written from `start` on, in quotes, is not there twice: then two events are in one. */
static bool is_new_key(struct repair *r, size_t start) {
  if (r->depth > 1) return true;
  uint32_t bit = tb_json_event_key_bit((struct tb_str){r->out.data + start + 1, r->out.len - start - 2});
  bool is_new = !(r->keys_seen & bit);
  r->keys_seen |= bit;
  return is_new;
}

static const char *repair_key(struct repair *r, const char *p) {
  size_t key = r->out.len;
  if (*p == '"' || *p == '\'') {
    p = repair_string(r, p, true);
  } else {
    const char *start = p;
    while (is_word(*p)) p++;
    if (p == start || !put_char(r, '"') || !put(r, start, (size_t)(p - start)) || !put_char(r, '"')) return NULL;
    if (*p == '"' || *p == '\'') p++; /* the quote before it is missing */
  }
  if (!p || !is_new_key(r, key)) return NULL;
  p = tb_tokenizer_space(p);
  if (*p != ':' || !put_char(r, ':')) return NULL;
  return tb_tokenizer_space(p + 1);
}

/* A number or a word; words that JSON does not know become strings. */
static const char *repair_word(struct repair *r, const char *p) {
  static const struct tb_str python[][2] = {
      {{"True", 4}, {"true", 4}}, {{"False", 5}, {"false", 5}}, {{"None", 4}, {"null", 4}}};
  const char *start = p;
  while (is_word(*p)) p++;
  struct tb_str word = {start, (size_t)(p - start)};
  if (!word.len || p >= r->end) return NULL;
  for (size_t i = 0; i < sizeof(python) / sizeof(python[0]); i++)
    if (tb_str_equal(word, python[i][0])) return put(r, python[i][1].ptr, python[i][1].len) ? p : NULL;
  struct tb_tokenizer scan = r->state->scan;
  const char *known = tb_tokenizer_skip_value(&scan, start);
  if (known == p) return put(r, start, word.len) ? p : NULL;
  return put_char(r, '"') && put(r, start, word.len) && put_char(r, '"') ? p : NULL;
}

static const char *repair_value(struct repair *r, const char *p) {
  if (*p == '"' || *p == '\'') return repair_string(r, p, false);
  if (*p != '{' && *p != '[') return repair_word(r, p);
  if (r->depth == TB_JSON_TREE_DEPTH || !put_char(r, *p)) return NULL;
  r->open[r->depth++] = *p == '{' ? '}' : ']';
  return p + 1;
}

/* Rewrites the object at `p` into r->out; the byte after it, NULL where it makes no sense. */
static const char *repair_object(struct repair *r, const char *p) {
  for (p = repair_value(r, p); p && r->depth;) {
    r->at = p = tb_tokenizer_space(p);
    if (p >= r->end || r->out.len > REPAIR_MAX) return NULL;
    if (*p == ',') {
      p++;
      continue;
    }
    if (*p == r->open[r->depth - 1]) {
      if (!put_char(r, *p)) return NULL;
      r->depth--;
      p++;
      continue;
    }
    char last = r->out.data[r->out.len - 1];
    if (last != '{' && last != '[' && !put_char(r, ',')) return NULL;
    if (r->open[r->depth - 1] == '}') p = repair_key(r, p);
    if (p) p = repair_value(r, p);
  }
  return p;
}

/* Reads the event in r->out as if it were the text. */
static bool read_repaired(struct repair *r, struct tb_batch *batch) {
  struct tb_tokenizer *scan = &r->state->scan;
  const char *end = scan->end;
  size_t events = batch->event_count, args = batch->arg_count;
  struct tb_str copy = {tb_arena_alloc(scan->arena, r->out.len + TB_BATCH_PADDING), r->out.len};
  if (!copy.ptr) return false;
  char *text = (char *)(uintptr_t)copy.ptr;
  memcpy(text, r->out.data, copy.len);
  memset(text + copy.len, 0, TB_BATCH_PADDING);
  scan->end = copy.ptr + copy.len;
  r->state->repairing = true;
  const char *after = tb_json_event(r->state, batch, copy.ptr);
  r->state->repairing = false;
  scan->end = end;
  if (after && batch->events[events].type != TB_EVENT_OTHER) return true;
  if (after) scan->status = TB_TOKENIZER_BAD; /* an object without a phase or a time */
  batch->event_count = events;
  batch->arg_count = args;
  return false;
}

const char *tb_json_repaired_event(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  struct repair repair = {.state = state, .end = state->scan.end, .at = p};
  state->scan.status = TB_TOKENIZER_BAD;
  uint64_t offset = tb_json_offset(state, batch, p);
  tb_buffer_init(&repair.out, batch->allocator, REPAIR_MAX + 16);
  const char *end = repair_object(&repair, p);
  if (end) repair.at = end;
  bool undecided =
      !tb_json_is_last(state) && repair.end - repair.at < TB_JSON_LOOK_AHEAD && repair.out.len < REPAIR_MAX;
  bool read = !undecided && end && read_repaired(&repair, batch);
  tb_buffer_free(&repair.out);
  if (state->scan.status != TB_TOKENIZER_FULL) state->scan.status = undecided ? TB_TOKENIZER_MORE : TB_TOKENIZER_BAD;
  if (!read) return NULL;
  batch->events[batch->event_count - 1].offset = offset;
  return end;
}
