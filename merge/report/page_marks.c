/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes that have a time: upright lines in the drawings of their input.
 */
#include "merge/report/page.h"

enum { NAME_ROWS = 2 };

bool tb_page_marks(const struct tb_merge_note *note, size_t input) { return note->has_time && note->input == input; }

/* A word before the size, and about how many characters both have. */
static const char *word_of(const struct tb_merge_note *note) {
  switch (note->code) {
    case TB_MERGE_NOTE_CLOCK_STEP:
      return "clock set by";
    case TB_MERGE_NOTE_SUSPEND:
      return "slept";
    case TB_MERGE_NOTE_READINGS_THROWN_OUT:
      return "late by";
    default:
      return tb_merge_note_name(note->code);
  }
}

static double size_of(const struct tb_merge_note *note) {
  double size = (double)note->size_ns;
  return note->code == TB_MERGE_NOTE_SUSPEND && size < 0 ? -size : size;
}

void tb_page_put_marks(const struct tb_page *page, size_t input, int top, int height) {
  for (size_t i = 0; i < page->report->note_count; i++) {
    const struct tb_merge_note *note = &page->report->notes[i];
    if (!tb_page_marks(note, input)) continue;
    int x = tb_page_x(page, note->time_ns);
    const char *code = tb_merge_note_name(note->code);
    tb_page_put(page,
                "<line class=\"mark %s %s\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" data-time-ns=\"%" PRId64
                "\" data-size-ns=\"%" PRId64 "\"><title>%s, ",
                code, tb_page_level(note), x, x, top, top + height, note->time_ns, note->size_ns, code);
    tb_page_put_duration(page, (double)note->size_ns);
    tb_page_put(page, ": ");
    tb_page_put_text(page, note->text);
    tb_page_put(page, "</title></line>\n");
  }
}

int tb_page_mark_names_height(const struct tb_page *page, size_t input) {
  for (size_t i = 0; i < page->report->note_count; i++)
    if (tb_page_marks(&page->report->notes[i], input)) return NAME_ROWS * TB_PAGE_TEXT_HEIGHT;
  return 0;
}

void tb_page_put_mark_names(const struct tb_page *page, size_t input, int bottom) {
  enum { SIZE_CHARACTERS = 12, RIGHT = TB_PAGE_PLOT_LEFT + TB_PAGE_PLOT_WIDTH };
  int reached[NAME_ROWS] = {TB_PAGE_PLOT_LEFT, TB_PAGE_PLOT_LEFT};
  for (size_t i = 0; i < page->report->note_count; i++) {
    const struct tb_merge_note *note = &page->report->notes[i];
    if (!tb_page_marks(note, input)) continue;
    int x = tb_page_x(page, note->time_ns) + TB_PAGE_MARGIN / 2, row = 0;
    int width = TB_PAGE_CHARACTER * (int)(strlen(word_of(note)) + SIZE_CHARACTERS);
    if (x + width > RIGHT) x = RIGHT - width;
    while (row < NAME_ROWS && reached[row] > x) row++;
    if (row == NAME_ROWS) continue; /* there is no room: pointing at the line shows it */
    reached[row] = x + width;
    tb_page_put(page, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s ", tb_page_level(note), x,
                bottom - TB_PAGE_TEXT_HEIGHT * row - TB_PAGE_MARGIN / 2, word_of(note));
    if (size_of(note) > 0 && note->code == TB_MERGE_NOTE_CLOCK_STEP) tb_page_put(page, "+");
    tb_page_put_duration(page, size_of(note));
    tb_page_put(page, "</text>\n");
  }
}
