/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets on clocks that are not their input's trace clock.
 *
 * Readers take such a time to the trace clock by the latest snapshot before it. That is wrong by milliseconds where the
 * snapshot was read late, and where one clock drifts against the other until the next snapshot. The fit of all
 * snapshots knows better. There packets get times on the merged trace's clock, so that readers need no snapshot. Where
 * clocks run at one rate and were read at once each time, readers are as right as the fit, and packets stay as they
 * are; not where the input is placed by a line, and so all of its times change.
 *
 * The way is by one relation, or by two: REALTIME - BOOTTIME - MONOTONIC where that is the trace clock.
 */
#include "merge/merger.h"
#include "protos/field_numbers.h"
#include "tracebridge/event.h"

enum { LEGS_MAX = 2 };
static const uint32_t even_clocks[TB_FITTED_CLOCKS] = {TB_CLOCK_REALTIME, TB_CLOCK_MONOTONIC, TB_CLOCK_MONOTONIC_RAW,
                                                       TB_CLOCK_BOOTTIME};

/* ---- which relations --------------------------------------------------------------------------------------------- */

/* From a clock to the trace clock. */
struct way {
  const struct tb_clock_relation *legs[LEGS_MAX];
  uint32_t from[LEGS_MAX]; /* the clock that each starts at */
  size_t count;            /* 0: there is none */
};

static uint32_t other_clock(const struct tb_clock_relation *r, uint32_t clock) { return r->a == clock ? r->b : r->a; }

/* The relation of two clocks that a line was fitted to; NULL: none. */
static const struct tb_clock_relation *find_relation(const struct tb_source *s, uint32_t p, uint32_t q) {
  for (size_t i = 0; i < s->relations.count; i++) {
    const struct tb_clock_relation *r = &s->relations.items[i];
    if (r->fit.segment_count && ((r->a == p && r->b == q) || (r->a == q && r->b == p))) return r;
  }
  return NULL;
}

/* Whether packets have times on the clock; events of legacy sequences count on MONOTONIC. */
static bool is_used(const struct tb_source *s, uint32_t clock) {
  if (clock == TB_CLOCK_MONOTONIC && s->prescan.seen_kinds[TB_TRACE_PACKET_THREAD_DESCRIPTOR]) return true;
  return s->prescan.clocks_used >> clock & 1;
}

static struct way find_way(const struct tb_source *s, uint32_t clock) {
  uint32_t primary = s->prescan.clocks.primary;
  struct way way = {.count = 0};
  if (clock == primary || !is_used(s, clock)) return way;
  const struct tb_clock_relation *direct = find_relation(s, clock, primary);
  if (direct) return (struct way){{direct}, {clock}, 1};
  for (size_t i = 0; i < s->relations.count && !way.count; i++) {
    const struct tb_clock_relation *first = &s->relations.items[i];
    if (!first->fit.segment_count || (first->a != clock && first->b != clock)) continue;
    uint32_t between = other_clock(first, clock);
    const struct tb_clock_relation *second = find_relation(s, between, primary);
    if (second) way = (struct way){{first, second}, {clock, between}, 2};
  }
  return way;
}

/* Whether readers, who go by the snapshot before a time, are less right. Where times change anyway, by no more than the
 * two clocks were read apart is too much, too. */
static bool needs_fit(const struct way *way, bool is_warped) {
  enum { AT_ONCE_NS = 2000 };
  bool needs = false;
  for (size_t i = 0; i < way->count; i++) {
    const struct tb_reading_fit *fit = &way->legs[i]->fit;
    needs |= fit->thrown_out || fit->drift != 0 || fit->largest_residual_ns > (is_warped ? 0 : AT_ONCE_NS) ||
             (fit->kind == TB_READING_DRIFTS && fit->segment_count > 1);
  }
  return needs;
}

