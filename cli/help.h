/* SPDX-License-Identifier: Apache-2.0
 *
 * Help and the man pages, from the tables of commands and options.
 */
#ifndef TB_CLI_HELP_H
#define TB_CLI_HELP_H

#include "options.h"

void cli_help_program(const struct cli_command *const *commands, size_t count, FILE *to);
void cli_help_command(const struct cli_command *command, FILE *to);

/* Pages in the man macros of roff: tracebridge(1), and that of a command, tracebridge-COMMAND(1). */
void cli_help_man(const struct cli_command *const *commands, size_t count, FILE *to);
void cli_help_man_command(const struct cli_command *command, FILE *to);

#endif
