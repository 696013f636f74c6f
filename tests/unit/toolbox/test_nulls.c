/* SPDX-License-Identifier: Apache-2.0
 *
 * What the calls on whole traces, and small ones, make of NULL: TB_INVALID, NULL, 0 or false. Those of readers and
 * writers are in test_misuse.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tracebridge/diff.h"
#include "tracebridge/file.h"
#include "tracebridge/filter.h"
#include "tracebridge/info.h"
#include "tracebridge/merge.h"
#include "tracebridge/redact.h"
#include "tracebridge/repair.h"
#include "tracebridge/serve.h"
#include "tracebridge/split.h"
#include "tracebridge/trim.h"
#include "tracebridge/verify.h"

static bool take(void *ctx, const char *text, size_t len) {
  (void)ctx, (void)text;
  return len > 0;
}

static void paths_that_are_null_are_invalid(void **state) {
  (void)state;
  struct tb_verification *verification;
  struct tb_difference *difference;
  assert_int_equal(tb_verify(NULL, NULL, &verification, NULL), TB_INVALID);
  assert_int_equal(tb_verify("a", NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_diff("a", NULL, NULL, &difference, NULL), TB_INVALID);
  assert_int_equal(tb_diff("a", "b", NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_trim(NULL, "a", NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_trim("a", NULL, NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_filter(NULL, "a", NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_filter("a", NULL, NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_repair(NULL, "a", NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_repair("a", NULL, NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_split(NULL, "a", NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_split("a", NULL, NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_redact(NULL, "a", NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_serve(NULL, NULL, NULL), TB_INVALID);
}

static void what_is_null_is_not_printed_or_parsed(void **state) {
  (void)state;
  struct tb_trim_point point = {.ns = 7};
  assert_int_equal(tb_verification_text(NULL, take, NULL), TB_INVALID);
  assert_int_equal(tb_verification_json(NULL, take, NULL), TB_INVALID);
  assert_int_equal(tb_difference_text(NULL, take, NULL), TB_INVALID);
  assert_int_equal(tb_difference_json(NULL, take, NULL), TB_INVALID);
  assert_non_null(tb_trim_point_parse(NULL, &point));
  assert_int_equal(point.ns, 7);
  assert_non_null(tb_trim_point_parse("1s", NULL));
  tb_trim_report_free(NULL);
  tb_filter_report_free(NULL);
  tb_repair_report_free(NULL);
  tb_split_report_free(NULL);
}

static void a_glob_that_is_null_or_an_empty_key_is_invalid(void **state) {
  (void)state;
  const char *const globs[] = {"a*", NULL};
  struct tb_redact_options options = {.size = sizeof(options), .keep = globs, .keep_count = 2};
  assert_int_equal(tb_redact("/nothing/there", "/dev/null", &options, NULL, NULL), TB_INVALID);
  options.keep = NULL;
  assert_int_equal(tb_redact("/nothing/there", "/dev/null", &options, NULL, NULL), TB_INVALID);
  options = (struct tb_redact_options){.size = sizeof(options), .key = ""};
  assert_int_equal(tb_redact("/nothing/there", "/dev/null", &options, NULL, NULL), TB_INVALID);
  struct tb_filter_options chosen = {.size = sizeof(chosen), .names = globs, .name_count = 2};
  assert_int_equal(tb_filter("/nothing/there", "/dev/null", &chosen, NULL, NULL), TB_INVALID);
  chosen = (struct tb_filter_options){.size = sizeof(chosen), .thread_count = 1};
  assert_int_equal(tb_filter("/nothing/there", "/dev/null", &chosen, NULL, NULL), TB_INVALID);
}

static void a_name_that_is_null_is_of_no_format(void **state) {
  (void)state;
  int64_t ns;
  assert_int_equal(tb_format_from_name(NULL), TB_FORMAT_UNKNOWN);
  assert_int_equal(tb_format_from_path(NULL), TB_FORMAT_UNKNOWN);
  assert_int_equal(tb_format_stem(NULL), 0);
  assert_int_equal(tb_duration_parse(NULL, &ns), TB_INVALID);
  assert_int_equal(tb_duration_parse("1s", NULL), TB_INVALID);
}

static void nothing_is_said_of_no_trace(void **state) {
  (void)state;
  struct tb_info *info;
  assert_int_equal(tb_info_text(NULL, take, NULL), TB_INVALID);
  assert_int_equal(tb_info_json(NULL, take, NULL), TB_INVALID);
  assert_int_equal(tb_info_line(NULL, take, NULL), TB_INVALID);
  assert_int_equal(tb_info_open(TB_TEST_DATA "/phases/args.json", NULL, &info, NULL), TB_OK);
  assert_int_equal(tb_info_text(info, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_info_json(info, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_info_line(info, NULL, NULL), TB_INVALID);
  tb_info_close(info);
}

static void no_file_is_written_nor_overwritten(void **state) {
  (void)state;
  struct tb_file *file = (struct tb_file *)(void *)&file;
  struct tb_error error = {0};
  assert_false(tb_file_overwrites_input(NULL, NULL) || tb_file_overwrites_input("a", NULL));
  assert_false(tb_file_overwrites_output(NULL, NULL) || tb_file_overwrites_output("a", NULL));
  assert_false(tb_file_is_plain(NULL));
  assert_int_equal(tb_file_write(NULL, "x", 1, &error), TB_INVALID);
  assert_int_equal(error.code, TB_INVALID);
  assert_int_equal(tb_file_write("/nonexistent/a", NULL, 1, NULL), TB_INVALID);
  assert_int_equal(tb_file_open(NULL, NULL, NULL, &file, NULL), TB_INVALID);
  assert_null(file);
  assert_int_equal(tb_file_open("/nonexistent/a", NULL, NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_file_put(NULL, "x", 1, NULL), TB_INVALID);
  assert_int_equal(tb_file_finish(NULL, NULL), TB_INVALID);
  tb_file_keep_existing(NULL);
  tb_file_close(NULL);
}

/* As tb_merge leaves it where memory is out. */
static void a_report_that_is_not_there_is_empty(void **state) {
  (void)state;
  const struct tb_merge_input input = {.path = "a"};
  size_t index;
  assert_int_equal(tb_merge_report_count(NULL) + tb_merge_report_note_count(NULL), 0);
  assert_null(tb_merge_report_input(NULL, 0));
  assert_null(tb_merge_report_note(NULL, 0));
  assert_null(tb_merge_report_advice(NULL, 0));
  assert_null(tb_merge_report_conversion(NULL));
  assert_null(tb_merge_report_render(NULL, TB_MERGE_REPORT_TEXT));
  assert_int_equal(tb_merge_report_summary(NULL)->packets_out, 0);
  assert_string_equal(tb_merge_report_summary(NULL)->trace_clock, "");
  tb_merge_report_free(NULL);
  assert_int_equal(tb_merge_find_input(NULL, 1, "a", 1, &index, NULL), TB_INVALID);
  assert_int_equal(tb_merge_find_input(&input, 1, NULL, 1, &index, NULL), TB_INVALID);
  assert_int_equal(tb_merge_find_input(&input, 1, "a", 1, NULL, NULL), TB_INVALID);
}

