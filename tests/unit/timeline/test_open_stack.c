/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/open_stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { DEEP = 2 * TB_NAMES_COUNTED_FROM };

struct frame {
  struct tb_open_frame open;
  int number;
};

static const struct tb_open_stack empty = {.frame_size = sizeof(struct frame)};

static int push(struct tb_open_stack *stack, uint64_t name) {
  const struct tb_open_frame open = {.ts = (int64_t)stack->count, .name = name};
  struct frame *frame = (struct frame *)tb_open_stack_push(stack, tb_default_allocator(), &open, SIZE_MAX / 64);
  assert_non_null(frame);
  return frame->number = (int)stack->count;
}

static bool is_named(const void *ctx, const struct tb_open_frame *frame) {
  return frame->name == *(const uint64_t *)ctx;
}

static size_t find(const struct tb_open_stack *stack, uint64_t name) {
  return tb_open_stack_find(stack, name, 0, is_named, &name);
}

static int innermost(const struct tb_open_stack *stack) {
  return ((const struct frame *)tb_open_stack_at(stack, stack->count - 1))->number;
}

static void an_end_finds_the_innermost_slice_of_its_name(void **state) {
  (void)state;
  struct tb_open_stack stack = empty;
  push(&stack, 7);
  push(&stack, 7);
  push(&stack, 8);
  assert_int_equal(find(&stack, 7), 2);
  assert_int_equal(find(&stack, 9), 0);
  tb_open_stack_free(&stack, tb_default_allocator());
}

static void a_slice_that_ends_below_others_goes_with_these(void **state) {
  (void)state;
  struct tb_open_stack stack = empty;
  push(&stack, 7);
  push(&stack, 8);
  push(&stack, 9);
  assert_false(tb_open_stack_end(&stack, 1));
  assert_int_equal(find(&stack, 8), 0);
  assert_int_equal(innermost(&stack), 3);
  assert_true(tb_open_stack_end(&stack, 2));
  tb_open_stack_pop(&stack);
  assert_int_equal(stack.count, 1);
  assert_int_equal(innermost(&stack), 1);
  tb_open_stack_free(&stack, tb_default_allocator());
}

static void deep_slices_are_found_until_they_end_or_are_cut(void **state) {
  (void)state;
  struct tb_open_stack stack = empty;
  for (int i = 0; i < DEEP; i++) push(&stack, (uint64_t)i + 1);
  assert_int_equal(find(&stack, DEEP), DEEP);
  assert_int_equal(find(&stack, DEEP - 1), DEEP - 1);
  assert_false(tb_open_stack_end(&stack, DEEP - 2));
  assert_int_equal(find(&stack, DEEP - 1), 0);
  tb_open_stack_pop(&stack);
  assert_int_equal(stack.count, DEEP - 2);
  tb_open_stack_cut(&stack, TB_NAMES_COUNTED_FROM + 1);
  assert_int_equal(find(&stack, DEEP - 2), 0);
  assert_int_equal(stack.names.counts->count, 1); /* of the one that is left of those that are counted */
  tb_open_stack_free(&stack, tb_default_allocator());
}

static void after_the_outermost_are_forgotten_the_others_are_found(void **state) {
  (void)state;
  struct tb_open_stack stack = empty;
  for (int i = 0; i < 2 * DEEP; i++) push(&stack, (uint64_t)i + 1);
  tb_open_stack_forget(&stack, DEEP);
  assert_int_equal(stack.count, DEEP);
  assert_int_equal(find(&stack, DEEP), 0);
  assert_int_equal(find(&stack, DEEP + 1), 1);
  assert_int_equal(innermost(&stack), 2 * DEEP);
  while (stack.count) tb_open_stack_pop(&stack);
  assert_int_equal(stack.names.counts->count, 0);
  tb_open_stack_free(&stack, tb_default_allocator());
}

/* ---- stacks of many tracks --------------------------------------------------------------------------------------- */

static void count_stack(const void *ctx, struct tb_open_stack *stack) {
  (void)stack;
  ++**(int *const *)ctx;
}

static void stacks_that_were_returned_are_used_again(void **state) {
  (void)state;
  int count = 0, *const counts = &count;
  struct tb_open_stacks stacks = {
      .allocator = tb_default_allocator(), .size = sizeof(struct tb_open_stack), .frame_size = sizeof(struct frame)};
  struct tb_open_stack *first = tb_open_stacks_take(&stacks, 1), *second = tb_open_stacks_take(&stacks, 2);
  struct tb_open_stack *third = tb_open_stacks_take(&stacks, 3);
  push(second, 5);
  tb_open_stack_pop(second);
  size_t capacity = second->capacity;
  assert_ptr_equal(stacks.first, first);
  tb_open_stacks_return(&stacks, second);
  assert_ptr_equal(first->next, third);
  assert_ptr_equal(third->previous, first);
  assert_ptr_equal(tb_open_stacks_take(&stacks, 4), second);
  assert_int_equal(second->owner, 4);
  assert_int_equal(second->capacity, capacity);
  assert_ptr_equal(stacks.last, second); /* the one that was taken last */
  tb_open_stacks_free(&stacks, count_stack, &counts);
  assert_int_equal(count, 3);
  assert_int_equal(stacks.bytes, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_end_finds_the_innermost_slice_of_its_name),
      cmocka_unit_test(a_slice_that_ends_below_others_goes_with_these),
      cmocka_unit_test(deep_slices_are_found_until_they_end_or_are_cut),
      cmocka_unit_test(after_the_outermost_are_forgotten_the_others_are_found),
      cmocka_unit_test(stacks_that_were_returned_are_used_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
