/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/dump.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/losses.h"
#include "base/options.h"
#include "convert/format_detect.h"
#include "convert/registry.h"
#include "convert/trace_input.h"
#include "inspect/dump_resolve.h"
#include "inspect/text_format.h"
#include "io/input.h"
#include "model/reader_ops.h"
#include "protos/field_numbers.h"
#include "protos/perfetto/trace_packet.pb-c.h"

enum { CHUNK_BYTES = 256 * 1024, PEEK_BYTES = 4096, FLUSH_BYTES = 64 * 1024, LINE_BYTES = 256, NOTE_BYTES = 200 };

enum tb_status tb_dump_flush(struct tb_dump *dump, bool all) {
  struct tb_buffer *text = &dump->text.buffer;
  enum tb_status status = tb_guard_settle(&dump->guard, dump->text.status, dump->error);
  if (status != TB_OK) return tb_fail(dump->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  if (!text->len || (!all && text->len < FLUSH_BYTES)) return TB_OK;
  bool goes_on = dump->sink(dump->ctx, text->data, text->len);
  text->len = 0;
  return goes_on ? TB_OK : tb_fail(dump->error, TB_CANCELLED, TB_NO_OFFSET, "cancelled");
}

/* ---- what is wanted --------------------------------------------------------------------------------------------- */

/* The next kind of a list; *list is then behind it. An empty one may be, as between two commas. */
static struct tb_str next_kind(const char **list) {
  *list += strspn(*list, " ");
  struct tb_str kind = {*list, strcspn(*list, ",")};
  *list += kind.len + ((*list)[kind.len] == ',');
  while (kind.len && kind.ptr[kind.len - 1] == ' ') kind.len--;
  return kind;
}

static bool wants_kind(struct tb_dump *dump, struct tb_str kind) {
  const char *list = dump->options->kinds;
  bool wanted = !list;
  for (unsigned i = 0; list && *list; i++) {
    if (!tb_str_equal(next_kind(&list), kind)) continue;
    wanted = true;
    if (i < 64) dump->kinds_met |= (uint64_t)1 << i;
  }
  return wanted;
}

static void say_missing_kinds(const struct tb_dump *dump) {
  const char *list = dump->options->missing_kind ? dump->options->kinds : NULL;
  for (unsigned i = 0; list && *list && i < 64; i++) {
    struct tb_str kind = next_kind(&list);
    if (kind.len && !(dump->kinds_met >> i & 1)) dump->options->missing_kind(dump->ctx, kind.ptr, kind.len);
  }
}

static bool wants_times(const struct tb_dump_options *options) {
  return options->has_times || options->after || options->before;
}

bool tb_dump_wants(struct tb_dump *dump, struct tb_str kind, uint32_t sequence, const int64_t *ts) {
  const struct tb_dump_options *options = dump->options;
  if (!wants_kind(dump, kind)) return false;
  if (options->sequence && options->sequence != sequence) return false;
  if (!wants_times(options)) return true;
  return ts && *ts >= options->after && *ts <= options->before;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static void note(void *ctx, const ProtobufCMessageDescriptor *message, const ProtobufCFieldDescriptor *field,
                 uint64_t value, struct tb_buffer *out) {
  struct tb_str text = tb_resolver_text(ctx, message, field, value);
  if (!text.len || tb_buffer_append(out, "  # ", 4) != TB_OK) return;
  if (tb_text_string(out, text) != TB_OK) return; /* escaped: a comment ends with its line */
}

static void put_heading(struct tb_json_emit *text, const struct tb_packet *packet) {
  char line[LINE_BYTES];
  int len = snprintf(line, sizeof(line), "# at byte %" PRIu64 "%s, %zu bytes", packet->offset,
                     packet->compressed ? " (compressed)" : "", packet->bytes.len);
  tb_json_emit_raw(text, line, (size_t)len);
  if (packet->has_timestamp) {
    TB_JSON_EMIT(text, ", at ");
    tb_json_emit_int(text, packet->timestamp);
    TB_JSON_EMIT(text, " ns of the trace's clock");
  }
  if (packet->lost_before) TB_JSON_EMIT(text, ", after a loss");
  if (packet->unreadable) TB_JSON_EMIT(text, ", state that it needs is missing");
  TB_JSON_EMIT(text, "\n");
}

/* A packet that its fields in text would not make again. */
static enum tb_status put_as_bytes(struct tb_dump *dump, const struct tb_packet *packet) {
  tb_json_emit_uint(&dump->text, TB_TRACE_PACKET);
  TB_JSON_EMIT(&dump->text, ": ");
  if (tb_text_string(&dump->text.buffer, packet->bytes) != TB_OK)
    return tb_fail(dump->error, TB_NO_MEMORY, packet->offset, "out of memory");
  TB_JSON_EMIT(&dump->text, "\n");
  return tb_dump_flush(dump, false);
}

static enum tb_status put_packet(struct tb_dump *dump, struct tb_resolver *resolver, const struct tb_packet *packet) {
  struct tb_text_notes notes = {note, resolver};
  if (dump->options->resolve) {
    if (tb_resolver_packet(resolver, packet) != TB_OK)
      return tb_fail(dump->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  }
  if (!tb_dump_wants(dump, packet->kind_name, packet->sequence, packet->has_timestamp ? &packet->timestamp : NULL))
    return TB_OK;
  if (dump->options->resolve) put_heading(&dump->text, packet);
  if (!tb_text_can_say(packet->bytes)) return put_as_bytes(dump, packet);
  TB_JSON_EMIT(&dump->text, "packet {\n");
  enum tb_status status = tb_text_message(&dump->text.buffer, &perfetto__protos__trace_packet__descriptor,
                                          packet->bytes, 1, dump->options->resolve ? &notes : NULL);
  TB_JSON_EMIT(&dump->text, "}\n");
  if (status != TB_OK && status != TB_BAD_DATA)
    return tb_fail(dump->error, status, packet->offset, "%s", tb_status_text(status));
  return tb_dump_flush(dump, false);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Both readers are fed, so that a pipe is looked at before it is known which of them it needs. */
struct dump_reading {
  struct tb_dump *dump;
  struct tb_input *input;
  struct tb_reader *events; /* one of these two */
  struct tb_packet_reader *packets;
  struct tb_resolver resolver;
  char *chunk;
  struct tb_trace_format format;
  struct tb_unread_traces unread;
  const struct tb_record_ops *records; /* not NULL: they are shown, and the events passed over */
  enum tb_status of_records;           /* how writing them went */
};

static void take_record(void *ctx, const void *record) {
  struct dump_reading *r = ctx;
  struct tb_record_note about = {.kind = 0};
  if (r->of_records != TB_OK) return;
  r->records->note(record, &about);
  if (!wants_kind(r->dump, tb_str_from(about.kind_name))) return;
  r->records->describe(&r->dump->text, record);
  r->of_records = tb_dump_flush(r->dump, false);
}

static enum tb_status open_reader(struct dump_reading *r) {
  const struct tb_dump_options *options = r->dump->options;
  struct tb_reader_options reader = *options->reader;
  const char *name = tb_input_name(r->input), *data;
  reader.format = r->format.read_as;
  tb_reader_options_take_source(&reader);
  size_t len = 0;
  enum tb_status status = tb_input_peek(r->input, &data, PEEK_BYTES, &len, r->dump->error);
  if (status == TB_END) return tb_fail(r->dump->error, TB_UNKNOWN_FORMAT, 0, "is empty");
  if (status != TB_OK && status != TB_TRUNCATED) return status;
  enum tb_format format = reader.format;
  if (format == TB_FORMAT_UNKNOWN) format = tb_format_detect(data, len);
  const struct tb_reader_ops *ops = tb_registry_reader(format);
  if (!ops || !ops->is_packets || options->events) {
    status = tb_reader_create_feed(name, &reader, &r->events, r->dump->error);
    if (status != TB_OK) return status;
    if (ops && !options->events) r->records = ops->records;
    if (r->records && (options->sequence || wants_times(options)))
      return tb_fail(
          r->dump->error, TB_INVALID, TB_NO_OFFSET,
          "its records have neither a sequence nor a time of their own; events have them (tb_dump_options.events)");
    if (r->records) r->events->watch = (struct tb_record_watch){take_record, r};
    return TB_OK;
  }
  return tb_packet_reader_create_feed(name, &reader, &r->packets, r->dump->error);
}

static enum tb_status take_packets(struct dump_reading *r) {
  const struct tb_packet *packet;
  enum tb_status status;
  while ((status = tb_packet_next(r->packets, &packet)) == TB_OK) {
    status = put_packet(r->dump, &r->resolver, packet);
    if (status != TB_OK) return status;
  }
  if (status != TB_END && status != TB_AGAIN && r->dump->error->code == TB_OK)
    *r->dump->error = *tb_packet_reader_error(r->packets);
  return status;
}

static enum tb_status take_events(struct dump_reading *r) {
  const struct tb_event *event;
  enum tb_status status;
  while ((status = tb_reader_next(r->events, &event)) == TB_OK) {
    if (!r->records && tb_dump_wants(r->dump, tb_str_from(tb_event_type_name(event->type)), event->sequence,
                                     event->has & TB_HAS_TS ? &event->ts : NULL))
      tb_dump_event(&r->dump->text, event);
    status = r->records ? r->of_records : tb_dump_flush(r->dump, false);
    if (status != TB_OK) return status;
  }
  if (status != TB_END && status != TB_AGAIN && r->dump->error->code == TB_OK)
    *r->dump->error = *tb_reader_error(r->events);
  return status;
}

static enum tb_status feed(struct dump_reading *r, size_t len) {
  enum tb_status status =
      r->packets ? tb_packet_reader_feed(r->packets, r->chunk, len) : tb_reader_feed(r->events, r->chunk, len);
  return status == TB_OK ? status : tb_fail(r->dump->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

static void feed_end(struct dump_reading *r) {
  if (r->packets)
    tb_packet_reader_feed_end(r->packets);
  else
    tb_reader_feed_end(r->events);
}

/* *cut_short: the input's compression ends early. */
static enum tb_status read_all(struct dump_reading *r, bool *cut_short) {
  for (bool at_end = false;;) {
    size_t got = 0;
    enum tb_status status = at_end ? TB_END : tb_input_read(r->input, r->chunk, CHUNK_BYTES, &got, r->dump->error);
    *cut_short = *cut_short || status == TB_TRUNCATED;
    if (status == TB_TRUNCATED || status == TB_END) {
      at_end = true;
      feed_end(r);
    } else if (status != TB_OK || (status = feed(r, got)) != TB_OK) {
      return status;
    }
    status = r->packets ? take_packets(r) : take_events(r);
    if (status != TB_AGAIN) return status == TB_END ? TB_OK : status;
  }
}

static size_t take_losses(const struct dump_reading *r, bool cut_short, struct tb_loss losses[TB_DUMP_LOSSES]) {
  size_t count = 0;
  const struct tb_loss *found = r->packets  ? tb_packet_reader_losses(r->packets, &count)
                                : r->events ? tb_reader_losses(r->events, &count)
                                            : NULL;
  if (count > TB_DUMP_LOSSES - 2) count = TB_DUMP_LOSSES - 2;
  if (count) memcpy(losses, found, count * sizeof(*found));
  const struct tb_losses *of_input = r->input ? tb_input_losses(r->input) : NULL;
  for (size_t i = 0; of_input && i < of_input->count && count < TB_DUMP_LOSSES - 2; i++)
    losses[count++] = of_input->entries[i];
  const struct tb_loss cut = {.reason = TB_LOSS_COMPRESSION, .count = 1, .kind = TB_LOSS_CUT};
  if (cut_short) losses[count++] = cut;
  const char *unread = tb_unread_loss(&r->unread);
  if (unread) {
    losses[count] = (struct tb_loss){.count = 1, .first_offset = TB_NO_OFFSET, .kind = tb_loss_kind_of(unread)};
    (void)snprintf(losses[count].reason, sizeof(losses[count].reason), "%s", unread);
    count++;
  }
  return count;
}

static enum tb_status dump_file(struct tb_dump *dump, const char *path, struct tb_loss losses[TB_DUMP_LOSSES],
                                size_t *count) {
  const struct tb_allocator *a = dump->options->reader->allocator;
  struct dump_reading r = {.dump = dump};
  bool cut_short = false;
  tb_resolver_init(&r.resolver, &dump->guard.allocator);
  const struct tb_input_place place = {.name = path};
  r.format.read_as = dump->options->reader->format;
  enum tb_status status = tb_trace_input_open(&place, a, 1, &r.format, &r.input, &r.unread, dump->error);
  r.chunk = tb_alloc(a, CHUNK_BYTES);
  if (status == TB_OK && !r.chunk) status = tb_fail(dump->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  if (status == TB_OK) status = open_reader(&r);
  if (status == TB_OK) status = read_all(&r, &cut_short);
  if (status != TB_OK && r.input) tb_error_set_file(dump->error, tb_input_name(r.input));
  *count = take_losses(&r, cut_short, losses);
  tb_reader_close(r.events);
  tb_packet_reader_close(r.packets);
  tb_free(a, r.chunk, CHUNK_BYTES);
  tb_input_close(r.input);
  tb_resolver_free(&r.resolver);
  return status;
}

enum tb_status tb_dump(const char *path, const struct tb_dump_options *options, tb_text_sink sink, void *ctx,
                       struct tb_loss *losses, size_t *loss_count, struct tb_error *error) {
  struct tb_dump_options filled = {.size = sizeof(filled)};
  struct tb_reader_options reader = {.size = sizeof(reader)};
  struct tb_error own_error = {0};
  struct tb_loss own_losses[TB_DUMP_LOSSES];
  size_t count = 0;
  if (loss_count) *loss_count = 0;
  if (!path || !sink) return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "the name of the input or the sink is NULL");
  enum tb_status status = tb_options_take(&filled, sizeof(filled), options, error);
  if (status == TB_OK) status = tb_options_take(&reader, sizeof(reader), filled.reader, error);
  if (status != TB_OK) return status;
  filled.reader = &reader;
  if (!reader.allocator) reader.allocator = tb_default_allocator();
  struct tb_dump dump = {.sink = sink, .ctx = ctx, .options = &filled, .error = error ? error : &own_error};
  tb_guard_init(&dump.guard, reader.allocator);
  tb_json_emit_init(&dump.text, &dump.guard.allocator);
  dump.text.for_people = true;
  status = dump_file(&dump, path, losses ? losses : own_losses, &count);
  enum tb_status flushed = tb_dump_flush(&dump, true);
  if (status == TB_OK) status = flushed;
  if (status == TB_OK) say_missing_kinds(&dump);
  tb_json_emit_free(&dump.text);
  if (status != TB_OK) tb_error_set_file(dump.error, path);
  if (loss_count) *loss_count = count;
  return status == TB_OK && count ? TB_PARTIAL : status;
}
