/* SPDX-License-Identifier: Apache-2.0
 *
 * What ftrace events are at the edges of a window: which thread runs on each processor, slices that are open, values of
 * counters. Events of a thread come from several processors and so in any order: they are sorted, and those that are
 * repeated at an edge are kept with their bytes.
 */
#ifndef TB_TOOLBOX_TRIM_FTRACE_EDGES_H
#define TB_TOOLBOX_TRIM_FTRACE_EDGES_H

#include "toolbox/trim/edges.h"
#include "toolbox/trim/ftrace_memory.h"
#include "toolbox/trim/ftrace_packet.h"
#include "toolbox/trim/ftrace_threads.h"
#include "toolbox/walk/ftrace_bundle.h"
#include "toolbox/walk/settling.h"

struct tb_ftrace_slice_edge {
  int64_t time;         /* the first member, for tb_sort_by_time */
  uint64_t order;       /* of events in the file */
  uint32_t transaction; /* of binder, that was received: it says whether this begins or ends */
  bool received, ends;
  uint64_t call;              /* see struct tb_ftrace_event_role */
  struct tb_ftrace_kept kept; /* bytes.ptr NULL: it cannot be of use at an edge */
};

/* What an event before the start, or at it, adds to a value. */
struct tb_ftrace_addend {
  int64_t time;
  uint64_t value;
};

struct tb_ftrace_track {
  struct tb_ftrace_slice_edge *edges; /* those that wait, see ftrace_slices.h */
  size_t count, capacity;
  struct tb_ftrace_slice_edge *open; /* begins of what is open, from open[first_open] on */
  size_t first_open, open_count, open_capacity;
  bool is_inside; /* the last event that was paired was in the window or behind it */
  bool is_done;   /* what comes is of no use any more */
  /* the last value before the start */
  int64_t value_time;
  bool has_value, has_value_at_start;
  bool is_switch, is_queue;
  bool has_unseen;             /* its first switch is a row of compact_sched, which readers show nothing of, ... */
  int64_t unseen_time;         /* at that time */
  uint64_t ends_at_start;      /* first ends at the start: of slices that are not in the window */
  uint64_t stated;             /* see struct tb_ftrace_event_role */
  struct tb_ftrace_kept value; /* its bytes are in `buffer`, ... */
  struct tb_buffer buffer;
  int64_t next_pid, next_priority; /* ... but of a switch the name of the thread that runs then, which has these */
  uint32_t adds; /* field of the event's payload that is said again as the sum of the addends; 0: none */
  struct tb_ftrace_addend *addends;
  size_t addend_count, addend_capacity;
};

/* Caller-owned; tb_ftrace_edges_init, then tb_ftrace_edges_free. */
struct tb_ftrace_edges {
  struct tb_walk *walk;
  const struct tb_track_events *events; /* what sequences have interned */
  struct tb_window window;
  struct tb_map track_index;
  struct tb_map first_bundles; /* processor | machine << 32, 1 -> 1 where it has one; machine, 0 -> see whole_from */
  struct tb_ftrace_track *tracks;
  size_t track_count, track_capacity;
  struct tb_map transactions; /* of binder: number, machine -> what it is, and when, see tb_ftrace_slices_sent */
  struct tb_ftrace_memory memory;
  struct tb_ftrace_threads threads;
  struct tb_ftrace_slice_edge *repeated; /* that come at an edge */
  size_t repeated_count, repeated_capacity;
  struct tb_ftrace_slice_edge *replies; /* of binder, whose own events are not in the window */
  size_t reply_count, reply_capacity;
  struct tb_settling settling; /* of events of slices, see ftrace_slices.h */
  int64_t bundle_last;         /* the last event so far of the bundle that is taken in */
  struct tb_ftrace_reach reach;
  struct tb_ftrace_slice_edge *works; /* of GPUs (gpu_work.h), cut, at the times of their events */
  size_t work_count, work_capacity;
  struct tb_arena arena;
  uint64_t order;
  struct tb_buffer scratch;
  /* after tb_ftrace_edges_end, framed: what comes at the start, and at the end, which is to be behind all else, see
   * tb_service_event_says_written */
  struct tb_buffer packets, last;
  uint64_t slices_at_start, slices_at_end, values_at_start;
  bool has_work; /* of GPUs, see gpu_work.h */
};

void tb_ftrace_edges_init(struct tb_ftrace_edges *edges, struct tb_walk *walk, const struct tb_track_events *events,
                          const struct tb_window *window);
void tb_ftrace_edges_free(struct tb_ftrace_edges *edges);

/* Takes in the walk's current packet, which is a bundle. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_ftrace_edges_take(struct tb_ftrace_edges *edges);
/* Settles the values of all that was taken in; then tb_ftrace_edges_end. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_ftrace_edges_settle(struct tb_ftrace_edges *edges);
/* Makes the packets of all that was taken in. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_ftrace_edges_end(struct tb_ftrace_edges *edges);

/* After tb_ftrace_edges_end, the time from which on the first bundles of all processors of a machine are whole: events
 * before it are shown to nobody. INT64_MIN: from the first on. */
int64_t tb_ftrace_edges_whole_from(const struct tb_ftrace_edges *edges, uint32_t machine);

/* After tb_ftrace_edges_end, of each event in the window in the order of the file: whether what comes at the edges is
 * in its place: it is at the start and ends a slice that began before, or is part of a sum; or it is a slice that is
 * cut. Counts it. */
bool tb_ftrace_edges_replaces(struct tb_ftrace_edges *edges, const struct tb_ftrace_bundle *bundle, struct tb_str event,
                              int64_t time);

#endif
