/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/rewrite/rewrite.h"

#include "support/merge_fixture.h"
#include "tracebridge/event.h"

#define MOVED_BY 7000000000 /* divides by all units of the table */

static struct tb_field_tree tree;
static struct tb_buffer out;
static struct tb_remap map;
static struct tb_merge_edit edit;
static uint32_t asked_clock;

static int64_t move(void *ctx, uint32_t machine, uint32_t clock, int64_t value) {
  (void)ctx;
  (void)machine;
  asked_clock = clock;
  return value + MOVED_BY;
}

static int set_up(void **unused) {
  (void)unused;
  assert_int_equal(tb_field_tree_grow(&tree, tb_default_allocator()), TB_OK);
  tb_buffer_init(&out, tb_default_allocator(), 0);
  map = (struct tb_remap){.active = UINT32_MAX, .time = move};
  edit = (struct tb_merge_edit){0};
  return 0;
}
static int tear_down(void **unused) {
  (void)unused;
  tb_field_tree_free(&tree, tb_default_allocator());
  tb_buffer_free(&out);
  return 0;
}

static struct tb_str rewritten(const struct msg *packet) {
  struct tb_message_patch patches = {.allocator = tb_default_allocator()};
  struct tb_packet_header head = {.rare = 0};
  struct tb_packet_fields fields;
  enum tb_status status = tb_packet_header_read_to_merge(&head, msg_slice(packet), &fields);
  assert_int_equal(status == TB_OK, !fields.damaged);
  assert_int_equal(tb_rewrite_packet(&tree, &map, &edit, msg_slice(packet), &fields, &patches), TB_OK);
  struct tb_str result = msg_slice(packet);
  if (patches.count) {
    size_t len = (size_t)((int64_t)packet->len + patches.growth);
    out.len = 0;
    assert_int_equal(tb_buffer_reserve(&out, len), TB_OK);
    assert_ptr_equal(tb_message_patches_apply(&patches, result, out.data), out.data + len);
    result = (struct tb_str){out.data, len};
  }
  tb_message_patches_free(&patches);
  return result;
}

static bool is_rewritten(const struct msg *packet) { return rewritten(packet).ptr != packet->data; }

/* A packet with one number at a path, written as the table's form asks for. */
static struct msg packet_with(const uint16_t *path, uint64_t value, bool packed) {
  if (!path[1]) {
    struct msg m = {.len = 0};
    char bytes[16];
    size_t len = (size_t)(tb_wire_put_varint(bytes, value) - bytes);
    if (packed)
      put_bytes(&m, path[0], bytes, len);
    else
      put_uint(&m, path[0], value);
    return m;
  }
  struct msg inner = packet_with(path + 1, value, packed), m = {.len = 0};
  put_msg(&m, path[0], &inner);
  return m;
}

static uint64_t number_at(struct tb_str message, const uint16_t *path, bool packed) {
  while (path[1]) message = get_bytes(message, *path++);
  if (!packed) return get_number(message, *path);
  uint64_t value = 0;
  struct tb_str bytes = get_bytes(message, *path);
  assert_non_null(tb_wire_read_varint(bytes.ptr, bytes.ptr + bytes.len, &value));
  return value;
}

static void each_time_of_the_table_moves_with_its_clock(void **unused) {
  (void)unused;
  assert_true(tb_time_field_count > 50);
  for (size_t i = 0; i < tb_time_field_count; i++) {
    const struct tb_time_field *field = &tb_time_fields[i];
    bool packed = field->form == TB_TIME_DELTAS;
    struct msg packet = packet_with(field->path, 123456, packed);
    asked_clock = 999;
    uint64_t value = number_at(rewritten(&packet), field->path, packed);
    if (value != 123456 + (uint64_t)MOVED_BY / field->unit || asked_clock != field->clock)
      fail_msg("%s: %llu on clock %u", field->name, (unsigned long long)value, asked_clock);
  }
}

static void a_time_of_zero_that_means_unknown_stays(void **unused) {
  (void)unused;
  for (size_t i = 0; i < tb_time_field_count; i++) {
    struct msg packet = packet_with(tb_time_fields[i].path, 0, false);
    if (tb_time_fields[i].form == TB_TIME_OPTIONAL) assert_false(is_rewritten(&packet));
  }
}

