/* SPDX-License-Identifier: Apache-2.0
 *
 * What a TracePacket says of itself, apart from its payload.
 */
#ifndef TB_PERFETTO_PACKET_HEAD_H
#define TB_PERFETTO_PACKET_HEAD_H

#include <stdbool.h>

#include "perfetto/fields.h"
#include "perfetto/wire.h"

struct tb_packet_head {
  const char *start;     /* of the packet's tag */
  struct tb_slice bytes; /* the whole message */
  uint64_t offset;       /* of the packet's tag; for a decompressed packet that of the packet it stood in */
  bool opened;           /* it stood compressed in another */
  bool has_timestamp, has_clock;
  bool cleared, dropped, first, has_defaults;
  /* Members that are tested one after the other stand apart: compilers load neighbours as one, and wait for both stores. */
  uint32_t rare; /* not 0 where it has more than time, clock, sequence, flags that clear nothing, and a track event */
  uint32_t interned_count;
  uint32_t sequence;
  uint32_t flags;
  uint32_t clock;
  uint32_t kind; /* field number of the payload; 0: none */
  uint32_t machine;
  uint64_t timestamp;
  struct tb_slice payload;
  struct tb_slice interned; /* the first of interned_count */
  struct tb_slice defaults;
  struct tb_slice fxt_origin; /* ptr NULL: none */
};

/* Reads `bytes` into *head (start, offset and opened left alone), which is zero at first and may then be used again and
 * again. TB_OK; TB_BAD_DATA where they are no well-formed message. */
TB_MUST_CHECK enum tb_status tb_packet_head_read(struct tb_packet_head *head, struct tb_slice bytes);

/* Behind a message so many bytes must be readable for tb_packet_head_read_common. */
enum { TB_PACKET_HEAD_AHEAD = 128 };

void tb_packet_head_reset_rare(struct tb_packet_head *head);

/* The same for a message of nothing but what nearly all have, in the orders in which producers write it. False, and *head
 * not to be used, where it is another. */
static TB_ALWAYS_INLINE bool tb_packet_head_read_common(struct tb_packet_head *head, struct tb_slice bytes) {
#define TAKE(field, use)                                                 \
  if ((unsigned char)*at == TB_WIRE_TAG(field, TB_WIRE_VARINT)) {        \
    if (!(at = tb_wire_read_varint_ahead(at + 1, &value))) return false; \
    use;                                                                 \
  }
  const char *at = bytes.ptr, *end = at + bytes.len, *payload = NULL;
  uint64_t value, timestamp = 0;
  uint32_t sequence = 0, flags = 0;
  bool has_timestamp = false;
  TAKE(TB_TRACE_PACKET_TIMESTAMP, (timestamp = value, has_timestamp = true))
  TAKE(TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, sequence = (uint32_t)value)
  TAKE(TB_TRACE_PACKET_SEQUENCE_FLAGS, flags = (uint32_t)value)
  if ((unsigned char)*at != TB_WIRE_TAG(TB_TRACE_PACKET_TRACK_EVENT, TB_WIRE_BYTES)) return false;
  if (!(at = tb_wire_read_varint_ahead(at + 1, &value)) || at > end || value > (uint64_t)(end - at)) return false;
  payload = at;
  head->payload.len = (size_t)value;
  at += value;
  if (at != end) {
    TAKE(TB_TRACE_PACKET_SEQUENCE_FLAGS, flags = (uint32_t)value)
    TAKE(TB_TRACE_PACKET_TRUSTED_UID, (void)value)
    TAKE(TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, sequence = (uint32_t)value)
    if (at != end) return false;
  }
  if (flags & TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED) return false;
  if (head->rare) tb_packet_head_reset_rare(head);
  head->bytes.ptr = bytes.ptr;
  head->bytes.len = bytes.len;
  head->has_timestamp = has_timestamp;
  head->has_clock = false;
  head->sequence = sequence;
  head->flags = flags;
  head->kind = TB_TRACE_PACKET_TRACK_EVENT;
  head->timestamp = timestamp;
  head->payload.ptr = payload;
  return true;
#undef TAKE
}

#endif
