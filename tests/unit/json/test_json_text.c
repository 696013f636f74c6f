/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/text.h"

static char text[4096];

#define ASSERT_PUT(call, expected)       \
  do {                                   \
    char *end = (call);                  \
    *end = '\0';                         \
    assert_string_equal(text, expected); \
  } while (0)

static void integers_are_written_in_full_at_both_ends_of_their_range(void **state) {
  (void)state;
  ASSERT_PUT(tb_json_put_int(text, INT64_MIN), "-9223372036854775808");
  ASSERT_PUT(tb_json_put_int(text, INT64_MAX), "9223372036854775807");
  ASSERT_PUT(tb_json_put_int(text, -7), "-7");
  ASSERT_PUT(tb_json_put_uint(text, UINT64_MAX), "18446744073709551615");
  ASSERT_PUT(tb_json_put_uint(text, 0), "0");
  ASSERT_PUT(tb_json_put_uint(text, 100), "100");
  ASSERT_PUT(tb_json_put_hex(text, 0), "\"0x0\"");
  ASSERT_PUT(tb_json_put_hex(text, UINT64_MAX), "\"0xffffffffffffffff\"");
  ASSERT_PUT(tb_json_put_hex(text, 0x1f0), "\"0x1f0\"");
}

static void times_are_exact_microseconds_without_needless_zeros(void **state) {
  (void)state;
  ASSERT_PUT(tb_json_put_micros(text, 1666382280874284123), "1666382280874284.123");
  ASSERT_PUT(tb_json_put_micros(text, 1000), "1");
  ASSERT_PUT(tb_json_put_micros(text, 1100), "1.1");
  ASSERT_PUT(tb_json_put_micros(text, 1010), "1.01");
  ASSERT_PUT(tb_json_put_micros(text, 1001), "1.001");
  ASSERT_PUT(tb_json_put_micros(text, 5), "0.005");
  ASSERT_PUT(tb_json_put_micros(text, -5), "-0.005");
  ASSERT_PUT(tb_json_put_micros(text, 0), "0");
  ASSERT_PUT(tb_json_put_micros(text, INT64_MIN), "-9223372036854775.808");
}

static void doubles_are_the_shortest_text_that_reads_back(void **state) {
  (void)state;
  ASSERT_PUT(tb_json_put_double(text, 0.1), "0.1");
  ASSERT_PUT(tb_json_put_double(text, 5), "5.0");
  ASSERT_PUT(tb_json_put_double(text, -0.0), "-0.0");
  ASSERT_PUT(tb_json_put_double(text, 16.667), "16.667");
  ASSERT_PUT(tb_json_put_double(text, 0.050), "0.05");
  ASSERT_PUT(tb_json_put_double(text, 1e300), "1.0e+300");
  ASSERT_PUT(tb_json_put_double(text, 1.5e-10), "1.5e-10");
  ASSERT_PUT(tb_json_put_double(text, 0.1 + 0.2), "0.30000000000000004");
  ASSERT_PUT(tb_json_put_double(text, 5e-324), "5.0e-324");
  ASSERT_PUT(tb_json_put_double(text, DBL_MAX), "1.7976931348623157e+308");
  ASSERT_PUT(tb_json_put_double(text, 9007199254740993.0), "9007199254740992.0");
}

static void many_doubles_read_back_as_themselves(void **state) {
  (void)state;
  uint64_t seed = 42;
  for (int i = 0; i < 200000; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    double value, back;
    if (i & 1)
      value = (double)(int64_t)(seed >> 24) / 1000;
    else
      memcpy(&value, &seed, sizeof(value));
    if (!isfinite(value)) continue;
    char *end = tb_json_put_double(text, value);
    *end = '\0';
    assert_true(end - text <= TB_JSON_DOUBLE_MAX);
    back = strtod(text, NULL);
    assert_memory_equal(&back, &value, sizeof(value));
    assert_true(tb_json_is_valid((struct tb_str){text, (size_t)(end - text)}, 1));
  }
}

static void what_is_no_number_becomes_a_string(void **state) {
  (void)state;
  ASSERT_PUT(tb_json_put_double(text, (double)NAN), "\"NaN\"");
  ASSERT_PUT(tb_json_put_double(text, (double)INFINITY), "\"Infinity\"");
  ASSERT_PUT(tb_json_put_double(text, -(double)INFINITY), "\"-Infinity\"");
}

