/* SPDX-License-Identifier: Apache-2.0
 *
 * Fetches into the cache what the packets need that come next. Where packets change from one to another of many
 * sequences and tracks, each would else wait for memory several times:
 *
 *   packet n is read      n + 4: the sequence and the track that its ids lead to are fetched
 *                         n + 8: its ids are read, and fetched is where the maps have them
 */
#ifndef TB_PERFETTO_READER_TABLES_PREFETCH_H
#define TB_PERFETTO_READER_TABLES_PREFETCH_H

#include "perfetto/packet/packet_tokenizer.h"
#include "perfetto/packet/sequence_state.h"
#include "perfetto/reader/tables/track_table.h"

enum { TB_PREFETCH_AHEAD = 8 };

struct tb_prefetch_ids {
  uint32_t sequence;
  uint64_t uuid;
};

/* Wholly public, caller-owned; all 0 at first. */
struct tb_prefetcher {
  struct tb_packet_window window; /* of the stream */
  struct tb_packet_cursor cursor;
  struct tb_prefetch_ids ids[TB_PREFETCH_AHEAD]; /* of the packets up to the cursor, in turn */
  uint32_t count;                                /* of packets looked at */
};

/* Called before each packet. */
void tb_prefetcher_step(struct tb_prefetcher *p, const struct tb_packet_tokenizer *stream,
                        const struct tb_trace_state *state, const struct tb_tracks *tracks);

#endif
