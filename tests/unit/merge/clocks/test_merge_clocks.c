/* SPDX-License-Identifier: Apache-2.0
 *
 * How inputs come onto one clock by what their snapshots and the caller say.
 */
#include "protos/field_numbers.h"
#include "support/merge_run.h"

static void traces_of_one_boot_keep_their_times(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), b = trace_of("b", S(200), S(5100) + 1000000, S(201));
  add(&a);
  add(&b);
  merge_well();
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_SAME_BOOT);
  assert_int_equal(event_time("b"), S(201));
  assert_int_equal(report_of(1)->machine_id, 0);
}

static void traces_of_two_machines_meet_at_the_wall_clock(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), b = trace_of("b", S(7000), S(5010), S(7001));
  add(&a);
  add(&b);
  merge_well();
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_REALTIME);
  assert_int_equal(event_time("b"), S(111));
  assert_int_equal(report_of(1)->offset_ns, -(int64_t)S(6890));
  assert_int_not_equal(report_of(1)->machine_id, 0);
}

static void drift_between_snapshots_is_followed(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), late = SNAPSHOT(0, BOOT, S(1100), REAL, S(6000));
  add_snapshot(&a, 1, &late);
  struct msg b = trace_of("b", S(7000), S(5000), S(7500)),
             drifted = SNAPSHOT(0, BOOT, S(8000), REAL, S(6000) + 50000000);
  add_snapshot(&b, 1, &drifted);
  add(&a);
  add(&b);
  merge_well();
  assert_int_equal(event_time("b"), S(600) + 25000000);
}

static void an_offset_that_is_given_places_an_input(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), b = trace_of("b", S(7000), S(5010), S(7001));
  add(&a);
  struct tb_merge_input *input = add(&b);
  input->has_offset = true;
  input->offset_ns = -(int64_t)S(6000);
  merge_well();
  assert_int_equal(event_time("b"), S(1001));
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_OFFSET);
}

static void negative_times_move_the_whole_merge(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), b = trace_of("b", S(100), S(5000), S(102));
  add(&a);
  struct tb_merge_input *input = add(&b);
  input->has_offset = true;
  input->offset_ns = -(int64_t)S(112);
  merge_well();
  assert_int_equal(event_time("b"), 0);
  assert_int_equal(event_time("a"), S(111));
  assert_non_null(strstr(tb_merge_report_render(run.report, TB_MERGE_REPORT_TEXT), "none is negative"));
}

/* A trace on a clock of its file alone. */
static struct msg clockless(const char *event, uint64_t ts) {
  struct msg t = {.len = 0}, readings = SNAPSHOT(TB_CLOCK_TRACE_FILE, TB_CLOCK_TRACE_FILE, 1);
  add_snapshot(&t, 1, &readings);
  add_event(&t, ts, 3, 5, event, 0);
  return t;
}

static void an_input_that_nothing_places_is_refused_with_the_ways_to_place_it(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), b = clockless("b", 5);
  add(&a);
  add(&b);
  merge();
  assert_int_equal(run.status, TB_REFUSED);
  assert_non_null(strstr(run.error.message, "tb_merge_input.offset_ns"));
  run.options.unplaced = TB_UNPLACED_START;
  merge_well();
  assert_int_equal(event_time("b"), event_time("a"));
  run.options.unplaced = TB_UNPLACED_DROP;
  merge();
  assert_int_equal(run.status, TB_PARTIAL);
  assert_true(report_of(1)->skipped);
  assert_non_null(strstr(report_of(1)->why, "nothing relates its clock"));
}

static void equal_clock_domains_without_evidence_are_assumed_and_that_is_said(void **unused) {
  (void)unused;
  struct msg a = {.len = 0}, b = {.len = 0};
  add_event(&a, 10, 3, 5, "a", 0);
  add_event(&b, 20, 3, 5, "b", 0);
  add(&a);
  add(&b);
  merge_well();
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_ASSUMED);
  assert_int_equal(event_time("b"), 20);
  assert_note(TB_MERGE_NOTE_CLOCK_ASSUMED, 1, "assumed: its BOOTTIME clock is the same");
  assert_non_null(strstr(tb_merge_report_render(run.report, TB_MERGE_REPORT_TEXT), "warning: "));
  assert_non_null(strstr(tb_merge_report_render(run.report, TB_MERGE_REPORT_JSON),
                         "{\"code\": \"clock_assumed\", \"level\": \"warning\", \"input\": \""));
}

static void the_merged_trace_is_on_the_clock_that_is_asked_for(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), b = trace_of("b", S(700), S(5010), S(701));
  add(&a);
  add(&b);
  run.options.trace_clock = TB_CLOCK_MONOTONIC; /* 1000 ns behind BOOTTIME in both */
  merge_well();
  assert_int_equal(event_time("a"), S(101) - 1000);
  assert_int_equal(event_time("b"), S(111) - 1000);
  struct tb_str snapshot_of_a = get_bytes(run.packets[0], 6); /* readers would take BOOTTIME where nothing is said */
  assert_int_equal(get_number(snapshot_of_a, 2), TB_CLOCK_MONOTONIC);
}

