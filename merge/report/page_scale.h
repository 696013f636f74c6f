/* SPDX-License-Identifier: Apache-2.0
 *
 * Scales of small times around 0: linear where all that is drawn is of one size, else nearly logarithmic, so that
 * residuals of nanoseconds and outliers of seconds are both seen.
 */
#ifndef TB_MERGE_REPORT_PAGE_SCALE_H
#define TB_MERGE_REPORT_PAGE_SCALE_H

#include "merge/report/page.h"

/* A value v is half * v / limit above the middle; with a knee half * asinh(v / knee) / asinh(limit / knee). */
struct tb_page_scale {
  int64_t limit_ns, knee_ns; /* knee 0: linear */
  int middle, half;          /* lengths in the drawing */
};

/* A scale for values up to `most`, most of which are up to `usual`. */
struct tb_page_scale tb_page_scale(double usual, double most, int middle, int half);
int tb_page_scale_y(const struct tb_page_scale *scale, double ns);
/* Lines and values left of the plot. */
void tb_page_put_scale(const struct tb_page *page, const struct tb_page_scale *scale);

#endif
