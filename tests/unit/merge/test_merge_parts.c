/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of one long trace, and what only looks like one.
 */
#include "protos/field_numbers.h"
#include "support/merge_run.h"

enum { EVENTS = 420, FLAG_CLEARED = 1, FLAG_NEEDS = 2, INCREMENTAL_CLOCK = 64, MILLISECOND = 1000000 };

static void put_instant(struct msg *trace, uint64_t ts, uint64_t name, uint32_t flags, const struct msg *more) {
  struct msg event = {.len = 0}, p = packet_at(7, ts);
  put_uint(&event, 9, 3);
  put_uint(&event, 10, name);
  put_msg(&p, 11, &event);
  put_uint(&p, 13, flags);
  if (more) { /* interned names and defaults */
    struct msg entry = {.len = 0}, names = {.len = 0};
    put_uint(&entry, 1, name);
    put_text(&entry, 2, "name");
    put_msg(&names, 2, &entry);
    put_msg(&p, 12, &names);
    put_msg(&p, 59, more);
  }
  put_msg(trace, 1, &p);
}

/* The events [begin, end) of a trace, a millisecond apart: the first of all says what the others need. */
static void put_events(struct msg *trace, uint64_t start, uint64_t begin, uint64_t end) {
  struct msg event = {.len = 0}, defaults = {.len = 0};
  put_uint(&event, 11, 5);
  put_msg(&defaults, 11, &event);
  for (uint64_t i = begin; i < end; i++)
    put_instant(trace, start + i * MILLISECOND, 1, i ? FLAG_NEEDS : FLAG_CLEARED, i ? NULL : &defaults);
}

static void put_start(struct msg *trace, uint64_t at, uint32_t pid) {
  struct msg readings = SNAPSHOT(BOOT, BOOT, at, REAL, S(1700000000) + at);
  add_snapshot(trace, 1, &readings);
  add_thread(trace, 5, 0, pid, pid);
}

static void assert_read_as_one(const struct msg *first, const struct msg *second) {
  size_t len;
  merge_well();
  char *out = read_file(run.out, &len);
  assert_int_equal(len, first->len + second->len);
  assert_memory_equal(out, first->data, first->len);
  assert_memory_equal(out + first->len, second->data, second->len);
  free(out);
  assert_no_warning();
}

static void parts_of_a_trace_are_one_whatever_their_order(void **unused) {
  (void)unused;
  struct msg first = {.len = 0}, second = {.len = 0};
  put_start(&first, S(10), 77);
  put_events(&first, S(10), 0, EVENTS / 2);
  put_events(&second, S(10), EVENTS / 2, EVENTS);
  add(&first);
  add(&second);
  assert_read_as_one(&first, &second);
  assert_note(TB_MERGE_NOTE_PART_JOINED, 1, "continues the trace that begins in ");
  assert_false(report_of(1)->skipped);
  assert_int_equal(report_of(1)->last_ns, S(10) + (EVENTS - 1) * MILLISECOND);
  const struct tb_merge_input swapped = run.inputs[0];
  run.inputs[0] = run.inputs[1];
  run.inputs[1] = swapped;
  assert_read_as_one(&first, &second);
}

static void put_incremental_clock(struct msg *trace) {
  const uint64_t values[2][2] = {{BOOT, S(10)}, {INCREMENTAL_CLOCK, S(10)}};
  struct msg p = {.len = 0}, readings = {.len = 0};
  for (size_t i = 0; i < 2; i++) {
    struct msg clock = {.len = 0};
    put_uint(&clock, 1, values[i][0]);
    put_uint(&clock, 2, values[i][1]);
    if (i) put_uint(&clock, 3, 1);
    put_msg(&readings, 1, &clock);
  }
  put_uint(&p, 10, 7);
  put_msg(&p, 6, &readings);
  put_msg(trace, 1, &p);
}

/* Of such a clock each timestamp counts from the one before, so that the second part alone says nothing of its time. */
static void parts_on_an_incremental_clock_are_one_in_their_order(void **unused) {
  (void)unused;
  struct msg first = {.len = 0}, second = {.len = 0}, defaults = {.len = 0};
  put_incremental_clock(&first);
  put_uint(&defaults, 58, INCREMENTAL_CLOCK);
  for (uint64_t i = 0; i < EVENTS; i++)
    put_instant(i < EVENTS / 2 ? &first : &second, 1000, 1, i ? FLAG_NEEDS : FLAG_CLEARED, i ? NULL : &defaults);
  add(&first);
  add(&second);
  assert_read_as_one(&first, &second);
}

