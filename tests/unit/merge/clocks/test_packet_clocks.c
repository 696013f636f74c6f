/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of packets on clocks other than their trace's: each is placed by all snapshots, or stays where readers are as
 * right.
 */
#include "protos/field_numbers.h"
#include "support/merge_run.h"

static void packets_on_another_clock_are_still_related_by_the_inputs_own_snapshots(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), b = trace_of("b", S(7000), S(5010), S(7001));
  struct msg event = {.len = 0}, p = packet_at(1, S(7002) - 1000);
  put_uint(&p, 58, MONO);
  put_uint(&event, 9, 3);
  put_text(&event, 23, "mono");
  put_uint(&event, 11, 5);
  put_msg(&p, 11, &event);
  put_msg(&b, 1, &p);
  add(&a);
  add(&b)->machine = "b";
  merge_well();
  /* machine b owns its MONOTONIC: packet and reading stay, the reading of the trace clock next to it moved */
  assert_int_equal(get_number(event_packet("mono", 0), 58), MONO);
  assert_int_equal(event_time("mono"), S(7002) - 1000);
  for (size_t i = 0; i < run.packet_count; i++) {
    struct tb_str snapshot_bytes;
    if (!find_bytes(run.packets[i], 6, &snapshot_bytes)) continue;
    if (!has_number(run.packets[i], 10))
      continue; /* the merger's, for readers that would not know the machine's clock */
    if (get_number(run.packets[i], 10) == 1) continue;
    struct msg expected = SNAPSHOT(0, BOOT, S(110), MONO, S(7000) - 1000, REAL, S(5010));
    assert_int_equal(snapshot_bytes.len, expected.len);
    assert_memory_equal(snapshot_bytes.ptr, expected.data, expected.len);
  }
}

/* An instant on a clock that its packet names. */
static void add_event_on(struct msg *trace, uint32_t clock, uint64_t ts, const char *name) {
  struct msg event = {.len = 0}, p = packet_at(1, ts);
  put_uint(&p, TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, clock);
  put_uint(&event, TB_TRACK_EVENT_TYPE, TB_TRACK_EVENT_TYPE_INSTANT);
  put_text(&event, TB_TRACK_EVENT_NAME, name);
  put_uint(&event, TB_TRACK_EVENT_TRACK_UUID, 5);
  put_msg(&p, TB_TRACE_PACKET_TRACK_EVENT, &event);
  put_msg(trace, TB_TRACE_PACKET, &p);
}

/* Ten snapshots, the fifth of which read MONOTONIC `late` ns after BOOTTIME; the wall clock runs `fast` ns a second
 * fast. */
static struct msg read_often(uint64_t late, uint64_t fast) {
  struct msg t = trace_of("boot", S(100), S(5000), S(101));
  for (uint64_t i = 1; i < 10; i++) {
    struct msg readings = SNAPSHOT(0, BOOT, S(100) + i * S(10), MONO, S(100) - 1000 + i * S(10) + (i == 5 ? late : 0),
                                   REAL, S(5000) + i * S(10) + i * 10 * fast);
    add_snapshot(&t, 1, &readings);
  }
  return t;
}

static void a_packet_behind_a_late_snapshot_gets_the_time_of_all_snapshots(void **unused) {
  (void)unused;
  struct msg a = read_often(3000000, 0);
  add_event_on(&a, MONO, S(153) - 1000, "mono");
  add(&a);
  merge_well();
  assert_int_equal(event_time("mono"), S(153));
  assert_false(has_number(event_packet("mono", 0), TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID) &&
               get_number(event_packet("mono", 0), TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID) != BOOT);
  assert_note(TB_MERGE_NOTE_READINGS_THROWN_OUT, 0, "1 of 10 readings of its BOOTTIME and MONOTONIC clocks");
}

