/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps 2 and 3 of row_match.h: each offset that events vote for is followed to both ends of the rows, and of the lines
 * so found one is chosen.
 */
#include "merge/align/row_match.h"

#include <math.h>
#include <stdlib.h>

#include "merge/align/line_fit.h"
#include "merge/align/row_pairs.h"
#include "merge/align/row_votes.h"

enum {
  FEW = 8,          /* pairs that do not show yet how noisy they are */
  FINAL_ROUNDS = 3, /* over whole rows */
  TRIED_MOST = 200, /* shifts, of short rows */
  TRIED_LEAST = 16, /* of long ones */
  TRIED_EVENTS = 10000000
};
static const double SIGMAS = 5, DRIFT_USUAL = 200e-6;
/* Another shift with this share of the pairs explains the rows as well, and of few pairs one that lacks no more than
 * so many times the root of their number: each row lacks some events by chance, and which shift has most is chance,
 * too. */
static const double AS_WELL = 0.9, BY_CHANCE_SIGMAS = 2;
/* Of rows with no more events all shifts are tried that may explain them as well. */
enum { SHORT_ROWS = 1000 };
/* Nor is one tried, however likely it is beforehand, that could not have more than that. */
static const double LIKELY = 0.5;
/* By so much, a logarithm, matches are beyond chance, whichever of all lines they are on. Of a short row half of the
 * events are enough, for they can show no more; and nobody doubts rows that are nearly complete. */
enum { SHORT_ROW = 8 };
static const double BEYOND_CHANCE = 6, HALF = 0.5, COMPLETE = 0.9, ALIKE = 2;

struct hypothesis {
  struct tb_row_line line;
  size_t count;
  double score;
  double middle; /* time of its middle pair */
  bool is_expected, is_likely;
};

struct finder {
  const struct tb_allocator *allocator;
  struct tb_event_row own, other; /* relative times */
  struct tb_offset_prior prior;   /* between them */
  double drift_max;
  struct tb_row_votes votes;
  struct tb_event_pair *pairs;
  struct tb_time_anchor *anchors;
  struct hypothesis *tried;
  size_t tried_count;
};

/* ---- one shift --------------------------------------------------------------------------------------------------- */

/* The line through some pairs, and how far from it others may be. */
static enum tb_status fit(struct finder *f, size_t count, double least_tolerance, struct tb_row_line *line) {
  struct tb_line_fit fit;
  for (size_t i = 0; i < count; i++)
    f->anchors[i] = (struct tb_time_anchor){f->own.times[f->pairs[i].own], f->other.times[f->pairs[i].other]};
  enum tb_status status = tb_line_fit_pairs(f->allocator, f->anchors, count, true, &fit);
  bool is_level = status == TB_OK && (!(fit.spread > 0) || fabs(fit.drift) > f->drift_max);
  if (is_level) status = tb_line_fit_pairs(f->allocator, f->anchors, count, false, &fit);
  if (status != TB_OK) return status;
  double used = (double)fit.used, noise = used > 2 ? fit.residual_ns * sqrt(used / (used - 2)) : 0;
  double tolerance = SIGMAS * tb_line_fit_noise(noise, fit.used) * sqrt(1 + 1 / used);
  if (fit.used < FEW) tolerance = fmax(tolerance, least_tolerance);
  *line = (struct tb_row_line){.centre = (double)fit.x0 + fit.centre_ns,
                               .offset = (double)fit.offset + fit.drift * fit.centre_ns,
                               .drift = fit.drift,
                               .tolerance = tolerance,
                               .rate = is_level || !(fit.spread > 0) ? 0 : 1 / fit.spread,
                               .growth = is_level ? DRIFT_USUAL : 0,
                               .most = f->votes.most};
  return TB_OK;
}

static struct tb_event_row shorter_row(const struct finder *f) {
  return f->own.count < f->other.count ? f->own : f->other;
}

static struct tb_event_row longer_row(const struct finder *f) {
  return f->own.count < f->other.count ? f->other : f->own;
}

