/* SPDX-License-Identifier: Apache-2.0
 *
 * A function that completes the command, and one for each command with _arguments, which knows `-o X`, `-oX`,
 * `--output X` and `--output=X`.
 */
#include "completions/completions.h"

static const char in_brackets[] = "[]:\\"; /* what a description cannot have as it is */

/* `:value:action` of an option with a value. */
static void print_value(const struct cli_option *option, FILE *to) {
  const char *const *choices = cli_option_choices(option);
  fprintf(to, ":%s:", option->value);
  if (choices) {
    fputc('(', to);
    cli_completions_words(choices, to);
    fputc(')', to);
  } else if (cli_completions_file(option)) {
    fputs("_files", to);
  }
}

static void print_description(const char *text, FILE *to) {
  fputc('[', to);
  cli_completions_sentence(text, in_brackets, to);
  fputc(']', to);
}

static void print_option(const struct cli_option *option, const char *dashes, const char *name, const char *mark,
                         FILE *to) {
  fprintf(to, "    '*%s%s%s", dashes, name, option->value ? mark : "");
  print_description(option->help, to);
  if (option->value) print_value(option, to);
  fputs("' \\\n", to);
}

static void print_command(const struct cli_command *command, FILE *to) {
  fprintf(to, "_tracebridge_%s() {\n  _arguments -s \\\n", command->name);
  for (size_t i = 0; i < command->option_count; i++) {
    const struct cli_option *option = &command->options[i];
    const char letter[] = {option->letter, 0};
    if (option->letter) print_option(option, "-", letter, "+", to);
    if (option->name) print_option(option, "--", option->name, "=", to);
  }
  fputs("    '(- *)'{-h,--help}'[Print the options]' '*:trace:_files'\n}\n", to);
}

static void print_descriptions(const struct cli_command *const *commands, size_t count, FILE *to) {
  for (size_t i = 0; i < count; i++) {
    fprintf(to, "    '%s:", commands[i]->name);
    cli_completions_sentence(commands[i]->summary, in_brackets, to);
    fputs("'\n", to);
  }
}

void cli_completions_zsh(const struct cli_command *const *commands, size_t count, FILE *to) {
  fputs("#compdef tracebridge\n# zsh completion for tracebridge; tracebridge help --completion zsh prints it.\n", to);
  for (size_t i = 0; i < count; i++) print_command(commands[i], to);
  fputs("_tracebridge_help() {\n  local -a subjects=(\n", to);
  print_descriptions(commands, count, to);
  fputs(
      "    '--man:print the man page' '--completion:print the completions of a shell')\n"
      "  if [[ $words[CURRENT-1] == --completion ]]; then\n"
      "    compadd bash zsh fish\n"
      "  else\n"
      "    _describe subject subjects\n"
      "  fi\n"
      "}\n"
      "_tracebridge() {\n"
      "  local -a commands=(\n",
      to);
  print_descriptions(commands, count, to);
  fputs(
      "    'help:print help' 'version:print the version')\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  (($+functions[_tracebridge_$words[1]])) && _tracebridge_$words[1]\n"
      "}\n"
      "if [[ $funcstack[1] == _tracebridge ]]; then _tracebridge \"$@\"; else compdef _tracebridge tracebridge; fi\n",
      to);
}
