/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/sequence_table.h"

void tb_sequence_table_init(struct tb_sequence_table *table, const struct tb_allocator *allocator) {
  *table = (struct tb_sequence_table){.numbers = {.allocator = NULL}};
  tb_map_init(&table->numbers, allocator);
}

void tb_sequence_table_free(struct tb_sequence_table *table) { tb_map_free(&table->numbers); }

bool tb_sequence_table_look_up(struct tb_sequence_table *table, uint32_t machine, uint32_t id, uint32_t *number) {
  if (!tb_map_get(&table->numbers, id, machine, number)) return false;
  table->recent[id % TB_SEQUENCES_RECENT] = (struct tb_sequence_place){machine, id, *number + 1};
  return true;
}

enum tb_status tb_sequence_table_add(struct tb_sequence_table *table, uint32_t machine, uint32_t id) {
  if (table->numbers.count >= UINT32_MAX) return TB_NO_MEMORY;
  return tb_map_put(&table->numbers, id, machine, table->numbers.count);
}
