/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices whose begin was read: what their ends, their arguments and the flows between them are compared by. A slice is
 * known while events of its track may still name it; one that a flow comes from, to the end.
 */
#ifndef TB_TOOLBOX_DIFF_OPEN_SLICES_H
#define TB_TOOLBOX_DIFF_OPEN_SLICES_H

#include "base/map.h"
#include "tracebridge/event.h"

struct tb_diff_slice {
  struct tb_diff_slice *below; /* of its track */
  size_t size;
  uint64_t id;
  int64_t ts;
  const struct tb_track *track;
  struct tb_str name; /* behind the struct */
  uint64_t *said;     /* hashes of its begin's arguments, in order */
  size_t said_count;
  bool has_ended, is_object, is_of_flow;
};

struct tb_diff_slices {
  const struct tb_allocator *allocator;
  struct tb_map by_id;  /* slice_id -> struct tb_diff_slice */
  struct tb_map newest; /* index of a track -> its newest one that may be named */
};

void tb_diff_slices_init(struct tb_diff_slices *slices, const struct tb_allocator *allocator);
void tb_diff_slices_free(struct tb_diff_slices *slices);

/* The event, which is of the one shape, begins a slice or is an instant. NULL without memory. */
struct tb_diff_slice *tb_diff_slices_begin(struct tb_diff_slices *slices, const struct tb_event *event);
/* NULL: it is not known. */
struct tb_diff_slice *tb_diff_slices_find(const struct tb_diff_slices *slices, uint64_t id);
/* Keeps these hashes until the slice ends. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_diff_slices_say(struct tb_diff_slices *slices, struct tb_diff_slice *slice,
                                                size_t count);
/* NULL is ignored. */
void tb_diff_slices_end(struct tb_diff_slices *slices, struct tb_diff_slice *slice);

#endif
