/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "interrupt.h"
#include "many/many.h"

static const struct cli_option options[] = {
    CLI_OPTION_OUTPUT(struct convert_settings),
    CLI_OPTION_FROM(struct convert_settings),
    CLI_OPTION_TO(struct convert_settings),
    CLI_OPTION_STRICT(struct convert_settings),
    CLI_OPTION_JUNK(struct convert_settings),
    {0, "clock", "NAME",
     "Say that the input's times are of this clock: realtime, monotonic, monotonic-raw or boottime. By default the "
     "clock "
     "that the input names, if any.",
     cli_parse_clock, offsetof(struct convert_settings, clock)},
    {0, "compress", NULL, "Perfetto output: compress the packets inside the file.", cli_parse_flag,
     offsetof(struct convert_settings, compress)},
    {0, "keep-packets", NULL, "FXT output: put packets that FXT cannot express into a blob.", cli_parse_flag,
     offsetof(struct convert_settings, keep_packets)},
    CLI_OPTION_MEMORY(struct convert_settings),
    CLI_OPTION_THREADS(struct convert_settings),
    {0, "out-dir", "DIR",
     "Convert any number of files, each to a file of its name in DIR, and all traces in folders, whose tree is kept. "
     "What "
     "was made of the same input with the same options is not made again.",
     cli_parse_path, offsetof(struct convert_settings, out_dir)},
    {0, "suffix", "END",
     "With --out-dir: how the names of the outputs end, which says their format; by default .perfetto-trace, .json or "
     ".fxt, as --to says.",
     cli_parse_text, offsetof(struct convert_settings, suffix)},
    {0, "jobs", "N",
     "With --out-dir: convert N files at the same time; by default as many as there are cores. Each then uses one "
     "thread "
     "unless --threads says otherwise.",
     cli_parse_count, offsetof(struct convert_settings, jobs)},
    CLI_OPTION_NO_CLOBBER(struct convert_settings),
    CLI_OPTION_QUIET(struct convert_settings),
    CLI_OPTION_REPORT(struct convert_settings),
};

static void print_end(const struct cli_conversion *conversion, const struct convert_settings *settings) {
  if (conversion->status != TB_OK && conversion->status != TB_PARTIAL) {
    cli_print_losses(conversion->from, conversion->report->losses, conversion->report->loss_count);
    cli_print_error(&cli_convert, conversion->error);
  } else if (!settings->quiet) {
    cli_report_text(stderr, conversion);
  }
}

enum tb_status cli_convert_file(const char *from, const char *to, const struct convert_settings *settings,
                                struct cli_progress *progress, struct tb_convert_report *report,
                                struct tb_error *error) {
  const struct tb_reader_options reader = {
      .size = sizeof(reader), .format = settings->from, .strict = settings->strict, .max_junk_bytes = settings->junk};
  const struct tb_writer_options writer = {.size = sizeof(writer),
                                           .format = settings->to,
                                           .clock = settings->clock,
                                           .compress = settings->compress,
                                           .keep_packets = settings->keep_packets,
                                           .memory_budget = settings->memory,
                                           .no_clobber = settings->no_clobber,
                                           .temporary_name = cli_interrupt_name};
  struct tb_convert_options how = {
      .size = sizeof(how), .reader = &reader, .writer = &writer, .threads = settings->threads};
  if (progress) {
    how.progress = cli_progress_update;
    how.on_write_progress = cli_progress_writing;
    how.progress_ctx = progress;
  }
  return tb_convert(from, to, &how, report, error);
}

