/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports that callers of another version of the library made: shorter ones, longer ones, ones whose size was never
 * set.
 */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracebridge/filter.h"
#include "tracebridge/redact.h"
#include "tracebridge/repair.h"
#include "tracebridge/split.h"
#include "tracebridge/trim.h"

#define INPUT TB_TEST_DATA "/phases/args.json"

enum { CANARY = 0x5a, BYTES = 32 * 1024, SIZE = sizeof(size_t), AS_OLD = SIZE + 2 * sizeof(uint64_t) };

static unsigned char report[BYTES], before[BYTES];

/* What was allocated and not freed. */
static void *reallocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  *(size_t *)ctx += new_size - old_size;
  if (new_size) return realloc(ptr, new_size);
  free(ptr);
  return NULL;
}
static size_t held;
static const struct tb_allocator counting = {reallocate, &held};

static const struct tb_writer_options writer = {.size = sizeof(writer), .format = TB_FORMAT_JSON};

static enum tb_status convert(void *to) {
  const struct tb_convert_options options = {.size = sizeof(options), .writer = &writer, .threads = 1};
  return tb_convert(INPUT, "/dev/null", &options, to, NULL);
}
static enum tb_status redact(void *to) {
  const struct tb_redact_options options = {.size = sizeof(options), .writer = &writer};
  return tb_redact(INPUT, "/dev/null", &options, to, NULL);
}
static enum tb_status trim(void *to) {
  const struct tb_trim_options options = {.size = sizeof(options), .allocator = &counting, .shift_ns = 1, .threads = 1};
  return tb_trim(INPUT, "/dev/null", &options, to, NULL);
}
static enum tb_status filter(void *to) {
  const struct tb_filter_options options = {.size = sizeof(options), .allocator = &counting, .worker_threads = 1};
  return tb_filter(INPUT, "/dev/null", &options, to, NULL);
}
static enum tb_status repair(void *to) {
  const struct tb_repair_options options = {.size = sizeof(options), .allocator = &counting, .threads = 1};
  return tb_repair(INPUT, "/dev/null", &options, to, NULL);
}

static char folder[] = "/tmp/tb-reports-XXXXXX";

static enum tb_status split(void *to) {
  const struct tb_split_options options = {
      .size = sizeof(options), .allocator = &counting, .force = true, .threads = 1};
  return tb_split(INPUT, folder, &options, to, NULL);
}

static void free_nothing(void *made) { (void)made; }
static void free_trim(void *made) { tb_trim_report_free(made); }
static void free_filter(void *made) { tb_filter_report_free(made); }
static void free_repair(void *made) { tb_repair_report_free(made); }
static void free_split(void *made) { tb_split_report_free(made); }

static const struct call {
  enum tb_status (*make)(void *report);
  void (*free)(void *report);
  size_t size;
} calls[] = {
    {convert, free_nothing, sizeof(struct tb_convert_report)}, {redact, free_nothing, sizeof(struct tb_redact_report)},
    {trim, free_trim, sizeof(struct tb_trim_report)},          {filter, free_filter, sizeof(struct tb_filter_report)},
    {repair, free_repair, sizeof(struct tb_repair_report)},    {split, free_split, sizeof(struct tb_split_report)}};
enum { CALLS = sizeof(calls) / sizeof(calls[0]) };

static void spoil(size_t size) {
  memset(report, CANARY, BYTES);
  memcpy(report, &size, SIZE);
  memcpy(before, report, BYTES);
}

static void assert_kept_from(size_t from) { assert_int_equal(memcmp(report + from, before + from, BYTES - from), 0); }

static void a_size_of_no_version_is_refused(void **state) {
  (void)state;
  const size_t sizes[] = {0, 1, SIZE, SIZE_MAX, (size_t)1 << 40};
  for (size_t i = 0; i < CALLS; i++)
    for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
      spoil(sizes[j]);
      assert_int_equal(calls[i].make(report), TB_INVALID);
      calls[i].free(report);
      assert_kept_from(0);
    }
}

static void an_older_caller_gets_what_it_has_room_for(void **state) {
  (void)state;
  for (size_t i = 0; i < CALLS; i++) {
    spoil(AS_OLD);
    assert_int_equal(calls[i].make(report), TB_OK);
    calls[i].free(report);
    assert_kept_from(AS_OLD);
    assert_memory_not_equal(report + SIZE, before + SIZE, AS_OLD - SIZE);
    assert_memory_equal(report, before, SIZE);
    assert_int_equal(held, 0);
  }
}

static void what_a_newer_caller_knows_stays_as_it_was(void **state) {
  (void)state;
  for (size_t i = 0; i < CALLS; i++) {
    spoil(calls[i].size + 64);
    assert_int_equal(calls[i].make(report), TB_OK);
    calls[i].free(report);
    assert_kept_from(calls[i].size);
    assert_memory_not_equal(report + SIZE, before + SIZE, AS_OLD - SIZE);
    assert_int_equal(held, 0);
  }
}

/* Parts are freed with the last member: who has no room for it gets none. */
static void parts_are_given_with_what_frees_them(void **state) {
  (void)state;
  const size_t size = offsetof(struct tb_split_report, merge);
  struct tb_split_report made = {.size = size};
  assert_int_equal(split(&made), TB_OK);
  assert_true(made.packets_in > 0);
  assert_int_equal(made.part_count, 0);
  assert_null(made.parts);
  assert_int_equal(held, 0);
  made.size = sizeof(made);
  assert_int_equal(split(&made), TB_OK);
  assert_true(made.part_count > 0 && made.merge && held);
  assert_string_equal(made.parts[0].name, "rest.json");
  tb_split_report_free(&made);
  assert_true(!made.part_count && !made.parts && !made.merge);
  assert_int_equal(held, 0);
}

/* The room for what a later version adds is empty, in what this one gives and takes. */
static void what_is_reserved_is_null(void **state) {
  (void)state;
  struct tb_merge_input input = {.path = INPUT};
  input.reserved[1] = &input;
  assert_int_equal(tb_merge(&input, 1, "/dev/null", NULL, NULL, NULL), TB_INVALID);
  struct tb_reader *reader;
  const struct tb_event *event;
  assert_int_equal(tb_reader_open(INPUT, NULL, &reader, NULL), TB_OK);
  enum tb_status status;
  while ((status = tb_reader_next(reader, &event)) == TB_OK) {
    assert_null(event->reserved);
    if (event->track) assert_null(tb_track_get_details(event->track)->reserved);
  }
  assert_int_equal(status, TB_END);
  tb_reader_close(reader);
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  DIR *parts = opendir(folder);
  for (const struct dirent *part; parts && (part = readdir(parts));) (void)unlinkat(dirfd(parts), part->d_name, 0);
  if (parts) (void)closedir(parts);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_size_of_no_version_is_refused),
      cmocka_unit_test(an_older_caller_gets_what_it_has_room_for),
      cmocka_unit_test(what_a_newer_caller_knows_stays_as_it_was),
      cmocka_unit_test(parts_are_given_with_what_frees_them),
      cmocka_unit_test(what_is_reserved_is_null),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
