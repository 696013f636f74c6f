/* SPDX-License-Identifier: Apache-2.0
 *
 * Which inputs are of one boot: by wall clocks that agree, by how long the machine had slept, by the user's word.
 */
#include <stdlib.h>

#include "support/merge_run.h"

enum { READINGS = 5 };
#define SLEPT UINT64_C(37123456789)

/* Five snapshots, a second apart, of a machine that slept before; MONOTONIC is read up to 900 ns late. */
static struct msg recording(const char *event, uint64_t boot, uint64_t real, uint64_t slept) {
  struct msg t = {.len = 0};
  for (uint64_t i = 0; i < READINGS; i++) {
    uint64_t at = boot + i * S(1);
    struct msg readings = SNAPSHOT(0, BOOT, at, MONO, at - slept + i * 300 % 1000, REAL, real + i * S(1));
    add_snapshot(&t, 1, &readings);
  }
  add_event(&t, boot + S(2), 3, 5, event, 0);
  return t;
}

static void merge_two(const struct msg *a, const struct msg *b) {
  add(a);
  add(b);
  merge_well();
}

static void assert_two_boots(uint64_t time) {
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_REALTIME);
  assert_true(llabs((long long)(event_time("b") - time)) < 1000);
  assert_int_not_equal(report_of(1)->machine_id, 0);
}

static void the_clock_of_one_boot_is_exact_however_noisy_its_other_clocks_are(void **unused) {
  (void)unused;
  struct msg a = recording("a", S(100), S(5000), SLEPT), b = recording("b", S(120), S(5020), SLEPT + 700);
  merge_two(&a, &b);
  assert_no_warning();
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_SAME_BOOT);
  assert_int_equal(event_time("b"), S(122));
  assert_int_equal(report_of(1)->offset_ns, 0);
  assert_true(report_of(1)->bound_ns < 10);
}

static void a_wall_clock_that_was_set_between_two_recordings_is_a_warning_with_time_and_size(void **unused) {
  (void)unused;
  struct msg a = recording("a", S(100), S(5000), SLEPT), b = recording("b", S(200), S(9100), SLEPT);
  merge_two(&a, &b);
  assert_int_equal(event_time("b"), S(202));
  assert_int_equal(report_of(1)->machine_id, 0);
  assert_note(TB_MERGE_NOTE_CLOCK_STEP, 1, "set by +4000.000000 s");
  assert_note(TB_MERGE_NOTE_CLOCK_STEP, 1, "guessed");
  const struct tb_merge_note *note = find_note(TB_MERGE_NOTE_CLOCK_STEP, 0);
  assert_int_equal(note->level, TB_MERGE_NOTE_WARNING);
  assert_int_equal(note->size_ns, S(4000));
  assert_int_equal(note->time_ns, S(152));
  assert_null(strstr(report_of(1)->why, "wall clock agrees"));
  assert_true(report_of(1)->bound_ns >= (int64_t)S(4000)); /* it may have been another boot */
}

static void so_it_is_where_the_later_recording_is_named_first(void **unused) {
  (void)unused;
  struct msg a = recording("a", S(100), S(5000), SLEPT), b = recording("b", S(200), S(9100), SLEPT);
  merge_two(&b, &a);
  assert_int_equal(event_time("a"), S(102));
  assert_note(TB_MERGE_NOTE_CLOCK_STEP, 1, "set by +4000.000000 s");
  assert_int_equal(find_note(TB_MERGE_NOTE_CLOCK_STEP, 0)->time_ns, S(152));
}

/* The same where the trace clock is MONOTONIC. */
static void sleep_is_known_by_traces_on_monotonic_too(void **unused) {
  (void)unused;
  struct msg traces[2] = {{.len = 0}, {.len = 0}};
  for (uint64_t k = 0; k < 2; k++) {
    for (uint64_t i = 0; i < READINGS; i++) {
      uint64_t boot = S(100) + k * S(100) + i * S(1);
      struct msg readings = SNAPSHOT(MONO, BOOT, boot, MONO, boot - SLEPT, REAL, boot + S(5000) + k * S(4000));
      add_snapshot(&traces[k], 1, &readings);
    }
    add_event(&traces[k], S(102) + k * S(100) - SLEPT, 3, 5, k ? "b" : "a", 0);
  }
  merge_two(&traces[0], &traces[1]);
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_SAME_BOOT);
  assert_int_equal(event_time("b"), S(202) - SLEPT);
  assert_note(TB_MERGE_NOTE_CLOCK_STEP, 1, "set by +4000.000000 s");
}

