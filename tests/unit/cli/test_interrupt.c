/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../cli/interrupt.h"

static char name[] = "/tmp/test_interrupt.XXXXXX";

static void make_file(void) {
  int fd = mkstemp(name);
  assert_true(fd >= 0);
  assert_int_equal(close(fd), 0);
}

/* Runs `child` in a process of its own; returns the signal that ended it, 0 for none. */
static int signal_that_ends(void (*child)(void)) {
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    child();
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void wait_for_ever(void) {
  for (;;) (void)pause();
}

static void work_that_waits(void) {
  cli_interrupt_watch();
  cli_interrupt_name(NULL, name);
  (void)raise(SIGTERM);
  wait_for_ever();
}

static void two_signals(void) {
  cli_interrupt_watch();
  cli_interrupt_name(NULL, name);
  (void)raise(SIGTERM);
  (void)raise(SIGINT);
  wait_for_ever();
}

static void work_that_stops(void) {
  cli_interrupt_watch();
  cli_interrupt_name(NULL, name);
  cli_interrupt_name(NULL, NULL);
  (void)raise(SIGHUP);
  if (!cli_interrupted()) _exit(1);
  cli_interrupt_end();
}

static void work_that_goes_on(void) {
  cli_interrupt_watch();
  if (cli_interrupted()) _exit(1);
  cli_interrupt_end();
}

static void ignored_signal(void) {
  (void)signal(SIGHUP, SIG_IGN);
  cli_interrupt_watch();
  (void)raise(SIGHUP);
  cli_interrupt_end();
}

static void work_that_waits_is_ended_and_its_temporary_name_removed(void **state) {
  (void)state;
  make_file();
  assert_int_equal(signal_that_ends(work_that_waits), SIGTERM);
  assert_int_equal(access(name, F_OK), -1);
}

static void a_second_signal_ends_it_at_once(void **state) {
  (void)state;
  (void)snprintf(name, sizeof(name), "/tmp/test_interrupt.XXXXXX");
  make_file();
  assert_int_equal(signal_that_ends(two_signals), SIGINT);
  assert_int_equal(access(name, F_OK), -1);
}

static void work_that_stops_ends_by_the_signal_and_released_names_stay(void **state) {
  (void)state;
  (void)snprintf(name, sizeof(name), "/tmp/test_interrupt.XXXXXX");
  make_file();
  assert_int_equal(signal_that_ends(work_that_stops), SIGHUP);
  assert_int_equal(unlink(name), 0);
}

static void without_a_signal_or_with_an_ignored_one_it_goes_on(void **state) {
  (void)state;
  assert_int_equal(signal_that_ends(work_that_goes_on), 0);
  assert_int_equal(signal_that_ends(ignored_signal), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(work_that_waits_is_ended_and_its_temporary_name_removed),
      cmocka_unit_test(a_second_signal_ends_it_at_once),
      cmocka_unit_test(work_that_stops_ends_by_the_signal_and_released_names_stay),
      cmocka_unit_test(without_a_signal_or_with_an_ignored_one_it_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
