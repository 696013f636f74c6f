/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "io/input.h"
#include "support/failing_allocator.h"

enum { PLAIN_BYTES = 700000, STORED_MAX = 2 * PLAIN_BYTES + 100000 };

struct fixture {
  char plain[PLAIN_BYTES];
  char stored[STORED_MAX];
  size_t stored_len;
  char read[PLAIN_BYTES + 1];
  size_t read_len;
  char path[64];
};

static int setup(void **state) {
  struct fixture *f = calloc(1, sizeof(*f));
  uint32_t random = 1;
  for (size_t i = 0; i < PLAIN_BYTES; i++) {
    random = random * 1664525 + 1013904223;
    f->plain[i] = (char)('a' + (random >> 28)); /* 4 bits of 8: compressible, but not to nothing */
  }
  *state = f;
  return 0;
}

static int teardown(void **state) {
  free(*state);
  return 0;
}

static void add_gzip(struct fixture *f, const char *data, size_t len) {
  z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)len};
  assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_out = (Bytef *)f->stored + f->stored_len;
  z.avail_out = (uInt)(STORED_MAX - f->stored_len);
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  f->stored_len = STORED_MAX - z.avail_out;
  (void)deflateEnd(&z);
}

static void add_zstd(struct fixture *f, const char *data, size_t len) {
  size_t n = ZSTD_compress(f->stored + f->stored_len, STORED_MAX - f->stored_len, data, len, 3);
  assert_false(ZSTD_isError(n));
  f->stored_len += n;
}

static void add_plain(struct fixture *f, const char *data, size_t len) {
  memcpy(f->stored + f->stored_len, data, len);
  f->stored_len += len;
}

typedef void (*adder)(struct fixture *f, const char *data, size_t len);

/* Members of very different lengths. */
static void add_many(struct fixture *f, adder add) {
  f->stored_len = 0;
  for (size_t at = 0, len = 1; at < PLAIN_BYTES; at += len, len = len * 3 + 1) {
    if (len > PLAIN_BYTES - at) len = PLAIN_BYTES - at;
    add(f, f->plain + at, len);
  }
}

static void store(struct fixture *f) {
  strcpy(f->path, "/tmp/tb_test_input_XXXXXX");
  int fd = mkstemp(f->path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, f->stored, f->stored_len), (ssize_t)f->stored_len);
  assert_int_equal(close(fd), 0);
}

static enum tb_status read_to_end(struct fixture *f, struct tb_input *input, size_t step) {
  enum tb_status status = TB_OK;
  for (f->read_len = 0; status == TB_OK;) {
    size_t got = 0, room = sizeof(f->read) - f->read_len;
    status = tb_input_read(input, f->read + f->read_len, room < step ? room : step, &got, NULL);
    assert_true(status != TB_OK || got > 0);
    f->read_len += got;
  }
  return status;
}

static enum tb_status read_file(struct fixture *f, unsigned threads, size_t step) {
  struct tb_input *input;
  store(f);
  assert_int_equal(tb_input_open(f->path, NULL, threads, &input, NULL), TB_OK);
  assert_int_equal(unlink(f->path), 0);
  assert_int_equal(tb_input_size(input), f->stored_len);
  enum tb_status status = read_to_end(f, input, step);
  if (status == TB_END) assert_int_equal(tb_input_bytes_read(input), f->stored_len);
  tb_input_close(input);
  return status;
}

static void assert_whole(struct fixture *f) {
  for (unsigned threads = 1; threads <= 2; threads++) {
    static const size_t steps[] = {777, 1 << 16, 1 << 20};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
      assert_int_equal(read_file(f, threads, steps[i]), TB_END);
      assert_int_equal(f->read_len, PLAIN_BYTES);
      assert_memory_equal(f->read, f->plain, PLAIN_BYTES);
    }
  }
}

static void plain_files_are_given_as_they_are(void **state) {
  struct fixture *f = *state;
  f->stored_len = 0;
  add_plain(f, f->plain, PLAIN_BYTES);
  assert_whole(f);
}

static void gzip_files_of_one_and_of_many_members_are_opened(void **state) {
  struct fixture *f = *state;
  f->stored_len = 0;
  add_gzip(f, f->plain, PLAIN_BYTES);
  assert_whole(f);
  add_many(f, add_gzip);
  assert_whole(f);
}

static void zstd_files_of_one_and_of_many_frames_are_opened(void **state) {
  struct fixture *f = *state;
  f->stored_len = 0;
  add_zstd(f, f->plain, PLAIN_BYTES);
  assert_whole(f);
  add_many(f, add_zstd);
  assert_whole(f);
}

