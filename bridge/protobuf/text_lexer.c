/* SPDX-License-Identifier: Apache-2.0 */
#include "protobuf/text_lexer.h"

#include <math.h>

#include "base/decimal.h"
#include "base/hex.h"
#include "base/utf8.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

void tb_text_skip(struct tb_text_cursor *cursor) {
  const char *at = cursor->at, *end = cursor->end;
  while (at < end && (*at == ' ' || (*at >= '\t' && *at <= '\r') || *at == '#')) {
    if (*at++ != '#') continue;
    const char *line = memchr(at, '\n', (size_t)(end - at));
    at = line ? line : end;
  }
  cursor->at = at;
}

bool tb_text_take(struct tb_text_cursor *cursor, char c) {
  tb_text_skip(cursor);
  if (cursor->at == cursor->end || *cursor->at != c) return false;
  cursor->at++;
  return true;
}

struct tb_str tb_text_word(struct tb_text_cursor *cursor) {
  tb_text_skip(cursor);
  const char *start = cursor->at;
  if (start < cursor->end && is_letter(*start))
    while (cursor->at < cursor->end && (is_letter(*cursor->at) || is_digit(*cursor->at))) cursor->at++;
  return (struct tb_str){start, (size_t)(cursor->at - start)};
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* -1 where it is no digit of that base. */
static int digit_value(char c, unsigned base) {
  int value = tb_hex_digit(c);
  return value < (int)base ? value : -1;
}

/* The digits at `at`, NULL where there are none, or too many. */
static const char *read_digits(const char *at, const char *end, unsigned base, uint64_t *value) {
  const char *start = at;
  *value = 0;
  for (int digit; at < end && (digit = digit_value(*at, base)) >= 0; at++) {
    if (*value > (UINT64_MAX - (unsigned)digit) / base) return NULL;
    *value = *value * base + (unsigned)digit;
  }
  return at > start ? at : NULL;
}

static const char *read_special(const char *at, const char *end, double *value) {
  static const struct {
    const char *word;
    size_t len;
    bool is_nan;
  } words[] = {{"infinity", 8, false}, {"inf", 3, false}, {"nan", 3, true}};
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    if ((size_t)(end - at) < words[i].len || memcmp(at, words[i].word, words[i].len) != 0) continue;
    *value = words[i].is_nan ? (double)NAN : (double)INFINITY;
    return at + words[i].len;
  }
  return NULL;
}

static const char *read_decimal(const char *at, const char *end, double *value) {
  struct tb_decimal number;
  const char *after = tb_decimal_parse(at, end, &number);
  if (!after) return NULL;
  if (!tb_decimal_to_double(&number, at, after, value)) *value = number.negative ? -(double)INFINITY : (double)INFINITY;
  return after < end && (*after | 0x20) == 'f' ? after + 1 : after;
}

/* A number without its sign. */
static const char *read_number(const char *at, const char *end, struct tb_text_number *number) {
  const char *after;
  if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x') {
    after = read_digits(at + 2, end, 16, &number->magnitude);
    number->form = TB_TEXT_HEX;
    number->digits = after ? (size_t)(after - at) - 2 : 0;
    number->value = (double)number->magnitude;
    return after;
  }
  bool octal = end - at > 1 && at[0] == '0' && is_digit(at[1]);
  after = read_digits(at, end, octal ? 8 : 10, &number->magnitude);
  number->form = TB_TEXT_INTEGER;
  number->value = (double)number->magnitude;
  if (after && (after == end || (*after != '.' && (*after | 0x20) != 'e' && (*after | 0x20) != 'f'))) return after;
  number->form = TB_TEXT_DECIMAL;
  after = read_special(at, end, &number->value);
  return after ? after : read_decimal(at, end, &number->value);
}

struct tb_text_number tb_text_number(struct tb_text_cursor *cursor) {
  struct tb_text_number number = {.form = TB_TEXT_NO_NUMBER};
  struct tb_text_cursor at = *cursor;
  number.negative = tb_text_take(&at, '-');
  tb_text_skip(&at);
  const char *after = at.at < at.end ? read_number(at.at, at.end, &number) : NULL;
  if (!after || (after < at.end && (is_letter(*after) || is_digit(*after) || *after == '.')))
    return (struct tb_text_number){.form = TB_TEXT_NO_NUMBER};
  if (number.negative) number.value = -number.value;
  cursor->at = after;
  return number;
}

