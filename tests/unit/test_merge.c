/* SPDX-License-Identifier: Apache-2.0 */
#include "tracebridge/merge.h"

#include "merge_fixture.h"

enum { MAX_PACKETS = 512, BOOT = TB_CLOCK_BOOTTIME, MONO = TB_CLOCK_MONOTONIC, REAL = TB_CLOCK_REALTIME };
#define S(seconds) ((uint64_t)((seconds)*1000000000.0))

/* A merge of traces in memory: files of its own, the packets of the result. */
struct run {
  struct tb_merge_input inputs[8];
  char paths[8][64], out[64];
  size_t count;
  struct tb_merge_options options;
  struct tb_merge_report *report;
  struct tb_error error;
  enum tb_status status;
  char *data;
  struct tb_slice packets[MAX_PACKETS];
  size_t packet_count;
};

static struct run run;

static int set_up(void **unused) {
  (void)unused;
  run = (struct run){.options = {.size = sizeof(run.options)}};
  write_file(run.out, sizeof(run.out), "", 0);
  return 0;
}

static int tear_down(void **unused) {
  (void)unused;
  for (size_t i = 0; i < run.count; i++) (void)unlink(run.paths[i]);
  (void)unlink(run.out);
  tb_merge_report_free(run.report);
  free(run.data);
  return 0;
}

static struct tb_merge_input *add_bytes(const void *data, size_t len) {
  struct tb_merge_input *input = &run.inputs[run.count];
  write_file(run.paths[run.count], sizeof(run.paths[0]), data, len);
  input->path = run.paths[run.count++];
  return input;
}
static struct tb_merge_input *add(const struct msg *trace) { return add_bytes(trace->data, trace->len); }

static void merge(void) {
  tb_merge_report_free(run.report);
  free(run.data);
  run.data = NULL;
  run.packet_count = 0;
  run.error = (struct tb_error){0};
  run.status = tb_merge(run.inputs, run.count, run.out, &run.options, &run.report, &run.error);
  if (run.status != TB_OK && run.status != TB_PARTIAL) return;
  size_t len;
  run.data = read_file(run.out, &len);
  struct tb_wire_cursor cursor = {run.data, run.data + len};
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK) run.packets[run.packet_count++] = field.bytes;
  assert_ptr_equal(cursor.at, cursor.end);
}

static void merge_well(void) {
  merge();
  if (run.status != TB_OK) fail_msg("%s", run.error.message);
}

/* The packet of the track event with this name. */
static struct tb_slice event_packet(const char *name, size_t nth) {
  struct tb_slice event, text;
  for (size_t i = 0; i < run.packet_count; i++)
    if (find_bytes(run.packets[i], 11, &event) && find_bytes(event, 23, &text) &&
        tb_slice_equal(text, tb_slice_from(name)) && nth-- == 0)
      return run.packets[i];
  fail_msg("no event %s", name);
  return (struct tb_slice){NULL, 0};
}
static uint64_t event_time(const char *name) { return get_number(event_packet(name, 0), 8); }
static uint64_t event_uuid(const char *name) { return get_number(get_bytes(event_packet(name, 0), 11), 11); }
static uint64_t event_flow(const char *name) { return get_number(get_bytes(event_packet(name, 0), 11), 47); }

static const struct tb_merge_input_report *report_of(size_t i) { return tb_merge_report_input(run.report, i); }

/* A trace with snapshots of one machine's clocks, a process and a named instant. */
static struct msg trace_of(const char *event, uint64_t boot, uint64_t real, uint64_t ts) {
  struct msg t = {.len = 0}, readings = SNAPSHOT(0, BOOT, boot, MONO, boot - 1000, REAL, real);
  add_snapshot(&t, 1, &readings);
  add_event(&t, ts, 3, 5, event, 0);
  return t;
}

/* ---- ids --------------------------------------------------------------------------------------------------------------- */

static void one_trace_passes_through_byte_for_byte(void **unused) {
  (void)unused;
  struct msg t = trace_of("a", S(10), S(1000), S(11));
  put_text(&t, 7, "a field of Trace that nobody knows");
  add(&t);
  merge_well();
  size_t len;
  char *data = read_file(run.out, &len);
  assert_int_equal(len, t.len);
  assert_memory_equal(data, t.data, len);
  free(data);
}

