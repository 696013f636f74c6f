/* SPDX-License-Identifier: Apache-2.0 */
#include "tracebridge/info.h"

#include <string.h>

#include "cli.h"
#include "interrupt.h"
#include "print.h"
#include "progress.h"

struct info_settings {
  enum tb_format from;
  bool strict, quiet, json, brief;
  bool several, any_shown; /* traces; a page of one is printed */
  size_t junk;
};

static const struct cli_option options[] = {
    {0, "json", NULL,
     "Print one JSON object for programs, and a line, for each trace: the same, in full. Its version grows where "
     "something in it changes its meaning.",
     cli_parse_flag, offsetof(struct info_settings, json)},
    {'b', "brief", NULL, "Print a line for each trace.", cli_parse_flag, offsetof(struct info_settings, brief)},
    CLI_OPTION_FROM(struct info_settings),
    CLI_OPTION_STRICT(struct info_settings),
    CLI_OPTION_JUNK(struct info_settings),
    CLI_OPTION_QUIET(struct info_settings),
};

/* Which trace a page is of: where there are several, or it is in an archive. */
static void print_file(const char *path, const struct tb_info *info, const struct info_settings *settings) {
  bool inside = info->file.len != strlen(path) || memcmp(info->file.ptr, path, info->file.len) != 0;
  if (settings->json || settings->brief || (!settings->several && !inside)) return;
  if (settings->any_shown) fputc('\n', stdout);
  cli_print(stdout, "file       %.*s\n", (int)info->file.len, info->file.ptr);
}

static int show(const char *path, struct info_settings *settings) {
  struct cli_progress progress;
  struct tb_error error = {0};
  struct tb_info *info;
  const struct tb_reader_options reader = {
      .size = sizeof(reader), .format = settings->from, .strict = settings->strict, .max_junk_bytes = settings->junk};
  struct tb_info_options how = {
      .size = sizeof(how), .reader = &reader, .progress = cli_progress_update, .progress_ctx = &progress};
  cli_progress_start(&progress, settings->quiet);
  enum tb_status status = tb_info_open(path, &how, &info, &error);
  cli_progress_end(&progress);
  cli_interrupt_end();
  if (!info) {
    cli_print_error(&cli_info, &error);
    return cli_exit_status(status);
  }
  print_file(path, info, settings);
  settings->any_shown = true;
  enum tb_status printed = settings->json    ? tb_info_json(info, cli_print_written, stdout)
                           : settings->brief ? tb_info_line(info, cli_print_written, stdout)
                                             : tb_info_text(info, cli_print_written, stdout);
  tb_info_close(info);
  if (printed == TB_NO_MEMORY) return cli_no_memory(&cli_info);
  return cli_flush_output() == CLI_OK ? cli_exit_status(status) : CLI_IO;
}

/* One trace after the other, whatever becomes of one. The status is that of the first that could not be shown, else
 * whether one has losses. */
static int show_all(const struct cli_operands *operands, struct info_settings *settings) {
  int exit_status = CLI_OK;
  settings->several = true;
  for (int i = 0; i < operands->count; i++) {
    const char *from = operands->items[i];
    int status = cli_output_spares_input(&cli_info, "-", from);
    if (status != CLI_OK) return status;
    status = show(from, settings);
    if (exit_status == CLI_OK || (exit_status == CLI_PARTIAL && status != CLI_OK)) exit_status = status;
  }
  return exit_status;
}

static int run(int argc, char **argv) {
  struct info_settings settings = {0};
  struct cli_operands operands;
  enum cli_parse_result parsed = cli_parse(&cli_info, argc, argv, &settings, &operands);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_GIVEN ? CLI_OK : CLI_USAGE;
  if (operands.count > 1) return show_all(&operands, &settings);
  const char *from = cli_one_input(&cli_info, &operands, NULL);
  if (!from) return CLI_USAGE;
  int refused = cli_output_spares_input(&cli_info, "-", from);
  return refused == CLI_OK ? show(from, &settings) : refused;
}

static const char *const examples[] = {
    "tracebridge info trace.perfetto-trace",
    "Says on one screen what is in a trace.",
    "tracebridge info --json trace.json.gz | jq .events",
    "The same for a script.",
    "tracebridge info --brief *.json.gz",
    "Says in a line each what several traces are.",
    NULL,
};

const struct cli_command cli_info = {
    .name = "info",
    .operands = "[IN...]",
    .summary = "say what is in a trace",
    .description =
        "Reads the trace IN (standard input where it is - or left out) once and says what is in it: format, time span, "
        "clocks and how they "
        "relate, producers, processes and threads, events and packets by kind, what is odd and what could not be read.",
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .when_out_of_memory = "leave it more: close other programs, raise the limit (ulimit -v)",
    .run = run,
};
