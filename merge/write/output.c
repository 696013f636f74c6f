/* SPDX-License-Identifier: Apache-2.0
 *
 * The merged trace, or several at once, under their names: written there as they are, or converted to the formats that
 * the names say.
 */
#include <string.h>

#include "base/error.h"
#include "base/losses.h"
#include "convert/convert.h"
#include "convert/format_lookalike.h"
#include "io/path.h"
#include "merge/merger.h"
#include "perfetto/writer/encode/padding.h"

/* UNKNOWN: the packets'. */
static enum tb_format format_of(const struct tb_merger *m, const char *out) {
  return m->options.output_format == TB_FORMAT_UNKNOWN ? tb_format_from_path(out) : m->options.output_format;
}

bool tb_merger_converts_to(const struct tb_merger *m, const char *out) {
  enum tb_format format = format_of(m, out);
  return format != TB_FORMAT_UNKNOWN && format != TB_FORMAT_PERFETTO;
}

/* ---- conversion -------------------------------------------------------------------------------------------------- */

/* What an earlier conversion of the same input lost, too. */
static void add_losses(const struct tb_convert_report *from, struct tb_convert_report *report) {
  for (size_t i = 0; i < from->loss_count; i++) {
    const struct tb_loss *loss = &from->losses[i];
    size_t at = 0;
    while (at < report->loss_count && strcmp(report->losses[at].reason, loss->reason) != 0) at++;
    if (at == report->loss_count) {
      if (at < sizeof(report->losses) / sizeof(*loss)) report->losses[report->loss_count++] = *loss;
    } else {
      report->losses[at].count += loss->count;
    }
  }
}

