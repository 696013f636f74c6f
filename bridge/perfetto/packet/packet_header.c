/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/packet_header.h"

enum { KIND_MAX = 255 }; /* fields of packets beyond are nobody's payload that readers know */

/* ---- one field --------------------------------------------------------------------------------------------------- */

static TB_ALWAYS_INLINE void list_field(struct tb_packet_fields *fields, const struct tb_wire_field *field) {
  if (fields->count < TB_PACKET_FIELDS_MAX) fields->list[fields->count] = *field;
  fields->count++;
}

/* A number whose value is at `value_at`, as the wire code would give it. */
static TB_ALWAYS_INLINE void list_number(struct tb_packet_fields *fields, uint32_t number, uint64_t value,
                                         const char *start, const char *value_at, const char *end) {
  struct tb_wire_field field = {number, TB_WIRE_VARINT, value, {value_at, (size_t)(end - value_at)}, start};
  list_field(fields, &field);
}

static TB_ALWAYS_INLINE void list_event(struct tb_packet_fields *fields, struct tb_str event, const char *start) {
  struct tb_wire_field field = {TB_TRACE_PACKET_TRACK_EVENT, TB_WIRE_BYTES, event.len, event, start};
  list_field(fields, &field);
}

/* Merging goes by the first payload that readers may know, reading by the last, as protobuf does within a oneof. */
static TB_ALWAYS_INLINE void take_payload(struct tb_packet_header *head, uint32_t kind, const char *at, size_t len,
                                          bool merges) {
  if (merges && head->kind != kind && head->kind != 0 && head->kind <= KIND_MAX) return;
  head->kind = kind;
  head->payload.ptr = at;
  head->payload.len = len;
}

