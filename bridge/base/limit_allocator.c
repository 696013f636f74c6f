/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limit_allocator.h"

static void *reallocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct tb_limit_allocator *budget = ctx;
  if (new_size > old_size && new_size - old_size > budget->max - budget->used) {
    budget->exceeded = true;
    return NULL;
  }
  void *result = budget->source->reallocate(budget->source->ctx, ptr, old_size, new_size);
  if (result || new_size == 0) budget->used = budget->used - old_size + new_size;
  return result;
}

void tb_limit_allocator_init(struct tb_limit_allocator *budget, const struct tb_allocator *source, size_t max) {
  *budget = (struct tb_limit_allocator){.allocator = {reallocate, budget}, .source = source, .max = max};
}

size_t tb_limit_allocator_lift(struct tb_limit_allocator *budget) {
  size_t left = budget->max - budget->used;
  budget->max = SIZE_MAX;
  return left;
}

void tb_limit_allocator_lower(struct tb_limit_allocator *budget, size_t left) {
  budget->max = left > SIZE_MAX - budget->used ? SIZE_MAX : budget->used + left;
}

enum tb_status tb_limit_allocator_status(const struct tb_limit_allocator *budget) {
  return budget->exceeded ? TB_LIMIT : TB_NO_MEMORY;
}
