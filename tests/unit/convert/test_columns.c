/* SPDX-License-Identifier: Apache-2.0
 *
 * Events as columns: what each row has, texts by number, batches that outlive what made them, and memory that is short.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tracebridge/columns.h"

#define EVENTS                                                                                                   \
  "[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":5,\"name\":\"a\",\"cat\":\"c\",\"args\":{\"n\":-3,\"s\":" \
  "\"text\",\"in\":{\"list\":[true,2.5]},\"none\":null}},"                                                       \
  "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":2,\"s\":\"t\",\"name\":\"b\"},"                                      \
  "{\"ph\":\"C\",\"pid\":1,\"ts\":3,\"name\":\"load\",\"args\":{\"x\":7}},"                                      \
  "{\"ph\":\"X\",\"pid\":1,\"tid\":3,\"ts\":4,\"dur\":1,\"name\":\"a\",\"tts\":9,\"tdur\":1}]"

static struct tb_reader *open_events(const struct tb_allocator *allocator) {
  /* no rows for tracks */
  const uint64_t types = 1ULL << TB_EVENT_SLICE_COMPLETE | 1ULL << TB_EVENT_INSTANT | 1ULL << TB_EVENT_COUNTER;
  const struct tb_reader_options options = {.size = sizeof(options), .event_types = types, .allocator = allocator};
  struct tb_reader *reader;
  if (tb_reader_open_memory("events", EVENTS, strlen(EVENTS), &options, &reader, NULL) != TB_OK) return NULL;
  return reader;
}

static void assert_text(const struct tb_columns *columns, uint32_t text, const char *want) {
  struct tb_str has = tb_columns_text(columns, text);
  assert_int_equal(has.len, strlen(want));
  assert_memory_equal(has.ptr, want, has.len);
}

static void each_member_is_a_column(void **state) {
  (void)state;
  struct tb_reader *reader = open_events(NULL);
  struct tb_columns *columns;
  struct tb_column_batch *batch, *none;
  assert_int_equal(tb_columns_open(reader, NULL, &columns, NULL), TB_OK);
  assert_int_equal(tb_columns_next(columns, &batch), TB_OK);
  assert_int_equal(batch->count, 4);
  const uint8_t types[] = {TB_EVENT_SLICE_COMPLETE, TB_EVENT_INSTANT, TB_EVENT_COUNTER, TB_EVENT_SLICE_COMPLETE};
  const int64_t ts[] = {1000, 2000, 3000, 4000}, dur[] = {5000, TB_NO_TIME, TB_NO_TIME, 1000};
  const int64_t thread_ts[] = {TB_NO_TIME, TB_NO_TIME, TB_NO_TIME, 9000};
  const uint64_t slices[] = {1, 2, 0, 3};
  assert_memory_equal(batch->type, types, sizeof(types));
  assert_memory_equal(batch->ts, ts, sizeof(ts));
  assert_memory_equal(batch->dur, dur, sizeof(dur));
  assert_memory_equal(batch->thread_ts, thread_ts, sizeof(thread_ts));
  assert_memory_equal(batch->slice_id, slices, sizeof(slices));
  assert_text(columns, batch->name[0], "a");
  assert_text(columns, batch->name[1], "b");
  assert_int_equal(batch->name[0], batch->name[3]);
  assert_int_equal(batch->name[2], 0); /* a counter's name is its track's */
  assert_text(columns, batch->categories[0], "c");
  assert_int_equal(batch->categories[1], 0);
  assert_true(isnan(batch->value[0]));
  assert_true(batch->value[2] == 7);
  const struct tb_track *counter = tb_reader_track(reader, batch->track[2]);
  assert_int_equal(counter->type, TB_TRACK_COUNTER);
  assert_memory_equal(counter->name.ptr, "load x", counter->name.len);
  assert_int_equal(tb_reader_track(reader, batch->track[3])->tid, 3);
  assert_null(batch->arg_end);
  assert_int_equal((uintptr_t)batch->ts % 64, 0);
  assert_int_equal(tb_columns_next(columns, &none), TB_END);
  assert_null(none);
  assert_int_equal(tb_columns_text_count(columns), 4);
  assert_int_equal(tb_columns_text(columns, 4).len, 0);
  tb_columns_close(columns);
  tb_reader_close(reader);
  assert_memory_equal(batch->ts, ts, sizeof(ts)); /* it is the caller's */
  tb_column_batch_free(batch);
}