static void equal_sequence_ids_are_renumbered(void **unused) {
  (void)unused;
  struct msg a = {.len = 0}, b = {.len = 0};
  add_event(&a, 10, 3, 5, "a", 0);
  add_event(&b, 20, 3, 5, "b", 0);
  add(&a);
  add(&b);
  merge_well();
  assert_int_equal(get_number(event_packet("a", 0), 10), 1);
  assert_int_equal(get_number(event_packet("b", 0), 10), 2);
}

static void sequence_ids_up_to_the_highest_number_find_room(void **unused) {
  (void)unused;
  struct msg a = {.len = 0}, b = {.len = 0};
  static const uint32_t ids[] = {1, UINT32_MAX, 5};
  for (uint64_t i = 0; i < 3; i++) {
    struct msg p = packet_at(ids[i], i), q = packet_at(ids[i], i);
    put_msg(&a, 1, &p);
    put_msg(&b, 1, &q);
  }
  add(&a);
  add(&b);
  add(&a);
  run.options.unplaced = TB_UNPLACED_START;
  merge_well();
  assert_int_equal(run.packet_count, 9);
  for (size_t i = 0; i < 9; i++)
    for (size_t k = 0; k < i; k++) assert_int_not_equal(get_number(run.packets[i], 10), get_number(run.packets[k], 10));
}

static void equal_uuids_of_different_tracks_are_made_to_differ(void **unused) {
  (void)unused;
  struct msg a = {.len = 0}, b = {.len = 0};
  add_process(&a, 5, 100, "one");
  add_process(&b, 5, 200, "other");
  add_event(&a, 10, 3, 5, "a", 0);
  add_event(&b, 20, 3, 5, "b", 0);
  add(&a);
  add(&b);
  merge_well();
  assert_int_equal(event_uuid("a"), 5);
  assert_int_not_equal(event_uuid("b"), 5);
  assert_int_equal(report_of(1)->uuids_remapped, 1);
}

static void equal_uuids_of_one_process_stay(void **unused) {
  (void)unused;
  struct msg a = {.len = 0}, b = {.len = 0};
  add_process(&a, 5, 100, "one");
  add_process(&b, 5, 100, "one");
  add_event(&a, 10, 3, 5, "a", 0);
  add_event(&b, 20, 3, 5, "b", 0);
  add(&a);
  add(&b);
  merge_well();
  assert_int_equal(event_uuid("b"), 5);
  assert_int_equal(report_of(1)->uuids_kept, 1);
}

static void one_process_under_two_uuids_is_one_track(void **unused) {
  (void)unused;
  struct msg a = {.len = 0}, b = {.len = 0};
  add_process(&a, 5, 100, "one");
  add_process(&b, 6, 100, "one");
  add_event(&a, 10, 3, 5, "a", 0);
  add_event(&b, 20, 3, 6, "b", 0);
  add(&a);
  add(&b);
  merge_well();
  assert_int_equal(event_uuid("b"), 5);
}

static void events_on_one_thread_at_one_time_get_a_track_each(void **unused) {
  (void)unused;
  struct msg a = {.len = 0}, b;
  add_thread(&a, 7, 0, 100, 101);
  add_event(&a, 10, 1, 7, "a", 0);
  add_event(&a, 30, 2, 7, NULL, 0);
  b = a;
  add(&a);
  add(&b);
  merge_well();
  uint64_t own = get_number(get_bytes(event_packet("a", 1), 11), 11);
  assert_int_not_equal(own, 7);
  bool described = false;
  struct tb_slice track, thread;
  for (size_t i = 0; i < run.packet_count; i++) {
    if (!find_bytes(run.packets[i], 60, &track)) continue;
    if (get_number(track, 1) == own) {
      described = true;
      assert_int_equal(get_number(track, 5), 7);
    } else {
      assert_int_equal(get_number(track, 1), 7);
      assert_true(find_bytes(track, 4, &thread));
    }
  }
  assert_true(described);
}

static void equal_flow_ids_do_not_join_unless_they_are_shared(void **unused) {
  (void)unused;
  struct msg a = {.len = 0}, b = {.len = 0};
  add_event(&a, 10, 3, 5, "a", 77);
  add_event(&b, 20, 3, 5, "b", 77);
  add(&a);
  add(&b);
  merge_well();
  assert_int_equal(event_flow("a"), 77);
  assert_int_not_equal(event_flow("b"), 77);
  assert_int_equal(report_of(1)->flows_remapped, 1);
  run.options.share_flows = true;
  merge_well();
  assert_int_equal(event_flow("b"), 77);
}

