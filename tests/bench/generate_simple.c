/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces of one kind of event each.
 */
#include "generate.h"

enum { NESTED_THREADS = 8, NESTED_DEPTH = 40, ASYNC_OPEN = 256, WIDE_OPEN = 20000 };

static void separate(struct bench_generator *g) { bench_print(g, "%s", g->events++ ? ",\n" : ""); }

static void begin_or_end(struct bench_generator *g, char phase, unsigned tid, uint64_t ns, unsigned name) {
  separate(g);
  bench_print(g,
              "{\"ph\":\"%c\",\"pid\":71,\"tid\":%u,\"ts\":%llu.%03u,\"cat\":\"nested\",\"name\":\"parse_level_%u\"}",
              phase, tid, (unsigned long long)(ns / 1000), (unsigned)(ns % 1000), name);
}

void bench_generate_nested(struct bench_generator *g, uint64_t bytes) {
  unsigned names[NESTED_THREADS][NESTED_DEPTH];
  int depth[NESTED_THREADS] = {0};
  uint64_t ns = 5000000000u;
  bench_print(g, "[");
  while (g->bytes < bytes) {
    unsigned thread = bench_pick(g, NESTED_THREADS);
    ns += 1 + bench_pick_skewed(g, 5000);
    bool deeper = depth[thread] == 0 || (depth[thread] < NESTED_DEPTH && bench_pick(g, 2));
    if (deeper)
      names[thread][depth[thread]++] = bench_pick(g, 500);
    else
      depth[thread]--;
    unsigned top = (unsigned)depth[thread] - (deeper ? 1 : 0);
    begin_or_end(g, deeper ? 'B' : 'E', 100 + thread, ns, names[thread][top]);
  }
  for (unsigned thread = 0; thread < NESTED_THREADS; thread++)
    while (depth[thread]) begin_or_end(g, 'E', 100 + thread, ++ns, names[thread][--depth[thread]]);
  bench_print(g, "]\n");
}

void bench_generate_counters(struct bench_generator *g, uint64_t bytes) {
  static const char *const names[] = {"memory", "frames", "network", "heap", "load"};
  uint64_t us = 900000;
  int64_t level[5] = {1 << 20, 0, 0, 1 << 28, 0};
  bench_print(g, "{\"traceEvents\":[");
  while (g->bytes < bytes) {
    unsigned which = bench_pick(g, 5), pid = 10 + bench_pick(g, 3);
    us += 1 + bench_pick_skewed(g, 300);
    level[which] += (int64_t)bench_pick(g, 4096) - 2000;
    separate(g);
    bench_print(g, "{\"ph\":\"C\",\"pid\":%u,\"tid\":1,\"ts\":%llu,\"name\":\"%s\",\"args\":{", pid,
                (unsigned long long)us, names[which]);
    unsigned n = bench_pick(g, 1u << 30);
    if (which == 4)
      bench_print(g, "\"user\":%u.%u,\"system\":0.%03u}}", n % 100, n % 97, n % 1000);
    else if (which == 0)
      bench_print(g, "\"resident\":%lld,\"shared\":%u}}", (long long)level[0], n);
    else
      bench_print(g, "\"value\":%lld}}", (long long)level[which]);
  }
  bench_print(g, "]}\n");
}

static void async_event(struct bench_generator *g, char phase, uint64_t id, uint64_t us) {
  static const char *const names[] = {"URLRequest", "ImageDecodeTask", "Navigation", "IndexedDB::Get"};
  unsigned kind = (unsigned)(id % 4);
  separate(g);
  bench_print(g, "{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"ts\":%llu,\"cat\":\"netlog\",\"name\":\"%s\",", phase,
              (unsigned)(40 + id % 3), (unsigned)(1 + id % 5), (unsigned long long)us, names[kind]);
  if (kind < 2)
    bench_print(g, "\"id\":\"0x%llx\"", (unsigned long long)id);
  else
    bench_print(g, "\"id2\":{\"local\":\"0x%llx\"}", (unsigned long long)id);
  if (phase == 'b')
    bench_print(g, ",\"args\":{\"url\":\"https://www.example.org/item/%u\",\"priority\":\"MEDIUM\"}",
                bench_pick(g, 1000));
  else if (phase == 'n')
    bench_print(g, ",\"args\":{\"params\":{\"byte_count\":%u}}", bench_pick(g, 65536));
  else
    bench_print(g, ",\"args\":{}");
  bench_print(g, "}");
}

/* Up to `count` ids at a time. */
static void generate_async(struct bench_generator *g, uint64_t bytes, uint64_t *open, unsigned count) {
  uint64_t next_id = 1, us = 1000000;
  bench_print(g, "{\"traceEvents\":[\n");
  while (g->bytes < bytes) {
    unsigned slot = bench_pick(g, count);
    us += 1 + bench_pick_skewed(g, 100);
    if (!open[slot])
      async_event(g, 'b', open[slot] = next_id++, us);
    else if (bench_pick(g, 3))
      async_event(g, 'n', open[slot], us);
    else {
      async_event(g, 'e', open[slot], us);
      open[slot] = 0;
    }
  }
  for (unsigned slot = 0; slot < count; slot++)
    if (open[slot]) async_event(g, 'e', open[slot], ++us);
  bench_print(g, "\n]}\n");
}

void bench_generate_async(struct bench_generator *g, uint64_t bytes) {
  uint64_t open[ASYNC_OPEN] = {0};
  generate_async(g, bytes, open, ASYNC_OPEN);
}

void bench_generate_async_wide(struct bench_generator *g, uint64_t bytes) {
  uint64_t open[WIDE_OPEN] = {0};
  generate_async(g, bytes, open, WIDE_OPEN);
}
