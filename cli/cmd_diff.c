/* SPDX-License-Identifier: Apache-2.0 */
#include "tracebridge/diff.h"

#include <string.h>

#include "cli.h"
#include "print.h"

struct diff_settings {
  bool quiet, json;
  size_t memory, junk;
};

static const struct cli_option options[] = {
    {0, "json", NULL,
     "Print one JSON object for programs. Its version grows where something in it changes its meaning.", cli_parse_flag,
     offsetof(struct diff_settings, json)},
    {0, "memory", "SIZE", "Hold at most SIZE of each trace's events in memory, the rest in temporary files.",
     cli_parse_size, offsetof(struct diff_settings, memory)},
    CLI_OPTION_JUNK(struct diff_settings),
    CLI_OPTION_QUIET(struct diff_settings),
};

static int diff(const char *first, const char *second, const struct diff_settings *settings) {
  struct tb_error error = {0};
  struct tb_difference *found;
  const struct tb_reader_options reader = {
      .size = sizeof(reader), .memory_budget = settings->memory, .max_junk_bytes = settings->junk};
  const struct tb_diff_options how = {.size = sizeof(how), .reader = &reader};
  enum tb_status status = tb_diff(first, second, &how, &found, &error);
  if (!found) {
    cli_print_error(&cli_diff, &error);
    return cli_exit_status(status);
  }
  enum tb_status printed = settings->json ? tb_difference_json(found, cli_print_written, stdout)
                                          : tb_difference_text(found, cli_print_written, stdout);
  if (!settings->quiet) cli_print_losses(first, found->losses[0], found->loss_counts[0]);
  if (!settings->quiet) cli_print_losses(second, found->losses[1], found->loss_counts[1]);
  bool is_equal = found->is_equal;
  tb_difference_free(found);
  if (printed == TB_NO_MEMORY) return cli_no_memory(&cli_diff);
  if (cli_flush_output() != CLI_OK) return CLI_IO;
  return is_equal ? cli_exit_status(status) : CLI_BAD_DATA;
}

static int run(int argc, char **argv) {
  struct diff_settings settings = {0};
  struct cli_operands operands;
  enum cli_parse_result parsed = cli_parse(&cli_diff, argc, argv, &settings, &operands);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_GIVEN ? CLI_OK : CLI_USAGE;
  if (operands.count != 2) return cli_usage(&cli_diff, "it compares two traces");
  if (strcmp(operands.items[0], "-") == 0 && strcmp(operands.items[1], "-") == 0)
    return cli_usage(&cli_diff, "standard input is one trace alone");
  for (int i = 0; i < 2; i++) {
    int refused = cli_output_spares_input(&cli_diff, "-", operands.items[i]);
    if (refused != CLI_OK) return refused;
  }
  return diff(operands.items[0], operands.items[1], &settings);
}

static const char *const examples[] = {
    "tracebridge diff before.json after.perfetto-trace",
    "Says whether two traces say the same, whatever their formats, and what differs first.",
    "tracebridge convert -q trace.json -o - --to fxt | tracebridge diff -q trace.json - >/dev/null",
    "The same for a script, by the status: 0 equal, 1 different.",
    NULL,
};

const struct cli_command cli_diff = {
    .name = "diff",
    .operands = "A B",
    .summary = "say whether two traces say the same",
    .description =
        "Compares two traces of any formats (one may be -, standard input) by what they mean: slices, their ends, "
        "arguments, counters, flows, other events, processes, threads and tracks. It prints how many of each have no "
        "equal in the other trace, and the first of them: - is of A, + of B. Ids of tracks, flows and sequences, the "
        "order in the file and what a trace says of its recording do not count; what else is not compared is said. The "
        "exit status is 0 where they are equal, 1 where they differ, 4 where they are equal but parts of one could not "
        "be read.",
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .when_out_of_memory = "leave it more: close other programs, raise the limit (ulimit -v), or lower --memory",
    .run = run,
};
