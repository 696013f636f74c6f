/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "cli.h"
#include "cut.h"
#include "print.h"
#include "tracebridge/filter.h"
#include "tracebridge/info.h"

struct filter_settings {
  struct cli_cut cut;
  struct cli_glob_list processes, threads_of, categories, names, counters;
  int64_t min_dur;
  size_t max_size;
  bool no_args, no_flows;
};

static const char *parse_duration(void *field, const char *value) {
  int64_t duration;
  const char *wanted = cli_parse_time(&duration, value);
  if (wanted) return wanted;
  if (duration < 0) return "a time that is not negative";
  *(int64_t *)field = duration;
  return NULL;
}

#define GLOBS " GLOB has * ? and [a-z]; also several times, and !GLOB takes some of them out again."

static const struct cli_option options[] = {
    CLI_CUT_OUTPUT,
    {0, "process", "GLOB", "Keep what belongs to processes of that name or number, and what belongs to none." GLOBS,
     cli_parse_glob, offsetof(struct filter_settings, processes)},
    {0, "thread", "GLOB", "Keep what belongs to threads of that name or number, and what belongs to none." GLOBS,
     cli_parse_glob, offsetof(struct filter_settings, threads_of)},
    {0, "category", "GLOB", "Keep slices and instants of that category." GLOBS, cli_parse_glob,
     offsetof(struct filter_settings, categories)},
    {0, "name", "GLOB", "Keep slices and instants of that name; what is inside of others stays." GLOBS, cli_parse_glob,
     offsetof(struct filter_settings, names)},
    {0, "counter", "GLOB", "Keep counters of that name, as info lists them." GLOBS, cli_parse_glob,
     offsetof(struct filter_settings, counters)},
    {0, "min-dur", "TIME", "Leave out slices that end sooner (10us; ns without a unit); instants stay.", parse_duration,
     offsetof(struct filter_settings, min_dur)},
    {0, "no-args", NULL,
     "Leave out arguments of events. Names and texts that a Perfetto trace interns for them stay: redact --no-args has "
     "none.",
     cli_parse_flag, offsetof(struct filter_settings, no_args)},
    {0, "no-flows", NULL, "Leave out the arrows between slices.", cli_parse_flag,
     offsetof(struct filter_settings, no_flows)},
    {0, "max-size", "SIZE",
     "Leave out more until the output has at most SIZE bytes: arguments, then flows, then slices, the short ones "
     "first. JSON and FXT are measured before they are compressed. " CLI_SIZE_UNITS ".",
     cli_parse_size, offsetof(struct filter_settings, max_size)},
    CLI_CUT_OPTIONS,
};

/* ---- what was done ----------------------------------------------------------------------------------------------- */

struct filter_done {
  const struct filter_settings *settings;
  const struct tb_filter_report *report;
};

static void print_size(FILE *to, const struct filter_done *done) {
  const struct tb_filter_report *report = done->report;
  fputs("  size     left out to fit: ", to);
  if (!report->left_out_args && !report->left_out_flows && report->min_dur_ns == done->settings->min_dur)
    fputs("nothing", to);
  if (report->left_out_args) fputs("arguments", to);
  if (report->left_out_flows) fputs(", flows", to);
  if (report->min_dur_ns == INT64_MAX)
    fputs(", all slices that end", to);
  else if (report->min_dur_ns != done->settings->min_dur)
    cli_print(to, ", slices shorter than %" PRId64 " ns", report->min_dur_ns);
  fputc('\n', to);
}

/* The patterns of an option that nothing in the trace matches. */
static void each_unmatched(const struct filter_done *done,
                           void (*take)(FILE *to, const char *what, const char *glob, bool is_first), FILE *to) {
  const struct filter_settings *s = done->settings;
  const struct tb_filter_matched *matched = &done->report->matched;
  const struct {
    const struct cli_glob_list *list;
    uint64_t matched;
    const char *what;
  } kinds[] = {{&s->processes, matched->processes, "process"},
               {&s->threads_of, matched->threads, "thread"},
               {&s->categories, matched->categories, "category"},
               {&s->names, matched->names, "slice or instant"},
               {&s->counters, matched->counters, "counter"}};
  bool is_first = true;
  for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
    for (size_t i = 0; i < kinds[kind].list->count; i++) {
      if (kinds[kind].matched >> i & 1) continue;
      const char *glob = kinds[kind].list->globs[i];
      take(to, kinds[kind].what, glob + (*glob == '!'), is_first);
      is_first = false;
    }
}

static void print_unmatched(FILE *to, const char *what, const char *glob, bool is_first) {
  (void)is_first;
  cli_print(to, "tracebridge: warning: no %s is called %s\n", what, glob);
}

static void print_unmatched_json(FILE *to, const char *what, const char *glob, bool is_first) {
  if (!is_first) fputs(",", to);
  fputs("{\"kind\":", to);
  cli_print_json(to, what);
  fputs(",\"glob\":", to);
  cli_print_json(to, glob);
  fputs("}", to);
}

