/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perfetto/clock/clock_graph.h"

static struct tb_clock_reading_raw reading(uint64_t key, int64_t ns) {
  return (struct tb_clock_reading_raw){.key = key, .ns = ns, .unit_multiplier = 1};
}

static void add(struct tb_clock_graph *graph, uint64_t a, int64_t a_ns, uint64_t b, int64_t b_ns) {
  struct tb_clock_reading_raw readings[] = {reading(a, a_ns), reading(b, b_ns)};
  assert_int_equal(tb_clock_graph_add(graph, 0, readings, 2, 6), TB_OK);
}

static int64_t convert(struct tb_clock_graph *graph, uint64_t from, uint64_t to, int64_t ns) {
  int64_t converted;
  assert_int_equal(tb_clock_graph_convert(graph, 0, from, to, ns, &converted), TB_OK);
  return converted;
}

static void the_last_snapshot_at_or_before_a_time_converts_it_else_the_first(void **state) {
  (void)state;
  struct tb_clock_graph graph;
  tb_clock_graph_init(&graph, tb_default_allocator());
  add(&graph, 3, 100, 6, 1000);
  add(&graph, 3, 200, 6, 1200);
  add(&graph, 3, 300, 6, 1250);
  assert_int_equal(convert(&graph, 3, 6, 50), 950);
  assert_int_equal(convert(&graph, 3, 6, 100), 1000);
  assert_int_equal(convert(&graph, 3, 6, 199), 1099);
  assert_int_equal(convert(&graph, 3, 6, 200), 1200);
  assert_int_equal(convert(&graph, 3, 6, 299), 1299);
  assert_int_equal(convert(&graph, 3, 6, 5000), 5950);
  assert_int_equal(convert(&graph, 3, 6, 150), 1050); /* and back again */
  tb_clock_graph_free(&graph);
}

static void the_path_goes_over_several_clocks_and_the_shortest_wins(void **state) {
  (void)state;
  struct tb_clock_graph graph;
  int64_t converted;
  tb_clock_graph_init(&graph, tb_default_allocator());
  add(&graph, 1, 10, 2, 20);
  add(&graph, 2, 20, 3, 30);
  add(&graph, 3, 30, 6, 40);
  assert_int_equal(convert(&graph, 1, 6, 11), 41);
  assert_int_equal(tb_clock_graph_convert(&graph, 0, 5, 6, 11, &converted), TB_UNSUPPORTED);
  add(&graph, 1, 10, 6, 1000);
  assert_int_equal(convert(&graph, 1, 6, 11), 1001);
  tb_clock_graph_free(&graph);
}

static void a_clock_that_ran_backwards_is_no_source_but_a_target(void **state) {
  (void)state;
  struct tb_clock_graph graph;
  int64_t converted;
  tb_clock_graph_init(&graph, tb_default_allocator());
  add(&graph, 1, 500, 6, 1000);
  add(&graph, 1, 400, 6, 2000);
  assert_int_equal(tb_clock_graph_convert(&graph, 0, 1, 6, 450, &converted), TB_UNSUPPORTED);
  assert_int_equal(convert(&graph, 6, 1, 2001), 401);
  tb_clock_graph_free(&graph);
}

static void a_snapshot_in_which_the_trace_clock_runs_backwards_is_refused(void **state) {
  (void)state;
  struct tb_clock_graph graph;
  tb_clock_graph_init(&graph, tb_default_allocator());
  add(&graph, 1, 500, 6, 1000);
  struct tb_clock_reading_raw readings[] = {reading(1, 600), reading(6, 900)};
  assert_int_equal(tb_clock_graph_add(&graph, 0, readings, 2, 6), TB_REFUSED);
  assert_int_equal(convert(&graph, 1, 6, 600), 1100);
  /* snapshots of other clocks come from other writers, whose order is another one */
  add(&graph, 2, 1, 6, 10);
  tb_clock_graph_free(&graph);
}

