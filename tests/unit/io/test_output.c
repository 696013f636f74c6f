/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "io/input.h"
#include "io/output.h"
#include "tracebridge/file.h"

enum { BYTES = 9 << 20, RESERVED = 1 << 20, PADDING = 300 };

static char directory[] = "/tmp/test_output.XXXXXX";
static char path[64];
static char *data, *back;

/* The byte that is at `i`: no block of a buffer's size is like another. */
static char byte_at(size_t i) { return (char)(i * 2654435761u >> 13); }

/* Writes `data` from byte `at` on in pieces of many sizes: what is copied, what is not, what is written in place. */
static enum tb_status write_pieces(struct tb_output *output, size_t at, struct tb_error *error) {
  static const size_t sizes[] = {1, 70000, 13, 4096, 600000, 65536, 2, 3 << 20, 255 << 10};
  enum tb_status status = TB_OK;
  for (unsigned turn = 0; status == TB_OK && at < BYTES; turn++) {
    size_t n = sizes[turn % (sizeof(sizes) / sizeof(sizes[0]))];
    if (n > BYTES - at) n = BYTES - at;
    if (turn % 3 == 2 && n <= RESERVED) {
      char *to = tb_output_reserve(output, RESERVED, error);
      if (!to) return error->code;
      memcpy(to, data + at, n);
      tb_output_commit(output, n);
    } else {
      status = tb_output_write(output, data + at, n, error);
    }
    at += n;
  }
  return status;
}

static void check_file(void) {
  struct tb_input *input;
  struct tb_error error = {0};
  size_t len = 0, got = 0;
  assert_int_equal(tb_input_open(path, tb_default_allocator(), 1, &input, &error), TB_OK);
  while (len < BYTES && tb_input_read(input, back + len, BYTES - len, &got, &error) == TB_OK) len += got;
  assert_int_equal(len, BYTES);
  assert_int_equal(tb_input_read(input, back, 1, &got, &error), TB_END);
  tb_input_close(input);
  assert_memory_equal(back, data, BYTES);
}

static bool misleads(const char *start, size_t len) {
  assert_true(len >= TB_OUTPUT_PADDING_MAX);
  assert_memory_equal(start, data + PADDING, TB_OUTPUT_PADDING_MAX);
  return true;
}

static bool misleads_nobody(const char *start, size_t len) {
  assert_true(len >= TB_OUTPUT_PADDING_MAX);
  assert_memory_equal(start, data, TB_OUTPUT_PADDING_MAX);
  return false;
}

/* The first bytes of `data`, where the others follow. */
static size_t pad_with_data(char padding[TB_OUTPUT_PADDING_MAX]) {
  memcpy(padding, data, PADDING);
  return PADDING;
}

static void check_written(enum tb_compression kind, unsigned threads, tb_output_misleads asked) {
  const struct tb_output_options options = {
      .misleads = asked, .padding = pad_with_data, .compression = kind, .threads = threads};
  struct tb_output *output;
  struct tb_error error = {0};
  assert_int_equal(tb_output_open(path, &options, &output, &error), TB_OK);
  assert_int_equal(write_pieces(output, asked == misleads ? PADDING : 0, &error), TB_OK);
  assert_int_equal(tb_output_finish(output, &error), TB_OK);
  assert_true(tb_output_bytes(output) == BYTES);
  if (kind == TB_COMPRESSION_NONE) assert_true(tb_output_bytes_written(output) == BYTES);
  tb_output_close(output);
  check_file();
  assert_int_equal(unlink(path), 0);
}

static void all_bytes_are_written_in_their_order(void **state) {
  (void)state;
  check_written(TB_COMPRESSION_NONE, 1, NULL);
  check_written(TB_COMPRESSION_GZIP, 1, NULL);
  check_written(TB_COMPRESSION_ZSTD, 1, NULL);
}

