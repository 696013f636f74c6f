/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/cut/wakelocks.h"

#include "base/memory.h"
#include "protobuf/number_cursor.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "toolbox/cut/packet_edit.h"

enum { SEQUENCES_MAX = 1 << 24 };

void tb_wakelocks_init(struct tb_wakelocks *wakelocks, const struct tb_allocator *allocator) {
  *wakelocks = (struct tb_wakelocks){.allocator = allocator};
}

void tb_wakelocks_free(struct tb_wakelocks *wakelocks) {
  for (size_t i = 0; i < wakelocks->count; i++) {
    tb_map_free(&wakelocks->items[i].ms);
    tb_buffer_free(&wakelocks->items[i].names);
  }
  tb_free(wakelocks->allocator, wakelocks->items, wakelocks->capacity * sizeof(*wakelocks->items));
}

/* NULL: no packet of the sequence was taken in. Few sequences have any. */
static struct tb_wakelock_sums *find_sums(const struct tb_wakelocks *wakelocks, size_t sequence) {
  for (size_t i = 0; i < wakelocks->count; i++)
    if (wakelocks->items[i].sequence == sequence) return &wakelocks->items[i];
  return NULL;
}

static enum tb_status get_sums(struct tb_wakelocks *wakelocks, size_t sequence, struct tb_wakelock_sums **sums) {
  *sums = find_sums(wakelocks, sequence);
  if (*sums) return TB_OK;
  void *items = wakelocks->items;
  enum tb_status status = tb_grow_array(wakelocks->allocator, &items, &wakelocks->capacity, wakelocks->count + 1,
                                        sizeof(*wakelocks->items), SEQUENCES_MAX);
  wakelocks->items = items;
  if (status != TB_OK) return status;
  *sums = &wakelocks->items[wakelocks->count++];
  **sums = (struct tb_wakelock_sums){.sequence = sequence};
  tb_map_init(&(*sums)->ms, wakelocks->allocator);
  tb_buffer_init(&(*sums)->names, wakelocks->allocator, 0);
  return TB_OK;
}

void tb_wakelocks_take_clear(struct tb_wakelocks *wakelocks, const struct tb_walk *walk) {
  struct tb_wakelock_sums *sums = find_sums(wakelocks, walk->sequence_number);
  if (sums) sums->is_cleared = true;
}

enum tb_status tb_wakelocks_take(struct tb_wakelocks *wakelocks, const struct tb_walk *walk) {
  struct tb_str payload = walk->packet.head.payload;
  struct tb_number_cursor ids = tb_number_cursor(payload, TB_KERNEL_WAKELOCK_DATA_WAKELOCK_ID);
  struct tb_number_cursor times = tb_number_cursor(payload, TB_KERNEL_WAKELOCK_DATA_TIME_HELD_MILLIS);
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  struct tb_wakelock_sums *sums;
  uint64_t id, ms;
  enum tb_status status = get_sums(wakelocks, walk->sequence_number, &sums);
  if (status != TB_OK) return status;
  if (sums->is_cleared) {
    tb_map_clear(&sums->ms);
    sums->names.len = 0;
    sums->is_said = false;
  }
  sums->is_cleared = false;
  sums->is_first = !sums->ms.count && !sums->names.len;
  sums->number = walk->number;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_KERNEL_WAKELOCK_DATA_WAKELOCK)
      status = tb_wire_buffer_field(&sums->names, &field, cursor.at);
  while (status == TB_OK && tb_number_cursor_next(&ids, &id) && tb_number_cursor_next(&times, &ms)) {
    uint64_t *sum = tb_map_find(&sums->ms, id, 0);
    status = tb_map_put(&sums->ms, id, 0, (sum ? *sum : 0) + ms);
  }
  return status;
}

bool tb_wakelocks_say(struct tb_wakelocks *wakelocks, const struct tb_walk *walk) {
  struct tb_wakelock_sums *sums = find_sums(wakelocks, walk->sequence_number);
  bool says = !sums || sums->is_said || sums->is_first;
  if (sums) sums->is_said = true;
  return says;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* The ids, or the sums, in the same order. */
static enum tb_status append_list(const struct tb_wakelock_sums *sums, uint32_t number, struct tb_buffer *b) {
  struct tb_map_entry entry;
  size_t at = 0;
  enum tb_status status = tb_wire_buffer_open(b, number);
  size_t body = b->len;
  while (status == TB_OK && tb_map_next(&sums->ms, &at, &entry)) {
    status = tb_buffer_reserve(b, TB_WIRE_VARINT_MAX);
    uint64_t value = number == TB_KERNEL_WAKELOCK_DATA_WAKELOCK_ID ? entry.first : entry.value;
    if (status == TB_OK) b->len = (size_t)(tb_wire_put_varint(b->data + b->len, value) - b->data);
  }
  return status == TB_OK ? tb_wire_buffer_close(b, body) : status;
}

static bool is_summed(uint32_t number) {
  return number == TB_KERNEL_WAKELOCK_DATA_WAKELOCK || number == TB_KERNEL_WAKELOCK_DATA_WAKELOCK_ID ||
         number == TB_KERNEL_WAKELOCK_DATA_TIME_HELD_MILLIS;
}

/* The names come with the sums, since readers take a packet without a time for a later one. */
static enum tb_status append_payload(const struct tb_wakelock_sums *sums, struct tb_str payload, struct tb_buffer *b) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(b, TB_TRACE_PACKET_KERNEL_WAKELOCK_DATA);
  size_t body = b->len;
  if (status == TB_OK) status = tb_buffer_append(b, sums->names.data, sums->names.len);
  if (status == TB_OK) status = append_list(sums, TB_KERNEL_WAKELOCK_DATA_WAKELOCK_ID, b);
  if (status == TB_OK) status = append_list(sums, TB_KERNEL_WAKELOCK_DATA_TIME_HELD_MILLIS, b);
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (!is_summed(field.number)) status = tb_wire_buffer_field(b, &field, cursor.at);
  return status == TB_OK ? tb_wire_buffer_close(b, body) : status;
}

enum tb_status tb_wakelocks_append(const struct tb_wakelocks *wakelocks, const struct tb_walk *walk, int64_t host_time,
                                   struct tb_buffer *b) {
  const struct tb_wakelock_sums *sums = find_sums(wakelocks, walk->sequence_number);
  if (!sums || sums->number != walk->number) return TB_OK;
  enum tb_status status = tb_packet_edit_append_state(walk->packet.head.bytes, false, b);
  if (status == TB_OK) status = tb_wire_buffer_open(b, TB_TRACE_PACKET);
  size_t packet = b->len;
  if (status == TB_OK) status = tb_packet_edit_append_head(walk, host_time, b);
  if (status == TB_OK) status = append_payload(sums, walk->packet.head.payload, b);
  return status == TB_OK ? tb_wire_buffer_close(b, packet) : status;
}
