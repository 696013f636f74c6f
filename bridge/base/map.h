/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash map from two numbers to one, by open addressing: uuids, sequences, koids, pids with their machine. A key of
 * one number has 0 for the other. It grows and never shrinks. Wholly public, caller-owned.
 */
#ifndef TB_BASE_MAP_H
#define TB_BASE_MAP_H

#include "base/memory.h"

struct tb_map_entry {
  uint64_t first, second;
  uint64_t value; /* a number, or a pointer as one */
};

/* Zero but for the allocator it is empty. Entries move when one is added or removed. */
struct tb_map {
  const struct tb_allocator *allocator;
  struct tb_map_entry *entries; /* (0, 0): a free one; behind them is that of the key (0, 0) */
  size_t capacity;              /* a power of two, or 0 */
  size_t count;
};

void tb_map_init(struct tb_map *map, const struct tb_allocator *allocator);
/* Forgets all entries; memory stays. */
void tb_map_clear(struct tb_map *map);
void tb_map_free(struct tb_map *map);

/* The value of the key, or NULL. Valid until the next put or remove. */
uint64_t *tb_map_find(const struct tb_map *map, uint64_t first, uint64_t second);
/* Sets the key's value. TB_OK, or TB_NO_MEMORY and nothing changed. */
TB_MUST_CHECK enum tb_status tb_map_put(struct tb_map *map, uint64_t first, uint64_t second, uint64_t value);
void tb_map_remove(struct tb_map *map, uint64_t first, uint64_t second);

/* To look a key up soon: fetches where it would be into the cache. */
void tb_map_prefetch(const struct tb_map *map, uint64_t first, uint64_t second);

/* A copy of the next entry, in no order; *at is 0 at first. False: there is no more. */
bool tb_map_next(const struct tb_map *map, size_t *at, struct tb_map_entry *entry);

/* ---- values that are counts; a count of 0 is no entry -------------------------- */

/* TB_OK, or TB_NO_MEMORY and nothing changed. */
TB_MUST_CHECK enum tb_status tb_map_count_up(struct tb_map *map, uint64_t first, uint64_t second);
void tb_map_count_down(struct tb_map *map, uint64_t first, uint64_t second);

/* True and *value where the key is there; for values below 2^32. */
static inline bool tb_map_get(const struct tb_map *map, uint64_t first, uint64_t second, uint32_t *value) {
  const uint64_t *found = tb_map_find(map, first, second);
  if (found) *value = (uint32_t)*found;
  return found != NULL;
}

/* The key that was looked up last with its value: for keys that come many times in a row, whose values never change.
 * Zero at first. */
struct tb_map_recent {
  uint64_t first, second;
  uint32_t value;
  bool known;
};

/* tb_map_get, without the map where the key is the last one's. */
static inline bool tb_map_get_recent(const struct tb_map *map, struct tb_map_recent *recent, uint64_t first,
                                     uint64_t second, uint32_t *value) {
  if (!recent->known || recent->first != first || recent->second != second) {
    if (!tb_map_get(map, first, second, value)) return false;
    *recent = (struct tb_map_recent){first, second, *value, true};
  }
  *value = recent->value;
  return true;
}

/* tb_map_find where values are pointers. */
static inline void *tb_map_find_pointer(const struct tb_map *map, uint64_t first, uint64_t second) {
  const uint64_t *value = tb_map_find(map, first, second);
  return value ? (void *)(uintptr_t)*value : NULL;
}

/* ---- maps whose keys are elsewhere -------------------------------------------------------------------------------
 *
 * From two numbers to the index of something that knows its key: 4 bytes a slot, where a million tracks would take 50
 * each with a tb_map. A key must not change while its index is in the map: it would not be found any more.
 * ---------------------------------------------------------------------------------------------------------- */

struct tb_map_key {
  uint64_t first, second;
};

/* Zero but for the first two members it is empty. Its owner, which may move, is passed to each call. */
struct tb_index_map {
  const struct tb_allocator *allocator;
  struct tb_map_key (*key_of)(const void *owner, uint32_t index);
  uint32_t *slots;   /* indexes, plus one; 0: free */
  size_t slot_count; /* a power of two, or 0 */
  size_t count;
};

void tb_index_map_init(struct tb_index_map *map, const struct tb_allocator *allocator,
                       struct tb_map_key (*key_of)(const void *owner, uint32_t index));
void tb_index_map_free(struct tb_index_map *map);
/* True and *index where the key is there. */
bool tb_index_map_get(const struct tb_index_map *map, const void *owner, uint64_t first, uint64_t second,
                      uint32_t *index);
/* Sets the index of its key; below UINT32_MAX. TB_OK, or TB_NO_MEMORY and nothing changed. */
TB_MUST_CHECK enum tb_status tb_index_map_put(struct tb_index_map *map, const void *owner, uint32_t index);
/* Removes the index, where its key has it and no other: before the key changes. */
void tb_index_map_remove(struct tb_index_map *map, const void *owner, uint32_t index);

/* To look a key up soon: fetches where it would be into the cache. Later, true and *index where something is there,
 * most often what the key has. */
void tb_index_map_prefetch(const struct tb_index_map *map, uint64_t first, uint64_t second);
bool tb_index_map_probe(const struct tb_index_map *map, uint64_t first, uint64_t second, uint32_t *index);

#endif
