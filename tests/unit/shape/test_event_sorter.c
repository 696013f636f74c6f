/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "shape/event_sorter.h"

enum { EVENTS = 50000, SPILLS = 1 << 20, NO_SPILL = 256 << 20, THREADS = 5, STEP = 64 };

/* The time of the event `i`. */
typedef int64_t time_of(int64_t i);
static int64_t in_order(int64_t i) { return i / 3; }
static int64_t reverse(int64_t i) { return EVENTS - i / 3; }
static int64_t thread_by_thread(int64_t i) { return i % (EVENTS / THREADS) * THREADS - i / (EVENTS / THREADS); }
static int64_t in_turns(int64_t i) { return i / STEP / THREADS * STEP * 10 + i % STEP * 9; }
static int64_t nearly_in_order(int64_t i) { return i % 1000 == 999 ? i - 700 : i; }
static int64_t random_times(int64_t i) { return (int64_t)((uint64_t)i * UINT64_C(2654435761) % 10007) - 5000; }
static time_of *const orders[] = {in_order, reverse, thread_by_thread, in_turns, nearly_in_order, random_times};

struct expected {
  int64_t ts, i;
};

static int compare(const void *a, const void *b) {
  const struct expected *x = a, *y = b;
  return x->ts != y->ts ? (x->ts < y->ts ? -1 : 1) : x->i < y->i ? -1 : x->i > y->i;
}

/* What the event `i` is: one in a thousand has a text that a head's short length is not enough for. */
static struct tb_event event_of(int64_t i, int64_t ts) {
  static char text[40000];
  struct tb_event event = {.type = TB_EVENT_INSTANT, .has = TB_HAS_TS, .ts = ts, .offset = (uint64_t)i};
  if (i % 1000 != 7) return event;
  memset(text, 'x', sizeof(text));
  event.blob = (struct tb_str){text, sizeof(text)};
  return event;
}

static void expect_sorted(time_of *time, size_t budget, bool spills) {
  struct tb_event_sorter sorter;
  struct tb_arena arena;
  struct tb_error error = {0};
  struct tb_event event;
  uint64_t used = UINT64_MAX;
  struct expected *expected = malloc(EVENTS * sizeof(*expected));
  assert_non_null(expected);
  tb_event_sorter_init(&sorter, tb_default_allocator());
  tb_arena_init(&arena, tb_default_allocator(), 0);
  sorter.budget = budget;
  for (int64_t i = 0; i < EVENTS; i++) {
    expected[i] = (struct expected){time(i), i};
    event = event_of(i, time(i));
    assert_int_equal(tb_event_sorter_put(&sorter, &event, &error), TB_OK);
  }
  assert_int_equal(sorter.spill != NULL, spills);
  qsort(expected, EVENTS, sizeof(*expected), compare);
  for (int64_t i = 0; i < EVENTS; i++) {
    int64_t ts;
    tb_arena_reset(&arena);
    assert_int_equal(tb_event_sorter_peek(&sorter, &ts, &error), TB_OK);
    assert_int_equal(ts, expected[i].ts);
    assert_int_equal(tb_event_sorter_next(&sorter, &arena, &event, &used, &error), TB_OK);
    assert_int_equal(event.ts, expected[i].ts);
    assert_int_equal(event.offset, expected[i].i);
    assert_int_equal(event.blob.len, event_of(expected[i].i, 0).blob.len);
  }
  assert_int_equal(tb_event_sorter_next(&sorter, &arena, &event, &used, &error), TB_END);
  tb_event_sorter_free(&sorter);
  tb_arena_free(&arena);
  free(expected);
}

static void any_order_becomes_that_of_time_and_those_of_one_time_stay(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) expect_sorted(orders[i], NO_SPILL, false);
}

static void the_same_comes_of_a_file(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) expect_sorted(orders[i], SPILLS, true);
}

/* Of one time: longer complete slices first, then what is none; and first of all what has no time. */
static void complete_slices_come_first_where_the_source_says_so(void **state) {
  (void)state;
  static const struct tb_event events[] = {
      {.type = TB_EVENT_INSTANT, .has = TB_HAS_TS, .ts = 5, .offset = 4},
      {.type = TB_EVENT_SLICE_COMPLETE, .has = TB_HAS_TS | TB_HAS_DUR, .ts = 5, .dur = 10, .offset = 3},
      {.type = TB_EVENT_SLICE_COMPLETE, .has = TB_HAS_TS | TB_HAS_DUR, .ts = 5, .dur = 20, .offset = 2},
      {.type = TB_EVENT_SLICE_COMPLETE, .has = TB_HAS_TS | TB_HAS_DUR, .ts = 5, .offset = 5},
      {.type = TB_EVENT_METADATA, .ts = 6, .offset = 1},
  };
  enum { COUNT = sizeof(events) / sizeof(events[0]) };
  struct tb_event_sorter sorter;
  struct tb_arena arena;
  struct tb_error error = {0};
  struct tb_event event;
  uint64_t used = UINT64_MAX;
  tb_event_sorter_init(&sorter, tb_default_allocator());
  tb_arena_init(&arena, tb_default_allocator(), 0);
  sorter.complete_first = true;
  for (int i = 0; i < COUNT; i++) assert_int_equal(tb_event_sorter_put(&sorter, &events[i], &error), TB_OK);
  for (uint64_t i = 1; i <= COUNT; i++) {
    assert_int_equal(tb_event_sorter_next(&sorter, &arena, &event, &used, &error), TB_OK);
    assert_int_equal(event.offset, i);
  }
  assert_int_equal(tb_event_sorter_next(&sorter, &arena, &event, &used, &error), TB_END);
  tb_event_sorter_free(&sorter);
  tb_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_order_becomes_that_of_time_and_those_of_one_time_stay),
      cmocka_unit_test(the_same_comes_of_a_file),
      cmocka_unit_test(complete_slices_come_first_where_the_source_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
