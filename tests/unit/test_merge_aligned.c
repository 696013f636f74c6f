/* SPDX-License-Identifier: Apache-2.0
 *
 * How inputs come onto one clock by events, messages and clock_sync events that they share.
 */
#include "merge_run.h"

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

static void a_message_that_cannot_be_met_is_told(void **unused) {
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
  const char *note = strstr(tb_merge_report_text(run.report, false), "note: flow 77 arrives ");
  assert_non_null(note);
  long long early = 0;
  assert_int_equal(sscanf(note, "note: flow 77 arrives %lld ns before", &early), 1);
  assert_true(early > 999000000 && early < 1001000000);
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
  assert_in_range(report_of(1)->bound_ns, 10000, 10001);
  struct tb_merge_input first = run.inputs[0];
  run.inputs[0] = run.inputs[1];
  run.inputs[1] = first;
  merge_well();
  assert_int_equal(report_of(1)->offset_ns, -4000000);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(events_of_one_name_give_offset_and_drift),
      TEST(one_event_of_a_name_gives_an_offset),
      TEST(messages_place_an_input_so_that_none_runs_backwards),
      TEST(a_message_that_cannot_be_met_is_told),
      TEST(clock_sync_events_place_inputs_whoever_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
