/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns staged events in time order into begins and ends that nest on lanes.
 *
 *   events of one key, in time order        what the sink is called with
 *
 *   ts 0  COMPLETE A, dur 10                begin A on lane 0
 *   ts 2  COMPLETE B, dur 3                 begin B on lane 0
 *   ts 6  COMPLETE C, dur 9                 end B at 5, begin C on lane 1 (it outlasts A)
 *   ts 20 ...                               end A at 10, end C at 15
 *
 * Each event is handled in three steps:
 *   1. slices that close before it are ended, over all lanes in time order (COMPLETE events have no END of their own);
 *   2. a BEGIN or COMPLETE gets a lane: the one that its key used last if the slice nests in what is open there, else
 *      another lane of its key, a free lane of its lane group, or a new one (lane_allocator.h);
 *   3. an END ends its slice: the one that slice_matcher.h found, or, in a queue without matches, the newest open slice
 *      whose name and categories it has. An END without a slice goes to the sink's orphan_end.
 *
 * An END may end a slice that is not the innermost. The slices above it stay open then, and the lane remembers when
 * this happened (unwound_at), because the trace processor will drop them at the next event.
 */
#ifndef TB_TIMELINE_SLICE_NESTER_H
#define TB_TIMELINE_SLICE_NESTER_H

#include "timeline/lane_allocator.h"

/* The name of the lanes of slices that overlap others of their track, below it. */
#define TB_OVERLAPPING_SLICES TB_STR("overlapping slices")

/* True if a slice without an end is on top of one that ended at `ts`. The trace processor unwinds both at the next
 * event past `ts`, so a slice that begins here must not rely on an END of its own. */
bool tb_lane_is_above_ended_slice(const struct tb_lane *lane, int64_t ts);

/* Where the slices go. Each function returns TB_OK, or a status that ends the walk. Times never decrease from call to
 * call. */
struct tb_slice_nester_sink {
  void *ctx;
  /* The lane group that the tree of `key` that starts with `root` takes its lanes from. Key 0's lane group must be 0,
   * whose first lane is the queue's own track. */
  enum tb_status (*lane_group)(void *ctx, const struct tb_staged_event *root, uint32_t *lane_group);
  /* A slice, an instant or anything else that has no end, on lane `lane` (an index, for ever the same). *whole is
   * false; set, it says that the sink needs no call for the end. */
  enum tb_status (*begin)(void *ctx, const struct tb_staged_event *entry, size_t place, const struct tb_lane *lane,
                          uint32_t lane_index, bool *whole);
  /* The end of a lane's slice. `entry` is its END, NULL for a slice that ends by itself. `innermost` is false where
   * slices above it stay open because the source never ends them. `cut` says that the slice ends before its time,
   * because the one around it does. */
  enum tb_status (*end)(void *ctx, int64_t ts, const struct tb_staged_event *entry, const struct tb_open_slice *slice,
                        bool innermost, bool cut, const struct tb_lane *lane, uint32_t lane_index);
  /* An END without a slice. */
  enum tb_status (*orphan_end)(void *ctx, const struct tb_staged_event *entry, bool among_open);
};

struct tb_slice_nester {
  const struct tb_allocator *allocator;
  const struct tb_slice_nester_sink *sink;
  const struct tb_sort_queue *queue;
  bool instants_as_slices; /* set after init: instants are slices that end where they begin, as thread times need */
  bool matched;            /* the queue has matches */
  struct tb_lanes lanes;
};

/* `queue` has been matched where `matched` says so; its matches are used up then. */
void tb_slice_nester_init(struct tb_slice_nester *nesting, const struct tb_sort_queue *queue, bool matched,
                          uint32_t keys, const struct tb_slice_nester_sink *sink);
TB_MUST_CHECK enum tb_status tb_slice_nester_put(struct tb_slice_nester *nesting, const struct tb_staged_event *entry,
                                                 size_t place);
/* Ends the complete slices that are closed at `ts`, for entries that are not put here. */
TB_MUST_CHECK enum tb_status tb_slice_nester_advance(struct tb_slice_nester *nesting, int64_t ts);
/* Ends the complete slices that are still open. */
TB_MUST_CHECK enum tb_status tb_slice_nester_finish(struct tb_slice_nester *nesting);
void tb_slice_nester_free(struct tb_slice_nester *nesting);

#endif
