/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include "base/mix64.h"

enum { FIRST_CAPACITY = 16 };

void tb_map_init(struct tb_map *map, const struct tb_allocator *allocator) {
  *map = (struct tb_map){.allocator = allocator};
}

/* Behind the entries there is one for the key (0, 0): its `first` is 1 while it is used. */
static size_t places(const struct tb_map *map) { return map->capacity ? map->capacity + 1 : 0; }

static bool is_used(const struct tb_map_entry *entry) { return (entry->first | entry->second) != 0; }

void tb_map_clear(struct tb_map *map) {
  if (map->count) memset(map->entries, 0, places(map) * sizeof(*map->entries));
  map->count = 0;
}

void tb_map_free(struct tb_map *map) {
  tb_free(map->allocator, map->entries, places(map) * sizeof(*map->entries));
  tb_map_init(map, map->allocator);
}

/* Where the search for a key begins, of a power of two places. */
static size_t ideal_of(size_t place_count, uint64_t first, uint64_t second) {
  uint64_t h = tb_mix_word(first, tb_spread64(second));
  return (size_t)tb_mix_last_word(h, 0) & (place_count - 1);
}

static size_t ideal(const struct tb_map *map, uint64_t first, uint64_t second) {
  return ideal_of(map->capacity, first, second);
}

/* The key's entry, or the free one where it belongs. The map has room. */
static struct tb_map_entry *locate(const struct tb_map *map, uint64_t first, uint64_t second) {
  size_t mask = map->capacity - 1;
  if (!(first | second)) return &map->entries[map->capacity];
  for (size_t i = ideal(map, first, second);; i = (i + 1) & mask) {
    struct tb_map_entry *entry = &map->entries[i];
    if ((entry->first == first && entry->second == second) || !is_used(entry)) return entry;
  }
}

uint64_t *tb_map_find(const struct tb_map *map, uint64_t first, uint64_t second) {
  if (!map->count) return NULL;
  struct tb_map_entry *entry = locate(map, first, second);
  return is_used(entry) ? &entry->value : NULL;
}

void tb_map_prefetch(const struct tb_map *map, uint64_t first, uint64_t second) {
  const struct tb_map_entry *entry = map->capacity ? &map->entries[ideal(map, first, second)] : NULL;
  if (!entry) return;
  __builtin_prefetch(entry);
  __builtin_prefetch(entry + 1); /* it may be in two lines of the cache; behind the last one there is another */
}

static enum tb_status grow(struct tb_map *map) {
  struct tb_map larger = *map;
  larger.capacity = map->capacity ? map->capacity * 2 : FIRST_CAPACITY;
  if (larger.capacity > SIZE_MAX / 4 / sizeof(*larger.entries)) return TB_NO_MEMORY;
  larger.entries = tb_alloc(map->allocator, places(&larger) * sizeof(*larger.entries));
  if (!larger.entries) return TB_NO_MEMORY;
  tb_ask_for_huge_pages(larger.entries, places(&larger) * sizeof(*larger.entries));
  memset(larger.entries, 0, places(&larger) * sizeof(*larger.entries));
  for (size_t i = 0; i < map->capacity; i++) {
    const struct tb_map_entry *entry = &map->entries[i];
    if (is_used(entry)) *locate(&larger, entry->first, entry->second) = *entry;
  }
  if (map->capacity) larger.entries[larger.capacity] = map->entries[map->capacity];
  tb_free(map->allocator, map->entries, places(map) * sizeof(*map->entries));
  *map = larger;
  return TB_OK;
}

enum tb_status tb_map_put(struct tb_map *map, uint64_t first, uint64_t second, uint64_t value) {
  if (map->count + 1 > map->capacity / 4 * 3) {
    enum tb_status status = grow(map);
    if (status != TB_OK) return status;
  }
  struct tb_map_entry *entry = locate(map, first, second);
  if (!is_used(entry)) map->count++;
  *entry = (struct tb_map_entry){first | second ? first : 1, second, value};
  return TB_OK;
}

void tb_map_remove(struct tb_map *map, uint64_t first, uint64_t second) {
  if (!map->count) return;
  struct tb_map_entry *hole = locate(map, first, second);
  if (!is_used(hole)) return;
  map->count--;
  if (!(first | second)) {
    *hole = (struct tb_map_entry){.value = 0};
    return;
  }
  size_t mask = map->capacity - 1, at = (size_t)(hole - map->entries);
  /* Entries behind the hole move up if their ideal slot is at or before it, so that no search ends too early. */
  for (size_t i = (at + 1) & mask; is_used(&map->entries[i]); i = (i + 1) & mask) {
    size_t wanted = ideal(map, map->entries[i].first, map->entries[i].second);
    if (((i - wanted) & mask) < ((i - at) & mask)) continue;
    map->entries[at] = map->entries[i];
    at = i;
  }
  map->entries[at] = (struct tb_map_entry){.value = 0};
}