/* Parts of a trace whose times count from each other. Each part but the first introduces `names` interned names, which
 * go on in number. */
static void put_counted_parts(struct msg *parts, uint64_t count, uint64_t names) {
  struct msg defaults = {.len = 0}, uuid = {.len = 0}, p = {.len = 0};
  struct msg readings = SNAPSHOT(BOOT, BOOT, S(10), REAL, S(1700000000));
  add_snapshot(&parts[0], 1, &readings);
  put_uint(&uuid, 1, 17);
  put_msg(&p, TB_TRACE_PACKET_TRACE_UUID, &uuid);
  put_msg(&parts[0], TB_TRACE_PACKET, &p);
  put_incremental_clock(&parts[0]);
  put_uint(&defaults, 58, INCREMENTAL_CLOCK);
  uint64_t iid = 1;
  put_instant(&parts[0], 1000, iid++, FLAG_CLEARED, &defaults);
  for (uint64_t i = 1; i < count; i++) {
    for (uint64_t k = 0; k < names; k++) {
      struct msg entry = {.len = 0}, interned = {.len = 0}, packet = packet_at(7, 1000), event = {.len = 0};
      put_uint(&entry, 1, iid);
      put_text(&entry, 2, "name");
      put_msg(&interned, 2, &entry);
      put_uint(&event, 9, 3);
      put_uint(&event, 10, iid++);
      put_msg(&packet, 11, &event);
      put_msg(&packet, 12, &interned);
      put_uint(&packet, 13, FLAG_NEEDS);
      put_msg(&parts[i], 1, &packet);
    }
    if (!names) put_instant(&parts[i], 1000 * i, 1, FLAG_NEEDS, NULL);
  }
}

static void assert_whole(const struct msg *parts, size_t count) {
  size_t len, at = 0;
  merge_well();
  char *out = read_file(run.out, &len);
  for (size_t i = 0; i < count; at += parts[i++].len) {
    assert_true(at + parts[i].len <= len);
    assert_memory_equal(out + at, parts[i].data, parts[i].len);
  }
  assert_int_equal(at, len);
  free(out);
  assert_null(find_note(TB_MERGE_NOTE_STATE_MISSING, 0));
}

static void interned_ids_order_parts(void **unused) {
  (void)unused;
  static const size_t order[] = {3, 1, 0, 2, 4};
  struct msg parts[5] = {{.len = 0}};
  put_counted_parts(parts, 5, 2);
  for (size_t i = 0; i < 5; i++) add(&parts[order[i]]);
  assert_whole(parts, 5);
  assert_no_warning();
}

static void names_order_parts_where_nothing_else_does(void **unused) {
  (void)unused;
  static const size_t order[] = {2, 0, 3, 1};
  struct msg parts[4] = {{.len = 0}};
  put_counted_parts(parts, 4, 0);
  for (size_t i = 0; i < 4; i++) {
    char path[sizeof(run.paths[0])];
    (void)add(&parts[order[i]]);
    (void)snprintf(path, sizeof(path), "%.40s.%zu", run.out, 8 + order[i]); /* from .8 to .11 */
    assert_int_equal(rename(run.paths[i], path), 0);
    memcpy(run.paths[i], path, sizeof(path));
  }
  assert_whole(parts, 4);
  assert_note(TB_MERGE_NOTE_PARTS_UNORDERED, 0, "only the order of their names says");
}

static void a_part_of_one_packet_loses_nothing_of_the_others(void **unused) {
  (void)unused;
  struct msg parts[8] = {{.len = 0}};
  put_start(&parts[0], S(10), 77);
  for (uint64_t i = 0, at = 0; i < 8; i++) {
    uint64_t events = i == 4 ? 1 : 20;
    put_events(&parts[i], S(10), at, at + events);
    at += events;
    add(&parts[i]);
  }
  assert_whole(parts, 8);
  assert_no_warning();
}

/* A process that is renamed is described again in a later part. */
static void a_process_may_change_its_name(void **unused) {
  (void)unused;
  struct msg parts[2] = {{.len = 0}};
  put_start(&parts[0], S(10), 77);
  put_events(&parts[0], S(10), 0, 20);
  put_events(&parts[1], S(10), 20, 40);
  add_process(&parts[0], 3, 77, "early");
  add_process(&parts[1], 3, 77, "late");
  add(&parts[0]);
  add(&parts[1]);
  assert_whole(parts, 2);
  assert_no_warning();
}

