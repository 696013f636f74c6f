/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/reading_segments.h"

#include <math.h>

enum { TOLERANCES = 5, ROUNDS = 3, SEGMENT_READINGS = 3, END_READINGS = 2 };

/* Distances that a reading may have from the line, from what a snapshot usually has to what a busy machine gives. */
static const double TOLERANCE_NS[TOLERANCES] = {TB_READINGS_USUAL_NS, 2e4, 1e5, 5e5, 2e6};
/* The share of a segment's time that must be its own; the share of readings that segments must explain; and of those
 * the share that may be near misses: readings that are off for another reason are far off. */
static const double OWN_SHARE = 0.6, EXPLAINED_SHARE = 0.5, NEAR_MISS_SHARE = 0.1, NEAR_MISS = 4;
/* Of so few readings some are on a line by chance: there steps, and others that are off, must be further away. */
enum { FEW_READINGS = 30 };
static const double STEP_OF_FEW = 20, NEAR_MISS_OF_FEW = 60, LEAST_RESIDUAL_NS = 1000, CHANCE = 1e-5;

/* ---- the line that most readings are near to --------------------------------------------------------------------- */

struct line {
  double slope, level, score;
};

/* The nearer a reading, the more it counts; beyond `tolerance` it does not. */
static double score_line(const struct tb_readings *r, size_t step, double slope, double level, double tolerance) {
  double score = 0, limit = tolerance * tolerance;
  for (size_t i = 0; i < r->count; i += step) {
    double off = r->d[i] - level - slope * r->x[i];
    if (off * off < limit) score += 1 - off * off / limit;
  }
  return score;
}

static void try_line(const struct tb_readings *r, size_t step, size_t i, size_t k, double tolerance,
                     struct line *best) {
  double dx = r->x[k] - r->x[i], slope = dx > 0 ? (r->d[k] - r->d[i]) / dx : 0;
  /* readings that are close together say what their noise makes them say */
  if (fabs(r->d[k] - r->d[i]) > TB_READINGS_RATE_MAX * dx + tolerance) return;
  if (fabs(slope) > TB_READINGS_RATE_MAX) slope = 0;
  double level = r->d[i] - slope * r->x[i], score = score_line(r, step, slope, level, tolerance);
  if (score > best->score) *best = (struct line){slope, level, score};
}

static struct line find_line(const struct tb_readings *r, enum tb_reading_kind kind, double tolerance) {
  size_t step = (r->count + TB_READINGS_SAMPLE - 1) / TB_READINGS_SAMPLE;
  struct line best = {0, r->d[r->count / 2], 0};
  for (size_t i = 0; i < r->count; i += step) {
    if (kind == TB_READING_SAME_RATE) {
      double score = score_line(r, step, 0, r->d[i], tolerance);
      if (score > best.score) best = (struct line){0, r->d[i], score};
      continue;
    }
    for (size_t k = i + step; k < r->count; k += step) try_line(r, step, i, k, tolerance, &best);
  }
  return best;
}

/* Of the readings that no segment explains yet: the level that most of them are near to, and how many. */
static size_t find_level(const struct tb_readings *r, double slope, double tolerance, double *level) {
  size_t most = 0, step = (r->count + TB_READINGS_SAMPLE - 1) / TB_READINGS_SAMPLE;
  for (size_t i = 0; i < r->count; i += step) {
    if (r->segment[i] != TB_NO_SEGMENT) continue;
    double tried = r->d[i] - slope * r->x[i];
    size_t near = 0;
    for (size_t k = 0; k < r->count; k++)
      near += r->segment[k] == TB_NO_SEGMENT && fabs(r->d[k] - slope * r->x[k] - tried) <= tolerance;
    if (near > most) most = near, *level = tried;
  }
  return most;
}

