/* SPDX-License-Identifier: Apache-2.0
 *
 * Scripts that complete command lines, for `tracebridge help --completion SHELL`.
 */
#ifndef TB_CLI_COMPLETIONS_H
#define TB_CLI_COMPLETIONS_H

#include "options.h"

/* Prints the script of this shell ("bash", "zsh", "fish") to `to`. False where there is none for it. */
bool cli_completions_print(const char *shell, const struct cli_command *const *commands, size_t count, FILE *to);

/* A script: what each shell's file makes. */
typedef void (*cli_completions_fn)(const struct cli_command *const *commands, size_t count, FILE *to);
void cli_completions_bash(const struct cli_command *const *commands, size_t count, FILE *to);
void cli_completions_zsh(const struct cli_command *const *commands, size_t count, FILE *to);
void cli_completions_fish(const struct cli_command *const *commands, size_t count, FILE *to);

/* Whether the option's value is, or begins with, the name of a file. */
bool cli_completions_file(const struct cli_option *option);

/* Prints words with a space between them. */
void cli_completions_words(const char *const *words, FILE *to);

/* Prints the first sentence or clause of `text` for a place in single quotes: a quote as '\'', and a backslash before
 * each character that is in `escaped`. */
void cli_completions_sentence(const char *text, const char *escaped, FILE *to);

#endif
