/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/time_bound.h"

#include <math.h>
#include <stdlib.h>

#include "base/search.h"

enum tb_status tb_time_bound_create(struct tb_time_bound *bound, const struct tb_allocator *allocator,
                                    const struct tb_time_bound_point *points, size_t count, double growth) {
  *bound = (struct tb_time_bound){.growth = growth};
  if (!count) return TB_OK;
  bound->points = tb_alloc(allocator, count * sizeof(*points));
  if (!bound->points) return TB_NO_MEMORY;
  memcpy(bound->points, points, count * sizeof(*points));
  bound->count = count;
  return TB_OK;
}

void tb_time_bound_free(struct tb_time_bound *bound, const struct tb_allocator *allocator) {
  tb_free(allocator, bound->points, bound->count * sizeof(*bound->points));
  *bound = (struct tb_time_bound){0};
}

static int compare_time(const void *a, const void *b) {
  const struct tb_time_bound_point *p = a, *q = b;
  return p->time < q->time ? -1 : p->time > q->time;
}

void tb_time_bound_sort(struct tb_time_bound_point *points, size_t count) {
  qsort(points, count, sizeof(*points), compare_time);
}

static int64_t grown(const struct tb_time_bound *bound, int64_t base, int64_t from, int64_t to) {
  return tb_time_add(base, tb_time_round(ceil((double)((tb_wide)to - from) * bound->growth)));
}

int64_t tb_time_bound_at(const struct tb_time_bound *bound, int64_t time) {
  const struct tb_time_bound_point *p = bound->points;
  if (!bound->count) return 0;
  size_t low = 0; /* p[low - 1].time <= time < p[low].time */
  TB_LOWER_BOUND(low, bound->count, i, p[i].time <= time);
  if (low == 0) return grown(bound, p[0].bound_ns, time, p[0].time);
  const struct tb_time_bound_point *left = &p[low - 1];
  if (left->time == time) {
    int64_t most = left->bound_ns;
    for (size_t i = low - 1; i-- > 0 && p[i].time == time;) most = p[i].bound_ns > most ? p[i].bound_ns : most;
    return most;
  }
  if (low == bound->count) return grown(bound, left->bound_ns, left->time, time);
  double share = (double)((tb_wide)time - left->time) / (double)((tb_wide)left[1].time - left->time);
  return tb_time_round(ceil((double)left->bound_ns + share * ((double)left[1].bound_ns - (double)left->bound_ns)));
}
