/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines through intervals. A line is a point of a plane: its drift and its offset at x = 0. Each end of an interval
 * cuts a half from the plane, so that the lines through all intervals are a convex polygon. Its centre is the estimate;
 * its corners are the lines that are furthest away from that, at any time.
 */
#include <math.h>

#include "merge/align/line_fit.h"

enum { POINTS = 17, TRIALS = 1 << 16, TRIAL_STEPS = 1 << 25, TRIALS_LEAST = 256 };
/* What two usual clocks drift apart by; what reading a time rounds off. */
static const double DRIFT_USUAL = 100e-6, ROUNDING_NS = 1, GOLDEN = 0.6180339887498949;

/* The end of an interval: the offset at x is at least `limit` (side 1) or at most (side -1). */
struct end {
  double x, limit, side;
};

struct corner {
  double drift, offset;
};

struct polygon {
  struct corner *corners, *work;
  size_t count, capacity;
};

struct ends {
  struct end *items; /* two for each interval */
  bool *dropped;     /* for each interval */
  size_t intervals;
};

static double excess(const struct end *end, struct corner line) {
  return end->side * (line.offset + line.drift * end->x - end->limit);
}

/* Cuts off what is on the wrong side of an end. */
static void cut(struct polygon *p, const struct end *end) {
  size_t count = 0;
  for (size_t i = 0; i < p->count; i++) {
    struct corner a = p->corners[i], b = p->corners[(i + 1) % p->count];
    double at_a = excess(end, a), at_b = excess(end, b);
    if (count + 2 > p->capacity) break; /* rounding may make corners where a polygon has none */
    if (at_a >= 0) p->work[count++] = a;
    if ((at_a >= 0) == (at_b >= 0)) continue;
    double share = at_a / (at_a - at_b);
    p->work[count++] = (struct corner){a.drift + share * (b.drift - a.drift), a.offset + share * (b.offset - a.offset)};
  }
  struct corner *swapped = p->corners;
  p->corners = p->work;
  p->work = swapped;
  p->count = count;
}

/* The lines through all intervals that are not dropped; none where no line is. */
static void cut_all(const struct ends *ends, double drift, struct polygon *p) {
  double most = 0;
  for (size_t i = 0; i < 2 * ends->intervals; i++)
    most = fmax(most, fabs(ends->items[i].limit) + drift * fabs(ends->items[i].x));
  most += most + ROUNDING_NS;
  p->count = 4;
  p->corners[0] = (struct corner){-drift, -most};
  p->corners[1] = (struct corner){drift, -most};
  p->corners[2] = (struct corner){drift, most};
  p->corners[3] = (struct corner){-drift, most};
  for (size_t i = 0; i < 2 * ends->intervals && p->count; i++)
    if (!ends->dropped[i / 2]) cut(p, &ends->items[i]);
}

static struct corner centre_of(const struct polygon *p) {
  double area = 0, drift = 0, offset = 0, drifts = 0, offsets = 0;
  struct corner o = p->corners[0];
  for (size_t i = 0; i < p->count; i++) {
    double ax = p->corners[i].drift - o.drift, ay = p->corners[i].offset - o.offset;
    double bx = p->corners[(i + 1) % p->count].drift - o.drift, by = p->corners[(i + 1) % p->count].offset - o.offset;
    double twice = ax * by - bx * ay;
    area += twice;
    drift += twice * (ax + bx) / 3;
    offset += twice * (ay + by) / 3;
    drifts += ax / (double)p->count;
    offsets += ay / (double)p->count;
  }
  if (!(fabs(area) > 0)) return (struct corner){o.drift + drifts, o.offset + offsets};
  return (struct corner){o.drift + drift / area, o.offset + offset / area};
}

/* ---- intervals that no line meets -------------------------------------------------------------------------------- */

static bool is_met(const struct ends *ends, size_t interval, struct corner line) {
  static const double rounding = 1e-3; /* of lines that touch an end */
  const struct end *both = &ends->items[2 * interval];
  return excess(&both[0], line) >= -rounding && excess(&both[1], line) >= -rounding;
}

static size_t count_met(const struct ends *ends, struct corner line) {
  size_t met = 0;
  for (size_t i = 0; i < ends->intervals; i++) met += is_met(ends, i, line);
  return met;
}

static void try_line(const struct ends *ends, const struct end *through, double drift, struct corner *best,
                     size_t *most) {
  struct corner line = {drift, through->limit - drift * through->x};
  size_t met = count_met(ends, line);
  if (met <= *most) return;
  *most = met;
  *best = line;
}

/* Drops the fewest that must be: of all lines that meet most intervals one touches two ends, or one at the largest
 * drift. Of many intervals not all pairs of ends are tried. */
