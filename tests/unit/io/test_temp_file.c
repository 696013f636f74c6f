/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/temp_file.h"

static void creates_an_empty_file_for_its_owner_alone(void **state) {
  (void)state;
  struct tb_error error = {.code = TB_OK};
  struct stat st;
  mode_t before = umask(0);
  int a = tb_temp_file_create_nameless(NULL, &error), b = tb_temp_file_create_nameless(NULL, &error);
  (void)umask(before);
  assert_true(a >= 0 && b >= 0);
  assert_int_equal(write(b, "x", 1), 1);
  assert_int_equal(fstat(a, &st), 0);
  assert_int_equal(st.st_size, 0);
  assert_int_equal(st.st_nlink, 0);
  assert_int_equal(st.st_mode & 07777, 0600);
  assert_int_equal(close(a) + close(b), 0);
}

/* Some file systems make no file without a name: it gets one, and loses it at once. */
static bool refuse_nameless;
int __real_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode) {
  if (refuse_nameless && (flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return __real_open(path, flags, mode);
}

static void leaves_nothing_behind(void **state) {
  (void)state;
  for (int refuse = 0; refuse < 2; refuse++) {
    char directory[] = "/tmp/test_temporary.XXXXXX";
    struct tb_error error = {.code = TB_OK};
    struct stat st;
    assert_non_null(mkdtemp(directory));
    refuse_nameless = refuse;
    int fd = tb_temp_file_create_nameless(directory, &error);
    refuse_nameless = false;
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(rmdir(directory), 0); /* it is empty */
    assert_int_equal(close(fd), 0);
  }
}

static void names_the_directory_that_cannot_be_used(void **state) {
  (void)state;
  struct tb_error error = {.code = TB_OK};
  assert_int_equal(tb_temp_file_create_nameless("/nowhere", &error), -1);
  assert_int_equal(error.code, TB_IO);
  assert_non_null(strstr(error.message, "/nowhere"));
}

/* Signals come before anything is done, and each call does a part of it only. */
static unsigned calls;
ssize_t __real_pread(int fd, void *to, size_t len, off_t offset);
ssize_t __wrap_pread(int fd, void *to, size_t len, off_t offset);
ssize_t __wrap_pread(int fd, void *to, size_t len, off_t offset) {
  if (++calls % 2 == 0) return __real_pread(fd, to, len < 3 ? len : 3, offset);
  errno = EINTR;
  return -1;
}

ssize_t __real_pwrite(int fd, const void *data, size_t len, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t offset) {
  if (++calls % 2 == 0) return __real_pwrite(fd, data, len < 3 ? len : 3, offset);
  errno = EINTR;
  return -1;
}

static void reads_and_writes_all_whatever_interrupts(void **state) {
  (void)state;
  struct tb_error error = {.code = TB_OK};
  char back[11] = {0};
  int fd = tb_temp_file_create_nameless(NULL, &error);
  calls = 0;
  assert_int_equal(tb_temp_file_write_all_at(fd, 5, "0123456789", 10, &error), TB_OK);
  assert_int_equal(calls, 8);
  assert_int_equal(tb_temp_file_read_all_at(fd, 5, back, 10, &error), TB_OK);
  assert_int_equal(calls, 16);
  assert_string_equal(back, "0123456789");
  assert_int_equal(tb_temp_file_read_all_at(fd, 6, back, 10, &error), TB_IO);
  assert_non_null(strstr(error.message, "cut short"));
  assert_int_equal(close(fd), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(creates_an_empty_file_for_its_owner_alone),
      cmocka_unit_test(leaves_nothing_behind),
      cmocka_unit_test(names_the_directory_that_cannot_be_used),
      cmocka_unit_test(reads_and_writes_all_whatever_interrupts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
