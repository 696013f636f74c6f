/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices that are open on their track, what comes when they end, and which of them flows join.
 *
 * A slice whose end is known stays on its track's stack until something begins there that is not older than its end: a
 * flow event behind it still binds to it, as for the trace processor.
 */
#include "shape/shaper.h"

enum { MOST_OPEN = 1 << 24, MOST_PENDING = 1 << 28 };

static struct tb_shape_frame *frame_at(const struct tb_shape_track *track, size_t index) {
  return (struct tb_shape_frame *)track->open.frames + index;
}

static void keep(struct tb_shaper *s, struct tb_str *text) {
  if (!text->len) return;
  uint32_t id = tb_intern_id(&s->texts, *text);
  if (!id) s->out_of_memory = true;
  *text = id ? tb_intern_text(&s->texts, id) : (struct tb_str){"", 0};
}

static void keep_names(struct tb_shaper *s, struct tb_shape_frame *frame) {
  keep(s, &frame->name);
  keep(s, &frame->categories);
}

void tb_shaper_keep_names(struct tb_shaper *s) {
  for (struct tb_shape_track *track = s->unkept; track; track = track->next_unkept) {
    for (size_t i = track->unkept_from; i < track->open.count; i++) keep_names(s, frame_at(track, i));
    track->has_unkept = false;
  }
  s->unkept = NULL;
}

/* The slice on top has its names in its BEGIN's memory. Most slices end before that is used again. */
static void note_unkept(struct tb_shaper *s, struct tb_shape_track *track) {
  uint32_t place = track->open.count - 1;
  if (!track->has_unkept) {
    track->has_unkept = true;
    track->unkept_from = place;
    track->next_unkept = s->unkept;
    s->unkept = track;
  }
  if (place < track->unkept_from) track->unkept_from = place;
}

/* Of an empty text whether the BEGIN has it. */
static struct tb_str text_of(struct tb_str text, bool has) {
  return text.len ? text : (struct tb_str){has ? "" : NULL, 0};
}

