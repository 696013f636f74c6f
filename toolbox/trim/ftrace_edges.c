/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/ftrace_edges.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/times.h"
#include "protobuf/number_cursor.h"
#include "protos/field_numbers.h"
#include "toolbox/trim/ftrace_roles.h"
#include "toolbox/trim/ftrace_slices.h"
#include "toolbox/trim/gpu_work.h"
#include "tracebridge/event.h"

enum { TRACKS_MAX = 1 << 24, EVENTS_MAX = 1 << 28, IDLE_PRIORITY = 120 };

void tb_ftrace_edges_init(struct tb_ftrace_edges *edges, struct tb_walk *walk, const struct tb_track_events *events,
                          const struct tb_window *window) {
  const struct tb_allocator *a = walk->merger.allocator;
  *edges = (struct tb_ftrace_edges){.walk = walk, .events = events, .window = *window, .settling = tb_settling()};
  tb_map_init(&edges->track_index, a);
  tb_map_init(&edges->first_bundles, a);
  tb_map_init(&edges->transactions, a);
  tb_map_init(&edges->reach.processors, a);
  tb_ftrace_memory_init(&edges->memory, a, window->start);
  tb_ftrace_threads_init(&edges->threads, a, window);
  tb_arena_init(&edges->arena, a, 0);
  tb_buffer_init(&edges->scratch, a, 0);
  tb_buffer_init(&edges->packets, a, 0);
  tb_buffer_init(&edges->last, a, 0);
}

void tb_ftrace_edges_free(struct tb_ftrace_edges *edges) {
  const struct tb_allocator *a = edges->track_index.allocator;
  if (!a) return;
  for (size_t i = 0; i < edges->track_count; i++) {
    tb_free(a, edges->tracks[i].edges, edges->tracks[i].capacity * sizeof(*edges->tracks[i].edges));
    tb_free(a, edges->tracks[i].open, edges->tracks[i].open_capacity * sizeof(*edges->tracks[i].open));
    tb_free(a, edges->tracks[i].addends, edges->tracks[i].addend_capacity * sizeof(*edges->tracks[i].addends));
    tb_buffer_free(&edges->tracks[i].buffer);
  }
  tb_free(a, edges->tracks, edges->track_capacity * sizeof(*edges->tracks));
  tb_map_free(&edges->track_index);
  tb_map_free(&edges->first_bundles);
  tb_map_free(&edges->transactions);
  tb_map_free(&edges->reach.processors);
  tb_ftrace_memory_free(&edges->memory);
  tb_ftrace_threads_free(&edges->threads);
  tb_free(a, edges->repeated, edges->repeated_capacity * sizeof(*edges->repeated));
  tb_free(a, edges->replies, edges->reply_capacity * sizeof(*edges->replies));
  tb_free(a, edges->works, edges->work_capacity * sizeof(*edges->works));
  tb_arena_free(&edges->arena);
  tb_buffer_free(&edges->scratch);
  tb_buffer_free(&edges->packets);
  tb_buffer_free(&edges->last);
}

/* NULL where memory is out. */
static struct tb_ftrace_track *get_track(struct tb_ftrace_edges *edges, uint64_t key, uint64_t kind) {
  const struct tb_allocator *a = edges->track_index.allocator;
  uint32_t number;
  if (tb_map_get(&edges->track_index, key, kind, &number)) return &edges->tracks[number];
  void *tracks = edges->tracks;
  enum tb_status status =
      tb_grow_array(a, &tracks, &edges->track_capacity, edges->track_count + 1, sizeof(*edges->tracks), TRACKS_MAX);
  edges->tracks = tracks;
  if (status != TB_OK || tb_map_put(&edges->track_index, key, kind, edges->track_count) != TB_OK) return NULL;
  struct tb_ftrace_track *track = &edges->tracks[edges->track_count++];
  *track = (struct tb_ftrace_track){.count = 0};
  tb_buffer_init(&track->buffer, a, 0);
  return track;
}

