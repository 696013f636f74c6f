/* SPDX-License-Identifier: Apache-2.0
 *
 * Doubles from decimals that 128 bits do not settle: a big integer of the digits, multiplied or divided by ten as often
 * as the exponent says. Slow, short and exact; seldom needed.
 */
#include <math.h>

#include "base/decimal.h"
#include "base/decimal_round.h"

enum {
  DIGITS_KEPT = 800,     /* a double's halfway point has at most 767 digits: the rest only says "more" */
  LARGEST_POWER = 310,   /* 10^310 overflows */
  SMALLEST_POWER = -345, /* 10^-345 is nearer to 0 than to the smallest double */
  LIMBS = 320            /* 800 digits and 10^1145 take 6,500 bits */
};

/* Little-endian in base 2^32. */
struct big {
  uint32_t limb[LIMBS];
  int count;
};

static void multiply_add(struct big *b, uint32_t factor, uint32_t add) {
  uint64_t carry = add;
  for (int i = 0; i < b->count; i++) {
    carry += (uint64_t)b->limb[i] * factor;
    b->limb[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry && b->count < LIMBS) b->limb[b->count++] = (uint32_t)carry;
}

/* Divides in place and returns the remainder. */
static uint32_t divide(struct big *b, uint32_t divisor) {
  uint64_t rest = 0;
  for (int i = b->count; i-- > 0;) {
    rest = rest << 32 | b->limb[i];
    b->limb[i] = (uint32_t)(rest / divisor);
    rest %= divisor;
  }
  while (b->count && b->limb[b->count - 1] == 0) b->count--;
  return (uint32_t)rest;
}

static void shift_left_limbs(struct big *b, int limbs) {
  for (int i = b->count; i-- > 0;) b->limb[i + limbs] = b->limb[i];
  for (int i = 0; i < limbs; i++) b->limb[i] = 0;
  b->count += limbs;
}

/* The top bits of b × 2^shift, rounded. */
static double round_big(const struct big *b, int shift, bool sticky) {
  tb_u128 top = 0;
  int i = b->count, taken = 0;
  for (; i > 0 && taken < 4; taken++) top = top << 32 | b->limb[--i];
  shift += i * 32;
  for (; i > 0; i--) sticky = sticky || b->limb[i - 1] != 0;
  return tb_decimal_round(top, shift, sticky);
}

/* The digits that count, as an integer; *exponent is what it is to be multiplied with. */
static void read_digits(const char *text, const char *end, struct big *b, int64_t *exponent, bool *sticky) {
  int kept = 0;
  bool point = false;
  for (const char *p = text; p < end && *p != 'e' && *p != 'E'; p++) {
    if (*p == '.') point = true;
    if (*p < '0' || *p > '9') continue;
    if (kept < DIGITS_KEPT) {
      multiply_add(b, 10, (uint32_t)(*p - '0'));
      if (b->count) kept++;
      if (point) --*exponent;
    } else {
      if (*p != '0') *sticky = true;
      if (!point) ++*exponent;
    }
  }
}

static int64_t read_exponent(const char *text, const char *end) {
  const char *p = text;
  while (p < end && *p != 'e' && *p != 'E') p++;
  if (p == end) return 0;
  bool negative = ++p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  int64_t value = 0;
  for (; p < end && *p >= '0' && *p <= '9'; p++)
    if (value < INT32_MAX) value = value * 10 + (*p - '0');
  return negative ? -value : value;
}

static int decimal_digits(const struct big *b) { return b->count * 32 * 30103 / 100000 + 1; } /* at least as many */

bool tb_decimal_long_to_double(const char *text, const char *end, double *value) {
  struct big b = {.count = 0};
  bool sticky = false;
  int64_t exponent = read_exponent(text, end);
  read_digits(text, end, &b, &exponent, &sticky);
  *value = 0;
  if (b.count == 0) return true;
  int digits = decimal_digits(&b);
  if (exponent > LARGEST_POWER) return false;
  if (exponent + digits < SMALLEST_POWER) return true;
  int shift = 0;
  if (exponent < 0) {
    int limbs = (int)(-exponent) * 33220 / 10000 / 32 + 6;
    if (b.count + limbs > LIMBS) limbs = LIMBS - b.count;
    shift_left_limbs(&b, limbs);
    shift = -limbs * 32;
  }
  for (; exponent <= -9; exponent += 9) sticky = divide(&b, 1000000000u) != 0 || sticky;
  for (; exponent < 0; exponent++) sticky = divide(&b, 10u) != 0 || sticky;
  for (; exponent > 0; exponent--) multiply_add(&b, 10u, 0);
  *value = round_big(&b, shift, sticky);
  return isfinite(*value);
}

static int bit_length(tb_u128 v) {
  uint64_t high = (uint64_t)(v >> 64), low = (uint64_t)v;
  if (high) return 128 - __builtin_clzll(high);
  return low ? 64 - __builtin_clzll(low) : 0;
}

double tb_decimal_round(tb_u128 v, int shift, bool sticky) {
  int drop = bit_length(v) - 53;
  if (drop < -1074 - shift) drop = -1074 - shift; /* subnormal: the last bit stands for 2^-1074 */
  if (drop > 127) return 0;
  if (drop > 0) {
    tb_u128 rest = v & (((tb_u128)1 << drop) - 1), half = (tb_u128)1 << (drop - 1);
    v >>= drop;
    shift += drop;
    if (rest > half || (rest == half && (sticky || (v & 1)))) v++;
  }
  return ldexp((double)(uint64_t)v, shift);
}
