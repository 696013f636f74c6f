/* SPDX-License-Identifier: Apache-2.0 */
#include "packets.h"

#include <zlib.h>

#include "merge_fixture.h"

static char path[64];
static struct tb_packets *packets;

static int tear_down(void **unused) {
  (void)unused;
  tb_packets_close(packets);
  packets = NULL;
  (void)unlink(path);
  return 0;
}

static void open_bytes(const struct msg *trace, struct tb_packets_options options) {
  write_file(path, sizeof(path), trace->data, trace->len);
  assert_int_equal(tb_packets_open(path, &options, &packets, NULL), TB_OK);
}

static enum tb_status next(struct tb_raw_packet *packet) {
  struct tb_error error = {0};
  return tb_packets_next(packets, packet, &error);
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
    open_bytes(&t, (struct tb_packets_options){.buffer_bytes = 3, .close_between = close_between});
    struct tb_raw_packet packet;
    for (uint64_t i = 1; i <= 3; i++) {
      assert_int_equal(next(&packet), TB_OK);
      assert_int_equal(get_number(packet.packet, 8), i);
    }
    assert_int_equal(next(&packet), TB_END);
    assert_int_equal(tb_packets_offset(packets), t.len);
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
  struct tb_raw_packet got;
  open_bytes(&t, (struct tb_packets_options){0});
  for (uint64_t i = 1; i <= 3; i++) {
    assert_int_equal(next(&got), TB_OK);
    assert_true(got.inner);
    assert_int_equal(got.offset, 0);
    assert_int_equal(get_number(got.packet, 8), i);
  }
  assert_int_equal(next(&got), TB_END);
  (void)tear_down(NULL);
  open_bytes(&t, (struct tb_packets_options){.keep_compressed = true});
  assert_int_equal(next(&got), TB_OK);
  assert_int_equal(got.framed.len, t.len);
  assert_memory_equal(got.framed.ptr, t.data, t.len);
}

static void bytes_that_are_no_packet_end_the_reading_where_they_start(void **unused) {
  (void)unused;
  struct msg t = three_events();
  size_t good = t.len;
  memcpy(t.data + t.len, "\x07\x07", 2);
  t.len += 2;
  open_bytes(&t, (struct tb_packets_options){0});
  struct tb_raw_packet packet;
  for (int i = 0; i < 3; i++) assert_int_equal(next(&packet), TB_OK);
  assert_int_equal(next(&packet), TB_BAD_DATA);
  assert_int_equal(next(&packet), TB_BAD_DATA);
  assert_int_equal(tb_packets_offset(packets), good);
}

static void a_compressed_packet_that_is_damaged_is_given_as_it_is(void **unused) {
  (void)unused;
  struct msg packet = {.len = 0}, t = {.len = 0};
  put_text(&packet, 50, "this was never deflated");
  put_msg(&t, 1, &packet);
  open_bytes(&t, (struct tb_packets_options){0});
  struct tb_raw_packet got;
  uint64_t first;
  assert_int_equal(next(&got), TB_OK);
  assert_int_equal(got.framed.len, t.len);
  assert_int_equal(tb_packets_undecodable(packets, &first), 1);
  assert_int_equal(first, 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(packets_longer_than_the_buffer_are_read_with_and_without_the_file_open),
      TEST(compressed_packets_are_opened_unless_they_are_to_be_kept),
      TEST(bytes_that_are_no_packet_end_the_reading_where_they_start),
      TEST(a_compressed_packet_that_is_damaged_is_given_as_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
