/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "toolbox/walk/slice_pairs.h"

enum { EVENTS = 120000, TRACKS = 3, OPEN = INT32_MAX, WAITING_MOST = 8192 };

/* An event of a file, in its order. */
struct event {
  uint64_t track;
  int64_t time;
  bool ends;
};

struct found {
  uint32_t *end_of; /* number of a begin -> that of its end */
  bool wait;        /* or the tracks are known not to be in order */
  int readings;
  bool waits; /* after the first reading */
};

static enum tb_status note(void *ctx, const struct tb_slice_edge *begin, const struct tb_slice_edge *end) {
  struct found *found = ctx;
  found->end_of[begin->number] = end ? (uint32_t)end->number : OPEN;
  return TB_OK;
}

static void read_file(struct tb_slice_pairs *pairs, const struct event *events, struct found *found) {
  for (size_t i = 0; i < EVENTS; i++) found->end_of[i] = 0;
  for (uint32_t i = 0; i < EVENTS; i++) {
    const struct tb_slice_edge edge = {.time = events[i].time, .number = i, .ends = events[i].ends};
    assert_int_equal(tb_slice_pairs_take(pairs, events[i].track, 0, &edge), TB_OK);
  }
  found->readings++;
}

static void find(const struct event *events, struct found *found) {
  struct tb_slice_pairs pairs;
  found->end_of = calloc(EVENTS, sizeof(*found->end_of));
  assert_non_null(found->end_of);
  tb_slice_pairs_init(&pairs, tb_default_allocator(), note, found);
  pairs.waits = found->wait;
  for (uint64_t i = 0; i < TRACKS && !found->wait; i++) assert_int_equal(tb_slice_pairs_gather(&pairs, i, 0), TB_OK);
  read_file(&pairs, events, found);
  found->waits = pairs.waits;
  for (size_t i = 0; i < pairs.track_count && found->waits; i++)
    assert_true(pairs.tracks[i].gathers || pairs.tracks[i].gathered_capacity <= WAITING_MOST);
  if (tb_slice_pairs_disordered(&pairs)) {
    tb_slice_pairs_start_again(&pairs);
    read_file(&pairs, events, found);
    assert_false(tb_slice_pairs_disordered(&pairs));
  }
  assert_int_equal(tb_slice_pairs_end(&pairs), TB_OK);
  tb_slice_pairs_free(&pairs);
}

/* Checks how often the file is to be read, and whether events wait to its end; what is found is what sorting finds. */
static void expect(const struct event *events, int readings, bool waits) {
  struct found waiting = {.wait = true}, sorted = {.wait = false};
  find(events, &waiting);
  find(events, &sorted);
  assert_int_equal(waiting.readings, readings);
  assert_int_equal(waiting.waits, waits);
  assert_int_equal(sorted.readings, 1);
  assert_memory_equal(waiting.end_of, sorted.end_of, EVENTS * sizeof(*sorted.end_of));
  free(waiting.end_of);
  free(sorted.end_of);
}

/* Slices in each other on all tracks, by turns, in the order of time. */
static struct event *make_file(void) {
  struct event *events = calloc(EVENTS, sizeof(*events));
  uint64_t random = 1;
  size_t depth[TRACKS] = {0};
  assert_non_null(events);
  for (size_t i = 0; i < EVENTS; i++) {
    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    size_t track = i % TRACKS;
    bool ends = depth[track] && (random >> 60) < 8;
    depth[track] = ends ? depth[track] - 1 : depth[track] + 1;
    events[i] = (struct event){track, (int64_t)(i - i % 2), ends}; /* some at one time */
  }
  return events;
}

/* Moves an event to a later place. */
static void delay(struct event *events, size_t from, size_t to) {
  const struct event late = events[from];
  for (size_t i = from; i < to; i++) events[i] = events[i + 1];
  events[to] = late;
}

static void none_waits_for_long_where_all_are_in_order(void **state) {
  (void)state;
  struct event *events = make_file();
  expect(events, 1, false);
  free(events);
}

static void what_is_a_little_late_is_put_in_its_place(void **state) {
  (void)state;
  struct event *events = make_file();
  for (size_t i = 100; i + 100 < EVENTS; i += 50) delay(events, i, i + 3 + i % 40);
  expect(events, 1, true);
  free(events);
}

/* As where two threads write to a track, one after the other. */
static void what_is_far_from_order_at_first_is_gathered(void **state) {
  (void)state;
  enum { BLOCK = 15000 };
  struct event *events = make_file();
  for (size_t i = 0; i + 2 * BLOCK <= EVENTS; i += 2 * BLOCK)
    for (size_t j = 0; j < BLOCK; j++) {
      const struct event first = events[i + j];
      events[i + j] = events[i + BLOCK + j];
      events[i + BLOCK + j] = first;
    }
  expect(events, 1, true);
  free(events);
}

static void what_is_late_first_at_the_end_takes_another_reading(void **state) {
  (void)state;
  struct event *events = make_file();
  delay(events, EVENTS - 50, EVENTS - 10);
  expect(events, 2, false);
  free(events);
}

/* Some are a little late, so that all wait, and one comes behind more than wait. */
static void expect_another_reading(size_t from, size_t to) {
  struct event *events = make_file();
  for (size_t i = 100; i + 100 < EVENTS; i += 50) delay(events, i, i + 3);
  delay(events, from, to);
  expect(events, 2, true);
  free(events);
}

static void what_is_later_than_others_wait_takes_another_reading(void **state) {
  (void)state;
  expect_another_reading(EVENTS / 2, EVENTS - 10);
}

static void what_is_gathered_too_late_takes_another_reading(void **state) {
  (void)state;
  expect_another_reading(EVENTS / 6, EVENTS / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(none_waits_for_long_where_all_are_in_order),
                                     cmocka_unit_test(what_is_a_little_late_is_put_in_its_place),
                                     cmocka_unit_test(what_is_far_from_order_at_first_is_gathered),
                                     cmocka_unit_test(what_is_late_first_at_the_end_takes_another_reading),
                                     cmocka_unit_test(what_is_later_than_others_wait_takes_another_reading),
                                     cmocka_unit_test(what_is_gathered_too_late_takes_another_reading)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
