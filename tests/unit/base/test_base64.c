/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base64.h"
#include "base/memory.h"

static void bytes_of_every_length_come_back(void **state) {
  (void)state;
  unsigned char bytes[256];
  for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (unsigned char)(i * 37 + 200);
  for (size_t len = 0; len <= sizeof(bytes); len++) {
    char text[400], back[400];
    size_t size = tb_base64_size(len), got;
    tb_base64_encode((struct tb_str){(const char *)bytes, len}, text);
    assert_int_equal(tb_base64_decode((struct tb_str){text, size}, back, &got), TB_OK);
    assert_int_equal(got, len);
    assert_memory_equal(back, bytes, len);
  }
}

static void the_text_is_that_of_the_rfc(void **state) {
  (void)state;
  static const char *const pairs[][2] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foobar", "Zm9vYmFy"}};
  for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
    char text[16];
    tb_base64_encode(tb_str_from(pairs[i][0]), text);
    assert_int_equal(tb_base64_size(strlen(pairs[i][0])), strlen(pairs[i][1]));
    assert_memory_equal(text, pairs[i][1], strlen(pairs[i][1]));
  }
}

static void what_is_no_such_text_is_refused(void **state) {
  (void)state;
  char back[16];
  size_t len;
  assert_int_equal(tb_base64_decode(TB_STR("Zg="), back, &len), TB_BAD_DATA);
  assert_int_equal(tb_base64_decode(TB_STR("Z*=="), back, &len), TB_BAD_DATA);
  assert_int_equal(tb_base64_decode(TB_STR("=AAA"), back, &len), TB_BAD_DATA);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bytes_of_every_length_come_back),
      cmocka_unit_test(the_text_is_that_of_the_rfc),
      cmocka_unit_test(what_is_no_such_text_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