static uint64_t kind_of(const struct tb_ftrace_event_role *role, const struct tb_ftrace_bundle *bundle) {
  return role->kind | (uint64_t)bundle->machine << 33;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Whether a value at `time` is the last before the start so far. */
static bool is_last_value(const struct tb_ftrace_edges *edges, struct tb_ftrace_track *track, int64_t time) {
  const int64_t start = edges->window.start;
  bool is_before = track->adds ? time <= start : time < start; /* of a sum, what is at the start comes with it */
  track->has_value_at_start |= !track->adds && time == start;
  if (!is_before || (track->has_value && time < track->value_time)) return false;
  track->has_value = true;
  track->value_time = time;
  return true;
}

static uint32_t received_number(const struct tb_ftrace_event *event) {
  return (uint32_t)tb_wire_find_number(event->payload, TB_BINDER_TRANSACTION_RECEIVED_FTRACE_EVENT_DEBUG_ID);
}

/* An interned id is one of its sequence: the event gets the id of the text, which is said with it. */
static enum tb_status resolve_symbol(struct tb_ftrace_edges *edges, const struct tb_ftrace_event *event,
                                     uint32_t number, struct tb_ftrace_kept *kept) {
  kept->symbol = tb_track_events_symbol(edges->events, edges->walk, tb_wire_find_number(event->payload, number));
  if (kept->symbol) kept->symbol_name = tb_intern_text(&edges->events->texts, kept->symbol);
  edges->scratch.len = 0;
  enum tb_status status =
      tb_ftrace_append_changed(event, &(struct tb_ftrace_change){number, kept->symbol}, 1, &edges->scratch);
  kept->bytes = (struct tb_str){edges->scratch.data, edges->scratch.len};
  return status;
}

static enum tb_status take_slice(struct tb_ftrace_edges *edges, struct tb_ftrace_track *track, int64_t time,
                                 const struct tb_ftrace_event_role *role, const struct tb_ftrace_event *event,
                                 const struct tb_ftrace_kept *kept) {
  struct tb_ftrace_slice_edge edge = {.time = time, .order = edges->order++, .call = role->call, .kept = *kept};
  edge.ends = role->role == TB_FTRACE_ROLE_END;
  edge.received = role->role == TB_FTRACE_ROLE_RECEIVED;
  if (edge.received) edge.transaction = received_number(event);
  edge.kept.bytes = (struct tb_str){NULL, 0};
  if (time > edges->bundle_last) edges->bundle_last = time;
  if (tb_ftrace_slices_may_repeat(edges, &edge)) {
    enum tb_status status = role->symbol ? resolve_symbol(edges, event, role->symbol, &edge.kept) : TB_OK;
    edge.kept.bytes = tb_arena_copy(&edges->arena, role->symbol ? edge.kept.bytes : kept->bytes);
    if (status != TB_OK || !edge.kept.bytes.ptr) return TB_NO_MEMORY;
  }
  return tb_ftrace_slices_add(edges, track, &edge);
}

static enum tb_status take_transaction(struct tb_ftrace_edges *edges, const struct tb_ftrace_bundle *bundle,
                                       const struct tb_ftrace_event *event) {
  uint64_t number = tb_wire_find_number(event->payload, TB_BINDER_TRANSACTION_FTRACE_EVENT_DEBUG_ID);
  int64_t time;
  if (!tb_ftrace_bundle_time(bundle, event->raw_time, &time)) return TB_OK;
  return tb_map_put(&edges->transactions, (uint32_t)number, bundle->machine,
                    (uint64_t)time << 2 | (uint64_t)tb_ftrace_transaction_of(event));
}

/* Which of the addends count is known when all first bundles are. */
static enum tb_status take_addend(struct tb_ftrace_edges *edges, struct tb_ftrace_track *track, int64_t time,
                                  const struct tb_ftrace_event *event, uint32_t adds) {
  if (time > edges->window.start) return TB_OK;
  void *items = track->addends;
  enum tb_status status = tb_grow_array(edges->track_index.allocator, &items, &track->addend_capacity,
                                        track->addend_count + 1, sizeof(*track->addends), EVENTS_MAX);
  track->addends = items;
  if (status != TB_OK) return status;
  track->adds = adds;
  track->addends[track->addend_count++] = (struct tb_ftrace_addend){time, tb_wire_find_number(event->payload, adds)};
  return TB_OK;
}

/* A switch to a thread. `from_row`: it is one of compact_sched. */
static enum tb_status take_switch(struct tb_ftrace_edges *edges, const struct tb_ftrace_bundle *bundle, uint64_t raw,
                                  int64_t pid, int64_t priority, struct tb_str comm, bool from_row) {
  int64_t time;
  if (!tb_ftrace_bundle_time(bundle, raw, &time)) return TB_OK;
  if (time > edges->bundle_last) edges->bundle_last = time;
  enum tb_status status = tb_ftrace_threads_take_name(&edges->threads, bundle->machine, time, pid, comm);
  if (status != TB_OK) return status;
  struct tb_ftrace_track *track =
      get_track(edges, (uint64_t)bundle->machine << 32 | bundle->cpu, TB_FTRACE_EVENT_SCHED_SWITCH);
  if (!track) return TB_NO_MEMORY;
  if (!track->is_switch && from_row) {
    track->has_unseen = true;
    track->unseen_time = time;
  }
  track->is_switch = true;
  if (!is_last_value(edges, track, time)) return TB_OK;
  track->value = (struct tb_ftrace_kept){.cpu = bundle->cpu, .machine = bundle->machine};
  track->next_pid = pid;
  track->next_priority = priority;
  track->buffer.len = 0;
  return tb_buffer_append(&track->buffer, comm.ptr, comm.len);
}

/* Work of a GPU that is over an edge, or whose event is not in the window, in which it is. */
static enum tb_status take_work(struct tb_ftrace_edges *edges, const struct tb_ftrace_bundle *bundle,
                                const struct tb_ftrace_event *event) {
  const struct tb_window *window = &edges->window;
  struct tb_gpu_work work;
  int64_t time;
  edges->has_work = true;
  if (!tb_ftrace_bundle_time(bundle, event->raw_time, &time) || !tb_gpu_work_read(bundle, event, &work) ||
      !tb_gpu_work_touches(&work, window) || (tb_gpu_work_is_whole(&work, window) && tb_window_has(window, time)))
    return TB_OK;
  edges->scratch.len = 0;
  enum tb_status status = tb_gpu_work_append(&work, window, event, &edges->scratch);
  struct tb_ftrace_slice_edge made = {.time = time, .kept = {.cpu = bundle->cpu, .machine = bundle->machine}};
  made.kept.bytes = tb_arena_copy(&edges->arena, (struct tb_str){edges->scratch.data, edges->scratch.len});
  if (status != TB_OK || !made.kept.bytes.ptr) return TB_NO_MEMORY;
  edges->slices_at_start += work.from < window->start;
  edges->slices_at_end += work.to > window->end;
  return tb_ftrace_slices_append(edges, &edges->works, &edges->work_count, &edges->work_capacity, &made);
}

static enum tb_status take_event(struct tb_ftrace_edges *edges, const struct tb_ftrace_bundle *bundle,
                                 struct tb_str bytes) {
  struct tb_ftrace_event event;
  int64_t time;
  tb_ftrace_event_read(bytes, &event);
  enum tb_status status = tb_ftrace_threads_take(&edges->threads, bundle, &event);
  if (status != TB_OK) return status;
  if (event.kind == TB_FTRACE_EVENT_SCHED_SWITCH)
    return take_switch(edges, bundle, event.raw_time,
                       (int32_t)tb_wire_find_number(event.payload, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID),
                       (int32_t)tb_wire_find_number(event.payload, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PRIO),
                       tb_wire_find_bytes(event.payload, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM), false);
  if (event.kind == TB_FTRACE_EVENT_GPU_WORK_PERIOD) return take_work(edges, bundle, &event);
  status = event.kind == TB_FTRACE_EVENT_BINDER_TRANSACTION ? take_transaction(edges, bundle, &event)
                                                            : tb_ftrace_memory_take(&edges->memory, bundle, &event);
  struct tb_ftrace_event_role role = tb_ftrace_role_of(bundle, &event);
  if (status != TB_OK || role.role == TB_FTRACE_ROLE_NONE || !tb_ftrace_bundle_time(bundle, event.raw_time, &time))
    return status;
  struct tb_ftrace_track *track = get_track(edges, role.key, kind_of(&role, bundle));
  if (!track) return TB_NO_MEMORY;
  /* readers take events of one time by processor */
  uint32_t cpu = tb_ftrace_role_nests(&role, event.pid) ? 0 : bundle->cpu;
  track->is_queue = role.is_queue;
  track->stated = role.stated;
  struct tb_ftrace_kept kept = {.cpu = cpu, .machine = bundle->machine, .bytes = bytes};
  if (role.role != TB_FTRACE_ROLE_VALUE) return take_slice(edges, track, time, &role, &event, &kept);
  status = role.adds ? take_addend(edges, track, time, &event, role.adds) : TB_OK;
  if (status != TB_OK || !is_last_value(edges, track, time)) return status;
  track->value = kept;
  track->buffer.len = 0;
  return tb_buffer_append(&track->buffer, bytes.ptr, bytes.len);
}

static enum tb_status take_compact(struct tb_ftrace_edges *edges, const struct tb_ftrace_bundle *bundle) {
  enum { COMMS = 256 };
  struct tb_str comms[COMMS], compact = bundle->compact;
  size_t count = tb_ftrace_compact_names(compact, comms, COMMS);
  struct tb_number_cursor times = tb_number_cursor(compact, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_TIMESTAMP);
  struct tb_number_cursor pids = tb_number_cursor(compact, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PID);
  struct tb_number_cursor prios = tb_number_cursor(compact, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PRIO);
  struct tb_number_cursor names =
      tb_number_cursor(compact, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_COMM_INDEX);
  uint64_t raw = 0, pid, prio, name;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_ftrace_next_time(&times, &raw) && tb_number_cursor_next(&pids, &pid) &&
         tb_number_cursor_next(&prios, &prio) && tb_number_cursor_next(&names, &name))
    status = take_switch(edges, bundle, raw, (int32_t)pid, (int32_t)prio,
                         name < count ? comms[name] : (struct tb_str){"", 0}, true);
  return status;
}

