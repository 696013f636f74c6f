/* SPDX-License-Identifier: Apache-2.0
 *
 * What a conversion did: the summary on the terminal and the file of --report.
 */
#ifndef TB_CLI_REPORT_H
#define TB_CLI_REPORT_H

#include "cli.h"

struct cli_conversion {
  const char *from, *to; /* names as given */
  enum tb_status status;
  const struct tb_convert_report *report;
  const struct tb_error *error; /* read where status is neither TB_OK nor TB_PARTIAL */
};

/* One line for people, of a conversion among many. */
void cli_report_line(FILE *to, const struct cli_conversion *conversion);

/* Some lines for people. */
void cli_report_text(FILE *to, const struct cli_conversion *conversion);

/* One JSON object for scripts. */
void cli_report_json(FILE *to, const struct cli_conversion *conversion);

/* Writes the report to `path`, in the form that its name asks for; by no_clobber it replaces no file. False, and
 * said on stderr, when it cannot. */
bool cli_report_file(const struct cli_command *command, const char *path, bool no_clobber,
                     const struct cli_conversion *conversion);

/* What a conversion lost. */
void cli_report_losses(FILE *to, const struct tb_convert_report *report);
/* The same where the input, of which these losses are, was read before; `report` is of writing, NULL: there was no
 * conversion, and losses alone are shown. */
void cli_report_read_losses(FILE *to, const struct tb_loss *read, size_t count, const struct tb_convert_report *report);
/* The losses of both as one JSON array. */
void cli_report_read_losses_json(FILE *to, const struct tb_loss *read, size_t count,
                                 const struct tb_convert_report *report);

/* An array of losses (`key` is "reason") or of notes ("text"), which does not say in which step they came. */
void cli_report_reasons_json(FILE *to, const char *key, const struct tb_loss *losses, size_t count);

/* A file's name for people: `stream` where it is "-". */
const char *cli_report_name(const char *file, const char *stream);

/* A number of bytes, and the line that says how long it is from `first` to `last`. */
void cli_report_bytes(FILE *to, uint64_t bytes);
void cli_report_span(FILE *to, int64_t first, int64_t last);

/* Whether the name of a report asks for JSON, or for a page. */
bool cli_report_is_json(const char *path);
bool cli_report_is_html(const char *path);

/* Writes the text of a report (NULL: it could not be made) to `path`; by no_clobber it replaces no file. False, and
 * said on stderr, when it cannot. */
bool cli_report_write(const struct cli_command *command, const char *path, bool no_clobber, const char *text,
                      size_t len);

/* Before anything is read: CLI_OK, or CLI_USAGE, said on stderr, where the report (NULL: none) would overwrite the
 * input. */
int cli_report_spares_input(const struct cli_command *command, const char *report, const char *input);
/* The same for the output (NULL: none). */
int cli_report_spares_output(const struct cli_command *command, const char *report, const char *output);
/* CLI_OK, or CLI_IO, said on stderr, where no file can have the report's name, in a folder that is not there, say. */
int cli_report_has_place(const struct cli_command *command, const char *report);

#endif
