/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/packet_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>

/* A message and what is read behind it. */
struct message {
  char data[256 + TB_PACKET_AHEAD];
  size_t len;
};

static void add_varint(struct message *m, uint64_t value, unsigned least_bytes) {
  for (unsigned n = 1; n < least_bytes || value > 0x7f; n++, value >>= 7) m->data[m->len++] = (char)(value | 0x80);
  m->data[m->len++] = (char)value;
}

static void add_number(struct message *m, uint32_t field, uint64_t value, unsigned least_bytes) {
  add_varint(m, (uint64_t)field << 3 | TB_WIRE_VARINT, 1);
  add_varint(m, value, least_bytes);
}

static void add_payload(struct message *m, uint32_t field, size_t len) {
  add_varint(m, (uint64_t)field << 3 | TB_WIRE_BYTES, 1);
  add_varint(m, len, 1);
  memset(m->data + m->len, 'x', len);
  m->len += len;
}

static struct tb_str bytes_of(const struct message *m) { return (struct tb_str){m->data, m->len}; }

static void assert_same(const struct tb_packet_header *a, const struct tb_packet_header *b) {
  assert_int_equal(a->has_timestamp, b->has_timestamp);
  assert_int_equal(a->timestamp, b->timestamp);
  assert_int_equal(a->has_clock, b->has_clock);
  assert_int_equal(a->sequence, b->sequence);
  assert_int_equal(a->flags, b->flags);
  assert_int_equal(a->kind, b->kind);
  assert_int_equal(a->rare, b->rare);
  assert_int_equal(a->machine, b->machine);
  assert_int_equal(a->interned_count, b->interned_count);
  assert_int_equal(a->cleared, b->cleared);
  assert_int_equal(a->dropped, b->dropped);
  assert_int_equal(a->has_defaults, b->has_defaults);
  assert_ptr_equal(a->payload.ptr, b->payload.ptr);
  assert_int_equal(a->payload.len, b->payload.len);
  assert_ptr_equal(a->bytes.ptr, b->bytes.ptr);
  assert_int_equal(a->bytes.len, b->bytes.len);
}

/* What the quick reading takes, the careful one reads the same. True where it took it. */
static bool both_agree(const struct message *m) {
  struct tb_packet_header quick = {.rare = 1, .machine = 7, .interned_count = 3, .cleared = true, .dropped = true};
  struct tb_packet_header careful = quick;
  struct tb_packet_common common;
  bool taken = tb_packet_common_read(bytes_of(m), &common);
  if (taken) tb_packet_header_take_common(&quick, bytes_of(m), &common);
  enum tb_status status = tb_packet_header_read(&careful, bytes_of(m));
  if (!taken) return false;
  assert_int_equal(status, TB_OK);
  assert_same(&quick, &careful);
  return true;
}

static void heads_as_our_writer_and_as_chrome_write_them_are_read_quickly(void **unused) {
  (void)unused;
  struct message ours = {.len = 0}, chromes = {.len = 0};
  add_number(&ours, 8, 3509, 1);
  add_number(&ours, 10, 3, 1);
  add_number(&ours, 13, 2, 1);
  add_payload(&ours, 11, 6);
  assert_true(both_agree(&ours));
  add_number(&chromes, 8, 1666382280874284123, 1);
  add_payload(&chromes, 11, 130);
  add_number(&chromes, 13, 2, 1);
  add_number(&chromes, 3, 1000, 1);
  add_number(&chromes, 10, 70000, 1);
  assert_true(both_agree(&chromes));
}

static void varints_of_every_length_are_the_same_to_both_readings(void **unused) {
  (void)unused;
  for (unsigned bits = 0; bits < 64; bits++) {
    for (unsigned least = 1; least <= 10; least++) {
      struct message m = {.len = 0};
      add_number(&m, 8, UINT64_C(1) << bits | (bits > 5), least);
      add_number(&m, 10, 3, least);
      add_payload(&m, 11, bits);
      assert_true(both_agree(&m));
      struct tb_packet_header head = {.rare = 0};
      assert_int_equal(tb_packet_header_read(&head, bytes_of(&m)), TB_OK);
      assert_int_equal(head.timestamp, UINT64_C(1) << bits | (bits > 5));
      assert_int_equal(head.sequence, 3);
      assert_int_equal(head.payload.len, bits);
    }
  }
}

/* Behind the cut are the bytes that were cut off, so that reading too far would find what it looks for. */
static void a_head_cut_anywhere_is_never_read_past_its_end(void **unused) {
  (void)unused;
  struct message whole = {.len = 0};
  add_number(&whole, 8, 1666382280874284123, 1);
  add_number(&whole, 10, 300, 1);
  add_payload(&whole, 11, 5);
  add_number(&whole, 3, 1000, 1);
  size_t len = whole.len;
  for (size_t cut = 0; cut < len; cut++) {
    struct message m = whole;
    m.len = cut;
    (void)both_agree(&m);
  }
  whole.len = len;
  assert_true(both_agree(&whole));
}

