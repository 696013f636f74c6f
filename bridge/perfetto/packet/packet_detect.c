/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/packet_detect.h"

#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { PACKET_TAG = TB_TRACE_PACKET << 3 | TB_WIRE_BYTES };

/* A TracePacket's tag, a length, and then the tag of a field that a packet may start with. */
static bool starts_like_packet(const unsigned char *p, size_t len) {
  if (len < 2 || p[0] != PACKET_TAG) return false;
  size_t i = 1;
  while (i < len && i < 10 && (p[i] & 0x80)) i++;
  if (++i >= len) return true; /* one short packet */
  unsigned wire_type = p[i] & 7;
  return (wire_type <= 2 || wire_type == 5) && (p[i] >> 3) != 0;
}

/* A packet of 91 or 123 bytes starts like JSON after an empty line: only a packet is made of whole fields to its
 * end. */
static bool starts_with_whole_packet(const char *p, size_t len) {
  if (len < 2 || p[0] != PACKET_TAG || (p[1] != '[' && p[1] != '{') || len - 2 < (size_t)p[1]) return false;
  struct tb_wire_cursor cursor = {p + 2, p + 2 + p[1]};
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_next(&cursor, &field)) == TB_OK) continue;
  return status == TB_END;
}

enum tb_detection tb_packet_detect(const char *data, size_t len) {
  if (starts_with_whole_packet(data, len)) return TB_DETECT_RECORD;
  return starts_like_packet((const unsigned char *)data, len) ? TB_DETECT_POSSIBLE : TB_DETECT_NO;
}
