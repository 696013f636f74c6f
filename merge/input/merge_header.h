/* SPDX-License-Identifier: Apache-2.0
 *
 * The fields of a TracePacket that say whose and when it is, and where those are that a merge may change.
 */
#ifndef TB_MERGE_INPUT_MERGE_HEADER_H
#define TB_MERGE_INPUT_MERGE_HEADER_H

#include <stdbool.h>

#include "perfetto/packet/packet_header.h"

enum { TB_MERGE_HEADER_NOTES = 8 };

/* Payload fields are empty slices where the packet has none; a field that comes twice counts as its last. */
struct tb_merge_header {
  bool has_timestamp, has_clock, cleared, needs_state;
  uint64_t timestamp;
  uint32_t clock, sequence, machine;
  uint32_t kind;         /* field number of the first payload, 0 for none */
  struct tb_str payload; /* the same field, the last that has that number */
  struct tb_str clock_snapshot, defaults;
  /* The fields in their order that ids, times and machines may change in, numbers of processes left out; as many as
   * there is room for. */
  struct tb_wire_field notes[TB_MERGE_HEADER_NOTES];
  uint32_t note_count; /* beyond TB_MERGE_HEADER_NOTES: there are more than noted */
  bool damaged;        /* the packet's end cannot be read */
};

/* Reads a packet's head, without `notes` (note_count is beyond TB_MERGE_HEADER_NOTES then) where nobody is to change
 * it. TB_OK, or the status of tb_wire_next for a packet that is damaged inside: the head then holds what came
 * before. */
enum tb_status tb_merge_header_read(struct tb_str packet, struct tb_merge_header *head, bool notes);

/* What tb_merge_header_read with notes makes of a packet that tb_packet_common_read has read. */
void tb_merge_header_take_common(struct tb_merge_header *head, const struct tb_packet_common *common);

/* The payload where it is of this kind, else empty. */
static inline struct tb_str tb_merge_header_payload(const struct tb_merge_header *head, uint32_t kind) {
  return head->kind == kind ? head->payload : (struct tb_str){NULL, 0};
}

#endif
