/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/line_error.h"

#include <math.h>

/* Reading two clocks one after the other takes about as long; it is the noise that few readings are taken to have,
 * which counts as much as two of them. */
static const double USUAL_NOISE_NS = 1000, USUAL_WEIGHT = 2;
/* A clock's rate is known no better than that: it changes with temperature. */
static const double RATE_CHANGE = 0.5e-6;
/* Clocks of computers that nobody measured run apart by that; most by less than half of it. */
static const double UNKNOWN_RATE = 50e-6, USUAL_RATE = 25e-6;
static const double SIGMAS = 6;

/* How far off a reading is taken to be at least, and what few of them show at least: clocks may count in microseconds,
 * and be on one line by rounding. */
static const double LEAST_OFF_NS = 2000, LEAST_SHOWN_NS = 100;
/* Student's distribution: how many times its noise a reading is off once in 10,000, for 1 degree of freedom, 2, ... */
enum { FREEDOM_MAX = TB_FEW_READINGS - 1 };
static const double RARELY_OFF[FREEDOM_MAX] = {6366, 100, 28.0, 15.5, 11.2, 9.1, 7.9, 7.1, 6.6, 6.2, 5.9, 5.7, 5.5};
/* All readings may be late alike: by so many times their noise where each is late by up to the same. */
static const double LATE_ALIKE = 2;

static double sigmas(double n) { return SIGMAS * (1 + 4 / n); }

static void set_noise(struct tb_line_error *e, double noise) {
  e->noise = noise;
  e->slope_error = e->spread > 0 ? fmin(noise / sqrt(e->spread), UNKNOWN_RATE) : UNKNOWN_RATE;
}

struct tb_line_error tb_line_error(double n, const struct tb_reading_noise *noise, double spread) {
  struct tb_line_error e = {.most = noise->most, .spread = spread, .rate_change = RATE_CHANGE, .by_noise = true};
  double freedom = n > 2 ? n - 2 : 0, sigma;
  bool exact = n > 4 && noise->most <= 1; /* of fewer readings by chance */
  if (exact)
    sigma = noise->most / 2;
  else
    sigma = sqrt((noise->squares + USUAL_WEIGHT * USUAL_NOISE_NS * USUAL_NOISE_NS) / (freedom + USUAL_WEIGHT));
  e.shows_noise = n >= 3;
  if (freedom > 0) e.most = fmax(e.most, LATE_ALIKE * sqrt(noise->squares / freedom));
  if (!e.shows_noise) e.most = TB_READING_BUSY_NS;
  set_noise(&e, sigmas(n) * sigma);
  if (n < 2 || spread <= 0) return e;
  double error = sigma / sqrt(spread);
  e.slope_trust = USUAL_RATE * USUAL_RATE / (USUAL_RATE * USUAL_RATE + error * error);
  return e;
}

struct tb_line_error tb_level_error(const struct tb_line_error *error) {
  struct tb_line_error e = *error;
  e.slope_error = e.rate_change = e.turn = 0;
  return e;
}

static double shown_by(const struct tb_reading_noise *noise) {
  if (!noise || !noise->freedom) return 0;
  return fmax(LEAST_SHOWN_NS, sqrt(noise->squares / (double)noise->freedom));
}

static double rarely_off(size_t freedom) { return RARELY_OFF[(freedom < FREEDOM_MAX ? freedom : FREEDOM_MAX) - 1]; }

/* Whether nothing excludes that a reader was stopped between its reads of the two clocks. Of two clocks that drift
 * three readings show one late one, of clocks of one rate two do. */
static bool may_be_late(const struct tb_reading_noise *noise, const struct tb_reading_noise *third) {
  static const double USUAL_NS = 5e3;
  if (third && third->encloses && 2 * third->most <= TB_READING_BUSY_NS) return false;
  return !noise->freedom || (noise->freedom == 1 && noise->most > USUAL_NS);
}

