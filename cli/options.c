/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "help.h"
#include "print.h"
#include "suggest.h"
#include "tracebridge/info.h"
#include "tracebridge/merge.h"

const char *cli_parse_flag(void *field, const char *value) {
  (void)value;
  *(bool *)field = true;
  return NULL;
}

const char *cli_parse_text(void *field, const char *value) {
  *(const char **)field = value;
  return NULL;
}

const char *cli_parse_path(void *field, const char *value) { return *value ? cli_parse_text(field, value) : "a path"; }

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

/* What is behind a list that begins there; NULL: it has no end. A ] that comes first is one of its characters. */
static const char *behind_list(const char *at) {
  at++;
  if (*at == '!' || *at == '^') at++;
  if (*at == ']') at++;
  for (; *at && *at != ']'; at++)
    if (*at == '\\' && at[1]) at++;
  return *at ? at + 1 : NULL;
}

static bool is_glob(const char *text) {
  while (text && *text) {
    if (*text == '[')
      text = behind_list(text);
    else
      text += *text == '\\' && text[1] ? 2 : 1;
  }
  return text != NULL;
}

const char *cli_parse_glob(void *field, const char *value) {
  struct cli_glob_list *list = field;
  if (list->count == CLI_GLOBS_MAX) return "one of at most 64 globs";
  if (!is_glob(value)) return "a glob with a ] behind each [";
  list->globs[list->count++] = value;
  return NULL;
}

const char *cli_parse_count(void *field, const char *value) {
  uint64_t number;
  const char *rest;
  if (!parse_digits(value, &number, &rest) || *rest || number < 1 || number > 1024) return "a number from 1 to 1024";
  *(unsigned *)field = (unsigned)number;
  return NULL;
}

const char *cli_parse_id(void *field, const char *value) {
  uint64_t number;
  const char *rest;
  if (!parse_digits(value, &number, &rest) || *rest || number < 1 || number > UINT32_MAX) return "a number from 1 on";
  *(uint32_t *)field = (uint32_t)number;
  return NULL;
}

const char *cli_parse_time(void *field, const char *value) {
  switch (tb_duration_parse(value, field)) {
    case TB_OK:
      return NULL;
    case TB_UNSUPPORTED:
      return "a time that is a whole number of nanoseconds";
    default:
      return "a time such as 1.5ms: " CLI_TIME_UNITS;
  }
}

/* The factor of a size's unit; 0 where it is none. */
static uint64_t size_unit(const char *unit) {
  static const char letters[] = "KMGT";
  if (!*unit || strcasecmp(unit, "B") == 0) return 1;
  const char *letter = strchr(letters, toupper((unsigned char)*unit));
  if (!letter) return 0;
  unsigned power = (unsigned)(letter - letters) + 1;
  if (!unit[1] || strcasecmp(unit + 1, "iB") == 0) return (uint64_t)1 << 10 * power;
  if (strcasecmp(unit + 1, "B") != 0) return 0;
  uint64_t factor = 1;
  while (power--) factor *= 1000;
  return factor;
}

/* Adds `digits`, what is behind the point of a number of units, to *size. False where that is no whole number. */
static bool add_fraction(const char *digits, const char *end, uint64_t unit, uint64_t *size) {
  enum { DIGITS_MAX = 6 }; /* so that nothing overflows: a unit is at most 2^40 */
  uint64_t fraction = 0, scale = 1;
  if (digits == end || end - digits > DIGITS_MAX) return false;
  for (; digits < end; digits++, scale *= 10) fraction = fraction * 10 + (uint64_t)(*digits - '0');
  if (fraction * unit % scale) return false;
  *size += fraction * unit / scale;
  return true;
}

const char *cli_parse_size(void *field, const char *value) {
  static const char *const wanted = "a size such as 500000, 64M, 64MB or 1.5G";
  uint64_t size;
  const char *rest, *point;
  if (!parse_digits(value, &size, &rest)) return wanted;
  for (point = rest; *rest == '.' || (rest > point && isdigit((unsigned char)*rest)); rest++)
    if (*rest == '.' && rest > point) return wanted;
  uint64_t unit = size_unit(rest);
  if (!unit || size > UINT64_MAX / 2 / unit) return wanted;
  size *= unit;
  if (rest > point && !add_fraction(point + 1, rest, unit, &size)) return "a size that is a whole number of bytes";
  if (size == 0 || size > SIZE_MAX) return wanted;
  *(size_t *)field = (size_t)size;
  return NULL;
}

