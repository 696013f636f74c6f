/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/reading_fit.h"

#include <math.h>
#include <stdlib.h>

#include "merge/clocks/line_error.h"
#include "merge/clocks/reading_segments.h"

static int compare_x(const void *a, const void *b) {
  const struct tb_time_anchor *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return p->y < q->y ? -1 : p->y > q->y;
}

static int compare_segment(const void *a, const void *b) {
  const struct tb_reading_segment *p = a, *q = b;
  return p->first < q->first ? -1 : p->first > q->first;
}

static void add_segments(struct tb_reading_fit *fit, const struct tb_readings *r, const struct tb_time_anchor *pairs,
                         const struct tb_segment_sums *sums, int count, int64_t d0) {
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
    s->middle = tb_time_add(fit->x0, tb_time_round(sums[number].x / sums[number].n));
    s->offset = tb_time_add(d0, tb_time_round(tb_segment_level(&sums[number], fit->drift)));
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

static enum tb_status keep_residuals(struct tb_reading_fit *fit, const struct tb_readings *r,
                                     const struct tb_time_anchor *pairs) {
  for (size_t i = 0; i < r->count; i++) {
    struct tb_residual residual = {.time = pairs[i].x, .is_outlier = r->segment[i] == TB_NO_SEGMENT};
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
static int64_t on_any_clock(int64_t ns) { return tb_time_add(ns, tb_time_round((double)ns * TB_READINGS_RATE_MAX)); }

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
  size_t step = (count + TB_READINGS_SAMPLE - 1) / TB_READINGS_SAMPLE;
  const double from = (double)((tb_wide)pairs[0].x - fit->x0), to = (double)((tb_wide)pairs[count - 1].x - fit->x0);
  double most = 0;
  for (size_t i = 0; i < count; i += step) {
    for (size_t k = i + step; k < count; k += step) {
      double x = (double)((tb_wide)pairs[i].x - fit->x0), dx = (double)((tb_wide)pairs[k].x - pairs[i].x);
      double off = off_line(fit, &pairs[i]), rate = dx > 0 ? (off_line(fit, &pairs[k]) - off) / dx : 0;
      if (fabs(fit->drift + rate) > TB_READINGS_RATE_MAX) continue;
      most = fmax(most, fmax(fabs(off + rate * (from - x)), fabs(off + rate * (to - x))));
      error->more_rate = fmax(error->more_rate, fabs(rate));
    }
  }
  error->more_ns = tb_time_add(error->more_ns, tb_time_round(ceil(most)));
}

static struct tb_line_readings readings_of(const struct tb_reading_fit *fit, size_t segment) {
  const struct tb_reading_segment *s = &fit->segments[segment];
  return (struct tb_line_readings){(double)s->count, s->middle, s->first, s->last};
}

static enum tb_status set_bound(struct tb_reading_fit *fit, const struct tb_time_anchor *pairs, size_t count,
                                double spread, const struct tb_reading_noise *third) {
  fit->error = tb_line_error((double)fit->used, &fit->noise, spread);
  fit->error.readings = readings_of(fit, fit->main);
  fit->first = pairs[0].x;
  fit->last = pairs[count - 1].x;
  tb_line_error_doubt(&fit->error, (double)fit->used, fit->drift, &fit->noise, third);
  if (fit->kind == TB_READING_SAME_RATE) {
    fit->error = tb_level_error(&fit->error);
    return tb_reading_fit_bound_way(fit, &fit->bound);
  }
  bool outvoted = (fit->thrown_out && fit->segments[fit->main].count <= 2) ||
                  (fit->segment_count > 1 && fit->segments[fit->main].count <= 3);
  if (outvoted || (count == 3 && fit->noise.most > TB_READINGS_USUAL_NS)) doubt_line(fit, pairs, count, &fit->error);
  struct tb_line_error error = fit->error;
  error.more_ns = tb_time_add(error.more_ns, stepped_by(fit));
  return tb_line_error_bound(&error, fit->first, fit->last, fit->allocator, &fit->bound);
}

/* A drift that is within its own error, where offsets agree within what two reads cost, is none: durations stay
 * exact. */
enum { AGREEING_NS = 2000 };

static bool is_level(const struct tb_readings *r, const struct tb_segment_sums *sums, int count, double slope) {
  double spread, least = INFINITY, most = -INFINITY;
  (void)tb_segments_slope(sums, count, &spread);
  for (size_t i = 0; i < r->count; i++) {
    if (r->segment[i] == TB_NO_SEGMENT) continue;
    double off = r->d[i] - tb_segment_level(&sums[r->segment[i]], 0);
    least = fmin(least, off);
    most = fmax(most, off);
  }
  struct tb_reading_noise noise = tb_readings_measure(r, sums, slope);
  double n = 0;
  for (int i = 0; i < count; i++) n += sums[i].n;
  struct tb_line_error error = tb_line_error(n, &noise, spread);
  return most - least <= AGREEING_NS && fabs(slope) <= error.slope_error / 2;
}

/* How many of the readings' distances are independent. */
static size_t freedom_of(const struct tb_reading_fit *fit) {
  size_t taken = fit->segment_count + (fit->kind == TB_READING_DRIFTS);
  return fit->used > taken ? fit->used - taken : 0;
}

static enum tb_status fit_readings(struct tb_reading_fit *fit, struct tb_readings *r,
                                   const struct tb_time_anchor *pairs, int64_t d0,
                                   const struct tb_reading_noise *third) {
  struct tb_segment_sums *sums = tb_alloc(fit->allocator, TB_SEGMENTS_MAX * sizeof(*sums));
  if (!sums) return TB_NO_MEMORY;
  double slope, spread;
  int count = tb_readings_find_segments(r, fit->kind, sums, &slope);
  (void)tb_segments_slope(sums, count, &spread);
  struct tb_reading_noise noise = tb_readings_measure(r, sums, slope);
  struct tb_line_error error = tb_line_error((double)tb_readings_explained(r), &noise, spread);
  if (fit->kind == TB_READING_DRIFTS) slope = is_level(r, sums, count, slope) ? 0 : slope * error.slope_trust;
  fit->noise = tb_readings_measure(r, sums, slope);
  fit->drift = slope;
  fit->largest_residual_ns = tb_time_round(ceil(fit->noise.most));
  add_segments(fit, r, pairs, sums, count, d0);
  enum tb_status status = keep_residuals(fit, r, pairs);
  fit->noise.freedom = freedom_of(fit);
  if (status == TB_OK) status = set_bound(fit, pairs, r->count, spread, third);
  tb_free(fit->allocator, sums, TB_SEGMENTS_MAX * sizeof(*sums));
  return status;
}

enum tb_status tb_reading_fit_make(struct tb_reading_fit *fit, const struct tb_allocator *a,
                                   struct tb_time_anchor *pairs, size_t count, enum tb_reading_kind kind,
                                   const struct tb_reading_noise *third) {
  *fit = (struct tb_reading_fit){.allocator = a, .kind = kind};
  if (count == 0) return TB_INVALID;
  qsort(pairs, count, sizeof(*pairs), compare_x);
  struct tb_readings r = {tb_alloc(a, count * sizeof(double)), tb_alloc(a, count * sizeof(double)),
                          tb_alloc(a, count * sizeof(int)), count};
  fit->segment_capacity = TB_SEGMENTS_MAX;
  fit->segments = tb_alloc(a, TB_SEGMENTS_MAX * sizeof(*fit->segments));
  enum tb_status status = TB_NO_MEMORY;
  if (r.x && r.d && r.segment && fit->segments) {
    const struct tb_time_anchor *middle = &pairs[count / 2];
    tb_wide d0 = (tb_wide)middle->y - middle->x;
    fit->x0 = middle->x;
    for (size_t i = 0; i < count; i++) {
      r.x[i] = (double)((tb_wide)pairs[i].x - middle->x);
      r.d[i] = (double)((tb_wide)pairs[i].y - pairs[i].x - d0);
    }
    status = fit_readings(fit, &r, pairs, tb_time_clamp(d0), third);
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
 * has x's rate was not set back: it stopped while x went on. Where it is
 * unknown whether there was a step, up to the end. */
struct doubt {
  int64_t from, to, size;
};

/* Fewer readings at an end may be late ones that agree. */
enum { SURE_READINGS = 3 };

static struct doubt doubt_at(const struct tb_reading_fit *fit, size_t segment) {
  const struct tb_reading_segment *before = &fit->segments[segment - 1], *behind = &fit->segments[segment];
  struct doubt d = {before->last, behind->first, 0};
  int64_t step = tb_reading_fit_step(fit, segment);
  d.size = on_any_clock(distance(step, 0));
  if (fit->kind == TB_READING_SAME_RATE) return d;
  bool near = (double)d.size <= TB_READINGS_LATE_MAX_NS;
  if (near && segment == 1 && before->count < SURE_READINGS) d.from = INT64_MIN;
  if (near && segment + 1 == fit->segment_count && behind->count < SURE_READINGS) d.to = INT64_MAX;
  if (step >= 0) return d;
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

/* The bound of the segment's line that a time is in; between two of them, the larger one. */
static int64_t line_bound_at(const struct tb_reading_fit *fit, int64_t time) {
  int64_t most = 0;
  for (size_t i = 0; i < fit->segment_count; i++) {
    if ((i > 0 && time < fit->segments[i - 1].last) ||
        (i + 1 < fit->segment_count && time > fit->segments[i + 1].first))
      continue;
    struct tb_line_readings readings = readings_of(fit, i);
    int64_t bound = tb_line_error_at(&fit->error, &readings, time);
    if (bound > most) most = bound;
  }
  return most;
}

enum tb_status tb_reading_fit_bound_way(const struct tb_reading_fit *fit, struct tb_time_bound *bound) {
  enum { OF_SEGMENT = 3, OF_DOUBT = 4 };
  size_t count = 0, most = 2 + (OF_SEGMENT + OF_DOUBT) * fit->segment_count;
  struct tb_time_bound_point *points = tb_alloc(fit->allocator, most * sizeof(*points));
  if (!points) return TB_NO_MEMORY;
  points[count++].time = fit->first;
  points[count++].time = fit->last;
  for (size_t i = 0; i < fit->segment_count; i++) {
    points[count++].time = fit->segments[i].first;
    points[count++].time = fit->segments[i].middle;
    points[count++].time = fit->segments[i].last;
    if (i == 0) continue;
    struct doubt d = doubt_at(fit, i);
    points[count++].time = tb_time_subtract(d.from, 1);
    points[count++].time = d.from;
    points[count++].time = d.to;
    points[count++].time = tb_time_add(d.to, 1);
  }
  tb_time_bound_sort(points, count);
  for (size_t i = 0; i < count; i++)
    points[i].bound_ns = tb_time_add(line_bound_at(fit, points[i].time), doubt_in_all(fit, points[i].time));
  enum tb_status status = tb_time_bound_create(bound, fit->allocator, points, count, tb_line_error_growth(&fit->error));
  tb_free(fit->allocator, points, most * sizeof(*points));
  return status;
}

int64_t tb_reading_fit_step(const struct tb_reading_fit *fit, size_t segment) {
  if (segment == 0) return 0;
  return tb_time_subtract(fit->segments[segment].offset, fit->segments[segment - 1].offset);
}
