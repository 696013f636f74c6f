/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals that end the program (SIGINT, SIGTERM, SIGHUP). The first one asks the work to stop, which then cleans up
 * after itself; where that takes longer than a moment, as when a read or a write waits, and at a second one, the
 * program ends as it is: what it removes then is the temporary name of its output. It ends by the signal itself, so
 * that the shell sees 128 + its number.
 */
#ifndef TB_CLI_INTERRUPT_H
#define TB_CLI_INTERRUPT_H

#include <stdbool.h>

/* From here on. Signals that whoever started us had ignored stay so. */
void cli_interrupt_watch(void);

/* Whether a signal came: the work is to stop. */
bool cli_interrupted(void);

/* A tb_temporary_name: the name to be removed where the program ends as it is. */
void cli_interrupt_name(void *ctx, const char *name);

/* Says whether a progress line is on the terminal, which is to be wiped. */
void cli_interrupt_line(bool shown);

/* Ends the program by the signal, if one came. Call it when nothing is left to clean up. */
void cli_interrupt_end(void);

#endif
