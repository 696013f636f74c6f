/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer: scheduling, and what only FXT has: blobs, Perfetto's packets in blobs, loss of data.
 */
#include <string.h>

#include "perfetto/fields.h"
#include "perfetto/wire.h"
#include "perfetto/writer_state.h"

/* ---- scheduling --------------------------------------------------------------------------------------------------------------- */

enum tb_status tb_perfetto_put_thread_state(struct tb_perfetto_writer *p, const struct tb_event *event) {
  if (event->task_state == TB_TASK_UNKNOWN) return tb_perfetto_put_aside(p, event, TB_KEY_SIDE);
  const struct tb_track_state *state = tb_perfetto_track(p, event->track);
  uint32_t key = state ? tb_perfetto_track_key(p, NULL, TB_KEY_KERNEL) : 0;
  if (!key) return TB_NO_MEMORY;
  struct tb_buffer *body = &p->encoder.body;
  body->len = 0;
  if (tb_buffer_reserve(body, state->name.len + 8 * TB_WIRE_VARINT_MAX) != TB_OK) return TB_NO_MEMORY;
  char *at = body->data;
  if (event->has & TB_HAS_CPU) at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_CPU, event->cpu);
  if (state->name.len)
    at = tb_wire_put_bytes(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_COMM, state->name.ptr, state->name.len);
  at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID, (uint64_t)event->track->tid);
  at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_STATE, event->task_state);
  if (event->priority)
    at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_PRIO, (uint64_t)(int64_t)event->priority);
  struct tb_entry entry = {.ts = event->ts, .kind = TB_ENTRY_COUNTER, .key = key};
  entry.body = (struct tb_slice){body->data, (size_t)(at - body->data)};
  return tb_perfetto_add_entry(p, p->sequences[TB_SHARED_SEQUENCE], &entry);
}

/* ---- instants that stand for something else --------------------------------------------------------------------------------------- */

static enum tb_status put_instant(struct tb_perfetto_writer *p, struct tb_event *instant) {
  instant->type = TB_EVENT_INSTANT;
  if (!instant->track) return TB_OK;
  return instant->track->type == TB_TRACK_THREAD ? tb_perfetto_put_on_thread(p, instant)
                                                 : tb_perfetto_put_on_track(p, instant);
}

enum tb_status tb_perfetto_put_data_loss(struct tb_perfetto_writer *p, const struct tb_event *event) {
  struct tb_event instant = *event;
  struct tb_arg member = {.name = TB_SLICE("data_loss"), .u = event->sequence, .span = 1, .type = TB_ARG_UINT};
  instant.name = TB_SLICE("data loss");
  instant.extra = &member;
  instant.extra_count = 1;
  return put_instant(p, &instant);
}

static char *put_base64(char *at, struct tb_slice bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *p = (const unsigned char *)bytes.ptr;
  for (size_t i = 0; i < bytes.len; i += 3) {
    size_t left = bytes.len - i;
    uint32_t v = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (left > 2 ? p[i + 2] : 0);
    *at++ = digits[v >> 18];
    *at++ = digits[v >> 12 & 63];
    *at++ = left > 1 ? digits[v >> 6 & 63] : '=';
    *at++ = left > 2 ? digits[v & 63] : '=';
  }
  return at;
}

enum tb_status tb_perfetto_put_blob(struct tb_perfetto_writer *p, const struct tb_event *event) {
  struct tb_event instant = *event;
  size_t len = (event->blob.len + 2) / 3 * 4;
  char *text = tb_alloc(p->allocator, len);
  if (!text) return TB_NO_MEMORY;
  (void)put_base64(text, event->blob);
  struct tb_arg members[2] = {{.name = TB_SLICE("fxt_blob"), .u = event->blob_type, .span = 1, .type = TB_ARG_UINT},
                              {.name = TB_SLICE("fxt_bytes"), .text = {text, len}, .span = 1, .type = TB_ARG_STRING}};
  instant.extra = members;
  instant.extra_count = 2;
  enum tb_status status = put_instant(p, &instant);
  tb_free(p->allocator, text, len);
  return status;
}

/* ---- packets of the source ------------------------------------------------------------------------------------------------------------ */

enum tb_status tb_perfetto_put_packets(struct tb_perfetto_writer *p, const struct tb_event *event) {
  return tb_buffer_append(&p->packets, event->blob.ptr, event->blob.len);
}

/* One packet's fields with its sequence id moved up, so that no sequence of the source meets one of ours. */
static enum tb_status write_moved(struct tb_perfetto_writer *p, struct tb_slice packet, uint32_t by) {
  struct tb_buffer *out = &p->scratch;
  struct tb_wire_cursor cursor = tb_wire_cursor(packet);
  struct tb_wire_field field;
  out->len = 0;
  enum tb_status status = tb_buffer_reserve(out, packet.len + 2 * TB_WIRE_VARINT_MAX);
  while (status == TB_OK && tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.number == TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID && field.type == TB_WIRE_VARINT && field.value) {
      status = tb_buffer_reserve(out, 2 * TB_WIRE_VARINT_MAX);
      if (status == TB_OK)
        out->len = (size_t)(tb_wire_put_uint(out->data + out->len, field.number, field.value + by) - out->data);
    } else {
      status = tb_buffer_append(out, field.start, (size_t)(cursor.at - field.start));
    }
  }
  return status == TB_OK ? tb_packet_sink_put_fields(&p->sink, (struct tb_slice){out->data, out->len}) : status;
}

enum tb_status tb_perfetto_write_packets(struct tb_perfetto_writer *p, uint32_t first_sequence_id) {
  struct tb_wire_cursor cursor = tb_wire_cursor((struct tb_slice){p->packets.data, p->packets.len});
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && p->packets.len && tb_wire_next(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACE_PACKET && field.type == TB_WIRE_BYTES)
      status = write_moved(p, field.bytes, first_sequence_id);
  return status;
}
