/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/input/merge_header.h"

enum { PAYLOAD_LAST = 255 }; /* fields of packets beyond are nobody's payload that readers know */

static inline void note(struct tb_merge_header *head, const struct tb_wire_field *field) {
  if (head->note_count < TB_MERGE_HEADER_NOTES) head->notes[head->note_count] = *field;
  head->note_count++;
}

static inline void take_number(struct tb_merge_header *head, const struct tb_wire_field *field) {
  switch (field->number) {
    case TB_TRACE_PACKET_TIMESTAMP:
      head->has_timestamp = true;
      head->timestamp = field->value;
      break;
    case TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID:
      head->has_clock = true;
      head->clock = (uint32_t)field->value;
      break;
    case TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID:
      head->sequence = (uint32_t)field->value;
      break;
    case TB_TRACE_PACKET_MACHINE_ID:
      head->machine = (uint32_t)field->value;
      break;
    case TB_TRACE_PACKET_SEQUENCE_FLAGS:
      head->cleared |= (field->value & TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED) != 0;
      head->needs_state |= (field->value & TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE) != 0;
      return;
    case TB_TRACE_PACKET_INCREMENTAL_STATE_CLEARED:
      head->cleared |= field->value != 0;
      return;
    default:
      return;
  }
  note(head, field);
}

static inline void take_payload(struct tb_merge_header *head, const struct tb_wire_field *field) {
  if (field->number == TB_TRACE_PACKET_INTERNED_DATA) return;
  note(head, field);
  if (field->number == TB_TRACE_PACKET_TRACE_PACKET_DEFAULTS) {
    head->defaults = field->bytes;
    return;
  }
  if (head->kind == 0 || head->kind > PAYLOAD_LAST) head->kind = field->number;
  if (head->kind == field->number) head->payload = field->bytes;
  if (field->number == TB_TRACE_PACKET_CLOCK_SNAPSHOT) head->clock_snapshot = field->bytes;
}

/* Member by member: notes need no clearing, and clearing all would cost more than reading a packet. */
static inline void reset(struct tb_merge_header *head, bool notes) {
  head->has_timestamp = head->has_clock = head->cleared = head->needs_state = head->damaged = false;
  head->timestamp = 0;
  head->clock = head->sequence = head->machine = head->kind = 0;
  head->note_count = notes ? 0 : TB_MERGE_HEADER_NOTES + 1;
  head->payload.ptr = head->clock_snapshot.ptr = head->defaults.ptr = NULL;
  head->payload.len = head->clock_snapshot.len = head->defaults.len = 0;
}

static inline void note_number(struct tb_merge_header *head, uint32_t number, uint64_t value, const char *at,
                               const char *end) {
  struct tb_wire_field field = {number, TB_WIRE_VARINT, value, {at + 1, (size_t)(end - at - 1)}, at};
  note(head, &field);
}

/* A number's field as the wire code would give it. */
static inline void note_at(struct tb_merge_header *head, uint32_t number, uint64_t value, const char *at,
                           const char *end) {
  if (at) note_number(head, number, value, at, end);
}

void tb_merge_header_take_common(struct tb_merge_header *head, const struct tb_packet_common *common) {
  reset(head, true);
  head->has_timestamp = common->timestamp_at != NULL;
  head->timestamp = common->timestamp;
  head->sequence = common->sequence;
  head->needs_state = (common->flags & TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE) != 0;
  head->kind = TB_TRACE_PACKET_TRACK_EVENT;
  head->payload = common->payload;
  bool sequence_first = common->sequence_at && common->sequence_at < common->event_at;
  note_at(head, TB_TRACE_PACKET_TIMESTAMP, common->timestamp, common->timestamp_at, common->timestamp_end);
  if (sequence_first)
    note_at(head, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, common->sequence, common->sequence_at,
            common->sequence_end);
  note(head, &(struct tb_wire_field){TB_TRACE_PACKET_TRACK_EVENT, TB_WIRE_BYTES, common->payload.len, common->payload,
                                     common->event_at});
  if (!sequence_first)
    note_at(head, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, common->sequence, common->sequence_at,
            common->sequence_end);
}

enum tb_status tb_merge_header_read(struct tb_str packet, struct tb_merge_header *head, bool notes) {
  reset(head, notes);
  struct tb_wire_cursor cursor = tb_wire_cursor(packet);
  for (;;) {
    struct tb_wire_field field;
    enum tb_status status = tb_wire_read(&cursor, &field);
    if (status == TB_END) return TB_OK;
    if (status != TB_OK) {
      head->damaged = true;
      return status;
    }
    if (field.type == TB_WIRE_BYTES || field.type == TB_WIRE_GROUP)
      take_payload(head, &field);
    else
      take_number(head, &field);
  }
}
