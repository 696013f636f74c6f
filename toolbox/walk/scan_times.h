/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of packets as they were found while a trace was scanned, and whether they are the same once all of its clock
 * snapshots are known. Kept are no single times but, of each clock, from when to when its times were converted alike.
 */
#ifndef TB_TOOLBOX_WALK_SCAN_TIMES_H
#define TB_TOOLBOX_WALK_SCAN_TIMES_H

#include "merge/clocks/input_clocks.h"

/* Times of a clock, on that clock, to which the same was added. */
struct tb_scan_piece {
  uint32_t node;
  uint64_t offset;
  int64_t first, last;
};

/* Caller-owned; tb_scan_times_init, then tb_scan_times_free. */
struct tb_scan_times {
  const struct tb_allocator *allocator;
  struct tb_map latest; /* node of a clock -> its last piece, plus one */
  struct tb_scan_piece *pieces;
  size_t count, capacity;
  struct tb_scan_piece *current; /* the one that a time came to last; NULL: none, or there was no memory for it */
  bool failed;                   /* the latter */
};

void tb_scan_times_init(struct tb_scan_times *times, const struct tb_allocator *allocator);
void tb_scan_times_free(struct tb_scan_times *times);

/* Sets `current`: begins a piece of the clock, or goes on with its last one. */
void tb_scan_times_turn_to(struct tb_scan_times *times, uint32_t node, int64_t own, uint64_t offset);

/* A time of the clock of a node: `own` on that clock, to which `offset` is added. */
static inline void tb_scan_times_add(struct tb_scan_times *times, uint32_t node, int64_t own, uint64_t offset) {
  struct tb_scan_piece *piece = times->current;
  if (!piece || piece->node != node || piece->offset != offset) {
    tb_scan_times_turn_to(times, node, own, offset);
    piece = times->current;
    if (!piece) return;
  }
  if (own < piece->first) piece->first = own;
  if (own > piece->last) piece->last = own;
}

/* Whether each of them is converted to the trace clock as it was, by what the clocks know now. */
bool tb_scan_times_hold(const struct tb_scan_times *times, struct tb_input_clocks *clocks);

#endif
