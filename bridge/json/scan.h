/* SPDX-License-Identifier: Apache-2.0
 *
 * The tokens of JSON text in memory: white space, strings, numbers, literals, and values skipped whole. Nothing is
 * copied but strings that have to change (escapes, bytes that are no UTF-8).
 *
 * Text ends with TB_BATCH_PADDING readable bytes of zero, so that a loop may look ahead without asking for the end: a
 * zero at scan->end is the end, one before it is a character of its own.
 */
#ifndef TB_JSON_SCAN_H
#define TB_JSON_SCAN_H

#include <stdbool.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/decimal.h"
#include "base/memory.h"

enum tb_scan_status {
  TB_SCAN_OK,
  TB_SCAN_MORE, /* the text ends inside the token */
  TB_SCAN_BAD,  /* no JSON at `at` */
  TB_SCAN_FULL, /* the batch has no room left */
  TB_SCAN_NO_MEMORY
};

/* Where the scanning of one text stands in the world; caller-owned. */
struct tb_scan {
  const char *end;            /* of the text */
  struct tb_arena *arena;     /* takes strings that had to be changed */
  const char *at;             /* where it failed */
  enum tb_scan_status status; /* why the last function failed */
  bool lenient;               /* repair what is commonly written wrong: see tb_scan_string_lenient */
};

/* Sets the failure and returns NULL; TB_SCAN_MORE where `at` is the end of the text, else TB_SCAN_BAD. */
const char *tb_scan_fail(struct tb_scan *scan, const char *at);

/* ---- white space
 * ------------------------------------------------------------------------------------------------------ */

const char *tb_scan_space_run(const char *p);

/* The first byte from `p` on that is no white space. */
static inline const char *tb_scan_space(const char *p) { return (unsigned char)*p > ' ' ? p : tb_scan_space_run(p); }

/* ---- strings
 * ---------------------------------------------------------------------------------------------------------- */

/* Reads the rest of a string of which [start, at) is plain. As tb_scan_string. */
const char *tb_scan_string_slow(struct tb_scan *scan, const char *start, const char *at, struct tb_slice *text);

/* Reads the string that starts with the quote before `p`. Returns the byte after its closing quote, *text then being
 * the string in UTF-8: in the text itself where nothing had to change, else in the arena. Escapes are resolved; lone
 * surrogates and bytes that are no UTF-8 become U+FFFD; control characters stay. NULL on failure. */
static inline const char *tb_scan_string(struct tb_scan *scan, const char *p, struct tb_slice *text) {
  const char *start = p;
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), space = _mm_set1_epi8(' ');
  for (;; p += 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    /* signed: bytes from 0x80 on are below a space too */
    __m128i stop =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)), _mm_cmplt_epi8(v, space));
    unsigned mask = (unsigned)_mm_movemask_epi8(stop);
    if (mask) {
      p += __builtin_ctz(mask);
      break;
    }
  }
#else
  const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
  for (;; p += 8) {
    uint64_t v;
    memcpy(&v, p, 8);
    uint64_t q = v ^ (ones * '"'), b = v ^ (ones * '\\');
    /* may also flag a byte above a flagged one: the byte loop below finds the first */
    if ((((q - ones) & ~q) | ((b - ones) & ~b) | (v - ones * ' ') | v) & tops) break;
  }
  while (*p != '"' && *p != '\\' && (signed char)*p >= ' ') p++;
#endif
  if (__builtin_expect(*p != '"' || scan->lenient, 0)) return tb_scan_string_slow(scan, start, p, text);
  text->ptr = start;
  text->len = (size_t)(p - start);
  return p + 1;
}

/* ---- numbers
 * ---------------------------------------------------------------------------------------------------------- */

/* 8 digits at `p` as a number into *value; false when one of them is none. */
static inline bool tb_scan_eight_digits(const char *p, uint64_t *value) {
  uint64_t v;
  memcpy(&v, p, 8);
  const uint64_t zeros = UINT64_C(0x3030303030303030), high = UINT64_C(0xf0f0f0f0f0f0f0f0);
  if (((v & high) ^ zeros) | (((v + UINT64_C(0x0606060606060606)) & high) ^ zeros)) return false;
  v -= zeros; /* little-endian hosts only; see third_party/README.md */
  v = v * 10 + (v >> 8);
  *value = ((v & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
            ((v >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
           32;
  return true;
}

/* Adds the digits from `p` on to *mantissa and returns the byte after them. What it returns is good for up to 19 digits
 * in all, which the caller checks. */
static inline const char *tb_scan_digits(const char *p, uint64_t *mantissa) {
  uint64_t eight;
  if (tb_scan_eight_digits(p, &eight)) {
    *mantissa = *mantissa * 100000000u + eight;
    p += 8;
  }
  for (unsigned digit; (digit = (unsigned)(unsigned char)*p - '0') <= 9; p++) *mantissa = *mantissa * 10 + digit;
  return p;
}

const char *tb_scan_number_slow(struct tb_scan *scan, const char *p, struct tb_decimal *number);

/* Reads the number at `p`, returns the byte after it; NULL on failure (MORE where it touches the end of the text, since
 * it may go on there). */
static inline const char *tb_scan_number(struct tb_scan *scan, const char *p, struct tb_decimal *number) {
  const char *start = p;
  bool negative = *p == '-';
  if (negative) p++;
  const char *first = p;
  uint64_t mantissa = 0;
  p = tb_scan_digits(p, &mantissa);
  int32_t exponent = 0;
  bool integer = true;
  const char *digits_end = p;
  if (*p == '.') {
    const char *fraction = p + 1;
    p = tb_scan_digits(fraction, &mantissa);
    exponent = (int32_t)(fraction - p);
    if (p == fraction) return tb_scan_number_slow(scan, start, number);
    integer = false;
  }
  if (digits_end == first || p - first > 19 || *p == 'e' || *p == 'E' || p >= scan->end)
    return tb_scan_number_slow(scan, start, number);
  *number = (struct tb_decimal){mantissa, exponent, negative, integer, false, 0};
  return p;
}

/* ---- the rest
 * --------------------------------------------------------------------------------------------------------- */

/* The byte after the value at `p` (white space before it was skipped), which is passed over; nested to any depth. NULL
 * on failure. */
const char *tb_scan_skip_value(struct tb_scan *scan, const char *p);

/* The byte after the literal at `p`: true, false, null, or one of the numbers that JSON lacks and tracers write (NaN,
 * Infinity, inf, with or without a sign). NULL on failure. */
const char *tb_scan_literal(struct tb_scan *scan, const char *p);

#endif