static void flows_stay_apart_when_a_merged_trace_is_merged(void **unused) {
  (void)unused;
  struct msg a = {.len = 0}, b = {.len = 0}, c = {.len = 0}, ab = {.len = 0};
  add_event(&a, 10, 3, 5, "a", 77);
  add_event(&b, 20, 3, 5, "b", 77);
  add_event(&c, 30, 3, 5, "c", 77);
  add(&a);
  add(&b);
  merge_well();
  size_t len;
  char *data = read_file(run.out, &len);
  memcpy(ab.data, data, len);
  ab.len = len;
  free(data);
  run.count = 0;
  add(&ab);
  add(&c);
  merge_well();
  assert_int_equal(run.packet_count, 3);
  assert_int_not_equal(event_flow("a"), event_flow("b"));
  assert_int_not_equal(event_flow("a"), event_flow("c"));
  assert_int_not_equal(event_flow("b"), event_flow("c"));
}

static void named_machines_keep_equal_pids_apart(void **unused) {
  (void)unused;
  struct msg a = {.len = 0}, b = {.len = 0};
  add_process(&a, 5, 100, "one");
  add_process(&b, 5, 100, "one");
  add_event(&a, 10, 3, 5, "a", 0);
  add_event(&b, 20, 3, 5, "b", 0);
  add(&a)->machine = "phone";
  add(&b)->machine = "watch";
  merge_well();
  assert_int_not_equal(event_uuid("b"), 5);
  struct tb_wire_cursor cursor = tb_wire_cursor(event_packet("a", 0));
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK) assert_int_not_equal(field.number, 98);
  assert_int_equal(get_number(event_packet("b", 0), 98), report_of(1)->machine_id);
  assert_int_not_equal(report_of(1)->machine_id, 0);
  assert_string_equal(report_of(1)->machine, "watch");
}

static void flattened_machines_have_distinct_pids_and_named_processes(void **unused) {
  (void)unused;
  struct msg a = {.len = 0}, b = {.len = 0};
  add_process(&a, 5, 100, "one");
  add_process(&b, 5, 100, "one");
  add_event(&a, 10, 3, 5, "a", 0);
  add_event(&b, 20, 3, 5, "b", 0);
  add(&a)->machine = "phone";
  add(&b)->machine = "watch";
  run.options.flatten_machines = true;
  merge_well();
  static const char *const names[] = {"phone: one", "watch: one"};
  static const uint64_t pids[] = {100, 100 + (1 << 22)};
  size_t seen = 0;
  struct tb_slice track;
  for (size_t i = 0; i < run.packet_count; i++) {
    struct tb_wire_cursor cursor = tb_wire_cursor(run.packets[i]);
    struct tb_wire_field field;
    while (tb_wire_next(&cursor, &field) == TB_OK) assert_int_not_equal(field.number, 98);
    if (!find_bytes(run.packets[i], 60, &track)) continue;
    struct tb_slice process = get_bytes(track, 3);
    assert_int_equal(get_number(process, 1), pids[seen]);
    assert_true(tb_slice_equal(get_bytes(process, 6), tb_slice_from(names[seen])));
    seen++;
  }
  assert_int_equal(seen, 2);
}

static void an_event_without_a_track_gets_a_root_of_its_input(void **unused) {
  (void)unused;
  struct msg a = {.len = 0}, b;
  struct msg event = {.len = 0}, p = packet_at(1, 10);
  put_uint(&event, 9, 3);
  put_text(&event, 23, "e");
  put_msg(&p, 11, &event);
  put_msg(&a, 1, &p);
  b = a;
  add(&a);
  add(&b);
  merge_well();
  struct tb_wire_cursor cursor = tb_wire_cursor(get_bytes(event_packet("e", 0), 11));
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK) assert_int_not_equal(field.number, 11);
  assert_int_not_equal(get_number(get_bytes(event_packet("e", 1), 11), 11), 0);
}