int64_t tb_ftrace_edges_whole_from(const struct tb_ftrace_edges *edges, uint32_t machine) {
  const uint64_t *time = edges->first_bundles.count ? tb_map_find(&edges->first_bundles, machine, 0) : NULL;
  return time ? (int64_t)*time : INT64_MIN;
}

/* Whether a processor's first bundle lacks events, and up to when. */
static enum tb_status take_bundle(struct tb_ftrace_edges *edges, const struct tb_ftrace_bundle *bundle) {
  uint64_t processor = (uint64_t)bundle->machine << 32 | bundle->cpu;
  int64_t time;
  if (tb_map_find(&edges->first_bundles, processor, 1)) return TB_OK;
  enum tb_status status = tb_map_put(&edges->first_bundles, processor, 1, 1);
  if (status != TB_OK || !bundle->whole_from || !tb_ftrace_bundle_time(bundle, bundle->whole_from, &time) ||
      time <= tb_ftrace_edges_whole_from(edges, bundle->machine))
    return status;
  edges->settling.is_late |= edges->settling.before != INT64_MIN;
  return tb_map_put(&edges->first_bundles, bundle->machine, 0, (uint64_t)time);
}

enum tb_status tb_ftrace_edges_take(struct tb_ftrace_edges *edges) {
  struct tb_ftrace_bundle bundle;
  struct tb_wire_field field;
  tb_ftrace_bundle_read(&bundle, edges->walk);
  struct tb_wire_cursor cursor = tb_wire_cursor(bundle.bytes);
  enum tb_status status = take_bundle(edges, &bundle);
  edges->bundle_last = INT64_MIN;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (tb_ftrace_is_event(&field)) status = take_event(edges, &bundle, field.bytes);
  if (status == TB_OK) status = tb_ftrace_memory_settle(&edges->memory, &edges->first_bundles);
  if (status == TB_OK) status = take_compact(edges, &bundle);
  if (status == TB_OK && edges->bundle_last != INT64_MIN)
    status = tb_ftrace_reach_take(&edges->reach, &bundle, edges->bundle_last);
  return status == TB_OK ? tb_ftrace_slices_settle(edges) : status;
}

