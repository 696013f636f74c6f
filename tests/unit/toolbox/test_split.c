/* SPDX-License-Identifier: Apache-2.0
 *
 * The call that splits a trace: its options, its report, and what it leaves in a folder.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracebridge/file.h"
#include "tracebridge/split.h"

static const char TRACE[] =
    "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":7,\"args\":{\"name\":\"/bin/a b\"}},"
    "{\"ph\":\"B\",\"name\":\"long\",\"pid\":7,\"tid\":1,\"ts\":0},"
    "{\"ph\":\"X\",\"name\":\"other\",\"pid\":12,\"tid\":2,\"ts\":5,\"dur\":2},"
    "{\"ph\":\"E\",\"pid\":7,\"tid\":1,\"ts\":25},"
    "{\"ph\":\"X\",\"name\":\"late\",\"pid\":7,\"tid\":1,\"ts\":25,\"dur\":2}]";

struct folder {
  char path[64], trace[80], parts[80];
};

static int make_folder(void **state) {
  struct folder *f = calloc(1, sizeof(*f));
  strcpy(f->path, "/tmp/tb-split-XXXXXX");
  *state = f;
  if (!mkdtemp(f->path)) return -1;
  snprintf(f->trace, sizeof(f->trace), "%s/trace.json", f->path);
  snprintf(f->parts, sizeof(f->parts), "%s/parts", f->path);
  return tb_file_write(f->trace, TRACE, sizeof(TRACE) - 1, NULL) == TB_OK ? 0 : -1;
}

static void remove_part(const struct folder *f, const char *name) {
  char path[256];
  snprintf(path, sizeof(path), "%s/%s", f->parts, name);
  assert_int_equal(unlink(path), 0);
}

static int remove_folder(void **state) {
  struct folder *f = *state;
  (void)unlink(f->trace);
  (void)rmdir(f->parts);
  int left = rmdir(f->path);
  free(f);
  return left;
}

static void parts_are_named_for_what_is_in_them(void **state) {
  const struct folder *f = *state;
  struct tb_split_report report = {.size = sizeof(report)};
  assert_int_equal(tb_split(f->trace, f->parts, NULL, &report, NULL), TB_OK);
  assert_int_equal(report.part_count, 3);
  assert_string_equal(report.parts[0].name, "rest.json");
  assert_string_equal(report.parts[1].name, "process-07-a_b.json");
  assert_string_equal(report.parts[2].name, "process-12.json");
  assert_int_equal(report.parts[0].packets, 0);
  assert_true(report.parts[1].packets > report.parts[2].packets);
  for (size_t i = 0; i < report.part_count; i++) remove_part(f, report.parts[i].name);
  tb_split_report_free(&report);
}

static void a_slice_is_where_it_begins(void **state) {
  const struct folder *f = *state;
  struct tb_split_options options = {
      .size = sizeof(options), .by = TB_SPLIT_TIME, .window_ns = 10000, .suffix = ".pftrace"};
  struct tb_split_report report = {.size = sizeof(report)};
  assert_int_equal(tb_split(f->trace, f->parts, &options, &report, NULL), TB_OK);
  assert_int_equal(report.part_count, 2); /* nothing begins in the second one */
  assert_string_equal(report.parts[0].name, "time-000-0s.pftrace");
  assert_string_equal(report.parts[1].name, "time-002-0.00002s.pftrace");
  assert_int_equal(report.parts[1].start_ns - report.parts[0].start_ns, 20000);
  for (size_t i = 0; i < report.part_count; i++) remove_part(f, report.parts[i].name);
  tb_split_report_free(&report);
}

static void where_slices_end_alone_is_no_part(void **state) {
  static const char ends[] =
      "[{\"ph\":\"B\",\"name\":\"a\",\"pid\":7,\"tid\":1,\"ts\":0},"
      "{\"ph\":\"E\",\"pid\":7,\"tid\":1,\"ts\":25}]";
  const struct folder *f = *state;
  struct tb_split_options options = {.size = sizeof(options), .by = TB_SPLIT_TIME, .window_ns = 10000};
  struct tb_split_report report = {.size = sizeof(report)};
  assert_int_equal(tb_file_write(f->trace, ends, sizeof(ends) - 1, NULL), TB_OK);
  assert_int_equal(tb_split(f->trace, f->parts, &options, &report, NULL), TB_OK);
  assert_int_equal(report.part_count, 1);
  assert_int_equal(report.parts[0].packets, 2);
  remove_part(f, report.parts[0].name);
  tb_split_report_free(&report);
}

static void a_folder_with_files_is_refused_and_stays(void **state) {
  const struct folder *f = *state;
  struct tb_error error = {0};
  struct tb_split_options options = {.size = sizeof(options), .by = TB_SPLIT_MACHINE};
  assert_int_equal(tb_split(f->trace, f->path, &options, NULL, &error), TB_REFUSED);
  assert_non_null(strstr(error.message, "not empty"));
  assert_int_equal(access(f->trace, F_OK), 0);
  options.force = true;
  struct tb_split_report report = {.size = sizeof(report)};
  assert_int_equal(tb_split(f->trace, f->path, &options, &report, NULL), TB_OK);
  char part[256];
  snprintf(part, sizeof(part), "%s/%s", f->path, report.parts[0].name);
  assert_int_equal(unlink(part), 0);
  tb_split_report_free(&report);
}

static void what_no_part_can_be_is_invalid(void **state) {
  const struct folder *f = *state;
  struct tb_split_report unset = {.size = 0};
  struct tb_split_options options = {.size = sizeof(options), .by = TB_SPLIT_TIME};
  assert_int_equal(tb_split(f->trace, f->parts, NULL, &unset, NULL), TB_INVALID);
  assert_int_equal(tb_split(f->trace, f->parts, &options, NULL, NULL), TB_INVALID);
  options = (struct tb_split_options){.size = sizeof(options), .by = TB_SPLIT_SIZE};
  assert_int_equal(tb_split(f->trace, f->parts, &options, NULL, NULL), TB_INVALID);
  options = (struct tb_split_options){.size = sizeof(options), .suffix = ".txt"};
  assert_int_equal(tb_split(f->trace, f->parts, &options, NULL, NULL), TB_INVALID);
  options = (struct tb_split_options){.size = sizeof(options), .by = TB_SPLIT_TIME, .window_ns = 1};
  assert_int_equal(tb_split(f->trace, f->parts, &options, NULL, NULL), TB_REFUSED); /* 27,000 parts */
  assert_int_not_equal(access(f->parts, F_OK), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(parts_are_named_for_what_is_in_them, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_slice_is_where_it_begins, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(where_slices_end_alone_is_no_part, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_folder_with_files_is_refused_and_stays, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(what_no_part_can_be_is_invalid, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