static void take_bytes(struct tb_packet_header *head, const struct tb_wire_field *field, bool merges) {
  bool is_payload = merges;
  switch (field->number) {
    case TB_TRACE_PACKET_INTERNED_DATA:
      if (head->interned_count++ == 0) head->interned = field->bytes;
      return;
    case TB_TRACE_PACKET_TRACE_PACKET_DEFAULTS:
      head->has_defaults = true;
      head->defaults = field->bytes;
      return;
    case TB_TRACE_PACKET_FXT_ORIGIN:
      head->fxt_origin = field->bytes;
      break;
    case TB_TRACE_PACKET_JSON_FLOWS:
      head->json_flow_count++;
      break;
    case TB_TRACE_PACKET_CLOCK_SNAPSHOT:
      head->clock_snapshot = field->bytes;
      is_payload = true;
      break;
    default:
      is_payload = true;
  }
  if (is_payload) take_payload(head, field->number, field->bytes.ptr, field->bytes.len, merges);
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
    case TB_TRACE_PACKET_DERIVED:
      head->derived = field->value != 0;
      break;
    case TB_TRACE_PACKET_MERGE_IDENTITY:
      head->merge_identity = field->value;
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
  head->derived = false;
  head->has_defaults = false;
  head->interned_count = 0;
  head->json_flow_count = 0;
  head->machine = 0;
  head->merge_identity = 0;
  head->interned.ptr = NULL;
  head->interned.len = 0;
  head->defaults.ptr = NULL;
  head->defaults.len = 0;
  head->fxt_origin.ptr = NULL;
  head->fxt_origin.len = 0;
  head->clock_snapshot.ptr = NULL;
  head->clock_snapshot.len = 0;
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

static bool is_listed(const struct tb_wire_field *field) {
  if (field->type != TB_WIRE_VARINT) return field->number != TB_TRACE_PACKET_INTERNED_DATA;
  return field->number == TB_TRACE_PACKET_TIMESTAMP || field->number == TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID ||
         field->number == TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID || field->number == TB_TRACE_PACKET_MACHINE_ID ||
         field->number == TB_TRACE_PACKET_MERGE_IDENTITY;
}

/* Out of line: it would cost the common fields their registers. */
__attribute__((noinline)) static enum tb_status read_field(struct tb_packet_header *head, struct tb_wire_cursor *cursor,
                                                           bool merges, struct tb_packet_fields *fields) {
  struct tb_wire_field field;
  if (tb_wire_read(cursor, &field) != TB_OK) return TB_BAD_DATA;
  if (field.type == TB_WIRE_BYTES || (merges && field.type == TB_WIRE_GROUP)) {
    take_bytes(head, &field, merges);
  } else if (field.type == TB_WIRE_VARINT) {
    take_number(head, &field);
  } else {
    return TB_OK;
  }
  if (fields && is_listed(&field)) list_field(fields, &field);
  return TB_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

enum common_field { OTHER, TIMESTAMP, UID, SEQUENCE, FLAGS, TRACK_EVENT };

/* What nearly all packets are made of, recognised by the one byte of the field's tag. */
static const uint8_t common_fields[256] = {
    [TB_WIRE_TAG(TB_TRACE_PACKET_TIMESTAMP, TB_WIRE_VARINT)] = TIMESTAMP,
    [TB_WIRE_TAG(TB_TRACE_PACKET_TRUSTED_UID, TB_WIRE_VARINT)] = UID,
    [TB_WIRE_TAG(TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, TB_WIRE_VARINT)] = SEQUENCE,
    [TB_WIRE_TAG(TB_TRACE_PACKET_SEQUENCE_FLAGS, TB_WIRE_VARINT)] = FLAGS,
    [TB_WIRE_TAG(TB_TRACE_PACKET_TRACK_EVENT, TB_WIRE_BYTES)] = TRACK_EVENT};

/* The byte after a field of that kind at `start`; NULL where it is damaged. */
static TB_ALWAYS_INLINE const char *read_common(struct tb_packet_header *head, enum common_field kind,
                                                const char *start, const char *end, bool merges,
                                                struct tb_packet_fields *fields) {
  uint64_t value;
  const char *at = tb_wire_read_varint(start + 1, end, &value);
  if (!at) return NULL;
  if (kind == TIMESTAMP) {
    head->has_timestamp = true;
    head->timestamp = value;
    if (fields) list_number(fields, TB_TRACE_PACKET_TIMESTAMP, value, start, start + 1, at);
  } else if (kind == SEQUENCE) {
    head->sequence = (uint32_t)value;
    if (fields) list_number(fields, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, value, start, start + 1, at);
  } else if (kind == TRACK_EVENT) {
    if (value > (uint64_t)(end - at)) return NULL;
    take_payload(head, TB_TRACE_PACKET_TRACK_EVENT, at, (size_t)value, merges);
    if (fields) list_event(fields, (struct tb_str){at, (size_t)value}, start);
    at += value;
  } else if (kind == FLAGS) {
    head->flags = (uint32_t)value;
  }
  return at;
}

/* Two fields with a tag of two bytes that some producers put into every packet. NULL where it is none of them, or
 * damaged. */
static TB_ALWAYS_INLINE const char *read_often(struct tb_packet_header *head, const char *start, const char *end,
                                               struct tb_packet_fields *fields) {
  uint64_t value;
  if (end - start < 3) return NULL;
  unsigned tag = (unsigned char)start[0] | (unsigned)(unsigned char)start[1] << 8;
  if (tag != TB_WIRE_TAG2(TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, TB_WIRE_VARINT) &&
      tag != TB_WIRE_TAG2(TB_TRACE_PACKET_TRUSTED_PID, TB_WIRE_VARINT))
    return NULL;
  const char *at = tb_wire_read_varint(start + 2, end, &value);
  if (at && tag == TB_WIRE_TAG2(TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, TB_WIRE_VARINT)) {
    head->has_clock = true;
    head->clock = (uint32_t)value;
    if (fields) list_number(fields, TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, value, start, start + 2, at);
  }
  return at;
}

static TB_ALWAYS_INLINE enum tb_status read_all(struct tb_packet_header *head, struct tb_str bytes, bool merges,
                                                struct tb_packet_fields *fields) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  const char *at = cursor.at, *end = cursor.end;
  while (at != end) {
    enum common_field common = common_fields[(unsigned char)*at];
    if (common != OTHER) {
      at = read_common(head, common, at, end, merges, fields);
      if (!at) return TB_BAD_DATA;
      continue;
    }
    const char *after = read_often(head, at, end, fields);
    if (after) {
      at = after;
      continue;
    }
    cursor.at = at;
    head->rare = 1;
    if (read_field(head, &cursor, merges, fields) != TB_OK) return TB_BAD_DATA;
    at = cursor.at;
  }
  return TB_OK;
}

/* For constants `merges` and `fields`, so that reading is compiled as if there were no merging. */
static TB_ALWAYS_INLINE enum tb_status read_header(struct tb_packet_header *head, struct tb_str bytes, bool merges,
                                                   struct tb_packet_fields *fields) {
  reset(head, bytes);
  enum tb_status status = read_all(head, bytes, merges, fields);
  if (head->flags & TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED) {
    head->cleared = true;
    head->rare = 1;
  }
  return status;
}

enum tb_status tb_packet_header_read(struct tb_packet_header *head, struct tb_str bytes) {
  return read_header(head, bytes, false, NULL);
}

enum tb_status tb_packet_header_read_to_merge(struct tb_packet_header *head, struct tb_str bytes,
                                              struct tb_packet_fields *fields) {
  if (!fields) return read_header(head, bytes, true, NULL);
  fields->count = 0;
  enum tb_status status = read_header(head, bytes, true, fields);
  fields->damaged = status != TB_OK;
  return status;
}

/* ---- of packets of nothing but what nearly all have -------------------------------------------------------------- */

static void list_sequence(struct tb_packet_fields *fields, const struct tb_packet_common *common) {
  list_number(fields, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, common->sequence, common->sequence_at,
              common->sequence_at + 1, common->sequence_end);
}

void tb_packet_fields_take_common(struct tb_packet_fields *fields, const struct tb_packet_common *common) {
  bool sequence_first = common->sequence_at && common->sequence_at < common->event_at;
  fields->count = 0;
  fields->damaged = false;
  if (common->timestamp_at)
    list_number(fields, TB_TRACE_PACKET_TIMESTAMP, common->timestamp, common->timestamp_at, common->timestamp_at + 1,
                common->timestamp_end);
  if (sequence_first) list_sequence(fields, common);
  list_event(fields, common->payload, common->event_at);
  if (common->sequence_at && !sequence_first) list_sequence(fields, common);
}