/* ---- packets of the edges ---------------------------------------------------------------------------------------- */

/* One at the start of the window. */
static enum tb_status append_packet(struct tb_ftrace_edges *edges, const struct tb_ftrace_kept *kept) {
  return tb_ftrace_append_packet(edges->walk, kept, edges->window.start, &edges->packets);
}

/* One at its end, or just before. */
static enum tb_status append_last(struct tb_ftrace_edges *edges, const struct tb_ftrace_kept *kept, int64_t time) {
  return tb_ftrace_append_packet(edges->walk, kept, time, &edges->last);
}

static int compare_edges(const void *a, const void *b) {
  const struct tb_ftrace_slice_edge *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* A reply whose event is not in the window. Readers end a slice where one is received that they know of: they hear of
 * it as of one of the idle thread, in which it ends nothing. */
static enum tb_status append_reply(struct tb_ftrace_edges *edges, const struct tb_ftrace_slice_edge *edge) {
  enum { FIELD = 1 + TB_WIRE_VARINT_MAX };
  char body[2 * FIELD], bytes[2 * FIELD + sizeof(body)];
  char *end = tb_wire_put_uint(body, TB_BINDER_TRANSACTION_FTRACE_EVENT_DEBUG_ID, edge->transaction);
  end = tb_wire_put_uint(end, TB_BINDER_TRANSACTION_FTRACE_EVENT_REPLY, 1);
  char *at = tb_wire_put_uint(bytes, TB_FTRACE_EVENT_PID, 0);
  at = tb_wire_put_bytes(at, TB_FTRACE_EVENT_BINDER_TRANSACTION, body, (size_t)(end - body));
  struct tb_ftrace_kept kept = {.machine = edge->kept.machine, .bytes = {bytes, (size_t)(at - bytes)}};
  return append_packet(edges, &kept);
}

static enum tb_status append_replies(struct tb_ftrace_edges *edges) {
  enum tb_status status = TB_OK;
  if (edges->reply_count) qsort(edges->replies, edges->reply_count, sizeof(*edges->replies), compare_edges);
  for (size_t i = 0; i < edges->reply_count && status == TB_OK; i++) status = append_reply(edges, &edges->replies[i]);
  return status;
}

/* Of all tracks in the order of time: some begin or end only after others. */
static enum tb_status append_repeated(struct tb_ftrace_edges *edges) {
  enum tb_status status = TB_OK;
  if (edges->repeated_count) qsort(edges->repeated, edges->repeated_count, sizeof(*edges->repeated), compare_edges);
  for (size_t i = 0; i < edges->repeated_count && status == TB_OK; i++) {
    const struct tb_ftrace_slice_edge *edge = &edges->repeated[i];
    struct tb_ftrace_event event;
    tb_ftrace_event_read(edge->kept.bytes, &event);
    status = tb_ftrace_threads_take_inside(&edges->threads, edge->kept.machine, event.pid);
    if (status != TB_OK) return status;
    status = edge->ends ? append_last(edges, &edge->kept, edges->window.end) : append_packet(edges, &edge->kept);
  }
  return status;
}

/* Readers take the times of work from the events' fields: theirs need only be in the window. */
static enum tb_status append_works(struct tb_ftrace_edges *edges) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < edges->work_count && status == TB_OK; i++) {
    const struct tb_ftrace_slice_edge *work = &edges->works[i];
    bool is_shown = work->time >= tb_ftrace_edges_whole_from(edges, work->kept.machine);
    if (!is_shown) continue;
    status = tb_window_has(&edges->window, work->time) ? append_packet(edges, &work->kept)
                                                       : append_last(edges, &work->kept, edges->window.end - 1);
  }
  return status;
}

