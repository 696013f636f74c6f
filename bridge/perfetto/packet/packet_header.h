/* SPDX-License-Identifier: Apache-2.0
 *
 * What a TracePacket says of itself, apart from its payload: the one parser of packet headers, for reading and merging.
 */
#ifndef TB_PERFETTO_PACKET_PACKET_HEADER_H
#define TB_PERFETTO_PACKET_PACKET_HEADER_H

#include <stdbool.h>

#include "protobuf/wire.h"
#include "protos/field_numbers.h"

struct tb_packet_reader;

struct tb_packet_header {
  const char *start;   /* of the packet's tag */
  struct tb_str bytes; /* the whole message */
  uint64_t offset;     /* of the packet's tag; for a decompressed packet that of the packet it was in */
  bool opened;         /* it was compressed in another */
  bool has_timestamp, has_clock;
  bool cleared, dropped, first, has_defaults, derived;
  /* Members that are tested one after the other are apart: compilers load neighbours as one, and wait for both
   * stores. */
  uint32_t rare; /* not 0 where it has more than time, clock, sequence, flags that clear nothing, and a track event */
  uint32_t interned_count;
  uint32_t json_flow_count; /* which are in `bytes` */
  uint32_t sequence;
  uint32_t flags;
  uint32_t clock;
  uint32_t kind; /* field number of the payload; 0: none */
  uint32_t machine;
  uint64_t timestamp;
  uint64_t merge_identity; /* 0: none */
  struct tb_str payload;
  struct tb_str interned; /* the first of interned_count */
  struct tb_str defaults;
  struct tb_str fxt_origin;     /* ptr NULL: none */
  struct tb_str clock_snapshot; /* the last; ptr NULL: none */
};

/* Reads `bytes` into *head (start, offset and opened left alone), which is zero at first and may then be used again and
 * again. Of several fields of one number the last counts, of several payloads the last. TB_OK; TB_BAD_DATA where they
 * are no well-formed message: the head then holds what came before the damage. */
TB_MUST_CHECK enum tb_status tb_packet_header_read(struct tb_packet_header *head, struct tb_str bytes);

/* The header of the packet that the reader gave last. */
const struct tb_packet_header *tb_packet_reader_header(const struct tb_packet_reader *reader);

/* The payload where it is of this kind, else empty. */
static inline struct tb_str tb_packet_header_payload(const struct tb_packet_header *head, uint32_t kind) {
  return head->kind == kind ? head->payload : (struct tb_str){NULL, 0};
}

/* ---- for merging ------------------------------------------------------------------------------------------------- */

enum { TB_PACKET_FIELDS_MAX = 8 };

/* The fields of a packet, in their order, in which merging may change ids, times and machines: timestamp, clock,
 * sequence, machine, merge_identity, defaults and payloads. The ids of processes are left out. */
struct tb_packet_fields {
  struct tb_wire_field list[TB_PACKET_FIELDS_MAX]; /* the first of `count` */
  uint32_t count;                                  /* beyond TB_PACKET_FIELDS_MAX: there are more than listed */
  bool damaged;                                    /* the packet's end cannot be read */
};

/* As tb_packet_header_read, but the payload is the last of the number that came first among those that readers may
 * know; where there is none, the last of all. A group is a payload, too. *fields: what may change; NULL where nobody
 * is to change the packet. */
TB_MUST_CHECK enum tb_status tb_packet_header_read_to_merge(struct tb_packet_header *head, struct tb_str bytes,
                                                            struct tb_packet_fields *fields);

/* ---- packets of nothing but what nearly all have ----------------------------------------------------------------- */

/* Behind a message so many bytes must be readable for tb_packet_common_read. */
enum { TB_PACKET_AHEAD = 128 };

/* The tags of its fields. */
enum {
  TB_PACKET_TAG_TIMESTAMP = TB_WIRE_TAG(TB_TRACE_PACKET_TIMESTAMP, TB_WIRE_VARINT),
  TB_PACKET_TAG_SEQUENCE = TB_WIRE_TAG(TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, TB_WIRE_VARINT),
  TB_PACKET_TAG_FLAGS = TB_WIRE_TAG(TB_TRACE_PACKET_SEQUENCE_FLAGS, TB_WIRE_VARINT),
  TB_PACKET_TAG_UID = TB_WIRE_TAG(TB_TRACE_PACKET_TRUSTED_UID, TB_WIRE_VARINT),
  TB_PACKET_TAG_EVENT = TB_WIRE_TAG(TB_TRACE_PACKET_TRACK_EVENT, TB_WIRE_BYTES)
};

/* A packet with a track event and no other fields than a timestamp, a sequence, flags that clear nothing, a user and
 * a process id. Where a field is: its tag's first byte; NULL for one that is not there. */
struct tb_packet_common {
  uint64_t timestamp;
  uint32_t sequence, flags;
  struct tb_str payload;
  const char *timestamp_at, *timestamp_end;
  const char *sequence_at, *sequence_end;
  const char *event_at;
};