static void what_changes_a_sequences_state_is_left_to_the_careful_reading(void **unused) {
  (void)unused;
  struct message clears = {.len = 0}, interns = {.len = 0}, drops = {.len = 0};
  add_number(&clears, 13, 1, 1);
  add_payload(&clears, 11, 2);
  assert_false(both_agree(&clears));
  add_payload(&interns, 11, 2);
  add_payload(&interns, 12, 2);
  assert_false(both_agree(&interns));
  add_payload(&drops, 11, 2);
  add_number(&drops, 42, 1, 1);
  assert_false(both_agree(&drops));
}

static void a_clock_and_a_process_id_do_not_make_a_packet_rare(void **unused) {
  (void)unused;
  struct message m = {.len = 0};
  add_number(&m, 8, 5, 1);
  add_number(&m, 58, 64, 1);
  add_payload(&m, 11, 2);
  add_number(&m, 79, 4321, 1);
  struct tb_packet_header head = {.rare = 0};
  assert_int_equal(tb_packet_header_read(&head, bytes_of(&m)), TB_OK);
  assert_true(head.has_clock);
  assert_int_equal(head.clock, 64);
  assert_int_equal(head.rare, 0);
}

static void a_head_used_again_keeps_nothing_of_the_packet_before(void **unused) {
  (void)unused;
  struct message first = {.len = 0}, second = {.len = 0};
  add_number(&first, 98, 5, 1);
  add_payload(&first, 12, 4);
  add_number(&first, 13, 1, 1);
  add_number(&first, 58, 6, 1);
  add_number(&second, 10, 9, 1);
  struct tb_packet_header head = {.rare = 0};
  assert_int_equal(tb_packet_header_read(&head, bytes_of(&first)), TB_OK);
  assert_int_equal(head.machine, 5);
  assert_int_equal(head.interned_count, 1);
  assert_true(head.cleared);
  assert_int_equal(tb_packet_header_read(&head, bytes_of(&second)), TB_OK);
  assert_int_equal(head.machine, 0);
  assert_int_equal(head.interned_count, 0);
  assert_false(head.cleared);
  assert_false(head.has_clock);
  assert_null(head.interned.ptr);
  assert_int_equal(head.sequence, 9);
}

/* ---- for merging ------------------------------------------------------------------------------------------------- */

static struct tb_packet_header read_to_merge(const struct message *m, struct tb_packet_fields *fields) {
  struct tb_packet_header head = {.rare = 1, .machine = 7, .interned_count = 3, .cleared = true, .dropped = true};
  assert_int_equal(tb_packet_header_read_to_merge(&head, bytes_of(m), fields), TB_OK);
  return head;
}

static void a_header_to_merge_lists_what_may_change_whatever_the_order_and_length_of_its_fields(void **unused) {
  (void)unused;
  struct message m = {.len = 0};
  add_payload(&m, 1000, 1); /* of an extension */
  add_payload(&m, 11, 2);
  add_number(&m, 10, 3, 4);
  add_number(&m, 3, 1000, 1);
  add_number(&m, 79, 10000, 1);
  add_payload(&m, 12, 3);
  add_number(&m, 8, ((uint64_t)1 << 56) - 1, 1);
  add_number(&m, 58, 6, 1);
  add_number(&m, 98, 9, 1);
  add_number(&m, 13, 3, 1);
  struct tb_packet_fields fields;
  struct tb_packet_header head = read_to_merge(&m, &fields);
  assert_int_equal(head.kind, 11);
  assert_int_equal(head.payload.len, 2);
  assert_int_equal(head.sequence, 3);
  assert_int_equal(head.timestamp, ((uint64_t)1 << 56) - 1);
  assert_int_equal(head.clock, 6);
  assert_int_equal(head.machine, 9);
  assert_true(head.has_timestamp && head.has_clock && head.cleared);
  assert_int_equal(head.flags, 3);
  static const uint32_t numbers[] = {1000, 11, 10, 8, 58, 98};
  static const size_t sizes[] = {1, 2, 4, 8, 1, 1}, tags[] = {2, 1, 1, 1, 2, 2};
  assert_int_equal(fields.count, 6);
  assert_false(fields.damaged);
  for (uint32_t i = 0; i < fields.count; i++) {
    const struct tb_wire_field *field = &fields.list[i];
    bool is_bytes = field->type == TB_WIRE_BYTES;
    assert_int_equal(is_bytes, i < 2);
    assert_int_equal(field->number, numbers[i]);
    assert_int_equal(field->bytes.len, sizes[i]);
    assert_int_equal(field->bytes.ptr - field->start, tags[i] + is_bytes);
    if (i) assert_true(fields.list[i - 1].start < field->start);
  }
}

