/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/walk/etw_bundle.h"

#include "base/times.h"

int64_t tb_etw_time(const struct tb_walk *walk, uint64_t timestamp) {
  return tb_time_subtract((int64_t)timestamp, tb_walk_ahead(walk, walk->packet.head.machine));
}

bool tb_etw_event_time(const struct tb_walk *walk, struct tb_str event, int64_t *time) {
  struct tb_wire_field f[TB_ETW_TRACE_EVENT_TIMESTAMP + 1];
  (void)tb_wire_read_fields(event, f, TB_ETW_TRACE_EVENT_TIMESTAMP + 1);
  *time = tb_etw_time(walk, f[TB_ETW_TRACE_EVENT_TIMESTAMP].value);
  return f[TB_ETW_TRACE_EVENT_TIMESTAMP].number != 0;
}

void tb_etw_extend(const struct tb_walk *walk, int64_t *first, int64_t *last) {
  struct tb_wire_cursor cursor = tb_wire_cursor(walk->packet.head.payload);
  struct tb_wire_field field;
  int64_t time;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (!tb_etw_is_event(&field) || !tb_etw_event_time(walk, field.bytes, &time)) continue;
    if (time < *first) *first = time;
    if (time > *last) *last = time;
  }
}

static enum tb_status append_bundle(struct tb_str bundle, bool (*keeps)(void *ctx, struct tb_str event), void *ctx,
                                    struct tb_buffer *b, size_t *kept, size_t *left) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bundle);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(b, TB_TRACE_PACKET_ETW_EVENTS);
  size_t body = b->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    bool counts = tb_etw_is_event(&field), stays = !counts || keeps(ctx, field.bytes);
    *kept += counts && stays;
    *left += !stays;
    if (stays) status = tb_wire_buffer_field(b, &field, cursor.at);
  }
  return status == TB_OK ? tb_wire_buffer_close(b, body) : status;
}

enum tb_status tb_etw_append_part(const struct tb_walk *walk, bool (*keeps)(void *ctx, struct tb_str event), void *ctx,
                                  struct tb_buffer *b, size_t *kept, size_t *left) {
  const struct tb_raw_packet *packet = &walk->packet;
  struct tb_wire_cursor cursor = tb_wire_cursor(packet->packet);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(b, TB_TRACE_PACKET);
  size_t body = b->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    status = field.number == TB_TRACE_PACKET_ETW_EVENTS && field.bytes.ptr == packet->head.payload.ptr
                 ? append_bundle(field.bytes, keeps, ctx, b, kept, left)
                 : tb_wire_buffer_field(b, &field, cursor.at);
  return status == TB_OK ? tb_wire_buffer_close(b, body) : status;
}
