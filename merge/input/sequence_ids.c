/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/input/sequence_ids.h"

#include "base/times.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

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

void tb_merge_sequence_start_counting(struct tb_merge_sequence *sequence, struct tb_str descriptor) {
  struct tb_wire_cursor cursor = tb_wire_cursor(descriptor);
  struct tb_wire_field field;
  sequence->counts = true;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_THREAD_DESCRIPTOR_REFERENCE_TIMESTAMP_US) sequence->counted_us = (int64_t)field.value;
}

bool tb_merge_sequence_count(struct tb_merge_sequence *sequence, struct tb_str event, int64_t *ns) {
  struct tb_wire_cursor cursor = tb_wire_cursor(event);
  struct tb_wire_field field, time = {.number = 0};
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACK_EVENT_TIMESTAMP_DELTA_US || field.number == TB_TRACK_EVENT_TIMESTAMP_ABSOLUTE_US)
      time = field;
  if (!time.number || time.type != TB_WIRE_VARINT) return false;
  bool counts = time.number == TB_TRACK_EVENT_TIMESTAMP_DELTA_US;
  if (counts && !sequence->counts) return false;
  if (counts) sequence->counted_us = (int64_t)((uint64_t)sequence->counted_us + time.value);
  *ns = tb_time_clamp((tb_wide)(counts ? sequence->counted_us : (int64_t)time.value) * 1000);
  return true;
}
