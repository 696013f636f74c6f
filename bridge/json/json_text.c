/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json_text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/utf8.h"

static const char digit_pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

enum { EIGHT_DIGITS = 100000000 };

/* Exactly eight digits of a number below 10^8; the pairs do not wait for each other. */
static void put_eight(char *at, uint32_t value) {
  uint32_t high = value / 10000, low = value % 10000;
  memcpy(at, digit_pairs + high / 100 * 2, 2);
  memcpy(at + 2, digit_pairs + high % 100 * 2, 2);
  memcpy(at + 4, digit_pairs + low / 100 * 2, 2);
  memcpy(at + 6, digit_pairs + low % 100 * 2, 2);
}

/* A number below 10^8 without leading zeros; writes eight bytes. Little-endian hosts only, see third_party/README.md. */
static char *put_up_to_eight(char *at, uint32_t value) {
  char digits[16] = {0};
  put_eight(digits, value);
  uint64_t places;
  memcpy(&places, digits, sizeof(places));
  places ^= 0x3030303030303030u;
  unsigned zeros = places ? (unsigned)__builtin_ctzll(places) / 8 : 7;
  memcpy(at, digits + zeros, 8);
  return at + 8 - zeros;
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
  unsigned rest = (unsigned)(n % 1000);
  if (!rest) return at;
  *at++ = '.';
  *at++ = (char)('0' + rest / 100);
  if (rest % 100) *at++ = (char)('0' + rest / 10 % 10);
  if (rest % 10) *at++ = (char)('0' + rest % 10);
  return at;
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

char *tb_json_put_double(char *at, double value) {
  if (isnan(value)) return put_text(at, "\"NaN\"");
  if (isinf(value)) return put_text(at, value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
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

/* ---- strings
 * --------------------------------------------------------------------------------------------------------- */

/* Each copies so many bytes. True where none of them must be written otherwise: below 0x20, DEL, quote, backslash, or not ASCII. */
static bool copy_eight(char *to, const unsigned char *from) {
  const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
  uint64_t v;
  memcpy(&v, from, sizeof(v));
  memcpy(to, from, sizeof(v));
  uint64_t quote = v ^ ones * '"', backslash = v ^ ones * '\\', del = v ^ ones * 0x7f;
  uint64_t found = v | (v - ones * 0x20) | (quote - ones) | (backslash - ones) | (del - ones);
  return (found & high) == 0;
}

static bool copy_sixteen(char *to, const unsigned char *from) {
#ifdef __SSE2__
  __m128i v = _mm_loadu_si128((const __m128i *)(const void *)from);
  _mm_storeu_si128((__m128i *)(void *)to, v);
  __m128i special = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)); /* bytes that are not ASCII are negative */
  special = _mm_or_si128(special, _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
  special = _mm_or_si128(special, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
  special = _mm_or_si128(special, _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7f)));
  return _mm_movemask_epi8(special) == 0;
#else
  return copy_eight(to, from) && copy_eight(to + 8, from + 8);
#endif
}

static bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

static char *put_escaped(char *at, unsigned char c) {
  static const char shorts[] = "btn\0fr"; /* 0x08 to 0x0d; 0x0b has none */
  *at++ = '\\';
  if (c == '"' || c == '\\') {
    *at++ = (char)c;
  } else if (c >= 0x08 && c <= 0x0d && c != 0x0b) {
    *at++ = shorts[c - 0x08];
  } else {
    memcpy(at, "u00", 3);
    at[3] = "0123456789abcdef"[c >> 4];
    at[4] = "0123456789abcdef"[c & 15];
    at += 5;
  }
  return at;
}

/* The text without quotes. */
static char *put_characters(char *at, const unsigned char *p, const unsigned char *end) {
  while (p < end) {
    for (; end - p >= 16 && copy_sixteen(at, p); at += 16) p += 16;
    for (; end - p >= 8 && copy_eight(at, p); at += 8) p += 8;
    while (p < end && is_plain(*p)) *at++ = (char)*p++;
    if (p == end) break;
    if (*p < 0x80) {
      at = put_escaped(at, *p++);
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

char *tb_json_put_string(char *at, struct tb_slice text) {
  *at++ = '"';
  if (text.len) at = put_characters(at, (const unsigned char *)text.ptr, (const unsigned char *)text.ptr + text.len);
  *at++ = '"';
  return at;
}
