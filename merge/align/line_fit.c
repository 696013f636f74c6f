/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/align/line_fit.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 8, SAMPLE = 64, TRIALS = 200, FEW = 10 };
static const double GOLDEN = 0.6180339887498949;
/* Many traces have microseconds: less noise than that is not believed. Two or three matches do not show their
 * noise: it is taken to be 100 us, which is more than simultaneous events of two programs usually do. */
static const double OUTLIER_SIGMAS = 5, LEAST_NOISE_NS = 1000, PAIR_NOISE_NS = 100000;

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

/* The value that would be at `rank` if `values` were sorted; reorders them. */
static double select_rank(double *values, size_t count, size_t rank) {
  size_t low = 0, high = count - 1;
  while (low < high) {
    double pivot = values[high - (high - low + 1) / 2];
    size_t i = low, k = high;
    for (;;) {
      while (values[i] < pivot) i++;
      while (values[k] > pivot) k--;
      if (i >= k) break;
      double swapped = values[i];
      values[i++] = values[k];
      values[k--] = swapped;
    }
    if (rank <= k) /* values up to here are at most the pivot, those behind at least */
      high = k;
    else
      low = k + 1;
  }
  return values[rank];
}

static double median(double *values, size_t count) {
  double upper = select_rank(values, count, count / 2);
  return count % 2 ? upper : (select_rank(values, count, count / 2 - 1) + upper) / 2;
}

/* A sample of the points: all where they are few, else spread by the golden ratio, which no period of the points
 * meets. */
static size_t draw(const struct points *p, size_t *sample) {
  size_t count = p->count < SAMPLE ? p->count : SAMPLE;
  for (size_t i = 0; i < count; i++)
    sample[i] = count == p->count ? i : (size_t)(fmod((double)i * GOLDEN, 1) * (double)p->count);
  return count;
}

/* The length of the shortest interval that holds most residuals of a slope; *level is its middle. */
static double shortest_half(const struct points *p, const size_t *sample, size_t count, double slope, double *level) {
  double residuals[SAMPLE] = {0}, best = INFINITY;
  size_t half = count < 6 ? count - (count > 3) : count / 2 + 1;
  for (size_t i = 0; i < count; i++) residuals[i] = p->d[sample[i]] - slope * p->x[sample[i]];
  qsort(residuals, count, sizeof(*residuals), compare_double);
  for (size_t i = 0; i + half <= count; i++) {
    double length = residuals[i + half - 1] - residuals[i];
    if (length >= best) continue;
    best = length;
    *level = (residuals[i] + residuals[i + half - 1]) / 2;
  }
  return best;
}

/* A first line that outliers do not move while they are less than half: of lines through two points the one that has
 * most points within the least distance (least median of squares). */
static void first_line(const struct points *p, double *level, double *slope) {
  size_t sample[SAMPLE], count = draw(p, sample);
  double best = INFINITY, middle = 0;
  size_t all = (count * count - count) / 2, trials = all < TRIALS ? all : TRIALS;
  *slope = 0;
  for (size_t t = 0, i = 0, k = 0; t < trials; t++) {
    if (all == trials) { /* each pair */
      if (++k >= count) k = ++i + 1;
    } else {
      i = (size_t)(fmod((double)t * GOLDEN, 1) * (double)count);
      k = (i + 1 + t * (count - 1) / trials) % count;
    }
    double dx = p->x[sample[k]] - p->x[sample[i]];
    if (dx == 0) continue;
    double tried = (p->d[sample[k]] - p->d[sample[i]]) / dx;
    double length = shortest_half(p, sample, count, tried, &middle);
    if (length >= best) continue;
    best = length;
    *slope = tried;
    *level = middle;
  }
  if (!(best < INFINITY)) (void)shortest_half(p, sample, count, 0, level);
}

static double median_level(struct points *p) {
  memcpy(p->work, p->d, p->count * sizeof(*p->work));
  return median(p->work, p->count);
}

/* Of few points the noise is taken for too small, by what Rousseeuw and Leroy give for a line. */
static double few(double count) { return 1 + 5 / (count - 2); }

