/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/report/page_scale.h"

#include "support/merge_fixture.h"

enum { MIDDLE = 1000, HALF = 500 };

static void values_of_one_size_have_a_linear_scale(void **unused) {
  (void)unused;
  struct tb_page_scale scale = tb_page_scale(100, 1000, MIDDLE, HALF);
  assert_int_equal(scale.knee_ns, 0);
  assert_int_equal(tb_page_scale_y(&scale, 0), MIDDLE);
  int up = MIDDLE - tb_page_scale_y(&scale, 500);
  assert_in_range(MIDDLE - tb_page_scale_y(&scale, 1000), 2 * up - 1, 2 * up + 1);
  assert_int_equal(tb_page_scale_y(&scale, -500) - MIDDLE, up);
}

/* Residuals of 100 ns are seen although an outlier is off by 2 s. */
static void a_logarithmic_scale_shows_small_values_and_large_ones(void **unused) {
  (void)unused;
  struct tb_page_scale scale = tb_page_scale(100, 2e9, MIDDLE, HALF);
  assert_true(scale.knee_ns > 0);
  assert_in_range(MIDDLE - tb_page_scale_y(&scale, 100), HALF / 20, HALF / 4);
  assert_in_range(MIDDLE - tb_page_scale_y(&scale, 2e9), HALF * 9 / 10, HALF);
  assert_int_equal(tb_page_scale_y(&scale, -100) - MIDDLE, MIDDLE - tb_page_scale_y(&scale, 100));
}

static void what_is_beyond_the_limit_stays_at_the_edge(void **unused) {
  (void)unused;
  struct tb_page_scale scale = tb_page_scale(0, 0, MIDDLE, HALF);
  assert_int_equal(tb_page_scale_y(&scale, 9e18), MIDDLE - HALF);
  assert_int_equal(tb_page_scale_y(&scale, -9e18), MIDDLE + HALF);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_of_one_size_have_a_linear_scale),
      cmocka_unit_test(a_logarithmic_scale_shows_small_values_and_large_ones),
      cmocka_unit_test(what_is_beyond_the_limit_stays_at_the_edge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
