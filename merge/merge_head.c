/* SPDX-License-Identifier: Apache-2.0 */
#include "merge_head.h"

#include "perfetto/wire.h"

enum { FLAG_CLEARED = 1 };

static void take_number(struct tb_merge_head *head, const struct tb_wire_field *field) {
  switch (field->number) {
    case TB_MERGE_PACKET_TIMESTAMP:
      head->has_timestamp = true;
      head->timestamp = field->value;
      break;
    case TB_MERGE_PACKET_CLOCK_ID:
      head->has_clock = true;
      head->clock = (uint32_t)field->value;
      break;
    case TB_MERGE_PACKET_SEQUENCE_ID:
      head->has_sequence = true;
      head->sequence = (uint32_t)field->value;
      break;
    case TB_MERGE_PACKET_SEQUENCE_FLAGS:
      head->cleared |= (field->value & FLAG_CLEARED) != 0;
      break;
    case TB_MERGE_PACKET_STATE_CLEARED:
      head->cleared |= field->value != 0;
      break;
    case TB_MERGE_PACKET_DROPPED:
      head->dropped = field->value != 0;
      break;
    case TB_MERGE_PACKET_MACHINE_ID:
      head->machine = (uint32_t)field->value;
      break;
    default:
      break;
  }
}

static void take_payload(struct tb_merge_head *head, const struct tb_wire_field *field) {
  if (field->number != TB_MERGE_PACKET_INTERNED_DATA && field->number != TB_MERGE_PACKET_DEFAULTS && head->kind == 0)
    head->kind = field->number;
  switch (field->number) {
    case TB_MERGE_PACKET_CLOCK_SNAPSHOT:
      head->clock_snapshot = field->bytes;
      break;
    case TB_MERGE_PACKET_REMOTE_CLOCK_SYNC:
      head->remote_clock_sync = field->bytes;
      break;
    case TB_MERGE_PACKET_DEFAULTS:
      head->defaults = field->bytes;
      break;
    case TB_MERGE_PACKET_TRACK_DESCRIPTOR:
      head->track_descriptor = field->bytes;
      break;
    case TB_MERGE_PACKET_TRACK_EVENT:
      head->track_event = field->bytes;
      break;
    case TB_MERGE_PACKET_SERVICE_EVENT:
      head->service_event = field->bytes;
      break;
    default:
      break;
  }
}

enum tb_status tb_merge_head_read(struct tb_slice packet, struct tb_merge_head *head) {
  *head = (struct tb_merge_head){0};
  struct tb_wire_cursor cursor = tb_wire_cursor(packet);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.type == TB_WIRE_VARINT || field.type == TB_WIRE_FIXED64 || field.type == TB_WIRE_FIXED32)
      take_number(head, &field);
    else
      take_payload(head, &field);
  }
  return status == TB_END ? TB_OK : status;
}
