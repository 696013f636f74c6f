/* SPDX-License-Identifier: Apache-2.0
 *
 * Which readings of two clocks are between the same steps: the search of reading_fit.h, and sums over what it found.
 */
#ifndef TB_MERGE_CLOCKS_READING_SEGMENTS_H
#define TB_MERGE_CLOCKS_READING_SEGMENTS_H

#include "merge/clocks/reading_fit.h"

enum {
  TB_NO_SEGMENT = -1,
  TB_SEGMENTS_MAX = 64,
  TB_READINGS_SAMPLE = 96 /* of many readings lines through pairs of so many are tried */
};
/* No computer's clock runs faster or slower than that against another one's. */
#define TB_READINGS_RATE_MAX 200e-6
/* What a snapshot's readings are usually off by at most. */
#define TB_READINGS_USUAL_NS 5e3
/* No reader is kept from its second read for longer: what a reading alone is further off by is a step or a sleep. */
#define TB_READINGS_LATE_MAX_NS 20e6

/* Readings relative to the middle one, so that doubles hold them exactly enough. Wholly public; the caller's. */
struct tb_readings {
  double *x, *d; /* d: y - x */
  int *segment;  /* which one explains it, or TB_NO_SEGMENT */
  size_t count;
};

/* Of a segment's readings: sums, and of squares and products of distances from the middle. */
struct tb_segment_sums {
  double n, x, d, xx, xd;
};

/* Gives each reading its segment, and `sums`, which has room for TB_SEGMENTS_MAX; *slope is one for all. Returns how
 * many segments there are, of which some may be empty. There is at least one reading. */
int tb_readings_find_segments(struct tb_readings *readings, enum tb_reading_kind kind, struct tb_segment_sums *sums,
                              double *slope);

/* The slope by least squares, a level for each segment; *spread: the sum of squares of distances in time. */
double tb_segments_slope(const struct tb_segment_sums *sums, int count, double *spread);
double tb_segment_level(const struct tb_segment_sums *sums, double slope);

/* Of the readings that have a segment; how many distances are independent is left at 0. */
struct tb_reading_noise tb_readings_measure(const struct tb_readings *readings, const struct tb_segment_sums *sums,
                                            double slope);
/* How many readings have a segment. */
size_t tb_readings_explained(const struct tb_readings *readings);

#endif
