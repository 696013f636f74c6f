/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts of the library name members of its options (tb_reader_options.format); users of the program know them by other
 * names (--from).
 */
#ifndef TB_CLI_LIBRARY_TEXT_H
#define TB_CLI_LIBRARY_TEXT_H

#include "options.h"

enum { CLI_TEXT_MAX = 512 };

/* Whose options the names are: what the command has none of is said to be convert's. */
void cli_library_text_for(const struct cli_command *command);

/* `text` with the program's own names, written to `room`. */
const char *cli_library_text(const char *text, char room[CLI_TEXT_MAX]);

/* The same of a text of any length, to be freed; NULL without memory, or where `text` is NULL. */
char *cli_library_report(const char *text);

/* Whether any of these texts named an option that the command has not. */
bool cli_library_text_named_others(void);

#endif
