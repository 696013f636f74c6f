/* SPDX-License-Identifier: Apache-2.0
 *
 * From ticks to nanoseconds without a division: by a reciprocal that is made once for each tick rate, and exactly all
 * the same.
 */
#ifndef TB_FXT_TICK_RATE_H
#define TB_FXT_TICK_RATE_H

#include <stdbool.h>
#include <stdint.h>

enum { TB_FXT_NS_PER_SECOND = 1000000000 };

/* A tick rate. Public; made by tb_fxt_rate_of. */
struct tb_fxt_rate {
  uint64_t ticks_per_second;
  uint64_t last;       /* the greatest number of ticks whose time is within 63 bits of ns */
  uint64_t multiplier; /* floor(2^shift × 10⁹ ÷ ticks_per_second), its highest bit set */
  unsigned shift;
};

/* The rate of `ticks_per_second`, which is not 0. */
struct tb_fxt_rate tb_fxt_rate_of(uint64_t ticks_per_second);

/* The time of `ticks` in ns, floor(ticks × 10⁹ ÷ ticks per second). False, *ns unchanged, where it is past 63 bits.
 *
 * Why it is exact: multiplier ÷ 2^shift is less than 10⁹ ÷ ticks_per_second by less than 1 ÷ 2^shift. As ticks ≤ last
 * and multiplier ≥ 2^63, ticks are fewer than 2^shift, so that the product is too small by less than 1, and its floor
 * by at most 1. The remainder tells. */
static inline bool tb_fxt_rate_ns(const struct tb_fxt_rate *rate, uint64_t ticks, int64_t *ns) {
  __extension__ typedef unsigned __int128 wide;
  if (ticks > rate->last) return false;
  if (rate->ticks_per_second == TB_FXT_NS_PER_SECOND) {
    *ns = (int64_t)ticks;
    return true;
  }
  uint64_t quotient = (uint64_t)((wide)ticks * rate->multiplier >> rate->shift);
  wide rest = (wide)ticks * TB_FXT_NS_PER_SECOND - (wide)quotient * rate->ticks_per_second;
  *ns = (int64_t)(quotient + (rest >= rate->ticks_per_second));
  return true;
}

#endif
