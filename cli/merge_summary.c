/* SPDX-License-Identifier: Apache-2.0 */
#include "merge_summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "library_text.h"
#include "print.h"
#include "report.h"
#include "tracebridge/info.h"

enum { LINES_MAX = 20, NAME_MAX_WIDTH = 30, CELL = 48, COLUMNS = 4 };

#define DOTS "..."

/* What is said of an input, column by column: how it was placed, offset, drift, bound. */
struct summary_row {
  const char *name;
  bool shortened; /* `name` is its end alone */
  char cells[COLUMNS][CELL];
};

struct widths {
  size_t name, cells[COLUMNS];
};

static const char *placement_word(enum tb_placement placement) {
  static const char *const words[] = {
      [TB_PLACEMENT_UNPLACED] = "not placed",        [TB_PLACEMENT_REFERENCE] = "the merged clock",
      [TB_PLACEMENT_OFFSET] = "offset given",        [TB_PLACEMENT_MANIFEST] = "manifest",
      [TB_PLACEMENT_SNAPSHOTS] = "clock snapshots",  [TB_PLACEMENT_SAME_BOOT] = "same boot",
      [TB_PLACEMENT_CLOCK_SYNC] = "clock_sync",      [TB_PLACEMENT_ALIGNED] = "events by name",
      [TB_PLACEMENT_MESSAGES] = "messages",          [TB_PLACEMENT_REALTIME] = "wall clocks",
      [TB_PLACEMENT_ASSUMED] = "assumed same clock", [TB_PLACEMENT_START] = "put at the start",
  };
  bool known = (size_t)placement < sizeof(words) / sizeof(words[0]) && words[placement];
  return known ? words[placement] : tb_placement_text(placement);
}

