/* SPDX-License-Identifier: Apache-2.0
 *
 * The text is kept until it is whole, since only then it is known what its states mean. Then it becomes packets, a
 * block at a time, which a reader of Perfetto is fed with; its events are what is given.
 */
#include "convert/system_text.h"

#include "base/error.h"
#include "convert/registry.h"
#include "ftrace/packets_of_text.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum {
  MEMORY_BYTES = 64 << 20, /* of text, before it goes to a temporary file */
  SEQUENCE = 1
};

struct system_text {
  struct tb_reader_ops ops;          /* of this */
  const struct tb_reader_ops *lines; /* what reads the text, and its state */
  void *lines_state;
  struct tb_batch batch; /* of lines */
  struct tb_ftrace_text text;
  struct tb_spill_file *spill;
  struct tb_ftrace_packets *packets; /* NULL until the text is whole */
  struct tb_reader *events;
};

static enum tb_status no_memory(struct tb_reader *reader) {
  return tb_fail(&reader->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static enum tb_status spill(struct tb_reader *reader, struct system_text *s) {
  if (s->text.log.bytes < MEMORY_BYTES) return TB_OK;
  enum tb_status status = s->spill ? TB_OK : tb_spill_file_create(NULL, reader->allocator, &s->spill, &reader->error);
  return status == TB_OK ? tb_spill_log_spill(&s->text.log, s->spill, &reader->error) : status;
}

/* Keeps some lines. What the lines' reader returned, or why they could not be kept. */
static enum tb_status keep_lines(struct tb_reader *reader, struct system_text *s) {
  tb_batch_reset(&s->batch);
  reader->state = s->lines_state;
  enum tb_status status = s->lines->fill(reader, &s->batch);
  reader->state = s;
  for (size_t i = 0; i < s->batch.event_count; i++) {
    reader->has_read = true;
    if (tb_ftrace_text_put(&s->text, s->batch.events[i].blob) != TB_OK) return no_memory(reader);
  }
  enum tb_status spilled = spill(reader, s);
  return spilled == TB_OK ? status : spilled;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static enum tb_status feed(void *ctx, struct tb_str fields) {
  struct tb_reader *events = ctx;
  char head[2 * TB_WIRE_VARINT_MAX];
  char *end = tb_wire_put_varint(tb_wire_put_tag(head, TB_TRACE_PACKET, TB_WIRE_BYTES), fields.len);
  enum tb_status status = tb_reader_feed(events, head, (size_t)(end - head));
  return status == TB_OK ? tb_reader_feed(events, fields.ptr, fields.len) : status;
}

static enum tb_status lose_line(void *reader, const char *reason) {
  return tb_reader_lose(reader, reason, TB_NO_OFFSET);
}

static enum tb_status begin_packets(struct tb_reader *reader, struct system_text *s) {
  struct tb_ftrace_packets_options options = {.allocator = reader->allocator,
                                              .put = feed,
                                              .ctx = s->events,
                                              .sequence = SEQUENCE,
                                              .trace_clock = TB_CLOCK_BOOTTIME,
                                              .lose = lose_line,
                                              .lose_ctx = reader,
                                              .error = &reader->error};
  if (tb_ftrace_text_end(&s->text) != TB_OK) return no_memory(reader);
  s->packets = tb_ftrace_packets_create(&s->text, &options);
  return s->packets ? TB_OK : no_memory(reader);
}

/* Feeds the next packets, or the end of them. */
static enum tb_status feed_packets(struct tb_reader *reader, struct system_text *s) {
  enum tb_status status = tb_ftrace_packets_step(s->packets);
  if (status == TB_END) tb_reader_feed_end(s->events);
  if (status == TB_OK || status == TB_END) return TB_OK;
  return reader->error.code != TB_OK ? status : no_memory(reader);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void wait_for_reader(void *ctx) { tb_reader_wait(ctx); }

static void add_all(struct tb_losses *to, const struct tb_losses *from) {
  for (size_t i = 0; i < from->count; i++)
    for (uint64_t k = 0; k < from->entries[i].count; k++) tb_losses_add(to, from->entries[i].reason, TB_NO_OFFSET);
}

/* The batch is that of both readers: what is known of it goes along. Offsets are those of packets that nobody sees. */
static enum tb_status fill_events(struct tb_reader *reader, struct system_text *s, struct tb_batch *batch) {
  s->events->fills = reader->fills;
  s->events->used_up = reader->used_up;
  enum tb_status status = tb_reader_find_format(s->events);
  if (status == TB_OK) status = s->events->ops->fill(s->events, batch);
  for (size_t i = 0; i < batch->event_count; i++) batch->events[i].offset = TB_NO_OFFSET;
  if (status == TB_END) add_all(&reader->losses, &s->events->losses);
  if (status == TB_END) add_all(&reader->notes, &s->events->notes);
  if (s->events->error.code != TB_OK && reader->error.code == TB_OK) reader->error = s->events->error;
  return status;
}

static enum tb_status fill(struct tb_reader *reader, struct tb_batch *batch) {
  struct system_text *s = reader->state;
  enum tb_status status = TB_OK;
  while (!s->packets && status == TB_OK) {
    status = keep_lines(reader, s);
    if (status == TB_END && reader->has_read) status = begin_packets(reader, s);
  }
  while (status == TB_OK) {
    status = fill_events(reader, s, batch);
    if (status != TB_AGAIN) return status;
    status = feed_packets(reader, s);
  }
  return status;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void destroy(struct tb_reader *reader) {
  struct system_text *s = reader->state;
  reader->ops = s->lines;
  reader->state = s->lines_state;
  s->lines->destroy(reader);
  tb_ftrace_packets_destroy(s->packets);
  tb_reader_close(s->events);
  tb_batch_free(&s->batch);
  tb_ftrace_text_free(&s->text);
  tb_spill_file_close(s->spill);
  tb_free(reader->allocator, s, sizeof(*s));
  reader->state = NULL;
}

static enum tb_format packets_format(void) {
  const struct tb_format_entry *entry;
  for (size_t i = 0; (entry = tb_registry_at(i)); i++)
    if (entry->reader && entry->reader->is_packets) return entry->format;
  return TB_FORMAT_UNKNOWN;
}

static enum tb_status open_events(struct tb_reader *reader, struct system_text *s) {
  struct tb_reader_options options = reader->options;
  options.format = packets_format();
  options.allocator = reader->allocator;
  enum tb_status status = tb_reader_create_feed("", &options, &s->events, &reader->error);
  if (status != TB_OK) return status;
  s->events->target = reader->target;
  s->events->wait = wait_for_reader;
  s->events->wait_ctx = reader;
  return TB_OK;
}

enum tb_status tb_system_text_read_as_events(struct tb_reader *reader) {
  struct system_text *s = tb_calloc(reader->allocator, sizeof(*s));
  if (!s) return no_memory(reader);
  s->lines = reader->ops;
  s->lines_state = reader->state;
  s->ops = (struct tb_reader_ops){.format = s->lines->format, .fill = fill, .destroy = destroy, .runs_ahead = true};
  tb_batch_init(&s->batch, reader->allocator);
  tb_ftrace_text_init(&s->text, reader->allocator, reader->allocator);
  reader->ops = &s->ops;
  reader->state = s;
  return open_events(reader, s);
}
