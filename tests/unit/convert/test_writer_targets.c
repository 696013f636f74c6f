/* SPDX-License-Identifier: Apache-2.0
 *
 * What a writer writes is the same wherever its bytes go; packets too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/source_shape.h"
#include "tracebridge/convert.h"
#include "tracebridge/packet.h"

#define TRACE TB_TEST_TRACES "/ftrace.perfetto-trace"

enum { MOST = 1 << 20 };

/* Bytes that a function of the test took. */
struct taken {
  char bytes[MOST];
  size_t len;
  size_t room; /* more is refused */
};

static bool take(void *ctx, const void *data, size_t len) {
  struct taken *taken = ctx;
  if (len > taken->room - taken->len) return false;
  memcpy(taken->bytes + taken->len, data, len);
  taken->len += len;
  return true;
}

static struct taken *new_taken(size_t room) {
  struct taken *taken = malloc(sizeof(*taken));
  assert_non_null(taken);
  taken->len = 0;
  taken->room = room;
  return taken;
}

/* Writes all events of the trace; the status of the first call that failed. */
static enum tb_status copy(struct tb_writer *writer) {
  struct tb_reader *reader;
  const struct tb_event *event;
  enum tb_status status;
  assert_int_equal(tb_reader_open(TRACE, &tb_source_shape, &reader, NULL), TB_OK);
  while ((status = tb_reader_next(reader, &event)) == TB_OK)
    if ((status = tb_writer_put(writer, event)) != TB_OK) break;
  tb_reader_close(reader);
  return status == TB_END ? tb_writer_finish(writer) : status;
}

static size_t read_file(const char *path, char *bytes) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t len = fread(bytes, 1, MOST, file);
  assert_int_equal(fclose(file), 0);
  assert_in_range(len, 1, MOST - 1);
  return len;
}

/* What a writer to a file of that name writes. */
static struct taken *expected(const char *name) {
  char folder[] = "/tmp/writer_targets.XXXXXX", path[128];
  struct taken *taken = new_taken(MOST);
  struct tb_writer *writer;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  assert_int_equal(tb_writer_open(path, NULL, &writer, NULL), TB_OK);
  assert_int_equal(copy(writer), TB_OK);
  assert_int_equal(tb_writer_bytes(writer).len, 0);
  tb_writer_close(writer);
  taken->len = read_file(path, taken->bytes);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
  return taken;
}

static void expect(const struct taken *file, struct tb_str bytes) {
  assert_int_equal(bytes.len, file->len);
  assert_memory_equal(bytes.ptr, file->bytes, file->len);
}

static const char *const names[] = {"a.perfetto-trace", "a.json", "a.fxt.zst"};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

static void a_writer_to_memory_has_the_bytes_of_a_file_once_it_has_finished(void **state) {
  (void)state;
  for (int i = 0; i < NAMES; i++) {
    struct taken *file = expected(names[i]);
    struct tb_writer *writer;
    assert_int_equal(tb_writer_open_memory(names[i], NULL, &writer, NULL), TB_OK);
    assert_int_equal(tb_writer_bytes(writer).len, 0);
    assert_int_equal(copy(writer), TB_OK);
    expect(file, tb_writer_bytes(writer));
    assert_int_equal(tb_writer_get_summary(writer)->bytes_written, file->len);
    tb_writer_close(writer);
    free(file);
  }
}

static void a_function_gets_the_bytes_of_a_file(void **state) {
  (void)state;
  for (unsigned i = 0; i < 2 * NAMES; i++) {
    struct taken *file = expected(names[i / 2]), *taken = new_taken(MOST);
    struct tb_writer_options options = {.size = sizeof(options), .threads = 1 + i % 2};
    struct tb_writer *writer;
    assert_int_equal(tb_writer_open_callback(names[i / 2], take, taken, &options, &writer, NULL), TB_OK);
    assert_int_equal(copy(writer), TB_OK);
    expect(file, (struct tb_str){taken->bytes, taken->len});
    tb_writer_close(writer);
    free(file);
    free(taken);
  }
}

static void a_function_that_fails_fails_the_writer(void **state) {
  (void)state;
  struct taken *taken = new_taken(100);
  struct tb_writer *writer;
  assert_int_equal(tb_writer_open_callback("small.json", take, taken, NULL, &writer, NULL), TB_OK);
  assert_int_equal(copy(writer), TB_IO);
  assert_string_equal(tb_writer_error(writer)->file, "small.json");
  assert_int_equal(tb_writer_finish(writer), TB_IO);
  tb_writer_close(writer);
  free(taken);
}

