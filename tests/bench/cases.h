/* SPDX-License-Identifier: Apache-2.0
 *
 * What the bench measures: a line of the table for each case.
 */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inputs.h"

struct bench_case;

/* What one run of a case did. */
struct bench_outcome {
  double seconds;        /* left 0: the caller's clock around the run */
  uint64_t output_bytes; /* 0: none */
  uint64_t spilled_bytes;
  uint64_t bytes, events; /* what speeds are of; 0: the plain input */
  uint64_t input_bytes;   /* where the input is several files: of all; else 0 */
  char note[128];         /* why it failed */
};

struct bench_case {
  const char *name;
  const char *group;    /* "main"; "linear", "spill" and "merge" run when asked for */
  const char *input;    /* a name of the table in inputs.c */
  const char *baseline; /* the case that this one is a ratio of, NULL: none */
  double target;        /* least ratio (speed over the baseline's speed) that the project promises; 0: none */
  double least_speed, least_events; /* promised MB and million events a second; 0: none */
  bool (*run)(const struct bench_case *what, const struct bench_file *input, const char *output,
              struct bench_outcome *outcome);
  const char *output; /* suffix of the output file, NULL: none */
  unsigned threads;
  uint64_t memory_budget; /* 0: the default */
  uint64_t memory_limit;  /* promised peak in bytes; 0: memory_share counts */
  double memory_share;    /* promised peak as a share of the input; 0: none */
  bool compress;
  /* of readers: in which shape events come, and in the order of time */
  enum { BENCH_AS_SOURCE, BENCH_ONE_SHAPE, BENCH_SORTED } order;
};

/* The i-th of all cases, NULL past the last. A baseline comes before the cases that name it. */
const struct bench_case *bench_case_at(size_t i);

/* Events out of a reader, and nothing done with them. */
bool bench_read(const struct bench_case *what, const struct bench_file *input, const char *output,
                struct bench_outcome *outcome);

/* What a user of the library pays for one shape of events, and for the order of time. */
#define BENCH_READ_ONE_SHAPE(of, file)                                                                          \
  {                                                                                                             \
    .name = of ", one shape", .group = "main", .input = file, .baseline = of, .target = 0.8, .run = bench_read, \
    .memory_limit = (uint64_t)64 << 20, .order = BENCH_ONE_SHAPE                                                \
  }
#define BENCH_READ_SORTED(of, file)                                                                            \
  {                                                                                                            \
    .name = of ", sorted", .group = "main", .input = file, .baseline = of, .target = 0.625, .run = bench_read, \
    .memory_budget = (uint64_t)64 << 20, .memory_limit = (uint64_t)160 << 20, .order = BENCH_SORTED            \
  }

/* The tables that they are in. */
/* Every event of the input resolved, and nothing lost; slices are counted by their beginning. */
bool bench_read_slices(const struct bench_case *what, const struct bench_file *input, const char *output,
                       struct bench_outcome *outcome);

extern const struct bench_case bench_perfetto_cases[];
extern const size_t bench_perfetto_case_count;
extern const struct bench_case bench_merge_cases[];
extern const size_t bench_merge_case_count;
extern const struct bench_case bench_fxt_cases[];
extern const size_t bench_fxt_case_count;

/* The case of that name, NULL when there is none. */
const struct bench_case *bench_case_find(const char *name);

#endif
