/* SPDX-License-Identifier: Apache-2.0
 *
 * RemoteClockSync: how far the clocks of another machine are ahead of the recording one's.
 */
#ifndef TB_PERFETTO_CLOCK_REMOTE_CLOCK_SYNC_H
#define TB_PERFETTO_CLOCK_REMOTE_CLOCK_SYNC_H

#include "perfetto/clock/clock_graph.h"

enum { TB_REMOTE_SYNC_CLOCKS = TB_CLOCKS_IN_SNAPSHOT_MAX }; /* of one sync; more are left out */

struct tb_remote_clock {
  uint32_t id;
  int64_t ns;    /* the other machine's first reading */
  int64_t ahead; /* as the trace processor has it: the mean of what all pairs of rounds say */
};

/* The clocks of a RemoteClockSync message that two rounds in a row read on both machines. *count of them, none where
 * the message is damaged: TB_BAD_DATA then, else TB_OK. */
TB_MUST_CHECK enum tb_status tb_remote_clock_sync_read(struct tb_str message, struct tb_remote_clock *clocks,
                                                       size_t *count);

/* Who says it: the packet's machine and sequence, and the trace clock. */
struct tb_sync_origin {
  uint32_t machine, sequence;
  uint64_t trace_clock;
};

/* Adds what a RemoteClockSync, which tb_remote_clock_sync_read could read, says of the other machine's clocks: each
 * reading of them is a snapshot, as the trace processor has it. *refused counts those that tb_clock_graph_add did not
 * take. TB_OK, or what else tb_clock_graph_add returns. */
TB_MUST_CHECK enum tb_status tb_remote_clock_sync_add(struct tb_clock_graph *graph, struct tb_str message,
                                                      const struct tb_sync_origin *origin, size_t *refused);

#endif
