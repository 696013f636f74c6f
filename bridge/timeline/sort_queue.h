/* SPDX-License-Identifier: Apache-2.0
 *
 * The sort queue of one packet sequence: events are added in any order and read in time order. It is an external
 * merge sort that costs little where nothing has to be sorted.
 *
 *   tb_sort_queue_add       tb_sort_queue_spill            tb_sort_queue_open / _next
 *   event -> record -> blocks in memory -> sorted run in the temporary file
 *                         |                     |
 *                         +------- merge -------+--> events in time order
 *
 * Each event becomes a record: times, kind and names in a few bytes (entry_codec.h), then the body that the caller
 * encoded. Records are appended to blocks of memory in the order in which they come, and the queue notes whether that
 * is time order.
 *
 * Reading has three cases:
 *   - everything is in memory and came in order, as in most traces: the cursor walks over the blocks;
 *   - everything is in memory, out of order: tb_sort_queue_index sorts an array of references by a natural merge sort,
 *     which leaves runs that are in order as they are;
 *   - the queue was spilled: each spill wrote what was in memory as one sorted run. The runs are merged (run_merger.h),
 *     or read one after the other where each begins after the end of the one before.
 *
 * Order: by time, then by rank at one time (entry_rank.h), then as they came. The sort is stable, because
 * readers depend on the order of events of one time.
 *
 * While events come, the queue also follows a slice stack to learn whether the slices nest in the order in which they
 * came. If not, `needs_matching` is set and slice_matcher.h finds which END belongs to which BEGIN.
 *
 * "place" is the number of an event in time order, from 0.
 */
#ifndef TB_TIMELINE_SORT_QUEUE_H
#define TB_TIMELINE_SORT_QUEUE_H

#include <stdbool.h>

#include "timeline/open_stack.h"
#include "timeline/run_merger.h"
#include "timeline/same_time.h"

enum tb_staged_kind {
  TB_STAGED_BEGIN, /* a slice whose end is an entry of its own */
  TB_STAGED_END,
  TB_STAGED_COMPLETE, /* a slice with its duration, which is not 0 */
  TB_STAGED_INSTANT,
  TB_STAGED_COUNTER,
  TB_STAGED_FLOW,               /* a point of a flow; `flow_key` is the flow, `flow` what it does */
  TB_STAGED_INSTANT_WITH_PHASE, /* an instant whose body says its phase */
  TB_STAGED_ZERO_LENGTH_SLICE   /* a slice that ends where it begins */
};

enum tb_flow_step {
  TB_FLOW_NONE,
  TB_FLOW_OUT,     /* starts at the slice that encloses it */
  TB_FLOW_THROUGH, /* goes on through the slice that encloses it */
  TB_FLOW_IN,      /* ends at the slice that encloses it */
  TB_FLOW_IN_NEXT  /* ends at the next slice of its track */
};

/* One event of a queue. */
struct tb_staged_event {
  int64_t ts; /* ns */
  /* COMPLETE: more than 0; BEGIN, as is end_body: what the nester found of one of TB_MATCH_NO_THREAD_TIME */
  int64_t dur;
  uint8_t kind; /* enum tb_staged_kind */
  uint8_t flow; /* enum tb_flow_step; of FLOW entries, and of slices that carry a bind_id */
  /* an END of a slice that began before `ts`, what was in that slice at `ts` (timeline/same_time.h), or an INSTANT
   * before anything began: it comes first at its time */
  bool sorts_first;
  bool has_thread_ts, has_thread_dur;
  bool joinable; /* an END: its body, which is not empty, may be put behind its BEGIN's */
  int64_t thread_ts, thread_dur;
  uint32_t key;              /* the group of tracks it belongs to, 0 for the queue's own track */
  uint32_t flow_key;         /* the flow, where `flow` says so */
  uint32_t name, categories; /* what an END must match; of BEGIN and END. 0: none */
  uint64_t order;            /* of entries with a flow: place in the file, over all queues */
  struct tb_str body;        /* encoded by the caller */
  struct tb_str end_body;    /* COMPLETE, ZERO_LENGTH_SLICE: what goes with its end */
};

