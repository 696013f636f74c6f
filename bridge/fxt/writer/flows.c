/* SPDX-License-Identifier: Apache-2.0
 *
 * Flows that slices carry, as Perfetto has them: an id on each slice of the flow. FXT says of each point whether the
 * flow begins, passes or ends there, in the order of time, and sources do not give their slices in that order. So the
 * points wait for the end of the trace. A flow record binds to the innermost slice that is open at its time when it
 * is read, those of one time in the order of the file: a point cannot wait where another slice begins, or its own
 * ends, at its very time.
 *
 * Records of FXT that came through Perfetto are written when they come, but those that do not begin their flow wait
 * likewise where its begin has not come: it may be of the same time on a thread that comes later.
 */
#include <stdlib.h>

#include "fxt/writer/writer.h"

void tb_fxt_put_flow_point(struct tb_fxt_writer *w, unsigned type, const struct tb_fxt_flow_point *point) {
  struct tb_fxt_event_record record = {.type = type,
                                       .ts = point->ts,
                                       .process = point->process,
                                       .thread = point->thread,
                                       .name = TB_STR("flow"),
                                       .has_last = true,
                                       .last = point->id};
  if (point->held) {
    record.type = point->held->type;
    record.category = point->held->category;
    record.name = point->held->name;
    record.args = point->held->args;
    record.arg_count = point->held->arg_count;
  }
  w->writer->summary.flows += record.type == TB_FXT_FLOW_BEGIN;
  tb_fxt_put_event(w, &record);
}

/* ---- points that wait -------------------------------------------------------------------------------------------- */

static void append_point(struct tb_fxt_writer *w, const struct tb_event *event, const struct tb_fxt_flow_point *point) {
  void *points = w->points;
  enum tb_status status = tb_grow_array(w->writer->allocator, &points, &w->point_capacity, w->point_count + 1,
                                        sizeof(*w->points), UINT32_MAX);
  w->points = points;
  tb_fxt_fail(w, status);
  if (w->status != TB_OK) return;
  struct tb_fxt_flow_point *added = &w->points[w->point_count];
  *added = *point;
  added->process = tb_fxt_process_koid(event->track);
  added->thread = tb_fxt_thread_koid(event->track);
  added->place = w->point_count++;
}

/* Whether the flow has begun by then, as far as is known: other threads' points may come later, and be earlier. */
static bool has_begun(const struct tb_fxt_writer *w, uint64_t id, int64_t ts) {
  const uint64_t *first = tb_map_find(&w->flows, id, 0);
  return first && (int64_t)*first <= ts;
}

static void add_point(struct tb_fxt_writer *w, const struct tb_event *event, int64_t ts, uint64_t id, bool terminates) {
  bool began = has_begun(w, id, ts);
  append_point(w, event, &(struct tb_fxt_flow_point){.id = id, .ts = ts, .terminates = terminates, .began = began});
  if (terminates)
    tb_map_remove(&w->flows, id, 0);
  else if (!began)
    tb_fxt_fail(w, tb_map_put(&w->flows, id, 0, (uint64_t)ts));
}

struct tb_fxt_held_flow *tb_fxt_copy_flow(struct tb_fxt_writer *w, const struct tb_event *event, unsigned type) {
  const struct tb_allocator *a = w->writer->allocator;
  struct tb_fxt_held_flow *held = tb_alloc(a, sizeof(*held));
  if (!held) {
    tb_fxt_fail(w, TB_NO_MEMORY);
    return NULL;
  }
  *held = (struct tb_fxt_held_flow){.type = type, .arg_count = w->args.count};
  char *block = tb_fxt_copy_parts(w, event, 0, &held->block_size);
  if (!block) {
    tb_free(a, held, sizeof(*held));
    return NULL;
  }
  const char *texts = block + held->block_size - event->name.len - event->categories.len;
  held->args = (void *)block;
  held->name = (struct tb_str){texts, event->name.len};
  held->category = (struct tb_str){texts + event->name.len, event->categories.len};
  return held;
}

void tb_fxt_free_held_flow(struct tb_fxt_writer *w, struct tb_fxt_held_flow *held) {
  const struct tb_allocator *a = w->writer->allocator;
  if (!held) return;
  tb_free(a, held->args, held->block_size);
  tb_free(a, held, sizeof(*held));
}

/* ---- flows that lead to several places --------------------------------------------------------------------------- */

