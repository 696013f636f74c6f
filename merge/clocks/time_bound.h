/* SPDX-License-Identifier: Apache-2.0
 *
 * How far off a time may be that was moved from one clock to another.
 *
 * A relation between two clocks is known where there is evidence for it (readings, matches, messages), and the less the
 * further away from it: a bound is a polygon over time within the evidence, and grows outside. Bounds along a way of
 * several relations add up.
 *
 *      ns |\                         /
 *         | \______                 /   growth: a fraction of the distance
 *         |        \_______________/
 *         +-----------------------------> time, on the clock that the relation starts from
 *            first point      last point
 */
#ifndef TB_MERGE_CLOCKS_TIME_BOUND_H
#define TB_MERGE_CLOCKS_TIME_BOUND_H

#include "base/memory.h"
#include "base/times.h"

/* Two points of one time are a jump; the larger one counts at it. */
struct tb_time_bound_point {
  int64_t time;
  int64_t bound_ns; /* not negative */
};

/* Linear between points, which are in the order of time. Without points there is no doubt: the bound is 0. A bound of
 * INT64_MAX means that nothing is known. */
struct tb_time_bound {
  struct tb_time_bound_point *points; /* owned */
  size_t count;
  double growth; /* as a fraction: 1e-6 is 1 us for each second before the first point or after the last */
};

/* A bound of copied points. TB_OK, TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_time_bound_create(struct tb_time_bound *bound, const struct tb_allocator *allocator,
                                                  const struct tb_time_bound_point *points, size_t count,
                                                  double growth);
void tb_time_bound_free(struct tb_time_bound *bound, const struct tb_allocator *allocator);

/* Puts points into the order of time. */
void tb_time_bound_sort(struct tb_time_bound_point *points, size_t count);

/* The bound at a time, ns, rounded up; INT64_MAX at most. */
int64_t tb_time_bound_at(const struct tb_time_bound *bound, int64_t time);

/* A sum of bounds bends where one of them does; where one jumps, right before and right after as well. */
enum { TB_TIME_BOUND_BENDS = 3 };

/* Whether the bound jumps at the time of a point: the point before it has the same time. */
static inline bool tb_time_bound_jumps_at(const struct tb_time_bound *bound, size_t point) {
  return point > 0 && bound->points[point - 1].time == bound->points[point].time;
}

#endif
