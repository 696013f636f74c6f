/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory for the bytes of sorted runs: large blocks that are filled from their start, and freed together. They are
 * asked to have huge pages.
 */
#ifndef TB_SHAPE_RUN_MEMORY_H
#define TB_SHAPE_RUN_MEMORY_H

#include "base/memory.h"

struct tb_run_memory {
  struct tb_arena blocks;
  char *at, *end; /* what is left of the newest one */
  size_t next;    /* how large the next one is at least, */
  size_t most;    /* but not more than this */
};

void tb_run_memory_init(struct tb_run_memory *memory, const struct tb_allocator *allocator);
void tb_run_memory_free(struct tb_run_memory *memory);

/* Room for `bytes`, of which tb_run_memory_use says how many are used; NULL: out of memory. */
char *tb_run_memory_room(struct tb_run_memory *memory, size_t bytes);
static inline void tb_run_memory_use(struct tb_run_memory *memory, size_t bytes) { memory->at += bytes; }

#endif
