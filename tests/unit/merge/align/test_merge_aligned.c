/* SPDX-License-Identifier: Apache-2.0
 *
 * How inputs come onto one clock by events, messages and clock_sync events that they share.
 */
#include "support/merge_run.h"

/* A trace on a clock of its file alone. */
static struct msg clockless(const char *event, uint64_t ts) {
  struct msg t = {.len = 0}, readings = SNAPSHOT(TB_CLOCK_TRACE_FILE, TB_CLOCK_TRACE_FILE, 1);
  add_snapshot(&t, 1, &readings);
  add_event(&t, ts, 3, 5, event, 0);
  return t;
}

static uint64_t random_state;
static double uniform(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (double)(random_state >> 11) / 9007199254740992.0;
}

/* The truth: b's clock reads 5 s + 40 ppm more than a's. */
static uint64_t on_b(uint64_t a) { return a + S(5) + (uint64_t)((double)a * 40e-6); }

static void events_of_one_name_give_offset_and_drift(void **unused) {
  (void)unused;
  struct msg a = clockless("start", S(1)), b = clockless("start", on_b(S(1)));
  random_state = 3;
  for (int i = 0; i < 60; i++) {
    uint64_t at = S(2) + S(1) * (uint64_t)i, jitter = (uint64_t)(uniform() * 1000);
    add_event(&a, at, 1, 5, "barrier", 0);
    add_event(&a, at + 5000, 2, 5, NULL, 0);
    add_event(&b, on_b(at) + jitter + (i == 30 ? S(0.02) : 0), 1, 5, "barrier", 0);
    add_event(&b, on_b(at + 5000) + jitter, 2, 5, NULL, 0);
  }
  add_event(&b, on_b(S(100)), 3, 5, "late", 0);
  add(&a);
  add(&b);
  run.options.align_on = "barrier";
  merge_well();
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_ALIGNED);
  assert_int_equal(report_of(1)->outliers, 1);
  assert_int_equal(report_of(1)->matches, 59);
  assert_in_range(event_time("late"), S(100) - 3000, S(100) + 3000);
  assert_true(report_of(1)->drift_ppm > -40.1 && report_of(1)->drift_ppm < -39.9);
  assert_note(TB_MERGE_NOTE_MATCHES_THROWN_OUT, 1, "1 of 60 matches");
  assert_null(find_note(TB_MERGE_NOTE_DRIFT_NOT_FOLLOWED, 0));
  run.options.align_on = "barrier:end";
  merge_well();
  assert_in_range(event_time("late"), S(100) - 3000, S(100) + 3000);
}

static void one_event_of_a_name_gives_an_offset(void **unused) {
  (void)unused;
  struct msg a = clockless("marker", S(10)), b = clockless("marker", S(3));
  add_event(&b, S(4), 3, 5, "after", 0);
  add(&a);
  add(&b);
  run.options.align_on = "marker";
  merge_well();
  assert_int_equal(event_time("after"), S(11));
}

enum { CHAIN = 6, LINKS = 50 };

/* Link `i` of a chain has events with link i - 1 and, at other moments, with link i + 1. Its clock is 5 s * i ahead. */
static struct msg chain_link(int i) {
  struct msg t = clockless("start", S(5) * (uint64_t)i + S(1));
  char name[] = "probe0";
  for (int side = 0; side < 2; side++) {
    random_state = (uint64_t)i + (uint64_t)side + 10;
    for (int k = 0; k < LINKS; k++) add_event(&t, S(5) * (uint64_t)i + (uint64_t)(100e9 * uniform()), 3, 5, "link", 0);
  }
  name[5] = (char)('0' + i);
  add_event(&t, S(5) * (uint64_t)i + S(50), 3, 5, name, 0);
  return t;
}

static void a_chain_of_inputs_that_share_moments_comes_together_in_any_order(void **unused) {
  (void)unused;
  static const int order[CHAIN] = {0, 5, 1, 4, 2, 3};
  struct msg links[CHAIN];
  for (int i = 0; i < CHAIN; i++) {
    links[i] = chain_link(order[i]);
    add(&links[i]);
  }
  run.options.align_on = "link";
  merge_well();
  for (int i = 1; i < CHAIN; i++) {
    char name[] = "probe0";
    name[5] = (char)('0' + i);
    assert_in_range(event_time(name), S(50) - 1000, S(50) + 1000);
  }
}