static int convert(const char *from, const char *to, const struct convert_settings *settings) {
  struct cli_progress progress;
  struct tb_error error = {0};
  struct tb_convert_report report = {.size = sizeof(report)};
  cli_report_closed_pipes();
  cli_progress_start(&progress, settings->quiet);
  enum tb_status status = cli_convert_file(from, to, settings, &progress, &report, &error);
  cli_progress_end(&progress);
  cli_interrupt_end();
  struct cli_conversion conversion = {from, to, status, &report, &error};
  print_end(&conversion, settings);
  int exit_status = cli_exit_status(status);
  if (settings->report && !cli_report_file(&cli_convert, settings->report, settings->no_clobber, &conversion) &&
      exit_status != CLI_BAD_DATA)
    return CLI_IO;
  return exit_status;
}

static int convert_one(const struct cli_operands *operands, const struct convert_settings *settings) {
  const char *from = cli_one_input(&cli_convert, operands, settings->output);
  if (!from) return CLI_USAGE;
  const char *to = cli_output_name(&cli_convert, settings->output);
  if (!to) return CLI_USAGE;
  int refused =
      settings->to == TB_FORMAT_UNKNOWN ? cli_output_says_format(&cli_convert, to, ", or say it with --to") : CLI_OK;
  if (refused == CLI_OK) refused = cli_output_spares_input(&cli_convert, to, from);
  if (refused == CLI_OK) refused = cli_report_spares_input(&cli_convert, settings->report, from);
  if (refused == CLI_OK) refused = cli_report_spares_output(&cli_convert, settings->report, to);
  if (refused == CLI_OK) refused = cli_report_has_place(&cli_convert, settings->report);
  if (refused == CLI_OK && settings->no_clobber) refused = cli_spares_existing(&cli_convert, to);
  if (refused == CLI_OK && settings->no_clobber) refused = cli_spares_existing(&cli_convert, settings->report);
  return refused == CLI_OK ? convert(from, to, settings) : refused;
}

/* A size that is raised is said. */
static void check_memory(struct convert_settings *settings) {
  if (!settings->memory || settings->memory >= TB_WRITER_MEMORY_MIN) return;
  settings->memory = TB_WRITER_MEMORY_MIN;
  if (!settings->quiet) fputs("tracebridge convert: --memory is less than 1M, the least: 1M is used\n", stderr);
}

static int run(int argc, char **argv) {
  struct convert_settings settings = {0};
  struct cli_operands operands;
  enum cli_parse_result parsed = cli_parse(&cli_convert, argc, argv, &settings, &operands);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_GIVEN ? CLI_OK : CLI_USAGE;
  check_memory(&settings);
  if (settings.out_dir) return cli_convert_many(&operands, &settings);
  if (settings.suffix || settings.jobs)
    return cli_usage(&cli_convert, "--%s needs --out-dir", settings.suffix ? "suffix" : "jobs");
  return convert_one(&operands, &settings);
}

static const char *const examples[] = {
    "tracebridge convert trace.json.gz -o trace.perfetto-trace",
    "Makes a trace that ui.perfetto.dev and the trace processor open.",
    "tracebridge convert trace.perfetto-trace -o trace.json.gz",
    "The way back, for tools that read JSON.",
    "record | tracebridge convert - --to perfetto | gzip > trace.perfetto-trace.gz",
    "Reads a pipe and writes one.",
    "tracebridge convert huge.json -o huge.perfetto-trace --memory 64M --report report.json",
    "Any size in bounded memory; what was done and lost goes to report.json.",
    NULL,
};

const struct cli_command cli_convert = {
    .name = "convert",
    .operands = "[IN]",
    .summary = "convert a trace to another format",
    .description =
        "Converts the trace IN (standard input where it is - or left out), whose format is detected by its content, to "
        "the format that the "
        "output's name says: .json, .fxt, "
        ".perfetto-trace or .pftrace, each also with .gz or .zst. IN may be compressed (gzip, zstd, zlib, xz, bzip2, "
        "lz4), "
        "a tar or zip file with one trace in it, an Android bug report, a page of systrace or trace2html, or "
        "Perfetto's "
        "packets in protobuf's text format, which become the same packets.",
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .when_out_of_memory = "-j 1 takes less, and so does --memory 16M where Perfetto is written",
    .run = run,
};
