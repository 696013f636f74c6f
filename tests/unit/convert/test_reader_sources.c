/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace is the same wherever its bytes come from, and however many events a caller takes at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/event_text.h"

#define PATH TB_TEST_TRACES "/ftrace.perfetto-trace"

static void put_all(struct tb_reader *reader, struct tb_buffer *out) {
  const struct tb_event *event;
  enum tb_status status;
  tb_buffer_init(out, tb_default_allocator(), 0);
  while ((status = tb_reader_next(reader, &event)) == TB_OK) tb_event_text(out, event);
  assert_int_equal(status, TB_END);
  assert_int_equal(tb_buffer_append(out, "", 1), TB_OK);
  tb_reader_close(reader);
}

static void expect_same(struct tb_reader *reader) {
  struct tb_reader *file;
  struct tb_buffer expected, out;
  assert_int_equal(tb_reader_open(PATH, NULL, &file, NULL), TB_OK);
  put_all(file, &expected);
  put_all(reader, &out);
  assert_string_equal(out.data, expected.data);
  tb_buffer_free(&expected);
  tb_buffer_free(&out);
}

static char *read_file(size_t *len) {
  FILE *file = fopen(PATH, "rb");
  assert_non_null(file);
  char *data = malloc(1 << 20);
  assert_non_null(data);
  *len = fread(data, 1, 1 << 20, file);
  assert_true(*len > 0);
  assert_int_equal(fclose(file), 0);
  return data;
}

static void a_trace_in_memory_is_the_same(void **state) {
  (void)state;
  size_t len;
  char *data = read_file(&len);
  struct tb_reader *reader;
  assert_int_equal(tb_reader_open_memory("bytes", data, len, NULL, &reader, NULL), TB_OK);
  expect_same(reader);
  free(data);
}

static void a_descriptor_is_read_from_its_offset_and_stays_open(void **state) {
  (void)state;
  int fd = open(PATH, O_RDONLY | O_CLOEXEC);
  struct tb_reader *reader;
  assert_true(fd >= 0);
  assert_int_equal(tb_reader_open_descriptor("a descriptor", fd, NULL, &reader, NULL), TB_OK);
  expect_same(reader);
  assert_true(lseek(fd, 0, SEEK_CUR) > 0);
  assert_int_equal(close(fd), 0);
}

struct bytes {
  const char *data;
  size_t len;
  ptrdiff_t fails; /* what it returns at the end */
};

static ptrdiff_t read_seven(void *ctx, void *to, size_t capacity) {
  struct bytes *bytes = ctx;
  size_t len = bytes->len < 7 ? bytes->len : 7;
  if (len > capacity) len = capacity;
  if (!len) return bytes->fails;
  memcpy(to, bytes->data, len);
  bytes->data += len;
  bytes->len -= len;
  return (ptrdiff_t)len;
}

static void what_a_function_reads_is_the_same_and_its_failure_is_an_error(void **state) {
  (void)state;
  size_t len;
  char *data = read_file(&len);
  struct bytes bytes = {data, len, 0};
  struct tb_reader *reader;
  assert_int_equal(tb_reader_open_callback("sevens", read_seven, &bytes, NULL, &reader, NULL), TB_OK);
  expect_same(reader);
  bytes = (struct bytes){data, len, -1}; /* within what is looked at to find the format */
  struct tb_error error = {0};
  assert_int_equal(tb_reader_open_callback("sevens", read_seven, &bytes, NULL, &reader, &error), TB_IO);
  assert_null(reader);
  assert_string_equal(error.file, "sevens");
  free(data);
}

static void nothing_to_read_from_is_refused(void **state) {
  (void)state;
  struct tb_reader *reader;
  struct tb_error error = {0};
  assert_int_equal(tb_reader_open_callback("none", NULL, NULL, NULL, &reader, NULL), TB_INVALID);
  assert_null(reader);
  assert_int_equal(tb_reader_open_memory("none", NULL, 1, NULL, &reader, NULL), TB_INVALID);
  assert_int_equal(tb_reader_open_memory(NULL, "x", 1, NULL, &reader, NULL), TB_INVALID);
  assert_int_equal(tb_reader_open_memory("no trace", "x", 1, NULL, &reader, &error), TB_UNKNOWN_FORMAT);
  assert_string_equal(error.file, "no trace");
  assert_int_equal(tb_reader_open_descriptor("closed", -1, NULL, &reader, NULL), TB_IO);
}

static void events_in_batches_are_the_events_one_by_one(void **state) {
  (void)state;
  for (int shaped = 0; shaped < 2; shaped++) {
    struct tb_reader_options options = {.size = sizeof(options), .sorted = shaped};
    struct tb_reader *single, *batched;
    struct tb_buffer expected, out;
    const struct tb_event *events[3];
    size_t count;
    enum tb_status status;
    assert_int_equal(tb_reader_open(PATH, &options, &single, NULL), TB_OK);
    put_all(single, &expected);
    tb_buffer_init(&out, tb_default_allocator(), 0);
    assert_int_equal(tb_reader_open(PATH, &options, &batched, NULL), TB_OK);
    assert_int_equal(tb_reader_next_batch(batched, events, 0, &count), TB_INVALID);
    while ((status = tb_reader_next_batch(batched, events, 3, &count)) == TB_OK) {
      assert_in_range(count, 1, 3);
      for (size_t i = 0; i < count; i++) tb_event_text(&out, events[i]);
    }
    assert_int_equal(status, TB_END);
    assert_int_equal(count, 0);
    assert_int_equal(tb_buffer_append(&out, "", 1), TB_OK);
    assert_string_equal(out.data, expected.data);
    assert_true(!shaped == !tb_reader_track(batched, 0));
    tb_buffer_free(&expected);
    tb_buffer_free(&out);
    tb_reader_close(batched);
  }
}

static void types_that_are_not_asked_for_do_not_come(void **state) {
  (void)state;
  for (int shaped = 0; shaped < 2; shaped++) {
    struct tb_reader_options options = {
        .size = sizeof(options), .sorted = shaped, .event_types = 1ULL << TB_EVENT_COUNTER | 1ULL << TB_EVENT_INSTANT};
    struct tb_reader *reader;
    const struct tb_event *event;
    size_t count = 0;
    assert_int_equal(tb_reader_open(PATH, &options, &reader, NULL), TB_OK);
    for (; tb_reader_next(reader, &event) == TB_OK; count++)
      assert_true(event->type == TB_EVENT_COUNTER || event->type == TB_EVENT_INSTANT);
    assert_true(count > 0);
    tb_reader_close(reader);
    options.event_types = 1ULL << TB_EVENT_TYPE_COUNT;
    assert_int_equal(tb_reader_open(PATH, &options, &reader, NULL), TB_INVALID);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_trace_in_memory_is_the_same),
      cmocka_unit_test(a_descriptor_is_read_from_its_offset_and_stays_open),
      cmocka_unit_test(what_a_function_reads_is_the_same_and_its_failure_is_an_error),
      cmocka_unit_test(nothing_to_read_from_is_refused),
      cmocka_unit_test(events_in_batches_are_the_events_one_by_one),
      cmocka_unit_test(types_that_are_not_asked_for_do_not_come),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
