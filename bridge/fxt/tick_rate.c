/* SPDX-License-Identifier: Apache-2.0 */
#include "fxt/tick_rate.h"

__extension__ typedef unsigned __int128 wide;

static uint64_t multiplier_for(uint64_t ticks_per_second, unsigned shift) {
  return (uint64_t)(((wide)TB_FXT_NS_PER_SECOND << shift) / ticks_per_second);
}

struct tb_fxt_rate tb_fxt_rate_of(uint64_t ticks_per_second) {
  enum { LEAST_SHIFT = 34 }; /* 10⁹ is a little less than 2^30 */
  unsigned magnitude = 63 - (unsigned)__builtin_clzll(ticks_per_second);
  struct tb_fxt_rate rate = {.ticks_per_second = ticks_per_second, .shift = LEAST_SHIFT + magnitude};
  rate.multiplier = multiplier_for(ticks_per_second, rate.shift);
  if (!(rate.multiplier >> 63)) rate.multiplier = multiplier_for(ticks_per_second, ++rate.shift);
  wide last = (((wide)ticks_per_second << 63) - 1) / TB_FXT_NS_PER_SECOND;
  rate.last = last > UINT64_MAX ? UINT64_MAX : (uint64_t)last;
  return rate;
}
