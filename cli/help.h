/* SPDX-License-Identifier: Apache-2.0
 *
 * Help and the man page, from the tables of commands and options.
 */
#ifndef TB_CLI_HELP_H
#define TB_CLI_HELP_H

#include "options.h"

void cli_help_program(const struct cli_command *const *commands, size_t count, FILE *to);
void cli_help_command(const struct cli_command *command, FILE *to);

/* The page in the man macros of roff. */
void cli_help_man(const struct cli_command *const *commands, size_t count, FILE *to);

#endif
