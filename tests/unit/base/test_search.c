/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/search.h"

static void finds_the_first_place_that_is_not_before(void **state) {
  (void)state;
  static const int items[] = {1, 3, 3, 3, 7, 9};
  enum { COUNT = sizeof(items) / sizeof(items[0]) };
  for (size_t count = 0; count <= COUNT; count++)
    for (size_t from = 0; from <= count; from++)
      for (int wanted = 0; wanted < 11; wanted++) {
        size_t at = from, expected = from;
        TB_LOWER_BOUND(at, count, i, items[i] < wanted);
        while (expected < count && items[expected] < wanted) expected++;
        assert_int_equal(at, expected);
      }
}

static void searches_where_sums_of_places_would_overflow(void **state) {
  (void)state;
  size_t at = SIZE_MAX - 10;
  TB_LOWER_BOUND(at, SIZE_MAX, i, i < SIZE_MAX - 3);
  assert_true(at == SIZE_MAX - 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_the_first_place_that_is_not_before),
      cmocka_unit_test(searches_where_sums_of_places_would_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
