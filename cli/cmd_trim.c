/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "cli.h"
#include "cut.h"
#include "print.h"
#include "tracebridge/info.h"
#include "tracebridge/trim.h"

struct trim_settings {
  struct cli_cut cut;
  struct tb_trim_point start, end;
  int64_t last, shift;
};

static const char *parse_point(void *field, const char *value) { return tb_trim_point_parse(value, field); }

static const char *parse_last(void *field, const char *value) {
  int64_t last;
  const char *wanted = cli_parse_time(&last, value);
  if (wanted) return wanted;
  if (last <= 0) return "a time of more than nothing";
  *(int64_t *)field = last;
  return NULL;
}

static const struct cli_option options[] = {
    CLI_CUT_OUTPUT,
    {0, "start", "TIME",
     "Leave out what is before TIME: " CLI_TIME_UNITS " counts from the trace's first event, "
     "CLOCK:TIME is a reading of the clock CLOCK (BOOTTIME:12.5s), a date with its zone one of the wall clock "
     "(2023-11-14T22:13:20.5Z).",
     parse_point, offsetof(struct trim_settings, start)},
    {0, "end", "TIME", "Leave out what is at TIME or later.", parse_point, offsetof(struct trim_settings, end)},
    {0, "last", "TIME",
     "Keep what is at most TIME (5s; ns without a unit) before the trace's last event, without --start and --end.",
     parse_last, offsetof(struct trim_settings, last)},
    {0, "shift", "TIME",
     "Add TIME, +1.5ms or -2s and ns without a unit, to all times of the output, on the trace clock: what other clocks "
     "read then stays, dates too.",
     cli_parse_time, offsetof(struct trim_settings, shift)},
    CLI_CUT_OPTIONS,
};

/* ---- what was done ----------------------------------------------------------------------------------------------- */

static void print_text(FILE *to, const void *done) {
  const struct tb_trim_report *report = done;
  cli_print(to, "  packets  %" PRIu64 " of %" PRIu64 "\n", report->packets_out, report->packets_in);
  cli_print(to, "  edges    slices that begin at the start: %" PRIu64 ", that end at the end: %" PRIu64 "; ",
            report->slices_at_start, report->slices_at_end);
  cli_print(to, "counters' values at the start: %" PRIu64 "\n", report->values_at_start);
  if (report->untimed)
    cli_print(to, "  untimed  %" PRIu64 " packets stay whose clock nothing relates to the trace's\n", report->untimed);
}

static void print_json(FILE *to, const void *done) {
  const struct tb_trim_report *report = done;
  if (report->start_ns != INT64_MIN) cli_print(to, ",\"start_ns\":%" PRId64, report->start_ns);
  if (report->end_ns != INT64_MAX) cli_print(to, ",\"end_ns\":%" PRId64, report->end_ns);
  cli_print(to, ",\"packets_in\":%" PRIu64 ",\"packets_out\":%" PRIu64, report->packets_in, report->packets_out);
  cli_print(to, ",\"slices_at_start\":%" PRIu64 ",\"slices_at_end\":%" PRIu64 ",\"values_at_start\":%" PRIu64,
            report->slices_at_start, report->slices_at_end, report->values_at_start);
  cli_print(to, ",\"untimed\":%" PRIu64 ",\"shift_ns\":%" PRId64 ",\"inside\":%" PRIu64, report->untimed,
            report->shift_ns, report->inside);
}

/* What is done as it was asked for, but was hardly meant so. */
static void print_warnings(const struct trim_settings *settings, const struct tb_trim_report *report) {
  enum { TEXT = 128 };
  char text[TEXT], shift[TB_UNIT_TEXT];
  if (!report->inside && !report->slices_at_start)
    cli_print_warning(settings->cut.in, "nothing happens in the window; tracebridge info says when it was recorded");
  if (report->shift_ns == settings->shift) return;
  bool back = report->shift_ns < 0;
  tb_duration_text(shift, back ? -(uint64_t)report->shift_ns : (uint64_t)report->shift_ns);
  (void)snprintf(text, sizeof(text), "times are not negative: all are shifted by %s%s, so that the first is 0",
                 back ? "-" : "", shift);
  cli_print_warning(settings->cut.output, text);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int trim(struct trim_settings *settings) {
  struct cli_cut *cut = &settings->cut;
  struct tb_trim_options how = {.size = sizeof(how),
                                .start = settings->start,
                                .end = settings->end,
                                .last_ns = settings->last,
                                .shift_ns = settings->shift,
                                .threads = cut->threads,
                                CLI_CUT_CALL(cut)};
  struct tb_error error = {0};
  struct tb_trim_report report = {.size = sizeof(report)};
  enum tb_status status = tb_trim(cut->in, cut->output, &how, &report, &error);
  if (status == TB_OK || status == TB_PARTIAL) print_warnings(settings, &report);
  int exit_status = cli_cut_end(cut, status, report.merge, report.shifted, &error, &report);
  tb_trim_report_free(&report);
  return exit_status;
}

static int run(int argc, char **argv) {
  struct trim_settings settings = {.cut = {.print_text = print_text, .print_json = print_json}};
  int exit_status;
  if (!cli_cut_parse(&settings.cut, &cli_trim, argc, argv, &exit_status)) return exit_status;
  if (settings.last && (settings.start.kind || settings.end.kind))
    return cli_usage(&cli_trim, "--last goes without --start and --end");
  exit_status = cli_cut_start(&settings.cut);
  return exit_status == CLI_OK ? trim(&settings) : exit_status;
}

static const char *const examples[] = {
    "tracebridge trim trace.perfetto-trace -o part.perfetto-trace --start 1.5s --end 1.6s",
    "A tenth of a second, from a second and a half after the first event on.",
    "tracebridge trim trace.json.gz -o end.json --last 5s",
    "The last five seconds.",
    "tracebridge trim trace.pftrace -o part.pftrace --start 2023-11-14T22:13:20Z --end 2023-11-14T22:14:00Z",
    "What was recorded then, where the trace says what the wall clock read.",
    NULL,
};

const struct cli_command cli_trim = {
    .name = "trim",
    .operands = "[IN]",
    .summary = "cut a window of time out of a trace",
    .description =
        "Writes what happens in the trace IN (standard input where it is - or left out; any format that merge reads) "
        "from --start on and before --end. "
        "Slices that are open at an edge are cut there and keep their name, categories and arguments; the last value "
        "of "
        "a counter before the start comes there again; names, clocks and configs stay. All else passes as it is. The "
        "output is a Perfetto trace where its name ends in .perfetto-trace or .pftrace; .json and .fxt convert it on "
        "the way, as convert does; each also with .gz or .zst.",
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .when_out_of_memory = "-j 1 takes less",
    .run = run,
};