static void lose_ends(struct tb_fxt_writer *w, uint64_t count) {
  if (count)
    tb_losses_add_many(&w->writer->losses, "a further end of a flow (FXT has no place for it)", count, TB_NO_OFFSET);
}

/* What the map of ends holds of a flow id: under 0, where the flow has begun, whether it has ended; under the others,
 * while it has not, how many ends the file has in front of its begin, and the time of the last of them. */
enum { HAS_ENDED, ENDS_BEFORE, LAST_BEFORE };

static void note_end_before(struct tb_fxt_writer *w, uint64_t id, int64_t ts) {
  const uint64_t *last = tb_map_find(&w->ends, id, LAST_BEFORE);
  if (!last || (int64_t)*last < ts) tb_fxt_fail(w, tb_map_put(&w->ends, id, LAST_BEFORE, (uint64_t)ts));
  tb_fxt_fail(w, tb_map_count_up(&w->ends, id, ENDS_BEFORE));
}

/* Ends that the file has before are of the flow where they are not earlier. */
static void note_begin(struct tb_fxt_writer *w, uint64_t id, int64_t ts) {
  const uint64_t *last = tb_map_find(&w->ends, id, LAST_BEFORE), *count = tb_map_find(&w->ends, id, ENDS_BEFORE);
  bool has_ended = last && count && (int64_t)*last >= ts;
  if (has_ended) lose_ends(w, *count - 1);
  tb_map_remove(&w->ends, id, LAST_BEFORE);
  tb_map_remove(&w->ends, id, ENDS_BEFORE);
  tb_fxt_fail(w, tb_map_put(&w->ends, id, HAS_ENDED, has_ended));
}

/* An end closes its flow in FXT, so that a flow leads to one place. */
void tb_fxt_note_flow_end(struct tb_fxt_writer *w, unsigned type, uint64_t id, int64_t ts) {
  if (w->writer->source.flow_ends_close) return;
  uint64_t *ended = tb_map_find(&w->ends, id, HAS_ENDED);
  if (!ended && type == TB_FXT_FLOW_BEGIN) {
    note_begin(w, id, ts);
  } else if (!ended) {
    note_end_before(w, id, ts);
  } else {
    if (*ended && type != TB_FXT_FLOW_BEGIN) lose_ends(w, 1);
    *ended = type != TB_FXT_FLOW_BEGIN && (*ended || type == TB_FXT_FLOW_END);
  }
}

/* Flows of JSON say their direction. */
static void put_bound(struct tb_fxt_writer *w, const struct tb_event *event, int64_t ts) {
  bool in = event->has & TB_HAS_FLOW_IN, out = event->has & TB_HAS_FLOW_OUT;
  if (event->bind_id.kind == TB_ID_NONE || (!in && !out) || event->has & TB_HAS_FLOWS_DUPLICATED) return;
  struct tb_fxt_flow_point point = {
      .id = event->bind_id.is_number ? event->bind_id.value : tb_fxt_text_hash(event->bind_id.text),
      .ts = ts,
      .process = tb_fxt_process_koid(event->track),
      .thread = tb_fxt_thread_koid(event->track)};
  unsigned type = in && out ? TB_FXT_FLOW_STEP : in ? TB_FXT_FLOW_END : TB_FXT_FLOW_BEGIN;
  tb_fxt_put_flow_point(w, type, &point);
  tb_fxt_note_flow_end(w, type, point.id, ts);
}

/* Notes that `count` more points of the track_state wait, all of one time. */
static void expect_points(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state, int64_t ts, uint32_t count) {
  struct tb_fxt_track_more *more = tb_fxt_own_more(w, track_state);
  if (!more) return;
  bool join = track_state->has_points && more->first_point + more->point_count == w->point_count &&
              w->points[more->first_point].ts == ts;
  if (!join && track_state->has_points) tb_fxt_settle_flows(w, track_state, ts);
  if (!join) more->first_point = (uint32_t)w->point_count;
  more->point_count = join ? more->point_count + count : count;
  track_state->has_points = true;
}

