/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/input/split_parts.h"

#include "base/error.h"
#include "base/intern.h"
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

struct part_copy {
  struct tb_merger *m;
  struct tb_buffer buffer;
  uint64_t *len;       /* of the copy */
  bool has_first;      /* of parts that are joined: part 0 is there */
  struct tb_map *said; /* of a trace that was made of joined parts: hash of a packet -> 1; else NULL */
};

static bool says_state(const struct tb_packet_header *head) {
  return head->cleared || head->dropped || head->first || head->has_defaults || head->interned_count;
}

/* What is said of the whole trace, and no state of a sequence. Descriptions are needed where part 0 is not there. */
static bool repeats(const struct tb_packet_header *head, bool has_first) {
  if (says_state(head)) return false;
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

/* Sets *again to whether the packet says of the whole trace what one before it said in the same words. */
static enum tb_status is_said_again(struct tb_map *said, const struct tb_packet_header *head, bool *again) {
  *again = false;
  if (says_state(head) || (head->kind != TB_TRACE_PACKET_TRACE_ATTRIBUTES && !head->clock_snapshot.ptr)) return TB_OK;
  uint64_t hash = tb_str_hash(head->bytes, 0);
  *again = tb_map_find(said, hash, 0) != NULL;
  return tb_map_put(said, hash, 0, 1);
}

static enum tb_status flush(struct part_copy *c) {
  enum tb_status status = tb_copy_store_put(&c->m->store, *c->len, c->buffer.data, c->buffer.len, &c->m->error);
  *c->len += c->buffer.len;
  c->buffer.len = 0;
  return status;
}

/* Appends the packet without readings of clocks, which are those of earlier parts: no time of it counts from them. */
static enum tb_status append_packet(const struct tb_raw_packet *packet, struct tb_buffer *buffer) {
  if (!packet->head.clock_snapshot.ptr) return tb_buffer_append(buffer, packet->framed.ptr, packet->framed.len);
  struct tb_wire_cursor cursor = tb_wire_cursor(packet->packet);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(buffer, TB_TRACE_PACKET);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number != TB_TRACE_PACKET_CLOCK_SNAPSHOT) status = tb_wire_buffer_field(buffer, &field, cursor.at);
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

static enum tb_status take_packet(struct part_copy *c, const struct tb_raw_packet *packet) {
  bool again = false;
  if (!packet->packet.ptr) return tb_buffer_append(&c->buffer, packet->framed.ptr, packet->framed.len);
  if (!c->said) return repeats(&packet->head, c->has_first) ? TB_OK : append_packet(packet, &c->buffer);
  enum tb_status status = is_said_again(c->said, &packet->head, &again);
  return again || status != TB_OK ? status : tb_buffer_append(&c->buffer, packet->framed.ptr, packet->framed.len);
}

static enum tb_status take_packets(struct part_copy *c, struct tb_raw_packet_reader *packets) {
  struct tb_raw_packet packet = {.packet = {NULL, 0}};
  enum tb_status status;
  while ((status = tb_raw_packet_reader_next(packets, &packet, &c->m->error)) == TB_OK) {
    status = take_packet(c, &packet);
    if (status == TB_OK && c->buffer.len >= COPY_BYTES) status = flush(c);
    if (status != TB_OK) break;
  }
  if (status == TB_END && c->buffer.len) status = flush(c);
  return status == TB_END ? TB_OK : status;
}

static enum tb_status copy(struct part_copy *c, const struct tb_input_place *place) {
  struct tb_raw_packet_reader_options options = {.allocator = c->m->allocator, .only_heads = true};
  struct tb_raw_packet_reader *packets;
  tb_buffer_init(&c->buffer, c->m->allocator, 0);
  enum tb_status status = tb_raw_packet_reader_open(place, &options, &packets, &c->m->error);
  if (status == TB_OK) status = take_packets(c, packets);
  if (status == TB_OK || packets) tb_raw_packet_reader_close(packets);
  tb_buffer_free(&c->buffer);
  return status;
}

enum tb_status tb_split_parts_append(struct tb_merger *m, const struct tb_source *part, const struct tb_source *head,
                                     uint64_t *len) {
  struct part_copy c = {.m = m, .len = len, .has_first = head->prescan.split.number == 0};
  return copy(&c, &part->place);
}

enum tb_status tb_split_parts_say_once(struct tb_merger *m, const char *name, struct tb_input_place *trace) {
  char to[TB_COPY_STORE_NAME];
  struct tb_map said;
  struct tb_input_place from = *trace;
  uint64_t len = 0;
  struct part_copy c = {.m = m, .len = &len, .said = &said};
  tb_map_init(&said, m->allocator);
  enum tb_status status = tb_copy_store_begin(&m->store, name, trace, to, &m->error);
  if (status == TB_OK) status = copy(&c, &from);
  if (status == TB_OK) status = tb_copy_store_end(&m->store, len, trace, &m->error);
  tb_copy_store_forget(&m->store, &from);
  tb_map_free(&said);
  return status;
}
