/* SPDX-License-Identifier: Apache-2.0 */
#include "tracebridge/verify.h"

#include <string.h>

#include "cli.h"
#include "interrupt.h"
#include "print.h"
#include "progress.h"

struct verify_settings {
  enum tb_format from;
  bool quiet, json;
  size_t junk;
  const char *explain;
};

static const struct cli_option options[] = {
    {0, "json", NULL,
     "Print one JSON object for programs, and a line, for each trace. Its version grows where something in it changes "
     "its meaning.",
     cli_parse_flag, offsetof(struct verify_settings, json)},
    {0, "explain", "CODE",
     "Read nothing: say what a finding means, where it comes from and what to do. `all`: of all findings.",
     cli_parse_text, offsetof(struct verify_settings, explain)},
    CLI_OPTION_FROM(struct verify_settings),
    CLI_OPTION_JUNK(struct verify_settings),
    CLI_OPTION_QUIET(struct verify_settings),
};

static void explain_kind(const struct tb_finding_kind *kind) {
  cli_print(stdout, "%s (%s): %s\n", kind->name, kind->level == TB_FINDING_ERROR ? "error" : "warning", kind->what);
  cli_print(stdout, "  Viewer: %s\n", kind->viewer);
  if (kind->stats[0]) cli_print(stdout, "  The trace processor counts it in stats as: %s\n", kind->stats);
  cli_print(stdout, "  %s\n", kind->explanation);
}

static int explain(const char *code) {
  const struct tb_finding_kind *kind = tb_finding_kind_named(code);
  if (kind) {
    explain_kind(kind);
    return cli_flush_output();
  }
  if (strcmp(code, "all") != 0)
    return cli_usage(&cli_verify, "no finding is called %s; --explain all lists them", code);
  for (unsigned i = 0; (kind = tb_finding_kind_of((enum tb_finding_code)i)) != NULL; i++) {
    if (i) fputc('\n', stdout);
    explain_kind(kind);
  }
  return cli_flush_output();
}

static int verify(const char *path, const struct verify_settings *settings, bool is_first) {
  struct cli_progress progress;
  struct tb_error error = {0};
  struct tb_verification *found;
  const struct tb_reader_options reader = {
      .size = sizeof(reader), .format = settings->from, .max_junk_bytes = settings->junk};
  struct tb_verify_options how = {
      .size = sizeof(how), .reader = &reader, .progress = cli_progress_update, .progress_ctx = &progress};
  cli_progress_start(&progress, settings->quiet);
  enum tb_status status = tb_verify(path, &how, &found, &error);
  cli_progress_end(&progress);
  cli_interrupt_end();
  if (!found) {
    cli_print_error(&cli_verify, &error);
    return cli_exit_status(status);
  }
  if (!is_first && !settings->json) fputc('\n', stdout);
  enum tb_status printed = settings->json ? tb_verification_json(found, cli_print_written, stdout)
                                          : tb_verification_text(found, cli_print_written, stdout);
  bool is_bad = found->error_count != 0;
  tb_verification_free(found);
  if (printed == TB_NO_MEMORY) return cli_no_memory(&cli_verify);
  int flush = cli_flush_output();
  return flush != CLI_OK ? flush : is_bad ? CLI_BAD_DATA : CLI_OK;
}

/* One trace after the other; the status is that of the first that could not be read, else whether one has errors. */
static int verify_all(const struct cli_operands *operands, const struct verify_settings *settings) {
  int exit_status = CLI_OK;
  for (int i = 0; i < operands->count; i++) {
    int status = cli_output_spares_input(&cli_verify, "-", operands->items[i]);
    if (status != CLI_OK) return status;
    status = verify(operands->items[i], settings, i == 0);
    if (exit_status == CLI_OK || (exit_status == CLI_BAD_DATA && status != CLI_OK)) exit_status = status;
  }
  return exit_status;
}

static int run(int argc, char **argv) {
  struct verify_settings settings = {0};
  struct cli_operands operands;
  enum cli_parse_result parsed = cli_parse(&cli_verify, argc, argv, &settings, &operands);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_GIVEN ? CLI_OK : CLI_USAGE;
  if (settings.explain && operands.count) return cli_usage(&cli_verify, "--explain reads no trace");
  if (settings.explain) return explain(settings.explain);
  if (operands.count > 1) return verify_all(&operands, &settings);
  const char *from = cli_one_input(&cli_verify, &operands, NULL);
  if (!from) return CLI_USAGE;
  int refused = cli_output_spares_input(&cli_verify, "-", from);
  return refused == CLI_OK ? verify(from, &settings, true) : refused;
}

static const char *const examples[] = {
    "tracebridge verify trace.perfetto-trace",
    "Says what is wrong with a trace, and what the viewer makes of it.",
    "tracebridge verify -q --json out/*.json | jq -c '.file, .findings[].code'",
    "The same of many, for a script; the status is 1 where one has errors.",
    "tracebridge verify --explain overlap",
    "Says more of a finding.",
    NULL,
};

const struct cli_command cli_verify = {
    .name = "verify",
    .operands = "[IN...]",
    .summary = "find what is wrong with a trace",
    .description =
        "Reads the trace IN (standard input where it is - or left out) once and says what is wrong or odd in it: cut "
        "or "
        "damaged places, missing state, clocks, tracks, slices, flows and counters that do not fit together, and what "
        "the recorder lost. Each finding has a code, a count, the byte where it is first, and what Perfetto's viewer "
        "makes of it. The exit status is 0 where there are no errors, with or without warnings, and 1 where there are.",
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .when_out_of_memory = "leave it more: close other programs, raise the limit (ulimit -v)",
    .run = run,
};
