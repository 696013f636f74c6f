/* SPDX-License-Identifier: Apache-2.0 */
#include "io/block_cache.h"

#include "io/spill_log.h"

struct tb_kept_block {
  struct tb_kept_block *next;
};

static void *reallocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct tb_block_cache *cache = ctx;
  if (!ptr && new_size == TB_SPILL_BLOCK_LARGEST && cache->kept) {
    struct tb_kept_block *block = cache->kept;
    cache->kept = block->next;
    cache->bytes -= TB_SPILL_BLOCK_LARGEST;
    return block;
  }
  if (ptr && old_size == TB_SPILL_BLOCK_LARGEST && new_size == 0) {
    struct tb_kept_block *block = ptr;
    block->next = cache->kept;
    cache->kept = block;
    cache->bytes += TB_SPILL_BLOCK_LARGEST;
    return NULL;
  }
  return cache->under->reallocate(cache->under->ctx, ptr, old_size, new_size);
}

void tb_block_cache_init(struct tb_block_cache *cache, const struct tb_allocator *under) {
  *cache = (struct tb_block_cache){.allocator = {reallocate, cache}, .under = under};
}

void tb_block_cache_trim(struct tb_block_cache *cache) {
  while (cache->kept) {
    struct tb_kept_block *block = cache->kept;
    cache->kept = block->next;
    tb_free(cache->under, block, TB_SPILL_BLOCK_LARGEST);
  }
  cache->bytes = 0;
}
