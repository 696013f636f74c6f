/* SPDX-License-Identifier: Apache-2.0 */
#include "help.h"

#include <ctype.h>
#include <string.h>

#include "cli.h"

enum { WIDTH = 80 };

static const char about[] =
    "Converts traces between Chrome's JSON (Trace Event Format), Perfetto's protobuf and Fuchsia's FXT.";

static const char *const exit_statuses[][2] = {
    {"0", "All was done and nothing was lost."},
    {"1",
     "The input is no trace, or too damaged, or was refused (--strict); nothing was written. verify found "
     "errors; diff found a difference."},
    {"2", "The command line is wrong."},
    {"3", "A file could not be read or written, or memory ran out; nothing was written under the output's name."},
    {"4", "The output is whole, but parts of the input were lost; stderr says which."},
};
enum { EXIT_STATUS_COUNT = sizeof(exit_statuses) / sizeof(exit_statuses[0]) };

static const char about_names[] =
    "Names of files, members and events are shown as $'...' of bash reads them: a newline as \\n, a backslash as \\\\, "
    "and bytes that would steer the terminal or are no UTF-8 as \\xHH. JSON has \\uHHHH instead, and U+FFFD for what "
    "is no UTF-8; dump has the escapes of the form that it prints.";

/* Prints words at most WIDTH wide, each line after `indent` spaces; the first line starts at `column`. */
static void print_wrapped(FILE *to, const char *text, int indent, int column) {
  while (*text) {
    size_t len = strcspn(text, " ");
    if (column > indent && column + 1 + (int)len > WIDTH) {
      fprintf(to, "\n%*s", indent, "");
      column = indent;
    } else if (column > indent) {
      fputc(' ', to);
      column++;
    } else {
      fprintf(to, "%*s", indent - column, "");
      column = indent;
    }
    fwrite(text, 1, len, to);
    column += (int)len;
    text += len + (text[len] == ' ');
  }
  fputc('\n', to);
}

/* `-o, --output FILE` in a buffer that the caller gives. */
static const char *option_label(const struct cli_option *option, char *buffer, size_t size) {
  const char letter[] = {'-', option->letter, 0};
  snprintf(buffer, size, "%s%s%s%s%s%s", option->letter ? letter : "", option->letter && option->name ? ", " : "",
           option->name ? "--" : "", option->name ? option->name : "", option->value ? " " : "",
           option->value ? option->value : "");
  return buffer;
}

void cli_help_command(const struct cli_command *command, FILE *to) {
  fprintf(to, "usage: tracebridge %s [options] %s\n\n", command->name, command->operands);
  print_wrapped(to, command->description, 0, 0);
  fputs("\noptions:\n", to);
  for (size_t i = 0; i < command->option_count; i++) {
    char label[64];
    fprintf(to, "  %s\n", option_label(&command->options[i], label, sizeof(label)));
    print_wrapped(to, command->options[i].help, 6, 0);
  }
  fputs("  -h, --help\n      Print this.\n", to);
  if (!command->examples) return;
  fputs("\nexamples:\n", to);
  for (const char *const *example = command->examples; example[0]; example += 2) {
    fprintf(to, "  %s\n", example[0]);
    print_wrapped(to, example[1], 6, 0);
  }
}

void cli_help_program(const struct cli_command *const *commands, size_t count, FILE *to) {
  fputs("usage: tracebridge COMMAND [options] ...\n\n", to);
  print_wrapped(to, about, 0, 0);
  fputs("\ncommands:\n", to);
  for (size_t i = 0; i < count; i++) fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
  fputs(
      "  help       help for a command: help COMMAND; man pages: help --man [COMMAND]; completions of a shell:\n"
      "             help --completion bash|zsh|fish\n"
      "  version    print the version (also -V, --version)\n"
      "\nexit status:\n",
      to);
  for (size_t i = 0; i < EXIT_STATUS_COUNT; i++) {
    fprintf(to, "  %s ", exit_statuses[i][0]);
    print_wrapped(to, exit_statuses[i][1], 4, 4);
  }
  fputs("\nnames:\n", to);
  print_wrapped(to, about_names, 2, 0);
}

