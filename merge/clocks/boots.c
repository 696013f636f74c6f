/* SPDX-License-Identifier: Apache-2.0
 *
 * Which inputs were recorded on one machine since one start: their clocks that count up from there are the same.
 *
 * An input's snapshots say what the wall clock read when such a clock read 0: its epoch, in segments between steps and
 * suspends, each extended along its drift. Two inputs are of one boot when segments of both agree on the epoch within
 * their readings' noise, and what a wall clock may be slewed by between two recordings. Each input of a boot
 * agrees with every other: neighbours that agree do not make a chain. Machines with different names are different
 * machines.
 *
 * A wall clock may have been set between two recordings of one boot. Then the epochs say nothing, and two things are
 * left: the user's word, one name for both machines; and how long the machine had slept, where both agree on that to
 * the microsecond. The latter is a guess, with a warning: clocks of a container may be set, and short sleeps or none
 * are alike anywhere. It is none where wall clocks differ at one time of the clock, for a machine has one; nor where
 * both recorded at one time by the wall clock, which is not set back to where the other recording was.
 */
#include <math.h>
#include <stdlib.h>

#include "merge/merger.h"
#include "tracebridge/event.h"

/* Of one or two readings nobody knows how late they are; a wall clock is slewed slowly, and by little. */
static const double FEW_READINGS_NS = 1e6, NOISE_FACTOR = 4, LEAST_NS = 2e3;
static const double SLEW_RATE = 5e-6, SLEW_MAX_NS = 5e6;
/* A sleep as long is a fingerprint where it is not a short one. Readings are hardly late by more than the last. */
enum { ASLEEP_LEAST_NS = 1000000000, ASLEEP_APART_NS = 5000, AWAKE_AGAIN_NS = 20000000 };

/* What one input says of one clock: of its host's, or of one that an earlier merge kept. */
struct boot {
  struct tb_source *source;
  uint32_t machine, clock; /* in the clock graph */
  const char *name;        /* of the machine; NULL: unnamed */
  struct tb_boot_readings read;
  const struct tb_reading_fit *wall, *asleep; /* as in tb_boot_readings */
  uint32_t *number;                           /* of the boot, for whoever asks later */
  struct tb_boot_link *link;                  /* NULL: nobody asks */
  uint32_t group;
};

static const struct tb_reading_fit *find_fit(const struct tb_source *s, uint32_t a, uint32_t b) {
  for (size_t i = 0; i < s->relations.count; i++) {
    const struct tb_clock_relation *r = &s->relations.items[i];
    if (r->a == a && r->b == b && r->fit.segment_count) return &r->fit;
  }
  return NULL;
}

enum tb_status tb_source_read_boot(struct tb_merger *m, struct tb_source *s, uint32_t clock,
                                   struct tb_boot_readings *read) {
  struct tb_time_anchor *pairs;
  size_t count;
  *read = (struct tb_boot_readings){.wall = find_fit(s, clock, TB_CLOCK_REALTIME)};
  read->asleep = find_fit(s, TB_CLOCK_BOOTTIME, TB_CLOCK_MONOTONIC);
  if (read->wall) return TB_OK;
  enum tb_status status = tb_source_readings(s, m->allocator, clock, TB_CLOCK_REALTIME, &pairs, &count);
  if (status != TB_OK || !count) return status;
  status = tb_reading_fit_make(&read->made, m->allocator, pairs, count, TB_READING_DRIFTS, NULL);
  tb_free(m->allocator, pairs, count * sizeof(*pairs));
  if (status == TB_OK && read->made.segment_count) read->wall = &read->made;
  return status;
}

/* ---- agreement --------------------------------------------------------------------------------------------------- */

static double uncertainty(const struct tb_reading_fit *fit, const struct tb_reading_segment *segment, double away) {
  double read = segment->count < 3 ? FEW_READINGS_NS : NOISE_FACTOR * (double)fit->largest_residual_ns + LEAST_NS;
  return read + fmin(away * SLEW_RATE, SLEW_MAX_NS / 2);
}

