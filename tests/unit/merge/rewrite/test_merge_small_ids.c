/* SPDX-License-Identifier: Apache-2.0
 *
 * Ids that a merge makes are small, and mean nothing: merges of merges do not take them for one another.
 */
#include "support/merge_run.h"

enum { MACHINES = 64, SEQUENCES = 3, EVENTS = 60, GROWTH_MOST = 5, NEEDS_STATE = 2 };

/* One of SEQUENCES threads' small packets, as the SDK writes them: a time, flags, a slice with an interned name or its
 * end on a track. */
static void add_small_slice(struct msg *trace, uint64_t i, uint64_t ts, uint64_t uuid) {
  struct msg event = {.len = 0}, p = {.len = 0};
  bool begins = i / SEQUENCES % 2 == 0;
  put_uint(&p, 8, ts);
  put_uint(&p, 10, 1 + i % SEQUENCES);
  put_uint(&p, 13, NEEDS_STATE);
  put_uint(&event, 9, begins ? 1 : 2);
  if (begins) put_uint(&event, 10, 1);
  put_uint(&event, 11, uuid);
  put_msg(&p, 11, &event);
  put_msg(trace, 1, &p);
}

/* A machine of its own boot; all have the same uuids, sequences and processes. */
static struct msg machine_trace(uint64_t machine) {
  uint64_t boot = S(1000) + machine * S(10);
  struct msg trace = {.len = 0}, readings = SNAPSHOT(BOOT, BOOT, boot, REAL, S(1700000000));
  add_snapshot(&trace, 1, &readings);
  add_process(&trace, 1, 100, "server");
  for (uint32_t k = 0; k < SEQUENCES; k++) {
    struct msg names = {.len = 0}, entry = {.len = 0}, p = {.len = 0};
    add_thread(&trace, 2 + k, 1, 100, 101 + k);
    put_uint(&entry, 1, 1);
    put_text(&entry, 2, "work");
    put_msg(&names, 2, &entry);
    put_uint(&p, 10, 1 + k);
    put_uint(&p, 13, 1);
    put_msg(&p, 12, &names);
    put_msg(&trace, 1, &p);
  }
  for (uint64_t i = 0; i < EVENTS; i++) add_small_slice(&trace, i, boot + i * 1000 + machine, 2 + i % SEQUENCES);
  return trace;
}

static void small_packets_of_many_machines_grow_by_five_bytes_at_most(void **unused) {
  (void)unused;
  static struct tb_merge_input inputs[MACHINES];
  static char paths[MACHINES][64];
  size_t before = 0, after;
  for (unsigned i = 0; i < MACHINES; i++) {
    struct msg trace = machine_trace(i);
    write_file(paths[i], sizeof(paths[i]), trace.data, trace.len);
    inputs[i].path = paths[i];
    before += trace.len;
  }
  enum tb_status status = tb_merge(inputs, MACHINES, run.out, &run.options, &run.report, &run.error);
  for (unsigned i = 0; i < MACHINES; i++) (void)unlink(paths[i]);
  assert_int_equal(status, TB_OK);
  free(read_file(run.out, &after));
  /* beyond that each machine is introduced, and its tracks say what they are known by */
  size_t packets = MACHINES * EVENTS, once = MACHINES * 160;
  if (after > before + GROWTH_MOST * packets + once)
    fail_msg("%zu bytes became %zu: %.1f more for each packet", before, after,
             (double)(after - before) / (double)packets);
  assert_int_equal(report_of(MACHINES - 1)->machine_id, MACHINES - 1);
}

/* Merges what was added, as the one input that is then there. */
static void merge_into_one_input(void) {
  size_t len;
  merge_well();
  char *data = read_file(run.out, &len);
  while (run.count) (void)unlink(run.paths[--run.count]);
  add_bytes(data, len);
  free(data);
}