/* ---- clocks ------------------------------------------------------------------------------------------------------------------ */

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
  assert_non_null(strstr(tb_merge_report_text(run.report, false), "none is negative"));
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
  assert_non_null(strstr(run.error.message, "--offset"));
  run.options.unplaced = TB_UNPLACED_START;
  merge_well();
  assert_int_equal(event_time("b"), event_time("a"));
  run.options.unplaced = TB_UNPLACED_DROP;
  merge();
  assert_int_equal(run.status, TB_PARTIAL);
  assert_true(report_of(1)->skipped);
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
  assert_non_null(strstr(tb_merge_report_text(run.report, false), "note: "));
}

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
  /* machine b owns its MONOTONIC: packet and reading stay, the reading of the trace clock beside it moved */
  assert_int_equal(get_number(event_packet("mono", 0), 58), MONO);
  assert_int_equal(event_time("mono"), S(7002) - 1000);
  for (size_t i = 0; i < run.packet_count; i++) {
    struct tb_slice snapshot_bytes;
    if (!find_bytes(run.packets[i], 6, &snapshot_bytes) || get_number(run.packets[i], 10) == 1) continue;
    struct msg expected = SNAPSHOT(0, BOOT, S(110), MONO, S(7000) - 1000, REAL, S(5010));
    assert_int_equal(snapshot_bytes.len, expected.len);
    assert_memory_equal(snapshot_bytes.ptr, expected.data, expected.len);
  }
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

/* ---- alignment ------------------------------------------------------------------------------------------------------------------ */

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

/* ---- order, damage, refusals ------------------------------------------------------------------------------------------------------ */

static void packets_come_by_time_then_by_input(void **unused) {
  (void)unused;
  struct msg a = {.len = 0}, b = {.len = 0};
  add_event(&a, 10, 3, 5, "a1", 0);
  add_event(&a, 30, 3, 5, "a2", 0);
  add_event(&b, 5, 3, 5, "b0", 0);
  add_event(&b, 20, 3, 5, "b1", 0);
  add_event(&b, 30, 3, 5, "b2", 0);
  add(&a);
  add(&b);
  merge_well();
  static const char *const order[] = {"a1", "b0", "b1", "a2", "b2"}; /* the first input's first packet leads */
  assert_int_equal(run.packet_count, 5);
  for (size_t i = 0; i < 5; i++)
    assert_true(tb_slice_equal(get_bytes(get_bytes(run.packets[i], 11), 23), tb_slice_from(order[i])));
}

static void a_trace_cut_anywhere_keeps_its_whole_packets(void **unused) {
  (void)unused;
  struct msg t = {.len = 0};
  size_t ends[4] = {0};
  for (size_t i = 0; i < 3; i++) {
    add_event(&t, 10 * (i + 1), 3, 5, "event", 0);
    ends[i + 1] = t.len;
  }
  for (size_t cut = 1; cut < t.len; cut++) {
    size_t whole = 0;
    while (ends[whole + 1] <= cut) whole++;
    run.count = 0;
    add_bytes(t.data, cut);
    merge();
    if (whole == 0) { /* not even one packet: nothing says that this is a trace */
      assert_int_equal(run.status, TB_UNKNOWN_FORMAT);
    } else if (cut == ends[whole]) {
      assert_int_equal(run.status, TB_OK);
    } else {
      assert_int_equal(run.status, TB_PARTIAL);
      assert_true(report_of(0)->damaged);
      assert_int_equal(report_of(0)->damage_offset, ends[whole]);
    }
    if (whole) assert_int_equal(run.packet_count, whole);
    (void)unlink(run.paths[0]);
  }
}

static void an_unreadable_input_is_refused_unless_it_may_be_skipped(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101));
  add(&a);
  add_bytes(
      "\x7f"
      "ELF no trace at all",
      20);
  merge();
  assert_int_equal(run.status, TB_UNKNOWN_FORMAT);
  assert_string_equal(run.error.file, run.paths[1]);
  run.options.skip_bad = true;
  merge();
  assert_int_equal(run.status, TB_PARTIAL);
  assert_true(report_of(1)->skipped);
  assert_int_equal(event_time("a"), S(101));
}

static void the_output_is_never_one_of_the_inputs(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101));
  add(&a);
  struct tb_error error = {0};
  assert_int_equal(tb_merge(run.inputs, 1, run.paths[0], NULL, NULL, &error), TB_REFUSED);
  size_t len;
  char *data = read_file(run.paths[0], &len);
  assert_int_equal(len, a.len);
  free(data);
}

