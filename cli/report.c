/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "interrupt.h"
#include "library_text.h"
#include "print.h"
#include "tracebridge/file.h"
#include "tracebridge/info.h"

/* Kinds of events: their types, and two of TB_EVENT_OTHER. */
enum { UNTIMED = TB_EVENT_TYPE_COUNT, UNMATCHED, KIND_COUNT };

/* Events that say what happens, for people; types that share a name are added up. Types without one describe the trace
 * and are not counted as events. */
static const struct {
  const char *one, *many;
} kinds[KIND_COUNT] = {
    [TB_EVENT_SLICE_BEGIN] = {"slice begin", "slice begins"},
    [TB_EVENT_SLICE_END] = {"slice end", "slice ends"},
    [TB_EVENT_SLICE_COMPLETE] = {"complete slice", "complete slices"},
    [TB_EVENT_INSTANT] = {"instant", "instants"},
    [TB_EVENT_COUNTER] = {"counter sample", "counter samples"},
    [TB_EVENT_ASYNC_BEGIN] = {"async begin", "async begins"},
    [TB_EVENT_ASYNC_INSTANT] = {"async instant", "async instants"},
    [TB_EVENT_ASYNC_END] = {"async end", "async ends"},
    [TB_EVENT_FLOW_BEGIN] = {"flow event", "flow events"},
    [TB_EVENT_FLOW_STEP] = {"flow event", "flow events"},
    [TB_EVENT_FLOW_END] = {"flow event", "flow events"},
    [TB_EVENT_OBJECT_CREATE] = {"object event", "object events"},
    [TB_EVENT_OBJECT_SNAPSHOT] = {"object event", "object events"},
    [TB_EVENT_OBJECT_DELETE] = {"object event", "object events"},
    [TB_EVENT_CONTEXT_ENTER] = {"context event", "context events"},
    [TB_EVENT_CONTEXT_LEAVE] = {"context event", "context events"},
    [TB_EVENT_ID_LINK] = {"id link", "id links"},
    [TB_EVENT_CLOCK_SYNC] = {"clock sync", "clock syncs"},
    [TB_EVENT_MEMORY_DUMP] = {"memory dump", "memory dumps"},
    [TB_EVENT_THREAD_STATE] = {"thread state", "thread states"},
    [TB_EVENT_LOG] = {"log message", "log messages"},
    [TB_EVENT_OTHER] = {"event of unknown phase", "events of unknown phase"},
    [TB_EVENT_SAMPLE] = {"sample", "samples"},
    [TB_EVENT_SYSTEM_TRACE] = {"piece of system trace text", "pieces of system trace text"},
    [TB_EVENT_DATA_LOSS] = {"data loss of the recorder", "data losses of the recorder"},
    [UNTIMED] = {"event without a time", "events without a time"},
    [UNMATCHED] = {"event that joins no other", "events that join no other"},
};

struct kind_count {
  size_t kind; /* the first of that name */
  uint64_t count;
};

static uint64_t count_of_kind(const struct tb_writer_summary *summary, size_t kind) {
  switch (kind) {
    case UNTIMED:
      return summary->untimed_events;
    case UNMATCHED:
      return summary->unmatched_events;
    case TB_EVENT_OTHER:
      return summary->events_by_type[kind] - summary->untimed_events - summary->unmatched_events;
    default:
      return summary->events_by_type[kind];
  }
}

/* Gathers counts by name in the order of the table; returns how many there are. */
static size_t count_kinds(const struct tb_writer_summary *summary, struct kind_count *counts, uint64_t *total) {
  size_t found = 0;
  *total = 0;
  for (size_t kind = 0; kind < KIND_COUNT; kind++) {
    uint64_t count = kinds[kind].many ? count_of_kind(summary, kind) : 0;
    if (!count) continue;
    *total += count;
    size_t i = 0;
    while (i < found && strcmp(kinds[counts[i].kind].many, kinds[kind].many) != 0) i++;
    if (i == found) counts[found++] = (struct kind_count){kind, 0};
    counts[i].count += count;
  }
  return found;
}