double tb_line_fit_noise(double noise, size_t count) {
  double least = PAIR_NOISE_NS;
  for (size_t n = FEW; n <= count && least > LEAST_NOISE_NS; n++) least /= 2;
  return fmax(count > 2 ? few((double)count) * noise : 0, fmax(least, LEAST_NOISE_NS));
}

/* Marks what is too far from the line; true where that changed anything. At first the noise is taken from the
 * median, which half of the points make; then also from the points that are left, since the first line is nearest to
 * half of them by construction. */
static bool reject(struct points *p, double level, double slope, bool first) {
  if (p->count < 3) return false;
  double sum = 0, in = 0;
  for (size_t i = 0; i < p->count; i++) {
    p->work[i] = fabs(p->d[i] - level - slope * p->x[i]);
    if (p->out[i]) continue;
    sum += p->work[i] * p->work[i];
    in++;
  }
  double noise = tb_line_fit_noise(1.4826 * median(p->work, p->count), p->count);
  if (!first && in > 2) noise = fmax(noise, few(in) * sqrt(sum / (in - 2)));
  bool changed = false;
  for (size_t i = 0; i < p->count; i++) {
    bool out = fabs(p->d[i] - level - slope * p->x[i]) > OUTLIER_SIGMAS * noise;
    changed |= out != p->out[i];
    p->out[i] = out;
  }
  return changed;
}

/* The line through what is not left out; without `with_drift` a level one. Returns the spread in time: the sum of
 * squares about *centre. */
static double least_squares(const struct points *p, bool with_drift, double *level, double *slope, double *centre) {
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
  *centre = mx;
  return sxx;
}

static int compare_anchor(const void *a, const void *b) {
  const struct tb_time_anchor *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return p->y < q->y ? -1 : p->y > q->y;
}

/* Half the 95 % confidence interval of a slope through n points; few points show their noise badly (Student's t),
 * and two or three may be on one line by chance. */
static double slope_error(double n, double residual, double spread) {
  static const double quantiles[] = {0, 12.7, 4.3, 3.2, 2.8, 2.6, 2.4};
  if (!(spread > 0)) return INFINITY;
  double by_chance = n < 4 ? 2 * PAIR_NOISE_NS / sqrt(spread) : 0;
  if (n < 3) return by_chance;
  double noise = fmax(residual * sqrt(n / (n - 2)), LEAST_NOISE_NS);
  return fmax((n - 2 <= 6 ? quantiles[(int)n - 2] : 2.2) * noise / sqrt(spread), by_chance);
}

/* Residual, counts and errors of a line that was found. */
static void measure(const struct points *p, double level, double slope, struct tb_line_fit *fit) {
  double sum = 0, first = INFINITY, last = -INFINITY;
  for (size_t i = 0; i < p->count; i++) {
    double r = p->d[i] - level - slope * p->x[i];
    if (p->out[i]) {
      fit->outliers++;
      continue;
    }
    sum += r * r;
    fit->most_ns = fmax(fit->most_ns, fabs(r));
    first = fmin(first, p->x[i]);
    last = fmax(last, p->x[i]);
  }
  fit->used = p->count - fit->outliers;
  fit->residual_ns = sqrt(sum / (double)fit->used);
  fit->span_ns = llround(fmin(last - first, 9e18));
  fit->drift_error = slope_error((double)fit->used, fit->residual_ns, fit->spread);
}

static void fit_line(struct points *p, bool with_drift, int64_t x0, int64_t d0, struct tb_line_fit *fit) {
  double slope = 0, level = 0;
  if (with_drift)
    first_line(p, &level, &slope);
  else
    level = median_level(p);
  for (int round = 0; round < ROUNDS && reject(p, level, slope, round == 0); round++)
    (void)least_squares(p, with_drift, &level, &slope, &fit->centre_ns);
  fit->spread = least_squares(p, with_drift, &level, &slope, &fit->centre_ns);
  measure(p, level, slope, fit);
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
