/* SPDX-License-Identifier: Apache-2.0
 *
 * What the calls on whole traces make of NULL.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tracebridge/diff.h"
#include "tracebridge/filter.h"
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paths_that_are_null_are_invalid),
      cmocka_unit_test(what_is_null_is_not_printed_or_parsed),
      cmocka_unit_test(a_glob_that_is_null_or_an_empty_key_is_invalid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