static double fewer_by_chance(double most) {
  return fmax(1, fmin(AS_WELL * most, most - BY_CHANCE_SIGMAS * sqrt(most)));
}

/* Follows a shift from the events that voted for it to the ends of the rows. */
static enum tb_status follow(struct finder *f, const struct tb_row_vote *vote, struct hypothesis *h) {
  double x = (double)f->own.times[vote->own], radius = fmax(vote->reach, 1);
  *h = (struct hypothesis){.line = {.centre = x,
                                    .offset = (double)f->other.times[vote->other] - x,
                                    .tolerance = vote->tolerance,
                                    .growth = vote->tolerance / radius,
                                    .most = f->votes.most}};
  for (int whole = 0; whole < FINAL_ROUNDS; radius *= 2) {
    size_t from = tb_event_row_find(f->own, x - radius),
           to = tb_event_row_find(f->own, nextafter(x + radius, INFINITY));
    whole += from == 0 && to == f->own.count;
    size_t count = tb_row_pair(f->own, f->other, &h->line, from, to, f->pairs);
    if (!count) break;
    enum tb_status status = fit(f, count, vote->tolerance, &h->line);
    if (status != TB_OK) return status;
  }
  h->count = tb_row_pair(f->own, f->other, &h->line, 0, f->own.count, f->pairs);
  double chance = tb_row_chance(longer_row(f), h->line.tolerance);
  h->score = tb_row_score((double)h->count, (double)shorter_row(f).count, chance);
  size_t half = h->count / 2;
  h->middle = h->count ? (double)f->own.times[f->pairs[half].own] : x;
  return TB_OK;
}

/* ---- of several shifts ------------------------------------------------------------------------------------------- */

static double offset_at(const struct tb_row_line *line, double x) { return tb_row_line_at(line, x) - x; }

static bool was_tried(const struct finder *f, const struct tb_row_vote *vote) {
  double x = (double)f->own.times[vote->own];
  for (size_t i = 0; i < f->tried_count; i++) {
    const struct hypothesis *h = &f->tried[i];
    double at = tb_row_line_at(&h->line, x);
    if (h->count && fabs((double)f->other.times[vote->other] - at) <= h->line.tolerance) return true;
  }
  return false;
}

/* Whether a shift that was not tried yet could change what is found. */
static bool may_matter(const struct finder *f, const struct tb_row_vote *vote, const struct hypothesis *best,
                       size_t second) {
  if (!best || vote->is_expected) return true;
  double ceiling = (double)vote->ceiling, count = (double)best->count;
  if (best->is_expected) return AS_WELL * ceiling > count;
  if (vote->is_likely && ceiling >= LIKELY * count) return true;
  bool tries_all = f->own.count + f->other.count <= SHORT_ROWS;
  if (tries_all && ceiling >= fewer_by_chance(count)) return true;
  return ceiling >= AS_WELL * count && (ceiling > count || (double)second < AS_WELL * count);
}

static enum tb_status try_shifts(struct finder *f, bool *is_incomplete) {
  size_t most = TRIED_EVENTS / (f->own.count + f->other.count), best = 0, second = 0;
  if (most > TRIED_MOST) most = TRIED_MOST;
  if (most < TRIED_LEAST) most = TRIED_LEAST;
  f->tried = tb_alloc(f->allocator, TRIED_MOST * sizeof(*f->tried));
  if (!f->tried) return TB_NO_MEMORY;
  *is_incomplete = f->votes.left_out > 0;
  for (size_t i = 0; i < f->votes.count; i++) {
    const struct tb_row_vote *vote = &f->votes.items[i];
    if (!may_matter(f, vote, f->tried_count ? &f->tried[best] : NULL, second) || was_tried(f, vote)) continue;
    if (f->tried_count == most) {
      *is_incomplete = true;
      break;
    }
    struct hypothesis *h = &f->tried[f->tried_count];
    enum tb_status status = follow(f, vote, h);
    if (status != TB_OK) return status;
    h->is_expected = tb_offset_prior_expects(&f->prior, h->middle, offset_at(&h->line, h->middle));
    h->is_likely = tb_offset_prior_allows(&f->prior, h->middle, offset_at(&h->line, h->middle));
    if (f->tried_count && h->score > f->tried[best].score) {
      second = f->tried[best].count;
      best = f->tried_count;
    } else if (f->tried_count && h->count > second) {
      second = h->count;
    }
    f->tried_count++;
  }
  return TB_OK;
}