static void inputs_whose_events_are_at_other_moments_are_not_placed_by_them(void **unused) {
  (void)unused;
  struct msg a = chain_link(0), b = chain_link(3);
  add(&a);
  add(&b);
  run.options.align_on = "link";
  merge();
  assert_int_equal(run.status, TB_REFUSED);
}

/* Two traces with `count` events of one name, so far apart in the first one, and by so many ppm more in the second. */
static void add_drifting(int count, double apart, double ppm) {
  struct msg a = clockless("a", S(1)), b = clockless("b", S(1));
  for (int i = 0; i < count; i++) {
    add_event(&a, S(2 + apart * i), 3, 5, "tick", 0);
    add_event(&b, S(2 + apart * i * (1 + ppm * 1e-6)), 3, 5, "tick", 0);
  }
  add(&a);
  add(&b);
  run.options.align_on = "tick";
}

static void a_drift_that_no_clock_has_is_not_followed(void **unused) {
  (void)unused;
  add_drifting(20, 1, 300);
  merge_well();
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_ALIGNED);
  assert_true(report_of(1)->drift_ppm == 0);
  assert_int_equal(report_of(1)->offset_ns, -2850000); /* the mean: 300 ppm of 9.5 s */
  assert_true(report_of(1)->residual_ns > 1.7e6 && report_of(1)->residual_ns < 1.8e6);
  assert_note(TB_MERGE_NOTE_DRIFT_NOT_FOLLOWED, 1, "more than 200 ppm");
  run.options.max_drift_ppm = 301;
  merge_well();
  assert_true(report_of(1)->drift_ppm < -299 && report_of(1)->drift_ppm > -301);
  assert_null(find_note(TB_MERGE_NOTE_DRIFT_NOT_FOLLOWED, 0));
  assert_note(TB_MERGE_NOTE_ALIGNMENT_AMBIGUOUS, 1, "20 of its events 'tick'");
  run.options.max_drift_ppm = 1000000;
  merge();
  assert_int_equal(run.status, TB_INVALID);
}

static void a_drift_that_few_or_close_matches_give_is_not_followed(void **unused) {
  (void)unused;
  add_drifting(2, 1, 50);
  merge_well();
  assert_true(report_of(1)->drift_ppm == 0);
  assert_int_equal(report_of(1)->matches, 2);
  assert_note(TB_MERGE_NOTE_DRIFT_NOT_FOLLOWED, 1, "uncertain by 283 ppm");
}

static void a_drift_that_two_matches_far_apart_give_is_followed(void **unused) {
  (void)unused;
  add_drifting(2, 60, 50);
  merge_well();
  assert_true(report_of(1)->drift_ppm < -49 && report_of(1)->drift_ppm > -51);
  assert_no_warning();
}

static void a_drift_beyond_doubt_that_may_not_be_is_refused(void **unused) {
  (void)unused;
  add_drifting(120, 1, 400);
  merge();
  assert_int_equal(run.status, TB_REFUSED);
  assert_non_null(strstr(run.error.message, "tb_merge_options.max_drift_ppm 400"));
}

static void a_name_that_fewer_than_two_inputs_have_is_refused(void **unused) {
  (void)unused;
  struct msg a = trace_of("barrier", S(100), S(5000), S(101)), b = trace_of("other", S(7000), S(5010), S(7001));
  add(&a);
  add(&b);
  run.options.align_on = "barier";
  merge();
  assert_int_equal(run.status, TB_REFUSED);
  assert_non_null(strstr(run.error.message, "no event 'barier' in "));
  run.options.align_on = "barrier:end"; /* an instant has no end of its own, and is both */
  merge();
  assert_int_equal(run.status, TB_REFUSED);
  assert_non_null(strstr(run.error.message, "only "));
  assert_non_null(strstr(run.error.message, "'barrier:end'"));
}

