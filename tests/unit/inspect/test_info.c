/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json/text.h"
#include "tracebridge/dump.h"
#include "tracebridge/info.h"

struct gathered {
  char text[32768];
  size_t len;
  bool refuse;
};

static bool gather(void *ctx, const char *text, size_t len) {
  struct gathered *to = ctx;
  if (to->refuse) return false;
  assert_true(len < sizeof(to->text) - to->len);
  memcpy(to->text + to->len, text, len);
  to->len += len;
  to->text[to->len] = '\0';
  return true;
}

static void info_counts_what_is_in_a_trace(void **state) {
  (void)state;
  struct tb_info *info;
  struct tb_error error = {0};
  assert_int_equal(tb_info_open(TB_TEST_DATA "/phases/be_pairs.json", NULL, &info, &error), TB_OK);
  assert_int_equal(info->format, TB_FORMAT_JSON);
  assert_int_equal(info->events, 10);
  assert_int_equal(info->events_by_type[TB_EVENT_SLICE_BEGIN], 5);
  assert_int_equal(info->process_count, 1);
  assert_int_equal(info->thread_count, 2);
  assert_int_equal(info->processes[0].pid, 7);
  assert_int_equal(info->processes[0].threads, 2);
  assert_int_equal(info->threads[0].events, 6);
  assert_int_equal(info->first_ts, 1000);
  assert_int_equal(info->last_ts, 9000);
  tb_info_close(info);
}

static void info_of_a_damaged_trace_is_partial_and_names_the_loss(void **state) {
  (void)state;
  struct tb_info *info;
  assert_int_equal(tb_info_open(TB_TEST_DATA "/damage/cut_in_event.json", NULL, &info, NULL), TB_PARTIAL);
  assert_int_equal(info->loss_count, 1);
  assert_int_equal(info->losses[0].count, 1);
  assert_int_equal(info->losses[0].first_offset, 59);
  tb_info_close(info);
}

static void info_of_what_is_no_trace_fails(void **state) {
  (void)state;
  struct tb_info *info;
  struct tb_error error = {0};
  assert_int_equal(tb_info_open(TB_TEST_DATA "/real/sum.c", NULL, &info, &error), TB_UNKNOWN_FORMAT);
  assert_null(info);
  assert_int_equal(error.code, TB_UNKNOWN_FORMAT);
  assert_string_equal(error.file, TB_TEST_DATA "/real/sum.c");
  error = (struct tb_error){0};
  assert_int_equal(tb_info_open(TB_TEST_DATA "/does-not-exist", NULL, &info, &error), TB_IO);
  tb_info_close(NULL);
}

static void info_as_json_is_json_for_all_kinds_of_traces(void **state) {
  (void)state;
  static const char *const files[] = {"/phases/args.json", "/phases/ids.json", "/damage/no_events.json",
                                      "/real/chromium-headless.json.gz", "/damage/bad_utf8.json"};
  static struct gathered text;
  for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
    char path[512];
    struct tb_info *info;
    strcpy(path, TB_TEST_DATA);
    strcat(path, files[i]);
    enum tb_status status = tb_info_open(path, NULL, &info, NULL);
    assert_true(status == TB_OK || status == TB_PARTIAL);
    text.len = 0;
    assert_int_equal(tb_info_json(info, gather, &text), TB_OK);
    assert_true(tb_json_is_valid((struct tb_str){text.text, text.len}, 8));
    tb_info_close(info);
  }
}

static void a_sink_that_stops_cancels(void **state) {
  (void)state;
  static struct gathered text = {.refuse = true};
  struct tb_info *info;
  assert_int_equal(tb_info_open(TB_TEST_DATA "/phases/args.json", NULL, &info, NULL), TB_OK);
  assert_int_equal(tb_info_text(info, gather, &text), TB_CANCELLED);
  assert_int_equal(tb_info_json(info, gather, &text), TB_CANCELLED);
  tb_info_close(info);
  assert_int_equal(tb_dump(TB_TEST_DATA "/phases/args.json", NULL, gather, &text, NULL, NULL, NULL), TB_CANCELLED);
}

static void dump_of_a_damaged_trace_prints_the_rest_and_names_the_loss(void **state) {
  (void)state;
  static struct gathered text;
  struct tb_loss losses[TB_DUMP_LOSSES];
  size_t count;
  enum tb_status status = tb_dump(TB_TEST_DATA "/damage/cut_in_event.json", NULL, gather, &text, losses, &count, NULL);
  assert_int_equal(status, TB_PARTIAL);
  assert_int_equal(count, 1);
  assert_int_equal(losses[0].first_offset, 59);
  assert_string_equal(text.text, "@1 slice complete ph=\"X\" ts=1000 dur=2000 pid=1 tid=1 name=\"first\"\n");
}

struct heap {
  size_t now, most;
};

static void *count(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct heap *heap = ctx;
  heap->now += new_size - old_size;
  if (heap->now > heap->most) heap->most = heap->now;
  if (new_size) return realloc(ptr, new_size);
  free(ptr);
  return NULL;
}

/* The most memory that info takes for a trace that describes its types and reads its clocks so many times. */
static size_t memory_of(int times) {
  static const char snapshot[] = "\x0a\x0e\x32\x0c\x0a\x04\x08\x03\x10\x05\x0a\x04\x08\x06\x10\x09";
  char path[] = "/tmp/tracebridge-test.XXXXXX", typed[8192];
  FILE *from = fopen(TB_TEST_TRACES "/typed.perfetto-trace", "rb"), *to = fdopen(mkstemp(path), "wb");
  assert_non_null(from);
  assert_non_null(to);
  size_t len = fread(typed, 1, sizeof(typed), from);
  assert_int_equal(fclose(from), 0);
  for (int i = 0; i < times; i++) {
    assert_int_equal(fwrite(typed, 1, len, to), len);
    assert_int_equal(fwrite(snapshot, 1, sizeof(snapshot) - 1, to), sizeof(snapshot) - 1);
  }
  assert_int_equal(fclose(to), 0);
  struct heap heap = {0};
  const struct tb_allocator allocator = {count, &heap};
  const struct tb_reader_options reader = {.size = sizeof(reader), .allocator = &allocator};
  const struct tb_info_options options = {.size = sizeof(options), .reader = &reader};
  struct tb_info *info;
  assert_int_equal(tb_info_open(path, &options, &info, NULL), TB_OK);
  assert_int_equal(info->events_by_type[TB_EVENT_CLOCK_SNAPSHOT], times);
  tb_info_close(info);
  assert_int_equal(heap.now, 0);
  assert_int_equal(unlink(path), 0);
  return heap.most;
}

static void what_a_trace_says_over_and_over_takes_memory_once(void **state) {
  (void)state;
  size_t some = memory_of(1000);
  assert_in_range(memory_of(10000), some, some + some / 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(info_counts_what_is_in_a_trace),
      cmocka_unit_test(info_of_a_damaged_trace_is_partial_and_names_the_loss),
      cmocka_unit_test(info_of_what_is_no_trace_fails),
      cmocka_unit_test(info_as_json_is_json_for_all_kinds_of_traces),
      cmocka_unit_test(what_a_trace_says_over_and_over_takes_memory_once),
      cmocka_unit_test(a_sink_that_stops_cancels),
      cmocka_unit_test(dump_of_a_damaged_trace_prints_the_rest_and_names_the_loss),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