double tb_segment_level(const struct tb_segment_sums *s, double slope) {
  return s->n > 0 ? s->d / s->n - slope * s->x / s->n : 0;
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */

/* Gives the readings near a level that no segment explains to segment `number`. */
static void assign(struct tb_readings *r, double slope, double level, double tolerance, int number) {
  for (size_t i = 0; i < r->count; i++)
    if (r->segment[i] == TB_NO_SEGMENT && fabs(r->d[i] - level - slope * r->x[i]) <= tolerance) r->segment[i] = number;
}

static void release(struct tb_readings *r, size_t from, size_t to, int number) {
  for (size_t i = from; i < to; i++)
    if (r->segment[i] == number) r->segment[i] = TB_NO_SEGMENT;
}

/* What is known of a level whose readings may be a segment: how many they are, from which reading to which; how many
 * have a segment there, this one or another; the levels of the nearest readings around them that have one. */
struct stretch {
  size_t own, first, last, explained;
  bool has_before, has_behind;
  double level, before, behind;
};

static double level_at(const struct tb_readings *r, size_t i, double slope) { return r->d[i] - slope * r->x[i]; }

static struct stretch stretch_of(const struct tb_readings *r, double slope, double level, int number) {
  struct stretch s = {.first = r->count, .level = level};
  for (size_t i = 0; i < r->count; i++) {
    if (r->segment[i] != number) continue;
    if (!s.own++) s.first = i;
    s.last = i;
  }
  for (size_t i = s.first; i <= s.last && s.own; i++) s.explained += r->segment[i] != TB_NO_SEGMENT;
  for (size_t i = 0; i < s.first; i++)
    if (r->segment[i] != TB_NO_SEGMENT) s.has_before = true, s.before = level_at(r, i, slope);
  for (size_t i = r->count; i-- > s.last + 1;)
    if (r->segment[i] != TB_NO_SEGMENT) s.has_behind = true, s.behind = level_at(r, i, slope);
  return s;
}

/* Whether the level is too far from those around it for its readings to be late ones that agree by chance. */
static bool is_beyond_lateness(const struct stretch *s) {
  return (!s->has_before || fabs(s->level - s->before) > TB_READINGS_LATE_MAX_NS) &&
         (!s->has_behind || fabs(s->level - s->behind) > TB_READINGS_LATE_MAX_NS);
}

/* A later level is a segment where most readings of its time are near to it; or all that any level explains, where it
 * is so far away that the others can only be late ones, of which there may be more. Else its readings are off by
 * chance: also two that agree, unless they are at an end of clocks that may be set. */
static bool owns_its_time(const struct tb_readings *r, enum tb_reading_kind kind, const struct stretch *s) {
  if (s->own < END_READINGS) return false;
  if (is_beyond_lateness(s)) return s->own == s->explained;
  bool at_end = s->first == 0 || s->last + 1 == r->count, alone = s->own == s->last - s->first + 1;
  if (s->own < SEGMENT_READINGS) return at_end && alone && kind == TB_READING_DRIFTS;
  return (double)s->own >= OWN_SHARE * (double)(s->last - s->first + 1);
}

/* A segment inside the time of another one, as of a clock that was set and set back, parts that one: its readings
 * behind get a number of their own. */
static void part_at(struct tb_readings *r, int number, int *count) {
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
    if (!before || !behind || *count == TB_SEGMENTS_MAX) continue;
    for (size_t i = last; i < r->count; i++)
      if (r->segment[i] == other) r->segment[i] = *count;
    ++*count;
  }
}

size_t tb_readings_explained(const struct tb_readings *r) {
  size_t n = 0;
  for (size_t i = 0; i < r->count; i++) n += r->segment[i] != TB_NO_SEGMENT;
  return n;
}

/* The segment of the first reading that has one; TB_NO_SEGMENT: none has. */
static int first_segment(const struct tb_readings *r) {
  for (size_t i = 0; i < r->count; i++)
    if (r->segment[i] != TB_NO_SEGMENT) return r->segment[i];
  return TB_NO_SEGMENT;
}

