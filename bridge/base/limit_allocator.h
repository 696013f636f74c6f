/* SPDX-License-Identifier: Apache-2.0
 *
 * An allocator that counts and has an end: what a trace can make its reader remember.
 */
#ifndef TB_BASE_LIMIT_ALLOCATOR_H
#define TB_BASE_LIMIT_ALLOCATOR_H

#include "base/memory.h"

struct tb_budget {
  struct tb_allocator allocator; /* pass this on; it points back here, so that a budget must not move */
  const struct tb_allocator *source;
  size_t used, max;
  bool exceeded; /* some allocation was refused for the limit's sake */
};

void tb_budget_init(struct tb_budget *budget, const struct tb_allocator *source, size_t max);

/* What is allocated between these two is the reader's own and not the trace's: the limit moves up by as much. tb_budget_lift returns
 * what tb_budget_lower takes: how much was left. */
size_t tb_budget_lift(struct tb_budget *budget);
void tb_budget_lower(struct tb_budget *budget, size_t left);

/* What a failed allocation means: TB_LIMIT or TB_NO_MEMORY. */
enum tb_status tb_budget_status(const struct tb_budget *budget);

#endif
