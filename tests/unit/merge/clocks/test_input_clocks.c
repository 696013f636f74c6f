/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/input_clocks.h"

#include "support/merge_fixture.h"
#include "tracebridge/event.h"

enum { BOOT = TB_CLOCK_BOOTTIME, MONO = TB_CLOCK_MONOTONIC, REAL = TB_CLOCK_REALTIME, OWN = 64 };

static struct tb_input_clocks clocks;

static int set_up(void **unused) {
  (void)unused;
  tb_input_clocks_init(&clocks, tb_default_allocator());
  return 0;
}
static int tear_down(void **unused) {
  (void)unused;
  tb_input_clocks_free(&clocks);
  return 0;
}

/* Takes the packet in, at a first reading (`learn`) or a second one. */
static struct tb_merge_packet_time take_at(const struct msg *packet, bool learn) {
  struct tb_packet_header head = {.rare = 0};
  struct tb_merge_packet_time time = {.resolved = false};
  assert_int_equal(tb_packet_header_read_to_merge(&head, msg_slice(packet), NULL), TB_OK);
  struct tb_merge_sequence *sequence = tb_merge_sequence_get(&clocks.sequences, head.machine, head.sequence);
  assert_int_equal(tb_input_clocks_take(&clocks, &head, sequence, learn), TB_OK);
  if (head.has_timestamp) tb_input_clocks_time(&clocks, &head, sequence, &time);
  return time;
}
static struct tb_merge_packet_time take(const struct msg *packet) { return take_at(packet, true); }

static struct msg snapshot_packet(uint32_t sequence, const struct msg *readings) {
  struct msg p = {.len = 0};
  put_uint(&p, 10, sequence);
  put_msg(&p, 6, readings);
  return p;
}

static struct msg packet_on(uint32_t sequence, uint32_t clock, uint64_t timestamp) {
  struct msg p = packet_at(sequence, timestamp);
  put_uint(&p, 58, clock);
  return p;
}

static void a_packet_without_a_clock_is_on_the_trace_clock(void **unused) {
  (void)unused;
  struct msg p = packet_at(1, 42);
  struct tb_merge_packet_time time = take(&p);
  assert_true(time.resolved);
  assert_int_equal(time.clock, BOOT);
  assert_int_equal(time.time, 42);
}

static void the_first_snapshot_that_names_a_trace_clock_counts(void **unused) {
  (void)unused;
  struct msg first = SNAPSHOT(MONO, MONO, 10, BOOT, 20), second = SNAPSHOT(REAL, MONO, 11, BOOT, 21, REAL, 99);
  struct msg p = snapshot_packet(1, &first), q = snapshot_packet(1, &second), r = packet_on(1, BOOT, 25);
  (void)take(&p);
  (void)take(&q);
  assert_int_equal(clocks.primary, MONO);
  assert_int_equal(take(&r).time, 15);
}

static void the_last_snapshot_at_or_before_a_time_counts_else_the_first(void **unused) {
  (void)unused;
  for (uint64_t i = 1; i <= 5; i++) {
    struct msg readings = SNAPSHOT(0, MONO, 100 * i, BOOT, 1000 + 100 * i + i), p = snapshot_packet(1, &readings);
    (void)take(&p);
  }
  static const int64_t expected[][2] = {{50, 1051},  {100, 1101}, {199, 1200}, {200, 1202},
                                        {350, 1353}, {499, 1503}, {500, 1505}, {900, 1905}};
  for (size_t repeat = 0; repeat < 2; repeat++) /* the second time by what is remembered, in the other direction */
    for (size_t i = 0; i < 8; i++) {
      const int64_t *pair = expected[repeat ? 7 - i : i];
      struct msg p = packet_on(1, MONO, (uint64_t)pair[0]);
      assert_int_equal(take(&p).time, pair[1]);
    }
}

static void what_is_remembered_of_a_clock_is_forgotten_with_a_new_snapshot(void **unused) {
  (void)unused;
  struct msg first = SNAPSHOT(0, MONO, 100, BOOT, 200), second = SNAPSHOT(0, MONO, 300, BOOT, 900);
  struct msg p = snapshot_packet(1, &first), q = snapshot_packet(1, &second), r = packet_on(1, MONO, 400);
  (void)take(&p);
  assert_int_equal(take(&r).time, 500);
  (void)take(&q);
  assert_int_equal(take(&r).time, 1000);
}

