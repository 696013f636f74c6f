/* SPDX-License-Identifier: Apache-2.0
 *
 * Offset and drift from messages. With own time x, other time x + offset(x): a message from the other clock says offset >= sent -
 * received at x = received; one to it says offset <= received - sent at x = sent. A line between the lower and the upper
 * bounds meets them all. For a given drift the margin between the bounds is a concave function of it, so that its top
 * is found by narrowing; only corners of the convex hulls can touch the line.
 */
#include <math.h>
#include <stdlib.h>

#include "merge/clocks/line_fit.h"

enum { NARROW = 200, DROPS_MAX = 256 };
static const double DRIFT_MAX = 1e-3;

struct bound {
  double x, d;
  size_t message;
};

/* One side's bounds; hull: corners, `sign` +1 for bounds from below (their upper hull), -1 for those from above. */
struct side {
  struct bound *points, *hull;
  size_t count, hull_count;
  double sign;
};

static int compare_bound(const void *a, const void *b) {
  const struct bound *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return p->d < q->d ? -1 : p->d > q->d;
}

static void make_hull(struct side *side, const struct tb_line_fit_message *messages) {
  side->hull_count = 0;
  for (size_t i = 0; i < side->count; i++) {
    const struct bound *p = &side->points[i];
    if (messages[p->message].unmet) continue;
    while (side->hull_count > 1) {
      const struct bound *b = &side->hull[side->hull_count - 1], *a = b - 1;
      double turn = (b->x - a->x) * (p->d - a->d) - (b->d - a->d) * (p->x - a->x);
      if (turn * side->sign < 0) break;
      side->hull_count--;
    }
    side->hull[side->hull_count++] = *p;
  }
}

/* Where a line of this drift touches the side, as its offset at x = 0; *touch is the corner. */
static double touch(const struct side *side, double drift, size_t *corner) {
  double best = -side->sign * INFINITY;
  for (size_t i = 0; i < side->hull_count; i++) {
    double v = side->hull[i].d - drift * side->hull[i].x;
    if (side->sign > 0 ? v > best : v < best) {
      best = v;
      *corner = side->hull[i].message;
    }
  }
  return best;
}

struct sides {
  struct side low, high;
};

static double margin(const struct sides *s, double drift) {
  size_t corner;
  return touch(&s->high, drift, &corner) - touch(&s->low, drift, &corner);
}

/* The drift with the widest margin. */
static double widest(const struct sides *s) {
  double a = -DRIFT_MAX, b = DRIFT_MAX;
  for (int i = 0; i < NARROW; i++) {
    double p = a + (b - a) / 3, q = b - (b - a) / 3;
    if (margin(s, p) < margin(s, q))
      a = p;
    else
      b = q;
  }
  return (a + b) / 2;
}

/* The furthest drift from `good` towards `bad` that still leaves a margin. */
static double furthest(const struct sides *s, double good, double bad) {
  if (margin(s, bad) >= 0) return bad;
  for (int i = 0; i < NARROW; i++) {
    double middle = (good + bad) / 2;
    if (margin(s, middle) >= 0)
      good = middle;
    else
      bad = middle;
  }
  return good;
}

/* Half the range of offsets at x that feasible lines have: they are extreme at a drift where touch + drift * x is. */
static double half_range(const struct sides *s, double from, double to, double x) {
  double ends[2];
  for (int side = 0; side < 2; side++) {
    const struct side *which = side ? &s->high : &s->low;
    double sign = side ? 1 : -1, a = from, b = to;
    size_t corner;
    for (int i = 0; i < NARROW; i++) {
      double p = a + (b - a) / 3, q = b - (b - a) / 3;
      if (sign * (touch(which, p, &corner) + p * x) < sign * (touch(which, q, &corner) + q * x))
        a = p;
      else
        b = q;
    }
    ends[side] = touch(which, (a + b) / 2, &corner) + (a + b) / 2 * x;
  }
  return (ends[1] - ends[0]) / 2;
}

static void set_bound(const struct sides *s, double drift, double first, double last, struct tb_line_fit *fit) {
  double from = furthest(s, drift, -DRIFT_MAX), to = furthest(s, drift, DRIFT_MAX);
  double most = 0;
  const double at[3] = {first, 0, last};
  for (int i = 0; i < 3; i++) most = fmax(most, half_range(s, from, to, at[i]) * 2);
  fit->has_bound = true;
  fit->bound_ns = most < 9e18 ? (int64_t)ceil(most) : INT64_MAX;
}