static void all_bytes_are_written_in_their_order_by_a_thread_too(void **state) {
  (void)state;
  check_written(TB_COMPRESSION_NONE, 2, NULL);
  check_written(TB_COMPRESSION_GZIP, 2, NULL);
  check_written(TB_COMPRESSION_ZSTD, 2, NULL);
}

static void a_lead_goes_before_all_other_bytes(void **state) {
  (void)state;
  for (unsigned threads = 1; threads <= 2; threads++) {
    check_written(TB_COMPRESSION_NONE, threads, misleads);
    check_written(TB_COMPRESSION_GZIP, threads, misleads);
    check_written(TB_COMPRESSION_ZSTD, threads, misleads);
    check_written(TB_COMPRESSION_NONE, threads, misleads_nobody);
  }
}

static void a_full_disk_is_reported_with_and_without_a_thread(void **state) {
  (void)state;
  for (unsigned i = 0; i < 6; i++) {
    const struct tb_output_options options = {.threads = 1 + i % 2, .compression = (enum tb_compression)(i / 2)};
    struct tb_output *output;
    struct tb_error error = {0};
    assert_int_equal(tb_output_open("/dev/full", &options, &output, &error), TB_OK);
    enum tb_status status = write_pieces(output, 0, &error);
    if (status == TB_OK) status = tb_output_finish(output, &error);
    assert_int_equal(status, TB_IO);
    assert_int_equal(error.code, TB_IO);
    assert_string_equal(error.file, "/dev/full");
    assert_non_null(strstr(error.message, "No space left"));
    /* and again and again */
    assert_int_equal(tb_output_write(output, data, 10, &error), TB_IO);
    assert_int_equal(tb_output_finish(output, &error), TB_IO);
    tb_output_close(output);
  }
}

static void what_is_not_finished_leaves_nothing(void **state) {
  (void)state;
  for (unsigned threads = 1; threads <= 2; threads++) {
    const struct tb_output_options options = {.threads = threads};
    struct tb_output *output;
    struct tb_error error = {0};
    assert_int_equal(tb_output_open(path, &options, &output, &error), TB_OK);
    assert_int_equal(write_pieces(output, 0, &error), TB_OK);
    tb_output_close(output);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(rmdir(directory), 0); /* it is empty */
    assert_non_null(mkdtemp(strcpy(directory, "/tmp/test_output.XXXXXX")));
    (void)snprintf(path, sizeof(path), "%s/file", directory);
  }
}

/* A file system without nameless files, and one that says at the end that the disk is full. */
static bool refuse_nameless;
static int fail_to_close = -1;
int __real_open(const char *name, int flags, mode_t mode);
int __wrap_open(const char *name, int flags, mode_t mode);
int __wrap_open(const char *name, int flags, mode_t mode) {
  bool refused = refuse_nameless && (flags & O_TMPFILE) == O_TMPFILE;
  if (refused) errno = EOPNOTSUPP;
  return refused ? -1 : __real_open(name, flags, mode);
}
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
  int result = __real_close(fd);
  if (fd < 0 || fd != fail_to_close) return result;
  errno = ENOSPC;
  return -1;
}

static int count_entries(void) {
  int count = 0;
  DIR *open_directory = opendir(directory);
  assert_non_null(open_directory);
  for (const struct dirent *entry; (entry = readdir(open_directory));) count += entry->d_name[0] != '.';
  (void)closedir(open_directory);
  return count;
}

static void write_small(const char *name) {
  struct tb_error error = {0};
  if (tb_file_write(name, "text\n", 5, &error) != TB_OK) fail_msg("%s: %s", error.file, error.message);
}

/* Calls of a tb_temporary_name. */
struct names_seen {
  unsigned names, ends;
  char name[128];
};

static void take_name(void *ctx, const char *name) {
  struct names_seen *seen = ctx;
  if (name) {
    assert_int_equal(access(name, F_OK), 0);
    (void)snprintf(seen->name, sizeof(seen->name), "%s", name);
    seen->names++;
  } else {
    if (seen->names) assert_int_equal(access(seen->name, F_OK), -1);
    seen->ends++;
  }
}