/* How far off each reading may be, by what is known of all noise: no more than on a busy host. */
static double each_off(const struct tb_reading_noise *noise, const struct tb_reading_noise *third) {
  struct tb_reading_noise all = *noise;
  double busy = fmax(TB_READING_BUSY_NS, 2 * noise->most);
  if (may_be_late(noise, third)) return TB_READING_LATE_NS;
  if (third) all.squares += third->squares, all.freedom += third->freedom;
  if (!all.freedom) return busy;
  return fmin(fmax(LEAST_OFF_NS, rarely_off(all.freedom) * shown_by(&all)), busy);
}

static double by_noise_at(const struct tb_line_error *e, const struct tb_line_readings *r, int64_t time) {
  double t = (double)((tb_wide)time - r->middle), level = e->shows_noise ? e->noise / sqrt(r->n) : 0,
         drift = e->slope_error * t;
  return e->most + sqrt(level * level + drift * drift);
}

static double by_each_at(const struct tb_line_error *e, const struct tb_line_readings *r, int64_t time) {
  tb_wide outside = time < r->first ? (tb_wide)r->first - time : time > r->last ? (tb_wide)time - r->last : 0;
  return e->each_off + e->turn * (double)outside;
}

/* Whether the readings' noise says less of how far off the line may be than their greatest lateness does. */
static bool is_noise_less(const struct tb_line_error *e) {
  const struct tb_line_readings *r = &e->readings;
  return fmax(by_noise_at(e, r, r->first), by_noise_at(e, r, r->last)) < e->each_off;
}

void tb_line_error_doubt(struct tb_line_error *e, double n, double slope, const struct tb_reading_noise *noise,
                         const struct tb_reading_noise *third) {
  if (n < 2 && may_be_late(noise, third)) e->most = TB_READING_LATE_NS;
  if (n < 2 || n > TB_FEW_READINGS) return;
  double span = (double)((tb_wide)e->readings.last - e->readings.first);
  e->each_off = noise->most + each_off(noise, third);
  double turn_most = fabs(slope) + 2 * UNKNOWN_RATE;
  e->turn = span > 0 ? fmin(2 * e->each_off / span, turn_most) : turn_most;
  struct tb_line_error by_noise = *e;
  if (noise->freedom) {
    double off = rarely_off(noise->freedom) * fmax(shown_by(noise), shown_by(third));
    by_noise.most = off;
    set_noise(&by_noise, fmax(e->noise, off));
  }
  bool less = noise->freedom && is_noise_less(&by_noise);
  if (less) *e = by_noise;
  e->by_each = !less;
  e->by_noise = less;
}

int64_t tb_line_error_at(const struct tb_line_error *e, const struct tb_line_readings *readings, int64_t time) {
  double off = e->by_noise ? by_noise_at(e, readings, time) : 0;
  if (e->by_each) off = fmax(off, by_each_at(e, readings, time));
  return tb_time_add(e->more_ns, tb_time_round(ceil(off)) + 1);
}

double tb_line_error_growth(const struct tb_line_error *e) {
  double growth = e->by_noise ? e->slope_error : 0;
  if (e->by_each) growth = fmax(growth, e->turn);
  return fmin(growth + e->rate_change, fmax(UNKNOWN_RATE, growth)) + e->more_rate;
}

enum tb_status tb_line_error_bound(const struct tb_line_error *e, int64_t first, int64_t last,
                                   const struct tb_allocator *allocator, struct tb_time_bound *bound) {
  const int64_t times[] = {first, e->readings.middle, last};
  struct tb_time_bound_point points[3] = {{0, 0}};
  size_t count = 0;
  for (size_t i = 0; i < 3; i++)
    if (!count || (times[i] > points[count - 1].time && times[i] <= last))
      points[count++] = (struct tb_time_bound_point){times[i], tb_line_error_at(e, &e->readings, times[i])};
  return tb_time_bound_create(bound, allocator, points, count, tb_line_error_growth(e));
}
