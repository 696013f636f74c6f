/* SPDX-License-Identifier: Apache-2.0
 *
 * Binary search.
 */
#ifndef TB_BASE_SEARCH_H
#define TB_BASE_SEARCH_H

#include <stddef.h>

/* Lower bound: moves `low`, a size_t variable, to the first place from it on and below `high` for which `is_before` is
 * false, else to `high`. `is_before` is an expression of `place`, true up to some place and false from there on:
 *
 *   size_t at = 0;
 *   TB_LOWER_BOUND(at, count, i, items[i].ts < ts); // items[at] is the first one that is not before ts
 */
/* NOLINTBEGIN(bugprone-macro-parentheses): a name that is declared has none */
#define TB_LOWER_BOUND(low, high, place, is_before)     \
  for (size_t tb_high = (high); (low) < tb_high;) {     \
    const size_t place = (low) + (tb_high - (low)) / 2; \
    if (is_before)                                      \
      (low) = place + 1;                                \
    else                                                \
      tb_high = place;                                  \
  }                                                     \
  (void)0
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
