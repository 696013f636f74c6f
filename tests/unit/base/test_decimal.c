/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/decimal.h"
#include "base/memory.h"

static struct tb_decimal parse(const char *text) {
  struct tb_decimal number;
  const char *end = text + strlen(text);
  assert_ptr_equal(tb_decimal_parse(text, end, &number), end);
  return number;
}

static void assert_int(const char *text, int scale, int64_t expected) {
  struct tb_decimal number = parse(text);
  int64_t value = 0;
  assert_true(tb_decimal_to_int(&number, scale, &value));
  if (value != expected) fail_msg("%s: %lld is not %lld", text, (long long)value, (long long)expected);
}

static void assert_no_int(const char *text, int scale) {
  struct tb_decimal number = parse(text);
  int64_t value = 77;
  assert_false(tb_decimal_to_int(&number, scale, &value));
  assert_int_equal(value, 77);
}

static void microseconds_become_exact_nanoseconds(void **state) {
  (void)state;
  assert_int("1666382280874284.123", 3, 1666382280874284123);
  assert_int("-1666382280874284.123", 3, -1666382280874284123);
  assert_int("1", 3, 1000);
  assert_int("0.001", 3, 1);
  assert_int("1.5e3", 3, 1500000);
  assert_int("1666382280874284.123000000000000000000000", 3, 1666382280874284123);
  assert_int("0", 3, 0);
  assert_int("-0.0", 3, 0);
  assert_int("0e999999999", 3, 0);
}

static void halves_are_rounded_away_from_zero(void **state) {
  (void)state;
  assert_int("2.0005", 3, 2001);
  assert_int("2.0004999999999999999999", 3, 2000);
  assert_int("-2.0005", 3, -2001);
  assert_int("-2.0004", 3, -2000);
  assert_int("0.0004", 3, 0);
  assert_int("1e-30", 3, 0);
  assert_int("9000000000000000000.5", 0, 9000000000000000001);
  assert_int("9000000000000000000.49", 0, 9000000000000000000);
}

static void the_ends_of_int64_are_in_and_one_more_is_not(void **state) {
  (void)state;
  assert_int("9223372036854775807", 0, INT64_MAX);
  assert_int("-9223372036854775808", 0, INT64_MIN);
  assert_no_int("9223372036854775808", 0);
  assert_no_int("-9223372036854775809", 0);
  assert_no_int("9223372036854775.808", 3);
  assert_int("9223372036854775.807", 3, INT64_MAX);
  assert_no_int("1e400", 3);
  assert_no_int("123456789012345678901234567890", 0);
}

static void whole_numbers_to_uint64_are_recognised(void **state) {
  (void)state;
  uint64_t value = 0;
  struct tb_decimal n = parse("18446744073709551615");
  assert_true(n.integer);
  assert_true(tb_decimal_to_uint(&n, &value));
  assert_true(value == UINT64_MAX);
  n = parse("18446744073709551616");
  assert_false(tb_decimal_to_uint(&n, &value));
  n = parse("1.0");
  assert_true(tb_decimal_to_uint(&n, &value));
  assert_int_equal(value, 1);
  n = parse("1.5");
  assert_false(tb_decimal_to_uint(&n, &value));
  n = parse("-1");
  assert_false(tb_decimal_to_uint(&n, &value));
}

static void what_is_no_number_is_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"", "-", "+", ".", "e5", "x", "-.", "NaN"};
  struct tb_decimal number;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
    assert_null(tb_decimal_parse(texts[i], texts[i] + strlen(texts[i]), &number));
}

static void a_number_ends_where_it_stops_being_one(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t length;
  } cases[] = {{"1e", 1}, {"1e+", 1}, {"1.5.2", 3}, {"12a", 2}, {"1-2", 1}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct tb_decimal number;
    const char *text = cases[i].text;
    assert_ptr_equal(tb_decimal_parse(text, text + strlen(text), &number), text + cases[i].length);
  }
}

