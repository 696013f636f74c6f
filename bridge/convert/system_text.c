/* SPDX-License-Identifier: Apache-2.0
 *
 * The text is kept until it is whole, since only then it is known what its states mean. Then it becomes packets, a
 * block at a time, which a reader of Perfetto is fed with; its events are what is given. What else the source has goes
 * before that as it is; the tracks of the packets' reader are numbered from where the source's end.
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
  bool stays_in_memory;              /* the temporary file takes no more */
  bool ended;                        /* the source, whose last events may still be in a batch */
  struct tb_ftrace_packets *packets; /* NULL until the text is whole */
  struct tb_reader *events;
};

static enum tb_status no_memory(struct tb_reader *reader) {
  return tb_fail(&reader->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Nobody asked for a file: where none can be written, the text stays in memory, as what other writers stage does. */
static enum tb_status spill(struct tb_reader *reader, struct system_text *s) {
  if (s->stays_in_memory || s->text.log.bytes < MEMORY_BYTES) return TB_OK;
  struct tb_error error = {0};
  enum tb_status status =
      s->spill ? TB_OK
               : tb_spill_file_create(reader->options.temporary_directory, reader->allocator, &s->spill, &error);
  if (status == TB_OK) status = tb_spill_log_spill(&s->text.log, s->spill, &error);
  if (status == TB_IO) s->stays_in_memory = true;
  if (status != TB_OK && status != TB_IO) reader->error = error;
  return status == TB_IO ? TB_OK : status;
}

/* Keeps the lines in a batch: what is left are its other events. */
static enum tb_status take_lines(struct tb_reader *reader, struct system_text *s, struct tb_batch *batch) {
  size_t left = 0;
  for (size_t i = 0; i < batch->event_count; i++) {
    if (batch->events[i].type != TB_EVENT_SYSTEM_TRACE) {
      if (left++ != i) batch->events[left - 1] = batch->events[i];
      continue;
    }
    reader->has_read = true;
    if (tb_ftrace_text_put(&s->text, batch->events[i].blob) != TB_OK) return no_memory(reader);
  }
  batch->event_count = left;
  batch->has_text = false;
  return spill(reader, s);
}

/* Fills the batch by the source. */
static enum tb_status fill_by_source(struct tb_reader *reader, struct system_text *s, struct tb_batch *batch) {
  if (s->ended) return TB_END;
  reader->state = s->lines_state;
  enum tb_status status = s->lines->fill(reader, batch);
  if (s->lines->track_count) s->events->first_track = s->lines->track_count(reader);
  reader->state = s;
  s->ended = status == TB_END;
  enum tb_status taken = take_lines(reader, s, batch);
  return taken == TB_OK ? status : taken;
}

/* Keeps some lines of a source that is nothing else. */
static enum tb_status keep_lines(struct tb_reader *reader, struct system_text *s) {
  tb_batch_reset(&s->batch);
  return fill_by_source(reader, s, &s->batch);
}

/* Empties a batch that is being filled. */
static void empty(struct tb_batch *batch) {
  uint64_t number = batch->fill;
  tb_batch_reset(batch);
  batch->fill = number;
}

/* Gives what else the source has, as long as there is some. */
static enum tb_status give_others(struct tb_reader *reader, struct system_text *s, struct tb_batch *batch) {
  enum tb_status status;
  do {
    empty(batch);
    status = fill_by_source(reader, s, batch);
  } while (status == TB_OK && !batch->event_count);
  return status;
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
                                              .with_made_marks = s->events->target.system_as_events,
                                              .read_once = true,
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
    tb_losses_add_many(to, from->entries[i].reason, from->entries[i].count, TB_NO_OFFSET);
}

/* The batch is that of both readers: what is known of it goes along. Offsets are those of packets that nobody sees. */
static enum tb_status fill_events(struct tb_reader *reader, struct system_text *s, struct tb_batch *batch) {
  s->events->fills = reader->fills;
  s->events->used_up = reader->used_up;
  s->events->is_shaped = reader->is_shaped;
  enum tb_status status = tb_reader_find_format(s->events);
  if (status == TB_OK) status = s->events->ops->fill(s->events, batch);
  for (size_t i = 0; i < batch->event_count; i++) batch->events[i].offset = TB_NO_OFFSET;
  if (status == TB_END) add_all(&reader->losses, &s->events->losses);
  if (status == TB_END) add_all(&reader->notes, &s->events->notes);
  if (s->events->error.code != TB_OK && reader->error.code == TB_OK) reader->error = s->events->error;
  return status;
}

/* Of what the packets say of themselves the trace has its own. */
static bool is_of_packets(const struct tb_event *event) {
  return event->type == TB_EVENT_CLOCK_SNAPSHOT || event->type == TB_EVENT_TRACE_METADATA;
}

static enum tb_status leave_out_own(struct tb_batch *batch) {
  size_t left = 0;
  for (size_t i = 0; i < batch->event_count; i++)
    if (!is_of_packets(&batch->events[i])) batch->events[left++] = batch->events[i];
  batch->event_count = left;
  if (!left) empty(batch);
  return left ? TB_OK : TB_AGAIN;
}

static bool has_text(const struct system_text *s) { return tb_spill_log_total(&s->text.log) > 0; }

static enum tb_status fill(struct tb_reader *reader, struct tb_batch *batch) {
  struct system_text *s = reader->state;
  bool is_text = s->lines->source.system_text;
  enum tb_status status = TB_OK;
  while (!s->packets && status == TB_OK) {
    status = is_text ? keep_lines(reader, s) : give_others(reader, s, batch);
    if (status == TB_OK && !is_text) return TB_OK;
    if (status == TB_END && (is_text ? reader->has_read : has_text(s))) status = begin_packets(reader, s);
  }
  while (status == TB_OK) {
    status = fill_events(reader, s, batch);
    if (status == TB_OK && !is_text) status = leave_out_own(batch);
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
  /* counters and slices of the kernel's, as of a trace of Perfetto's: not the instants that targets without them get */
  if (reader->target.redacted) s->events->target.system_as_events = false;
  s->events->wait = wait_for_reader;
  s->events->wait_ctx = reader;
  return TB_OK;
}

static enum tb_status wrap(struct tb_reader *reader) {
  struct system_text *s = tb_calloc(reader->allocator, sizeof(*s));
  if (!s) return no_memory(reader);
  s->lines = reader->ops;
  s->lines_state = reader->state;
  s->ops = (struct tb_reader_ops){
      .format = s->lines->format, .fill = fill, .destroy = destroy, .runs_ahead = true, .source = s->lines->source};
  tb_batch_init(&s->batch, reader->allocator);
  tb_ftrace_text_init(&s->text, reader->allocator, reader->allocator);
  reader->ops = &s->ops;
  reader->state = s;
  return open_events(reader, s);
}

enum tb_status tb_system_text_read_as_events(struct tb_reader *reader, struct tb_batch *batch, enum tb_status status) {
  const struct tb_reader_ops *lines = reader->ops;
  uint32_t tracks = lines->track_count ? lines->track_count(reader) : 0;
  enum tb_status wrapped = wrap(reader);
  struct system_text *s = reader->state;
  if (wrapped == TB_OK) wrapped = take_lines(reader, s, batch);
  if (wrapped != TB_OK) return wrapped;
  s->ended = status == TB_END;
  s->events->first_track = tracks;
  if (lines->source.system_text) batch->event_count = 0;
  if (status != TB_OK && status != TB_END) return status;
  if (batch->event_count) return TB_OK;
  empty(batch);
  return fill(reader, batch);
}
