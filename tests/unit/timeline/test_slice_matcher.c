/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* */
#include <cmocka.h>

#include "timeline/slice_matcher.h"

static struct tb_sort_queue queue;

static int start(void **state) {
  (void)state;
  tb_sort_queue_init(&queue, tb_default_allocator());
  return 0;
}

static int stop(void **state) {
  (void)state;
  tb_sort_queue_free(&queue);
  return 0;
}

/* One entry for each letter, a unit of time apart: an upper case one begins the slice of that name, a lower case one
 * ends it, '-' ends the newest. */
static void match(const char *letters) {
  for (int64_t ts = 0; letters[ts]; ts++) {
    char c = letters[ts];
    bool begins = c >= 'A' && c <= 'Z';
    struct tb_staged_event entry = {.ts = ts, .kind = begins ? TB_STAGED_BEGIN : TB_STAGED_END};
    entry.name = c == '-' ? 0 : (uint32_t)(c | 32);
    assert_int_equal(tb_sort_queue_add(&queue, &entry), TB_OK);
  }
  assert_int_equal(tb_sort_queue_index(&queue), TB_OK);
  assert_int_equal(tb_match_slices(&queue, 1), TB_OK);
}

/* Which entry each one belongs to, as digits; '.' for none. Of a BEGIN the matcher gives the time, which is the same
 * here. */
static void expect_matches(const char *letters, const char *digits) {
  for (size_t i = 0; digits[i]; i++) {
    int64_t none = letters[i] >= 'A' && letters[i] <= 'Z' ? INT64_MAX : TB_UNMATCHED;
    assert_int_equal(queue.matches[i], digits[i] == '.' ? none : digits[i] - '0');
  }
}

static void expect_ambiguous(const char *flags) {
  for (size_t i = 0; flags[i]; i++)
    assert_int_equal(tb_sort_queue_has_note(&queue, i, TB_MATCH_AMBIGUOUS), flags[i] == '*');
}

static void slices_that_nest_are_not_ambiguous(void **state) {
  (void)state;
  match("AB-C--");
  expect_matches("AB-C--", "521430");
  assert_null(queue.match_notes);
}

static void an_end_that_takes_an_outer_slice_makes_open_ends_ambiguous(void **state) {
  (void)state;
  match("ABCc-DaE-");
  expect_matches("ABCc-DaE-", "64321.087");
  expect_ambiguous("*....*...");
}

static void what_is_in_a_slice_that_ended_is_ended_by_its_name_alone(void **state) {
  (void)state;
  match("ABaCc-Dd");
  expect_matches("ABaCc-Dd", "2.043.76");
  expect_ambiguous("**......");
}

static void a_name_is_first_that_of_a_slice_around(void **state) {
  (void)state;
  match("BABabb");
  expect_matches("BABabb", "435102");
}

static void ends_find_their_names_in_any_order(void **state) {
  (void)state;
  match("ABACaBbac");
  expect_matches("ABACaBbac", "7.4826503");
}

static void put_timed(enum tb_staged_kind kind, int64_t us, int64_t thread_us, const char *body, bool joinable) {
  struct tb_staged_event entry = {.ts = us * 1000, .kind = (uint8_t)kind, .has_thread_ts = true};
  entry.thread_ts = thread_us * 1000;
  entry.body = (struct tb_str){body, strlen(body)};
  entry.joinable = joinable;
  assert_int_equal(tb_sort_queue_add(&queue, &entry), TB_OK);
}

static void expect_end_args(uint64_t place, bool noted, const char *args) {
  assert_int_equal(tb_sort_queue_has_note(&queue, (size_t)place, TB_MATCH_NO_THREAD_TIME), noted);
  struct tb_str found = tb_matched_end_args(&queue, place);
  assert_int_equal(found.len, strlen(args));
  assert_memory_equal(found.ptr ? found.ptr : "", args, found.len);
}

static void a_slice_in_which_the_thread_did_not_run_has_what_its_END_says(void **state) {
  (void)state;
  put_timed(TB_STAGED_BEGIN, 60, 8, "", false);
  put_timed(TB_STAGED_END, 70, 8, "not arguments alone", false);
  put_timed(TB_STAGED_BEGIN, 10, 5, "", false); /* earlier than what came before: places are those of time */
  put_timed(TB_STAGED_BEGIN, 20, 6, "", false);
  put_timed(TB_STAGED_END, 30, 6, "inner", true);
  put_timed(TB_STAGED_END, 40, 5, "outer", true);
  put_timed(TB_STAGED_BEGIN, 41, 5, "", false);
  put_timed(TB_STAGED_END, 50, 5, "", false);
  assert_int_equal(tb_sort_queue_index(&queue), TB_OK);
  assert_int_equal(tb_match_slices(&queue, 1), TB_OK);
  expect_end_args(0, true, "outer");
  expect_end_args(1, true, "inner");
  expect_end_args(4, true, "");
  expect_end_args(6, false, "");
}

static void a_slice_that_never_ends_is_ambiguous(void **state) {
  (void)state;
  match("ABb");
  expect_matches("ABb", ".21");
  expect_ambiguous("*..");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(slices_that_nest_are_not_ambiguous, start, stop),
      cmocka_unit_test_setup_teardown(an_end_that_takes_an_outer_slice_makes_open_ends_ambiguous, start, stop),
      cmocka_unit_test_setup_teardown(what_is_in_a_slice_that_ended_is_ended_by_its_name_alone, start, stop),
      cmocka_unit_test_setup_teardown(a_name_is_first_that_of_a_slice_around, start, stop),
      cmocka_unit_test_setup_teardown(ends_find_their_names_in_any_order, start, stop),
      cmocka_unit_test_setup_teardown(a_slice_in_which_the_thread_did_not_run_has_what_its_END_says, start, stop),
      cmocka_unit_test_setup_teardown(a_slice_that_never_ends_is_ambiguous, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
