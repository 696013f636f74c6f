/* SPDX-License-Identifier: Apache-2.0
 *
 * An allocator for spill logs that keeps freed blocks of the largest size and uses them again. The system would unmap
 * their pages and clear new ones.
 */
#ifndef TB_IO_BLOCK_CACHE_H
#define TB_IO_BLOCK_CACHE_H

#include "base/memory.h"

struct tb_kept_block;

/* Must not move once it is in use. */
struct tb_block_cache {
  struct tb_allocator allocator; /* what users take */
  const struct tb_allocator *under;
  struct tb_kept_block *kept;
  size_t bytes; /* of what is kept */
};

void tb_block_cache_init(struct tb_block_cache *cache, const struct tb_allocator *under);
/* Frees the blocks that are kept: all of them, once no block is in use. */
void tb_block_cache_trim(struct tb_block_cache *cache);

#endif
