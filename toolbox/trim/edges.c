/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/edges.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/times.h"
#include "protos/field_numbers.h"
#include "toolbox/trim/ftrace_edges.h"
#include "toolbox/trim/packet_times.h"

enum { TRACKS_MAX = 1 << 24, DEPTH_MAX = 1 << 24, EVENTS_MAX = 1 << 28 };

/* What keys of tracks of other things than track events are mixed with. */
enum { MIX_PACKETS = 0x706b, MIX_EXTRAS = 0x6578, MIX_FRAMES = 0x6672 };

/* NULL where memory is out. */
static struct tb_edge_track *get_track(struct tb_edges *edges, uint64_t key, uint64_t kind) {
  uint32_t number;
  if (tb_map_get(&edges->track_index, key, kind, &number)) return &edges->tracks[number];
  void *tracks = edges->tracks;
  enum tb_status status = tb_grow_array(edges->allocator, &tracks, &edges->track_capacity, edges->track_count + 1,
                                        sizeof(*edges->tracks), TRACKS_MAX);
  edges->tracks = tracks;
  if (status != TB_OK || tb_map_put(&edges->track_index, key, kind, edges->track_count) != TB_OK) return NULL;
  edges->tracks[edges->track_count] = (struct tb_edge_track){.count = 0};
  return &edges->tracks[edges->track_count++];
}

