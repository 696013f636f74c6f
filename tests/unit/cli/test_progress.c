/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../cli/progress.h"

static void line_shows_bytes_share_rate_and_time_left(void **state) {
  (void)state;
  char line[128];
  cli_progress_format(line, sizeof(line), 50000000, 200000000, 0.5);
  assert_string_equal(line, "50.0 MB of 200 MB (25 %), 100 MB/s, 0:02 left");
  cli_progress_format(line, sizeof(line), 1000000, 100000000, 10);
  assert_string_equal(line, "1.00 MB of 100 MB (1 %), 100 kB/s, 16:30 left");
}

static void line_of_an_input_of_unknown_size_shows_bytes_and_rate(void **state) {
  (void)state;
  char line[128];
  cli_progress_format(line, sizeof(line), 50000000, 0, 0.5);
  assert_string_equal(line, "50.0 MB, 100 MB/s");
}

static void line_survives_a_first_call_without_time_or_bytes(void **state) {
  (void)state;
  char line[128];
  cli_progress_format(line, sizeof(line), 0, 1000000, 0);
  assert_string_equal(line, "0 B of 1.00 MB (0 %)");
  cli_progress_format(line, sizeof(line), 262000, 2620000, 1e-7); /* it would be 2.62 TB/s */
  assert_string_equal(line, "262 kB of 2.62 MB (10 %)");
  cli_progress_format(line, sizeof(line), 262000, 0, 1e-7);
  assert_string_equal(line, "262 kB");
  cli_progress_format(line, sizeof(line), 1, UINT64_MAX, 1000);
  assert_non_null(strstr(line, "6000:00 left"));
}

static void update_without_a_terminal_prints_nothing_and_goes_on(void **state) {
  (void)state;
  struct cli_progress progress;
  cli_progress_start(&progress, true);
  assert_true(cli_progress_update(&progress, 1, 2));
  assert_false(progress.dirty);
  cli_progress_end(&progress);
}

static void writing_without_a_terminal_prints_nothing_and_goes_on(void **state) {
  (void)state;
  struct cli_progress progress;
  cli_progress_start(&progress, true);
  assert_true(cli_progress_writing(&progress, 1, 2));
  assert_false(progress.dirty);
  cli_progress_end(&progress);
}

/* `last_shown` is so late that no line is printed. */
static void fewer_bytes_or_another_size_begin_the_next_work(void **state) {
  (void)state;
  struct cli_progress progress = {.shown = true, .started = 1, .last_shown = 1e18};
  assert_true(cli_progress_update(&progress, 50, 100));
  assert_true(cli_progress_update(&progress, 60, 100));
  assert_true(progress.started == 1);
  assert_true(cli_progress_update(&progress, 10, 100));
  assert_true(progress.started != 1);
  progress.started = 1;
  assert_true(cli_progress_update(&progress, 20, 300));
  assert_true(progress.started != 1);
  assert_false(progress.dirty);
}

static void update_after_an_interruption_says_stop(void **state) {
  (void)state;
  struct cli_progress progress;
  cli_progress_start(&progress, true);
  sigset_t timer; /* which ends a program that is slow to stop: this one may be, on a busy machine */
  sigemptyset(&timer);
  sigaddset(&timer, SIGALRM);
  assert_return_code(sigprocmask(SIG_BLOCK, &timer, NULL), 0);
  raise(SIGTERM);
  assert_false(cli_progress_update(&progress, 1, 2));
  assert_false(cli_progress_writing(&progress, 1, 2));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(line_shows_bytes_share_rate_and_time_left),
      cmocka_unit_test(line_of_an_input_of_unknown_size_shows_bytes_and_rate),
      cmocka_unit_test(line_survives_a_first_call_without_time_or_bytes),
      cmocka_unit_test(update_without_a_terminal_prints_nothing_and_goes_on),
      cmocka_unit_test(writing_without_a_terminal_prints_nothing_and_goes_on),
      cmocka_unit_test(fewer_bytes_or_another_size_begin_the_next_work),
      cmocka_unit_test(update_after_an_interruption_says_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
