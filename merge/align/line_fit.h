/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines through what two clocks read: by least squares, or through intervals.
 */
#ifndef TB_MERGE_CLOCKS_LINE_FIT_H
#define TB_MERGE_CLOCKS_LINE_FIT_H

#include "merge/clocks/time_bound.h"
#include "merge/clocks/time_map.h"

/* y = x + offset + drift * (x - x0). */
struct tb_line_fit {
  int64_t x0, offset;
  double drift; /* as a fraction: 1e-6 is 1 ppm */
  /* Of tb_line_fit_pairs: half the 95 % confidence interval of the drift; infinite where nothing is known. */
  double drift_error;
  double residual_ns; /* root mean square over the matches used */
  double most_ns;     /* of tb_line_fit_pairs: the largest distance of a match used */
  int64_t span_ns;    /* from the first match used to the last, on the clock to be placed */
  int64_t bound_ns;   /* messages: the true offset is at most this far away, anywhere between the first and the last */
  bool has_bound;
  uint64_t used, outliers;
  /* Of tb_line_fit_pairs: where the matches used are in time, from x0, and how far they are spread about it (the sum
   * of squares). */
  double centre_ns, spread;
};

/* Least squares over pairs of readings of the same moments. Pairs further from the line than five times the usual
 * noise are left out (and counted); the line is found where they are less than half, on whichever side and
 * wherever. One pair, or pairs that span no time, give an offset only; so do all pairs without `with_drift`. TB_OK,
 * TB_INVALID (no pair), TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_line_fit_pairs(const struct tb_allocator *allocator, const struct tb_time_anchor *pairs,
                                               size_t count, bool with_drift, struct tb_line_fit *fit);

/* The noise that so many matches have to be taken to have, ns, where they seem to have this one: a line through few is
 * near to some of them by chance. */
double tb_line_fit_noise(double noise, size_t count);

/* The offset is at least `low` at one time and at most `high` at another (or the same). */
struct tb_line_interval {
  int64_t low_at, high_at; /* on the clock to be placed */
  int64_t low, high;
};

/* The middle of all lines that go through the intervals and drift by 100 ppm at most, which is what two usual clocks
 * do; by up to `max_drift` where none of those goes through all. Where no such line does either, the fewest
 * intervals are left out (and counted). *bound is how far away the others of these lines are; fit->bound_ns the most
 * of it between the first interval and the last. TB_OK, TB_INVALID (no interval), TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_line_fit_intervals(const struct tb_allocator *allocator,
                                                   const struct tb_line_interval *intervals, size_t count,
                                                   double max_drift, struct tb_line_fit *fit,
                                                   struct tb_time_bound *bound);

#endif
