/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../cli/suggest.h"

static const char *suggest(const char *word) {
  static const char *const candidates[] = {"convert", "merge", "memory", "info", "dump", "unplaced"};
  struct cli_suggestion suggestion = {.word = word, .len = strlen(word)};
  for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) cli_suggest_offer(&suggestion, candidates[i]);
  return suggestion.best ? suggestion.best : "(nothing)";
}

static void letter_missing_added_replaced_or_swapped_is_near(void **state) {
  (void)state;
  assert_string_equal(suggest("convrt"), "convert");
  assert_string_equal(suggest("connvert"), "convert");
  assert_string_equal(suggest("konvert"), "convert");
  assert_string_equal(suggest("unplacde"), "unplaced");
  assert_string_equal(suggest("CONVERY"), "convert");
  assert_string_equal(suggest("inof"), "info");
}

static void beginning_of_a_word_is_nearest(void **state) {
  (void)state;
  assert_string_equal(suggest("mem"), "memory");
  assert_string_equal(suggest("du"), "dump");
}

static void words_that_differ_in_more_than_a_third_are_not_near(void **state) {
  (void)state;
  assert_string_equal(suggest("confirm"), "(nothing)");
  assert_string_equal(suggest("inch"), "(nothing)");
  assert_string_equal(suggest("x"), "(nothing)");
  assert_string_equal(suggest(""), "(nothing)");
}

static void word_ends_at_its_length(void **state) {
  (void)state;
  struct cli_suggestion suggestion = {.word = "outptu=convert", .len = 6};
  cli_suggest_offer(&suggestion, "convert");
  assert_null(suggestion.best);
  cli_suggest_offer(&suggestion, "output");
  assert_string_equal(suggestion.best, "output");
}

static void long_words_are_near_nothing(void **state) {
  (void)state;
  char word[400];
  memset(word, 'a', sizeof(word));
  struct cli_suggestion suggestion = {.word = word, .len = sizeof(word)};
  cli_suggest_offer(&suggestion, "convert");
  assert_null(suggestion.best);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(letter_missing_added_replaced_or_swapped_is_near),
      cmocka_unit_test(beginning_of_a_word_is_nearest),
      cmocka_unit_test(words_that_differ_in_more_than_a_third_are_not_near),
      cmocka_unit_test(word_ends_at_its_length),
      cmocka_unit_test(long_words_are_near_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
