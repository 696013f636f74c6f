/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of plain track events that follow each other in a file, are of one sequence, and all stay or all go: found by
 * one reading of a trace, so that another one need not look at each of them.
 *
 *   tb_event_runs_init … tb_event_runs_add … tb_event_runs_end … tb_event_runs_at … tb_event_runs_free
 */
#ifndef TB_TOOLBOX_CUT_EVENT_RUNS_H
#define TB_TOOLBOX_CUT_EVENT_RUNS_H

#include "toolbox/walk/track_events.h"

/* A run has no more bytes; counts no more counters; and is kept where it has at least so many events. */
enum { TB_EVENT_RUN_BYTES = 8192, TB_EVENT_RUN_COUNTERS = 2, TB_EVENT_RUN_LEAST = 16 };

struct tb_event_run {
  struct tb_walk_events events;
  uint8_t counters;
  bool stays;
  bool marked;    /* the caller's, and the next two */
  uint32_t has;   /* TB_EVENT_HAS_… of its events */
  uint64_t track; /* what all are on; 0: it may be several */
  /* of what goes: the sums of the values of further counters */
  uint64_t uuids[TB_EVENT_RUN_COUNTERS];
  uint64_t sums[TB_EVENT_RUN_COUNTERS];
};

/* Caller-owned. */
struct tb_event_runs {
  const struct tb_allocator *allocator;
  struct tb_event_run *runs; /* in the order of the file */
  size_t count, capacity;
  size_t next;              /* the first of them that was not asked for */
  struct tb_event_run open; /* the one that may grow, its count not set ... */
  uint64_t follows;         /* ... by the packet of this number; UINT64_MAX: none does */
};

void tb_event_runs_init(struct tb_event_runs *runs, const struct tb_allocator *allocator);
void tb_event_runs_free(struct tb_event_runs *runs);

/* Ends the run that may grow. What there is no memory for is in no run. */
void tb_event_runs_end(struct tb_event_runs *runs);

/* Begins a run with the packet of that number. */
void tb_event_runs_begin(struct tb_event_runs *runs, uint64_t number, uint32_t sequence, bool stays);

/* Adds values of further counters to the run that may grow, which is none any more where it has too many. */
void tb_event_runs_add_values(struct tb_event_runs *runs, const struct tb_event_extras *extras);

/* Adds the packet of that number, a plain track event whose time is known. Two such, one after the other, are side by
 * side in the walk's window. */
static inline void tb_event_runs_add(struct tb_event_runs *runs, uint64_t number, const struct tb_packet_part *packet,
                                     bool stays) {
  struct tb_event_run *run = &runs->open;
  if (runs->follows != number || run->events.sequence != packet->sequence || run->stays != stays ||
      run->events.bytes + packet->bytes > TB_EVENT_RUN_BYTES)
    tb_event_runs_begin(runs, number, packet->sequence, stays);
  run->events.ticks += packet->ticks;
  run->events.bytes += packet->bytes;
  runs->follows = number + 1;
}

/* Adds plain track events that come one after the other as a run of their own, which may grow. */
void tb_event_runs_add_run(struct tb_event_runs *runs, const struct tb_walk_events *events, bool stays);

/* Before runs are asked for by tb_event_runs_at: from the first one on. */
static inline void tb_event_runs_rewind(struct tb_event_runs *runs) { runs->next = 0; }

/* The run that has that packet; NULL: none does. Numbers do not fall from call to call. */
static inline const struct tb_event_run *tb_event_runs_around(struct tb_event_runs *runs, uint64_t number) {
  for (; runs->next < runs->count; runs->next++) {
    const struct tb_event_run *run = &runs->runs[runs->next];
    if (number < run->events.first) return NULL;
    if (number - run->events.first < run->events.count) return run;
  }
  return NULL;
}
/* The run that begins with that packet; the same holds. */
static inline const struct tb_event_run *tb_event_runs_at(struct tb_event_runs *runs, uint64_t number) {
  while (runs->next < runs->count && runs->runs[runs->next].events.first < number) runs->next++;
  return runs->next < runs->count && runs->runs[runs->next].events.first == number ? &runs->runs[runs->next] : NULL;
}

#endif