static void where_the_user_says_that_it_is_one_machine_the_step_is_a_warning_and_nothing_is_assumed(void **unused) {
  (void)unused;
  struct msg a = recording("a", S(100), S(5000), 0), b = recording("b", S(200), S(5098), 0);
  add(&a)->machine = "one";
  add(&b)->machine = "one";
  merge_well();
  assert_int_equal(event_time("b"), S(202));
  assert_note(TB_MERGE_NOTE_CLOCK_STEP, 1, "set by -2.000000 s");
  assert_null(strstr(find_note(TB_MERGE_NOTE_CLOCK_STEP, 0)->text, "guess"));
  assert_non_null(strstr(report_of(1)->why, "name"));
  assert_true(report_of(1)->bound_ns < 10);
}

static void a_short_sleep_or_none_is_no_fingerprint(void **unused) {
  (void)unused;
  const uint64_t sleeps[] = {0, 1500000, 500000000};
  for (size_t i = 0; i < sizeof(sleeps) / sizeof(sleeps[0]); i++) {
    run.count = 0;
    struct msg a = recording("a", S(100), S(5000), sleeps[i]), b = recording("b", S(200), S(9100), sleeps[i]);
    merge_two(&a, &b);
    assert_two_boots(S(4202));
    assert_no_warning();
  }
}

static void a_machine_has_one_wall_clock_at_a_time(void **unused) {
  (void)unused;
  struct msg a = recording("a", S(100), S(5000), SLEPT), b = recording("b", S(102), S(9000), SLEPT);
  merge_two(&a, &b);
  assert_two_boots(S(4102));
  assert_no_warning();
}

/* Containers of one host whose clocks are set ahead: MONOTONIC and BOOTTIME by the same. */
static void clocks_of_containers_that_are_set_are_two_as_their_wall_clock_says(void **unused) {
  (void)unused;
  struct msg a = recording("a", S(5000), S(5000), SLEPT), b = recording("b", S(1002), S(5002), SLEPT);
  merge_two(&a, &b);
  assert_two_boots(S(5004));
  assert_note(TB_MERGE_NOTE_BOOT_UNCLEAR, 1, "taken for two boots");
}

static void containers_of_one_host_have_its_clocks(void **unused) {
  (void)unused;
  struct msg a = recording("a", S(100), S(5000), 0), b = recording("b", S(101), S(5001), 0);
  merge_two(&a, &b);
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_SAME_BOOT);
  assert_int_equal(event_time("b"), S(103));
  assert_no_warning();
}

/* One reading each may be off by a millisecond, and so say nothing of hosts that were started together. */
static void a_machine_that_had_slept_less_later_is_another_one(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), b = {.len = 0},
             readings = SNAPSHOT(0, BOOT, S(200), MONO, S(170), REAL, S(5100) + 500000);
  add_snapshot(&b, 1, &readings);
  add_event(&b, S(201), 3, 5, "b", 0);
  add(&b);
  add(&a);
  merge_well();
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_SAME_BOOT); /* it slept in between */
  struct msg c = trace_of("c", S(300), S(5200), S(301));
  add(&c);
  merge_well();
  assert_int_equal(report_of(2)->placement, TB_PLACEMENT_REALTIME);
  assert_int_not_equal(report_of(2)->machine_id, 0);
}

/* ---- merged traces ----------------------------------------------------------------------------------------------- */

/* The merged trace becomes the only input. */
static void merge_again(void) {
  size_t len;
  char *merged = read_file(run.out, &len);
  for (size_t i = 0; i < run.count; i++) (void)unlink(run.paths[i]);
  run.count = 0;
  add_bytes(merged, len);
  free(merged);
}

static uint64_t event_machine(const char *name) {
  struct tb_wire_cursor cursor = tb_wire_cursor(event_packet(name, 0));
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK)
    if (field.number == 98) return field.value;
  return 0;
}