static void write_named(struct names_seen *seen, bool finish) {
  struct tb_output *output;
  const struct tb_output_options options = {.temporary_name = take_name, .temporary_name_ctx = seen};
  assert_int_equal(tb_output_open(path, &options, &output, NULL), TB_OK);
  assert_int_equal(tb_output_write(output, "text", 4, NULL), TB_OK);
  if (finish) assert_int_equal(tb_output_finish(output, NULL), TB_OK);
  tb_output_close(output);
}

static void a_temporary_name_is_reported_for_as_long_as_it_is_in_use(void **state) {
  (void)state;
  for (unsigned i = 0; i < 8; i++) {
    bool there = i & 1, finish = i & 2;
    struct names_seen seen = {0};
    refuse_nameless = i & 4;
    if (there) write_small(path);
    write_named(&seen, finish);
    assert_int_equal(seen.names, refuse_nameless || (there && finish) ? 1 : 0);
    assert_true(seen.ends >= seen.names);
    assert_int_equal(count_entries(), there || finish ? 1 : 0);
    (void)unlink(path);
  }
  refuse_nameless = false;
}

static mode_t mode_of(const char *name) {
  struct stat st;
  assert_int_equal(lstat(name, &st), 0);
  return st.st_mode & 07777;
}

static void a_replaced_file_hands_on_its_mode_and_owner_and_a_new_one_has_what_the_umask_leaves(void **state) {
  (void)state;
  static const mode_t modes[] = {0600, 0640, 0444, 0666}, masks[] = {022, 077, 0};
  bool root = geteuid() == 0;
  for (int refuse = 0; refuse < 2; refuse++) {
    refuse_nameless = refuse;
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
      struct stat st;
      write_small(path);
      assert_int_equal(chmod(path, modes[i]), 0);
      if (root) assert_int_equal(chown(path, 12345, 54321), 0);
      write_small(path);
      assert_int_equal(mode_of(path), modes[i]);
      assert_int_equal(stat(path, &st), 0);
      if (root) assert_true(st.st_uid == 12345 && st.st_gid == 54321);
      assert_int_equal(unlink(path), 0);
    }
    for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
      mode_t before = umask(masks[i]);
      write_small(path);
      assert_int_equal(umask(before), masks[i]); /* nobody else set it */
      assert_int_equal(mode_of(path), 0666 & ~masks[i]);
      assert_int_equal(unlink(path), 0);
    }
  }
  refuse_nameless = false;
}

static void what_will_be_private_is_private_while_it_is_written(void **state) {
  (void)state;
  for (int refuse = 0; refuse < 2; refuse++) {
    refuse_nameless = refuse;
    struct tb_output *output;
    write_small(path);
    assert_int_equal(chmod(path, 0600), 0);
    int next = dup(0);
    assert_int_equal(close(next), 0);
    assert_int_equal(tb_output_open(path, NULL, &output, NULL), TB_OK);
    struct stat st;
    assert_int_equal(fstat(next, &st), 0); /* the output's descriptor is the next one */
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(count_entries(), 1 + refuse);
    tb_output_close(output);
    assert_int_equal(count_entries(), 1);
    assert_int_equal(unlink(path), 0);
  }
  refuse_nameless = false;
}

/* Over a file that is there, or a new one; with a name from the start, or without. */
static void check_failing_close(bool there, bool refuse) {
  struct tb_output *output;
  struct tb_error error = {0};
  struct stat st;
  refuse_nameless = refuse;
  if (there) write_small(path);
  int next = dup(0);
  assert_int_equal(close(next), 0);
  assert_int_equal(tb_output_open(path, NULL, &output, &error), TB_OK);
  assert_int_equal(tb_output_write(output, "other text\n", 11, &error), TB_OK);
  fail_to_close = next;
  assert_int_equal(tb_output_finish(output, &error), TB_IO);
  fail_to_close = -1;
  tb_output_close(output);
  refuse_nameless = false;
  assert_non_null(strstr(error.message, "No space left"));
  assert_int_equal(count_entries(), there);
  if (!there) return;
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_size, 5);
  assert_int_equal(unlink(path), 0);
}

