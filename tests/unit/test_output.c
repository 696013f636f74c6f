/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/input.h"
#include "base/memory.h"
#include "base/output.h"

enum { BYTES = 9 << 20, RESERVED = 1 << 20 };

static char directory[] = "/tmp/test_output.XXXXXX";
static char path[64];
static char *data, *back;

/* The byte that stands at `i`: no block of a buffer's size is like another. */
static char byte_at(size_t i) { return (char)(i * 2654435761u >> 13); }

/* Writes all of `data` in pieces of many sizes: what is copied, what is not, what is written in place. */
static enum tb_status write_pieces(struct tb_output *output, struct tb_error *error) {
  static const size_t sizes[] = {1, 70000, 13, 4096, 600000, 65536, 2, 3 << 20, 255 << 10};
  enum tb_status status = TB_OK;
  size_t at = 0;
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

static void check_written(bool gzip, unsigned threads) {
  const struct tb_output_options options = {.gzip = gzip, .threads = threads};
  struct tb_output *output;
  struct tb_error error = {0};
  assert_int_equal(tb_output_open(path, &options, &output, &error), TB_OK);
  assert_int_equal(write_pieces(output, &error), TB_OK);
  assert_int_equal(tb_output_finish(output, &error), TB_OK);
  assert_true(tb_output_bytes(output) == BYTES);
  if (!gzip) assert_true(tb_output_bytes_written(output) == BYTES);
  tb_output_close(output);
  check_file();
  assert_int_equal(unlink(path), 0);
}

static void all_bytes_are_written_in_their_order(void **state) {
  (void)state;
  check_written(false, 1);
  check_written(true, 1);
}

static void all_bytes_are_written_in_their_order_by_a_thread_too(void **state) {
  (void)state;
  check_written(false, 2);
  check_written(true, 2);
}

static void a_full_disk_is_told_with_and_without_a_thread(void **state) {
  (void)state;
  for (unsigned threads = 1; threads <= 2; threads++) {
    const struct tb_output_options options = {.threads = threads};
    struct tb_output *output;
    struct tb_error error = {0};
    assert_int_equal(tb_output_open("/dev/full", &options, &output, &error), TB_OK);
    enum tb_status status = write_pieces(output, &error);
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
    assert_int_equal(write_pieces(output, &error), TB_OK);
    tb_output_close(output);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(rmdir(directory), 0); /* it is empty */
    assert_non_null(mkdtemp(strcpy(directory, "/tmp/test_output.XXXXXX")));
    (void)snprintf(path, sizeof(path), "%s/file", directory);
  }
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
      cmocka_unit_test(a_full_disk_is_told_with_and_without_a_thread),
      cmocka_unit_test(what_is_not_finished_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, set_up, clean_up);
}
