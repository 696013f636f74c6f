/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/input/split_parts.h"

#include "base/error.h"
#include "perfetto/packet/packet_times.h"
#include "protos/field_numbers.h"

enum { COPY_BYTES = 1 << 16 };

/* ---- which belong together --------------------------------------------------------------------------------------- */

/* Parts in another format are joined as they are, and converted then. */
static bool is_split(const struct tb_source *s) {
  return !s->skipped && (!s->converted || s->original) && s->prescan.split.recording;
}

/* Whether the two are one trace's, and nothing that the user says is different. */
static bool are_of_one(const struct tb_source *a, const struct tb_source *b) {
  return is_split(a) && is_split(b) && a->format == b->format &&
         a->prescan.split.recording == b->prescan.split.recording && tb_part_is_said_alike(a, b);
}

/* The part of that trace with the lowest number above `after`; of two with one number the first. NULL: none. */
static const struct tb_source *next_part(const struct tb_merger *m, const struct tb_source *of, int64_t after) {
  const struct tb_source *next = NULL;
  for (size_t i = 0; i < m->source_count; i++) {
    const struct tb_source *s = &m->sources[i];
    if (!are_of_one(s, of) || s->prescan.split.number <= after) continue;
    if (!next || s->prescan.split.number < next->prescan.split.number) next = s;
  }
  return next;
}

enum tb_status tb_split_parts_link(struct tb_merger *m, struct tb_part_link *links) {
  for (size_t i = 0; i < m->source_count; i++) {
    const struct tb_source *s = &m->sources[i];
    if (!is_split(s) || next_part(m, s, -1) != s) continue;
    for (const struct tb_source *at = s, *next; (next = next_part(m, s, at->prescan.split.number)); at = next) {
      links[at->index].behind = next->index;
      links[next->index].begin = s->index;
    }
  }
  return TB_OK;
}

/* ---- what a part repeats ----------------------------------------------------------------------------------------- */

/* What is said of the whole trace, and no state of a sequence. Descriptions are needed where part 0 is not there. */
static bool repeats(const struct tb_packet_header *head, bool has_first) {
  if (head->cleared || head->dropped || head->first || head->has_defaults || head->interned_count) return false;
  switch (head->kind) {
    case TB_TRACE_PACKET_THREAD_DESCRIPTOR:
    case TB_TRACE_PACKET_PROCESS_DESCRIPTOR:
      return false;
    case TB_TRACE_PACKET_TRACK_DESCRIPTOR:
    case TB_TRACE_PACKET_PROCESS_TREE:
      return has_first;
    default:
      return tb_packet_is_timeless(head->kind);
  }
}

static enum tb_status flush(struct tb_merger *m, struct tb_buffer *buffer, uint64_t *len) {
  enum tb_status status = tb_copy_store_put(&m->store, *len, buffer->data, buffer->len, &m->error);
  *len += buffer->len;
  buffer->len = 0;
  return status;
}

/* Appends the packet without readings of clocks, which are those of earlier parts: no time of it counts from them. */
static enum tb_status append_packet(const struct tb_raw_packet *packet, struct tb_buffer *buffer) {
  if (!packet->packet.ptr || !packet->head.clock_snapshot.ptr)
    return tb_buffer_append(buffer, packet->framed.ptr, packet->framed.len);
  struct tb_wire_cursor cursor = tb_wire_cursor(packet->packet);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(buffer, TB_TRACE_PACKET);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number != TB_TRACE_PACKET_CLOCK_SNAPSHOT) status = tb_wire_buffer_field(buffer, &field, cursor.at);
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

static enum tb_status append_packets(struct tb_merger *m, struct tb_raw_packet_reader *packets, bool has_first,
                                     uint64_t *len) {
  struct tb_raw_packet packet = {.packet = {NULL, 0}};
  struct tb_buffer buffer;
  tb_buffer_init(&buffer, m->allocator, 0);
  enum tb_status status;
  while ((status = tb_raw_packet_reader_next(packets, &packet, &m->error)) == TB_OK) {
    if (packet.packet.ptr && repeats(&packet.head, has_first)) continue;
    status = append_packet(&packet, &buffer);
    if (status == TB_OK && buffer.len >= COPY_BYTES) status = flush(m, &buffer, len);
    if (status != TB_OK) break;
  }
  if (status == TB_END && buffer.len) status = flush(m, &buffer, len);
  tb_buffer_free(&buffer);
  return status == TB_END ? TB_OK : status;
}

enum tb_status tb_split_parts_append(struct tb_merger *m, const struct tb_source *part, const struct tb_source *head,
                                     uint64_t *len) {
  struct tb_raw_packet_reader_options options = {.allocator = m->allocator, .only_heads = true};
  struct tb_raw_packet_reader *packets;
  enum tb_status status = tb_raw_packet_reader_open(&part->place, &options, &packets, &m->error);
  if (status == TB_OK) status = append_packets(m, packets, head->prescan.split.number == 0, len);
  if (status == TB_OK || packets) tb_raw_packet_reader_close(packets);
  return status;
}
