/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/diff/stacks.h"

#include <inttypes.h>
#include <stdio.h>

enum { FRAMES_MAX = 1024 }; /* of one stack: frames may name each other in a circle */

void tb_diff_stacks_init(struct tb_diff_stacks *stacks, const struct tb_allocator *allocator) {
  tb_intern_init(&stacks->ids, allocator);
  tb_map_init(&stacks->by_id, allocator);
  tb_arena_init(&stacks->arena, allocator, 0);
}

void tb_diff_stacks_free(struct tb_diff_stacks *stacks) {
  tb_intern_free(&stacks->ids);
  tb_map_free(&stacks->by_id);
  tb_arena_free(&stacks->arena);
}

enum tb_status tb_diff_stacks_add(struct tb_diff_stacks *stacks, const struct tb_event *event) {
  struct tb_diff_frame *frame = tb_arena_alloc(&stacks->arena, sizeof(*frame));
  uint32_t id = tb_intern_id(&stacks->ids, event->id.text);
  if (!frame || !id) return TB_NO_MEMORY;
  *frame = (struct tb_diff_frame){.function = tb_arena_copy(&stacks->arena, event->name),
                                  .mapping = tb_arena_copy(&stacks->arena, event->categories)};
  if (!frame->function.ptr || !frame->mapping.ptr) return TB_NO_MEMORY;
  if (event->parent_frame.len) {
    frame->parent = tb_intern_id(&stacks->ids, event->parent_frame);
    if (!frame->parent) return TB_NO_MEMORY;
  }
  return tb_map_put(&stacks->by_id, id, 0, (uint64_t)(uintptr_t)frame);
}

static enum tb_status put(struct tb_buffer *text, struct tb_str part) {
  return tb_buffer_append(text, part.ptr, part.len);
}

static enum tb_status put_frame(struct tb_buffer *text, const struct tb_frame *frame, bool in_full) {
  char number[48];
  enum tb_status status = text->len ? put(text, TB_STR(" > ")) : TB_OK;
  if (status == TB_OK) status = put(text, frame->function);
  if (!in_full) return status;
  if (status == TB_OK && frame->mapping.len) status = put(text, TB_STR(" in "));
  if (status == TB_OK) status = put(text, frame->mapping);
  if (status == TB_OK && frame->file.len) status = put(text, TB_STR(" at "));
  if (status == TB_OK) status = put(text, frame->file);
  if (status == TB_OK && frame->line) {
    int len = snprintf(number, sizeof(number), ":%" PRIu32, frame->line);
    status = put(text, (struct tb_str){number, (size_t)len});
  }
  if (status == TB_OK && frame->pc) {
    int len = snprintf(number, sizeof(number), " pc 0x%" PRIx64, frame->pc);
    status = put(text, (struct tb_str){number, (size_t)len});
  }
  return status;
}

/* Those of a frame's id, from the root. */
static enum tb_status put_named(struct tb_diff_stacks *stacks, struct tb_str id, bool in_full, struct tb_buffer *text) {
  const struct tb_diff_frame *frames[FRAMES_MAX];
  size_t count = 0;
  uint32_t next = tb_intern_find(&stacks->ids, id, tb_intern_hash(id));
  while (next && count < FRAMES_MAX) {
    const struct tb_diff_frame *frame = tb_map_find_pointer(&stacks->by_id, next, 0);
    if (!frame) break;
    frames[count++] = frame;
    next = frame->parent;
  }
  enum tb_status status = TB_OK;
  for (size_t i = count; i > 0 && status == TB_OK; i--) {
    const struct tb_diff_frame *named = frames[i - 1];
    const struct tb_frame frame = {.function = named->function, .mapping = named->mapping};
    status = put_frame(text, &frame, in_full);
  }
  return status;
}

enum tb_status tb_diff_stacks_text(struct tb_diff_stacks *stacks, const struct tb_stack *stack, bool in_full,
                                   struct tb_buffer *text) {
  enum tb_status status = TB_OK;
  text->len = 0;
  if (!stack->frame_count) return stack->ref.len ? put_named(stacks, stack->ref, in_full, text) : TB_OK;
  for (uint32_t i = 0; i < stack->frame_count && status == TB_OK; i++)
    status = put_frame(text, &stack->frames[i], in_full);
  return status;
}
