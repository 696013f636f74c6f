/* SPDX-License-Identifier: Apache-2.0 */
#include "shape/run_memory.h"

/* The first block is for small traces; the next one has two huge pages wherever it begins. */
enum { FIRST_BLOCK = 256 << 10, SECOND_BLOCK = 6 << 20, LARGEST_BLOCK = 24 << 20 };

void tb_run_memory_init(struct tb_run_memory *memory, const struct tb_allocator *allocator) {
  *memory = (struct tb_run_memory){.next = FIRST_BLOCK, .most = SIZE_MAX};
  tb_arena_init(&memory->blocks, allocator, 0);
}

void tb_run_memory_free(struct tb_run_memory *memory) {
  tb_arena_free(&memory->blocks);
  memory->at = memory->end = NULL;
  memory->next = FIRST_BLOCK;
}

static bool add_block(struct tb_run_memory *memory, size_t bytes) {
  size_t size = memory->next < memory->most ? memory->next : memory->most;
  if (size < bytes) size = bytes;
  char *block = tb_arena_alloc(&memory->blocks, size);
  if (!block) return false;
  tb_ask_for_huge_pages(block, size);
  memory->at = block;
  memory->end = block + size;
  memory->next = memory->next == FIRST_BLOCK ? SECOND_BLOCK : LARGEST_BLOCK;
  return true;
}

char *tb_run_memory_room(struct tb_run_memory *memory, size_t bytes) {
  bool is_there = memory->at && bytes <= (size_t)(memory->end - memory->at);
  return is_there || add_block(memory, bytes) ? memory->at : NULL;
}