/* Of equal ids and at the same time, but of another process. */
static void the_rest_of_another_trace_takes_no_names(void **unused) {
  (void)unused;
  struct msg whole = {.len = 0}, rest = {.len = 0};
  put_start(&whole, S(10), 77);
  put_events(&whole, S(10), 0, EVENTS / 2);
  put_start(&rest, S(10) + EVENTS / 2 * MILLISECOND, 88);
  put_events(&rest, S(10), EVENTS / 2, EVENTS);
  add(&whole);
  add(&rest);
  merge_well();
  assert_null(find_note(TB_MERGE_NOTE_PART_JOINED, 0));
  assert_note(TB_MERGE_NOTE_STATE_MISSING, 1, "nothing shows that this trace continues it");
  assert_int_equal(find_note(TB_MERGE_NOTE_STATE_MISSING, 0)->packets, EVENTS / 2);
}

static void assert_is_no_part(uint64_t start) {
  struct msg whole = {.len = 0}, rest = {.len = 0};
  put_start(&whole, S(10), 77);
  put_events(&whole, S(10), 0, EVENTS / 2);
  put_events(&rest, start, EVENTS / 2, EVENTS);
  add(&whole);
  add(&rest);
  merge_well();
  assert_null(find_note(TB_MERGE_NOTE_PART_JOINED, 0));
  assert_int_equal(find_note(TB_MERGE_NOTE_STATE_MISSING, 0)->packets, EVENTS / 2);
}

static void a_part_that_begins_long_after_the_other_is_none(void **unused) {
  (void)unused;
  assert_is_no_part(S(11));
}

/* What follows a part is what comes a packet later, not what comes a part later. */
static void three_parts_of_a_trace_are_one(void **unused) {
  (void)unused;
  struct msg parts[3] = {{.len = 0}, {.len = 0}, {.len = 0}};
  put_start(&parts[0], S(10), 77);
  for (uint64_t i = 0; i < 3; i++) {
    put_events(&parts[i], S(10), EVENTS / 3 * i, EVENTS / 3 * (i + 1));
    add(&parts[i]);
  }
  merge_well();
  assert_note(TB_MERGE_NOTE_PART_JOINED, 1, "continues the trace that begins in ");
  assert_non_null(find_note(TB_MERGE_NOTE_PART_JOINED, 1));
  assert_int_equal(find_note(TB_MERGE_NOTE_PART_JOINED, 1)->input, 2);
  assert_no_warning();
}

/* The recorder's buffer lost the state of one sequence, so that its times are unknown in both parts; the second part
 * has another sequence with times of its own, and no start. */
static void the_rest_of_a_buffer_that_was_written_over_goes_on_in_it(void **unused) {
  (void)unused;
  struct msg first = {.len = 0}, second = {.len = 0}, uuid = {.len = 0}, p = {.len = 0};
  put_start(&first, S(10), 77);
  put_uint(&uuid, 1, 17);
  put_uint(&uuid, 2, 18);
  put_msg(&p, TB_TRACE_PACKET_TRACE_UUID, &uuid);
  put_msg(&first, TB_TRACE_PACKET, &p);
  for (int i = 0; i < 8; i++) put_instant(i < 4 ? &first : &second, i < 4 ? 3 : 500, 1, FLAG_NEEDS, NULL);
  add_event(&second, S(11), 3, 5, "later", 0);
  add(&first);
  add(&second);
  merge_well();
  assert_note(TB_MERGE_NOTE_PART_JOINED, 1, "continues the trace that begins in ");
  assert_int_equal(find_note(TB_MERGE_NOTE_STATE_MISSING, 0)->packets, 8);
  assert_int_equal(event_time("later"), S(11));
}

/* Which of two that say the same follows, nobody knows. */
static void a_part_that_is_there_twice_is_not_joined(void **unused) {
  (void)unused;
  struct msg first = {.len = 0}, second = {.len = 0};
  put_start(&first, S(10), 77);
  put_events(&first, S(10), 0, EVENTS / 2);
  put_events(&second, S(10), EVENTS / 2, EVENTS);
  add(&first);
  add(&second);
  add(&second);
  merge_well();
  assert_null(find_note(TB_MERGE_NOTE_PART_JOINED, 0));
  assert_non_null(find_note(TB_MERGE_NOTE_STATE_MISSING, 1));
}

