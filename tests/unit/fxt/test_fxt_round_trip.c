/* SPDX-License-Identifier: Apache-2.0
 *
 * FXT through the reader and the writer and back: the records mean the same, one by one.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "support/fxt_builder.h"
#include "support/source_shape.h"
#include "tracebridge/convert.h"

static struct fxt_builder b;
static char from[64], to[64];

static int start(void **state) {
  (void)state;
  snprintf(from, sizeof(from), "/tmp/test_fxt_round_trip.%ld.in.fxt", (long)getpid());
  snprintf(to, sizeof(to), "/tmp/test_fxt_round_trip.%ld.out.fxt", (long)getpid());
  b.count = 0;
  fxt_magic(&b);
  return 0;
}

static int stop(void **state) {
  (void)state;
  (void)unlink(from);
  (void)unlink(to);
  return 0;
}

static bool same_args(const struct tb_arg *x, const struct tb_arg *y, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (x[i].type != y[i].type || x[i].width != y[i].width || x[i].flags != y[i].flags || x[i].span != y[i].span)
      return false;
    bool is_text = x[i].type == TB_ARG_STRING || x[i].type == TB_ARG_BLOB;
    if (!tb_str_equal(x[i].name, y[i].name)) return false;
    if (is_text ? !tb_str_equal(x[i].text, y[i].text) : x[i].type != TB_ARG_DICT && x[i].u != y[i].u) return false;
  }
  return true;
}

static void expect_same_track(const struct tb_track *x, const struct tb_track *y) {
  assert_int_equal(!x, !y);
  if (!x) return;
  assert_int_equal(x->type, y->type);
  assert_int_equal(x->pid, y->pid);
  assert_int_equal(x->tid, y->tid);
  assert_true(tb_str_equal(x->name, y->name));
  assert_true(tb_str_equal(tb_track_get_details(x)->pid_text, tb_track_get_details(y)->pid_text));
  assert_true(tb_str_equal(tb_track_get_details(x)->tid_text, tb_track_get_details(y)->tid_text));
}

static void expect_same_event(const struct tb_event *x, const struct tb_event *y) {
  assert_int_equal(x->type, y->type);
  assert_int_equal(x->has, y->has);
  assert_int_equal(x->ts, y->ts);
  assert_int_equal(x->dur, y->dur);
  assert_true(tb_str_equal(x->name, y->name));
  assert_true(tb_str_equal(x->categories, y->categories));
  assert_int_equal(x->id.value, y->id.value);
  assert_int_equal(x->task_state, y->task_state);
  assert_int_equal(x->priority, y->priority);
  assert_int_equal(x->cpu, y->cpu);
  assert_int_equal(x->blob_type, y->blob_type);
  assert_true(tb_str_equal(x->blob, y->blob));
  expect_same_track(x->track, y->track);
  expect_same_track(x->thread, y->thread);
  assert_int_equal(x->extra_count, y->extra_count);
  assert_true(same_args(x->extra, y->extra, x->extra_count));
  assert_int_equal(x->arg_count, y->arg_count);
  assert_true(same_args(x->args, y->args, x->arg_count));
}

/* Converts what was built, and compares event by event; names of tracks may come earlier, for the writer knows them. */
static void expect_same(void) {
  FILE *file = fopen(from, "wb");
  assert_int_equal(fwrite(b.words, 8, b.count, file), b.count);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(tb_convert(from, to, NULL, NULL, NULL), TB_OK);
  struct tb_reader *x, *y;
  assert_int_equal(tb_reader_open(from, &tb_source_shape, &x, NULL), TB_OK);
  assert_int_equal(tb_reader_open(to, &tb_source_shape, &y, NULL), TB_OK);
  const struct tb_event *ex, *ey;
  for (;;) {
    enum tb_status sx, sy;
    do sx = tb_reader_next(x, &ex);
    while (sx == TB_OK && ex->type == TB_EVENT_TRACK);
    do sy = tb_reader_next(y, &ey);
    while (sy == TB_OK && ey->type == TB_EVENT_TRACK);
    assert_int_equal(sx, sy);
    if (sx != TB_OK) break;
    expect_same_event(ex, ey);
  }
  tb_reader_close(x);
  tb_reader_close(y);
}

