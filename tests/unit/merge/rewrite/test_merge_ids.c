/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of ids when traces are merged.
 */
#include "support/merge_run.h"

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

/* The packet of instant `i`, in one of the orders that producers have; text of many lengths, so that all ways of
 * copying come. */
static struct msg instant(uint64_t i, uint32_t sequence, uint64_t time) {
  static const char text[] =
      "a text as long as it takes that a packet fills one block, two blocks or some more than that";
  struct msg p = {.len = 0}, event = {.len = 0}, note = {.len = 0};
  put_text(&note, 10, "note");
  put_bytes(&note, 6, text, i % sizeof(text));
  put_uint(&event, 9, 3);
  put_uint(&event, 3, i);
  put_msg(&event, 4, &note);
  put_uint(&p, 8, time);
  if (i % 3 == 0) put_uint(&p, 10, sequence);
  put_uint(&p, 13, 2);
  put_msg(&p, 11, &event);
  if (i % 3) put_uint(&p, 3, i % 2 ? 0 : 1000);
  if (i % 3) put_uint(&p, 10, sequence);
  if (i % 3 == 2) put_uint(&p, 79, 70000);
  return p;
}

static void add_instants(struct msg *trace, uint64_t count) {
  add_thread(trace, 5, 0, 7, 7);
  for (uint64_t i = 0; i < count; i++) {
    struct msg p = instant(i, 1, 100 + 10 * i);
    put_msg(trace, 1, &p);
  }
}

