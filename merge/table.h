/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash table from 64-bit keys to 64-bit values: open addressing, grows, never shrinks. Wholly public, caller-owned.
 */
#ifndef TB_MERGE_TABLE_H
#define TB_MERGE_TABLE_H

#include "base/memory.h"

struct tb_table_entry {
  uint64_t key, value;
  bool used;
};

struct tb_table {
  const struct tb_allocator *allocator;
  struct tb_table_entry *entries;
  size_t capacity, count; /* capacity is a power of two, or 0 */
};

void tb_table_init(struct tb_table *table, const struct tb_allocator *allocator);
/* The value of `key`, NULL where there is none. Valid until the next tb_table_put. */
uint64_t *tb_table_get(const struct tb_table *table, uint64_t key);
/* Sets a key's value. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_table_put(struct tb_table *table, uint64_t key, uint64_t value);
void tb_table_free(struct tb_table *table);

/* A bijection that scatters: used for hashing and for making ids of different inputs differ. */
static inline uint64_t tb_scatter(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

#endif
