/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash map from two numbers to one; what the reader and the writer keep their ids in.
 */
#ifndef TB_FXT_FXT_MAP_H
#define TB_FXT_FXT_MAP_H

#include <stdbool.h>

#include "base/memory.h"

struct tb_fxt_map_entry {
  uint64_t a, b;
  uint64_t value; /* a number, or a pointer as one */
  bool used;
};

/* Zero-initialised but for the allocator it is empty. Entries move when one is added. */
struct tb_fxt_map {
  const struct tb_allocator *allocator;
  struct tb_fxt_map_entry *entries;
  size_t capacity; /* a power of two, or 0 */
  size_t count;
};

/* The value under (a, b), or NULL. Valid until the next put or remove. */
uint64_t *tb_fxt_map_find(const struct tb_fxt_map *map, uint64_t a, uint64_t b);
/* Sets the value under (a, b). TB_OK or TB_NO_MEMORY (nothing changed then). */
TB_MUST_CHECK enum tb_status tb_fxt_map_put(struct tb_fxt_map *map, uint64_t a, uint64_t b, uint64_t value);
void tb_fxt_map_remove(struct tb_fxt_map *map, uint64_t a, uint64_t b);
void tb_fxt_map_free(struct tb_fxt_map *map);

/* The same for values that are pointers. */
static inline void *tb_fxt_map_find_pointer(const struct tb_fxt_map *map, uint64_t a, uint64_t b) {
  const uint64_t *value = tb_fxt_map_find(map, a, b);
  return value ? (void *)(uintptr_t)*value : NULL;
}

#endif