static void an_incremental_clock_adds_up_until_it_is_cleared(void **state) {
  (void)state;
  struct tb_clock_graph graph;
  int64_t ns;
  uint64_t key = tb_clock_key(64, 9);
  tb_clock_graph_init(&graph, tb_default_allocator());
  struct tb_clock_reading_raw readings[] = {reading(key, 1000), reading(6, 5000)};
  readings[0].incremental = true;
  readings[0].unit_multiplier = 10;
  assert_int_equal(tb_clock_graph_add(&graph, 0, readings, 2, 6), TB_OK);
  assert_int_equal(tb_clock_graph_resolve(&graph, 0, key, 3, &ns), TB_OK);
  assert_int_equal(ns, 1030);
  assert_int_equal(tb_clock_graph_resolve(&graph, 0, key, 1, &ns), TB_OK);
  assert_int_equal(ns, 1040);
  assert_int_equal(convert(&graph, key, 6, ns), 5040);
  tb_clock_graph_clear_sequence(&graph, 0, 8);
  assert_int_equal(tb_clock_graph_resolve(&graph, 0, key, 1, &ns), TB_OK);
  tb_clock_graph_clear_sequence(&graph, 0, 9);
  assert_int_equal(tb_clock_graph_resolve(&graph, 0, key, 1, &ns), TB_UNSUPPORTED);
  tb_clock_graph_free(&graph);
}

/* Reads `timestamp` of clock 1 by the line where it holds, else as all do, finding it anew. */
static int64_t by_line(struct tb_clock_graph *graph, struct tb_clock_line *line, uint64_t timestamp, bool *held) {
  int64_t ns;
  *held = tb_clock_graph_use_line(graph, line, 1, 6, timestamp, &ns);
  if (*held) return ns;
  int64_t source = (int64_t)timestamp;
  ns = convert(graph, 1, 6, source);
  tb_clock_graph_find_line(graph, 0, 1, 6, source, line);
  return ns;
}

static void a_line_says_what_the_path_says_and_ends_where_the_next_snapshot_counts(void **state) {
  (void)state;
  struct tb_clock_graph graph;
  struct tb_clock_line line = {0};
  bool held;
  tb_clock_graph_init(&graph, tb_default_allocator());
  add(&graph, 1, 100, 2, 1000);
  add(&graph, 1, 200, 2, 1150);
  add(&graph, 2, 1000, 6, 5000);
  add(&graph, 2, 1050, 6, 5200);
  unsigned times_held = 0;
  for (uint64_t t = 50; t < 300; t++) {
    int64_t expected = convert(&graph, 1, 6, (int64_t)t);
    assert_int_equal(by_line(&graph, &line, t, &held), expected);
    times_held += held;
  }
  assert_int_equal(times_held, 250 - 3); /* it is found at first, at 200, where 1 is read again, and where 2 is */
  assert_true(tb_clock_graph_use_line(&graph, &line, 1, 6, 299, &(int64_t){0}));
  assert_false(tb_clock_graph_use_line(&graph, &line, 2, 6, 299, &(int64_t){0}));
  add(&graph, 1, 250, 2, 1300);
  assert_int_equal(by_line(&graph, &line, 299, &held), convert(&graph, 1, 6, 299));
  assert_false(held);
  tb_clock_graph_free(&graph);
}

static void a_line_runs_an_incremental_clock_on_until_it_is_cleared(void **state) {
  (void)state;
  struct tb_clock_graph graph;
  struct tb_clock_line line;
  int64_t ns;
  uint64_t key = tb_clock_key(64, 9);
  tb_clock_graph_init(&graph, tb_default_allocator());
  struct tb_clock_reading_raw readings[] = {reading(key, 1000), reading(6, 5000)};
  readings[0].incremental = true;
  readings[0].unit_multiplier = 10;
  assert_int_equal(tb_clock_graph_add(&graph, 0, readings, 2, 6), TB_OK);
  tb_clock_graph_find_line(&graph, 0, key, 6, 1000, &line);
  assert_false(tb_clock_graph_use_line(&graph, &line, key, 6, 3, &ns)); /* no path was looked for yet */
  assert_int_equal(convert(&graph, key, 6, 1000), 5000);
  tb_clock_graph_find_line(&graph, 0, key, 6, 1000, &line);
  assert_true(tb_clock_graph_use_line(&graph, &line, key, 6, 3, &ns));
  assert_int_equal(ns, 5030);
  assert_true(tb_clock_graph_use_line(&graph, &line, key, 6, 1, &ns));
  assert_int_equal(ns, 5040);
  tb_clock_graph_clear_sequence(&graph, 0, 9);
  assert_false(tb_clock_graph_use_line(&graph, &line, key, 6, 1, &ns));
  tb_clock_graph_free(&graph);
}

