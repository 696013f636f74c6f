/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toolbox/verify/slice_log.h"

enum { POINTS = 5000 };

static uint64_t next_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 33;
}

/* Adds points whose offsets count them, and looks whether they come by time, those of one time by offset. */
static void expect_order(size_t budget, uint64_t span, int64_t first, int64_t far) {
  struct tb_slice_log log;
  struct tb_error error = {0};
  uint64_t state = 1;
  tb_slice_log_init(&log, tb_default_allocator(), budget, NULL);
  for (size_t i = 0; i < POINTS; i++) {
    const int64_t ts = i % 1000 == 999 ? far : first + (int64_t)(next_random(&state) % span);
    const struct tb_slice_point point = {.ts = ts, .offset = i, .dur = ts / 2, .place = (uint32_t)i << 3};
    assert_int_equal(tb_slice_log_add(&log, &point, &error), TB_OK);
  }
  const struct tb_slice_point *point;
  struct tb_slice_point before = {.ts = INT64_MIN};
  size_t count = 0;
  enum tb_status status;
  for (; (status = tb_slice_log_next(&log, &point, &error)) == TB_OK; count++) {
    assert_true(point->ts > before.ts || (point->ts == before.ts && (!count || point->offset > before.offset)));
    assert_true(point->dur == point->ts / 2 && tb_slice_point_stream(point) == point->offset);
    before = *point;
  }
  assert_int_equal(status, TB_END);
  assert_int_equal(count, POINTS);
  tb_slice_log_free(&log);
}

static void points_come_in_the_order_of_time(void **state) {
  (void)state;
  expect_order(0, 100, 0, 50);
  expect_order(0, UINT64_C(1) << 30, -1000000, 0);
}

static void times_may_be_as_far_apart_as_can_be(void **state) {
  (void)state;
  expect_order(0, 1000, INT64_MIN, INT64_MAX);
  expect_order(1, 1000, INT64_MIN, INT64_MAX);
}

static void what_is_beyond_the_budget_is_in_a_file(void **state) {
  (void)state;
  expect_order(1, 100, 0, 50);
  expect_order(1, UINT64_C(1) << 40, 0, 0);
}

static void points_in_order_are_not_sorted(void **state) {
  (void)state;
  expect_order(0, 1, 7, 7);
  expect_order(1, 1, 7, 7);
}

static void an_empty_log_has_an_end(void **state) {
  (void)state;
  struct tb_slice_log log;
  struct tb_error error = {0};
  const struct tb_slice_point *point;
  tb_slice_log_init(&log, tb_default_allocator(), 0, NULL);
  assert_int_equal(tb_slice_log_next(&log, &point, &error), TB_END);
  assert_int_equal(tb_slice_log_next(&log, &point, &error), TB_END);
  tb_slice_log_free(&log);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_come_in_the_order_of_time),
      cmocka_unit_test(times_may_be_as_far_apart_as_can_be),
      cmocka_unit_test(what_is_beyond_the_budget_is_in_a_file),
      cmocka_unit_test(points_in_order_are_not_sorted),
      cmocka_unit_test(an_empty_log_has_an_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
