/* SPDX-License-Identifier: Apache-2.0 */
#include "completions/completions.h"

#include <string.h>

bool cli_completions_print(const char *shell, const struct cli_command *const *commands, size_t count, FILE *to) {
  static const struct {
    const char *shell;
    cli_completions_fn print;
  } scripts[] = {{"bash", cli_completions_bash}, {"zsh", cli_completions_zsh}, {"fish", cli_completions_fish}};
  for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
    if (strcmp(shell, scripts[i].shell) != 0) continue;
    scripts[i].print(commands, count, to);
    return true;
  }
  return false;
}

bool cli_completions_file(const struct cli_option *option) {
  return option->value && strncmp(option->value, "FILE", 4) == 0;
}

void cli_completions_words(const char *const *words, FILE *to) {
  for (size_t i = 0; words[i]; i++) fprintf(to, "%s%s", i ? " " : "", words[i]);
}

/* Where the sentence's first clause ends: at a period or semicolon before a space or the end. */
static size_t clause_length(const char *text) {
  size_t len = 0;
  while (text[len] && !(strchr(".;", text[len]) && (text[len + 1] == ' ' || !text[len + 1]))) len++;
  return len;
}

void cli_completions_sentence(const char *text, const char *escaped, FILE *to) {
  size_t len = clause_length(text);
  for (size_t i = 0; i < len; i++) {
    if (strchr(escaped, text[i])) fputc('\\', to);
    if (text[i] == '\'')
      fputs("'\\''", to);
    else
      fputc(text[i], to);
  }
}
