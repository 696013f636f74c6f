/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "convert.h"
#include "interrupt.h"
#include "library_text.h"
#include "print.h"
#include "tracebridge/serve.h"

extern char **environ;

#ifdef __APPLE__
#define OPENER "open"
#else
#define OPENER "xdg-open"
#endif

struct open_settings {
  const char *viewer;
  enum tb_format from;
  unsigned port, threads;
  bool no_browser, quiet;
};

/* A trace to be shown: a file of the user's, or one of ours that loses its name once it is open. */
struct shown_trace {
  const char *path;
  char *temporary;  /* NULL: none */
  const char *name; /* NULL: the path's last part */
  const struct open_settings *settings;
  const struct cli_operands *operands;
  int made;     /* the exit status of making the file */
  bool printed; /* false: the link could not be written */
};

static const char *parse_port(void *field, const char *value) {
  char *end = NULL;
  unsigned long port = *value >= '0' && *value <= '9' ? strtoul(value, &end, 10) : 65536;
  if (port > 65535 || *end) return "a number from 0 (one that is free) to 65535";
  *(unsigned *)field = port ? (unsigned)port : TB_SERVE_ANY_PORT;
  return NULL;
}

static const struct cli_option options[] = {
    {0, "no-browser", NULL, "Start no browser; print the link to standard output.", cli_parse_flag,
     offsetof(struct open_settings, no_browser)},
    {0, "ui", "URL", "The viewer's address; by default " TB_SERVE_VIEWER ". Its pages alone get the trace.",
     cli_parse_text, offsetof(struct open_settings, viewer)},
    {0, "port", "N",
     "Serve on this port of 127.0.0.1; by default 9001, the one that ui.perfetto.dev may ask; 0 is one that is free.",
     parse_port, offsetof(struct open_settings, port)},
    CLI_OPTION_FROM(struct open_settings),
    CLI_OPTION_THREADS(struct open_settings),
    CLI_OPTION_QUIET(struct open_settings),
};

/* ---- what is served ---------------------------------------------------------------------------------------------- */

/* Perfetto traces as they are, or in gzip, are what viewers read themselves. What else they may know is converted: it
 * opens faster then, in less of the browser's memory. */
static bool looks_served_as_it_is(const char *path) {
  unsigned char head[64];
  struct stat st;
  FILE *file = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
  size_t len = file ? fread(head, 1, sizeof(head), file) : 0;
  if (file) (void)fclose(file);
  if (len > 2 && head[0] == 0x1f && head[1] == 0x8b) return true;
  bool binary = false; /* packets as text may begin with the same byte, the end of a line */
  for (size_t i = 0; i < len; i++) binary = binary || (head[i] < ' ' && !strchr("\t\n\r", head[i]));
  return len && head[0] == '\n' && binary;
}

static bool is_served_as_it_is(const char *path, enum tb_format from) {
  const struct tb_reader_options how = {.size = sizeof(how), .format = from};
  struct tb_reader *reader = NULL;
  struct tb_error error = {0};
  if (!looks_served_as_it_is(path) || tb_reader_open(path, &how, &reader, &error) != TB_OK) return false;
  bool perfetto = tb_reader_format(reader) == TB_FORMAT_PERFETTO;
  tb_reader_close(reader);
  return perfetto;
}

/* A name for a file of ours in the folder of temporary files, which nobody else can have put there. NULL: no memory. */
static char *temporary_name(void) {
  const char *folder = getenv("TMPDIR");
  if (!folder || !*folder) folder = "/tmp";
  uint64_t key = 0;
  if (getrandom(&key, sizeof(key), 0) != sizeof(key)) return NULL;
  size_t len = strlen(folder) + sizeof("/tracebridge-open-.perfetto-trace") + 20;
  char *name = malloc(len);
  if (name) (void)snprintf(name, len, "%s/tracebridge-open-%016" PRIx64 ".perfetto-trace", folder, key);
  return name;
}

static int convert(const char *from, const char *to, const struct open_settings *settings) {
  const struct convert_settings how = {
      .from = settings->from, .to = TB_FORMAT_PERFETTO, .threads = settings->threads, .no_clobber = true};
  struct cli_progress progress;
  struct tb_error error = {0};
  struct tb_convert_report report = {.size = sizeof(report)};
  cli_progress_start(&progress, settings->quiet);
  enum tb_status status = cli_convert_file(from, to, &how, &progress, &report, &error);
  cli_progress_end(&progress);
  cli_interrupt_end();
  if (status != TB_OK && status != TB_PARTIAL) {
    cli_print_losses(from, report.losses, report.loss_count);
    cli_print_error(&cli_open, &error);
  } else if (!settings->quiet) {
    cli_report_text(stderr, &(struct cli_conversion){from, "the viewer", status, &report, &error});
  }
  return cli_exit_status(status);
}