/* Producers write descriptors before their state is clear; these say all by themselves. */
static void a_descriptor_needs_no_state(void **unused) {
  (void)unused;
  struct msg first = {.len = 0}, second = {.len = 0}, track = {.len = 0}, p = packet_at(7, S(9));
  put_uint(&track, 1, 6);
  put_text(&track, 2, "a track");
  put_msg(&p, 60, &track);
  put_uint(&p, 13, FLAG_NEEDS);
  put_msg(&first, 1, &p);
  put_start(&first, S(10), 77);
  put_events(&first, S(10), 0, EVENTS / 2);
  put_start(&second, S(10), 88);
  add(&first);
  add(&second);
  merge_well();
  assert_no_warning();
}

/* As a phone records: the service writes a sequence of its own, and a daemon what the kernel says, which needs no
 * state. Only the first part has a start. */
static void put_phone(struct msg *trace, bool first, uint64_t from, uint64_t writer) {
  struct msg config = {.len = 0}, p = {.len = 0};
  if (first) put_start(trace, S(10), 77);
  put_msg(&p, TB_TRACE_PACKET_TRACE_CONFIG, &config);
  if (first) put_msg(trace, TB_TRACE_PACKET, &p);
  for (uint64_t i = 0; i < 20; i++) {
    struct msg event = {.len = 0}, packet = packet_at(7, from + i * MILLISECOND);
    put_uint(&packet, TB_TRACE_PACKET_TRUSTED_UID, 9999);
    put_uint(&packet, TB_TRACE_PACKET_TRUSTED_PID, writer);
    put_uint(&event, 9, 3);
    put_uint(&event, 11, 5);
    put_text(&event, 23, "on a track of the first part");
    put_msg(&packet, 11, &event);
    put_msg(trace, TB_TRACE_PACKET, &packet);
  }
}

static void the_rest_of_a_phones_trace_needs_no_state_to_be_one(void **unused) {
  (void)unused;
  struct msg first = {.len = 0}, second = {.len = 0};
  put_phone(&first, true, S(10), 900);
  put_phone(&second, false, S(10) + 20 * MILLISECOND, 900);
  add(&first);
  add(&second);
  assert_read_as_one(&first, &second);
  assert_note(TB_MERGE_NOTE_PART_JOINED, 1, "continues the trace that begins in ");
}

static void what_another_daemon_wrote_is_no_part(void **unused) {
  (void)unused;
  struct msg first = {.len = 0}, second = {.len = 0};
  put_phone(&first, true, S(10), 900);
  put_phone(&second, false, S(10) + 20 * MILLISECOND, 901);
  add(&first);
  add(&second);
  merge_well();
  assert_null(find_note(TB_MERGE_NOTE_PART_JOINED, 0));
  assert_null(find_note(TB_MERGE_NOTE_PART_UNCLEAR, 0));
}

static void a_rest_that_nothing_shows_to_follow_is_a_warning(void **unused) {
  (void)unused;
  struct msg first = {.len = 0}, second = {.len = 0};
  put_phone(&first, true, S(10), 900);
  put_phone(&second, false, S(20), 900);
  add(&first);
  add(&second);
  merge_well();
  assert_null(find_note(TB_MERGE_NOTE_PART_JOINED, 0));
  assert_note(TB_MERGE_NOTE_PART_UNCLEAR, 1, "nothing shows that it continues that one");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(parts_of_a_trace_are_one_whatever_their_order),
      TEST(parts_on_an_incremental_clock_are_one_in_their_order),
      TEST(interned_ids_order_parts),
      TEST(names_order_parts_where_nothing_else_does),
      TEST(a_part_of_one_packet_loses_nothing_of_the_others),
      TEST(a_process_may_change_its_name),
      TEST(the_rest_of_another_trace_takes_no_names),
      TEST(a_part_that_begins_long_after_the_other_is_none),
      TEST(three_parts_of_a_trace_are_one),
      TEST(the_rest_of_a_buffer_that_was_written_over_goes_on_in_it),
      TEST(a_part_that_is_there_twice_is_not_joined),
      TEST(a_descriptor_needs_no_state),
      TEST(the_rest_of_a_phones_trace_needs_no_state_to_be_one),
      TEST(what_another_daemon_wrote_is_no_part),
      TEST(a_rest_that_nothing_shows_to_follow_is_a_warning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