static void a_descriptor_gets_the_bytes_and_stays_open(void **state) {
  (void)state;
  char path[] = "/tmp/writer_targets.XXXXXX";
  struct taken *file = expected("a.json"), *taken = new_taken(MOST);
  struct tb_writer *writer;
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(tb_writer_open_descriptor("a.json", fd, NULL, &writer, NULL), TB_OK);
  assert_int_equal(copy(writer), TB_OK);
  tb_writer_close(writer);
  assert_int_equal(lseek(fd, 0, SEEK_CUR), file->len);
  assert_int_equal(close(fd), 0);
  taken->len = read_file(path, taken->bytes);
  expect(file, (struct tb_str){taken->bytes, taken->len});
  assert_int_equal(unlink(path), 0);
  free(file);
  free(taken);
}

static void nowhere_to_write_is_refused(void **state) {
  (void)state;
  struct tb_writer *writer;
  struct tb_packet_writer *packets;
  struct tb_error error = {0};
  assert_int_equal(tb_writer_open_callback("a.json", NULL, NULL, NULL, &writer, NULL), TB_INVALID);
  assert_null(writer);
  assert_int_equal(tb_writer_open_memory("a.unknown", NULL, &writer, NULL), TB_INVALID);
  assert_int_equal(tb_writer_open_memory(NULL, NULL, &writer, NULL), TB_INVALID);
  assert_int_equal(tb_writer_open_descriptor("a.json", -1, NULL, &writer, &error), TB_IO);
  assert_string_equal(error.file, "a.json");
  assert_int_equal(tb_packet_writer_open_callback("a", NULL, NULL, NULL, &packets, NULL), TB_INVALID);
  assert_int_equal(tb_packet_writer_open("/nonexistent/folder/a", NULL, &packets, NULL), TB_IO);
  assert_null(packets);
  assert_int_equal(tb_packet_writer_put(NULL, TB_STR("a")), TB_INVALID);
  assert_int_equal(tb_packet_writer_finish(NULL), TB_INVALID);
  assert_int_equal(tb_packet_writer_error(NULL)->code, TB_INVALID);
  tb_packet_writer_close(NULL);
  assert_int_equal(tb_writer_bytes(NULL).len, 0);
}

/* An event whose texts were never set has none of them in JSON: no empty scope, no empty category. */
static void a_text_that_was_not_given_is_not_written(void **state) {
  (void)state;
  struct tb_writer *writer;
  const struct tb_track track = {.type = TB_TRACK_THREAD, .has_tid = true, .tid = 2, .has_pid = true, .pid = 1};
  const struct tb_event event = {
      .type = TB_EVENT_SLICE_COMPLETE, .has = TB_HAS_TS | TB_HAS_DUR, .ts = 1000, .dur = 1000, .track = &track};
  assert_int_equal(tb_writer_open_memory("a.json", NULL, &writer, NULL), TB_OK);
  assert_int_equal(tb_writer_put(writer, &event), TB_OK);
  assert_int_equal(tb_writer_finish(writer), TB_OK);
  const struct tb_str bytes = tb_writer_bytes(writer);
  static const char line[] = "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":2}";
  assert_non_null(memmem(bytes.ptr, bytes.len, line, sizeof(line) - 1));
  tb_writer_close(writer);
}

/* ---- readers that know of their writer --------------------------------------------------------------------------- */

/* The events that tb_convert writes: packets to Perfetto, the kernel's events as text to JSON, as events to FXT. Tracks
 * come in another order: a writer describes those that users name. */