static void zeros_behind_a_gzip_member_are_passed_over(void **state) {
  struct fixture *f = *state;
  f->stored_len = 0;
  add_gzip(f, f->plain, PLAIN_BYTES);
  memset(f->stored + f->stored_len, 0, 5000);
  f->stored_len += 5000;
  assert_whole(f);
}

static void a_cut_compressed_file_gives_what_came_before_the_cut(void **state) {
  struct fixture *f = *state;
  static const adder adders[] = {add_gzip, add_zstd};
  for (size_t i = 0; i < 2; i++) {
    f->stored_len = 0;
    adders[i](f, f->plain, PLAIN_BYTES);
    size_t whole = f->stored_len, before = 0;
    for (size_t cut = 20; cut < whole; cut += whole / 9) {
      f->stored_len = cut;
      for (unsigned threads = 1; threads <= 2; threads++) {
        assert_int_equal(read_file(f, threads, 1 << 16), TB_TRUNCATED);
        assert_true(f->read_len >= before && f->read_len < PLAIN_BYTES);
        assert_memory_equal(f->read, f->plain, f->read_len);
      }
      before = f->read_len;
    }
    assert_true(before > PLAIN_BYTES / 2);
  }
}

static void damaged_gzip_data_is_reported(void **state) {
  struct fixture *f = *state;
  f->stored_len = 0;
  add_gzip(f, f->plain, PLAIN_BYTES);
  f->stored[f->stored_len - 6] ^= 1; /* in the checksum */
  assert_int_equal(read_file(f, 1, 1 << 16), TB_TRUNCATED);
  f->stored_len = 0;
  add_gzip(f, f->plain, PLAIN_BYTES);
  add_plain(f, "junk", 4);
  assert_int_equal(read_file(f, 2, 1 << 16), TB_TRUNCATED);
  assert_int_equal(f->read_len, PLAIN_BYTES);
}

static void fed_bytes_are_opened_whatever_their_pieces(void **state) {
  struct fixture *f = *state;
  add_many(f, add_gzip);
  struct tb_input *input;
  assert_int_equal(tb_input_create_feed("fed", NULL, &input, NULL), TB_OK);
  f->read_len = 0;
  size_t got = 0, at = 0;
  for (;;) {
    enum tb_status status = tb_input_read(input, f->read + f->read_len, sizeof(f->read) - f->read_len, &got, NULL);
    f->read_len += got;
    got = 0;
    if (status == TB_END) break;
    if (status == TB_OK) continue;
    assert_int_equal(status, TB_AGAIN);
    size_t n = at < 100 ? 1 : 5000;
    if (n > f->stored_len - at) n = f->stored_len - at;
    if (n)
      assert_int_equal(tb_input_feed(input, f->stored + at, n), TB_OK);
    else
      tb_input_feed_end(input);
    at += n;
  }
  assert_int_equal(f->read_len, PLAIN_BYTES);
  assert_memory_equal(f->read, f->plain, PLAIN_BYTES);
  assert_int_equal(tb_input_feed(input, "x", 1), TB_INVALID);
  tb_input_close(input);
}

static void what_was_peeked_at_is_read_again(void **state) {
  struct fixture *f = *state;
  for (size_t i = 0; i < 2; i++) {
    f->stored_len = 0;
    if (i)
      add_gzip(f, f->plain, PLAIN_BYTES);
    else
      add_plain(f, f->plain, PLAIN_BYTES);
    store(f);
    struct tb_input *input;
    const char *data;
    size_t got;
    assert_int_equal(tb_input_open(f->path, NULL, 2, &input, NULL), TB_OK);
    assert_int_equal(tb_input_peek(input, &data, 4096, &got, NULL), TB_OK);
    assert_int_equal(got, 4096);
    assert_memory_equal(data, f->plain, got);
    assert_int_equal(tb_input_can_rewind(input), i == 0);
    assert_int_equal(read_to_end(f, input, 5000), TB_END);
    assert_memory_equal(f->read, f->plain, PLAIN_BYTES);
    if (i == 0) {
      assert_int_equal(tb_input_rewind(input, NULL), TB_OK);
      assert_int_equal(read_to_end(f, input, 5000), TB_END);
      assert_int_equal(f->read_len, PLAIN_BYTES);
    }
    tb_input_close(input);
    assert_int_equal(unlink(f->path), 0);
  }
}

static void an_input_may_be_closed_before_its_end(void **state) {
  struct fixture *f = *state;
  f->stored_len = 0;
  add_gzip(f, f->plain, PLAIN_BYTES);
  store(f);
  for (unsigned threads = 1; threads <= 2; threads++) {
    struct tb_input *input;
    size_t got;
    assert_int_equal(tb_input_open(f->path, NULL, threads, &input, NULL), TB_OK);
    assert_int_equal(tb_input_read(input, f->read, 10, &got, NULL), TB_OK);
    tb_input_close(input);
  }
  assert_int_equal(unlink(f->path), 0);
}