struct tb_reading_noise tb_readings_measure(const struct tb_readings *r, const struct tb_segment_sums *sums,
                                            double slope) {
  struct tb_reading_noise s = {.most = 0};
  for (size_t i = 0; i < r->count; i++) {
    if (r->segment[i] == TB_NO_SEGMENT) continue;
    double off = fabs(r->d[i] - tb_segment_level(&sums[r->segment[i]], slope) - slope * r->x[i]);
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

/* Of few readings some are on a line by chance. How likely that is of these where all are as noisy as the nearest
 * miss says: two readings make the line, and each segment takes one to begin with. */
static bool is_by_chance(const struct tb_readings *r, size_t own, size_t segments, const struct near_misses *misses,
                         double most) {
  if (!misses->count) return false;
  double near = fmax(2 * most, LEAST_RESIDUAL_NS), chance = 1;
  for (size_t i = 0; i < misses->count; i++) chance *= (double)(r->count - i) / (double)(i + 1);
  for (size_t i = segments + 1; i < own; i++) chance *= near / misses->nearest;
  return chance > CHANCE;
}

/* Whether the segments leave the readings' noise inside, or cut through it: then readings are near to a segment that
 * is not theirs, and a step is no larger than what readings of one line are apart by. */
static bool is_explained(const struct tb_readings *r, double slope, const struct tb_segment_sums *sums,
                         double tolerance) {
  size_t own = 0, segments = 1;
  struct near_misses misses = {0, INFINITY};
  int last = first_segment(r);
  const bool few = r->count < FEW_READINGS;
  const double step = (few ? STEP_OF_FEW : NEAR_MISS) * tolerance,
               miss = (few ? NEAR_MISS_OF_FEW : NEAR_MISS) * tolerance;
  for (size_t i = 0; i < r->count && last != TB_NO_SEGMENT; i++) {
    const int segment = r->segment[i];
    const double level = tb_segment_level(&sums[last], slope);
    if (segment == TB_NO_SEGMENT) {
      double off = fabs(r->d[i] - level - slope * r->x[i]);
      misses.count += off < miss;
      misses.nearest = fmin(misses.nearest, off);
      continue;
    }
    if (segment != last && fabs(tb_segment_level(&sums[segment], slope) - level) < step) return false;
    segments += segment != last;
    last = segment;
    own++;
  }
  if ((double)own < EXPLAINED_SHARE * (double)r->count) return false;
  if (few) return !is_by_chance(r, own, segments, &misses, tb_readings_measure(r, sums, slope).most);
  return (double)misses.count <= NEAR_MISS_SHARE * (double)own + 1;
}

/* Whether a reading alone is behind a step or a sleep: `before` and `behind` are the levels next to it, NULL where
 * there is none. A sleep takes y back for good. A clock that was set was not set back: the reading is at an end, or
 * between two steps, so that the levels around it differ. */
static bool is_segment_alone(enum tb_reading_kind kind, const double *own, const double *before, const double *behind) {
  if (kind == TB_READING_SAME_RATE)
    return (!before || *before - *own > TB_READINGS_LATE_MAX_NS) &&
           (!behind || *own - *behind > TB_READINGS_LATE_MAX_NS);
  if (before && behind && fabs(*before - *behind) <= TB_READINGS_LATE_MAX_NS) return false;
  return (before || behind) && (!before || fabs(*own - *before) > TB_READINGS_LATE_MAX_NS) &&
         (!behind || fabs(*own - *behind) > TB_READINGS_LATE_MAX_NS);
}

/* Which reading is number `n` from the first one, or back from the last one. */
static size_t nth_reading(const struct tb_readings *r, size_t n, bool back) { return back ? r->count - 1 - n : n; }

/* From the first reading to the last, or back: neighbours of a reading are those with a segment. */
static void take_alone(struct tb_readings *r, enum tb_reading_kind kind, double slope, bool back, int *count) {
  size_t next = 0; /* how many of the readings on the way are before the next one with a segment */
  double near = 0, far = 0;
  bool has_near = false;
  for (size_t n = 0; n < r->count && *count < TB_SEGMENTS_MAX; n++) {
    size_t i = nth_reading(r, n, back);
    double own = level_at(r, i, slope);
    while (next < r->count && (next <= n || r->segment[nth_reading(r, next, back)] == TB_NO_SEGMENT)) next++;
    bool has_far = next < r->count;
    if (has_far) far = level_at(r, nth_reading(r, next, back), slope);
    const double *passed = has_near ? &near : NULL, *ahead = has_far ? &far : NULL;
    if (r->segment[i] == TB_NO_SEGMENT && is_segment_alone(kind, &own, back ? ahead : passed, back ? passed : ahead))
      r->segment[i] = (*count)++;
    if (r->segment[i] == TB_NO_SEGMENT) continue;
    near = own;
    has_near = true;
  }
}

/* Parts the readings into segments; the number of those. */
static int part(struct tb_readings *r, enum tb_reading_kind kind, double tolerance, double *slope) {
  struct line line = find_line(r, kind, tolerance);
  for (size_t i = 0; i < r->count; i++) r->segment[i] = TB_NO_SEGMENT;
  *slope = line.slope;
  assign(r, line.slope, line.level, tolerance, 0);
  int count = 1;
  while (count < TB_SEGMENTS_MAX) {
    double level = 0;
    if (find_level(r, *slope, tolerance, &level) < END_READINGS) break;
    assign(r, *slope, level, tolerance, count);
    const struct stretch found = stretch_of(r, *slope, level, count);
    if (!owns_its_time(r, kind, &found)) {
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

static void sum_up(const struct tb_readings *r, struct tb_segment_sums *sums) {
  memset(sums, 0, TB_SEGMENTS_MAX * sizeof(*sums));
  for (size_t i = 0; i < r->count; i++) {
    if (r->segment[i] == TB_NO_SEGMENT) continue;
    struct tb_segment_sums *s = &sums[r->segment[i]];
    s->n++;
    s->x += r->x[i];
    s->d += r->d[i];
  }
  for (size_t i = 0; i < r->count; i++) {
    if (r->segment[i] == TB_NO_SEGMENT) continue;
    struct tb_segment_sums *s = &sums[r->segment[i]];
    double dx = r->x[i] - s->x / s->n, dd = r->d[i] - s->d / s->n;
    s->xx += dx * dx;
    s->xd += dx * dd;
  }
}

/* One slope for all segments, a level for each. */
double tb_segments_slope(const struct tb_segment_sums *sums, int count, double *spread) {
  double xx = 0, xd = 0;
  for (int i = 0; i < count; i++) xx += sums[i].xx, xd += sums[i].xd;
  *spread = xx;
  return xx > 0 ? xd / xx : 0;
}

/* Takes readings in and out by the line that was found. */
static void refine(struct tb_readings *r, enum tb_reading_kind kind, double tolerance, int count,
                   struct tb_segment_sums *sums, double *slope) {
  double spread;
  for (int round = 0; round < ROUNDS; round++) {
    sum_up(r, sums);
    *slope = kind == TB_READING_SAME_RATE ? 0 : tb_segments_slope(sums, count, &spread);
    for (size_t i = 0; i < r->count; i++) {
      if (r->segment[i] == TB_NO_SEGMENT) continue;
      double off = r->d[i] - tb_segment_level(&sums[r->segment[i]], *slope) - *slope * r->x[i];
      if (fabs(off) > tolerance && sums[r->segment[i]].n > 1) r->segment[i] = TB_NO_SEGMENT;
    }
  }
  sum_up(r, sums);
  *slope = kind == TB_READING_SAME_RATE ? 0 : tb_segments_slope(sums, count, &spread);
}

int tb_readings_find_segments(struct tb_readings *r, enum tb_reading_kind kind, struct tb_segment_sums *sums,
                              double *slope) {
  int count = 0;
  for (int i = 0; i < TOLERANCES; i++) {
    count = part(r, kind, TOLERANCE_NS[i], slope);
    refine(r, kind, TOLERANCE_NS[i], count, sums, slope);
    if (is_explained(r, *slope, sums, TOLERANCE_NS[i])) break;
  }
  return count;
}
