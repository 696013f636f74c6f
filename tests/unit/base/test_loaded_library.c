/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/loaded_library.h"

static const char THERE[] = "libz.so.1";

static void a_function_of_a_library_that_is_there_can_be_called(void **state) {
  (void)state;
  const char *(*version)(void) = NULL;
  const struct tb_library_function functions[] = {{"zlibVersion", &version}};
  assert_int_equal(tb_library_load(THERE, functions, 1), TB_OK);
  assert_non_null(version);
  assert_int_equal(version()[0], '1');
}

static void a_library_that_is_not_there_is_not_supported(void **state) {
  (void)state;
  assert_int_equal(tb_library_load("libtracebridge-has-no-such.so.7", NULL, 0), TB_UNSUPPORTED);
}

static void a_library_that_lacks_a_function_is_not_supported(void **state) {
  (void)state;
  void (*first)(void), (*second)(void);
  const struct tb_library_function functions[] = {{"zlibVersion", &first}, {"zlib_has_no_such", &second}};
  assert_int_equal(tb_library_load(THERE, functions, 2), TB_UNSUPPORTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_function_of_a_library_that_is_there_can_be_called),
      cmocka_unit_test(a_library_that_is_not_there_is_not_supported),
      cmocka_unit_test(a_library_that_lacks_a_function_is_not_supported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