static void arguments_are_rows_by_their_path(void **state) {
  (void)state;
  const struct tb_columns_options options = {.size = sizeof(options), .rows = 1, .columns = TB_COLUMN_ARG};
  struct tb_reader *reader = open_events(NULL);
  struct tb_columns *columns;
  struct tb_column_batch *batch;
  assert_int_equal(tb_columns_open(reader, &options, &columns, NULL), TB_OK);
  assert_int_equal(tb_columns_next(columns, &batch), TB_OK);
  assert_null(batch->ts);
  assert_int_equal(batch->count, 1);
  assert_int_equal(batch->arg_count, 5);
  assert_int_equal(batch->arg_end[0], 5);
  const char *const keys[] = {"n", "s", "in.list[0]", "in.list[1]", "none"};
  for (size_t i = 0; i < 5; i++) assert_text(columns, batch->arg_key[i], keys[i]);
  assert_int_equal(batch->arg_int[0], -3);
  assert_true(batch->arg_double[0] == -3);
  assert_text(columns, batch->arg_text[1], "text");
  assert_int_equal(batch->arg_type[2], TB_ARG_BOOL);
  assert_int_equal(batch->arg_int[2], 1);
  assert_true(batch->arg_double[3] == 2.5);
  assert_int_equal(batch->arg_type[4], TB_ARG_NULL);
  const int64_t *first = batch->arg_int;
  tb_column_batch_free(batch);
  assert_int_equal(tb_columns_next(columns, &batch), TB_OK); /* the instant, in the same memory */
  assert_ptr_equal(batch->arg_int, first);
  assert_int_equal(batch->arg_end[0], 0);
  tb_column_batch_free(batch);
  tb_columns_close(columns);
  tb_reader_close(reader);
}

static void what_is_wrong_is_invalid(void **state) {
  (void)state;
  struct tb_reader *reader = open_events(NULL), *raw;
  struct tb_columns *columns;
  struct tb_column_batch *batch;
  struct tb_error error = {0};
  assert_int_equal(tb_columns_open(NULL, NULL, &columns, &error), TB_INVALID);
  assert_int_equal(tb_columns_open(reader, NULL, NULL, NULL), TB_INVALID);
  struct tb_columns_options options = {0};
  assert_int_equal(tb_columns_open(reader, &options, &columns, NULL), TB_INVALID);
  options = (struct tb_columns_options){.size = sizeof(options), .columns = TB_COLUMN_ALL + 1};
  assert_int_equal(tb_columns_open(reader, &options, &columns, NULL), TB_INVALID);
  assert_null(columns);
  const struct tb_reader_options source = {.size = sizeof(source), .shape = TB_SHAPE_SOURCE};
  assert_int_equal(tb_reader_open_memory("events", EVENTS, strlen(EVENTS), &source, &raw, NULL), TB_OK);
  assert_int_equal(tb_columns_open(raw, NULL, &columns, NULL), TB_INVALID);
  assert_int_equal(tb_columns_next(NULL, &batch), TB_INVALID);
  assert_null(batch);
  tb_column_batch_free(NULL);
  tb_columns_close(NULL);
  assert_int_equal(tb_columns_text(NULL, 1).len, 0);
  tb_reader_close(raw);
  tb_reader_close(reader);
}

struct failing {
  size_t calls, fails_at;
  size_t bytes;
};

static void *allocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct failing *failing = ctx;
  if (new_size && ++failing->calls == failing->fails_at) return NULL;
  failing->bytes += new_size - old_size;
  if (new_size) return realloc(ptr, new_size);
  free(ptr);
  return NULL;
}

/* Whichever call gets no memory: it is said, or all rows are there; and nothing leaks. */
static void memory_that_is_short_is_said(void **state) {
  (void)state;
  for (size_t at = 1, clean = 0; !clean; at++) {
    struct failing failing = {.fails_at = at};
    const struct tb_allocator allocator = {allocate, &failing};
    const struct tb_columns_options options = {.size = sizeof(options), .columns = TB_COLUMN_ALL};
    struct tb_reader *reader = open_events(&allocator);
    struct tb_columns *columns = NULL;
    struct tb_column_batch *batch;
    enum tb_status status = reader ? tb_columns_open(reader, &options, &columns, NULL) : TB_NO_MEMORY;
    size_t rows = 0;
    while (status == TB_OK && (status = tb_columns_next(columns, &batch)) == TB_OK) {
      rows += batch->count;
      tb_column_batch_free(batch);
    }
    assert_true(status == TB_NO_MEMORY || (status == TB_END && rows == 4));
    tb_columns_close(columns);
    tb_reader_close(reader);
    assert_int_equal(failing.bytes, 0);
    clean = failing.calls < at;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_member_is_a_column),
      cmocka_unit_test(arguments_are_rows_by_their_path),
      cmocka_unit_test(what_is_wrong_is_invalid),
      cmocka_unit_test(memory_that_is_short_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
