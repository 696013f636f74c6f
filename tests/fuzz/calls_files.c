/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of what works on whole files.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"
#include "tracebridge/diff.h"
#include "tracebridge/dump.h"
#include "tracebridge/filter.h"
#include "tracebridge/info.h"
#include "tracebridge/merge.h"
#include "tracebridge/redact.h"
#include "tracebridge/repair.h"
#include "tracebridge/serve.h"
#include "tracebridge/split.h"
#include "tracebridge/trim.h"
#include "tracebridge/verify.h"

enum { PATH = 64 };

/* The same of what is written for people and programs. */
static bool take_text(void *ctx, const char *text, size_t len) { return calls_take_bytes(ctx, text, len); }

/* Writes the bytes that are left, or a trace, to a file without a name; -1: it could not. */
static int make_file(struct calls *c, char path[PATH]) {
  bool is_trace = byte(c) & 1;
  const void *data = is_trace ? (const void *)calls_json : c->data;
  size_t len = is_trace ? calls_json_len : (size_t)(c->end - c->data);
  int fd = memfd_create("trace", 0);
  if (fd >= 0 && write(fd, data, len) != (ssize_t)len) {
    (void)close(fd);
    fd = -1;
  }
  (void)snprintf(path, PATH, "/proc/self/fd/%d", fd);
  return fd;
}

/* Options of a reader, or none. */
static const struct tb_reader_options *spoil(struct calls *c, struct tb_reader_options *options) {
  *options = (struct tb_reader_options){.size = byte(c) < 0xf0 ? sizeof(*options) : 0, .allocator = &calls_allocator};
  options->format = (enum tb_format)choice(c, TB_FORMAT_TEXT + 1);
  options->shape = (enum tb_shape)choice(c, TB_SHAPE_SOURCE + 1);
  options->slices = (enum tb_slice_form)choice(c, TB_SLICES_COMPLETE + 1);
  options->max_record_bytes = (size_t)number(c);
  options->sorted = byte(c) & 1;
  options->strict = byte(c) & 1;
  return byte(c) < 0xc0 ? options : NULL;
}

/* The size of a report, or of an older one, or none that a report has. */
static size_t report_size(struct calls *c, size_t size) {
  unsigned kind = byte(c);
  if (kind < 0xc0) return size;
  return kind < 0xe0 ? (size_t)number(c) % size : kind < 0xf0 ? 0 : SIZE_MAX;
}

static void verify(struct calls *c, const char *path) {
  struct tb_reader_options reader;
  struct tb_verify_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0};
  struct tb_verification *made = NULL;
  options.reader = spoil(c, &reader);
  (void)!tb_verify(path, byte(c) < 0xc0 ? &options : NULL, byte(c) < 0xf0 ? &made : NULL, NULL);
  (void)!tb_verification_text(made, byte(c) < 0xf0 ? take_text : NULL, c);
  (void)!tb_verification_json(made, byte(c) < 0xf0 ? take_text : NULL, c);
  (void)tb_finding_kind_of((enum tb_finding_code)choice(c, TB_FINDS_COUNT));
  (void)tb_finding_kind_named(byte(c) < 0xf0 ? "cut" : NULL);
  tb_verification_free(made);
}

static void compare(struct calls *c, const char *path) {
  struct tb_reader_options reader;
  struct tb_diff_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0};
  struct tb_difference *made = NULL;
  options.reader = spoil(c, &reader);
  (void)!tb_diff(path, byte(c) < 0xf0 ? path : NULL, byte(c) < 0xc0 ? &options : NULL, byte(c) < 0xf0 ? &made : NULL,
                 NULL);
  (void)!tb_difference_text(made, byte(c) < 0xf0 ? take_text : NULL, c);
  (void)!tb_difference_json(made, byte(c) < 0xf0 ? take_text : NULL, c);
  (void)tb_diff_table_name((enum tb_diff_table)choice(c, TB_DIFF_TABLE_COUNT));
  tb_difference_free(made);
}