static void a_full_disk_is_an_error_that_leaves_nothing(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101));
  add(&a);
  if (access("/dev/full", W_OK) != 0) skip();
  struct tb_error error = {0};
  assert_int_equal(tb_merge(run.inputs, 1, "/dev/full", NULL, NULL, &error), TB_IO);
  assert_int_equal(tb_merge(run.inputs, 1, "/nonexistent/directory/out", NULL, NULL, &error), TB_IO);
}

static void nothing_to_merge_is_invalid(void **unused) {
  (void)unused;
  struct tb_error error = {0};
  assert_int_equal(tb_merge(NULL, 0, run.out, NULL, NULL, &error), TB_INVALID);
  assert_int_equal(error.code, TB_INVALID);
}

static void a_dry_run_reports_and_writes_nothing(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), b = trace_of("b", S(7000), S(5010), S(7001));
  add(&a);
  add(&b);
  run.options.dry_run = true;
  struct tb_merge_report *report;
  assert_int_equal(tb_merge(run.inputs, 2, NULL, &run.options, &report, NULL), TB_OK);
  assert_int_equal(tb_merge_report_count(report), 2);
  assert_int_equal(tb_merge_report_input(report, 1)->offset_ns, -(int64_t)S(6890));
  assert_null(tb_merge_report_input(report, 2));
  assert_non_null(strstr(tb_merge_report_text(report, true), "\"placement\": \"wall clocks\""));
  tb_merge_report_free(report);
}

static void more_inputs_than_files_may_be_open_merge_all_the_same(void **unused) {
  (void)unused;
  struct msg a = {.len = 0};
  for (uint64_t i = 0; i < 50; i++) add_event(&a, 10 * i, 3, 5, "event", 0);
  for (int i = 0; i < 8; i++) add(&a);
  run.options.max_open_files = 2;
  merge_well();
  assert_int_equal(run.packet_count, 400);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(one_trace_passes_through_byte_for_byte),
      TEST(equal_sequence_ids_are_renumbered),
      TEST(sequence_ids_up_to_the_highest_number_find_room),
      TEST(equal_uuids_of_different_tracks_are_made_to_differ),
      TEST(equal_uuids_of_one_process_stay),
      TEST(one_process_under_two_uuids_is_one_track),
      TEST(events_on_one_thread_at_one_time_get_a_track_each),
      TEST(equal_flow_ids_do_not_join_unless_they_are_shared),
      TEST(flows_stay_apart_when_a_merged_trace_is_merged),
      TEST(named_machines_keep_equal_pids_apart),
      TEST(flattened_machines_have_distinct_pids_and_named_processes),
      TEST(an_event_without_a_track_gets_a_root_of_its_input),
      TEST(traces_of_one_boot_keep_their_times),
      TEST(traces_of_two_machines_meet_at_the_wall_clock),
      TEST(drift_between_snapshots_is_followed),
      TEST(an_offset_that_is_given_places_an_input),
      TEST(negative_times_move_the_whole_merge),
      TEST(an_input_that_nothing_places_is_refused_with_the_ways_to_place_it),
      TEST(equal_clock_domains_without_evidence_are_assumed_and_that_is_said),
      TEST(packets_on_another_clock_are_still_related_by_the_inputs_own_snapshots),
      TEST(incremental_clocks_of_a_drifting_input_become_absolute),
      TEST(events_of_one_name_give_offset_and_drift),
      TEST(one_event_of_a_name_gives_an_offset),
      TEST(messages_place_an_input_so_that_none_runs_backwards),
      TEST(clock_sync_events_place_inputs_whoever_asked),
      TEST(packets_come_by_time_then_by_input),
      TEST(a_trace_cut_anywhere_keeps_its_whole_packets),
      TEST(an_unreadable_input_is_refused_unless_it_may_be_skipped),
      TEST(the_output_is_never_one_of_the_inputs),
      TEST(a_full_disk_is_an_error_that_leaves_nothing),
      TEST(nothing_to_merge_is_invalid),
      TEST(a_dry_run_reports_and_writes_nothing),
      TEST(more_inputs_than_files_may_be_open_merge_all_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
