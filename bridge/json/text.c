/* SPDX-License-Identifier: Apache-2.0 */
#include "json/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/escape.h"
#include "base/utf8.h"

enum { EIGHT_DIGITS = 100000000 };

/* The eight digits of a number below 10^8, a byte each, the first in the lowest byte: halves, then pairs, then digits,
 * all lanes at once. The products stand for divisions by 100 and by 10, exact for four and for two digits. */
static uint64_t eight_digits(uint32_t value) {
  uint64_t halves = value / 10000 | (uint64_t)(value % 10000) << 32;
  uint64_t hundreds = (halves * 10486 >> 20) & 0x0000007f0000007fu;
  uint64_t pairs = hundreds | (halves - hundreds * 100) << 16;
  uint64_t tens = (pairs * 103 >> 10) & 0x000f000f000f000fu;
  return tens | (pairs - tens * 10) << 8;
}

static const uint64_t zeros = 0x3030303030303030u;

/* Exactly eight digits of a number below 10^8. Little-endian hosts only, see third_party/README.md. */
static void put_eight(char *at, uint32_t value) {
  uint64_t digits = eight_digits(value) | zeros;
  memcpy(at, &digits, sizeof(digits));
}

static char *put_up_to_two(char *at, uint32_t value) {
  uint32_t tens = value * 103 >> 10;
  *at = (char)('0' + tens);
  at += tens != 0;
  *at = (char)('0' + (value - 10 * tens));
  return at + 1;
}

/* A number below 10^8 without leading zeros; may write eight bytes. Short ones are many: what is in front of eight
 * digits of a time, durations, numbers of threads. */
static char *put_up_to_eight(char *at, uint32_t value) {
  if (value < 100) return put_up_to_two(at, value);
  uint64_t digits = eight_digits(value);
  unsigned leading = (unsigned)__builtin_ctzll(digits) & ~7u;
  digits = (digits | zeros) >> leading;
  memcpy(at, &digits, sizeof(digits));
  return at + 8 - leading / 8;
}

char *tb_json_put_uint(char *at, uint64_t value) {
  if (value < EIGHT_DIGITS) return put_up_to_eight(at, (uint32_t)value);
  uint64_t high = value / EIGHT_DIGITS;
  if (high < EIGHT_DIGITS) {
    at = put_up_to_eight(at, (uint32_t)high);
  } else {
    at = put_up_to_eight(at, (uint32_t)(high / EIGHT_DIGITS));
    put_eight(at, (uint32_t)(high % EIGHT_DIGITS));
    at += 8;
  }
  put_eight(at, (uint32_t)(value % EIGHT_DIGITS));
  return at + 8;
}

static uint64_t magnitude(int64_t value) { return value < 0 ? 0 - (uint64_t)value : (uint64_t)value; }

char *tb_json_put_int(char *at, int64_t value) {
  if (value < 0) *at++ = '-';
  return tb_json_put_uint(at, magnitude(value));
}

bool tb_json_is_text_of(struct tb_str text, int64_t number) {
  char digits[TB_JSON_INTEGER_MAX];
  const char *end = tb_json_put_int(digits, number);
  return tb_str_equal(text, (struct tb_str){digits, (size_t)(end - digits)});
}

char *tb_json_put_hex(char *at, uint64_t value) {
  memcpy(at, "\"0x", 3);
  at += 3;
  int shift = 60;
  while (shift && !(value >> shift)) shift -= 4;
  for (; shift >= 0; shift -= 4) *at++ = "0123456789abcdef"[value >> shift & 15];
  *at++ = '"';
  return at;
}

char *tb_json_put_micros(char *at, int64_t ns) {
  if (ns < 0) *at++ = '-';
  uint64_t n = magnitude(ns);
  at = tb_json_put_uint(at, n / 1000);
  unsigned rest = (unsigned)(n % 1000), first = rest / 100, two = rest - 100 * first;
  if (!rest) return at;
  at[0] = '.';
  at[1] = (char)('0' + first);
  if (!two) return at + 2;
  unsigned second = two / 10, third = two - 10 * second;
  at[2] = (char)('0' + second);
  at[3] = (char)('0' + third);
  return third ? at + 4 : at + 3;
}

static char *put_text(char *at, const char *text) {
  size_t len = strlen(text);
  memcpy(at, text, len);
  return at + len;
}

/* Doubles that are a short decimal m / 10^k, as most are that people write: both m and 10^k are exact doubles, so the
 * division rounds as reading the decimal does. Returns NULL where `value` (positive) is none. */
static char *put_short_decimal(char *at, double value) {
  static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
  if (!(value >= 1e-4 && value < 1e15)) return NULL;
  for (unsigned k = 0; k < sizeof(powers) / sizeof(powers[0]); k++) {
    double scaled = value * powers[k];
    if (scaled >= 1e15) return NULL;
    uint64_t m = (uint64_t)(scaled + 0.5);
    if ((double)m / powers[k] != value) continue;
    if (k == 0) return put_text(tb_json_put_uint(at, m), ".0");
    uint64_t power = (uint64_t)powers[k];
    at = tb_json_put_uint(at, m / power);
    *at++ = '.';
    uint64_t decimals = m % power;
    for (power /= 10; power > decimals && power > 1; power /= 10) *at++ = '0';
    return tb_json_put_uint(at, decimals);
  }
  return NULL;
}

/* What printf wrote may have the locale's decimal point, of one or more bytes. */
static char *copy_decimal(char *at, const char *text) {
  bool has_point = false;
  for (; *text; text++) {
    if ((*text >= '0' && *text <= '9') || *text == '-' || *text == '+' || *text == 'e') {
      if (*text == 'e' && !has_point) {
        at = put_text(at, ".0");
        has_point = true;
      }
      *at++ = *text;
    } else if (!has_point) {
      *at++ = '.';
      has_point = true;
    }
  }
  return has_point ? at : put_text(at, ".0");
}