/* A busy host: no snapshot is late, but each reads MONOTONIC up to 70 us before or after BOOTTIME. */
static void a_packet_between_noisy_snapshots_gets_the_time_of_all_of_them(void **unused) {
  (void)unused;
  static const int64_t noise_us[] = {-60, 40, -20, 70, 60, -50, 30, -70, 10};
  struct msg a = {.len = 0};
  for (uint64_t i = 1; i < 10; i++) {
    uint64_t boot = S(100) + i * S(10), mono = boot - S(1) + (uint64_t)(noise_us[i - 1] * 1000);
    struct msg readings = SNAPSHOT(0, BOOT, boot, MONO, mono, REAL, boot + S(4900));
    add_snapshot(&a, 1, &readings);
    add_event_on(&a, MONO, boot + S(2), i == 4 ? "behind 70" : i == 8 ? "behind -70" : "other");
  }
  add(&a);
  merge_well();
  assert_in_range(event_time("behind 70"), S(143) - 2000, S(143) + 2000);
  assert_in_range(event_time("behind -70"), S(183) - 2000, S(183) + 2000);
}

static void a_packet_on_the_wall_clock_follows_its_drift(void **unused) {
  (void)unused;
  struct msg a = read_often(0, 50000);
  add_event_on(&a, REAL, S(5058) + 58 * 50000, "wall");
  add(&a);
  merge_well();
  assert_int_equal(event_time("wall"), S(158));
  assert_int_equal(report_of(0)->last_ns, S(158));
}

/* A line of Android's log, which has the wall clock's time inside. */
static void add_log(struct msg *trace, uint64_t packet_ts, uint64_t wall) {
  struct msg line = {.len = 0}, log = {.len = 0}, p = packet_at(1, packet_ts);
  put_uint(&line, TB_ANDROID_LOG_PACKET_LOG_EVENT_TIMESTAMP, wall);
  put_msg(&log, TB_ANDROID_LOG_PACKET_EVENTS, &line);
  put_msg(&p, TB_TRACE_PACKET_ANDROID_LOG, &log);
  put_msg(trace, TB_TRACE_PACKET, &p);
}

static uint64_t log_time(void) {
  struct tb_str log;
  for (size_t i = 0; i < run.packet_count; i++)
    if (find_bytes(run.packets[i], TB_TRACE_PACKET_ANDROID_LOG, &log))
      return get_number(get_bytes(log, TB_ANDROID_LOG_PACKET_EVENTS), TB_ANDROID_LOG_PACKET_LOG_EVENT_TIMESTAMP);
  fail_msg("no log");
  return 0;
}

/* Readers take a line's time to the trace clock by the latest snapshot before it, which read the wall clock 3 ms late:
 * the line says what places it right by that one. */
static void a_line_of_a_log_behind_a_late_snapshot_is_placed_by_all_snapshots(void **unused) {
  (void)unused;
  const uint64_t late = 3000000;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), b = trace_of("b", S(100), S(5010), S(101));
  for (uint64_t i = 1; i < 10; i++) {
    uint64_t boot = S(100) + i * S(10), wall = S(5010) + i * S(10) + (i == 5 ? late : 0);
    struct msg readings = SNAPSHOT(0, BOOT, boot, MONO, boot - 1000, REAL, wall);
    add_snapshot(&b, 1, &readings);
  }
  add_log(&b, S(154), S(5063));
  add(&a)->machine = "a";
  add(&b)->machine = "b";
  merge_well();
  assert_int_equal(log_time(), S(5063) + late);
  run.inputs[0] = run.inputs[1]; /* alone it stays as it is */
  run.count = 1;
  merge_well();
  assert_int_equal(log_time(), S(5063));
  run.count = 2;
}

static void packets_that_readers_place_as_well_stay_as_they_are(void **unused) {
  (void)unused;
  struct msg a = read_often(0, 50000);
  add_event_on(&a, MONO, S(153) - 1000, "mono");
  add(&a);
  merge_well();
  assert_int_equal(report_of(0)->packets_unchanged, report_of(0)->packets_in);
}

enum { RAW = TB_CLOCK_MONOTONIC_RAW };

/* A snapshot of BOOTTIME and MONOTONIC_RAW, and a bundle of ftrace on the latter with an event and a pair of
 * readings. */
