/* SPDX-License-Identifier: Apache-2.0
 *
 * Two clocks of one machine, read one after the other at many moments, as one relation.
 *
 * A snapshot reads x and y within a microsecond or so. Some snapshots are late: the reader was preempted between the
 * two reads. A wall clock may have been set in between (a step), a machine may have slept, which MONOTONIC does not
 * count. So y - x over x is a line in pieces, with points that are off:
 *
 *     y - x                    ,.-'        what is found: one drift for all pieces, since it is the oscillator's;
 *       |     *            ,.-'            a segment for each piece; the readings that are off are left out.
 *       |      ,.-'    * <- late           The main segment is the one with the longest time of readings. The relation
 *       is | ,.-'         *                   its line, also where other segments are: what stepped was the other
 *       clock. |       ^ step +----------------------- x
 *
 * Search: lines through two readings that no clock's drift rules out; the one that most readings are near to is the
 * first segment. The others follow with the same drift. If all segments together explain less than half of the
 * readings, the noise is larger than was tried, and the search goes on with a larger one. Least squares over what was
 * found then.
 */
#ifndef TB_MERGE_CLOCKS_READING_FIT_H
#define TB_MERGE_CLOCKS_READING_FIT_H

#include "merge/clocks/line_error.h"
#include "merge/clocks/residuals.h"
#include "merge/clocks/time_bound.h"
#include "merge/clocks/time_map.h"

/* How fast y may run against x. */
enum tb_reading_kind {
  TB_READING_SAME_RATE, /* one oscillator drives both: BOOTTIME and MONOTONIC */
  TB_READING_DRIFTS     /* up to 200 ppm: BOOTTIME and REALTIME */
};

/* Readings between two steps. */
struct tb_reading_segment {
  int64_t first, last; /* of its readings, on x */
  int64_t middle;      /* of their times */
  int64_t offset;      /* y - x at x0 */
  size_t count;        /* readings that it explains */
};

/* Owned by the caller; tb_reading_fit_free. In its main segment y = x + offset + drift * (x - x0). */
struct tb_reading_fit {
  const struct tb_allocator *allocator;
  enum tb_reading_kind kind;
  int64_t x0;
  double drift;        /* as a fraction */
  int64_t first, last; /* of all readings, on x */
  struct tb_reading_segment *segments;
  size_t segment_count, segment_capacity; /* in the order of time; at least one segment */
  size_t main;                            /* the segment with the longest time of readings */
  size_t used, thrown_out;
  int64_t largest_residual_ns;   /* the largest distance of a reading that was used */
  int64_t farthest_ns;           /* the largest distance of one that was thrown out */
  int64_t farthest_at;           /* and when that was read, on x */
  struct tb_reading_noise noise; /* of the readings that were used */
  struct tb_line_error error;    /* of the main segment's line */
  struct tb_time_bound bound;    /* of the main segment's line, on x; steps count, since either side may be right */
  struct tb_residuals residuals; /* of y, from the line of the reading's segment, or of the latest one before it */
};

/* TB_OK, TB_NO_MEMORY, TB_INVALID (no reading). `pairs` is sorted by x. `third` says how much a third clock's readings
 * are off in the same snapshots, which tells a host that reads its clocks at once from a busy one; NULL: there is none.
 */
TB_MUST_CHECK enum tb_status tb_reading_fit_make(struct tb_reading_fit *fit, const struct tb_allocator *allocator,
                                                 struct tb_time_anchor *pairs, size_t count, enum tb_reading_kind kind,
                                                 const struct tb_reading_noise *third);
void tb_reading_fit_free(struct tb_reading_fit *fit);

/* Adds the way from x to y, or back where `reversed`, each time by the line of its own segment. */
TB_MUST_CHECK enum tb_status tb_reading_fit_add_way(const struct tb_reading_fit *fit, struct tb_time_map *map,
                                                    bool reversed);
/* How far off times of y may be that go to x by that way, on x: between the readings around a step or a sleep, where it
 * is unknown which segment a time is in, its size counts. To be freed. */
TB_MUST_CHECK enum tb_status tb_reading_fit_bound_way(const struct tb_reading_fit *fit, struct tb_time_bound *bound);

/* By how much y is ahead of where the segment before would have it; 0 for the first segment. */
int64_t tb_reading_fit_step(const struct tb_reading_fit *fit, size_t segment);

#endif