static void no_text_is_escaped_to_nowhere(void **state) {
  (void)state;
  char to[TB_ESCAPE_MAX];
  struct tb_str text = {"a", 1}, none = {NULL, 5};
  assert_int_equal(tb_escape(TB_ESCAPE_TEXT, NULL, to, sizeof(to)), 0);
  assert_int_equal(tb_escape(TB_ESCAPE_TEXT, &none, to, sizeof(to)), 0);
  assert_int_equal(tb_escape(TB_ESCAPE_TEXT, &text, NULL, sizeof(to)), 0);
  assert_false(tb_escape_text(TB_ESCAPE_TEXT, text, NULL, NULL));
  assert_false(tb_escape_text(TB_ESCAPE_TEXT, none, take, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paths_that_are_null_are_invalid),
      cmocka_unit_test(what_is_null_is_not_printed_or_parsed),
      cmocka_unit_test(a_glob_that_is_null_or_an_empty_key_is_invalid),
      cmocka_unit_test(a_name_that_is_null_is_of_no_format),
      cmocka_unit_test(nothing_is_said_of_no_trace),
      cmocka_unit_test(no_file_is_written_nor_overwritten),
      cmocka_unit_test(a_report_that_is_not_there_is_empty),
      cmocka_unit_test(no_text_is_escaped_to_nowhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
