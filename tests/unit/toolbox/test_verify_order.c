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

#include "tracebridge/verify.h"

/* More than a memory budget of one byte has room for. */
enum { SLICES = 3000, IDS = 50 };

static void put(FILE *file, char phase, unsigned ts, unsigned id) {
  fprintf(file, "{\"ph\":\"%c\",\"pid\":1,\"tid\":1,\"ts\":%u,\"cat\":\"c\",\"name\":\"n\",\"id\":%u},\n", phase, ts,
          id);
}

/* Async slices of ids that come again and again, one behind the other; `late`: an END of the first id before all. */
static void write_trace(const char *path, bool late) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs("[\n", file);
  for (unsigned i = 0; i < SLICES; i++) {
    put(file, 'b', 10 * i + 10, i % IDS + 1);
    put(file, 'n', 10 * i + 12, i % IDS + 1);
    put(file, 'e', 10 * i + 15, i % IDS + 1);
  }
  if (late) put(file, 'e', 1, 1);
  fputs("]\n", file);
  assert_int_equal(fclose(file), 0);
}

static void expect_found(size_t budget, bool late) {
  char path[] = "/tmp/tb-verify-order-XXXXXX";
  const struct tb_reader_options reader = {.size = sizeof(reader), .memory_budget = budget};
  const struct tb_verify_options options = {.size = sizeof(options), .reader = &reader};
  struct tb_verification *found;
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  write_trace(path, late);
  assert_int_equal(tb_verify(path, &options, &found, NULL), TB_OK);
  assert_int_equal(found->finding_count, late);
  if (late) assert_string_equal(found->findings[0].kind->name, "end_without_begin");
  if (late) assert_int_equal(found->findings[0].count, 1);
  tb_verification_free(found);
  unlink(path);
}

static void ids_that_come_again_are_found_in_a_small_budget(void **state) {
  (void)state;
  expect_found(1, false);
  expect_found(0, false);
}

static void an_event_before_all_others_is_found_in_a_small_budget(void **state) {
  (void)state;
  expect_found(1, true);
  expect_found(0, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ids_that_come_again_are_found_in_a_small_budget),
      cmocka_unit_test(an_event_before_all_others_is_found_in_a_small_budget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
