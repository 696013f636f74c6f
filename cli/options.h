/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of the subcommands. Each is in a table once, and the table parses it and feeds --help and the man page.
 */
#ifndef TB_CLI_OPTIONS_H
#define TB_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Stores `value` (NULL for a flag) at `field`. Returns NULL, or a constant text that says what it should have been. */
typedef const char *(*cli_parse_fn)(void *field, const char *value);

struct cli_option {
  char letter;       /* of the short form, 0: none */
  const char *name;  /* of the long form, without the dashes; NULL: none */
  const char *value; /* what the value is called in help; NULL: a flag */
  const char *help;  /* sentences, one line of any length */
  cli_parse_fn parse;
  size_t offset; /* of the field in the command's settings */
};

/* How a field is written; its type in brackets. */
const char *cli_parse_flag(void *field, const char *value);     /* [bool] becomes true */
const char *cli_parse_text(void *field, const char *value);     /* [const char *] */
const char *cli_parse_path(void *field, const char *value);     /* [const char *] not empty */
const char *cli_parse_count(void *field, const char *value);    /* [unsigned] at least 1 */
const char *cli_parse_size(void *field, const char *value);     /* [size_t] bytes, a whole number; see CLI_SIZE_UNITS */
const char *cli_parse_id(void *field, const char *value);       /* [uint32_t] not 0 */
const char *cli_parse_time(void *field, const char *value);     /* [int64_t] ns, "+1.5ms"; see CLI_TIME_UNITS */
const char *cli_parse_format(void *field, const char *value);   /* [enum tb_format] */
const char *cli_parse_target(void *field, const char *value);   /* [enum tb_format] that can be written */
const char *cli_parse_clock(void *field, const char *value);    /* [enum tb_clock] in any case, - or _ between words */
const char *cli_parse_unplaced(void *field, const char *value); /* [enum tb_unplaced] */

/* Patterns of names, of an option that is given several times. */
enum { CLI_GLOBS_MAX = 64 };
struct cli_glob_list {
  const char *globs[CLI_GLOBS_MAX];
  size_t count;
};
const char *cli_parse_glob(void *field, const char *value); /* [struct cli_glob_list] one more */

/* The words that an option takes, NULL after the last; NULL: any value. */
const char *const *cli_option_choices(const struct cli_option *option);

/* The one of these words that `value` may stand for by a slip; NULL: none. */
const char *cli_option_meant(const struct cli_option *option, const char *value);

#define CLI_TIME_UNITS "a number and a unit (ns, us, ms, s, min, h; ns where there is none)"
#define CLI_SIZE_UNITS "K, M, G, T are powers of 1024, as KiB and MiB are; kB and MB are powers of 1000"

/* Options that several commands share, for settings of the type S with a field of that name. */
#define CLI_OPTION_OUTPUT(S)                                                                                 \
  {                                                                                                          \
    'o', "output", "FILE",                                                                                   \
        "Write to FILE; a name that ends in .gz or .zst is compressed, - is standard output. The file gets " \
        "its name when it is whole, and the mode of the one that it replaces; links are followed. Without "  \
        "this option standard output is used, unless it is a terminal.",                                     \
        cli_parse_path, offsetof(S, output)                                                                  \
  }
#define CLI_OPTION_FROM(S)                                                                                            \
  {                                                                                                                   \
    0, "from", "FORMAT",                                                                                              \
        "Read the input as json, fxt, perfetto, ftrace or text, whatever its content looks like; text is Perfetto's " \
        "packets in protobuf's text format.",                                                                         \
        cli_parse_format, offsetof(S, from)                                                                           \
  }
#define CLI_OPTION_TO(S)                                                                                  \
  {                                                                                                       \
    0, "to", "FORMAT", "Write json, fxt or perfetto, whatever the output's name says.", cli_parse_target, \
        offsetof(S, to)                                                                                   \
  }
#define CLI_OPTION_STRICT(S)                                                                      \
  {                                                                                               \
    0, "strict", NULL,                                                                            \
        "Stop with exit status 1 at the first part of the input that cannot be read, instead of " \
        "passing over and counting it.",                                                          \
        cli_parse_flag, offsetof(S, strict)                                                       \
  }
#define CLI_OPTION_JUNK(S)                                                                               \
  {                                                                                                      \
    0, "max-junk", "SIZE",                                                                               \
        "Stop with exit status 1 where more than SIZE bytes before the first event have nothing of the " \
        "format in them; by default 64M. " CLI_SIZE_UNITS ".",                                           \
        cli_parse_size, offsetof(S, junk)                                                                \
  }
#define CLI_OPTION_MEMORY(S)                                                                           \
  {                                                                                                    \
    0, "memory", "SIZE",                                                                               \
        "Hold at most about SIZE bytes for ordering events, at least 1M; the rest waits in temporary " \
        "files. " CLI_SIZE_UNITS                                                                       \
        ". By default 64M of events that came in order, and half of the machine's memory of others.",  \
        cli_parse_size, offsetof(S, memory)                                                            \
  }
#define CLI_OPTION_THREADS(S)                                                                                        \
  {                                                                                                                  \
    'j', "threads", "N", "Use N threads; by default as many as there are cores, at most 4. The output is the same.", \
        cli_parse_count, offsetof(S, threads)                                                                        \
  }
#define CLI_OPTION_NO_CLOBBER(S)                                                        \
  {                                                                                     \
    'n', "no-clobber", NULL,                                                            \
        "Replace no file: where the output, or the report, is there already, end with " \
        "exit status 3 and read nothing.",                                              \
        cli_parse_flag, offsetof(S, no_clobber)                                         \
  }
#define CLI_OPTION_QUIET(S)                                                                                      \
  {                                                                                                              \
    'q', "quiet", NULL, "Print errors alone; that something was lost is in the exit status, 4.", cli_parse_flag, \
        offsetof(S, quiet)                                                                                       \
  }
#define CLI_OPTION_REPORT(S)                                                                         \
  {                                                                                                  \
    0, "report", "FILE",                                                                             \
        "Write what was done and lost to FILE, as JSON where its name ends in .json, else as text; " \
        "- is standard output.",                                                                     \
        cli_parse_path, offsetof(S, report)                                                          \
  }

struct cli_command {
  const char *name;
  const char *operands;        /* of the synopsis, "IN" */
  const char *summary;         /* one line of --help */
  const char *description;     /* one paragraph of the man page */
  const char *const *examples; /* pairs of a command line and what it does; NULL ends */
  const struct cli_option *options;
  size_t option_count;
  const char *when_out_of_memory;    /* what to do then, the end of a sentence */
  int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name; returns an exit status */
};

struct cli_operands {
  char **items;
  int count;
};

enum cli_parse_result { CLI_PARSED, CLI_HELP_GIVEN, CLI_PARSE_FAILED };

/* Fills `settings` (zeroed or preset by the caller) from argv by the command's table. Options and operands may be
 * mixed; "--" ends the options, "-" is an operand. The operands are gathered at argv's end. --help and -h print the
 * command's help. CLI_PARSE_FAILED: the reason was printed. */
enum cli_parse_result cli_parse(const struct cli_command *command, int argc, char **argv, void *settings,
                                struct cli_operands *operands);

/* Prints `tracebridge COMMAND: WHY` and how to get help to stderr; returns CLI_USAGE, so that `return cli_usage(…)`
 * reads. */
int cli_usage(const struct cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