/* All shifts are counted with the tolerance of the one that is least by chance. */
static struct hypothesis *best_by_score(struct finder *f) {
  struct hypothesis *best = &f->tried[0];
  for (size_t i = 1; i < f->tried_count; i++)
    if (f->tried[i].score > best->score) best = &f->tried[i];
  for (size_t i = 0; i < f->tried_count; i++) {
    struct hypothesis *h = &f->tried[i];
    if (h == best) continue;
    h->line.tolerance = best->line.tolerance;
    h->count = tb_row_pair(f->own, f->other, &h->line, 0, f->own.count, f->pairs);
  }
  return best;
}

/* The one with most pairs; only of those that the prior expects, where that is asked for. */
static const struct hypothesis *most_pairs(const struct finder *f, const struct hypothesis *otherwise, bool expected) {
  const struct hypothesis *most = otherwise;
  for (size_t i = 0; i < f->tried_count; i++)
    if ((f->tried[i].is_expected || !expected) && (!most || f->tried[i].count > most->count)) most = &f->tried[i];
  return most;
}

/* How far a shift is from what the prior says. */
static double apart_from_prior(const struct finder *f, const struct hypothesis *h) {
  return tb_offset_prior_apart(&f->prior, h->middle, offset_at(&h->line, h->middle));
}

/* The nearest to the prior of some shifts with at least so many pairs; NULL: there is none. */
static const struct hypothesis *nearest_to_prior(const struct finder *f, bool expected, double least) {
  const struct hypothesis *nearest = NULL;
  for (size_t i = 0; i < f->tried_count; i++) {
    const struct hypothesis *h = &f->tried[i];
    if (!(expected ? h->is_expected : h->is_likely) || (double)h->count < least) continue;
    if (!nearest || apart_from_prior(f, h) < apart_from_prior(f, nearest)) nearest = h;
  }
  return nearest;
}

/* How many events agree at least with a shift that may be as right as this one: fewer by what chance makes missing
 * there, and still beyond what chance makes agree. */
static double least_alike(const struct finder *f, const struct hypothesis *h) {
  static const double of_score = 0.6;
  const double most = (double)h->count, all = (double)shorter_row(f).count;
  double chance = tb_row_chance(longer_row(f), h->line.tolerance), enough = of_score * tb_row_score(most, all, chance);
  double least = fewer_by_chance(most);
  while (least < AS_WELL * most && tb_row_score(least, all, chance) < enough) least++;
  return least;
}

/* Whether it leaves no event of either row over: then no event is missing by chance. */
static bool is_complete(const struct finder *f, const struct hypothesis *h) { return h->count == longer_row(f).count; }

/* The nearest to the prior of those that it expects and that nearly as many events agree with as with the best of
 * these, where nearly as many agree with that one as with any. Where it expects none of them, it still says which of
 * several is likelier, but not against one that leaves no event over. */
static const struct hypothesis *choose(struct finder *f) {
  const struct hypothesis *best = most_pairs(f, best_by_score(f), false), *expected = most_pairs(f, NULL, true);
  if (expected && (double)expected->count >= least_alike(f, best)) {
    double most = (double)expected->count;
    return nearest_to_prior(f, true, is_complete(f, expected) ? AS_WELL * most : least_alike(f, expected));
  }
  const struct hypothesis *likely =
      nearest_to_prior(f, false, is_complete(f, best) ? (double)best->count : least_alike(f, best));
  return likely ? likely : best;
}

