/* SPDX-License-Identifier: Apache-2.0
 *
 * The sync report as one page: well-formed XHTML that is HTML too, with drawings in SVG, without scripts and without
 * anything from elsewhere. Numbers that are drawn are data-*-ns attributes too, for scripts that read the page.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "merge/report/render.h"
#include "merge/report/time_text.h"
#include "tracebridge/escape.h"

/* Lengths in the drawings, in tenths of a pixel: whole numbers, which no locale changes. */
enum {
  PAGE_WIDTH = 9600,
  NAMES_WIDTH = 2100,
  PLOT_WIDTH = 7000,
  AXIS_HEIGHT = 240,
  BAR_ROW = 240,
  BAR_HEIGHT = 140,
  BOUND_ROW = 560,
  BOUND_HEIGHT = 400,
  ROW_MARGIN = 60
};

enum { TICKS_MAX = 8, NAME_CHARACTERS = 28, PIECE_MAX = 512 };

struct page {
  const struct tb_merge_report *report;
  struct tb_json_emit *out;
  bool has_time;    /* there is something with a time: first_ns is set */
  int64_t first_ns; /* the earliest time that is drawn */
  uint64_t length;  /* to the latest one */
};

static const char head[] =
    "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head><meta charset=\"UTF-8\"/>\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
    "<title>Merge report</title><style>\n"
    "body { font: 14px sans-serif; max-width: 75em; margin: 1em auto; padding: 0 1em; color: #222; background: #fff }\n"
    "table { border-collapse: collapse } td, th { border: 1px solid #ccc; padding: 2px 6px; text-align: left }\n"
    "td { overflow-wrap: anywhere } td.n { text-align: right; font-variant-numeric: tabular-nums }\n"
    "svg { width: 100%; break-inside: avoid } svg text { font: 110px sans-serif; fill: #222 }\n"
    "svg .name { text-anchor: end } svg .tick { text-anchor: middle } .bar, circle { fill: #4a7db5 }\n"
    "line { stroke: #ddd; stroke-width: 10 } .bound { fill: none; stroke: #4a7db5; stroke-width: 10 }\n"
    "line.info { stroke: #777; stroke-width: 20 } line.warning { stroke: #c33; stroke-width: 20 }\n"
    "li.warning b { color: #a11 }\n</style></head><body>\n";

static const char table_head[] =
    "</svg>\n<h2>Inputs</h2>\n<table id=\"inputs\"><tr><th>name</th><th>placed by</th><th>offset</th><th>drift</th>"
    "<th>residual</th><th>bound</th><th>matches</th><th>thrown out</th><th>first (ns)</th><th>last (ns)</th></tr>\n";

/* Markup, whole numbers and constant words, at most PIECE_MAX bytes. */
static void put(const struct page *page, const char *format, ...) TB_PRINTF(2, 3);
static void put(const struct page *page, const char *format, ...) {
  char piece[PIECE_MAX];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(piece, sizeof(piece), format, args);
  va_end(args);
  if (n > 0 && (size_t)n < sizeof(piece)) tb_json_emit_raw(page->out, piece, (size_t)n);
}

/* Text that others chose. */
static void put_text(const struct page *page, const char *text) {
  tb_json_emit_escaped(page->out, TB_ESCAPE_HTML, tb_str_from(text));
}

static void put_duration(const struct page *page, double ns) {
  static const struct {
    double ns;
    const char *name;
  } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\xc2\xb5s"}, {1, "ns"}};
  double size = ns < 0 ? -ns : ns;
  size_t i = 0;
  while (units[i].ns > 1 && size < units[i].ns) i++;
  tb_json_emit_fixed(page->out, ns / units[i].ns, units[i].ns > 1 ? 3 : 0);
  put(page, " %s", units[i].name);
}

/* ---- drawings ---------------------------------------------------------------------------------------------------- */

static bool is_drawn(const struct tb_merge_input_report *in) { return in->has_time && !in->skipped; }

static void widen(struct page *page, int64_t ns) {
  int64_t last = (int64_t)((uint64_t)page->first_ns + page->length);
  if (!page->has_time) page->first_ns = last = ns;
  page->has_time = true;
  if (ns < page->first_ns) page->first_ns = ns;
  if (ns > last) last = ns;
  page->length = (uint64_t)last - (uint64_t)page->first_ns;
}

static void find_span(struct page *page) {
  const struct tb_merge_report *report = page->report;
  for (size_t i = 0; i < report->count; i++) {
    const struct tb_merge_input_report *in = &report->inputs[i];
    if (!is_drawn(in)) continue;
    widen(page, in->first_ns);
    widen(page, in->last_ns);
    for (size_t k = 0; k < in->bound_count; k++) widen(page, in->bounds[k].time_ns);
  }
  for (size_t i = 0; i < report->note_count; i++)
    if (report->notes[i].has_time) widen(page, report->notes[i].time_ns);
}

static int x_of(const struct page *page, int64_t ns) {
  double since = (double)((uint64_t)ns - (uint64_t)page->first_ns);
  return NAMES_WIDTH + (page->length ? (int)(PLOT_WIDTH * since / (double)page->length) : 0);
}

