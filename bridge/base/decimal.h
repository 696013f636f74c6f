/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact decimals: numbers as text to 64-bit integers in a finer unit and to doubles, without a rounding step in
 * between.
 */
#ifndef TB_BASE_DECIMAL_H
#define TB_BASE_DECIMAL_H

#include <stdbool.h>

#include "tracebridge/base.h"

/* A decimal number: ±mantissa × 10^exponent. Where the text has more digits than 64 bits hold, the mantissa
 * has the first 19 or 20, `next_digit` is the one that follows and `inexact` says that some that was left out is not 0.
 */
struct tb_decimal {
  uint64_t mantissa;
  int32_t exponent;
  bool negative;
  bool integer; /* the text has neither a point nor an exponent */
  bool inexact;
  uint8_t next_digit;
};

/* Reads the number that starts at `text`: [+-] digits [. digits] [e [+-] digits], digits needed on one side of the
 * point at least. Returns the byte after it, NULL when there is none. Never reads behind `end`. Larger exponents
 * become ±100000. */
const char *tb_decimal_parse(const char *text, const char *end, struct tb_decimal *number);

/* The number × 10^scale as an integer, rounded half away from zero. False when it does not fit; *value is then
 * unchanged. */
bool tb_decimal_to_int(const struct tb_decimal *number, int scale, int64_t *value);

/* As tb_decimal_to_int with scale 0, for numbers from 0 to UINT64_MAX that are whole; false for any other. */
bool tb_decimal_to_uint(const struct tb_decimal *number, uint64_t *value);

/* The double nearest to the number at [text, end), ties to even, for any length. `number` is what tb_decimal_parse made
 * of it. False when it overflows. */
bool tb_decimal_to_double(const struct tb_decimal *number, const char *text, const char *end, double *value);

/* The number that is all of `text`, up to 64 bytes, as the trace processor reads numbers in strings: a decimal, or
 * what else C knows (hexadecimal, infinity). False where it is none. */
bool tb_number_in_text(struct tb_str text, double *value);

#endif
