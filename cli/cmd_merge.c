/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "interrupt.h"
#include "library_text.h"
#include "merge_summary.h"
#include "print.h"
#include "progress.h"
#include "report.h"
#include "tracebridge/file.h"
#include "tracebridge/info.h"
#include "tracebridge/merge.h"

/* FILE=VALUE options wait in a list until all inputs are known. */
enum { FILE_OPTIONS_MAX = 4096 };

struct file_options {
  const char *items[FILE_OPTIONS_MAX];
  size_t count;
};

struct merge_settings {
  const char *output, *report, *manifest, *align_on;
  struct file_options offsets, machines, clocks;
  enum tb_clock trace_clock;
  enum tb_unplaced unplaced;
  enum tb_format from, to;
  bool align_messages, dry_run, share_flows, flatten_machines, skip_bad, no_clobber, quiet;
  unsigned threads, max_drift;
  size_t junk;
};

static const char *parse_file_option(void *field, const char *value) {
  struct file_options *list = field;
  const char *equals = strrchr(value, '=');
  if (!equals || equals == value || !equals[1]) return "FILE=VALUE";
  if (list->count == FILE_OPTIONS_MAX) return "given fewer times";
  list->items[list->count++] = value;
  return NULL;
}

/* A second one would replace the first without a word. */
static const char *parse_manifest(void *field, const char *value) {
  return *(const char **)field ? "to be given once" : cli_parse_path(field, value);
}

static const char *parse_drift(void *field, const char *value) {
  char *end = NULL;
  unsigned long ppm = *value >= '0' && *value <= '9' ? strtoul(value, &end, 10) : 0;
  if (ppm < 1 || ppm > 999999 || *end) return "a number from 1 to 999999";
  *(unsigned *)field = (unsigned)ppm;
  return NULL;
}

static const struct cli_option options[] = {
    CLI_OPTION_OUTPUT(struct merge_settings),
    {0, "offset", "FILE=TIME",
     "Place the input FILE by adding TIME, which may be negative, to its times: " CLI_TIME_UNITS
     ". They then are on the merged trace's clock. FILE is an input as it is named here, or the end of its path, "
     "from one of its / on; it has to mean one input.",
     parse_file_option, offsetof(struct merge_settings, offsets)},
    {0, "machine", "FILE=NAME", "Say that FILE was recorded on the machine NAME; its process ids are that machine's.",
     parse_file_option, offsetof(struct merge_settings, machines)},
    {0, "clock", "FILE=NAME",
     "Say that the times of FILE, which does not say it, are of the clock NAME: REALTIME, MONOTONIC, BOOTTIME or "
     "another "
     "of these; times of REALTIME count from 1970.",
     parse_file_option, offsetof(struct merge_settings, clocks)},
    {0, "manifest", "FILE", "Read a perfetto_manifest (version 1): machines, clocks, the clock of the merged trace.",
     parse_manifest, offsetof(struct merge_settings, manifest)},
    {0, "align-on", "NAME",
     "Place inputs by events NAME that all have, the first with the first and so on; NAME:begin or NAME:end says which "
     "end of "
     "a slice. They give the drift too where enough of them are far enough apart; what does not fit is thrown out. A "
     "name "
     "that fewer than two inputs have is refused.",
     cli_parse_text, offsetof(struct merge_settings, align_on)},
    {0, "max-drift", "PPM",
     "The drift between two clocks that --align-on may follow, in millionths (200); where events say more, their "
     "offset "
     "alone counts.",
     parse_drift, offsetof(struct merge_settings, max_drift)},
    {0, "align-messages", NULL,
     "Place inputs by the flows that cross them: no message is received before it was sent. Implies --share-flows.",
     cli_parse_flag, offsetof(struct merge_settings, align_messages)},
    {0, "trace-clock", "NAME",
     "The clock of the merged trace, which some input has to have; by default the first input's.", cli_parse_clock,
     offsetof(struct merge_settings, trace_clock)},
    {0, "unplaced", "WHAT",
     "What to do with an input that nothing places: error (refuse, the default), start (its first event is put at the "
     "first of the others) or drop (leave it out).",
     cli_parse_unplaced, offsetof(struct merge_settings, unplaced)},
    {0, "share-flows", NULL, "Equal flow ids of several inputs are one flow; else they are kept apart.", cli_parse_flag,
     offsetof(struct merge_settings, share_flows)},
    {0, "flatten-machines", NULL,
     "For readers that know no machines: process ids that differ over machines, and the machine's name before process "
     "names.",
     cli_parse_flag, offsetof(struct merge_settings, flatten_machines)},
    {0, "skip-bad", NULL, "Leave out inputs that cannot be read, instead of refusing to merge.", cli_parse_flag,
     offsetof(struct merge_settings, skip_bad)},
    {0, "dry-run", NULL, "Write no trace, only the report (to standard output unless --report says otherwise).",
     cli_parse_flag, offsetof(struct merge_settings, dry_run)},
    {0, "report", "FILE",
     "Write how each input was placed and what was changed to FILE, as JSON where its name ends in .json, as a page "
     "with drawings where it ends in .html, else as text; - is standard output.",
     cli_parse_path, offsetof(struct merge_settings, report)},
    CLI_OPTION_FROM(struct merge_settings),
    CLI_OPTION_TO(struct merge_settings),
    CLI_OPTION_JUNK(struct merge_settings),
    CLI_OPTION_THREADS(struct merge_settings),
    CLI_OPTION_NO_CLOBBER(struct merge_settings),
    CLI_OPTION_QUIET(struct merge_settings),
};

