/* SPDX-License-Identifier: Apache-2.0 */
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

enum { EVENTS = 20000 };

struct told {
  unsigned calls, stop_at;
  uint64_t bytes, size;
  bool went_back;
};

static bool tell(void *ctx, uint64_t bytes, uint64_t size) {
  struct told *told = ctx;
  if (bytes < told->bytes) told->went_back = true;
  told->bytes = bytes;
  told->size = size;
  return ++told->calls != told->stop_at;
}

static char directory[] = "/tmp/test_convert.XXXXXX";
static char input[64], output[64];

/* `step` of the time: 1 comes straight, -1 is sorted at the end. */
static void write_input(int step) {
  FILE *file = fopen(input, "w");
  assert_non_null(file);
  fputs("[", file);
  for (int i = 0; i < EVENTS; i++)
    fprintf(file, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"name\":\"n\",\"args\":{\"i\":%d}},\n",
            1000000 + 2 * step * i, i);
  fputs("{}]", file);
  assert_int_equal(fclose(file), 0);
}

static enum tb_status convert(struct told *told) {
  const struct tb_convert_options options = {
      .size = sizeof(options), .threads = 1, .writing = tell, .progress_ctx = told};
  return tb_convert(input, output, &options, NULL, NULL);
}

static void check_progress(int step) {
  struct told told = {.calls = 0};
  write_input(step);
  assert_int_equal(convert(&told), TB_OK);
  assert_true(told.calls > 2);
  assert_false(told.went_back);
  assert_true(told.bytes > 0 && told.bytes <= told.size);
  assert_int_equal(access(output, F_OK), 0);
  assert_int_equal(unlink(output), 0);
}

static void writing_what_came_straight_tells_its_progress(void **state) {
  (void)state;
  check_progress(1);
}

static void writing_what_is_sorted_tells_its_progress(void **state) {
  (void)state;
  check_progress(-1);
}

static void writing_that_is_told_to_stop_leaves_no_output(void **state) {
  (void)state;
  for (int step = -1; step <= 1; step += 2) {
    struct told told = {.stop_at = 2};
    write_input(step);
    assert_int_equal(convert(&told), TB_CANCELLED);
    assert_int_equal(told.calls, 2);
    assert_int_not_equal(access(output, F_OK), 0);
  }
}

int main(void) {
  if (!mkdtemp(directory)) return 1;
  snprintf(input, sizeof(input), "%s/in.json", directory);
  snprintf(output, sizeof(output), "%s/out.perfetto-trace", directory);
  const struct CMUnitTest tests[] = {cmocka_unit_test(writing_what_came_straight_tells_its_progress),
                                     cmocka_unit_test(writing_what_is_sorted_tells_its_progress),
                                     cmocka_unit_test(writing_that_is_told_to_stop_leaves_no_output)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(input);
  rmdir(directory);
  return failed;
}
