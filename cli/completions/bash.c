/* SPDX-License-Identifier: Apache-2.0
 *
 * A function that fills COMPREPLY: a case for the command, in it a case for the option before the cursor, else the
 * options. Where COMPREPLY stays empty, bash completes names of files (`-o default`). `=` is a word of its own to bash.
 */
#include "completions/completions.h"

/* The names of an option, as a pattern. */
static void print_names(const struct cli_option *option, FILE *to) {
  if (option->letter) fprintf(to, "-%c", option->letter);
  if (option->name) fprintf(to, "%s--%s", option->letter ? "|" : "", option->name);
}

/* The case of an option with a value. */
static void print_value(const struct cli_option *option, FILE *to) {
  const char *const *choices = cli_option_choices(option);
  fputs("        ", to);
  print_names(option, to);
  fputs(") ", to);
  if (choices) {
    fputs("words='", to);
    cli_completions_words(choices, to);
    fputs("'", to);
  } else if (!cli_completions_file(option)) {
    fputs("compopt +o default; return", to);
  } else {
    fputs("return", to);
  }
  fputs(" ;;\n", to);
}

static void print_command(const struct cli_command *command, FILE *to) {
  fprintf(to, "    %s)\n      case $previous in\n", command->name);
  for (size_t i = 0; i < command->option_count; i++)
    if (command->options[i].value) print_value(&command->options[i], to);
  fputs("        *) [[ $current != -* ]] || words='", to);
  for (size_t i = 0; i < command->option_count; i++)
    if (command->options[i].name) fprintf(to, "--%s ", command->options[i].name);
  fputs("--help' ;;\n      esac ;;\n", to);
}

void cli_completions_bash(const struct cli_command *const *commands, size_t count, FILE *to) {
  fputs(
      "# bash completion for tracebridge; tracebridge help --completion bash prints it.\n"
      "_tracebridge() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words=''\n"
      "  COMPREPLY=()\n"
      "  if [[ $current == = ]]; then\n"
      "    current=''\n"
      "  elif [[ $previous == = ]]; then\n"
      "    previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
      "  fi\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    words='",
      to);
  for (size_t i = 0; i < count; i++) fprintf(to, "%s ", commands[i]->name);
  fputs("help version'\n  else case ${COMP_WORDS[1]} in\n", to);
  for (size_t i = 0; i < count; i++) print_command(commands[i], to);
  fputs("    help)\n      compopt +o default\n      words='", to);
  for (size_t i = 0; i < count; i++) fprintf(to, "%s ", commands[i]->name);
  fputs(
      "--man --completion'\n"
      "      [[ $previous != --completion ]] || words='bash zsh fish' ;;\n"
      "    *) compopt +o default ;;\n"
      "  esac; fi\n"
      "  [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "}\n"
      "complete -o default -F _tracebridge tracebridge\n",
      to);
}
