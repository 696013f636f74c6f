/* SPDX-License-Identifier: Apache-2.0
 *
 * Events in the order of time while they still come: each waits until one came that is a window later. What is older
 * than an event that was given already comes late: it is counted, and given as soon as it is there.
 */
#ifndef TB_SHAPE_EVENT_WINDOW_H
#define TB_SHAPE_EVENT_WINDOW_H

#include "base/heap.h"
#include "base/losses.h"
#include "shape/event_codec.h"
#include "tracebridge/event.h"

struct tb_window_entry {
  int64_t ts;
  int64_t rank; /* of one time; the greater one comes first */
  uint64_t number;
  struct tb_str body; /* the event, encoded */
};

struct tb_event_window {
  const struct tb_allocator *allocator;
  struct tb_losses *losses;
  uint64_t ns;
  bool complete_first;  /* see tb_source_traits */
  bool ended;           /* nothing more comes: all is due */
  struct tb_heap order; /* places in `entries` */
  struct tb_window_entry *entries;
  size_t count, capacity;
  uint32_t *free;
  size_t free_count, free_capacity;
  uint64_t number;
  int64_t newest, given;
  struct tb_buffer body;
  struct tb_event_codec codec;
};

void tb_event_window_init(struct tb_event_window *window, const struct tb_allocator *allocator, uint64_t ns,
                          struct tb_losses *losses);
void tb_event_window_free(struct tb_event_window *window);

/* Takes a copy of an event. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_event_window_put(struct tb_event_window *window, const struct tb_event *event);

/* The time of the next event that is due, INT64_MIN where it has none. TB_OK; TB_AGAIN where none is, TB_END where none
 * is left. */
TB_MUST_CHECK enum tb_status tb_event_window_peek(const struct tb_event_window *window, int64_t *ts);

/* That event, in memory of the arena. *used: see tb_event_decode_over. Statuses as above, and TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_event_window_next(struct tb_event_window *window, struct tb_arena *arena,
                                                  struct tb_event *event, uint64_t *used);

#endif
