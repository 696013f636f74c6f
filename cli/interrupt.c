/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupt.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "print.h"

enum { PATIENCE_US = 250000 };

/* Signal handlers can reach nothing but globals. */
static volatile sig_atomic_t interrupted_by, line_shown, has_name;
static char name_in_use[PATH_MAX];

static void die(int number) {
  static const char wipe[] = "\r\033[K";
  if (line_shown) cli_print_in_handler(wipe);
  if (has_name) (void)unlink(name_in_use);
  (void)signal(number, SIG_DFL);
  (void)raise(number);
}

/* The work did not stop in time. */
static void on_timer(int number) {
  (void)number;
  die(interrupted_by);
}

static void on_signal(int number) {
  static const struct itimerval patience = {.it_value = {.tv_usec = PATIENCE_US}};
  if (interrupted_by) {
    die(number);
    return;
  }
  interrupted_by = number;
  if (setitimer(ITIMER_REAL, &patience, NULL) != 0) die(number);
}

static void handle(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) (void)sigaction(number, &action, NULL);
}

void cli_interrupt_watch(void) {
  struct sigaction action = {.sa_handler = on_timer};
  sigset_t alarm;
  (void)sigemptyset(&alarm);
  (void)sigaddset(&alarm, SIGALRM);
  (void)sigprocmask(SIG_UNBLOCK, &alarm, NULL);
  if (sigaction(SIGALRM, &action, NULL) != 0) return; /* signals end the program at once, as they do without us */
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
  handle(SIGHUP, on_signal);
}

bool cli_interrupted(void) { return interrupted_by != 0; }

void cli_interrupt_name(void *ctx, const char *name) {
  (void)ctx;
  has_name = 0;
  size_t len = name ? strlen(name) : PATH_MAX;
  if (len >= sizeof(name_in_use)) return;
  memcpy(name_in_use, name, len + 1);
  has_name = 1;
}

void cli_interrupt_line(bool shown) { line_shown = shown; }

void cli_interrupt_end(void) {
  if (!interrupted_by) return;
  (void)signal(interrupted_by, SIG_DFL);
  (void)raise(interrupted_by);
}
