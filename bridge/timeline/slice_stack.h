/* SPDX-License-Identifier: Apache-2.0
 *
 * The stack of slices of one track, as events come in the order of time: what the trace processor's importer of JSON
 * has on its stack.
 */
#ifndef TB_TIMELINE_SLICE_STACK_H
#define TB_TIMELINE_SLICE_STACK_H

#include "timeline/sort_queue.h"

void tb_slice_stack_free(struct tb_slice_stack *stack, const struct tb_allocator *allocator);

/* Removes the slices that are closed at `ts`, and pushes entry `place`: a BEGIN, a COMPLETE, or anything without a
 * duration. *nests is false if that cut another slice or if the entry overlaps one; an entry that overlaps is not
 * pushed (*pushed). TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_slice_stack_begin(struct tb_slice_stack *stack, const struct tb_allocator *allocator,
                                                  const struct tb_staged_event *entry, uint64_t place, bool *nests,
                                                  bool *pushed);

/* Removes the slices that are closed, and ends the newest open slice that END `entry` matches. Returns whether that
 * was the innermost one; *begin_ts is when it began, INT64_MAX where none matched. */
bool tb_slice_stack_end(struct tb_slice_stack *stack, const struct tb_staged_event *entry, int64_t *begin_ts);

/* The newest slice; NULL when there is none. It may be closed already: only the begin and the end of slices remove
 * others. */
static inline const struct tb_stack_frame_ref *tb_slice_stack_top(const struct tb_slice_stack *stack) {
  return stack->count ? &stack->frames[stack->count - 1] : NULL;
}

#endif