#define TB_NO_THREAD_TS INT64_MIN

/* Whether a slice in which its thread did not run, as the thread times of its BEGIN and its END say, is the same as a
 * complete one of whole microseconds, where nothing began in it at the time of the END: that would be behind a complete
 * one. One of no duration is not: what comes behind it at its time would be in a complete one. Nor is one whose END
 * says what a BEGIN has no place for. */
static inline bool tb_is_without_thread_time(int64_t begin_ts, int64_t begin_thread_ts,
                                             const struct tb_staged_event *end) {
  return end->has_thread_ts && begin_thread_ts == end->thread_ts && begin_thread_ts != TB_NO_THREAD_TS &&
         begin_ts < end->ts && (!end->body.len || end->joinable) &&
         ((uint64_t)end->ts - (uint64_t)begin_ts) % 1000 == 0;
}

/* When a slice ends that begins at `ts` and lasts `dur`, which is not negative; less than INT64_MAX, which means that
 * no end is known. */
static inline int64_t tb_slice_end(int64_t ts, int64_t dur) {
  return dur > INT64_MAX - 1 - (ts > 0 ? ts : 0) ? INT64_MAX - 1 : ts + dur;
}

/* Index entry of a queue in memory: enough to sort. */
struct tb_sort_queue_ref {
  int64_t ts, rank; /* see entry_rank.h */
  const char *record;
};

/* Natural merge sort: runs that are in order stay so. Stable. `spare` has room for as many. */
void tb_sort_queue_sort_refs(struct tb_sort_queue_ref *refs, size_t count, struct tb_sort_queue_ref *spare);

struct tb_sort_queue_block;

/* What the END of a slice says that may be one event with its BEGIN, by the place of the BEGIN. */
struct tb_end_args {
  uint64_t begin;
  struct tb_str body; /* in the queue's memory */
};

/* A slice of a stack that the timeline follows. */
struct tb_stack_frame_ref {
  struct tb_open_frame open; /* ended: its end is known */
  int64_t dur;               /* of an open slice: -1 */
  int64_t thread_ts;         /* of a BEGIN; TB_NO_THREAD_TS: none */
  int64_t first_end;         /* the first known end of this slice and those below it; INT64_MAX: none is known */
  uint64_t place;
};

/* What tb_match_slices notes of a slice. */
enum tb_match_note {
  TB_MATCH_AMBIGUOUS = 1,      /* its end is, so that begin and end must be events of their own */
  TB_MATCH_AROUND_ENDLESS = 2, /* a complete one in which one begins that never ends */
  TB_MATCH_NO_THREAD_TIME = 4, /* a BEGIN of which tb_is_without_thread_time is true */
  /* a BEGIN whose slice ENDs without a name pass over, since one that is around it has ended: around that one it would
   * be theirs */
  TB_MATCH_PASSED = 8
};

/* All 0 at first; see timeline/slice_stack.h. */
struct tb_slice_stack {
  struct tb_open_stack slices; /* of struct tb_stack_frame_ref */
  bool disturbed;              /* a slice ended that was not the innermost: first_end no longer holds */
};