/* Reads the value of an option for an input; 0, or the exit status of wrong usage. */
typedef int (*read_value)(struct tb_merge_input *input, const char *value);

/* What an input is given twice contradicts itself, or one of them was meant for another input. */
static int refuse_second(const struct tb_merge_input *input, const char *option) {
  return cli_usage(&cli_merge, "%s is given twice for %s", option, input->path);
}

static int read_offset(struct tb_merge_input *input, const char *value) {
  if (input->has_offset) return refuse_second(input, "--offset");
  input->has_offset = true;
  const char *wanted = cli_parse_time(&input->offset_ns, value);
  return wanted ? cli_usage(&cli_merge, "%s is no offset: it has to be %s", value, wanted) : CLI_OK;
}

static int read_machine(struct tb_merge_input *input, const char *value) {
  if (input->machine) return refuse_second(input, "--machine");
  input->machine = value;
  return CLI_OK;
}

static int read_clock_of(struct tb_merge_input *input, const char *value) {
  static const struct cli_option of_input = {.parse = cli_parse_clock};
  if (input->clock) return refuse_second(input, "--clock");
  const char *wanted = cli_parse_clock(&input->clock, value), *meant = cli_option_meant(&of_input, value);
  if (!wanted) return CLI_OK;
  return cli_usage(&cli_merge, "%s is no clock: it has to be %s%s%s%s", value, wanted, meant ? "; did you mean " : "",
                   meant ? meant : "", meant ? "?" : "");
}

/* Gives each FILE=VALUE to its input; 0, or the exit status of wrong usage. */
static int apply(const struct file_options *list, read_value read, struct tb_merge_input *inputs, size_t count) {
  for (size_t i = 0; i < list->count; i++) {
    const char *text = list->items[i], *value = strrchr(text, '=') + 1;
    struct tb_error error = {0};
    size_t index;
    if (tb_merge_find_input(inputs, count, text, (size_t)(value - 1 - text), &index, &error) != TB_OK)
      return cli_usage(&cli_merge, "%s", error.message);
    int status = read(&inputs[index], value);
    if (status != CLI_OK) return status;
  }
  return CLI_OK;
}

