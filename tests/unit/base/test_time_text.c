/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "tracebridge/info.h"

static int64_t read_duration(const char *text) {
  int64_t ns = 77;
  assert_int_equal(tb_duration_parse(text, &ns), TB_OK);
  return ns;
}

static void refuse(const char *text, enum tb_status why) {
  int64_t ns = 77;
  assert_int_equal(tb_duration_parse(text, &ns), why);
  assert_int_equal(ns, 77);
}

static void numbers_have_units(void **state) {
  (void)state;
  assert_int_equal(read_duration("5"), 5);
  assert_int_equal(read_duration("5ns"), 5);
  assert_int_equal(read_duration("+1.5ms"), 1500000);
  assert_int_equal(read_duration("-0.25us"), -250);
  assert_int_equal(read_duration("2.000000001s"), 2000000001);
  assert_int_equal(read_duration("1.5min"), INT64_C(90000000000));
  assert_int_equal(read_duration("2h"), INT64_C(7200000000000));
}

static void what_is_none_is_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"", "s", "1 s", "1x", "1sec", "--1", ".5s", "1e3s", "9300000000s", "1.5.5s"};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) refuse(wrong[i], TB_INVALID);
  refuse("0.5ns", TB_UNSUPPORTED);
  refuse("1.0000000001s", TB_UNSUPPORTED);
}

static void clocks_are_named_in_any_case(void **state) {
  (void)state;
  assert_int_equal(tb_clock_id_from_name(TB_STR("boottime")), TB_CLOCK_BOOTTIME);
  assert_int_equal(tb_clock_id_from_name(TB_STR("REALTIME_COARSE")), TB_CLOCK_REALTIME_COARSE);
  assert_int_equal(tb_clock_id_from_name(TB_STR("Trace_File")), TB_CLOCK_TRACE_FILE);
  assert_int_equal(tb_clock_id_from_name(TB_STR("REALTIM")), 0);
  assert_int_equal(tb_clock_id_from_name((struct tb_str){NULL, 0}), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_have_units),
      cmocka_unit_test(what_is_none_is_refused),
      cmocka_unit_test(clocks_are_named_in_any_case),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
