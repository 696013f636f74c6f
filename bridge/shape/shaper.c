/* SPDX-License-Identifier: Apache-2.0 */
#include "shape/shaper.h"

#include "model/arg_lookup.h"

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
  tb_arena_init(&s->group_memory, allocator, 0);
  for (size_t i = 0; i < TB_SHAPER_PLACES; i++) s->used[i] = UINT64_MAX;
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
  tb_arena_free(&s->group_memory);
  tb_free(s->allocator, s->places, TB_SHAPER_PLACES * sizeof(*s->places));
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
  s->has_scratch = true;
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
  if (!tb_arg_number_in_text(arg, &number)) return false;
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
  const struct tb_track *emitter = event->track;
  struct tb_shape_track *track = tb_shape_async(&s->tracks, event);
  /* an id that several processes share has the track of the first one's */
  if (track && !event->thread && emitter->pid != track->track.pid) event->thread = emitter;
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
      event->flow_from = tb_shaper_flow_slice(track, event);
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
  if (s->has_scratch) tb_arena_reset(&s->scratch);
  s->has_scratch = false;
}

void tb_shaper_put_back(struct tb_shaper *s) { s->out_next--; }

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

/* The time of the next event; INT64_MIN: none. */
static enum tb_status peek(struct tb_shaper *s, int64_t *ts, struct tb_error *error) {
  return s->window.ns ? tb_event_window_peek(&s->window, ts) : tb_event_sorter_peek(&s->sorter, ts, error);
}

/* What the shaper may set of an event, whatever that has. */
#define SHAPED_WORDS                                                                                       \
  (TB_WORD_OF(ts) | TB_WORD_OF(dur) | TB_WORD_OF(thread_ts) | TB_WORD_OF(thread_dur) | TB_WORD_OF(track) | \
   TB_WORD_OF(thread) | TB_WORD_OF(name.ptr) | TB_WORD_OF(name.len) | TB_WORD_OF(categories.ptr) |         \
   TB_WORD_OF(categories.len) | TB_WORD_OF(slice_id) | TB_WORD_OF(flow_from))

/* Adds the next event, for which there is a place or memory. */
static enum tb_status take_next(struct tb_shaper *s, struct tb_error *error) {
  uint64_t all = UINT64_MAX, *used = &all;
  struct tb_event *event = NULL;
  if (!s->places) s->places = tb_alloc(s->allocator, TB_SHAPER_PLACES * sizeof(*s->places));
  if (!s->places) return TB_NO_MEMORY;
  if (s->group_count < TB_SHAPER_PLACES) {
    event = &s->places[s->group_count];
    used = &s->used[s->group_count];
  } else {
    event = tb_arena_alloc(&s->group_memory, sizeof(*event));
  }
  if (!event || !add_to_group(s, event)) return TB_NO_MEMORY;
  enum tb_status status = s->window.ns ? tb_event_window_next(&s->window, &s->group_memory, event, used)
                                       : tb_event_sorter_next(&s->sorter, &s->group_memory, event, used, error);
  *used |= SHAPED_WORDS;
  return status;
}

/* Whether an event of the group is the END of a slice that began before it: of one that began in it, as many begin on
 * its track as end. Asked of each event in turn. */
static bool ends_older(struct tb_shaper *s, const struct tb_event *event) {
  bool begins = event->type == TB_EVENT_SLICE_BEGIN, ends = event->type == TB_EVENT_SLICE_END;
  struct tb_shape_track *track = begins || ends ? tb_shape_track_of(&s->tracks, event->track) : NULL;
  if (!track) return false;
  if (track->group != s->time_number) track->begun = 0;
  track->group = s->time_number;
  if (begins) track->begun++;
  if (begins || !track->begun) return ends;
  track->begun--;
  return false;
}

/* Of the events of one time, which are the last of the group: ENDs of slices that began before come before complete
 * slices. Where there are none of these, all is in the source's order. */
static bool raise_ends(struct tb_shaper *s, size_t from) {
  struct tb_event **events = s->group + from;
  size_t count = s->group_count - from, raised = 0, other_count = 0;
  if (count < 2 || events[0]->type != TB_EVENT_SLICE_COMPLETE) return true;
  struct tb_event **others = tb_alloc(s->allocator, count * sizeof(struct tb_event *));
  if (!others) return false;
  s->time_number++;
  for (size_t i = 0; i < count; i++)
    if (ends_older(s, events[i]))
      events[raised++] = events[i];
    else
      others[other_count++] = events[i];
  memcpy(events + raised, others, other_count * sizeof(struct tb_event *));
  tb_free(s->allocator, others, count * sizeof(struct tb_event *));
  return true;
}

/* Adds the events of the next time, `ts`, and sets `ts` to the one after it. Those without one are each alone. */
static enum tb_status take_time(struct tb_shaper *s, int64_t *ts, struct tb_error *error) {
  size_t from = s->group_count;
  int64_t own = *ts;
  bool is_whole = s->source.complete_first && own != INT64_MIN;
  enum tb_status status;
  do {
    status = take_next(s, error);
    if (status != TB_OK) return status;
    status = peek(s, ts, error);
  } while (status == TB_OK && is_whole && *ts == own);
  return is_whole && !raise_ends(s, from) ? TB_NO_MEMORY : status;
}

/* The next events: some; with a window, which may have no more yet, those of one time. */
static enum tb_status next_group(struct tb_shaper *s, struct tb_error *error) {
  int64_t ts;
  s->group_count = s->group_next = 0;
  tb_shaper_keep_names(s);
  tb_arena_reset(&s->group_memory);
  enum tb_status status = peek(s, &ts, error);
  if (status != TB_OK) return status;
  do status = take_time(s, &ts, error);
  while (status == TB_OK && !s->window.ns && s->group_count < TB_SHAPER_PLACES);
  return status == TB_END || status == TB_AGAIN ? TB_OK : status;
}

enum tb_status tb_shaper_step(struct tb_shaper *s, struct tb_error *error) {
  if (s->group_next == s->group_count) {
    enum tb_status status = next_group(s, error);
    if (status != TB_OK) return status;
  }
  start_over(s);
  do {
    struct tb_event *event = s->group[s->group_next];
    if (s->pending_order.count && event->has & TB_HAS_TS) tb_shaper_end_until(s, event->ts);
    if (!tb_shaper_change(s, event)) break;
    tb_shaper_emit(s, event);
  } while (++s->group_next < s->group_count);
  if (!s->out_count && s->group_next < s->group_count) put_one(s, s->group[s->group_next++]);
  return s->out_of_memory ? TB_NO_MEMORY : TB_OK;
}
