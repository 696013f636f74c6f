/* SPDX-License-Identifier: Apache-2.0 */
#include "cut.h"

#include <stdlib.h>
#include <string.h>

#include "merge_summary.h"
#include "print.h"
#include "report.h"
#include "tracebridge/file.h"

bool cli_cut_parse(struct cli_cut *cut, const struct cli_command *command, int argc, char **argv, int *exit_status) {
  struct cli_operands operands;
  enum cli_parse_result parsed = cli_parse(command, argc, argv, cut, &operands);
  *exit_status = parsed == CLI_HELP_GIVEN ? CLI_OK : CLI_USAGE;
  if (parsed != CLI_PARSED) return false;
  cut->command = command;
  cut->in = cli_one_input(command, &operands, cut->output);
  if (cut->in && cut->makes_folder && !cut->output)
    (void)cli_usage(command, "name the folder to write to with -o");
  else if (cut->in)
    cut->output = cli_output_name(command, cut->output);
  return cut->in && cut->output;
}

static int check_output(const struct cli_cut *cut) {
  const struct cli_command *command = cut->command;
  if (cut->json && strcmp(cut->output, "-") == 0)
    return cli_usage(command, "--json goes to standard output, and so does the trace: name a file with -o");
  bool is_named = cut->to == TB_FORMAT_UNKNOWN && tb_file_is_plain(cut->output);
  int status = is_named ? cli_output_says_format(command, cut->output, ", or say it with --to") : CLI_OK;
  return status == CLI_OK ? cli_output_spares_input(command, cut->output, cut->in) : status;
}

static int check(const struct cli_cut *cut) {
  const struct cli_command *command = cut->command;
  if (cut->json && cut->report) return cli_usage(command, "--json goes without --report");
  int status = cut->makes_folder ? CLI_OK : check_output(cut);
  if (status == CLI_OK) status = cli_report_spares_input(command, cut->report, cut->in);
  if (status == CLI_OK) status = cli_report_spares_output(command, cut->report, cut->output);
  if (status == CLI_OK && !cut->makes_folder) status = cli_report_has_place(command, cut->report);
  if (status != CLI_OK || !cut->no_clobber) return status;
  status = cli_spares_existing(command, cut->output);
  return status == CLI_OK ? cli_spares_existing(command, cut->report) : status;
}

int cli_cut_start(struct cli_cut *cut) {
  int exit_status = check(cut);
  if (exit_status != CLI_OK) return exit_status;
  cli_report_closed_pipes();
  cli_progress_start(&cut->progress, cut->quiet);
  return CLI_OK;
}

static void print_json(FILE *to, const struct cli_cut *cut, const void *done) {
  const struct tb_convert_report *conversion = cut->written ? tb_merge_report_conversion(cut->written) : NULL;
  cli_print(to, "{\"version\":1,\"command\":\"%s\",\"from\":", cut->command->name);
  cli_print_json(to, cut->in);
  fputs(",\"to\":", to);
  cli_print_json(to, cut->output);
  cut->print_json(to, done);
  fputs(",\"losses\":", to);
  cli_report_read_losses_json(to, cut->read_losses, cut->read_loss_count, conversion);
  fputs("}\n", to);
}

static bool write_report(const struct cli_cut *cut, const void *done) {
  char *text = NULL;
  size_t len = 0;
  FILE *file = open_memstream(&text, &len);
  if (file && (cut->json || cli_report_is_json(cut->report)))
    print_json(file, cut, done);
  else if (file)
    cut->print_text(file, done);
  bool whole = file && fclose(file) == 0;
  bool written =
      cli_report_write(cut->command, cut->json ? "-" : cut->report, cut->no_clobber, whole ? text : NULL, len);
  free(text);
  return written;
}

int cli_cut_end(struct cli_cut *cut, enum tb_status status, const struct tb_merge_report *merge,
                const struct tb_merge_report *written, const struct tb_error *error, const void *done) {
  cli_progress_end(&cut->progress);
  cli_interrupt_end();
  bool is_there = status == TB_OK || status == TB_PARTIAL;
  int exit_status = cli_exit_status(status);
  if (merge) cli_merge_warnings(merge);
  if (!is_there) cli_print_error(cut->command, error);
  if (merge) cli_merge_damage(merge);
  if (!is_there) return exit_status;
  cut->written = written ? written : merge;
  const struct tb_merge_input_report *read = merge ? tb_merge_report_input(merge, 0) : NULL;
  if (read) cut->read_losses = read->losses, cut->read_loss_count = read->loss_count;
  const struct tb_convert_report *conversion = cut->written ? tb_merge_report_conversion(cut->written) : NULL;
  if (!cut->quiet) {
    cli_print(stderr, "%s -> %s\n", cut->in, cut->output);
    if (!cut->json) cut->print_text(stderr, done);
    cli_report_read_losses(stderr, cut->read_losses, cut->read_loss_count, conversion);
  }
  if ((cut->report || cut->json) && !write_report(cut, done) && exit_status == CLI_OK) exit_status = CLI_IO;
  return exit_status;
}