/* Leaves out messages, the one that helps most first, until a line meets the rest. */
static double drop_unmet(struct sides *s, struct tb_line_fit_message *messages, struct tb_line_fit *fit) {
  double drift = widest(s);
  for (int drop = 0; drop < DROPS_MAX && margin(s, drift) < 0; drop++) {
    size_t corners[2] = {0, 0}, best = 0;
    double widest_yet = -INFINITY;
    (void)touch(&s->low, drift, &corners[0]);
    (void)touch(&s->high, drift, &corners[1]);
    for (int i = 0; i < 2; i++) {
      messages[corners[i]].unmet = true;
      make_hull(&s->low, messages);
      make_hull(&s->high, messages);
      double m = s->low.hull_count && s->high.hull_count ? margin(s, widest(s)) : -INFINITY;
      messages[corners[i]].unmet = false;
      if (m > widest_yet) {
        widest_yet = m;
        best = corners[i];
      }
    }
    if (widest_yet == -INFINITY) break;
    messages[best].unmet = true;
    fit->outliers++;
    make_hull(&s->low, messages);
    make_hull(&s->high, messages);
    drift = widest(s);
  }
  return drift;
}

static void fit_between(struct sides *s, struct tb_line_fit_message *messages, double first, double last, int64_t d0,
                        struct tb_line_fit *fit) {
  size_t corner;
  double level;
  if (!s->low.hull_count || !s->high.hull_count) {
    level = s->low.hull_count ? touch(&s->low, 0, &corner) : touch(&s->high, 0, &corner);
  } else {
    double drift = drop_unmet(s, messages, fit);
    level = (touch(&s->low, drift, &corner) + touch(&s->high, drift, &corner)) / 2;
    fit->drift = drift;
    set_bound(s, drift, first, last, fit);
  }
  fit->offset = tb_time_add(d0, tb_time_round(level));
}

static void sort_out(const struct tb_line_fit_message *messages, size_t count, int64_t d0, int64_t x0,
                     struct sides *s) {
  for (size_t i = 0; i < count; i++) {
    struct side *side = messages[i].from_other ? &s->low : &s->high;
    tb_wide x = (tb_wide)messages[i].own - x0, d = (tb_wide)messages[i].other - messages[i].own - d0;
    side->points[side->count++] = (struct bound){(double)x, (double)d, i};
  }
  qsort(s->low.points, s->low.count, sizeof(*s->low.points), compare_bound);
  qsort(s->high.points, s->high.count, sizeof(*s->high.points), compare_bound);
  make_hull(&s->low, messages);
  make_hull(&s->high, messages);
}

enum tb_status tb_line_fit_messages(const struct tb_allocator *a, struct tb_line_fit_message *messages, size_t count,
                                    struct tb_line_fit *fit) {
  *fit = (struct tb_line_fit){0};
  if (count == 0) return TB_INVALID;
  struct bound *memory = tb_alloc(a, 4 * count * sizeof(*memory));
  if (!memory) return TB_NO_MEMORY;
  struct sides s = {{memory, memory + count, 0, 0, 1}, {memory + 2 * count, memory + 3 * count, 0, 0, -1}};
  int64_t first = messages[0].own, last = first;
  for (size_t i = 0; i < count; i++) {
    messages[i].unmet = false;
    if (messages[i].own < first) first = messages[i].own;
    if (messages[i].own > last) last = messages[i].own;
  }
  tb_wide span = (tb_wide)last - first;
  fit->x0 = (int64_t)(first + span / 2);
  fit->span_ns = tb_time_clamp(span);
  int64_t d0 = tb_time_subtract(messages[0].other, messages[0].own);
  sort_out(messages, count, d0, fit->x0, &s);
  fit_between(&s, messages, (double)((tb_wide)first - fit->x0), (double)((tb_wide)last - fit->x0), d0, fit);
  fit->used = count - fit->outliers;
  tb_free(a, memory, 4 * count * sizeof(*memory));
  return TB_OK;
}
