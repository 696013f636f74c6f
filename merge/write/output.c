/* SPDX-License-Identifier: Apache-2.0
 *
 * The merged trace under its name: written there as it is, or converted to the format that the name says.
 */
#include "base/error.h"
#include "base/losses.h"
#include "convert/convert.h"
#include "convert/format_lookalike.h"
#include "io/path.h"
#include "merge/merger.h"
#include "perfetto/writer/encode/padding.h"

/* A trace of nothing has one packet with nothing in it: no reader takes an empty file. */
static enum tb_status write_something(struct tb_merger *m) {
  static const char packet[] = {TB_TRACE_PACKET << 3 | TB_WIRE_BYTES, 0};
  return tb_output_bytes(m->output) ? TB_OK : tb_output_write(m->output, packet, sizeof(packet), &m->error);
}

/* Writes the Perfetto trace, compressed as `name` says; *written: its bytes in the file. */
static enum tb_status write_trace(struct tb_merger *m, const char *out, const char *name, bool no_clobber,
                                  tb_write_packets write, void *ctx, uint64_t *written) {
  size_t stem;
  struct tb_output_options options = {.allocator = m->options.allocator,
                                      .misleads = tb_looks_like_other_format,
                                      .padding = tb_perfetto_padding,
                                      .compression = tb_path_compression(name, &stem),
                                      .threads = m->options.threads,
                                      .temporary_name = m->options.temporary_name,
                                      .temporary_name_ctx = m->options.temporary_name_ctx};
  enum tb_status status = tb_output_open(out, &options, &m->output, &m->error);
  if (status == TB_OK && no_clobber) tb_output_keep_existing(m->output);
  if (status == TB_OK) status = write(ctx);
  if (status == TB_OK) status = write_something(m);
  status = tb_guard_settle(&m->report->guard, status, &m->error);
  if (status == TB_OK) status = tb_output_finish(m->output, &m->error);
  if (status == TB_OK) m->report->summary.bytes_out = tb_output_bytes(m->output);
  if (status == TB_OK) *written = tb_output_bytes_written(m->output);
  tb_output_close(m->output);
  return status;
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
  if (status == TB_PARTIAL) m->partial = true;
  m->report->conversion = report;
  m->report->summary.bytes_out = report->summary.bytes_written;
  return TB_OK;
}

/* The trace, in a temporary file. */
static enum tb_status write_copy(struct tb_merger *m, tb_write_packets write, void *ctx,
                                 struct tb_input_place *merged) {
  char to[TB_COPY_STORE_NAME];
  uint64_t len = 0;
  enum tb_status status = tb_copy_store_begin(&m->store, "the merged trace", merged, to, &m->error);
  if (status == TB_OK) status = write_trace(m, to, to, false, write, ctx, &len);
  if (status == TB_OK) status = tb_copy_store_end(&m->store, len, merged, &m->error);
  return status == TB_OK ? TB_OK : tb_copy_store_failed(&m->store, to, status, &m->error);
}

/* By way of a temporary file, since the other writers want all of a trace that can be read twice. */
static enum tb_status write_converted(struct tb_merger *m, const char *out, enum tb_format format,
                                      tb_write_packets write, void *ctx) {
  struct tb_input_place merged;
  enum tb_status status = write_copy(m, write, ctx, &merged);
  if (status != TB_OK) return status;
  status = convert(m, &merged, out, format);
  tb_copy_store_forget(&m->store, &merged);
  return status;
}

static enum tb_status measure_converted(struct tb_merger *m, enum tb_format format, tb_write_packets write, void *ctx,
                                        uint64_t *bytes) {
  struct tb_input_place merged, copy;
  char to[TB_COPY_STORE_NAME];
  enum tb_status status = write_copy(m, write, ctx, &merged);
  if (status == TB_OK) status = tb_copy_store_begin(&m->store, "the converted trace", &copy, to, &m->error);
  if (status == TB_OK) status = convert(m, &merged, to, format);
  if (status == TB_OK) *bytes = m->report->summary.bytes_out;
  tb_copy_store_forget(&m->store, &merged);
  return status;
}

/* UNKNOWN: the packets'. */
static enum tb_format format_of(const struct tb_merger *m, const char *out) {
  return m->options.output_format == TB_FORMAT_UNKNOWN ? tb_format_from_path(out) : m->options.output_format;
}

bool tb_merger_converts_to(const struct tb_merger *m, const char *out) {
  enum tb_format format = format_of(m, out);
  return format != TB_FORMAT_UNKNOWN && format != TB_FORMAT_PERFETTO;
}

enum tb_status tb_merger_measure(struct tb_merger *m, const char *out, tb_write_packets write, void *ctx,
                                 uint64_t *bytes) {
  enum tb_format format = format_of(m, out);
  struct tb_input_place copy;
  char to[TB_COPY_STORE_NAME];
  if (tb_merger_converts_to(m, out)) return measure_converted(m, format, write, ctx, bytes);
  enum tb_status status = tb_copy_store_begin(&m->store, "the trace", &copy, to, &m->error);
  return status == TB_OK ? write_trace(m, to, out, false, write, ctx, bytes) : status;
}

enum tb_status tb_merger_write_out(struct tb_merger *m, const char *out, tb_write_packets write, void *ctx) {
  enum tb_format format = format_of(m, out);
  uint64_t written;
  /* before there is a file, that memory may be short */
  const char *name = tb_merge_report_print(m->report, "%s", out);
  enum tb_status status = tb_merger_converts_to(m, out)
                              ? write_converted(m, out, format, write, ctx)
                              : write_trace(m, out, out, m->options.no_clobber, write, ctx, &written);
  if (status == TB_OK) m->report->output = name;
  return status;
}
