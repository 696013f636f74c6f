/* SPDX-License-Identifier: Apache-2.0
 *
 * What commands share that write a part of one trace.
 */
#ifndef TB_CLI_CUT_H
#define TB_CLI_CUT_H

#include <stdio.h>

#include "cli.h"
#include "tracebridge/merge.h"

/* A command as it was given. */
struct cli_cut {
  const struct cli_command *command;
  const char *in, *output, *report; /* report: NULL where there is none */
  bool json, no_clobber, quiet;     /* json: the report goes to standard output */
  /* What was done: some lines for people, and members of a JSON object, each with a comma in front. */
  void (*print_text)(FILE *to, const void *done);
  void (*print_json)(FILE *to, const void *done);
};

#define CLI_OPTION_CUT_JSON(S)                                                                           \
  {                                                                                                      \
    0, "json", NULL,                                                                                     \
        "Print what was done and lost to standard output as JSON with a version, as --report does to a " \
        "file whose name ends in .json.",                                                                \
        cli_parse_flag, offsetof(S, json)                                                                \
  }

/* Before anything is read: CLI_OK; else the exit status, and said on stderr, where a name is one that it may not be. */
int cli_cut_check(const struct cli_cut *cut);

/* After all: says what was done (`done` is for the functions above), lost and wrong, and returns the exit status.
 * `written`: of how the output was written, where `merge` is of reading alone; else NULL. */
int cli_cut_show(const struct cli_cut *cut, enum tb_status status, const struct tb_merge_report *merge,
                 const struct tb_merge_report *written, const struct tb_error *error, const void *done);

#endif
