/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/sequence_table.h"

static struct tb_map_key key_of(const void *table, uint32_t number) {
  const struct tb_sequence_key *key = &((const struct tb_sequence_table *)table)->keys[number];
  return (struct tb_map_key){key->id, key->machine};
}

void tb_sequence_table_init(struct tb_sequence_table *table, const struct tb_allocator *allocator) {
  *table = (struct tb_sequence_table){.keys = NULL};
  tb_index_map_init(&table->numbers, allocator, key_of);
}

void tb_sequence_table_free(struct tb_sequence_table *table) {
  tb_free(table->numbers.allocator, table->keys, table->capacity * sizeof(*table->keys));
  tb_index_map_free(&table->numbers);
}

bool tb_sequence_table_look_up(struct tb_sequence_table *table, uint32_t machine, uint32_t id, uint32_t *number) {
  if (!tb_index_map_get(&table->numbers, table, id, machine, number)) return false;
  table->recent[id % TB_SEQUENCES_RECENT] = (struct tb_sequence_place){machine, id, *number + 1};
  return true;
}

enum tb_status tb_sequence_table_add(struct tb_sequence_table *table, uint32_t machine, uint32_t id) {
  void *keys = table->keys;
  enum tb_status status = tb_grow_array(table->numbers.allocator, &keys, &table->capacity, table->count + 1,
                                        sizeof(*table->keys), UINT32_MAX - 1);
  table->keys = keys;
  if (status != TB_OK) return TB_NO_MEMORY;
  table->keys[table->count] = (struct tb_sequence_key){machine, id};
  if (tb_index_map_put(&table->numbers, table, (uint32_t)table->count) != TB_OK) return TB_NO_MEMORY;
  table->count++;
  return TB_OK;
}