static struct msg ftrace_on_raw(uint64_t boot, uint64_t raw, uint64_t ts) {
  struct msg t = {.len = 0}, readings = SNAPSHOT(BOOT, BOOT, boot, RAW, raw), p = {.len = 0}, bundle = {.len = 0},
             event = {.len = 0};
  add_snapshot(&t, 1, &readings);
  put_uint(&event, TB_FTRACE_EVENT_TIMESTAMP, ts);
  put_uint(&bundle, TB_FTRACE_EVENT_BUNDLE_CPU, 0);
  put_msg(&bundle, TB_FTRACE_EVENT_BUNDLE_EVENT, &event);
  put_uint(&bundle, TB_FTRACE_EVENT_BUNDLE_FTRACE_CLOCK, TB_FTRACE_CLOCK_MONO_RAW);
  put_uint(&bundle, TB_FTRACE_EVENT_BUNDLE_FTRACE_TIMESTAMP, raw);
  put_uint(&bundle, TB_FTRACE_EVENT_BUNDLE_BOOT_TIMESTAMP, boot);
  put_uint(&p, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, 2);
  put_msg(&p, TB_TRACE_PACKET_FTRACE_EVENTS, &bundle);
  put_msg(&t, TB_TRACE_PACKET, &p);
  return t;
}

static struct tb_str bundle_of(size_t nth) {
  struct tb_str bundle = {NULL, 0};
  for (size_t i = 0; i < run.packet_count; i++)
    if (find_bytes(run.packets[i], TB_TRACE_PACKET_FTRACE_EVENTS, &bundle) && nth-- == 0) return bundle;
  fail_msg("no such bundle");
  return bundle;
}

static void ftrace_on_a_clock_that_another_input_has_too_keeps_its_moment(void **unused) {
  (void)unused;
  struct msg a = ftrace_on_raw(S(100), S(40), S(41)), b = ftrace_on_raw(S(200), S(170), S(171));
  add(&a)->machine = "one";
  struct tb_merge_input *input = add(&b);
  input->machine = "one";
  input->has_offset = true;
  merge_well();
  /* the first input's reading of MONOTONIC_RAW stays the machine's; at the second's event, at 201 s, it is 141 s */
  assert_int_equal(get_number(get_bytes(bundle_of(0), TB_FTRACE_EVENT_BUNDLE_EVENT), TB_FTRACE_EVENT_TIMESTAMP), S(41));
  assert_int_equal(get_number(bundle_of(0), TB_FTRACE_EVENT_BUNDLE_FTRACE_TIMESTAMP), S(40));
  assert_int_equal(get_number(get_bytes(bundle_of(1), TB_FTRACE_EVENT_BUNDLE_EVENT), TB_FTRACE_EVENT_TIMESTAMP),
                   S(141));
  /* it could make that clock run backwards */
  assert_false(has_number(bundle_of(1), TB_FTRACE_EVENT_BUNDLE_FTRACE_TIMESTAMP));
  assert_int_equal(get_number(bundle_of(1), TB_FTRACE_EVENT_BUNDLE_BOOT_TIMESTAMP), S(200));
}

static void incremental_clocks_of_a_drifting_input_become_absolute(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), late = SNAPSHOT(0, BOOT, S(1100), REAL, S(6000));
  add_snapshot(&a, 1, &late);
  struct msg b = trace_of("b", S(7000), S(5000), S(7001));
  struct msg drifted = SNAPSHOT(0, BOOT, S(8000), REAL, S(6000) + 50000000);
  add_snapshot(&b, 1, &drifted);
  struct msg clock = {.len = 0}, boot = {.len = 0}, both = {.len = 0};
  put_uint(&clock, 1, 64);
  put_uint(&clock, 2, 7);
  put_uint(&clock, 3, 1);
  put_uint(&clock, 4, 1000);
  put_uint(&boot, 1, BOOT);
  put_uint(&boot, 2, S(7500));
  put_msg(&both, 1, &clock);
  put_msg(&both, 1, &boot);
  add_snapshot(&b, 1, &both);
  for (int i = 0; i < 2; i++) {
    struct msg event = {.len = 0}, p = packet_at(1, 500);
    put_uint(&p, 58, 64);
    put_uint(&event, 9, 3);
    put_text(&event, 23, i ? "second" : "first");
    put_uint(&event, 11, 5);
    put_msg(&p, 11, &event);
    put_msg(&b, 1, &p);
  }
  add(&a);
  add(&b);
  merge_well();
  assert_int_equal(get_number(event_packet("first", 0), 58), BOOT);
  assert_in_range(event_time("first"), S(600) + 25000000 + 500000, S(600) + 25000000 + 500100);
  assert_in_range(event_time("second"), S(600) + 25000000 + 1000000, S(600) + 25000000 + 1000200);
}

