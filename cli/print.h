/* SPDX-License-Identifier: Apache-2.0
 *
 * All that the program prints. It shows names that others chose (files, members of archives, events, what is on the
 * command line), which must not steer a terminal: so print by these, and never by stdio with an argument
 * (tests/lint/printing.sh).
 */
#ifndef TB_CLI_PRINT_H
#define TB_CLI_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "tracebridge/escape.h"

/* printf, with what the arguments gave escaped as TB_ESCAPE_TEXT. Line breaks may be before the first conversion of
 * `format` and behind the last. */
void cli_print(FILE *to, const char *format, ...) TB_PRINTF(2, 3);
void cli_vprint(FILE *to, const char *format, va_list args) TB_PRINTF(2, 0);

/* `text` as a JSON string. */
void cli_print_json(FILE *to, const char *text);

/* A tb_text_sink for a FILE: text that the library wrote and escaped. */
bool cli_print_written(void *file, const char *text, size_t len);

/* Prints a text of ours to stderr, from a signal handler; not where nobody takes it now, as on a terminal that was
 * stopped. */
void cli_print_in_handler(const char *text);

#endif