static uint64_t sum_of(const struct tb_loss *losses, size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += losses[i].count;
  return sum;
}

static uint64_t lost(const struct tb_convert_report *report) { return sum_of(report->losses, report->loss_count); }

const char *cli_report_name(const char *file, const char *stream) { return strcmp(file, "-") == 0 ? stream : file; }

void cli_report_bytes(FILE *to, uint64_t bytes) {
  char text[TB_UNIT_TEXT];
  cli_print(to, "%s", tb_bytes_text(text, bytes));
}

void cli_report_span(FILE *to, int64_t first, int64_t last) {
  char text[TB_UNIT_TEXT];
  cli_print(to, "  time span: %s\n", tb_duration_text(text, (uint64_t)last - (uint64_t)first));
}

static void print_count(FILE *to, uint64_t count, const char *what) {
  cli_print(to, ", %" PRIu64 " %s%s", count, what, count == 1 ? "" : "s");
}

static void print_files(FILE *to, const struct cli_conversion *c) {
  cli_print(to, "%s (%s, ", cli_report_name(c->report->read_from, "standard input"), tb_format_name(c->report->from));
  cli_report_bytes(to, c->report->input_bytes);
  cli_print(to, ") -> %s (%s, ", cli_report_name(c->to, "standard output"), tb_format_name(c->report->to));
  cli_report_bytes(to, c->report->summary.bytes_written);
  fputs(")\n", to);
}

static void print_events(FILE *to, const struct tb_writer_summary *summary) {
  struct kind_count counts[KIND_COUNT];
  uint64_t total;
  size_t kind_total = count_kinds(summary, counts, &total);
  fputs("  events:    ", to);
  if (kind_total != 1) cli_print(to, "%" PRIu64 "%s", total, kind_total ? " = " : "");
  for (size_t i = 0; i < kind_total; i++)
    cli_print(to, "%s%" PRIu64 " %s", i ? ", " : "", counts[i].count,
              counts[i].count == 1 ? kinds[counts[i].kind].one : kinds[counts[i].kind].many);
  cli_print(to, "\n  tracks:    %" PRIu64 " process%s", summary->processes, summary->processes == 1 ? "" : "es");
  print_count(to, summary->threads, "thread");
  print_count(to, summary->counters, "counter");
  print_count(to, summary->flows, "flow");
  fputc('\n', to);
}

static void print_library_json(FILE *to, const char *text) {
  char room[CLI_TEXT_MAX];
  cli_print_json(to, cli_library_text(text, room));
}

static void print_first(FILE *to, const struct tb_loss *loss) {
  if (loss->first_offset != TB_NO_OFFSET) cli_print(to, " (first at byte %" PRIu64 ")", loss->first_offset);
  fputc('\n', to);
}

static void print_notes(FILE *to, const struct tb_convert_report *report) {
  for (size_t i = 0; i < report->note_count; i++) {
    char text[CLI_TEXT_MAX];
    cli_print(to, "  %s%" PRIu64 " %s", i ? "           " : "noted:     ", report->notes[i].count,
              cli_library_text(report->notes[i].reason, text));
    print_first(to, &report->notes[i]);
  }
}

/* The viewer leaves out what is before its time 0. */
static void print_negative_times(FILE *to, const struct tb_convert_report *report) {
  const struct tb_writer_summary *summary = &report->summary;
  char text[TB_UNIT_TEXT];
  if (report->to != TB_FORMAT_PERFETTO || summary->first_ts > summary->last_ts || summary->first_ts >= 0) return;
  cli_print(to, "  %stimes begin %s before 0, where the viewer shows nothing: merge of this one file moves them\n",
            report->note_count ? "           " : "noted:     ",
            tb_duration_text(text, (uint64_t)0 - (uint64_t)summary->first_ts));
}

static void print_loss(FILE *to, const char *where, const struct tb_loss *loss) {
  char text[CLI_TEXT_MAX];
  cli_print(to, "    %" PRIu64 " in %s: %s", loss->count, where, cli_library_text(loss->reason, text));
  print_first(to, loss);
}