static struct tb_trim_point make_point(struct calls *c) {
  return (struct tb_trim_point){.kind = (enum tb_trim_point_kind)choice(c, TB_TRIM_POINT_CLOCK + 1),
                                .clock = (enum tb_clock)choice(c, TB_CLOCK_TRACE_FILE + 1),
                                .ns = (int64_t)number(c)};
}

/* One but for a few, so that most sequences start no thread. */
static unsigned threads(struct calls *c) { return byte(c) < 0xfc ? 1 : 2; }

static void trim(struct calls *c, const char *path) {
  struct tb_trim_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0};
  struct tb_trim_report report;
  struct tb_trim_point point;
  bool with_report = byte(c) < 0xc0;
  report.size = report_size(c, sizeof(report));
  options.start = make_point(c);
  options.end = make_point(c);
  options.last_ns = byte(c) & 1 ? (int64_t)number(c) : 0;
  options.threads = threads(c);
  options.allocator = &calls_allocator;
  (void)!tb_trim(path, byte(c) < 0xf0 ? "/dev/null" : NULL, byte(c) < 0xe0 ? &options : NULL,
                 with_report ? &report : NULL, NULL);
  if (with_report) tb_trim_report_free(&report);
  (void)tb_trim_point_parse(byte(c) < 0xf0 ? c->text : NULL, byte(c) < 0xf0 ? &point : NULL);
}

static void redact(struct calls *c, const char *path) {
  const char *globs[] = {"a*", "!ab", NULL};
  struct tb_reader_options reader;
  struct tb_writer_options writer = {.size = sizeof(writer)};
  struct tb_redact_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0, .keep = globs};
  struct tb_redact_report report;
  options.reader = spoil(c, &reader);
  options.writer = byte(c) & 1 ? &writer : NULL;
  writer.format = (enum tb_format)choice(c, TB_FORMAT_TEXT + 1);
  report.size = report_size(c, sizeof(report));
  options.keep_count = byte(c) % 4; /* the third is NULL */
  if (byte(c) >= 0xf0) options.keep = NULL;
  options.no_args = byte(c) & 1;
  (void)!tb_redact(path, byte(c) < 0xf0 ? "/dev/null" : NULL, byte(c) < 0xe0 ? &options : NULL,
                   byte(c) < 0xc0 ? &report : NULL, NULL);
}

static bool is_ready(void *ctx, const char *link) {
  struct calls *c = ctx;
  c->taken += strlen(link);
  return byte(c) & 1;
}
static bool is_waiting(void *ctx) {
  (void)ctx;
  return false;
}

/* Nobody fetches it, and nobody waits: who is asked says no before there is a pause. */
static void serve(struct calls *c, const char *path) {
  struct tb_serve_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0, .port = TB_SERVE_ANY_PORT, .ctx = c};
  options.ready = is_ready;
  options.waiting = byte(c) < 0xf0 ? is_waiting : NULL;
  options.viewer = byte(c) < 0x80 ? NULL : byte(c) & 1 ? "https://a.b" : c->text;
  options.name = byte(c) & 1 ? c->text : NULL;
  if (byte(c) >= 0xf0) options.port += 1 + (unsigned)number(c);
  if (!options.waiting) options.size = 0; /* it would wait for ever */
  (void)!tb_serve(path, &options, NULL);
}

/* Globs, of which the third is NULL: their count. */
static size_t glob_count(struct calls *c) {
  unsigned kind = byte(c);
  return kind < 0xf0 ? kind % 3 : 3;
}

