/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/line_error.h"

#include <math.h>

/* Reading two clocks one after the other takes about as long; it is the noise that few readings are taken to have,
 * which counts as much as two of them. One or two readings do not show how late they are. */
static const double USUAL_NOISE_NS = 1000, USUAL_WEIGHT = 2, FEW_READINGS_NS = 2000;
/* A clock's rate is known no better than that: it changes with temperature. */
static const double RATE_CHANGE = 0.5e-6;
/* Clocks of computers that nobody measured run apart by that; most by less than half of it. */
static const double UNKNOWN_RATE = 50e-6, USUAL_RATE = 25e-6;
static const double SIGMAS = 6;

/* Few readings that are further off a line than two reads take show that the host is a busy one, but not how busy:
 * their noise is taken to be larger by as much as Student's distribution has it (once in 1000), up to what busy hosts
 * have. */
static const double CLEAN_NS = 1500, BUSY_NOISE_NS = 15000;
/* A few readings may be near one line by chance. So each of them may be off by as long as a busy host takes between two
 * clock reads, however small their residuals are; up to four show nothing of how busy theirs is. */
static const double BUSY_NS = 40000, UNKNOWN_NS = 105000;
enum { FEW_READINGS = 14, BY_CHANCE = 4 };
static const double STUDENT[] = {636.6, 31.6, 12.92, 8.61}; /* for 1 to 4 degrees of freedom: 3 to 6 readings */

static double sigmas(double n) { return SIGMAS * (1 + 4 / n); }

static double doubted_sigma(double sigma, double n, double squares, double most) {
  size_t freedom = n > 2 ? (size_t)n - 2 : 0;
  if (!freedom || freedom > sizeof(STUDENT) / sizeof(STUDENT[0]) || most <= CLEAN_NS) return sigma;
  double shown = sqrt(squares / (double)freedom);
  return fmax(sigma, fmin(shown * STUDENT[freedom - 1] / sigmas(n), fmax(shown, BUSY_NOISE_NS)));
}

struct tb_line_error tb_line_error(double n, double squares, double most, double spread) {
  struct tb_line_error e = {
      .n = n, .most = most, .spread = spread, .slope_error = UNKNOWN_RATE, .rate_change = RATE_CHANGE};
  double freedom = n > 2 ? n - 2 : 0;
  bool exact = n > 4 && most <= 1; /* of fewer readings by chance */
  if (exact)
    e.sigma = most / 2;
  else
    e.sigma = sqrt((squares + USUAL_WEIGHT * USUAL_NOISE_NS * USUAL_NOISE_NS) / (freedom + USUAL_WEIGHT));
  e.sigma = doubted_sigma(e.sigma, n, squares, most);
  if (n < 3) e.most = FEW_READINGS_NS;
  if (n < 2 || spread <= 0) return e;
  double error = e.sigma / sqrt(spread);
  e.slope_trust = USUAL_RATE * USUAL_RATE / (USUAL_RATE * USUAL_RATE + error * error);
  e.slope_error = fmin(sigmas(n) * error, UNKNOWN_RATE);
  return e;
}

struct tb_line_error tb_level_error(const struct tb_line_error *error) {
  struct tb_line_error e = *error;
  e.slope_error = e.rate_change = e.turn = 0;
  return e;
}

void tb_line_error_doubt(struct tb_line_error *e, int64_t first, int64_t last) {
  double span = (double)((tb_wide)last - first);
  if (e->n < 2 || e->n > FEW_READINGS || (e->n > BY_CHANCE && e->most <= CLEAN_NS)) return;
  e->each_off = e->most + (e->n > BY_CHANCE ? BUSY_NS : UNKNOWN_NS);
  e->turn = span > 0 ? fmin(2 * e->each_off / span, 2 * UNKNOWN_RATE) : 0;
  e->first = first;
  e->last = last;
}

/* The true line is near to all readings, and so near to the fitted one between the first and the last. Outside of them
 * it may turn away by what two lines do that cross between them. */
static double doubt_at(const struct tb_line_error *e, int64_t time) {
  tb_wide outside = time < e->first ? (tb_wide)e->first - time : time > e->last ? (tb_wide)time - e->last : 0;
  return e->each_off + e->turn * (double)outside;
}

static int64_t bound_at(const struct tb_line_error *e, int64_t time) {
  double t = (double)((tb_wide)time - e->middle), error = e->sigma / sqrt(e->n);
  double line = e->n < 3 ? 0 : sigmas(e->n) * error, drift = e->slope_error * t;
  double off = fmax(e->most + sqrt(line * line + drift * drift), doubt_at(e, time));
  return tb_time_add(e->more_ns, tb_time_round(ceil(off)) + 1);
}

enum tb_status tb_line_error_bound(const struct tb_line_error *e, int64_t first, int64_t last,
                                   const struct tb_allocator *allocator, struct tb_time_bound *bound) {
  struct tb_time_bound_point points[3];
  size_t count = 0;
  points[count++] = (struct tb_time_bound_point){first, bound_at(e, first)};
  if (e->middle > first && e->middle < last)
    points[count++] = (struct tb_time_bound_point){e->middle, bound_at(e, e->middle)};
  if (last > first) points[count++] = (struct tb_time_bound_point){last, bound_at(e, last)};
  double growth = fmax(fmin(e->slope_error + e->rate_change, UNKNOWN_RATE), e->turn) + e->more_rate;
  return tb_time_bound_create(bound, allocator, points, count, growth);
}
