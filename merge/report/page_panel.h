/* SPDX-License-Identifier: Apache-2.0
 *
 * One drawing of residuals over time: its points, its scale, its band.
 */
#ifndef TB_MERGE_REPORT_PAGE_PANEL_H
#define TB_MERGE_REPORT_PAGE_PANEL_H

#include "merge/report/page_scale.h"

enum { TB_PAGE_PANEL_HEIGHT = 1000 };

/* What one drawing shows of an input: a fit, the messages, or the bound alone. */
struct tb_page_panel {
  const struct tb_page *page;
  size_t input, number;
  const struct tb_evidence *evidence; /* NULL: the messages, ... */
  bool has_messages;                  /* ... where there are any */
  int top;                            /* of the plot; names of marks are above */
  struct tb_page_scale scale;
};

/* Sets the scale so that all points and the bound are in the drawing. */
void tb_page_panel_set_scale(struct tb_page_panel *panel);
/* How many points are drawn, of either kind. */
void tb_page_panel_count(const struct tb_page_panel *panel, uint64_t *used, uint64_t *outliers);
/* The bound as a band, below all else; points and waits, above all else. */
void tb_page_panel_put_band(const struct tb_page_panel *panel);
void tb_page_panel_put_points(const struct tb_page_panel *panel);

#endif
