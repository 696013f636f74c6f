/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/writer/encode/callstacks.h"

enum { MAX_FRAMES = 4096 }; /* of one stack by reference: longer chains are cycles or nonsense */

void tb_callstacks_init(struct tb_callstacks *stacks, const struct tb_allocator *allocator) {
  *stacks = (struct tb_callstacks){.allocator = allocator};
  tb_intern_init(&stacks->frame_ids, allocator);
  tb_arena_init(&stacks->arena, allocator, 0);
}

void tb_callstacks_free(struct tb_callstacks *stacks) {
  tb_intern_free(&stacks->frame_ids);
  tb_arena_free(&stacks->arena);
  tb_free(stacks->allocator, stacks->frames, stacks->frame_capacity * sizeof(*stacks->frames));
}

enum tb_status tb_callstacks_define(struct tb_callstacks *stacks, const struct tb_event *event) {
  uint32_t id = tb_intern_id(&stacks->frame_ids, event->id.text);
  if (!id) return TB_NO_MEMORY;
  size_t before = stacks->frame_capacity;
  void *frames = stacks->frames;
  if (tb_grow_array(stacks->allocator, &frames, &stacks->frame_capacity, id, sizeof(*stacks->frames), UINT32_MAX) !=
      TB_OK)
    return TB_NO_MEMORY;
  stacks->frames = frames;
  if (stacks->frame_capacity > before)
    memset(stacks->frames + before, 0, (stacks->frame_capacity - before) * sizeof(*stacks->frames));
  struct tb_stack_frame *frame = &stacks->frames[id - 1];
  frame->function = tb_arena_copy(&stacks->arena, event->name);
  frame->mapping = tb_arena_copy(&stacks->arena, event->categories);
  frame->parent = tb_arena_copy(&stacks->arena, event->parent_frame);
  frame->defined = true;
  return frame->function.ptr && frame->mapping.ptr && frame->parent.ptr ? TB_OK : TB_NO_MEMORY;
}

static enum tb_status append_slice(struct tb_buffer *text, struct tb_str slice) {
  uint64_t len = slice.len;
  enum tb_status status = tb_buffer_append(text, &len, sizeof(len));
  return status == TB_OK ? tb_buffer_append(text, slice.ptr, slice.len) : status;
}

static enum tb_status append_frame(struct tb_buffer *text, const struct tb_frame *frame) {
  enum tb_status status = append_slice(text, frame->function);
  if (status == TB_OK) status = append_slice(text, frame->file);
  if (status == TB_OK) status = append_slice(text, frame->mapping);
  if (status == TB_OK) status = tb_buffer_append(text, &frame->line, sizeof(frame->line));
  return status == TB_OK ? tb_buffer_append(text, &frame->pc, sizeof(frame->pc)) : status;
}

enum tb_status tb_callstacks_text(struct tb_buffer *text, const struct tb_stack *stack) {
  if (stack->frame_count == 0) {
    enum tb_status status = tb_buffer_append(text, "r", 1);
    return status == TB_OK ? tb_buffer_append(text, stack->ref.ptr, stack->ref.len) : status;
  }
  enum tb_status status = tb_buffer_append(text, "f", 1);
  for (uint32_t i = 0; status == TB_OK && i < stack->frame_count; i++) status = append_frame(text, &stack->frames[i]);
  return status;
}

static const char *take_slice(const char *at, struct tb_str *slice) {
  uint64_t len;
  memcpy(&len, at, sizeof(len));
  *slice = (struct tb_str){at + sizeof(len), (size_t)len};
  return at + sizeof(len) + len;
}

typedef enum tb_status frame_function(void *ctx, const struct tb_frame *frame);

static enum tb_status walk_frames(struct tb_str text, frame_function *frame, void *ctx) {
  const char *at = text.ptr + 1, *end = text.ptr + text.len;
  while (at < end) {
    struct tb_frame f = {0};
    at = take_slice(at, &f.function);
    at = take_slice(at, &f.file);
    at = take_slice(at, &f.mapping);
    memcpy(&f.line, at, sizeof(f.line));
    memcpy(&f.pc, at + sizeof(f.line), sizeof(f.pc));
    at += sizeof(f.line) + sizeof(f.pc);
    enum tb_status status = frame(ctx, &f);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

static struct tb_stack_frame *find_frame(struct tb_callstacks *stacks, struct tb_str id) {
  uint32_t number = tb_intern_find(&stacks->frame_ids, id, tb_intern_hash(id));
  return number && stacks->frames[number - 1].defined ? &stacks->frames[number - 1] : NULL;
}

enum tb_status tb_callstacks_walk(struct tb_callstacks *stacks, struct tb_str text, frame_function *frame, void *ctx) {
  if (text.ptr[0] == 'f') return walk_frames(text, frame, ctx);
  const struct tb_stack_frame *chain[MAX_FRAMES];
  size_t count = 0;
  struct tb_stack_frame *at = find_frame(stacks, (struct tb_str){text.ptr + 1, text.len - 1});
  for (; at && count < MAX_FRAMES; at = at->parent.len ? find_frame(stacks, at->parent) : NULL) {
    at->used = true;
    chain[count++] = at;
  }
  while (count-- > 0) {
    /* cppcheck-suppress uninitvar */
    struct tb_frame f = {.function = chain[count]->function, .mapping = chain[count]->mapping};
    enum tb_status status = frame(ctx, &f);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}
