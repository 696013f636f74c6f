/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toolbox/name_pattern.h"

static bool chosen(struct tb_str name, const char *const *globs, size_t count) {
  struct tb_buffer scratch;
  tb_buffer_init(&scratch, tb_default_allocator(), 0);
  bool result = false;
  assert_int_equal(tb_name_is_chosen(&(struct tb_name_patterns){globs, count, NULL}, name, &scratch, &result), TB_OK);
  tb_buffer_free(&scratch);
  return result;
}

#define CHOSEN(name, ...)                                                               \
  chosen((struct tb_str){(name), sizeof(name) - 1}, (const char *const[]){__VA_ARGS__}, \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void globs_that_match_are_known(void **state) {
  (void)state;
  static const char *const globs[] = {"a*", "!b", "c", "*"};
  uint64_t matched = 0;
  struct tb_buffer scratch;
  tb_buffer_init(&scratch, tb_default_allocator(), 0);
  const struct tb_name_patterns patterns = {globs, 4, &matched};
  bool is_chosen;
  assert_int_equal(tb_name_is_chosen(&patterns, (struct tb_str){"a", 1}, &scratch, &is_chosen), TB_OK);
  assert_int_equal(matched, 1 | 8);
  assert_int_equal(tb_name_is_chosen(&patterns, (struct tb_str){"b", 1}, &scratch, &is_chosen), TB_OK);
  assert_int_equal(matched, 1 | 2 | 8);
  assert_false(is_chosen);
  tb_buffer_free(&scratch);
}

static void no_pattern_chooses_all(void **state) {
  (void)state;
  assert_true(chosen((struct tb_str){"a", 1}, NULL, 0));
  assert_true(chosen((struct tb_str){NULL, 0}, NULL, 0));
}

static void globs_match_whole_names(void **state) {
  (void)state;
  assert_true(CHOSEN("paint", "paint"));
  assert_false(CHOSEN("paint.all", "paint"));
  assert_true(CHOSEN("paint.all", "paint*"));
  assert_true(CHOSEN("a/b/.c", "a*c"));
  assert_false(CHOSEN("Paint", "paint"));
  assert_true(CHOSEN("p1", "p[0-9]"));
  assert_true(CHOSEN("p*", "p\\*"));
  assert_false(CHOSEN("px", "p\\*"));
  assert_true(CHOSEN("", "*"));
  assert_false(CHOSEN("", "?"));
}

static void characters_are_those_of_utf8(void **state) {
  (void)state;
  assert_true(CHOSEN("caf\xc3\xa9", "caf?"));
  assert_false(CHOSEN("caf\xc3\xa9", "caf??"));
  assert_true(CHOSEN("caf\xc3\xa9s", "*?s"));
  assert_true(CHOSEN("caf\xc3\xa9", "caf[\xc3\xa0-\xc3\xbc]"));
  assert_true(CHOSEN("caf\xc3\xa9", "caf[!a-z]"));
  assert_false(CHOSEN("caf\xc3\xa8", "caf[\xc3\xa9]"));
  assert_true(CHOSEN("\xf0\x9f\x98\x80!", "??"));
  assert_true(CHOSEN("caf\xe9", "caf?")); /* Latin-1 */
  assert_true(CHOSEN("caf\xe9", "caf\xe9"));
  assert_false(CHOSEN("caf\xe9", "caf\xc3\xa9"));
}

static void sets_are_those_of_the_shell(void **state) {
  (void)state;
  assert_true(CHOSEN("a]", "a[]]"));
  assert_true(CHOSEN("a-", "a[a-]"));
  assert_true(CHOSEN("a7", "[[:alpha:]][[:digit:]]"));
  assert_false(CHOSEN("ab", "a[^[:alpha:]]"));
  assert_true(CHOSEN("a[", "a["));
  assert_true(CHOSEN("a]", "a[\\]]"));
  assert_true(CHOSEN("aXbXc", "a*X*c"));
  assert_false(CHOSEN("aXbXd", "a*X*c"));
}

static void any_that_wants_and_none_that_refuses(void **state) {
  (void)state;
  assert_true(CHOSEN("b", "a", "b"));
  assert_false(CHOSEN("c", "a", "b"));
  assert_false(CHOSEN("idle", "!idle"));
  assert_true(CHOSEN("busy", "!idle"));
  assert_false(CHOSEN("gc.idle", "gc.*", "!*.idle"));
  assert_false(CHOSEN("gc.idle", "!*.idle", "gc.*"));
  assert_true(CHOSEN("gc.mark", "!*.idle", "gc.*"));
  assert_true(CHOSEN("!odd", "\\!odd"));
}

static void a_name_with_nul_ends_there(void **state) {
  (void)state;
  assert_true(CHOSEN("a\0b", "a"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_pattern_chooses_all),       cmocka_unit_test(globs_that_match_are_known),
      cmocka_unit_test(characters_are_those_of_utf8), cmocka_unit_test(sets_are_those_of_the_shell),
      cmocka_unit_test(globs_match_whole_names),      cmocka_unit_test(any_that_wants_and_none_that_refuses),
      cmocka_unit_test(a_name_with_nul_ends_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
