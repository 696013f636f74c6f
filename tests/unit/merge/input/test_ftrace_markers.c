/* SPDX-License-Identifier: Apache-2.0
 *
 * What marks in ftrace text say of its clock, and text that is placed by them.
 */
#include "merge/input/ftrace_markers.h"

#include "support/merge_run.h"

#define LINE(seconds, text) "  app-123 (  123) [000] .... " seconds ": tracing_mark_write: " text "\n"
#define MARK "trace_event_clock_sync: "
#define TEXT(...) "# tracer: nop\n#\n" __VA_ARGS__ LINE("103.000000", "B|123|work") LINE("104.000000", "E|123")

static struct tb_ftrace_markers read_markers(const char *text) {
  struct tb_ftrace_markers markers = {.has_lines = false};
  tb_ftrace_markers_take(&markers, tb_str_from(text));
  return markers;
}

static void marks_say_monotonic_and_wall_time(void **unused) {
  (void)unused;
  struct tb_ftrace_markers m = read_markers(
      TEXT(LINE("102.000000", MARK "parent_ts=901.999997") LINE("102.000010", MARK "realtime_ts=1700000002000")));
  assert_true(m.monotonic.known && m.realtime.known);
  assert_int_equal(m.monotonic.at, S(102));
  assert_int_equal(m.monotonic.reading, 901999997000);
  assert_int_equal(m.realtime.at, 102000010000);
  assert_int_equal(m.realtime.reading, S(1700000002));
  assert_int_equal(m.first, S(102));
  assert_int_equal(m.last, S(104));
}

static void of_several_marks_the_one_counts_that_was_written_soonest(void **unused) {
  (void)unused;
  struct tb_ftrace_markers m = read_markers(TEXT(LINE("102.000100", MARK "parent_ts=902.000000") LINE(
      "102.500001", MARK "parent_ts=902.500000") LINE("102.900050", MARK "parent_ts=902.900000")));
  assert_int_equal(m.monotonic.at, 102500001000);
  assert_int_equal(m.monotonic.reading, S(902.5));
}

static void marks_that_are_damaged_or_are_no_events_say_nothing(void **unused) {
  (void)unused;
  struct tb_ftrace_markers m =
      read_markers(MARK "parent_ts=5\n" TEXT(LINE("102.0", MARK "parent_ts=x") LINE("102.1", MARK)));
  assert_false(m.monotonic.known || m.realtime.known);
  m = read_markers("");
  assert_false(m.has_lines);
}

/* MONOTONIC is 100 s behind BOOTTIME, the text's clock 800 s behind MONOTONIC. */
static void add_system(uint64_t boot) {
  struct msg system = {.len = 0};
  for (uint64_t i = 0; i < 10; i++) {
    struct msg readings = SNAPSHOT(0, BOOT, boot + S(i), MONO, boot - S(100) + S(i), REAL, S(1700000000) + S(i));
    add_snapshot(&system, 1, &readings);
  }
  add_event(&system, boot + S(3), 3, 5, "at three seconds", 0);
  add(&system);
}
static void add_text(const char *text) { add_bytes(text, strlen(text)); }

static void text_is_placed_by_monotonic_rather_than_by_wall_time(void **unused) {
  (void)unused;
  add_system(S(1000));
  add_text(TEXT(LINE("102.000000", MARK "parent_ts=901.999997") LINE("102.000010", MARK "realtime_ts=1700000002007")));
  merge_well();
  assert_int_equal(report_of(1)->last_ns - report_of(1)->first_ns, S(2));
  assert_int_equal(report_of(1)->offset_ns, 899999997000);
  assert_true(report_of(1)->has_bound && report_of(1)->bound_ns < 25000);
  assert_int_equal(report_of(1)->bounds[report_of(1)->bound_count - 1].time_ns, S(1003.999997));
  assert_no_warning();
}

static void text_without_it_is_placed_by_the_middle_of_its_millisecond(void **unused) {
  (void)unused;
  add_system(S(1000));
  add_text(TEXT(LINE("102.000000", MARK "realtime_ts=1700000002000")));
  merge_well();
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_REALTIME);
  assert_int_equal(report_of(1)->offset_ns, S(900.0005));
  assert_no_warning();
}

static void monotonic_of_another_machine_places_nothing(void **unused) {
  (void)unused;
  add_system(S(9000));
  add_text(TEXT(LINE("102.000000", MARK "parent_ts=901.999997") LINE("102.000010", MARK "realtime_ts=1700000002000")));
  merge_well();
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_REALTIME);
}

static void texts_of_one_machine_meet_on_monotonic(void **unused) {
  (void)unused;
  add_text(TEXT(LINE("102.000000", MARK "parent_ts=902.000000")));
  add_text(TEXT(LINE("102.000000", MARK "parent_ts=903.000000")));
  merge_well();
  assert_int_equal(report_of(1)->offset_ns, S(1));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(marks_say_monotonic_and_wall_time),
      TEST(of_several_marks_the_one_counts_that_was_written_soonest),
      TEST(marks_that_are_damaged_or_are_no_events_say_nothing),
      TEST(text_is_placed_by_monotonic_rather_than_by_wall_time),
      TEST(text_without_it_is_placed_by_the_middle_of_its_millisecond),
      TEST(monotonic_of_another_machine_places_nothing),
      TEST(texts_of_one_machine_meet_on_monotonic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