static void an_input_without_the_event_is_reported_and_what_placed_it(void **unused) {
  (void)unused;
  struct msg a = trace_of("barrier", S(100), S(5000), S(101)), b = trace_of("barrier", S(7000), S(5010), S(7001)),
             c = trace_of("other", S(700), S(5020), S(701));
  add(&a);
  add(&b);
  add(&c);
  run.options.align_on = "barrier";
  merge_well();
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_ALIGNED);
  assert_note(TB_MERGE_NOTE_EVENT_MISSING, 2, "placed by: wall clocks");
  assert_null(find_note(TB_MERGE_NOTE_ALIGNMENT_UNUSED, 0));
}

static void events_that_place_nothing_are_reported(void **unused) {
  (void)unused;
  struct msg a = trace_of("other", S(100), S(5000), S(101)), b = trace_of("barrier", S(7000), S(5010), S(7001)),
             c = trace_of("barrier", S(700), S(5020), S(701));
  add(&a);
  add(&b);
  add(&c);
  run.options.align_on = "barrier";
  merge_well();
  assert_note(TB_MERGE_NOTE_EVENT_MISSING, 0, "its clock is the merged trace's clock");
  assert_note(TB_MERGE_NOTE_ALIGNMENT_UNUSED, 1, "placed by: wall clocks");
}

static void rows_that_differ_too_much_are_reported(void **unused) {
  (void)unused;
  struct msg a = clockless("a", S(1)), b = clockless("b", S(1));
  add_event(&a, S(2), 3, 5, "tick", 0);
  add_event(&b, S(3), 3, 5, "tick", 0);
  add_event(&b, S(4), 3, 5, "tick", 0);
  add(&a);
  add(&b);
  run.options.align_on = "tick";
  merge_well();
  assert_note(TB_MERGE_NOTE_MATCHES_ASSUMED, 1, "has 2 events 'tick'");
}

static void add_receipt(struct msg *trace, uint64_t ts, const char *name, uint64_t flow) {
  struct msg event = {.len = 0}, p = packet_at(1, ts);
  put_uint(&event, 9, 3);
  put_uint(&event, 11, 5);
  put_text(&event, 23, name);
  put_fixed64(&event, 48, flow);
  put_msg(&p, 11, &event);
  put_msg(trace, 1, &p);
}

static void messages_place_an_input_so_that_none_runs_backwards(void **unused) {
  (void)unused;
  struct msg a = clockless("a", S(1)), b = clockless("b", on_b(S(1)));
  random_state = 5;
  enum { N = 40 };
  uint64_t sent[N], received[N];
  char name[16];
  for (uint64_t i = 0; i < N; i++) {
    uint64_t at = S(2) + S(1) * i, then = at + 20000 + (uint64_t)(uniform() * 100000);
    sent[i] = i % 2 ? on_b(at) : at;
    received[i] = i % 2 ? then : on_b(then);
    (void)snprintf(name, sizeof(name), "send%d", (int)i);
    add_event(i % 2 ? &b : &a, sent[i], 3, 5, name, 1000 + i);
    (void)snprintf(name, sizeof(name), "get%d", (int)i);
    add_receipt(i % 2 ? &a : &b, received[i], name, 1000 + i);
  }
  add(&a);
  add(&b);
  run.options.align_messages = true;
  merge_well();
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_MESSAGES);
  assert_true(report_of(1)->has_bound);
  for (int i = 0; i < N; i++) {
    (void)snprintf(name, sizeof(name), "send%d", i);
    uint64_t from = event_time(name);
    (void)snprintf(name, sizeof(name), "get%d", i);
    assert_true(from <= event_time(name));
  }
  int64_t off = (int64_t)event_time("b") - (int64_t)S(1); /* b happened at second 1 of a's clock */
  assert_true(llabs(off) <= report_of(1)->bound_ns);
  assert_int_equal(event_flow("send1"), 1001); /* aligned messages are shared */
}