static void reading_goes_by_the_last_payload_and_merging_by_the_first_that_readers_may_know(void **unused) {
  (void)unused;
  struct message m = {.len = 0}, strange = {.len = 0};
  add_payload(&m, 300, 1);
  add_payload(&m, 6, 2);
  add_payload(&m, 11, 3);
  add_payload(&m, 6, 4);
  add_payload(&m, 301, 5);
  struct tb_packet_header head = read_to_merge(&m, NULL);
  assert_int_equal(head.kind, 6);
  assert_int_equal(head.payload.len, 4);
  assert_int_equal(tb_packet_header_payload(&head, 6).len, 4);
  assert_null(tb_packet_header_payload(&head, 11).ptr);
  assert_int_equal(tb_packet_header_read(&head, bytes_of(&m)), TB_OK);
  assert_int_equal(head.kind, 301);
  assert_int_equal(head.payload.len, 5);
  add_payload(&strange, 300, 1);
  add_payload(&strange, 301, 2);
  head = read_to_merge(&strange, NULL);
  assert_int_equal(head.kind, 301);
  assert_int_equal(head.payload.len, 2);
}

static void merging_sees_a_snapshot_after_another_payload_and_takes_a_group_as_one(void **unused) {
  (void)unused;
  struct message both = {.len = 0}, group = {.len = 0};
  add_payload(&both, 11, 3);
  add_payload(&both, 6, 2);
  struct tb_packet_header head = read_to_merge(&both, NULL);
  assert_int_equal(head.kind, 11);
  assert_int_equal(head.clock_snapshot.len, 2);
  add_varint(&group, 5 << 3 | TB_WIRE_GROUP, 1);
  add_number(&group, 1, 4, 1);
  add_varint(&group, 5 << 3 | TB_WIRE_END_GROUP, 1);
  struct tb_packet_fields fields;
  head = read_to_merge(&group, &fields);
  assert_null(head.clock_snapshot.ptr);
  assert_int_equal(head.kind, 5);
  assert_int_equal(head.payload.len, 2);
  assert_int_equal(fields.count, 1);
  assert_int_equal(fields.list[0].type, TB_WIRE_GROUP);
  assert_int_equal(tb_packet_header_read(&head, bytes_of(&group)), TB_OK);
  assert_int_equal(head.kind, 0);
}

static void a_header_damaged_anywhere_holds_what_came_before(void **unused) {
  (void)unused;
  struct message m = {.len = 0};
  add_number(&m, 10, 300, 1);
  size_t sequence = m.len;
  add_number(&m, 13, 1, 1);
  size_t flags = m.len;
  add_number(&m, 98, 5, 1);
  size_t machine = m.len;
  add_payload(&m, 11, 5);
  size_t event = m.len;
  add_payload(&m, 6, 9);
  size_t whole = m.len;
  struct tb_packet_header head = {.rare = 0};
  for (m.len = 0; m.len <= whole; m.len++) {
    bool damaged =
        m.len != 0 && m.len != sequence && m.len != flags && m.len != machine && m.len != event && m.len != whole;
    struct tb_packet_fields fields;
    assert_int_equal(tb_packet_header_read_to_merge(&head, bytes_of(&m), &fields), damaged ? TB_BAD_DATA : TB_OK);
    assert_int_equal(fields.damaged, damaged);
    assert_int_equal(head.sequence, m.len >= sequence ? 300 : 0);
    assert_int_equal(head.cleared, m.len >= flags);
    assert_int_equal(head.machine, m.len >= machine ? 5 : 0);
    assert_int_equal(head.kind, m.len >= event ? 11 : 0);
    assert_int_equal(head.clock_snapshot.len, m.len == whole ? 9 : 0);
    unsigned listed = (m.len >= sequence ? 1u : 0u) + (m.len >= machine ? 1u : 0u) + (m.len >= event ? 1u : 0u);
    assert_int_equal(fields.count, listed + (m.len == whole ? 1u : 0u));
  }
}

static void more_fields_than_there_is_room_for_are_counted(void **unused) {
  (void)unused;
  struct message m = {.len = 0};
  for (int i = 0; i < 2 * TB_PACKET_FIELDS_MAX; i++) add_payload(&m, 11, 1);
  struct tb_packet_fields fields;
  struct tb_packet_header head = read_to_merge(&m, &fields);
  assert_int_equal(fields.count, 2 * TB_PACKET_FIELDS_MAX);
  assert_ptr_equal(head.payload.ptr, m.data + m.len - 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heads_as_our_writer_and_as_chrome_write_them_are_read_quickly),
      cmocka_unit_test(varints_of_every_length_are_the_same_to_both_readings),
      cmocka_unit_test(a_head_cut_anywhere_is_never_read_past_its_end),
      cmocka_unit_test(what_changes_a_sequences_state_is_left_to_the_careful_reading),
      cmocka_unit_test(a_clock_and_a_process_id_do_not_make_a_packet_rare),
      cmocka_unit_test(a_head_used_again_keeps_nothing_of_the_packet_before),
      cmocka_unit_test(a_header_to_merge_lists_what_may_change_whatever_the_order_and_length_of_its_fields),
      cmocka_unit_test(reading_goes_by_the_last_payload_and_merging_by_the_first_that_readers_may_know),
      cmocka_unit_test(merging_sees_a_snapshot_after_another_payload_and_takes_a_group_as_one),
      cmocka_unit_test(a_header_damaged_anywhere_holds_what_came_before),
      cmocka_unit_test(more_fields_than_there_is_room_for_are_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
