/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/time_map.h"

#include "support/merge_fixture.h"

#define SECOND 1000000000

static struct tb_time_map map;

static int set_up(void **unused) {
  (void)unused;
  tb_time_map_init(&map, tb_default_allocator());
  return 0;
}
static int tear_down(void **unused) {
  (void)unused;
  tb_time_map_free(&map);
  return 0;
}

static void an_empty_map_changes_nothing(void **unused) {
  (void)unused;
  int64_t offset = 1;
  assert_int_equal(tb_time_map_apply(&map, -5), -5);
  assert_true(tb_time_map_is_offset(&map, &offset));
  assert_int_equal(offset, 0);
}

static void drift_between_snapshots_is_followed_on_the_straight_line(void **unused) {
  (void)unused;
  const struct tb_time_anchor anchors[] = {{20 * (int64_t)SECOND, 520 * (int64_t)SECOND + 4000000},
                                           {0, 500 * (int64_t)SECOND},
                                           {10 * (int64_t)SECOND, 510 * (int64_t)SECOND + 2000000}};
  assert_int_equal(tb_time_map_add(&map, anchors, 3, false), TB_OK);
  assert_int_equal(tb_time_map_apply(&map, 5 * (int64_t)SECOND), 505 * (int64_t)SECOND + 1000000);
  assert_int_equal(tb_time_map_apply(&map, 15 * (int64_t)SECOND), 515 * (int64_t)SECOND + 3000000);
  assert_int_equal(tb_time_map_apply(&map, -SECOND), 499 * (int64_t)SECOND);
  assert_int_equal(tb_time_map_apply(&map, 30 * (int64_t)SECOND), 530 * (int64_t)SECOND + 4000000);
  int64_t offset;
  assert_false(tb_time_map_is_offset(&map, &offset));
}

static void a_suspend_gap_is_a_step_and_not_a_slope(void **unused) {
  (void)unused;
  const struct tb_time_anchor anchors[] = {{0, 0}, {10 * (int64_t)SECOND, 40 * (int64_t)SECOND}};
  assert_int_equal(tb_time_map_add(&map, anchors, 2, false), TB_OK);
  assert_int_equal(tb_time_map_apply(&map, 9 * (int64_t)SECOND), 9 * (int64_t)SECOND);
  assert_int_equal(tb_time_map_apply(&map, 10 * (int64_t)SECOND), 40 * (int64_t)SECOND);
}

static void readings_that_agree_but_for_noise_are_one_offset(void **unused) {
  (void)unused;
  const struct tb_time_anchor anchors[] = {
      {0, 1000}, {SECOND, SECOND + 1700}, {2 * (int64_t)SECOND, 2 * (int64_t)SECOND + 300}};
  assert_int_equal(tb_time_map_add(&map, anchors, 3, false), TB_OK);
  int64_t offset;
  assert_true(tb_time_map_is_offset(&map, &offset));
  assert_int_equal(offset, 1000);
}

static void a_line_and_its_reverse_cancel_out(void **unused) {
  (void)unused;
  assert_int_equal(tb_time_map_add_line(&map, SECOND, -123456789, 100e-6, false), TB_OK);
  int64_t there = tb_time_map_apply(&map, 61 * (int64_t)SECOND);
  assert_int_equal(there, 61 * (int64_t)SECOND - 123456789 + 6000000);
  assert_int_equal(tb_time_map_add_line(&map, SECOND, -123456789, 100e-6, true), TB_OK);
  assert_in_range(tb_time_map_apply(&map, 61 * (int64_t)SECOND), 61 * (int64_t)SECOND - 1, 61 * (int64_t)SECOND + 1);
}

static void reversed_anchors_lead_back(void **unused) {
  (void)unused;
  const struct tb_time_anchor anchors[] = {{0, 500}, {SECOND, SECOND + 5000500}};
  assert_int_equal(tb_time_map_add(&map, anchors, 2, true), TB_OK);
  assert_int_equal(tb_time_map_apply(&map, 500), 0);
  assert_int_equal(tb_time_map_apply(&map, SECOND + 5000500), SECOND);
}

static void without_an_anchor_nothing_is_added(void **unused) {
  (void)unused;
  assert_int_equal(tb_time_map_add(&map, NULL, 0, false), TB_INVALID);
  assert_int_equal(tb_time_map_add_steps(&map, NULL, 0, 0, false), TB_INVALID);
}

static void lines_in_a_row_are_one(void **unused) {
  (void)unused;
  for (int i = 0; i < 1000; i++) assert_int_equal(tb_time_map_add_line(&map, 0, 1, 0, false), TB_OK);
  assert_int_equal(tb_time_map_apply(&map, 0), 1000);
  assert_int_equal(map.count, 1);
  assert_int_equal(tb_time_map_add_line(&map, 1000, 0, 1e-4, false), TB_OK);
  assert_int_equal(tb_time_map_add_line(&map, 1000, 0, -1e-4 / (1 + 1e-4), false), TB_OK);
  int64_t offset;
  assert_true(tb_time_map_is_offset(&map, &offset));
  assert_int_equal(offset, 1000);
}

static void the_offset_before_a_step_holds_up_to_it(void **unused) {
  (void)unused;
  const struct tb_time_anchor anchors[] = {{0, 100}, {SECOND, SECOND + 400}};
  assert_int_equal(tb_time_map_add_steps(&map, anchors, 2, 0, false), TB_OK);
  assert_int_equal(tb_time_map_apply(&map, -5), 95);
  assert_int_equal(tb_time_map_apply(&map, SECOND - 1), SECOND + 99);
  assert_int_equal(tb_time_map_apply(&map, SECOND), SECOND + 400);
}

static void steps_of_a_clock_that_drifts_have_lines(void **unused) {
  (void)unused;
  const struct tb_time_anchor anchors[] = {{0, 100}, {SECOND, SECOND + 400}};
  assert_int_equal(tb_time_map_add_steps(&map, anchors, 2, 1e-6, false), TB_OK);
  assert_int_equal(tb_time_map_apply(&map, SECOND / 2), SECOND / 2 + 600);
  assert_int_equal(tb_time_map_apply(&map, INT64_C(3) * SECOND), INT64_C(3) * SECOND + 2400);
  assert_int_equal(tb_time_map_add_steps(&map, anchors, 2, 1e-6, true), TB_OK); /* and back */
  assert_int_equal(tb_time_map_apply(&map, SECOND / 2), SECOND / 2);
  assert_int_equal(tb_time_map_apply(&map, INT64_C(3) * SECOND), INT64_C(3) * SECOND);
}

static void times_at_the_ends_do_not_overflow(void **unused) {
  (void)unused;
  assert_int_equal(tb_time_map_add_line(&map, 0, INT64_MAX, 0, false), TB_OK);
  assert_int_equal(tb_time_map_apply(&map, INT64_MAX), INT64_MAX);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(an_empty_map_changes_nothing),
      TEST(drift_between_snapshots_is_followed_on_the_straight_line),
      TEST(a_suspend_gap_is_a_step_and_not_a_slope),
      TEST(readings_that_agree_but_for_noise_are_one_offset),
      TEST(a_line_and_its_reverse_cancel_out),
      TEST(reversed_anchors_lead_back),
      TEST(without_an_anchor_nothing_is_added),
      TEST(lines_in_a_row_are_one),
      TEST(the_offset_before_a_step_holds_up_to_it),
      TEST(steps_of_a_clock_that_drifts_have_lines),
      TEST(times_at_the_ends_do_not_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
