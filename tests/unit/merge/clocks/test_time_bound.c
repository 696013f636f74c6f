/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/time_bound.h"

#include "support/merge_fixture.h"

static struct tb_time_bound make(const struct tb_time_bound_point *points, size_t count, double growth) {
  struct tb_time_bound bound;
  assert_int_equal(tb_time_bound_create(&bound, tb_default_allocator(), points, count, growth), TB_OK);
  return bound;
}

static void a_bound_without_points_is_exact(void **unused) {
  (void)unused;
  struct tb_time_bound bound = make(NULL, 0, 0);
  assert_int_equal(tb_time_bound_at(&bound, 5), 0);
}

static void a_bound_is_linear_between_points_and_grows_outside(void **unused) {
  (void)unused;
  const struct tb_time_bound_point points[] = {{1000000, 10}, {2000000, 20}};
  struct tb_time_bound bound = make(points, 2, 1e-4);
  assert_int_equal(tb_time_bound_at(&bound, 1000000), 10);
  assert_int_equal(tb_time_bound_at(&bound, 1500000), 15);
  assert_int_equal(tb_time_bound_at(&bound, 1500001), 16); /* rounded up */
  assert_int_equal(tb_time_bound_at(&bound, 2000000), 20);
  assert_int_equal(tb_time_bound_at(&bound, 900000), 20);
  assert_int_equal(tb_time_bound_at(&bound, 2100000), 30);
  tb_time_bound_free(&bound, tb_default_allocator());
}

static void the_larger_of_two_points_of_one_time_counts_there(void **unused) {
  (void)unused;
  const struct tb_time_bound_point points[] = {{0, 1}, {100, 1}, {100, 50}, {200, 50}, {200, 2}, {300, 2}};
  struct tb_time_bound bound = make(points, 6, 0);
  assert_int_equal(tb_time_bound_at(&bound, 99), 1);
  assert_int_equal(tb_time_bound_at(&bound, 100), 50);
  assert_int_equal(tb_time_bound_at(&bound, 150), 50);
  assert_int_equal(tb_time_bound_at(&bound, 200), 50);
  assert_int_equal(tb_time_bound_at(&bound, 201), 2);
  tb_time_bound_free(&bound, tb_default_allocator());
}

static void far_times_saturate(void **unused) {
  (void)unused;
  const struct tb_time_bound_point points[] = {{INT64_MAX, INT64_MAX}};
  struct tb_time_bound bound = make(points, 1, 1);
  assert_int_equal(tb_time_bound_at(&bound, INT64_MIN), INT64_MAX);
  tb_time_bound_free(&bound, tb_default_allocator());
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_bound_without_points_is_exact),
                                     cmocka_unit_test(a_bound_is_linear_between_points_and_grows_outside),
                                     cmocka_unit_test(the_larger_of_two_points_of_one_time_counts_there),
                                     cmocka_unit_test(far_times_saturate)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
