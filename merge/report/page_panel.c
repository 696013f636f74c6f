/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/report/page_panel.h"

#include <math.h>

enum { DOT = 40 };

/* ---- points ------------------------------------------------------------------------------------------------------ */

static size_t candidates(const struct tb_page_panel *p) {
  if (p->evidence) return p->evidence->count;
  return p->has_messages ? p->page->report->message_count : 0;
}

/* Point `i`; false where that is a message of other inputs. A message is above 0 where it was received, below where it
 * was sent: the input's time less the other's. */
static bool get_point(const struct tb_page_panel *p, size_t i, struct tb_evidence_point *point) {
  if (p->evidence) {
    *point = p->evidence->points[i];
    return true;
  }
  const struct tb_evidence_message *m = &p->page->report->messages[i];
  bool received = m->to == p->input;
  int64_t own = received ? m->received_ns : m->sent_ns, other = received ? m->sent_ns : m->received_ns;
  *point = (struct tb_evidence_point){
      .time_ns = own, .residual_ns = (int64_t)((uint64_t)own - (uint64_t)other), .is_outlier = m->is_backwards};
  return received || m->from == p->input;
}

void tb_page_panel_set_scale(struct tb_page_panel *p) {
  const struct tb_merge_input_report *in = &p->page->report->inputs[p->input];
  double usual = 0, most = 0, least_bound = INFINITY;
  for (size_t i = 0; i < candidates(p); i++) {
    struct tb_evidence_point point;
    if (!get_point(p, i, &point)) continue;
    double size = fabs((double)point.residual_ns) + (double)point.within_ns;
    most = fmax(most, size);
    if (!point.is_outlier) usual = fmax(usual, size);
  }
  for (size_t i = 0; in->has_bound && i < in->bound_count; i++) {
    most = fmax(most, (double)in->bounds[i].bound_ns);
    least_bound = fmin(least_bound, (double)in->bounds[i].bound_ns);
  }
  if (!(usual > 0) && isfinite(least_bound)) usual = fmax(least_bound, 1);
  p->scale = tb_page_scale(usual, most, p->top + TB_PAGE_PANEL_HEIGHT / 2, TB_PAGE_PANEL_HEIGHT / 2);
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

void tb_page_panel_put_band(const struct tb_page_panel *p) {
  const struct tb_page *page = p->page;
  const struct tb_merge_input_report *in = &page->report->inputs[p->input];
  if (!in->has_bound) return;
  tb_page_put(page, "<polygon class=\"band\" data-bound-ns=\"%" PRId64 "\" points=\"", in->bound_ns);
  for (size_t i = 0; i < in->bound_count; i++)
    tb_page_put(page, "%d,%d ", tb_page_x(page, in->bounds[i].time_ns),
                tb_page_scale_y(&p->scale, (double)in->bounds[i].bound_ns));
  for (size_t i = in->bound_count; i-- > 0;)
    tb_page_put(page, "%d,%d ", tb_page_x(page, in->bounds[i].time_ns),
                tb_page_scale_y(&p->scale, -(double)in->bounds[i].bound_ns));
  tb_page_put(page, "\"/>\n");
  for (size_t i = 0; i < in->bound_count && !p->number; i++) {
    const struct tb_merge_bound *at = &in->bounds[i];
    tb_page_put(page,
                "<circle class=\"bound\" r=\"20\" cx=\"%d\" cy=\"%d\" data-time-ns=\"%" PRId64
                "\" data-bound-ns=\"%" PRId64 "\"><title>\xc2\xb1",
                tb_page_x(page, at->time_ns), tb_page_scale_y(&p->scale, (double)at->bound_ns), at->time_ns,
                at->bound_ns);
    tb_page_put_duration(page, (double)at->bound_ns);
    tb_page_put(page, "</title></circle>\n");
  }
}

/* The waits of clock_sync events: the truth is somewhere in each. */
static void put_waits(const struct tb_page_panel *p) {
  struct tb_evidence_point point;
  for (size_t i = 0; i < candidates(p); i++) {
    if (!get_point(p, i, &point) || !point.within_ns) continue;
    int x = tb_page_x(p->page, point.time_ns);
    double middle = (double)point.residual_ns, within = (double)point.within_ns;
    tb_page_put(p->page, "<line class=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n",
                point.is_outlier ? "backwards" : "wait", x, x, tb_page_scale_y(&p->scale, middle + within),
                tb_page_scale_y(&p->scale, middle - within));
  }
}

void tb_page_panel_put_points(const struct tb_page_panel *p) {
  const struct tb_page *page = p->page;
  struct tb_evidence_point point;
  put_waits(p);
  tb_page_put(page, "<path class=\"used\" d=\"");
  for (size_t i = 0; i < candidates(p); i++)
    if (get_point(p, i, &point) && !point.is_outlier)
      tb_page_put(page, "M%d %dh0", tb_page_x(page, point.time_ns),
                  tb_page_scale_y(&p->scale, (double)point.residual_ns));
  tb_page_put(page, "\"/>\n");
  for (size_t i = 0; i < candidates(p); i++) {
    if (!get_point(p, i, &point) || !point.is_outlier) continue;
    tb_page_put(page,
                "<circle class=\"outlier\" r=\"%d\" cx=\"%d\" cy=\"%d\" data-time-ns=\"%" PRId64
                "\" data-residual-ns=\"%" PRId64 "\"><title>",
                DOT, tb_page_x(page, point.time_ns), tb_page_scale_y(&p->scale, (double)point.residual_ns),
                point.time_ns, point.residual_ns);
    tb_page_put_duration(page, (double)point.residual_ns);
    tb_page_put(page, "</title></circle>\n");
  }
}

void tb_page_panel_count(const struct tb_page_panel *p, uint64_t *used, uint64_t *outliers) {
  struct tb_evidence_point point;
  *used = *outliers = 0;
  for (size_t i = 0; i < candidates(p); i++) {
    if (!get_point(p, i, &point)) continue;
    *used += !point.is_outlier;
    *outliers += point.is_outlier;
  }
}