static void put_axis(const struct page *page, size_t height) {
  static const uint64_t factors[] = {1, 2, 5};
  uint64_t step = 1, power = 1;
  for (size_t i = 1; page->length / step > TICKS_MAX; i++) {
    if (i % 3 == 0) power *= 10;
    step = power * factors[i % 3];
  }
  unsigned decimals = 9;
  for (uint64_t rest = step; rest >= 10 && decimals; rest /= 10) decimals--;
  for (uint64_t i = 0; page->has_time && i <= page->length / step; i++) {
    int x = x_of(page, (int64_t)((uint64_t)page->first_ns + i * step));
    put(page, "<line x1=\"%d\" x2=\"%d\" y1=\"0\" y2=\"%zu\"/>", x, x, height);
    put(page, "<text class=\"tick\" x=\"%d\" y=\"%zu\">", x, height + AXIS_HEIGHT / 2);
    tb_json_emit_fixed(page->out, (double)(i * step) / 1e9, decimals);
    put(page, " s</text>\n");
  }
}

/* Begins a drawing with a row of that height for each input. */
static void begin_drawing(const struct page *page, const char *id, size_t row) {
  size_t height = row * page->report->count;
  put(page, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" id=\"%s\" viewBox=\"0 0 %d %zu\"", id, PAGE_WIDTH,
      height + AXIS_HEIGHT);
  if (page->has_time) put(page, " data-first-ns=\"%" PRId64 "\"", page->first_ns);
  put(page, ">\n");
  put_axis(page, height);
}

/* The end of the name, and all of it for those who point at it. */
static void put_name(const struct page *page, const char *name, size_t y) {
  const char *from = name + strlen(name);
  for (size_t left = NAME_CHARACTERS; from > name && left; from--)
    if (((unsigned char)from[-1] & 0xc0) != 0x80) left--;
  put(page, "<text class=\"name\" x=\"%d\" y=\"%zu\">%s", NAMES_WIDTH - ROW_MARGIN, y,
      from > name ? "\xe2\x80\xa6" : "");
  put_text(page, from);
  put(page, "<title>");
  put_text(page, name);
  put(page, "</title></text>\n");
}

static void draw_input(const struct page *page, const struct tb_merge_input_report *in, size_t y) {
  put_name(page, in->name, y + BAR_HEIGHT);
  if (!is_drawn(in)) return;
  int x = x_of(page, in->first_ns), width = x_of(page, in->last_ns) - x;
  put(page,
      "<rect class=\"bar\" x=\"%d\" y=\"%zu\" width=\"%d\" height=\"%d\" data-first-ns=\"%" PRId64
      "\" data-last-ns=\"%" PRId64 "\"/>\n",
      x, y + ROW_MARGIN / 2, width < 10 ? 10 : width, BAR_HEIGHT, in->first_ns, in->last_ns);
}

static void draw_bounds(const struct page *page, const struct tb_merge_input_report *in, size_t row) {
  int64_t most = 0;
  for (size_t i = 0; i < in->bound_count; i++) most = in->bounds[i].bound_ns > most ? in->bounds[i].bound_ns : most;
  put_name(page, in->name, row + BOUND_ROW / 2);
  if (!is_drawn(in) || !in->has_bound) return;
  put(page, "<text class=\"name\" x=\"%d\" y=\"%zu\">at most \xc2\xb1", NAMES_WIDTH - ROW_MARGIN,
      row + BOUND_ROW / 2 + BAR_HEIGHT);
  put_duration(page, (double)most);
  put(page, "</text><polyline class=\"bound\" data-bound-ns=\"%" PRId64 "\" points=\"", in->bound_ns);
  size_t bottom = row + ROW_MARGIN + BOUND_HEIGHT;
  double scale = most ? BOUND_HEIGHT / (double)most : 0;
  for (size_t i = 0; i < in->bound_count; i++)
    put(page, "%d,%zu ", x_of(page, in->bounds[i].time_ns), bottom - (size_t)(scale * (double)in->bounds[i].bound_ns));
  put(page, "\"/>\n");
  for (size_t i = 0; i < in->bound_count; i++) {
    const struct tb_merge_bound *at = &in->bounds[i];
    put(page,
        "<circle r=\"20\" cx=\"%d\" cy=\"%zu\" data-time-ns=\"%" PRId64 "\" data-bound-ns=\"%" PRId64
        "\"><title>\xc2\xb1",
        x_of(page, at->time_ns), bottom - (size_t)(scale * (double)at->bound_ns), at->time_ns, at->bound_ns);
    put_duration(page, (double)at->bound_ns);
    put(page, "</title></circle>\n");
  }
}

static const char *level_of(const struct tb_merge_note *note) {
  return note->level == TB_MERGE_NOTE_WARNING ? "warning" : "info";
}

