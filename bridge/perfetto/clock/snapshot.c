/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/clock/snapshot.h"

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