static void events_change_in_their_sequence_and_time_alone(void **unused) {
  (void)unused;
  enum { COUNT = 100 };
  struct msg a = {.len = 0}, b = {.len = 0};
  add_instants(&a, COUNT);
  add_instants(&b, COUNT);
  struct msg last = packet_at(300, 5); /* so that the ids of b take one byte more */
  put_msg(&a, 1, &last);
  add(&a);
  struct tb_merge_input *moved = add(&b);
  moved->has_offset = true;
  for (int64_t offset = 0; offset < 3000000000; offset += 1000000003) {
    uint64_t from_a = 0, from_b = 0;
    moved->offset_ns = offset;
    merge_well();
    for (size_t i = 0; i < run.packet_count; i++) {
      struct tb_str event, packet = run.packets[i];
      if (!find_bytes(packet, 11, &event)) continue;
      bool first = get_number(packet, 10) == 1;
      uint64_t at = first ? from_a++ : from_b++;
      struct msg as = first ? instant(at, 1, 100 + 10 * at) : instant(at, 301, 100 + 10 * at + (uint64_t)offset);
      assert_int_equal(packet.len, as.len);
      assert_memory_equal(packet.ptr, as.data, as.len);
      if (first) assert_true(offset || from_a > from_b);
    }
    assert_int_equal(from_a, COUNT);
    assert_int_equal(from_b, COUNT);
    assert_int_equal(report_of(1)->timestamps_changed, offset ? COUNT : 0);
    assert_true(report_of(0)->packets_unchanged >= COUNT);
  }
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

/* Merges an instant of process 100, of uuid 5 and called "one", with one of the process that is described. */
static void merge_with_process(uint64_t uuid, uint32_t pid, const char *name) {
  struct msg a = {.len = 0}, b = {.len = 0};
  add_process(&a, 5, 100, "one");
  add_process(&b, uuid, pid, name);
  add_event(&a, 10, 3, 5, "a", 0);
  add_event(&b, 20, 3, uuid, "b", 0);
  add(&a);
  add(&b);
  merge_well();
}

static void equal_uuids_of_different_tracks_are_made_to_differ(void **unused) {
  (void)unused;
  merge_with_process(5, 200, "other");
  assert_int_equal(event_uuid("a"), 5);
  assert_int_not_equal(event_uuid("b"), 5);
  assert_int_equal(report_of(1)->uuids_remapped, 1);
}

static void equal_uuids_of_one_process_stay(void **unused) {
  (void)unused;
  merge_with_process(5, 100, "one");
  assert_int_equal(event_uuid("b"), 5);
  assert_int_equal(report_of(1)->uuids_kept, 1);
}

static void one_process_under_two_uuids_is_one_track(void **unused) {
  (void)unused;
  merge_with_process(6, 100, "one");
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
  struct tb_str track, thread;
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

/* Adds a trace of one slice on the track "t", from `begin` to `end`. */
static void add_slice_on_a_track(uint64_t begin, uint64_t end, const char *name) {
  struct msg trace = {.len = 0}, track = {.len = 0}, packet = {.len = 0};
  put_uint(&track, 1, 9);
  put_text(&track, 2, "t");
  put_msg(&packet, 60, &track);
  put_uint(&packet, 10, 1);
  put_msg(&trace, 1, &packet);
  add_event(&trace, begin, 1, 9, name, 0);
  add_event(&trace, end, 2, 9, NULL, 0);
  add(&trace);
}

static void a_track_is_shared_by_all_whose_events_do_not_overlap(void **unused) {
  (void)unused;
  add_slice_on_a_track(10, 20, "a");
  add_slice_on_a_track(30, 40, "b");
  add_slice_on_a_track(35, 45, "as b");
  add_slice_on_a_track(15, 17, "as a");
  add_slice_on_a_track(50, 60, "c");
  merge_well();
  assert_int_equal(event_uuid("a"), 9);
  assert_int_equal(event_uuid("b"), 9);
  assert_int_equal(event_uuid("c"), 9);
  assert_int_not_equal(event_uuid("as b"), 9);
  assert_int_not_equal(event_uuid("as a"), 9);
  assert_int_not_equal(event_uuid("as a"), event_uuid("as b"));
}

/* Adds a trace of one bundle of ftrace. */
static struct tb_merge_input *add_ftrace(uint64_t ts) {
  struct msg trace = {.len = 0}, packet = packet_at(1, ts);
  put_bytes(&packet, 1, "", 0);
  put_msg(&trace, 1, &packet);
  return add(&trace);
}

static void a_second_recording_of_a_machine_at_one_time_has_a_machine_of_its_own(void **unused) {
  (void)unused;
  (void)add_ftrace(10);
  (void)add_ftrace(10);
  (void)add_ftrace(20);
  merge_well();
  assert_int_equal(report_of(0)->machine_id, 0);
  assert_int_not_equal(report_of(1)->machine_id, 0);
  assert_int_equal(report_of(2)->machine_id, 0);
}

static void recordings_of_a_machine_that_is_named_share_it(void **unused) {
  (void)unused;
  add_ftrace(10)->machine = "one";
  add_ftrace(10)->machine = "one";
  merge_well();
  assert_int_equal(report_of(1)->machine_id, report_of(0)->machine_id);
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
  struct tb_str track = {NULL, 0};
  for (size_t i = 0; i < run.packet_count; i++) {
    struct tb_wire_cursor cursor = tb_wire_cursor(run.packets[i]);
    struct tb_wire_field field;
    while (tb_wire_next(&cursor, &field) == TB_OK) assert_int_not_equal(field.number, 98);
    if (!find_bytes(run.packets[i], 60, &track)) continue;
    struct tb_str process = get_bytes(track, 3);
    assert_true(seen < 2);
    assert_int_equal(get_number(process, 1), pids[seen % 2]);
    assert_true(tb_str_equal(get_bytes(process, 6), tb_str_from(names[seen % 2])));
    seen++;
  }
  assert_int_equal(seen, 2);
}

static void a_flattened_counter_names_the_thread_that_emits_it_by_its_new_id(void **unused) {
  (void)unused;
  static const char *const before[] = {"[\"n\",\"s\",{\"tid\":7}]", "[\"n\",\"s\",{\"tid\":\"7\"}]", "{\"tid\":0}",
                                       "7}]"};
  static const char *const after[] = {"[\"n\",\"s\",{\"tid\":4194311}]", "[\"n\",\"s\",{\"tid\":\"7\"}]", "{\"tid\":0}",
                                      "7}]"};
  struct msg a = {.len = 0}, b = {.len = 0};
  add_event(&a, 10, 3, 5, "a", 0);
  add_event(&b, 20, 3, 5, "b", 0);
  for (size_t i = 0; i < 4; i++) {
    struct msg track = {.len = 0}, packet = {.len = 0};
    put_uint(&track, 1, 20 + i);
    put_text(&track, 14, before[i]);
    put_uint(&packet, 10, 1);
    put_msg(&packet, 60, &track);
    put_msg(&b, 1, &packet);
  }
  add(&a)->machine = "phone";
  add(&b)->machine = "watch";
  run.options.flatten_machines = true;
  merge_well();
  size_t seen = 0;
  struct tb_str track;
  for (size_t i = 0; i < run.packet_count; i++)
    if (find_bytes(run.packets[i], 60, &track))
      assert_true(tb_str_equal(get_bytes(track, 14), tb_str_from(after[seen++])));
  assert_int_equal(seen, 4);
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

static void a_machine_that_gets_an_id_is_introduced_in_step_with_the_merged_clock(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(10), S(1000), S(11)), b = trace_of("b", S(70), S(1000), S(71));
  add(&a)->machine = "one";
  add(&b)->machine = "two";
  merge_well();
  uint32_t machine = report_of(1)->machine_id;
  assert_int_not_equal(machine, report_of(0)->machine_id);
  size_t first = run.packet_count, introduced = run.packet_count;
  for (size_t i = run.packet_count; i-- > 0;) {
    struct tb_str sync, event;
    struct tb_wire_cursor cursor = tb_wire_cursor(run.packets[i]);
    struct tb_wire_field field;
    bool of_machine = false;
    while (tb_wire_next(&cursor, &field) == TB_OK) of_machine |= field.number == 98 && field.value == machine;
    if (of_machine && find_bytes(run.packets[i], 107, &sync)) introduced = i;
    if (of_machine && find_bytes(run.packets[i], 11, &event)) first = i;
  }
  assert_true(introduced < first && first < run.packet_count);
  struct tb_str sync = get_bytes(run.packets[introduced], 107), round = get_bytes(sync, 1);
  struct tb_str client = get_bytes(round, 2), host = get_bytes(round, 3);
  assert_true(tb_str_equal(client, host));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(one_trace_passes_through_byte_for_byte),
      TEST(equal_sequence_ids_are_renumbered),
      TEST(events_change_in_their_sequence_and_time_alone),
      TEST(sequence_ids_up_to_the_highest_number_find_room),
      TEST(equal_uuids_of_different_tracks_are_made_to_differ),
      TEST(equal_uuids_of_one_process_stay),
      TEST(one_process_under_two_uuids_is_one_track),
      TEST(events_on_one_thread_at_one_time_get_a_track_each),
      TEST(a_track_is_shared_by_all_whose_events_do_not_overlap),
      TEST(a_second_recording_of_a_machine_at_one_time_has_a_machine_of_its_own),
      TEST(recordings_of_a_machine_that_is_named_share_it),
      TEST(equal_flow_ids_do_not_join_unless_they_are_shared),
      TEST(flows_stay_apart_when_a_merged_trace_is_merged),
      TEST(named_machines_keep_equal_pids_apart),
      TEST(a_machine_that_gets_an_id_is_introduced_in_step_with_the_merged_clock),
      TEST(flattened_machines_have_distinct_pids_and_named_processes),
      TEST(a_flattened_counter_names_the_thread_that_emits_it_by_its_new_id),
      TEST(an_event_without_a_track_gets_a_root_of_its_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
