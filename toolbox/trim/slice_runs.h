/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of plain track events (perfetto/packet/packet_header.h) that follow each other in a file, are of one sequence
 * and one track and come in the order of time; and of each run what it ends and what it leaves open. Found as a file is
 * scanned, so that a later reading need not look at each event of those that are whole where it looks for nothing. And
 * of which tracks events are not in the order of time.
 *
 *   tb_slice_runs_init … tb_slice_runs_take … tb_slice_runs_end … tb_slice_runs_at … tb_slice_runs_free
 */
#ifndef TB_TOOLBOX_TRIM_SLICE_RUNS_H
#define TB_TOOLBOX_TRIM_SLICE_RUNS_H

#include "base/map.h"
#include "merge/input/prescan.h"

/* A run has no more bytes; no more begins that are open at a time; and is kept where it has at least so many events. */
enum { TB_SLICE_RUN_BYTES = 8192, TB_SLICE_RUN_OPEN = 16, TB_SLICE_RUN_LEAST = 8, TB_SLICE_RUN_VALUES = 2 };

/* Where an event of a run is: its number, from that of the first on; its bytes, from the first one's on; its timestamp
 * where the run's are absolute, else the sum of all up to it. */
struct tb_slice_run_place {
  uint64_t ticks;
  uint16_t number, at;
};

/* Values of further counters, all at one place among those of their events. */
struct tb_slice_run_values {
  uint64_t sum;
  struct tb_slice_run_place last;
};

struct tb_slice_run {
  uint64_t first;                   /* number of the first packet */
  uint64_t first_ticks, last_ticks; /* as in struct tb_slice_run_place, of the first event and of the last */
  uint64_t track;                   /* the uuid that all name; where has_track, else they name none */
  uint32_t sequence;
  uint32_t open_at; /* the first in `places` of struct tb_slice_runs of begins that it leaves open, and how many */
  uint16_t open;
  uint16_t ends; /* how many end slices that began before the run */
  uint16_t count, bytes;
  bool counts; /* timestamps count from the one before */
  bool has_track;
  bool needs_state; /* one of them says so */
  uint8_t values;   /* how many of */
  struct tb_slice_run_values further[TB_SLICE_RUN_VALUES];
};

/* Caller-owned. */
struct tb_slice_runs {
  const struct tb_allocator *allocator;
  struct tb_slice_run *runs; /* in the order of the file */
  size_t count, capacity;
  struct tb_slice_run_place *places;
  size_t place_count, place_capacity;
  struct tb_slice_run growing; /* the one that may grow ... */
  uint64_t follows;            /* ... by the packet of this number; UINT64_MAX: none does */
  struct tb_slice_run_place open[TB_SLICE_RUN_OPEN];
  struct tb_map reached;    /* uuid of a track that events name -> when the last of them was in the file, so far */
  uint64_t *reached_of;     /* that of the track that the growing run names; NULL: none, or there was no memory */
  int64_t time;             /* of the last event that was taken */
  bool counts;              /* for the listener: timestamps of the sequence that it is in count */
  struct tb_map disordered; /* a set: uuids of tracks whose events are not in order */
};

void tb_slice_runs_init(struct tb_slice_runs *runs, const struct tb_allocator *allocator);
void tb_slice_runs_free(struct tb_slice_runs *runs);

/* The next packet of the file of those that tb_packet_cursor_take takes, with its number and when it is, as far as that
 * is known; `counts`: its timestamp counts from the one before it. A packet of which nothing is said is of no run, and
 * ends one. */
void tb_slice_runs_take(struct tb_slice_runs *runs, uint64_t number, const struct tb_common_packet *packet, bool counts,
                        int64_t time);

/* Initialises runs that are zero and takes the packets of a trace, as it is scanned. */
struct tb_prescan_listener tb_slice_runs_listen(struct tb_slice_runs *runs);

/* Ends the run that may grow. What there is no memory for is of no run. */
void tb_slice_runs_end(struct tb_slice_runs *runs);

/* The run that begins with that packet; NULL: none does. *next is 0 at first; numbers do not fall from call to call. */
static inline const struct tb_slice_run *tb_slice_runs_at(const struct tb_slice_runs *runs, size_t *next,
                                                          uint64_t number) {
  while (*next < runs->count && runs->runs[*next].first < number) ++*next;
  return *next < runs->count && runs->runs[*next].first == number ? &runs->runs[*next] : NULL;
}

#endif
