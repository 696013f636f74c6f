/* SPDX-License-Identifier: Apache-2.0
 *
 * What commands share that write a part of one trace.
 */
#ifndef TB_CLI_CUT_H
#define TB_CLI_CUT_H

#include <stdio.h>

#include "cli.h"
#include "interrupt.h"
#include "options.h"
#include "progress.h"
#include "tracebridge/merge.h"

/* A command as it was given: the first member of its settings. */
struct cli_cut {
  const char *in, *output, *report; /* report: NULL where there is none */
  bool json, no_clobber, quiet;     /* json: the report goes to standard output */
  bool makes_folder;                /* the command's: the output is one, and not a trace */
  size_t junk;
  unsigned threads;
  enum tb_format from, to; /* UNKNOWN: by the input's content, by the output's name */

  const struct cli_command *command;
  /* What was done: some lines for people, and members of a JSON object, each with a comma in front. */
  void (*print_text)(FILE *to, const void *done);
  void (*print_json)(FILE *to, const void *done);
  struct cli_progress progress;
  /* set by cli_cut_end, for reports */
  const struct tb_merge_report *written;
  const struct tb_loss *read_losses;
  size_t read_loss_count;
};

/* Options of all these commands, for settings that begin with a struct cli_cut: -o first, the others last; the second
 * is them without what replaces files. */
#define CLI_CUT_OUTPUT CLI_OPTION_OUTPUT(struct cli_cut)
#define CLI_CUT_OPTIONS                                                                       \
  CLI_CUT_READ_OPTIONS, CLI_OPTION_TO(struct cli_cut), CLI_OPTION_NO_CLOBBER(struct cli_cut), \
      CLI_OPTION_QUIET(struct cli_cut)
#define CLI_CUT_READ_OPTIONS                                                                               \
  {0,                                                                                                      \
   "json",                                                                                                 \
   NULL,                                                                                                   \
   "Print what was done and lost to standard output as JSON with a version, as --report does to a file "   \
   "whose name ends in .json.",                                                                            \
   cli_parse_flag,                                                                                         \
   offsetof(struct cli_cut, json)},                                                                        \
      CLI_OPTION_FROM(struct cli_cut), CLI_OPTION_REPORT(struct cli_cut), CLI_OPTION_JUNK(struct cli_cut), \
      CLI_OPTION_THREADS(struct cli_cut)

/* Members of the library's options that these commands set in one way. */
#define CLI_CUT_CALL(cut) .no_clobber = (cut)->no_clobber, .output_format = (cut)->to, CLI_CUT_READ_CALL(cut)
#define CLI_CUT_READ_CALL(cut)                                                                      \
  .input_format = (cut)->from, .max_junk_bytes = (cut)->junk, .temporary_name = cli_interrupt_name, \
  .progress = cli_progress_update, .progress_ctx = &(cut)->progress

/* Reads the command line into settings that begin with *cut, and finds input and output. False: the command ends with
 * *exit_status, and has said why. */
bool cli_cut_parse(struct cli_cut *cut, const struct cli_command *command, int argc, char **argv, int *exit_status);

/* Before anything is read: CLI_OK, and progress is shown; else the exit status, and said on stderr, where a name is one
 * that it may not be. */
int cli_cut_start(struct cli_cut *cut);

/* After all: says what was done (`done` is for the functions above), lost and wrong, and returns the exit status.
 * `written`: of how the output was written, where `merge` is of reading alone; else NULL. */
int cli_cut_end(struct cli_cut *cut, enum tb_status status, const struct tb_merge_report *merge,
                const struct tb_merge_report *written, const struct tb_error *error, const void *done);

#endif
