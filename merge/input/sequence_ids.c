/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/input/sequence_ids.h"

enum { SEQUENCES_MAX = 1 << 26 };

void tb_merge_sequences_init(struct tb_merge_sequences *sequences, const struct tb_allocator *allocator) {
  *sequences = (struct tb_merge_sequences){.allocator = allocator};
  tb_sequence_table_init(&sequences->table, allocator);
}

void tb_merge_sequences_free(struct tb_merge_sequences *sequences) {
  tb_free(sequences->allocator, sequences->items, sequences->capacity * sizeof(*sequences->items));
  tb_sequence_table_free(&sequences->table);
}

void tb_merge_sequences_rewind(struct tb_merge_sequences *sequences) {
  for (size_t i = 0; i < sequences->count; i++) {
    struct tb_merge_sequence *s = &sequences->items[i];
    s->default_clock = s->anchors = 0;
    s->counts = false;
    s->reached = INT64_MIN;
  }
}

struct tb_merge_sequence *tb_merge_sequences_add(struct tb_merge_sequences *sequences, uint32_t machine, uint32_t id) {
  void *items = sequences->items;
  enum tb_status status = tb_grow_array(sequences->allocator, &items, &sequences->capacity, sequences->count + 1,
                                        sizeof(*sequences->items), SEQUENCES_MAX);
  sequences->items = items;
  if (status == TB_OK) status = tb_sequence_table_add(&sequences->table, machine, id);
  if (status != TB_OK) return NULL;
  if (id > sequences->max_id) sequences->max_id = id;
  sequences->items[sequences->count] = (struct tb_merge_sequence){.machine = machine, .id = id, .reached = INT64_MIN};
  return &sequences->items[sequences->count++];
}
