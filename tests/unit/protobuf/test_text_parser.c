/* SPDX-License-Identifier: Apache-2.0
 *
 * What people write by hand; that what is printed is read again is a test of the printer (test_text_format.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>

#include "protobuf/text_parser.h"
#include "protos/perfetto/trace_packet.pb-c.h"

static struct tb_buffer out;
static struct tb_text_result result;
static struct tb_extension_names names;

static int start(void **state) {
  (void)state;
  tb_buffer_init(&out, tb_default_allocator(), 0);
  tb_extension_names_init(&names, tb_default_allocator());
  return 0;
}

static int stop(void **state) {
  (void)state;
  tb_buffer_free(&out);
  tb_extension_names_free(&names);
  return 0;
}

static const ProtobufCMessageDescriptor *const packet = &perfetto__protos__trace_packet__descriptor;
static const ProtobufCMessageDescriptor *const event = &perfetto__protos__track_event__descriptor;

static void assert_makes(const ProtobufCMessageDescriptor *type, const char *text, struct tb_str bytes) {
  out.len = 0;
  enum tb_status status = tb_text_parse(&out, type, &names, tb_str_from(text), &result);
  assert_string_equal(result.fault.what, "");
  assert_int_equal(status, TB_OK);
  assert_int_equal(out.len, bytes.len);
  if (out.len) assert_memory_equal(out.data, bytes.ptr, bytes.len);
}
#define ASSERT_MAKES(type, text, bytes) assert_makes((type), (text), TB_STR(bytes))

static void assert_faults(const ProtobufCMessageDescriptor *type, const char *text, size_t at, const char *what) {
  out.len = 0;
  assert_int_equal(tb_text_parse(&out, type, &names, tb_str_from(text), &result), TB_BAD_DATA);
  assert_string_equal(result.fault.what, what);
  assert_int_equal(result.fault.at, at);
  assert_int_equal(out.len, 0);
}

static void blanks_comments_and_separators_are_free(void **state) {
  (void)state;
  ASSERT_MAKES(packet, "", "");
  ASSERT_MAKES(packet, "# nothing\n", "");
  ASSERT_MAKES(packet, "timestamp:1,trusted_packet_sequence_id : # why\n 5;", "\x40\x01\x50\x05");
  ASSERT_MAKES(packet, "track_event<type:TYPE_SLICE_BEGIN>", "\x5a\x02\x48\x01");
  ASSERT_MAKES(packet, "track_event: {\n  type: 1 # TYPE_SLICE_BEGIN\n}", "\x5a\x02\x48\x01");
}

static void numbers_have_several_forms(void **state) {
  (void)state;
  ASSERT_MAKES(packet, "timestamp: 0x10", "\x40\x10");
  ASSERT_MAKES(packet, "timestamp: 010", "\x40\x08");
  ASSERT_MAKES(packet, "trusted_uid: -1", "\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  ASSERT_MAKES(packet, "incremental_state_cleared: t", "\xc8\x02\x01");
  ASSERT_MAKES(packet, "incremental_state_cleared: 0", "\xc8\x02\x00");
  ASSERT_MAKES(event, "double_counter_value: 1", "\xe1\x02\x00\x00\x00\x00\x00\x00\xf0\x3f");
  ASSERT_MAKES(event, "double_counter_value: 10e-1f", "\xe1\x02\x00\x00\x00\x00\x00\x00\xf0\x3f");
  ASSERT_MAKES(event, "double_counter_value: -inf", "\xe1\x02\x00\x00\x00\x00\x00\x00\xf0\xff");
  ASSERT_MAKES(NULL, "1: 0x00000001 2: 0x1", "\x0d\x01\x00\x00\x00\x10\x01");
}

static void texts_are_joined_and_unescaped(void **state) {
  (void)state;
  ASSERT_MAKES(event, "name: \"a\" 'b'\n  \"c\"",
               "\xba\x01\x03"
               "abc");
  ASSERT_MAKES(event, "name: \"\\n\\x41\\101\\u00e4\\'\\\\\"", "\xba\x01\x07\nAA\xc3\xa4'\\");
  ASSERT_MAKES(event, "name: \"# {\"", "\xba\x01\x03# {");
}

static void lists_are_fields_that_repeat(void **state) {
  (void)state;
  ASSERT_MAKES(event, "category_iids: [5, 6]", "\x18\x05\x18\x06");
  ASSERT_MAKES(event, "category_iids: []", "");
  ASSERT_MAKES(event, "debug_annotations: [{uint_value: 1}, {}]", "\x22\x02\x18\x01\x22\x00");
  ASSERT_MAKES(&perfetto__protos__ftrace_event_bundle__compact_sched__descriptor, "switch_timestamp: [5, 6]",
               "\x0a\x02\x05\x06");
}

static void extensions_go_by_their_full_names(void **state) {
  (void)state;
  ASSERT_MAKES(event, "[perfetto.protos.ChromeTrackEvent.current_task] { event_offset_from_task_start_time_us: 184 }",
               "\xfa\x42\x03\x08\xb8\x01");
  ASSERT_MAKES(event, "[ perfetto.protos.ChromeTrackEvent.chrome_app_state ]: APP_STATE_BACKGROUND", "\xc0\x3e\x02");
  ASSERT_MAKES(event, "[perfetto.protos.ChromeTrackEvent.chrome_app_state]: 1", "\xc0\x3e\x01");
  assert_int_equal(result.unknown, 0);
  assert_faults(event, "[perfetto.protos.ChromeTrackEvent.chrome_app_state]: ASLEEP", 59,
                "chrome_app_state has no value ASLEEP");
  assert_faults(event, "[perfetto.protos.ChromeTrackEvent.current_task", 1, "the name of an extension is not closed");
}

static void extensions_of_other_types_are_not_known(void **state) {
  (void)state;
  ASSERT_MAKES(packet, "[perfetto.protos.ChromeTrackEvent.chrome_app_state]: 1 timestamp: 1", "\x40\x01");
  assert_int_equal(result.unknown, 1);
  ASSERT_MAKES(event, "[perfetto.protos.ChromeTrackEvent]: 1 [perfetto.protos.chrome_app_state]: 1 []: 1", "");
  assert_int_equal(result.unknown, 3);
  assert_string_equal(result.unknown_first.what, "[perfetto.protos.ChromeTrackEvent] of extensions");
}

static void fields_that_nobody_knows_are_counted(void **state) {
  (void)state;
  ASSERT_MAKES(packet, "nobody { knows: \"}\" this: [1, {x: 2}] } timestamp: 1", "\x40\x01");
  assert_int_equal(result.unknown, 1);
  assert_int_equal(result.unknown_first.at, 0);
  assert_string_equal(result.unknown_first.what, "nobody of TracePacket");
  ASSERT_MAKES(packet, "timestamp: 1 some: -5 other: \"a\" \"b\" track_event { [x.y.z] { a: 1 } }", "\x40\x01\x5a\x00");
  assert_int_equal(result.unknown, 3);
}

static void faults_say_where(void **state) {
  (void)state;
  assert_faults(packet, "timestamp 1", 10, "a colon is needed");
  assert_faults(packet, "timestamp: x", 11, "timestamp is a number");
  assert_faults(packet, "timestamp: -1", 13, "the number is out of the range of timestamp");
  assert_faults(packet, "timestamp: 1.5", 14, "timestamp is a whole number");
  assert_faults(packet, "track_event: 5", 13, "track_event is a message: {");
  assert_faults(packet, "timestamp {", 11, "timestamp is no message");
  assert_faults(packet, "track_event { type: TYPE_SLICE_BEGIN", 36, "a message is not closed");
  assert_faults(packet, "track_event { type: NO_TYPE }", 27, "type has no value NO_TYPE");
  assert_faults(event, "name: \"a\n\"", 8, "the text in quotes does not end in its line, or has a wrong escape");
  assert_faults(event, "name: \"\\q\"", 7, "the text in quotes does not end in its line, or has a wrong escape");
  assert_faults(event, "name: a", 6, "name is text in quotes");
  assert_faults(packet, "}", 0, "the name of a field is needed");
  assert_faults(event, "category_iids: [1", 17, "the list is not closed");
}

static void messages_that_nest_too_deep_are_a_fault(void **state) {
  (void)state;
  enum { LEVELS = 100000 };
  static char text[2 * LEVELS + 1];
  for (size_t i = 0; i < LEVELS; i++) memcpy(text + 2 * i, "1{", 2);
  out.len = 0;
  assert_int_equal(tb_text_parse(&out, NULL, NULL, tb_str_from(text), &result), TB_BAD_DATA);
  assert_string_equal(result.fault.what, "messages nest too deep");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(blanks_comments_and_separators_are_free, start, stop),
      cmocka_unit_test_setup_teardown(numbers_have_several_forms, start, stop),
      cmocka_unit_test_setup_teardown(texts_are_joined_and_unescaped, start, stop),
      cmocka_unit_test_setup_teardown(lists_are_fields_that_repeat, start, stop),
      cmocka_unit_test_setup_teardown(extensions_go_by_their_full_names, start, stop),
      cmocka_unit_test_setup_teardown(extensions_of_other_types_are_not_known, start, stop),
      cmocka_unit_test_setup_teardown(fields_that_nobody_knows_are_counted, start, stop),
      cmocka_unit_test_setup_teardown(faults_say_where, start, stop),
      cmocka_unit_test_setup_teardown(messages_that_nest_too_deep_are_a_fault, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