/* The byte after the number's field where it is at `at`, `at` itself where another is; NULL where it is damaged. */
static TB_ALWAYS_INLINE const char *tb_packet_take(const char *at, uint8_t tag, uint64_t *value) {
  return (unsigned char)*at == tag ? tb_wire_read_varint_ahead(at + 1, value) : at;
}

static TB_ALWAYS_INLINE const char *tb_packet_take_sequence(const char *at, struct tb_packet_common *common) {
  uint64_t value;
  const char *after = tb_packet_take(at, TB_PACKET_TAG_SEQUENCE, &value);
  if (!after || after == at) return after;
  common->sequence = (uint32_t)value;
  common->sequence_at = at;
  common->sequence_end = after;
  return after;
}

static TB_ALWAYS_INLINE const char *tb_packet_take_flags(const char *at, struct tb_packet_common *common) {
  uint64_t value;
  const char *after = tb_packet_take(at, TB_PACKET_TAG_FLAGS, &value);
  if (after && after != at) common->flags = (uint32_t)value;
  return after;
}

static TB_ALWAYS_INLINE const char *tb_packet_take_pid(const char *at) {
  const unsigned tag = TB_WIRE_TAG2(TB_TRACE_PACKET_TRUSTED_PID, TB_WIRE_VARINT);
  uint64_t value;
  return ((unsigned char)at[0] | (unsigned)(unsigned char)at[1] << 8) == tag ? tb_wire_read_varint_ahead(at + 2, &value)
                                                                             : at;
}

/* What is behind the track event. First: a user and a sequence of one byte each, compared at once. */
static TB_ALWAYS_INLINE bool tb_packet_take_rest(const char *at, const char *end, struct tb_packet_common *common) {
  uint64_t value;
  uint32_t word = tb_load32(at);
  if (end - at == 4 && (word & 0x80ff80ff) == (TB_PACKET_TAG_UID | TB_PACKET_TAG_SEQUENCE << 16) &&
      !common->sequence_at) {
    common->sequence = word >> 24;
    common->sequence_at = at + 2;
    common->sequence_end = end;
    return true;
  }
  at = tb_packet_take_flags(at, common);
  if (at) at = tb_packet_take(at, TB_PACKET_TAG_UID, &value);
  if (at && !common->sequence_at) at = tb_packet_take_sequence(at, common);
  if (at && at != end) at = tb_packet_take_pid(at);
  return at == end;
}

/* What is between the timestamp and the track event. First: flags of one byte, compared at once. */
static TB_ALWAYS_INLINE const char *tb_packet_take_middle(const char *at, struct tb_packet_common *common) {
  uint32_t word = tb_load32(at);
  if ((word & 0xff80ff) == (TB_PACKET_TAG_FLAGS | TB_PACKET_TAG_EVENT << 16)) {
    common->flags = word >> 8 & 0x7f;
    return at + 2;
  }
  at = tb_packet_take_sequence(at, common);
  if (at) at = tb_packet_take_flags(at, common);
  return at && (unsigned char)*at == TB_PACKET_TAG_EVENT ? at : NULL;
}

/* Reads a packet whose fields are in the orders in which producers write them. False, and *common not to be used, where
 * it is another. */
static TB_ALWAYS_INLINE bool tb_packet_common_read(struct tb_str bytes, struct tb_packet_common *common) {
  const char *at = bytes.ptr, *end = at + bytes.len;
  uint64_t value;
  common->sequence = common->flags = 0;
  common->sequence_at = common->sequence_end = NULL;
  if ((unsigned char)*at == TB_PACKET_TAG_TIMESTAMP) {
    common->timestamp_at = at;
    at = tb_wire_read_varint_ahead(at + 1, &common->timestamp);
    if (!at) return false;
    common->timestamp_end = at;
  } else {
    common->timestamp = 0;
    common->timestamp_at = common->timestamp_end = NULL;
  }
  at = tb_packet_take_middle(at, common);
  if (!at) return false;
  common->event_at = at;
  at = tb_wire_read_varint_ahead(at + 1, &value);
  if (!at || at > end || value > (uint64_t)(end - at)) return false;
  common->payload.ptr = at;
  common->payload.len = (size_t)value;
  at += value;
  return (at == end || tb_packet_take_rest(at, end, common)) &&
         !(common->flags & TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED);
}

void tb_packet_header_reset_rare(struct tb_packet_header *head);

/* What tb_packet_header_read makes of such a packet. */
static TB_ALWAYS_INLINE void tb_packet_header_take_common(struct tb_packet_header *head, struct tb_str bytes,
                                                          const struct tb_packet_common *common) {
  if (head->rare) tb_packet_header_reset_rare(head);
  head->bytes.ptr = bytes.ptr;
  head->bytes.len = bytes.len;
  head->has_timestamp = common->timestamp_at != NULL;
  head->has_clock = false;
  head->sequence = common->sequence;
  head->flags = common->flags;
  head->kind = TB_TRACE_PACKET_TRACK_EVENT;
  head->timestamp = common->timestamp;
  head->payload.ptr = common->payload.ptr;
  head->payload.len = common->payload.len;
}

/* What tb_packet_header_read_to_merge lists of such a packet. */
void tb_packet_fields_take_common(struct tb_packet_fields *fields, const struct tb_packet_common *common);

#endif