static const char *where_lost(const struct tb_convert_report *report, size_t loss) {
  return loss < report->reader_loss_count ? "reading" : "writing";
}

void cli_report_read_losses(FILE *to, const struct tb_loss *read, size_t count,
                            const struct tb_convert_report *report) {
  uint64_t sum = sum_of(read, count) + (report ? lost(report) : 0);
  if (!sum && !report) return;
  if (!sum)
    fputs("  lost:      nothing\n", to);
  else
    cli_print(to, "  lost:      %" PRIu64 "\n", sum);
  for (size_t i = 0; i < count; i++) print_loss(to, "reading", &read[i]);
  if (!report) return;
  for (size_t i = 0; i < report->loss_count; i++) print_loss(to, where_lost(report, i), &report->losses[i]);
  print_notes(to, report);
  print_negative_times(to, report);
}

void cli_report_losses(FILE *to, const struct tb_convert_report *report) {
  cli_report_read_losses(to, NULL, 0, report);
}

void cli_report_text(FILE *to, const struct cli_conversion *c) {
  const struct tb_writer_summary *summary = &c->report->summary;
  if (c->status != TB_OK && c->status != TB_PARTIAL) {
    char text[CLI_TEXT_MAX];
    cli_print(to, "%s: failed: %s\n", c->from, cli_library_text(c->error->message, text));
    return;
  }
  print_files(to, c);
  print_events(to, summary);
  /* there was an event with a time */
  if (summary->first_ts <= summary->last_ts) cli_report_span(to, summary->first_ts, summary->last_ts);
  if (summary->ftrace_events) cli_print(to, "  ftrace:    %" PRIu64 " events\n", summary->ftrace_events);
  if (summary->spilled_bytes) {
    fputs("  spilled:   ", to);
    cli_report_bytes(to, summary->spilled_bytes);
    fputs(" to temporary files\n", to);
  }
  cli_report_losses(to, c->report);
}

void cli_report_line(FILE *to, const struct cli_conversion *c) {
  struct kind_count counts[KIND_COUNT];
  uint64_t total;
  char text[CLI_TEXT_MAX];
  if (c->status != TB_OK && c->status != TB_PARTIAL) {
    cli_print(to, "%s: failed: ", c->from);
    if (c->error->offset != TB_NO_OFFSET) cli_print(to, "at byte %" PRIu64 ": ", c->error->offset);
    cli_print(to, "%s\n",
              cli_library_text(c->error->message[0] ? c->error->message : tb_status_text(c->error->code), text));
    return;
  }
  (void)count_kinds(&c->report->summary, counts, &total);
  cli_print(to, "%s -> %s: %" PRIu64 " event%s, ", c->from, c->to, total, total == 1 ? "" : "s");
  cli_report_bytes(to, c->report->input_bytes);
  fputs(" -> ", to);
  cli_report_bytes(to, c->report->summary.bytes_written);
  if (c->status == TB_PARTIAL)
    cli_print(to, "; lost %" PRIu64 ": %s", lost(c->report),
              cli_library_text(c->report->loss_count ? c->report->losses[0].reason : "", text));
  fputc('\n', to);
}

/* ---- JSON: composed here, since the program sees public headers alone; the escaper of strings is the library's -- */

/* `inside`: the name with that of the member which was read; NULL: none. */
static void json_file(FILE *to, const char *key, const char *name, const char *inside, enum tb_format format,
                      uint64_t bytes) {
  cli_print(to, "  \"%s\": {\"file\": ", key);
  cli_print_json(to, name);
  if (inside && *inside && strcmp(inside, name) != 0) {
    fputs(", \"read\": ", to);
    cli_print_json(to, inside);
  }
  cli_print(to, ", \"format\": \"%s\", \"bytes\": %" PRIu64 "},\n", tb_format_name(format), bytes);
}

static void json_number(FILE *to, const char *key, uint64_t value) {
  cli_print(to, "  \"%s\": %" PRIu64 ",\n", key, value);
}

