/* SPDX-License-Identifier: Apache-2.0
 *
 * Running a case in a process of its own, and what came of all its runs.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "cases.h"

enum { BENCH_MAX_REPEATS = 51 };

struct bench_run {
  bool good;
  double wall, cpu;    /* seconds; cpu is user and system time of all threads */
  uint64_t peak_bytes; /* resident */
  struct bench_outcome outcome;
};

struct bench_series {
  const struct bench_case *what;
  const struct bench_file *input;
  const struct bench_series *baseline; /* NULL: none */
  struct bench_run runs[BENCH_MAX_REPEATS];
  int run_count;
};

/* One more run. The output goes to `directory` and is removed. */
void bench_measure(struct bench_series *series, const char *directory);

/* The figures of a series; of `seconds` the least, of the others the median over the runs. */
struct bench_figures {
  bool good;            /* every run succeeded */
  double seconds;       /* wall, or CPU where asked */
  double bytes, events; /* that the two speeds are of */
  double speed;         /* MB a second: of the plain trace, or what the case says */
  double ratio; /* median over the repeats of speed over the baseline's speed in the same repeat; 0: no baseline */
  double events_a_second;
  double output_ratio;   /* output over plain input; 0: no output */
  double peak_ratio;     /* peak_bytes over the stored input */
  double bytes_an_event; /* of the output */
  uint64_t peak_bytes, output_bytes, spilled_bytes;
  bool met; /* target, memory_limit and memory_share hold, or there are none */
};

struct bench_figures bench_figures_of(const struct bench_series *series, bool cpu_time);

#endif