static void filter(struct calls *c, const char *path) {
  const char *const globs[] = {"a*", "!ab", NULL};
  struct tb_filter_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0};
  struct tb_filter_report report;
  bool with_report = byte(c) < 0xc0;
  report.size = report_size(c, sizeof(report));
  options.processes = options.threads = options.names = options.categories = options.counters =
      byte(c) < 0xf0 ? globs : NULL;
  options.process_count = glob_count(c);
  options.name_count = glob_count(c);
  options.counter_count = glob_count(c);
  options.min_dur_ns = (int64_t)number(c);
  options.max_bytes = number(c);
  options.no_args = byte(c) & 1;
  options.no_flows = byte(c) & 1;
  options.worker_threads = threads(c);
  options.allocator = &calls_allocator;
  (void)!tb_filter(path, byte(c) < 0xf0 ? "/dev/null" : NULL, byte(c) < 0xe0 ? &options : NULL,
                   with_report ? &report : NULL, NULL);
  if (with_report) tb_filter_report_free(&report);
}

static void repair(struct calls *c, const char *path) {
  struct tb_repair_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0, .threads = threads(c)};
  options.allocator = &calls_allocator;
  struct tb_repair_report report;
  bool with_report = byte(c) < 0xc0;
  report.size = report_size(c, sizeof(report));
  (void)!tb_repair(path, byte(c) < 0xf0 ? "/dev/null" : NULL, byte(c) < 0xe0 ? &options : NULL,
                   with_report ? &report : NULL, NULL);
  if (with_report) tb_repair_report_free(&report);
}

static void convert(struct calls *c, const char *path) {
  struct tb_reader_options reader;
  struct tb_writer_options writer = {.size = sizeof(writer)};
  struct tb_convert_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0, .threads = threads(c)};
  struct tb_convert_report report;
  report.size = report_size(c, sizeof(report));
  options.reader = spoil(c, &reader);
  options.writer = byte(c) < 0xf0 ? &writer : NULL;
  writer.format = (enum tb_format)choice(c, TB_FORMAT_TEXT + 1);
  writer.compress = byte(c) & 1;
  writer.memory_budget = (size_t)number(c);
  (void)!tb_convert(path, byte(c) < 0xf0 ? "/dev/null" : NULL, byte(c) < 0xe0 ? &options : NULL,
                    byte(c) < 0xc0 ? &report : NULL, NULL);
}

static void inform(struct calls *c, const char *path) {
  struct tb_reader_options reader;
  struct tb_info_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0};
  struct tb_info *info = NULL;
  options.reader = spoil(c, &reader);
  (void)!tb_info_open(path, byte(c) < 0xe0 ? &options : NULL, byte(c) < 0xf0 ? &info : NULL, NULL);
  if (info) {
    (void)!tb_info_line(info, take_text, c);
    (void)!tb_info_text(info, take_text, c);
    (void)!tb_info_json(info, take_text, c);
  }
  tb_info_close(info);
  (void)tb_loss_kind_name((enum tb_loss_kind)number(c));
}

static void dump(struct calls *c, const char *path) {
  struct tb_reader_options reader;
  struct tb_loss losses[TB_DUMP_LOSSES];
  struct tb_dump_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0};
  size_t count;
  options.reader = spoil(c, &reader);
  options.resolve = byte(c) & 1;
  options.events = byte(c) & 1;
  options.kinds = byte(c) & 1 ? "track_event,,slice begin" : NULL;
  options.after = (int64_t)number(c);
  options.before = (int64_t)number(c);
  (void)!tb_dump(path, byte(c) < 0xe0 ? &options : NULL, byte(c) < 0xf0 ? take_text : NULL, c,
                 byte(c) & 1 ? losses : NULL, byte(c) & 1 ? &count : NULL, NULL);
}

