/* SPDX-License-Identifier: Apache-2.0
 *
 * How far the readings or matches that a fit was made of are from its line.
 */
#ifndef TB_MERGE_CLOCKS_RESIDUALS_H
#define TB_MERGE_CLOCKS_RESIDUALS_H

#include "base/memory.h"

struct tb_residual {
  int64_t time;      /* on the clock that the line starts from */
  int64_t off_ns;    /* what the other clock read, less the line */
  int64_t within_ns; /* how far to either side the truth may be by what was read: half a wait; 0: unknown */
  bool is_outlier;   /* the fit left it out */
};

/* In the order of time. Zeroed: none. */
struct tb_residuals {
  struct tb_residual *items; /* owned */
  size_t count, capacity;
};

/* Adds at the end. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_residuals_add(struct tb_residuals *residuals, const struct tb_allocator *allocator,
                                              const struct tb_residual *residual);
/* Puts them in the order of time. */
void tb_residuals_sort(struct tb_residuals *residuals);
void tb_residuals_free(struct tb_residuals *residuals, const struct tb_allocator *allocator);

#endif
