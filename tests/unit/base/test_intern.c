/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/intern.h"

static void numbers_texts_from_1_in_the_order_of_first_appearance(void **state) {
  (void)state;
  struct tb_intern table;
  tb_intern_init(&table, tb_default_allocator());
  assert_int_equal(tb_intern_id(&table, TB_STR("one")), 1);
  assert_int_equal(tb_intern_id(&table, TB_STR("")), 2);
  assert_int_equal(tb_intern_id(&table, TB_STR("two")), 3);
  assert_int_equal(tb_intern_id(&table, TB_STR("one")), 1);
  assert_int_equal(tb_intern_id(&table, TB_STR("")), 2);
  assert_memory_equal(tb_intern_text(&table, 3).ptr, "two", 3);
  tb_intern_free(&table);
}

/* Texts of every length, many of which share their first and last bytes and so their place among the recent ones. */
static struct tb_str text_of(unsigned i, char *room, size_t size) {
  int len = snprintf(room, size, "%.*sab%05u%.*syz", (int)(i % 37), "the quick brown fox jumps over it all", i,
                     (int)(i % 5), "=====");
  return (struct tb_str){room, (size_t)len};
}

static void finds_each_text_among_many_and_after_others(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  struct tb_intern table;
  char room[80];
  tb_intern_init(&table, tb_default_allocator());
  for (unsigned i = 0; i < COUNT; i++) assert_int_equal(tb_intern_id(&table, text_of(i, room, sizeof(room))), i + 1);
  for (unsigned i = 0; i < COUNT; i++) {
    unsigned k = i * 7919 % COUNT;
    assert_int_equal(tb_intern_id(&table, text_of(k, room, sizeof(room))), k + 1);
    assert_int_equal(tb_intern_find_recent(&table, text_of(k, room, sizeof(room))), k + 1);
  }
  assert_int_equal(table.count, COUNT);
  tb_intern_free(&table);
}

static void distinguishes_texts_that_differ_in_the_middle_alone(void **state) {
  (void)state;
  struct tb_intern table;
  tb_intern_init(&table, tb_default_allocator());
  assert_int_equal(tb_intern_id(&table, TB_STR("beginning A the end.")), 1);
  assert_int_equal(tb_intern_id(&table, TB_STR("beginning B the end.")), 2);
  assert_int_equal(tb_intern_id(&table, TB_STR("beginning A the end.")), 1);
  assert_int_equal(tb_intern_find_recent(&table, TB_STR("beginning C the end.")), 0);
  tb_intern_free(&table);
}

static void compares_short_texts_byte_by_byte(void **state) {
  (void)state;
  static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyzABCD";
  char other[sizeof(text)];
  for (size_t len = 0; len < sizeof(text) - 1; len++)
    for (size_t i = 0; i < len; i++) {
      memcpy(other, text, sizeof(text));
      assert_true(tb_str_equal((struct tb_str){text, len}, (struct tb_str){other, len}));
      other[i] = '!';
      if (tb_str_equal((struct tb_str){text, len}, (struct tb_str){other, len})) fail_msg("byte %zu of %zu", i, len);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_texts_from_1_in_the_order_of_first_appearance),
      cmocka_unit_test(finds_each_text_among_many_and_after_others),
      cmocka_unit_test(distinguishes_texts_that_differ_in_the_middle_alone),
      cmocka_unit_test(compares_short_texts_byte_by_byte),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
