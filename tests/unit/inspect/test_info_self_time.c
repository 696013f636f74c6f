/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>

#include "base/memory.h"
#include "inspect/info_self_time.h"

enum { NAMES = 8, MANY = 100000 };
enum { MAIN = 1, CALL, INNER, OTHER };

static struct tb_self_track track;
static int64_t self[NAMES];

static int start(void **state) {
  (void)state;
  track = (struct tb_self_track){0};
  memset(self, 0, sizeof(self));
  return 0;
}

static int stop(void **state) {
  (void)state;
  tb_self_track_free(tb_default_allocator(), &track);
  return 0;
}

static void add(void *ctx, uint32_t name, int64_t ns) {
  (void)ctx;
  self[name] = (int64_t)((uint64_t)self[name] + (uint64_t)ns); /* as info does */
}

static void slice(int64_t begin, int64_t end, uint32_t name) {
  assert_true(tb_self_track_slice(tb_default_allocator(), &track, begin, end, name, add, NULL));
}

static void begins(int64_t ts, uint32_t name) {
  assert_true(tb_self_track_begin(tb_default_allocator(), &track, ts, name));
}

static void ends(int64_t ts) { assert_true(tb_self_track_end(tb_default_allocator(), &track, ts, add, NULL)); }

/* main 0..100: call 10..40 with inner 20..30, call 50..60 */
static void assert_tree(void) {
  assert_int_equal(self[MAIN], 60);
  assert_int_equal(self[CALL], 30);
  assert_int_equal(self[INNER], 10);
}

static void slices_in_the_order_of_their_begins(void **state) {
  (void)state;
  slice(0, 100, MAIN);
  slice(10, 40, CALL);
  slice(20, 30, INNER);
  slice(50, 60, CALL);
  assert_tree();
}

static void slices_in_the_order_of_their_ends(void **state) {
  (void)state;
  slice(20, 30, INNER);
  slice(10, 40, CALL);
  slice(50, 60, CALL);
  slice(0, 100, MAIN);
  assert_tree();
}

static void begins_and_ends(void **state) {
  (void)state;
  ends(0); /* of nothing */
  begins(0, MAIN);
  begins(10, CALL);
  begins(20, INNER);
  ends(30);
  ends(40);
  begins(50, CALL);
  ends(60);
  ends(100);
  assert_tree();
}

static void complete_slices_between_begin_and_end(void **state) {
  (void)state;
  begins(0, MAIN);
  slice(10, 40, CALL);
  slice(20, 30, INNER);
  slice(50, 60, CALL);
  ends(100);
  assert_tree();
}

static void many_children_that_come_before_their_parent(void **state) {
  (void)state;
  for (int64_t i = 0; i < MANY; i++) slice(10 * i, 10 * i + 4, CALL);
  slice(0, (int64_t)10 * MANY, MAIN);
  assert_int_equal(self[CALL], 4 * MANY);
  assert_int_equal(self[MAIN], 6 * MANY);
}

static void many_children_that_come_behind_their_parent(void **state) {
  (void)state;
  slice(0, (int64_t)10 * MANY, MAIN);
  for (int64_t i = 0; i < MANY; i++) slice(10 * i, 10 * i + 4, CALL);
  assert_int_equal(self[CALL], 4 * MANY);
  assert_int_equal(self[MAIN], 6 * MANY);
}

static void slices_that_only_overlap_are_in_nothing(void **state) {
  (void)state;
  slice(0, 10, MAIN);
  slice(5, 15, CALL);
  slice(20, 30, OTHER);
  assert_int_equal(self[MAIN], 10);
  assert_int_equal(self[CALL], 10);
  assert_int_equal(self[OTHER], 10);
}

/* What is longer than INT64_MAX wraps; sanitizers see whether that is meant. */
static void slices_of_half_of_all_times(void **state) {
  (void)state;
  slice(INT64_MIN, 5, MAIN);
  slice(INT64_MIN, 0, CALL);
  assert_int_equal(self[MAIN], 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(slices_in_the_order_of_their_begins, start, stop),
      cmocka_unit_test_setup_teardown(slices_in_the_order_of_their_ends, start, stop),
      cmocka_unit_test_setup_teardown(begins_and_ends, start, stop),
      cmocka_unit_test_setup_teardown(slices_of_half_of_all_times, start, stop),
      cmocka_unit_test_setup_teardown(complete_slices_between_begin_and_end, start, stop),
      cmocka_unit_test_setup_teardown(many_children_that_come_before_their_parent, start, stop),
      cmocka_unit_test_setup_teardown(many_children_that_come_behind_their_parent, start, stop),
      cmocka_unit_test_setup_teardown(slices_that_only_overlap_are_in_nothing, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
