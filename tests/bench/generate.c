/* SPDX-License-Identifier: Apache-2.0 */
#include "generate.h"

#include <errno.h>
#include <stdarg.h>

/* splitmix64: a few instructions, and the same everywhere. */
uint64_t bench_random(struct bench_generator *generator) {
  uint64_t z = generator->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint32_t bench_pick(struct bench_generator *generator, uint32_t limit) {
  return (uint32_t)(((bench_random(generator) >> 32) * limit) >> 32);
}

uint32_t bench_pick_skewed(struct bench_generator *generator, uint32_t limit) {
  return bench_pick(generator, bench_pick(generator, bench_pick(generator, limit) + 1) + 1);
}

void bench_print(struct bench_generator *generator, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vfprintf(generator->file, format, args);
  va_end(args);
  if (n > 0) generator->bytes += (uint64_t)n;
}

bool bench_generate_file(bench_generate_fn generate, const char *path, uint64_t bytes, uint64_t seed,
                         uint64_t *events) {
  struct bench_generator generator = {.file = fopen(path, "wb"), .state = seed};
  if (!generator.file) return false;
  setvbuf(generator.file, NULL, _IOFBF, 1 << 20);
  generate(&generator, bytes);
  bool good = !ferror(generator.file);
  int why = errno;
  if (fclose(generator.file) != 0) return false;
  *events = generator.events;
  errno = why;
  return good;
}
