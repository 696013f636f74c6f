/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/time_map.h"

#include <stdlib.h>

#include "base/search.h"

enum { READING_NS = 2000, STEP_NS = 1000000, STEP_PPM = 500, ANCHORS_MAX = 1 << 26, STAGES_MAX = 1 << 16 };
static const double DRIFT_LEAST = 1e-14; /* not a nanosecond a day */

void tb_time_map_init(struct tb_time_map *map, const struct tb_allocator *allocator) {
  *map = (struct tb_time_map){.allocator = allocator};
}

void tb_time_map_free(struct tb_time_map *map) {
  for (size_t i = 0; i < map->count; i++)
    tb_free(map->allocator, map->stages[i].anchors, map->stages[i].count * sizeof(struct tb_time_anchor));
  tb_free(map->allocator, map->stages, map->capacity * sizeof(*map->stages));
  *map = (struct tb_time_map){.allocator = map->allocator};
}

static int compare_x(const void *a, const void *b) {
  const struct tb_time_anchor *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return p->y < q->y ? -1 : p->y > q->y;
}

static int compare_offset(const void *a, const void *b) {
  const struct tb_time_anchor *p = a, *q = b;
  tb_wide d = ((tb_wide)p->y - p->x) - ((tb_wide)q->y - q->x);
  return d < 0 ? -1 : d > 0;
}

/* One anchor in place of all where they agree; `anchors` may be put in another order. */
static bool agree(struct tb_time_anchor *anchors, size_t count) {
  qsort(anchors, count, sizeof(*anchors), compare_offset);
  tb_wide least = (tb_wide)anchors[0].y - anchors[0].x, most = (tb_wide)anchors[count - 1].y - anchors[count - 1].x;
  if (most - least > READING_NS) return false;
  anchors[0] = anchors[count / 2];
  return true;
}

/* Keeps one anchor of those with the same x, and drops the inner ones of a row with one offset. */
static size_t thin(struct tb_time_anchor *a, size_t count) {
  size_t kept = 1;
  for (size_t i = 1; i < count; i++) {
    if (a[i].x == a[kept - 1].x) continue;
    bool collinear = kept > 1 && (tb_wide)a[i].y - a[i].x == (tb_wide)a[kept - 1].y - a[kept - 1].x &&
                     (tb_wide)a[i].y - a[i].x == (tb_wide)a[kept - 2].y - a[kept - 2].x;
    if (collinear) kept--;
    a[kept++] = a[i];
  }
  return kept;
}

static enum tb_status add_stage(struct tb_time_map *map, const struct tb_time_anchor *anchors, size_t count,
                                enum tb_time_stage_kind kind, double drift) {
  void *stages = map->stages;
  enum tb_status status =
      tb_grow_array(map->allocator, &stages, &map->capacity, map->count + 1, sizeof(*map->stages), STAGES_MAX);
  map->stages = stages;
  if (status != TB_OK) return status;
  struct tb_time_anchor *copy = tb_alloc(map->allocator, count * sizeof(*copy));
  if (!copy) return TB_NO_MEMORY;
  memcpy(copy, anchors, count * sizeof(*copy));
  map->stages[map->count++] = (struct tb_time_stage){copy, count, kind, drift};
  return TB_OK;
}

/* A copy of the anchors, turned round where `reversed`; NULL: memory is out. */
static struct tb_time_anchor *copy_anchors(const struct tb_time_map *map, const struct tb_time_anchor *anchors,
                                           size_t count, bool reversed) {
  struct tb_time_anchor *copy = tb_alloc(map->allocator, count * sizeof(*copy));
  for (size_t i = 0; i < count && copy; i++)
    copy[i] = reversed ? (struct tb_time_anchor){anchors[i].y, anchors[i].x} : anchors[i];
  return copy;
}

enum tb_status tb_time_map_add(struct tb_time_map *map, const struct tb_time_anchor *anchors, size_t count,
                               bool reversed) {
  if (count == 0) return TB_INVALID;
  if (count > ANCHORS_MAX) return TB_LIMIT;
  struct tb_time_anchor *work = copy_anchors(map, anchors, count, reversed);
  if (!work) return TB_NO_MEMORY;
  enum tb_status status;
  if (agree(work, count)) {
    status = tb_time_map_add_line(map, work[0].x, tb_time_subtract(work[0].y, work[0].x), 0, false);
  } else {
    qsort(work, count, sizeof(*work), compare_x);
    status = add_stage(map, work, thin(work, count), TB_TIME_ANCHORS, 0);
  }
  tb_free(map->allocator, work, count * sizeof(*work));
  return status;
}

