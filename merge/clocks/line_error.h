/* SPDX-License-Identifier: Apache-2.0
 *
 * How far off a line through readings may be: what the noise of the readings, their number and their spread in time
 * say.
 *
 * With n readings whose noise around a line is sigma, the line is off by sigma * sqrt(1/n + t^2/S) at a distance of t
 * from their middle, S being the sum of their squared distances from it. A bound is six times that, more for few
 * readings, and the largest distance of a reading, since all may have been read late alike.
 *
 * Few readings may be near to one line by chance, and so do not show their noise. Something else holds for them: if no
 * reading is off by more than r, the true line is within r of each, and so within r and the largest distance of the
 * fitted one from the first reading to the last. Two such lines may cross between these, and part outside.
 *
 *        r |``--..__        __..--``     r is what Student's distribution has once in 10,000 by the distances of all
 *          |        +------+             readings, those of a third clock that was read with the two, too; but 2 us at
 *   fitted |--------|------|--------     least, and at most what a busy host takes between two reads. Two readings
 *          |      __+------+__           without a third clock show no distance, and so have that.
 *        r |__--``  readings  ``--__
 *
 * One or two readings, and three that are on no line, leave open that one was late by milliseconds, since the reader
 * was stopped between the two reads. Then r is that, unless a third clock shows that it was not: it was read behind the
 * two, and at once.
 */
#ifndef TB_MERGE_CLOCKS_LINE_ERROR_H
#define TB_MERGE_CLOCKS_LINE_ERROR_H

#include "merge/clocks/time_bound.h"

/* Up to so many readings may be near one line by chance. */
enum { TB_FEW_READINGS = 14 };
/* How far off a reading may be that nothing is known of: what a busy host takes between two reads. */
enum { TB_READING_BUSY_NS = 105000 };
/* The same where a host may have stopped the reader between two reads. */
enum { TB_READING_LATE_NS = 5000000 };

/* What readings show of their noise by how far they are from a line, or a level. */
struct tb_reading_noise {
  double squares, most; /* the sum of the squared distances, and the largest one; ns */
  size_t freedom;       /* how many of them are independent */
  bool encloses;        /* of a third clock: a reader that was stopped between the two would have read it late, too */
};

/* One line of readings. */
struct tb_line_readings {
  double n;            /* how many they are */
  int64_t middle;      /* of their times */
  int64_t first, last; /* their times */
};

struct tb_line_error {
  double noise;                    /* ns; as often as the bound asks for */
  bool shows_noise;                /* else the readings are too few, and `most` is an assumption */
  double spread;                   /* S, ns^2 */
  double slope_error, slope_trust; /* of the slope: how far off it may be; the part of it to be believed */
  double most;                     /* the largest distance of a reading, or what it is taken to be; ns */
  struct tb_line_readings readings;
  int64_t more_ns;               /* added everywhere, ... */
  double rate_change, more_rate; /* ... and for each nanosecond outside of the evidence */
  /* of few readings: how far off the line may be from the first to the last of them; how fast it may turn away outside;
   * whether that counts alone, or the line's noise does, or the larger of both */
  double each_off, turn;
  bool by_noise, by_each;
};

/* Of `n` readings around lines of one slope: their noise, and the spread of their times. */
struct tb_line_error tb_line_error(double n, const struct tb_reading_noise *noise, double spread);

/* What few readings leave open: those of all lines, of which `error` has one, that has the slope. `third` is what a
 * third clock shows that was read with the two; NULL: there is none. */
void tb_line_error_doubt(struct tb_line_error *error, double n, double slope, const struct tb_reading_noise *noise,
                         const struct tb_reading_noise *third);

/* The same of clocks that have one rate: a line without a slope. */
struct tb_line_error tb_level_error(const struct tb_line_error *error);

/* How far off the line of `readings` may be at a time, ns; one of several that have one slope and one noise. */
int64_t tb_line_error_at(const struct tb_line_error *error, const struct tb_line_readings *readings, int64_t time);

/* For each nanosecond outside of the evidence. */
double tb_line_error_growth(const struct tb_line_error *error);

/* The bound of the line, whose evidence reaches from `first` to `last`. TB_OK, TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_line_error_bound(const struct tb_line_error *error, int64_t first, int64_t last,
                                                 const struct tb_allocator *allocator, struct tb_time_bound *bound);

#endif
