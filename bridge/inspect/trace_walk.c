/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/trace_walk.h"

#include "base/error.h"
#include "convert/format_detect.h"
#include "convert/registry.h"

enum { CHUNK_BYTES = 256 * 1024, PEEK_BYTES = 4096 };

static enum tb_status no_memory(struct tb_error *error) {
  return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

static void take_record(void *walk, const void *record) {
  const struct tb_trace_walk *w = walk;
  struct tb_record_note note = {.kind = 0};
  w->records->note(record, &note);
  w->visitor->record(w->visitor->ctx, &note);
}

static enum tb_status open_readers(struct tb_trace_walk *w, const struct tb_reader_options *options,
                                   struct tb_error *error) {
  const char *name = tb_input_name(w->input), *data;
  size_t len = 0;
  enum tb_status status = tb_input_peek(w->input, &data, PEEK_BYTES, &len, error);
  if (status != TB_OK && status != TB_END && status != TB_TRUNCATED) return status;
  enum tb_format format = options->format != TB_FORMAT_UNKNOWN ? options->format : tb_format_detect(data, len);
  status = tb_reader_create_feed(name, options, &w->reader, error);
  const struct tb_reader_ops *ops = tb_registry_reader(format);
  if (status == TB_OK) tb_input_feed_from(w->reader->input, w->input);
  if (status != TB_OK || !ops) return status;
  w->reader->target.system_as_events =
      w->visitor->system_as_events && (ops->source.system_text || ops->source.some_text);
  w->records = ops->records;
  if (ops->records && w->visitor->record) w->reader->watch = (struct tb_record_watch){take_record, w};
  if (!ops->is_packets || !w->visitor->packet) return TB_OK;
  return tb_packet_reader_create_feed(name, options, &w->packets, error);
}

/* Takes what the reader of events has; TB_AGAIN when it wants more bytes. */
static enum tb_status take_events(struct tb_trace_walk *w, struct tb_error *error) {
  const struct tb_event *event;
  enum tb_status status = TB_OK, taken = TB_OK;
  while (taken == TB_OK && (status = tb_reader_next(w->reader, &event)) == TB_OK)
    taken = w->visitor->event(w->visitor->ctx, event);
  if (taken != TB_OK) return taken;
  if (status == TB_AGAIN || status == TB_END) return status;
  if (error && error->code == TB_OK) *error = *tb_reader_error(w->reader);
  return status;
}

static enum tb_status take_packets(struct tb_trace_walk *w, struct tb_error *error) {
  const struct tb_packet *packet;
  enum tb_status status = TB_END, taken = TB_OK;
  while (w->packets && taken == TB_OK && (status = tb_packet_next(w->packets, &packet)) == TB_OK)
    taken = w->visitor->packet(w->visitor->ctx, packet);
  if (taken != TB_OK) return taken;
  if (status == TB_AGAIN || status == TB_END) return status;
  if (error && error->code == TB_OK) *error = *tb_packet_reader_error(w->packets);
  return status;
}

static enum tb_status feed(struct tb_trace_walk *w, size_t len, struct tb_error *error) {
  if (tb_reader_feed(w->reader, w->chunk, len) != TB_OK) return no_memory(error);
  if (w->packets && tb_packet_reader_feed(w->packets, w->chunk, len) != TB_OK) return no_memory(error);
  return TB_OK;
}

static void feed_end(struct tb_trace_walk *w) {
  tb_reader_feed_end(w->reader);
  if (w->packets) tb_packet_reader_feed_end(w->packets);
}

static enum tb_status read_all(struct tb_trace_walk *w, struct tb_error *error) {
  const struct tb_trace_visitor *visitor = w->visitor;
  for (bool at_end = false;;) {
    size_t got = 0;
    enum tb_status status = at_end ? TB_END : tb_input_read(w->input, w->chunk, CHUNK_BYTES, &got, error);
    if (status == TB_TRUNCATED) w->cut_short = true;
    w->read += got;
    if (status == TB_TRUNCATED || status == TB_END) {
      at_end = true;
      feed_end(w);
    } else if (status != TB_OK || (status = feed(w, got, error)) != TB_OK) {
      return status;
    }
    status = take_packets(w, error);
    if (status != TB_AGAIN && status != TB_END) return status;
    status = take_events(w, error);
    if (status != TB_AGAIN) return status == TB_END ? TB_OK : status;
    if (visitor->progress &&
        !visitor->progress(visitor->progress_ctx, tb_input_bytes_read(w->input), tb_input_size(w->input)))
      return tb_fail(error, TB_CANCELLED, TB_NO_OFFSET, "cancelled");
  }
}

enum tb_status tb_trace_walk(struct tb_trace_walk *w, const char *path, const struct tb_reader_options *options,
                             const struct tb_trace_visitor *visitor, struct tb_error *error) {
  const struct tb_input_place place = {.name = path};
  struct tb_reader_options reader = *options;
  w->visitor = visitor;
  w->format.read_as = reader.format;
  enum tb_status status = tb_trace_input_open(&place, w->allocator, 1, &w->format, &w->input, &w->unread, error);
  reader.format = w->format.read_as;
  if (status != TB_OK) return status;
  w->chunk = tb_alloc(w->allocator, CHUNK_BYTES);
  if (!w->chunk) return no_memory(error);
  tb_reader_options_take_source(&reader);
  status = open_readers(w, &reader, error);
  if (status == TB_OK) status = read_all(w, error);
  if (status == TB_OK && (status = tb_reader_note_unread(w->reader, &w->unread)) != TB_OK)
    *error = *tb_reader_error(w->reader);
  return status;
}

void tb_trace_walk_losses(const struct tb_trace_walk *w, struct tb_loss *losses, size_t capacity, size_t *count) {
  const struct tb_loss *found = tb_reader_losses(w->reader, count);
  if (*count > capacity - 1) *count = capacity - 1;
  if (*count) memcpy(losses, found, *count * sizeof(*found));
  const struct tb_losses *of_input = tb_input_losses(w->input);
  for (size_t i = 0; of_input && i < of_input->count && *count < capacity - 1; i++)
    losses[(*count)++] = of_input->entries[i];
  if (!w->cut_short) return;
  static const struct tb_loss cut = {.reason = TB_LOSS_COMPRESSION, .count = 1, .kind = TB_LOSS_CUT};
  static const struct tb_loss damage = {.reason = TB_LOSS_COMPRESSED_DAMAGE, .count = 1, .kind = TB_LOSS_DAMAGED};
  losses[*count] = tb_input_is_bad(w->input) ? damage : cut;
  losses[(*count)++].first_offset = w->read;
}

enum tb_format tb_trace_walk_format(const struct tb_trace_walk *w) {
  return w->format.decoded ? w->format.decoded : tb_reader_format(w->reader);
}

void tb_trace_walk_close(struct tb_trace_walk *w) {
  tb_reader_close(w->reader);
  tb_packet_reader_close(w->packets);
  tb_free(w->allocator, w->chunk, CHUNK_BYTES);
  tb_input_close(w->input);
}
