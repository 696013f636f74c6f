/* SPDX-License-Identifier: Apache-2.0 */
#include "shape/shaper.h"

#include "base/decimal.h"

enum { MOST_OUT = 1 << 28 };

void tb_shaper_init(struct tb_shaper *s, const struct tb_allocator *allocator, const struct tb_source_traits *source,
                    const struct tb_reader_options *options, struct tb_losses *losses) {
  *s = (struct tb_shaper){.allocator = allocator,
                          .source = *source,
                          .slices = options->slices,
                          .sorted = options->sorted,
                          .losses = losses};
  tb_shape_tracks_init(&s->tracks, allocator);
  tb_flow_edges_init(&s->flows, allocator);
  tb_intern_init(&s->texts, allocator);
  tb_buffer_init(&s->bytes, allocator, 0);
  tb_event_codec_init(&s->begins, allocator);
  tb_arena_init(&s->scratch, allocator, 0);
  for (int i = 0; i < 2; i++) tb_arena_init(&s->group_memory[i], allocator, 0);
  tb_event_sorter_init(&s->sorter, allocator);
  if (options->memory_budget) s->sorter.budget = options->memory_budget;
  s->sorter.directory = options->temporary_directory;
  s->sorter.complete_first = source->complete_first;
  tb_event_window_init(&s->window, allocator, options->sort_window_ns, losses);
  s->window.complete_first = source->complete_first;
}

void tb_shaper_free(struct tb_shaper *s) {
  for (size_t i = 0; i < s->pending_count; i++)
    tb_free(s->allocator, (char *)(uintptr_t)s->pending[i].frame.begin.ptr, s->pending[i].frame.begin.len);
  tb_free(s->allocator, s->pending, s->pending_capacity * sizeof(*s->pending));
  tb_free(s->allocator, s->pending_free, s->pending_free_capacity * sizeof(*s->pending_free));
  tb_heap_free(&s->pending_order, s->allocator);
  tb_free(s->allocator, s->out, s->out_capacity * sizeof(*s->out));
  tb_free(s->allocator, s->group, s->group_capacity * sizeof(*s->group));
  for (int i = 0; i < 2; i++) tb_arena_free(&s->group_memory[i]);
  tb_event_sorter_free(&s->sorter);
  tb_event_window_free(&s->window);
  tb_shape_tracks_free(&s->tracks);
  tb_flow_edges_free(&s->flows);
  tb_intern_free(&s->texts);
  tb_buffer_free(&s->bytes);
  tb_event_codec_free(&s->begins);
  tb_arena_free(&s->scratch);
}

void tb_shaper_emit(struct tb_shaper *s, const struct tb_event *event) {
  void *out = s->out;
  if (s->out_count == s->out_capacity &&
      tb_grow_array(s->allocator, &out, &s->out_capacity, s->out_count + 1, sizeof(*s->out), MOST_OUT) != TB_OK) {
    s->out_of_memory = true;
    return;
  }
  s->out = out;
  s->out[s->out_count++] = event;
}

struct tb_event *tb_shaper_copy(struct tb_shaper *s, const struct tb_event *event) {
  struct tb_event *copy = tb_arena_alloc(&s->scratch, sizeof(*copy));
  if (copy)
    *copy = *event;
  else
    s->out_of_memory = true;
  return copy;
}

void tb_shaper_announce(struct tb_shaper *s, struct tb_shape_track *track) {
  if (!track || track->is_announced) return;
  track->is_announced = true;
  if (track->track.parent) tb_shaper_announce(s, s->tracks.items[track->track.parent->index]);
  struct tb_event *event = tb_shaper_copy(s, &(const struct tb_event){.type = TB_EVENT_TRACK});
  if (!event) return;
  event->track = &track->track;
  event->offset = TB_NO_OFFSET;
  tb_shaper_emit(s, event);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static bool is_value(const struct tb_arg *arg, struct tb_arg *value) {
  *value = (struct tb_arg){.type = arg->type, .span = 1, .u = arg->u};
  if (arg->type == TB_ARG_INT || arg->type == TB_ARG_UINT || arg->type == TB_ARG_DOUBLE) return true;
  double number;
  if (arg->type != TB_ARG_STRING || !tb_number_in_text(arg->text, &number)) return false;
  value->type = TB_ARG_DOUBLE;
  value->d = number;
  return true;
}

/* One value of one counter. */
static void emit_value(struct tb_shaper *s, const struct tb_event *event, const struct tb_arg *arg) {
  struct tb_arg *value = tb_arena_alloc(&s->scratch, sizeof(*value));
  struct tb_event *own = value ? tb_shaper_copy(s, event) : NULL;
  if (!own) {
    s->out_of_memory = true;
    return;
  }
  if (!is_value(arg, value)) return;
  struct tb_shape_track *track = event->track->type == TB_TRACK_COUNTER
                                     ? tb_shape_track_of(&s->tracks, event->track)
                                     : tb_shape_counter(&s->tracks, event, arg->name, s->source.counters_by_id);
  if (!track) {
    s->out_of_memory = true;
    return;
  }
  own->track = &track->track;
  own->args = value;
  own->arg_count = 1;
  own->has = (own->has & ~(uint32_t)TB_HAS_NAME) | TB_HAS_ARGS;
  own->name = (struct tb_str){NULL, 0};
  tb_shaper_announce(s, track);
  tb_shaper_emit(s, own);
}

static void put_counter(struct tb_shaper *s, const struct tb_event *event) {
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span) emit_value(s, event, &event->args[i]);
}

