/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/clock/snapshot.h"

#include "base/mix64.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum tb_status tb_snapshot_clock_read(struct tb_str message, struct tb_snapshot_clock *clock) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  enum tb_status status;
  *clock = (struct tb_snapshot_clock){.unit = 1};
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.type != TB_WIRE_VARINT) continue;
    if (field.number == TB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID) clock->id = field.value;
    if (field.number == TB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP) clock->timestamp = field.value;
    if (field.number == TB_CLOCK_SNAPSHOT_CLOCK_IS_INCREMENTAL) clock->incremental = field.value != 0;
    if (field.number == TB_CLOCK_SNAPSHOT_CLOCK_UNIT_MULTIPLIER_NS && field.value) clock->unit = field.value;
  }
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

static void add_reading(const struct tb_snapshot_clock *clock, uint32_t sequence, struct tb_snapshot *snapshot) {
  uint32_t id = (uint32_t)clock->id;
  if (tb_clock_of_sequence(id) && !sequence) return;
  snapshot->readings[snapshot->count++] = (struct tb_clock_reading_raw){
      tb_clock_key(id, sequence), tb_snapshot_clock_ns(clock), clock->unit, clock->incremental};
}

enum tb_status tb_snapshot_read(struct tb_str message, uint32_t sequence, struct tb_snapshot *snapshot) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  enum tb_status status;
  bool damaged = false;
  snapshot->count = 0;
  snapshot->primary = 0;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.number == TB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK && field.type == TB_WIRE_VARINT)
      snapshot->primary = (uint32_t)field.value;
    if (field.number != TB_CLOCK_SNAPSHOT_CLOCKS || field.type != TB_WIRE_BYTES) continue;
    if (snapshot->count == TB_CLOCKS_IN_SNAPSHOT_MAX) continue;
    struct tb_snapshot_clock clock;
    damaged |= tb_snapshot_clock_read(field.bytes, &clock) != TB_OK;
    add_reading(&clock, sequence, snapshot);
  }
  return status == TB_END && !damaged ? TB_OK : TB_BAD_DATA;
}

bool tb_snapshot_contradicts_itself(const struct tb_snapshot *snapshot) {
  for (size_t i = 0; i < snapshot->count; i++) {
    const struct tb_clock_reading_raw *reading = &snapshot->readings[i];
    if (reading->incremental && !tb_clock_of_sequence((uint32_t)reading->key)) return true;
    for (size_t k = 0; k < i; k++)
      if (snapshot->readings[k].key == reading->key) return true;
  }
  return false;
}

bool tb_snapshot_has_increments(const struct tb_snapshot *snapshot) {
  for (size_t i = 0; i < snapshot->count; i++)
    if (snapshot->readings[i].incremental) return true;
  return false;
}

uint64_t tb_snapshot_group(const struct tb_snapshot *snapshot, uint32_t machine) {
  uint64_t sum = 0; /* in whatever order the clocks come */
  for (size_t i = 0; i < snapshot->count; i++) sum += tb_mix64(snapshot->readings[i].key + 1);
  return tb_mix64(sum ^ machine);
}