/* The last value with the sum of all in place of what it adds, which readers take as a number of 32 bits. */
static enum tb_status append_sum(struct tb_ftrace_edges *edges, const struct tb_ftrace_track *track) {
  struct tb_ftrace_event event;
  struct tb_buffer made;
  enum tb_status status = TB_OK;
  uint64_t sum = 0;
  for (size_t i = 0; i < track->addend_count; i++)
    if (track->addends[i].time >= tb_ftrace_edges_whole_from(edges, track->value.machine))
      sum += track->addends[i].value;
  tb_ftrace_event_read(track->value.bytes, &event);
  tb_buffer_init(&made, edges->track_index.allocator, 0);
  do {
    struct tb_ftrace_kept kept = track->value;
    uint64_t part = sum < UINT32_MAX ? sum : UINT32_MAX;
    made.len = 0;
    status = tb_ftrace_append_changed(&event, &(struct tb_ftrace_change){track->adds, part}, 1, &made);
    kept.bytes = (struct tb_str){made.data, made.len};
    if (status == TB_OK) status = append_packet(edges, &kept);
    sum -= part;
  } while (status == TB_OK && sum);
  tb_buffer_free(&made);
  return status;
}

/* The last switch of a processor, as an event that says only which thread runs then. */
static enum tb_status make_switch(const struct tb_ftrace_track *track, struct tb_buffer *b) {
  static const struct tb_str idle = {"swapper", 7};
  const struct tb_str comm = {track->buffer.data, track->buffer.len};
  enum tb_status status = tb_wire_buffer_uint(b, TB_FTRACE_EVENT_PID, 0);
  if (status == TB_OK) status = tb_wire_buffer_open(b, TB_FTRACE_EVENT_SCHED_SWITCH);
  size_t body = b->len;
  if (status == TB_OK) status = tb_wire_buffer_bytes(b, TB_SCHED_SWITCH_FTRACE_EVENT_PREV_COMM, idle);
  if (status == TB_OK) status = tb_wire_buffer_uint(b, TB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID, 0);
  if (status == TB_OK) status = tb_wire_buffer_uint(b, TB_SCHED_SWITCH_FTRACE_EVENT_PREV_PRIO, IDLE_PRIORITY);
  if (status == TB_OK) status = tb_wire_buffer_uint(b, TB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE, 0);
  if (status == TB_OK) status = tb_wire_buffer_bytes(b, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM, comm);
  if (status == TB_OK)
    status = tb_wire_buffer_uint(b, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID, (uint64_t)track->next_pid);
  if (status == TB_OK)
    status = tb_wire_buffer_uint(b, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PRIO, (uint64_t)track->next_priority);
  return status == TB_OK ? tb_wire_buffer_close(b, body) : status;
}