static void expect_events_of_a_conversion(const char *name) {
  char path[] = "/tmp/writer_targets.XXXXXX";
  const struct tb_writer_options target = {.size = sizeof(target), .format = tb_format_from_path(name)};
  const struct tb_convert_options convert = {.size = sizeof(convert), .writer = &target};
  struct tb_convert_report report = {.size = sizeof(report)};
  const struct tb_event *event;
  struct tb_reader *reader;
  struct tb_writer *writer;
  enum tb_status status;
  size_t losses;
  int fd = mkstemp(path);
  assert_true(fd >= 0 && close(fd) == 0);
  status = tb_convert(TRACE, path, &convert, &report, NULL);
  assert_true(status == TB_OK || status == TB_PARTIAL);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(tb_reader_open(TRACE, &tb_source_shape, &reader, NULL), TB_OK);
  const struct tb_writer_options options = {.size = sizeof(options), .source = tb_reader_format(reader)};
  assert_int_equal(tb_writer_open_memory(name, &options, &writer, NULL), TB_OK);
  assert_int_equal(tb_reader_set_target(reader, writer), TB_OK);
  while ((status = tb_reader_next(reader, &event)) == TB_OK)
    if (tb_writer_put(writer, event) != TB_OK) fail_msg("%s: %s", name, tb_writer_error(writer)->message);
  assert_int_equal(status, TB_END);
  assert_int_equal(tb_reader_set_target(reader, writer), TB_INVALID);
  assert_int_equal(tb_writer_finish(writer), TB_OK);
  const struct tb_writer_summary *summary = tb_writer_get_summary(writer);
  for (size_t type = 0; type < TB_EVENT_TYPE_COUNT; type++)
    if (type != TB_EVENT_TRACK) assert_int_equal(summary->events_by_type[type], report.summary.events_by_type[type]);
  assert_int_equal(summary->ftrace_events, report.summary.ftrace_events);
  (void)tb_writer_losses(writer, &losses);
  assert_int_equal(losses, report.loss_count - report.reader_loss_count);
  tb_writer_close(writer);
  tb_reader_close(reader);
}

static void a_reader_that_knows_its_writer_gives_what_a_conversion_writes(void **state) {
  (void)state;
  for (int i = 0; i < NAMES; i++) expect_events_of_a_conversion(names[i]);
}

static void a_reader_of_the_one_shape_has_no_target(void **state) {
  (void)state;
  struct tb_reader *reader;
  struct tb_writer *writer;
  assert_int_equal(tb_reader_open(TRACE, NULL, &reader, NULL), TB_OK);
  assert_int_equal(tb_writer_open_memory("a.json", NULL, &writer, NULL), TB_OK);
  assert_int_equal(tb_reader_set_target(reader, writer), TB_INVALID);
  assert_int_equal(tb_reader_set_target(NULL, writer), TB_INVALID);
  assert_int_equal(tb_reader_set_target(reader, NULL), TB_INVALID);
  tb_writer_close(writer);
  tb_reader_close(reader);
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static void packets_that_are_read_and_written_are_the_same_file(void **state) {
  (void)state;
  struct taken *file = new_taken(MOST), *taken = new_taken(MOST);
  struct tb_packet_reader *reader;
  struct tb_packet_writer *writer;
  const struct tb_packet *packet;
  file->len = read_file(TRACE, file->bytes);
  assert_int_equal(tb_packet_reader_open(TRACE, NULL, &reader, NULL), TB_OK);
  assert_int_equal(tb_packet_writer_open_callback("a", take, taken, NULL, &writer, NULL), TB_OK);
  while (tb_packet_next(reader, &packet) == TB_OK) assert_int_equal(tb_packet_writer_put(writer, packet->bytes), TB_OK);
  assert_int_equal(tb_packet_writer_put(writer, (struct tb_str){NULL, 1}), TB_INVALID);
  assert_int_equal(tb_packet_writer_finish(writer), TB_OK);
  assert_int_equal(tb_packet_writer_finish(writer), TB_INVALID);
  assert_int_equal(tb_packet_writer_put(writer, TB_STR("")), TB_INVALID);
  assert_int_equal(tb_packet_writer_error(writer)->code, TB_OK);
  expect(file, (struct tb_str){taken->bytes, taken->len});
  tb_packet_writer_close(writer);
  tb_packet_reader_close(reader);
  free(file);
  free(taken);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_writer_to_memory_has_the_bytes_of_a_file_once_it_has_finished),
      cmocka_unit_test(a_function_gets_the_bytes_of_a_file),
      cmocka_unit_test(a_function_that_fails_fails_the_writer),
      cmocka_unit_test(a_descriptor_gets_the_bytes_and_stays_open),
      cmocka_unit_test(nowhere_to_write_is_refused),
      cmocka_unit_test(a_text_that_was_not_given_is_not_written),
      cmocka_unit_test(a_reader_that_knows_its_writer_gives_what_a_conversion_writes),
      cmocka_unit_test(a_reader_of_the_one_shape_has_no_target),
      cmocka_unit_test(packets_that_are_read_and_written_are_the_same_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