/* The epoch by a segment at a time of the clock. */
static double epoch_at(const struct tb_reading_fit *fit, const struct tb_reading_segment *segment, tb_wide time,
                       int64_t from) {
  return (double)((tb_wide)segment->offset - from) + fit->drift * (double)(time - fit->x0);
}

static double away_from(const struct tb_reading_segment *segment, tb_wide time) {
  if (time < segment->first) return (double)(segment->first - time);
  return time > segment->last ? (double)(time - segment->last) : 0;
}

/* Compared in the middle of the time that both have, or of the gap between them. */
static bool segments_agree(const struct tb_reading_fit *p, const struct tb_reading_segment *a,
                           const struct tb_reading_fit *q, const struct tb_reading_segment *b) {
  tb_wide begin = a->first > b->first ? a->first : b->first, end = a->last < b->last ? a->last : b->last;
  tb_wide apart = end - begin, at = begin + apart / 2;
  double off = epoch_at(p, a, at, a->offset) - epoch_at(q, b, at, a->offset);
  return fabs(off) <= uncertainty(p, a, away_from(a, at)) + uncertainty(q, b, away_from(b, at));
}

static bool walls_agree(const struct boot *a, const struct boot *b) {
  for (size_t i = 0; i < a->wall->segment_count; i++)
    for (size_t k = 0; k < b->wall->segment_count; k++)
      if (segments_agree(a->wall, &a->wall->segments[i], b->wall, &b->wall->segments[k])) return true;
  return false;
}

static bool slept_alike(const struct boot *a, const struct boot *b) {
  if (!a->asleep || !b->asleep) return false;
  for (size_t i = 0; i < a->asleep->segment_count; i++) {
    for (size_t k = 0; k < b->asleep->segment_count; k++) {
      tb_wide p = a->asleep->segments[i].offset, q = b->asleep->segments[k].offset, apart = p > q ? p - q : q - p;
      if (p <= -ASLEEP_LEAST_NS &&
          apart <= ASLEEP_APART_NS + a->asleep->largest_residual_ns + b->asleep->largest_residual_ns)
        return true;
    }
  }
  return false;
}

static bool is_before(const struct tb_reading_segment *a, const struct tb_reading_segment *b) {
  return a->last < b->first;
}

/* A machine has slept no less later than before. */
static bool slept_less_later(const struct boot *a, const struct boot *b) {
  if (!a->asleep || !b->asleep) return false;
  for (size_t i = 0; i < a->asleep->segment_count; i++) {
    for (size_t k = 0; k < b->asleep->segment_count; k++) {
      const struct tb_reading_segment *p = &a->asleep->segments[i], *q = &b->asleep->segments[k];
      tb_wide awake = (tb_wide)q->offset - p->offset; /* for how much more of the time q's machine was */
      if ((awake > AWAKE_AGAIN_NS && !is_before(q, p)) || (awake < -AWAKE_AGAIN_NS && !is_before(p, q))) return true;
    }
  }
  return false;
}

/* Whether both were read at one time, by the clock or by what the wall clock read. */
static bool read_at_once(const struct boot *a, const struct boot *b, bool by_wall) {
  for (size_t i = 0; i < a->wall->segment_count; i++) {
    for (size_t k = 0; k < b->wall->segment_count; k++) {
      struct tb_reading_segment p = a->wall->segments[i], q = b->wall->segments[k];
      if (by_wall) p.first = tb_time_add(p.first, p.offset), p.last = tb_time_add(p.last, p.offset);
      if (by_wall) q.first = tb_time_add(q.first, q.offset), q.last = tb_time_add(q.last, q.offset);
      if (!is_before(&p, &q) && !is_before(&q, &p)) return true;
    }
  }
  return false;
}

/* The user says that it is one machine: it was started anew in between only where the later recording's start is behind
 * the earlier one's end. */
