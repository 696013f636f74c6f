/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps from pairs of 64-bit numbers to a 32-bit value, by open addressing: uuids, sequences, pids.
 */
#ifndef TB_PERFETTO_HASH_MAP_H
#define TB_PERFETTO_HASH_MAP_H

#include "base/memory.h"

struct tb_hash_map_entry {
  uint64_t first, second;
  uint32_t value; /* plus one; 0: empty */
};

struct tb_hash_map {
  const struct tb_allocator *allocator;
  struct tb_hash_map_entry *entries;
  size_t capacity, count; /* capacity is a power of two, or 0 */
};

void tb_hash_map_init(struct tb_hash_map *map, const struct tb_allocator *allocator);
/* Forgets all entries; memory stays. */
void tb_hash_map_clear(struct tb_hash_map *map);
void tb_hash_map_free(struct tb_hash_map *map);

/* True and *value where the key is there. */
bool tb_hash_map_get(const struct tb_hash_map *map, uint64_t first, uint64_t second, uint32_t *value);

/* Sets the key's value (below UINT32_MAX). TB_OK, or TB_NO_MEMORY and nothing changed. */
TB_MUST_CHECK enum tb_status tb_hash_map_set(struct tb_hash_map *map, uint64_t first, uint64_t second, uint32_t value);

#endif
