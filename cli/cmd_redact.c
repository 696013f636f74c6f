/* SPDX-License-Identifier: Apache-2.0 */
#include "tracebridge/redact.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "interrupt.h"
#include "library_text.h"
#include "print.h"
#include "report.h"

struct redact_settings {
  const char *output, *key;
  enum tb_format from, to;
  struct cli_glob_list keep;
  bool no_args, json, no_clobber, quiet;
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
    {0, "no-args", NULL,
     "Leave arguments out, and members of events that are no format's own: their numbers stay otherwise.",
     cli_parse_flag, offsetof(struct redact_settings, no_args)},
    {0, "json", NULL, "Print what was done, left out and lost to standard output as JSON with a version.",
     cli_parse_flag, offsetof(struct redact_settings, json)},
    CLI_OPTION_TO(struct redact_settings),
    CLI_OPTION_FROM(struct redact_settings),
    CLI_OPTION_NO_CLOBBER(struct redact_settings),
    CLI_OPTION_JUNK(struct redact_settings),
    CLI_OPTION_QUIET(struct redact_settings),
};

static void print_report(const char *from, const struct tb_redact_report *report) {
  char text[CLI_TEXT_MAX];
  cli_print(stderr, "tracebridge redact: %" PRIu64 " texts replaced, %" PRIu64 " kept\n", report->replaced,
            report->kept);
  cli_print_losses(from, report->losses, report->loss_count);
  for (size_t i = 0; i < report->note_count; i++)
    cli_print(stderr, "tracebridge: %s: noted %" PRIu64 ": %s\n", from, report->notes[i].count,
              cli_library_text(report->notes[i].reason, text));
}

static bool print_json(const char *from, const char *to, const struct tb_redact_report *report) {
  char *text = NULL;
  size_t len = 0;
  FILE *file = open_memstream(&text, &len);
  if (file) {
    cli_print(file, "{\"version\":1,\"command\":\"redact\",\"from\":");
    cli_print_json(file, from);
    fputs(",\"to\":", file);
    cli_print_json(file, to);
    cli_print(file,
              ",\"replaced\":%" PRIu64 ",\"kept\":%" PRIu64 ",\"left_out\":%" PRIu64 ",\"losses\":", report->replaced,
              report->kept, report->left_out);
    cli_report_reasons_json(file, "reason", report->losses, report->loss_count);
    fputs(",\"notes\":", file);
    cli_report_reasons_json(file, "text", report->notes, report->note_count);
    fputs("}\n", file);
  }
  bool whole = file && fclose(file) == 0;
  bool written = cli_report_write(&cli_redact, "-", false, whole ? text : NULL, len);
  free(text);
  return written;
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
  int exit_status = cli_exit_status(status);
  bool is_said = !whole || !settings->json || print_json(from, to, &report);
  return is_said || exit_status != CLI_OK ? exit_status : CLI_IO;
}

static int run(int argc, char **argv) {
  struct redact_settings settings = {0};
  struct cli_operands operands;
  enum cli_parse_result parsed = cli_parse(&cli_redact, argc, argv, &settings, &operands);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_GIVEN ? CLI_OK : CLI_USAGE;
  const char *from = cli_one_input(&cli_redact, &operands, settings.output);
  const char *to = from ? cli_output_name(&cli_redact, settings.output) : NULL;
  if (!to) return CLI_USAGE;
  if (settings.json && strcmp(to, "-") == 0)
    return cli_usage(&cli_redact, "--json goes to standard output, and so does the trace: name a file with -o");
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
        "The same text has the same pseudonym. Times, tracks and numbers stay, process and thread ids too; also "
        "numbers that are text, as values of counters and of samples, and the colors that cname has. States of "
        "threads, the idle thread and the release of Linux stay, by which scheduling is read, and V8's own words in "
        "CPU profiles. "
        "Ftrace text becomes the events that it says, as by way of Perfetto. Packets and blobs that are no events are "
        "left out, and lost by their kinds, and so are ids of machines in JSON and FXT, marks of lost data in "
        "Perfetto, "
        "and there that a thread with slices has no process, whose events name it by one; what a trace says of its "
        "recording is left out, and noted. Without the key a pseudonym "
        "says which texts are the same and how often they come, and nothing else of them (SipHash-2-4).",
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .when_out_of_memory = "leave it more: close other programs, raise the limit (ulimit -v)",
    .run = run,
};