/* Roff takes a backslash, a dash and a dot or quote at a line's start otherwise than they are meant. */
static void man_text(FILE *to, const char *text) {
  if (*text == '.' || *text == '\'') fputs("\\&", to);
  for (; *text; text++) {
    if (*text == '\\')
      fputs("\\e", to);
    else if (*text == '-')
      fputs("\\-", to);
    else
      fputc(*text, to);
  }
  fputc('\n', to);
}

static void man_entry(FILE *to, const char *label, const char *text) {
  fputs(".TP\n.B ", to);
  man_text(to, label);
  man_text(to, text);
}

static void man_options(const struct cli_command *command, FILE *to) {
  for (size_t i = 0; i < command->option_count; i++) {
    char label[64];
    man_entry(to, option_label(&command->options[i], label, sizeof(label)), command->options[i].help);
  }
}

static void man_synopsis(const struct cli_command *command, FILE *to) {
  fprintf(to, ".B tracebridge %s\n[options] ", command->name);
  man_text(to, command->operands);
}

static void man_title(const char *name, const char *summary, FILE *to) {
  fputs(".TH ", to);
  for (const char *letter = name; *letter; letter++) fputc(toupper((unsigned char)*letter), to);
  fprintf(to, " 1 \"\" \"tracebridge %s\" \"User Commands\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", tb_version(), name,
          summary);
}

static void man_exit_statuses(FILE *to) {
  fputs(".SH EXIT STATUS\n", to);
  for (size_t i = 0; i < EXIT_STATUS_COUNT; i++) man_entry(to, exit_statuses[i][0], exit_statuses[i][1]);
}

static void man_examples(const struct cli_command *command, FILE *to) {
  if (!command->examples) return;
  for (const char *const *example = command->examples; example[0]; example += 2) man_entry(to, example[0], example[1]);
}

void cli_help_man_command(const struct cli_command *command, FILE *to) {
  char name[64];
  snprintf(name, sizeof(name), "tracebridge-%s", command->name);
  man_title(name, command->summary, to);
  man_synopsis(command, to);
  fputs(".SH DESCRIPTION\n", to);
  man_text(to, command->description);
  fputs(".SH OPTIONS\n", to);
  man_options(command, to);
  man_entry(to, "-h, --help", "Print the options.");
  man_exit_statuses(to);
  fputs(".SH EXAMPLES\n", to);
  man_examples(command, to);
  fputs(".SH SEE ALSO\n.BR tracebridge (1)\n", to);
}

void cli_help_man(const struct cli_command *const *commands, size_t count, FILE *to) {
  man_title("tracebridge", "convert, merge and read traces", to);
  for (size_t i = 0; i < count; i++) {
    if (i) fputs(".br\n", to);
    man_synopsis(commands[i], to);
  }
  fputs(".SH DESCRIPTION\n", to);
  man_text(to, about);
  fputs(".SH COMMANDS\n", to);
  for (size_t i = 0; i < count; i++) {
    fprintf(to, ".SS tracebridge %s\n", commands[i]->name);
    man_text(to, commands[i]->description);
    man_options(commands[i], to);
  }
  man_exit_statuses(to);
  fputs(".SH NAMES IN WHAT IS PRINTED\n", to);
  man_text(to, about_names);
  fputs(".SH EXAMPLES\n", to);
  for (size_t i = 0; i < count; i++) man_examples(commands[i], to);
  fputs(".SH SEE ALSO\n", to);
  for (size_t i = 0; i < count; i++)
    fprintf(to, ".BR tracebridge-%s (1)%s\n", commands[i]->name, i + 1 < count ? "," : "");
}
