/* SPDX-License-Identifier: Apache-2.0
 *
 * How far off a line through matches may be: its standard error at a time, as many times that chance exceeds it once in
 * 100,000 lines. Few matches show badly how noisy they are (Student's t); of one or two, or where t would make more of
 * it, events are taken to be seen within a millisecond of each other, which is more than simultaneous events of two
 * programs usually are. Where other events may belong together as well, the truth may be as far away as they say.
 */
#include <math.h>

#include "merge/align/align.h"

enum { POINTS = 9 };
static const double ASSUMED_NS = 1e6, ASSUMED_SIGMAS = 6, ROUNDING_NS = 2;
/* Two usual clocks drift apart by less; and a drift that is followed changes by less. */
static const double DRIFT_UNKNOWN = 100e-6, DRIFT_CHANGE = 1e-7;

/* Student's t: exceeded, on either side, once in 100,000. */
static double quantile(double freedom) {
  static const double known[] = {63662, 316.2, 60.4, 27.8, 17.9, 13.6, 11.2, 9.8, 8.8, 8.2, 7.6, 7.3, 7.0, 6.7, 6.5,
                                 6.3,   6.2,   6.1,  6.0,  5.9,  5.8,  5.7,  5.7, 5.6, 5.5, 5.5, 5.4, 5.4, 5.4, 5.3};
  const size_t count = sizeof(known) / sizeof(known[0]);
  return freedom <= (double)count ? known[(size_t)freedom - 1] : 4.42 + 28 / freedom;
}

/* The most that matches are seen away from the line. */
static double noise_of(const struct tb_line_fit *fit, double parameters) {
  double n = (double)fit->used, freedom = n - parameters;
  if (freedom < 1) return ASSUMED_NS;
  double noise = fit->residual_ns * sqrt(n / freedom);
  return fmin(quantile(freedom) * noise, fmax(ASSUMED_NS, ASSUMED_SIGMAS * noise));
}

static enum tb_status bound_line(const struct tb_allocator *a, struct tb_alignment *alignment, int64_t first,
                                 int64_t last) {
  const struct tb_line_fit *fit = &alignment->fit;
  double noise = noise_of(fit, 2), n = (double)fit->used;
  struct tb_time_bound_point points[POINTS];
  for (int i = 0; i < POINTS; i++) {
    int64_t time = tb_time_clamp(first + ((tb_wide)last - first) * i / (POINTS - 1));
    double x = (double)((tb_wide)time - fit->x0) - fit->centre_ns;
    points[i].time = time;
    points[i].bound_ns =
        tb_time_round(ceil(noise * sqrt(1 / n + x * x / fit->spread) + ROUNDING_NS + alignment->others_apart_ns));
  }
  return tb_time_bound_create(&alignment->bound, a, points, POINTS, noise / sqrt(fit->spread) + DRIFT_CHANGE);
}

/* Of an offset alone: what the drift does is unknown, but where the matches know it and it may not be. */
static enum tb_status bound_level(const struct tb_allocator *a, struct tb_alignment *alignment, double drift,
                                  int64_t first, int64_t last) {
  const struct tb_line_fit *fit = &alignment->fit;
  double least = noise_of(fit, 1) / sqrt((double)fit->used) + ROUNDING_NS + alignment->others_apart_ns;
  int64_t centre = tb_time_add(fit->x0, tb_time_round(fit->centre_ns));
  const int64_t times[3] = {first < centre ? first : centre, centre, last > centre ? last : centre};
  struct tb_time_bound_point points[3];
  for (int i = 0; i < 3; i++) {
    double far = fabs((double)((tb_wide)times[i] - centre));
    points[i] = (struct tb_time_bound_point){times[i], tb_time_round(ceil(least + drift * far))};
  }
  return tb_time_bound_create(&alignment->bound, a, points, 3, drift);
}

enum tb_status tb_alignment_bound_line(const struct tb_allocator *a, struct tb_alignment *alignment, int64_t first,
                                       int64_t last) {
  const struct tb_line_fit *line = &alignment->line;
  bool is_known = line->drift_error <= DRIFT_UNKNOWN;
  double drift = is_known ? fmax(DRIFT_UNKNOWN, fabs(line->drift) + line->drift_error) : DRIFT_UNKNOWN;
  enum tb_status status = alignment->drift == TB_DRIFT_FOLLOWED ? bound_line(a, alignment, first, last)
                                                                : bound_level(a, alignment, drift, first, last);
  if (status != TB_OK) return status;
  int64_t at_first = tb_time_bound_at(&alignment->bound, first), at_last = tb_time_bound_at(&alignment->bound, last);
  alignment->fit.has_bound = true;
  alignment->fit.bound_ns = at_first > at_last ? at_first : at_last;
  return TB_OK;
}
