/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/convert.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/threads.h"
#include "convert/match.h"
#include "convert/pump.h"
#include "convert/tap.h"
#include "tracebridge/file.h"

static void fill_report(struct tb_convert_report *report, const struct tb_reader *reader,
                        const struct tb_writer *writer) {
  report->from = reader->decoded ? reader->decoded : tb_reader_format(reader);
  report->input_bytes = tb_reader_bytes_read(reader);
  (void)snprintf(report->read_from, sizeof(report->read_from), "%s", tb_input_name(reader->input));
  for (size_t i = 0; i < reader->losses.count; i++) report->losses[report->loss_count++] = reader->losses.entries[i];
  report->reader_loss_count = report->loss_count;
  enum { NOTES = sizeof(report->notes) / sizeof(report->notes[0]) };
  for (size_t i = 0; i < reader->notes.count && i < NOTES; i++)
    report->notes[report->note_count++] = reader->notes.entries[i];
  if (!writer) return;
  report->to = writer->ops->format;
  report->summary = writer->summary;
  for (size_t i = 0; i < writer->losses.count; i++) report->losses[report->loss_count++] = writer->losses.entries[i];
}

void tb_convert_set_up(struct tb_reader *reader, struct tb_writer *writer, const struct tb_convert_options *options) {
  writer->on_write_progress = options->on_write_progress;
  writer->on_write_progress_ctx = options->progress_ctx;
  tb_match_target(reader, writer);
}

/* ---- copies -------------------------------------------------------------------------------------------------------
 *
 * A source that says in other words what the target says is decoded into the file, byte for byte. Events are read on
 * the way for the summary alone. */

static enum tb_status count_event(struct tb_writer *writer, const struct tb_event *event) {
  (void)writer;
  (void)event;
  return TB_OK;
}

static enum tb_status begin_or_end(struct tb_writer *writer) {
  (void)writer;
  return TB_OK;
}

static void end_copy(struct tb_writer *writer) { (void)writer; }

/* Whether the target is what the input was decoded to, with nothing that changes it. */
static bool is_copy(const struct tb_reader *reader, const char *to, const struct tb_writer_options *options) {
  enum tb_format target = options->format != TB_FORMAT_UNKNOWN ? options->format : tb_format_from_path(to);
  return reader->decoded && target == tb_reader_format(reader) && !options->clock && !options->compress &&
         !options->keep_packets && !options->first_new_flow_id;
}

static enum tb_status open_copy(struct tb_reader *reader, struct tb_tap *tap, const char *to,
                                struct tb_writer_options options, struct tb_writer_ops *ops, struct tb_writer **writer,
                                struct tb_error *error) {
  *ops = (struct tb_writer_ops){.format = tb_reader_format(reader),
                                .create = begin_or_end,
                                .put = count_event,
                                .finish = begin_or_end,
                                .destroy = end_copy};
  enum tb_status status = tb_writer_open_as(to, ops, &options, writer, error);
  return status == TB_OK ? tb_tap_write(tap, (*writer)->output, error) : status;
}

/* What is known of the input before it is read, as that another trace in it is not read. */
struct of_opening {
  struct tb_losses losses, notes;
};

/* What could not be read as events is in the copy. */
static void keep_losses_of_input(struct tb_reader *reader, const struct of_opening *before) {
  const struct tb_losses *losses = tb_input_losses(reader->input);
  reader->losses = before->losses;
  reader->notes = before->notes;
  if (losses) tb_losses_add_all(&reader->losses, losses);
}

static enum tb_status convert(struct tb_reader *reader, struct tb_tap *tap, const char *to,
                              const struct tb_convert_options *options, struct tb_convert_report *report,
                              struct tb_error *error) {
  struct tb_writer *writer = NULL;
  struct tb_writer_ops copy_ops;
  bool copies = tap && is_copy(reader, to, options->writer);
  const struct of_opening before = {reader->losses, reader->notes};
  if (tap && !copies) tb_tap_end(tap);
  enum tb_status status = copies ? open_copy(reader, tap, to, *options->writer, &copy_ops, &writer, error)
                                 : tb_writer_open(to, options->writer, &writer, error);
  if (status == TB_OK) tb_convert_set_up(reader, writer, options);
  if (status == TB_OK) status = tb_pump(reader, writer, options->threads, options->progress, options->progress_ctx);
  if (status == TB_OK) status = tb_writer_finish(writer);
  if (copies) keep_losses_of_input(reader, &before);
  fill_report(report, reader, writer);
  if (status != TB_OK && error && error->code == TB_OK) {
    if (reader->error.code != TB_OK)
      *error = reader->error;
    else if (writer && writer->error.code != TB_OK)
      *error = writer->error;
    else
      (void)tb_fail(error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  }
  tb_writer_close(writer);
  if (status == TB_OK && report->loss_count) return TB_PARTIAL;
  return status;
}

enum tb_status tb_convert_place(const struct tb_input_place *from, const char *to,
                                const struct tb_convert_options *options, struct tb_convert_report *report,
                                struct tb_error *error) {
  struct tb_convert_options filled = {.size = sizeof(filled)};
  struct tb_reader_options source = {.size = sizeof(source)};
  struct tb_writer_options target = {.size = sizeof(target)};
  struct tb_convert_report made = {0};
  enum tb_status status = tb_report_begin(report, sizeof(*report), error);
  if (status == TB_OK) status = tb_options_take(&filled, sizeof(filled), options, error);
  if (status == TB_OK) status = tb_options_take(&source, sizeof(source), filled.reader, error);
  if (status == TB_OK) status = tb_options_take(&target, sizeof(target), filled.writer, error);
  if (status != TB_OK) return status;
  filled.reader = &source;
  filled.writer = &target;
  if (!filled.threads) filled.threads = tb_default_threads();
  if (!source.threads) source.threads = filled.threads;
  if (!target.threads) target.threads = filled.threads;
  if (!target.allocator) target.allocator = source.allocator;
  if (!from->part && tb_file_overwrites_input(to, from->name)) {
    tb_error_set_file(error, to);
    return tb_fail(error, TB_REFUSED, TB_NO_OFFSET, "the output would overwrite the input; choose another name");
  }
  struct tb_reader *reader = NULL;
  struct tb_tap *tap = NULL;
  status = tb_reader_open_place(from, &source, &tap, &reader, error);
  if (status != TB_OK) return status;
  target.source = tb_reader_format(reader);
  status = convert(reader, tap, to, &filled, &made, error);
  tb_report_give(report, &made, sizeof(made));
  tb_reader_close(reader);
  return status;
}

enum tb_status tb_convert(const char *from, const char *to, const struct tb_convert_options *options,
                          struct tb_convert_report *report, struct tb_error *error) {
  enum tb_status status = tb_report_begin(report, sizeof(*report), error);
  if (status != TB_OK) return status;
  if (!from || !to) return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "the name of the input or output is NULL");
  return tb_convert_place(&(struct tb_input_place){.name = from}, to, options, report, error);
}