/* Standard input is a pipe here that stays open: closing must not wait for it. */
static void a_pipe_is_read_in_a_thread_and_let_go(void **state) {
  struct fixture *f = *state;
  int fds[2], saved = dup(STDIN_FILENO);
  f->stored_len = 0;
  add_gzip(f, f->plain, 20000);
  assert_int_equal(pipe(fds), 0);
  assert_true(dup2(fds[0], STDIN_FILENO) == STDIN_FILENO);
  assert_int_equal(write(fds[1], f->stored, f->stored_len), (ssize_t)f->stored_len);
  for (unsigned threads = 1; threads <= 2; threads++) {
    struct tb_input *input;
    if (threads == 2) assert_int_equal(write(fds[1], f->stored, f->stored_len), (ssize_t)f->stored_len);
    assert_int_equal(tb_input_open("-", NULL, threads, &input, NULL), TB_OK);
    for (f->read_len = 0; f->read_len < 20000;) {
      size_t got = 0;
      assert_int_equal(tb_input_read(input, f->read + f->read_len, 20000 - f->read_len, &got, NULL), TB_OK);
      f->read_len += got;
    }
    assert_memory_equal(f->read, f->plain, f->read_len);
    assert_false(tb_input_can_rewind(input));
    tb_input_close(input);
  }
  assert_true(dup2(saved, STDIN_FILENO) == STDIN_FILENO);
  (void)close(saved);
  (void)close(fds[0]);
  (void)close(fds[1]);
}

/* Parts of one open file, plain and compressed, several at a time and none in the other's way. */
static void parts_of_a_file_are_inputs(void **state) {
  struct fixture *f = *state;
  enum { HALF = PLAIN_BYTES / 2, BEFORE = 100 };
  struct tb_input *plain, *packed;
  f->stored_len = 0;
  add_plain(f, f->plain, BEFORE + HALF);
  size_t packed_at = f->stored_len;
  add_gzip(f, f->plain, PLAIN_BYTES);
  size_t packed_end = f->stored_len;
  add_plain(f, f->plain, 1000);
  store(f);
  int fd = open(f->path, O_RDONLY | O_CLOEXEC);
  struct tb_input_place first = {.name = "first", .part = true, .fd = fd, .start = BEFORE, .len = HALF},
                        second = {.name = "second", .part = true, .fd = fd, .start = packed_at};
  second.len = packed_end - packed_at;
  for (unsigned threads = 1; threads <= 2; threads++) {
    size_t got = 0;
    assert_int_equal(tb_input_open_place(&first, NULL, threads, &plain, NULL), TB_OK);
    assert_int_equal(tb_input_open_place(&second, NULL, threads, &packed, NULL), TB_OK);
    assert_string_equal(tb_input_name(packed), "second");
    assert_int_equal(tb_input_size(plain), HALF);
    assert_int_equal(tb_input_read(plain, f->read, 10, &got, NULL), TB_OK);
    assert_int_equal(read_to_end(f, packed, 70000), TB_END);
    assert_int_equal(f->read_len, PLAIN_BYTES);
    assert_memory_equal(f->read, f->plain, PLAIN_BYTES);
    assert_false(tb_input_can_rewind(packed));
    assert_int_equal(tb_input_seek(plain, 7, NULL), TB_OK);
    assert_int_equal(read_to_end(f, plain, 70000), TB_END);
    assert_int_equal(f->read_len, HALF - 7);
    assert_memory_equal(f->read, f->plain + BEFORE + 7, HALF - 7);
    assert_int_equal(tb_input_seek(plain, HALF + 1, NULL), TB_OK);
    assert_int_equal(tb_input_read(plain, f->read, 10, &got, NULL), TB_END);
    tb_input_close(plain);
    tb_input_close(packed);
  }
  assert_int_equal(lseek(fd, 0, SEEK_CUR), 0); /* the file's own offset is left alone */
  assert_int_equal(close(fd) + unlink(f->path), 0);
}