/* The traces in two merges, and these in one. */
static void merge_nested(const struct msg *traces) {
  char second[sizeof(run.paths[0])];
  add(&traces[2]);
  add(&traces[3]);
  merge_into_one_input();
  (void)snprintf(second, sizeof(second), "%s", run.paths[0]);
  run.count = 0;
  add(&traces[0]);
  add(&traces[1]);
  merge_into_one_input();
  (void)snprintf(run.paths[1], sizeof(run.paths[1]), "%s", second);
  run.inputs[1] = (struct tb_merge_input){.path = run.paths[1]};
  run.count = 2;
  merge_well();
}

static uint64_t machine_of(const char *event) {
  struct tb_str packet = event_packet(event, 0);
  return has_number(packet, 98) ? get_number(packet, 98) : 0;
}

static void assert_all_differ(const uint64_t *ids, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < i; k++) assert_int_not_equal(ids[i], ids[k]);
}

static void machines_and_tracks_stay_apart_when_merged_traces_are_merged(void **unused) {
  (void)unused;
  static const char *const names[] = {"a", "b", "c", "d"};
  struct msg traces[4];
  uint64_t machines[4], uuids[4];
  for (unsigned i = 0; i < 4; i++) {
    traces[i] = machine_trace(i);
    add_event(&traces[i], S(1000) + i * S(10), 3, 2, names[i], 0);
  }
  merge_nested(traces);
  for (unsigned i = 0; i < 4; i++) {
    machines[i] = machine_of(names[i]);
    uuids[i] = event_uuid(names[i]);
    assert_true(machines[i] < 4 && uuids[i] < 20);
  }
  assert_all_differ(machines, 4);
  assert_all_differ(uuids, 4);
}

/* A track of its own with a counter, which has that uuid in each trace. */
static struct msg counter_trace(const char *counter, const char *event, uint64_t ts) {
  struct msg trace = trace_of("start", S(10), S(1700000000), S(10)), track = {.len = 0}, p = {.len = 0}, none = p;
  put_uint(&track, 1, 77);
  put_text(&track, 2, counter);
  put_msg(&track, 8, &none);
  put_msg(&p, 60, &track);
  put_msg(&trace, 1, &p);
  add_event(&trace, ts, 4, 77, event, 0);
  return trace;
}

/* What gets the same number in two merges is not the same, though it has the same name. */
static void numbers_are_no_identities(void **unused) {
  (void)unused;
  const struct msg traces[] = {counter_trace("x", "a", S(11)), counter_trace("y", "b", S(12)),
                               counter_trace("x", "c", S(13)), counter_trace("y", "d", S(14))};
  merge_nested(traces);
  assert_int_equal(event_uuid("a"), event_uuid("c"));
  assert_int_not_equal(event_uuid("a"), event_uuid("b"));
  assert_int_not_equal(event_uuid("b"), event_uuid("d"));
}

/* Numbers are free as far as descriptors say. */
static void a_track_of_the_first_input_that_nobody_describes_stays_alone(void **unused) {
  (void)unused;
  struct msg a = trace_of("start", S(10), S(1700000000), S(10)), b = a;
  add_process(&a, 5, 1, "one");
  add_process(&b, 5, 2, "two");
  add_event(&a, S(11), 3, 1, "undescribed", 0);
  add_event(&a, S(11), 3, 9, "far", 0);
  add_event(&b, S(11), 3, 5, "described", 0);
  add(&a);
  add(&b);
  merge_well();
  assert_int_equal(event_uuid("described"), 1);
  assert_int_not_equal(event_uuid("undescribed"), 1);
  assert_int_equal(event_uuid("far"), 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(small_packets_of_many_machines_grow_by_five_bytes_at_most, set_up, tear_down),
      cmocka_unit_test_setup_teardown(machines_and_tracks_stay_apart_when_merged_traces_are_merged, set_up, tear_down),
      cmocka_unit_test_setup_teardown(numbers_are_no_identities, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_track_of_the_first_input_that_nobody_describes_stays_alone, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
