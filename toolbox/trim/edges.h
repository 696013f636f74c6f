/* SPDX-License-Identifier: Apache-2.0
 *
 * What is at the edges of a window. A slice that is open at the start begins there, one that is open at the end ends
 * there, and the last value of a counter before the start comes there: the packets that say so move to the edge,
 * where they are in the file, so that all that they need is right.
 */
#ifndef TB_TOOLBOX_TRIM_EDGES_H
#define TB_TOOLBOX_TRIM_EDGES_H

#include "toolbox/cut/event_runs.h"
#include "toolbox/cut/wakelocks.h"
#include "toolbox/trim/packet_values.h"
#include "toolbox/trim/slice_runs.h"
#include "toolbox/walk/slice_pairs.h"
#include "toolbox/walk/track_events.h"

/* [start, end) on machine 0's trace clock. */
struct tb_window {
  int64_t start, end;
};

static inline bool tb_window_has(const struct tb_window *window, int64_t time) {
  return time >= window->start && time < window->end;
}

/* Whether the walk's current packet, which is no track event, is a slice by itself, *duration long. */
bool tb_edges_is_slice(const struct tb_walk *walk, int64_t *duration);

struct tb_ftrace_edges;
struct tb_etw_edges;

enum tb_edge {
  TB_EDGE_NONE,
  TB_EDGE_START,
  TB_EDGE_END,
  TB_EDGE_CUT, /* a slice by itself that begins in the window and ends behind it */
  TB_EDGE_GONE /* the end, at the window's start, of a slice that began before */
};

/* A packet that is not where it was, or of which more is said than that. */
struct tb_edge_packet {
  uint64_t number;
  enum tb_edge edge;
  bool stated;       /* values of further counters in it are the last before the start */
  uint32_t outlived; /* of an end: how many slices end with it for an event behind the window alone */
};

/* A counter, or what else has values. */
struct tb_edge_track {
  uint64_t value_number; /* of the packet with the last value before the start */
  int64_t value_time;
  uint64_t before_number; /* of the packet with the value before that one */
  int64_t before_time;
  uint64_t value; /* of a process' statistics */
  uint64_t extra; /* the counter whose values come with events of others; 0: another track */
  int64_t tid;    /* of a processor: which thread runs there */
  bool in_packet; /* its values are some among those of their packets */
  bool has_value, has_before;
  bool has_value_at_start; /* a packet in the window is exactly there */
  bool has_next;           /* of values in packets: there is one at the end or behind it, the first of them ... */
  int64_t next_time;
  uint64_t next_number; /* of the packet */
};

/* A slice that begins at the start. */
struct tb_edge_begin {
  uint64_t number; /* of its packet */
  int64_t time;    /* when it began */
};

/* Caller-owned; tb_edges_find, then tb_edges_free whatever that returned. */
struct tb_edges {
  const struct tb_allocator *allocator;
  struct tb_window window;
  struct tb_map moved; /* number of a packet -> enum tb_edge */
  struct tb_slice_pairs slices;
  struct tb_map track_index;
  struct tb_edge_track *tracks;
  size_t track_count, track_capacity;
  struct tb_map_recent recent; /* of the track that was looked up last */
  /* further counters: number of a packet, uuid -> 1 where its value of that is the last before the start; and number of
   * the packet, 0 -> 1 */
  struct tb_map stated;
  struct tb_map outlived; /* number of a packet -> see struct tb_edge_packet */
  struct tb_wakelocks wakelocks;
  struct tb_buffer scratch;
  bool has_about;    /* events that say what something is called, at no time */
  bool has_profiles; /* events of the phase P, as those of profiles are */
  struct tb_ftrace_edges *ftrace;
  struct tb_etw_edges *etw;
  uint64_t slices_at_start, slices_at_end, values_at_start;
  /* all that are in `moved`, `stated` and `outlived`, in their order in the file; behind them is one of no packet */
  struct tb_edge_packet *packets;
  size_t packet_count, packet_capacity;
  const struct tb_edge_packet *next; /* the first of them that was not asked for */
  struct tb_edge_begin *begins;
  size_t begin_count, begin_capacity;
  const struct tb_slice_runs *slice_runs; /* of the trace, ... */
  size_t next_slice_run;                  /* ... and the first of them that was not asked for */
  struct tb_event_runs runs;              /* in the window or outside of it; marked where one is at its start */
  bool begins_disordered;  /* in the file they, and the first event of the start itself, are not in the order of time */
  uint64_t first_at_start; /* the number of that event; UINT64_MAX: there is none */
  int64_t first, last;     /* when the first and last packets are that say something of a time; where there are any */
  uint64_t last_to_stay; /* behind it there is no packet in the window, at its edges, or else with values or times that
                          * count from those before it */
};

/* Reads the whole trace once, for `ftrace` and `etw` too, or twice where events of a track are not in the order of
 * time. `slice_runs` are the trace's. What fails is in the walk's error. */
TB_MUST_CHECK enum tb_status tb_edges_find(struct tb_edges *edges, struct tb_walk *walk, struct tb_track_events *events,
                                           const struct tb_window *window, const struct tb_slice_runs *slice_runs,
                                           struct tb_ftrace_edges *ftrace, struct tb_etw_edges *etw);
void tb_edges_free(struct tb_edges *edges);

/* Before packets are asked for by tb_edges_of: from the first one on. */
static inline void tb_edges_rewind(struct tb_edges *edges) {
  edges->next = edges->packets;
  tb_event_runs_rewind(&edges->runs);
}

/* What is said of a packet; NULL: nothing. Numbers do not fall from call to call. */
static inline const struct tb_edge_packet *tb_edges_of(struct tb_edges *edges, uint64_t number) {
  while (edges->next->number < number) edges->next++;
  return edges->next->number == number ? edges->next : NULL;
}

/* The run that begins with the packet of that number, of which nothing is said of any packet; NULL: there is none.
 * Numbers do not fall from call to call. */
static inline const struct tb_event_run *tb_edges_run_at(struct tb_edges *edges, uint64_t number) {
  const struct tb_event_run *run = tb_event_runs_at(&edges->runs, number);
  if (!run || edges->has_about || tb_edges_of(edges, number)) return NULL;
  return edges->next->number - number < run->events.count ? NULL : run;
}

/* Whether the packet's value of that is the last before the start, and there is none at it. Where values count from the
 * one before: whether it is one that readers need for the first one from the start on. */
bool tb_edges_is_last(const struct tb_edges *edges, const struct tb_walk *walk, const struct tb_packet_value *value);

/* Whether the packet's value of that is the first behind the window. */
bool tb_edges_is_next(const struct tb_edges *edges, const struct tb_walk *walk, const struct tb_packet_value *value);

/* The further counters of which the packet has the last values before the start. */
size_t tb_edges_stated(const struct tb_edges *edges, uint64_t number, const struct tb_event_extras *extras,
                       uint64_t uuids[TB_EXTRA_COUNTERS]);

#endif