/* A RemoteClockSync of `machine`, of two rounds at one time, and an event of it. */
static void add_guest(struct msg *trace, uint32_t machine, uint64_t own, uint64_t host, uint64_t ts, const char *name) {
  struct msg client = SNAPSHOT(0, BOOT, own), of_host = SNAPSHOT(0, BOOT, host);
  struct msg round = {.len = 0}, sync = {.len = 0}, packet = {.len = 0}, event = {.len = 0}, p = packet_at(2, ts);
  put_msg(&round, 2, &client);
  put_msg(&round, 3, &of_host);
  put_msg(&sync, 1, &round);
  put_msg(&sync, 1, &round);
  put_msg(&packet, 107, &sync);
  put_uint(&packet, 98, machine);
  put_msg(trace, 1, &packet);
  put_uint(&event, 9, 3);
  put_text(&event, 23, name);
  put_msg(&p, 11, &event);
  put_uint(&p, 98, machine);
  put_msg(trace, 1, &p);
}

/* The RemoteClockSyncs of machine 7: how many rounds each has, and how far the first has it ahead. */
static size_t expect_syncs(size_t rounds, uint64_t ahead) {
  size_t syncs = 0;
  struct tb_str sync;
  for (size_t i = 0; i < run.packet_count; i++) {
    if (!find_bytes(run.packets[i], 107, &sync) || get_number(run.packets[i], 98) != 7) continue;
    struct tb_str round = get_bytes(sync, 1);
    uint64_t own = get_number(get_bytes(get_bytes(round, 2), 1), 2),
             host = get_number(get_bytes(get_bytes(round, 3), 1), 2);
    assert_int_equal(own - host, ahead);
    assert_int_equal(sync.len, rounds * (round.len + 2)); /* a tag and a length of a byte each */
    syncs++;
  }
  return syncs;
}

/* Two recordings of one host and one guest, whose clocks were compared not quite equally. */
static void a_machine_that_two_inputs_have_runs_on_one_clock(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(10000), S(100)), b = trace_of("b", S(150), S(10050), S(150));
  add_guest(&a, 7, S(1000), S(100), S(1001), "guest of a");
  add_guest(&b, 7, S(1050) + 5, S(150), S(1051) + 5, "guest of b");
  add(&a);
  add(&b);
  merge_well();
  assert_int_equal(event_time("b"), S(150));
  assert_int_equal(event_time("guest of a"), S(1001));
  assert_int_equal(event_time("guest of b"), S(1051));
  assert_int_equal(get_number(event_packet("guest of b", 0), 98), 7);
  assert_int_equal(report_of(1)->last_ns, S(151)); /* by the host's clock */
  assert_int_equal(expect_syncs(2, S(900)), 2);
}

/* Two hosts that were started at different times, and one guest that both recorded. The trace processor would take
 * what the last sync says for each of them. */
static void further_machines_are_in_step_with_the_merged_clock(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(10000), S(100)), b = trace_of("b", S(5000), S(10000), S(5000));
  add_guest(&a, 7, S(1000), S(100), S(1001), "guest of a");
  add_guest(&b, 7, S(1000), S(5000), S(1002), "guest of b");
  add(&a);
  add(&b);
  merge_well();
  assert_int_equal(event_time("b"), S(100));
  assert_int_equal(event_time("guest of a"), S(101));
  assert_int_equal(event_time("guest of b"), S(102));
  assert_int_equal(get_number(event_packet("guest of b", 0), 98), 7);
  assert_int_equal(expect_syncs(1, 0), 2);
}

static void one_input_of_several_machines_stays_as_it_is(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(10000), S(100));
  add_guest(&a, 7, S(1000), S(100), S(1001), "a guest");
  add_guest(&a, 8, S(50), S(100), S(51), "another");
  add(&a);
  merge_well();
  assert_int_equal(event_time("a guest"), S(1001));
  assert_int_equal(event_time("another"), S(51));
  assert_int_equal(expect_syncs(2, S(900)), 1);
}

static void machines_that_become_one_are_in_step_with_it(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(10000), S(100));
  struct msg own_clocks = SNAPSHOT(BOOT, BOOT, S(1000), TB_CLOCK_MONOTONIC, S(990)), p = {.len = 0};
  put_uint(&p, 98, 7);
  put_msg(&p, 6, &own_clocks);
  put_msg(&a, 1, &p);
  add_guest(&a, 7, S(1000), S(100), S(1001), "guest of a");
  struct msg event = {.len = 0}, at_mono = packet_at(2, S(993));
  put_uint(&event, 9, 3);
  put_text(&event, 23, "by its MONOTONIC");
  put_uint(&at_mono, 58, TB_CLOCK_MONOTONIC);
  put_msg(&at_mono, 11, &event);
  put_uint(&at_mono, 98, 7);
  put_msg(&a, 1, &at_mono);
  add(&a);
  run.options.flatten_machines = true;
  merge_well();
  assert_int_equal(event_time("guest of a"), S(101));
  struct tb_str packet = event_packet("by its MONOTONIC", 0);
  assert_true(get_number(packet, 58) >= 128); /* not the host's */
  assert_int_equal(expect_syncs(1, 0), 0);    /* of no machine any more */
}