static void print_text(FILE *to, const void *ctx) {
  const struct filter_done *done = ctx;
  const struct tb_filter_report *report = done->report;
  cli_print(to, "  packets  %" PRIu64 " of %" PRIu64 "\n", report->packets_out, report->packets_in);
  if (report->slices_in)
    cli_print(to, "  slices   %" PRIu64 " of %" PRIu64 " of such a name, category and duration, of whichever process\n",
              report->slices_out, report->slices_in);
  if (done->settings->max_size) print_size(to, done);
}

static void print_json(FILE *to, const void *ctx) {
  const struct tb_filter_report *report = ((const struct filter_done *)ctx)->report;
  cli_print(to, ",\"packets_in\":%" PRIu64 ",\"packets_out\":%" PRIu64, report->packets_in, report->packets_out);
  cli_print(to, ",\"slices_in\":%" PRIu64 ",\"slices_out\":%" PRIu64, report->slices_in, report->slices_out);
  cli_print(to, ",\"left_out_args\":%s,\"left_out_flows\":%s", report->left_out_args ? "true" : "false",
            report->left_out_flows ? "true" : "false");
  cli_print(to, ",\"min_dur_ns\":%" PRId64, report->min_dur_ns);
  fputs(",\"unmatched\":[", to);
  each_unmatched(ctx, print_unmatched_json, to);
  fputs("]", to);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int filter(struct filter_settings *settings) {
  struct cli_cut *cut = &settings->cut;
  struct tb_filter_options how = {.size = sizeof(how),
                                  .processes = settings->processes.globs,
                                  .process_count = settings->processes.count,
                                  .threads = settings->threads_of.globs,
                                  .thread_count = settings->threads_of.count,
                                  .categories = settings->categories.globs,
                                  .category_count = settings->categories.count,
                                  .names = settings->names.globs,
                                  .name_count = settings->names.count,
                                  .counters = settings->counters.globs,
                                  .counter_count = settings->counters.count,
                                  .min_dur_ns = settings->min_dur,
                                  .no_args = settings->no_args,
                                  .no_flows = settings->no_flows,
                                  .max_bytes = settings->max_size,
                                  .worker_threads = cut->threads,
                                  CLI_CUT_CALL(cut)};
  struct tb_error error = {0};
  struct tb_filter_report report = {.size = sizeof(report)};
  enum tb_status status = tb_filter(cut->in, cut->output, &how, &report, &error);
  struct filter_done done = {settings, &report};
  int exit_status = cli_cut_end(cut, status, report.merge, NULL, &error, &done);
  if (!cut->quiet && (status == TB_OK || status == TB_PARTIAL)) each_unmatched(&done, print_unmatched, stderr);
  tb_filter_report_free(&report);
  return exit_status;
}

static int run(int argc, char **argv) {
  struct filter_settings settings = {.cut = {.print_text = print_text, .print_json = print_json}};
  int exit_status;
  if (!cli_cut_parse(&settings.cut, &cli_filter, argc, argv, &exit_status)) return exit_status;
  if (settings.max_size && strcmp(settings.cut.output, "-") == 0)
    return cli_usage(&cli_filter, "--max-size needs a file to write: name it with -o");
  exit_status = cli_cut_start(&settings.cut);
  return exit_status == CLI_OK ? filter(&settings) : exit_status;
}

static const char *const examples[] = {
    "tracebridge filter trace.json -o part.pftrace --process 'render*' --min-dur 10us",
    "What is of processes whose name begins with render, without short slices.",
    "tracebridge filter trace.pftrace -o part.json --name '!*Idle*' --counter 'mem*' --no-flows",
    "All slices but those with Idle in their name, counters that begin with mem, no arrows.",
    "tracebridge filter huge.pftrace -o small.pftrace --max-size 500M",
    "As much as fits: what is left out first is arguments, then flows, then short slices.",
    NULL,
};

const struct cli_command cli_filter = {
    .name = "filter",
    .operands = "[IN]",
    .summary = "keep some of a trace: processes, threads, names, long slices, so many bytes",
    .description =
        "Writes what the options choose of the trace IN (standard input where it is - or left out; any format that "
        "merge reads). Each option chooses among its own kind of things, and all else stays: names, clocks and configs "
        "too. A slice goes with its end. Where a thread runs that is not chosen its processor is shown as idle; what "
        "it and a chosen one send each other by binder stays, since slices of both begin and end there. What slices "
        "of interrupts, system calls, and of what else the kernel does are called is not looked at, nor recorders' own "
        "counters; those of marks are, whoever writes them. A glob that nothing in the trace "
        "matches is said on stderr, a line each, and in --json as unmatched. The output is a Perfetto trace where its "
        "name ends in .perfetto-trace or .pftrace; .json and .fxt convert it on the way, as convert does; each also "
        "with .gz or .zst.",
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .when_out_of_memory = "-j 1 takes less",
    .run = run,
};