static void a_clock_is_reached_over_others(void **unused) {
  (void)unused;
  struct msg first = SNAPSHOT(0, 200, 5, REAL, 1005), second = SNAPSHOT(0, REAL, 2000, BOOT, 50);
  struct msg p = snapshot_packet(1, &first), q = snapshot_packet(1, &second), r = packet_on(1, 200, 6);
  (void)take(&p);
  assert_false(take(&r).resolved);
  (void)take(&q);
  assert_true(take(&r).resolved);
  assert_int_equal(take(&r).time, 1006 - 1950);
  int64_t back;
  assert_true(tb_input_clocks_convert_back(&clocks, 0, 200, 1006 - 1950, &back));
  assert_int_equal(back, 6);
}

static void what_another_clock_reads_changes_no_time_of_the_trace_clock(void **unused) {
  (void)unused;
  struct msg readings = SNAPSHOT(0, MONO, 100, BOOT, 1000), p = snapshot_packet(1, &readings);
  struct msg named = packet_on(1, BOOT, 1005), unnamed = packet_at(1, 1006);
  int64_t back;
  (void)take(&p);
  assert_int_equal(take(&named).time, 1005);
  assert_true(tb_input_clocks_convert_back(&clocks, 0, MONO, 1007, &back));
  assert_int_equal(back, 107);
  assert_int_equal(take(&named).time, 1005);
  assert_int_equal(take(&unnamed).time, 1006);
}

/* A snapshot of a sequence's own clock that counts on in microseconds. */
static struct msg incremental_start(uint32_t sequence, uint64_t own, uint64_t boot) {
  struct msg clock = {.len = 0}, other = {.len = 0}, readings = {.len = 0}, defaults = {.len = 0}, p = {.len = 0};
  put_uint(&clock, 1, OWN);
  put_uint(&clock, 2, own);
  put_uint(&clock, 3, 1);
  put_uint(&clock, 4, 1000);
  put_uint(&other, 1, BOOT);
  put_uint(&other, 2, boot);
  put_msg(&readings, 1, &clock);
  put_msg(&readings, 1, &other);
  put_uint(&defaults, 58, OWN);
  put_uint(&p, 10, sequence);
  put_uint(&p, 13, 1);
  put_msg(&p, 59, &defaults);
  put_msg(&p, 6, &readings);
  return p;
}

static void increments_add_up_in_each_sequence_by_itself_and_anew_at_a_second_reading(void **unused) {
  (void)unused;
  for (int reading = 0; reading < 2; reading++) {
    struct msg one = incremental_start(1, 0, 5000), two = incremental_start(2, 7, 90000);
    struct msg a = packet_at(1, 2), b = packet_at(2, 3);
    (void)take_at(&one, reading == 0);
    (void)take_at(&two, reading == 0);
    struct tb_merge_packet_time time = take_at(&a, reading == 0);
    assert_true(time.default_clock);
    assert_int_equal(time.time, 7000);
    assert_int_equal(take_at(&b, reading == 0).time, 93000);
    assert_int_equal(take_at(&a, reading == 0).time, 9000);
    tb_input_clocks_rewind(&clocks);
  }
}

static void cleared_state_takes_the_default_clock_along(void **unused) {
  (void)unused;
  struct msg start = incremental_start(1, 0, 5000), a = packet_at(1, 2), cleared = packet_at(1, 3);
  put_uint(&cleared, 13, 1);
  (void)take(&start);
  assert_int_equal(take(&a).clock, OWN);
  assert_int_equal(take(&cleared).clock, BOOT);
  assert_int_equal(take(&a).clock, BOOT);
}

static void a_snapshot_that_holds_a_clock_twice_relates_nothing(void **unused) {
  (void)unused;
  struct msg readings = SNAPSHOT(0, MONO, 10, MONO, 11, BOOT, 20), p = snapshot_packet(1, &readings);
  struct msg r = packet_on(1, MONO, 12);
  (void)take(&p);
  assert_false(take(&r).resolved);
  assert_int_equal(clocks.bad_snapshots, 1);
}

