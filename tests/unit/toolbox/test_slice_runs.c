/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/slice_runs.h"

#include "support/merge_fixture.h"

enum { SEQUENCE = 7, BEGIN = 1, END = 2, COUNTER = 4 };

static struct tb_slice_runs runs;
static struct msg trace;

static int set_up(void **unused) {
  (void)unused;
  tb_slice_runs_init(&runs, tb_default_allocator());
  trace.len = 0;
  return 0;
}

static int tear_down(void **unused) {
  (void)unused;
  tb_slice_runs_free(&runs);
  return 0;
}

/* An event of a type, on a track where that is not 0, with what else `more` says. */
static void put_event(uint64_t timestamp, uint32_t sequence, uint64_t type, uint64_t track, const struct msg *more) {
  struct msg event = {.len = 0}, packet = {.len = 0};
  put_uint(&event, 9, type);
  if (track) put_uint(&event, 11, track);
  if (more) {
    memcpy(event.data + event.len, more->data, more->len);
    event.len += more->len;
  }
  put_uint(&packet, 8, timestamp);
  put_uint(&packet, 10, sequence);
  put_msg(&packet, 11, &event);
  put_msg(&trace, 1, &packet);
}

static void put(uint64_t timestamp, uint64_t type) { put_event(timestamp, SEQUENCE, type, 0, NULL); }

/* `count` slices, each 1 long and 1 behind the one before it. */
static void put_slices(uint64_t *timestamp, int count) {
  for (int i = 0; i < count; i++) {
    put(++*timestamp, BEGIN);
    put(++*timestamp, END);
  }
}

static void put_number(uint64_t timestamp, uint64_t type, uint32_t field, uint64_t value) {
  struct msg more = {.len = 0};
  put_uint(&more, field, value);
  put_event(timestamp, SEQUENCE, type, 0, &more);
}

static void find(bool counts) {
  struct tb_packet_cursor cursor = {trace.data, trace.data + trace.len};
  struct tb_common_packet packet;
  uint64_t number = 0;
  assert_true(trace.len + TB_PACKET_AHEAD < sizeof(trace.data));
  put_text(&trace, 1, "a packet's length of bytes to read ahead"); /* a cursor is not asked for the last one */
  cursor.end = trace.data + trace.len;
  while (tb_packet_cursor_take(&cursor, &packet)) {
    tb_slice_runs_take(&runs, number, &packet, counts, (int64_t)packet.head.timestamp);
    number++;
  }
  tb_slice_runs_end(&runs);
}

static void a_run_says_what_it_ends_and_what_it_leaves_open(void **unused) {
  (void)unused;
  uint64_t timestamp = 10;
  put(timestamp, END);
  put(timestamp, END);
  put(++timestamp, BEGIN);
  put_slices(&timestamp, 8);
  put(++timestamp, BEGIN);
  find(false);
  assert_int_equal(runs.count, 1);
  const struct tb_slice_run *run = &runs.runs[0];
  assert_int_equal(run->first, 0);
  assert_int_equal(run->count, 20);
  assert_int_equal(run->sequence, SEQUENCE);
  assert_int_equal(run->ends, 2);
  assert_int_equal(run->open, 2);
  assert_int_equal(run->first_ticks, 10);
  assert_int_equal(run->last_ticks, timestamp);
  const struct tb_slice_run_place *open = &runs.places[run->open_at];
  assert_int_equal(open[0].number, 2);
  assert_int_equal(open[0].ticks, 11);
  assert_int_equal(open[1].number, 19);
  assert_int_equal(open[1].ticks, timestamp);
  assert_int_equal(open[1].at, run->bytes - run->bytes / 20);
}

static void timestamps_that_count_are_added_up(void **unused) {
  (void)unused;
  for (uint64_t i = 0; i < 20; i++) put(5, BEGIN + i % 2);
  put(3, BEGIN);
  find(true);
  assert_int_equal(runs.count, 1);
  assert_int_equal(runs.runs[0].last_ticks, 103);
  assert_int_equal(runs.places[0].ticks, 103);
}

static void tracks_whose_events_are_not_in_order_are_noted(void **unused) {
  (void)unused;
  const uint64_t times[] = {100, 200, 110, 210, 105, 220, 300, 230};
  for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
    put_event(times[i], SEQUENCE, BEGIN, 5 + i % 2, NULL); /* 5: 100, 110, 105, 300; 6: in order */
  find(false);
  assert_int_equal(runs.disordered.count, 1);
  assert_non_null(tb_map_find(&runs.disordered, 5, 0));
}

static void values_are_added_up_by_their_place(void **unused) {
  (void)unused;
  uint64_t timestamp = 0;
  put_slices(&timestamp, 10);
  put_number(++timestamp, BEGIN, 12, 30);
  put_number(++timestamp, END, 12, 12);
  put(++timestamp, BEGIN);
  find(false);
  assert_int_equal(runs.count, 1);
  assert_int_equal(runs.runs[0].values, 1);
  assert_int_equal(runs.runs[0].further[0].sum, 42);
  assert_int_equal(runs.runs[0].further[0].last.number, 21);
  assert_int_equal(runs.runs[0].further[0].last.ticks, 22);
}

static void a_whole_slice_of_no_length_ends_and_opens_nothing(void **unused) {
  (void)unused;
  struct msg legacy = {.len = 0}, more = {.len = 0};
  put_uint(&legacy, 2, 'X');
  put_uint(&legacy, 3, 0);
  put_msg(&more, 6, &legacy);
  for (uint64_t i = 0; i < 20; i++) put_event(i, SEQUENCE, BEGIN, 0, &more);
  find(false);
  assert_int_equal(runs.count, 1);
  assert_int_equal(runs.runs[0].count, 20);
  assert_int_equal(runs.runs[0].open, 0);
}