static void json_offset(FILE *to, const char *key, uint64_t offset) {
  if (offset == TB_NO_OFFSET)
    cli_print(to, "\"%s\": null", key);
  else
    cli_print(to, "\"%s\": %" PRIu64, key, offset);
}

static void json_error(FILE *to, const struct cli_conversion *c) {
  if (c->status == TB_OK || c->status == TB_PARTIAL) {
    fputs("  \"error\": null,\n", to);
    return;
  }
  fputs("  \"error\": {\"file\": ", to);
  cli_print_json(to, c->error->file);
  fputs(", \"message\": ", to);
  print_library_json(to, c->error->message);
  fputs(", ", to);
  json_offset(to, "offset", c->error->offset);
  fputs("},\n", to);
}

/* The members of a loss or of a note, of which the one is `key`, and the end of the object. */
static void json_reason(FILE *to, const char *key, const struct tb_loss *loss) {
  cli_print(to, "\"%s\": ", key);
  print_library_json(to, loss->reason);
  cli_print(to, ", \"code\": \"%s\", \"count\": %" PRIu64 ", ", tb_loss_kind_name(loss->kind), loss->count);
  json_offset(to, "first_offset", loss->first_offset);
  fputc('}', to);
}

static void json_loss(FILE *to, const char *where, const struct tb_loss *loss) {
  cli_print(to, "{\"while\": \"%s\", ", where);
  json_reason(to, "reason", loss);
}

void cli_report_reasons_json(FILE *to, const char *key, const struct tb_loss *losses, size_t count) {
  fputc('[', to);
  for (size_t i = 0; i < count; i++) {
    if (i) fputc(',', to);
    fputc('{', to);
    json_reason(to, key, &losses[i]);
  }
  fputc(']', to);
}

void cli_report_read_losses_json(FILE *to, const struct tb_loss *read, size_t count,
                                 const struct tb_convert_report *report) {
  size_t written = report ? report->loss_count : 0;
  fputc('[', to);
  for (size_t i = 0; i < count + written; i++) {
    if (i) fputc(',', to);
    json_loss(to, i < count ? "reading" : where_lost(report, i - count),
              i < count ? &read[i] : &report->losses[i - count]);
  }
  fputc(']', to);
}

static void json_losses(FILE *to, const struct tb_convert_report *report) {
  fputs("  \"losses\": [", to);
  for (size_t i = 0; i < report->loss_count; i++) {
    if (i) fputc(',', to);
    fputs("\n    ", to);
    json_loss(to, where_lost(report, i), &report->losses[i]);
  }
  if (report->loss_count) fputs("\n  ", to);
  fputs("],\n", to);
}

static void json_notes(FILE *to, const struct tb_convert_report *report) {
  fputs("  \"notes\": [", to);
  for (size_t i = 0; i < report->note_count; i++) {
    cli_print(to, "%s\n    {", i ? "," : "");
    json_reason(to, "text", &report->notes[i]);
  }
  if (report->note_count) fputs("\n  ", to);
  fputs("]\n", to);
}

void cli_report_json(FILE *to, const struct cli_conversion *c) {
  const struct tb_writer_summary *summary = &c->report->summary;
  struct kind_count counts[KIND_COUNT];
  uint64_t total;
  size_t kind_total = count_kinds(summary, counts, &total);
  cli_print(to, "{\n  \"version\": 1,\n  \"exit_status\": %d,\n", cli_exit_status(c->status));
  json_error(to, c);
  json_file(to, "from", c->from, c->report->read_from, c->report->from, c->report->input_bytes);
  json_file(to, "to", c->to, NULL, c->report->to, summary->bytes_written);
  fputs("  \"events\": {", to);
  for (size_t i = 0; i < kind_total; i++)
    cli_print(to, "%s\"%s\": %" PRIu64, i ? ", " : "", kinds[counts[i].kind].many, counts[i].count);
  fputs("},\n", to);
  json_number(to, "event_total", total);
  json_number(to, "processes", summary->processes);
  json_number(to, "threads", summary->threads);
  json_number(to, "counters", summary->counters);
  json_number(to, "flows", summary->flows);
  if (total && summary->first_ts <= summary->last_ts) {
    cli_print(to, "  \"first_ns\": %" PRId64 ",\n", summary->first_ts);
    cli_print(to, "  \"last_ns\": %" PRId64 ",\n", summary->last_ts);
  } else {
    fputs("  \"first_ns\": null,\n  \"last_ns\": null,\n", to);
  }
  json_number(to, "ftrace_events", summary->ftrace_events);
  json_number(to, "peak_held_bytes", summary->peak_held_bytes);
  json_number(to, "spilled_bytes", summary->spilled_bytes);
  json_losses(to, c->report);
  json_notes(to, c->report);
  fputs("}\n", to);
}

