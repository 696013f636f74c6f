/* SPDX-License-Identifier: Apache-2.0
 *
 * Intern table: byte strings to small numbers, in order of first appearance.
 */
#ifndef TB_BASE_INTERN_H
#define TB_BASE_INTERN_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/memory.h"

struct tb_intern_slot {
  uint32_t hash;
  uint32_t id; /* 0: free */
};

/* Ids run from 1. Texts are copied into the table's arena and never move. */
struct tb_intern {
  const struct tb_allocator *allocator;
  struct tb_intern_slot *slots;
  size_t slot_count;      /* a power of two */
  struct tb_slice *texts; /* texts[id - 1] */
  size_t count, text_capacity;
  struct tb_arena arena;
};

void tb_intern_init(struct tb_intern *table, const struct tb_allocator *allocator);
void tb_intern_free(struct tb_intern *table);
/* Adds a text that is not in the table; 0 when memory is exhausted. */
uint32_t tb_intern_add(struct tb_intern *table, struct tb_slice text, uint32_t hash);

static inline uint32_t tb_intern_hash(struct tb_slice text) { return (uint32_t)XXH3_64bits(text.ptr, text.len); }

/* The id of `text` (with its hash), 0 when it is not in the table. */
static inline uint32_t tb_intern_find(const struct tb_intern *table, struct tb_slice text, uint32_t hash) {
  if (!table->slot_count) return 0;
  size_t mask = table->slot_count - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    struct tb_intern_slot slot = table->slots[i];
    if (slot.id == 0) return 0;
    if (slot.hash == hash && tb_slice_equal(table->texts[slot.id - 1], text)) return slot.id;
  }
}

/* The id of `text`, added if it is new; 0 when memory is exhausted. */
static inline uint32_t tb_intern_id(struct tb_intern *table, struct tb_slice text) {
  uint32_t hash = tb_intern_hash(text);
  uint32_t id = tb_intern_find(table, text, hash);
  return id ? id : tb_intern_add(table, text, hash);
}

static inline struct tb_slice tb_intern_text(const struct tb_intern *table, uint32_t id) {
  return table->texts[id - 1];
}

#endif
