/* SPDX-License-Identifier: Apache-2.0
 *
 * Prescans all inputs. Inputs are independent, so several are scanned in parallel.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "base/losses.h"
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
  atomic_bool cancelled;
  atomic_uint_least64_t read; /* bytes of all sources as they are stored, ... */
  uint64_t size;              /* ... and how many these have; 0: not known */
  pthread_t caller;           /* which shows progress */
};

/* What a thread reads. */
struct reading {
  struct prescan_round *round;
  uint64_t counted; /* of the source, in round->read */
};

/* ---- progress ---------------------------------------------------------------------------------------------------- */

static uint64_t stored_size(const struct tb_input_place *place) {
  struct stat st;
  if (place->part) return place->len;
  return stat(place->name, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static void measure_sources(struct prescan_round *round) {
  for (size_t i = 0; i < round->m->source_count; i++)
    if (!round->m->sources[i].skipped) round->size += stored_size(&round->m->sources[i].place);
}

static void show_progress(struct prescan_round *round) {
  const struct tb_merge_options *options = &round->m->options;
  if (!options->progress || atomic_load(&round->cancelled)) return;
  if (!options->progress(options->progress_ctx, atomic_load(&round->read), round->size))
    atomic_store(&round->cancelled, true);
}

static bool goes_on(void *ctx, uint64_t read) {
  struct reading *reading = ctx;
  struct prescan_round *round = reading->round;
  atomic_fetch_add(&round->read, read - reading->counted);
  reading->counted = read;
  if (pthread_equal(pthread_self(), round->caller)) show_progress(round);
  return !atomic_load(&round->cancelled);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

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
    struct reading reading = {.round = round};
    const struct tb_prescan_watch watch = {goes_on, &reading};
    const struct tb_prescan_options options = {m->options.max_junk_bytes, &watch, m->listener};
    outcome->status = tb_prescan_run(&s->prescan, m->allocator, &s->place, &options, &outcome->error);
    if (outcome->status == TB_CANCELLED || (outcome->status != TB_OK && !m->options.skip_bad))
      atomic_store(&round->stop, true);
  }
  return NULL;
}

/* Waits for a thread, and shows progress meanwhile. */
static void join(struct prescan_round *round, pthread_t thread) {
  enum { SHOWN_EVERY_NS = 100000000, SECOND_NS = 1000000000 };
  struct timespec until;
  do {
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += SHOWN_EVERY_NS;
    until.tv_sec += until.tv_nsec / SECOND_NS;
    until.tv_nsec %= SECOND_NS;
    show_progress(round);
  } while (pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT);
}

static void read_all(struct prescan_round *round) {
  pthread_t threads[THREADS_MAX];
  size_t count = round->m->options.threads, started = 0;
  if (count > round->m->source_count) count = round->m->source_count;
  if (count > THREADS_MAX) count = THREADS_MAX;
  while (started + 1 < count && pthread_create(&threads[started], NULL, read_sources, round) == 0) started++;
  (void)read_sources(round);
  for (size_t i = 0; i < started; i++) join(round, threads[i]);
}

static void note_damage(struct tb_merger *m, const struct tb_source *s) {
  const struct tb_prescan *prescan = &s->prescan;
  if (prescan->unreadable)
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_PACKETS_DAMAGED, s->index,
                             "packets damaged inside: %" PRIu64
                             "; repair leaves them out, all else passes them as they "
                             "are",
                             prescan->unreadable);
  if (tb_prescan_loses_differences(prescan))
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_TIMES_AFTER_DAMAGE, s->index, "%s", TB_NOTE_DIFFERENCES);
}

static enum tb_status settle(struct tb_merger *m, struct tb_source *s, const struct outcome *outcome) {
  struct tb_merge_input_report *in = tb_source_report(m, s);
  in->bytes_in = s->prescan.bytes;
  in->packets_in = 0;
  if (outcome->status != TB_OK) {
    m->error = outcome->error;
    return tb_merger_settle(m, s, outcome->status);
  }
  note_damage(m, s);
  if (!s->prescan.losses) return TB_OK;
  in->damaged = m->partial = true;
  in->damage_offset = s->prescan.damage_offset;
  in->damage = s->prescan.damage;
  struct tb_losses losses = {.count = 0};
  tb_losses_add_many(&losses, s->prescan.damage, s->prescan.losses, s->prescan.damage_offset);
  return tb_merge_report_set_losses(m->report, in, losses.entries, losses.count);
}

enum tb_status tb_merger_prescan(struct tb_merger *m) {
  struct prescan_round round = {.m = m,
                                .outcomes = tb_calloc(m->allocator, (m->source_count + 1) * sizeof(struct outcome))};
  if (!round.outcomes) return tb_fail(&m->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  round.caller = pthread_self();
  measure_sources(&round);
  read_all(&round);
  enum tb_status status = TB_OK;
  for (size_t i = 0; status == TB_OK && i < m->source_count; i++)
    if (!m->sources[i].skipped) status = settle(m, &m->sources[i], &round.outcomes[i]);
  /* Where the last source was read by then, none of them says it. */
  if (status == TB_OK && atomic_load(&round.cancelled))
    status = tb_fail(&m->error, TB_CANCELLED, TB_NO_OFFSET, "cancelled");
  tb_free(m->allocator, round.outcomes, (m->source_count + 1) * sizeof(struct outcome));
  return status;
}
