/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memory converting takes: a number of bytes for each track, in every direction, and for slices that never end no
 * more than the budget, with the same slices in the output.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/source_shape.h"
#include "tracebridge/convert.h"
#include "tracebridge/reader.h"

/* Maps have the same capacity, for each track, at both numbers. */
enum { FEW = 5000, MANY = 20000, ENDLESS = 60000, NESTED = 20000, MEMORY = 1 << 20 };

static char directory[] = "/tmp/test_track_memory.XXXXXX";
static char json[64], fxt[64], perfetto[64], output[64];

/* ---- counted memory ---------------------------------------------------------------------------------------------- */

struct counter {
  size_t now, peak;
};

static void *reallocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct counter *counter = ctx;
  counter->now += new_size - old_size;
  if (counter->now > counter->peak) counter->peak = counter->now;
  if (new_size) return realloc(ptr, new_size);
  free(ptr);
  return NULL;
}

/* The most bytes that converting takes. */
static size_t convert(const char *from, const char *to, size_t memory) {
  struct counter counter = {0};
  struct tb_allocator allocator = {reallocate, &counter};
  const struct tb_reader_options reader = {.size = sizeof(reader), .allocator = &allocator};
  const struct tb_writer_options writer = {.size = sizeof(writer), .allocator = &allocator, .memory_budget = memory};
  const struct tb_convert_options options = {
      .size = sizeof(options), .reader = &reader, .writer = &writer, .threads = 1};
  assert_int_equal(tb_convert(from, to, &options, NULL, NULL), TB_OK);
  assert_int_equal(counter.now, 0);
  return counter.peak;
}

/* ---- traces ------------------------------------------------------------------------------------------------------ */

/* One slice on each of `count` threads. */
static void write_threads(int count) {
  FILE *file = fopen(json, "w");
  assert_non_null(file);
  fputc('[', file);
  for (int i = 0; i < count; i++)
    fprintf(file, "%s{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":5,\"name\":\"n\"}", i ? ",\n" : "", i + 2,
            10 * i);
  fputs("]\n", file);
  assert_int_equal(fclose(file), 0);
  (void)convert(json, fxt, 0);
  (void)convert(json, perfetto, 0);
}

/* `count` slices of one thread, each in the one before, `ended` of which end. */
static void write_nested(int count, int ended) {
  FILE *file = fopen(json, "w");
  assert_non_null(file);
  fputc('[', file);
  for (int i = 0; i < count; i++)
    fprintf(file, "%s{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":%d,\"name\":\"slice number %d\"}", i ? ",\n" : "", i, i);
  for (int i = 0; i < ended; i++) fprintf(file, ",\n{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":%d}", 10 * count + i);
  fputs("]\n", file);
  assert_int_equal(fclose(file), 0);
  (void)convert(json, fxt, 0);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void check_track(const char *from, const char *to, size_t most) {
  write_threads(FEW);
  size_t few = convert(from, to, MEMORY);
  write_threads(MANY);
  size_t a_track = (convert(from, to, MEMORY) - few) / (MANY - FEW);
  print_message("%s to %s: %zu bytes a track\n", strrchr(from, '.'), strrchr(to, '.'), a_track);
  assert_in_range(a_track, 1, most);
}

static void a_track_takes_few_bytes(void **state) {
  (void)state;
  static char to_json[80], to_fxt[80], to_perfetto[80];
  (void)snprintf(to_json, sizeof(to_json), "%s.json", output);
  (void)snprintf(to_fxt, sizeof(to_fxt), "%s.fxt", output);
  (void)snprintf(to_perfetto, sizeof(to_perfetto), "%s.pftrace", output);
  check_track(json, to_perfetto, 480);
  check_track(json, to_fxt, 480);
  check_track(fxt, to_perfetto, 600);
  check_track(fxt, to_json, 600);
  check_track(perfetto, to_json, 4000);
  check_track(perfetto, to_fxt, 4000);
  (void)unlink(to_json);
  (void)unlink(to_fxt);
  (void)unlink(to_perfetto);
}

static void slices_that_never_end_take_no_more_than_the_budget(void **state) {
  (void)state;
  write_nested(ENDLESS, 0);
  static char to_json[80];
  (void)snprintf(to_json, sizeof(to_json), "%s.json", output);
  size_t bounded = convert(fxt, to_json, MEMORY), for_all = convert(fxt, to_json, (size_t)1 << 30);
  print_message("%d slices: %zu bytes, %zu with memory for all\n", ENDLESS, bounded, for_all);
  assert_true(for_all > 8 * MEMORY);
  assert_true(bounded < for_all - 4 * MEMORY);
  (void)unlink(to_json);
}

/* ---- the slices of a trace --------------------------------------------------------------------------------------- */

struct slices {
  uint64_t count, ends, sum; /* sum: over names and times of begins and ends */
};

static void take_end(struct slices *slices, int64_t ts) {
  slices->ends++;
  slices->sum += (uint64_t)ts * 31;
}

static struct slices read_slices(const char *path) {
  struct slices slices = {0};
  struct tb_reader *reader;
  const struct tb_event *event;
  assert_int_equal(tb_reader_open(path, &tb_source_shape, &reader, NULL), TB_OK);
  while (tb_reader_next(reader, &event) == TB_OK) {
    if (event->type == TB_EVENT_SLICE_BEGIN || event->type == TB_EVENT_SLICE_COMPLETE) {
      slices.count++;
      slices.sum += (uint64_t)event->ts * 17;
      for (size_t i = 0; i < event->name.len; i++) slices.sum += (uint64_t)(unsigned char)event->name.ptr[i] << i % 32;
    }
    if (event->type == TB_EVENT_SLICE_COMPLETE) take_end(&slices, event->ts + event->dur);
    if (event->type == TB_EVENT_SLICE_END) take_end(&slices, event->ts);
  }
  tb_reader_close(reader);
  return slices;
}

static void check_slices(const char *to) {
  char path[80];
  (void)snprintf(path, sizeof(path), "%s%s", output, to);
  (void)convert(fxt, path, (size_t)1 << 30);
  struct slices for_all = read_slices(path);
  (void)convert(fxt, path, MEMORY);
  struct slices bounded = read_slices(path);
  assert_int_equal(for_all.count, NESTED);
  assert_int_equal(bounded.count, for_all.count);
  assert_int_equal(bounded.ends, for_all.ends);
  assert_int_equal(bounded.sum, for_all.sum);
  (void)unlink(path);
}

static void with_little_memory_all_slices_are_there(void **state) {
  (void)state;
  write_nested(NESTED, NESTED);
  check_slices(".json");
  check_slices(".fxt");
}

static int set_up(void **state) {
  (void)state;
  if (!mkdtemp(directory)) return -1;
  (void)snprintf(json, sizeof(json), "%s/input.json", directory);
  (void)snprintf(fxt, sizeof(fxt), "%s/input.fxt", directory);
  (void)snprintf(perfetto, sizeof(perfetto), "%s/input.pftrace", directory);
  (void)snprintf(output, sizeof(output), "%s/output", directory);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  (void)unlink(json);
  (void)unlink(fxt);
  (void)unlink(perfetto);
  return rmdir(directory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_track_takes_few_bytes),
      cmocka_unit_test(slices_that_never_end_take_no_more_than_the_budget),
      cmocka_unit_test(with_little_memory_all_slices_are_there),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
