/* SPDX-License-Identifier: Apache-2.0
 *
 * The slices of one track that are open, outermost first: the stack that the timeline follows (slice_stack.h) and those
 * that the writers of JSON and FXT keep until they know how a slice ends.
 *
 *   BEGIN a, BEGIN b, BEGIN c     a b c
 *   END "b"                       a (b) c     b has ended, but c is above it: it stays until c ends
 *   END                           a           c was the innermost; b goes with it
 *
 * What a slice is beyond its begin and its name is its owner's: a frame of any size, whose first member is a struct
 * tb_open_frame. An END with a name ends the innermost slice of that name; where it names none of thousands, few are
 * looked at (open_names.h).
 */
#ifndef TB_TIMELINE_OPEN_STACK_H
#define TB_TIMELINE_OPEN_STACK_H

#include "timeline/open_names.h"

struct tb_open_frame {
  int64_t ts;
  uint64_t name;       /* an id, or what tb_open_name_of made of the text; 0: none */
  uint32_t categories; /* an id; 0: none */
  bool ended;          /* it has, or ends by itself: no END is for it */
  bool counted;        /* by its name: the stack sets it */
};

/* Caller-owned; zero but for `frame_size` it is empty. */
struct tb_open_stack {
  struct tb_open_stack *next, *previous; /* see struct tb_open_stacks */
  uint32_t owner;
  uint32_t frame_size;
  void *frames; /* outermost first */
  uint32_t count, capacity;
  struct tb_open_names names; /* of those that have not ended */
};

/* Frees the frames. */
void tb_open_stack_free(struct tb_open_stack *stack, const struct tb_allocator *allocator);

static inline struct tb_open_frame *tb_open_stack_at(const struct tb_open_stack *stack, size_t index) {
  return (struct tb_open_frame *)((char *)stack->frames + index * stack->frame_size);
}

/* For tb_open_stack_push: the array is full, or names are counted. */
bool tb_open_stack_make_room(struct tb_open_stack *stack, const struct tb_allocator *allocator, size_t most);
bool tb_open_stack_count(struct tb_open_stack *stack, const struct tb_allocator *allocator,
                         const struct tb_open_frame *frame);

/* Pushes a slice; what its frame has behind `frame` is the caller's to set. NULL without memory, or where there are
 * `most`. */
static inline struct tb_open_frame *tb_open_stack_push(struct tb_open_stack *stack,
                                                       const struct tb_allocator *allocator,
                                                       const struct tb_open_frame *frame, size_t most) {
  if (stack->count == stack->capacity && !tb_open_stack_make_room(stack, allocator, most)) return NULL;
  bool counted = stack->count >= TB_NAMES_COUNTED_FROM && !frame->ended;
  if (counted && !tb_open_stack_count(stack, allocator, frame)) return NULL;
  struct tb_open_frame *top = tb_open_stack_at(stack, stack->count++);
  *top = *frame;
  top->counted = counted;
  return top;
}

/* Whether a frame is of the name that is looked for. */
typedef bool tb_open_frame_matches(const void *ctx, const struct tb_open_frame *frame);

/* The innermost slice that has not ended and that `matches`, + 1; 0: none. By `name` and `categories` as in frames; 0:
 * any. */
size_t tb_open_stack_find(const struct tb_open_stack *stack, uint64_t name, uint32_t categories,
                          tb_open_frame_matches *matches, const void *ctx);

/* The innermost slice that has not ended and began no later than `ts`, + 1; 0: none. Where threads take turns on a
 * track they do not write in the order of time, and an end without a name is of no slice that begins later. */
size_t tb_open_stack_begun(const struct tb_open_stack *stack, int64_t ts);

/* The slice has ended. Returns whether it was the innermost; tb_open_stack_pop is due then. */
bool tb_open_stack_end(struct tb_open_stack *stack, size_t index);
/* Its name is not open any more. */
static inline void tb_open_stack_uncount(struct tb_open_stack *stack, const struct tb_open_frame *frame) {
  if (frame->counted) tb_open_names_count_down(&stack->names, frame->name, frame->categories);
}

/* Takes the innermost slice off, and those below it that have ended. */
static inline void tb_open_stack_pop(struct tb_open_stack *stack) {
  struct tb_open_frame *top = tb_open_stack_at(stack, stack->count - 1);
  do {
    tb_open_stack_uncount(stack, top);
    top = (struct tb_open_frame *)((char *)top - stack->frame_size);
  } while (--stack->count && top->ended);
}
/* Leaves the `count` outermost slices. */
static inline void tb_open_stack_cut(struct tb_open_stack *stack, size_t count) {
  while (stack->count > count) tb_open_stack_uncount(stack, tb_open_stack_at(stack, --stack->count));
}
/* Takes the `count` outermost slices off, which are more than TB_NAMES_COUNTED_FROM. */
void tb_open_stack_forget(struct tb_open_stack *stack, size_t count);

/* ---- stacks of many tracks ---------------------------------------------------------------------------------------
 *
 * A track has a stack only while slices are open on it, since there may be a million tracks. Stacks that were returned
 * are used again. The writer counts what its open slices take: where that is more than memory is for, it goes over the
 * stacks in use, those first that were taken first, and writes what it can.
 * ---------------------------------------------------------------------------------------------------------- */

/* Zero but for the first three members there are none. */
struct tb_open_stacks {
  const struct tb_allocator *allocator;
  size_t size;                        /* of a writer's stack, whose first member is a struct tb_open_stack */
  size_t frame_size;                  /* of its frames */
  struct tb_open_stack *first, *last; /* in use */
  struct tb_open_stack *spare;
  size_t bytes, most; /* of all open slices, and of stacks in use */
};

/* A stack for `owner`, the index of a track, all 0 but for the struct tb_open_stack where it is new. NULL without
 * memory. */
struct tb_open_stack *tb_open_stacks_take(struct tb_open_stacks *stacks, uint32_t owner);
/* An empty stack of a track that needs none any more. */
void tb_open_stacks_return(struct tb_open_stacks *stacks, struct tb_open_stack *stack);
/* Frees all; `destroy` frees what else a stack has. */
void tb_open_stacks_free(struct tb_open_stacks *stacks, void (*destroy)(const void *ctx, struct tb_open_stack *stack),
                         const void *ctx);

static inline bool tb_open_stacks_are_full(const struct tb_open_stacks *stacks) { return stacks->bytes > stacks->most; }

#endif
