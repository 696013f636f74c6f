/* SPDX-License-Identifier: Apache-2.0
 *
 * Callstacks as the Perfetto writer interns them: frames by their text, stacks by their reference or their frames.
 */
#ifndef TB_PERFETTO_WRITER_ENCODE_CALLSTACKS_H
#define TB_PERFETTO_WRITER_ENCODE_CALLSTACKS_H

#include "base/intern.h"
#include "perfetto/packet/undefined_frame.h"
#include "tracebridge/event.h"

/* A frame of the source's stackFrames. */
struct tb_stack_frame {
  struct tb_str function, mapping;
  struct tb_str parent; /* the id of the frame that called it, empty for a root */
  bool defined, used;
};

struct tb_callstacks {
  const struct tb_allocator *allocator;
  struct tb_intern frame_ids;    /* ids of stackFrames */
  struct tb_stack_frame *frames; /* by frame id - 1 */
  size_t frame_capacity;
  struct tb_arena arena;
};

void tb_callstacks_init(struct tb_callstacks *stacks, const struct tb_allocator *allocator);
void tb_callstacks_free(struct tb_callstacks *stacks);

/* Takes an entry of stackFrames. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_callstacks_define(struct tb_callstacks *stacks, const struct tb_event *frame);

/* Appends the text that stands for a stack, and that it is interned by: "r" and the reference, or "f" and each frame's
 * function, file, mapping, line and pc. TB_OK, TB_NO_MEMORY or TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_callstacks_text(struct tb_buffer *text, const struct tb_stack *stack);

/* Whether the event has a stack. */
static inline bool tb_stack_is_there(const struct tb_stack *stack) { return stack->frame_count || stack->ref.len; }

/* Calls `frame` for each frame of the stack with this text, root first; references are followed through what was
 * defined, and stop where it ends or goes round. Returns what `frame` returned last, or TB_OK. */
TB_MUST_CHECK enum tb_status tb_callstacks_walk(struct tb_callstacks *stacks, struct tb_str text,
                                                enum tb_status (*frame)(void *ctx, const struct tb_frame *frame),
                                                void *ctx);

#endif