/* ---- options that take one of some words ------------------------------------------------------------------------- */

enum { CHOICES_MAX = 8 };

/* Words, and what they mean; an empty place is behind the last. `wanted` is for messages. */
struct choices {
  cli_parse_fn parse;
  const char *names[CHOICES_MAX];
  int values[CHOICES_MAX];
  const char *wanted;
};

static const struct choices clocks = {
    cli_parse_clock,
    {"realtime", "realtime-coarse", "monotonic", "monotonic-coarse", "monotonic-raw", "boottime"},
    {TB_CLOCK_REALTIME, TB_CLOCK_REALTIME_COARSE, TB_CLOCK_MONOTONIC, TB_CLOCK_MONOTONIC_COARSE, TB_CLOCK_MONOTONIC_RAW,
     TB_CLOCK_BOOTTIME},
    "realtime, monotonic, monotonic-raw, boottime, realtime-coarse or monotonic-coarse"};
static const struct choices unplaced = {cli_parse_unplaced,
                                        {"error", "start", "drop"},
                                        {TB_UNPLACED_ERROR, TB_UNPLACED_START, TB_UNPLACED_DROP},
                                        "error, start or drop"};
static const struct choices *const all_choices[] = {&clocks, &unplaced};

/* Whether two words differ in the case of letters and in - for _ alone. */
static bool same_word(const char *a, const char *b) {
  for (; *a && *b; a++, b++)
    if (tolower((unsigned char)*a) != tolower((unsigned char)*b) && !(strchr("-_", *a) && strchr("-_", *b)))
      return false;
  return *a == *b;
}

/* Finds the word in the choices. Returns NULL, or what it has to be. */
static const char *choose(const struct choices *choices, const char *value, int *chosen) {
  for (size_t i = 0; i < CHOICES_MAX && choices->names[i]; i++) {
    if (!same_word(value, choices->names[i])) continue;
    *chosen = choices->values[i];
    return NULL;
  }
  return choices->wanted;
}

/* The names of all formats, or of those that can be written, NULL after the last. */
static const char *const *format_names(bool written) {
  static const char *names[2][CHOICES_MAX + 1];
  size_t count = 0;
  for (int i = TB_FORMAT_UNKNOWN + 1; count < CHOICES_MAX; i++) {
    const char *name = tb_format_name((enum tb_format)i);
    if (tb_format_from_name(name) == TB_FORMAT_UNKNOWN) break;
    if (!written || tb_format_is_written((enum tb_format)i)) names[written][count++] = name;
  }
  return names[written];
}

const char *const *cli_option_choices(const struct cli_option *option) {
  if (option->parse == cli_parse_format || option->parse == cli_parse_target)
    return format_names(option->parse == cli_parse_target);
  for (size_t i = 0; i < sizeof(all_choices) / sizeof(all_choices[0]); i++)
    if (all_choices[i]->parse == option->parse) return all_choices[i]->names;
  return NULL;
}

/* The format whose files' names end so, where it is one of the names; else NULL. */
static const char *format_of_ending(const char *const *names, const char *ending) {
  char path[32];
  int len = snprintf(path, sizeof(path), "x.%s", ending);
  if (len < 0 || (size_t)len >= sizeof(path)) return NULL;
  const char *name = tb_format_name(tb_format_from_path(path));
  while (*names && strcmp(*names, name) != 0) names++;
  return *names;
}

const char *cli_option_meant(const struct cli_option *option, const char *value) {
  const char *const *choices = cli_option_choices(option);
  struct cli_suggestion meant = {.word = value, .len = strlen(value)};
  for (size_t i = 0; choices && choices[i]; i++) cli_suggest_offer(&meant, choices[i]);
  bool is_format = option->parse == cli_parse_format || option->parse == cli_parse_target;
  return meant.best || !is_format ? meant.best : format_of_ending(choices, value);
}