/* What the shell opened has one offset for all who read it. */
static void reading_once_more_leaves_the_first_reading_alone(void **state) {
  struct fixture *f = *state;
  f->stored_len = 0;
  add_plain(f, f->plain, PLAIN_BYTES);
  store(f);
  int saved = dup(STDIN_FILENO), fd = open(f->path, O_RDONLY | O_CLOEXEC);
  assert_true(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
  const char *const names[] = {"-", f->path};
  for (size_t i = 0; i < 2; i++) {
    struct tb_input *input, *again;
    const char *data;
    size_t got;
    assert_int_equal(tb_input_open(names[i], NULL, 1, &input, NULL), TB_OK);
    assert_int_equal(tb_input_peek(input, &data, 4096, &got, NULL), TB_OK);
    assert_true(tb_input_can_rewind(input));
    assert_int_equal(tb_input_open_again(input, NULL, &again, NULL), TB_OK);
    assert_int_equal(read_to_end(f, again, 70000), TB_END);
    assert_int_equal(f->read_len, PLAIN_BYTES);
    tb_input_close(again);
    assert_int_equal(read_to_end(f, input, 70000), TB_END);
    assert_int_equal(f->read_len, PLAIN_BYTES);
    assert_memory_equal(f->read, f->plain, PLAIN_BYTES);
    tb_input_close(input);
  }
  assert_true(dup2(saved, STDIN_FILENO) == STDIN_FILENO);
  assert_int_equal(close(saved) + close(fd) + unlink(f->path), 0);
}

static void a_peek_without_memory_sees_no_byte(void **state) {
  (void)state;
  struct faults faults = {.at = SIZE_MAX};
  const struct tb_allocator allocator = faulty_allocator(&faults);
  struct tb_input *input;
  const char *data;
  size_t got = 12345;
  assert_int_equal(tb_input_open(TB_TEST_DATA "/text/small.textproto", &allocator, 1, &input, NULL), TB_OK);
  faults.at = faults.calls;
  assert_int_equal(tb_input_peek(input, &data, 4096, &got, NULL), TB_NO_MEMORY);
  assert_int_equal(got, 0);
  tb_input_close(input);
  assert_int_equal(faults.held, 0);
}

/* A pipe with compressed bytes, of which so many may be kept. */
static enum tb_status keep_of_pipe(struct fixture *f, uint64_t most, uint64_t *size) {
  int ends[2];
  char path[32];
  struct tb_input *input;
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], f->stored, f->stored_len), (ssize_t)f->stored_len);
  assert_int_equal(close(ends[1]), 0);
  assert_true(snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]) > 0);
  assert_int_equal(tb_input_open(path, NULL, 1, &input, NULL), TB_OK);
  assert_int_equal(close(ends[0]), 0);
  struct tb_error error = {0};
  enum tb_status status = tb_input_keep_within(&input, most, &error);
  if (status != TB_OK) assert_non_null(strstr(error.message, "unpacks to far more than its size"));
  *size = tb_input_size(input);
  tb_input_close(input);
  return status;
}

static void what_is_kept_to_be_read_again_has_a_bound(void **state) {
  enum { BYTES = 4 << 20 };
  struct fixture *f = *state;
  uint64_t size;
  char *zeros = calloc(1, BYTES);
  assert_non_null(zeros);
  f->stored_len = 0;
  add_gzip(f, zeros, BYTES);
  assert_true(f->stored_len * 256 < BYTES);
  assert_int_equal(keep_of_pipe(f, 1 << 20, &size), TB_LIMIT);
  assert_int_equal(keep_of_pipe(f, BYTES, &size), TB_OK);
  assert_int_equal(size, BYTES);
  f->stored_len = 0; /* what is far larger than the bound is kept where it was large before */
  add_gzip(f, f->plain, 10000);
  assert_int_equal(keep_of_pipe(f, 1000, &size), TB_OK);
  assert_int_equal(size, 10000);
  free(zeros);
}

static void what_cannot_be_opened_is_said(void **state) {
  (void)state;
  struct tb_input *input;
  struct tb_error error = {0};
  assert_int_equal(tb_input_open("/nonexistent/x", NULL, 1, &input, &error), TB_IO);
  assert_null(input);
  assert_int_equal(error.code, TB_IO);
  assert_int_not_equal(error.system_errno, 0);
  assert_string_equal(error.file, "/nonexistent/x");
  error = (struct tb_error){0};
  assert_int_equal(tb_input_open("/tmp", NULL, 1, &input, &error), TB_UNKNOWN_FORMAT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(plain_files_are_given_as_they_are),
      TEST(gzip_files_of_one_and_of_many_members_are_opened),
      TEST(zstd_files_of_one_and_of_many_frames_are_opened),
      TEST(zeros_behind_a_gzip_member_are_passed_over),
      TEST(a_cut_compressed_file_gives_what_came_before_the_cut),
      TEST(damaged_gzip_data_is_reported),
      TEST(fed_bytes_are_opened_whatever_their_pieces),
      TEST(what_was_peeked_at_is_read_again),
      TEST(an_input_may_be_closed_before_its_end),
      TEST(a_pipe_is_read_in_a_thread_and_let_go),
      TEST(parts_of_a_file_are_inputs),
      TEST(reading_once_more_leaves_the_first_reading_alone),
      TEST(a_peek_without_memory_sees_no_byte),
      TEST(what_is_kept_to_be_read_again_has_a_bound),
      TEST(what_cannot_be_opened_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
