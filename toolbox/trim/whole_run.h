/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of slices (slice_runs.h) that are on one side of each edge of a window, so that what they end and
 * leave open is all there is to know of them.
 */
#ifndef TB_TOOLBOX_TRIM_WHOLE_RUN_H
#define TB_TOOLBOX_TRIM_WHOLE_RUN_H

#include "toolbox/trim/edges.h"

/* Wholly public; valid until the walk's next packet is read. */
struct tb_whole_run {
  const struct tb_slice_run *run;
  struct tb_walk_events events;
  uint64_t track;
  int64_t first, last; /* when its events are */
  uint64_t multiplier; /* from timestamps to ns */
};

/* The run that comes next in the walk, where all its events are before the window, or in it and not at its start, or
 * behind it without an end of a slice that began before that. False: there is none, or it is to be read event by event.
 * Runs that were passed by are passed by in edges->slice_runs, too. */
bool tb_whole_run_find(struct tb_whole_run *whole, struct tb_walk *walk, const struct tb_track_events *events,
                       struct tb_edges *edges);

/* When an event of it is. */
static inline int64_t tb_whole_run_time(const struct tb_whole_run *whole, const struct tb_slice_run_place *place) {
  return (int64_t)((uint64_t)whole->first + (place->ticks - whole->run->first_ticks) * whole->multiplier);
}

/* Ends and opens what it does. What the sink of edges->slices returned; TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_whole_run_take_slices(const struct tb_whole_run *whole, const struct tb_walk *walk,
                                                      struct tb_track_events *events, struct tb_edges *edges);

#endif