/* ---- one event --------------------------------------------------------------------------------------------------- */

/* An event of an id as one of the id's own track. */
static void make_slice(struct tb_event *event) {
  bool begins = event->type == TB_EVENT_ASYNC_BEGIN, ends = event->type == TB_EVENT_ASYNC_END;
  event->type = begins ? TB_EVENT_SLICE_BEGIN : ends ? TB_EVENT_SLICE_END : TB_EVENT_INSTANT;
  event->phase = begins ? 'B' : ends ? 'E' : 'i';
  event->has &= ~(uint32_t)(TB_HAS_EXPLICIT_PHASE | TB_HAS_USE_ASYNC_TTS | TB_HAS_ID_ONLY_MATCH);
}

static bool is_of_idle_thread(const struct tb_event *event) {
  const uint32_t both = TB_HAS_KERNEL_STATE | TB_HAS_CPU;
  return event->type == TB_EVENT_THREAD_STATE && (event->has & both) == both && event->track->tid == 0;
}

/* The track that the event has in the one shape. NULL without memory. */
static struct tb_shape_track *find_track(struct tb_shaper *s, struct tb_event *event) {
  bool is_async = event->type >= TB_EVENT_ASYNC_BEGIN && event->type <= TB_EVENT_ASYNC_END;
  if (is_of_idle_thread(event)) return tb_shape_idle(&s->tracks, event);
  if (!is_async) return tb_shape_track_of(&s->tracks, event->track);
  struct tb_shape_track *track = tb_shape_async(&s->tracks, event);
  make_slice(event);
  return track;
}

static void put_on(struct tb_shaper *s, struct tb_shape_track *track, struct tb_event *event) {
  switch (event->type) {
    case TB_EVENT_SLICE_BEGIN:
    case TB_EVENT_SLICE_COMPLETE:
    case TB_EVENT_INSTANT:
      tb_shaper_begin(s, track, event);
      return;
    case TB_EVENT_SLICE_END:
      tb_shaper_end_slice(s, track, event);
      return;
    case TB_EVENT_FLOW_BEGIN:
    case TB_EVENT_FLOW_STEP:
    case TB_EVENT_FLOW_END:
      tb_shaper_emit(s, event);
      tb_shaper_flow(s, track, event);
      return;
    default:
      tb_shaper_emit(s, event);
  }
}

static void put_with_track(struct tb_shaper *s, struct tb_event *event) {
  if (event->thread) {
    struct tb_shape_track *thread = tb_shape_track_of(&s->tracks, event->thread);
    tb_shaper_announce(s, thread);
    event->thread = thread ? &thread->track : NULL;
  }
  struct tb_shape_track *track = find_track(s, event);
  if (!track) {
    s->out_of_memory = true;
    return;
  }
  event->track = &track->track;
  tb_shaper_announce(s, track);
  if (event->type != TB_EVENT_TRACK) put_on(s, track, event);
}

/* What the event says of its track. */
static enum tb_status apply(struct tb_shaper *s, const struct tb_event *event) {
  if (!event->track) return TB_OK;
  if (event->type == TB_EVENT_TRACK) return tb_shape_track_refresh(&s->tracks, event->track);
  if (event->type == TB_EVENT_METADATA) return tb_shape_track_apply_metadata(&s->tracks, event);
  return TB_OK;
}

static void put_one(struct tb_shaper *s, struct tb_event *event) {
  if (!event->track)
    tb_shaper_emit(s, event);
  else if (event->type == TB_EVENT_COUNTER)
    put_counter(s, event);
  else
    put_with_track(s, event);
}

static void start_over(struct tb_shaper *s) {
  s->out_count = s->out_next = 0;
  s->alone = NULL;
  tb_arena_reset(&s->scratch);
}

void tb_shaper_put_back(struct tb_shaper *s) {
  struct tb_event *alone = s->alone;
  if (!alone) {
    s->out_next--;
    return;
  }
  s->out_count = s->out_next = 0;
  s->alone = NULL;
  tb_shaper_emit(s, alone);
}

enum tb_status tb_shaper_put(struct tb_shaper *s, struct tb_event *event) {
  start_over(s);
  if (apply(s, event) != TB_OK) return TB_NO_MEMORY;
  put_one(s, event);
  return s->out_of_memory ? TB_NO_MEMORY : TB_OK;
}

