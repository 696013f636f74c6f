/* SPDX-License-Identifier: Apache-2.0
 *
 * What the subcommands share.
 */
#ifndef TB_CLI_H
#define TB_CLI_H

#include "options.h"
#include "tracebridge/convert.h"

/* Exit statuses; help.c says what they mean. */
enum cli_exit { CLI_OK = 0, CLI_BAD_DATA = 1, CLI_USAGE = 2, CLI_IO = 3, CLI_PARTIAL = 4 };

extern const struct cli_command cli_convert;
extern const struct cli_command cli_diff;
extern const struct cli_command cli_dump;
extern const struct cli_command cli_filter;
extern const struct cli_command cli_info;
extern const struct cli_command cli_merge;
extern const struct cli_command cli_open;
extern const struct cli_command cli_redact;
extern const struct cli_command cli_repair;
extern const struct cli_command cli_split;
extern const struct cli_command cli_trim;
extern const struct cli_command cli_verify;

/* Ends what goes to standard output: CLI_OK, or CLI_IO, said on stderr. */
int cli_flush_output(void);

/* The exit status that stands for a library status. */
int cli_exit_status(enum tb_status status);

/* Prints an error as `tracebridge: FILE: at byte N: MESSAGE` to stderr, and what to do where memory ran out. */
void cli_print_error(const struct cli_command *command, const struct tb_error *error);

/* Ends a message about an error on stderr: with what to do where memory ran out, and the end of the line. */
void cli_end_error(const struct cli_command *command, const struct tb_error *error);

/* cli_print_error for memory that the program itself did not get; returns CLI_IO. */
int cli_no_memory(const struct cli_command *command);

/* Prints a warning as `tracebridge: FILE: warning: TEXT` to stderr; `file` may be NULL. */
void cli_print_warning(const char *file, const char *text);

/* Prints a line for each loss to stderr. */
void cli_print_losses(const char *file, const struct tb_loss *losses, size_t count);

/* For commands whose output must be whole: a pipe that its reader closes is a failed write, and not the program's
 * silent end. */
void cli_report_closed_pipes(void);

/* The ends of names that say which format to write. */
#define CLI_OUTPUT_NAMES ".perfetto-trace, .pftrace, .json or .fxt, each also with .gz or .zst"

/* CLI_OK, or CLI_USAGE, said on stderr, where the name of `output` says no format; `or_else` is what else can be done,
 * the end of the sentence, or "". */
int cli_output_says_format(const struct cli_command *command, const char *output, const char *or_else);

/* CLI_OK, or CLI_IO, said on stderr, where `path` (NULL: none) is a file that is there, which writing would replace. */
int cli_spares_existing(const struct cli_command *command, const char *path);

/* CLI_OK, or CLI_USAGE, said on stderr, where writing to `output` would overwrite `input`. "-": standard output. */
int cli_output_spares_input(const struct cli_command *command, const char *output, const char *input);

/* Whether no input is named, and standard input is a pipe or a file: then it is the input. */
bool cli_reads_pipe(const struct cli_operands *operands);

/* The input of a command that takes one: its operand, or "-" where cli_reads_pipe says so. NULL, said on stderr, where
 * it is neither, or there are several; `output` is what -o names or NULL. */
const char *cli_one_input(const struct cli_command *command, const struct cli_operands *operands, const char *output);

/* What to write to where -o may be missing: the name, "-" where standard output is no terminal, NULL (said on stderr)
 * where it is one. */
const char *cli_output_name(const struct cli_command *command, const char *given);

#endif
