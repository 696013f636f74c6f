/* SPDX-License-Identifier: Apache-2.0
 *
 * What docs/merging/ tells people to do, on traces whose truth is known.
 */
#include "support/merge_run.h"

enum { RANKS = 8, STEPS = 40, REQUESTS = 60 };

static uint64_t random_state;
static uint64_t random_below(uint64_t limit) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (random_state >> 11) % limit;
}

/* ---- ranks of one job -------------------------------------------------------------------------------------------- */

/* By how much a rank's wall clock is wrong: milliseconds, as without PTP. */
static int64_t rank_error(unsigned rank) { return (int64_t)rank * 1300000 - 4000000; }

/* A Kineto trace: times are us since baseTimeNanoseconds by the rank's own wall clock. Every step ends with a barrier
 * that all ranks leave at once, but for a microsecond of jitter. */
static void add_rank(unsigned rank) {
  static char text[1 << 16];
  size_t len = 0;
  int64_t base = 1700000000000000000 + (int64_t)rank * 1000000;
  len += (size_t)snprintf(text, sizeof(text), "{\"baseTimeNanoseconds\": %lld, \"traceEvents\": [\n", (long long)base);
  for (unsigned step = 0; step < STEPS; step++) {
    int64_t leave = 1700000000500000000 + (int64_t)step * 20000000 + (int64_t)random_below(1000);
    int64_t own = leave + rank_error(rank) - base, enter = own - 2000000 - (int64_t)random_below(3000000);
    len += (size_t)snprintf(text + len, sizeof(text) - len,
                            "%s{\"ph\": \"X\", \"cat\": \"nccl\", \"name\": \"ncclBarrier\", \"pid\": %u, \"tid\": 1, "
                            "\"ts\": %lld.%03lld, \"dur\": %lld.%03lld, \"args\": {\"step\": %u}}",
                            step ? ",\n" : "", 100 + rank, (long long)(enter / 1000), (long long)(enter % 1000),
                            (long long)((own - enter) / 1000), (long long)((own - enter) % 1000), step);
  }
  len += (size_t)snprintf(text + len, sizeof(text) - len, "\n]}\n");
  add_bytes(text, len);
}

static void ranks_with_a_base_time_are_placed_by_their_wall_clocks(void **unused) {
  (void)unused;
  for (unsigned rank = 0; rank < RANKS; rank++) add_rank(rank);
  merge_well();
  for (unsigned rank = 1; rank < RANKS; rank++) {
    assert_int_equal(report_of(rank)->placement, TB_PLACEMENT_REALTIME);
    assert_int_equal(report_of(rank)->offset_ns - report_of(0)->offset_ns, (int64_t)rank * 1000000);
  }
}

static void ranks_meet_at_the_end_of_their_barriers_whatever_their_clocks_say(void **unused) {
  (void)unused;
  random_state = 7;
  for (unsigned rank = 0; rank < RANKS; rank++) add_rank(rank);
  run.options.align_on = "ncclBarrier:end";
  merge_well();
  for (unsigned rank = 1; rank < RANKS; rank++) {
    const struct tb_merge_input_report *in = report_of(rank);
    int64_t truth = (int64_t)rank * 1000000 - (rank_error(rank) - rank_error(0));
    assert_int_equal(in->placement, TB_PLACEMENT_ALIGNED);
    assert_int_equal(in->matches, STEPS);
    assert_true(llabs(in->offset_ns - report_of(0)->offset_ns - truth) < 1000);
    assert_true(in->residual_ns < 1000);
  }
}

/* ---- a browser and the system it runs on ---------------------------------------------------------------------- */

