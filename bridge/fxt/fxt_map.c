/* SPDX-License-Identifier: Apache-2.0 */
#include "fxt/fxt_map.h"

enum { FIRST_CAPACITY = 16 };

static size_t home(const struct tb_fxt_map *map, uint64_t a, uint64_t b) {
  uint64_t h = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
  h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
  return (size_t)(h ^ h >> 29) & (map->capacity - 1);
}

/* The entry of (a, b), or the free one where it belongs. The map has room. */
static struct tb_fxt_map_entry *locate(const struct tb_fxt_map *map, uint64_t a, uint64_t b) {
  size_t i = home(map, a, b);
  while (map->entries[i].used && (map->entries[i].a != a || map->entries[i].b != b)) i = (i + 1) & (map->capacity - 1);
  return &map->entries[i];
}

uint64_t *tb_fxt_map_find(const struct tb_fxt_map *map, uint64_t a, uint64_t b) {
  if (!map->capacity) return NULL;
  struct tb_fxt_map_entry *entry = locate(map, a, b);
  return entry->used ? &entry->value : NULL;
}

static enum tb_status grow(struct tb_fxt_map *map) {
  struct tb_fxt_map larger = *map;
  larger.capacity = map->capacity ? map->capacity * 2 : FIRST_CAPACITY;
  if (larger.capacity > SIZE_MAX / 2 / sizeof(*larger.entries)) return TB_NO_MEMORY;
  larger.entries = tb_calloc(map->allocator, larger.capacity * sizeof(*larger.entries));
  if (!larger.entries) return TB_NO_MEMORY;
  for (size_t i = 0; i < map->capacity; i++)
    if (map->entries[i].used) *locate(&larger, map->entries[i].a, map->entries[i].b) = map->entries[i];
  tb_free(map->allocator, map->entries, map->capacity * sizeof(*map->entries));
  *map = larger;
  return TB_OK;
}

enum tb_status tb_fxt_map_put(struct tb_fxt_map *map, uint64_t a, uint64_t b, uint64_t value) {
  if (map->count + 1 > map->capacity / 4 * 3) {
    enum tb_status status = grow(map);
    if (status != TB_OK) return status;
  }
  struct tb_fxt_map_entry *entry = locate(map, a, b);
  if (!entry->used) map->count++;
  *entry = (struct tb_fxt_map_entry){a, b, value, true};
  return TB_OK;
}

void tb_fxt_map_remove(struct tb_fxt_map *map, uint64_t a, uint64_t b) {
  if (!map->capacity) return;
  struct tb_fxt_map_entry *hole = locate(map, a, b);
  if (!hole->used) return;
  map->count--;
  size_t mask = map->capacity - 1, at = (size_t)(hole - map->entries);
  /* Entries behind the hole move up where their home lies at or before it, so that no search ends too early. */
  for (size_t i = (at + 1) & mask; map->entries[i].used; i = (i + 1) & mask) {
    size_t wanted = home(map, map->entries[i].a, map->entries[i].b);
    if (((i - wanted) & mask) < ((i - at) & mask)) continue;
    map->entries[at] = map->entries[i];
    at = i;
  }
  map->entries[at].used = false;
}

void tb_fxt_map_free(struct tb_fxt_map *map) {
  tb_free(map->allocator, map->entries, map->capacity * sizeof(*map->entries));
  map->entries = NULL;
  map->capacity = map->count = 0;
}
