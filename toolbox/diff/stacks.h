/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacks as text, whether the event has its frames or names one of the trace's.
 */
#ifndef TB_TOOLBOX_DIFF_STACKS_H
#define TB_TOOLBOX_DIFF_STACKS_H

#include "base/intern.h"
#include "base/map.h"
#include "tracebridge/event.h"

struct tb_diff_frame {
  struct tb_str function, mapping;
  uint32_t parent; /* its number in `ids`; 0: none */
};

struct tb_diff_stacks {
  struct tb_intern ids; /* of frames */
  struct tb_map by_id;  /* number of such an id -> struct tb_diff_frame */
  struct tb_arena arena;
};

void tb_diff_stacks_init(struct tb_diff_stacks *stacks, const struct tb_allocator *allocator);
void tb_diff_stacks_free(struct tb_diff_stacks *stacks);

/* Takes a TB_EVENT_STACK_FRAME. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_diff_stacks_add(struct tb_diff_stacks *stacks, const struct tb_event *event);

/* Sets *text to the stack's functions, the root first; `in_full`: with where they are. Nothing of a stack without
 * frames, or of frames that the trace has not. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_diff_stacks_text(struct tb_diff_stacks *stacks, const struct tb_stack *stack,
                                                 bool in_full, struct tb_buffer *text);

#endif