static void a_message_that_cannot_be_met_is_reported(void **unused) {
  (void)unused;
  struct msg a = clockless("a", S(1)), b = clockless("b", S(1));
  for (uint64_t i = 0; i < 20; i++) {
    uint64_t at = S(2) + S(1) * i;
    add_event(i % 2 ? &b : &a, at, 3, 5, "send", 1000 + i);
    add_receipt(i % 2 ? &a : &b, at + 50000, "get", 1000 + i);
  }
  add_event(&a, S(30), 3, 5, "send", 77);
  add_receipt(&b, S(29), "get", 77);
  add(&a);
  add(&b);
  run.options.align_messages = true;
  merge_well();
  assert_int_equal(report_of(1)->outliers, 1);
  const struct tb_merge_note *note = find_note(TB_MERGE_NOTE_MESSAGE_BACKWARDS, 0);
  assert_non_null(note);
  long long sorts_first = 0;
  assert_int_equal(sscanf(note->text, "flow 77 arrives %lld ns before", &sorts_first), 1);
  assert_true(sorts_first > 999000000 && sorts_first < 1001000000);
  assert_note(TB_MERGE_NOTE_MESSAGES_BACKWARDS, 1, "1 of the 11 messages to it");
}

/* Each pair of three inputs is placed alone: what the third pair's messages say is not used, and is reported. */
static void messages_of_a_pair_that_places_nothing_are_reported(void **unused) {
  (void)unused;
  struct msg t[3];
  for (int i = 0; i < 3; i++) t[i] = clockless(i == 0 ? "a" : i == 1 ? "b" : "c", S(1));
  /* from 0 to 1 and from 0 to 2 and back fast; from 1 to 2 the clocks say that it takes -5 ms */
  uint64_t flow = 1;
  for (int k = 0; k < 10; k++) {
    for (int to = 1; to < 3; to++) {
      uint64_t at = S(2 + k);
      add_event(&t[0], at, 3, 5, "send", flow);
      add_receipt(&t[to], at + 1000, "get", flow++);
      add_event(&t[to], at + 2000, 3, 5, "send", flow);
      add_receipt(&t[0], at + 3000, "get", flow++);
    }
    add_event(&t[1], S(2.5 + k), 3, 5, "send", flow);
    add_receipt(&t[2], S(2.5 + k) - 5000000, "get", flow++);
  }
  for (int i = 0; i < 3; i++) add(&t[i]);
  run.options.align_messages = true;
  merge_well();
  assert_note(TB_MERGE_NOTE_MESSAGES_BACKWARDS, 2, "10 of the 20 messages to it");
  assert_non_null(find_note(TB_MERGE_NOTE_MESSAGE_BACKWARDS, 7));
  assert_null(find_note(TB_MERGE_NOTE_MESSAGE_BACKWARDS, 8));
}

static void one_answer_gives_no_drift_that_clocks_do_not_have(void **unused) {
  (void)unused;
  struct msg a = clockless("a", S(1)), b = clockless("b", S(1));
  add_event(&a, S(2), 3, 5, "send", 1);
  add_receipt(&b, S(2.001), "get", 1);
  add_event(&b, S(2.002), 3, 5, "send", 2);
  add_receipt(&a, S(2.003), "get", 2);
  add(&a);
  add(&b);
  run.options.align_messages = true;
  merge_well();
  assert_true(report_of(1)->drift_ppm <= 200 && report_of(1)->drift_ppm >= -200);
  assert_true(report_of(1)->has_bound);
}

static void clock_sync_events_place_inputs_whoever_asked(void **unused) {
  (void)unused;
  static const char receiver[] =
      "{\"traceEvents\": [{\"ph\": \"c\", \"name\": \"clock_sync\", \"ts\": 5000, \"pid\": 1, "
      "\"tid\": 1, \"args\": {\"sync_id\": \"one\"}}, {\"ph\": \"i\", \"name\": \"r\", \"ts\": 6000, "
      "\"pid\": 1, \"tid\": 1}]}";
  static const char issuer[] =
      "{\"traceEvents\": [{\"ph\": \"c\", \"name\": \"clock_sync\", \"ts\": 1010, \"pid\": 2, "
      "\"tid\": 2, \"args\": {\"sync_id\": \"one\", \"issue_ts\": 990}}, {\"ph\": \"i\", \"name\": "
      "\"i\", \"ts\": 2000, \"pid\": 2, \"tid\": 2}]}";
  add_bytes(receiver, sizeof(receiver) - 1);
  add_bytes(issuer, sizeof(issuer) - 1);
  merge_well();
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_CLOCK_SYNC);
  assert_int_equal(report_of(1)->offset_ns, 4000000);
  assert_in_range(report_of(1)->bound_ns, 10000, 10004);
  struct tb_merge_input first = run.inputs[0];
  run.inputs[0] = run.inputs[1];
  run.inputs[1] = first;
  merge_well();
  assert_int_equal(report_of(1)->offset_ns, -4000000);
}

