/* SPDX-License-Identifier: Apache-2.0
 *
 * An allocator that counts and has an end: what a trace can make its reader remember.
 */
#ifndef TB_BASE_LIMIT_ALLOCATOR_H
#define TB_BASE_LIMIT_ALLOCATOR_H

#include "base/memory.h"

struct tb_limit_allocator {
  struct tb_allocator allocator; /* pass this on; it points back here, so that a budget must not move */
  const struct tb_allocator *source;
  size_t used, max;
  bool exceeded; /* some allocation was refused for the limit's sake */
};

void tb_limit_allocator_init(struct tb_limit_allocator *budget, const struct tb_allocator *source, size_t max);

/* What is allocated between these two is the reader's own and not the trace's: the limit moves up by as much.
 * tb_limit_allocator_lift returns what tb_limit_allocator_lower takes: how much was left. */
size_t tb_limit_allocator_lift(struct tb_limit_allocator *budget);
void tb_limit_allocator_lower(struct tb_limit_allocator *budget, size_t left);

/* What a failed allocation means: TB_LIMIT or TB_NO_MEMORY. */
enum tb_status tb_limit_allocator_status(const struct tb_limit_allocator *budget);

#endif