/* False, and said on stderr, when it cannot be written. */
static bool write_report(struct tb_merge_report *report, const char *where, bool no_clobber) {
  enum tb_merge_report_format format = cli_report_is_json(where)   ? TB_MERGE_REPORT_JSON
                                       : cli_report_is_html(where) ? TB_MERGE_REPORT_HTML
                                                                   : TB_MERGE_REPORT_TEXT;
  char *text = cli_library_report(tb_merge_report_render(report, format));
  bool is_written = cli_report_write(&cli_merge, where, no_clobber, text, text ? strlen(text) : 0);
  free(text);
  return is_written;
}

/* What goes with an error. */
static void print_advice(const struct tb_merge_report *report) {
  const char *line;
  for (size_t i = 0; (line = tb_merge_report_advice(report, i)) != NULL; i++) {
    char *text = cli_library_report(line);
    cli_print(stderr, "%s\n", text ? text : line);
    free(text);
  }
}

static void print_end(const struct merge_settings *settings, const struct tb_merge_report *report) {
  if (!settings->quiet) cli_merge_summary(stderr, settings->output, report);
}

/* Where the report goes; NULL: there is none. */
static const char *report_name(const struct merge_settings *settings) {
  return settings->report ? settings->report : settings->dry_run ? "-" : NULL;
}

static int merge(const struct merge_settings *settings, const struct tb_merge_input *inputs, size_t count) {
  struct cli_progress progress;
  struct tb_merge_options how = {.size = sizeof(how),
                                 .manifest = settings->manifest,
                                 .align_on = settings->align_on,
                                 .align_messages = settings->align_messages,
                                 .max_drift_ppm = settings->max_drift,
                                 .trace_clock = settings->trace_clock,
                                 .share_flows = settings->share_flows,
                                 .flatten_machines = settings->flatten_machines,
                                 .threads = settings->threads,
                                 .max_junk_bytes = settings->junk,
                                 .skip_bad = settings->skip_bad,
                                 .dry_run = settings->dry_run,
                                 .unplaced = settings->unplaced,
                                 .no_clobber = settings->no_clobber,
                                 .input_format = settings->from,
                                 .output_format = settings->to,
                                 .temporary_name = cli_interrupt_name,
                                 .progress = cli_progress_update,
                                 .progress_ctx = &progress};
  struct tb_error error = {0};
  struct tb_merge_report *report = NULL;
  cli_report_closed_pipes();
  cli_progress_start(&progress, settings->quiet);
  enum tb_status status = tb_merge(inputs, count, settings->output, &how, &report, &error);
  cli_progress_end(&progress);
  cli_interrupt_end();
  bool merged = status == TB_OK || status == TB_PARTIAL;
  if (report) cli_merge_warnings(report);
  if (!merged) cli_print_error(&cli_merge, &error);
  if (!merged && report) print_advice(report);
  int exit_status = cli_exit_status(status);
  const char *where = report_name(settings);
  if (report) cli_merge_damage(report);
  if (report && merged && !settings->dry_run) print_end(settings, report);
  if (report && where && !write_report(report, where, settings->no_clobber) && exit_status == CLI_OK)
    exit_status = CLI_IO;
  tb_merge_report_free(report);
  return exit_status;
}

/* Checks the names of the output and of the report. */
static int check_names(const struct merge_settings *settings, const struct cli_operands *operands) {
  const char *output = settings->dry_run ? NULL : settings->output;
  const char *report = report_name(settings);
  bool is_named = output && settings->to == TB_FORMAT_UNKNOWN && tb_file_is_plain(output);
  int status = is_named ? cli_output_says_format(&cli_merge, output, ", or say it with --to") : CLI_OK;
  if (status == CLI_OK) status = cli_report_spares_output(&cli_merge, report, output);
  if (status == CLI_OK && settings->manifest) status = cli_report_spares_input(&cli_merge, report, settings->manifest);
  if (status == CLI_OK && settings->manifest && output)
    status = cli_output_spares_input(&cli_merge, output, settings->manifest);
  for (int i = 0; i < operands->count && status == CLI_OK; i++) {
    status = cli_report_spares_input(&cli_merge, report, operands->items[i]);
    if (status == CLI_OK && output) status = cli_output_spares_input(&cli_merge, output, operands->items[i]);
  }
  return status;
}

