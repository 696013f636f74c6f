/* SPDX-License-Identifier: Apache-2.0 */
#include "fxt/writer/ref_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* One use of a text, and the entry that it gets: 0 for none. */
struct use {
  const char *text;
  uint16_t index;
  bool added;
};

static void expect_uses(uint16_t max_count, const struct use *uses, size_t count,
                        enum tb_status (*use)(struct tb_fxt_ref_cache *, struct tb_str, uint16_t *, bool *)) {
  struct tb_fxt_ref_cache table;
  tb_fxt_ref_cache_init(&table, tb_default_allocator(), max_count, 1000);
  for (size_t i = 0; i < count; i++) {
    uint16_t index;
    bool added;
    assert_int_equal(use(&table, tb_str_from(uses[i].text), &index, &added), TB_OK);
    assert_int_equal(index, uses[i].index);
    assert_int_equal(added, uses[i].added);
  }
  tb_fxt_ref_cache_free(&table);
}

static void the_longest_unused_entry_goes_first(void **state) {
  (void)state;
  static const struct use uses[] = {{"a", 1, true}, {"b", 2, true},  {"c", 3, true}, {"a", 1, false},
                                    {"d", 2, true}, {"a", 1, false}, {"b", 3, true}};
  expect_uses(3, uses, sizeof(uses) / sizeof(uses[0]), tb_fxt_ref_cache_use);
}

static void texts_that_take_turns_push_out_none(void **state) {
  (void)state;
  static const struct use uses[] = {{"a", 1, true},  {"b", 2, true},  {"c", 0, false}, {"a", 1, false},
                                    {"d", 0, false}, {"b", 2, false}, {"e", 0, false}, {"e", 1, true},
                                    {"e", 1, false}, {"a", 0, false}};
  expect_uses(2, uses, sizeof(uses) / sizeof(uses[0]), tb_fxt_ref_cache_use_optional);
}

static void long_texts_push_out_as_many_as_they_need(void **state) {
  (void)state;
  struct tb_fxt_ref_cache table;
  uint16_t index;
  bool added;
  tb_fxt_ref_cache_init(&table, tb_default_allocator(), 100, 10);
  assert_int_equal(tb_fxt_ref_cache_use(&table, TB_STR("aaaa"), &index, &added), TB_OK);
  assert_int_equal(tb_fxt_ref_cache_use(&table, TB_STR("bbbb"), &index, &added), TB_OK);
  assert_int_equal(tb_fxt_ref_cache_use(&table, TB_STR("cccccccc"), &index, &added), TB_OK);
  assert_int_equal(table.bytes, 8);
  assert_int_equal(tb_fxt_ref_cache_use(&table, TB_STR("d"), &index, &added), TB_OK);
  assert_true(added && index <= 2);
  assert_int_equal(tb_fxt_ref_cache_use(&table, TB_STR("cccccccc"), &index, &added), TB_OK);
  assert_false(added);
  tb_fxt_ref_cache_free(&table);
}

/* Short ones are in the entries, which move as the table grows. */
static void texts_of_all_lengths_are_found_again(void **state) {
  (void)state;
  enum { TEXTS = 200 };
  static char letters[TEXTS];
  memset(letters, 'x', sizeof(letters));
  struct tb_fxt_ref_cache table;
  tb_fxt_ref_cache_init(&table, tb_default_allocator(), TEXTS, (size_t)TEXTS * TEXTS);
  for (int round = 0; round < 2; round++)
    for (uint16_t i = 1; i <= TEXTS; i++) {
      uint16_t index;
      bool added;
      assert_int_equal(tb_fxt_ref_cache_use(&table, (struct tb_str){letters, i}, &index, &added), TB_OK);
      assert_int_equal(index, i);
      assert_int_equal(added, round == 0);
    }
  assert_int_equal(table.bytes, TEXTS * (TEXTS + 1) / 2);
  tb_fxt_ref_cache_free(&table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_longest_unused_entry_goes_first),
      cmocka_unit_test(texts_that_take_turns_push_out_none),
      cmocka_unit_test(long_texts_push_out_as_many_as_they_need),
      cmocka_unit_test(texts_of_all_lengths_are_found_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