/* What JSON has no number for. */
static char *put_special(char *at, double value) {
  if (isnan(value)) return put_text(at, "\"NaN\"");
  return put_text(at, value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
}

char *tb_json_put_fixed(char *at, double value, unsigned decimals) {
  if (!isfinite(value)) return put_special(at, value);
  char text[TB_JSON_FIXED_MAX + 8]; /* a decimal point of any locale */
  (void)snprintf(text, sizeof(text), "%.*f", (int)decimals, value);
  return copy_decimal(at, text);
}

char *tb_json_put_double(char *at, double value) {
  if (!isfinite(value)) return put_special(at, value);
  if (signbit(value)) {
    *at++ = '-';
    value = -value;
  }
  if (value == 0) return put_text(at, "0.0");
  char *end = put_short_decimal(at, value);
  if (end) return end;
  /* 15 digits always survive being read; subnormal numbers may need fewer, all others up to 17 */
  char text[TB_JSON_DOUBLE_MAX * 2];
  for (int precision = value < DBL_MIN ? 1 : 15; precision <= 17; precision++) {
    (void)snprintf(text, sizeof(text), "%.*g", precision, value);
    if (strtod(text, NULL) == value) break;
  }
  return copy_decimal(at, text);
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* Bytes below 0x20, DEL, quotes, backslashes and what is not ASCII must be written otherwise. A bit is set for each of
 * eight such, of which the lowest is right. */
static uint64_t specials_of_eight(uint64_t v) {
  const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
  uint64_t quote = v ^ ones * '"', backslash = v ^ ones * '\\', del = v ^ ones * 0x7f;
  return (v | (v - ones * 0x20) | (quote - ones) | (backslash - ones) | (del - ones)) & high;
}

/* Copies so many bytes; not 0 where one of them is special. */
static uint64_t copy_eight(char *to, const unsigned char *from) {
  uint64_t v;
  memcpy(&v, from, sizeof(v));
  memcpy(to, from, sizeof(v));
  return specials_of_eight(v);
}

static uint64_t copy_sixteen(char *to, const unsigned char *from) {
#ifdef __SSE2__
  __m128i v = _mm_loadu_si128((const __m128i *)(const void *)from);
  _mm_storeu_si128((__m128i *)(void *)to, v);
  __m128i special = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)); /* bytes that are not ASCII are negative */
  special = _mm_or_si128(special, _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
  special = _mm_or_si128(special, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
  special = _mm_or_si128(special, _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7f)));
  return (uint64_t)_mm_movemask_epi8(special);
#else
  return copy_eight(to, from) | copy_eight(to + 8, from + 8);
#endif
}

/* Fewer than eight bytes, as a number of eight whose others are plain. */
static uint64_t copy_few(char *to, const unsigned char *from, size_t len) {
  uint64_t v = 0x2020202020202020u;
  if (len >= 4) {
    uint32_t first, last;
    memcpy(&first, from, sizeof(first));
    memcpy(&last, from + len - 4, sizeof(last));
    memcpy(to, &first, sizeof(first));
    memcpy(to + len - 4, &last, sizeof(last));
    v = (uint64_t)last << 32 | first;
  } else {
    unsigned char bytes[8] = {' ', ' ', ' ', ' ', ' ', ' ', ' ', ' '};
    bytes[0] = from[0];
    bytes[1] = from[len / 2];
    bytes[2] = from[len - 1];
    memcpy(&v, bytes, sizeof(v));
    to[0] = (char)bytes[0];
    to[len / 2] = (char)bytes[1];
    to[len - 1] = (char)bytes[2];
  }
  return specials_of_eight(v);
}

/* Copies all of a text of at least one byte; the last step overlaps the one before, so that no length needs a loop over
 * bytes. Not 0 where one of them is special. */
static uint64_t copy_all(char *to, const unsigned char *from, size_t len) {
  uint64_t special = 0;
  if (len < 8) return copy_few(to, from, len);
  if (len < 16) return copy_eight(to, from) | copy_eight(to + len - 8, from + len - 8);
  for (size_t i = 0; i + 16 < len; i += 16) special |= copy_sixteen(to + i, from + i);
  return special | copy_sixteen(to + len - 16, from + len - 16);
}

static bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

/* The text without quotes. */
static char *put_characters(char *at, const unsigned char *p, const unsigned char *end) {
  while (p < end) {
    for (; end - p >= 16 && !copy_sixteen(at, p); at += 16) p += 16;
    for (; end - p >= 8 && !copy_eight(at, p); at += 8) p += 8;
    while (p < end && is_plain(*p)) *at++ = (char)*p++;
    if (p == end) break;
    if (*p < 0x80) {
      at = tb_escape_json_character(at, *p++);
      continue;
    }
    size_t skip, length = tb_utf8_character((const char *)p, (const char *)end, &skip);
    if (length)
      memcpy(at, p, length);
    else
      memcpy(at, TB_UTF8_REPLACEMENT, 3);
    at += length ? length : 3;
    p += length ? length : skip;
  }
  return at;
}

/* Apart, so that a text that is copied whole costs no saved registers. */
__attribute__((noinline)) static char *put_escaped(char *at, struct tb_str text) {
  const unsigned char *from = (const unsigned char *)text.ptr;
  at = put_characters(at, from, from + text.len);
  *at++ = '"';
  return at;
}

char *tb_json_put_string(char *at, struct tb_str text) {
  *at++ = '"';
  if (text.len && copy_all(at, (const unsigned char *)text.ptr, text.len)) return put_escaped(at, text);
  at += text.len;
  *at++ = '"';
  return at;
}
