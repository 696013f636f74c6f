/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toolbox/serve/viewer_link.h"

static struct tb_buffer text;

static int empty(void **state) {
  (void)state;
  tb_buffer_free(&text);
  tb_buffer_init(&text, tb_default_allocator(), 0);
  return 0;
}

#define ASSERT_ORIGIN(viewer, expected)                       \
  do {                                                        \
    text.len = 0;                                             \
    assert_int_equal(tb_viewer_origin(&text, viewer), TB_OK); \
    assert_string_equal(text.data, expected);                 \
  } while (0)

static void origins_are_as_browsers_write_them(void **state) {
  (void)state;
  ASSERT_ORIGIN("https://ui.perfetto.dev", "https://ui.perfetto.dev");
  ASSERT_ORIGIN("https://ui.perfetto.dev/", "https://ui.perfetto.dev");
  ASSERT_ORIGIN("HTTP://Host.Example:80/a/B?c", "http://host.example");
  ASSERT_ORIGIN("https://host:443", "https://host");
  ASSERT_ORIGIN("http://host:443", "http://host:443");
  ASSERT_ORIGIN("http://[::1]:10000/x", "http://[::1]:10000");
}

static void what_is_no_address_is_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"",          "ui.perfetto.dev", "ftp://host", "http://",      "http:///x",
                                      "http://h#", "http://h/ x",     "http://h\"", "http://a@b/c", "https://h\n"};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
    assert_int_equal(tb_viewer_origin(&text, wrong[i]), TB_INVALID);
}

static void names_mean_nothing_in_an_address(void **state) {
  (void)state;
  assert_int_equal(tb_viewer_path(&text, 0xab, "a b&c#d/e:f%20\xc3\xa4.pftrace"), TB_OK);
  assert_string_equal(text.data, "/00000000000000ab/a_b_c_d_e_f_20__.pftrace");
  text.len = 0;
  assert_int_equal(tb_viewer_path(&text, UINT64_MAX, ""), TB_OK);
  assert_string_equal(text.data, "/ffffffffffffffff/trace");
}

static void a_link_keeps_the_path_of_the_viewer(void **state) {
  (void)state;
  assert_int_equal(tb_viewer_link(&text, "https://ui.perfetto.dev", 9001, "/k/t"), TB_OK);
  assert_string_equal(text.data, "https://ui.perfetto.dev/#!/?url=http://127.0.0.1:9001/k/t");
  text.len = 0;
  assert_int_equal(tb_viewer_link(&text, "http://h:1/ui/index.html?a=b", 2, "/k/t"), TB_OK);
  assert_string_equal(text.data, "http://h:1/ui/index.html?a=b#!/?url=http://127.0.0.1:2/k/t");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(origins_are_as_browsers_write_them, empty),
      cmocka_unit_test_setup(what_is_no_address_is_refused, empty),
      cmocka_unit_test_setup(names_mean_nothing_in_an_address, empty),
      cmocka_unit_test_setup_teardown(a_link_keeps_the_path_of_the_viewer, empty, empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
