/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "completions/completions.h"
#include "help.h"
#include "library_text.h"
#include "print.h"
#include "suggest.h"
#include "tracebridge/file.h"

static const struct cli_command *const commands[] = {&cli_convert, &cli_merge, &cli_trim,   &cli_filter,
                                                     &cli_split,   &cli_info,  &cli_dump,   &cli_open,
                                                     &cli_verify,  &cli_diff,  &cli_redact, &cli_repair};
enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

int cli_exit_status(enum tb_status status) {
  switch (status) {
    case TB_OK:
      return CLI_OK;
    case TB_PARTIAL:
      return CLI_PARTIAL;
    case TB_IO:
    case TB_NO_MEMORY:
      return CLI_IO;
    case TB_INVALID:
      return CLI_USAGE;
    default:
      return CLI_BAD_DATA;
  }
}

void cli_end_error(const struct cli_command *command, const struct tb_error *error) {
  if (error->code == TB_NO_MEMORY || error->system_errno == ENOMEM)
    cli_print(stderr, "; %s", command->when_out_of_memory);
  fputc('\n', stderr);
}

void cli_print_error(const struct cli_command *command, const struct tb_error *error) {
  if (error->system_errno == EPIPE) return; /* whoever closed the pipe knows; the exit status says it too */
  fputs("tracebridge: ", stderr);
  if (error->file[0]) cli_print(stderr, "%s: ", error->file);
  if (error->offset != TB_NO_OFFSET) cli_print(stderr, "at byte %" PRIu64 ": ", error->offset);
  char text[CLI_TEXT_MAX];
  cli_print(stderr, "%s", cli_library_text(error->message[0] ? error->message : tb_status_text(error->code), text));
  cli_end_error(command, error);
}

int cli_no_memory(const struct cli_command *command) {
  const struct tb_error error = {.code = TB_NO_MEMORY, .offset = TB_NO_OFFSET};
  cli_print_error(command, &error);
  return CLI_IO;
}

void cli_print_warning(const char *file, const char *text) {
  cli_print(stderr, "tracebridge: %s%swarning: %s\n", file ? file : "", file ? ": " : "", text);
}

void cli_print_losses(const char *file, const struct tb_loss *losses, size_t count) {
  char text[CLI_TEXT_MAX];
  for (size_t i = 0; i < count; i++) {
    cli_print(stderr, "tracebridge: %s: lost %" PRIu64 ": %s", file, losses[i].count,
              cli_library_text(losses[i].reason, text));
    if (losses[i].first_offset != TB_NO_OFFSET)
      cli_print(stderr, " (first at byte %" PRIu64 ")", losses[i].first_offset);
    fputc('\n', stderr);
  }
}

int cli_flush_output(void) {
  errno = 0; /* of a write that failed before nothing is known where nothing is left to be written */
  if (fflush(stdout) == 0 && !ferror(stdout)) return CLI_OK;
  const char *reason = errno ? strerror(errno) : NULL;
  cli_print(stderr, "tracebridge: cannot write to standard output%s%s\n", reason ? ": " : "", reason ? reason : "");
  return CLI_IO;
}

void cli_report_closed_pipes(void) { (void)signal(SIGPIPE, SIG_IGN); }

const char *cli_output_name(const struct cli_command *command, const char *given) {
  if (given) return given;
  if (!isatty(STDOUT_FILENO)) return "-";
  (void)cli_usage(command, "standard output is a terminal: name a file with -o");
  return NULL;
}

int cli_output_says_format(const struct cli_command *command, const char *output, const char *or_else) {
  if (tb_format_from_path(output) != TB_FORMAT_UNKNOWN) return CLI_OK;
  return cli_usage(command, "the output %s does not say by its name which format to write: end it in %s%s",
                   strcmp(output, "-") == 0 ? "(standard output)" : output, CLI_OUTPUT_NAMES, or_else);
}

int cli_spares_existing(const struct cli_command *command, const char *path) {
  if (!path || !tb_file_is_plain(path) || access(path, F_OK) != 0) return CLI_OK;
  cli_print(stderr, "tracebridge %s: %s is there already, and --no-clobber replaces no file\n", command->name, path);
  return CLI_IO;
}

int cli_output_spares_input(const struct cli_command *command, const char *output, const char *input) {
  if (!tb_file_overwrites_input(output, input)) return CLI_OK;
  return cli_usage(command, "the output %s would overwrite the input %s; choose another name",
                   strcmp(output, "-") == 0 ? "(standard output)" : output,
                   strcmp(input, "-") == 0 ? "(standard input)" : input);
}

