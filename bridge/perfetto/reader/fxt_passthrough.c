/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets that came out of blobs of an FXT archive, as perfetto/writer/fxt_passthrough.c marks them.
 */
#include "model/fxt_blobs.h"
#include "perfetto/reader/reader.h"

enum { TRACE_PACKET_TAG_MAX = 2 * TB_WIRE_VARINT_MAX };

struct origin {
  struct tb_str name;
  uint64_t sequence;
};

static enum tb_status read_origin(struct tb_str message, struct origin *origin) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  enum tb_status status;
  *origin = (struct origin){0};
  while ((status = tb_wire_next(&cursor, &field)) == TB_OK) {
    if (field.number == TB_FXT_ORIGIN_NAME) origin->name = field.bytes;
    if (field.number == TB_FXT_ORIGIN_SEQUENCE) origin->sequence = field.value;
  }
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

/* The packet's fields without the mark, its sequence id as it was. `to` holds as many bytes as the packet and a
 * varint. */
static size_t restore(struct tb_str packet, const struct origin *origin, char *to) {
  struct tb_wire_cursor cursor = tb_wire_cursor(packet);
  struct tb_wire_field field;
  char *at = to;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.number == TB_TRACE_PACKET_FXT_ORIGIN) continue;
    if (field.number == TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID && field.type == TB_WIRE_VARINT) {
      at = tb_wire_put_uint(at, field.number, origin->sequence);
      continue;
    }
    size_t len = (size_t)(cursor.at - field.start);
    memcpy(at, field.start, len);
    at += len;
  }
  return (size_t)(at - to);
}

enum tb_status tb_perfetto_return_packet(struct tb_perfetto_reader *r) {
  struct origin origin;
  if (read_origin(r->head.fxt_origin, &origin) != TB_OK) return TB_BAD_DATA;
  size_t room = r->head.bytes.len + TB_WIRE_VARINT_MAX;
  char *fields = tb_perfetto_alloc(r, room), *packet = tb_perfetto_alloc(r, room + TRACE_PACKET_TAG_MAX);
  if (!fields || !packet) return TB_OK;
  size_t len = restore(r->head.bytes, &origin, fields);
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_PACKETS);
  event->name = origin.name;
  event->has = TB_HAS_NAME;
  event->blob_type = TB_BLOB_PERFETTO;
  event->blob.ptr = packet;
  event->blob.len = (size_t)(tb_wire_put_bytes(packet, TB_TRACE_PACKET, fields, len) - packet);
  return TB_OK;
}
