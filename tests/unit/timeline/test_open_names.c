/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/open_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "timeline/entry_rank.h"

/* ---- open names -------------------------------------------------------------------------------------------------- */

enum { DEPTH = 100 };

static void open_all(struct tb_open_names *names, uint64_t name, uint64_t categories) {
  for (size_t place = 0; place < DEPTH; place++)
    assert_int_equal(tb_open_names_add(names, tb_default_allocator(), place, name, categories), TB_OK);
}

static void an_end_that_names_no_deep_slice_looks_at_the_outermost_alone(void **state) {
  (void)state;
  struct tb_open_names names = {0};
  open_all(&names, 7, 3);
  assert_int_equal(tb_open_names_reach(&names, DEPTH, 7, 3), DEPTH);
  assert_int_equal(tb_open_names_reach(&names, DEPTH, 7, 0), DEPTH);
  assert_int_equal(tb_open_names_reach(&names, DEPTH, 7, 4), TB_NAMES_COUNTED_FROM);
  assert_int_equal(tb_open_names_reach(&names, DEPTH, 8, 0), TB_NAMES_COUNTED_FROM);
  assert_int_equal(tb_open_names_reach(&names, DEPTH, 0, 0), DEPTH); /* an END without a name */
  tb_open_names_free(&names);
}

static void slices_that_are_gone_are_not_looked_for(void **state) {
  (void)state;
  struct tb_open_names names = {0};
  open_all(&names, 7, 0);
  for (size_t place = DEPTH; place-- > TB_NAMES_COUNTED_FROM + 1;) tb_open_names_remove(&names, place, 7, 0);
  assert_int_equal(tb_open_names_reach(&names, TB_NAMES_COUNTED_FROM + 1, 7, 0), TB_NAMES_COUNTED_FROM + 1);
  tb_open_names_remove(&names, TB_NAMES_COUNTED_FROM, 7, 0);
  assert_int_equal(tb_open_names_reach(&names, TB_NAMES_COUNTED_FROM + 1, 7, 0), TB_NAMES_COUNTED_FROM);
  tb_open_names_free(&names);
}

static void no_name_is_the_name_of_none(void **state) {
  (void)state;
  assert_int_equal(tb_open_name_of(TB_STR("a"), TB_NAMES_COUNTED_FROM - 1), 0);
  assert_int_not_equal(tb_open_name_of(TB_STR(""), TB_NAMES_COUNTED_FROM), 0);
  assert_int_not_equal(tb_open_name_of(TB_STR("a"), TB_NAMES_COUNTED_FROM),
                       tb_open_name_of(TB_STR("bb"), TB_NAMES_COUNTED_FROM));
}

/* ---- ranks ------------------------------------------------------------------------------------------------------- */

static void at_one_time_ends_of_older_slices_come_first_then_longer_slices(void **state) {
  (void)state;
  const struct tb_staged_event end = {.kind = TB_STAGED_END}, begin = {.kind = TB_STAGED_BEGIN};
  const struct tb_staged_event longer = {.kind = TB_STAGED_COMPLETE, .dur = 9};
  const struct tb_staged_event shorter = {.kind = TB_STAGED_COMPLETE, .dur = 8};
  const struct tb_staged_event longest = {.kind = TB_STAGED_COMPLETE, .dur = INT64_MAX};
  const int64_t ranks[] = {tb_entry_rank(&end, true), tb_entry_rank(&longest, false), tb_entry_rank(&longer, false),
                           tb_entry_rank(&shorter, false), tb_entry_rank(&begin, false)};
  for (size_t i = 1; i < sizeof(ranks) / sizeof(*ranks); i++) {
    assert_true(tb_entry_in_order(5, ranks[i - 1], 5, ranks[i]));
    assert_false(tb_entry_in_order(5, ranks[i], 5, ranks[i - 1]));
    assert_true(tb_entry_in_order(4, ranks[i], 5, ranks[i - 1]));
  }
  assert_int_equal(tb_entry_rank(&end, false), tb_entry_rank(&begin, false));
  assert_true(tb_entry_in_order(5, ranks[4], 5, ranks[4])); /* the order in which they came */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_end_that_names_no_deep_slice_looks_at_the_outermost_alone),
      cmocka_unit_test(slices_that_are_gone_are_not_looked_for),
      cmocka_unit_test(no_name_is_the_name_of_none),
      cmocka_unit_test(at_one_time_ends_of_older_slices_come_first_then_longer_slices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
