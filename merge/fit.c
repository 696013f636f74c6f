/* SPDX-License-Identifier: Apache-2.0 */
#include "fit.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 8, SLOPES_MAX = 4096 };
static const double OUTLIER_SIGMAS = 5, LEAST_SCATTER_NS = 20;

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

/* Marks what is too far from the line; true where that changed anything. */
static bool reject(struct points *p, double level, double slope) {
  for (size_t i = 0; i < p->count; i++) p->work[i] = fabs(p->d[i] - level - slope * p->x[i]);
  double scatter = 1.4826 * median(p->work, p->count);
  if (scatter < LEAST_SCATTER_NS) scatter = LEAST_SCATTER_NS;
  bool changed = false;
  for (size_t i = 0; i < p->count; i++) {
    bool out = fabs(p->d[i] - level - slope * p->x[i]) > OUTLIER_SIGMAS * scatter;
    changed |= out != p->out[i];
    p->out[i] = out;
  }
  return changed;
}

static void least_squares(const struct points *p, double *level, double *slope) {
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
  *slope = sxx > 0 ? sxd / sxx : 0;
  *level = md - *slope * mx;
}

static int compare_anchor(const void *a, const void *b) {
  const struct tb_time_anchor *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return p->y < q->y ? -1 : p->y > q->y;
}

static void fit_line(struct points *p, int64_t x0, int64_t d0, struct tb_fit *fit) {
  double slope = robust_slope(p), level = robust_level(p, slope);
  for (int round = 0; round < ROUNDS && reject(p, level, slope); round++) least_squares(p, &level, &slope);
  least_squares(p, &level, &slope);
  double sum = 0;
  for (size_t i = 0; i < p->count; i++) {
    double r = p->d[i] - level - slope * p->x[i];
    if (p->out[i])
      fit->outliers++;
    else
      sum += r * r;
  }
  fit->used = p->count - fit->outliers;
  fit->residual_ns = sqrt(sum / (double)fit->used);
  fit->x0 = x0;
  fit->offset = d0 + llround(level);
  fit->drift = slope;
}

enum tb_status tb_fit_pairs(const struct tb_allocator *a, const struct tb_time_anchor *pairs, size_t count,
                            struct tb_fit *fit) {
  *fit = (struct tb_fit){0};
  if (count == 0) return TB_INVALID;
  struct tb_time_anchor *sorted = tb_alloc(a, count * sizeof(*sorted));
  struct points p = {tb_alloc(a, count * sizeof(double)), tb_alloc(a, count * sizeof(double)),
                     tb_alloc(a, count * sizeof(double)), tb_calloc(a, count * sizeof(bool)), count};
  bool got = sorted && p.x && p.d && p.work && p.out;
  if (got) {
    memcpy(sorted, pairs, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_anchor);
    const struct tb_time_anchor *middle = &sorted[count / 2];
    int64_t d0 = (int64_t)((uint64_t)middle->y - (uint64_t)middle->x);
    for (size_t i = 0; i < count; i++) {
      p.x[i] = (double)((tb_wide)sorted[i].x - middle->x);
      p.d[i] = (double)((int64_t)((uint64_t)sorted[i].y - (uint64_t)sorted[i].x) - d0);
    }
    fit_line(&p, middle->x, d0, fit);
  }
  tb_free(a, sorted, count * sizeof(*sorted));
  tb_free(a, p.x, count * sizeof(double));
  tb_free(a, p.d, count * sizeof(double));
  tb_free(a, p.work, count * sizeof(double));
  tb_free(a, p.out, count * sizeof(bool));
  return got ? TB_OK : TB_NO_MEMORY;
}