/* As `tracebridge merge` does it with no option but --from, with its messages. */
static int merge(const struct cli_operands *operands, char *to, const struct open_settings *settings) {
  char merge[] = "merge", output[] = "-o", no_clobber[] = "-n", quiet[] = "-q", end[] = "--", from[32];
  char *const before[] = {merge, output, to, no_clobber};
  size_t own = sizeof(before) / sizeof(before[0]), count = (size_t)operands->count;
  char **argv = calloc(own + count + 4, sizeof(*argv));
  if (!argv) return cli_no_memory(&cli_open);
  memcpy(argv, before, sizeof(before));
  (void)snprintf(from, sizeof(from), "--from=%s", tb_format_name(settings->from));
  if (settings->from != TB_FORMAT_UNKNOWN) argv[own++] = from;
  if (settings->quiet) argv[own++] = quiet;
  argv[own++] = end;
  memcpy(argv + own, operands->items, count * sizeof(*argv));
  int status = cli_merge.run((int)(own + count), argv);
  free(argv);
  if (status == CLI_BAD_DATA && cli_library_text_named_others())
    cli_print(stderr,
              "tracebridge open: these are options of merge; open what it writes: tracebridge merge FILE... "
              "OPTION... -o ALL.perfetto-trace\n");
  return status;
}

/* Whether what the user named is served itself, or a file that make_trace makes of it. */
static int choose_trace(struct shown_trace *trace) {
  const char *one = trace->operands->count > 1 ? NULL : cli_one_input(&cli_open, trace->operands, NULL);
  if (trace->operands->count < 2 && !one) return CLI_USAGE;
  if (one && strcmp(one, "-") != 0 && is_served_as_it_is(one, trace->settings->from)) {
    trace->path = one;
    return CLI_OK;
  }
  trace->path = trace->temporary = temporary_name();
  if (!trace->path) return cli_no_memory(&cli_open);
  trace->name = one ? "trace.perfetto-trace" : "merged.perfetto-trace";
  return CLI_OK;
}

static bool make_trace(void *ctx) {
  struct shown_trace *trace = ctx;
  const struct cli_operands *from = trace->operands;
  if (!trace->temporary) return true;
  (void)umask(077); /* nobody else reads it while it has a name */
  trace->made = from->count > 1 ? merge(from, trace->temporary, trace->settings)
                                : convert(from->count ? from->items[0] : "-", trace->path, trace->settings);
  return trace->made == CLI_OK || trace->made == CLI_PARTIAL;
}

/* ---- showing it -------------------------------------------------------------------------------------------------- */

static bool start_browser(const char *link) {
  char opener[] = OPENER;
  char *copy = strdup(link);
  if (!copy) return false;
  char *const argv[] = {opener, copy, NULL};
  pid_t child = 0;
  int status = 0;
  bool started = posix_spawnp(&child, opener, NULL, NULL, argv, environ) == 0 && waitpid(child, &status, 0) == child &&
                 WIFEXITED(status) && WEXITSTATUS(status) == 0;
  free(copy);
  return started;
}

static void forget_temporary(struct shown_trace *trace) {
  if (!trace->temporary) return;
  (void)unlink(trace->temporary);
  free(trace->temporary);
  trace->temporary = NULL;
}

static bool show_link(void *ctx, const char *link) {
  struct shown_trace *trace = ctx;
  forget_temporary(trace);
  if (!trace->settings->no_browser && start_browser(link)) return true;
  if (!trace->settings->no_browser)
    fputs("tracebridge open: " OPENER " starts no browser; open this link in one on this machine:\n", stderr);
  cli_print(stdout, "%s\n", link);
  trace->printed = cli_flush_output() == CLI_OK;
  return trace->printed;
}

static bool keep_waiting(void *ctx) {
  (void)ctx;
  return !cli_interrupted();
}

static int serve(struct shown_trace *trace) {
  const struct open_settings *settings = trace->settings;
  const struct tb_serve_options how = {.size = sizeof(how),
                                       .viewer = settings->viewer,
                                       .name = trace->name,
                                       .port = settings->port,
                                       .ready = show_link,
                                       .waiting = keep_waiting,
                                       .prepare = make_trace,
                                       .ctx = trace};
  struct tb_error error = {0};
  cli_interrupt_watch();
  enum tb_status status = tb_serve(trace->path, &how, &error);
  forget_temporary(trace);
  cli_interrupt_end();
  if (trace->made != CLI_OK && trace->made != CLI_PARTIAL) return trace->made;
  if (!trace->printed) return CLI_IO;
  if (status != TB_OK) cli_print_error(&cli_open, &error);
  return status == TB_OK ? trace->made : cli_exit_status(status);
}

static int run(int argc, char **argv) {
  struct open_settings settings = {0};
  struct cli_operands operands;
  enum cli_parse_result parsed = cli_parse(&cli_open, argc, argv, &settings, &operands);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_GIVEN ? CLI_OK : CLI_USAGE;
  struct shown_trace trace = {.settings = &settings, .operands = &operands, .made = CLI_OK, .printed = true};
  cli_report_closed_pipes();
  int chosen = choose_trace(&trace);
  return chosen == CLI_OK ? serve(&trace) : chosen;
}

static const char *const examples[] = {
    "tracebridge open trace.json.gz",
    "Converts the trace and shows it in ui.perfetto.dev, in this machine's browser.",
    "tracebridge open client.json server.perfetto-trace",
    "Merges them first.",
    "tracebridge open trace.fxt --ui http://127.0.0.1:10000",
    "Shows it in a viewer that is served here.",
    NULL,
};

const struct cli_command cli_open = {
    .name = "open",
    .operands = "FILE...",
    .summary = "show a trace in Perfetto's viewer",
    .description =
        "Shows the trace FILE in a viewer in the browser: a Perfetto trace as it is, any other converted, several "
        "merged as `tracebridge merge` does it. The trace is served on 127.0.0.1 alone, to the pages of the viewer "
        "alone, and the command ends when the viewer has it.",
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .when_out_of_memory = "-j 1 takes less",
    .run = run,
};
