/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocates lanes. A lane is a row of slices that nest, like a track; slices of one track that overlap without
 * nesting are put on several lanes:
 *
 *     lane 0   |-- read --------|        |-- read --|
 *     lane 1        |-- write -----------|
 *
 * Slices belong to a key (a group of tracks, see sort_queue.h). A lane is taken by a key as long as a slice is open
 * on it. Lanes come from a lane group, and the keys of one lane group share its free lanes, so that traces with
 * millions of short async slices need few tracks. A free lane may be taken by any key of its lane group, with one
 * exception: a lane that was used at the current time is "cooling" and becomes free only when time advances, because
 * the trace processor would nest a slice that begins there now in the slice that just ended. Only the key that used
 * it last may take it again at once.
 *
 * The allocator answers these questions, each in logarithmic time, since traces have thousands of slices open side by
 * side:
 *   - which lane did this key use last (tb_lanes_last), and which of its lanes has room for this slice (tb_lanes_own);
 *   - which is the first free lane of a lane group (tb_lanes_spare): each lane group has a heap of them, by number;
 *   - on which lane does the next slice end by itself (tb_lanes_closed): a heap of lanes by the end of such a slice.
 */
#ifndef TB_TIMELINE_LANE_ALLOCATOR_H
#define TB_TIMELINE_LANE_ALLOCATOR_H

#include "base/heap.h"
#include "timeline/sort_queue.h"

#define TB_NO_LANE UINT32_MAX /* where the number of a lane is asked for */

struct tb_open_slice {
  int64_t end;  /* INT64_MAX while unknown */
  size_t place; /* of its BEGIN or COMPLETE in the queue */
  uint32_t name, categories;
  bool complete;    /* it ends by itself, without an END */
  bool zero_length; /* it ends where it begins: what has no duration at the same time nests in it */
  bool whole;       /* the sink knows its end already */
  bool has_thread_end;
  int64_t thread_end;
  struct tb_str body;     /* of its entry; empty when the queue was spilled */
  struct tb_str end_body; /* of a complete slice; a copy, freed after its end */
  /* of this slice and those below it, for the lane's use */
  size_t ending;                /* where on the lane the one is that ends next by itself; SIZE_MAX: none */
  int64_t bound;                /* the first end that is known; INT64_MAX: none is */
  bool has_begin, has_complete; /* one that an END ends; one that ends by itself, of which the sink wants to know */
};

struct tb_lane {
  uint32_t lane_group; /* see tb_slice_nester_sink.lane_group */
  uint32_t key;        /* the key that uses it now, or used it last */
  bool taken;
  bool in_free, cooling;      /* it is in the heap of free lanes; it is cooling, see above */
  uint32_t number;            /* within its lane group, from 0 */
  int64_t used_ts;            /* when something last began on it, or happened; INT64_MIN: never */
  struct tb_open_slice *open; /* innermost last */
  size_t open_count, open_capacity;
  int64_t unwound_at;   /* when a slice ended last while others above it stayed open; INT64_MAX: never */
  size_t unwound_below; /* how many slices were open below it */
  uint32_t next_of_key, previous_of_key; /* of the lanes that its key has taken, + 1 */
  uint32_t ending_place;                 /* in the heap of lanes on which a slice ends by itself, + 1 */
};

/* Which slices that end at an entry's time are closed by it, in the order in which they close. */
enum tb_ending_rank {
  TB_ENDING_INNERMOST,   /* by any entry */
  TB_ENDING_ZERO_LENGTH, /* by any that has a duration, or an end */
  TB_ENDING_UNWOUND      /* by a COMPLETE: the ENDs of those above it may still come */
};

/* When a slice of a lane ends by itself, and its rank: see tb_lanes_closed. */
struct tb_lane_ending {
  int64_t end;
  enum tb_ending_rank rank;
};

struct tb_lane_list {
  uint32_t count;      /* of its lanes */
  struct tb_heap free; /* lowest first; some may be taken again, or cooling */
};

struct tb_lanes {
  const struct tb_allocator *allocator;
  struct tb_lane *items;
  size_t count, capacity;
  struct tb_lane_ending *endings; /* by lane, of those in `ending`; the heap compares thousands that are open at once */
  size_t ending_capacity;
  int64_t now;
  struct tb_lane_list *lane_groups;
  size_t lane_group_capacity;
  uint32_t *last;  /* by key: the lane that it used last, + 1 */
  uint32_t *taken; /* by key: the lanes it has taken, the newest, + 1 */
  /* by key: no lane that it has taken has room for a slice that ends later; of use while it has some */
  int64_t *furthest;
  size_t key_count;
  uint32_t *cooling; /* free lanes that were used at `now` */
  size_t cooling_count, cooling_capacity;
  struct tb_heap ending; /* by end, then rank, then number */
};

void tb_lanes_init(struct tb_lanes *lanes, const struct tb_allocator *allocator, size_t keys);
void tb_lanes_free(struct tb_lanes *lanes);

/* Time goes on to `ts`. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_lanes_advance(struct tb_lanes *lanes, int64_t ts);

/* The lane that `key` used last, where it has it still; TB_NO_LANE. */
uint32_t tb_lanes_last(const struct tb_lanes *lanes, uint32_t key);
/* The first of the lanes of `lane_group` that `key` has taken on which a slice fits that lasts until `end`; only its
 * newest lanes are looked at. TB_NO_LANE: none. */
uint32_t tb_lanes_own(const struct tb_lanes *lanes, uint32_t key, uint32_t lane_group, int64_t end);
/* The first free lane of `lane_group`, or else a new one. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_lanes_spare(struct tb_lanes *lanes, uint32_t key, uint32_t lane_group, uint32_t *index);
/* Whether a slice that lasts until `end` nests in what is open on the lane. */
bool tb_lane_fits(const struct tb_lane *lane, int64_t end);

/* `key` has something on the lane now. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_lanes_use(struct tb_lanes *lanes, uint32_t index, uint32_t key);
/* Opens a slice on the lane in use. TB_OK; TB_NO_MEMORY, and the slice is not there then. */
TB_MUST_CHECK enum tb_status tb_lanes_push(struct tb_lanes *lanes, uint32_t index, const struct tb_open_slice *slice);
/* Takes the lane's slice `i` off it; its end_body is the caller's. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_lanes_remove(struct tb_lanes *lanes, uint32_t index, size_t i);

/* The lane whose slice closes next, of slices that end by themselves, when an entry comes at `ts` that closes slices
 * of at most `rank`; TB_NO_LANE: none does. */
uint32_t tb_lanes_closed(const struct tb_lanes *lanes, int64_t ts, enum tb_ending_rank rank);

#endif
