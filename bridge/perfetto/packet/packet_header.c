/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/packet_header.h"

static void take_bytes(struct tb_packet_header *head, const struct tb_wire_field *field) {
  switch (field->number) {
    case TB_TRACE_PACKET_INTERNED_DATA:
      if (head->interned_count++ == 0) head->interned = field->bytes;
      break;
    case TB_TRACE_PACKET_TRACE_PACKET_DEFAULTS:
      head->has_defaults = true;
      head->defaults = field->bytes;
      break;
    case TB_TRACE_PACKET_FXT_ORIGIN:
      head->fxt_origin = field->bytes;
      break;
    case TB_TRACE_PACKET_JSON_FLOWS:
      head->json_flow_count++;
      break;
    default:
      head->kind = field->number;
      head->payload = field->bytes;
  }
}

static void take_number(struct tb_packet_header *head, const struct tb_wire_field *field) {
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
    case TB_TRACE_PACKET_SEQUENCE_FLAGS:
      head->flags = (uint32_t)field->value;
      break;
    case TB_TRACE_PACKET_INCREMENTAL_STATE_CLEARED:
      head->cleared |= field->value != 0;
      break;
    case TB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED:
      head->dropped = field->value != 0;
      break;
    case TB_TRACE_PACKET_FIRST_PACKET_ON_SEQUENCE:
      head->first = field->value != 0;
      break;
    case TB_TRACE_PACKET_MACHINE_ID:
      head->machine = (uint32_t)field->value;
      break;
    default:
      break;
  }
}

/* Member by member: compilers clear or copy whole structs in ways that make the loads behind them wait. */
void tb_packet_header_reset_rare(struct tb_packet_header *head) {
  head->rare = 0;
  head->cleared = false;
  head->dropped = false;
  head->first = false;
  head->has_defaults = false;
  head->interned_count = 0;
  head->json_flow_count = 0;
  head->machine = 0;
  head->interned.ptr = NULL;
  head->interned.len = 0;
  head->defaults.ptr = NULL;
  head->defaults.len = 0;
  head->fxt_origin.ptr = NULL;
  head->fxt_origin.len = 0;
}

static TB_ALWAYS_INLINE void reset(struct tb_packet_header *head, struct tb_str bytes) {
  if (head->rare) tb_packet_header_reset_rare(head);
  head->bytes.ptr = bytes.ptr;
  head->bytes.len = bytes.len;
  head->has_timestamp = false;
  head->has_clock = false;
  head->flags = 0;
  head->sequence = 0;
  head->kind = 0;
  head->timestamp = 0;
  head->payload.ptr = NULL;
  head->payload.len = 0;
}

/* Out of line: it would cost the common fields their registers. */
__attribute__((noinline)) static enum tb_status read_field(struct tb_packet_header *head,
                                                           struct tb_wire_cursor *cursor) {
  struct tb_wire_field field;
  if (tb_wire_read(cursor, &field) != TB_OK) return TB_BAD_DATA;
  if (field.type == TB_WIRE_BYTES) {
    take_bytes(head, &field);
  } else if (field.type == TB_WIRE_VARINT) {
    take_number(head, &field);
  }
  return TB_OK;
}

enum common_payload { OTHER, TIMESTAMP, UID, SEQUENCE, FLAGS, TRACK_EVENT };

/* What nearly all packets are made of, recognised by the one byte of the field's tag. */
static const uint8_t common_fields[256] = {
    [TB_WIRE_TAG(TB_TRACE_PACKET_TIMESTAMP, TB_WIRE_VARINT)] = TIMESTAMP,
    [TB_WIRE_TAG(TB_TRACE_PACKET_TRUSTED_UID, TB_WIRE_VARINT)] = UID,
    [TB_WIRE_TAG(TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, TB_WIRE_VARINT)] = SEQUENCE,
    [TB_WIRE_TAG(TB_TRACE_PACKET_SEQUENCE_FLAGS, TB_WIRE_VARINT)] = FLAGS,
    [TB_WIRE_TAG(TB_TRACE_PACKET_TRACK_EVENT, TB_WIRE_BYTES)] = TRACK_EVENT};

/* The byte after a field of that kind at `at`; NULL where it is damaged. */
static TB_ALWAYS_INLINE const char *read_common(struct tb_packet_header *head, enum common_payload kind, const char *at,
                                                const char *end) {
  uint64_t value;
  at = tb_wire_read_varint(at + 1, end, &value);
  if (!at) return NULL;
  if (kind == TIMESTAMP) {
    head->has_timestamp = true;
    head->timestamp = value;
  } else if (kind == SEQUENCE) {
    head->sequence = (uint32_t)value;
  } else if (kind == TRACK_EVENT) {
    if (value > (uint64_t)(end - at)) return NULL;
    head->kind = TB_TRACE_PACKET_TRACK_EVENT;
    head->payload.ptr = at;
    head->payload.len = (size_t)value;
    at += value;
  } else if (kind == FLAGS) {
    head->flags = (uint32_t)value;
  }
  return at;
}

/* Two fields with a tag of two bytes that some producers put into every packet. NULL where it is none of them, or
 * damaged. */
static TB_ALWAYS_INLINE const char *read_often(struct tb_packet_header *head, const char *at, const char *end) {
  uint64_t value;
  if (end - at < 3) return NULL;
  unsigned tag = (unsigned char)at[0] | (unsigned)(unsigned char)at[1] << 8;
  if (tag != TB_WIRE_TAG2(TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, TB_WIRE_VARINT) &&
      tag != TB_WIRE_TAG2(TB_TRACE_PACKET_TRUSTED_PID, TB_WIRE_VARINT))
    return NULL;
  at = tb_wire_read_varint(at + 2, end, &value);
  if (at && tag == TB_WIRE_TAG2(TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, TB_WIRE_VARINT)) {
    head->has_clock = true;
    head->clock = (uint32_t)value;
  }
  return at;
}

enum tb_status tb_packet_header_read(struct tb_packet_header *head, struct tb_str bytes) {
  reset(head, bytes);
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  const char *at = cursor.at, *end = cursor.end;
  while (at != end) {
    enum common_payload common = common_fields[(unsigned char)*at];
    if (common != OTHER) {
      at = read_common(head, common, at, end);
      if (!at) return TB_BAD_DATA;
      continue;
    }
    const char *after = read_often(head, at, end);
    if (after) {
      at = after;
      continue;
    }
    cursor.at = at;
    head->rare = 1;
    if (read_field(head, &cursor) != TB_OK) return TB_BAD_DATA;
    at = cursor.at;
  }
  if (head->flags & TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED) {
    head->cleared = true;
    head->rare = 1;
  }
  return TB_OK;
}