static void of_paths_of_one_length_the_one_over_the_smaller_clock_wins(void **state) {
  (void)state;
  struct tb_clock_graph graph;
  tb_clock_graph_init(&graph, tb_default_allocator());
  add(&graph, 201, 10, 200, 20);
  add(&graph, 201, 10, tb_clock_key(64, 9), 30);
  add(&graph, 200, 20, 6, 1000);
  add(&graph, tb_clock_key(64, 9), 30, 6, 2000); /* clock 64, of whatever sequence, is smaller than 200 */
  assert_int_equal(convert(&graph, 201, 6, 10), 2000);
  add(&graph, 201, 10, 40, 20);
  add(&graph, 40, 20, 6, 3000);
  assert_int_equal(convert(&graph, 201, 6, 10), 3000);
  tb_clock_graph_free(&graph);
}

static void snapshots_of_the_same_clocks_are_one_group_in_any_order(void **state) {
  (void)state;
  struct tb_clock_graph graph;
  tb_clock_graph_init(&graph, tb_default_allocator());
  add(&graph, 3, 100, 6, 1000);
  add(&graph, 6, 1250, 3, 200);
  add(&graph, 6, 1250, 3, 200); /* says nothing new */
  assert_int_equal(graph.group_count, 1);
  assert_int_equal(graph.groups[0].row_count, 2);
  assert_int_equal(convert(&graph, 3, 6, 150), 1050);
  assert_int_equal(convert(&graph, 3, 6, 250), 1300);
  tb_clock_graph_free(&graph);
}

static void machines_have_clocks_of_their_own(void **state) {
  (void)state;
  struct tb_clock_graph graph;
  struct tb_clock_reading_raw readings[] = {reading(3, 100), reading(6, 7000)};
  int64_t converted;
  tb_clock_graph_init(&graph, tb_default_allocator());
  add(&graph, 3, 100, 6, 1000);
  assert_false(tb_clock_graph_has_machine(&graph, 5));
  assert_int_equal(tb_clock_graph_convert(&graph, 5, 3, 6, 100, &converted), TB_UNSUPPORTED);
  assert_int_equal(tb_clock_graph_add(&graph, 5, readings, 2, 6), TB_OK);
  assert_true(tb_clock_graph_has_machine(&graph, 5));
  assert_int_equal(tb_clock_graph_convert(&graph, 5, 3, 6, 101, &converted), TB_OK);
  assert_int_equal(converted, 7001);
  assert_int_equal(convert(&graph, 3, 6, 101), 1001);
  tb_clock_graph_free(&graph);
}

/* A snapshot of the clock of a sequence, which counts on from `own`, and of two others. */
static enum tb_status add_three(struct tb_clock_graph *graph, bool again, int64_t own, uint64_t second,
                                int64_t second_ns, uint64_t third, int64_t third_ns) {
  struct tb_clock_reading_raw readings[] = {reading(tb_clock_key(64, 9), own), reading(second, second_ns),
                                            reading(third, third_ns)};
  readings[0].incremental = true;
  return again ? tb_clock_graph_replay(graph, 0, readings, 3, 6) : tb_clock_graph_add(graph, 0, readings, 3, 6);
}

static int64_t read_own(struct tb_clock_graph *graph, uint64_t increment) {
  int64_t ns;
  assert_int_equal(tb_clock_graph_resolve(graph, 0, tb_clock_key(64, 9), increment, &ns), TB_OK);
  return ns;
}

static void a_snapshot_that_has_a_clock_twice_relates_nothing_and_counts_up_to_there(void **state) {
  (void)state;
  struct tb_clock_graph graph;
  int64_t converted;
  tb_clock_graph_init(&graph, tb_default_allocator());
  assert_int_equal(add_three(&graph, false, 1000, 3, 1, 3, 2), TB_BAD_DATA);
  assert_int_equal(tb_clock_graph_convert(&graph, 0, tb_clock_key(64, 9), 3, 1, &converted), TB_UNSUPPORTED);
  assert_int_equal(read_own(&graph, 5), 1005);
  tb_clock_graph_free(&graph);
}