enum tb_status tb_shaper_end(struct tb_shaper *s) {
  start_over(s);
  tb_shaper_end_until(s, INT64_MAX);
  if (s->slices == TB_SLICES_COMPLETE) tb_shaper_begin_endless(s);
  return s->out_of_memory ? TB_NO_MEMORY : TB_OK;
}

/* ---- in the order of time ---------------------------------------------------------------------------------------- */

enum tb_status tb_shaper_collect(struct tb_shaper *s, const struct tb_event *event, struct tb_error *error) {
  enum tb_status status = apply(s, event);
  if (status == TB_OK && s->window.ns) return tb_event_window_put(&s->window, event);
  return status == TB_OK ? tb_event_sorter_put(&s->sorter, event, error) : status;
}

static bool add_to_group(struct tb_shaper *s, struct tb_event *event) {
  void *group = s->group;
  if (tb_grow_array(s->allocator, &group, &s->group_capacity, s->group_count + 1, sizeof(*s->group), MOST_OUT) != TB_OK)
    return false;
  s->group = group;
  s->group[s->group_count++] = event;
  return true;
}

/* Reads an event ahead, into the memory of the group that it begins. */
static enum tb_status read_ahead(struct tb_shaper *s, struct tb_arena *memory, struct tb_error *error) {
  struct tb_event *event = tb_arena_alloc(memory, sizeof(*event));
  if (!event) return TB_NO_MEMORY;
  enum tb_status status = s->window.ns ? tb_event_window_next(&s->window, memory, event)
                                       : tb_event_sorter_next(&s->sorter, memory, event, error);
  s->ahead = status == TB_OK ? event : NULL;
  return status;
}

/* Whether an event of the group is the END of a slice that began before it: of one that began in it, as many begin on
 * its track as end. Asked of each event in turn. */
static bool ends_older(struct tb_shaper *s, const struct tb_event *event) {
  bool begins = event->type == TB_EVENT_SLICE_BEGIN, ends = event->type == TB_EVENT_SLICE_END;
  struct tb_shape_track *track = begins || ends ? tb_shape_track_of(&s->tracks, event->track) : NULL;
  if (!track) return false;
  if (track->group != s->group_number) track->begun = 0;
  track->group = s->group_number;
  if (begins) track->begun++;
  if (begins || !track->begun) return ends;
  track->begun--;
  return false;
}

/* ENDs of slices that began before come before complete slices. Where there are none of these, all is in the source's
 * order. */
static bool raise_ends(struct tb_shaper *s) {
  if (s->group_count < 2 || s->group[0]->type != TB_EVENT_SLICE_COMPLETE) return true;
  struct tb_event **others = tb_alloc(s->allocator, s->group_count * sizeof(struct tb_event *));
  size_t raised = 0, other_count = 0;
  if (!others) return false;
  s->group_number++;
  for (size_t i = 0; i < s->group_count; i++)
    if (ends_older(s, s->group[i]))
      s->group[raised++] = s->group[i];
    else
      others[other_count++] = s->group[i];
  memcpy(s->group + raised, others, other_count * sizeof(struct tb_event *));
  tb_free(s->allocator, others, s->group_count * sizeof(struct tb_event *));
  return true;
}

/* The events of the next time. Those without one are each alone. */
static enum tb_status next_group(struct tb_shaper *s, struct tb_error *error) {
  enum tb_status status = TB_OK;
  s->group_count = s->group_next = 0;
  struct tb_arena *memory = &s->group_memory[s->ahead_memory];
  if (!s->ahead) {
    tb_arena_reset(memory);
    status = read_ahead(s, memory, error);
  }
  if (status != TB_OK) return status;
  struct tb_event *first = s->ahead;
  s->ahead_memory = !s->ahead_memory;
  tb_arena_reset(&s->group_memory[s->ahead_memory]);
  bool goes_on = s->source.complete_first && first->has & TB_HAS_TS;
  if (!add_to_group(s, first)) return TB_NO_MEMORY;
  s->ahead = NULL;
  if (!goes_on) return TB_OK;
  while ((status = read_ahead(s, &s->group_memory[s->ahead_memory], error)) == TB_OK && s->ahead->ts == first->ts &&
         s->ahead->has & TB_HAS_TS)
    if (!add_to_group(s, s->ahead)) return TB_NO_MEMORY;
  if (status != TB_OK && status != TB_END && status != TB_AGAIN) return status;
  return raise_ends(s) ? TB_OK : TB_NO_MEMORY;
}

enum tb_status tb_shaper_step(struct tb_shaper *s, struct tb_error *error) {
  if (s->group_next == s->group_count) {
    enum tb_status status = next_group(s, error);
    if (status != TB_OK) return status;
  }
  start_over(s);
  struct tb_event *event = s->group[s->group_next++];
  if (event->has & TB_HAS_TS) tb_shaper_end_until(s, event->ts);
  if (tb_shaper_put_in_place(s, event))
    tb_shaper_emit(s, event);
  else
    put_one(s, event);
  s->alone = NULL;
  return s->out_of_memory ? TB_NO_MEMORY : TB_OK;
}