static int usage_of_inputs(const struct cli_command *command, const struct cli_operands *operands, const char *output) {
  if (!operands->count) return cli_usage(command, "no input");
  const char *last = operands->items[operands->count - 1];
  bool meant_output = operands->count == 2 && !output && tb_format_from_path(last) != TB_FORMAT_UNKNOWN;
  if (meant_output && command == &cli_convert)
    return cli_usage(command, "more than one input; if %s is the output, say -o %s", last, last);
  return cli_usage(command, "more than one input%s",
                   command == &cli_convert ? "; tracebridge merge makes one trace of several" : "");
}

/* A terminal, and /dev/null, are nothing to read: who gives no input there has forgotten it. */
static bool input_is_piped(void) {
  struct stat st;
  return fstat(STDIN_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode));
}

bool cli_reads_pipe(const struct cli_operands *operands) { return !operands->count && input_is_piped(); }

const char *cli_one_input(const struct cli_command *command, const struct cli_operands *operands, const char *output) {
  if (operands->count == 1) return operands->items[0];
  if (cli_reads_pipe(operands)) return "-";
  (void)usage_of_inputs(command, operands, output);
  return NULL;
}

/* A file in place of a command: what to do with it. */
static void say_commands_for(const char *file) {
  cli_print(stderr, "tracebridge: no command '%s', but a file: tracebridge info FILE says what is in it, ", file);
  cli_print(stderr, "tracebridge convert FILE -o OUT.perfetto-trace converts it\n");
}

static const struct cli_command *find_command(const char *name) {
  struct cli_suggestion meant = {.word = name, .len = strlen(name)};
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    if (strcmp(name, commands[i]->name) == 0) return commands[i];
    cli_suggest_offer(&meant, commands[i]->name);
  }
  cli_suggest_offer(&meant, "help");
  cli_suggest_offer(&meant, "version");
  if (meant.best)
    cli_print(stderr, "tracebridge: no command '%s'; did you mean %s?\n", name, meant.best);
  else if (access(name, F_OK) == 0)
    say_commands_for(name);
  else
    cli_print(stderr, "tracebridge: no command '%s'; tracebridge help lists them\n", name);
  return NULL;
}

/* words: those behind `version`; NULL ends them. */
static int version(char *const *words) {
  if (words[0]) {
    cli_print(stderr, "tracebridge version: takes no '%s', nor anything else\n", words[0]);
    return CLI_USAGE;
  }
  fputs("tracebridge ", stdout);
  fputs(tb_version(), stdout);
  fputs("\n", stdout);
  return cli_flush_output();
}

static bool is_option(const char *word, const char *letter, const char *name) {
  return strcmp(word, letter) == 0 || strcmp(word, name) == 0;
}

static int help_completion(const char *shell) {
  if (shell && cli_completions_print(shell, commands, COMMAND_COUNT, stdout)) return cli_flush_output();
  cli_print(stderr, "tracebridge help: --completion needs bash, zsh or fish%s%s\n", shell ? ", not " : "",
            shell ? shell : "");
  return CLI_USAGE;
}

/* words: those behind `help`; NULL ends them. */
static int help(char *const *words) {
  const char *about = words[0];
  bool man = about && strcmp(about, "--man") == 0;
  if (man) about = words[1];
  if (about && strcmp(about, "--completion") == 0) return help_completion(words[1]);
  if (about && (strcmp(about, "help") == 0 || strcmp(about, "version") == 0)) about = NULL;
  const struct cli_command *command = about ? find_command(about) : NULL;
  if (about && !command) return CLI_USAGE;
  if (man && command)
    cli_help_man_command(command, stdout);
  else if (man)
    cli_help_man(commands, COMMAND_COUNT, stdout);
  else if (command)
    cli_help_command(command, stdout);
  else
    cli_help_program(commands, COMMAND_COUNT, stdout);
  return cli_flush_output();
}

int main(int argc, char **argv) {
  (void)signal(SIGXFSZ, SIG_IGN); /* a file past the limit of its size is a failed write, like any other */
  if (argc < 2) {
    cli_help_program(commands, COMMAND_COUNT, stderr);
    return CLI_USAGE;
  }
  if (strcmp(argv[1], "help") == 0) return help(argv + 2);
  if (is_option(argv[1], "-h", "--help")) return help(argv + argc);
  if (is_option(argv[1], "-V", "--version") || strcmp(argv[1], "version") == 0) return version(argv + 2);
  const struct cli_command *command = find_command(argv[1]);
  if (!command) return CLI_USAGE;
  cli_library_text_for(command);
  return command->run(argc - 1, argv + 1);
}