static void a_snapshot_in_which_the_trace_clock_runs_backwards_is_counted_and_relates_nothing(void **unused) {
  (void)unused;
  struct msg first = SNAPSHOT(0, MONO, 100, BOOT, 1000), second = SNAPSHOT(0, MONO, 200, BOOT, 900);
  struct msg p = snapshot_packet(1, &first), q = snapshot_packet(1, &second), r = packet_on(1, MONO, 250);
  (void)take(&p);
  (void)take(&q);
  assert_int_equal(clocks.bad_snapshots, 1);
  assert_int_equal(take(&r).time, 1150);
  tb_input_clocks_rewind(&clocks);
  (void)take_at(&p, false);
  (void)take_at(&q, false);
  assert_int_equal(clocks.bad_snapshots, 1); /* counted once */
  assert_int_equal(take_at(&r, false).time, 1150);
}

static void a_clock_that_ran_backwards_is_no_source_but_a_target(void **unused) {
  (void)unused;
  struct msg first = SNAPSHOT(0, REAL, 500, BOOT, 1000), second = SNAPSHOT(0, REAL, 400, BOOT, 2000);
  struct msg p = snapshot_packet(1, &first), q = snapshot_packet(1, &second), r = packet_on(1, REAL, 450);
  int64_t back;
  (void)take(&p);
  assert_true(take(&r).resolved);
  (void)take(&q);
  assert_false(take(&r).resolved);
  assert_true(tb_input_clocks_convert_back(&clocks, 0, REAL, 2001, &back));
  assert_int_equal(back, 401);
}

/* The machine's own snapshots are missing: what the syncs read of it relates its clocks. */
static void readings_of_a_sync_relate_the_other_machines_clocks(void **unused) {
  (void)unused;
  struct msg client = SNAPSHOT(0, BOOT, 100, MONO, 30), round = {.len = 0}, sync = {.len = 0}, p = {.len = 0};
  put_msg(&round, 2, &client);
  put_msg(&sync, 1, &round);
  put_uint(&p, 98, 7);
  put_msg(&p, 107, &sync);
  (void)take(&p);
  int64_t time;
  assert_true(tb_input_clocks_convert(&clocks, 7, MONO, 31, &time));
  assert_int_equal(time, 101);
  assert_false(tb_input_clocks_convert(&clocks, 0, MONO, 31, &time));
}

static void two_rounds_between_machines_give_a_round_trip(void **unused) {
  (void)unused;
  struct msg sync = {.len = 0}, p = {.len = 0};
  for (uint64_t i = 0; i < 2; i++) { /* the client reads 100, then 140; the host 1020 in between, and 1060 */
    struct msg client = SNAPSHOT(0, BOOT, 100 + 40 * i), host = SNAPSHOT(0, BOOT, 1020 + 40 * i), round = {.len = 0};
    put_msg(&round, 2, &client);
    put_msg(&round, 3, &host);
    put_msg(&sync, 1, &round);
  }
  put_uint(&p, 98, 7);
  put_msg(&p, 107, &sync);
  (void)take(&p);
  assert_int_equal(clocks.sync_count, 1);
  assert_int_equal(clocks.syncs[0].machine, 7);
  assert_int_equal(clocks.syncs[0].clock, BOOT);
  assert_int_equal(clocks.syncs[0].ns, 100);
  assert_int_equal(clocks.syncs[0].host_ns, 1000);
  int64_t ahead;
  assert_true(tb_input_clocks_ahead(&clocks, 7, &ahead));
  assert_int_equal(ahead, -900);
  assert_false(tb_input_clocks_ahead(&clocks, 8, &ahead));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(a_packet_without_a_clock_is_on_the_trace_clock),
      TEST(the_first_snapshot_that_names_a_trace_clock_counts),
      TEST(the_last_snapshot_at_or_before_a_time_counts_else_the_first),
      TEST(what_is_remembered_of_a_clock_is_forgotten_with_a_new_snapshot),
      TEST(a_clock_is_reached_over_others),
      TEST(what_another_clock_reads_changes_no_time_of_the_trace_clock),
      TEST(increments_add_up_in_each_sequence_by_itself_and_anew_at_a_second_reading),
      TEST(cleared_state_takes_the_default_clock_along),
      TEST(a_snapshot_that_holds_a_clock_twice_relates_nothing),
      TEST(a_snapshot_in_which_the_trace_clock_runs_backwards_is_counted_and_relates_nothing),
      TEST(a_clock_that_ran_backwards_is_no_source_but_a_target),
      TEST(readings_of_a_sync_relate_the_other_machines_clocks),
      TEST(two_rounds_between_machines_give_a_round_trip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
