/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer: what only FXT has. Blobs, Perfetto's packets in blobs, buffers that filled up.
 */
#include <string.h>

#include "base/map.h"
#include "model/fxt_blobs.h"
#include "perfetto/packet/packet_header.h"
#include "perfetto/writer/fxt_passthrough.h"
#include "perfetto/writer/slice_events.h"
#include "perfetto/writer/trace_metadata.h"
#include "perfetto/writer/writer.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

/* ---- loss of data ------------------------------------------------------------------------------------------------ */

enum tb_status tb_perfetto_put_data_loss(struct tb_perfetto_writer *p, const struct tb_event *event) {
  if (!event->track)
    return tb_buffer_append(&p->passthrough.lossy_providers, &event->sequence, sizeof(event->sequence));
  struct tb_event instant = *event;
  struct tb_arg member = {.name = TB_STR("data_loss"), .u = event->sequence, .span = 1, .type = TB_ARG_UINT};
  instant.type = TB_EVENT_INSTANT;
  instant.name = TB_STR("data loss");
  instant.extra = &member;
  instant.extra_count = 1;
  return tb_perfetto_put_slice(p, &instant);
}

/* The thread of a sequence that has events; NULL: of the shared one. */
static struct tb_track_state *thread_of(const struct tb_perfetto_writer *p, size_t index) {
  const struct tb_writer_sequence *sequence = p->sequences[index];
  if (!sequence) return &p->tracks.items[p->staging.grouped_tracks[index]];
  return tb_stager_entries(&sequence->stager) ? sequence->track : NULL;
}

static bool is_of_provider(const struct tb_perfetto_writer *p, size_t index, uint32_t provider) {
  const struct tb_track_state *thread = thread_of(p, index);
  return thread && thread->track->sequence == provider;
}

static void mark(struct tb_perfetto_writer *p, size_t index) {
  if (p->sequences[index])
    p->sequences[index]->lossy = true;
  else
    thread_of(p, index)->lossy = true;
}

/* Whether all that the provider wrote is on the shared sequence. */
static bool has_no_thread(const struct tb_perfetto_writer *p, uint32_t provider) {
  for (size_t i = TB_SHARED_SEQUENCE + 1; i < p->sequence_count; i++)
    if (is_of_provider(p, i, provider)) return false;
  return true;
}

void tb_perfetto_mark_lossy(struct tb_perfetto_writer *p) {
  for (size_t at = 0; at < p->passthrough.lossy_providers.len; at += sizeof(uint32_t)) {
    uint32_t provider;
    memcpy(&provider, p->passthrough.lossy_providers.data + at, sizeof(provider));
    if (has_no_thread(p, provider)) p->sequences[TB_SHARED_SEQUENCE]->lossy = true;
    for (size_t i = TB_SHARED_SEQUENCE + 1; i < p->sequence_count; i++)
      if (is_of_provider(p, i, provider)) mark(p, i);
  }
}

enum tb_status tb_perfetto_write_loss(struct tb_perfetto_writer *p, uint32_t sequence_id) {
  char fields[2 * TB_WIRE_VARINT_MAX + 4];
  char *at = tb_wire_put_uint(fields, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, sequence_id);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED, 1);
  return tb_packet_sink_put_fields(&p->sink, (struct tb_str){fields, (size_t)(at - fields)});
}

/* ---- blobs ------------------------------------------------------------------------------------------------------- */

static enum tb_status put_carried(void *ctx, const struct tb_event *event) {
  if (event->type == TB_EVENT_METADATA) return tb_perfetto_put_metadata(ctx, event);
  return tb_perfetto_put_slice(ctx, event);
}

enum tb_status tb_perfetto_put_blob(struct tb_perfetto_writer *p, const struct tb_event *event) {
  return tb_blob_put_as_event(p->allocator, event, put_carried, p);
}

/* ---- packets of the source --------------------------------------------------------------------------------------- */

/* The sequence id that a packet has. */
static uint64_t sequence_of(struct tb_str packet) {
  struct tb_wire_cursor cursor = tb_wire_cursor(packet);
  struct tb_wire_field field;
  uint64_t id = 0;
  while (tb_wire_next(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID && field.type == TB_WIRE_VARINT) id = field.value;
  return id;
}

/* Keeps one packet, with a mark that says which blob it is of. */
static enum tb_status keep_packet(struct tb_perfetto_writer *p, struct tb_str packet, struct tb_str blob) {
  enum { TAGS = 6 * TB_WIRE_VARINT_MAX };
  struct tb_buffer *to = &p->passthrough.packets;
  enum tb_status status = tb_buffer_reserve(to, packet.len + blob.len + TAGS);
  if (status != TB_OK) return status;
  char head[2 * TB_WIRE_VARINT_MAX], tail[4 * TB_WIRE_VARINT_MAX];
  size_t named =
      (size_t)(tb_wire_put_varint(tb_wire_put_tag(head, TB_FXT_ORIGIN_NAME, TB_WIRE_BYTES), blob.len) - head);
  uint64_t sequence = sequence_of(packet);
  char number[2 * TB_WIRE_VARINT_MAX];
  size_t numbered = (size_t)(tb_wire_put_uint(number, TB_FXT_ORIGIN_SEQUENCE, sequence) - number);
  char *end = tb_wire_put_tag(tail, TB_TRACE_PACKET_FXT_ORIGIN, TB_WIRE_BYTES);
  end = tb_wire_put_varint(end, named + blob.len + numbered);
  char *at = to->data + to->len;
  at = tb_wire_put_tag(at, TB_TRACE_PACKET, TB_WIRE_BYTES);
  at = tb_wire_put_varint(at, packet.len + (size_t)(end - tail) + named + blob.len + numbered);
  const struct tb_str parts[] = {packet, {tail, (size_t)(end - tail)}, {head, named}, blob, {number, numbered}};
  for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
    if (parts[i].len) memcpy(at, parts[i].ptr, parts[i].len);
    at += parts[i].len;
  }
  to->len = (size_t)(at - to->data);
  return TB_OK;
}

