/* SPDX-License-Identifier: Apache-2.0
 *
 * Intern table: byte strings to small numbers, in order of first appearance.
 */
#ifndef TB_BASE_INTERN_H
#define TB_BASE_INTERN_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/memory.h"
#include "base/mix64.h"

struct tb_intern_slot {
  uint32_t hash;
  uint32_t id; /* 0: free */
};

/* A text that was met lately: see tb_intern_recent_of. */
struct tb_intern_recent {
  uint64_t first[2], last[2];
  uint32_t len; /* 0: none */
  uint32_t id;
};

enum { TB_INTERN_RECENT_BITS = 10, TB_INTERN_SHORT = 32 };

/* Ids run from 1. Texts are copied into the table's arena and never move. */
struct tb_intern {
  const struct tb_allocator *allocator;
  struct tb_intern_recent *recent; /* by a hash that costs next to nothing. NULL while the table is empty */
  struct tb_intern_slot *slots;
  size_t slot_count;    /* a power of two */
  struct tb_str *texts; /* texts[id - 1] */
  size_t count, text_capacity;
  struct tb_arena arena;
};

void tb_intern_init(struct tb_intern *table, const struct tb_allocator *allocator);
void tb_intern_free(struct tb_intern *table);
/* Adds a text that is not in the table; 0 when memory is exhausted. */
uint32_t tb_intern_add(struct tb_intern *table, struct tb_str text, uint32_t hash);

/* `text.ptr` may be NULL. */
static inline uint64_t tb_str_hash(struct tb_str text, uint64_t seed) {
  return XXH3_64bits_withSeed(text.ptr ? text.ptr : "", text.len, seed);
}

static inline uint32_t tb_intern_hash(struct tb_str text) { return (uint32_t)tb_str_hash(text, 0); }

/* The id of `text` (with its hash), 0 when it is not in the table. */
static inline uint32_t tb_intern_find(const struct tb_intern *table, struct tb_str text, uint32_t hash) {
  if (!table->slot_count) return 0;
  size_t mask = table->slot_count - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    struct tb_intern_slot slot = table->slots[i];
    if (slot.id == 0) return 0;
    if (slot.hash == hash && tb_str_equal(table->texts[slot.id - 1], text)) return slot.id;
  }
}

/* ---- texts met lately: found without hashing all of them --------------------------------------------------------- */

/* What a text of at least one byte is known by: its first and its last bytes, which are all where it has no more than
 * TB_INTERN_SHORT. *slot: where it is kept. */
static TB_ALWAYS_INLINE struct tb_intern_recent tb_intern_recent_of(struct tb_str text, size_t *slot) {
  struct tb_intern_recent known = {.len = (uint32_t)text.len};
  const char *end = text.ptr + text.len;
  if (text.len >= 16) {
    known.first[0] = tb_load64(text.ptr);
    known.first[1] = tb_load64(text.ptr + 8);
    known.last[0] = tb_load64(end - 16);
    known.last[1] = tb_load64(end - 8);
  } else if (text.len >= 8) {
    known.first[0] = tb_load64(text.ptr);
    known.last[0] = tb_load64(end - 8);
  } else if (text.len >= 4) {
    known.first[0] = tb_load32(text.ptr);
    known.last[0] = tb_load32(end - 4);
  } else {
    known.first[0] = (unsigned char)text.ptr[0];
    known.last[0] = (uint64_t)(unsigned char)text.ptr[text.len / 2] << 8 | (unsigned char)end[-1];
  }
  uint64_t mixed =
      tb_spread_two(known.first[0] ^ known.last[1] * 3 ^ (uint64_t)known.len << 32, known.last[0] ^ known.first[1] * 5);
  *slot = (size_t)(mixed >> (64 - TB_INTERN_RECENT_BITS));
  return known;
}

/* The id of `text` if it is the one in a slot, else 0. */
static TB_ALWAYS_INLINE uint32_t tb_intern_look_at(const struct tb_intern *table, const struct tb_intern_recent *slot,
                                                   const struct tb_intern_recent *known, struct tb_str text) {
  uint64_t differs = (slot->first[0] ^ known->first[0]) | (slot->first[1] ^ known->first[1]) |
                     (slot->last[0] ^ known->last[0]) | (slot->last[1] ^ known->last[1]) | (slot->len ^ known->len);
  if (differs) return 0;
  return text.len <= TB_INTERN_SHORT || tb_str_equal(table->texts[slot->id - 1], text) ? slot->id : 0;
}

uint32_t tb_intern_find_moved(const struct tb_intern *table, struct tb_str text);

/* The id of `text` where it was met lately, else 0. */
static TB_ALWAYS_INLINE uint32_t tb_intern_find_recent(const struct tb_intern *table, struct tb_str text) {
  if (!table->recent || !text.len) return 0;
  size_t slot;
  const struct tb_intern_recent known = tb_intern_recent_of(text, &slot);
  uint32_t id = tb_intern_look_at(table, &table->recent[slot], &known, text);
  return id ? id : tb_intern_find_moved(table, text);
}

/* Notes that `id` was met. The id that was in its slot moves to the next one. */
static inline void tb_intern_note_recent(struct tb_intern *table, struct tb_str text, uint32_t id) {
  if (!table->recent || !text.len) return;
  size_t slot;
  struct tb_intern_recent known = tb_intern_recent_of(text, &slot);
  known.id = id;
  table->recent[slot ^ 1] = table->recent[slot];
  table->recent[slot] = known;
}

uint32_t tb_intern_id_slow(struct tb_intern *table, struct tb_str text);

/* The id of `text`, added if it is new; 0 when memory is exhausted. */
static inline uint32_t tb_intern_id(struct tb_intern *table, struct tb_str text) {
  uint32_t id = tb_intern_find_recent(table, text);
  return id ? id : tb_intern_id_slow(table, text);
}

static inline struct tb_str tb_intern_text(const struct tb_intern *table, uint32_t id) { return table->texts[id - 1]; }

#endif
