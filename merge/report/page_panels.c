/* SPDX-License-Identifier: Apache-2.0
 *
 * For each input and what it was placed by a drawing of residuals over time, with the bound as a band around 0.
 */
#include "merge/report/page_panel.h"

/* What the drawing shows, above it and as its title. */
static void put_subject(const struct tb_page_panel *p, bool with_name) {
  const struct tb_page *page = p->page;
  if (with_name) tb_page_put_text(page, page->report->inputs[p->input].name);
  if (with_name) tb_page_put(page, ": ");
  if (p->evidence) {
    tb_page_put(page, "%s%s", p->evidence->kind, strcmp(p->evidence->kind, "readings") ? " with " : " of ");
    tb_page_put_text(page, p->evidence->of);
  } else {
    tb_page_put(page, p->has_messages ? "messages" : "how far off times may be");
  }
}

static void put_panel_caption(const struct tb_page_panel *p) {
  const struct tb_page *page = p->page;
  const struct tb_merge_input_report *in = &page->report->inputs[p->input];
  uint64_t used, outliers;
  tb_page_panel_count(p, &used, &outliers);
  tb_page_put(page, "<p><b>");
  put_subject(p, false);
  tb_page_put(page, "</b>");
  if (p->evidence) {
    tb_page_put(page, ": %" PRIu64 " used, ", p->evidence->used);
    tb_page_put_outliers(page, p->evidence->outliers, "thrown out");
    if (used + outliers < p->evidence->used + p->evidence->outliers)
      tb_page_put(page, " (%" PRIu64 " and %" PRIu64 " drawn, evenly chosen)", used, outliers);
  } else if (p->has_messages) {
    tb_page_put(page,
                ": its time less the other end's, above 0 where it received, below where it sent; %" PRIu64 " drawn, ",
                used + outliers);
    tb_page_put_outliers(page, outliers, "run backwards");
  }
  if (in->has_bound && in->bound_ns) {
    tb_page_put(page, "; bound \xc2\xb1");
    tb_page_put_duration(page, (double)in->bound_ns);
    tb_page_put(page, " where there is evidence");
  }
  tb_page_put(page, p->scale.knee_ns ? ". Logarithmic scale.</p>\n" : ".</p>\n");
}

static void begin_panel(const struct tb_page_panel *p, int bottom) {
  const struct tb_page *page = p->page;
  uint64_t used, outliers;
  tb_page_panel_count(p, &used, &outliers);
  tb_page_put(page,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" class=\"panel\" viewBox=\"0 0 %d %d\" "
              "data-input=\"%zu\" data-limit-ns=\"%" PRId64 "\" data-knee-ns=\"%" PRId64 "\"",
              TB_PAGE_WIDTH, bottom + TB_PAGE_AXIS_HEIGHT, p->input, p->scale.limit_ns, p->scale.knee_ns);
  tb_page_put(page, " data-top=\"%d\" data-height=\"%d\"", p->top, TB_PAGE_PANEL_HEIGHT);
  if (p->evidence)
    tb_page_put(page, " data-kind=\"%s\" data-used=\"%" PRIu64 "\" data-outliers=\"%" PRIu64 "\"", p->evidence->kind,
                p->evidence->used, p->evidence->outliers);
  else
    tb_page_put(page, " data-kind=\"%s\"", p->has_messages ? "messages" : "bound");
  tb_page_put(page, " aria-labelledby=\"panel-%zu-%zu\"><title id=\"panel-%zu-%zu\">", p->input, p->number, p->input,
              p->number);
  put_subject(p, true);
  tb_page_put(page, "</title><desc>%" PRIu64 " points that count and %" PRIu64 " that do not</desc>\n", used, outliers);
}

static void put_panel(struct tb_page_panel *p) {
  const struct tb_page *page = p->page;
  p->top = tb_page_mark_names_height(page, p->input) + TB_PAGE_MARGIN;
  tb_page_panel_set_scale(p);
  put_panel_caption(p);
  begin_panel(p, p->top + TB_PAGE_PANEL_HEIGHT);
  tb_page_put_axis(page, p->top + TB_PAGE_PANEL_HEIGHT);
  tb_page_panel_put_band(p);
  tb_page_put_scale(page, &p->scale);
  tb_page_put_marks(page, p->input, p->top - TB_PAGE_MARGIN / 2, TB_PAGE_PANEL_HEIGHT + TB_PAGE_MARGIN / 2);
  tb_page_put_mark_names(page, p->input, p->top);
  tb_page_panel_put_points(p);
  tb_page_put(page, "</svg>\n");
  p->number++;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static bool has_messages(const struct tb_page *page, size_t input) {
  for (size_t i = 0; i < page->report->message_count; i++)
    if (page->report->messages[i].from == input || page->report->messages[i].to == input) return true;
  return false;
}

/* Whether there is a bound to be drawn: that of the input whose clock is the merged one is 0. */
static bool is_uncertain(const struct tb_merge_input_report *in) {
  for (size_t i = 0; in->has_bound && i < in->bound_count; i++)
    if (in->bounds[i].bound_ns > 0) return true;
  return false;
}

static void put_input_panels(const struct tb_page *page, size_t input) {
  const struct tb_merge_report *report = page->report;
  struct tb_page_panel panel = {.page = page, .input = input};
  tb_page_put(page, "<h3>");
  tb_page_put_text(page, report->inputs[input].name);
  tb_page_put(page, "</h3>\n");
  for (size_t i = 0; i < report->evidence_count; i++) {
    if (report->evidence[i].input != input) continue;
    panel.evidence = &report->evidence[i];
    put_panel(&panel);
  }
  panel.evidence = NULL;
  panel.has_messages = has_messages(page, input);
  if (panel.has_messages || (!panel.number && is_uncertain(&report->inputs[input]))) put_panel(&panel);
  if (panel.number) return;
  const struct tb_merge_input_report *in = &report->inputs[input];
  tb_page_put(page, "<p>");
  tb_page_put_text(page, in->why[0] ? in->why : tb_placement_text(in->placement));
  tb_page_put(page,
              in->has_bound ? ": its times are exact.</p>\n" : ": how far off its times may be is unknown.</p>\n");
}

void tb_page_put_panels(const struct tb_page *page) {
  tb_page_put(
      page,
      "<h2>Residuals and bounds</h2>\n<p><span class=\"key used\">\xe2\x97\x8f</span> how far a reading or match "
      "is from the fitted line (behind a clock's step: from the line there), "
      "<span class=\"key outlier\">\xe2\x97\x8f</span> thrown out, ");
  tb_page_put(page,
              "<span class=\"key band\">\xe2\x96\xa0</span> how far off the input's times may be; upright lines: "
              "<span class=\"key warning\">clocks set, late readings</span>, <span class=\"key info\">suspends</span>. "
              "Each drawing has a scale of its own.</p>\n");
  for (size_t i = 0; i < page->report->count; i++)
    if (tb_page_draws(&page->report->inputs[i])) put_input_panels(page, i);
}
