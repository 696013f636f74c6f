/* SPDX-License-Identifier: Apache-2.0 */
#include "base/decimal.h"

#include <stdlib.h>
#include <string.h>

#include "base/decimal_round.h"

enum {
  POWER10_MAX = 19,
  EXPONENT_LIMIT = 100000, /* far past what a double or a 64-bit integer can hold */
  POWER5_MAX = 27          /* 5^27 < 2^64 */
};

static const uint64_t power10[] = {1u,
                                   10u,
                                   100u,
                                   1000u,
                                   10000u,
                                   100000u,
                                   1000000u,
                                   10000000u,
                                   100000000u,
                                   1000000000u,
                                   10000000000u,
                                   100000000000u,
                                   1000000000000u,
                                   10000000000000u,
                                   100000000000000u,
                                   1000000000000000u,
                                   10000000000000000u,
                                   100000000000000000u,
                                   1000000000000000000u,
                                   10000000000000000000u};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct digits {
  struct tb_decimal *number;
  bool full; /* the mantissa takes no more */
  bool any;
};

static void add_digit(struct digits *d, char c, bool fraction) {
  unsigned value = (unsigned)(c - '0');
  struct tb_decimal *n = d->number;
  d->any = true;
  if (!d->full && (n->mantissa < UINT64_MAX / 10 || (n->mantissa == UINT64_MAX / 10 && value <= UINT64_MAX % 10))) {
    n->mantissa = n->mantissa * 10 + value;
    if (fraction) n->exponent--;
    return;
  }
  if (!d->full) n->next_digit = (uint8_t)value;
  d->full = true;
  if (value) n->inexact = true;
  if (!fraction) n->exponent++;
}

static int32_t clamp_exponent(int64_t exponent) {
  if (exponent > EXPONENT_LIMIT) return EXPONENT_LIMIT;
  return exponent < -EXPONENT_LIMIT ? -EXPONENT_LIMIT : (int32_t)exponent;
}

static const char *parse_exponent(const char *p, const char *end, struct tb_decimal *number) {
  const char *start = p++;
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p >= end || !is_digit(*p)) return start;
  int64_t exponent = 0;
  for (; p < end && is_digit(*p); p++)
    if (exponent < EXPONENT_LIMIT) exponent = exponent * 10 + (*p - '0');
  number->exponent = clamp_exponent((int64_t)number->exponent + (negative ? -exponent : exponent));
  number->integer = false;
  return p;
}

const char *tb_decimal_parse(const char *p, const char *end, struct tb_decimal *number) {
  *number = (struct tb_decimal){.integer = true};
  struct digits digits = {.number = number};
  if (end - p > INT32_MAX / 2) end = p + INT32_MAX / 2;
  if (p < end && (*p == '-' || *p == '+')) number->negative = *p++ == '-';
  for (; p < end && is_digit(*p); p++) add_digit(&digits, *p, false);
  if (p < end && *p == '.' && (digits.any || (p + 1 < end && is_digit(p[1])))) {
    number->integer = false;
    for (p++; p < end && is_digit(*p); p++) add_digit(&digits, *p, true);
  }
  if (!digits.any) return NULL;
  if (p < end && (*p == 'e' || *p == 'E')) p = parse_exponent(p, end, number);
  if (number->mantissa == 0 && !number->inexact) number->exponent = 0;
  return p;
}

/* |number| × 10^scale, rounded half away from zero. False when past 64 bits. */
static bool magnitude(const struct tb_decimal *number, int scale, uint64_t *value) {
  int exponent = number->exponent + scale;
  if (number->mantissa == 0) {
    *value = 0;
    return true;
  }
  if (exponent >= 0) {
    if (exponent > POWER10_MAX || number->inexact) return false;
    return !__builtin_mul_overflow(number->mantissa, power10[exponent], value);
  }
  if (exponent < -POWER10_MAX) {
    *value = 0; /* below 2^64 × 10^-20 < 0.5 */
    return true;
  }
  uint64_t divisor = power10[-exponent], rest = number->mantissa % divisor;
  *value = number->mantissa / divisor + (rest >= divisor - rest ? 1 : 0);
  return true;
}