static void distances_in_compact_sched_stay_when_all_moves_alike(void **unused) {
  (void)unused;
  struct msg compact = {.len = 0}, bundle = {.len = 0}, packet = {.len = 0};
  char times[64], *at = times;
  at = tb_wire_put_varint(at, 1000);
  at = tb_wire_put_varint(at, 5);
  at = tb_wire_put_varint(at, 300);
  put_bytes(&compact, 1, times, (size_t)(at - times));
  put_msg(&bundle, 4, &compact);
  put_msg(&packet, 1, &bundle);
  struct tb_str bytes = get_bytes(get_bytes(get_bytes(rewritten(&packet), 1), 4), 1);
  uint64_t first, second, third;
  const char *p = tb_wire_read_varint(bytes.ptr, bytes.ptr + bytes.len, &first);
  p = tb_wire_read_varint(p, bytes.ptr + bytes.len, &second);
  p = tb_wire_read_varint(p, bytes.ptr + bytes.len, &third);
  assert_ptr_equal(p, bytes.ptr + bytes.len);
  assert_int_equal(first, 1000 + MOVED_BY);
  assert_int_equal(second, 5);
  assert_int_equal(third, 300);
}

static void ftrace_on_a_clock_of_its_own_keeps_its_times(void **unused) {
  (void)unused;
  struct msg event = {.len = 0}, bundle = {.len = 0}, packet = {.len = 0};
  put_uint(&event, 1, 5000);
  put_msg(&bundle, 2, &event);
  put_uint(&bundle, 5, 2);
  put_uint(&bundle, 6, 4000);
  put_uint(&bundle, 7, 9000);
  put_msg(&packet, 1, &bundle);
  struct tb_str moved = get_bytes(rewritten(&packet), 1);
  assert_int_equal(get_number(get_bytes(moved, 2), 1), 5000);
  assert_int_equal(get_number(moved, 6), 4000);
  assert_int_equal(get_number(moved, 7), 9000 + MOVED_BY);
}

static void what_needs_no_change_keeps_its_bytes(void **unused) {
  (void)unused;
  map = (struct tb_remap){.active = UINT32_MAX & ~(1u << TB_FIELD_TIME), .time = move};
  struct msg packet = packet_at(3, 1000);
  struct msg event = {.len = 0};
  put_uint(&event, 11, 5);
  put_text(&event, 23, "name");
  put_msg(&packet, 11, &event);
  put_text(&packet, 1999, "an extension that nobody knows");
  assert_false(is_rewritten(&packet));
}

static void unknown_fields_groups_and_long_varints_survive_a_change(void **unused) {
  (void)unused;
  map.sequence_base = 100;
  static const char bytes[] =
      "\x50\x83\x80\x00" /* sequence id 3 in a varint longer than needed */
      "\xca\x3e\x03"
      "abc"                          /* field 1001, bytes */
      "\xdb\x3e\x08\x96\x01\xdc\x3e" /* field 1003, a group with a field */
      "\x40\xe8\x87\x00";            /* timestamp 1000, long */
  struct msg packet = {.len = sizeof(bytes) - 1};
  memcpy(packet.data, bytes, packet.len);
  struct tb_str moved = rewritten(&packet);
  assert_int_equal(get_number(moved, 10), 103);
  assert_int_equal(moved.len, packet.len - 2); /* the new id has one byte */
  assert_memory_equal(moved.ptr + 2, bytes + 4, packet.len - 4);
}

static void a_packet_that_is_damaged_inside_keeps_the_rest(void **unused) {
  (void)unused;
  map.sequence_base = 1;
  struct msg packet = {.len = 0};
  put_uint(&packet, 10, 1);
  memcpy(packet.data + packet.len,
         "\x0a\x7f"
         "cut",
         5);
  packet.len += 5;
  struct tb_str moved = rewritten(&packet);
  assert_int_equal(moved.len, packet.len);
  assert_int_equal(moved.ptr[1], 2);
  assert_memory_equal(moved.ptr + 2, packet.data + 2, 5);
}

