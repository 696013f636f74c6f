/* SPDX-License-Identifier: Apache-2.0 */
#include "io/block_cache.h"

#include "io/spill_log.h"

struct tb_kept_block {
  struct tb_kept_block *next;
};

static void *reallocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct tb_block_cache *pool = ctx;
  if (!ptr && new_size == TB_SPILL_BLOCK_LARGEST && pool->kept) {
    struct tb_kept_block *block = pool->kept;
    pool->kept = block->next;
    pool->bytes -= TB_SPILL_BLOCK_LARGEST;
    return block;
  }
  if (ptr && old_size == TB_SPILL_BLOCK_LARGEST && new_size == 0) {
    struct tb_kept_block *block = ptr;
    block->next = pool->kept;
    pool->kept = block;
    pool->bytes += TB_SPILL_BLOCK_LARGEST;
    return NULL;
  }
  return pool->under->reallocate(pool->under->ctx, ptr, old_size, new_size);
}

void tb_block_cache_init(struct tb_block_cache *pool, const struct tb_allocator *under) {
  *pool = (struct tb_block_cache){.allocator = {reallocate, pool}, .under = under};
}

void tb_block_cache_trim(struct tb_block_cache *pool) {
  while (pool->kept) {
    struct tb_kept_block *block = pool->kept;
    pool->kept = block->next;
    tb_free(pool->under, block, TB_SPILL_BLOCK_LARGEST);
  }
  pool->bytes = 0;
}