enum tb_status tb_perfetto_put_packets(struct tb_perfetto_writer *p, const struct tb_event *event) {
  if (event->blob_type != TB_BLOB_PERFETTO)
    return tb_buffer_append(&p->passthrough.packets, event->blob.ptr, event->blob.len);
  struct tb_wire_cursor cursor = tb_wire_cursor(event->blob);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_next(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACE_PACKET && field.type == TB_WIRE_BYTES)
      status = keep_packet(p, field.bytes, event->name);
  return status;
}

/* One packet's fields with its sequence id moved up, so that no sequence of the source meets one of ours. */
static enum tb_status write_moved(struct tb_perfetto_writer *p, struct tb_str packet, uint32_t by) {
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
      status = tb_wire_buffer_field(out, &field, cursor.at);
    }
  }
  return status == TB_OK ? tb_packet_sink_put_fields(&p->sink, (struct tb_str){out->data, out->len}) : status;
}

static enum tb_status read_head(struct tb_str packet, struct tb_packet_header *head) {
  *head = (struct tb_packet_header){.start = packet.ptr};
  return tb_packet_header_read(head, packet);
}

/* Adds the packet's sequence to those that have a payload. */
static enum tb_status note_payload(struct tb_map *sequences, struct tb_str packet) {
  struct tb_packet_header head;
  bool has_payload = read_head(packet, &head) != TB_OK || head.kind;
  return has_payload ? tb_map_put(sequences, head.sequence, 0, 1) : TB_OK;
}

/* State is of use to packets of the same sequence alone; packets of FXT's blobs stay as they were. */
static bool is_useless(const struct tb_map *sequences, struct tb_str packet) {
  struct tb_packet_header head;
  return read_head(packet, &head) == TB_OK && !head.kind && !head.fxt_origin.ptr &&
         !tb_map_find(sequences, head.sequence, 0);
}

/* The packet that started a sequence may have become an event: what needs its state then has a start of its own. */
static enum tb_status write_start(struct tb_perfetto_writer *p, struct tb_map *sequences, struct tb_str packet,
                                  uint32_t by) {
  enum { STARTED = 1 }; /* next to the keys of note_payload */
  struct tb_packet_header head;
  if (read_head(packet, &head) != TB_OK || !head.sequence || head.fxt_origin.ptr ||
      tb_map_find(sequences, head.sequence, STARTED))
    return TB_OK;
  bool starts = head.flags & TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED;
  if (!starts && !(head.flags & TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE)) return TB_OK;
  enum tb_status status = tb_map_put(sequences, head.sequence, STARTED, 1);
  if (status != TB_OK || starts) return status;
  char fields[2 * 2 * TB_WIRE_VARINT_MAX];
  char *end = tb_wire_put_uint(fields, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, (uint64_t)head.sequence + by);
  end = tb_wire_put_uint(end, TB_TRACE_PACKET_SEQUENCE_FLAGS, TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED);
  return tb_packet_sink_put_fields(&p->sink, (struct tb_str){fields, (size_t)(end - fields)});
}

static enum tb_status write_kept(struct tb_perfetto_writer *p, struct tb_map *sequences, uint32_t first_sequence_id) {
  struct tb_str kept = {p->passthrough.packets.data, p->passthrough.packets.len};
  struct tb_wire_cursor cursor = tb_wire_cursor(kept);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_next(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACE_PACKET && field.type == TB_WIRE_BYTES) status = note_payload(sequences, field.bytes);
  cursor = tb_wire_cursor(kept);
  while (status == TB_OK && tb_wire_next(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACE_PACKET && field.type == TB_WIRE_BYTES && !is_useless(sequences, field.bytes)) {
      status = write_start(p, sequences, field.bytes, first_sequence_id);
      if (status == TB_OK) status = write_moved(p, field.bytes, first_sequence_id);
    }
  return status;
}

enum tb_status tb_perfetto_write_packets(struct tb_perfetto_writer *p, uint32_t first_sequence_id) {
  struct tb_map sequences; /* that have a payload */
  if (!p->passthrough.packets.len) return TB_OK;
  tb_map_init(&sequences, p->allocator);
  enum tb_status status = write_kept(p, &sequences, first_sequence_id);
  tb_map_free(&sequences);
  return status;
}