static void put_all_arguments(void) {
  fxt_arg(&b, TB_FXT_ARG_NULL, 2, fxt_inline("null"), 0), fxt_text(&b, "null");
  fxt_arg(&b, TB_FXT_ARG_INT32, 1, 0, (uint32_t)INT32_MIN);
  fxt_arg(&b, TB_FXT_ARG_UINT32, 1, 0, UINT32_MAX);
  fxt_arg(&b, TB_FXT_ARG_INT64, 2, 0, 0), fxt_word(&b, 5);
  fxt_arg(&b, TB_FXT_ARG_INT64, 2, 0, 0), fxt_word(&b, (uint64_t)INT64_MIN);
  fxt_arg(&b, TB_FXT_ARG_UINT64, 2, 0, 0), fxt_word(&b, 5);
  fxt_arg(&b, TB_FXT_ARG_UINT64, 2, 0, 0), fxt_word(&b, UINT64_MAX);
  fxt_arg(&b, TB_FXT_ARG_DOUBLE, 2, 0, 0), fxt_word(&b, UINT64_C(0x7ff8000000000001));
  fxt_arg(&b, TB_FXT_ARG_STRING, 3, fxt_inline("s"), fxt_inline("text")), fxt_text(&b, "s"), fxt_text(&b, "text");
  fxt_arg(&b, TB_FXT_ARG_STRING, 1, 0, 0);
  fxt_arg(&b, TB_FXT_ARG_POINTER, 2, 0, 0), fxt_word(&b, UINT64_MAX);
  fxt_arg(&b, TB_FXT_ARG_KOID, 2, 0, 0), fxt_word(&b, UINT64_C(1) << 63 | 9);
  fxt_arg(&b, TB_FXT_ARG_BOOL, 1, 0, 1);
  fxt_arg(&b, TB_FXT_ARG_BOOL, 1, 0, 0);
  fxt_arg(&b, TB_FXT_ARG_BLOB, 2, 0, 5), fxt_stream(&b,
                                                    "a\0\xff"
                                                    "bc",
                                                    5);
}

static void every_event_and_argument_type_survives(void **state) {
  (void)state;
  fxt_provider(&b, 5, "source");
  fxt_init(&b, 1000000000);
  static const unsigned order[] = {TB_FXT_INSTANT,   TB_FXT_DURATION_COMPLETE, TB_FXT_ASYNC_BEGIN, TB_FXT_ASYNC_INSTANT,
                                   TB_FXT_ASYNC_END, TB_FXT_FLOW_BEGIN,        TB_FXT_FLOW_STEP,   TB_FXT_FLOW_END};
  for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
    fxt_event(&b, order[i], 15, 0, fxt_inline("category"), fxt_inline("name"), 100 + i);
    fxt_word(&b, UINT64_C(0x8000000000000001)), fxt_word(&b, UINT64_C(0xc000000000000001));
    fxt_text(&b, "category"), fxt_text(&b, "name");
    put_all_arguments();
    if (order[i] != TB_FXT_INSTANT) fxt_word(&b, UINT64_C(1) << 62);
    fxt_end(&b);
  }
  expect_same();
}

static void begins_and_ends_survive_with_their_arguments(void **state) {
  (void)state;
  fxt_thread(&b, 1, 7, 8);
  for (unsigned i = 0; i < 2; i++) { /* at one time: they stay begins */
    fxt_event(&b, TB_FXT_DURATION_BEGIN, 1, 1, 0, fxt_inline("slice"), 10), fxt_text(&b, "slice");
    fxt_arg(&b, TB_FXT_ARG_INT32, 1, 0, i), fxt_end(&b);
  }
  fxt_event(&b, TB_FXT_INSTANT, 0, 1, 0, 0, 10), fxt_end(&b);
  for (unsigned i = 0; i < 2; i++) {
    fxt_event(&b, TB_FXT_DURATION_END, 1, 1, 0, 0, 20);
    fxt_arg(&b, TB_FXT_ARG_INT32, 1, 0, 10 + i), fxt_end(&b);
  }
  expect_same();
}

