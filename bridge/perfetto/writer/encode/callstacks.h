/* SPDX-License-Identifier: Apache-2.0
 *
 * Callstacks as the Perfetto writer interns them: frames by their text, stacks by their reference or their frames.
 */
#ifndef TB_PERFETTO_WRITER_ENCODE_CALLSTACKS_H
#define TB_PERFETTO_WRITER_ENCODE_CALLSTACKS_H

#include "base/intern.h"
#include "json/emitter.h"
#include "perfetto/packet/undefined_frame.h"
#include "tracebridge/event.h"

/* A frame of the source's stackFrames. */
struct tb_stack_frame {
  struct tb_str function, mapping, file;
  struct tb_str parent; /* the id of the frame that called it, empty for a root */
  uint32_t line;
  bool defined;
  bool used;     /* in a callstack */
  bool referred; /* by an event that carries its id */
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

/* Takes note of a frame's id that an event has as a text. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_callstacks_refer(struct tb_callstacks *stacks, struct tb_str id);

/* Marks the frames that the stack of this text is made of: once it is clear that all frames are defined. */
void tb_callstacks_use(struct tb_callstacks *stacks, struct tb_str text);

/* Writes an object of the frames that no stack is made of, which are in no other place of the trace, and of those that
 * events refer to, each with the ones above it. *any: there are some. */
void tb_callstacks_emit_rest(struct tb_callstacks *stacks, struct tb_json_emit *emit, bool *any);

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
