/* SPDX-License-Identifier: Apache-2.0
 *
 * All events of a trace in the order of time: what has no time first, then by time, then as they came.
 *
 *   put      encodes an event (shape/event_codec.h) behind those that are staged: some thousand, in memory that stays
 *            in the cache and is used again
 *   a run    when that is full, they are sorted, and copied in their order to where they stay
 *   spilling beyond the budget, all runs in memory are merged into one of a temporary file
 *   next     merges the runs (timeline/run_merger.h)
 *
 * So nothing is kept but the events' bytes, each is written in order and read in order, and traces that are nearly in
 * order cost little to merge.
 *
 * A source may say that complete slices come first at their time. An END at the time of others then comes before them,
 * where it ends a slice that began before: so the sorter gives events time by time, and asks who matches slices.
 */
#ifndef TB_SHAPE_EVENT_SORTER_H
#define TB_SHAPE_EVENT_SORTER_H

#include "shape/event_codec.h"
#include "shape/run_memory.h"
#include "timeline/sort_queue.h"

/* Where a staged event's bytes are. */
struct tb_staged_span {
  size_t at, len;
};

struct tb_event_sorter {
  const struct tb_allocator *allocator;
  struct tb_event_codec codec;
  struct tb_spill_file *spill;
  const char *directory; /* for the temporary file; NULL: $TMPDIR, else /tmp */
  size_t budget;
  bool complete_first; /* see tb_source_traits */

  struct tb_buffer staged;         /* their bytes */
  struct tb_sort_queue_ref *refs;  /* of each; its `record` is a struct tb_staged_span. NULL: nothing came yet */
  struct tb_sort_queue_ref *spare; /* to sort them */
  struct tb_staged_span *spans;
  size_t count;
  bool is_in_order;

  struct tb_run_memory memory; /* of runs that are not in the file */
  struct tb_buffer run_bytes;  /* of one on its way to the file */
  struct tb_run *runs;         /* those in the file first */
  size_t run_count, run_capacity;
  size_t runs_in_file;
  size_t bytes;       /* of runs in memory */
  bool runs_in_order; /* each begins where the one before it ended */
  int64_t last_ts, last_rank;
  struct tb_run_merger *merger; /* once the first was asked for */
  const void *next;             /* what it gave, and was not decoded yet; NULL: nothing */
};

void tb_event_sorter_init(struct tb_event_sorter *sorter, const struct tb_allocator *allocator);
void tb_event_sorter_free(struct tb_event_sorter *sorter);

/* Takes a copy of an event. TB_OK, TB_NO_MEMORY, or TB_IO, which is in *error. */
TB_MUST_CHECK enum tb_status tb_event_sorter_put(struct tb_event_sorter *sorter, const struct tb_event *event,
                                                 struct tb_error *error);

/* The time of the next event, INT64_MIN where it has none; the first call ends the putting. TB_OK, TB_END, TB_NO_MEMORY
 * or TB_IO. */
TB_MUST_CHECK enum tb_status tb_event_sorter_peek(struct tb_event_sorter *sorter, int64_t *ts, struct tb_error *error);

/* The next event, in memory of the arena and the sorter. *used: see tb_event_decode_over. Statuses as above. */
TB_MUST_CHECK enum tb_status tb_event_sorter_next(struct tb_event_sorter *sorter, struct tb_arena *arena,
                                                  struct tb_event *event, uint64_t *used, struct tb_error *error);

#endif