static void a_failing_close_leaves_the_old_file_and_nothing_else(void **state) {
  (void)state;
  for (unsigned i = 0; i < 4; i++) check_failing_close(i & 1, i & 2);
}

static void links_stay_and_what_they_lead_to_is_written(void **state) {
  (void)state;
  char link[80], twice[80], loop[80];
  (void)snprintf(link, sizeof(link), "%s/link", directory);
  (void)snprintf(twice, sizeof(twice), "%s/twice", directory);
  (void)snprintf(loop, sizeof(loop), "%s/loop", directory);
  assert_int_equal(symlink("file", link) + symlink(link, twice) + symlink("loop", loop), 0);
  for (int there = 0; there < 2; there++) { /* the first time it leads to nothing yet */
    struct stat st;
    write_small(twice);
    assert_int_equal(lstat(twice, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(lstat(path, &st), 0);
    assert_true(S_ISREG(st.st_mode) && st.st_size == 5);
  }
  struct tb_error error = {0};
  assert_int_equal(tb_file_write(loop, "", 0, &error), TB_IO);
  assert_string_equal(error.file, loop);
  assert_int_equal(count_entries(), 4);
  assert_int_equal(unlink(path) + unlink(link) + unlink(twice) + unlink(loop), 0);
}

/* /dev/stdout and its kind: what the shell opened goes on where it is, and is not replaced. */
static void names_of_descriptors_are_written_directly(void **state) {
  (void)state;
  int fd = open(path, O_CREAT | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
  struct stat before, after;
  char name[32];
  assert_true(fd >= 0 && fstat(fd, &before) == 0);
  static const char *const folders[] = {"/dev/fd", "/proc/self/fd"};
  for (size_t i = 0; i < 2; i++) {
    (void)snprintf(name, sizeof(name), "%s/%d", folders[i], fd);
    write_small(name);
  }
  assert_int_equal(stat(path, &after), 0);
  assert_true(after.st_ino == before.st_ino && after.st_size == 10);
  assert_int_equal(count_entries(), 1);
  assert_int_equal(close(fd) + unlink(path), 0);
  struct tb_error error = {0};
  assert_int_equal(tb_file_write(name, "", 0, &error), TB_IO); /* it is closed */
}

static int set_up(void **state) {
  (void)state;
  data = malloc(BYTES);
  back = malloc(BYTES);
  if (!data || !back || !mkdtemp(directory)) return -1;
  for (size_t i = 0; i < BYTES; i++) data[i] = byte_at(i);
  (void)snprintf(path, sizeof(path), "%s/file", directory);
  return 0;
}

static int clean_up(void **state) {
  (void)state;
  free(data);
  free(back);
  return rmdir(directory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_bytes_are_written_in_their_order),
      cmocka_unit_test(all_bytes_are_written_in_their_order_by_a_thread_too),
      cmocka_unit_test(a_lead_goes_before_all_other_bytes),
      cmocka_unit_test(a_full_disk_is_reported_with_and_without_a_thread),
      cmocka_unit_test(what_is_not_finished_leaves_nothing),
      cmocka_unit_test(a_replaced_file_hands_on_its_mode_and_owner_and_a_new_one_has_what_the_umask_leaves),
      cmocka_unit_test(what_will_be_private_is_private_while_it_is_written),
      cmocka_unit_test(a_failing_close_leaves_the_old_file_and_nothing_else),
      cmocka_unit_test(links_stay_and_what_they_lead_to_is_written),
      cmocka_unit_test(a_temporary_name_is_reported_for_as_long_as_it_is_in_use),
      cmocka_unit_test(names_of_descriptors_are_written_directly),
  };
  return cmocka_run_group_tests(tests, set_up, clean_up);
}
