/* SPDX-License-Identifier: Apache-2.0
 *
 * The inputs as a table, and all notes.
 */
#include "base/time_text.h"
#include "merge/report/page.h"

static const char table_head[] =
    "<h2>Inputs</h2>\n<div class=\"wide\"><table id=\"inputs\"><tr><th>name</th><th>placed by</th><th>offset</th>"
    "<th>drift</th><th>residual</th><th>bound</th><th>matches</th><th>thrown out</th><th>first (ns)</th><th>last (ns)"
    "</th></tr>\n";

/* Four cells. */
static void put_placement(const struct tb_page *page, const struct tb_merge_input_report *in) {
  char offset[TB_TIME_TEXT];
  tb_seconds_text(in->offset_ns, offset);
  tb_page_put(page, "<td class=\"n\">%s</td><td class=\"n\">", offset);
  tb_page_put_number(page, in->drift_ppm, 3);
  tb_page_put(page, " ppm</td><td class=\"n\">");
  if (in->has_residual) tb_page_put_duration(page, in->residual_ns);
  tb_page_put(page, "</td><td class=\"n\">");
  if (in->has_bound) tb_page_put_duration(page, (double)in->bound_ns);
  tb_page_put(page, "</td>");
}

static void put_row(const struct tb_page *page, const struct tb_merge_input_report *in) {
  bool placed = !in->skipped && in->placement != TB_PLACEMENT_UNPLACED;
  tb_page_put(page, "<tr><td>");
  tb_page_put_text(page, in->name);
  tb_page_put(page, "</td><td>%s", in->skipped ? "left out: " : "");
  tb_page_put_text(page, in->why[0] ? in->why : tb_placement_text(in->placement));
  if (in->damaged) tb_page_put(page, "; damaged: ");
  if (in->damaged) tb_page_put_text(page, in->damage);
  tb_page_put(page, placed ? "</td>" : "</td><td></td><td></td><td></td><td></td>");
  if (placed) put_placement(page, in);
  tb_page_put(page, "<td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64 "</td>", in->matches, in->outliers);
  if (in->has_time)
    tb_page_put(page, "<td class=\"n\">%" PRId64 "</td><td class=\"n\">%" PRId64 "</td>", in->first_ns, in->last_ns);
  tb_page_put(page, in->has_time ? "</tr>\n" : "<td></td><td></td></tr>\n");
}

void tb_page_put_inputs(const struct tb_page *page) {
  tb_json_emit_raw(page->out, table_head, sizeof(table_head) - 1);
  for (size_t i = 0; i < page->report->count; i++) put_row(page, &page->report->inputs[i]);
  tb_page_put(page, "</table></div>\n");
}

static void put_note(const struct tb_page *page, const struct tb_merge_note *note) {
  const char *input = tb_merge_note_input(page->report, note), *level = tb_page_level(note);
  tb_page_put(page, "<li class=\"%s\"><b>%s</b> <code>%s</code> ", level, level, tb_merge_note_name(note->code));
  tb_page_put_text(page, input ? input : "");
  tb_page_put(page, input ? ": " : "");
  tb_page_put_text(page, note->text);
  tb_page_put(page, "</li>\n");
}

void tb_page_put_notes(const struct tb_page *page) {
  const struct tb_merge_report *report = page->report;
  tb_page_put(page, "<h2>Notes</h2>\n<ul id=\"notes\">\n");
  for (size_t i = 0; report->conversion && i < report->conversion->loss_count; i++) {
    const struct tb_loss *loss = &report->conversion->losses[i];
    tb_page_put(page, "<li class=\"warning\"><b>lost</b> in converting to %s: %" PRIu64 " ",
                tb_format_name(report->conversion->to), loss->count);
    tb_page_put_text(page, loss->reason);
    tb_page_put(page, "</li>\n");
  }
  for (size_t i = 0; i < report->note_count; i++) put_note(page, &report->notes[i]);
  tb_page_put(page, "</ul>\n");
  if (!report->note_count) tb_page_put(page, "<p>There are none.</p>\n");
  if (report->notes_left_out) tb_page_put(page, "<p>%zu notes more are left out.</p>\n", report->notes_left_out);
}
