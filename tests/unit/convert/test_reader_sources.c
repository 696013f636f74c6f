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
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/event_text.h"
#include "support/whole_file.h"

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

static void a_trace_in_memory_is_the_same(void **state) {
  (void)state;
  size_t len;
  char *data = read_file(PATH, &len);
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
  char *data = read_file(PATH, &len);
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
    struct tb_reader_options options = {
        .size = sizeof(options), .shape = shaped ? TB_SHAPE_ONE : TB_SHAPE_SOURCE, .sorted = shaped};
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
    struct tb_reader_options options = {.size = sizeof(options),
                                        .shape = shaped ? TB_SHAPE_ONE : TB_SHAPE_SOURCE,
                                        .sorted = shaped,
                                        .event_types = 1ULL << TB_EVENT_COUNTER | 1ULL << TB_EVENT_INSTANT};
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

/* ---- going back -------------------------------------------------------------------------------------------------- */

static void expect_all_of_it_again(struct tb_reader *reader) {
  const struct tb_event *event;
  size_t count = 0, lost, lost_again;
  uint64_t offset = TB_NO_OFFSET; /* which tracks of the one shape's own making have */
  for (; tb_reader_next(reader, &event) == TB_OK; count++)
    if (count >= 20 && offset == TB_NO_OFFSET) offset = event->offset;
  assert_true(count > 30);
  (void)tb_reader_losses(reader, &lost);
  for (int i = 0; i < 2; i++) {
    size_t again = 0;
    assert_int_equal(tb_reader_rewind(reader), TB_OK);
    while (tb_reader_next(reader, &event) == TB_OK) again++;
    assert_int_equal(again, count);
    (void)tb_reader_losses(reader, &lost_again);
    assert_int_equal(lost_again, lost);
  }
  assert_int_equal(tb_reader_seek(reader, offset), TB_OK);
  assert_int_equal(tb_reader_next(reader, &event), TB_OK);
  assert_int_equal(event->offset, offset);
  assert_int_equal(tb_reader_seek(reader, TB_NO_OFFSET), TB_INVALID);
  assert_int_equal(tb_reader_seek(reader, TB_NO_OFFSET - 1), TB_END);
  assert_int_equal(tb_reader_next(reader, &event), TB_END);
}

static void a_reader_goes_back_to_its_start_and_to_an_offset(void **state) {
  (void)state;
  size_t len;
  char *data = read_file(PATH, &len);
  for (int shape = 0; shape < 3; shape++) {
    struct tb_reader_options options = {
        .size = sizeof(options), .shape = shape ? TB_SHAPE_ONE : TB_SHAPE_SOURCE, .sorted = shape == 2, .threads = 2};
    struct tb_reader *reader;
    assert_int_equal(tb_reader_open(PATH, &options, &reader, NULL), TB_OK);
    expect_all_of_it_again(reader);
    tb_reader_close(reader);
    assert_int_equal(tb_reader_open_memory("bytes", data, len, &options, &reader, NULL), TB_OK);
    expect_all_of_it_again(reader);
    tb_reader_close(reader);
    int fd = open(PATH, O_RDONLY | O_CLOEXEC);
    assert_int_equal(tb_reader_open_descriptor("a descriptor", fd, &options, &reader, NULL), TB_OK);
    expect_all_of_it_again(reader);
    tb_reader_close(reader);
    assert_int_equal(close(fd), 0);
  }
  free(data);
}

static void what_can_be_read_once_only_goes_on_where_it_is(void **state) {
  (void)state;
  size_t len, count = 0;
  char *data = read_file(PATH, &len);
  struct bytes bytes = {data, len, 0};
  struct tb_reader *reader;
  const struct tb_event *event;
  assert_int_equal(tb_reader_open_callback("sevens", read_seven, &bytes, NULL, &reader, NULL), TB_OK);
  for (; tb_reader_next(reader, &event) == TB_OK; count++)
    if (count == 3) assert_int_equal(tb_reader_rewind(reader), TB_UNSUPPORTED);
  assert_true(count > 30);
  tb_reader_close(reader);
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "[]", 2), 2);
  assert_int_equal(close(ends[1]), 0);
  assert_int_equal(tb_reader_open_descriptor("a pipe", ends[0], NULL, &reader, NULL), TB_OK);
  assert_int_equal(tb_reader_rewind(reader), TB_UNSUPPORTED);
  assert_int_equal(tb_reader_seek(reader, 0), TB_UNSUPPORTED);
  assert_int_equal(tb_reader_next(reader, &event), TB_END);
  assert_int_equal(tb_reader_rewind(NULL), TB_INVALID);
  tb_reader_close(reader);
  assert_int_equal(close(ends[0]), 0);
  free(data);
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

