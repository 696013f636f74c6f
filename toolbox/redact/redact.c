/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a trace event by event, replaces the texts of each, and writes it.
 */
#include "tracebridge/redact.h"
#include "base/error.h"
#include "base/options.h"
#include "convert/match.h"
#include "model/reader_ops.h"
#include "model/writer_ops.h"
#include "toolbox/cut/cut_file.h"
#include "toolbox/redact/redact_event.h"

enum {
  LOSSES_MAX = sizeof(((struct tb_redact_report *)0)->losses) / sizeof(struct tb_loss),
  NOTES_MAX = sizeof(((struct tb_redact_report *)0)->notes) / sizeof(struct tb_loss)
};

static enum tb_status no_memory(struct tb_error *error) {
  return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

static void take_losses(struct tb_redact_report *report, const struct tb_loss *losses, size_t count) {
  for (size_t i = 0; i < count && report->loss_count < LOSSES_MAX; i++)
    report->losses[report->loss_count++] = losses[i];
}

static void take_notes(struct tb_redact_report *report, const struct tb_losses *notes) {
  for (size_t i = 0; i < notes->count && report->note_count < NOTES_MAX; i++)
    report->notes[report->note_count++] = notes->entries[i];
}

static uint64_t count_of(const struct tb_losses *losses) {
  uint64_t count = 0;
  for (size_t i = 0; i < losses->count; i++) count += losses->entries[i].count;
  return count;
}

/* Reader and writer know of each other what they do in a conversion, but that nothing goes as it is: events whose texts
 * can be replaced come in place of packets, of lines of ftrace and of what the recorder says of itself. */
static void match(struct tb_redactor *r, struct tb_reader *reader, const struct tb_writer *writer) {
  r->takes_packets = writer->target.packets;
  r->one_machine = writer->target.one_machine;
  r->has_tasks = reader->ops->is_packets || reader->ops->source.system_text;
  tb_match_target(reader, writer);
  struct tb_target_traits *target = &reader->target;
  target->packets = target->ftrace_bundles = target->fxt_blobs = target->system_as_text = target->recorder_members =
      false;
  target->no_recorder = target->redacted = true;
  target->system_as_events = reader->ops->source.system_text || reader->ops->source.some_text;
}

static enum tb_status put(struct tb_redactor *r, struct tb_writer *writer, const struct tb_event *event) {
  struct tb_event own = *event;
  bool left_out;
  enum tb_status status = tb_redact_event(r, &own, &left_out);
  if (status != TB_OK) return status;
  return left_out ? TB_OK : tb_writer_put(writer, &own);
}

static enum tb_status redact_all(struct tb_redactor *r, struct tb_reader *reader, struct tb_writer *writer,
                                 struct tb_error *error) {
  const struct tb_event *event;
  enum tb_status status;
  while ((status = tb_reader_next(reader, &event)) == TB_OK)
    if ((status = put(r, writer, event)) != TB_OK) break;
  tb_redact_end(r);
  if (status == TB_END) status = tb_writer_finish(writer);
  if (status == TB_OK || error->code != TB_OK) return status;
  if (reader->error.code != TB_OK)
    *error = reader->error;
  else if (writer->error.code != TB_OK)
    *error = writer->error;
  else
    (void)tb_fail(error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  return status;
}

static enum tb_status redact(struct tb_redactor *r, const char *from, const char *to, struct tb_reader_options how,
                             struct tb_writer_options target, struct tb_redact_report *report, struct tb_error *error) {
  struct tb_reader *reader = NULL;
  struct tb_writer *writer = NULL;
  how.shape = TB_SHAPE_SOURCE;
  how.slices = TB_SLICES_EITHER;
  how.sorted = false;
  how.event_types = 0;
  enum tb_status status = tb_reader_open(from, &how, &reader, error);
  if (status != TB_OK) return status;
  if (target.format == TB_FORMAT_UNKNOWN && tb_format_from_path(to) == TB_FORMAT_UNKNOWN &&
      tb_format_is_written(tb_reader_format(reader)))
    target.format = tb_reader_format(reader);
  target.source = tb_reader_format(reader);
  /* on that clock Perfetto has the states of threads in the kernel's own bits; of all words of ours it has but some */
  if (reader->ops->source.system_text && target.clock == TB_CLOCK_UNKNOWN) target.clock = TB_CLOCK_BOOTTIME;
  status = tb_writer_open(to, &target, &writer, error);
  if (status == TB_OK) match(r, reader, writer);
  if (status == TB_OK) status = redact_all(r, reader, writer, error);
  take_losses(report, reader->losses.entries, reader->losses.count);
  take_losses(report, r->losses.entries, r->losses.count);
  if (writer) take_losses(report, writer->losses.entries, writer->losses.count);
  take_notes(report, &reader->notes);
  take_notes(report, &r->notes);
  take_notes(report, &r->asked);
  report->left_out = count_of(&r->losses) + count_of(&r->notes);
  report->replaced = r->names.replaced;
  report->kept = r->names.kept;
  tb_writer_close(writer);
  tb_reader_close(reader);
  return status;
}

enum tb_status tb_redact(const char *from, const char *to, const struct tb_redact_options *options,
                         struct tb_redact_report *report, struct tb_error *error) {
  struct tb_redact_options filled = {.size = sizeof(filled)};
  struct tb_reader_options reader = {.size = sizeof(reader)};
  struct tb_writer_options writer = {.size = sizeof(writer)};
  struct tb_redact_report made = {0};
  struct tb_error own_error = {0};
  if (!error) error = &own_error;
  enum tb_status status = tb_report_begin(report, sizeof(*report), error);
  if (status == TB_OK) status = tb_options_take(&filled, sizeof(filled), options, error);
  if (status == TB_OK) status = tb_options_take(&reader, sizeof(reader), filled.reader, error);
  if (status == TB_OK) status = tb_options_take(&writer, sizeof(writer), filled.writer, error);
  if (status == TB_OK) status = tb_cut_check_files(from, to, error);
  if (status != TB_OK) return status;
  if (filled.key && !*filled.key)
    return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "the key is empty, which everybody would guess");
  const struct tb_name_patterns keep = {filled.keep, filled.keep_count, NULL};
  if (!tb_name_patterns_are_there(&keep))
    return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "a glob of texts to keep is NULL");
  if (!reader.allocator) reader.allocator = tb_default_allocator();
  if (!writer.allocator) writer.allocator = reader.allocator;
  struct tb_redactor r = {.allocator = reader.allocator, .no_args = filled.no_args};
  if (!tb_pseudonyms_init(&r.names, r.allocator, filled.key, &keep))
    return tb_fail(error, TB_IO, TB_NO_OFFSET, "the system gives no random numbers");
  tb_map_init(&r.ran, r.allocator);
  tb_arena_init(&r.lasting, r.allocator, 0);
  tb_arena_init(&r.scratch, r.allocator, 0);
  status = redact(&r, from, to, reader, writer, &made, error);
  tb_report_give(report, &made, sizeof(made));
  if (status == TB_NO_MEMORY) (void)no_memory(error);
  tb_free(r.allocator, r.tracks, r.track_count * sizeof(*r.tracks));
  tb_map_free(&r.ran);
  tb_arena_free(&r.lasting);
  tb_arena_free(&r.scratch);
  tb_pseudonyms_free(&r.names);
  return status == TB_OK && made.loss_count ? TB_PARTIAL : status;
}
