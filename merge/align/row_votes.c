/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/align/row_votes.h"

#include <math.h>
#include <stdlib.h>

#include "merge/align/row_pairs.h"

/* Events around one that are asked; events that are asked about; shifts kept of each. Of rows with many events fewer
 * are asked, which still leaves chance no say. */
enum { SEGMENT = 48, SEEDS = 16, LONG_ROW = 200000, SEGMENT_LONG = 32, SEEDS_LONG = 10, KEPT = 2048, LEVELS = 20 };
/* Tolerances that are tried: from this on, each four times the one before, up to a quarter of what events are apart. */
static const double LEAST_TOLERANCE_NS = 2000, TOLERANCE_FACTOR = 4, OF_SPACING = 0.25;
/* A shift is kept that has this much of the best one's score. */
static const double KEPT_SHARE = 0.6;
/* By which clocks may drift apart from what the prior says, and over the time that rows have in common. */
static const double DRIFT_USUAL = 200e-6;

struct voter {
  struct tb_event_row pattern, text; /* the shorter row and the longer one */
  bool is_swapped;                   /* the pattern is the other row */
  size_t segment;                    /* events of it, at most */
  size_t levels;
  double tolerances[LEVELS];
  double scores[LEVELS][SEGMENT]; /* by how many agree */
  const struct tb_offset_prior *prior;
};

double tb_row_score(double agreed, double tried, double chance) {
  double expected = tried * chance;
  return agreed > expected ? agreed * log(agreed / expected) - (agreed - expected) : 0;
}

static double spacing_of(struct tb_event_row row) {
  return ((double)row.times[row.count - 1] - (double)row.times[0]) / (double)row.count;
}

double tb_row_chance(struct tb_event_row other, double tolerance) {
  double spacing = spacing_of(other);
  return spacing > 0 ? fmin(2 * tolerance / spacing, 0.95) : 0.5;
}

double tb_offset_prior_apart(const struct tb_offset_prior *prior, double x, double offset) {
  return fabs(offset - (double)prior->offset - prior->drift * (x - (double)prior->x0));
}

bool tb_offset_prior_expects(const struct tb_offset_prior *prior, double x, double offset) {
  double apart = tb_offset_prior_apart(prior, x, offset);
  return prior->known && apart <= (double)prior->uncertainty_ns + DRIFT_USUAL * fabs(x - (double)prior->x0);
}

bool tb_offset_prior_allows(const struct tb_offset_prior *prior, double x, double offset) {
  static const double poorly_kept_ns = 500e6;
  double apart = tb_offset_prior_apart(prior, x, offset) - DRIFT_USUAL * fabs(x - (double)prior->x0);
  return prior->known && apart <= fmax(poorly_kept_ns, (double)prior->uncertainty_ns);
}

static void prepare(struct voter *v, struct tb_event_row own, struct tb_event_row other) {
  v->is_swapped = other.count < own.count;
  v->pattern = v->is_swapped ? other : own;
  v->text = v->is_swapped ? own : other;
  v->segment = v->text.count > LONG_ROW ? SEGMENT_LONG : SEGMENT;
  if (v->segment > v->pattern.count) v->segment = v->pattern.count;
  double most = fmax(spacing_of(v->text) * OF_SPACING, LEAST_TOLERANCE_NS), tolerance = LEAST_TOLERANCE_NS;
  for (bool last = false; !last && v->levels < LEVELS; v->levels++, tolerance *= TOLERANCE_FACTOR) {
    last = tolerance >= most || v->levels + 1 == LEVELS;
    v->tolerances[v->levels] = last ? most : tolerance;
    for (size_t k = 0; k < v->segment; k++)
      v->scores[v->levels][k] =
          tb_row_score((double)k, (double)v->segment - 1, tb_row_chance(v->text, v->tolerances[v->levels]));
  }
}

static size_t count_within(struct tb_event_row row, struct tb_event_row other, double offset, double slack) {
  return tb_event_row_find(row, (double)other.times[other.count - 1] - offset + slack) -
         tb_event_row_find(row, (double)other.times[0] - offset - slack);
}

/* One event of the pattern, those around it, and for each of them where the search of its partner is. */
struct seed {
  size_t centre, from, size;
  size_t next[SEGMENT];
};

/* How far the nearest event of the text is from a time. Times only grow from call to call. */
static double nearest(struct tb_event_row text, double time, size_t *next) {
  while (*next < text.count && (double)text.times[*next] < time) ++*next;
  double apart = *next < text.count ? (double)text.times[*next] - time : INFINITY;
  return *next ? fmin(apart, time - (double)text.times[*next - 1]) : apart;
}

/* What the events around say if the seed's partner is event `k` of the text. */
static void ask(const struct voter *v, struct seed *seed, size_t k, struct tb_row_vote *vote) {
  size_t agreed[LEVELS] = {0}, sum = 0;
  double shift = (double)v->text.times[k] - (double)v->pattern.times[seed->centre];
  for (size_t i = 0; i < seed->size; i++) {
    if (seed->from + i == seed->centre) continue;
    double apart = nearest(v->text, (double)v->pattern.times[seed->from + i] + shift, &seed->next[i]);
    size_t level = 0;
    while (level < v->levels && apart > v->tolerances[level]) level++;
    if (level < v->levels) agreed[level]++;
  }
  *vote = (struct tb_row_vote){.tolerance = v->tolerances[0], .share = 1 / (double)seed->size};
  for (size_t level = 0; level < v->levels; level++) {
    sum += agreed[level];
    if (v->scores[level][sum] <= vote->score) continue;
    vote->score = v->scores[level][sum];
    vote->tolerance = v->tolerances[level];
    vote->share = (double)(sum + 1) / (double)seed->size;
  }
  vote->own = (uint32_t)(v->is_swapped ? k : seed->centre);
  vote->other = (uint32_t)(v->is_swapped ? seed->centre : k);
}

