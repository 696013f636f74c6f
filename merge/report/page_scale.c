/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/report/page_scale.h"

#include <math.h>

#include "base/times.h"

enum { TICK_DISTANCE = 130 };
static const double LINEAR_UP_TO = 10, KNEE = 10, MARGIN = 1.15;

struct tb_page_scale tb_page_scale(double usual, double most, int middle, int half) {
  double limit = fmax(most, 1) * MARGIN, knee = usual > 0 ? fmax(usual / KNEE, 1) : 0;
  bool is_linear = !(knee > 0) || most <= LINEAR_UP_TO * usual;
  return (struct tb_page_scale){tb_time_round(ceil(limit)), is_linear ? 0 : tb_time_round(ceil(knee)), middle, half};
}

int tb_page_scale_y(const struct tb_page_scale *scale, double ns) {
  double limit = (double)scale->limit_ns, knee = (double)scale->knee_ns;
  double part = knee > 0 ? asinh(ns / knee) / asinh(limit / knee) : ns / limit;
  return scale->middle - (int)lround(scale->half * fmax(-1, fmin(1, part)));
}

static void put_tick(const struct tb_page *page, const struct tb_page_scale *scale, double ns) {
  int y = tb_page_scale_y(scale, ns);
  tb_page_put(page,
              "<line class=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/><text class=\"name\" x=\"%d\" y=\"%d\">",
              ns != 0 ? "grid" : "zero", TB_PAGE_PLOT_LEFT, TB_PAGE_PLOT_LEFT + TB_PAGE_PLOT_WIDTH, y, y,
              TB_PAGE_PLOT_LEFT - TB_PAGE_MARGIN, y + 40);
  tb_page_put_tick(page, ns);
  tb_page_put(page, "</text>\n");
}

static double power_below(double ns) {
  double power = 1;
  while (power * 10 <= ns) power *= 10;
  return power;
}

/* A linear scale has one tick at either side, at 1, 2 or 5 of a power of ten; a logarithmic one powers of ten. */
static double first_tick(const struct tb_page_scale *scale) {
  double limit = (double)scale->limit_ns, power = power_below(limit);
  if (scale->knee_ns) return power;
  return limit >= 5 * power ? 5 * power : limit >= 2 * power ? 2 * power : power;
}

void tb_page_put_scale(const struct tb_page *page, const struct tb_page_scale *scale) {
  int above = scale->middle - scale->half - TICK_DISTANCE;
  double tick = first_tick(scale);
  put_tick(page, scale, 0);
  while (tick >= 1) {
    int y = tb_page_scale_y(scale, tick);
    if (scale->middle - y < TICK_DISTANCE) break;
    if (y - above >= TICK_DISTANCE) {
      put_tick(page, scale, tick);
      put_tick(page, scale, -tick);
      above = y;
      if (!scale->knee_ns) break;
    }
    tick /= 10;
  }
}
