/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/line_fit.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 8, SLOPES_MAX = 4096 };
/* Many traces have microseconds: less scatter than that is not believed. Two or three matches do not show how they scatter: they are taken
 * to scatter by 100 us, which is more than simultaneous events of two programs usually do. */
static const double OUTLIER_SIGMAS = 5, LEAST_SCATTER_NS = 1000, PAIR_SCATTER_NS = 100000;

/* Pairs relative to a middle one, so that doubles hold them exactly enough: times in ns around 0, offsets likewise. */
struct points {
  double *x, *d, *work;
  bool *out;
  size_t count;
};

static int compare_double(const void *a, const void *b) {
  double p = *(const double *)a, q = *(const double *)b;
  return p < q ? -1 : p > q;
}

static double median(double *values, size_t count) {
  qsort(values, count, sizeof(*values), compare_double);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* A first slope that outliers do not move: the median of the slopes between points half the set apart. */
static double robust_slope(struct points *p) {
  size_t half = p->count / 2, n = 0;
  for (size_t i = 0; i + half < p->count && half && n < SLOPES_MAX; i++) {
    double dx = p->x[i + half] - p->x[i];
    if (dx > 0) p->work[n++] = (p->d[i + half] - p->d[i]) / dx;
  }
  return n ? median(p->work, n) : 0;
}

static double robust_level(struct points *p, double slope) {
  for (size_t i = 0; i < p->count; i++) p->work[i] = p->d[i] - slope * p->x[i];
  return median(p->work, p->count);
}

/* Marks what is too far from the line; true where that changed anything. The scatter is taken from the median, which of few points is too
 * small by what Rousseeuw and Leroy give for a line. */
static bool reject(struct points *p, double level, double slope) {
  if (p->count < 3) return false;
  for (size_t i = 0; i < p->count; i++) p->work[i] = fabs(p->d[i] - level - slope * p->x[i]);
  double scatter = 1.4826 * (1 + 5 / (double)(p->count - 2)) * median(p->work, p->count);
  if (scatter < LEAST_SCATTER_NS) scatter = LEAST_SCATTER_NS;
  bool changed = false;
  for (size_t i = 0; i < p->count; i++) {
    bool out = fabs(p->d[i] - level - slope * p->x[i]) > OUTLIER_SIGMAS * scatter;
    changed |= out != p->out[i];
    p->out[i] = out;
  }
  return changed;
}

/* The line through what is not left out; without `with_drift` a level one. Returns the spread in time: the sum of squares. */
static double least_squares(const struct points *p, bool with_drift, double *level, double *slope) {
  double n = 0, sx = 0, sd = 0, sxx = 0, sxd = 0;
  for (size_t i = 0; i < p->count; i++) {
    if (p->out[i]) continue;
    n++;
    sx += p->x[i];
    sd += p->d[i];
  }
  double mx = sx / n, md = sd / n;
  for (size_t i = 0; i < p->count; i++) {
    if (p->out[i]) continue;
    sxx += (p->x[i] - mx) * (p->x[i] - mx);
    sxd += (p->x[i] - mx) * (p->d[i] - md);
  }
  *slope = with_drift && sxx > 0 ? sxd / sxx : 0;
  *level = md - *slope * mx;
  return sxx;
}

static int compare_anchor(const void *a, const void *b) {
  const struct tb_time_anchor *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return p->y < q->y ? -1 : p->y > q->y;
}

/* Half the 95 % confidence interval of a slope through n points; few points show their scatter badly (Student's t), and two or
 * three may be on one line by chance. */
static double slope_error(double n, double residual, double spread) {
  static const double quantiles[] = {0, 12.7, 4.3, 3.2, 2.8, 2.6, 2.4};
  if (!(spread > 0)) return INFINITY;
  double by_chance = n < 4 ? 2 * PAIR_SCATTER_NS / sqrt(spread) : 0;
  if (n < 3) return by_chance;
  double scatter = fmax(residual * sqrt(n / (n - 2)), LEAST_SCATTER_NS);
  return fmax((n - 2 <= 6 ? quantiles[(int)n - 2] : 2.2) * scatter / sqrt(spread), by_chance);
}

/* Residual, counts and errors of a line that was found. */
static void measure(const struct points *p, double level, double slope, double spread, struct tb_line_fit *fit) {
  double sum = 0, first = INFINITY, last = -INFINITY;
  for (size_t i = 0; i < p->count; i++) {
    double r = p->d[i] - level - slope * p->x[i];
    if (p->out[i]) {
      fit->outliers++;
      continue;
    }
    sum += r * r;
    first = fmin(first, p->x[i]);
    last = fmax(last, p->x[i]);
  }
  fit->used = p->count - fit->outliers;
  fit->residual_ns = sqrt(sum / (double)fit->used);
  fit->span_ns = llround(fmin(last - first, 9e18));
  fit->drift_error = slope_error((double)fit->used, fit->residual_ns, spread);
}

static void fit_line(struct points *p, bool with_drift, int64_t x0, int64_t d0, struct tb_line_fit *fit) {
  double slope = with_drift ? robust_slope(p) : 0, level = robust_level(p, slope);
  for (int round = 0; round < ROUNDS && reject(p, level, slope); round++)
    (void)least_squares(p, with_drift, &level, &slope);
  double spread = least_squares(p, with_drift, &level, &slope);
  measure(p, level, slope, spread, fit);
  fit->x0 = x0;
  fit->offset = tb_time_add(d0, tb_time_round(level));
  fit->drift = slope;
}

enum tb_status tb_line_fit_pairs(const struct tb_allocator *a, const struct tb_time_anchor *pairs, size_t count,
                                 bool with_drift, struct tb_line_fit *fit) {
  *fit = (struct tb_line_fit){0};
  if (count == 0) return TB_INVALID;
  struct tb_time_anchor *sorted = tb_alloc(a, count * sizeof(*sorted));
  struct points p = {tb_alloc(a, count * sizeof(double)), tb_alloc(a, count * sizeof(double)),
                     tb_alloc(a, count * sizeof(double)), tb_calloc(a, count * sizeof(bool)), count};
  bool got = sorted && p.x && p.d && p.work && p.out;
  if (got) {
    memcpy(sorted, pairs, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_anchor);
    const struct tb_time_anchor *middle = &sorted[count / 2];
    int64_t d0 = tb_time_subtract(middle->y, middle->x);
    for (size_t i = 0; i < count; i++) {
      p.x[i] = (double)((tb_wide)sorted[i].x - middle->x);
      p.d[i] = (double)((tb_wide)sorted[i].y - sorted[i].x - d0);
    }
    fit_line(&p, with_drift, middle->x, d0, fit);
  }
  tb_free(a, sorted, count * sizeof(*sorted));
  tb_free(a, p.x, count * sizeof(double));
  tb_free(a, p.d, count * sizeof(double));
  tb_free(a, p.work, count * sizeof(double));
  tb_free(a, p.out, count * sizeof(bool));
  return got ? TB_OK : TB_NO_MEMORY;
}
