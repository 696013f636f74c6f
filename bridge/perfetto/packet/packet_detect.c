/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/packet_detect.h"

#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { PACKET_TAG = TB_TRACE_PACKET << 3 | TB_WIRE_BYTES, FIELDS_BYTES = 512 };

/* A TracePacket's tag, a length, and then the tag of a field that a packet may start with. */
static bool starts_like_packet(const unsigned char *p, size_t len) {
  if (len < 2 || p[0] != PACKET_TAG) return false;
  size_t i = 1;
  while (i < len && i < 10 && (p[i] & 0x80)) i++;
  if (++i >= len) return true; /* one short packet */
  unsigned wire_type = p[i] & 7;
  return (wire_type <= 2 || wire_type == 5) && (p[i] >> 3) != 0;
}

/* How the fields of a message end: TB_END where they are whole. */
static enum tb_status walk_fields(const char *p, size_t len) {
  struct tb_wire_cursor cursor = {p, p + len};
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_next(&cursor, &field)) == TB_OK) continue;
  return status;
}

/* A packet of 91 or 123 bytes starts like JSON after an empty line: only a packet is made of whole fields to its
 * end. */
static bool starts_with_whole_packet(const char *p, size_t len) {
  if (len < 2 || p[0] != PACKET_TAG || (p[1] != '[' && p[1] != '{') || len - 2 < (size_t)p[1]) return false;
  return walk_fields(p + 2, (size_t)p[1]) == TB_END;
}

/* One packet, longer than the bytes: they are fields too. Of few bytes text could be that. */
static bool is_in_long_packet(const char *p, size_t len) {
  uint64_t length;
  const char *inside = len >= FIELDS_BYTES && p[0] == PACKET_TAG ? tb_wire_read_varint(p + 1, p + len, &length) : NULL;
  if (!inside) return false;
  enum tb_status status = walk_fields(inside, (size_t)(p + len - inside));
  return status == TB_TRUNCATED || status == TB_END;
}

/* Packets with nothing between them, of which the first is made of whole fields; the last may go on behind the bytes.
 * Text after an empty line is not. */
static bool is_row_of_packets(const char *p, size_t len) {
  struct tb_wire_cursor cursor = {p, p + len};
  struct tb_wire_field field;
  enum tb_status status;
  size_t count = 0;
  for (; (status = tb_wire_next(&cursor, &field)) == TB_OK; count++) {
    if (field.number != TB_TRACE_PACKET || field.type != TB_WIRE_BYTES) return false;
    if (!count && walk_fields(field.bytes.ptr, field.bytes.len) != TB_END) return false;
  }
  return count ? status == TB_END || status == TB_TRUNCATED : status == TB_TRUNCATED && is_in_long_packet(p, len);
}

enum tb_detection tb_packet_detect(const char *data, size_t len) {
  if (starts_with_whole_packet(data, len) || is_row_of_packets(data, len)) return TB_DETECT_RECORD;
  return starts_like_packet((const unsigned char *)data, len) ? TB_DETECT_POSSIBLE : TB_DETECT_NO;
}
