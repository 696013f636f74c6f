/* SPDX-License-Identifier: Apache-2.0
 *
 * The packet sequences of one input, and what lasts from packet to packet of each.
 */
#ifndef TB_MERGE_INPUT_SEQUENCE_IDS_H
#define TB_MERGE_INPUT_SEQUENCE_IDS_H

#include <stdbool.h>

#include "perfetto/packet/sequence_table.h"

enum { TB_ANCHOR_THREAD = 1, TB_ANCHOR_TRACK = 2 };

/* When a sequence's packets are, on the input's trace clock, in the order in which they come. */
struct tb_sequence_extent {
  bool any;
  int64_t first, last, previous;
  uint64_t step; /* the largest between two that follow each other */
};

/* Interned ids of one kind, which writers count up from 1. */
struct tb_interned_run {
  uint32_t first; /* that the input introduces before the sequence's state is known; 0: none */
  uint32_t last;  /* that it introduces since the state was cleared; 0: none */
};
enum { TB_INTERNED_RUNS = 4 }; /* categories, names, names of arguments, places in the source: fields 1 to 4 */

struct tb_merge_sequence {
  uint32_t machine, id;
  uint32_t writer;        /* a hash of whose it is: user and process; 0: no packet was looked at yet */
  uint32_t default_clock; /* timestamp_clock_id of its defaults; 0: none */
  uint32_t clock;         /* looked up last, ... */
  uint32_t node;          /* ... and its node plus one; 0: it has none */
  uint32_t node_count;    /* nodes that there were then; 0: nothing was looked up */
  bool counts;            /* its ThreadDescriptor says from when its events count their times, ... */
  int64_t counted_us;     /* ... and the last one's, on MONOTONIC */
  uint8_t anchors;        /* TB_ANCHOR_…: where its events are that name no track */
  uint8_t recording;      /* see tb_recording_starts_sequence */
  uint32_t opening;       /* the tb_recordings.opening that it began behind */
  uint32_t preamble;      /* the tb_recordings.preamble that our writer started it behind */
  bool has_state;         /* its incremental state was cleared: from there on it is known */
  uint64_t lacking;       /* packets before that which need it */
  struct tb_interned_run interned[TB_INTERNED_RUNS];
  struct tb_sequence_extent extent; /* by the first reading */
  int64_t reached;                  /* when its last packet was, on the input's trace clock; INT64_MIN: none was yet */
};

/* Caller-owned. In the order of their first packets. */
struct tb_merge_sequences {
  const struct tb_allocator *allocator;
  struct tb_merge_sequence *items;
  size_t count, capacity;
  struct tb_sequence_table table; /* by whose numbers `items` is */
  uint32_t max_id;
};

void tb_merge_sequences_init(struct tb_merge_sequences *sequences, const struct tb_allocator *allocator);
void tb_merge_sequences_free(struct tb_merge_sequences *sequences);
/* Forgets what belongs to a place in the file. */
void tb_merge_sequences_rewind(struct tb_merge_sequences *sequences);

/* A packet of the sequence is at `time`. */
static inline void tb_sequence_extent_add(struct tb_sequence_extent *extent, int64_t time) {
  if (!extent->any) {
    extent->any = true;
    extent->first = extent->last = extent->previous = time;
    return;
  }
  uint64_t step = time > extent->previous ? (uint64_t)time - (uint64_t)extent->previous
                                          : (uint64_t)extent->previous - (uint64_t)time;
  if (step > extent->step) extent->step = step;
  if (time < extent->first) extent->first = time;
  if (time > extent->last) extent->last = time;
  extent->previous = time;
}

/* Adds a sequence that is not known; NULL when memory is out. Valid until the next call. */
struct tb_merge_sequence *tb_merge_sequences_add(struct tb_merge_sequences *sequences, uint32_t machine, uint32_t id);

/* The sequence, new where it is not known; NULL when memory is out. Valid until the next call. */
static inline struct tb_merge_sequence *tb_merge_sequence_get(struct tb_merge_sequences *sequences, uint32_t machine,
                                                              uint32_t id) {
  uint32_t number;
  if (tb_sequence_table_find(&sequences->table, machine, id, &number)) return &sequences->items[number];
  return tb_merge_sequences_add(sequences, machine, id);
}

/* A legacy sequence: its ThreadDescriptor says from when its events count. */
void tb_merge_sequence_start_counting(struct tb_merge_sequence *sequence, struct tb_str descriptor);
/* The time on MONOTONIC that a track event has of its own, apart from its packet's; false where it has none, or counts
 * from nothing. */
bool tb_merge_sequence_count(struct tb_merge_sequence *sequence, struct tb_str event, int64_t *ns);

#endif