static void assert_double_as_strtod(const char *text) {
  struct tb_decimal number = parse(text);
  double value = 0, expected = strtod(text, NULL);
  assert_true(tb_decimal_to_double(&number, text, text + strlen(text), &value));
  if (memcmp(&value, &expected, sizeof(value)) != 0) fail_msg("%s: %.17g is not %.17g", text, value, expected);
}

static void doubles_are_the_nearest_ones(void **state) {
  (void)state;
  static const char *const texts[] = {"0.0",
                                      "-0.0",
                                      "1.5",
                                      "0.1",
                                      "102.95699890136719",
                                      "9007199254740993.0",
                                      "9007199254740992.5",
                                      "1e22",
                                      "1e23",
                                      "1e-22",
                                      "123456789012345678e10",
                                      "4.9e-324",
                                      "2.4703282292062327e-324",
                                      "2.4703282292062328e-324",
                                      "2.2250738585072014e-308",
                                      "2.2250738585072011e-308",
                                      "1.7976931348623157e308",
                                      "1.7976931348623158e308",
                                      "0.000000000000000000000000000001",
                                      "9007199254740993.00000000000000000000000000000000000000000001",
                                      "1e-400",
                                      "3.14159265358979323846264338327950288",
                                      "179769313486231570000000000000000000000.5e270",
                                      "5e-324",
                                      "8.41e21",
                                      "7.2057594037927933e16"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) assert_double_as_strtod(texts[i]);
}

static void many_doubles_are_as_strtod_has_them(void **state) {
  (void)state;
  uint64_t random = 42;
  for (int i = 0; i < 20000; i++) {
    char text[64];
    random = random * 6364136223846793005u + 1442695040888963407u;
    int digits = (int)(random >> 60) + 5, exponent = (int)(random >> 40 & 1023) % 660 - 340;
    (void)snprintf(text, sizeof(text), "%.*s.%llue%d", 1, &"12345678"[random & 7],
                   (unsigned long long)(random >> (digits * 2)), exponent % (i % 2 ? 30 : 300));
    assert_double_as_strtod(text);
  }
}

static void doubles_past_the_largest_are_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"1e400", "1.7976931348623159e308", "1e309", "123456e99999999999999999999"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    struct tb_decimal number = parse(texts[i]);
    double value = 7;
    assert_false(tb_decimal_to_double(&number, texts[i], texts[i] + strlen(texts[i]), &value));
    assert_true(value == 7);
  }
}

static void a_thousand_digits_are_exact(void **state) {
  (void)state;
  char text[1200];
  memset(text, '0', sizeof(text));
  memcpy(text, "9007199254740993.", 17);
  text[1100] = '1'; /* just above the halfway point */
  text[1101] = '\0';
  assert_double_as_strtod(text);
}

static void numbers_in_text_are_decimals_and_what_c_knows(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } numbers[] = {{"5.47", 5.47}, {"-1e-3", -0.001}, {"0x10", 16}, {"1e400", HUGE_VAL}, {"-inf", -HUGE_VAL}, {" 5", 5}};
  static const char *const others[] = {
      "", "a", "5 ", "5x", "1.5.5", "10000000000000000000000000000000000000000000000000000000000000000"};
  double value;
  for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
    assert_true(tb_number_in_text(tb_str_from(numbers[i].text), &value));
    assert_true(value == numbers[i].value);
  }
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
    assert_false(tb_number_in_text(tb_str_from(others[i]), &value));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(microseconds_become_exact_nanoseconds),
      cmocka_unit_test(halves_are_rounded_away_from_zero),
      cmocka_unit_test(the_ends_of_int64_are_in_and_one_more_is_not),
      cmocka_unit_test(whole_numbers_to_uint64_are_recognised),
      cmocka_unit_test(what_is_no_number_is_refused),
      cmocka_unit_test(a_number_ends_where_it_stops_being_one),
      cmocka_unit_test(doubles_are_the_nearest_ones),
      cmocka_unit_test(many_doubles_are_as_strtod_has_them),
      cmocka_unit_test(doubles_past_the_largest_are_refused),
      cmocka_unit_test(a_thousand_digits_are_exact),
      cmocka_unit_test(numbers_in_text_are_decimals_and_what_c_knows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
