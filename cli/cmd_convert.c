/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static int usage(const char *why) {
  fprintf(stderr, "tracebridge convert: %s\nusage: tracebridge %s\n", why, cli_convert.synopsis);
  return CLI_USAGE;
}

static int run(int argc, char **argv) {
  const char *in = NULL, *out = "-";
  struct tb_convert_options options = {.size = sizeof(options)};
  for (int i = 1; i < argc; i++) {
    const char *arg = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(arg, "-o") == 0 || strcmp(arg, "--from") == 0 || strcmp(arg, "--to") == 0) {
      if (!value) return usage("an option lacks its value");
      if (arg[1] == 'o') out = value;
      else if (arg[2] == 'f') options.reader.format = tb_format_from_name(value);
      else options.writer.format = tb_format_from_name(value);
      i++;
    } else if (strcmp(arg, "--strict") == 0) {
      options.reader.strict = true;
    } else if (arg[0] == '-' && arg[1]) {
      return usage("unknown option");
    } else if (in) {
      return usage("more than one input");
    } else {
      in = arg;
    }
  }
  if (!in) return usage("no input");
  struct tb_error error = {0};
  struct tb_convert_report report;
  enum tb_status status = tb_convert(in, out, &options, &report, &error);
  cli_print_losses(in, report.losses, report.loss_count);
  if (status != TB_OK && status != TB_PARTIAL) cli_print_error(&error);
  return cli_exit_status(status);
}

const struct cli_command cli_convert = {"convert", "convert IN [-o OUT] [--from F] [--to F] [--strict]", run};