static void drop_unmet(struct ends *ends, double drift) {
  size_t count = 2 * ends->intervals, most = 0, pairs = (count * count - count) / 2;
  size_t trials = TRIAL_STEPS / count < TRIALS ? TRIAL_STEPS / count : TRIALS;
  struct corner best = {0, 0};
  if (trials < TRIALS_LEAST) trials = TRIALS_LEAST;
  bool each = pairs <= trials;
  for (size_t i = 0; i < count && i < trials; i++)
    for (int way = -1; way <= 1; way++)
      try_line(ends, &ends->items[each ? i : (size_t)(fmod((double)i * GOLDEN, 1) * (double)count)], way * drift, &best,
               &most);
  for (size_t t = 0, i = 0, k = 0; t < (each ? pairs : trials); t++) {
    if (!each) {
      i = (size_t)(fmod((double)t * GOLDEN, 1) * (double)count);
      k = (i + 1 + t * (count - 1) / trials) % count;
    } else if (++k >= count) {
      k = ++i + 1;
    }
    const struct end *p = &ends->items[i], *q = &ends->items[k];
    double slope = (q->limit - p->limit) / (q->x - p->x);
    if (q->x != p->x && fabs(slope) <= drift) try_line(ends, p, slope, &best, &most);
  }
  for (size_t i = 0; i < ends->intervals; i++) ends->dropped[i] = !is_met(ends, i, best);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static double away(const struct polygon *p, struct corner line, double x) {
  double most = 0;
  for (size_t i = 0; i < p->count; i++)
    most = fmax(most, fabs(p->corners[i].offset - line.offset + (p->corners[i].drift - line.drift) * x));
  return most;
}

static enum tb_status set_bound(const struct tb_allocator *a, const struct polygon *p, struct corner line,
                                int64_t first, int64_t last, struct tb_line_fit *fit, struct tb_time_bound *bound) {
  struct tb_time_bound_point points[POINTS];
  double growth = 0;
  for (size_t i = 0; i < p->count; i++) growth = fmax(growth, fabs(p->corners[i].drift - line.drift));
  for (int i = 0; i < POINTS; i++) {
    int64_t time = tb_time_clamp(first + ((tb_wide)last - first) * i / (POINTS - 1));
    double ns = away(p, line, (double)((tb_wide)time - fit->x0));
    points[i] = (struct tb_time_bound_point){time, tb_time_round(ceil(ns - 1e-6))};
    if (points[i].bound_ns > fit->bound_ns) fit->bound_ns = points[i].bound_ns;
  }
  fit->has_bound = true;
  fit->drift_error = growth;
  fit->span_ns = tb_time_subtract(last, first);
  return tb_time_bound_create(bound, a, points, first == last ? 1 : POINTS, growth);
}

/* How far the middles of the intervals are from the line; where the first and last of them are. */
static void measure(const struct ends *ends, const struct tb_line_interval *intervals, struct corner line,
                    struct tb_line_fit *fit, int64_t *first, int64_t *last) {
  double sum = 0;
  *first = INT64_MAX;
  *last = INT64_MIN;
  for (size_t i = 0; i < ends->intervals; i++) {
    if (ends->dropped[i]) {
      fit->outliers++;
      continue;
    }
    const struct end *both = &ends->items[2 * i];
    double apart = (excess(&both[0], line) - excess(&both[1], line)) / 2;
    sum += apart * apart;
    const int64_t at[2] = {intervals[i].low_at, intervals[i].high_at};
    for (int k = 0; k < 2; k++) {
      if (at[k] < *first) *first = at[k];
      if (at[k] > *last) *last = at[k];
    }
  }
  fit->used = ends->intervals - fit->outliers;
  fit->residual_ns = sqrt(sum / (double)fit->used);
}

static enum tb_status fit_line(const struct tb_allocator *a, struct ends *ends, struct polygon *p,
                               const struct tb_line_interval *intervals, double max_drift, struct tb_line_fit *fit,
                               struct tb_time_bound *bound) {
  cut_all(ends, fmin(DRIFT_USUAL, max_drift), p);
  if (!p->count) cut_all(ends, max_drift, p);
  if (!p->count) {
    drop_unmet(ends, max_drift);
    cut_all(ends, max_drift, p);
  }
  if (!p->count) return TB_INVALID;
  struct corner line = centre_of(p);
  int64_t first, last;
  measure(ends, intervals, line, fit, &first, &last);
  double whole = round(line.offset);
  fit->offset = tb_time_add(fit->offset, tb_time_round(whole));
  fit->drift = line.drift;
  line.offset = whole;
  return set_bound(a, p, line, first, last, fit, bound);
}

enum tb_status tb_line_fit_intervals(const struct tb_allocator *a, const struct tb_line_interval *intervals,
                                     size_t count, double max_drift, struct tb_line_fit *fit,
                                     struct tb_time_bound *bound) {
  *fit = (struct tb_line_fit){0};
  *bound = (struct tb_time_bound){0};
  if (!count) return TB_INVALID;
  const struct tb_line_interval *middle = &intervals[count / 2];
  fit->x0 = middle->low_at;
  fit->offset = middle->low;
  size_t room = 2 * count + 8; /* each cut adds a corner at most, and loses one where it adds two */
  struct ends ends = {tb_alloc(a, 2 * count * sizeof(*ends.items)), tb_calloc(a, count * sizeof(bool)), count};
  struct polygon p = {tb_alloc(a, room * sizeof(*p.corners)), tb_alloc(a, room * sizeof(*p.work)), 0, room};
  enum tb_status status = TB_NO_MEMORY;
  if (ends.items && ends.dropped && p.corners && p.work) {
    for (size_t i = 0; i < count; i++) {
      const struct tb_line_interval *n = &intervals[i];
      struct end *both = &ends.items[2 * i];
      both[0] = (struct end){(double)((tb_wide)n->low_at - fit->x0),
                             (double)((tb_wide)n->low - fit->offset) - ROUNDING_NS, 1};
      both[1] = (struct end){(double)((tb_wide)n->high_at - fit->x0),
                             (double)((tb_wide)n->high - fit->offset) + ROUNDING_NS, -1};
    }
    status = fit_line(a, &ends, &p, intervals, max_drift, fit, bound);
  }
  tb_free(a, ends.items, 2 * count * sizeof(*ends.items));
  tb_free(a, ends.dropped, count * sizeof(bool));
  tb_free(a, p.corners, room * sizeof(*p.corners));
  tb_free(a, p.work, room * sizeof(*p.work));
  return status;
}
