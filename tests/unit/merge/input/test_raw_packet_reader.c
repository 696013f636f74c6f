/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/input/raw_packet_reader.h"

#include <zlib.h>

#include "support/merge_fixture.h"

static char path[64];
static struct tb_raw_packet_reader *packets;

static int tear_down(void **unused) {
  (void)unused;
  tb_raw_packet_reader_close(packets);
  packets = NULL;
  (void)unlink(path);
  return 0;
}

static void open_bytes(const struct msg *trace, struct tb_raw_packet_reader_options options) {
  write_file(path, sizeof(path), trace->data, trace->len);
  assert_int_equal(tb_raw_packet_reader_open(&(struct tb_input_place){.name = path}, &options, &packets, NULL), TB_OK);
}

static enum tb_status next(struct tb_raw_packet *packet) {
  struct tb_error error = {0};
  return tb_raw_packet_reader_next(packets, packet, &error);
}

static struct msg three_events(void) {
  struct msg t = {.len = 0};
  for (uint64_t i = 1; i <= 3; i++) add_event(&t, i, 3, 5, "event", 0);
  return t;
}

static void packets_longer_than_the_buffer_are_read_with_and_without_the_file_open(void **unused) {
  (void)unused;
  struct msg t = three_events();
  for (int close_between = 0; close_between < 2; close_between++) {
    open_bytes(&t, (struct tb_raw_packet_reader_options){.buffer_bytes = 3, .close_between = close_between});
    struct tb_raw_packet packet = {.offset = 0};
    for (uint64_t i = 1; i <= 3; i++) {
      assert_int_equal(next(&packet), TB_OK);
      assert_int_equal(get_number(packet.packet, 8), i);
    }
    assert_int_equal(next(&packet), TB_END);
    assert_int_equal(tb_raw_packet_reader_offset(packets), t.len);
    (void)tear_down(NULL);
  }
}

static void compressed_packets_are_opened_unless_they_are_to_be_kept(void **unused) {
  (void)unused;
  struct msg inner = three_events(), packet = {.len = 0}, t = {.len = 0};
  unsigned char bytes[4096];
  uLongf len = sizeof(bytes);
  assert_int_equal(compress(bytes, &len, (const Bytef *)inner.data, inner.len), Z_OK);
  put_bytes(&packet, 50, bytes, len);
  put_msg(&t, 1, &packet);
  struct tb_raw_packet got = {.offset = 0};
  open_bytes(&t, (struct tb_raw_packet_reader_options){0});
  for (uint64_t i = 1; i <= 3; i++) {
    assert_int_equal(next(&got), TB_OK);
    assert_true(got.inner);
    assert_int_equal(got.offset, 0);
    assert_int_equal(get_number(got.packet, 8), i);
  }
  assert_int_equal(next(&got), TB_END);
  (void)tear_down(NULL);
  open_bytes(&t, (struct tb_raw_packet_reader_options){.keep_compressed = true});
  assert_int_equal(next(&got), TB_OK);
  assert_int_equal(got.framed.len, t.len);
  assert_memory_equal(got.framed.ptr, t.data, t.len);
}

static void damaged_bytes_between_packets_are_passed_over_and_said(void **unused) {
  (void)unused;
  struct msg t = three_events(), more = three_events();
  uint64_t good = t.len, first;
  memcpy(t.data + t.len, "\x07\x07", 2);
  memcpy(t.data + t.len + 2, more.data, more.len);
  t.len += 2 + more.len;
  open_bytes(&t, (struct tb_raw_packet_reader_options){0});
  struct tb_raw_packet packet = {.offset = 0};
  const char *what;
  for (int i = 0; i < 6; i++) assert_int_equal(next(&packet), TB_OK);
  assert_int_equal(next(&packet), TB_END);
  assert_int_equal(tb_raw_packet_reader_damage(packets, &first, &what), 1);
  assert_int_equal(first, good);
  assert_string_equal(what, "damaged bytes between packets");
}

static void a_packet_cut_short_is_damage_at_its_start(void **unused) {
  (void)unused;
  struct msg t = three_events();
  t.len -= 3;
  open_bytes(&t, (struct tb_raw_packet_reader_options){0});
  struct tb_raw_packet packet = {.offset = 0};
  const char *what;
  uint64_t first;
  for (int i = 0; i < 2; i++) assert_int_equal(next(&packet), TB_OK);
  assert_int_equal(next(&packet), TB_END);
  assert_int_equal(next(&packet), TB_END);
  assert_int_equal(tb_raw_packet_reader_damage(packets, &first, &what), 1);
  assert_int_equal(first, packet.offset + packet.framed.len);
}

static void of_compressed_packets_that_end_early_the_whole_ones_come(void **unused) {
  (void)unused;
  struct msg inner = three_events(), packet = {.len = 0}, t = {.len = 0};
  unsigned char bytes[4096];
  uLongf len = sizeof(bytes);
  assert_int_equal(compress2(bytes, &len, (const Bytef *)inner.data, inner.len, 0), Z_OK);
  put_bytes(&packet, 50, bytes, len - 20); /* stored: what is cut off is the third packet's end and the checksum */
  put_msg(&t, 1, &packet);
  add_event(&t, 4, 3, 5, "event", 0);
  open_bytes(&t, (struct tb_raw_packet_reader_options){0});
  struct tb_raw_packet got = {.offset = 0};
  const char *what;
  uint64_t first;
  static const uint64_t expected[] = {1, 2, 4};
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(next(&got), TB_OK);
    assert_int_equal(get_number(got.packet, 8), expected[i]);
  }
  assert_int_equal(next(&got), TB_END);
  assert_true(tb_raw_packet_reader_damage(packets, &first, &what) > 0);
  assert_int_equal(first, 0);
}

