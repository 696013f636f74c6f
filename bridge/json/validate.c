/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a text JSON? Asked before text from a trace goes into our output as it is.
 */
#include <string.h>

#include "base/hex.h"
#include "base/utf8.h"
#include "json/text.h"

struct checker {
  const unsigned char *at, *end;
  unsigned depth, max_depth;
  uint64_t is_object[(TB_JSON_TEXT_DEPTH + 63) / 64]; /* a bit for each level that is open */
};

static void skip_space(struct checker *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')) c->at++;
}

static bool is_digit(const struct checker *c) { return c->at < c->end && *c->at >= '0' && *c->at <= '9'; }

static bool take(struct checker *c, char wanted) {
  if (c->at == c->end || *c->at != (unsigned char)wanted) return false;
  c->at++;
  return true;
}

static bool take_digits(struct checker *c) {
  if (!is_digit(c)) return false;
  while (is_digit(c)) c->at++;
  return true;
}

static bool take_number(struct checker *c) {
  (void)take(c, '-');
  if (!take(c, '0') && !take_digits(c)) return false;
  if (take(c, '.') && !take_digits(c)) return false;
  if (take(c, 'e') || take(c, 'E')) {
    if (!take(c, '+')) (void)take(c, '-');
    return take_digits(c);
  }
  return true;
}

static bool take_escape(struct checker *c) {
  if (c->at == c->end) return false;
  unsigned char kind = *c->at++;
  if (kind != 'u') return kind && strchr("\"\\/bfnrt", kind) != NULL;
  for (int i = 0; i < 4; i++, c->at++)
    if (c->at == c->end || tb_hex_digit((char)*c->at) < 0) return false;
  return true;
}

static bool take_string(struct checker *c) {
  if (!take(c, '"')) return false;
  while (c->at < c->end) {
    size_t skip, length = tb_utf8_character((const char *)c->at, (const char *)c->end, &skip);
    if (!length || *c->at < 0x20) return false;
    unsigned char first = *c->at;
    c->at += length;
    if (first == '"') return true;
    if (first == '\\' && !take_escape(c)) return false;
  }
  return false;
}

static bool take_word(struct checker *c, const char *word) {
  size_t len = strlen(word);
  if ((size_t)(c->end - c->at) < len || memcmp(c->at, word, len) != 0) return false;
  c->at += len;
  return true;
}

static bool take_scalar(struct checker *c) {
  switch (c->at < c->end ? *c->at : 0) {
    case '"':
      return take_string(c);
    case 't':
      return take_word(c, "true");
    case 'f':
      return take_word(c, "false");
    case 'n':
      return take_word(c, "null");
    default:
      return take_number(c);
  }
}

static bool in_object(const struct checker *c) {
  unsigned level = c->depth - 1;
  return c->is_object[level / 64] >> level % 64 & 1;
}

static bool open_level(struct checker *c) {
  if (c->depth == c->max_depth || c->depth == TB_JSON_TEXT_DEPTH) return false;
  uint64_t bit = (uint64_t)1 << c->depth % 64, *word = &c->is_object[c->depth / 64];
  *word = *c->at == '{' ? *word | bit : *word & ~bit;
  c->depth++;
  c->at++;
  return true;
}

static bool close_level(struct checker *c) {
  if (!take(c, in_object(c) ? '}' : ']')) return false;
  c->depth--;
  return true;
}

static bool take_key(struct checker *c) {
  skip_space(c);
  if (!take_string(c)) return false;
  skip_space(c);
  if (!take(c, ':')) return false;
  skip_space(c);
  return true;
}

/* One value with all that it opens: levels are opened down to a scalar (or an empty level), then closed as far as they
 * close, and a comma goes on with the next. */
bool tb_json_is_valid(struct tb_str text, unsigned max_depth) {
  if (!text.len) return false;
  struct checker c = {.at = (const unsigned char *)text.ptr, .max_depth = max_depth};
  c.end = c.at + text.len;
  skip_space(&c);
  for (;;) {
    bool opened = false;
    if (c.at < c.end && (*c.at == '{' || *c.at == '[')) {
      if (!open_level(&c)) return false;
      skip_space(&c);
      opened = true;
    } else if (!take_scalar(&c)) {
      return false;
    }
    if (opened && !close_level(&c)) {
      if (in_object(&c) && !take_key(&c)) return false;
      continue;
    }
    for (skip_space(&c); c.depth && close_level(&c);) skip_space(&c);
    if (!c.depth) return c.at == c.end;
    if (!take(&c, ',')) return false;
    skip_space(&c);
    if (in_object(&c) && !take_key(&c)) return false;
  }
}
