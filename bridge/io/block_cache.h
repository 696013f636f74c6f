/* SPDX-License-Identifier: Apache-2.0
 *
 * A memory source for chunks: it keeps the blocks of the largest size that are given back, for the next that are asked for. The system would
 * take their pages away and clear new ones.
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

void tb_block_cache_init(struct tb_block_cache *pool, const struct tb_allocator *under);
/* Gives back what is kept, which is all once no block is in use any more. */
void tb_block_cache_trim(struct tb_block_cache *pool);

#endif