static void a_browsers_json_joins_the_systems_trace_by_its_clock(void **unused) {
  (void)unused;
  enum { SUSPENDED = 100 }; /* seconds by which BOOTTIME is ahead of MONOTONIC */
  struct msg system = {.len = 0};
  struct msg readings = SNAPSHOT(BOOT, BOOT, S(500), MONO, S(500 - SUSPENDED), REAL, S(1700000000));
  add_snapshot(&system, 1, &readings);
  add_process(&system, 70, 4242, "browser");
  add_event(&system, S(501), 3, 70, "the system saw it", 0);
  static const char browser[] =
      "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"c\", \"name\": \"frame\", \"pid\": 4242, \"tid\": 4242, "
      "\"ts\": 401000000, \"dur\": 16000}],\n \"metadata\": {\"clock-domain\": \"LINUX_CLOCK_MONOTONIC\", "
      "\"clock-offset-since-epoch\": \"1699999600000000\"}}";
  add(&system);
  add_bytes(browser, sizeof(browser) - 1);
  merge_well();
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_SAME_BOOT);
  assert_int_equal(report_of(1)->first_ns, S(501)); /* MONOTONIC 401 s is BOOTTIME 501 s */
}

/* ---- client and server ------------------------------------------------------------------------------------------- */

static uint64_t on_server(uint64_t client) { return client - S(37) + client / 50000; /* 20 ppm fast */ }

static void put_point(struct msg *trace, uint64_t ts, const char *name, uint32_t field, uint64_t flow) {
  struct msg event = {.len = 0}, p = packet_at(1, ts);
  put_uint(&event, 9, 3);
  put_uint(&event, 11, 5);
  put_text(&event, 23, name);
  put_fixed64(&event, field, flow);
  put_msg(&p, 11, &event);
  put_msg(trace, 1, &p);
}

/* Wall clocks that are 80 ms apart, requests that take 0.2 to 3 ms each way. */
static void add_client_and_server(void) {
  enum { SENT = 47, RECEIVED = 48 };
  struct msg client = {.len = 0}, server = {.len = 0};
  struct msg of_client = SNAPSHOT(BOOT, BOOT, S(100), REAL, S(1700000000));
  struct msg of_server = SNAPSHOT(BOOT, BOOT, on_server(S(100)), REAL, S(1700000000.08));
  add_snapshot(&client, 1, &of_client);
  add_snapshot(&server, 1, &of_server);
  for (uint64_t i = 0; i < REQUESTS; i++) {
    uint64_t ask = S(101) + i * S(0.5), arrives = ask + 200000 + random_below(2800000);
    uint64_t answer = arrives + 1000000, back = answer + 200000 + random_below(2800000);
    put_point(&client, ask, "ask", SENT, 2 * i + 1);
    put_point(&server, on_server(arrives), "asked", RECEIVED, 2 * i + 1);
    put_point(&server, on_server(answer), "answer", SENT, 2 * i + 2);
    put_point(&client, back, "answered", RECEIVED, 2 * i + 2);
  }
  add(&client)->machine = "client";
  add(&server)->machine = "server";
}

static void a_client_and_a_server_are_placed_by_their_messages(void **unused) {
  (void)unused;
  random_state = 11;
  add_client_and_server();
  run.options.align_messages = true;
  merge_well();
  const struct tb_merge_input_report *server = report_of(1);
  assert_int_equal(server->placement, TB_PLACEMENT_MESSAGES);
  assert_int_not_equal(server->machine_id, report_of(0)->machine_id);
  assert_int_equal(server->matches, 2 * REQUESTS);
  int64_t truth = (int64_t)S(101) - (int64_t)on_server(S(101)); /* at the first event, nearly */
  assert_true(server->has_bound);
  assert_true(llabs(server->offset_ns - truth) <= server->bound_ns + 1000);
  assert_note(TB_MERGE_NOTE_FLOWS_NOT_JOINED, TB_MERGE_NO_INPUT, "120 flows go from one machine to another");
  for (size_t i = 0; i < REQUESTS; i++) {
    assert_true(get_number(event_packet("ask", i), 8) <= get_number(event_packet("asked", i), 8));
    assert_true(get_number(event_packet("answer", i), 8) <= get_number(event_packet("answered", i), 8));
  }
}

static void flows_of_machines_that_are_flattened_or_not_shared_need_no_word(void **unused) {
  (void)unused;
  add_client_and_server();
  run.options.align_messages = run.options.flatten_machines = true;
  merge_well();
  assert_null(find_note(TB_MERGE_NOTE_FLOWS_NOT_JOINED, 0));
  run.options.align_messages = run.options.flatten_machines = false;
  merge_well();
  assert_null(find_note(TB_MERGE_NOTE_FLOWS_NOT_JOINED, 0));
  run.options.share_flows = true;
  merge_well();
  assert_note(TB_MERGE_NOTE_FLOWS_NOT_JOINED, TB_MERGE_NO_INPUT, "120 flows");
}