struct tb_sort_queue {
  const struct tb_allocator *allocator;
  struct tb_sort_queue_block *first, *last;
  char *at, *end;
  size_t bytes;   /* of all chunks */
  size_t *held;   /* the same over all queues that share it; NULL: nobody asks */
  uint64_t count; /* entries in memory */
  uint64_t total; /* entries, with those spilled */
  int64_t base_ts, base_thread_ts, last_ts, last_rank;
  bool has_base, has_thread_base, has_thread_times;
  bool sorted;        /* the entries in memory came in order */
  bool runs_in_order; /* each run starts where the one before it ended */
  bool has_begin, has_complete, has_flow;
  bool begins_together;  /* of the queue's own track slices begin at one time, and not all of them are complete */
  bool started_by_begin; /* what began last, at started_at */
  int64_t started_at;
  bool needs_matching;            /* the slices do not nest in this order, or have keys */
  struct tb_slice_stack stack;    /* what is open as entries come in; of use only while the queue is in order */
  bool complete_first;            /* set after init: see tb_source_traits */
  struct tb_same_time same_time;  /* the newest entries in memory, of one time */
  struct tb_sort_queue_ref *refs; /* the index, once built */
  size_t ref_count;
  /* By place, once matched: of a BEGIN the ts of its END, of an END the place of its BEGIN; see
   * timeline/slice_matcher.h. The nester replaces the ts of a BEGIN by its lane. */
  int64_t *matches;
  unsigned char *match_notes;   /* by place: enum tb_match_note; NULL: no slice has any */
  struct tb_end_args *end_args; /* of those of TB_MATCH_NO_THREAD_TIME, by place */
  size_t end_args_count, end_args_capacity;
  struct tb_run *runs;
  size_t run_count, run_capacity;
};

void tb_sort_queue_init(struct tb_sort_queue *queue, const struct tb_allocator *allocator);
void tb_sort_queue_free(struct tb_sort_queue *queue);

/* Whether the entries came in order so far, over all runs. */
static inline bool tb_sort_queue_in_order(const struct tb_sort_queue *s) { return s->sorted && s->runs_in_order; }

/* Appends an entry; the body is copied, and entry->sorts_first set. If all entries come in order, its place is
 * queue->total - 1 then. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_sort_queue_add(struct tb_sort_queue *queue, struct tb_staged_event *entry);

/* Sorts what is in memory and writes it to `file` as one run; memory is freed. */
TB_MUST_CHECK enum tb_status tb_sort_queue_spill(struct tb_sort_queue *queue, struct tb_spill_file *file,
                                                 struct tb_error *error);

/* Builds and sorts the index of a queue that was not spilled. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_sort_queue_index(struct tb_sort_queue *queue);
void tb_sort_queue_free_index(struct tb_sort_queue *queue);

/* Of slices that begin at one time and end at a known one, those that end last come first: `ends` has by place the ends
 * of BEGINs, and INT64_MAX where none is known. Needs an index. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_sort_queue_order_begins(struct tb_sort_queue *queue, const int64_t *ends);

/* Whether the matcher noted that of the slice at `place`. */
static inline bool tb_sort_queue_has_note(const struct tb_sort_queue *s, size_t place, enum tb_match_note note) {
  return s->match_notes && s->match_notes[place] & note;
}

/* Frees what the matcher found. */
void tb_sort_queue_forget_matches(struct tb_sort_queue *queue);

/* Reads the record of an index entry. */
void tb_sort_queue_event_at(const struct tb_sort_queue *queue, size_t place, struct tb_staged_event *entry);

/* ---- reading in the order of time -------------------------------------------------------------------------------- */

struct tb_sort_queue_cursor {
  struct tb_sort_queue *queue;
  size_t place; /* of the next entry */
  const struct tb_sort_queue_block *chunk;
  const char *at;
  int64_t ts;
  struct tb_run_merger *merge;
};

/* Starts at the first entry. A queue in memory that did not come in order needs its index first. */
TB_MUST_CHECK enum tb_status tb_sort_queue_open(struct tb_sort_queue *queue, struct tb_spill_file *file,
                                                struct tb_sort_queue_cursor *cursor, struct tb_error *error);
/* The next entry; its body is valid until the next call. TB_OK, TB_END, or TB_IO. */
TB_MUST_CHECK enum tb_status tb_sort_queue_next(struct tb_sort_queue_cursor *cursor, struct tb_staged_event *entry,
                                                struct tb_error *error);
void tb_sort_queue_close(struct tb_sort_queue_cursor *cursor);

#endif
