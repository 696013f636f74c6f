/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>

#include "inspect/text_format.h"
#include "protobuf/wire.h"
#include "protos/perfetto/trace_packet.pb-c.h"

static struct tb_buffer out;

static int start(void **state) {
  (void)state;
  tb_buffer_init(&out, tb_default_allocator(), 0);
  return 0;
}

static int stop(void **state) {
  (void)state;
  tb_buffer_free(&out);
  return 0;
}

#define ASSERT_PRINTS(type, bytes, expected) \
  assert_prints((type), (struct tb_str){(bytes), sizeof(bytes) - 1}, (expected))

static void assert_prints(const ProtobufCMessageDescriptor *type, struct tb_str bytes, const char *expected) {
  out.len = 0;
  assert_int_equal(tb_text_message(&out, type, bytes, 0, NULL), TB_OK);
  assert_int_equal(tb_buffer_append(&out, "", 1), TB_OK);
  assert_string_equal(out.data, expected);
}

static const ProtobufCMessageDescriptor *const packet = &perfetto__protos__trace_packet__descriptor;

static void known_fields_have_their_names(void **state) {
  (void)state;
  ASSERT_PRINTS(packet, "\x40\xe8\x07\x50\x05", "timestamp: 1000\ntrusted_packet_sequence_id: 5\n");
  ASSERT_PRINTS(packet, "\x5a\x02\x48\x01", "track_event {\n  type: TYPE_SLICE_BEGIN\n}\n");
}

static void values_that_the_type_has_no_form_for_come_by_number(void **state) {
  (void)state;
  ASSERT_PRINTS(packet, "\x5a\x02\x48\x63", "track_event {\n  9: 99\n}\n");   /* enum */
  ASSERT_PRINTS(packet, "\x50\xff\xff\xff\xff\xff\x01", "10: 68719476735\n"); /* uint32 */
  ASSERT_PRINTS(packet, "\xd0\x02\x02", "42: 2\n");                           /* bool */
  ASSERT_PRINTS(packet, "\x42\x01x", "8: \"x\"\n");                           /* wire type */
}

static void unknown_fields_show_their_wire_type(void **state) {
  (void)state;
  ASSERT_PRINTS(NULL, "\x08\x07", "1: 7\n");
  ASSERT_PRINTS(NULL, "\x0d\x01\x00\x00\x00", "1: 0x00000001\n");
  ASSERT_PRINTS(NULL, "\x09\x01\x00\x00\x00\x00\x00\x00\x00", "1: 0x0000000000000001\n");
  ASSERT_PRINTS(NULL, "\x0a\x00", "1: \"\"\n");
  ASSERT_PRINTS(NULL, "\x0a\x02\x10\x03", "1 {\n  2: 3\n}\n");
  ASSERT_PRINTS(NULL, "\x0b\x10\x03\x0c", "1 {\n  2: 3\n}\n");
}

static void strings_escape_what_is_no_text(void **state) {
  (void)state;
  out.len = 0;
  assert_int_equal(tb_text_string(&out, TB_STR("a\"\\\n\t\x01\xff\xc3\xa4")), TB_OK);
  assert_int_equal(tb_buffer_append(&out, "", 1), TB_OK);
  assert_string_equal(out.data, "\"a\\\"\\\\\\n\\t\\001\\377\xc3\xa4\"");
}

static void damage_ends_the_text_with_an_error(void **state) {
  (void)state;
  out.len = 0;
  assert_int_equal(tb_text_message(&out, packet, TB_STR("\x40\x01\x50"), 0, NULL), TB_BAD_DATA);
  assert_int_equal(tb_buffer_append(&out, "", 1), TB_OK);
  assert_string_equal(out.data, "timestamp: 1\n");
}

/* A message of a million levels must not take a million frames of the stack. */
static void messages_that_nest_too_deep_come_as_bytes(void **state) {
  (void)state;
  enum { LEVELS = 3000 };
  static char bytes[LEVELS * 4];
  char *at = bytes + sizeof(bytes), *end = at;
  for (int i = 0; i < LEVELS; i++) {
    char head[4], *p = tb_wire_put_varint(tb_wire_put_tag(head, 1, TB_WIRE_BYTES), (uint64_t)(end - at));
    at -= p - head;
    memcpy(at, head, (size_t)(p - head));
  }
  out.len = 0;
  assert_int_equal(tb_text_message(&out, NULL, (struct tb_str){at, (size_t)(end - at)}, 0, NULL), TB_OK);
  assert_int_equal(tb_buffer_append(&out, "", 1), TB_OK);
  assert_non_null(strstr(out.data, "1: \""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(known_fields_have_their_names, start, stop),
      cmocka_unit_test_setup_teardown(values_that_the_type_has_no_form_for_come_by_number, start, stop),
      cmocka_unit_test_setup_teardown(unknown_fields_show_their_wire_type, start, stop),
      cmocka_unit_test_setup_teardown(strings_escape_what_is_no_text, start, stop),
      cmocka_unit_test_setup_teardown(damage_ends_the_text_with_an_error, start, stop),
      cmocka_unit_test_setup_teardown(messages_that_nest_too_deep_come_as_bytes, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