static bool is_not_restarted(const struct boot *a, const struct boot *b) {
  const struct tb_reading_fit *p = a->wall, *q = b->wall;
  const struct tb_reading_segment *last_a = &p->segments[p->segment_count - 1];
  const struct tb_reading_segment *last_b = &q->segments[q->segment_count - 1];
  tb_wide end_a = (tb_wide)last_a->last + last_a->offset, end_b = (tb_wide)last_b->last + last_b->offset;
  tb_wide earlier_end = end_a < end_b ? end_a : end_b, later_epoch = end_a < end_b ? last_b->offset : last_a->offset;
  return later_epoch <= earlier_end;
}

/* What of two inputs shows that they are of one boot, or that they are not. */
static enum tb_boot_evidence compare_boots(const struct boot *a, const struct boot *b) {
  const char *p = a->name, *q = b->name;
  if (p && q && strcmp(p, q) != 0) return TB_BOOT_OTHER;
  if (p && q) return !is_not_restarted(a, b) ? TB_BOOT_OTHER : walls_agree(a, b) ? TB_BOOT_BY_WALL : TB_BOOT_BY_NAME;
  if (slept_less_later(a, b)) return TB_BOOT_OTHER;
  if (walls_agree(a, b)) return TB_BOOT_BY_WALL;
  if (!slept_alike(a, b) || read_at_once(a, b, false)) return TB_BOOT_OTHER;
  return read_at_once(a, b, true) ? TB_BOOT_UNCLEAR : TB_BOOT_BY_SLEEP;
}

/* Keeps by what an input's boot is known, where its wall clock does not say it: of all inputs of the boot, the one that
 * was read next to it. */
static void keep_evidence(const struct boot *boot, const struct boot *other, enum tb_boot_evidence evidence,
                          uint32_t clock) {
  const struct tb_reading_fit *own = boot->wall, *others = other->wall;
  bool is_later = own->first > others->first;
  int64_t from = is_later ? others->last : own->last, to = is_later ? own->first : others->first;
  int64_t apart = from < to ? tb_time_subtract(to, from) : 0;
  struct tb_boot_link *link = boot->link;
  if (!link) return;
  if (clock != TB_CLOCK_BOOTTIME && tb_source_reads(boot->source, TB_CLOCK_BOOTTIME)) return;
  if (link->other && (link->evidence == TB_BOOT_BY_WALL || (evidence != TB_BOOT_BY_WALL && link->apart_ns <= apart)))
    return;
  const struct tb_reading_segment *own_near = &own->segments[is_later ? 0 : own->segment_count - 1];
  const struct tb_reading_segment *other_near = &others->segments[is_later ? others->segment_count - 1 : 0];
  int64_t ahead = tb_time_subtract(own_near->offset, other_near->offset);
  *link = (struct tb_boot_link){.evidence = evidence,
                                .other = other->source,
                                .clock = clock,
                                .apart_ns = apart,
                                .between = tb_time_add(from, apart / 2),
                                .set_by_ns = is_later ? ahead : tb_time_subtract(0, ahead)};
}

/* ---- boots of all inputs ----------------------------------------------------------------------------------------- */

/* Of a guess the bound has the other possibility, too: that the wall clock was right. */
static enum tb_status join(struct tb_merger *m, const struct boot *boot, uint32_t clock) {
  struct tb_graph_key own = {boot->source->index, boot->machine, boot->clock};
  struct tb_graph_key shared = {TB_GRAPH_SHARED, boot->group, clock};
  struct tb_graph_edge edge = {.source = TB_PLACEMENT_SAME_BOOT, .rank = TB_RANK_SAME_BOOT};
  static const struct tb_boot_link none = {.evidence = TB_BOOT_UNKNOWN};
  const struct tb_boot_link *link = boot->link ? boot->link : &none;
  int64_t by = link->set_by_ns < 0 ? tb_time_subtract(0, link->set_by_ns) : link->set_by_ns;
  struct tb_time_bound_point doubt = {boot->wall->first, by};
  if (link->evidence == TB_BOOT_BY_SLEEP) edge.bound = (struct tb_time_bound){.points = &doubt, .count = 1};
  if (!tb_sync_graph_find(&m->graph, own, &edge.a)) return TB_OK;
  enum tb_status status = tb_sync_graph_node(&m->graph, shared, &edge.b);
  return status == TB_OK ? tb_sync_graph_edge(&m->graph, &edge) : status;
}

