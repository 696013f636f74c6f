/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds_of(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec * 1e-6; }

/* What the child sends back. */
struct message {
  bool good;
  double wall;
  struct bench_outcome outcome;
};

static void run_in_child(const struct bench_series *series, const char *output, int to) {
  struct message message = {0};
  double start = now();
  message.good = series->what->run(series->what, series->input, output, &message.outcome);
  message.wall = message.outcome.seconds > 0 ? message.outcome.seconds : now() - start;
  _exit(write(to, &message, sizeof(message)) == sizeof(message) ? 0 : 1);
}

static void collect(struct bench_run *run, pid_t child, int from) {
  struct message message = {0};
  bool whole = read(from, &message, sizeof(message)) == sizeof(message);
  struct rusage usage;
  int status;
  if (wait4(child, &status, 0, &usage) != child) return;
  run->good = whole && message.good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  run->wall = message.wall;
  run->cpu = message.outcome.seconds > 0 ? message.wall : seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  run->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
  run->outcome = message.outcome;
  if (!whole) strcpy(run->outcome.note, "the process died");
}

void bench_measure(struct bench_series *series, const char *directory) {
  if (series->run_count == BENCH_MAX_REPEATS) return;
  struct bench_run *run = &series->runs[series->run_count++];
  char output[600];
  snprintf(output, sizeof(output), "%s/out.%s", directory, series->what->output ? series->what->output : "none");
  int ends[2];
  if (pipe(ends) != 0) return;
  pid_t child = fork();
  if (child == 0) run_in_child(series, output, ends[1]);
  close(ends[1]);
  if (child > 0) collect(run, child, ends[0]);
  close(ends[0]);
  if (series->what->output) (void)unlink(output);
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof(*values), compare);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static double time_of(const struct bench_run *run, bool cpu_time) { return cpu_time ? run->cpu : run->wall; }

/* What a run's speed is counted in, by default the plain input's. */
static double bytes_of(const struct bench_series *series, const struct bench_run *run) {
  return (double)(run->outcome.bytes ? run->outcome.bytes : series->input->plain_bytes);
}

static double events_of(const struct bench_series *series, const struct bench_run *run) {
  return (double)(run->outcome.events ? run->outcome.events : series->input->events);
}

static double ratio_to_baseline(const struct bench_series *series, bool cpu_time) {
  const struct bench_series *baseline = series->baseline;
  double ratios[BENCH_MAX_REPEATS];
  if (!baseline || baseline->run_count < series->run_count) return 0;
  for (int i = 0; i < series->run_count; i++) {
    double own = bytes_of(series, &series->runs[i]) / time_of(&series->runs[i], cpu_time);
    double other = bytes_of(baseline, &baseline->runs[i]) / time_of(&baseline->runs[i], cpu_time);
    if (!series->runs[i].good || !baseline->runs[i].good) return 0;
    ratios[i] = own / other;
  }
  return median(ratios, series->run_count);
}

static bool promises_hold(const struct bench_series *series, const struct bench_figures *figures) {
  const struct bench_case *what = series->what;
  if (!figures->good) return false;
  if (what->target > 0 && figures->ratio < what->target) return false;
  if (figures->speed < what->least_speed || figures->events_a_second < what->least_events * 1e6) return false;
  if (what->memory_limit && figures->peak_bytes > what->memory_limit) return false;
  return what->memory_share <= 0 || (double)figures->peak_bytes <= what->memory_share * (double)series->input->bytes;
}

struct bench_figures bench_figures_of(const struct bench_series *series, bool cpu_time) {
  struct bench_figures figures = {.good = series->run_count > 0};
  for (int i = 0; i < series->run_count; i++) {
    const struct bench_run *run = &series->runs[i];
    if (!run->good) figures.good = false;
    double seconds = time_of(run, cpu_time);
    if (i == 0 || seconds < figures.seconds) figures.seconds = seconds;
    if (run->peak_bytes > figures.peak_bytes) figures.peak_bytes = run->peak_bytes;
    figures.bytes = bytes_of(series, run);
    figures.events = events_of(series, run);
    figures.output_bytes = run->outcome.output_bytes;
    figures.spilled_bytes = run->outcome.spilled_bytes;
  }
  if (figures.good && figures.seconds > 0) {
    figures.speed = figures.bytes / 1e6 / figures.seconds;
    figures.events_a_second = figures.events / figures.seconds;
    figures.ratio = ratio_to_baseline(series, cpu_time);
    uint64_t several = series->runs[0].outcome.input_bytes;
    figures.output_ratio = (double)figures.output_bytes / (double)(several ? several : series->input->plain_bytes);
    figures.peak_ratio = (double)figures.peak_bytes / (double)(several ? several : series->input->bytes);
    figures.bytes_an_event = (double)figures.output_bytes / figures.events;
  }
  figures.met = promises_hold(series, &figures);
  return figures;
}
