/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums and differences of times and durations from a file, which may be as far apart as a hostile trace has them: those
 * that saturate, and those that wrap, which undo each other and are the trace processor's for clocks.
 */
#ifndef TB_BASE_TIMES_H
#define TB_BASE_TIMES_H

#include <math.h>
#include <stdint.h>

__extension__ typedef __int128 tb_wide; /* differences of times that never overflow */

static inline int64_t tb_time_clamp(tb_wide v) {
  return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

static inline int64_t tb_time_add(int64_t a, int64_t b) {
  int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t tb_time_subtract(int64_t a, int64_t b) {
  int64_t difference;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t tb_wrap_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline int64_t tb_wrap_sub(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }

/* The nearest whole number of ns, saturated. */
static inline int64_t tb_time_round(double ns) {
  if (!(ns > -0x1p63)) return INT64_MIN; /* NaN too */
  return ns < 0x1p63 ? llround(ns) : INT64_MAX;
}

#endif
