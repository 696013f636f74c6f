/* SPDX-License-Identifier: Apache-2.0
 *
 * A `complete` line for each command and each option of it.
 */
#include "completions/completions.h"

static const char in_quotes[] = "\\"; /* what single quotes cannot have as it is */

static void print_description(const char *text, FILE *to) {
  fputs(" -d '", to);
  cli_completions_sentence(text, in_quotes, to);
  fputs("'\n", to);
}

static void print_option(const struct cli_command *command, const struct cli_option *option, FILE *to) {
  const char *const *choices = cli_option_choices(option);
  fprintf(to, "complete -c tracebridge -n '__fish_seen_subcommand_from %s'", command->name);
  if (option->letter) fprintf(to, " -s %c", option->letter);
  if (option->name) fprintf(to, " -l %s", option->name);
  if (choices) {
    fputs(" -x -a '", to);
    cli_completions_words(choices, to);
    fputs("'", to);
  } else if (option->value) {
    fputs(cli_completions_file(option) ? " -r -F" : " -x", to);
  }
  print_description(option->help, to);
}

static void print_subject(const char *name, const char *summary, const char *where, FILE *to) {
  fprintf(to, "complete -c tracebridge -f -n '%s' -a %s", where, name);
  print_description(summary, to);
}

void cli_completions_fish(const struct cli_command *const *commands, size_t count, FILE *to) {
  static const char first[] = "__fish_use_subcommand", of_help[] = "__fish_seen_subcommand_from help";
  fputs("# fish completion for tracebridge; tracebridge help --completion fish prints it.\n", to);
  print_subject("help", "print help", first, to);
  print_subject("version", "print the version", first, to);
  for (size_t i = 0; i < count; i++) {
    print_subject(commands[i]->name, commands[i]->summary, first, to);
    print_subject(commands[i]->name, commands[i]->summary, of_help, to);
    for (size_t j = 0; j < commands[i]->option_count; j++) print_option(commands[i], &commands[i]->options[j], to);
    fprintf(to, "complete -c tracebridge -n '__fish_seen_subcommand_from %s' -s h -l help -d 'Print the options'\n",
            commands[i]->name);
  }
  fprintf(to, "complete -c tracebridge -n '%s' -l man -d 'Print the man page'\n", of_help);
  fprintf(to, "complete -c tracebridge -n '%s' -l completion -x -a 'bash zsh fish' -d 'Print the completions'\n",
          of_help);
}