enum { STEPPED_READINGS = 40 };

/* Snapshots 5 s apart, the wall clock set by `there` before reading 10 and by `back` before reading 25. */
static struct msg stepped(const char *event, uint64_t boot, int64_t there, int64_t back) {
  struct msg t = {.len = 0};
  for (int i = 0; i < STEPPED_READINGS; i++) {
    uint64_t at = (uint64_t)i * S(5), wall = S(10000) + at;
    struct msg readings =
        SNAPSHOT(0, BOOT, boot + at, REAL, (uint64_t)((int64_t)wall + (i >= 10 ? there : 0) + (i >= 25 ? back : 0)));
    add_snapshot(&t, 1, &readings);
  }
  add_event(&t, boot + S(1), 3, 5, event, 0);
  return t;
}

static void assert_step(size_t input, size_t which, int64_t size_ns, int64_t from, int64_t to) {
  for (size_t i = 0; i < tb_merge_report_note_count(run.report); i++) {
    const struct tb_merge_note *note = tb_merge_report_note(run.report, i);
    if (note->code != TB_MERGE_NOTE_CLOCK_STEP || note->input != input || which--) continue;
    assert_int_equal(note->size_ns, size_ns);
    assert_true(note->time_ns >= from && note->time_ns <= to);
    return;
  }
  fail();
}

/* Where its input is by then does not matter: that has all its times by one side of the step. */
static void the_time_of_a_step_is_by_what_the_clock_read_before_any(void **unused) {
  (void)unused;
  struct msg a = stepped("a", S(100), 0, 0), b = stepped("b", S(9000), S(3600), -(int64_t)S(3600));
  add(&a);
  add(&b);
  merge_well();
  assert_step(1, 0, S(3600), S(145), S(150));
  assert_step(1, 1, -(int64_t)S(3600), S(220), S(225));
}

static void a_step_of_the_first_input_was_when_its_own_clock_says(void **unused) {
  (void)unused;
  struct msg a = stepped("a", S(100), -(int64_t)S(400), 0), b = stepped("b", S(9000), 0, 0);
  add(&a);
  add(&b);
  merge_well();
  assert_step(0, 0, -(int64_t)S(400), S(145), S(150));
}

/* Times of hostile traces, further apart than a signed number holds. The sanitizers see what is reckoned with them; the
 * report stays sane. */
static void times_at_the_ends_of_the_range_are_merged(void **unused) {
  (void)unused;
  const uint64_t first = (uint64_t)INT64_MIN, last = INT64_MAX;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), b = trace_of("b", first + 5, last - 5, first);
  add_event(&b, last, 3, 5, "last", 7);
  struct msg c = {.len = 0}, readings = SNAPSHOT(TB_CLOCK_TRACE_FILE, TB_CLOCK_TRACE_FILE, first);
  add_snapshot(&c, 1, &readings);
  add_event(&c, first, 3, 5, "first of c", 7);
  add_event(&c, last, 3, 5, "last of c", 7);
  add_guest(&c, 7, first, last, last, "guest of c");
  add_guest(&c, 8, last, first, first, "other guest of c");
  add(&a);
  add(&b);
  add(&c);
  run.options.unplaced = TB_UNPLACED_START;
  for (int share = 0; share < 4; share++) {
    run.options.share_flows = share & 1;
    run.options.flatten_machines = share & 2;
    merge_well();
    for (size_t i = 0; i < 3; i++) assert_true(report_of(i)->drift_ppm >= -1e6 && report_of(i)->drift_ppm <= 1e6);
    run.inputs[0].has_offset = true;
    run.inputs[0].offset_ns = share & 1 ? INT64_MAX : INT64_MIN + 1;
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(traces_of_one_boot_keep_their_times),
      TEST(traces_of_two_machines_meet_at_the_wall_clock),
      TEST(the_merged_trace_is_on_the_clock_that_is_asked_for),
      TEST(drift_between_snapshots_is_followed),
      TEST(an_offset_that_is_given_places_an_input),
      TEST(negative_times_move_the_whole_merge),
      TEST(times_at_the_ends_of_the_range_are_merged),
      TEST(the_time_of_a_step_is_by_what_the_clock_read_before_any),
      TEST(a_step_of_the_first_input_was_when_its_own_clock_says),
      TEST(an_input_that_nothing_places_is_refused_with_the_ways_to_place_it),
      TEST(equal_clock_domains_without_evidence_are_assumed_and_that_is_said),
      TEST(a_machine_that_two_inputs_have_runs_on_one_clock),
      TEST(further_machines_are_in_step_with_the_merged_clock),
      TEST(one_input_of_several_machines_stays_as_it_is),
      TEST(machines_that_become_one_are_in_step_with_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
