/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "timeline/deferred_end.h"

static const struct tb_track thread = {.type = TB_TRACK_THREAD};

static struct tb_event end_at(int64_t ts) {
  return (struct tb_event){
      .type = TB_EVENT_SLICE_END, .has = TB_HAS_TS | TB_HAS_THREAD_TS, .ts = ts, .thread_ts = ts / 2, .track = &thread};
}

static void an_end_waits_for_the_first_event_that_is_no_earlier(void **state) {
  (void)state;
  struct tb_deferred_end waiting = {0};
  struct tb_event end = end_at(100), taken = {0};
  assert_false(tb_deferred_end_take(&waiting, 100, 0, &taken));
  assert_true(tb_deferred_end_keep(&waiting, &end, false));
  assert_false(tb_deferred_end_take(&waiting, 99, 10, &taken));
  assert_true(tb_deferred_end_take(&waiting, 100, 10, &taken));
  assert_int_equal(taken.type, TB_EVENT_SLICE_END);
  assert_int_equal(taken.ts, 100);
  assert_int_equal(taken.thread_ts, 50);
  assert_int_equal(taken.has, TB_HAS_TS | TB_HAS_THREAD_TS);
  assert_ptr_equal(taken.track, &thread);
  assert_false(tb_deferred_end_take(&waiting, 200, 10, &taken)); /* once */
}

static void one_end_waits_at_a_time(void **state) {
  (void)state;
  struct tb_deferred_end waiting = {0};
  struct tb_event first = end_at(100), second = end_at(90);
  assert_true(tb_deferred_end_keep(&waiting, &first, false));
  assert_false(tb_deferred_end_keep(&waiting, &second, false));
  assert_int_equal(waiting.ts, 100);
}

static void an_event_before_the_open_slice_ends_the_waiting(void **state) {
  (void)state;
  struct tb_deferred_end waiting = {0};
  struct tb_event end = end_at(100), taken = {0};
  assert_true(tb_deferred_end_keep(&waiting, &end, false));
  assert_false(tb_deferred_end_take(&waiting, 10, 10, &taken));
  assert_true(tb_deferred_end_take(&waiting, 9, 10, &taken));
}

static void an_end_that_says_more_does_not_wait(void **state) {
  (void)state;
  struct tb_deferred_end waiting = {0};
  const struct tb_arg arg = {.name = TB_STR("a"), .type = TB_ARG_NULL, .span = 1};
  struct tb_event end = end_at(100);
  end.args = &arg;
  end.arg_count = 1;
  assert_false(tb_deferred_end_keep(&waiting, &end, true));
  end = end_at(100);
  end.has |= TB_HAS_CPU;
  assert_false(tb_deferred_end_keep(&waiting, &end, true));
}

static void an_end_with_a_name_waits_for_the_next_event_where_it_is_the_innermost_slices(void **state) {
  (void)state;
  struct tb_deferred_end waiting = {0};
  struct tb_event end = end_at(100), taken = {0};
  end.has |= TB_HAS_NAME;
  end.name = TB_STR("slice");
  assert_false(tb_deferred_end_keep(&waiting, &end, false));
  assert_true(tb_deferred_end_keep(&waiting, &end, true));
  assert_true(tb_deferred_end_take(&waiting, 50, 10, &taken));
  assert_int_equal(taken.has & TB_HAS_NAME, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_end_waits_for_the_first_event_that_is_no_earlier),
      cmocka_unit_test(one_end_waits_at_a_time),
      cmocka_unit_test(an_event_before_the_open_slice_ends_the_waiting),
      cmocka_unit_test(an_end_that_says_more_does_not_wait),
      cmocka_unit_test(an_end_with_a_name_waits_for_the_next_event_where_it_is_the_innermost_slices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
