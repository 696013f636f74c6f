/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts of the library name members of its options (tb_reader_options.format); users of the program know them by other
 * names (--from).
 */
#ifndef TB_CLI_LIBRARY_TEXT_H
#define TB_CLI_LIBRARY_TEXT_H

enum { CLI_TEXT_MAX = 512 };

/* `text` with the program's own names, written to `room`. */
const char *cli_library_text(const char *text, char room[CLI_TEXT_MAX]);

/* The same of a text of any length, to be freed; NULL without memory, or where `text` is NULL. */
char *cli_library_report(const char *text);

#endif
