/* SPDX-License-Identifier: Apache-2.0
 *
 * FXT as tracing systems write it at full speed: strings and threads by index, ticks of 1 ns, and nearly nothing but
 * durations that nest.
 */
#include <string.h>

#include "generate.h"

enum { NAMES = 400, THREADS = 16, PROCESS = 1000, MAX_DEPTH = 12, LONGEST_NS = 20000 };

static void put(struct bench_generator *g, const uint64_t *words, size_t count) {
  g->bytes += fwrite(words, sizeof(*words), count, g->file) * sizeof(*words);
}

static void put_string(struct bench_generator *g, unsigned index, const char *text) {
  uint64_t words[8] = {0};
  size_t len = strlen(text), count = 1 + (len + 7) / 8;
  words[0] = 2 | count << 4 | (uint64_t)index << 16 | (uint64_t)len << 32;
  memcpy(&words[1], text, len);
  put(g, words, count);
}

static void put_tables(struct bench_generator *g) {
  const uint64_t start[] = {UINT64_C(0x0016547846040010), 1 | 2 << 4, 1000000000};
  put(g, start, 3);
  for (unsigned i = 1; i <= NAMES; i++) {
    char name[48];
    (void)snprintf(name, sizeof(name), "component::function_%u", i);
    put_string(g, i, name);
  }
  put_string(g, NAMES + 1, "toplevel");
  for (uint64_t i = 1; i <= THREADS; i++) {
    const uint64_t thread[] = {3 | 3 << 4 | i << 16, PROCESS, PROCESS + i};
    put(g, thread, 3);
  }
}

struct thread {
  uint64_t now;
  uint64_t names[MAX_DEPTH];
  unsigned depth;
};

/* A begin, an end or a complete event, the next one of the thread. */
static void put_event(struct bench_generator *g, struct thread *thread, uint64_t ref) {
  uint64_t name = 1 + bench_pick_skewed(g, NAMES), type, words[3];
  size_t count = 2;
  thread->now += 1 + bench_pick_skewed(g, LONGEST_NS);
  words[1] = thread->now;
  uint32_t what = bench_pick(g, 10);
  if (what < 6 || (what < 8 && thread->depth == MAX_DEPTH)) {
    type = 4;
    count = 3;
    thread->now += bench_pick_skewed(g, LONGEST_NS);
    words[2] = thread->now;
    g->events++;
  } else if (what < 8 || thread->depth == 0) {
    type = 2;
    if (thread->depth == MAX_DEPTH) thread->depth--;
    thread->names[thread->depth++] = name;
    g->events++;
  } else {
    type = 3;
    name = thread->names[--thread->depth];
  }
  words[0] = 4 | count << 4 | type << 16 | ref << 24 | (uint64_t)(NAMES + 1) << 32 | name << 48;
  put(g, words, count);
}

void bench_generate_fxt(struct bench_generator *g, uint64_t bytes) {
  struct thread threads[THREADS];
  memset(threads, 0, sizeof(threads));
  put_tables(g);
  while (g->bytes < bytes) {
    uint32_t thread = bench_pick(g, THREADS);
    for (unsigned i = 0; i < 64; i++) put_event(g, &threads[thread], thread + 1);
  }
}