/* A ThreadDescriptor, and events that count in microseconds from it: of thread time, too. */
static void put_counted_events(struct msg *trace, uint64_t start, uint64_t step_us, uint64_t count) {
  struct msg thread = {.len = 0}, p = {.len = 0};
  put_uint(&thread, 1, 7);
  put_uint(&thread, 2, 7);
  put_uint(&thread, 6, start / 1000);
  put_uint(&p, 10, 3);
  put_uint(&p, 13, 1);
  put_msg(&p, 44, &thread);
  put_msg(trace, 1, &p);
  for (uint64_t i = 0; i < count; i++) {
    struct msg event = {.len = 0}, packet = {.len = 0};
    put_uint(&event, 1, step_us);
    put_uint(&event, 2, 5);
    put_uint(&event, 9, 3);
    put_text(&event, 23, "counted");
    put_msg(&packet, 11, &event);
    put_uint(&packet, 10, 3);
    put_uint(&packet, 13, 2);
    put_msg(trace, 1, &packet);
  }
}

static void microseconds_that_events_count_follow_drift_without_adding_up_errors(void **unused) {
  (void)unused;
  enum { COUNT = 90 };
  struct msg a = trace_of("a", S(100), S(5000), S(101)), late = SNAPSHOT(0, BOOT, S(1100), REAL, S(6000));
  add_snapshot(&a, 1, &late);
  struct msg b = trace_of("b", S(7000), S(5000), S(7001));
  struct msg drifted = SNAPSHOT(0, BOOT, S(8000), MONO, S(8000) - 1000, REAL, S(6000) + 50000000);
  add_snapshot(&b, 1, &drifted);
  put_counted_events(&b, S(7000) - 1000, 10000001, COUNT);
  add(&a);
  add(&b);
  merge_well();
  for (uint64_t i = 0; i < COUNT; i++) {
    struct tb_str packet = event_packet("counted", i);
    double own = (double)(i + 1) * 10000001000.0, true_time = 100e9 + own * 1.00005;
    assert_true(llabs((int64_t)get_number(packet, 8) - (int64_t)true_time) <= 3);
    assert_int_equal(get_number(packet, 58), BOOT);
    assert_false(has_number(get_bytes(packet, 11), 1));
    assert_int_equal(get_number(get_bytes(packet, 11), 2), 5);
  }
}

static void microseconds_that_events_count_stay_where_no_clock_drifts(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), b = trace_of("b", S(7000), S(5010), S(7001));
  put_counted_events(&b, S(7000), 1000, 3);
  add(&a);
  add(&b);
  merge_well();
  assert_false(has_number(event_packet("counted", 2), 8));
  assert_int_equal(get_number(get_bytes(event_packet("counted", 2), 11), 1), 1000);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(packets_on_another_clock_are_still_related_by_the_inputs_own_snapshots),
      TEST(a_packet_behind_a_late_snapshot_gets_the_time_of_all_snapshots),
      TEST(a_packet_between_noisy_snapshots_gets_the_time_of_all_of_them),
      TEST(a_packet_on_the_wall_clock_follows_its_drift),
      TEST(a_line_of_a_log_behind_a_late_snapshot_is_placed_by_all_snapshots),
      TEST(packets_that_readers_place_as_well_stay_as_they_are),
      TEST(ftrace_on_a_clock_that_another_input_has_too_keeps_its_moment),
      TEST(incremental_clocks_of_a_drifting_input_become_absolute),
      TEST(microseconds_that_events_count_follow_drift_without_adding_up_errors),
      TEST(microseconds_that_events_count_stay_where_no_clock_drifts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