void tb_fxt_put_flow_ids(struct tb_fxt_writer *w, const struct tb_event *event, int64_t ts) {
  uint32_t count = event->flow_count + event->terminating_flow_count;
  if (tb_flow_source(event) == TB_FLOWS_DUPLICATED_BY_ID) return; /* flow events come for them */
  if (event->track->type != TB_TRACK_THREAD) {
    if (count) tb_fxt_lose_event(w, "a flow of a slice that is on no thread's track", event);
    return;
  }
  struct tb_fxt_track_state *track_state = tb_fxt_track_state_of(w, event->track);
  if (!track_state) return;
  if (count) expect_points(w, track_state, ts, count);
  for (uint32_t i = 0; i < event->flow_count; i++) add_point(w, event, ts, event->flow_ids[i], false);
  for (uint32_t i = 0; i < event->terminating_flow_count; i++)
    add_point(w, event, ts, event->terminating_flow_ids[i], true);
  put_bound(w, event, ts);
}

/* The record waits. */
static void hold(struct tb_fxt_writer *w, const struct tb_event *event, unsigned type, uint64_t id) {
  struct tb_fxt_track_state *track_state = tb_fxt_track_state_of(w, event->track);
  struct tb_fxt_held_flow *held = track_state ? tb_fxt_copy_flow(w, event, type) : NULL;
  if (!held) return;
  expect_points(w, track_state, event->ts, 1);
  append_point(w, event, &(struct tb_fxt_flow_point){.id = id, .ts = event->ts, .held = held});
  if (w->status != TB_OK) tb_fxt_free_held_flow(w, held);
}

bool tb_fxt_hold_flow(struct tb_fxt_writer *w, const struct tb_event *event, unsigned type, uint64_t id) {
  bool began = has_begun(w, id, event->ts);
  if (type == TB_FXT_FLOW_BEGIN && !began) tb_fxt_fail(w, tb_map_put(&w->flows, id, 0, (uint64_t)event->ts));
  if (type == TB_FXT_FLOW_END && began) tb_map_remove(&w->flows, id, 0);
  if (type == TB_FXT_FLOW_BEGIN || began || event->track->type != TB_TRACK_THREAD) return false;
  hold(w, event, type, id);
  return true;
}

void tb_fxt_free_flows(struct tb_fxt_writer *w) {
  for (size_t i = 0; i < w->point_count; i++) tb_fxt_free_held_flow(w, w->points[i].held);
  tb_free(w->writer->allocator, w->points, w->point_capacity * sizeof(*w->points));
  tb_map_free(&w->flows);
  tb_map_free(&w->ends);
}

/* ---- points that cannot wait ------------------------------------------------------------------------------------- */

/* A flow may end that began before the trace did. */
static unsigned type_of(const struct tb_fxt_flow_point *point, bool began) {
  return point->terminates ? TB_FXT_FLOW_END : began ? TB_FXT_FLOW_STEP : TB_FXT_FLOW_BEGIN;
}

/* Writes the point as what it was when it came, since its flow is not linked yet. */
static void write_unlinked(struct tb_fxt_writer *w, struct tb_fxt_flow_point *point) {
  tb_fxt_put_flow_point(w, type_of(point, point->began), point);
  point->written = true;
}

void tb_fxt_settle_flows(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state, int64_t ts) {
  const struct tb_fxt_track_more *more = tb_fxt_more(w, track_state);
  for (size_t i = 0; i < more->point_count; i++) {
    struct tb_fxt_flow_point *point = &w->points[more->first_point + i];
    if (point->ts == ts && !point->written) write_unlinked(w, point);
  }
  track_state->has_points = false;
}

/* ---- the end of the trace ---------------------------------------------------------------------------------------- */

static int by_flow_and_time(const void *a, const void *b) {
  const struct tb_fxt_flow_point *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  if (x->ts != y->ts) return x->ts < y->ts ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

/* Writes the points of one flow id, which may be that of several flows one after the other. */
static void put_flow(struct tb_fxt_writer *w, struct tb_fxt_flow_point *points, size_t count) {
  bool open = false;
  for (size_t i = 0; i < count; i++) {
    struct tb_fxt_flow_point *point = &points[i];
    if (!point->written) tb_fxt_put_flow_point(w, type_of(point, open), point);
    open = !point->terminates;
  }
}

void tb_fxt_finish_flows(struct tb_fxt_writer *w) {
  if (w->point_count) qsort(w->points, w->point_count, sizeof(*w->points), by_flow_and_time);
  for (size_t i = 0, end; i < w->point_count && w->status == TB_OK; i = end) {
    for (end = i + 1; end < w->point_count && w->points[end].id == w->points[i].id;) end++;
    put_flow(w, &w->points[i], end - i);
  }
}
