/* SPDX-License-Identifier: Apache-2.0
 *
 * The tokens of JSON text in memory: white space, strings, numbers, literals, and values skipped whole. Nothing is
 * copied but strings that have to change (escapes, bytes that are no UTF-8).
 *
 * Text ends with TB_TOKENIZER_PADDING readable bytes of zero, so that a loop may look ahead without asking for the end:
 * a zero at scan->end is the end, one before it is a character of its own.
 */
#ifndef TB_JSON_TOKENIZER_H
#define TB_JSON_TOKENIZER_H

#include <stdbool.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/decimal.h"
#include "base/memory.h"

enum { TB_TOKENIZER_PADDING = 64 };

enum tb_tokenizer_status {
  TB_TOKENIZER_OK,
  TB_TOKENIZER_MORE, /* the text ends inside the token */
  TB_TOKENIZER_BAD,  /* no JSON at `at` */
  TB_TOKENIZER_FULL, /* the batch has no room left */
  TB_TOKENIZER_NO_MEMORY
};

/* The state of scanning one text; caller-owned. */
struct tb_tokenizer {
  const char *end;                 /* of the text */
  struct tb_arena *arena;          /* takes strings that had to be changed */
  const char *at;                  /* where it failed */
  enum tb_tokenizer_status status; /* why the last function failed */
  const char *invalid;             /* the first byte of the strings so far that is no UTF-8; NULL: there is none */
};

/* Sets the failure and returns NULL; TB_TOKENIZER_MORE where `at` is the end of the text, else TB_TOKENIZER_BAD. */
const char *tb_tokenizer_fail(struct tb_tokenizer *scan, const char *at);

/* ---- white space ------------------------------------------------------------------------------------------------- */

const char *tb_tokenizer_space_run(const char *p);

/* The first byte from `p` on that is no white space. */
static inline const char *tb_tokenizer_space(const char *p) {
  return (unsigned char)*p > ' ' ? p : tb_tokenizer_space_run(p);
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* Which of the next TB_TOKENIZER_STEP bytes may end a run of plain characters: quotes, backslashes, control
 * characters and what is no ASCII. The lowest bit that is set is right; with the portable form those above it may be
 * wrong. tb_tokenizer_short_stops looks at the first of these bytes alone. */
#ifdef __SSE2__
enum { TB_TOKENIZER_STEP = 32 };
static inline uint32_t tb_tokenizer_short_stops(const char *p) {
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), space = _mm_set1_epi8(' ');
  __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
  __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash));
  /* compared signed: bytes from 0x80 on are below a space too */
  return (uint32_t)_mm_movemask_epi8(_mm_or_si128(marks, _mm_cmplt_epi8(v, space)));
}
static inline uint32_t tb_tokenizer_string_stops(const char *p) {
  return tb_tokenizer_short_stops(p) | tb_tokenizer_short_stops(p + 16) << 16;
}
#else
enum { TB_TOKENIZER_STEP = 8 };
static inline uint32_t tb_tokenizer_short_stops(const char *p) {
  const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
  uint64_t v;
  memcpy(&v, p, 8);
  uint64_t q = v ^ (ones * '"'), b = v ^ (ones * '\\');
  uint64_t stop = (((q - ones) & ~q) | ((b - ones) & ~b) | (v - ones * ' ') | v) & tops;
  return stop ? UINT32_C(1) << (__builtin_ctzll(stop) >> 3) : 0;
}
static inline uint32_t tb_tokenizer_string_stops(const char *p) { return tb_tokenizer_short_stops(p); }
#endif

/* Reads the rest of a string of which [start, at) is plain. As tb_tokenizer_string. */
const char *tb_tokenizer_string_slow(struct tb_tokenizer *scan, const char *start, const char *at, struct tb_str *text);

/* Reads the string that starts with the quote before `p`. Returns the byte after its closing quote, *text then being
 * the string in UTF-8: in the text itself where nothing had to change, else in the arena. Escapes are resolved; lone
 * surrogates and bytes that are no UTF-8 become U+FFFD; control characters stay. NULL on failure, and where the
 * string has a hole of zeros or of 0xff in it, or many bytes that are no text. */