static void merge(struct calls *c, const char *path) {
  struct tb_merge_input inputs[2] = {{.path = path}, {.path = path}};
  struct tb_merge_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0, .threads = threads(c)};
  options.allocator = &calls_allocator;
  struct tb_merge_report *report = NULL;
  size_t count = byte(c) % 3;
  inputs[1].has_offset = byte(c) & 1;
  inputs[1].offset_ns = (int64_t)number(c);
  inputs[1].clock = (enum tb_clock)choice(c, TB_CLOCK_TRACE_FILE + 1);
  inputs[1].machine = byte(c) & 1 ? c->text : NULL;
  options.unplaced = (enum tb_unplaced)choice(c, TB_UNPLACED_DROP + 1);
  options.align_on = byte(c) & 1 ? "a:begin" : NULL;
  options.share_flows = byte(c) & 1;
  options.flatten_machines = byte(c) & 1;
  options.trace_clock = (enum tb_clock)choice(c, TB_CLOCK_TRACE_FILE + 1);
  options.max_drift_ppm = (unsigned)number(c);
  (void)!tb_merge(byte(c) < 0xf8 ? inputs : NULL, count, byte(c) < 0xf0 ? "/dev/null" : NULL,
                  byte(c) < 0xe0 ? &options : NULL, byte(c) < 0xf0 ? &report : NULL, NULL);
  if (!report) return;
  (void)tb_merge_report_render(report, (enum tb_merge_report_format)choice(c, TB_MERGE_REPORT_FORMAT_COUNT));
  (void)tb_merge_report_input(report, (size_t)number(c));
  (void)tb_merge_report_note(report, (size_t)number(c));
  (void)tb_merge_report_advice(report, (size_t)number(c));
  c->taken += tb_merge_report_summary(report)->packets_out != 0;
  tb_merge_report_free(report);
}

static void remove_folder(const char *path) {
  DIR *folder = opendir(path);
  for (const struct dirent *entry; folder && (entry = readdir(folder));)
    (void)unlinkat(dirfd(folder), entry->d_name, 0); /* "." and ".." stay */
  if (folder) (void)closedir(folder);
  (void)rmdir(path);
}

static void set_split(struct calls *c, struct tb_split_options *options) {
  static const char *const suffixes[] = {NULL, ".json", ".fxt", ".perfetto-trace.gz", ".no/format", "", "."};
  *options = (struct tb_split_options){.size = byte(c) < 0xf0 ? sizeof(*options) : 0, .allocator = &calls_allocator};
  options->by = (enum tb_split_by)choice(c, TB_SPLIT_SIZE + 1);
  options->window_ns = (int64_t)number(c);
  options->part_bytes = number(c);
  options->suffix = suffixes[choice(c, 7) % 7];
  options->force = byte(c) & 1;
  options->threads = threads(c);
  options->max_junk_bytes = (size_t)number(c);
}

/* Into a folder that is there, is to be made in it, or has a file. */
static void split(struct calls *c, const char *path) {
  struct tb_split_options options;
  struct tb_split_report report;
  char folder[PATH] = "/tmp/fuzz_calls.XXXXXX";
  bool with_report = byte(c) < 0xc0;
  report.size = report_size(c, sizeof(report));
  set_split(c, &options);
  if (!mkdtemp(folder)) return;
  (void)!tb_split(path, byte(c) < 0xf0 ? folder : NULL, byte(c) < 0xe0 ? &options : NULL, with_report ? &report : NULL,
                  NULL);
  if (byte(c) >= 0xc0) (void)!tb_split(path, folder, &options, NULL, NULL); /* it may have files */
  for (size_t i = 0; with_report && report.size == sizeof(report) && i < report.part_count; i++)
    c->taken += strlen(report.parts[i].name);
  if (with_report) tb_split_report_free(&report);
  remove_folder(folder);
}

void calls_use_tool(struct calls *c) {
  typedef void tool(struct calls * c, const char *path);
  static tool *const all[] = {verify, compare, trim, redact, filter, repair, convert, inform, dump, merge, split};
  char path[PATH];
  unsigned which = byte(c);
  bool is_null = byte(c) >= 0xf8;
  int fd = make_file(c, path);
  if (fd < 0) return;
  if (which == 0xff)
    serve(c, is_null ? NULL : path);
  else
    all[which % (sizeof(all) / sizeof(all[0]))](c, is_null ? NULL : path);
  (void)close(fd);
}