static bool is_continuation(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

/* How many characters a text has. */
static size_t width_of(const char *text) {
  size_t width = 0;
  for (; *text; text++) width += !is_continuation(*text);
  return width;
}

static void print_offset(char cell[CELL], int64_t ns) {
  uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
  (void)snprintf(cell, CELL, "%c%" PRIu64 ".%09" PRIu64 " s", ns < 0 ? '-' : '+', size / 1000000000, size % 1000000000);
}

static void print_duration(char cell[CELL], const char *what, uint64_t ns) {
  char text[TB_UNIT_TEXT];
  (void)snprintf(cell, CELL, "%s %s", what, tb_duration_text(text, ns));
}

static void print_bound(char cell[CELL], const struct tb_merge_input_report *in) {
  if (in->has_bound && in->bound_ns == 0)
    (void)snprintf(cell, CELL, "exact");
  else if (in->has_bound)
    print_duration(cell, "within", (uint64_t)in->bound_ns);
  else if (in->has_residual)
    print_duration(cell, "residual", in->residual_ns < 1e18 ? (uint64_t)(in->residual_ns + 0.5) : UINT64_MAX);
  else
    (void)snprintf(cell, CELL, "bound unknown");
}

static void fill_row(struct summary_row *row, const struct tb_merge_input_report *in) {
  *row = (struct summary_row){.name = in->name};
  size_t width = width_of(in->name), most = NAME_MAX_WIDTH;
  row->shortened = width > most;
  if (row->shortened) most -= strlen(DOTS);
  for (; width > most; width--) {
    do row->name++;
    while (is_continuation(*row->name));
  }
  (void)snprintf(row->cells[0], CELL, "%s", in->skipped ? "left out" : placement_word(in->placement));
  if (in->skipped || in->placement == TB_PLACEMENT_REFERENCE) return;
  print_offset(row->cells[1], in->offset_ns);
  if (in->drift_ppm >= 0.0005 || in->drift_ppm <= -0.0005)
    (void)snprintf(row->cells[2], CELL, "%+.3f ppm", in->drift_ppm);
  else
    (void)snprintf(row->cells[2], CELL, "no drift");
  print_bound(row->cells[3], in);
}

static void widen(struct widths *widths, const struct summary_row *row) {
  size_t name = width_of(row->name) + (row->shortened ? strlen(DOTS) : 0);
  if (name > widths->name) widths->name = name;
  for (size_t i = 0; i < COLUMNS; i++)
    if (strlen(row->cells[i]) > widths->cells[i]) widths->cells[i] = strlen(row->cells[i]);
}

static void pad(FILE *to, size_t width, size_t wanted) {
  for (; width < wanted; width++) fputc(' ', to);
}

/* Numbers are flush right. */
static void print_row(FILE *to, const struct summary_row *row, const struct widths *widths) {
  size_t last = COLUMNS;
  while (last > 1 && !row->cells[last - 1][0]) last--;
  cli_print(to, "    %s%s", row->shortened ? DOTS : "", row->name);
  pad(to, width_of(row->name) + (row->shortened ? strlen(DOTS) : 0), widths->name);
  for (size_t i = 0; i < last; i++) {
    bool number = i == 1 || i == 2;
    fputs("  ", to);
    if (number) pad(to, strlen(row->cells[i]), widths->cells[i]);
    cli_print(to, "%s", row->cells[i]);
    if (!number && i + 1 < last) pad(to, strlen(row->cells[i]), widths->cells[i]);
  }
  fputc('\n', to);
}

/* How little is known of an input's place, as a number. */
static uint64_t badness(const struct tb_merge_input_report *in) {
  if (in->skipped) return UINT64_MAX;
  if (in->placement == TB_PLACEMENT_REFERENCE) return 0;
  return in->has_bound ? (uint64_t)in->bound_ns : (uint64_t)INT64_MAX + 1;
}

static size_t find_worst(const struct tb_merge_report *report) {
  size_t worst = 1;
  for (size_t i = 2; i < tb_merge_report_count(report); i++)
    if (badness(tb_merge_report_input(report, i)) > badness(tb_merge_report_input(report, worst))) worst = i;
  return worst;
}

static void print_inputs(FILE *to, const struct tb_merge_report *report) {
  struct summary_row rows[LINES_MAX];
  struct widths widths = {0};
  size_t count = tb_merge_report_count(report), shown = count <= LINES_MAX ? count : 2;
  for (size_t i = 0; i < shown; i++) {
    size_t input = i == 1 && shown < count ? find_worst(report) : i;
    fill_row(&rows[i], tb_merge_report_input(report, input));
    widen(&widths, &rows[i]);
  }
  for (size_t i = 0; i < shown; i++) print_row(to, &rows[i], &widths);
  if (shown < count)
    cli_print(to, "    and %zu more, of which nothing is worse than the one above; --report says all\n", count - shown);
}

static void print_span(FILE *to, const struct tb_merge_report *report) {
  bool any = false;
  int64_t first = 0, last = 0;
  for (size_t i = 0; i < tb_merge_report_count(report); i++) {
    const struct tb_merge_input_report *in = tb_merge_report_input(report, i);
    if (in->skipped || !in->has_time) continue;
    if (!any || in->first_ns < first) first = in->first_ns;
    if (!any || in->last_ns > last) last = in->last_ns;
    any = true;
  }
  if (any) cli_report_span(to, first, last);
}

void cli_merge_summary(FILE *to, const char *output, const struct tb_merge_report *report) {
  const struct tb_merge_summary *summary = tb_merge_report_summary(report);
  const struct tb_convert_report *conversion = tb_merge_report_conversion(report);
  size_t count = tb_merge_report_count(report);
  cli_print(to, "%zu input%s -> %s (%s, ", count, count == 1 ? "" : "s", cli_report_name(output, "standard output"),
            tb_format_name(conversion ? conversion->to : TB_FORMAT_PERFETTO));
  cli_report_bytes(to, summary->bytes_out);
  cli_print(to, ")\n  clock:     %s", summary->trace_clock);
  if (summary->shift_ns) {
    char moved[CELL];
    print_offset(moved, summary->shift_ns);
    cli_print(to, ", all moved by %s", moved);
  }
  fputs("\n  inputs:\n", to);
  print_inputs(to, report);
  print_span(to, report);
  if (conversion) cli_report_losses(to, conversion);
}

void cli_merge_damage(const struct tb_merge_report *report) {
  for (size_t i = 0; i < tb_merge_report_count(report); i++) {
    const struct tb_merge_input_report *in = tb_merge_report_input(report, i);
    char text[CLI_TEXT_MAX];
    if (in->skipped) {
      cli_print(stderr, "tracebridge: %s: left out: %s\n", in->name,
                cli_library_text(in->damaged ? in->damage : in->why, text));
    } else if (in->damaged) {
      cli_print(stderr, "tracebridge: %s: ", in->name);
      if (in->damage_offset != TB_NO_OFFSET) cli_print(stderr, "at byte %" PRIu64 ": ", in->damage_offset);
      cli_print(stderr, "%s; what is whole is kept\n", cli_library_text(in->damage, text));
    }
  }
}

/* Of hundreds of inputs the first say what is wrong. */
void cli_merge_warnings(const struct tb_merge_report *report) {
#define NUMBER_OF(code, level, name) NUMBER_OF_##code,
  enum { TB_MERGE_NOTE_LIST(NUMBER_OF) CODES };
#undef NUMBER_OF
  enum { SHOWN = 8 };
  size_t count[CODES] = {0};
  for (size_t i = 0; i < tb_merge_report_note_count(report); i++) {
    const struct tb_merge_note *note = tb_merge_report_note(report, i);
    if (note->level != TB_MERGE_NOTE_WARNING || count[note->code]++ >= SHOWN) continue;
    const struct tb_merge_input_report *in = tb_merge_report_input(report, note->input);
    char *text = cli_library_report(note->text);
    cli_print_warning(in ? in->name : NULL, text ? text : note->text);
    free(text);
  }
  for (unsigned code = 0; code < CODES; code++)
    if (count[code] > SHOWN)
      cli_print(stderr, "tracebridge: warning: %zu more like these (%s); --report lists them\n", count[code] - SHOWN,
                tb_merge_note_name((enum tb_merge_note_code)code));
}