static void a_packet_damaged_inside_comes_as_it_is_with_what_its_head_says(void **unused) {
  (void)unused;
  struct msg packet = packet_at(7, 99), t = {.len = 0};
  memcpy(packet.data + packet.len, "\x0a\x7f", 2);
  packet.len += 2;
  put_msg(&t, 1, &packet);
  add_event(&t, 4, 3, 5, "event", 0);
  open_bytes(&t, (struct tb_raw_packet_reader_options){0});
  struct tb_raw_packet got = {.offset = 0};
  assert_int_equal(next(&got), TB_OK);
  assert_true(got.fields.damaged);
  assert_int_equal(got.head.sequence, 7);
  assert_true(got.unreadable);
  assert_int_equal(got.packet.len, packet.len);
  assert_int_equal(next(&got), TB_OK);
  assert_false(got.fields.damaged);
  assert_false(got.unreadable);
}

static void add_common(struct msg *t, uint64_t i) {
  struct msg p = {.len = 0}, event = {.len = 0};
  put_uint(&event, 9, i % 4);
  if (i % 2) put_uint(&p, 8, i << i % 40);
  if (i % 3 == 0) put_uint(&p, 10, 1 + (i << i % 20));
  if (i % 4) put_uint(&p, 13, 2);
  put_msg(&p, 11, &event);
  if (i % 5) put_uint(&p, 3, i % 5 == 1 ? 0 : 1000);
  if (i % 3 == 1) put_uint(&p, 10, 1 + (i << i % 20));
  if (i % 7 == 0) put_uint(&p, 79, 70000);
  put_msg(t, 1, &p);
}

static void common_packets_are_those_that_would_come_with_the_same_heads(void **unused) {
  (void)unused;
  enum { PACKETS = 100 };
  struct msg t = {.len = 0};
  for (uint64_t i = 0; i < PACKETS; i++) add_common(&t, i);
  open_bytes(&t, (struct tb_raw_packet_reader_options){0});
  struct tb_raw_packet_reader *others;
  assert_int_equal(tb_raw_packet_reader_open(&(struct tb_input_place){.name = path}, NULL, &others, NULL), TB_OK);
  struct tb_raw_packet raw = {.offset = 0};
  assert_int_equal(next(&raw), TB_OK); /* only then there is something at hand */
  assert_int_equal(tb_raw_packet_reader_next(others, &raw, NULL), TB_OK);
  struct tb_common_packet common;
  struct tb_packet_header head = {.rare = 0};
  struct tb_packet_fields fields;
  unsigned taken = 0;
  for (; tb_packet_tokenizer_take_common(tb_raw_packet_reader_stream(packets), &common); taken++) {
    tb_packet_header_take_common(&head, common.bytes, &common.head);
    tb_packet_fields_take_common(&fields, &common.head);
    assert_int_equal(tb_raw_packet_reader_next(others, &raw, NULL), TB_OK);
    assert_int_equal(common.framed.len, raw.framed.len);
    assert_memory_equal(common.framed.ptr, raw.framed.ptr, raw.framed.len);
    assert_int_equal(head.has_timestamp, raw.head.has_timestamp);
    assert_int_equal(head.timestamp, raw.head.timestamp);
    assert_int_equal(head.sequence, raw.head.sequence);
    assert_int_equal(head.kind, raw.head.kind);
    assert_int_equal(head.payload.len, raw.head.payload.len);
    assert_int_equal(fields.count, raw.fields.count);
    for (uint32_t i = 0; i < fields.count; i++) {
      const struct tb_wire_field *a = &fields.list[i], *b = &raw.fields.list[i];
      assert_int_equal(a->number, b->number);
      assert_int_equal(a->value, b->value);
      assert_int_equal(a->start - common.bytes.ptr, b->start - raw.packet.ptr);
      assert_int_equal(a->bytes.len, b->bytes.len);
    }
  }
  assert_true(taken > PACKETS - 20); /* the last ones have not enough behind them */
  assert_int_equal(tb_raw_packet_reader_next(others, &raw, NULL), next(&raw));
  tb_raw_packet_reader_close(others);
}

int main(void) {
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(packets_longer_than_the_buffer_are_read_with_and_without_the_file_open),
      TEST(compressed_packets_are_opened_unless_they_are_to_be_kept),
      TEST(damaged_bytes_between_packets_are_passed_over_and_said),
      TEST(a_packet_cut_short_is_damage_at_its_start),
      TEST(of_compressed_packets_that_end_early_the_whole_ones_come),
      TEST(a_packet_damaged_inside_comes_as_it_is_with_what_its_head_says),
      TEST(common_packets_are_those_that_would_come_with_the_same_heads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