/* Two runs of 20 events, by what the second one begins with or is behind. */
static void assert_two_runs(bool counts, uint64_t second) {
  find(counts);
  assert_int_equal(runs.count, 2);
  assert_int_equal(runs.runs[0].first, 0);
  assert_int_equal(runs.runs[0].count, 20);
  assert_int_equal(runs.runs[1].first, second);
  assert_int_equal(runs.runs[1].count, 20);
}

static void another_sequence_or_track_and_a_time_before_end_a_run(void **unused) {
  for (int i = 0; i < 3; i++) {
    uint64_t timestamp = 100;
    put_slices(&timestamp, 10);
    if (i == 2) timestamp = 50;
    for (uint64_t j = 0; j < 20; j++)
      put_event(++timestamp, i == 0 ? SEQUENCE + 1 : SEQUENCE, BEGIN + j % 2, i == 1 ? 99 : 0, NULL);
    assert_two_runs(false, 20);
    (void)tear_down(unused);
    (void)set_up(unused);
  }
}

static void an_event_that_says_more_is_of_no_run(void **unused) {
  const struct {
    uint64_t type;
    uint32_t field;
    uint64_t value;
  } others[] = {{END, 10, 1} /* an end's name */, {END, 3, 1}, {COUNTER, 30, 1}, {BEGIN, 31, 5}, {BEGIN, 45, 5}};
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
    uint64_t timestamp = 100;
    put_slices(&timestamp, 10);
    put_number(++timestamp, others[i].type, others[i].field, others[i].value);
    put_slices(&timestamp, 10);
    assert_two_runs(false, 21);
    (void)tear_down(unused);
    (void)set_up(unused);
  }
}

static void what_says_nothing_of_slices_is_passed_over(void **unused) {
  (void)unused;
  struct msg more = {.len = 0};
  uint64_t timestamp = 100;
  put_slices(&timestamp, 10);
  put_fixed64(&more, 47, 5); /* a flow */
  put_text(&more, 23, "a name");
  put_text(&more, 1002, "an extension");
  put_uint(&more, 10, 3);
  put_event(++timestamp, SEQUENCE, BEGIN, 0, &more);
  find(false);
  assert_int_equal(runs.count, 1);
  assert_int_equal(runs.runs[0].count, 21);
  assert_int_equal(runs.runs[0].open, 1);
}

static void an_end_with_a_name_as_text_is_of_no_run(void **unused) {
  (void)unused;
  struct msg more = {.len = 0};
  uint64_t timestamp = 100;
  put_slices(&timestamp, 10);
  put_text(&more, 23, "a name");
  put_event(++timestamp, SEQUENCE, END, 0, &more);
  put_slices(&timestamp, 10);
  assert_two_runs(false, 21);
}

static void a_count_that_may_overflow_is_of_no_run(void **unused) {
  (void)unused;
  uint64_t timestamp = 0;
  put_slices(&timestamp, 10);
  put((uint64_t)1 << 62, BEGIN);
  put_slices(&timestamp, 10);
  assert_two_runs(true, 21);
}

static void more_begins_than_a_run_may_leave_open_are_of_several(void **unused) {
  (void)unused;
  for (uint64_t i = 0; i < 2 * TB_SLICE_RUN_OPEN; i++) put(i, BEGIN);
  find(false);
  assert_int_equal(runs.count, 2);
  assert_int_equal(runs.runs[0].open, TB_SLICE_RUN_OPEN);
  assert_int_equal(runs.runs[1].open_at, TB_SLICE_RUN_OPEN);
  assert_int_equal(runs.places[TB_SLICE_RUN_OPEN].number, 0);
}

static void few_events_are_no_run(void **unused) {
  (void)unused;
  for (uint64_t i = 1; i < TB_SLICE_RUN_LEAST; i++) put(i, BEGIN + i % 2);
  find(false);
  assert_int_equal(runs.count, 0);
}

static void runs_are_found_by_their_first_packet(void **unused) {
  (void)unused;
  uint64_t timestamp = 0;
  size_t next = 0;
  put_slices(&timestamp, 10);
  put_number(++timestamp, COUNTER, 30, 1);
  put_slices(&timestamp, 10);
  find(false);
  assert_ptr_equal(tb_slice_runs_at(&runs, &next, 0), &runs.runs[0]);
  assert_null(tb_slice_runs_at(&runs, &next, 1));
  assert_null(tb_slice_runs_at(&runs, &next, 20));
  assert_ptr_equal(tb_slice_runs_at(&runs, &next, 21), &runs.runs[1]);
  assert_null(tb_slice_runs_at(&runs, &next, 22));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_run_says_what_it_ends_and_what_it_leaves_open),
      TEST(timestamps_that_count_are_added_up),
      TEST(tracks_whose_events_are_not_in_order_are_noted),
      TEST(values_are_added_up_by_their_place),
      TEST(a_whole_slice_of_no_length_ends_and_opens_nothing),
      TEST(another_sequence_or_track_and_a_time_before_end_a_run),
      TEST(an_event_that_says_more_is_of_no_run),
      TEST(what_says_nothing_of_slices_is_passed_over),
      TEST(an_end_with_a_name_as_text_is_of_no_run),
      TEST(a_count_that_may_overflow_is_of_no_run),
      TEST(more_begins_than_a_run_may_leave_open_are_of_several),
      TEST(few_events_are_no_run),
      TEST(runs_are_found_by_their_first_packet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
