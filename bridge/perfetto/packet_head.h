/* SPDX-License-Identifier: Apache-2.0
 *
 * What a TracePacket says of itself, apart from its payload.
 */
#ifndef TB_PERFETTO_PACKET_HEAD_H
#define TB_PERFETTO_PACKET_HEAD_H

#include <stdbool.h>

#include "tracebridge/base.h"

struct tb_packet_head {
  const char *start;     /* of the packet's tag */
  struct tb_slice bytes; /* the whole message */
  uint64_t offset;       /* of the packet's tag; for a decompressed packet that of the packet it stood in */
  bool opened;           /* it stood compressed in another */
  bool has_timestamp, has_clock;
  bool cleared, dropped, first, has_defaults;
  /* Members that are tested one after the other stand apart: compilers load neighbours as one, and wait for both stores. */
  uint32_t rare; /* not 0 where it has more than time, sequence, flags that clear nothing, and a track event */
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

/* Reads `bytes` into *head (start, offset and opened left alone). TB_OK; TB_BAD_DATA where they are no well-formed
 * message. */
TB_MUST_CHECK enum tb_status tb_packet_head_read(struct tb_packet_head *head, struct tb_slice bytes);

#endif