static void counters_survive_as_one_record(void **state) {
  (void)state;
  fxt_thread(&b, 1, 7, 8);
  for (unsigned i = 0; i < 2; i++) {
    fxt_event(&b, TB_FXT_COUNTER, 3, 1, fxt_inline("cat"), fxt_inline("c\"\\"), 10);
    fxt_text(&b, "cat"), fxt_text(&b, "c\"\\");
    fxt_arg(&b, TB_FXT_ARG_INT64, 3, fxt_inline("x"), 0), fxt_text(&b, "x"), fxt_word(&b, 5);
    fxt_arg(&b, TB_FXT_ARG_DOUBLE, 3, fxt_inline("y"), 0), fxt_text(&b, "y"),
        fxt_word(&b, UINT64_C(0x3ff8000000000000));
    fxt_arg(&b, TB_FXT_ARG_STRING, 1, 0, 0);
    fxt_word(&b, UINT64_MAX - i);
    fxt_end(&b);
  }
  expect_same();
}

static void scheduling_survives(void **state) {
  (void)state;
  for (uint64_t state_number = 0; state_number < 6; state_number++) {
    fxt_begin(&b, TB_FXT_SCHEDULING, UINT64_C(1) << 60 | UINT64_C(1) << 16 | UINT64_C(3) << 20 | state_number << 36);
    fxt_word(&b, 10 + state_number), fxt_word(&b, 100 + state_number % 2), fxt_word(&b, 101 - state_number % 2);
    fxt_arg(&b, TB_FXT_ARG_INT32, 3, fxt_inline("incoming_weight"), 4), fxt_text(&b, "incoming_weight");
    fxt_end(&b);
    fxt_begin(&b, TB_FXT_SCHEDULING, UINT64_C(2) << 60 | UINT64_C(1) << 16 | UINT64_C(3) << 20);
    fxt_word(&b, 10 + state_number), fxt_word(&b, UINT64_C(1) << 63);
    fxt_arg(&b, TB_FXT_ARG_KOID, 3, fxt_inline("waker"), 0), fxt_text(&b, "waker"), fxt_word(&b, 100);
    fxt_end(&b);
  }
  expect_same();
}

static void objects_logs_blobs_and_losses_survive(void **state) {
  (void)state;
  fxt_begin(&b, TB_FXT_USERSPACE_OBJECT, fxt_inline("Widget") << 24 | UINT64_C(1) << 40);
  fxt_word(&b, 0x1000), fxt_word(&b, 7), fxt_text(&b, "Widget");
  fxt_arg(&b, TB_FXT_ARG_INT32, 1, 0, 3), fxt_end(&b);
  fxt_begin(&b, TB_FXT_KERNEL_OBJECT, UINT64_C(4) << 16 | fxt_inline("channel") << 24);
  fxt_word(&b, 55), fxt_text(&b, "channel"), fxt_end(&b);
  fxt_event(&b, TB_FXT_INSTANT, 2, 0, 0, 0, 1), fxt_word(&b, 7), fxt_word(&b, 8);
  fxt_arg(&b, TB_FXT_ARG_POINTER, 2, 0, 0), fxt_word(&b, 0x1000);
  fxt_arg(&b, TB_FXT_ARG_KOID, 2, 0, 0), fxt_word(&b, 55), fxt_end(&b);
  fxt_begin(&b, TB_FXT_LOG, UINT64_C(3) << 16), fxt_word(&b, 5), fxt_word(&b, 7), fxt_word(&b, 8), fxt_text(&b, "log");
  fxt_end(&b);
  fxt_begin(&b, TB_FXT_BLOB, fxt_inline("b") << 16 | UINT64_C(3) << 32 | UINT64_C(1) << 48);
  fxt_text(&b, "b"), fxt_stream(&b, "\0\1\2", 3), fxt_end(&b);
  fxt_begin(&b, TB_FXT_BLOB, fxt_inline("p") << 16 | UINT64_C(4) << 32 | UINT64_C(3) << 48);
  fxt_text(&b, "p"), fxt_stream(&b, "\x0a\x02\x40\x01", 4), fxt_end(&b);
  fxt_word(&b, TB_FXT_LARGE | UINT64_C(5) << 4 | UINT64_C(1) << 40);
  fxt_word(&b, fxt_inline("bare") << 16), fxt_text(&b, "bare"), fxt_word(&b, 2), fxt_text(&b, "hi");
  expect_same();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_event_and_argument_type_survives, start, stop),
      cmocka_unit_test_setup_teardown(begins_and_ends_survive_with_their_arguments, start, stop),
      cmocka_unit_test_setup_teardown(counters_survive_as_one_record, start, stop),
      cmocka_unit_test_setup_teardown(scheduling_survives, start, stop),
      cmocka_unit_test_setup_teardown(objects_logs_blobs_and_losses_survive, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
