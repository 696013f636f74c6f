/* SPDX-License-Identifier: Apache-2.0
 *
 * The packet sequences of a trace, numbered in the order of their first packets. A sequence's id is unique on its
 * machine alone, so that a sequence is known by both. What lasts from packet to packet of a sequence is the user's, in
 * an array by that number.
 */
#ifndef TB_PERFETTO_PACKET_SEQUENCE_TABLE_H
#define TB_PERFETTO_PACKET_SEQUENCE_TABLE_H

#include "base/map.h"

enum { TB_SEQUENCES_RECENT = 256 };

struct tb_sequence_place {
  uint32_t machine, id;
  uint32_t number; /* plus one; 0: none */
};

struct tb_sequence_key {
  uint32_t machine, id;
};

/* Caller-owned; tb_sequence_table_init, then tb_sequence_table_free. */
struct tb_sequence_table {
  struct tb_sequence_key *keys; /* by number */
  size_t count, capacity;
  struct tb_index_map numbers;                          /* id, machine */
  struct tb_sequence_place recent[TB_SEQUENCES_RECENT]; /* looked up last, by the low bits of the id */
};

void tb_sequence_table_init(struct tb_sequence_table *table, const struct tb_allocator *allocator);
void tb_sequence_table_free(struct tb_sequence_table *table);

static inline size_t tb_sequence_table_count(const struct tb_sequence_table *table) { return table->count; }

bool tb_sequence_table_look_up(struct tb_sequence_table *table, uint32_t machine, uint32_t id, uint32_t *number);

/* True and *number where the sequence is known. */
static inline bool tb_sequence_table_find(struct tb_sequence_table *table, uint32_t machine, uint32_t id,
                                          uint32_t *number) {
  const struct tb_sequence_place *recent = &table->recent[id % TB_SEQUENCES_RECENT];
  if (!recent->number || recent->id != id || recent->machine != machine)
    return tb_sequence_table_look_up(table, machine, id, number);
  *number = recent->number - 1;
  return true;
}

/* Adds a sequence that is not known: its number is the count of those before it. TB_OK; TB_NO_MEMORY, and it is not
 * there then. */
TB_MUST_CHECK enum tb_status tb_sequence_table_add(struct tb_sequence_table *table, uint32_t machine, uint32_t id);

#endif
