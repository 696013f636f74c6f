/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a trace once for tb_info.
 */
#include "base/error.h"
#include "base/options.h"
#include "inspect/info_state.h"
#include "inspect/trace_walk.h"

static enum tb_status no_memory(struct tb_error *error) {
  return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

static enum tb_status take_event(void *state, const struct tb_event *event) {
  struct tb_info_state *s = state;
  tb_info_count_event(s, event);
  return s->out_of_memory ? TB_NO_MEMORY : TB_OK;
}

static enum tb_status take_packet(void *state, const struct tb_packet *packet) {
  struct tb_info_state *s = state;
  tb_info_count_packet(s, packet);
  return s->out_of_memory ? TB_NO_MEMORY : TB_OK;
}

static void gather(struct tb_info_state *s, const struct tb_trace_walk *walk) {
  struct tb_loss losses[64];
  size_t count;
  tb_trace_walk_losses(walk, losses, sizeof(losses) / sizeof(losses[0]), &count);
  if (s->names_left_out)
    tb_reader_note(walk->reader, "lists and counts of names are incomplete: there are too many names", TB_NO_OFFSET);
  if (s->self_left_out)
    tb_reader_note(walk->reader, "self times are incomplete: there are too many slices out of processors' buffers",
                   TB_NO_OFFSET);
  s->info.format = tb_trace_walk_format(walk);
  s->info.file = tb_arena_copy(&s->arena, tb_str_from(tb_input_name(walk->input)));
  if (!s->info.file.ptr) s->out_of_memory = true;
  s->info.stored_bytes = tb_input_bytes_read(walk->input);
  tb_info_gather(s, losses, count, &walk->reader->notes);
}

static enum tb_status read_info(struct tb_info_state *s, struct tb_trace_walk *walk, const char *path,
                                const struct tb_info_options *options, struct tb_error *error) {
  const struct tb_trace_visitor visitor = {.event = take_event,
                                           .packet = take_packet,
                                           .record = tb_info_count_record,
                                           .ctx = s,
                                           .progress = options->progress,
                                           .progress_ctx = options->progress_ctx,
                                           .system_as_events = true};
  enum tb_status status = tb_trace_walk(walk, path, options->reader, &visitor, error);
  if (status == TB_OK) gather(s, walk);
  return s->out_of_memory ? no_memory(error) : status;
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
  struct tb_reader_options reader = {.size = sizeof(reader)};
  struct tb_error own_error = {0};
  enum tb_status status = tb_check_open(path, info, error);
  if (!info) return status;
  *info = NULL;
  if (status == TB_OK) status = tb_options_take(&filled, sizeof(filled), options, error);
  if (status == TB_OK) status = tb_options_take(&reader, sizeof(reader), filled.reader, error);
  if (status != TB_OK) return status;
  filled.reader = &reader;
  if (!reader.allocator) reader.allocator = tb_default_allocator();
  if (!error) error = &own_error;
  struct tb_info_state *state = create(reader.allocator);
  if (!state) return no_memory(error);
  struct tb_trace_walk walk = {.allocator = reader.allocator};
  status = read_info(state, &walk, path, &filled, error);
  if (status != TB_OK) tb_error_set_file(error, walk.input ? tb_input_name(walk.input) : path);
  tb_trace_walk_close(&walk);
  if (status != TB_OK) {
    tb_info_close(&state->info);
    return status;
  }
  *info = &state->info;
  return state->info.loss_count ? TB_PARTIAL : TB_OK;
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
