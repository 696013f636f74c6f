/* SPDX-License-Identifier: Apache-2.0
 *
 * How long wakelocks were held where packets that say so are left out. Each says how much that has grown since the one
 * before of its sequence, and the first one has the names: so one says both in place of all before it.
 */
#ifndef TB_TOOLBOX_CUT_WAKELOCKS_H
#define TB_TOOLBOX_CUT_WAKELOCKS_H

#include "base/map.h"
#include "toolbox/walk/packet_walk.h"

/* Of one sequence. */
struct tb_wakelock_sums {
  size_t sequence;        /* the walk's number */
  uint64_t number;        /* of the last packet */
  bool is_cleared;        /* its state was cleared since then */
  bool is_first;          /* that one is the first of the state */
  bool is_said;           /* packets that stay say the sums since the state was cleared: see tb_wakelocks_say */
  struct tb_map ms;       /* id of a wakelock -> how long it was held */
  struct tb_buffer names; /* of all ids: fields of packets */
};

/* Caller-owned; tb_wakelocks_init, then tb_wakelocks_free. */
struct tb_wakelocks {
  const struct tb_allocator *allocator;
  struct tb_wakelock_sums *items;
  size_t count, capacity;
};

void tb_wakelocks_init(struct tb_wakelocks *wakelocks, const struct tb_allocator *allocator);
void tb_wakelocks_free(struct tb_wakelocks *wakelocks);

/* Takes in the walk's current packet, which is one of wakelocks, or clears the state of its sequence. TB_OK,
 * TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_wakelocks_take(struct tb_wakelocks *wakelocks, const struct tb_walk *walk);
void tb_wakelocks_take_clear(struct tb_wakelocks *wakelocks, const struct tb_walk *walk);

/* Of the walk's current packet, which was taken in and stays: whether those that stay say all of the sums, with it as
 * it is; else what tb_wakelocks_append has comes in its place. */
bool tb_wakelocks_say(struct tb_wakelocks *wakelocks, const struct tb_walk *walk);

/* Appends what comes in place of the walk's current packet, framed: its state, and the sums at `host_time` of machine
 * 0's trace clock. Nothing where it is not the last one of its sequence that was taken in. Errors as above. */
TB_MUST_CHECK enum tb_status tb_wakelocks_append(const struct tb_wakelocks *wakelocks, const struct tb_walk *walk,
                                                 int64_t host_time, struct tb_buffer *b);

#endif