static void strings_escape_what_json_forbids(void **state) {
  (void)state;
  ASSERT_PUT(tb_json_put_string(text, TB_STR("a\"b\\c/\b\f\n\r\t\x01\x1f\x0b\x7f")),
             "\"a\\\"b\\\\c/\\b\\f\\n\\r\\t\\u0001\\u001f\\u000b\\u007f\"");
  ASSERT_PUT(tb_json_put_string(text, TB_STR("nul\0nul")), "\"nul\\u0000nul\"");
  ASSERT_PUT(tb_json_put_string(text, (struct tb_str){NULL, 0}), "\"\"");
  ASSERT_PUT(tb_json_put_string(text, TB_STR("na\xc3\xafve \xe6\x97\xa5 \xf0\x9f\x98\x80")),
             "\"na\xc3\xafve \xe6\x97\xa5 \xf0\x9f\x98\x80\"");
}

static void bytes_that_are_no_utf8_become_replacement_characters(void **state) {
  (void)state;
  ASSERT_PUT(tb_json_put_string(text, TB_STR("a\xff"
                                             "b")),
             "\"a\xef\xbf\xbd"
             "b\"");
  ASSERT_PUT(tb_json_put_string(text, TB_STR("\xe6\x97")), "\"\xef\xbf\xbd\"");
  ASSERT_PUT(tb_json_put_string(text, TB_STR("\xc0\x80")), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
  ASSERT_PUT(tb_json_put_string(text, TB_STR("\xed\xa0\x80")), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void each_byte_at_each_place_of_a_string_is_valid_json_again(void **state) {
  (void)state;
  for (unsigned byte = 0; byte < 256; byte++)
    for (size_t at = 0; at < 19; at++) {
      char input[19];
      memset(input, 'x', sizeof(input));
      input[at] = (char)byte;
      char *end = tb_json_put_string(text, (struct tb_str){input, sizeof(input)});
      assert_true(tb_json_is_valid((struct tb_str){text, (size_t)(end - text)}, 1));
      assert_true((size_t)(end - text) <= sizeof(input) * 6 + 2);
      if (byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\') {
        assert_int_equal(end - text, sizeof(input) + 2);
        assert_memory_equal(text + 1, input, sizeof(input));
      }
    }
}

static bool valid(const char *json, unsigned depth) {
  return tb_json_is_valid((struct tb_str){json, strlen(json)}, depth);
}

static void json_texts_are_recognised(void **state) {
  (void)state;
  static const char *const good[] = {
      "0", "-0.5e+7", "[]", "{}", "[1,{\"a\":[]},\"\\u00e4\"]", " true ", "null", "{\"a\":1,\"b\":{\"c\":[[]]}}"};
  static const char *const bad[] = {"",           " ",       "01",    "1.", ".5",      "+1",         "NaN",      "[1,]",
                                    "{\"a\":1,}", "{\"a\"}", "{1:2}", "[1", "\"\\x\"", "\"\x01\"",   "\"\xff\"", "1 2",
                                    "tru",        "[}",      "{]",    "-",  "1e",      "\"\\u12g4\""};
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) assert_true(valid(good[i], 8));
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) assert_false(valid(bad[i], 8));
}

static void json_texts_that_nest_too_deep_are_refused(void **state) {
  (void)state;
  assert_true(valid("[[[]]]", 3));
  assert_false(valid("[[[]]]", 2));
  memset(text, '[', 3000);
  assert_false(tb_json_is_valid((struct tb_str){text, 3000}, UINT32_MAX));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_are_written_in_full_at_both_ends_of_their_range),
      cmocka_unit_test(times_are_exact_microseconds_without_needless_zeros),
      cmocka_unit_test(doubles_are_the_shortest_text_that_reads_back),
      cmocka_unit_test(many_doubles_read_back_as_themselves),
      cmocka_unit_test(what_is_no_number_becomes_a_string),
      cmocka_unit_test(strings_escape_what_json_forbids),
      cmocka_unit_test(bytes_that_are_no_utf8_become_replacement_characters),
      cmocka_unit_test(each_byte_at_each_place_of_a_string_is_valid_json_again),
      cmocka_unit_test(json_texts_are_recognised),
      cmocka_unit_test(json_texts_that_nest_too_deep_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
