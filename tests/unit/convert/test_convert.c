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

#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "tracebridge/convert.h"

enum { EVENTS = 20000 };

struct progress {
  unsigned calls, stop_at;
  uint64_t bytes, size;
  bool went_back;
};

static bool note(void *ctx, uint64_t bytes, uint64_t size) {
  struct progress *progress = ctx;
  if (bytes < progress->bytes) progress->went_back = true;
  progress->bytes = bytes;
  progress->size = size;
  return ++progress->calls != progress->stop_at;
}

static char directory[] = "/tmp/test_convert.XXXXXX";
static char input[64], output[64];

/* The order in which slices come. */
enum order { IN_ORDER, REVERSED, IN_ORDER_OF_ENDS };

static void write_slice(FILE *file, int ts, int dur, int number) {
  fprintf(file, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"name\":\"n\",\"args\":{\"i\":%d}},\n", ts,
          dur, number);
}

static void write_input(enum order order) {
  FILE *file = fopen(input, "w");
  assert_non_null(file);
  fputs("[", file);
  for (int i = 0; i < EVENTS; i++) {
    int ts = 1000000 + (order == REVERSED ? -4 : 4) * (order == IN_ORDER_OF_ENDS ? i / 2 : i);
    if (order != IN_ORDER_OF_ENDS)
      write_slice(file, ts, 1, i);
    else if (i % 2)
      write_slice(file, ts, 3, i); /* the parent of the one before */
    else
      write_slice(file, ts + 1, 1, i);
  }
  fputs("{}]", file);
  assert_int_equal(fclose(file), 0);
}

static enum tb_status convert(struct progress *progress) {
  const struct tb_convert_options options = {
      .size = sizeof(options), .threads = 1, .on_write_progress = note, .progress_ctx = progress};
  return tb_convert(input, output, &options, NULL, NULL);
}

static void check_progress(enum order order) {
  struct progress progress = {.calls = 0};
  write_input(order);
  assert_int_equal(convert(&progress), TB_OK);
  assert_true(progress.calls > 2);
  assert_false(progress.went_back);
  assert_true(progress.bytes > 0 && progress.bytes <= progress.size);
  assert_int_equal(access(output, F_OK), 0);
  assert_int_equal(unlink(output), 0);
}

static void writing_a_streamed_sequence_reports_its_progress(void **state) {
  (void)state;
  check_progress(IN_ORDER);
}

static void writing_what_is_sorted_reports_its_progress(void **state) {
  (void)state;
  check_progress(REVERSED);
}

static void writing_slices_that_came_at_their_end_reports_its_progress(void **state) {
  (void)state;
  check_progress(IN_ORDER_OF_ENDS);
}

static void writing_that_is_cancelled_leaves_no_output(void **state) {
  (void)state;
  for (enum order order = IN_ORDER; order <= IN_ORDER_OF_ENDS; order++) {
    struct progress progress = {.stop_at = 2};
    write_input(order);
    assert_int_equal(convert(&progress), TB_CANCELLED);
    assert_int_equal(progress.calls, 2);
    assert_int_not_equal(access(output, F_OK), 0);
  }
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

enum { THREADS = 8, LONG_EVERY = 7000, LONG = 150000, RENAME_EVERY = 900, PACKET_MOST = LONG + 200 };
enum { DESCRIPTOR_UUID = 1, DESCRIPTOR_THREAD = 4, THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23, TYPE_INSTANT = 3, SEQUENCE = 10 };

static void put_packet(FILE *file, const char *fields, const char *end) {
  char head[32],
      *at = tb_wire_put_varint(tb_wire_put_tag(head, TB_TRACE_PACKET, TB_WIRE_BYTES), (size_t)(end - fields));
  assert_int_equal(fwrite(head, 1, (size_t)(at - head), file), at - head);
  assert_int_equal(fwrite(fields, 1, (size_t)(end - fields), file), end - fields);
}

static void put_thread(FILE *file, unsigned number, int version) {
  char thread[100], descriptor[200], packet[300], name[40];
  int len = snprintf(name, sizeof(name), "thread %u for the %dth time", number, version);
  char *at = tb_wire_put_uint(tb_wire_put_uint(thread, THREAD_PID, 1), THREAD_TID, 10 + number);
  at = tb_wire_put_bytes(at, THREAD_NAME, name, (size_t)len);
  char *to = tb_wire_put_uint(descriptor, DESCRIPTOR_UUID, 100 + number);
  to = tb_wire_put_bytes(to, DESCRIPTOR_THREAD, thread, (size_t)(at - thread));
  at = tb_wire_put_uint(packet, SEQUENCE, 1);
  at = tb_wire_put_bytes(at, TB_TRACE_PACKET_TRACK_DESCRIPTOR, descriptor, (size_t)(to - descriptor));
  put_packet(file, packet, at);
}

/* Instants of threads that are described anew again and again, some with names that are longer than any buffer. */
static void write_packets(void) {
  static char name[LONG], event[PACKET_MOST], packet[PACKET_MOST];
  FILE *file = fopen(input, "wb");
  assert_non_null(file);
  memset(name, 'n', sizeof(name));
  for (int i = 0; i < EVENTS; i++) {
    unsigned number = (unsigned)i % THREADS;
    if (i % RENAME_EVERY == 0) put_thread(file, number, i);
    char *to = tb_wire_put_uint(tb_wire_put_uint(event, EVENT_TYPE, TYPE_INSTANT), EVENT_TRACK, 100 + number);
    to = tb_wire_put_bytes(to, EVENT_NAME, name, i % LONG_EVERY ? 1 + (size_t)i % 50 : LONG);
    char *at = tb_wire_put_uint(packet, TB_TRACE_PACKET_TIMESTAMP, 1000 + 2 * (uint64_t)i);
    at = tb_wire_put_uint(at, SEQUENCE, 1);
    at = tb_wire_put_bytes(at, TB_TRACE_PACKET_TRACK_EVENT, event, (size_t)(to - event));
    put_packet(file, packet, at);
  }
  assert_int_equal(fclose(file), 0);
}

/* The output that `threads` threads make of the input; its length. */
static char *convert_with(unsigned threads, const char *to, size_t *len) {
  struct tb_convert_options options = {.size = sizeof(options), .threads = threads};
  struct tb_convert_report report = {.size = sizeof(report)};
  enum tb_status status = tb_convert(input, to, &options, &report, NULL);
  assert_int_equal(status, report.to == TB_FORMAT_FXT ? TB_PARTIAL : TB_OK); /* which has no texts so long */
  assert_int_equal(report.summary.events_by_type[TB_EVENT_INSTANT], EVENTS);
  FILE *file = fopen(to, "rb");
  assert_non_null(file);
  *len = (size_t)report.summary.bytes_written;
  char *bytes = malloc(*len + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *len + 1, file), *len);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(unlink(to), 0);
  return bytes;
}

