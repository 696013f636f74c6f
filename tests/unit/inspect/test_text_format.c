/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>

#include "inspect/text_format.h"
#include "protobuf/text_parser.h"
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

/* The text that was printed is parsed to the bytes that it was made of. */
static void assert_makes_again(const ProtobufCMessageDescriptor *type, struct tb_str bytes) {
  struct tb_buffer made;
  struct tb_text_result result;
  tb_buffer_init(&made, tb_default_allocator(), 0);
  assert_int_equal(tb_text_parse(&made, type, NULL, (struct tb_str){out.data, out.len - 1}, &result), TB_OK);
  assert_int_equal(made.len, bytes.len);
  if (made.len) assert_memory_equal(made.data, bytes.ptr, bytes.len);
  tb_buffer_free(&made);
}

#define ASSERT_PRINTS(type, bytes, expected) \
  assert_prints((type), (struct tb_str){(bytes), sizeof(bytes) - 1}, (expected))

static void assert_prints(const ProtobufCMessageDescriptor *type, struct tb_str bytes, const char *expected) {
  out.len = 0;
  assert_int_equal(tb_text_message(&out, type, bytes, 0, NULL), TB_OK);
  assert_int_equal(tb_buffer_append(&out, "", 1), TB_OK);
  assert_string_equal(out.data, expected);
  assert_makes_again(type, bytes);
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
  ASSERT_PRINTS(NULL, "\x0b\x10\x03\x0c", "1 { #=group\n  2: 3\n}\n");
}

static void what_is_longer_than_it_needs_to_be_says_so(void **state) {
  (void)state;
  ASSERT_PRINTS(packet, "\x5a\x82\x80\x80\x00\x48\x01", "track_event { #=4\n  type: TYPE_SLICE_BEGIN\n}\n");
  ASSERT_PRINTS(packet, "\x50\x85\x00", "trusted_packet_sequence_id: 5 #=2\n");
  ASSERT_PRINTS(packet, "\xd0\x00\x05", "trusted_packet_sequence_id: 5 #=tag2\n");
  ASSERT_PRINTS(packet, "\xda\x00\x82\x00\x48\x01", "track_event { #=tag2,2\n  type: TYPE_SLICE_BEGIN\n}\n");
  ASSERT_PRINTS(NULL, "\x8a\x80\x00\x81\x00x", "1: \"x\" #=tag3,2\n");
  ASSERT_PRINTS(NULL, "\x8b\x00\x10\x03\x0c", "1 { #=group,tag2\n  2: 3\n}\n");
  ASSERT_PRINTS(NULL, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "1: 18446744073709551615\n");
}

/* A varint of more than 64 bits, a long end of a group: inside of a message that makes it bytes. */
static void what_no_text_makes_again_is_bytes(void **state) {
  (void)state;
  ASSERT_PRINTS(NULL, "\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03",
                "1: \"\\010\\377\\377\\377\\377\\377\\377\\377\\377\\377\\003\"\n");
  ASSERT_PRINTS(packet, "\x5a\x05\x0b\x10\x03\x8c\x00", "11: \"\\013\\020\\003\\214\\000\"\n");
  assert_false(tb_text_can_say(TB_STR("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03")));
  assert_true(tb_text_can_say(TB_STR("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")));
}

static void packed_fields_are_as_they_were(void **state) {
  (void)state;
  const ProtobufCMessageDescriptor *compact = &perfetto__protos__ftrace_event_bundle__compact_sched__descriptor;
  const ProtobufCMessageDescriptor *event = &perfetto__protos__track_event__descriptor;
  ASSERT_PRINTS(compact, "\x0a\x02\x05\x06", "switch_timestamp: 5\nswitch_timestamp: 6\n");
  ASSERT_PRINTS(compact, "\x08\x05", "switch_timestamp: 5 #=unpacked\n");
  ASSERT_PRINTS(compact, "\x0a\x01\x05\x0a\x01\x06", "switch_timestamp: 5\nswitch_timestamp: 6 #=first\n");
  ASSERT_PRINTS(compact, "\x0a\x00", "switch_timestamp: [] #=packed\n");
  ASSERT_PRINTS(compact, "\x0a\x00\x0a\x01\x06", "switch_timestamp: [] #=packed\nswitch_timestamp: 6 #=first\n");
  ASSERT_PRINTS(event, "\x1a\x02\x05\x06", "category_iids: 5 #=packed\ncategory_iids: 6 #=packed\n");
  ASSERT_PRINTS(event, "\x1a\x01\x05\x1a\x01\x06", "category_iids: 5 #=packed\ncategory_iids: 6 #=packed,first\n");
  ASSERT_PRINTS(event, "\x18\x05\x18\x06", "category_iids: 5\ncategory_iids: 6\n");
  ASSERT_PRINTS(event, "\x1a\x02\x85\x00", "3: \"\\205\\000\"\n"); /* a number that is too long */
}

static void numbers_keep_their_bits(void **state) {
  (void)state;
  const ProtobufCMessageDescriptor *event = &perfetto__protos__track_event__descriptor;
  ASSERT_PRINTS(event, "\xe1\x02\x00\x00\x00\x00\x00\x00\xf8\x7f", "double_counter_value: nan\n");
  ASSERT_PRINTS(event, "\xe1\x02\x01\x00\x00\x00\x00\x00\xf8\x7f", "44: 0x7ff8000000000001\n");
  ASSERT_PRINTS(event, "\xe1\x02\x00\x00\x00\x00\x00\x00\x00\x80", "double_counter_value: -0.0\n");
  ASSERT_PRINTS(event, "\xe1\x02\x00\x00\x00\x00\x00\x00\xf0\xff", "double_counter_value: -inf\n");
  ASSERT_PRINTS(event, "\xe1\x02\x9a\x99\x99\x99\x99\x99\xb9\x3f", "double_counter_value: 0.1\n");
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
      cmocka_unit_test_setup_teardown(what_is_longer_than_it_needs_to_be_says_so, start, stop),
      cmocka_unit_test_setup_teardown(what_no_text_makes_again_is_bytes, start, stop),
      cmocka_unit_test_setup_teardown(packed_fields_are_as_they_were, start, stop),
      cmocka_unit_test_setup_teardown(numbers_keep_their_bits, start, stop),
      cmocka_unit_test_setup_teardown(strings_escape_what_is_no_text, start, stop),
      cmocka_unit_test_setup_teardown(damage_ends_the_text_with_an_error, start, stop),
      cmocka_unit_test_setup_teardown(messages_that_nest_too_deep_come_as_bytes, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
