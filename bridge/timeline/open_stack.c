/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/open_stack.h"

void tb_open_stack_free(struct tb_open_stack *s, const struct tb_allocator *allocator) {
  tb_open_names_free(&s->names);
  tb_free(allocator, s->frames, (size_t)s->capacity * s->frame_size);
  s->frames = NULL;
  s->count = s->capacity = 0;
}

bool tb_open_stack_make_room(struct tb_open_stack *s, const struct tb_allocator *allocator, size_t most) {
  size_t capacity = s->capacity;
  if (most > UINT32_MAX) most = UINT32_MAX;
  if (!capacity) most = 1; /* most of a million stacks have one slice */
  enum tb_status status = tb_grow_array(allocator, &s->frames, &capacity, (size_t)s->count + 1, s->frame_size, most);
  s->capacity = (uint32_t)capacity;
  return status == TB_OK;
}

bool tb_open_stack_count(struct tb_open_stack *s, const struct tb_allocator *allocator,
                         const struct tb_open_frame *frame) {
  return tb_open_names_count_up(&s->names, allocator, frame->name, frame->categories) == TB_OK;
}

size_t tb_open_stack_find(const struct tb_open_stack *s, uint64_t name, uint32_t categories,
                          tb_open_frame_matches *matches, const void *ctx) {
  for (size_t i = tb_open_names_reach(&s->names, s->count, name, categories); i > 0; i--) {
    const struct tb_open_frame *frame = tb_open_stack_at(s, i - 1);
    if (!frame->ended && matches(ctx, frame)) return i;
  }
  return 0;
}

size_t tb_open_stack_begun(const struct tb_open_stack *s, int64_t ts) {
  for (size_t i = s->count; i > 0; i--) {
    const struct tb_open_frame *frame = tb_open_stack_at(s, i - 1);
    if (!frame->ended && frame->ts <= ts) return i;
  }
  return 0;
}

bool tb_open_stack_end(struct tb_open_stack *s, size_t index) {
  struct tb_open_frame *frame = tb_open_stack_at(s, index);
  tb_open_stack_uncount(s, frame);
  frame->counted = false;
  frame->ended = true;
  return index + 1 == s->count;
}

void tb_open_stack_forget(struct tb_open_stack *s, size_t count) {
  for (size_t i = 0; i < count; i++) tb_open_stack_uncount(s, tb_open_stack_at(s, i));
  s->count -= (uint32_t)count;
  memmove(s->frames, tb_open_stack_at(s, count), (size_t)s->count * s->frame_size);
}

/* ---- stacks of many tracks --------------------------------------------------------------------------------------- */

enum { STACK_BYTES = 512 }; /* about what a stack takes with its memory */

struct tb_open_stack *tb_open_stacks_take(struct tb_open_stacks *stacks, uint32_t owner) {
  struct tb_open_stack *stack = stacks->spare;
  if (stack) {
    stacks->spare = stack->next;
  } else {
    stack = tb_calloc(stacks->allocator, stacks->size);
    if (!stack) return NULL;
    stack->frame_size = (uint32_t)stacks->frame_size;
  }
  stack->owner = owner;
  stack->next = NULL;
  stack->previous = stacks->last;
  *(stacks->last ? &stacks->last->next : &stacks->first) = stack;
  stacks->last = stack;
  stacks->bytes += STACK_BYTES;
  return stack;
}

void tb_open_stacks_return(struct tb_open_stacks *stacks, struct tb_open_stack *stack) {
  *(stack->previous ? &stack->previous->next : &stacks->first) = stack->next;
  *(stack->next ? &stack->next->previous : &stacks->last) = stack->previous;
  stack->next = stacks->spare;
  stacks->spare = stack;
  stacks->bytes -= STACK_BYTES;
}

void tb_open_stacks_free(struct tb_open_stacks *stacks, void (*destroy)(const void *ctx, struct tb_open_stack *stack),
                         const void *ctx) {
  while (stacks->first) tb_open_stacks_return(stacks, stacks->first);
  for (struct tb_open_stack *stack = stacks->spare, *next; stack; stack = next) {
    next = stack->next;
    destroy(ctx, stack);
    tb_open_stack_free(stack, stacks->allocator);
    tb_free(stacks->allocator, stack, stacks->size);
  }
  stacks->spare = NULL;
}
