/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces for the bench: the same kind, size and seed give the same bytes on every machine.
 */
#ifndef BENCH_GENERATE_H
#define BENCH_GENERATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct bench_generator {
  FILE *file;
  uint64_t state; /* of the random numbers */
  uint64_t bytes, events;
};

/* Writes one trace of about `bytes` bytes, never less, to generator->file. */
typedef void (*bench_generate_fn)(struct bench_generator *generator, uint64_t bytes);

/* compact, X B E mixed, 183 bytes an event */
void bench_generate_chrome(struct bench_generator *generator, uint64_t bytes);
/* pretty-printed, flows, strings as arguments */
void bench_generate_pytorch(struct bench_generator *generator, uint64_t bytes);
void bench_generate_nested(struct bench_generator *generator, uint64_t bytes); /* B and E, up to 40 deep */
void bench_generate_counters(struct bench_generator *generator, uint64_t bytes);
void bench_generate_async(struct bench_generator *generator, uint64_t bytes);      /* b n e, plain and local ids */
void bench_generate_async_wide(struct bench_generator *generator, uint64_t bytes); /* the same, 20,000 open at a time */

/* Perfetto as Chrome writes it; events are slices */
void bench_generate_chrome_perfetto(struct bench_generator *generator, uint64_t bytes);

void bench_generate_fxt(struct bench_generator *generator, uint64_t bytes); /* durations by index; events are slices */

/* Creates the file `path`. Returns false, errno set, when it could not be written whole; *events is how many it holds.
 */
bool bench_generate_file(bench_generate_fn generate, const char *path, uint64_t bytes, uint64_t seed, uint64_t *events);

/* ---- for the generators themselves ------------------------------------------------------------------------------- */

uint64_t bench_random(struct bench_generator *generator);
/* 0 … limit - 1 */
uint32_t bench_pick(struct bench_generator *generator, uint32_t limit);
/* Mostly small, seldom as large as `limit`: how durations are spread in real traces. */
uint32_t bench_pick_skewed(struct bench_generator *generator, uint32_t limit);
void bench_print(struct bench_generator *generator, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