/* Shifts that pair other events than the chosen one does, and nearly as many. */
static void find_others(const struct finder *f, const struct hypothesis *chosen, struct tb_row_match *match) {
  double x = (double)f->own.times[match->pairs[0].own], most = (double)chosen->count;
  double least = least_alike(f, chosen);
  if (is_complete(f, chosen)) least = fmax(least, fmin(AS_WELL * most, most - 1));
  for (size_t i = 0; i < f->tried_count; i++) {
    const struct hypothesis *h = &f->tried[i];
    double apart = fabs(offset_at(&h->line, chosen->middle) - offset_at(&chosen->line, chosen->middle));
    if (h == chosen || apart <= 2 * chosen->line.tolerance) continue;
    if (chosen->is_expected && !h->is_expected) continue; /* the prior decides */
    if ((double)h->count < least) continue;
    match->is_ambiguous = true;
    match->others_apart_ns = fmax(match->others_apart_ns, apart);
    if (h->count <= match->second_count) continue;
    match->second_count = h->count;
    match->second_offset = tb_time_round(offset_at(&h->line, x));
  }
}

/* What few events say and the prior contradicts is as doubtful as the prior, unless they are all there are. */
static void ask_prior(const struct finder *f, const struct hypothesis *chosen, struct tb_row_match *match) {
  if (!f->prior.known || chosen->is_expected || chosen->count >= SHORT_ROW || is_complete(f, chosen)) return;
  double x = (double)f->own.times[match->pairs[0].own];
  match->is_contradicted = true;
  match->others_apart_ns = fmax(match->others_apart_ns, apart_from_prior(f, chosen) + (double)f->prior.uncertainty_ns);
  if (!match->is_ambiguous)
    match->second_offset = tb_time_round((double)f->prior.offset + f->prior.drift * (x - (double)f->prior.x0));
}

/* How unlikely it is that of `tried` events as many as `agreed` do by chance: the logarithm of a likelihood ratio.
 * tb_row_score is this for a small chance, and cheaper; here the chance may be near 1. */
static double score_of_share(double agreed, double tried, double chance) {
  double share = agreed / tried, others = 1 - share;
  if (agreed <= 0 || share <= chance) return 0;
  return tried * (share * log(share / chance) + (others > 0 ? others * log(others / (1 - chance)) : 0));
}

static bool is_beyond_doubt(double count, double fewer, double more) {
  return fewer < SHORT_ROW ? count >= HALF * fewer : count >= COMPLETE * fewer && more <= ALIKE * fewer;
}

/* Each event of the one row may be any of the other, so two pairs make many lines; of those whose drift may be, the
 * best one is near further events by chance, too. */
static bool is_by_chance(const struct finder *f, const struct hypothesis *h) {
  double fewer = (double)shorter_row(f).count, more = (double)longer_row(f).count, tolerance = 0;
  if (h->is_expected || is_beyond_doubt((double)h->count, fewer, more)) return false;
  for (size_t i = 0; i < f->own.count; i++)
    tolerance += tb_row_line_tolerance(&h->line, (double)f->own.times[i]) / (double)f->own.count;
  double lines = 2 * log(fewer * more) + log(f->drift_max), chance = tb_row_chance(longer_row(f), tolerance);
  return score_of_share((double)h->count - 2, fewer - 2, chance) < lines + BEYOND_CHANCE;
}

/* Of the events between two pairs keeps those that come in twos that are near each other; how many. */
static size_t keep_disagreeing(const struct finder *f, const struct tb_row_line *line, struct tb_event_pair first,
                               size_t both, struct tb_row_match *match) {
  size_t before = match->disagreeing;
  for (uint32_t i = 0; i < both; i++) {
    struct tb_event_pair pair = {first.own + i, first.other + i};
    double off = (double)f->other.times[pair.other] - tb_row_line_at(line, (double)f->own.times[pair.own]);
    if (fabs(off) <= line->most) match->apart[match->disagreeing++] = pair;
  }
  return match->disagreeing - before;
}