static int spares_existing(const struct merge_settings *settings) {
  int status = settings->dry_run ? CLI_OK : cli_spares_existing(&cli_merge, settings->output);
  return status == CLI_OK ? cli_spares_existing(&cli_merge, report_name(settings)) : status;
}

static int run_with(struct merge_settings *settings, const struct cli_operands *operands) {
  char piped[] = "-", *items[] = {piped};
  const struct cli_operands pipe_alone = {items, 1};
  if (cli_reads_pipe(operands)) operands = &pipe_alone;
  size_t count = (size_t)operands->count;
  if (count == 0) return cli_usage(&cli_merge, "no input");
  if (!settings->dry_run) settings->output = cli_output_name(&cli_merge, settings->output);
  if (!settings->dry_run && !settings->output) return CLI_USAGE;
  int refused = check_names(settings, operands);
  if (refused == CLI_OK) refused = cli_report_has_place(&cli_merge, report_name(settings));
  if (refused == CLI_OK && settings->no_clobber) refused = spares_existing(settings);
  if (refused != CLI_OK) return refused;
  struct tb_merge_input *inputs = calloc(count, sizeof(*inputs));
  if (!inputs) return cli_no_memory(&cli_merge);
  for (size_t i = 0; i < count; i++) inputs[i].path = operands->items[i];
  int exit_status = apply(&settings->offsets, read_offset, inputs, count);
  if (exit_status == CLI_OK) exit_status = apply(&settings->machines, read_machine, inputs, count);
  if (exit_status == CLI_OK) exit_status = apply(&settings->clocks, read_clock_of, inputs, count);
  if (exit_status == CLI_OK) exit_status = merge(settings, inputs, count);
  free(inputs);
  return exit_status;
}

static int run(int argc, char **argv) {
  struct merge_settings *settings = calloc(1, sizeof(*settings));
  struct cli_operands operands;
  if (!settings) return cli_no_memory(&cli_merge);
  enum cli_parse_result parsed = cli_parse(&cli_merge, argc, argv, settings, &operands);
  int exit_status = parsed == CLI_PARSED       ? run_with(settings, &operands)
                    : parsed == CLI_HELP_GIVEN ? CLI_OK
                                               : CLI_USAGE;
  free(settings);
  return exit_status;
}

static const char *const examples[] = {
    "tracebridge merge client.perfetto-trace server.json.gz -o both.perfetto-trace",
    "One plain trace of both, on the first one's clock.",
    "tracebridge merge a.perfetto-trace b.json -o out.perfetto-trace --offset b.json=+1.5ms --report -",
    "Places b.json by hand and prints how each input was placed.",
    "tracebridge merge rank*.json.gz -o job.perfetto-trace --align-on barrier:end --dry-run",
    "Shows how events that all ranks have would place them, and writes nothing.",
    NULL,
};

const struct cli_command cli_merge = {
    .name = "merge",
    .operands = "IN...",
    .summary = "merge traces into one on one clock",
    .description =
        "Merges the traces IN (Perfetto, JSON or FXT, each also compressed, and tar or zip archives of them; standard "
        "input where it is - or all are left out) into one. What of an archive is no trace is left out, and named. "
        "Ids that mean different things are kept apart, and times are brought onto one clock: by "
        "what is given here or in a manifest, by the clock snapshots in the traces, by events or messages that they "
        "share, by the wall clock. An input that nothing places is refused. The merged trace is a plain Perfetto trace "
        "where the output's name ends in .perfetto-trace or .pftrace; .json and .fxt convert it on the way, as convert "
        "does; each also with .gz or .zst.",
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .when_out_of_memory = "-j 1 takes less, and so do fewer inputs at a time",
    .run = run,
};