static enum tb_status convert(struct tb_merger *m, const struct tb_input_place *from, const char *out,
                              enum tb_format format) {
  const struct tb_reader_options reader = {
      .size = sizeof(reader), .allocator = m->options.allocator, .format = TB_FORMAT_PERFETTO};
  const struct tb_writer_options writer = {.size = sizeof(writer),
                                           .format = format,
                                           .allocator = m->options.allocator,
                                           .temporary_directory = m->options.temporary_directory,
                                           .temporary_name = m->options.temporary_name,
                                           .temporary_name_ctx = m->options.temporary_name_ctx,
                                           .no_clobber = m->options.no_clobber};
  const struct tb_convert_options options = {.size = sizeof(options),
                                             .reader = &reader,
                                             .writer = &writer,
                                             .threads = m->options.threads,
                                             .progress = m->options.progress,
                                             .progress_ctx = m->options.progress_ctx};
  struct tb_convert_report *report = tb_arena_alloc(&m->report->arena, sizeof(*report));
  if (!report) return tb_fail(&m->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  *report = (struct tb_convert_report){.size = sizeof(*report)};
  enum tb_status status = tb_convert_place(from, out, &options, report, &m->error);
  if (status != TB_OK && status != TB_PARTIAL) return status;
  if (m->report->conversion) add_losses(m->report->conversion, report);
  if (status == TB_PARTIAL) m->partial = true;
  m->report->conversion = report;
  m->report->summary.bytes_out = report->summary.bytes_written;
  return TB_OK;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Opens what the packets are written to: the file, or, by the other writers' need of all of a trace that can be read
 * twice, a temporary one. */
static enum tb_status open_file(struct tb_merger *m, struct tb_trace_file *file) {
  bool converts = tb_merger_converts_to(m, file->out), is_copied = converts || file->is_measured;
  const char *to = file->out;
  size_t stem;
  struct tb_output_options options = {
      .allocator = m->options.allocator,
      .misleads = tb_looks_like_other_format,
      .padding = tb_perfetto_padding,
      .compression = converts ? TB_COMPRESSION_NONE : tb_path_compression(file->out, &stem),
      .threads = m->options.threads,
      .temporary_name = m->options.temporary_name,
      .temporary_name_ctx = m->options.temporary_name_ctx};
  enum tb_status status = TB_OK;
  file->store = (struct tb_copy_store){.directory = m->store.directory};
  if (is_copied) {
    status = tb_copy_store_begin(&file->store, "the merged trace", &file->copy, file->copy_name, &m->error);
    to = file->copy_name;
  }
  if (status == TB_OK) status = tb_output_open(to, &options, &file->output, &m->error);
  if (status == TB_OK && !is_copied && m->options.no_clobber) tb_output_keep_existing(file->output);
  return status;
}

/* A trace of nothing has one packet with nothing in it: no reader takes an empty file. */
static enum tb_status write_something(struct tb_output *output, struct tb_error *error) {
  static const char packet[] = {TB_TRACE_PACKET << 3 | TB_WIRE_BYTES, 0};
  return tb_output_bytes(output) ? TB_OK : tb_output_write(output, packet, sizeof(packet), error);
}

static enum tb_status convert_copy(struct tb_merger *m, struct tb_trace_file *file) {
  struct tb_input_place converted;
  char to[TB_COPY_STORE_NAME];
  enum tb_status status = TB_OK;
  if (file->is_measured) status = tb_copy_store_begin(&file->store, "the converted trace", &converted, to, &m->error);
  if (status == TB_OK) status = convert(m, &file->copy, file->is_measured ? to : file->out, format_of(m, file->out));
  file->bytes = m->report->summary.bytes_out;
  return status;
}

static enum tb_status end_file(struct tb_merger *m, struct tb_trace_file *file) {
  bool converts = tb_merger_converts_to(m, file->out), is_copied = converts || file->is_measured;
  enum tb_status status = tb_output_finish(file->output, &m->error);
  if (status != TB_OK) return status;
  uint64_t written = tb_output_bytes_written(file->output);
  m->report->summary.bytes_out = tb_output_bytes(file->output);
  file->bytes = file->is_measured ? written : m->report->summary.bytes_out;
  tb_output_close(file->output);
  file->output = NULL;
  if (is_copied) status = tb_copy_store_end(&file->store, written, &file->copy, &m->error);
  if (status == TB_OK && converts) status = convert_copy(m, file);
  file->is_written = status == TB_OK;
  return status;
}

static void close_file(struct tb_trace_file *file) {
  tb_output_close(file->output);
  file->output = NULL;
  tb_copy_store_free(&file->store);
}

enum tb_status tb_merger_write_files(struct tb_merger *m, struct tb_trace_file *files, size_t count,
                                     tb_write_packets write, void *ctx) {
  size_t opened = 0;
  enum tb_status status = TB_OK;
  while (opened < count && status == TB_OK) status = open_file(m, &files[opened++]);
  m->output = files[0].output;
  if (status == TB_OK) status = write(ctx);
  for (size_t i = 0; i < count && status == TB_OK; i++) status = write_something(files[i].output, &m->error);
  status = tb_guard_settle(&m->report->guard, status, &m->error);
  for (size_t i = 0; i < count && status == TB_OK; i++) status = end_file(m, &files[i]);
  for (size_t i = 0; i < opened; i++) {
    if (status != TB_OK && files[i].store.made)
      status = tb_copy_store_failed(&files[i].store, files[i].copy_name, status, &m->error);
    close_file(&files[i]);
  }
  m->output = NULL;
  return status;
}

enum tb_status tb_merger_measure(struct tb_merger *m, const char *out, tb_write_packets write, void *ctx,
                                 uint64_t *bytes) {
  struct tb_trace_file file = {.out = out, .is_measured = true};
  enum tb_status status = tb_merger_write_files(m, &file, 1, write, ctx);
  *bytes = file.bytes;
  return status;
}

enum tb_status tb_merger_write_out(struct tb_merger *m, const char *out, tb_write_packets write, void *ctx) {
  struct tb_trace_file file = {.out = out};
  /* before there is a file, that memory may be short */
  const char *name = tb_merge_report_print(m->report, "%s", out);
  enum tb_status status = tb_merger_write_files(m, &file, 1, write, ctx);
  if (status == TB_OK) m->report->output = name;
  return status;
}