static inline const char *tb_tokenizer_string(struct tb_tokenizer *scan, const char *p, struct tb_str *text) {
  const char *start = p;
  uint32_t mask = tb_tokenizer_string_stops(p);
  while (!mask) mask = tb_tokenizer_string_stops(p += TB_TOKENIZER_STEP);
  p += __builtin_ctz(mask);
  if (__builtin_expect(*p != '"', 0)) return tb_tokenizer_string_slow(scan, start, p, text);
  text->ptr = start;
  text->len = (size_t)(p - start);
  return p + 1;
}

const char *tb_tokenizer_name_slow(struct tb_tokenizer *scan, const char *p, struct tb_str *text);

/* The same for the name of a member, which is short, and quicker for that. Control characters that are no white space,
 * and bytes of 0xff, are damage there. */
static inline const char *tb_tokenizer_name(struct tb_tokenizer *scan, const char *p, struct tb_str *text) {
  uint32_t mask = tb_tokenizer_short_stops(p);
  const char *end = p + (mask ? __builtin_ctz(mask) : 0);
  if (!mask || *end != '"') return tb_tokenizer_name_slow(scan, p, text);
  text->ptr = p;
  text->len = (size_t)(end - p);
  return end + 1;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Adds the digits from `p` on to *mantissa, eight at a time and without a branch on their number, and returns the byte
 * after them. *mantissa is good for up to 19 digits in all, which the caller checks. */
static inline const char *tb_tokenizer_digits(const char *p, uint64_t *mantissa) {
  static const uint32_t power10[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  for (;;) {
    uint64_t v, other;
    memcpy(&v, p, 8); /* little-endian hosts only; see third_party/README.md */
    v ^= UINT64_C(0x3030303030303030);
    other = (v | (v + UINT64_C(0x7676767676767676))) &
            UINT64_C(0x8080808080808080); /* right up to the first that is none */
    unsigned bits = other ? (unsigned)__builtin_ctzll(other) & ~7u : 64;
    if (bits == 0) return p;
    v <<= 64 - bits; /* zeros in front */
    v = v * 10 + (v >> 8);
    v = ((v & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
         ((v >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
        32;
    *mantissa = *mantissa * power10[bits >> 3] + v;
    p += bits >> 3;
    if (bits < 64) return p;
  }
}

const char *tb_tokenizer_number_slow(struct tb_tokenizer *scan, const char *p, struct tb_decimal *number);

/* Reads the number at `p`, returns the byte after it; NULL on failure (MORE where it touches the end of the text, since
 * it may go on there). */
static inline const char *tb_tokenizer_number(struct tb_tokenizer *scan, const char *p, struct tb_decimal *number) {
  const char *start = p;
  bool negative = *p == '-';
  if (negative) p++;
  const char *first = p;
  uint64_t mantissa = 0;
  p = tb_tokenizer_digits(p, &mantissa);
  int32_t exponent = 0;
  bool integer = true;
  const char *digits_end = p;
  if (*p == '.') {
    const char *fraction = p + 1;
    p = tb_tokenizer_digits(fraction, &mantissa);
    exponent = (int32_t)(fraction - p);
    if (p == fraction) return tb_tokenizer_number_slow(scan, start, number);
    integer = false;
  }
  if (digits_end == first || p - first > 19 || *p == 'e' || *p == 'E' || p >= scan->end)
    return tb_tokenizer_number_slow(scan, start, number);
  *number = (struct tb_decimal){mantissa, exponent, negative, integer, false, 0};
  return p;
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

/* The byte after the value at `p` (white space before it was skipped), which is passed over; nested to any depth. NULL
 * on failure. */
const char *tb_tokenizer_skip_value(struct tb_tokenizer *scan, const char *p);

/* A copy in the arena of a piece of a string, [p, end), with escapes resolved and bytes that are no UTF-8 replaced; in
 * the text itself where nothing has to change. ptr is NULL when memory is exhausted (and status NO_MEMORY). */
struct tb_str tb_tokenizer_piece(struct tb_tokenizer *scan, const char *p, const char *end);

/* The value [p, end), which tb_tokenizer_skip_value passed over, as JSON text that is valid UTF-8 without raw control
 * characters in strings. As tb_tokenizer_piece. */
struct tb_str tb_tokenizer_raw(struct tb_tokenizer *scan, const char *p, const char *end);

/* The byte after the literal at `p`: true, false, null, or one of the numbers that JSON lacks and tracers write (NaN,
 * Infinity, inf, with or without a sign). NULL on failure. */
const char *tb_tokenizer_literal(struct tb_tokenizer *scan, const char *p);

#endif
