/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/split/part_size.h"

enum { SEQUENCES_MAX = 1 << 24, CLOCK_ID_BYTES = 3, OWN_SHARE = 8 };

void tb_part_size_init(struct tb_part_size *size, const struct tb_allocator *allocator) {
  *size = (struct tb_part_size){.allocator = allocator, .part = 1};
}

void tb_part_size_free(struct tb_part_size *size) {
  tb_free(size->allocator, size->sequences, size->capacity * sizeof(*size->sequences));
}

/* NULL where memory is out. */
static struct tb_sequence_size *get_sequence(struct tb_part_size *size, size_t number) {
  void *items = size->sequences;
  enum tb_status status = number < size->count ? TB_OK
                                               : tb_grow_array(size->allocator, &items, &size->capacity, number + 1,
                                                               sizeof(*size->sequences), SEQUENCES_MAX);
  size->sequences = items;
  if (status != TB_OK) return NULL;
  while (size->count <= number) size->sequences[size->count++] = (struct tb_sequence_size){.state = 0};
  return &size->sequences[number];
}

/* How much longer a time of the trace clock is than the time of the walk's current packet. */
static size_t growth(const struct tb_walk *walk) {
  char number[TB_WIRE_VARINT_MAX];
  size_t now = (size_t)(tb_wire_put_varint(number, walk->packet.head.timestamp) - number);
  size_t then = (size_t)(tb_wire_put_varint(number, (uint64_t)walk->host_time) - number);
  return then + CLOCK_ID_BYTES - (now < then ? now : then);
}

enum tb_status tb_part_size_take(struct tb_part_size *size, const struct tb_walk *walk, bool is_common,
                                 bool is_absolute) {
  const struct tb_packet_header *head = &walk->packet.head;
  struct tb_sequence_size *sequence = get_sequence(size, walk->sequence_number);
  if (!sequence) return TB_NO_MEMORY;
  uint64_t len = walk->packet.framed.len;
  if (head->cleared) sequence->state = 0;
  if (!head->kind) {
    sequence->state += len;
    if (sequence->part == size->part) size->states += len;
  } else if (is_common) {
    size->common += len;
  } else {
    if (sequence->part != size->part) size->states += sequence->state;
    sequence->part = size->part;
    size->own += len + (is_absolute && size->part > 1 ? growth(walk) : 0);
    if (head->interned_count) sequence->state += head->interned.len; /* nearly all have one */
  }
  return TB_OK;
}

bool tb_part_size_is_full(const struct tb_part_size *size, uint64_t bytes) {
  return size->own >= bytes / OWN_SHARE && size->own + size->states + size->common >= bytes;
}

void tb_part_size_next_part(struct tb_part_size *size) {
  size->part++;
  size->own = size->states = 0;
}