bool tb_map_next(const struct tb_map *map, size_t *at, struct tb_map_entry *entry) {
  while (*at < places(map)) {
    *entry = map->entries[*at];
    if (!is_used(entry)) {
      (*at)++;
      continue;
    }
    if ((*at)++ == map->capacity) entry->first = 0;
    return true;
  }
  return false;
}

enum tb_status tb_map_count_up(struct tb_map *map, uint64_t first, uint64_t second) {
  uint64_t *count = tb_map_find(map, first, second);
  if (!count) return tb_map_put(map, first, second, 1);
  ++*count;
  return TB_OK;
}

void tb_map_count_down(struct tb_map *map, uint64_t first, uint64_t second) {
  uint64_t *count = tb_map_find(map, first, second);
  if (count && --*count == 0) tb_map_remove(map, first, second);
}

/* ---- maps whose keys are elsewhere ------------------------------------------------------------------------------- */

void tb_index_map_init(struct tb_index_map *map, const struct tb_allocator *allocator,
                       struct tb_map_key (*key_of)(const void *owner, uint32_t index)) {
  *map = (struct tb_index_map){.allocator = allocator, .key_of = key_of};
}

void tb_index_map_free(struct tb_index_map *map) {
  tb_free(map->allocator, map->slots, map->slot_count * sizeof(*map->slots));
  tb_index_map_init(map, map->allocator, map->key_of);
}

/* The key's slot, or the free one where it belongs. The map has room. */
static uint32_t *slot_of(const struct tb_index_map *map, const void *owner, struct tb_map_key key) {
  for (size_t i = ideal_of(map->slot_count, key.first, key.second);; i = (i + 1) & (map->slot_count - 1)) {
    if (!map->slots[i]) return &map->slots[i];
    struct tb_map_key other = map->key_of(owner, map->slots[i] - 1);
    if (other.first == key.first && other.second == key.second) return &map->slots[i];
  }
}

bool tb_index_map_get(const struct tb_index_map *map, const void *owner, uint64_t first, uint64_t second,
                      uint32_t *index) {
  if (!map->count) return false;
  uint32_t slot = *slot_of(map, owner, (struct tb_map_key){first, second});
  if (slot) *index = slot - 1;
  return slot != 0;
}

static enum tb_status grow_slots(struct tb_index_map *map, const void *owner) {
  struct tb_index_map larger = *map;
  larger.slot_count = map->slot_count ? map->slot_count * 2 : FIRST_CAPACITY;
  if (larger.slot_count > SIZE_MAX / 4 / sizeof(*larger.slots)) return TB_NO_MEMORY;
  larger.slots = tb_calloc(map->allocator, larger.slot_count * sizeof(*larger.slots));
  if (!larger.slots) return TB_NO_MEMORY;
  for (size_t i = 0; i < map->slot_count; i++)
    if (map->slots[i]) *slot_of(&larger, owner, map->key_of(owner, map->slots[i] - 1)) = map->slots[i];
  tb_free(map->allocator, map->slots, map->slot_count * sizeof(*map->slots));
  *map = larger;
  return TB_OK;
}

enum tb_status tb_index_map_put(struct tb_index_map *map, const void *owner, uint32_t index) {
  if (map->count + 1 > map->slot_count / 4 * 3) {
    enum tb_status status = grow_slots(map, owner);
    if (status != TB_OK) return status;
  }
  uint32_t *slot = slot_of(map, owner, map->key_of(owner, index));
  if (!*slot) map->count++;
  *slot = index + 1;
  return TB_OK;
}

/* The ideal place of what is in a slot. */
static size_t ideal_of_slot(const struct tb_index_map *map, const void *owner, size_t slot) {
  struct tb_map_key key = map->key_of(owner, map->slots[slot] - 1);
  return ideal_of(map->slot_count, key.first, key.second);
}

void tb_index_map_remove(struct tb_index_map *map, const void *owner, uint32_t index) {
  uint32_t *slot = map->count ? slot_of(map, owner, map->key_of(owner, index)) : NULL;
  if (!slot || *slot != index + 1) return;
  size_t mask = map->slot_count - 1, at = (size_t)(slot - map->slots);
  for (size_t i = (at + 1) & mask; map->slots[i]; i = (i + 1) & mask) { /* as in tb_map_remove */
    if (((i - ideal_of_slot(map, owner, i)) & mask) < ((i - at) & mask)) continue;
    map->slots[at] = map->slots[i];
    at = i;
  }
  map->slots[at] = 0;
  map->count--;
}

void tb_index_map_prefetch(const struct tb_index_map *map, uint64_t first, uint64_t second) {
  if (map->slot_count) tb_prefetch(&map->slots[ideal_of(map->slot_count, first, second)], sizeof(*map->slots));
}

bool tb_index_map_probe(const struct tb_index_map *map, uint64_t first, uint64_t second, uint32_t *index) {
  uint32_t slot = map->slot_count ? map->slots[ideal_of(map->slot_count, first, second)] : 0;
  if (slot) *index = slot - 1;
  return slot != 0;
}