static void sequence_ids_are_shifted_but_zero_stays(void **unused) {
  (void)unused;
  map.sequence_base = 40;
  assert_int_equal(tb_remap_sequence(&map, 0), 0);
  struct msg packet = packet_at(2, 5);
  assert_int_equal(get_number(rewritten(&packet), 10), 42);
}

static void uuids_and_flows_are_salted_in_all_their_fields(void **unused) {
  (void)unused;
  map.uuid_salt = 11;
  map.flow_salt = 12;
  struct msg event = {.len = 0}, packet = packet_at(1, 5);
  put_uint(&event, 11, 77);
  put_uint(&event, 31, 78);
  put_uint(&event, 36, 5);
  put_fixed64(&event, 47, 5);
  put_fixed64(&event, 48, 6);
  put_uint(&event, 52, 5);
  put_msg(&packet, 11, &event);
  struct tb_str moved = get_bytes(rewritten(&packet), 11);
  assert_int_equal(get_number(moved, 11), tb_remap_uuid(&map, 77));
  assert_int_equal(get_number(moved, 31), tb_remap_uuid(&map, 78));
  assert_int_equal(get_number(moved, 36), tb_remap_flow(&map, 5));
  assert_int_equal(get_number(moved, 47), tb_remap_flow(&map, 5));
  assert_int_equal(get_number(moved, 48), tb_remap_flow(&map, 6));
  assert_int_equal(get_number(moved, 52), tb_remap_flow(&map, 5));
  assert_int_not_equal(tb_remap_flow(&map, 5), 5);
  assert_int_equal(tb_remap_uuid(&map, 0), 0);
}

static void fields_of_numbers_that_take_two_bytes_are_in_the_table_too(void **unused) {
  (void)unused;
  map.flow_salt = 12;
  struct msg flow = {.len = 0}, packet = packet_at(1, 5);
  put_uint(&flow, 1, 9);
  put_uint(&flow, 3, 9);
  put_msg(&packet, 1991, &flow);
  struct tb_str moved = get_bytes(rewritten(&packet), 1991);
  assert_int_equal(get_number(moved, 1), 9);
  assert_int_equal(get_number(moved, 3), tb_remap_flow(&map, 9));
}

static void ids_of_legacy_events_change_with_and_without_a_phase(void **unused) {
  (void)unused;
  map.flow_salt = 12;
  map.active &= ~(1u << TB_FIELD_TIME);
  for (int has_phase = 0; has_phase < 2; has_phase++) {
    struct msg legacy = {.len = 0}, event = {.len = 0}, packet = packet_at(1, 5);
    if (has_phase) put_uint(&legacy, 2, 'b');
    put_uint(&legacy, 6, 9);
    put_msg(&event, 6, &legacy);
    put_msg(&packet, 11, &event);
    assert_int_equal(get_number(get_bytes(get_bytes(rewritten(&packet), 11), 6), 6), tb_remap_flow(&map, 9));
  }
}

static void snapshots_get_new_clock_ids_and_moved_readings(void **unused) {
  (void)unused;
  struct tb_map clocks;
  tb_map_init(&clocks, tb_default_allocator());
  assert_int_equal(tb_map_put(&clocks, TB_CLOCK_MONOTONIC, 0, 130), TB_OK);
  map.clocks = &clocks;
  map.moved_clock = TB_CLOCK_BOOTTIME;
  map.trace_clock = TB_CLOCK_BOOTTIME;
  struct msg readings = SNAPSHOT(TB_CLOCK_MONOTONIC, 64, 1, TB_CLOCK_MONOTONIC, 500, TB_CLOCK_BOOTTIME, 800);
  struct msg packet = {.len = 0};
  put_msg(&packet, 6, &readings);
  struct tb_str moved = get_bytes(rewritten(&packet), 6);
  struct msg expected = SNAPSHOT(TB_CLOCK_BOOTTIME, 64, 1, 130, 500, TB_CLOCK_BOOTTIME, 800 + MOVED_BY);
  assert_int_equal(moved.len, expected.len);
  assert_memory_equal(moved.ptr, expected.data, expected.len);
  tb_map_free(&clocks);
}