static void count_alone(const struct finder *f, const struct tb_row_line *line, struct tb_row_match *match) {
  size_t own = 0, other = 0;
  for (size_t i = 0; i <= match->count; i++) {
    bool end = i == match->count;
    size_t own_gap = (end ? f->own.count : match->pairs[i].own) - own;
    size_t other_gap = (end ? f->other.count : match->pairs[i].other) - other;
    size_t both = keep_disagreeing(f, line, (struct tb_event_pair){(uint32_t)own, (uint32_t)other},
                                   own_gap < other_gap ? own_gap : other_gap, match);
    match->own_alone += own_gap - both;
    match->other_alone += other_gap - both;
    if (end) break;
    own = match->pairs[i].own + 1;
    other = match->pairs[i].other + 1;
  }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static enum tb_status find(struct finder *f, struct tb_row_match *match) {
  enum tb_status status = tb_row_votes_cast(f->allocator, f->own, f->other, &f->prior, &f->votes);
  bool is_incomplete = false;
  if (status == TB_OK) status = try_shifts(f, &is_incomplete);
  if (status != TB_OK) return status;
  const struct hypothesis *chosen = choose(f);
  match->count = tb_row_pair(f->own, f->other, &chosen->line, 0, f->own.count, f->pairs);
  if (!match->count) f->pairs[match->count++] = (struct tb_event_pair){f->votes.items[0].own, f->votes.items[0].other};
  match->pairs = f->pairs;
  find_others(f, chosen, match);
  ask_prior(f, chosen, match);
  match->is_incomplete = is_incomplete && !chosen->is_expected;
  match->is_by_chance = is_by_chance(f, chosen);
  count_alone(f, &chosen->line, match);
  return TB_OK;
}

/* Times of a row less one in its middle. */
static int64_t *relative(const struct tb_allocator *a, struct tb_event_row row) {
  int64_t *times = tb_alloc(a, row.count * sizeof(*times));
  for (size_t i = 0; times && i < row.count; i++) times[i] = tb_time_subtract(row.times[i], row.times[row.count / 2]);
  return times;
}

enum tb_status tb_row_match_find(const struct tb_allocator *a, struct tb_event_row own, struct tb_event_row other,
                                 const struct tb_offset_prior *prior, double drift_max, struct tb_row_match *match) {
  int64_t *own_times = relative(a, own), *other_times = relative(a, other);
  int64_t ahead = tb_time_subtract(other.times[other.count / 2], own.times[own.count / 2]);
  *match = (struct tb_row_match){.apart = tb_alloc(a, own.count * sizeof(*match->apart)), .capacity = own.count};
  struct finder f = {.allocator = a,
                     .own = {own_times, own.count},
                     .other = {other_times, other.count},
                     .prior = *prior,
                     .drift_max = drift_max,
                     .pairs = tb_alloc(a, own.count * sizeof(*f.pairs)),
                     .anchors = tb_alloc(a, own.count * sizeof(*f.anchors))};
  f.prior.x0 = tb_time_subtract(prior->x0, own.times[own.count / 2]);
  f.prior.offset = tb_time_subtract(prior->offset, ahead);
  enum tb_status status =
      own_times && other_times && match->apart && f.pairs && f.anchors ? find(&f, match) : TB_NO_MEMORY;
  if (!match->pairs) tb_free(a, f.pairs, own.count * sizeof(*f.pairs));
  match->second_offset = tb_time_add(match->second_offset, ahead);
  tb_row_votes_free(&f.votes, a);
  tb_free(a, f.tried, TRIED_MOST * sizeof(*f.tried));
  tb_free(a, f.anchors, own.count * sizeof(*f.anchors));
  tb_free(a, own_times, own.count * sizeof(*own_times));
  tb_free(a, other_times, other.count * sizeof(*other_times));
  return status;
}

void tb_row_match_free(struct tb_row_match *match, const struct tb_allocator *a) {
  tb_free(a, match->pairs, match->capacity * sizeof(*match->pairs));
  tb_free(a, match->apart, match->capacity * sizeof(*match->apart));
  *match = (struct tb_row_match){0};
}