bool tb_decimal_to_int(const struct tb_decimal *number, int scale, int64_t *value) {
  uint64_t m;
  if (number->inexact && number->exponent + scale == 0) {
    m = number->mantissa + (number->next_digit >= 5 ? 1 : 0); /* cannot wrap: a full mantissa is below 2^64 / 5 or so */
  } else if (!magnitude(number, scale, &m)) {
    return false;
  }
  if (m > (uint64_t)INT64_MAX + (number->negative ? 1 : 0)) return false;
  *value = number->negative ? (int64_t)(0 - m) : (int64_t)m;
  return true;
}

bool tb_decimal_to_uint(const struct tb_decimal *number, uint64_t *value) {
  if (number->negative && number->mantissa) return false;
  if (number->inexact) return false;
  if (number->exponent < 0) {
    if (number->exponent < -POWER10_MAX || number->mantissa % power10[-number->exponent]) return false;
    *value = number->mantissa / power10[-number->exponent];
    return true;
  }
  return magnitude(number, 0, value);
}

/* ---- doubles ----------------------------------------------------------------------------------------------------- */

static const uint64_t power5[POWER5_MAX + 1] = {1u,
                                                5u,
                                                25u,
                                                125u,
                                                625u,
                                                3125u,
                                                15625u,
                                                78125u,
                                                390625u,
                                                1953125u,
                                                9765625u,
                                                48828125u,
                                                244140625u,
                                                1220703125u,
                                                6103515625u,
                                                30517578125u,
                                                152587890625u,
                                                762939453125u,
                                                3814697265625u,
                                                19073486328125u,
                                                95367431640625u,
                                                476837158203125u,
                                                2384185791015625u,
                                                11920928955078125u,
                                                59604644775390625u,
                                                298023223876953125u,
                                                1490116119384765625u,
                                                7450580596923828125u};

/* Within ±27 the power of five fits 64 bits, so that product and quotient are exact but for a remainder. */
static double scale_exactly(uint64_t mantissa, int exponent) {
  if (exponent >= 0) return tb_decimal_round((tb_u128)mantissa * power5[exponent], exponent, false);
  int shift = 64 + __builtin_clzll(mantissa); /* the quotient then has at least 64 bits */
  tb_u128 dividend = (tb_u128)mantissa << shift, divisor = power5[-exponent];
  return tb_decimal_round(dividend / divisor, exponent - shift, dividend % divisor != 0);
}

static const double exact_power10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool tb_decimal_to_double(const struct tb_decimal *number, const char *text, const char *end, double *value) {
  double d;
  if (number->mantissa == 0 && !number->inexact)
    d = 0;
  else if (!number->inexact && number->mantissa < (uint64_t)1 << 53 && number->exponent >= -22 && number->exponent <= 0)
    d = (double)number->mantissa / exact_power10[-number->exponent]; /* both exact, so one rounding */
  else if (!number->inexact && number->exponent >= -POWER5_MAX && number->exponent <= POWER5_MAX)
    d = scale_exactly(number->mantissa, number->exponent);
  else if (!tb_decimal_long_to_double(text, end, &d))
    return false;
  *value = number->negative ? -d : d;
  return true;
}

bool tb_number_in_text(struct tb_str text, double *value) {
  char copy[65], *stop;
  struct tb_decimal number;
  if (text.len == 0 || text.len >= sizeof(copy)) return false;
  const char *end = text.ptr + text.len;
  /* strtod goes by the locale, in which a point may be none */
  if (tb_decimal_parse(text.ptr, end, &number) == end && tb_decimal_to_double(&number, text.ptr, end, value))
    return true;
  memcpy(copy, text.ptr, text.len);
  copy[text.len] = '\0';
  *value = strtod(copy, &stop);
  return stop == copy + text.len;
}