static void a_snapshot_gets_a_reading_of_the_merged_clock_where_it_has_none(void **unused) {
  (void)unused;
  map.added_clock = TB_CLOCK_BOOTTIME;
  map.added_from = TB_CLOCK_MONOTONIC;
  struct msg readings = SNAPSHOT(0, TB_CLOCK_MONOTONIC, 500), packet = {.len = 0};
  put_msg(&packet, 6, &readings);
  struct msg expected = SNAPSHOT(0, TB_CLOCK_MONOTONIC, 500, TB_CLOCK_BOOTTIME, 500 + MOVED_BY);
  struct tb_str moved = get_bytes(rewritten(&packet), 6);
  assert_int_equal(moved.len, expected.len);
  assert_memory_equal(moved.ptr, expected.data, expected.len);
}

static void the_head_gets_what_it_lacks(void **unused) {
  (void)unused;
  edit = (struct tb_merge_edit){
      .set_timestamp = true, .timestamp = 99, .set_clock = true, .clock = 6, .set_machine = true, .machine = 1234};
  struct msg packet = packet_at(1, 5);
  struct tb_str moved = rewritten(&packet);
  assert_int_equal(get_number(moved, 8), 99);
  assert_int_equal(get_number(moved, 58), 6);
  assert_int_equal(get_number(moved, 98), 1234);
  assert_int_equal(get_number(moved, 10), 1);
}

static void an_event_without_a_track_gets_the_one_given(void **unused) {
  (void)unused;
  edit = (struct tb_merge_edit){.track_rule = TB_TRACK_FOR_NONE, .track = 4711};
  struct msg event = {.len = 0}, packet = packet_at(1, 5);
  put_uint(&event, 9, 3);
  put_msg(&packet, 11, &event);
  struct tb_str moved = get_bytes(rewritten(&packet), 11);
  assert_int_equal(get_number(moved, 11), 4711);
  assert_int_equal(get_number(moved, 9), 3);
}

static void an_event_keeps_the_track_that_it_names_unless_that_is_zero(void **unused) {
  (void)unused;
  map.active = 0;
  edit = (struct tb_merge_edit){.track_rule = TB_TRACK_FOR_ZERO, .track = 4711};
  for (uint64_t track = 0; track < 3; track++) {
    struct msg event = {.len = 0}, packet = packet_at(1, 5);
    put_uint(&event, 9, 3);
    if (track < 2) put_uint(&event, 11, track);
    put_msg(&packet, 11, &event);
    assert_int_equal(is_rewritten(&packet), track == 0);
  }
}

static void a_packet_of_more_fields_than_its_head_lists_changes_in_all(void **unused) {
  (void)unused;
  map.sequence_base = 100;
  struct msg packet = {.len = 0}, event = {.len = 0};
  put_uint(&event, 9, 3);
  for (int i = 0; i < 2 * TB_PACKET_FIELDS_MAX; i++) put_msg(&packet, 11, &event);
  put_uint(&packet, 10, 3);
  assert_int_equal(get_number(rewritten(&packet), 10), 103);
}

static void lengths_grow_with_what_they_hold_at_every_level(void **unused) {
  (void)unused;
  map.flow_salt = 12;
  for (size_t filler = 0; filler < 140; filler++) { /* lengths around 127, of two messages one in the other */
    struct msg legacy = {.len = 0}, event = {.len = 0}, packet = packet_at(1, 5);
    char text[160] = {0};
    put_uint(&legacy, 2, 'b');
    put_uint(&legacy, 6, 9);
    put_bytes(&legacy, 1000, text, filler);
    put_msg(&event, 6, &legacy);
    put_msg(&packet, 11, &event);
    struct tb_str moved = rewritten(&packet);
    struct tb_str inner = get_bytes(get_bytes(moved, 11), 6);
    assert_int_equal(get_number(inner, 6), tb_remap_flow(&map, 9));
    assert_int_equal(get_bytes(inner, 1000).len, filler);
  }
}

