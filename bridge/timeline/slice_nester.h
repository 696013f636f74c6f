/* SPDX-License-Identifier: Apache-2.0
 *
 * From entries in the order of time to slices that nest: what is begun and ended where, and when. Slices of a key stand
 * on lanes; on a lane they nest. A slice that overlaps another goes to another lane of its key.
 */
#ifndef TB_TIMELINE_SLICE_NESTER_H
#define TB_TIMELINE_SLICE_NESTER_H

#include "timeline/lane_allocator.h"

/* Whether the lane's innermost slice stands above one that ended at `ts`, and will never end. To the trace processor
 * the slice that ended is still there, and the first event past `ts` takes all above it away: so would the END of a
 * slice that begins here, of that slice. */
bool tb_lane_is_above_ended_slice(const struct tb_lane *lane, int64_t ts);

/* Where the slices go. Each function returns TB_OK, or a status that ends the walk. Times never decrease from call to
 * call. */
struct tb_slice_nester_sink {
  void *ctx;
  /* The pool that the tree of `key` that starts with `root` takes its lanes from. Key 0's pool must be 0, its first
   * lane is the queue's own track. */
  enum tb_status (*pool)(void *ctx, const struct tb_staged_event *root, uint32_t *pool);
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
  enum tb_status (*orphan_end)(void *ctx, const struct tb_staged_event *entry);
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
/* Ends the complete slices that are over at `ts`, for entries that are not put here. */
TB_MUST_CHECK enum tb_status tb_slice_nester_advance(struct tb_slice_nester *nesting, int64_t ts);
/* Ends the complete slices that are still open. */
TB_MUST_CHECK enum tb_status tb_slice_nester_finish(struct tb_slice_nester *nesting);
void tb_slice_nester_free(struct tb_slice_nester *nesting);

#endif
