/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

static void assert_character(const char *text, size_t length, size_t skip) {
  size_t got = 0;
  assert_int_equal(tb_utf8_character(text, text + strlen(text), &got), length);
  if (!length) assert_int_equal(got, skip);
}

static void well_formed_characters_have_their_length(void **state) {
  (void)state;
  assert_character("a", 1, 0);
  assert_character("\xc3\xa4", 2, 0);
  assert_character("\xe2\x82\xac", 3, 0);
  assert_character("\xf0\x9f\x98\x80", 4, 0);
  assert_character("\xf4\x8f\xbf\xbf", 4, 0);
  assert_character("\xed\x9f\xbf", 3, 0);
}

static void what_is_no_character_is_one_maximal_subpart(void **state) {
  (void)state;
  assert_character("\x80", 0, 1);
  assert_character("\xff", 0, 1);
  assert_character("\xc0\x80", 0, 1);
  assert_character("\xc3", 0, 1);
  assert_character("\xe2\x82", 0, 2);
  assert_character("\xe2\x82x", 0, 2);
  assert_character("\xe0\x80\x80", 0, 1);
  assert_character("\xed\xa0\x80", 0, 1);
  assert_character("\xf0\x9f\x98", 0, 3);
  assert_character("\xf4\x90\x80\x80", 0, 1);
  assert_character("\xf8\x88\x80\x80", 0, 1);
}

static void every_code_point_comes_back_from_its_encoding(void **state) {
  (void)state;
  for (uint32_t c = 1; c <= 0x10ffff; c += 7) {
    if (c >= 0xd800 && c <= 0xdfff) continue;
    char text[4];
    size_t skip, n = tb_utf8_encode(c, text);
    assert_int_equal(tb_utf8_character(text, text + n, &skip), n);
    assert_int_equal(tb_utf8_decode(text, n), c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(well_formed_characters_have_their_length),
      cmocka_unit_test(what_is_no_character_is_one_maximal_subpart),
      cmocka_unit_test(every_code_point_comes_back_from_its_encoding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
