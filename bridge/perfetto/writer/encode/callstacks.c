/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/writer/encode/callstacks.h"

#include "model/arg_lookup.h"

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

/* The entry of an id, made where it is new; NULL when memory is exhausted. */
static struct tb_stack_frame *own_frame(struct tb_callstacks *stacks, struct tb_str text) {
  uint32_t id = tb_intern_id(&stacks->frame_ids, text);
  if (!id) return NULL;
  size_t before = stacks->frame_capacity;
  void *frames = stacks->frames;
  if (tb_grow_array(stacks->allocator, &frames, &stacks->frame_capacity, id, sizeof(*stacks->frames), UINT32_MAX) !=
      TB_OK)
    return NULL;
  stacks->frames = frames;
  if (stacks->frame_capacity > before)
    memset(stacks->frames + before, 0, (stacks->frame_capacity - before) * sizeof(*stacks->frames));
  return &stacks->frames[id - 1];
}

enum tb_status tb_callstacks_refer(struct tb_callstacks *stacks, struct tb_str id) {
  struct tb_stack_frame *frame = own_frame(stacks, id);
  if (!frame) return TB_NO_MEMORY;
  frame->referred = true;
  return TB_OK;
}

/* Members of a frame that our JSON writer has for those of other formats. */
static enum tb_status take_place(struct tb_callstacks *stacks, struct tb_stack_frame *frame,
                                 const struct tb_event *event) {
  const struct tb_arg *file = tb_find_member(event->extra, event->extra_count, TB_STR("file"));
  const struct tb_arg *line = tb_find_member(event->extra, event->extra_count, TB_STR("line"));
  if (line && line->type == TB_ARG_INT && line->i > 0 && line->i <= UINT32_MAX) frame->line = (uint32_t)line->i;
  if (!file || file->type != TB_ARG_STRING) return TB_OK;
  frame->file = tb_arena_copy(&stacks->arena, file->text);
  return frame->file.ptr ? TB_OK : TB_NO_MEMORY;
}

enum tb_status tb_callstacks_define(struct tb_callstacks *stacks, const struct tb_event *event) {
  struct tb_stack_frame *frame = own_frame(stacks, event->id.text);
  if (!frame || take_place(stacks, frame, event) != TB_OK) return TB_NO_MEMORY;
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

static struct tb_frame frame_of(const struct tb_stack_frame *frame) {
  return (struct tb_frame){
      .function = frame->function, .mapping = frame->mapping, .file = frame->file, .line = frame->line};
}

enum tb_status tb_callstacks_walk(struct tb_callstacks *stacks, struct tb_str text, frame_function *frame, void *ctx) {
  if (text.ptr[0] == 'f') return walk_frames(text, frame, ctx);
  const struct tb_stack_frame *chain[MAX_FRAMES];
  size_t count = 0;
  struct tb_stack_frame *at = find_frame(stacks, (struct tb_str){text.ptr + 1, text.len - 1});
  for (; at && count < MAX_FRAMES; at = at->parent.len ? find_frame(stacks, at->parent) : NULL) chain[count++] = at;
  while (count-- > 0) {
    /* cppcheck-suppress uninitvar */
    struct tb_frame f = frame_of(chain[count]);
    enum tb_status status = frame(ctx, &f);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

/* ---- frames that are in no callstack ----------------------------------------------------------------------------- */

void tb_callstacks_use(struct tb_callstacks *stacks, struct tb_str text) {
  if (text.ptr[0] == 'f') return;
  struct tb_stack_frame *at = find_frame(stacks, (struct tb_str){text.ptr + 1, text.len - 1});
  for (; at && !at->used; at = at->parent.len ? find_frame(stacks, at->parent) : NULL) at->used = true;
}

static void emit_frame(struct tb_json_emit *emit, struct tb_str id, const struct tb_stack_frame *frame) {
  const struct tb_frame place = frame_of(frame);
  tb_json_emit_string(emit, id);
  TB_JSON_EMIT(emit, ":{\"name\":");
  tb_json_emit_string(emit, frame->function);
  tb_json_emit_frame_place(emit, &place);
  if (frame->parent.len) {
    TB_JSON_EMIT(emit, ",\"parent\":");
    tb_json_emit_string(emit, frame->parent);
  }
  TB_JSON_EMIT(emit, "}");
}

/* Those above a frame that is written are written too. */
static void refer_parents(struct tb_callstacks *stacks, struct tb_stack_frame *frame) {
  for (frame->referred = true; frame->parent.len; frame->referred = true) {
    frame = find_frame(stacks, frame->parent);
    if (!frame || frame->referred) return;
  }
}

void tb_callstacks_emit_rest(struct tb_callstacks *stacks, struct tb_json_emit *emit, bool *any) {
  struct tb_stack_frame *frames = stacks->frames;
  size_t count = stacks->frame_ids.count;
  for (size_t i = 0; i < count; i++)
    if (frames[i].defined && (!frames[i].used || frames[i].referred)) refer_parents(stacks, &frames[i]);
  *any = false;
  for (size_t i = 0; i < count; i++) {
    if (!frames[i].defined || !frames[i].referred) continue;
    tb_json_emit_raw(emit, *any ? "," : "{", 1);
    emit_frame(emit, tb_intern_text(&stacks->frame_ids, (uint32_t)i + 1), &frames[i]);
    *any = true;
  }
  if (*any) TB_JSON_EMIT(emit, "}");
}