static void a_name_in_the_table_leads_nowhere_else(void **unused) {
  (void)unused;
  for (size_t i = 0; i < tb_time_field_count; i++)
    for (size_t k = 0; k < i; k++) assert_memory_not_equal(tb_time_fields[i].path, tb_time_fields[k].path, 12);
  for (size_t i = 0; i < tb_id_field_count; i++)
    for (size_t k = 0; k < i; k++) assert_memory_not_equal(tb_id_fields[i].path, tb_id_fields[k].path, 12);
}

/* Whether a quick look at an event of these bytes says that it is on no track of 3 and 300. */
static bool is_on_none(const char *bytes, size_t len) {
  static const uint64_t uuids[5] = {[0] = UINT64_C(1) << 3, [300 / 64] = UINT64_C(1) << 300 % 64};
  char event[64 + TB_PACKET_AHEAD];
  memset(event, 0x58, sizeof(event)); /* what is behind the event is not read as a part of it */
  memcpy(event, bytes, len);
  return tb_rewrite_is_on_none(uuids, 320, (struct tb_str){event, len});
}

static void a_quick_look_finds_each_form_of_a_tracks_uuid(void **state) {
  (void)state;
#define IS_ON_NONE(text) is_on_none(text, sizeof(text) - 1)
  assert_true(IS_ON_NONE(""));
  assert_true(IS_ON_NONE("\x48\x01\x50\x07"));
  assert_true(IS_ON_NONE("\x48\x01\x58\x04"));
  assert_true(IS_ON_NONE("\x58\xff\xff\xff\xff\x01"));
  assert_false(IS_ON_NONE("\x48\x01\x58\x03"));
  assert_false(IS_ON_NONE("\x48\x01\x50\x07\x58\xac\x02"));
  assert_false(
      IS_ON_NONE("\xb2\x01\x0f"
                 "fifteen letters"
                 "\x58\x03"));                  /* in the second block */
  assert_false(IS_ON_NONE("\xd8\x00\x03"));     /* a tag in two bytes */
  assert_false(IS_ON_NONE("\xf8\x01\x03"));     /* extra_counter_track_uuids */
  assert_false(IS_ON_NONE("\xfa\x01\x01\x03")); /* packed */
  assert_false(IS_ON_NONE("\xe8\x02\x03"));     /* extra_double_counter_track_uuids */
  assert_false(IS_ON_NONE("\xea\x02\x01\x03"));
  assert_true(
      IS_ON_NONE("\xb2\x01\x04"
                 "Xray")); /* a text, and no field of uuids */
#undef IS_ON_NONE
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(each_time_of_the_table_moves_with_its_clock),
      TEST(a_time_of_zero_that_means_unknown_stays),
      TEST(distances_in_compact_sched_stay_when_all_moves_alike),
      TEST(ftrace_on_a_clock_of_its_own_keeps_its_times),
      TEST(what_needs_no_change_keeps_its_bytes),
      TEST(unknown_fields_groups_and_long_varints_survive_a_change),
      TEST(a_packet_that_is_damaged_inside_keeps_the_rest),
      TEST(sequence_ids_are_shifted_but_zero_stays),
      TEST(uuids_and_flows_are_salted_in_all_their_fields),
      TEST(fields_of_numbers_that_take_two_bytes_are_in_the_table_too),
      TEST(ids_of_legacy_events_change_with_and_without_a_phase),
      TEST(snapshots_get_new_clock_ids_and_moved_readings),
      TEST(a_snapshot_gets_a_reading_of_the_merged_clock_where_it_has_none),
      TEST(the_head_gets_what_it_lacks),
      TEST(an_event_without_a_track_gets_the_one_given),
      TEST(an_event_keeps_the_track_that_it_names_unless_that_is_zero),
      TEST(a_packet_of_more_fields_than_its_head_lists_changes_in_all),
      TEST(lengths_grow_with_what_they_hold_at_every_level),
      TEST(a_name_in_the_table_leads_nowhere_else),
      TEST(a_quick_look_finds_each_form_of_a_tracks_uuid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
