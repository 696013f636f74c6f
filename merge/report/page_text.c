/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "base/times.h"
#include "merge/report/page.h"
#include "tracebridge/escape.h"

enum { PIECE_MAX = 512, NAME_CHARACTERS = 22 };

void tb_page_put(const struct tb_page *page, const char *format, ...) {
  char piece[PIECE_MAX];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(piece, sizeof(piece), format, args);
  va_end(args);
  if (n > 0 && (size_t)n < sizeof(piece)) tb_json_emit_raw(page->out, piece, (size_t)n);
}

void tb_page_put_text(const struct tb_page *page, const char *text) {
  tb_json_emit_escaped(page->out, TB_ESCAPE_HTML, tb_str_from(text));
}

void tb_page_put_number(const struct tb_page *page, double value, unsigned decimals) {
  if (decimals)
    tb_json_emit_fixed(page->out, value, decimals);
  else
    tb_json_emit_int(page->out, tb_time_round(value));
}

/* The largest unit that a duration has one of. */
struct unit {
  double ns;
  const char *name;
};

static const struct unit *unit_of(double ns) {
  static const struct unit units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\xc2\xb5s"}, {1, "ns"}};
  double size = ns < 0 ? -ns : ns;
  const struct unit *unit = units;
  while (unit->ns > 1 && size < unit->ns) unit++;
  return unit;
}

void tb_page_put_duration(const struct tb_page *page, double ns) {
  const struct unit *unit = unit_of(ns);
  tb_page_put_number(page, ns / unit->ns, unit->ns > 1 ? 3 : 0);
  tb_page_put(page, " %s", unit->name);
}

void tb_page_put_tick(const struct tb_page *page, double ns) {
  const struct unit *unit = unit_of(ns);
  tb_page_put(page, "%s", ns < 0 ? "\xe2\x88\x92" : ns > 0 ? "+" : "");
  tb_page_put_number(page, (ns < 0 ? -ns : ns) / unit->ns, 0);
  if (ns != 0) tb_page_put(page, " %s", unit->name);
}

/* Takes a character off; how many places what is shown of it needs. */
static size_t take_character(struct tb_str *text) {
  char shown[TB_ESCAPE_MAX];
  size_t bytes = tb_escape(TB_ESCAPE_HTML, text, shown, sizeof(shown));
  if (bytes && shown[0] == '\\') return bytes;
  return bytes < 3 || shown[0] == '&' ? 1 : 2; /* characters of three bytes may be wide */
}

void tb_page_put_name(const struct tb_page *page, const char *name, int y) {
  struct tb_str all = tb_str_from(name), rest = all;
  size_t places = 0;
  while (rest.len) places += take_character(&rest);
  for (rest = all; places > NAME_CHARACTERS;) places -= take_character(&rest);
  tb_page_put(page, "<text class=\"name\" x=\"%d\" y=\"%d\">%s", TB_PAGE_PLOT_LEFT - TB_PAGE_MARGIN, y,
              rest.len < all.len ? "\xe2\x80\xa6" : "");
  tb_page_put_text(page, rest.ptr);
  tb_page_put(page, "<title>");
  tb_page_put_text(page, name);
  tb_page_put(page, "</title></text>\n");
}

void tb_page_put_outliers(const struct tb_page *page, uint64_t count, const char *what) {
  tb_page_put(page, "<span%s>%" PRIu64 " %s</span>", count ? " class=\"outlier\"" : "", count, what);
}

const char *tb_page_level(const struct tb_merge_note *note) {
  return note->level == TB_MERGE_NOTE_WARNING ? "warning" : "info";
}