/* ---- literals ---------------------------------------------------------------------------------------------------- */

/* Up to `max` digits. */
static const char *read_code(const char *at, const char *end, unsigned base, size_t max, uint32_t *value) {
  const char *start = at;
  *value = 0;
  for (int digit; at < end && (size_t)(at - start) < max && (digit = digit_value(*at, base)) >= 0; at++)
    *value = *value * base + (unsigned)digit;
  return at > start ? at : NULL;
}

/* Behind a backslash: *len bytes that the escape stands for. NULL where it is none. */
static const char *read_escape(const char *at, const char *end, char bytes[4], size_t *len) {
  static const char letters[] = "abfnrtv\\'\"?", meant[] = "\a\b\f\n\r\t\v\\'\"?";
  uint32_t code;
  if (at == end || !*at) return NULL;
  const char *letter = strchr(letters, *at);
  *len = 1;
  if (letter) {
    bytes[0] = meant[letter - letters];
    return at + 1;
  }
  if (*at == 'u' || *at == 'U') {
    size_t digits = *at == 'u' ? 4 : 8;
    const char *after = read_code(at + 1, end, 16, digits, &code);
    if (!after || (size_t)(after - at) != digits + 1 || code > 0x10ffff) return NULL;
    *len = tb_utf8_encode(code, bytes);
    return *len ? after : NULL;
  }
  bool hex = (*at | 0x20) == 'x';
  const char *after = read_code(at + hex, end, hex ? 16 : 8, hex ? 2 : 3, &code);
  bytes[0] = (char)code;
  return after && code < 0x100 ? after : NULL;
}

enum tb_status tb_text_literal(struct tb_text_cursor *cursor, struct tb_buffer *out) {
  const char *at = cursor->at, *end = cursor->end;
  enum tb_status status = TB_BAD_DATA;
  const char quote = *at++;
  for (;;) {
    const char *start = at;
    while (at < end && *at != quote && *at != '\\' && *at != '\n') at++;
    status = tb_buffer_append(out, start, (size_t)(at - start));
    if (status != TB_OK || at == end || *at == '\n' || *at == quote) break;
    char bytes[4];
    size_t len;
    const char *after = read_escape(at + 1, end, bytes, &len);
    if (!after) break;
    status = tb_buffer_append(out, bytes, len);
    if (status != TB_OK) break;
    at = after;
  }
  cursor->at = at;
  if (status != TB_OK) return status;
  if (at == end || *at != quote) return TB_BAD_DATA;
  cursor->at++;
  return TB_OK;
}

/* ---- comments on encodings --------------------------------------------------------------------------------------- */

static bool take_word(struct tb_text_cursor *at, const char *word) {
  size_t len = strlen(word);
  if ((size_t)(at->end - at->at) < len || memcmp(at->at, word, len) != 0) return false;
  at->at += len;
  return true;
}

static bool take_width(struct tb_text_cursor *at, unsigned *width) {
  uint64_t value;
  const char *after = read_digits(at->at, at->end, 10, &value);
  if (!after || value < 1 || value > 10) return false;
  *width = (unsigned)value;
  at->at = after;
  return true;
}

static bool take_item(struct tb_text_cursor *at, struct tb_text_encoding *encoding) {
  if (take_word(at, "unpacked")) return encoding->unpacked = true;
  if (take_word(at, "packed")) return encoding->packed = true;
  if (take_word(at, "first")) return encoding->first = true;
  if (take_word(at, "group")) return encoding->group = true;
  if (take_word(at, "tag")) return take_width(at, &encoding->tag_width);
  return take_width(at, &encoding->width);
}

struct tb_text_encoding tb_text_encoding_comment(struct tb_text_cursor *cursor) {
  struct tb_text_encoding encoding = {0};
  struct tb_text_cursor at = *cursor;
  while (at.at < at.end && (*at.at == ' ' || *at.at == '\t')) at.at++;
  if (!take_word(&at, "#=")) return encoding;
  while (take_item(&at, &encoding) && take_word(&at, ",")) continue;
  const char *line = memchr(at.at, '\n', (size_t)(at.end - at.at));
  cursor->at = line ? line : at.end; /* what else the comment says is for people */
  return encoding;
}
