/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/reading_fit.h"

#include <math.h>
#include <stdlib.h>

#include "merge/clocks/line_error.h"

/* What is tried of many readings: lines through pairs of this many of them. */
enum { SAMPLE_MAX = 96, SEGMENTS_MAX = 64, SCATTERS = 5, ROUNDS = 3, SEGMENT_READINGS = 3, END_READINGS = 2 };

/* Distances that a reading may have from the line, from what a snapshot usually has to what a busy machine gives. */
static const double SCATTER_NS[SCATTERS] = {5e3, 2e4, 1e5, 5e5, 2e6};
/* No computer's clock runs faster or slower than that against another one's. */
static const double RATE_MAX = 200e-6;
/* The share of a segment's time that must be its own; the share of readings that segments must explain; and of those
 * the share that may be near misses: readings that are off for another reason are far off. */
static const double OWN_SHARE = 0.6, EXPLAINED_SHARE = 0.5, NEAR_MISS_SHARE = 0.1, NEAR_MISS = 4;
/* Of so few readings some are on a line by chance: there steps, and others that are off, must be further away. */
enum { FEW_READINGS = 30 };
static const double STEP_OF_FEW = 20, NEAR_MISS_OF_FEW = 60, LEAST_SCATTER_NS = 1000, CHANCE = 1e-5;
enum { NO_SEGMENT = -1 };
/* No reader is kept from its second read for longer: what a reading alone is further off by is a step or a sleep. */
static const double LATE_MAX_NS = 20e6;

/* Readings relative to the middle one, so that doubles hold them exactly enough. */
struct readings {
  double *x, *d; /* d: y - x */
  int *segment;  /* which one explains it */
  size_t count;
};

static int compare_x(const void *a, const void *b) {
  const struct tb_time_anchor *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return p->y < q->y ? -1 : p->y > q->y;
}

/* ---- the line that most readings are near to --------------------------------------------------------------------- */

struct line {
  double slope, level, score;
};

/* The nearer a reading, the more it counts; beyond `scatter` it does not. */
static double score_line(const struct readings *r, size_t step, double slope, double level, double scatter) {
  double score = 0, limit = scatter * scatter;
  for (size_t i = 0; i < r->count; i += step) {
    double off = r->d[i] - level - slope * r->x[i];
    if (off * off < limit) score += 1 - off * off / limit;
  }
  return score;
}

static void try_line(const struct readings *r, size_t step, size_t i, size_t k, double scatter, struct line *best) {
  double dx = r->x[k] - r->x[i], slope = dx > 0 ? (r->d[k] - r->d[i]) / dx : 0;
  /* readings that are close together say what the scatter makes them say */
  if (fabs(r->d[k] - r->d[i]) > RATE_MAX * dx + scatter) return;
  if (fabs(slope) > RATE_MAX) slope = 0;
  double level = r->d[i] - slope * r->x[i], score = score_line(r, step, slope, level, scatter);
  if (score > best->score) *best = (struct line){slope, level, score};
}

static struct line find_line(const struct readings *r, enum tb_reading_kind kind, double scatter) {
  size_t step = (r->count + SAMPLE_MAX - 1) / SAMPLE_MAX;
  struct line best = {0, r->d[r->count / 2], 0};
  for (size_t i = 0; i < r->count; i += step) {
    if (kind == TB_READING_SAME_RATE) {
      double score = score_line(r, step, 0, r->d[i], scatter);
      if (score > best.score) best = (struct line){0, r->d[i], score};
      continue;
    }
    for (size_t k = i + step; k < r->count; k += step) try_line(r, step, i, k, scatter, &best);
  }
  return best;
}

/* Of the readings that no segment explains yet: the level that most of them are near to, and how many. */
static size_t find_level(const struct readings *r, double slope, double scatter, double *level) {
  size_t most = 0, step = (r->count + SAMPLE_MAX - 1) / SAMPLE_MAX;
  for (size_t i = 0; i < r->count; i += step) {
    if (r->segment[i] != NO_SEGMENT) continue;
    double tried = r->d[i] - slope * r->x[i];
    size_t near = 0;
    for (size_t k = 0; k < r->count; k++)
      near += r->segment[k] == NO_SEGMENT && fabs(r->d[k] - slope * r->x[k] - tried) <= scatter;
    if (near > most) most = near, *level = tried;
  }
  return most;
}

