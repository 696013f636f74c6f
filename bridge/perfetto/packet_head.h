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

/* ---- packets of nothing but what nearly all have ---------------------------------------------------------------------- */

/* Behind a message so many bytes must be readable for tb_packet_common_read. */
enum { TB_PACKET_AHEAD = 128 };

/* A packet that has a track event and at most a timestamp, a sequence, flags that clear nothing and a user id beside it.
 * Where a field stands: its tag's first byte; NULL for one that is not there. */
struct tb_packet_common {
  uint64_t timestamp;
  uint32_t sequence, flags;
  struct tb_slice payload;
  const char *timestamp_at, *timestamp_end;
  const char *sequence_at, *sequence_end;
  const char *event_at;
};

/* Reads a packet whose fields stand in the orders in which producers write them. False, and *common not to be used, where
 * it is another. */
static TB_ALWAYS_INLINE bool tb_packet_common_read(struct tb_slice bytes, struct tb_packet_common *common) {
#define IS_NEXT(field) ((unsigned char)*at == TB_WIRE_TAG(field, TB_WIRE_VARINT))
#define TAKE(use)                                                        \
  do {                                                                   \
    const char *start = at;                                              \
    if (!(at = tb_wire_read_varint_ahead(at + 1, &value))) return false; \
    (void)start;                                                         \
    use;                                                                 \
  } while (0)
#define TAKE_SEQUENCE() \
  TAKE((common->sequence = (uint32_t)value, common->sequence_at = start, common->sequence_end = at))
  const char *at = bytes.ptr, *end = at + bytes.len;
  uint64_t value;
  common->timestamp = 0;
  common->sequence = common->flags = 0;
  common->timestamp_at = common->sequence_at = common->timestamp_end = common->sequence_end = NULL;
  if (IS_NEXT(TB_TRACE_PACKET_TIMESTAMP))
    TAKE((common->timestamp = value, common->timestamp_at = start, common->timestamp_end = at));
  if (IS_NEXT(TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID)) TAKE_SEQUENCE();
  if (IS_NEXT(TB_TRACE_PACKET_SEQUENCE_FLAGS)) TAKE(common->flags = (uint32_t)value);
  if ((unsigned char)*at != TB_WIRE_TAG(TB_TRACE_PACKET_TRACK_EVENT, TB_WIRE_BYTES)) return false;
  TAKE(common->event_at = start);
  if (at > end || value > (uint64_t)(end - at)) return false;
  common->payload.ptr = at;
  common->payload.len = (size_t)value;
  at += value;
  if (at != end) {
    if (IS_NEXT(TB_TRACE_PACKET_SEQUENCE_FLAGS)) TAKE(common->flags = (uint32_t)value);
    if (IS_NEXT(TB_TRACE_PACKET_TRUSTED_UID)) TAKE((void)value);
    if (!common->sequence_at && IS_NEXT(TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID)) TAKE_SEQUENCE();
    if (at != end) return false;
  }
  return !(common->flags & TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED);
#undef TAKE_SEQUENCE
#undef TAKE
#undef IS_NEXT
}

void tb_packet_head_reset_rare(struct tb_packet_head *head);

/* tb_packet_head_read of such a packet; false, and *head as it was, where it is another. */
static TB_ALWAYS_INLINE bool tb_packet_head_read_common(struct tb_packet_head *head, struct tb_slice bytes) {
  struct tb_packet_common common;
  if (!tb_packet_common_read(bytes, &common)) return false;
  if (head->rare) tb_packet_head_reset_rare(head);
  head->bytes.ptr = bytes.ptr;
  head->bytes.len = bytes.len;
  head->has_timestamp = common.timestamp_at != NULL;
  head->has_clock = false;
  head->sequence = common.sequence;
  head->flags = common.flags;
  head->kind = TB_TRACE_PACKET_TRACK_EVENT;
  head->timestamp = common.timestamp;
  head->payload.ptr = common.payload.ptr;
  head->payload.len = common.payload.len;
  return true;
}

#endif