/* As if all were merged at once. */
static void the_boot_of_a_machine_is_known_when_its_merged_trace_is_merged(void **unused) {
  (void)unused;
  struct msg a = recording("a", S(900), S(5000), SLEPT), b = recording("b", S(120), S(5020), SLEPT + S(2)),
             c = recording("c", S(140), S(5040), SLEPT + S(2));
  add(&a);
  add(&b);
  add(&c);
  merge_well();
  const uint64_t times[] = {event_time("a"), event_time("b"), event_time("c")};
  assert_int_not_equal(event_machine("b"), event_machine("a"));
  assert_int_equal(event_machine("c"), event_machine("b"));

  run.count = 2;
  merge_well();
  merge_again();
  add(&c);
  merge_well();
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_SAME_BOOT);
  assert_no_warning();
  assert_int_equal(event_machine("c"), event_machine("b"));
  assert_int_not_equal(event_machine("b"), event_machine("a"));
  assert_int_equal(event_time("a"), times[0]);
  assert_int_equal(event_time("b"), times[1]);
  assert_true(llabs((long long)(event_time("c") - times[2])) <= 2);

  merge_again(); /* and once more: what was kept is kept on */
  struct msg d = recording("d", S(160), S(5060), SLEPT + S(2));
  add(&d);
  merge_well();
  assert_int_equal(event_machine("d"), event_machine("b"));
  assert_true(llabs((long long)(event_time("d") - event_time("b") - S(40))) < 1000);
}

static void a_machine_of_a_merged_trace_may_be_the_first_inputs(void **unused) {
  (void)unused;
  struct msg a = recording("a", S(900), S(5000), SLEPT), b = recording("b", S(120), S(5020), SLEPT + S(2)),
             c = recording("c", S(140), S(5040), SLEPT + S(2));
  add(&a);
  add(&b);
  merge_well();
  size_t len;
  char *merged = read_file(run.out, &len);
  for (size_t i = 0; i < run.count; i++) (void)unlink(run.paths[i]);
  run.count = 0;
  add(&c);
  add_bytes(merged, len);
  free(merged);
  merge_well();
  assert_int_equal(event_machine("c"), 0);
  assert_int_equal(event_machine("b"), 0);
  assert_int_not_equal(event_machine("a"), 0);
  assert_int_equal(event_time("c"), S(142));
  assert_true(llabs((long long)(event_time("b") - S(122))) <= 2);
}

static void the_name_of_a_machine_is_known_when_its_merged_trace_is_merged(void **unused) {
  (void)unused;
  struct msg a = recording("a", S(900), S(5000), SLEPT), b = recording("b", S(120), S(5020), SLEPT + S(2)),
             c = recording("c", S(20), S(8040), SLEPT + S(7));
  add(&a);
  add(&b)->machine = "node";
  merge_well();
  merge_again();
  run.inputs[0].machine = NULL;
  add(&c)->machine = "node";
  merge_well();
  assert_int_equal(event_machine("c"), event_machine("b"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(the_clock_of_one_boot_is_exact_however_noisy_its_other_clocks_are),
      TEST(a_wall_clock_that_was_set_between_two_recordings_is_a_warning_with_time_and_size),
      TEST(so_it_is_where_the_later_recording_is_named_first),
      TEST(sleep_is_known_by_traces_on_monotonic_too),
      TEST(where_the_user_says_that_it_is_one_machine_the_step_is_a_warning_and_nothing_is_assumed),
      TEST(a_short_sleep_or_none_is_no_fingerprint),
      TEST(a_machine_has_one_wall_clock_at_a_time),
      TEST(clocks_of_containers_that_are_set_are_two_as_their_wall_clock_says),
      TEST(containers_of_one_host_have_its_clocks),
      TEST(a_machine_that_had_slept_less_later_is_another_one),
      TEST(the_boot_of_a_machine_is_known_when_its_merged_trace_is_merged),
      TEST(a_machine_of_a_merged_trace_may_be_the_first_inputs),
      TEST(the_name_of_a_machine_is_known_when_its_merged_trace_is_merged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
