/* SPDX-License-Identifier: Apache-2.0
 *
 * Prescans all inputs. Inputs are independent, so several are scanned in parallel.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "merge/merger.h"

enum { THREADS_MAX = 16 };

/* How reading a source went. */
struct outcome {
  enum tb_status status;
  struct tb_error error;
};

struct prescan_round {
  struct tb_merger *m;
  struct outcome *outcomes; /* by source */
  atomic_size_t next;       /* the source to be read next */
  atomic_bool stop;         /* one is bad, and the merge fails with it */
};

/* Scans sources until none is left. Inputs are claimed in order, so the first failing input is the same regardless of
 * thread timing. */
static void *read_sources(void *arg) {
  struct prescan_round *round = arg;
  struct tb_merger *m = round->m;
  size_t i;
  while (!atomic_load(&round->stop) && (i = atomic_fetch_add(&round->next, 1)) < m->source_count) {
    struct tb_source *s = &m->sources[i];
    struct outcome *outcome = &round->outcomes[i];
    if (s->skipped) continue;
    outcome->status = tb_prescan_run(&s->prescan, m->allocator, &s->place, m->options.max_junk_bytes, &outcome->error);
    if (outcome->status != TB_OK && !m->options.skip_bad) atomic_store(&round->stop, true);
  }
  return NULL;
}

static void read_all(struct prescan_round *round) {
  pthread_t threads[THREADS_MAX];
  size_t count = round->m->options.threads, started = 0;
  if (count > round->m->source_count) count = round->m->source_count;
  if (count > THREADS_MAX) count = THREADS_MAX;
  while (started + 1 < count && pthread_create(&threads[started], NULL, read_sources, round) == 0) started++;
  (void)read_sources(round);
  for (size_t i = 0; i < started; i++) (void)pthread_join(threads[i], NULL);
}

static enum tb_status settle(struct tb_merger *m, struct tb_source *s, const struct outcome *outcome) {
  struct tb_merge_input_report *in = tb_source_report(m, s);
  in->bytes_in = s->prescan.bytes;
  in->packets_in = 0;
  if (outcome->status != TB_OK) {
    m->error = outcome->error;
    return tb_merger_settle(m, s, outcome->status);
  }
  if (!s->prescan.losses) return TB_OK;
  in->damaged = m->partial = true;
  in->damage_offset = s->prescan.damage_offset;
  in->damage = s->prescan.damage;
  return TB_OK;
}

enum tb_status tb_merger_prescan(struct tb_merger *m) {
  struct prescan_round round = {.m = m,
                                .outcomes = tb_calloc(m->allocator, (m->source_count + 1) * sizeof(struct outcome))};
  if (!round.outcomes) return tb_fail(&m->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  read_all(&round);
  enum tb_status status = TB_OK;
  for (size_t i = 0; status == TB_OK && i < m->source_count; i++)
    if (!m->sources[i].skipped) status = settle(m, &m->sources[i], &round.outcomes[i]);
  tb_free(m->allocator, round.outcomes, (m->source_count + 1) * sizeof(struct outcome));
  return status;
}
