/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a trace once for tb_info: the bytes of the input go to a reader of events and, where it is Perfetto's, to one
 * of packets too, so that pipes work as files do.
 */
#include "base/error.h"
#include "base/losses.h"
#include "base/options.h"
#include "convert/format_detect.h"
#include "convert/registry.h"
#include "convert/trace_input.h"
#include "inspect/info_state.h"
#include "io/input.h"
#include "model/reader_ops.h"

enum { CHUNK_BYTES = 256 * 1024, PEEK_BYTES = 4096 };

/* A reading in progress. */
struct info_reading {
  struct tb_info_state *state;
  struct tb_input *input;
  struct tb_reader *reader;
  struct tb_packet_reader *packets; /* NULL where there are none */
  char *chunk;
  bool cut_short; /* the input's compression ends early */
  struct tb_trace_format format;
  struct tb_unread_traces unread;
};

static enum tb_status no_memory(struct tb_error *error) {
  return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

static enum tb_status open_readers(struct info_reading *r, const struct tb_reader_options *options,
                                   struct tb_error *error) {
  const char *name = tb_input_name(r->input), *data;
  size_t len = 0;
  enum tb_status status = tb_input_peek(r->input, &data, PEEK_BYTES, &len, error);
  if (status != TB_OK && status != TB_END && status != TB_TRUNCATED) return status;
  enum tb_format format = options->format != TB_FORMAT_UNKNOWN ? options->format : tb_format_detect(data, len);
  status = tb_reader_create_feed(name, options, &r->reader, error);
  const struct tb_reader_ops *ops = tb_registry_reader(format);
  if (status == TB_OK) tb_input_feed_from(r->reader->input, r->input);
  if (status != TB_OK || !ops) return status;
  r->reader->target.system_as_events = ops->source.system_text || ops->source.some_text;
  r->state->record_ops = ops->records;
  if (ops->records) r->reader->watch = (struct tb_record_watch){tb_info_count_record, r->state};
  if (!ops->is_packets) return TB_OK;
  return tb_packet_reader_create_feed(name, options, &r->packets, error);
}

/* Takes what the reader of events has; TB_AGAIN when it wants more bytes. */
static enum tb_status take_events(struct info_reading *r, struct tb_error *error) {
  const struct tb_event *event;
  enum tb_status status;
  while ((status = tb_reader_next(r->reader, &event)) == TB_OK) tb_info_count_event(r->state, event);
  if (status == TB_AGAIN || status == TB_END) return status;
  if (error && error->code == TB_OK) *error = *tb_reader_error(r->reader);
  return status;
}

static enum tb_status take_packets(struct info_reading *r, struct tb_error *error) {
  const struct tb_packet *packet;
  enum tb_status status = TB_END;
  while (r->packets && (status = tb_packet_next(r->packets, &packet)) == TB_OK) tb_info_count_packet(r->state, packet);
  if (status == TB_AGAIN || status == TB_END) return status;
  if (error && error->code == TB_OK) *error = *tb_packet_reader_error(r->packets);
  return status;
}

static enum tb_status feed(struct info_reading *r, size_t len, struct tb_error *error) {
  if (tb_reader_feed(r->reader, r->chunk, len) != TB_OK) return no_memory(error);
  if (r->packets && tb_packet_reader_feed(r->packets, r->chunk, len) != TB_OK) return no_memory(error);
  return TB_OK;
}

static void feed_end(struct info_reading *r) {
  tb_reader_feed_end(r->reader);
  if (r->packets) tb_packet_reader_feed_end(r->packets);
}

static enum tb_status read_all(struct info_reading *r, const struct tb_info_options *options, struct tb_error *error) {
  for (bool at_end = false;;) {
    size_t got = 0;
    enum tb_status status = at_end ? TB_END : tb_input_read(r->input, r->chunk, CHUNK_BYTES, &got, error);
    if (status == TB_TRUNCATED) r->cut_short = true;
    if (status == TB_TRUNCATED || status == TB_END) {
      at_end = true;
      feed_end(r);
    } else if (status != TB_OK || (status = feed(r, got, error)) != TB_OK) {
      return status;
    }
    status = take_packets(r, error);
    if (status != TB_AGAIN && status != TB_END) return status;
    status = take_events(r, error);
    if (status != TB_AGAIN) return status == TB_END ? TB_OK : status;
    if (r->state->out_of_memory) return no_memory(error);
    if (options->progress &&
        !options->progress(options->progress_ctx, tb_input_bytes_read(r->input), tb_input_size(r->input)))
      return tb_fail(error, TB_CANCELLED, TB_NO_OFFSET, "cancelled");
  }
}

/* Losses are reported by the reader of events; by that of packets too it would be reported twice. */
static void gather(struct info_reading *r) {
  struct tb_loss losses[64];
  size_t count;
  const struct tb_loss *found = tb_reader_losses(r->reader, &count);
  if (count > 63) count = 63;
  if (count) memcpy(losses, found, count * sizeof(*found));
  const struct tb_losses *of_input = tb_input_losses(r->input);
  for (size_t i = 0; of_input && i < of_input->count && count < 63; i++) losses[count++] = of_input->entries[i];
  const struct tb_loss cut = {.reason = TB_LOSS_COMPRESSION, .count = 1, .kind = TB_LOSS_CUT};
  if (r->cut_short) losses[count++] = cut;
  if (r->state->names_left_out)
    tb_reader_note(r->reader, "lists and counts of names are incomplete: there are too many names", TB_NO_OFFSET);
  if (r->state->self_left_out)
    tb_reader_note(r->reader, "self times are incomplete: there are too many slices out of processors' buffers",
                   TB_NO_OFFSET);
  r->state->info.format = r->format.decoded ? r->format.decoded : tb_reader_format(r->reader);
  r->state->info.file = tb_arena_copy(&r->state->arena, tb_str_from(tb_input_name(r->input)));
  if (!r->state->info.file.ptr) r->state->out_of_memory = true;
  r->state->info.stored_bytes = tb_input_bytes_read(r->input);
  tb_info_gather(r->state, losses, count, &r->reader->notes);
}

static enum tb_status read_info(struct info_reading *r, const char *path, const struct tb_info_options *options,
                                struct tb_error *error) {
  const struct tb_input_place place = {.name = path};
  struct tb_reader_options reader = options->reader;
  r->format.read_as = reader.format;
  enum tb_status status = tb_trace_input_open(&place, r->state->allocator, 1, &r->format, &r->input, &r->unread, error);
  reader.format = r->format.read_as;
  if (status != TB_OK) return status;
  r->chunk = tb_alloc(r->state->allocator, CHUNK_BYTES);
  if (!r->chunk) return no_memory(error);
  tb_reader_options_take_source(&reader);
  status = open_readers(r, &reader, error);
  if (status == TB_OK) status = read_all(r, options, error);
  if (status == TB_OK && (status = tb_reader_note_unread(r->reader, &r->unread)) != TB_OK)
    *error = *tb_reader_error(r->reader);
  if (status != TB_OK) return status;
  gather(r);
  return r->state->out_of_memory ? no_memory(error) : TB_OK;
}

static struct tb_info_state *create(const struct tb_allocator *allocator) {
  struct tb_info_state *s = tb_calloc(allocator, sizeof(*s));
  if (!s) return NULL;
  s->allocator = allocator;
  s->info.first_ts = INT64_MAX;
  s->info.last_ts = INT64_MIN;
  tb_arena_init(&s->arena, allocator, 0);
  tb_map_init(&s->packet_kinds, allocator);
  tb_map_init(&s->producer_ids, allocator);
  tb_sequence_table_init(&s->sequences, allocator);
  tb_map_init(&s->machines, allocator);
  tb_map_init(&s->provider_ids, allocator);
  tb_intern_init(&s->slice_names.table, allocator);
  tb_intern_init(&s->categories.table, allocator);
  tb_intern_init(&s->counters.table, allocator);
  tb_intern_init(&s->counter_names.table, allocator);
  tb_map_init(&s->counter_series, allocator);
  tb_map_init(&s->flows, allocator);
  return s;
}

enum tb_status tb_info_open(const char *path, const struct tb_info_options *options, struct tb_info **info,
                            struct tb_error *error) {
  struct tb_info_options filled = {.size = sizeof(filled)};
  struct tb_error own_error = {0};
  enum tb_status status = tb_check_open(path, info, error);
  if (!info) return status;
  *info = NULL;
  if (status == TB_OK) status = tb_options_take(&filled, sizeof(filled), options, error);
  if (status != TB_OK) return status;
  filled.reader.size = sizeof(filled.reader);
  if (!filled.reader.allocator) filled.reader.allocator = tb_default_allocator();
  if (!error) error = &own_error;
  struct info_reading r = {.state = create(filled.reader.allocator)};
  if (!r.state) return no_memory(error);
  status = read_info(&r, path, &filled, error);
  if (status != TB_OK) tb_error_set_file(error, r.input ? tb_input_name(r.input) : path);
  tb_reader_close(r.reader);
  tb_packet_reader_close(r.packets);
  tb_free(r.state->allocator, r.chunk, CHUNK_BYTES);
  tb_input_close(r.input);
  if (status != TB_OK) {
    tb_info_close(&r.state->info);
    return status;
  }
  *info = &r.state->info;
  return r.state->info.loss_count ? TB_PARTIAL : TB_OK;
}

void tb_info_close(struct tb_info *info) {
  if (!info) return;
  struct tb_info_state *s = (struct tb_info_state *)info;
  const struct tb_allocator *a = s->allocator;
  for (size_t i = 0; i < s->track_count; i++) tb_self_track_free(a, &s->tracks[i].self);
  tb_free(a, s->tracks, s->track_count * sizeof(*s->tracks));
  tb_free(a, s->clocks, s->clock_capacity * sizeof(*s->clocks));
  tb_free(a, s->metadata, s->metadata_capacity * sizeof(*s->metadata));
  tb_free(a, s->packets, s->packet_capacity * sizeof(*s->packets));
  tb_free(a, s->producers, s->producer_capacity * sizeof(*s->producers));
  tb_map_free(&s->packet_kinds);
  tb_map_free(&s->producer_ids);
  tb_sequence_table_free(&s->sequences);
  tb_map_free(&s->machines);
  tb_map_free(&s->provider_ids);
  tb_map_free(&s->counter_series);
  tb_map_free(&s->flows);
  tb_free(a, s->cpu_points, s->cpu_point_capacity * sizeof(*s->cpu_points));
  struct tb_info_names *const names[] = {&s->slice_names, &s->categories, &s->counters, &s->counter_names};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    tb_intern_free(&names[i]->table);
    tb_free(a, names[i]->tallies, names[i]->capacity * sizeof(*names[i]->tallies));
  }
  tb_free(a, s->providers, s->provider_capacity * sizeof(*s->providers));
  tb_arena_free(&s->arena);
  tb_free(a, s, sizeof(*s));
}
