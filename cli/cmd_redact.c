/* SPDX-License-Identifier: Apache-2.0 */
#include "tracebridge/redact.h"

#include <inttypes.h>
#include <string.h>

#include "cli.h"
#include "interrupt.h"
#include "print.h"

struct redact_settings {
  const char *output, *key;
  enum tb_format from, to;
  struct cli_glob_list keep;
  bool no_args, no_clobber, quiet;
  size_t junk;
};

/* That of a variable of the shell that is not set would be a key that everybody knows. */
static const char *parse_key(void *field, const char *value) {
  return *value ? cli_parse_text(field, value) : "a text that is not empty";
}

static const struct cli_option options[] = {
    {'o', "output", "FILE", "Write to FILE; its name says the format. By default to standard output, as the input is.",
     cli_parse_path, offsetof(struct redact_settings, output)},
    {0, "key", "TEXT",
     "With the same key a text has the same pseudonym in every trace. Whoever knows the key, or guesses it, can test "
     "guesses of texts: make it of 16 characters or more that nobody guesses, as `openssl rand -hex 16` prints. By "
     "default a random one, which nobody knows.",
     parse_key, offsetof(struct redact_settings, key)},
    {0, "keep", "GLOB",
     "Leave texts as they are that match, such as 'Run*'; also several times, and !GLOB takes some of them out again.",
     cli_parse_glob, offsetof(struct redact_settings, keep)},
    {0, "no-args", NULL, "Leave arguments out: their numbers stay otherwise.", cli_parse_flag,
     offsetof(struct redact_settings, no_args)},
    CLI_OPTION_TO(struct redact_settings),
    CLI_OPTION_FROM(struct redact_settings),
    CLI_OPTION_NO_CLOBBER(struct redact_settings),
    CLI_OPTION_JUNK(struct redact_settings),
    CLI_OPTION_QUIET(struct redact_settings),
};

static void print_report(const char *from, const struct tb_redact_report *report) {
  cli_print(stderr, "tracebridge redact: %" PRIu64 " texts replaced, %" PRIu64 " kept", report->replaced, report->kept);
  if (report->left_out)
    cli_print(stderr, "; left out %" PRIu64 ": packets, blobs, ftrace text, metadata of unknown names",
              report->left_out);
  fputc('\n', stderr);
  cli_print_losses(from, report->losses, report->loss_count);
}

static int redact(const char *from, const char *to, const struct redact_settings *settings) {
  struct tb_error error = {0};
  struct tb_redact_report report = {.size = sizeof(report)};
  const struct tb_reader_options reader = {
      .size = sizeof(reader), .format = settings->from, .max_junk_bytes = settings->junk};
  const struct tb_writer_options writer = {.size = sizeof(writer),
                                           .format = settings->to,
                                           .no_clobber = settings->no_clobber,
                                           .temporary_name = cli_interrupt_name};
  const struct tb_redact_options how = {.size = sizeof(how),
                                        .reader = &reader,
                                        .writer = &writer,
                                        .key = settings->key,
                                        .keep = settings->keep.globs,
                                        .keep_count = settings->keep.count,
                                        .no_args = settings->no_args};
  enum tb_status status = tb_redact(from, to, &how, &report, &error);
  cli_interrupt_end();
  bool whole = status == TB_OK || status == TB_PARTIAL;
  if (whole && !settings->quiet) print_report(from, &report);
  if (!whole) cli_print_error(&cli_redact, &error);
  return cli_exit_status(status);
}

static int run(int argc, char **argv) {
  struct redact_settings settings = {0};
  struct cli_operands operands;
  enum cli_parse_result parsed = cli_parse(&cli_redact, argc, argv, &settings, &operands);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_GIVEN ? CLI_OK : CLI_USAGE;
  const char *from = cli_one_input(&cli_redact, &operands, settings.output);
  const char *to = from ? cli_output_name(&cli_redact, settings.output) : NULL;
  if (!to) return CLI_USAGE;
  int refused = cli_output_spares_input(&cli_redact, to, from);
  if (refused == CLI_OK && settings.no_clobber) refused = cli_spares_existing(&cli_redact, settings.output);
  if (refused != CLI_OK) return refused;
  cli_report_closed_pipes();
  return redact(from, to, &settings);
}

static const char *const examples[] = {
    "tracebridge redact trace.json -o for-the-report.json",
    "Replaces all names and texts by pseudonyms.",
    "tracebridge redact trace.perfetto-trace -o out.perfetto-trace --keep 'Choreographer*' --no-args",
    "Keeps the names that the report is about, and leaves arguments out.",
    NULL,
};

const struct cli_command cli_redact = {
    .name = "redact",
    .operands = "[IN]",
    .summary = "write a trace without its texts",
    .description =
        "Writes the trace IN (standard input where it is - or left out) with pseudonyms in place of its texts, for a "
        "report of a defect: names, categories, arguments' names and texts, paths, packages, logs, ids that are text. "
        "The same text has the same pseudonym. Times, tracks and numbers stay, process and thread ids too. What cannot "
        "be treated so is left out, and counted: packets that are no events, blobs, ftrace text in JSON, what a trace "
        "says of its recording. Without the key a pseudonym says which texts are the same and how "
        "often they come, and nothing else of them (SipHash-2-4).",
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .when_out_of_memory = "leave it more: close other programs, raise the limit (ulimit -v)",
    .run = run,
};
