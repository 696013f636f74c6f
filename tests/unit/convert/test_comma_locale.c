/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library writes for programs does not depend on the caller's locale. The locale is
 * tests/support/comma.locale.
 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracebridge/convert.h"
#include "tracebridge/merge.h"

/* More members than a record of FXT has arguments, so that they travel as JSON text. */
#define LIST "[0.1,1.0,-2.5e-07,1.0e+300,0.3,0.5,0.7,0.9,1.1,1.3,1.5,1.7,1.9,2.1,2.3,2.5,2.7]"

static char directory[] = "/tmp/test_comma_locale.XXXXXX";
static char input[64], second[64], fxt[64], output[64];

static void write_input(const char *path) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"name\":\"n\",\"args\":{\"list\":" LIST "}}]", file);
  assert_int_equal(fclose(file), 0);
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *bytes = calloc(1, 1 << 16);
  assert_non_null(bytes);
  assert_true(fread(bytes, 1, (1 << 16) - 1, file) > 0);
  assert_int_equal(fclose(file), 0);
  return bytes;
}

static void convert_to(enum tb_format format, const char *from, const char *to) {
  const struct tb_writer_options writer = {.size = sizeof(writer), .format = format};
  const struct tb_convert_options options = {.size = sizeof(options), .writer = &writer, .threads = 1};
  assert_int_equal(tb_convert(from, to, &options, NULL, NULL), TB_OK);
}

static void the_locale_has_a_decimal_comma(void **state) {
  (void)state;
  char text[8];
  (void)snprintf(text, sizeof(text), "%.1f", 0.5);
  assert_string_equal(text, "0,5");
}

static void numbers_in_nested_arguments_come_through_fxt_as_they_were(void **state) {
  (void)state;
  write_input(input);
  convert_to(TB_FORMAT_FXT, input, fxt);
  convert_to(TB_FORMAT_JSON, fxt, output);
  char *text = read_file(output);
  assert_non_null(strstr(text, "\"list\":" LIST));
  free(text);
}

static void reports_of_merging_are_json(void **state) {
  (void)state;
  const struct tb_merge_input inputs[] = {{.path = input}, {.path = second, .has_offset = true}};
  struct tb_merge_report *report = NULL;
  write_input(input);
  write_input(second);
  assert_int_equal(tb_merge(inputs, 2, output, NULL, &report, NULL), TB_OK);
  assert_non_null(strstr(tb_merge_report_render(report, TB_MERGE_REPORT_JSON), "\"drift_ppm\": 0.000000,"));
  tb_merge_report_free(report);
}

static int set_up(void **state) {
  (void)state;
  if (!setlocale(LC_NUMERIC, "comma") || !mkdtemp(directory)) return -1;
  (void)snprintf(input, sizeof(input), "%s/in.json", directory);
  (void)snprintf(second, sizeof(second), "%s/second.json", directory);
  (void)snprintf(fxt, sizeof(fxt), "%s/out.fxt", directory);
  (void)snprintf(output, sizeof(output), "%s/out", directory);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  unlink(input);
  unlink(second);
  unlink(fxt);
  unlink(output);
  return rmdir(directory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_locale_has_a_decimal_comma),
      cmocka_unit_test(numbers_in_nested_arguments_come_through_fxt_as_they_were),
      cmocka_unit_test(reports_of_merging_are_json),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
