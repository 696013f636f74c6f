/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/report/page.h"

enum { TICKS_MAX = 8 };
static const uint64_t MINUTE = 60000000000, DAY = 86400000000000;

bool tb_page_draws(const struct tb_merge_input_report *in) { return in->has_time && !in->skipped; }

static void widen(struct tb_page *page, int64_t ns) {
  int64_t last = (int64_t)((uint64_t)page->first_ns + page->length);
  if (!page->has_time) page->first_ns = last = ns;
  page->has_time = true;
  if (ns < page->first_ns) page->first_ns = ns;
  if (ns > last) last = ns;
  page->length = (uint64_t)last - (uint64_t)page->first_ns;
}

/* The first input that knows says what a wall clock read when the drawings begin. */
static void find_wall_time(struct tb_page *page) {
  for (size_t i = 0; i < page->report->count && !page->wall_input; i++) {
    const struct tb_merge_input_report *in = &page->report->inputs[i];
    if (!tb_page_draws(in) || !in->has_wall_time) continue;
    page->wall_input = in->name;
    page->wall_ns = (int64_t)((uint64_t)in->wall_first_ns - ((uint64_t)in->first_ns - (uint64_t)page->first_ns));
  }
}

void tb_page_find_span(struct tb_page *page) {
  const struct tb_merge_report *report = page->report;
  for (size_t i = 0; i < report->count; i++) {
    const struct tb_merge_input_report *in = &report->inputs[i];
    if (!tb_page_draws(in)) continue;
    widen(page, in->first_ns);
    widen(page, in->last_ns);
    for (size_t k = 0; k < in->bound_count; k++) widen(page, in->bounds[k].time_ns);
  }
  for (size_t i = 0; i < report->note_count; i++)
    if (report->notes[i].has_time) widen(page, report->notes[i].time_ns);
  for (size_t i = 0; i < report->evidence_count; i++)
    for (size_t k = 0; k < report->evidence[i].count; k++) widen(page, report->evidence[i].points[k].time_ns);
  for (size_t i = 0; i < report->message_count; i++) {
    widen(page, report->messages[i].sent_ns);
    widen(page, report->messages[i].received_ns);
  }
  find_wall_time(page);
}

int tb_page_x(const struct tb_page *page, int64_t ns) {
  double since = (double)((uint64_t)ns - (uint64_t)page->first_ns);
  return TB_PAGE_PLOT_LEFT + (page->length ? (int)(TB_PAGE_PLOT_WIDTH * since / (double)page->length) : 0);
}

/* 1, 2 or 5 of a power of ten below a minute, whole parts of hours and days above, then days like the first. */
static uint64_t find_step(uint64_t length) {
  static const uint64_t factors[] = {1, 2, 5}, minutes[] = {1, 2, 5, 10, 30, 60, 120, 360, 720};
  uint64_t step = 1, power = 1;
  for (size_t i = 1; length / step > TICKS_MAX && step < MINUTE; i++) {
    if (i % 3 == 0) power *= 10;
    step = power * factors[i % 3];
  }
  if (step < MINUTE) return step;
  for (size_t i = 0; i < sizeof(minutes) / sizeof(minutes[0]); i++)
    if (length / (minutes[i] * MINUTE) <= TICKS_MAX) return minutes[i] * MINUTE;
  power = DAY;
  step = DAY;
  for (size_t i = 1; length / step > TICKS_MAX; i++) {
    if (i % 3 == 0) power *= 10;
    step = power * factors[i % 3];
  }
  return step;
}

static void put_time(const struct tb_page *page, uint64_t since, uint64_t step) {
  static const struct {
    uint64_t ns;
    const char *name;
  } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "\xc2\xb5s"}, {1, "ns"}};
  if (step >= DAY) {
    tb_page_put(page, "%" PRIu64 " d", since / DAY);
  } else if (step >= MINUTE) {
    tb_page_put(page, "%" PRIu64 " h %02" PRIu64 " min", since / MINUTE / 60, since / MINUTE % 60);
  } else {
    size_t i = 0;
    unsigned decimals = 0;
    while (units[i].ns > 1 && page->length < units[i].ns) i++;
    for (uint64_t one = step; one < units[i].ns; one *= 10) decimals++;
    tb_page_put_number(page, (double)since / (double)units[i].ns, decimals);
    tb_page_put(page, " %s", units[i].name);
  }
}

void tb_page_put_axis(const struct tb_page *page, int height) {
  uint64_t step = find_step(page->length);
  for (uint64_t i = 0; page->has_time && i <= page->length / step; i++) {
    int x = tb_page_x(page, (int64_t)((uint64_t)page->first_ns + i * step));
    tb_page_put(page, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"0\" y2=\"%d\"/>", x, x, height);
    tb_page_put(page, "<text class=\"tick\" x=\"%d\" y=\"%d\">", x, height + TB_PAGE_TEXT_HEIGHT + 20);
    put_time(page, i * step, step);
    tb_page_put(page, "</text>\n");
  }
}