/* What an END says of its slice. */
static void name_end(const struct tb_shape_frame *frame, struct tb_event *event) {
  event->name = frame->name;
  event->categories = frame->categories;
  event->slice_id = frame->slice_id;
  event->has = (event->has & ~(uint32_t)(TB_HAS_NAME | TB_HAS_CATEGORIES)) | frame->has;
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static void emit_edge(struct tb_shaper *s, const struct tb_event *event, uint64_t from, uint64_t to) {
  if (!from) return;
  struct tb_event *edge = tb_shaper_copy(s, &(const struct tb_event){.type = TB_EVENT_FLOW_EDGE, .has = TB_HAS_TS});
  if (!edge) return;
  edge->ts = event->ts;
  edge->track = event->track;
  edge->slice_id = to;
  edge->flow_from = from;
  edge->sequence = event->sequence;
  edge->offset = event->offset;
  tb_shaper_emit(s, edge);
}

static void step(struct tb_shaper *s, struct tb_flow flow, const struct tb_event *event, uint64_t slice) {
  uint64_t from;
  if (tb_flow_edges_step(&s->flows, flow, slice, &from) != TB_OK) s->out_of_memory = true;
  emit_edge(s, event, from, slice);
}

/* Flow ids on a slice, as Perfetto has them. */
static void join_ids(struct tb_shaper *s, const struct tb_event *event) {
  if (event->has & TB_HAS_FLOWS_DUPLICATED) return;
  for (uint32_t i = 0; i < event->flow_count; i++)
    step(s, (struct tb_flow){event->flow_ids[i], TB_FLOW_SPACE_NUMBER}, event, event->slice_id);
  for (uint32_t i = 0; i < event->terminating_flow_count; i++) {
    const struct tb_flow flow = {event->terminating_flow_ids[i], TB_FLOW_SPACE_NUMBER};
    emit_edge(s, event, tb_flow_edges_at(&s->flows, flow), event->slice_id);
    tb_flow_edges_close(&s->flows, flow);
  }
}

/* A slice's bind_id, as JSON has it. */
static void join_bind_id(struct tb_shaper *s, const struct tb_event *event) {
  bool in = event->has & TB_HAS_FLOW_IN, out = event->has & TB_HAS_FLOW_OUT;
  if (event->bind_id.kind == TB_ID_NONE || (!in && !out)) return;
  struct tb_flow flow;
  if (tb_flow_edges_flow(&s->flows, event, &event->bind_id, TB_FLOW_SPACE_ID, true, &flow) != TB_OK) {
    s->out_of_memory = true;
    return;
  }
  uint64_t from = tb_flow_edges_at(&s->flows, flow), ignored;
  if (in && !from) return; /* a step or an end of nothing */
  if (in) emit_edge(s, event, from, event->slice_id);
  if (out && tb_flow_edges_step(&s->flows, flow, event->slice_id, &ignored) != TB_OK) s->out_of_memory = true;
}

/* What ends at the next slice of the track. A complete one of the flow end's time began before it, wherever it is in
 * the source: so it is in JSON, where alone flows end so. */
static void join_arriving(struct tb_shaper *s, struct tb_shape_track *track, const struct tb_event *event,
                          bool is_complete) {
  size_t kept = 0;
  for (size_t i = 0; i < track->arriving_count; i++) {
    struct tb_arriving_flow *arriving = &track->arriving[i];
    if (is_complete && arriving->ts == event->ts)
      track->arriving[kept++] = *arriving;
    else
      emit_edge(s, event, tb_flow_edges_at(&s->flows, arriving->flow), event->slice_id);
  }
  track->arriving_count = kept;
}

static void join(struct tb_shaper *s, struct tb_shape_track *track, const struct tb_event *event, bool is_complete) {
  if (track->arriving_count) join_arriving(s, track, event, is_complete);
  if (event->flow_count || event->terminating_flow_count) join_ids(s, event);
  if (event->bind_id.kind != TB_ID_NONE) join_bind_id(s, event);
}

static void arrive(struct tb_shaper *s, struct tb_shape_track *track, struct tb_flow flow, int64_t ts) {
  void *arriving = track->arriving;
  if (tb_grow_array(s->allocator, &arriving, &track->arriving_capacity, track->arriving_count + 1,
                    sizeof(*track->arriving), MOST_OPEN) != TB_OK) {
    s->out_of_memory = true;
    return;
  }
  track->arriving = arriving;
  track->arriving[track->arriving_count++] = (struct tb_arriving_flow){flow, ts};
}

uint64_t tb_shaper_flow_slice(const struct tb_shape_track *track, const struct tb_event *event) {
  bool joins_next = event->type == TB_EVENT_FLOW_END && !(event->has & TB_HAS_BIND_ENCLOSING);
  return track->open.count && !joins_next ? frame_at(track, track->open.count - 1)->slice_id : 0;
}

void tb_shaper_flow(struct tb_shaper *s, struct tb_shape_track *track, const struct tb_event *event) {
  bool id_only = event->has & TB_HAS_ID_ONLY_MATCH;
  struct tb_flow flow;
  if (tb_flow_edges_flow(&s->flows, event, &event->id, TB_FLOW_SPACE_NAMED, id_only, &flow) != TB_OK) {
    s->out_of_memory = true;
    return;
  }
  bool ends = event->type == TB_EVENT_FLOW_END;
  if (ends && !(event->has & TB_HAS_BIND_ENCLOSING)) {
    arrive(s, track, flow, event->ts);
    return;
  }
  uint64_t slice = event->flow_from, ignored;
  uint64_t from = event->type != TB_EVENT_FLOW_BEGIN ? tb_flow_edges_at(&s->flows, flow) : 0;
  if (!slice || (event->type != TB_EVENT_FLOW_BEGIN && !from)) return;
  if (event->type != TB_EVENT_FLOW_BEGIN) emit_edge(s, event, from, slice);
  if (!ends && tb_flow_edges_step(&s->flows, flow, slice, &ignored) != TB_OK) s->out_of_memory = true;
  if (ends && s->source.flow_ends_close) tb_flow_edges_close(&s->flows, flow);
}

/* ---- what comes when a slice ends -------------------------------------------------------------------------------- */

static void free_begin(struct tb_shaper *s, struct tb_shape_frame *frame) {
  tb_free(s->allocator, (char *)(uintptr_t)frame->begin.ptr, frame->begin.len);
  frame->begin = (struct tb_str){NULL, 0};
}

static void store_begin(struct tb_shaper *s, struct tb_shape_frame *frame, const struct tb_event *event) {
  s->bytes.len = 0;
  bool ok = tb_event_encode(&s->begins, &s->bytes, event) == TB_OK;
  size_t size = s->bytes.len + TB_EVENT_SLACK;
  char *copy = ok ? tb_alloc(s->allocator, size) : NULL;
  if (!copy) {
    s->out_of_memory = true;
    return;
  }
  memcpy(copy, s->bytes.data, size);
  frame->begin = (struct tb_str){copy, size};
  frame->begin_ts = event->ts;
}

/* The event that was stored; it is no longer. NULL without memory. */
static struct tb_event *take_begin(struct tb_shaper *s, struct tb_shape_frame *frame) {
  struct tb_event *event = tb_shaper_copy(s, &(const struct tb_event){.type = TB_EVENT_OTHER});
  bool ok = event && tb_event_decode(&s->begins, frame->begin.ptr, frame->begin_ts, &s->scratch, event) == TB_OK;
  free_begin(s, frame);
  if (!ok) s->out_of_memory = true;
  return ok ? event : NULL;
}

static bool comes_before(const void *ctx, uint32_t a, uint32_t b) {
  const struct tb_pending_end *ends = ((const struct tb_shaper *)ctx)->pending;
  return ends[a].ts != ends[b].ts ? ends[a].ts < ends[b].ts : ends[a].frame.slice_id > ends[b].frame.slice_id;
}

static const struct tb_heap_order order = {.before = comes_before};

static bool find_place(struct tb_shaper *s, uint32_t *place) {
  if (s->pending_free_count) {
    *place = s->pending_free[--s->pending_free_count];
    return true;
  }
  void *pending = s->pending, *free_places = s->pending_free;
  size_t needed = s->pending_count + 1;
  enum tb_status status =
      tb_grow_array(s->allocator, &pending, &s->pending_capacity, needed, sizeof(*s->pending), MOST_PENDING);
  s->pending = pending;
  if (status == TB_OK)
    status = tb_grow_array(s->allocator, &free_places, &s->pending_free_capacity, needed, sizeof(*s->pending_free),
                           MOST_PENDING);
  s->pending_free = free_places;
  if (status != TB_OK) return false;
  *place = (uint32_t)s->pending_count++;
  s->pending[*place] = (struct tb_pending_end){.ts = 0};
  return true;
}

static void wait_for_end(struct tb_shaper *s, struct tb_shape_track *track, const struct tb_event *event,
                         const struct tb_shape_frame *frame) {
  uint32_t place;
  if (!find_place(s, &place) || tb_heap_reserve(&s->pending_order, s->allocator, s->pending_order.count + 1) != TB_OK) {
    s->out_of_memory = true;
    return;
  }
  struct tb_pending_end *end = &s->pending[place];
  *end = (struct tb_pending_end){.ts = frame->end, .frame = *frame, .track = track};
  end->has_thread_ts = event->has & TB_HAS_THREAD_TS && event->has & TB_HAS_THREAD_DUR;
  end->thread_ts = end->has_thread_ts ? event->thread_ts + event->thread_dur : 0;
  keep_names(s, &end->frame);
  if (s->slices == TB_SLICES_COMPLETE) store_begin(s, &end->frame, event);
  tb_heap_push(&s->pending_order, place, &order, s);
}

static void emit_end(struct tb_shaper *s, const struct tb_pending_end *end) {
  struct tb_event *event = tb_shaper_copy(s, &(const struct tb_event){.type = TB_EVENT_SLICE_END, .phase = 'E'});
  if (!event) return;
  event->has = TB_HAS_TS | (end->has_thread_ts ? TB_HAS_THREAD_TS : 0u);
  event->ts = end->ts;
  event->thread_ts = end->thread_ts;
  event->track = &end->track->track;
  name_end(&end->frame, event);
  tb_shaper_emit(s, event);
}

void tb_shaper_end_until(struct tb_shaper *s, int64_t ts) {
  while (s->pending_order.count && s->pending[s->pending_order.items[0]].ts <= ts) {
    uint32_t place = s->pending_order.items[0];
    tb_heap_remove(&s->pending_order, 0, &order, s);
    struct tb_pending_end *end = &s->pending[place];
    struct tb_event *whole = s->slices == TB_SLICES_COMPLETE ? take_begin(s, &end->frame) : NULL;
    if (whole)
      tb_shaper_emit(s, whole);
    else if (s->slices != TB_SLICES_COMPLETE)
      emit_end(s, end);
    s->pending_free[s->pending_free_count++] = place;
  }
}

/* ---- begins and ends --------------------------------------------------------------------------------------------- */

/* Takes off what ended by `ts`. */
static void close_finished(struct tb_shape_track *track, int64_t ts) {
  struct tb_open_stack *open = &track->open;
  while (open->count) {
    const struct tb_shape_frame *top = frame_at(track, open->count - 1);
    if (top->end > ts && !top->open.ended) return;
    tb_open_stack_uncount(open, &top->open);
    open->count--;
  }
}

/* NULL without memory. */
static struct tb_shape_frame *push(struct tb_shaper *s, struct tb_shape_track *track, const struct tb_event *event,
                                   int64_t end) {
  const struct tb_open_frame open = {.ts = event->ts, .name = tb_open_name_of(event->name, track->open.count)};
  struct tb_shape_frame *top =
      (struct tb_shape_frame *)tb_open_stack_push(&track->open, s->allocator, &open, MOST_OPEN);
  if (!top) {
    s->out_of_memory = true;
    return NULL;
  }
  top->slice_id = event->slice_id;
  top->end = end;
  top->name = top->categories = (struct tb_str){NULL, 0};
  top->has = 0;
  top->begin = (struct tb_str){NULL, 0};
  return top;
}

/* An END that comes where its slice begins. */
static void end_at_once(struct tb_shaper *s, struct tb_shape_track *track, const struct tb_event *event,
                        const struct tb_shape_frame *frame) {
  struct tb_pending_end end = {.ts = frame->end, .frame = *frame, .track = track};
  end.has_thread_ts = event->has & TB_HAS_THREAD_TS && event->has & TB_HAS_THREAD_DUR;
  end.thread_ts = end.has_thread_ts ? event->thread_ts + event->thread_dur : 0;
  emit_end(s, &end);
}

/* Emits a complete slice in the form that is asked for. */
static void emit_complete(struct tb_shaper *s, struct tb_shape_track *track, struct tb_event *event,
                          const struct tb_shape_frame *frame) {
  bool later = s->sorted && event->dur > 0;
  if (s->slices == TB_SLICES_COMPLETE && later) {
    wait_for_end(s, track, event, frame);
  } else if (s->slices == TB_SLICES_BEGIN_END) {
    if (later) wait_for_end(s, track, event, frame);
    const struct tb_event before = *event; /* whose thread times the end asks for */
    event->type = TB_EVENT_SLICE_BEGIN;
    event->phase = 'B';
    event->has &= ~(uint32_t)(TB_HAS_DUR | TB_HAS_THREAD_DUR);
    event->dur = event->thread_dur = 0;
    tb_shaper_emit(s, event);
    if (!later) end_at_once(s, track, &before, frame);
  } else {
    tb_shaper_emit(s, event);
  }
}

/* Opens a slice, or an instant. NULL without memory. */
static struct tb_shape_frame *open_slice(struct tb_shaper *s, struct tb_shape_track *track, struct tb_event *event) {
  close_finished(track, event->ts);
  event->slice_id = ++s->last_slice;
  bool begins = event->type == TB_EVENT_SLICE_BEGIN, instant = event->type == TB_EVENT_INSTANT;
  int64_t end = INT64_MAX;
  if (!begins) end = instant ? event->ts : tb_slice_end(event->ts, event->dur > 0 ? event->dur : 0);
  struct tb_shape_frame *top = push(s, track, event, end);
  if (!top) return NULL;
  /* asked for by an END alone, of the source or one that is made */
  if (begins || (!instant && s->slices == TB_SLICES_BEGIN_END)) {
    top->has = event->has & (TB_HAS_NAME | TB_HAS_CATEGORIES);
    top->name = text_of(event->name, event->has & TB_HAS_NAME);
    top->categories = text_of(event->categories, event->has & TB_HAS_CATEGORIES);
    note_unkept(s, track);
  }
  return top;
}

void tb_shaper_begin(struct tb_shaper *s, struct tb_shape_track *track, struct tb_event *event) {
  bool is_complete = event->type == TB_EVENT_SLICE_COMPLETE && event->dur > 0;
  struct tb_shape_frame *top = open_slice(s, track, event);
  if (!top) return;
  if (event->type == TB_EVENT_SLICE_COMPLETE)
    emit_complete(s, track, event, top);
  else if (event->type == TB_EVENT_SLICE_BEGIN && s->slices == TB_SLICES_COMPLETE)
    store_begin(s, top, event);
  else
    tb_shaper_emit(s, event);
  join(s, track, event, is_complete);
}

/* The frame that an END is for: one whose end is not known, of its name and categories where it has them. */
static bool is_of(const void *ctx, const struct tb_open_frame *open) {
  const struct tb_event *end = ctx;
  const struct tb_shape_frame *frame = (const struct tb_shape_frame *)open;
  struct tb_str name = end->name, categories = end->categories;
  if (frame->end != INT64_MAX) return false;
  if (name.len && !tb_str_equal(frame->name, name)) return false;
  return !categories.len || !frame->categories.len || tb_str_equal(frame->categories, categories);
}

/* The slice as one event: what its BEGIN said, and what its END does. */
static void emit_whole(struct tb_shaper *s, struct tb_shape_frame *frame, const struct tb_event *end) {
  struct tb_event *whole = take_begin(s, frame);
  if (!whole) return;
  whole->type = TB_EVENT_SLICE_COMPLETE;
  whole->phase = 'X';
  whole->has |= TB_HAS_DUR;
  whole->dur = end->ts > whole->ts ? end->ts - whole->ts : 0;
  if (whole->has & end->has & TB_HAS_THREAD_TS) {
    whole->has |= TB_HAS_THREAD_DUR;
    whole->thread_dur = end->thread_ts - whole->thread_ts;
  }
  if (end->arg_count) {
    struct tb_arg *args = tb_arena_alloc(&s->scratch, (whole->arg_count + end->arg_count) * sizeof(*args));
    if (!args) {
      s->out_of_memory = true;
      return;
    }
    if (whole->arg_count) memcpy(args, whole->args, whole->arg_count * sizeof(*args));
    memcpy(args + whole->arg_count, end->args, end->arg_count * sizeof(*args));
    whole->args = args;
    whole->arg_count += end->arg_count;
    whole->has |= TB_HAS_ARGS;
  }
  tb_shaper_emit(s, whole);
}

void tb_shaper_end_slice(struct tb_shaper *s, struct tb_shape_track *track, struct tb_event *event) {
  close_finished(track, event->ts);
  uint64_t name = event->name.len ? tb_open_name_of(event->name, track->open.count) : 0;
  size_t found = tb_open_stack_find(&track->open, name, 0, is_of, event);
  if (!found) {
    tb_losses_add(s->losses, "end of a slice without its begin", event->offset);
    return;
  }
  struct tb_shape_frame *frame = frame_at(track, found - 1);
  name_end(frame, event);
  if (s->slices == TB_SLICES_COMPLETE)
    emit_whole(s, frame, event);
  else
    tb_shaper_emit(s, event);
  if (event->flow_count || event->terminating_flow_count) join_ids(s, event);
  if (tb_open_stack_end(&track->open, found - 1)) tb_open_stack_pop(&track->open);
}

/* ---- in their place ---------------------------------------------------------------------------------------------- */

/* Ends the slice on top, where the END is for that. */
static bool end_top(struct tb_shape_track *track, struct tb_event *event) {
  close_finished(track, event->ts);
  struct tb_shape_frame *top = track->open.count ? frame_at(track, track->open.count - 1) : NULL;
  if (!top || !is_of(event, &top->open)) return false;
  name_end(top, event);
  top->open.ended = true;
  tb_open_stack_pop(&track->open);
  return true;
}

bool tb_shaper_change(struct tb_shaper *s, struct tb_event *event) {
  struct tb_shape_track *track = tb_shape_track_met(&s->tracks, event->track);
  bool joins = event->flow_count || event->terminating_flow_count || event->bind_id.kind != TB_ID_NONE;
  if (event->type > TB_EVENT_INSTANT || !track || !track->is_announced || track->arriving_count || joins ||
      event->thread || s->slices != TB_SLICES_EITHER)
    return false;
  if (event->type == TB_EVENT_SLICE_END ? !end_top(track, event) : !open_slice(s, track, event)) return false;
  event->track = &track->track;
  return true;
}

size_t tb_shaper_put_in_place(struct tb_shaper *s, struct tb_event *events, size_t count) {
  size_t done = 0;
  s->out_count = s->out_next = 0;
  while (done < count && tb_shaper_change(s, &events[done])) tb_shaper_emit(s, &events[done++]);
  return done;
}

void tb_shaper_begin_endless(struct tb_shaper *s) {
  for (size_t i = 0; i < s->tracks.count; i++)
    for (size_t k = 0; k < s->tracks.items[i]->open.count; k++) {
      struct tb_shape_frame *frame = frame_at(s->tracks.items[i], k);
      const struct tb_event *begin = frame->begin.len ? take_begin(s, frame) : NULL;
      if (begin) tb_shaper_emit(s, begin);
    }
}
