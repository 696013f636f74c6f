/* SPDX-License-Identifier: Apache-2.0
 *
 * ClockSnapshot messages, as readings for the clock graph, and their single clocks.
 */
#ifndef TB_PERFETTO_CLOCK_SNAPSHOT_H
#define TB_PERFETTO_CLOCK_SNAPSHOT_H

#include "perfetto/clock/clock_graph.h"

struct tb_snapshot_clock {
  uint64_t id, timestamp;
  uint64_t unit; /* ns of one count; at least 1 */
  bool incremental;
};

/* Reads the message. TB_OK; TB_BAD_DATA where it is damaged, *clock then what is before that. */
enum tb_status tb_snapshot_clock_read(struct tb_str message, struct tb_snapshot_clock *clock);

/* Its reading in ns; what does not fit wraps. */
static inline int64_t tb_snapshot_clock_ns(const struct tb_snapshot_clock *clock) {
  return (int64_t)(clock->timestamp * clock->unit);
}

struct tb_snapshot {
  struct tb_clock_reading_raw readings[TB_CLOCKS_IN_SNAPSHOT_MAX]; /* more are left out */
  size_t count;
  uint32_t primary; /* the trace clock that it names; 0: none */
};

/* Reads the message, which a packet of `sequence` has. Clocks of a sequence are left out where that is 0. TB_OK;
 * TB_BAD_DATA where it or one of its clocks is damaged, *snapshot then what can be read. */
enum tb_status tb_snapshot_read(struct tb_str message, uint32_t sequence, struct tb_snapshot *snapshot);

/* Whether a clock comes twice, or one that is no sequence's is incremental: then it relates nothing. */
bool tb_snapshot_contradicts_itself(const struct tb_snapshot *snapshot);
/* Whether a clock is incremental: it starts anew as often as its sequence likes. */
bool tb_snapshot_has_increments(const struct tb_snapshot *snapshot);
/* One number for all snapshots of the same clocks of a machine: no clock is to read less than in the one before. */
uint64_t tb_snapshot_group(const struct tb_snapshot *snapshot, uint32_t machine);

#endif
