/* SPDX-License-Identifier: Apache-2.0
 *
 * All events of a trace in the order of time: what has no time first, then by time, then as they came. Beyond a budget
 * of memory sorted runs are spilled to a temporary file (timeline/sort_queue.h).
 *
 * A source may say that complete slices come first at their time. An END at the time of others then comes before them,
 * where it ends a slice that began before: so the sorter gives events time by time, and asks who matches slices.
 */
#ifndef TB_SHAPE_EVENT_SORTER_H
#define TB_SHAPE_EVENT_SORTER_H

#include "timeline/sort_queue.h"
#include "tracebridge/event.h"

struct tb_event_sorter {
  const struct tb_allocator *allocator;
  struct tb_sort_queue queue;
  struct tb_sort_queue_cursor cursor;
  struct tb_spill_file *spill;
  const char *directory; /* for the temporary file; NULL: $TMPDIR, else /tmp */
  size_t budget;
  bool complete_first; /* see tb_source_traits */
  bool is_open;
  struct tb_buffer body;
};

void tb_event_sorter_init(struct tb_event_sorter *sorter, const struct tb_allocator *allocator);
void tb_event_sorter_free(struct tb_event_sorter *sorter);

/* Takes a copy of an event. TB_OK, TB_NO_MEMORY, or TB_IO, which is in *error. */
TB_MUST_CHECK enum tb_status tb_event_sorter_put(struct tb_event_sorter *sorter, const struct tb_event *event,
                                                 struct tb_error *error);

/* The next event, in memory of the arena; the first call ends the putting. TB_OK, TB_END, TB_NO_MEMORY or TB_IO. */
TB_MUST_CHECK enum tb_status tb_event_sorter_next(struct tb_event_sorter *sorter, struct tb_arena *arena,
                                                  struct tb_event *event, struct tb_error *error);

#endif