/* Whether the boot agrees with every one that has the group, in what it reads on BOOTTIME first. */
static bool fits_group(const struct boot *boots, size_t count, uint32_t group, const struct boot *boot) {
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    if (boots[i].group != group) continue;
    if (*boots[i].number && *boot->number && *boots[i].number != *boot->number) return false;
    if (compare_boots(&boots[i], boot) <= TB_BOOT_UNCLEAR) return false;
    any = true;
  }
  return any;
}

/* Keeps what joined a boot to those of its group; or, where it has its own, with which one that is unclear. */
static void keep_links(const struct boot *boots, size_t count, const struct boot *boot, uint32_t clock) {
  bool is_alone = true;
  for (size_t i = 0; i < count; i++) is_alone &= boots[i].group != boot->group;
  for (size_t i = 0; i < count; i++) {
    enum tb_boot_evidence evidence = compare_boots(&boots[i], boot);
    if (is_alone ? evidence == TB_BOOT_UNCLEAR : boots[i].group == boot->group)
      keep_evidence(boot, &boots[i], evidence, clock);
  }
}

static enum tb_status group_boots(struct tb_merger *m, struct boot *boots, size_t count, uint32_t clock,
                                  uint32_t *group) {
  uint32_t first = *group + 1;
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < count && status == TB_OK; i++) {
    uint32_t of = first;
    while (of <= *group && !fits_group(boots, i, of, &boots[i])) of++;
    if (of > *group) *group = of;
    boots[i].group = of;
    keep_links(boots, i, &boots[i], clock);
    if (clock == TB_CLOCK_BOOTTIME) *boots[i].number = of;
    status = join(m, &boots[i], clock);
  }
  return status;
}

static size_t count_boots(const struct tb_merger *m) {
  size_t n = m->source_count;
  for (size_t i = 0; i < m->source_count; i++) n += m->sources[i].prescan.boots.count;
  return n;
}

static enum tb_status add_host(struct tb_merger *m, struct tb_source *s, uint32_t clock, struct boot *boots,
                               size_t *n) {
  struct boot *boot = &boots[*n];
  *boot = (struct boot){.source = s,
                        .machine = tb_source_host(s),
                        .clock = clock,
                        .name = s->machine_name,
                        .number = &s->boot,
                        .link = &s->boot_link};
  enum tb_status status = tb_source_read_boot(m, s, clock, &boot->read);
  boot->wall = boot->read.wall;
  boot->asleep = boot->read.asleep;
  if (boot->wall)
    ++*n;
  else
    tb_reading_fit_free(&boot->read.made);
  return status;
}

static void add_kept(struct tb_source *s, uint32_t clock, struct boot *boots, size_t *n) {
  for (size_t i = 0; i < s->prescan.boots.count; i++) {
    struct tb_kept_boot *kept = &s->prescan.boots.items[i];
    if (kept->clock != clock) continue;
    boots[(*n)++] = (struct boot){.source = s,
                                  .machine = kept->machine,
                                  .clock = tb_kept_clock(clock),
                                  .name = tb_source_machine_name(s, kept->machine),
                                  .wall = &kept->wall,
                                  .asleep = kept->asleep.segment_count ? &kept->asleep : NULL,
                                  .number = &kept->boot};
  }
}

enum tb_status tb_merger_join_boots(struct tb_merger *m, uint32_t clock, uint32_t *group) {
  size_t n = 0, most = count_boots(m);
  struct boot *boots = tb_calloc(m->allocator, most * sizeof(*boots));
  if (!boots) return TB_NO_MEMORY;
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    if (m->sources[i].skipped) continue;
    status = add_host(m, &m->sources[i], clock, boots, &n);
    add_kept(&m->sources[i], clock, boots, &n);
  }
  if (status == TB_OK) status = group_boots(m, boots, n, clock, group);
  for (size_t i = 0; i < n; i++) tb_reading_fit_free(&boots[i].read.made);
  tb_free(m->allocator, boots, most * sizeof(*boots));
  return status;
}
