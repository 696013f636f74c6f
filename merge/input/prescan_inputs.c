/* SPDX-License-Identifier: Apache-2.0
 *
 * The first reading of all inputs. What is learnt of one hangs on it alone, so that several are read at a time.
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
  atomic_bool stop;         /* one is bad, and the others are not wanted without it */
};

/* Reads sources for as long as there are any. Those before a bad one were all taken by somebody, so that which is the first bad one does
 * not hang on who is faster. */
static void *read_sources(void *arg) {
  struct prescan_round *round = arg;
  struct tb_merger *m = round->m;
  size_t i;
  while (!atomic_load(&round->stop) && (i = atomic_fetch_add(&round->next, 1)) < m->source_count) {
    struct tb_source *s = &m->sources[i];
    struct outcome *outcome = &round->outcomes[i];
    if (s->skipped) continue;
    outcome->status = tb_prescan_run(&s->survey, m->allocator, &s->place, m->options.max_junk_bytes, &outcome->error);
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
  in->bytes_in = s->survey.bytes;
  in->packets_in = 0;
  if (outcome->status != TB_OK) {
    m->error = outcome->error;
    return tb_merger_settle(m, s, outcome->status);
  }
  if (!s->survey.losses) return TB_OK;
  in->damaged = m->partial = true;
  in->damage_offset = s->survey.damage_offset;
  in->damage = s->survey.damage;
  return TB_OK;
}

enum tb_status tb_merger_survey(struct tb_merger *m) {
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