struct asked {
  uint64_t times, bytes, size;
  uint64_t enough; /* times */
};

static bool ask(void *ctx, uint64_t bytes, uint64_t size) {
  struct asked *asked = ctx;
  assert_true(bytes >= asked->bytes);
  asked->bytes = bytes;
  asked->size = size;
  return ++asked->times < asked->enough;
}

/* Sorted, no event comes before all are read: progress does. */
static void reading_may_be_cancelled(void **state) {
  (void)state;
  struct asked asked = {.enough = 1000};
  struct tb_reader_options options = {.size = sizeof(options), .sorted = true, .progress = ask, .progress_ctx = &asked};
  struct tb_reader *reader;
  const struct tb_event *event;
  assert_int_equal(tb_reader_open(TB_TEST_DATA "/real/clang-time-trace.json", &options, &reader, NULL), TB_OK);
  assert_int_equal(tb_reader_next(reader, &event), TB_OK);
  assert_true(asked.times > 1);
  assert_int_equal(asked.bytes, asked.size);
  assert_int_equal(tb_reader_rewind(reader), TB_OK);
  asked = (struct asked){.enough = 2};
  assert_int_equal(tb_reader_next(reader, &event), TB_CANCELLED);
  assert_int_equal(asked.times, 2);
  assert_int_equal(tb_reader_next(reader, &event), TB_CANCELLED);
  assert_int_equal(tb_reader_error(reader)->code, TB_CANCELLED);
  tb_reader_close(reader);
}

/* ---- processes, threads, clocks ---------------------------------------------------------------------------------- */

static void processes_and_threads_are_found_by_their_ids(void **state) {
  (void)state;
  static const char events[] =
      "[{\"ph\":\"i\",\"pid\":7,\"tid\":8,\"ts\":1,\"name\":\"a\"},"
      "{\"ph\":\"i\",\"pid\":9,\"tid\":10,\"ts\":2,\"name\":\"b\"}]";
  struct tb_reader *reader;
  const struct tb_event *event;
  const struct tb_track *track = NULL;
  size_t processes = 0;
  assert_int_equal(tb_reader_open_memory("a", events, sizeof(events) - 1, NULL, &reader, NULL), TB_OK);
  assert_null(tb_reader_process(reader, 7));
  while (tb_reader_next(reader, &event) == TB_OK) {
  }
  for (; (track = tb_reader_next_track(reader, track, TB_TRACK_PROCESS)); processes++)
    assert_int_equal(track->pid, processes ? 9 : 7);
  assert_int_equal(processes, 2);
  assert_int_equal(tb_reader_process(reader, 9)->pid, 9);
  assert_int_equal(tb_reader_thread(reader, 8)->pid, 7);
  assert_null(tb_reader_thread(reader, 7));
  assert_null(tb_reader_next_track(NULL, NULL, TB_TRACK_THREAD));
  tb_reader_close(reader);
}

/* {trace clock, another} as the snapshots of the trace have them, and a time just behind. */
static void times_go_to_other_clocks_and_back_by_the_snapshots_of_the_trace(void **state) {
  (void)state;
  struct tb_reader *reader;
  const struct tb_event *event;
  int64_t trace_ns = 0, other_ns = 0, ns;
  uint32_t other = 0;
  assert_int_equal(tb_reader_open(TB_TEST_TRACES "/clocks.perfetto-trace", NULL, &reader, NULL), TB_OK);
  assert_int_equal(tb_reader_to_clock(reader, 0, TB_CLOCK_REALTIME, &ns), TB_UNSUPPORTED);
  while (tb_reader_next(reader, &event) == TB_OK)
    if (event->type == TB_EVENT_CLOCK_SNAPSHOT && !event->track && event->clock_count > 1) {
      trace_ns = event->clocks[0].ns;
      other = event->clocks[1].clock;
      other_ns = event->clocks[1].ns;
    }
  assert_true(other != 0);
  assert_int_equal(tb_reader_to_clock(reader, trace_ns + 5, other, &ns), TB_OK);
  assert_int_equal(ns, other_ns + 5);
  assert_int_equal(tb_reader_from_clock(reader, other, other_ns + 7, &ns), TB_OK);
  assert_int_equal(ns, trace_ns + 7);
  assert_int_equal(tb_reader_to_clock(reader, 1, 12345, &ns), TB_UNSUPPORTED);
  assert_int_equal(tb_reader_to_clock(reader, 1, other, NULL), TB_INVALID);
  assert_int_equal(tb_reader_from_clock(NULL, other, 1, &ns), TB_INVALID);
  tb_reader_close(reader);
}