/* Of a segment's readings: sums, and of squares and products of distances from the middle. */
struct segment_sums {
  double n, x, d, xx, xd;
};

static double level_of(const struct segment_sums *s, double slope) {
  return s->n > 0 ? s->d / s->n - slope * s->x / s->n : 0;
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */

/* Gives the readings near a level that no segment explains to segment `number`. */
static void assign(struct readings *r, double slope, double level, double scatter, int number) {
  for (size_t i = 0; i < r->count; i++)
    if (r->segment[i] == NO_SEGMENT && fabs(r->d[i] - level - slope * r->x[i]) <= scatter) r->segment[i] = number;
}

static void release(struct readings *r, size_t from, size_t to, int number) {
  for (size_t i = from; i < to; i++)
    if (r->segment[i] == number) r->segment[i] = NO_SEGMENT;
}

/* What is known of a level whose readings may be a segment: how many they are, from which reading to which; the levels
 * of the nearest readings around them that have a segment. */
struct stretch {
  size_t own, first, last;
  bool has_before, has_behind;
  double level, before, behind;
};

static double level_at(const struct readings *r, size_t i, double slope) { return r->d[i] - slope * r->x[i]; }

static struct stretch stretch_of(const struct readings *r, double slope, double level, int number) {
  struct stretch s = {.first = r->count, .level = level};
  for (size_t i = 0; i < r->count; i++) {
    if (r->segment[i] != number) continue;
    if (!s.own++) s.first = i;
    s.last = i;
  }
  for (size_t i = 0; i < s.first; i++)
    if (r->segment[i] != NO_SEGMENT) s.has_before = true, s.before = level_at(r, i, slope);
  for (size_t i = r->count; i-- > s.last + 1;)
    if (r->segment[i] != NO_SEGMENT) s.has_behind = true, s.behind = level_at(r, i, slope);
  return s;
}

/* Whether readings between two levels are too far from both to be late ones that agree by chance: where these differ, a
 * clock was set there anyway. */
static bool is_between_steps(const struct stretch *s, double scatter) {
  if (!s->has_before || !s->has_behind) return false;
  double least = fabs(s->before - s->behind) > LATE_MAX_NS ? STEP_OF_FEW * scatter : LATE_MAX_NS;
  return fabs(s->level - s->before) > least && fabs(s->level - s->behind) > least;
}

/* A later level is a segment where most readings of its time are near to it. Else its readings are off by chance. */
static bool owns_its_time(const struct readings *r, const struct stretch *s, double scatter) {
  bool at_end = s->first == 0 || s->last + 1 == r->count;
  size_t least = at_end || is_between_steps(s, scatter) ? END_READINGS : SEGMENT_READINGS;
  double share = s->own < SEGMENT_READINGS ? 1 : OWN_SHARE;
  return s->own >= least && (double)s->own >= share * (double)(s->last - s->first + 1);
}

/* A segment inside the time of another one, as of a clock that was set and set back, parts that one: its readings
 * behind get a number of their own. */
static void part_at(struct readings *r, int number, int *count) {
  size_t last = 0;
  for (size_t i = 0; i < r->count; i++)
    if (r->segment[i] == number) last = i;
  for (int other = 0; other < number; other++) {
    bool before = false, behind = false;
    for (size_t i = 0; i < r->count; i++) {
      if (r->segment[i] != other) continue;
      before |= i < last;
      behind |= i > last;
    }
    if (!before || !behind || *count == SEGMENTS_MAX) continue;
    for (size_t i = last; i < r->count; i++)
      if (r->segment[i] == other) r->segment[i] = *count;
    ++*count;
  }
}

static size_t explained(const struct readings *r) {
  size_t n = 0;
  for (size_t i = 0; i < r->count; i++) n += r->segment[i] != NO_SEGMENT;
  return n;
}

/* The segment of the first reading that has one; NULL: none has. */
static const struct segment_sums *first_segment(const struct readings *r, const struct segment_sums *sums) {
  for (size_t i = 0; i < r->count; i++)
    if (r->segment[i] != NO_SEGMENT) return &sums[r->segment[i]];
  return NULL;
}

/* How the used readings scatter. */
struct scatter {
  double squares, most;
};

static struct scatter measure(const struct readings *r, const struct segment_sums *sums, double slope) {
  struct scatter s = {0, 0};
  for (size_t i = 0; i < r->count; i++) {
    if (r->segment[i] == NO_SEGMENT) continue;
    double off = fabs(r->d[i] - level_of(&sums[r->segment[i]], slope) - slope * r->x[i]);
    s.squares += off * off;
    s.most = fmax(s.most, off);
  }
  return s;
}

/* Readings that no segment explains though they are not far from one. */
struct near_misses {
  size_t count;
  double nearest;
};

/* Of few readings some are on a line by chance. How likely that is of these where all scatter by as much as the nearest
 * miss does: two readings make the line, and each segment takes one to begin with. */
static bool is_by_chance(const struct readings *r, size_t own, size_t segments, const struct near_misses *misses,
                         double most) {
  if (!misses->count) return false;
  double near = fmax(2 * most, LEAST_SCATTER_NS), chance = 1;
  for (size_t i = 0; i < misses->count; i++) chance *= (double)(r->count - i) / (double)(i + 1);
  for (size_t i = segments + 1; i < own; i++) chance *= near / misses->nearest;
  return chance > CHANCE;
}

/* Whether the segments leave the readings' scatter inside, or cut through it: then readings are near to a segment that
 * is not theirs, and a step is no larger than what readings of one line are apart by. */
static bool is_explained(const struct readings *r, double slope, const struct segment_sums *sums, double scatter) {
  size_t own = 0, segments = 1;
  struct near_misses misses = {0, INFINITY};
  const struct segment_sums *last = first_segment(r, sums);
  const bool few = r->count < FEW_READINGS;
  const double step = (few ? STEP_OF_FEW : NEAR_MISS) * scatter, miss = (few ? NEAR_MISS_OF_FEW : NEAR_MISS) * scatter;
  for (size_t i = 0; i < r->count; i++) {
    const struct segment_sums *s = r->segment[i] == NO_SEGMENT ? NULL : &sums[r->segment[i]];
    if (s && last && s != last && fabs(level_of(s, slope) - level_of(last, slope)) < step) return false;
    if (s) {
      segments += s != last;
      last = s;
      own++;
    } else if (last) {
      double off = fabs(r->d[i] - level_of(last, slope) - slope * r->x[i]);
      misses.count += off < miss;
      misses.nearest = fmin(misses.nearest, off);
    }
  }
  if ((double)own < EXPLAINED_SHARE * (double)r->count) return false;
  if (few) return !is_by_chance(r, own, segments, &misses, measure(r, sums, slope).most);
  return (double)misses.count <= NEAR_MISS_SHARE * (double)own + 1;
}

/* Whether a reading alone is behind a step or a sleep: `before` and `behind` are the levels next to it, NULL where
 * there is none. A sleep takes y back for good. A clock that was set was not set back: the reading is at an end, or
 * between two steps, so that the levels around it differ. */
static bool is_segment_alone(enum tb_reading_kind kind, const double *own, const double *before, const double *behind) {
  if (kind == TB_READING_SAME_RATE)
    return (!before || *before - *own > LATE_MAX_NS) && (!behind || *own - *behind > LATE_MAX_NS);
  if (before && behind && fabs(*before - *behind) <= LATE_MAX_NS) return false;
  return (before || behind) && (!before || fabs(*own - *before) > LATE_MAX_NS) &&
         (!behind || fabs(*own - *behind) > LATE_MAX_NS);
}

/* Which reading is number `n` from the first one, or back from the last one. */
static size_t nth_reading(const struct readings *r, size_t n, bool back) { return back ? r->count - 1 - n : n; }

/* From the first reading to the last, or back: neighbours of a reading are those with a segment. */
static void take_alone(struct readings *r, enum tb_reading_kind kind, double slope, bool back, int *count) {
  size_t next = 0; /* how many of the readings on the way are before the next one with a segment */
  double near = 0, far = 0;
  bool has_near = false;
  for (size_t n = 0; n < r->count && *count < SEGMENTS_MAX; n++) {
    size_t i = nth_reading(r, n, back);
    double own = level_at(r, i, slope);
    while (next < r->count && (next <= n || r->segment[nth_reading(r, next, back)] == NO_SEGMENT)) next++;
    bool has_far = next < r->count;
    if (has_far) far = level_at(r, nth_reading(r, next, back), slope);
    const double *passed = has_near ? &near : NULL, *ahead = has_far ? &far : NULL;
    if (r->segment[i] == NO_SEGMENT && is_segment_alone(kind, &own, back ? ahead : passed, back ? passed : ahead))
      r->segment[i] = (*count)++;
    if (r->segment[i] == NO_SEGMENT) continue;
    near = own;
    has_near = true;
  }
}

/* Parts the readings into segments; the number of those. */
static int find_segments(struct readings *r, enum tb_reading_kind kind, double scatter, double *slope) {
  struct line line = find_line(r, kind, scatter);
  for (size_t i = 0; i < r->count; i++) r->segment[i] = NO_SEGMENT;
  *slope = line.slope;
  assign(r, line.slope, line.level, scatter, 0);
  int count = 1;
  while (count < SEGMENTS_MAX) {
    double level = 0;
    if (find_level(r, *slope, scatter, &level) < END_READINGS) break;
    assign(r, *slope, level, scatter, count);
    const struct stretch found = stretch_of(r, *slope, level, count);
    if (!owns_its_time(r, &found, scatter)) {
      release(r, 0, r->count, count);
      break;
    }
    int number = count++;
    part_at(r, number, &count);
  }
  take_alone(r, kind, *slope, false, &count);
  take_alone(r, kind, *slope, true, &count);
  return count;
}

/* ---- least squares over all segments ----------------------------------------------------------------------------- */

static void sum_up(const struct readings *r, struct segment_sums *sums) {
  memset(sums, 0, SEGMENTS_MAX * sizeof(*sums));
  for (size_t i = 0; i < r->count; i++) {
    if (r->segment[i] == NO_SEGMENT) continue;
    struct segment_sums *s = &sums[r->segment[i]];
    s->n++;
    s->x += r->x[i];
    s->d += r->d[i];
  }
  for (size_t i = 0; i < r->count; i++) {
    if (r->segment[i] == NO_SEGMENT) continue;
    struct segment_sums *s = &sums[r->segment[i]];
    double dx = r->x[i] - s->x / s->n, dd = r->d[i] - s->d / s->n;
    s->xx += dx * dx;
    s->xd += dx * dd;
  }
}

/* One slope for all segments, a level for each. */
static double fit_slope(const struct segment_sums *sums, int count, double *spread) {
  double xx = 0, xd = 0;
  for (int i = 0; i < count; i++) xx += sums[i].xx, xd += sums[i].xd;
  *spread = xx;
  return xx > 0 ? xd / xx : 0;
}

/* Takes readings in and out by the line that was found. */
static void refine(struct readings *r, enum tb_reading_kind kind, double scatter, int count, struct segment_sums *sums,
                   double *slope) {
  double spread;
  for (int round = 0; round < ROUNDS; round++) {
    sum_up(r, sums);
    *slope = kind == TB_READING_SAME_RATE ? 0 : fit_slope(sums, count, &spread);
    for (size_t i = 0; i < r->count; i++) {
      if (r->segment[i] == NO_SEGMENT) continue;
      double off = r->d[i] - level_of(&sums[r->segment[i]], *slope) - *slope * r->x[i];
      if (fabs(off) > scatter && sums[r->segment[i]].n > 1) r->segment[i] = NO_SEGMENT;
    }
  }
  sum_up(r, sums);
  *slope = kind == TB_READING_SAME_RATE ? 0 : fit_slope(sums, count, &spread);
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

static int compare_segment(const void *a, const void *b) {
  const struct tb_reading_segment *p = a, *q = b;
  return p->first < q->first ? -1 : p->first > q->first;
}

static void add_segments(struct tb_reading_fit *fit, const struct readings *r, const struct tb_time_anchor *pairs,
                         const struct segment_sums *sums, int count, int64_t d0) {
  for (int number = 0; number < count; number++) {
    if (sums[number].n == 0) continue;
    struct tb_reading_segment *s = &fit->segments[fit->segment_count++];
    *s = (struct tb_reading_segment){.first = INT64_MAX, .last = INT64_MIN};
    for (size_t i = 0; i < r->count; i++) {
      if (r->segment[i] != number) continue;
      s->count++;
      if (pairs[i].x < s->first) s->first = pairs[i].x;
      if (pairs[i].x > s->last) s->last = pairs[i].x;
    }
    s->offset = tb_time_add(d0, tb_time_round(level_of(&sums[number], fit->drift)));
  }
  qsort(fit->segments, fit->segment_count, sizeof(*fit->segments), compare_segment);
  for (size_t i = 1; i < fit->segment_count; i++) {
    const struct tb_reading_segment *s = &fit->segments[i], *main = &fit->segments[fit->main];
    tb_wide own = (tb_wide)s->last - s->first, longest = (tb_wide)main->last - main->first;
    if (own > longest || (own == longest && s->count > main->count)) fit->main = i;
  }
}

static int64_t distance(int64_t a, int64_t b) { return a > b ? tb_time_subtract(a, b) : tb_time_subtract(b, a); }

/* The segment of the reading, or the latest one that began before it. */
static const struct tb_reading_segment *segment_near(const struct tb_reading_fit *fit, int64_t x) {
  const struct tb_reading_segment *near = &fit->segments[0];
  for (size_t s = 1; s < fit->segment_count && fit->segments[s].first <= x; s++) near = &fit->segments[s];
  return near;
}

static enum tb_status keep_residuals(struct tb_reading_fit *fit, const struct readings *r,
                                     const struct tb_time_anchor *pairs) {
  for (size_t i = 0; i < r->count; i++) {
    struct tb_residual residual = {.time = pairs[i].x, .is_outlier = r->segment[i] == NO_SEGMENT};
    double line = fit->drift * (double)((tb_wide)pairs[i].x - fit->x0);
    int64_t level = tb_time_add(segment_near(fit, pairs[i].x)->offset, tb_time_round(line));
    residual.off_ns = tb_time_subtract(tb_time_subtract(pairs[i].y, pairs[i].x), level);
    fit->used += !residual.is_outlier;
    fit->thrown_out += residual.is_outlier;
    enum tb_status status = tb_residuals_add(&fit->residuals, fit->allocator, &residual);
    if (status != TB_OK) return status;
    int64_t off = distance(residual.off_ns, 0);
    if (!residual.is_outlier || off < fit->farthest_ns) continue;
    fit->farthest_ns = off;
    fit->farthest_at = pairs[i].x;
  }
  return TB_OK;
}

/* How far a reading is from the main segment's line. */
static double off_line(const struct tb_reading_fit *fit, const struct tb_time_anchor *pair) {
  double line = fit->drift * (double)((tb_wide)pair->x - fit->x0);
  return (double)((tb_wide)pair->y - pair->x - fit->segments[fit->main].offset) - line;
}

/* On another machine's clock, which may run faster, a time is longer. */
static int64_t on_any_clock(int64_t ns) { return tb_time_add(ns, tb_time_round((double)ns * RATE_MAX)); }

/* Of clocks that drift either side of a step may be right. */
static int64_t stepped_by(const struct tb_reading_fit *fit) {
  int64_t most = 0;
  for (size_t i = 0; i < fit->segment_count; i++) {
    int64_t by = distance(fit->segments[i].offset, fit->segments[fit->main].offset);
    if (by > most) most = by;
  }
  return on_any_clock(most);
}

/* Any two readings are a line. Where the main segment has no more and others were thrown out, or one of three is not
 * near to the line, those may be the right ones: how far any line through two readings is from the one that was taken,
 * and how much faster it runs. */
static void doubt_line(const struct tb_reading_fit *fit, const struct tb_time_anchor *pairs, size_t count,
                       struct tb_line_error *error) {
  size_t step = (count + SAMPLE_MAX - 1) / SAMPLE_MAX;
  const double from = (double)((tb_wide)pairs[0].x - fit->x0), to = (double)((tb_wide)pairs[count - 1].x - fit->x0);
  double most = 0;
  for (size_t i = 0; i < count; i += step) {
    for (size_t k = i + step; k < count; k += step) {
      double x = (double)((tb_wide)pairs[i].x - fit->x0), dx = (double)((tb_wide)pairs[k].x - pairs[i].x);
      double off = off_line(fit, &pairs[i]), rate = dx > 0 ? (off_line(fit, &pairs[k]) - off) / dx : 0;
      if (fabs(fit->drift + rate) > RATE_MAX) continue;
      most = fmax(most, fmax(fabs(off + rate * (from - x)), fabs(off + rate * (to - x))));
      error->more_rate = fmax(error->more_rate, fabs(rate));
    }
  }
  error->more_ns = tb_time_add(error->more_ns, tb_time_round(ceil(most)));
}

static enum tb_status set_bound(struct tb_reading_fit *fit, const struct readings *r, const struct segment_sums *sums,
                                int count, struct scatter scatter, enum tb_reading_kind kind,
                                const struct tb_time_anchor *pairs) {
  double spread, n = (double)fit->used, x = 0;
  (void)fit_slope(sums, count, &spread);
  for (size_t i = 0; i < r->count; i++)
    if (r->segment[i] != NO_SEGMENT) x += r->x[i] / n;
  fit->error = tb_line_error(n, scatter.squares, scatter.most, spread);
  fit->error.middle = tb_time_add(fit->x0, tb_time_round(x));
  fit->first = pairs[0].x;
  fit->last = pairs[r->count - 1].x;
  tb_line_error_doubt(&fit->error, fit->segments[fit->main].first, fit->segments[fit->main].last);
  if (kind == TB_READING_SAME_RATE) {
    fit->error = tb_level_error(&fit->error);
    return tb_reading_fit_bound_way(fit, &fit->bound);
  }
  bool outvoted = (fit->thrown_out && fit->segments[fit->main].count <= 2) ||
                  (fit->segment_count > 1 && fit->segments[fit->main].count <= 3);
  if (outvoted || (r->count == 3 && scatter.most > SCATTER_NS[0])) doubt_line(fit, pairs, r->count, &fit->error);
  struct tb_line_error error = fit->error;
  error.more_ns = tb_time_add(error.more_ns, stepped_by(fit));
  return tb_line_error_bound(&error, fit->first, fit->last, fit->allocator, &fit->bound);
}

/* A drift that is within its own error, where offsets agree within what two reads cost, is none: durations stay
 * exact. */
enum { AGREEING_NS = 2000 };

static bool is_level(const struct readings *r, const struct segment_sums *sums, int count, double slope) {
  double spread, least = INFINITY, most = -INFINITY;
  (void)fit_slope(sums, count, &spread);
  for (size_t i = 0; i < r->count; i++) {
    if (r->segment[i] == NO_SEGMENT) continue;
    double off = r->d[i] - level_of(&sums[r->segment[i]], 0);
    least = fmin(least, off);
    most = fmax(most, off);
  }
  struct scatter s = measure(r, sums, slope);
  double n = 0;
  for (int i = 0; i < count; i++) n += sums[i].n;
  struct tb_line_error error = tb_line_error(n, s.squares, s.most, spread);
  return most - least <= AGREEING_NS && fabs(slope) <= error.slope_error / 2;
}

static enum tb_status fit_readings(struct tb_reading_fit *fit, struct readings *r, const struct tb_time_anchor *pairs,
                                   enum tb_reading_kind kind, int64_t d0) {
  struct segment_sums *sums = tb_alloc(fit->allocator, SEGMENTS_MAX * sizeof(*sums));
  if (!sums) return TB_NO_MEMORY;
  int count = 0;
  double slope = 0;
  for (int i = 0; i < SCATTERS; i++) {
    count = find_segments(r, kind, SCATTER_NS[i], &slope);
    refine(r, kind, SCATTER_NS[i], count, sums, &slope);
    if (is_explained(r, slope, sums, SCATTER_NS[i])) break;
  }
  double spread;
  (void)fit_slope(sums, count, &spread);
  struct scatter scatter = measure(r, sums, slope);
  struct tb_line_error error = tb_line_error((double)explained(r), scatter.squares, scatter.most, spread);
  if (kind == TB_READING_DRIFTS) slope = is_level(r, sums, count, slope) ? 0 : slope * error.slope_trust;
  scatter = measure(r, sums, slope);
  fit->drift = slope;
  fit->scatter_ns = tb_time_round(ceil(scatter.most));
  add_segments(fit, r, pairs, sums, count, d0);
  enum tb_status status = keep_residuals(fit, r, pairs);
  if (status == TB_OK) status = set_bound(fit, r, sums, count, scatter, kind, pairs);
  tb_free(fit->allocator, sums, SEGMENTS_MAX * sizeof(*sums));
  return status;
}

enum tb_status tb_reading_fit_make(struct tb_reading_fit *fit, const struct tb_allocator *a,
                                   struct tb_time_anchor *pairs, size_t count, enum tb_reading_kind kind) {
  *fit = (struct tb_reading_fit){.allocator = a, .kind = kind};
  if (count == 0) return TB_INVALID;
  qsort(pairs, count, sizeof(*pairs), compare_x);
  struct readings r = {tb_alloc(a, count * sizeof(double)), tb_alloc(a, count * sizeof(double)),
                       tb_alloc(a, count * sizeof(int)), count};
  fit->segment_capacity = SEGMENTS_MAX;
  fit->segments = tb_alloc(a, SEGMENTS_MAX * sizeof(*fit->segments));
  enum tb_status status = TB_NO_MEMORY;
  if (r.x && r.d && r.segment && fit->segments) {
    const struct tb_time_anchor *middle = &pairs[count / 2];
    tb_wide d0 = (tb_wide)middle->y - middle->x;
    fit->x0 = middle->x;
    for (size_t i = 0; i < count; i++) {
      r.x[i] = (double)((tb_wide)pairs[i].x - middle->x);
      r.d[i] = (double)((tb_wide)pairs[i].y - pairs[i].x - d0);
    }
    status = fit_readings(fit, &r, pairs, kind, tb_time_clamp(d0));
  }
  tb_free(a, r.x, count * sizeof(double));
  tb_free(a, r.d, count * sizeof(double));
  tb_free(a, r.segment, count * sizeof(int));
  return status;
}

void tb_reading_fit_free(struct tb_reading_fit *fit) {
  if (!fit->allocator) return;
  tb_free(fit->allocator, fit->segments, fit->segment_capacity * sizeof(*fit->segments));
  tb_time_bound_free(&fit->bound, fit->allocator);
  tb_residuals_free(&fit->residuals, fit->allocator);
  fit->segments = NULL;
}

/* ---- by segments ------------------------------------------------------------------------------------------------- */

static int64_t line_at(const struct tb_reading_fit *fit, size_t segment, int64_t x) {
  int64_t drifted = tb_time_round(fit->drift * (double)((tb_wide)x - fit->x0));
  return tb_time_add(tb_time_add(x, fit->segments[segment].offset), drifted);
}

/* From which time on a segment's line holds. Of readings of y between the last one before a step forwards and the first
 * one behind it, those that y had not reached by then on the old line are from behind the step. */
static struct tb_time_anchor start_of(const struct tb_reading_fit *fit, size_t segment, bool reversed) {
  int64_t x = fit->segments[segment].first, step = tb_reading_fit_step(fit, segment);
  if (reversed && step > 0) x = tb_time_subtract(x, tb_time_round((double)step / (1 + fit->drift)));
  return (struct tb_time_anchor){x, line_at(fit, segment, x)};
}

enum tb_status tb_reading_fit_add_way(const struct tb_reading_fit *fit, struct tb_time_map *map, bool reversed) {
  const struct tb_reading_segment *main = &fit->segments[fit->main];
  if (fit->segment_count == 1) return tb_time_map_add_line(map, fit->x0, main->offset, fit->drift, reversed);
  struct tb_time_anchor *anchors = tb_alloc(fit->allocator, fit->segment_count * sizeof(*anchors));
  if (!anchors) return TB_NO_MEMORY;
  for (size_t i = 0; i < fit->segment_count; i++) anchors[i] = start_of(fit, i, reversed);
  enum tb_status status = tb_time_map_add_steps(map, anchors, fit->segment_count, fit->drift, reversed);
  tb_free(fit->allocator, anchors, fit->segment_count * sizeof(*anchors));
  return status;
}

/* From when to when it is unknown whether a time of y is from before a step or from behind it: between the readings
 * around it, and where the clock was set back, so that it read times twice, that much before and behind. A clock that
 * has x's rate was not set back: it stopped while x went on. */
struct doubt {
  int64_t from, to, size;
};

static struct doubt doubt_at(const struct tb_reading_fit *fit, size_t segment) {
  struct doubt d = {fit->segments[segment - 1].last, fit->segments[segment].first, 0};
  int64_t step = tb_reading_fit_step(fit, segment);
  d.size = on_any_clock(distance(step, 0));
  if (step >= 0 || fit->kind == TB_READING_SAME_RATE) return d;
  d.from = tb_time_subtract(d.from, d.size);
  d.to = tb_time_add(d.to, d.size);
  return d;
}

static int64_t doubt_in_all(const struct tb_reading_fit *fit, int64_t time) {
  int64_t most = 0;
  for (size_t i = 1; i < fit->segment_count; i++) {
    struct doubt d = doubt_at(fit, i);
    if (time >= d.from && time <= d.to && d.size > most) most = d.size;
  }
  return most;
}

/* The line's bound, which has few points, with those of all doubts. */
static enum tb_status add_doubts(const struct tb_reading_fit *fit, const struct tb_time_bound *line,
                                 struct tb_time_bound *bound) {
  size_t count = 0, most = line->count + 4 * (fit->segment_count - 1);
  struct tb_time_bound_point *points = tb_alloc(fit->allocator, most * sizeof(*points));
  if (!points) return TB_NO_MEMORY;
  for (size_t i = 0; i < line->count; i++) points[count++].time = line->points[i].time;
  for (size_t i = 1; i < fit->segment_count; i++) {
    struct doubt d = doubt_at(fit, i);
    points[count++].time = tb_time_subtract(d.from, 1);
    points[count++].time = d.from;
    points[count++].time = d.to;
    points[count++].time = tb_time_add(d.to, 1);
  }
  tb_time_bound_sort(points, count);
  for (size_t i = 0; i < count; i++)
    points[i].bound_ns = tb_time_add(tb_time_bound_at(line, points[i].time), doubt_in_all(fit, points[i].time));
  enum tb_status status = tb_time_bound_create(bound, fit->allocator, points, count, line->growth);
  tb_free(fit->allocator, points, most * sizeof(*points));
  return status;
}

enum tb_status tb_reading_fit_bound_way(const struct tb_reading_fit *fit, struct tb_time_bound *bound) {
  struct tb_time_bound line;
  enum tb_status status = tb_line_error_bound(&fit->error, fit->first, fit->last, fit->allocator, &line);
  if (status != TB_OK) return status;
  status = add_doubts(fit, &line, bound);
  tb_time_bound_free(&line, fit->allocator);
  return status;
}

int64_t tb_reading_fit_step(const struct tb_reading_fit *fit, size_t segment) {
  if (segment == 0) return 0;
  return tb_time_subtract(fit->segments[segment].offset, fit->segments[segment - 1].offset);
}
