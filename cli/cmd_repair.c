/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "cli.h"
#include "cut.h"
#include "print.h"
#include "tracebridge/repair.h"

static const struct cli_option options[] = {
    CLI_CUT_OUTPUT,
    CLI_CUT_OPTIONS,
};

static void print_text(FILE *to, const void *done) {
  const struct tb_repair_report *report = done;
  cli_print(to, "  packets  %" PRIu64 " of %" PRIu64 "\n", report->packets_out, report->packets_in);
  if (report->output_count > 1)
    cli_print(to, "  holds    %" PRIu64 " recordings, one behind the other:\n", report->recordings);
  for (size_t i = 0; report->output_count > 1 && i < report->output_count; i++)
    cli_print(to, "             %s\n", report->outputs[i]);
  if (report->output_count == 1 && report->recordings > 1)
    cli_print(to, "  holds    %" PRIu64 " traces, one after the other, which are read as one\n", report->recordings);
  if (report->mended_events)
    cli_print(to,
              "  mended   %" PRIu64 " events of text that is not quite JSON (first at byte %" PRIu64
              "), taken for what it was meant to be\n",
              report->mended_events, report->mended_offset);
  if (report->snapshots_left_out)
    cli_print(to,
              "  clocks   %" PRIu64
              " snapshots left out in which a clock runs backwards or comes twice: they are taken to be wrong\n",
              report->snapshots_left_out);
}

static void print_json(FILE *to, const void *done) {
  const struct tb_repair_report *report = done;
  cli_print(to, ",\"packets_in\":%" PRIu64 ",\"packets_out\":%" PRIu64, report->packets_in, report->packets_out);
  cli_print(to, ",\"passed_over\":%" PRIu64 ",\"unreadable\":%" PRIu64, report->passed_over, report->unreadable);
  cli_print(to, ",\"snapshots_left_out\":%" PRIu64 ",\"recordings\":%" PRIu64 ",\"outputs\":[",
            report->snapshots_left_out, report->recordings);
  for (size_t i = 0; i < report->output_count; i++) {
    if (i) fputc(',', to);
    cli_print_json(to, report->outputs[i]);
  }
  fputc(']', to);
  cli_print(to, ",\"mended_events\":%" PRIu64, report->mended_events);
  if (report->mended_events) cli_print(to, ",\"mended_offset\":%" PRIu64, report->mended_offset);
}

static int repair(struct cli_cut *cut) {
  struct tb_repair_options how = {.size = sizeof(how), .threads = cut->threads, CLI_CUT_CALL(cut)};
  struct tb_error error = {0};
  struct tb_repair_report report = {.size = sizeof(report)};
  enum tb_status status = tb_repair(cut->in, cut->output, &how, &report, &error);
  int exit_status = cli_cut_end(cut, status, report.merge, NULL, &error, &report);
  tb_repair_report_free(&report);
  return exit_status;
}

static int run(int argc, char **argv) {
  struct cli_cut cut = {.print_text = print_text, .print_json = print_json};
  int exit_status;
  if (!cli_cut_parse(&cut, &cli_repair, argc, argv, &exit_status)) return exit_status;
  exit_status = cli_cut_start(&cut);
  return exit_status == CLI_OK ? repair(&cut) : exit_status;
}

static const char *const examples[] = {
    "tracebridge repair crashed.json -o whole.json",
    "What was written before the program crashed, as a file that every reader takes.",
    NULL,
};

const struct cli_command cli_repair = {
    .name = "repair",
    .operands = "[IN]",
    .summary = "write what can be read of a damaged trace",
    .description =
        "Writes what can be read of the trace IN (standard input where it is - or left out; any format that merge "
        "reads), and says what was left out: where the file was cut, bytes that are nothing of its format, packets "
        "whose inside is damaged. A clock does not run backwards: of the snapshots of the same clocks as few are left "
        "out as it takes, and one in which a clock comes twice. Of several Perfetto recordings in one file, as cat "
        "makes it, each becomes a file of its own, since they have neither clocks nor tracks in common: the second of "
        "-o whole.pftrace is whole.2.pftrace, which must not be there yet; merge puts them on one clock. Where a "
        "writer says nothing when it begins, as scripts that write packets do, its recording is taken to go on with "
        "the one before. The exit status is 0 where all that was lost was damaged. The output is a Perfetto trace "
        "where its name ends in .perfetto-trace or .pftrace; .json and .fxt convert it on the way, as convert does; "
        "each also with .gz or .zst.",
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .when_out_of_memory = "-j 1 takes less",
    .run = run,
};
