/* SPDX-License-Identifier: Apache-2.0 */
#include "tracebridge/dump.h"

#include "cli.h"
#include "print.h"

struct dump_settings {
  enum tb_format from;
  bool strict, resolve, events;
  size_t junk;
};

static const struct cli_option options[] = {
    {0, "resolve", NULL,
     "Perfetto: say in comments where each packet is, when it happened and what interned ids and track uuids mean.",
     cli_parse_flag, offsetof(struct dump_settings, resolve)},
    {0, "events", NULL, "Perfetto and FXT: print events, one a line, instead of packets or records.", cli_parse_flag,
     offsetof(struct dump_settings, events)},
    CLI_OPTION_FROM(struct dump_settings),
    CLI_OPTION_STRICT(struct dump_settings),
    CLI_OPTION_JUNK(struct dump_settings),
};

static int dump(const char *path, const struct dump_settings *settings) {
  struct tb_error error = {0};
  struct tb_loss losses[TB_DUMP_LOSSES];
  size_t loss_count;
  struct tb_dump_options how = {.size = sizeof(how), .resolve = settings->resolve, .events = settings->events};
  how.reader.format = settings->from;
  how.reader.strict = settings->strict;
  how.reader.max_junk_bytes = settings->junk;
  enum tb_status status = tb_dump(path, &how, cli_print_written, stdout, losses, &loss_count, &error);
  if (fflush(stdout) != 0 || status == TB_CANCELLED) {
    fputs("tracebridge: cannot write to standard output\n", stderr);
    return CLI_IO;
  }
  cli_print_losses(path, losses, loss_count);
  if (status != TB_OK && status != TB_PARTIAL) cli_print_error(&cli_dump, &error);
  return cli_exit_status(status);
}

static int run(int argc, char **argv) {
  struct dump_settings settings = {0};
  struct cli_operands operands;
  enum cli_parse_result parsed = cli_parse(&cli_dump, argc, argv, &settings, &operands);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_GIVEN ? CLI_OK : CLI_USAGE;
  const char *from = cli_one_input(&cli_dump, &operands, NULL);
  if (!from) return CLI_USAGE;
  int refused = cli_output_spares_input(&cli_dump, "-", from);
  return refused == CLI_OK ? dump(from, &settings) : refused;
}

static const char *const examples[] = {
    "tracebridge dump --resolve trace.perfetto-trace | less",
    "Reads packets in protobuf's text format, with names and ids.",
    "tracebridge dump trace.perfetto-trace | protoc -I protos --encode=perfetto.protos.Trace protos/perfetto/*.proto",
    "Makes the packets again.",
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
        "format, fields that the schema does not know by number; an FXT archive record by record, a line each, names "
        "behind references; a trace of another format event by event, a line each.",
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .when_out_of_memory = "leave it more: close other programs, raise the limit (ulimit -v)",
    .run = run,
};
