/* SPDX-License-Identifier: Apache-2.0 */
#include "tracebridge/dump.h"

#include <string.h>

#include "cli.h"
#include "interrupt.h"
#include "print.h"
#include "tracebridge/file.h"

struct dump_settings {
  enum tb_format from;
  bool strict, resolve, events, no_clobber, quiet;
  const char *output, *kinds;
  uint32_t sequence;
  int64_t after, before;
  bool has_times;
  size_t junk;
};

static const struct cli_option options[] = {
    {0, "resolve", NULL,
     "Perfetto: say in comments where each packet is, when it happened and what interned ids and track uuids mean.",
     cli_parse_flag, offsetof(struct dump_settings, resolve)},
    {0, "events", NULL, "Perfetto and FXT: print events, one a line, instead of packets or records.", cli_parse_flag,
     offsetof(struct dump_settings, events)},
    {'k', "kind", "KINDS",
     "Print only what is of these kinds, separated by commas: packets and records as info names them, events as they "
     "are printed.",
     cli_parse_text, offsetof(struct dump_settings, kinds)},
    {0, "sequence", "N", "Print only packets or events of packet sequence N.", cli_parse_id,
     offsetof(struct dump_settings, sequence)},
    {0, "after", "TIME",
     "Print only what happened at or after TIME on the trace's clock, 2809.6s, or ns without a unit.", cli_parse_time,
     offsetof(struct dump_settings, after)},
    {0, "before", "TIME", "Print only what happened at or before TIME.", cli_parse_time,
     offsetof(struct dump_settings, before)},
    {'o', "output", "FILE",
     "Write to FILE, compressed where its name ends in .gz or .zst; by default to standard output.", cli_parse_path,
     offsetof(struct dump_settings, output)},
    CLI_OPTION_NO_CLOBBER(struct dump_settings),
    CLI_OPTION_QUIET(struct dump_settings),
    CLI_OPTION_FROM(struct dump_settings),
    CLI_OPTION_STRICT(struct dump_settings),
    CLI_OPTION_JUNK(struct dump_settings),
};

/* Where the text goes: standard output, or a file. */
struct dump_target {
  struct tb_file *file; /* NULL: standard output */
  struct tb_error error;
};

static bool take(void *ctx, const char *text, size_t len) {
  struct dump_target *target = ctx;
  if (!target->file) return cli_print_written(stdout, text, len);
  return tb_file_put(target->file, text, len, &target->error) == TB_OK;
}

static void note_missing_kind(void *ctx, const char *kind, size_t len) {
  (void)ctx;
  cli_print(stderr, "tracebridge dump: nothing in the trace is of kind %.*s\n", (int)len, kind);
}

/* Ends the output. CLI_OK, or CLI_IO, said on stderr. */
static int finish(struct dump_target *target, enum tb_status status) {
  bool whole = status == TB_OK || status == TB_PARTIAL;
  enum tb_status written = target->error.code;
  if (target->file && whole) written = tb_file_finish(target->file, &target->error);
  if (target->file && written != TB_OK) cli_print_error(&cli_dump, &target->error);
  if (target->file) return written == TB_OK ? CLI_OK : CLI_IO;
  return cli_flush_output();
}

static int dump_to(const char *path, struct dump_target *target, const struct dump_settings *settings) {
  struct tb_error error = {0};
  struct tb_loss losses[TB_DUMP_LOSSES];
  size_t loss_count;
  const struct tb_reader_options reader = {
      .size = sizeof(reader), .format = settings->from, .strict = settings->strict, .max_junk_bytes = settings->junk};
  struct tb_dump_options how = {
      .size = sizeof(how), .reader = &reader, .resolve = settings->resolve, .events = settings->events};
  how.kinds = settings->kinds;
  how.sequence = settings->sequence;
  how.after = settings->after;
  how.before = settings->before;
  if (!settings->quiet) how.missing_kind = note_missing_kind;
  how.has_times = settings->has_times;
  enum tb_status status = tb_dump(path, &how, take, target, losses, &loss_count, &error);
  int written = finish(target, status);
  if (written != CLI_OK) return written;
  if (!settings->quiet) cli_print_losses(path, losses, loss_count);
  if (status != TB_OK && status != TB_PARTIAL) cli_print_error(&cli_dump, &error);
  return cli_exit_status(status);
}

static int dump(const char *path, const struct dump_settings *settings) {
  struct dump_target target = {.file = NULL};
  const char *output = settings->output;
  if (output && strcmp(output, "-") != 0 &&
      tb_file_open(output, cli_interrupt_name, NULL, &target.file, &target.error) != TB_OK) {
    cli_print_error(&cli_dump, &target.error);
    return CLI_IO;
  }
  if (target.file && settings->no_clobber) tb_file_keep_existing(target.file);
  int exit_status = dump_to(path, &target, settings);
  tb_file_close(target.file);
  cli_interrupt_end();
  return exit_status;
}

static int run(int argc, char **argv) {
  struct dump_settings settings = {.after = INT64_MIN, .before = INT64_MAX};
  struct cli_operands operands;
  enum cli_parse_result parsed = cli_parse(&cli_dump, argc, argv, &settings, &operands);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_GIVEN ? CLI_OK : CLI_USAGE;
  settings.has_times = settings.after != INT64_MIN || settings.before != INT64_MAX;
  if (!settings.has_times) settings.after = settings.before = 0;
  const char *from = cli_one_input(&cli_dump, &operands, settings.output);
  if (!from) return CLI_USAGE;
  int refused = cli_output_spares_input(&cli_dump, settings.output ? settings.output : "-", from);
  if (refused == CLI_OK && settings.no_clobber) refused = cli_spares_existing(&cli_dump, settings.output);
  return refused == CLI_OK ? dump(from, &settings) : refused;
}

static const char *const examples[] = {
    "tracebridge dump --resolve trace.perfetto-trace | less",
    "Reads packets in protobuf's text format, with names and ids.",
    "tracebridge dump trace.perfetto-trace | tracebridge convert --from text -o same.perfetto-trace",
    "Makes the packets again, byte for byte where they were not compressed.",
    "tracebridge dump --kind track_event --sequence 7 --after 2809.6s trace.perfetto-trace",
    "Reads some of them.",
    "tracebridge dump trace.fxt | grep counter",
    "Reads records, one a line.",
    NULL,
};

const struct cli_command cli_dump = {
    .name = "dump",
    .operands = "[IN]",
    .summary = "print a trace as text",
    .description =
        "Prints all of the trace IN (standard input where it is - or left out) as text: a Perfetto trace packet by "
        "packet in protobuf's "
        "text "
        "format, which is an input, too (`--from text`), and Perfetto's own tools read; fields that the schema does "
        "not "
        "know come by number, and comments that begin with #= say how a field was encoded; an FXT archive record by "
        "record, a line each, names "
        "behind references; a trace of another format event by event, a line each.",
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .when_out_of_memory = "leave it more: close other programs, raise the limit (ulimit -v)",
    .run = run,
};
