/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices that begin in one part and end in another: their ends go where they begin. Readers sort events by time, those
 * of one time as they come: so what is on the track at the time of such an end, before it, goes there, too. Not where
 * that is ends alone that say nothing: whichever comes first ends the inner slice, and each part has its slices whole.
 */
#ifndef TB_TOOLBOX_SPLIT_CROSSING_SLICES_H
#define TB_TOOLBOX_SPLIT_CROSSING_SLICES_H

#include "toolbox/walk/slice_pairs.h"
#include "toolbox/walk/track_events.h"

struct tb_split_plan;

/* The events of a track at the time that it has come to. */
struct tb_track_reached {
  int64_t time;
  uint64_t first_number;
  bool needs_order; /* they are not ends alone that say nothing */
};

/* Caller-owned. */
struct tb_crossing_slices {
  struct tb_split_plan *plan;
  struct tb_slice_pairs slices;
  struct tb_map moved; /* number of an end -> part */
  struct tb_map ties;  /* track at a time -> part, and number of the end, before which events go there */
  struct tb_map track_index;
  struct tb_track_reached *tracks;
  size_t count, capacity;
  uint64_t track; /* of the current event; 0: none */
};

void tb_crossing_slices_init(struct tb_crossing_slices *crossing, struct tb_split_plan *plan,
                             const struct tb_allocator *allocator);
void tb_crossing_slices_free(struct tb_crossing_slices *crossing);

/* Takes in a track event. Errors as of tb_slice_pairs_take. */
TB_MUST_CHECK enum tb_status tb_crossing_slices_take(struct tb_crossing_slices *crossing, const struct tb_walk *walk,
                                                     const struct tb_event_view *view);
void tb_crossing_slices_start_again(struct tb_crossing_slices *crossing);

/* The part that the walk's current packet goes to in place of `part`. */
size_t tb_crossing_slices_part(const struct tb_crossing_slices *crossing, const struct tb_walk *walk,
                               const struct tb_event_view *view, size_t part);

#endif
