/* SPDX-License-Identifier: Apache-2.0
 *
 * How far off a line through readings may be: what the noise of the readings, their number and their spread in time
 * say.
 *
 * With n readings whose noise around a line is sigma, the line is off by sigma * sqrt(1/n + t^2/S) at a distance of t
 * from their middle, S being the sum of their squared distances from it. A bound is six times that, more for few
 * readings, and the largest distance of a reading, since all may have been read late alike.
 *
 * A few readings may have small residuals by chance. One thing holds for them all the same: the true line is as near to
 * each reading as a busy host takes between two clock reads.
 */
#ifndef TB_MERGE_CLOCKS_LINE_ERROR_H
#define TB_MERGE_CLOCKS_LINE_ERROR_H

#include "merge/clocks/time_bound.h"

struct tb_line_error {
  double n, sigma;                 /* readings, and their noise, ns */
  double spread;                   /* S, ns^2 */
  double slope_error, slope_trust; /* of the slope: how far off it may be; the part of it to be believed */
  double most;                     /* the largest distance of a reading, ns */
  int64_t middle;                  /* the middle of the readings' times */
  int64_t more_ns;                 /* added everywhere, ... */
  double rate_change, more_rate;   /* ... and for each nanosecond outside of the evidence */
  /* of few readings: how far off the line may be from the first to the last of them; how fast it may turn away outside;
   * 0: there are enough */
  double each_off, turn;
  int64_t first, last;
};

/* Of `n` readings around a line: the sum of their squared distances, the largest one, the spread of their times. */
struct tb_line_error tb_line_error(double n, double squares, double most, double spread);

/* Widens the bound by what a few readings, from `first` to `last`, leave open however small their residuals are. */
void tb_line_error_doubt(struct tb_line_error *error, int64_t first, int64_t last);

/* The same of clocks that have one rate: a line without a slope. */
struct tb_line_error tb_level_error(const struct tb_line_error *error);

/* The bound of the line, whose evidence reaches from `first` to `last`. TB_OK, TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_line_error_bound(const struct tb_line_error *error, int64_t first, int64_t last,
                                                 const struct tb_allocator *allocator, struct tb_time_bound *bound);

#endif