/* A koid of 64 bits is the thread's number; written as Perfetto, and read again, a narrow one. */
static void koids_are_the_numbers_of_threads(void **state) {
  (void)state;
  struct tb_reader *reader;
  const struct tb_event *event;
  const struct tb_track *track = NULL;
  size_t wide = 0;
  assert_int_equal(tb_reader_open(TB_TEST_TRACES "/fxt/koids.fxt", NULL, &reader, NULL), TB_OK);
  while (tb_reader_next(reader, &event) == TB_OK) {
  }
  while ((track = tb_reader_next_track(reader, track, TB_TRACK_THREAD))) {
    char digits[32];
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, (uint64_t)track->tid);
    if (!tb_track_get_details(track)->tid_text.len) continue;
    assert_int_equal(tb_track_get_details(track)->tid_text.len, len);
    assert_memory_equal(tb_track_get_details(track)->tid_text.ptr, digits, (size_t)len);
    wide += track->tid > INT32_MAX || track->tid < INT32_MIN;
  }
  assert_true(wide > 0);
  tb_reader_close(reader);
}

/* How many events of the types of the set a file has. */
static size_t count_events(const char *path, const struct tb_reader_options *options, uint64_t types) {
  struct tb_reader *reader;
  const struct tb_event *event;
  enum tb_status status;
  size_t count = 0;
  assert_int_equal(tb_reader_open(path, options, &reader, NULL), TB_OK);
  while ((status = tb_reader_next(reader, &event)) == TB_OK) count += types >> event->type & 1;
  assert_int_equal(status, TB_END);
  tb_reader_close(reader);
  return count;
}

/* Events of the one shape of a trace that is fed in pieces of `step` bytes. */
static void feed_all(const char *data, size_t len, size_t step, struct tb_buffer *out) {
  const struct tb_reader_options options = {.size = sizeof(options)};
  struct tb_reader *reader;
  const struct tb_event *event;
  enum tb_status status;
  tb_buffer_init(out, tb_default_allocator(), 0);
  assert_int_equal(tb_reader_create_feed("fed", &options, &reader, NULL), TB_OK);
  for (size_t at = 0; at <= len; at += step) {
    if (at < len) assert_int_equal(tb_reader_feed(reader, data + at, len - at < step ? len - at : step), TB_OK);
    if (at + step >= len) tb_reader_feed_end(reader);
    while ((status = tb_reader_next(reader, &event)) == TB_OK) tb_event_text(out, event);
    assert_int_equal(status, at + step >= len ? TB_END : TB_AGAIN);
    if (status == TB_END) break;
  }
  assert_int_equal(tb_buffer_append(out, "", 1), TB_OK);
  tb_reader_close(reader);
}

static void lines_of_ftrace_are_the_events_that_they_say(void **state) {
  (void)state;
  static const char *const paths[] = {TB_TEST_DATA "/ftrace/small.ftrace",
                                      TB_TEST_DATA "/phases/system_trace_events.json"};
  const uint64_t text = UINT64_C(1) << TB_EVENT_SYSTEM_TRACE, states = UINT64_C(1) << TB_EVENT_THREAD_STATE;
  const uint64_t counters = UINT64_C(1) << TB_EVENT_COUNTER, begins = UINT64_C(1) << TB_EVENT_SLICE_BEGIN;
  const struct tb_reader_options source = {.size = sizeof(source), .shape = TB_SHAPE_SOURCE};
  const struct tb_reader_options sorted = {.size = sizeof(sorted), .sorted = true};
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(count_events(paths[i], NULL, text), 0);
    assert_int_not_equal(count_events(paths[i], &source, text), 0);
    assert_int_equal(count_events(paths[i], &source, states), 0);
    assert_int_not_equal(count_events(paths[i], NULL, states), 0);
    assert_int_not_equal(count_events(paths[i], NULL, counters), 0);
    assert_int_equal(count_events(paths[i], NULL, begins), count_events(paths[i], &sorted, begins));
    size_t len;
    char *data = read_file(paths[i], &len);
    struct tb_buffer whole, pieces;
    feed_all(data, len, len, &whole);
    feed_all(data, len, 7, &pieces);
    assert_string_equal(whole.data, pieces.data);
    tb_buffer_free(&whole);
    tb_buffer_free(&pieces);
    free(data);
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
      cmocka_unit_test(a_reader_goes_back_to_its_start_and_to_an_offset),
      cmocka_unit_test(what_can_be_read_once_only_goes_on_where_it_is),
      cmocka_unit_test(reading_may_be_cancelled),
      cmocka_unit_test(processes_and_threads_are_found_by_their_ids),
      cmocka_unit_test(times_go_to_other_clocks_and_back_by_the_snapshots_of_the_trace),
      cmocka_unit_test(koids_are_the_numbers_of_threads),
      cmocka_unit_test(lines_of_ftrace_are_the_events_that_they_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
