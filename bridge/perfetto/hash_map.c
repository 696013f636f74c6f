/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/hash_map.h"

void tb_hash_map_init(struct tb_hash_map *map, const struct tb_allocator *allocator) {
  *map = (struct tb_hash_map){.allocator = allocator};
}

void tb_hash_map_clear(struct tb_hash_map *map) {
  if (map->count) memset(map->entries, 0, map->capacity * sizeof(*map->entries));
  map->count = 0;
}

void tb_hash_map_free(struct tb_hash_map *map) {
  tb_free(map->allocator, map->entries, map->capacity * sizeof(*map->entries));
  tb_hash_map_init(map, map->allocator);
}

/* Multiplication spreads the low bits upwards; the fold brings them back down for the mask. */
static size_t hash(uint64_t first, uint64_t second) {
  uint64_t h = (first ^ (second * 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
  h ^= h >> 32;
  h *= 0xc4ceb9fe1a85ec53u;
  return (size_t)(h ^ h >> 29);
}

static struct tb_hash_map_entry *find(const struct tb_hash_map *map, uint64_t first, uint64_t second) {
  size_t mask = map->capacity - 1;
  for (size_t i = hash(first, second) & mask;; i = (i + 1) & mask) {
    struct tb_hash_map_entry *entry = &map->entries[i];
    if (!entry->value || (entry->first == first && entry->second == second)) return entry;
  }
}

bool tb_hash_map_get(const struct tb_hash_map *map, uint64_t first, uint64_t second, uint32_t *value) {
  if (!map->count) return false;
  const struct tb_hash_map_entry *entry = find(map, first, second);
  if (!entry->value) return false;
  *value = entry->value - 1;
  return true;
}

static enum tb_status grow(struct tb_hash_map *map) {
  struct tb_hash_map bigger = {.allocator = map->allocator, .capacity = map->capacity ? map->capacity * 2 : 16};
  bigger.entries = tb_calloc(map->allocator, bigger.capacity * sizeof(*bigger.entries));
  if (!bigger.entries) return TB_NO_MEMORY;
  for (size_t i = 0; i < map->capacity; i++) {
    const struct tb_hash_map_entry *entry = &map->entries[i];
    if (entry->value) *find(&bigger, entry->first, entry->second) = *entry;
  }
  bigger.count = map->count;
  tb_hash_map_free(map);
  *map = bigger;
  return TB_OK;
}

enum tb_status tb_hash_map_set(struct tb_hash_map *map, uint64_t first, uint64_t second, uint32_t value) {
  if (map->count >= map->capacity / 2) {
    enum tb_status status = grow(map);
    if (status != TB_OK) return status;
  }
  struct tb_hash_map_entry *entry = find(map, first, second);
  if (!entry->value) map->count++;
  *entry = (struct tb_hash_map_entry){first, second, value + 1};
  return TB_OK;
}
