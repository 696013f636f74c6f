/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "cli.h"
#include "cut.h"
#include "print.h"
#include "tracebridge/split.h"

struct split_settings {
  struct cli_cut cut;
  struct tb_split_options how;
  bool has_by;
};

static const char *parse_by(void *field, const char *value) {
  static const char *const words[] = {
      [TB_SPLIT_PROCESS] = "process", [TB_SPLIT_THREAD] = "thread", [TB_SPLIT_MACHINE] = "machine"};
  struct split_settings *settings = field;
  size_t bytes = 0;
  settings->has_by = true;
  for (unsigned by = 0; by < sizeof(words) / sizeof(words[0]); by++) {
    settings->how.by = (enum tb_split_by)by;
    if (strcmp(value, words[by]) == 0) return NULL;
  }
  if (strncmp(value, "time=", 5) == 0) {
    settings->how.by = TB_SPLIT_TIME;
    const char *wanted = cli_parse_time(&settings->how.window_ns, value + 5);
    return wanted || settings->how.window_ns > 0 ? wanted : "a time that is more than nothing";
  }
  if (strncmp(value, "size=", 5) != 0) return "process, thread, machine, time=TIME (10s) or size=SIZE (500M)";
  settings->how.by = TB_SPLIT_SIZE;
  const char *wanted = cli_parse_size(&bytes, value + 5);
  settings->how.part_bytes = bytes;
  return wanted;
}

static const struct cli_option options[] = {
    {'o', "output", "DIR",
     "Write the parts to the folder DIR, which is made where it is not there, and has to be empty.", cli_parse_path,
     offsetof(struct split_settings, cut.output)},
    {0, "by", "WHAT",
     "What makes a part: process, thread, machine, time=TIME (10s: so long is each; ns without a unit), size=SIZE "
     "(500M: about so large "
     "is each, before it is compressed).",
     parse_by, 0},
    {0, "suffix", "SUFFIX",
     "The end of the parts' names, .json.gz say, which says their format; else the input's is kept, .pftrace for what "
     "is neither JSON nor FXT.",
     cli_parse_text, offsetof(struct split_settings, how.suffix)},
    {'f', "force", NULL, "Take a folder that is not empty, and replace files in it that have the name of a part.",
     cli_parse_flag, offsetof(struct split_settings, how.force)},
    CLI_CUT_READ_OPTIONS,
    CLI_OPTION_QUIET(struct cli_cut),
};

/* ---- what was done ----------------------------------------------------------------------------------------------- */

static void print_text(FILE *to, const void *done) {
  const struct tb_split_report *report = done;
  for (size_t i = 0; i < report->part_count; i++) {
    const struct tb_split_part *part = &report->parts[i];
    cli_print(to, "  %s: %" PRIu64 " packets, %" PRIu64 " bytes\n", part->name, part->packets, part->bytes);
  }
}

static void print_json(FILE *to, const void *done) {
  const struct tb_split_report *report = done;
  cli_print(to, ",\"packets_in\":%" PRIu64 ",\"parts\":[", report->packets_in);
  for (size_t i = 0; i < report->part_count; i++) {
    const struct tb_split_part *part = &report->parts[i];
    cli_print(to, "%s{\"name\":", i ? "," : "");
    cli_print_json(to, part->name);
    cli_print(to, ",\"packets\":%" PRIu64 ",\"bytes\":%" PRIu64, part->packets, part->bytes);
    if (part->has_start) cli_print(to, ",\"start_ns\":%" PRId64, part->start_ns);
    fputc('}', to);
  }
  fputc(']', to);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int split(struct split_settings *settings) {
  struct cli_cut *cut = &settings->cut;
  struct tb_split_options how = {.size = sizeof(how),
                                 .by = settings->how.by,
                                 .window_ns = settings->how.window_ns,
                                 .part_bytes = settings->how.part_bytes,
                                 .suffix = settings->how.suffix,
                                 .force = settings->how.force,
                                 .threads = cut->threads,
                                 CLI_CUT_READ_CALL(cut)};
  struct tb_error error = {0};
  struct tb_split_report report = {.size = sizeof(report)};
  enum tb_status status = tb_split(cut->in, cut->output, &how, &report, &error);
  int exit_status = cli_cut_end(cut, status, report.merge, NULL, &error, &report);
  tb_split_report_free(&report);
  return exit_status;
}

static int run(int argc, char **argv) {
  struct split_settings settings = {.cut = {.makes_folder = true, .print_text = print_text, .print_json = print_json}};
  int exit_status;
  if (!cli_cut_parse(&settings.cut, &cli_split, argc, argv, &exit_status)) return exit_status;
  if (!settings.has_by) return cli_usage(&cli_split, "say by what to split, --by process say");
  if (strcmp(settings.cut.output, "-") == 0)
    return cli_usage(&cli_split, "-o names a folder, whose files the parts are; standard output holds one trace");
  exit_status = cli_cut_start(&settings.cut);
  return exit_status == CLI_OK ? split(&settings) : exit_status;
}

static const char *const examples[] = {
    "tracebridge split trace.pftrace --by process -o parts",
    "A trace of each process: parts/process-1234-renderer.pftrace, and parts/rest.pftrace for what is of none.",
    "tracebridge split huge.json.gz --by time=10s --suffix .json.gz -o seconds",
    "Traces of ten seconds each: seconds/time-000-0s.json.gz, seconds/time-001-10s.json.gz and so on.",
    "tracebridge merge parts/* -o whole.pftrace",
    "The trace again.",
    NULL,
};

const struct cli_command cli_split = {
    .name = "split",
    .operands = "[IN]",
    .summary = "make several traces of one: by process, thread, machine, time or size",
    .description =
        "Writes the trace IN (standard input where it is - or left out; any format that merge reads) as several, each "
        "of which opens by itself. Each event is in one of them; names, clocks and configs are in all that need them. "
        "By process or thread, what is of none is in the part called rest: scheduling, processors, counters of the "
        "system. By time, a slice of a track event is where it begins, with its end, and all else where its time is; a "
        "counter has its first value where one comes. Merging the parts gives the trace again.",
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .when_out_of_memory = "-j 1 takes less",
    .run = run,
};
