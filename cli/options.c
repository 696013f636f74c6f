/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "help.h"
#include "print.h"

const char *cli_parse_flag(void *field, const char *value) {
  (void)value;
  *(bool *)field = true;
  return NULL;
}

const char *cli_parse_text(void *field, const char *value) {
  *(const char **)field = value;
  return NULL;
}

/* Digits at the start of `text`, the rest in *rest. False where there are none or too many. */
static bool parse_digits(const char *text, uint64_t *number, const char **rest) {
  *number = 0;
  if (!isdigit((unsigned char)*text)) return false;
  for (; isdigit((unsigned char)*text); text++) {
    if (*number > (UINT64_MAX - 9) / 10) return false;
    *number = *number * 10 + (uint64_t)(*text - '0');
  }
  *rest = text;
  return true;
}

const char *cli_parse_count(void *field, const char *value) {
  uint64_t number;
  const char *rest;
  if (!parse_digits(value, &number, &rest) || *rest || number < 1 || number > 1024) return "a number from 1 to 1024";
  *(unsigned *)field = (unsigned)number;
  return NULL;
}

const char *cli_parse_size(void *field, const char *value) {
  static const char *const wanted = "a size such as 500000, 64M or 2G";
  static const char units[] = "KMG";
  uint64_t number;
  const char *rest;
  if (!parse_digits(value, &number, &rest) || number == 0) return wanted;
  if (*rest) {
    const char *unit = strchr(units, toupper((unsigned char)*rest));
    if (!unit || rest[1]) return wanted;
    unsigned shift = 10 * (unsigned)(unit - units + 1);
    if (number > (uint64_t)SIZE_MAX >> shift) return wanted;
    number <<= shift;
  }
  if (number > SIZE_MAX) return wanted;
  *(size_t *)field = (size_t)number;
  return NULL;
}

const char *cli_parse_format(void *field, const char *value) {
  enum tb_format format = tb_format_from_name(value);
  if (format == TB_FORMAT_UNKNOWN) return "json, fxt, perfetto or ftrace";
  *(enum tb_format *)field = format;
  return NULL;
}

const char *cli_parse_target(void *field, const char *value) {
  enum tb_format format = tb_format_from_name(value);
  if (format == TB_FORMAT_UNKNOWN || format == TB_FORMAT_FTRACE) return "json, fxt or perfetto";
  *(enum tb_format *)field = format;
  return NULL;
}

const char *cli_parse_clock(void *field, const char *value) {
  static const struct {
    const char *name;
    enum tb_clock clock;
  } clocks[] = {
      {"realtime", TB_CLOCK_REALTIME},
      {"monotonic", TB_CLOCK_MONOTONIC},
      {"monotonic-raw", TB_CLOCK_MONOTONIC_RAW},
      {"boottime", TB_CLOCK_BOOTTIME},
  };
  for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
    if (strcmp(value, clocks[i].name) != 0) continue;
    *(enum tb_clock *)field = clocks[i].clock;
    return NULL;
  }
  return "realtime, monotonic, monotonic-raw or boottime";
}

int cli_usage(const struct cli_command *command, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cli_print(stderr, "tracebridge %s: ", command->name);
  cli_vprint(stderr, format, args);
  cli_print(stderr, "\ntracebridge %s --help lists the options\n", command->name);
  va_end(args);
  return CLI_USAGE;
}

static const struct cli_option *find_long(const struct cli_command *command, const char *name, size_t len) {
  for (size_t i = 0; i < command->option_count; i++) {
    const char *own = command->options[i].name;
    if (own && strlen(own) == len && memcmp(own, name, len) == 0) return &command->options[i];
  }
  return NULL;
}

static const struct cli_option *find_short(const struct cli_command *command, char letter) {
  for (size_t i = 0; i < command->option_count; i++)
    if (command->options[i].letter == letter) return &command->options[i];
  return NULL;
}

struct option_parser {
  const struct cli_command *command;
  int argc, at;
  char **argv;
  char *settings;
};

static enum cli_parse_result store(const struct option_parser *parser, const struct cli_option *option,
                                   const char *given, const char *value) {
  const char *wanted = option->parse(parser->settings + option->offset, value);
  if (!wanted) return CLI_PARSED;
  (void)cli_usage(parser->command, "%s needs %s, not '%s'", given, wanted, value ? value : "");
  return CLI_PARSE_FAILED;
}

/* Takes an option with the value that is in the same word after it, or the next word. */
static enum cli_parse_result take(struct option_parser *parser, const struct cli_option *option, const char *given,
                                  const char *attached) {
  if (!option->value) return store(parser, option, given, NULL);
  if (attached) return store(parser, option, given, attached);
  if (parser->at + 1 < parser->argc) return store(parser, option, given, parser->argv[++parser->at]);
  (void)cli_usage(parser->command, "%s lacks its %s", given, option->value);
  return CLI_PARSE_FAILED;
}

static enum cli_parse_result take_long(struct option_parser *parser, const char *word) {
  const char *equals = strchr(word, '=');
  size_t len = equals ? (size_t)(equals - word) : strlen(word);
  const struct cli_option *option = find_long(parser->command, word + 2, len - 2);
  if (!option || (equals && !option->value)) {
    (void)cli_usage(parser->command, option ? "%.*s takes no value" : "unknown option %.*s", (int)len, word);
    return CLI_PARSE_FAILED;
  }
  char given[64];
  snprintf(given, sizeof(given), "--%s", option->name);
  return take(parser, option, given, equals ? equals + 1 : NULL);
}

static enum cli_parse_result take_short(struct option_parser *parser, const char *word) {
  for (const char *letter = word + 1; *letter; letter++) {
    const char given[] = {'-', *letter, 0};
    const struct cli_option *option = find_short(parser->command, *letter);
    if (!option) {
      (void)cli_usage(parser->command, "unknown option %s", given);
      return CLI_PARSE_FAILED;
    }
    enum cli_parse_result result = take(parser, option, given, letter[1] ? letter + 1 : NULL);
    if (result != CLI_PARSED || option->value) return result;
  }
  return CLI_PARSED;
}

enum cli_parse_result cli_parse(const struct cli_command *command, int argc, char **argv, void *settings,
                                struct cli_operands *operands) {
  struct option_parser parser = {.command = command, .argc = argc, .argv = argv, .settings = settings};
  *operands = (struct cli_operands){argv + 1, 0}; /* never past what was read: one place a word at most */
  bool options_ended = false;
  for (parser.at = 1; parser.at < argc; parser.at++) {
    char *word = argv[parser.at];
    enum cli_parse_result result = CLI_PARSED;
    if (options_ended || word[0] != '-' || !word[1])
      operands->items[operands->count++] = word;
    else if (strcmp(word, "--") == 0)
      options_ended = true;
    else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
      cli_help_command(command, stdout);
      return CLI_HELP_GIVEN;
    } else
      result = word[1] == '-' ? take_long(&parser, word) : take_short(&parser, word);
    if (result != CLI_PARSED) return result;
  }
  return CLI_PARSED;
}