/* The format that the word names among these; UNKNOWN where it names none. */
static enum tb_format choose_format(const char *const *names, const char *word) {
  while (*names && !same_word(word, *names)) names++;
  return *names ? tb_format_from_name(*names) : TB_FORMAT_UNKNOWN;
}

const char *cli_parse_format(void *field, const char *value) {
  enum tb_format format = choose_format(format_names(false), value);
  if (format == TB_FORMAT_UNKNOWN) return "json, fxt, perfetto, ftrace or text";
  *(enum tb_format *)field = format;
  return NULL;
}

const char *cli_parse_target(void *field, const char *value) {
  enum tb_format format = choose_format(format_names(true), value);
  if (format == TB_FORMAT_UNKNOWN) return "json, fxt or perfetto";
  *(enum tb_format *)field = format;
  return NULL;
}

const char *cli_parse_clock(void *field, const char *value) {
  int chosen;
  const char *wanted = choose(&clocks, value, &chosen);
  if (!wanted) *(enum tb_clock *)field = (enum tb_clock)chosen;
  return wanted;
}

const char *cli_parse_unplaced(void *field, const char *value) {
  int chosen;
  const char *wanted = choose(&unplaced, value, &chosen);
  if (!wanted) *(enum tb_unplaced *)field = (enum tb_unplaced)chosen;
  return wanted;
}

/* ---- parsing ----------------------------------------------------------------------------------------------------- */

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
  const struct cli_option *unitless; /* the last that was given a time without a unit, and its value */
  const char *unitless_value;
  int argc, at;
  char **argv;
  char *settings;
};

/* A time that may have been meant in seconds. */
static void note_unit(struct option_parser *parser, const struct cli_option *option, const char *value) {
  if (!value || !option->value || (!strstr(option->value, "TIME") && strncmp(value, "time=", 5) != 0)) return;
  const char *equals = strrchr(value, '='), *time = equals ? equals + 1 : value, *colon = strrchr(time, ':');
  if (colon) time = colon + 1;
  if (time[strspn(time, "+-.0123456789")] || !time[strspn(time, "+-.0")]) return;
  parser->unitless = option;
  parser->unitless_value = value;
}

static enum cli_parse_result store(struct option_parser *parser, const struct cli_option *option, const char *given,
                                   const char *value) {
  const char *wanted = option->parse(parser->settings + option->offset, value);
  if (!wanted) {
    note_unit(parser, option, value);
    return CLI_PARSED;
  }
  const char *meant = cli_option_meant(option, value ? value : "");
  (void)cli_usage(parser->command, "%s needs %s, not '%s'%s%s%s", given, wanted, value ? value : "",
                  meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
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

static enum cli_parse_result unknown_long(const struct option_parser *parser, const char *word, size_t len) {
  struct cli_suggestion meant = {.word = word + 2, .len = len - 2};
  for (size_t i = 0; i < parser->command->option_count; i++)
    if (parser->command->options[i].name) cli_suggest_offer(&meant, parser->command->options[i].name);
  cli_suggest_offer(&meant, "help");
  const char *best = meant.best ? meant.best : "";
  (void)cli_usage(parser->command, "unknown option %.*s%s%s%s", (int)len, word, meant.best ? "; did you mean --" : "",
                  best, meant.best ? "?" : "");
  return CLI_PARSE_FAILED;
}

static enum cli_parse_result take_long(struct option_parser *parser, const char *word) {
  const char *equals = strchr(word, '=');
  size_t len = equals ? (size_t)(equals - word) : strlen(word);
  const struct cli_option *option = find_long(parser->command, word + 2, len - 2);
  if (!option) return unknown_long(parser, word, len);
  if (equals && !option->value) {
    (void)cli_usage(parser->command, "%.*s takes no value", (int)len, word);
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

/* Prints what is done as it was written, but was perhaps not meant so. */
static void print_unit(const struct option_parser *parser) {
  const struct cli_option *quiet = find_long(parser->command, "quiet", 5);
  if (!parser->unitless || (quiet && *(const bool *)(parser->settings + quiet->offset))) return;
  cli_print(stderr, "tracebridge %s: --%s %s is in ns, since it says no unit\n", parser->command->name,
            parser->unitless->name, parser->unitless_value);
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
  print_unit(&parser);
  return CLI_PARSED;
}