/* The last value before the start, where there is none at it and readers show it. */
static enum tb_status end_value(struct tb_ftrace_edges *edges, struct tb_ftrace_track *track) {
  bool unseen = track->value_time < tb_ftrace_edges_whole_from(edges, track->value.machine) ||
                (track->has_unseen && track->value_time == track->unseen_time);
  bool hidden = track->has_value_at_start || unseen;
  if (!track->has_value || (hidden && !track->has_unseen)) return TB_OK;
  edges->scratch.len = 0;
  const struct tb_buffer *bytes = track->is_switch ? &edges->scratch : &track->buffer;
  if (track->is_switch && make_switch(track, &edges->scratch) != TB_OK) return TB_NO_MEMORY;
  track->value.bytes = (struct tb_str){bytes->data, bytes->len};
  if (hidden) return tb_ftrace_append_row_packet(edges->walk, &track->value, edges->window.start, &edges->packets);
  edges->values_at_start++;
  return track->adds ? append_sum(edges, track) : append_packet(edges, &track->value);
}

static enum tb_status append_memory(struct tb_ftrace_edges *edges, const struct tb_memory_value *value) {
  struct tb_buffer made;
  if (!value->has_value || value->has_value_at_start) return TB_OK;
  tb_buffer_init(&made, edges->track_index.allocator, 0);
  enum tb_status status = tb_ftrace_memory_append(value, &made);
  struct tb_ftrace_kept kept = {.cpu = value->cpu, .machine = value->machine, .bytes = {made.data, made.len}};
  if (status == TB_OK) status = append_packet(edges, &kept);
  tb_buffer_free(&made);
  edges->values_at_start++;
  return status == TB_OK ? tb_ftrace_threads_take_inside(&edges->threads, value->machine, value->tid) : status;
}