static bool ends_in(const char *path, const char *suffix) {
  size_t len = strlen(path), suffix_len = strlen(suffix);
  return len > suffix_len && strcasecmp(path + len - suffix_len, suffix) == 0;
}

bool cli_report_is_json(const char *path) { return ends_in(path, ".json"); }

bool cli_report_is_html(const char *path) { return ends_in(path, ".html"); }

static enum tb_status write_text(const char *path, bool no_clobber, const char *text, size_t len,
                                 struct tb_error *error) {
  struct tb_file *file;
  enum tb_status status = tb_file_open(path, cli_interrupt_name, NULL, &file, error);
  if (status == TB_OK && no_clobber) tb_file_keep_existing(file);
  if (status == TB_OK) status = tb_file_put(file, text, len, error);
  if (status == TB_OK) status = tb_file_finish(file, error);
  tb_file_close(file);
  return status;
}

static void print_write_error(const struct cli_command *command, const char *path, const struct tb_error *error) {
  cli_print(stderr, "tracebridge: %s: cannot write the report: %s", path,
            error->system_errno ? strerror(error->system_errno) : error->message);
  cli_end_error(command, error);
}

bool cli_report_write(const struct cli_command *command, const char *path, bool no_clobber, const char *text,
                      size_t len) {
  struct tb_error error = {.system_errno = ENOMEM};
  if (text && write_text(path, no_clobber, text, len, &error) == TB_OK) return true;
  print_write_error(command, path, &error);
  return false;
}

bool cli_report_file(const struct cli_command *command, const char *path, bool no_clobber,
                     const struct cli_conversion *conversion) {
  char *text = NULL;
  size_t len = 0;
  FILE *file = open_memstream(&text, &len);
  if (!file) return cli_report_write(command, path, no_clobber, NULL, 0);
  if (cli_report_is_json(path))
    cli_report_json(file, conversion);
  else
    cli_report_text(file, conversion);
  bool whole = !ferror(file);
  whole = fclose(file) == 0 && whole;
  bool good = cli_report_write(command, path, no_clobber, whole ? text : NULL, len);
  free(text);
  return good;
}

int cli_report_spares_input(const struct cli_command *command, const char *report, const char *input) {
  if (!report || !tb_file_overwrites_input(report, input)) return CLI_OK;
  return cli_usage(command, "the report would overwrite the input %s; choose another name",
                   strcmp(input, "-") == 0 ? "(standard input)" : input);
}

int cli_report_spares_output(const struct cli_command *command, const char *report, const char *output) {
  if (!report || !output || !tb_file_overwrites_output(report, output)) return CLI_OK;
  return cli_usage(command, "the report would go where the output %s goes; choose another name",
                   strcmp(output, "-") == 0 ? "(standard output)" : output);
}

int cli_report_has_place(const struct cli_command *command, const char *report) {
  struct tb_file *file = NULL;
  struct tb_error error = {0};
  struct stat st;
  enum tb_status status = TB_OK;
  if (report && stat(report, &st) == 0 && S_ISDIR(st.st_mode)) {
    error.system_errno = EISDIR;
    status = TB_IO;
  } else if (report && tb_file_is_plain(report)) {
    status = tb_file_open(report, cli_interrupt_name, NULL, &file, &error);
    tb_file_close(file);
  }
  if (status != TB_OK) print_write_error(command, report, &error);
  return cli_exit_status(status);
}