/* In the row of its input, or through all of them. */
static void draw_note(const struct page *page, const struct tb_merge_note *note) {
  bool has_row = note->input < page->report->count;
  size_t y = has_row ? BOUND_ROW * note->input : 0, rows = has_row ? 1 : page->report->count;
  int x = x_of(page, note->time_ns);
  put(page,
      "<line class=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%zu\" y2=\"%zu\" data-time-ns=\"%" PRId64
      "\" data-size-ns=\"%" PRId64 "\"><title>%s, ",
      level_of(note), x, x, y, y + BOUND_ROW * rows, note->time_ns, note->size_ns, tb_merge_note_name(note->code));
  put_duration(page, (double)note->size_ns);
  put(page, ": ");
  put_text(page, note->text);
  put(page, "</title></line>\n");
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* Four cells. */
static void put_placement(const struct page *page, const struct tb_merge_input_report *in) {
  char offset[TB_TIME_TEXT];
  tb_seconds_text(in->offset_ns, offset);
  put(page, "<td class=\"n\">%s</td><td class=\"n\">", offset);
  tb_json_emit_fixed(page->out, in->drift_ppm, 3);
  put(page, " ppm</td><td class=\"n\">");
  if (in->has_residual) put_duration(page, in->residual_ns);
  put(page, "</td><td class=\"n\">");
  if (in->has_bound) put_duration(page, (double)in->bound_ns);
  put(page, "</td>");
}

static void put_row(const struct page *page, const struct tb_merge_input_report *in) {
  bool placed = !in->skipped && in->placement != TB_PLACEMENT_UNPLACED;
  put(page, "<tr><td>");
  put_text(page, in->name);
  put(page, "</td><td>%s", in->skipped ? "left out: " : "");
  put_text(page, in->why[0] ? in->why : tb_placement_text(in->placement));
  if (in->damaged) put(page, "; damaged: ");
  if (in->damaged) put_text(page, in->damage);
  put(page, placed ? "</td>" : "</td><td></td><td></td><td></td><td></td>");
  if (placed) put_placement(page, in);
  put(page, "<td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64 "</td>", in->matches, in->outliers);
  if (in->has_time)
    put(page, "<td class=\"n\">%" PRId64 "</td><td class=\"n\">%" PRId64 "</td>", in->first_ns, in->last_ns);
  put(page, in->has_time ? "</tr>\n" : "<td></td><td></td></tr>\n");
}

static void put_note(const struct page *page, const struct tb_merge_note *note) {
  const char *input = tb_merge_note_input(page->report, note), *level = level_of(note);
  put(page, "<li class=\"%s\"><b>%s</b> <code>%s</code> ", level, level, tb_merge_note_name(note->code));
  put_text(page, input ? input : "");
  put(page, input ? ": " : "");
  put_text(page, note->text);
  put(page, "</li>\n");
}

static void put_notes(const struct page *page) {
  const struct tb_merge_report *report = page->report;
  put(page, "</table>\n<h2>Notes</h2>\n<ul id=\"notes\">\n");
  for (size_t i = 0; report->conversion && i < report->conversion->loss_count; i++) {
    const struct tb_loss *loss = &report->conversion->losses[i];
    put(page, "<li class=\"warning\"><b>lost</b> in converting to %s: %" PRIu64 " ",
        tb_format_name(report->conversion->to), loss->count);
    put_text(page, loss->reason);
    put(page, "</li>\n");
  }
  for (size_t i = 0; i < report->note_count; i++) put_note(page, &report->notes[i]);
  put(page, "</ul>\n");
  if (report->notes_left_out) put(page, "<p>%zu notes more are left out.</p>\n", report->notes_left_out);
}

static void put_heading(const struct page *page) {
  const struct tb_merge_report *report = page->report;
  tb_json_emit_raw(page->out, head, sizeof(head) - 1);
  put(page, "<h1>Merged trace: ");
  put_text(page, report->output ? report->output : "(not written)");
  put(page, "</h1>\n<p>Clock ");
  put_text(page, report->trace_clock[0] ? report->trace_clock : "unknown");
  put(page, ", %" PRIu64 " packets, %" PRIu64 " bytes.</p>\n", report->packets_out, report->bytes_out);
}

void tb_render_html(const struct tb_merge_report *report, struct tb_json_emit *out) {
  struct page page = {.report = report, .out = out};
  find_span(&page);
  put_heading(&page);
  put(&page, "<h2>Inputs on the common time line</h2>\n");
  begin_drawing(&page, "timeline", BAR_ROW);
  for (size_t i = 0; i < report->count; i++) draw_input(&page, &report->inputs[i], BAR_ROW * i);
  put(&page,
      "</svg>\n<h2>How far off times may be</h2>\n<p>Each input has a scale of its own, from 0. Upright lines are "
      "notes: point at one to read it.</p>\n");
  begin_drawing(&page, "bounds", BOUND_ROW);
  for (size_t i = 0; i < report->count; i++) draw_bounds(&page, &report->inputs[i], BOUND_ROW * i);
  for (size_t i = 0; i < report->note_count; i++)
    if (report->notes[i].has_time) draw_note(&page, &report->notes[i]);
  put(&page, "%s", table_head);
  for (size_t i = 0; i < report->count; i++) put_row(&page, &report->inputs[i]);
  put_notes(&page);
  put(&page, "</body></html>\n");
}