static enum tb_status move(struct tb_edges *edges, uint64_t number, enum tb_edge edge) {
  return tb_map_put(&edges->moved, number, 0, edge);
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static enum tb_status begin_slice(struct tb_edges *edges, struct tb_edge_track *track,
                                  const struct tb_edge_event *event) {
  void *open = track->open;
  enum tb_status status =
      track->count < track->capacity
          ? TB_OK
          : tb_grow_array(edges->allocator, &open, &track->capacity, track->count + 1, sizeof(*track->open), DEPTH_MAX);
  track->open = open;
  if (status == TB_OK)
    track->open[track->count++] = (struct tb_edge_slice){event->number, event->time, event->name, event->categories};
  return status;
}

/* The innermost open slice that an end may mean; false where there is none. */
static bool find_open(const struct tb_edge_track *track, const struct tb_edge_event *end, size_t *at) {
  for (*at = track->count; (*at)-- > 0;) {
    const struct tb_edge_slice *open = &track->open[*at];
    if (end->name && open->name && end->name != open->name) continue;
    if (end->categories && open->categories && end->categories != open->categories) continue;
    return true;
  }
  return false;
}

static enum tb_status cut_at_start(struct tb_edges *edges, const struct tb_edge_slice *slice) {
  if (slice->begin >= edges->window.start) return TB_OK;
  edges->slices_at_start++;
  return move(edges, slice->number, TB_EDGE_START);
}

static enum tb_status end_slice(struct tb_edges *edges, struct tb_edge_track *track,
                                const struct tb_edge_event *event) {
  size_t at;
  int64_t time = event->time;
  if (!find_open(track, event, &at)) return TB_OK;
  const struct tb_edge_slice slice = track->open[at];
  memmove(&track->open[at], &track->open[at + 1], (track->count - at - 1) * sizeof(slice));
  track->count--;
  const struct tb_window *window = &edges->window;
  if (time <= window->start && slice.begin < window->start)
    return time == window->start ? move(edges, event->number, TB_EDGE_GONE) : TB_OK;
  if (slice.begin >= window->end) return TB_OK;
  enum tb_status status = cut_at_start(edges, &slice);
  if (status != TB_OK || time < window->end) return status;
  edges->slices_at_end++;
  return move(edges, event->number, TB_EDGE_END);
}

static enum tb_status put_event(struct tb_edges *edges, struct tb_edge_track *track,
                                const struct tb_edge_event *event) {
  return event->ends ? end_slice(edges, track, event) : begin_slice(edges, track, event);
}

/* ---- tracks whose events are not in order ------------------------------------------------------------------------ */

static enum tb_status gather_event(struct tb_edges *edges, struct tb_edge_track *track,
                                   const struct tb_edge_event *event) {
  void *events = track->events;
  enum tb_status status = tb_grow_array(edges->allocator, &events, &track->event_capacity, track->event_count + 1,
                                        sizeof(*track->events), EVENTS_MAX);
  track->events = events;
  if (status == TB_OK) track->events[track->event_count++] = *event;
  return status;
}

static int compare_events(const void *a, const void *b) {
  const struct tb_edge_event *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

static enum tb_status put_gathered(struct tb_edges *edges, struct tb_edge_track *track) {
  enum tb_status status = TB_OK;
  if (track->event_count) qsort(track->events, track->event_count, sizeof(*track->events), compare_events);
  for (size_t i = 0; i < track->event_count && status == TB_OK; i++)
    status = put_event(edges, track, &track->events[i]);
  return status;
}

/* In the order of the file as long as that is the order of time. */
static enum tb_status take_edge(struct tb_edges *edges, struct tb_edge_track *track,
                                const struct tb_edge_event *event) {
  if (edges->disordered && track->disordered) return gather_event(edges, track, event);
  if (track->reached_any && event->time < track->reached) track->disordered = true;
  track->reached = event->time;
  track->reached_any = true;
  return put_event(edges, track, event);
}

/* Forgets the first reading but for which tracks are not in order. */
static void start_again(struct tb_edges *edges) {
  edges->disordered = true;
  edges->slices_at_start = edges->slices_at_end = edges->values_at_start = 0;
  tb_map_clear(&edges->moved);
  tb_map_clear(&edges->stated);
  for (size_t i = 0; i < edges->track_count; i++) {
    struct tb_edge_track *track = &edges->tracks[i];
    track->count = 0;
    track->reached_any = track->has_value = track->has_value_at_start = false;
  }
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static void take_value(const struct tb_edges *edges, struct tb_edge_track *track, int64_t time, uint64_t number) {
  track->has_value_at_start |= time == edges->window.start;
  if (time >= edges->window.start || (track->has_value && time < track->value_time)) return;
  track->has_value = true;
  track->value_time = time;
  track->value_number = number;
}

static enum tb_status take_extras(struct tb_edges *edges, const struct tb_walk *walk, struct tb_track_events *events) {
  struct tb_event_extras extras;
  if (!walk->time.resolved || walk->host_time > edges->window.start) return TB_OK;
  tb_track_events_read_extras(events, walk, &extras);
  for (size_t i = 0; i < extras.count; i++) {
    struct tb_edge_track *track = get_track(edges, extras.uuids[i], MIX_EXTRAS);
    if (!track) return TB_NO_MEMORY;
    track->extra = extras.uuids[i];
    take_value(edges, track, walk->host_time, walk->number);
  }
  return TB_OK;
}

static enum tb_status take_event(struct tb_edges *edges, const struct tb_walk *walk, struct tb_track_events *events) {
  struct tb_event_view view;
  enum tb_status status = tb_track_events_read(events, walk, &view);
  if (status != TB_OK) return status;
  edges->has_complete |= view.role == TB_ROLE_COMPLETE;
  if (view.has_extras) status = take_extras(edges, walk, events);
  if (status != TB_OK) return status;
  if (!walk->time.resolved || view.role == TB_ROLE_OTHER || view.role == TB_ROLE_ABOUT) return TB_OK;
  int64_t time = walk->host_time;
  if (view.role == TB_ROLE_COMPLETE) {
    if (time >= edges->window.start || tb_time_add(time, view.duration_ns) <= edges->window.start) return TB_OK;
    edges->slices_at_start++;
    return move(edges, walk->number, TB_EDGE_START);
  }
  struct tb_edge_track *track = get_track(edges, view.track, walk->packet.head.machine);
  if (!track) return TB_NO_MEMORY;
  if (view.role == TB_ROLE_BEGIN || view.role == TB_ROLE_END) {
    struct tb_edge_event event = {time, walk->number, view.name, view.categories, view.role == TB_ROLE_END};
    return take_edge(edges, track, &event);
  }
  take_value(edges, track, time, walk->number);
  return TB_OK;
}

/* A frame begins and ends under its cookie. */
static enum tb_status take_frame(struct tb_edges *edges, const struct tb_walk *walk) {
  struct tb_wire_cursor cursor = tb_wire_cursor(walk->packet.head.payload);
  struct tb_wire_field field, cookie[TB_FRAME_TIMELINE_EVENT_FRAME_END_COOKIE + 1];
  if (tb_wire_read(&cursor, &field) != TB_OK || field.type != TB_WIRE_BYTES) return TB_OK;
  (void)tb_wire_read_fields(field.bytes, cookie, TB_FRAME_TIMELINE_EVENT_FRAME_END_COOKIE + 1);
  struct tb_edge_track *track = get_track(edges, cookie[TB_FRAME_TIMELINE_EVENT_FRAME_END_COOKIE].value, MIX_FRAMES);
  if (!track) return TB_NO_MEMORY;
  struct tb_edge_event event = {
      .time = walk->host_time, .number = walk->number, .ends = field.number == TB_FRAME_TIMELINE_EVENT_FRAME_END};
  return take_edge(edges, track, &event);
}

static enum tb_status take_packet(struct tb_edges *edges, const struct tb_walk *walk, struct tb_track_events *events) {
  const struct tb_packet_header *head = &walk->packet.head;
  enum tb_status status = tb_track_events_take(events, walk);
  if (status != TB_OK || tb_track_events_lack_state(events, walk)) return status;
  if (head->kind == TB_TRACE_PACKET_TRACK_EVENT) return take_event(edges, walk, events);
  if (head->kind == TB_TRACE_PACKET_FTRACE_EVENTS)
    return edges->disordered ? TB_OK : tb_ftrace_edges_take(edges->ftrace);
  if (walk->time.resolved && head->kind == TB_TRACE_PACKET_FRAME_TIMELINE_EVENT) return take_frame(edges, walk);
  if (!walk->time.resolved || !tb_packet_has_values(head->kind)) return TB_OK;
  struct tb_edge_track *track = get_track(edges, tb_mix64(MIX_PACKETS ^ head->kind), walk->sequence_number);
  if (!track) return TB_NO_MEMORY;
  take_value(edges, track, walk->host_time, walk->number);
  return TB_OK;
}

static enum tb_status state(struct tb_edges *edges, const struct tb_edge_track *track) {
  enum tb_status status = tb_map_put(&edges->stated, track->value_number, track->extra, 1);
  return status == TB_OK ? tb_map_put(&edges->stated, track->value_number, 0, 1) : status;
}

size_t tb_edges_stated(const struct tb_edges *edges, uint64_t number, const struct tb_event_extras *extras,
                       uint64_t uuids[TB_EXTRA_COUNTERS]) {
  size_t count = 0;
  for (size_t i = 0; i < extras->count; i++)
    if (tb_map_find(&edges->stated, number, extras->uuids[i])) uuids[count++] = extras->uuids[i];
  return count;
}

/* What is still open at the end of the trace, and the values. */
static enum tb_status take_rest(struct tb_edges *edges) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < edges->track_count && status == TB_OK; i++) {
    struct tb_edge_track *track = &edges->tracks[i];
    status = put_gathered(edges, track);
    for (size_t j = 0; j < track->count && status == TB_OK; j++) status = cut_at_start(edges, &track->open[j]);
    if (status != TB_OK || !track->has_value || track->has_value_at_start) continue;
    edges->values_at_start++;
    status = track->extra ? state(edges, track) : move(edges, track->value_number, TB_EDGE_START);
  }
  return status;
}

/* TB_END, or what failed. */
static enum tb_status read_all(struct tb_edges *edges, struct tb_walk *walk, struct tb_track_events *events) {
  tb_track_events_rewind(events);
  enum tb_status status = tb_walk_start(walk);
  while (status == TB_OK) {
    status = tb_walk_next(walk);
    if (status == TB_OK && walk->packet.packet.ptr) status = take_packet(edges, walk, events);
  }
  return status;
}

static bool any_disordered(const struct tb_edges *edges) {
  for (size_t i = 0; i < edges->track_count; i++)
    if (edges->tracks[i].disordered) return true;
  return false;
}

enum tb_status tb_edges_find(struct tb_edges *edges, struct tb_walk *walk, struct tb_track_events *events,
                             const struct tb_window *window, struct tb_ftrace_edges *ftrace) {
  const struct tb_allocator *a = walk->merger.allocator;
  *edges = (struct tb_edges){.allocator = a, .window = *window, .ftrace = ftrace};
  tb_map_init(&edges->moved, a);
  tb_map_init(&edges->stated, a);
  tb_map_init(&edges->track_index, a);
  enum tb_status status = read_all(edges, walk, events);
  if (status == TB_END && any_disordered(edges)) {
    start_again(edges);
    status = read_all(edges, walk, events);
  }
  if (status == TB_END) status = take_rest(edges);
  if (status == TB_OK) status = tb_ftrace_edges_end(ftrace);
  return status == TB_OK ? TB_OK : tb_fail(&walk->merger.error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

void tb_edges_free(struct tb_edges *edges) {
  if (!edges->allocator) return;
  for (size_t i = 0; i < edges->track_count; i++) {
    struct tb_edge_track *track = &edges->tracks[i];
    tb_free(edges->allocator, track->open, track->capacity * sizeof(*track->open));
    tb_free(edges->allocator, track->events, track->event_capacity * sizeof(*track->events));
  }
  tb_free(edges->allocator, edges->tracks, edges->track_capacity * sizeof(*edges->tracks));
  tb_map_free(&edges->moved);
  tb_map_free(&edges->stated);
  tb_map_free(&edges->track_index);
}