static void a_clock_of_no_sequence_that_is_incremental_makes_its_snapshot_relate_nothing(void **state) {
  (void)state;
  struct tb_clock_graph graph;
  struct tb_clock_reading_raw readings[] = {reading(3, 100), reading(1, 10), reading(6, 1000)};
  int64_t converted;
  readings[0].incremental = true;
  tb_clock_graph_init(&graph, tb_default_allocator());
  assert_int_equal(tb_clock_graph_add(&graph, 0, readings, 3, 6), TB_BAD_DATA);
  assert_int_equal(tb_clock_graph_convert(&graph, 0, 1, 6, 20, &converted), TB_UNSUPPORTED);
  tb_clock_graph_free(&graph);
}

static void a_second_reading_refuses_what_the_first_refused(void **state) {
  (void)state;
  struct tb_clock_graph graph;
  tb_clock_graph_init(&graph, tb_default_allocator());
  for (int again = 0; again < 2; again++) {
    if (again) tb_clock_graph_rewind(&graph);
    assert_int_equal(add_three(&graph, again, 1000, 3, 100, 6, 5000), TB_OK);
    assert_int_equal(read_own(&graph, 5), 1005);
    assert_int_equal(add_three(&graph, again, 2000, 6, 4000, 3, 200), TB_REFUSED);
    assert_int_equal(add_three(&graph, again, 3000, 3, 300, 6, 5000), TB_OK);
    assert_int_equal(add_three(&graph, again, 3000, 3, 300, 6, 5000), TB_OK);
    assert_int_equal(add_three(&graph, again, 4000, 3, 400, 6, 6000), TB_OK);
    assert_int_equal(read_own(&graph, 7), 4007);
    assert_int_equal(convert(&graph, 3, 6, 401), 6001);
  }
  assert_int_equal(graph.groups[0].row_count, 3);
  tb_clock_graph_free(&graph);
}

static void a_line_whose_sums_would_wrap_is_of_no_use(void **state) {
  (void)state;
  struct tb_clock_graph graph;
  struct tb_clock_line line = {0};
  tb_clock_graph_init(&graph, tb_default_allocator());
  add(&graph, 1, INT64_MIN + 5, 6, INT64_MAX - 5);
  assert_int_equal(convert(&graph, 1, 6, INT64_MIN + 6), INT64_MAX - 4);
  tb_clock_graph_find_line(&graph, 0, 1, 6, INT64_MIN + 6, &line);
  assert_false(tb_clock_graph_use_line(&graph, &line, 1, 6, (uint64_t)INT64_MIN + 6, &(int64_t){0}));
  tb_clock_graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_snapshot_at_or_before_a_time_converts_it_else_the_first),
      cmocka_unit_test(the_path_goes_over_several_clocks_and_the_shortest_wins),
      cmocka_unit_test(a_clock_that_ran_backwards_is_no_source_but_a_target),
      cmocka_unit_test(a_snapshot_in_which_the_trace_clock_runs_backwards_is_refused),
      cmocka_unit_test(an_incremental_clock_adds_up_until_it_is_cleared),
      cmocka_unit_test(a_line_says_what_the_path_says_and_ends_where_the_next_snapshot_counts),
      cmocka_unit_test(a_line_runs_an_incremental_clock_on_until_it_is_cleared),
      cmocka_unit_test(of_paths_of_one_length_the_one_over_the_smaller_clock_wins),
      cmocka_unit_test(snapshots_of_the_same_clocks_are_one_group_in_any_order),
      cmocka_unit_test(machines_have_clocks_of_their_own),
      cmocka_unit_test(a_snapshot_that_has_a_clock_twice_relates_nothing_and_counts_up_to_there),
      cmocka_unit_test(a_clock_of_no_sequence_that_is_incremental_makes_its_snapshot_relate_nothing),
      cmocka_unit_test(a_second_reading_refuses_what_the_first_refused),
      cmocka_unit_test(a_line_whose_sums_would_wrap_is_of_no_use),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