static double reversed_drift(double drift) { return 1 / (1 + drift) - 1; }

enum tb_status tb_time_map_add_steps(struct tb_time_map *map, const struct tb_time_anchor *anchors, size_t count,
                                     double drift, bool reversed) {
  if (count == 0) return TB_INVALID;
  struct tb_time_anchor *work = copy_anchors(map, anchors, count, reversed);
  if (!work) return TB_NO_MEMORY;
  qsort(work, count, sizeof(*work), compare_x);
  enum tb_status status = add_stage(map, work, count, TB_TIME_STEPS, reversed ? reversed_drift(drift) : drift);
  tb_free(map->allocator, work, count * sizeof(*work));
  return status;
}

static int64_t apply_line(const struct tb_time_anchor *a, double drift, int64_t time) {
  tb_wide y = (tb_wide)a->y + ((tb_wide)time - a->x);
  if (drift != 0) y += tb_time_round((double)((tb_wide)time - a->x) * drift);
  return tb_time_clamp(y);
}

enum tb_status tb_time_map_add_line(struct tb_time_map *map, int64_t x0, int64_t offset, double drift, bool reversed) {
  struct tb_time_anchor anchor = {x0, tb_time_add(x0, offset)};
  if (reversed) {
    anchor = (struct tb_time_anchor){anchor.y, anchor.x};
    drift = reversed_drift(drift);
  }
  if (anchor.x == anchor.y && drift == 0) return TB_OK;
  struct tb_time_stage *last = map->count ? &map->stages[map->count - 1] : NULL;
  if (!last || last->kind != TB_TIME_LINE) return add_stage(map, &anchor, 1, TB_TIME_LINE, drift);
  last->anchors[0].y = apply_line(&anchor, drift, last->anchors[0].y);
  last->drift += drift + last->drift * drift;
  if (fabs(last->drift) < DRIFT_LEAST) last->drift = 0; /* there and back again */
  return TB_OK;
}

static bool is_step(const struct tb_time_anchor *a, const struct tb_time_anchor *b) {
  tb_wide dx = (tb_wide)b->x - a->x, dy = (tb_wide)b->y - a->y, off = dy > dx ? dy - dx : dx - dy;
  return off * 1000000 > dx * STEP_PPM && off > STEP_NS;
}

static int64_t apply_stage(const struct tb_time_stage *stage, int64_t time) {
  const struct tb_time_anchor *a = stage->anchors;
  size_t low = 0; /* a[low - 1].x <= time < a[low].x */
  TB_LOWER_BOUND(low, stage->count, i, a[i].x <= time);
  const struct tb_time_anchor *left = low ? &a[low - 1] : &a[0];
  if (low == 0 || low == stage->count || stage->kind == TB_TIME_STEPS || is_step(left, left + 1))
    return apply_line(left, stage->drift, time);
  tb_wide dx = (tb_wide)left[1].x - left->x, dy = (tb_wide)left[1].y - left->y, at = (tb_wide)time - left->x;
  tb_wide extra = at * (dy - dx), half = dx / 2; /* dy - dx is small: no overflow */
  return tb_time_clamp((tb_wide)left->y + at + (extra >= 0 ? (extra + half) / dx : (extra - half) / dx));
}

int64_t tb_time_map_apply(const struct tb_time_map *map, int64_t time) {
  for (size_t i = 0; i < map->count; i++) time = apply_stage(&map->stages[i], time);
  return time;
}

bool tb_time_map_is_offset(const struct tb_time_map *map, int64_t *offset) {
  tb_wide sum = 0;
  for (size_t i = 0; i < map->count; i++) {
    const struct tb_time_stage *stage = &map->stages[i];
    if (stage->count != 1 || stage->drift != 0) return false; /* one anchor of any kind is an offset */
    sum += (tb_wide)stage->anchors[0].y - stage->anchors[0].x;
  }
  *offset = tb_time_clamp(sum);
  return true;
}
