/* SPDX-License-Identifier: Apache-2.0
 *
 * Whatever is lost of a trace of tests/data or of the fuzzers' corpus, on the way to any format, has a code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <ftw.h>

#include "tracebridge/convert.h"

enum { LARGEST = 1 << 20, CODES = TB_LOSS_ASSUMED + 1 };

static uint64_t seen[CODES], files;
static struct tb_convert_report report;

static void check(const char *path, const struct tb_loss *losses, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (losses[i].kind == TB_LOSS_OTHER) fail_msg("%s: no code for: %s", path, losses[i].reason);
    assert_true((unsigned)losses[i].kind < CODES);
    seen[losses[i].kind]++;
  }
}

static int take(const char *path, const struct stat *st, int type, struct FTW *ftw) {
  (void)ftw;
  static const enum tb_format targets[] = {TB_FORMAT_JSON, TB_FORMAT_FXT, TB_FORMAT_PERFETTO};
  if (type != FTW_F || st->st_size > LARGEST) return 0;
  files++;
  for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
    const struct tb_writer_options writer = {.size = sizeof(writer), .format = targets[i]};
    const struct tb_convert_options options = {.size = sizeof(options), .writer = &writer, .threads = 1};
    report = (struct tb_convert_report){.size = sizeof(report)};
    (void)!tb_convert(path, "/dev/null", &options, &report, NULL);
    check(path, report.losses, report.loss_count);
    check(path, report.notes, report.note_count);
  }
  return 0;
}

static void every_loss_has_a_code(void **state) {
  (void)state;
  assert_int_equal(nftw(TB_TEST_DATA, take, 16, FTW_PHYS), 0);
  assert_int_equal(nftw(TB_TEST_DATA "/../fuzz/corpus", take, 16, FTW_PHYS), 0);
  assert_true(files > 150);
  unsigned kinds = 0;
  for (unsigned i = 0; i < CODES; i++) kinds += seen[i] != 0;
  print_message("%llu files, %u codes\n", (unsigned long long)files, kinds);
  assert_true(kinds >= 12);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_loss_has_a_code)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
