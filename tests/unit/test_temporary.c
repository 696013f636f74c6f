/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/temporary.h"

static void creates_an_empty_file_of_a_new_name_each_time(void **state) {
  (void)state;
  char first[TB_TEMPORARY_PATH], second[TB_TEMPORARY_PATH];
  struct tb_error error = {.code = TB_OK};
  struct stat st;
  int a = tb_temporary_create(NULL, first, &error), b = tb_temporary_create(NULL, second, &error);
  assert_true(a >= 0 && b >= 0);
  assert_string_not_equal(first, second);
  assert_int_equal(stat(first, &st), 0);
  assert_int_equal(st.st_size, 0);
  assert_int_equal(write(a, "x", 1), 1);
  assert_int_equal(close(a) + close(b) + unlink(first) + unlink(second), 0);
}

static void leaves_nothing_behind_without_a_name(void **state) {
  (void)state;
  char directory[] = "/tmp/test_temporary.XXXXXX";
  struct tb_error error = {.code = TB_OK};
  assert_non_null(mkdtemp(directory));
  int fd = tb_temporary_create_nameless(directory, &error);
  assert_true(fd >= 0);
  assert_int_equal(rmdir(directory), 0); /* it is empty */
  assert_int_equal(close(fd), 0);
}

static void names_the_directory_that_cannot_be_used(void **state) {
  (void)state;
  char path[TB_TEMPORARY_PATH];
  struct tb_error error = {.code = TB_OK};
  assert_int_equal(tb_temporary_create("/nowhere", path, &error), -1);
  assert_int_equal(error.code, TB_IO);
  assert_non_null(strstr(error.message, "/nowhere"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(creates_an_empty_file_of_a_new_name_each_time),
      cmocka_unit_test(leaves_nothing_behind_without_a_name),
      cmocka_unit_test(names_the_directory_that_cannot_be_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