/* The most promising first: what the prior expects, then what can become most pairs. */
static int compare(const void *a, const void *b) {
  const struct tb_row_vote *p = a, *q = b;
  if (p->is_expected != q->is_expected) return p->is_expected ? -1 : 1;
  double r = p->share * (double)p->ceiling, s = q->share * (double)q->ceiling;
  if (r != s) return r > s ? -1 : 1;
  if (p->score != q->score) return p->score > q->score ? -1 : 1;
  if (p->own != q->own) return p->own < q->own ? -1 : 1;
  return p->other < q->other ? -1 : p->other > q->other;
}

static void judge(const struct voter *v, const struct seed *seed, double slack, struct tb_row_vote *vote) {
  struct tb_event_row own = v->is_swapped ? v->text : v->pattern, other = v->is_swapped ? v->pattern : v->text;
  double x = (double)own.times[vote->own], offset = (double)other.times[vote->other] - x;
  size_t here = count_within(own, other, offset, slack), there = count_within(other, own, -offset, slack);
  vote->ceiling = here < there ? here : there;
  vote->is_expected = tb_offset_prior_expects(v->prior, x, offset);
  vote->is_likely = tb_offset_prior_allows(v->prior, x, offset);
  double centre = (double)v->pattern.times[seed->centre];
  vote->reach = fmax(centre - (double)v->pattern.times[seed->from],
                     (double)v->pattern.times[seed->from + seed->size - 1] - centre);
}

/* Keeps the votes of a seed that are nearly as good as its best. */
static enum tb_status keep_best(const struct tb_allocator *a, const struct voter *v, const struct seed *seed,
                                struct tb_row_vote *cast, struct tb_row_votes *votes) {
  double best = 0;
  size_t count = 0;
  for (size_t k = 0; k < v->text.count; k++) best = fmax(best, cast[k].score);
  double slack = votes->most + DRIFT_USUAL * ((double)v->text.times[v->text.count - 1] - (double)v->text.times[0]);
  for (size_t k = 0; k < v->text.count; k++) {
    if (cast[k].score < KEPT_SHARE * best) continue;
    cast[count] = cast[k];
    judge(v, seed, slack, &cast[count++]);
  }
  qsort(cast, count, sizeof(*cast), compare);
  if (count > KEPT) {
    votes->left_out += count - KEPT;
    count = KEPT;
  }
  void *items = votes->items;
  enum tb_status status =
      tb_grow_array(a, &items, &votes->capacity, votes->count + count, sizeof(*cast), (size_t)KEPT * SEEDS * 2);
  votes->items = items;
  if (status != TB_OK) return status;
  memcpy(votes->items + votes->count, cast, count * sizeof(*cast));
  votes->count += count;
  return TB_OK;
}

/* Leaves out what another seed's votes put far behind. */
static void drop_poor(struct tb_row_votes *votes) {
  double best = 0;
  size_t count = 0;
  for (size_t i = 0; i < votes->count; i++) best = fmax(best, votes->items[i].score);
  for (size_t i = 0; i < votes->count; i++)
    if (votes->items[i].score >= KEPT_SHARE * KEPT_SHARE * best) votes->items[count++] = votes->items[i];
  votes->count = count;
  qsort(votes->items, count, sizeof(*votes->items), compare);
}

enum tb_status tb_row_votes_cast(const struct tb_allocator *a, struct tb_event_row own, struct tb_event_row other,
                                 const struct tb_offset_prior *prior, struct tb_row_votes *votes) {
  struct voter v = {.prior = prior};
  prepare(&v, own, other);
  *votes = (struct tb_row_votes){.most = fmax(LEAST_TOLERANCE_NS, spacing_of(v.text) * OF_SPACING)};
  struct tb_row_vote *cast = tb_alloc(a, v.text.count * sizeof(*cast));
  if (!cast) return TB_NO_MEMORY;
  size_t seeds = v.text.count > LONG_ROW ? SEEDS_LONG : SEEDS;
  if (seeds > v.pattern.count) seeds = v.pattern.count;
  enum tb_status status = TB_OK;
  for (size_t s = 0; s < seeds && status == TB_OK; s++) {
    struct seed seed = {.centre = (s * v.pattern.count + v.pattern.count / 2) / seeds, .size = v.segment};
    seed.from = seed.centre > v.segment / 2 ? seed.centre - v.segment / 2 : 0;
    if (seed.from + v.segment > v.pattern.count) seed.from = v.pattern.count - v.segment;
    for (size_t k = 0; k < v.text.count; k++) ask(&v, &seed, k, &cast[k]);
    status = keep_best(a, &v, &seed, cast, votes);
  }
  tb_free(a, cast, v.text.count * sizeof(*cast));
  drop_poor(votes);
  return status;
}

void tb_row_votes_free(struct tb_row_votes *votes, const struct tb_allocator *a) {
  tb_free(a, votes->items, votes->capacity * sizeof(*votes->items));
  *votes = (struct tb_row_votes){0};
}
