/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

static const struct cli_command *const commands[] = {&cli_convert};
enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

int cli_exit_status(enum tb_status status) {
  switch (status) {
    case TB_OK: return CLI_OK;
    case TB_PARTIAL: return CLI_PARTIAL;
    case TB_IO: return CLI_IO;
    case TB_INVALID: return CLI_USAGE;
    default: return CLI_BAD_DATA;
  }
}

void cli_print_error(const struct tb_error *error) {
  fputs("tracebridge: ", stderr);
  if (error->file[0]) fprintf(stderr, "%s: ", error->file);
  if (error->offset != TB_NO_OFFSET) fprintf(stderr, "at byte %" PRIu64 ": ", error->offset);
  fprintf(stderr, "%s\n", error->message[0] ? error->message : tb_status_text(error->code));
}

void cli_print_losses(const char *file, const struct tb_loss *losses, size_t count) {
  for (size_t i = 0; i < count; i++)
    fprintf(stderr, "tracebridge: %s: lost %" PRIu64 ": %s (first at byte %" PRIu64 ")\n", file, losses[i].count,
            losses[i].reason, losses[i].first_offset);
}

static void print_help(FILE *to) {
  fputs("usage: tracebridge COMMAND ...\n\n", to);
  for (size_t i = 0; i < COMMAND_COUNT; i++) fprintf(to, "  tracebridge %s\n", commands[i]->synopsis);
  fputs("\nexit status: 0 whole, 1 bad data or refused, 2 usage, 3 I/O, 4 partial (readable part kept)\n", to);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return CLI_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return CLI_OK;
  }
  if (strcmp(argv[1], "--version") == 0) {
    puts("tracebridge " TB_VERSION);
    return CLI_OK;
  }
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(argv[1], commands[i]->name) == 0) return commands[i]->run(argc - 1, argv + 1);
  fprintf(stderr, "tracebridge: no command '%s'; --help lists them\n", argv[1]);
  return CLI_USAGE;
}
