/* SPDX-License-Identifier: Apache-2.0
 *
 * The stack of slices of one track (open_stack.h), as events come in the order of time: what the trace processor has
 * on its stack after the same events. A writer asks it before it emits an event: will readers see the slices that were
 * meant?
 *
 * The stack holds slices from the outermost to the innermost. A BEGIN pushes a slice without an end (open). A COMPLETE
 * pushes one whose end is known. A slice with an end is not popped at its end, since no event says so. It is popped
 * when the next event is at or after that end, before the event is looked at (`clear`):
 *
 *   COMPLETE A [0, 10)    stack: A
 *   COMPLETE B [2, 5)     stack: A B
 *   BEGIN    C at 7       B has ended and is popped; stack: A C
 *   BEGIN    D at 12      A has ended while C, above it, is open: both are popped ("cut"); stack: D
 *   COMPLETE E [13, 15)   stack: D E
 *   COMPLETE F [14, 17)   F ends after E, which is open at 14: F is not pushed, and the events do not nest
 *
 * An END ends the newest open slice that has its name and categories, where it has any. Where that is the innermost,
 * it is popped. Where it is not, it gets its end and stays below the slices above it ("disturbed"), as the trace
 * processor keeps it. The caller hears that what it emits is not seen as it was meant, and sorts or moves slices to
 * lanes instead.
 *
 * Two shortcuts keep this quick. Each slice has the first end of all slices at and below it (`first_end`). An event
 * before it pops nothing, so that only the top is looked at. And an END that matches none of thousands of open slices
 * is not searched for (open_names.h).
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
 * was the innermost one; *ended is the slice, whose open.ts is INT64_MAX where none matched. */
bool tb_slice_stack_end(struct tb_slice_stack *stack, const struct tb_staged_event *entry,
                        struct tb_stack_frame_ref *ended);

/* Whether a complete slice has one in it of which no end has come. */
bool tb_slice_stack_is_around_open(const struct tb_slice_stack *stack);

/* The newest slice; NULL when there is none. It may be closed already: only the begin and the end of slices remove
 * others. */
static inline const struct tb_stack_frame_ref *tb_slice_stack_top(const struct tb_slice_stack *stack) {
  const struct tb_stack_frame_ref *frames = stack->slices.frames;
  return stack->slices.count ? &frames[stack->slices.count - 1] : NULL;
}

#endif