/* In front of what else comes at the edges, since that is of these threads. */
static enum tb_status prepend_threads(struct tb_ftrace_edges *edges) {
  const struct tb_map *processes = &edges->memory.processes;
  const struct tb_buffer rest = edges->packets;
  struct tb_buffer made;
  tb_buffer_init(&edges->packets, edges->track_index.allocator, 0);
  tb_buffer_init(&made, edges->track_index.allocator, 0);
  enum tb_status status = tb_ftrace_threads_append_trees(&edges->threads, edges->walk, processes, &edges->packets);
  for (size_t i = 0; i < edges->threads.count && status == TB_OK; i++) {
    const struct tb_window_thread *thread = &edges->threads.threads[i];
    if (!tb_ftrace_threads_lacks_name(thread, processes)) continue;
    made.len = 0;
    status = tb_ftrace_threads_append_name(thread, &made);
    struct tb_ftrace_kept kept = {.machine = thread->machine, .bytes = {made.data, made.len}};
    if (status == TB_OK) status = append_packet(edges, &kept);
  }
  if (status == TB_OK) status = tb_buffer_append(&edges->packets, rest.data, rest.len);
  struct tb_buffer old = rest;
  tb_buffer_free(&old);
  tb_buffer_free(&made);
  return status;
}

enum tb_status tb_ftrace_edges_settle(struct tb_ftrace_edges *edges) {
  return tb_ftrace_memory_end(&edges->memory, &edges->first_bundles);
}

enum tb_status tb_ftrace_edges_end(struct tb_ftrace_edges *edges) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < edges->memory.value_count && status == TB_OK; i++)
    status = append_memory(edges, &edges->memory.values[i]);
  if (status == TB_OK) status = tb_ftrace_slices_end(edges);
  if (status == TB_OK) status = append_replies(edges);
  for (size_t i = 0; i < edges->track_count && status == TB_OK; i++) status = end_value(edges, &edges->tracks[i]);
  if (status == TB_OK) status = append_repeated(edges);
  if (status == TB_OK) status = append_works(edges);
  return status == TB_OK ? prepend_threads(edges) : status;
}

static bool ends_slice(const struct tb_ftrace_edges *edges, const struct tb_ftrace_bundle *bundle,
                       const struct tb_ftrace_event *event, enum tb_ftrace_role role) {
  if (role != TB_FTRACE_ROLE_RECEIVED) return role == TB_FTRACE_ROLE_END;
  enum tb_ftrace_transaction transaction;
  int64_t sent;
  return tb_ftrace_slices_sent(edges, received_number(event), bundle->machine, &transaction, &sent) &&
         transaction == TB_FTRACE_REPLY;
}

bool tb_ftrace_edges_replaces(struct tb_ftrace_edges *edges, const struct tb_ftrace_bundle *bundle, struct tb_str event,
                              int64_t time) {
  struct tb_ftrace_event read;
  struct tb_gpu_work work;
  uint32_t number;
  if (time != edges->window.start && !edges->has_work) return false;
  tb_ftrace_event_read(event, &read);
  if (read.kind == TB_FTRACE_EVENT_GPU_WORK_PERIOD)
    return tb_gpu_work_read(bundle, &read, &work) && !tb_gpu_work_is_whole(&work, &edges->window);
  if (time != edges->window.start) return false;
  struct tb_ftrace_event_role role = tb_ftrace_role_of(bundle, &read);
  if (role.adds) return true;
  if (!ends_slice(edges, bundle, &read, role.role) ||
      !tb_map_get(&edges->track_index, role.key, kind_of(&role, bundle), &number))
    return false;
  struct tb_ftrace_track *track = &edges->tracks[number];
  if (!track->ends_at_start) return false;
  track->ends_at_start--;
  return true;
}