/* One side's trace in JSON, its clock `late` ns: an event and the flow event of it where a request is sent and where
 * its answer arrives, or the other way round. */
static void add_json_side(bool client, uint64_t late) {
  static const char *const names[2][2] = {{"asked", "answer"}, {"ask", "answered"}};
  static char text[1 << 16];
  const unsigned pid = client ? 1 : 2;
  size_t len = (size_t)snprintf(text, sizeof(text), "[\n");
  for (uint64_t i = 0; i < 2 * REQUESTS; i++) {
    bool is_answer = i % 2, sent = client != is_answer;
    uint64_t ask = S(101) + i / 2 * S(0.5) + late;
    uint64_t us = (ask + (client ? is_answer * S(0.003) : S(0.001) + is_answer * S(0.001))) / 1000;
    len += (size_t)snprintf(text + len, sizeof(text) - len,
                            "{\"ph\":\"X\",\"pid\":%u,\"tid\":1,\"ts\":%llu,\"dur\":100,\"name\":\"%s\"},\n", pid,
                            (unsigned long long)us, names[client][is_answer]);
    len += (size_t)snprintf(
        text + len, sizeof(text) - len,
        "{\"ph\":\"%s,\"pid\":%u,\"tid\":1,\"ts\":%llu,\"cat\":\"rpc\",\"name\":\"call\",\"id\":%llu},\n",
        sent ? "s\"" : "f\",\"bp\":\"e\"", pid, (unsigned long long)us, (unsigned long long)i);
  }
  add_bytes(text, len);
}

static void flow_events_of_two_json_traces_are_messages(void **unused) {
  (void)unused;
  add_json_side(true, 0);
  add_json_side(false, S(7));
  run.options.align_messages = true;
  merge_well();
  const struct tb_merge_input_report *server = report_of(1);
  assert_int_equal(server->placement, TB_PLACEMENT_MESSAGES);
  assert_int_equal(server->matches, 2 * REQUESTS);
  assert_true(server->has_bound);
  assert_true(llabs(server->offset_ns + (int64_t)S(7)) <= server->bound_ns + 1000);
}

/* ---- several programs on one machine ----------------------------------------------------------------------------- */

static void sdk_traces_of_one_boot_keep_their_times_and_share_their_processes(void **unused) {
  (void)unused;
  static const char *const names[] = {"first", "second", "third"};
  for (uint64_t i = 0; i < 3;
       i++) { /* the same process in all, under a uuid of its own in each; a clock of the wall slewed by 5 ppm */
    struct msg t = {.len = 0};
    uint64_t at = S(1000 + 10 * i);
    struct msg readings = SNAPSHOT(0, BOOT, at, MONO, at - S(5), REAL, S(1700001000) + S(10 * i) + 50000 * i);
    add_snapshot(&t, 1, &readings);
    add_process(&t, 900 + i, 77, "worker");
    add_event(&t, at + 1, 3, 900 + i, names[i], 0);
    add(&t);
  }
  merge_well();
  for (uint64_t i = 0; i < 3; i++) {
    assert_int_equal(event_time(names[i]), S(1000 + 10 * i) + 1);
    assert_int_equal(event_uuid(names[i]), 900);
    if (i) assert_int_equal(report_of(i)->placement, TB_PLACEMENT_SAME_BOOT);
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(ranks_with_a_base_time_are_placed_by_their_wall_clocks),
      TEST(ranks_meet_at_the_end_of_their_barriers_whatever_their_clocks_say),
      TEST(a_browsers_json_joins_the_systems_trace_by_its_clock),
      TEST(a_client_and_a_server_are_placed_by_their_messages),
      TEST(flows_of_machines_that_are_flattened_or_not_shared_need_no_word),
      TEST(flow_events_of_two_json_traces_are_messages),
      TEST(sdk_traces_of_one_boot_keep_their_times_and_share_their_processes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
