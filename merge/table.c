/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

void tb_table_init(struct tb_table *table, const struct tb_allocator *allocator) {
  *table = (struct tb_table){.allocator = allocator};
}

static struct tb_table_entry *find(const struct tb_table *table, uint64_t key) {
  size_t at = (size_t)tb_scatter(key) & (table->capacity - 1);
  while (table->entries[at].used && table->entries[at].key != key) at = (at + 1) & (table->capacity - 1);
  return &table->entries[at];
}

uint64_t *tb_table_get(const struct tb_table *table, uint64_t key) {
  if (table->capacity == 0) return NULL;
  struct tb_table_entry *entry = find(table, key);
  return entry->used ? &entry->value : NULL;
}

static enum tb_status grow(struct tb_table *table) {
  struct tb_table old = *table;
  size_t capacity = old.capacity ? old.capacity * 2 : 64;
  if (capacity > SIZE_MAX / 2 / sizeof(*old.entries)) return TB_NO_MEMORY;
  struct tb_table_entry *entries = tb_calloc(old.allocator, capacity * sizeof(*entries));
  if (!entries) return TB_NO_MEMORY;
  table->entries = entries;
  table->capacity = capacity;
  for (size_t i = 0; i < old.capacity; i++)
    if (old.entries[i].used) *find(table, old.entries[i].key) = old.entries[i];
  tb_free(old.allocator, old.entries, old.capacity * sizeof(*entries));
  return TB_OK;
}

enum tb_status tb_table_put(struct tb_table *table, uint64_t key, uint64_t value) {
  if ((table->count + 1) * 4 > table->capacity * 3) {
    enum tb_status status = grow(table);
    if (status != TB_OK) return status;
  }
  struct tb_table_entry *entry = find(table, key);
  if (!entry->used) table->count++;
  *entry = (struct tb_table_entry){key, value, true};
  return TB_OK;
}

void tb_table_free(struct tb_table *table) {
  tb_free(table->allocator, table->entries, table->capacity * sizeof(*table->entries));
  table->entries = NULL;
  table->capacity = table->count = 0;
}
