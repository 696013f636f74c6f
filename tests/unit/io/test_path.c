/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether two names are one file.
 */
#include "io/path.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracebridge/file.h"

static char start_directory[PATH_MAX], directory[] = "/tmp/test_path.XXXXXX";

static void make_file(const char *name) {
  int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  assert_true(fd >= 0);
  assert_int_equal(close(fd), 0);
}

/* Puts an open file where a standard stream is; restore puts the first one back. */
static int take_over(int stream, int fd) {
  int saved = fcntl(stream, F_DUPFD_CLOEXEC, 10);
  assert_true(saved >= 0 && dup2(fd, stream) == stream);
  return saved;
}
static void restore(int stream, int saved) {
  assert_true(dup2(saved, stream) == stream);
  assert_int_equal(close(saved), 0);
}

static void names_of_descriptors_are_recognised(void **state) {
  (void)state;
  assert_int_equal(tb_path_descriptor("/dev/stdin"), 0);
  assert_int_equal(tb_path_descriptor("/dev/stdout"), 1);
  assert_int_equal(tb_path_descriptor("/dev/stderr"), 2);
  assert_int_equal(tb_path_descriptor("/dev/fd/63"), 63);
  assert_int_equal(tb_path_descriptor("/proc/self/fd/1"), 1);
  static const char *const others[] = {
      "-",          "",           "/dev/fd",    "/dev/fd/", "/dev/fd/x",
      "/dev/fd/1x", "/dev/fd/-1", "/dev/fd/1/", "dev/fd/1", "/dev/fd/99999999999999999999"};
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) assert_int_equal(tb_path_descriptor(others[i]), -1);
}

static void links_are_followed_to_their_end_be_there_anything_or_not(void **state) {
  (void)state;
  char target[PATH_MAX];
  assert_int_equal(mkdir("sub", 0700) + symlink("b", "sub/a") + symlink("../sub/a", "sub/c"), 0);
  assert_int_equal(symlink("/dev/stdout", "out") + symlink("round", "round"), 0);
  assert_true(tb_path_follow("sub/c", target));
  assert_string_equal(target, "sub/../sub/b");
  assert_true(tb_path_follow("out", target));
  assert_string_equal(target, "/dev/stdout"); /* and not to what that is */
  assert_true(tb_path_follow("none", target));
  assert_string_equal(target, "none");
  assert_false(tb_path_follow("round", target));
  assert_int_equal(errno, ELOOP);
}

static void an_input_is_overwritten_by_whatever_name(void **state) {
  (void)state;
  make_file("in");
  make_file("other");
  assert_int_equal(link("in", "hard") + symlink("in", "soft") + symlink(".", "here"), 0);
  static const char *const names[] = {"in", "./in", "hard", "soft", "here/in", "here/here/hard"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    assert_true(tb_file_overwrites_input(names[i], "in"));
    assert_true(tb_file_overwrites_input("in", names[i]));
    assert_false(tb_file_overwrites_input(names[i], "other"));
  }
}

static void what_is_not_there_yet_is_compared_by_its_place(void **state) {
  (void)state;
  assert_int_equal(symlink("new", "later") + mkdir("folder", 0700) + symlink("folder", "other_folder"), 0);
  static const char *const names[] = {"new", "./new", "here/new", "later", "folder/../new"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    assert_true(tb_file_overwrites_output(names[i], "new"));
    assert_true(tb_file_overwrites_output("later", names[i]));
    assert_true(tb_file_overwrites_input(names[i], "new"));
    assert_false(tb_file_overwrites_output(names[i], "newer"));
    assert_false(tb_file_overwrites_output(names[i], "folder/new"));
  }
  assert_true(tb_file_overwrites_output("folder/new", "other_folder/new"));
  assert_false(tb_file_overwrites_output("nowhere/new", "nowhere_else/new"));
}

static void standard_streams_are_the_files_that_they_were_opened_for(void **state) {
  (void)state;
  int in = open("in", O_RDONLY | O_CLOEXEC), out = open("other", O_WRONLY | O_CLOEXEC);
  assert_true(in >= 0 && out >= 0);
  int saved_in = take_over(STDIN_FILENO, in), saved_out = take_over(STDOUT_FILENO, out);
  bool input = tb_file_overwrites_input("hard", "-"), output = tb_file_overwrites_output("other", "-");
  bool crossed = tb_file_overwrites_input("-", "-") || tb_file_overwrites_output("hard", "-");
  bool read = tb_file_overwrites_input("-", "./other");
  restore(STDIN_FILENO, saved_in);
  restore(STDOUT_FILENO, saved_out);
  assert_true(input && output && read);
  assert_false(crossed);
  assert_int_equal(close(in) + close(out), 0);
}

static void one_descriptor_takes_one_output(void **state) {
  (void)state;
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC), saved = take_over(STDOUT_FILENO, null);
  static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "out"};
  bool same = true;
  for (size_t i = 0; i < 5; i++)
    for (size_t j = 0; j < 5; j++) same &= tb_file_overwrites_output(names[i], names[j]);
  bool plain = false;
  for (size_t i = 0; i < 5; i++) plain |= tb_file_is_plain(names[i]);
  restore(STDOUT_FILENO, saved);
  assert_true(same);
  assert_false(plain);
  assert_int_equal(close(null), 0);
}

/* Devices swallow all; what is read from a pipe or a socket is not overwritten by writing to its other end. */
static void devices_and_pipes_are_no_files(void **state) {
  (void)state;
  int pair[2];
  assert_int_equal(mkfifo("pipe.json", 0600), 0);
  assert_false(tb_file_overwrites_output("/dev/null", "/dev/null"));
  assert_false(tb_file_overwrites_input("/dev/null", "/dev/null"));
  assert_true(tb_file_overwrites_output("pipe.json", "here/pipe.json"));
  assert_false(tb_file_is_plain("/dev/null"));
  assert_false(tb_file_is_plain("pipe.json"));
  assert_true(tb_file_is_plain("in") && tb_file_is_plain("soft") && tb_file_is_plain("new"));
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  int saved_in = take_over(STDIN_FILENO, pair[0]), saved_out = take_over(STDOUT_FILENO, pair[0]);
  bool overwrites = tb_file_overwrites_input("-", "-");
  restore(STDIN_FILENO, saved_in);
  restore(STDOUT_FILENO, saved_out);
  assert_false(overwrites);
  assert_int_equal(close(pair[0]) + close(pair[1]), 0);
}

static int set_up(void **state) {
  (void)state;
  return getcwd(start_directory, sizeof(start_directory)) && mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int clean_up(void **state) {
  (void)state;
  static const char *const files[] = {"in",    "other", "hard",         "soft",  "here",      "sub/a",
                                      "sub/c", "later", "other_folder", "round", "pipe.json", "out"};
  for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) (void)unlink(files[i]);
  return rmdir("sub") + rmdir("folder") + chdir(start_directory) + rmdir(directory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_of_descriptors_are_recognised),
      cmocka_unit_test(links_are_followed_to_their_end_be_there_anything_or_not),
      cmocka_unit_test(an_input_is_overwritten_by_whatever_name),
      cmocka_unit_test(what_is_not_there_yet_is_compared_by_its_place),
      cmocka_unit_test(standard_streams_are_the_files_that_they_were_opened_for),
      cmocka_unit_test(one_descriptor_takes_one_output),
      cmocka_unit_test(devices_and_pipes_are_no_files),
  };
  return cmocka_run_group_tests(tests, set_up, clean_up);
}