static void any_number_of_threads_writes_the_same_bytes(void **state) {
  (void)state;
  static const char *const names[] = {"out.json", "out.fxt", "out.perfetto-trace"};
  write_packets();
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    char to[64];
    size_t len, len_threads;
    snprintf(to, sizeof(to), "%s/%s", directory, names[i]);
    char *alone = convert_with(1, to, &len), *threads = convert_with(2, to, &len_threads);
    assert_int_equal(len, len_threads);
    assert_memory_equal(alone, threads, len);
    for (int version = 0; i == 0 && version < EVENTS; version += RENAME_EVERY) {
      char name[40];
      snprintf(name, sizeof(name), "for the %dth time\"", version);
      assert_non_null(memmem(alone, len, name, strlen(name)));
    }
    free(alone);
    free(threads);
  }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

enum { LARGE_EVENTS = 2100, LARGE_TEXT = 40000 }; /* together more than a writer holds where nobody says */

static void write_large_events(void) {
  static char text[LARGE_TEXT + 1];
  FILE *file = fopen(input, "w");
  assert_non_null(file);
  memset(text, 't', LARGE_TEXT);
  fputs("[", file);
  for (int i = 0; i < LARGE_EVENTS; i++)
    fprintf(file, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"name\":\"n\",\"args\":{\"s\":\"%d%s\"}},\n",
            i, i, text);
  fputs("{}]", file);
  assert_int_equal(fclose(file), 0);
}

static void without_a_temporary_file_all_is_held_unless_the_user_set_a_budget(void **state) {
  (void)state;
  struct tb_writer_options writer = {.size = sizeof(writer)};
  const struct tb_convert_options options = {.size = sizeof(options), .writer = &writer, .threads = 1};
  struct tb_convert_report report = {.size = sizeof(report)};
  struct tb_error error = {0};
  write_large_events();
  assert_int_equal(tb_convert(input, output, &options, &report, NULL), TB_OK);
  assert_true(report.summary.spilled_bytes > 0);
  uint64_t len = report.summary.bytes_written;
  writer.temporary_directory = "/nowhere";
  assert_int_equal(tb_convert(input, output, &options, &report, NULL), TB_OK);
  assert_int_equal(report.summary.spilled_bytes, 0);
  assert_int_equal(report.summary.bytes_written, len);
  assert_int_equal(unlink(output), 0);
  writer.memory_budget = 1 << 20;
  assert_int_equal(tb_convert(input, output, &options, &report, &error), TB_IO);
  assert_non_null(strstr(error.message, "/nowhere"));
  assert_int_not_equal(access(output, F_OK), 0);
}

int main(void) {
  if (!mkdtemp(directory)) return 1;
  snprintf(input, sizeof(input), "%s/in.json", directory);
  snprintf(output, sizeof(output), "%s/out.perfetto-trace", directory);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writing_a_streamed_sequence_reports_its_progress),
      cmocka_unit_test(writing_slices_that_came_at_their_end_reports_its_progress),
      cmocka_unit_test(writing_what_is_sorted_reports_its_progress),
      cmocka_unit_test(writing_that_is_cancelled_leaves_no_output),
      cmocka_unit_test(any_number_of_threads_writes_the_same_bytes),
      cmocka_unit_test(without_a_temporary_file_all_is_held_unless_the_user_set_a_budget)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(input);
  rmdir(directory);
  return failed;
}
