/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of the report's page: text and numbers, the axis of time that all drawings have in common, drawings, lists.
 */
#ifndef TB_MERGE_REPORT_PAGE_H
#define TB_MERGE_REPORT_PAGE_H

#include <inttypes.h>

#include "json/emitter.h"
#include "merge/report/report.h"

/* Lengths in drawings, in tenths of a pixel or so: whole numbers, which no locale changes. */
enum {
  TB_PAGE_WIDTH = 9600,
  TB_PAGE_PLOT_LEFT = 1500,
  TB_PAGE_PLOT_WIDTH = 7900,
  TB_PAGE_AXIS_HEIGHT = 240,
  TB_PAGE_MARGIN = 60,
  TB_PAGE_TEXT_HEIGHT = 130,
  TB_PAGE_CHARACTER = 62 /* the width of one, about */
};

/* A report on its way to a page. */
struct tb_page {
  const struct tb_merge_report *report;
  struct tb_json_emit *out;
  bool has_time;          /* there is something with a time: first_ns is set */
  int64_t first_ns;       /* the earliest time that is drawn */
  uint64_t length;        /* to the latest one */
  const char *wall_input; /* whose wall clock read wall_ns at first_ns; NULL: none */
  int64_t wall_ns;
};

/* ---- page_text.c ---- */

/* Markup, whole numbers and constant words, at most 512 bytes. */
void tb_page_put(const struct tb_page *page, const char *format, ...) TB_PRINTF(2, 3);
/* Text that others chose. */
void tb_page_put_text(const struct tb_page *page, const char *text);
/* A number with so many decimals. */
void tb_page_put_number(const struct tb_page *page, double value, unsigned decimals);
/* Such as "1.500 ms". */
void tb_page_put_duration(const struct tb_page *page, double ns);
/* The same of a whole number of its unit and with its sign, "+2 ms". */
void tb_page_put_tick(const struct tb_page *page, double ns);
/* How many are not as they should be, in a colour where there are any: "3 thrown out". */
void tb_page_put_outliers(const struct tb_page *page, uint64_t count, const char *what);
/* The end of an input's name left of a plot, and all of it for those who point at it. */
void tb_page_put_name(const struct tb_page *page, const char *name, int y);
const char *tb_page_level(const struct tb_merge_note *note);

/* ---- page_axis.c ---- */

/* Whether an input has a place in drawings. */
bool tb_page_draws(const struct tb_merge_input_report *in);
void tb_page_find_span(struct tb_page *page);
int tb_page_x(const struct tb_page *page, int64_t ns);
/* Lines of that height, and times below them. */
void tb_page_put_axis(const struct tb_page *page, int height);

/* ---- page_marks.c ---- */

/* Whether the note is drawn with the input. */
bool tb_page_marks(const struct tb_merge_note *note, size_t input);
/* Lines at the input's notes that have a time. */
void tb_page_put_marks(const struct tb_page *page, size_t input, int top, int height);
/* Words for them in the rows above `bottom`, where there is room; and the height of these rows, 0 without notes. */
void tb_page_put_mark_names(const struct tb_page *page, size_t input, int bottom);
int tb_page_mark_names_height(const struct tb_page *page, size_t input);

/* ---- drawings and lists ---- */

void tb_page_put_timeline(const struct tb_page *page);
void tb_page_put_panels(const struct tb_page *page);
void tb_page_put_inputs(const struct tb_page *page);
void tb_page_put_notes(const struct tb_page *page);

#endif
