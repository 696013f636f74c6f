/* SPDX-License-Identifier: Apache-2.0
 *
 * The bench's input files: made once, when a case first asks for them, and kept until the end.
 */
#ifndef BENCH_INPUTS_H
#define BENCH_INPUTS_H

#include "generate.h"

struct bench_input {
  const char *name;
  const char *suffix;                               /* of the file */
  bench_generate_fn generate;                       /* makes it by seed, or … */
  const char *source;                               /* … it is made from this input … */
  bool (*derive)(const char *from, const char *to); /* … by this */
  double size;                                      /* of what is generated, in --size units */
};

struct bench_file {
  const struct bench_input *input;
  char path[512];
  uint64_t bytes, plain_bytes; /* stored; of the generated trace that it comes from */
  uint64_t events;             /* of the generated trace that it comes from */
};

enum { BENCH_MAX_FILES = 64 };

struct bench_inputs {
  const char *directory;
  uint64_t unit; /* bytes */
  uint64_t seed;
  struct bench_file files[BENCH_MAX_FILES];
  int count;
};

/* The file of the input `name`, made now unless it is there. NULL when there is no such input or it could not be made
 * (said on stderr). */
const struct bench_file *bench_inputs_get(struct bench_inputs *inputs, const char *name);

/* Removes all files. */
void bench_inputs_clean(struct bench_inputs *inputs);

#endif