/* As hostile traces have them. The sanitizers see what is reckoned. */
static void events_at_the_ends_of_the_range_of_times_are_aligned(void **unused) {
  (void)unused;
  const uint64_t first = (uint64_t)INT64_MIN, last = INT64_MAX;
  static const char one[] =
      "{\"traceEvents\": [{\"ph\": \"c\", \"name\": \"clock_sync\", \"ts\": -9223372036854775, \"pid\": 1, \"tid\": 1, "
      "\"args\": {\"sync_id\": \"one\"}}, {\"ph\": \"c\", \"name\": \"clock_sync\", \"ts\": 9223372036854775, \"pid\": "
      "1, "
      "\"tid\": 1, \"args\": {\"sync_id\": \"two\", \"issue_ts\": -9223372036854775}}, {\"ph\": \"X\", \"name\": "
      "\"here\", "
      "\"ts\": 9223372036854774, \"dur\": 9223372036854774, \"pid\": 1, \"tid\": 1}]}";
  static const char other[] =
      "{\"traceEvents\": [{\"ph\": \"c\", \"name\": \"clock_sync\", \"ts\": 9223372036854775, \"pid\": 2, \"tid\": 2, "
      "\"args\": {\"sync_id\": \"one\", \"issue_ts\": -9223372036854775807}}, {\"ph\": \"c\", \"name\": "
      "\"clock_sync\", "
      "\"ts\": 0, \"pid\": 2, \"tid\": 2, \"args\": {\"sync_id\": \"two\"}}, {\"ph\": \"X\", \"name\": \"here\", "
      "\"ts\": "
      "-9223372036854774, \"dur\": 9223372036854774, \"pid\": 2, \"tid\": 2}]}";
  struct msg a = clockless("here", first), b = clockless("here", last);
  for (uint64_t i = 0; i < 4; i++) {
    add_event(&a, i & 1 ? last - i : first + i, 3, 5, "here", i + 1);
    add_receipt(&b, i & 1 ? first + i : last - i, "here", i + 1);
    add_event(i & 1 ? &a : &b, first + i, 3, 5, "there", i + 11);
    add_receipt(i & 1 ? &b : &a, last - i, "there", i + 11);
  }
  add(&a);
  add(&b);
  add_bytes(one, sizeof(one) - 1);
  add_bytes(other, sizeof(other) - 1);
  run.options.unplaced = TB_UNPLACED_START;
  static const char *const names[] = {NULL, "here", "here:end"};
  for (int way = 0; way < 6; way++) {
    run.options.align_on = names[way % 3];
    run.options.align_messages = way / 3;
    merge_well();
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(events_of_one_name_give_offset_and_drift),
      TEST(one_event_of_a_name_gives_an_offset),
      TEST(a_chain_of_inputs_that_share_moments_comes_together_in_any_order),
      TEST(inputs_whose_events_are_at_other_moments_are_not_placed_by_them),
      TEST(a_drift_that_no_clock_has_is_not_followed),
      TEST(a_drift_that_few_or_close_matches_give_is_not_followed),
      TEST(a_drift_that_two_matches_far_apart_give_is_followed),
      TEST(a_drift_beyond_doubt_that_may_not_be_is_refused),
      TEST(a_name_that_fewer_than_two_inputs_have_is_refused),
      TEST(an_input_without_the_event_is_reported_and_what_placed_it),
      TEST(events_that_place_nothing_are_reported),
      TEST(rows_that_differ_too_much_are_reported),
      TEST(messages_place_an_input_so_that_none_runs_backwards),
      TEST(a_message_that_cannot_be_met_is_reported),
      TEST(messages_of_a_pair_that_places_nothing_are_reported),
      TEST(one_answer_gives_no_drift_that_clocks_do_not_have),
      TEST(clock_sync_events_place_inputs_whoever_asked),
      TEST(events_at_the_ends_of_the_range_of_times_are_aligned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