bool tb_source_reads_by(const struct tb_source *s, const struct tb_clock_relation *relation) {
  for (size_t c = 0; c < TB_FITTED_CLOCKS; c++) {
    struct way way = find_way(s, even_clocks[c]);
    for (size_t i = 0; i < way.count; i++)
      if (way.legs[i] == relation) return true;
  }
  return false;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static enum tb_status add_leg(const struct tb_clock_relation *leg, uint32_t from, struct tb_time_map *map) {
  return tb_reading_fit_add_way(&leg->fit, map, leg->a != from);
}

/* Android's log has times on the wall clock inside of its packets. One input alone keeps its bytes, and readers' ways.
 */
static void use_clocks_of_payloads(const struct tb_merger *m, struct tb_source *s) {
  if (m->source_count > 1 && s->prescan.seen_kinds[TB_TRACE_PACKET_ANDROID_LOG])
    s->prescan.clocks_used |= UINT64_C(1) << TB_CLOCK_REALTIME;
}

enum tb_status tb_source_fit_clocks(struct tb_merger *m, struct tb_source *s) {
  struct tb_input_clocks *clocks = &s->prescan.clocks;
  int64_t moved_by;
  bool is_warped = s->placed && !tb_time_map_is_offset(&s->there, &moved_by);
  use_clocks_of_payloads(m, s);
  enum tb_status status = TB_OK;
  for (size_t c = 0; c < TB_FITTED_CLOCKS && status == TB_OK; c++) {
    struct way way = find_way(s, even_clocks[c]);
    if (!needs_fit(&way, is_warped) || tb_input_clocks_fit_of(clocks, tb_source_host(s), even_clocks[c])) continue;
    struct tb_time_map map;
    tb_time_map_init(&map, m->allocator);
    for (size_t i = 0; i < way.count && status == TB_OK; i++) status = add_leg(way.legs[i], way.from[i], &map);
    if (status == TB_OK)
      tb_input_clocks_fit(clocks, tb_source_host(s), even_clocks[c], &map);
    else
      tb_time_map_free(&map);
  }
  if (clocks->fitted_count) tb_prescan_measure(&s->prescan);
  return status;
}

/* MONOTONIC over BOOTTIME, where BOOTTIME is the trace clock and events are on MONOTONIC. */
static const struct tb_reading_fit *monotonic_fit(const struct tb_source *s) {
  struct way way = find_way(s, TB_CLOCK_MONOTONIC);
  return s->prescan.clocks.primary == TB_CLOCK_BOOTTIME && way.count == 1 ? &way.legs[0]->fit : NULL;
}

bool tb_source_may_have_slept(const struct tb_source *s, int64_t monotonic, int64_t *size) {
  const struct tb_reading_fit *fit = monotonic_fit(s);
  for (size_t i = 1; fit && i < fit->segment_count; i++) {
    const struct tb_reading_segment *before = &fit->segments[i - 1], *behind = &fit->segments[i];
    if (monotonic < tb_time_add(before->last, before->offset)) return false;
    if (monotonic >= tb_time_add(behind->first, behind->offset)) continue;
    *size = tb_time_subtract(before->offset, behind->offset);
    return *size > 0;
  }
  return false;
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

/* The bound of one leg, over its relation's first clock, and the ways between that and the trace clock. */
struct leg_bound {
  struct tb_time_bound bound;
  struct tb_time_map to_trace_clock, back;
};

/* Of all clocks: those of one clock follow each other. */
struct clock_bounds {
  struct leg_bound items[TB_FITTED_CLOCKS * LEGS_MAX];
  size_t leg_counts[TB_FITTED_CLOCKS];
  size_t count;
  struct tb_time_bound_point *points;
  size_t point_count;
  double growth;
};

static enum tb_status add_leg_bound(const struct tb_merger *m, const struct way *way, size_t leg,
                                    struct leg_bound *bound) {
  const struct tb_clock_relation *r = way->legs[leg];
  size_t next = r->a == way->from[leg] ? leg : leg + 1; /* the leg that starts at the relation's first clock */
  enum tb_status status = tb_reading_fit_bound_way(&r->fit, &bound->bound);
  tb_time_map_init(&bound->to_trace_clock, m->allocator);
  tb_time_map_init(&bound->back, m->allocator);
  for (size_t i = next; i < way->count && status == TB_OK; i++)
    status = add_leg(way->legs[i], way->from[i], &bound->to_trace_clock);
  for (size_t i = way->count; i-- > next && status == TB_OK;)
    status = add_leg(way->legs[i], other_clock(way->legs[i], way->from[i]), &bound->back);
  return status;
}

static enum tb_status add_clock_bounds(const struct tb_merger *m, const struct tb_source *s, struct clock_bounds *all) {
  enum tb_status status = TB_OK;
  for (size_t c = 0; c < TB_FITTED_CLOCKS && status == TB_OK; c++) {
    struct way way = find_way(s, even_clocks[c]);
    double growth = 0;
    all->leg_counts[c] = way.count;
    for (size_t i = 0; i < way.count && status == TB_OK; i++) {
      struct leg_bound *leg = &all->items[all->count++];
      status = add_leg_bound(m, &way, i, leg);
      all->point_count += leg->bound.count;
      growth += leg->bound.growth;
    }
    if (growth > all->growth) all->growth = growth;
  }
  return status;
}

/* At a time of the trace clock: the largest of all clocks' bounds, each the sum of its legs'. */
static int64_t largest_at(const struct clock_bounds *all, int64_t time) {
  const struct leg_bound *leg = all->items;
  int64_t most = 0;
  for (size_t c = 0; c < TB_FITTED_CLOCKS; c++) {
    int64_t sum = 0;
    for (size_t i = 0; i < all->leg_counts[c]; i++, leg++)
      sum = tb_time_add(sum, tb_time_bound_at(&leg->bound, tb_time_map_apply(&leg->back, time)));
    if (sum > most) most = sum;
  }
  return most;
}

static enum tb_status set_points(const struct tb_merger *m, struct clock_bounds *all, struct tb_time_bound *bound) {
  size_t count = 0;
  all->points = tb_alloc(m->allocator, all->point_count * sizeof(*all->points));
  if (!all->points) return TB_NO_MEMORY;
  for (size_t i = 0; i < all->count; i++)
    for (size_t k = 0; k < all->items[i].bound.count; k++)
      all->points[count++].time = tb_time_map_apply(&all->items[i].to_trace_clock, all->items[i].bound.points[k].time);
  tb_time_bound_sort(all->points, count);
  for (size_t i = 0; i < count; i++) all->points[i].bound_ns = largest_at(all, all->points[i].time);
  return tb_time_bound_create(bound, m->allocator, all->points, count, all->growth);
}

enum tb_status tb_source_clocks_bound(const struct tb_merger *m, const struct tb_source *s,
                                      struct tb_time_bound *bound) {
  struct clock_bounds all = {.count = 0};
  *bound = (struct tb_time_bound){0};
  enum tb_status status = add_clock_bounds(m, s, &all);
  if (status == TB_OK && all.point_count) status = set_points(m, &all, bound);
  tb_free(m->allocator, all.points, all.point_count * sizeof(*all.points));
  for (size_t i = 0; i < all.count; i++) {
    tb_time_bound_free(&all.items[i].bound, m->allocator);
    tb_time_map_free(&all.items[i].to_trace_clock);
    tb_time_map_free(&all.items[i].back);
  }
  return status;
}
