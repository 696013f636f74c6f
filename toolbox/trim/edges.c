/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/edges.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/times.h"
#include "perfetto/packet/packet_times.h"
#include "protos/field_numbers.h"
#include "toolbox/trim/etw_edges.h"
#include "toolbox/trim/ftrace_edges.h"
#include "toolbox/trim/whole_run.h"

enum { TRACKS_MAX = 1 << 24, PACKETS_MAX = 1 << 28 };

/* What keys of tracks of other things than track events are mixed with. */
enum { MIX_PACKETS = 0x706b, MIX_EXTRAS = 0x6578, MIX_FRAMES = 0x6672, MIX_PROCESSORS = 0x6370 };

/* NULL where memory is out. */
static struct tb_edge_track *get_track(struct tb_edges *edges, uint64_t key, uint64_t kind) {
  uint32_t number;
  if (!tb_map_get_recent(&edges->track_index, &edges->recent, key, kind, &number)) {
    void *tracks = edges->tracks;
    number = (uint32_t)edges->track_count;
    enum tb_status status = tb_grow_array(edges->allocator, &tracks, &edges->track_capacity, edges->track_count + 1,
                                          sizeof(*edges->tracks), TRACKS_MAX);
    edges->tracks = tracks;
    if (status != TB_OK || tb_map_put(&edges->track_index, key, kind, number) != TB_OK) return NULL;
    edges->tracks[edges->track_count++] = (struct tb_edge_track){.has_value = false};
  }
  return &edges->tracks[number];
}

static enum tb_status move(struct tb_edges *edges, uint64_t number, enum tb_edge edge) {
  return tb_map_put(&edges->moved, number, 0, edge);
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static enum tb_status begin_at_start(struct tb_edges *edges, uint64_t number, int64_t time) {
  void *begins = edges->begins;
  enum tb_status status = tb_grow_array(edges->allocator, &begins, &edges->begin_capacity, edges->begin_count + 1,
                                        sizeof(*edges->begins), PACKETS_MAX);
  edges->begins = begins;
  if (status != TB_OK) return status;
  edges->begins[edges->begin_count++] = (struct tb_edge_begin){number, time};
  edges->slices_at_start++;
  return move(edges, number, TB_EDGE_START);
}

static enum tb_status cut_at_start(struct tb_edges *edges, const struct tb_slice_edge *slice) {
  return slice->time < edges->window.start ? begin_at_start(edges, slice->number, slice->time) : TB_OK;
}

static enum tb_status take_slice(void *ctx, const struct tb_slice_edge *begin, const struct tb_slice_edge *end) {
  struct tb_edges *edges = ctx;
  const struct tb_window *window = &edges->window;
  if (!end) return cut_at_start(edges, begin);
  if (end->time <= window->start && begin->time < window->start)
    return end->time == window->start ? move(edges, end->number, TB_EDGE_GONE) : TB_OK;
  if (begin->time >= window->end) return TB_OK;
  enum tb_status status = cut_at_start(edges, begin);
  if (status != TB_OK || end->time < window->end) return status;
  edges->slices_at_end++;
  return move(edges, end->number, TB_EDGE_END);
}

/* Readers end this slice with the one that it is in, but only as they come to a later event of the track. */
static enum tb_status take_outlived(void *ctx, const struct tb_slice_edge *begin, const struct tb_slice_edge *outer,
                                    int64_t seen) {
  struct tb_edges *edges = ctx;
  const struct tb_window *window = &edges->window;
  uint32_t count = 0;
  if (begin->time >= window->end || (outer->time <= window->start && begin->time < window->start)) return TB_OK;
  enum tb_status status = cut_at_start(edges, begin);
  if (status != TB_OK || seen < window->end) return status;
  edges->slices_at_end += outer->time >= window->end;
  (void)tb_map_get(&edges->outlived, outer->number, 0, &count);
  return tb_map_put(&edges->outlived, outer->number, 0, count + 1);
}

/* Forgets the first reading but for which tracks are not in order. */
static void start_again(struct tb_edges *edges) {
  edges->slices_at_start = edges->slices_at_end = edges->values_at_start = 0;
  edges->begin_count = 0;
  tb_slice_pairs_start_again(&edges->slices);
  tb_map_clear(&edges->moved);
  tb_map_clear(&edges->stated);
  tb_map_clear(&edges->outlived);
  for (size_t i = 0; i < edges->track_count; i++)
    edges->tracks[i].has_value = edges->tracks[i].has_before = edges->tracks[i].has_value_at_start =
        edges->tracks[i].has_next = false;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static void take_value(const struct tb_edges *edges, struct tb_edge_track *track, int64_t time, uint64_t number) {
  track->has_value_at_start |= time == edges->window.start;
  if (time >= edges->window.start || (track->has_value && time < track->value_time)) return;
  track->has_before = track->has_value;
  track->before_time = track->value_time;
  track->before_number = track->value_number;
  track->has_value = true;
  track->value_time = time;
  track->value_number = number;
}

static enum tb_status take_extras(struct tb_edges *edges, const struct tb_walk *walk, struct tb_track_events *events) {
  if (walk->host_time > edges->window.start) return TB_OK;
  const struct tb_event_extras *extras = tb_track_events_extras(events, walk);
  for (size_t i = 0; i < extras->count; i++) {
    struct tb_edge_track *track = get_track(edges, extras->uuids[i], MIX_EXTRAS);
    if (!track) return TB_NO_MEMORY;
    track->extra = extras->uuids[i];
    take_value(edges, track, walk->host_time, walk->number);
  }
  return TB_OK;
}

bool tb_edges_is_slice(const struct tb_walk *walk, int64_t *duration) {
  struct tb_str slice = walk->packet.head.payload;
  switch (walk->packet.head.kind) {
    case TB_TRACE_PACKET_GPU_RENDER_STAGE_EVENT:
      *duration = (int64_t)tb_wire_find_number(slice, TB_GPU_RENDER_STAGE_EVENT_DURATION);
      return true;
    case TB_TRACE_PACKET_VULKAN_API_EVENT:
      slice = tb_wire_find_bytes(slice, TB_VULKAN_API_EVENT_VK_QUEUE_SUBMIT);
      *duration = (int64_t)tb_wire_find_number(slice, TB_VULKAN_API_EVENT_VK_QUEUE_SUBMIT_DURATION_NS);
      return slice.len != 0;
    default:
      return false;
  }
}

/* A packet that is a slice by itself. */
static enum tb_status take_whole_slice(struct tb_edges *edges, const struct tb_walk *walk, int64_t duration) {
  const struct tb_window *window = &edges->window;
  int64_t end = tb_time_add(walk->host_time, duration);
  if (tb_window_has(window, walk->host_time) && end > window->end) return move(edges, walk->number, TB_EDGE_CUT);
  if (walk->host_time >= window->start || end <= window->start) return TB_OK;
  return begin_at_start(edges, walk->number, walk->host_time);
}

/* Whether the walk's event is at the start itself. */
static inline bool take_at_start(struct tb_edges *edges, const struct tb_walk *walk) {
  if (walk->host_time != edges->window.start) return false;
  if (walk->number < edges->first_at_start) edges->first_at_start = walk->number;
  return true;
}

/* Adds the walk's event, a plain one, to the runs. */
static inline void add_to_run(struct tb_edges *edges, const struct tb_walk *walk, struct tb_track_events *events,
                              const struct tb_packet_part *packet, bool has_extras) {
  bool inside = tb_window_has(&edges->window, walk->host_time);
  if (edges->slices.again) return;
  tb_event_runs_add(&edges->runs, walk->number, packet, inside);
  edges->runs.open.marked |= take_at_start(edges, walk);
  if (!inside && has_extras) tb_event_runs_add_values(&edges->runs, tb_track_events_extras(events, walk));
}

/* An event that is neither a begin nor an end. */
static __attribute__((noinline)) enum tb_status take_other_event(struct tb_edges *edges, const struct tb_walk *walk,
                                                                 const struct tb_event_view *view) {
  edges->has_about |= view->role == TB_ROLE_ABOUT;
  if (view->role == TB_ROLE_COMPLETE) return take_whole_slice(edges, walk, view->duration_ns);
  if (view->role != TB_ROLE_VALUE) return TB_OK;
  struct tb_edge_track *track = get_track(edges, view->track, walk->packet.head.machine);
  if (!track) return TB_NO_MEMORY;
  take_value(edges, track, walk->host_time, walk->number);
  return TB_OK;
}

static inline enum tb_status take_event(struct tb_edges *edges, const struct tb_walk *walk,
                                        struct tb_track_events *events) {
  struct tb_event_view view;
  enum tb_status status = tb_track_events_read(events, walk, &view);
  if (status != TB_OK) return status;
  if (!walk->time.resolved) {
    edges->has_about |= view.role == TB_ROLE_ABOUT;
    return TB_OK;
  }
  edges->has_profiles |= view.phase == 'P';
  (void)take_at_start(edges, walk);
  /* values of counters of their own are not added up in runs */
  if (tb_walk_at_plain_event(walk) && view.phase != 'P' &&
      !(view.has_value && !tb_window_has(&edges->window, walk->host_time))) {
    struct tb_packet_part packet = tb_walk_packet_part(walk);
    add_to_run(edges, walk, events, &packet, view.has_extras);
  }
  if (view.has_extras) status = take_extras(edges, walk, events);
  if (status != TB_OK) return status;
  if (view.role != TB_ROLE_BEGIN && view.role != TB_ROLE_END) return take_other_event(edges, walk, &view);
  struct tb_slice_edge edge = {walk->host_time, walk->number, view.name, view.categories, view.role == TB_ROLE_END, 0};
  return tb_slice_pairs_take(&edges->slices, view.track, walk->packet.head.machine, &edge);
}

/* A frame begins and ends under its cookie. */
static enum tb_status take_frame(struct tb_edges *edges, const struct tb_walk *walk) {
  struct tb_wire_cursor cursor = tb_wire_cursor(walk->packet.head.payload);
  struct tb_wire_field field, cookie[TB_FRAME_TIMELINE_EVENT_FRAME_END_COOKIE + 1];
  if (tb_wire_read(&cursor, &field) != TB_OK || field.type != TB_WIRE_BYTES) return TB_OK;
  (void)tb_wire_read_fields(field.bytes, cookie, TB_FRAME_TIMELINE_EVENT_FRAME_END_COOKIE + 1);
  struct tb_slice_edge edge = {
      .time = walk->host_time, .number = walk->number, .ends = field.number == TB_FRAME_TIMELINE_EVENT_FRAME_END};
  uint64_t key = cookie[TB_FRAME_TIMELINE_EVENT_FRAME_END_COOKIE].value;
  return tb_slice_pairs_take(&edges->slices, key, MIX_FRAMES, &edge);
}

/* ---- values in packets ------------------------------------------------------------------------------------------- */

struct taking {
  struct tb_edges *edges;
  const struct tb_walk *walk;
  bool failed;
};

/* What values in packets of a machine are kept under. */
static uint64_t values_of_machine(uint32_t machine) { return (uint64_t)MIX_PACKETS << 32 | machine; }
static uint64_t values_of(const struct tb_walk *walk) { return values_of_machine(walk->packet.head.machine); }

static bool take_packet_value(void *ctx, const struct tb_packet_value *value) {
  struct taking *taking = ctx;
  if (!value->key) return false;
  struct tb_edge_track *track = get_track(taking->edges, value->key, values_of(taking->walk));
  taking->failed |= !track;
  if (!track) return false;
  track->in_packet = true;
  take_value(taking->edges, track, value->time, taking->walk->number);
  if (track->has_value && track->value_time == value->time) track->value = value->number;
  if (value->time < taking->edges->window.end || (track->has_next && value->time >= track->next_time)) return false;
  track->has_next = true;
  track->next_time = value->time;
  track->next_number = taking->walk->number;
  return false;
}

bool tb_edges_is_next(const struct tb_edges *edges, const struct tb_walk *walk, const struct tb_packet_value *value) {
  uint32_t number;
  if (!tb_map_get(&edges->track_index, value->key, values_of(walk), &number)) return false;
  const struct tb_edge_track *track = &edges->tracks[number];
  return track->has_next && track->next_number == walk->number && track->next_time == value->time;
}

bool tb_edges_is_last(const struct tb_edges *edges, const struct tb_walk *walk, const struct tb_packet_value *value) {
  uint32_t number;
  if (!tb_map_get(&edges->track_index, value->key, values_of(walk), &number)) return false;
  const struct tb_edge_track *track = &edges->tracks[number];
  if (!track->has_value || (track->has_value_at_start && !value->counts)) return false;
  if (track->value_number == walk->number && track->value_time == value->time) return true;
  return value->counts && track->has_before && !track->has_value_at_start && track->before_number == walk->number &&
         track->before_time == value->time;
}

static enum tb_status take_values(struct tb_edges *edges, struct tb_walk *walk) {
  struct taking taking = {edges, walk, false};
  bool all;
  edges->scratch.len = 0;
  enum tb_status status =
      tb_packet_values_append(walk, take_packet_value, &taking, walk->host_time, true, &edges->scratch, &all);
  return taking.failed ? TB_NO_MEMORY : status;
}

/* Which thread runs on a processor: a state that holds until the thread has another one, or another thread runs. */
static enum tb_status take_task_state(struct tb_edges *edges, const struct tb_walk *walk) {
  struct tb_wire_field f[TB_GENERIC_KERNEL_TASK_STATE_EVENT_STATE + 1];
  (void)tb_wire_read_fields(walk->packet.head.payload, f, TB_GENERIC_KERNEL_TASK_STATE_EVENT_STATE + 1);
  int64_t tid = (int64_t)f[TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID].value;
  bool runs =
      f[TB_GENERIC_KERNEL_TASK_STATE_EVENT_STATE].value == TB_GENERIC_KERNEL_TASK_STATE_EVENT_TASK_STATE_RUNNING;
  uint64_t processor = (uint64_t)MIX_PROCESSORS << 32 | walk->packet.head.machine;
  struct tb_edge_track *track = get_track(edges, f[TB_GENERIC_KERNEL_TASK_STATE_EVENT_CPU].value, processor);
  if (!track) return TB_NO_MEMORY;
  if (!runs && (!track->has_value || track->tid != tid || walk->host_time < track->value_time)) return TB_OK;
  take_value(edges, track, walk->host_time, walk->number);
  if (track->value_number != walk->number) return TB_OK;
  track->tid = tid;
  track->has_value = runs;
  return TB_OK;
}

static inline void take_number(struct tb_edges *edges, const struct tb_walk *walk) {
  uint32_t kind = walk->packet.head.kind;
  bool is_event = kind == TB_TRACE_PACKET_TRACK_EVENT, counts = is_event || (walk->node && walk->node->incremental);
  bool outside = walk->time.resolved && !tb_window_has(&edges->window, walk->host_time);
  if (counts && (!outside || (!is_event && tb_packet_is_timeless(kind)))) edges->last_to_stay = walk->number;
}

static inline void extend(struct tb_edges *edges, int64_t time) {
  if (time < edges->first) edges->first = time;
  if (time > edges->last) edges->last = time;
}

/* The events of bundles have times of their own. */
static inline void take_time(struct tb_edges *edges, const struct tb_walk *walk) {
  uint32_t kind = walk->packet.head.kind;
  if (walk->time.resolved && (kind == TB_TRACE_PACKET_TRACK_EVENT || !tb_packet_is_timeless(kind)))
    extend(edges, walk->host_time);
}

static enum tb_status take_wakelocks(struct tb_edges *edges, const struct tb_walk *walk) {
  bool counts = !edges->slices.again && walk->host_time <= edges->window.start;
  return counts ? tb_wakelocks_take(&edges->wakelocks, walk) : TB_OK;
}

static enum tb_status take_packet(struct tb_edges *edges, struct tb_walk *walk, struct tb_track_events *events) {
  const struct tb_packet_header *head = &walk->packet.head;
  take_number(edges, walk);
  enum tb_status status = tb_track_events_take(events, walk);
  if (edges->wakelocks.count && head->cleared) tb_wakelocks_take_clear(&edges->wakelocks, walk);
  if (status != TB_OK || tb_track_events_lack_state(events, walk)) return status;
  take_time(edges, walk);
  if (head->kind == TB_TRACE_PACKET_TRACK_EVENT) return take_event(edges, walk, events);
  if (head->kind == TB_TRACE_PACKET_FTRACE_EVENTS)
    return edges->slices.again ? TB_OK : tb_ftrace_edges_take(edges->ftrace);
  if (head->kind == TB_TRACE_PACKET_ETW_EVENTS) return edges->slices.again ? TB_OK : tb_etw_edges_take(edges->etw);
  if (head->kind == TB_TRACE_PACKET_PROCESS_TREE && !edges->slices.again) {
    status = tb_ftrace_memory_take_tree(&edges->ftrace->memory, walk);
    return status == TB_OK ? tb_ftrace_threads_take_tree(&edges->ftrace->threads, walk) : status;
  }
  if (walk->time.resolved && head->kind == TB_TRACE_PACKET_FRAME_TIMELINE_EVENT) return take_frame(edges, walk);
  if (!walk->time.resolved || !head->has_timestamp) return TB_OK;
  if (tb_packet_holds_values(head->kind)) return take_values(edges, walk);
  if (head->kind == TB_TRACE_PACKET_KERNEL_WAKELOCK_DATA) return take_wakelocks(edges, walk);
  /* they say how much values have grown since the packet before: later ones need all of them */
  if (head->kind == TB_TRACE_PACKET_CPU_PER_UID_DATA)
    return walk->host_time < edges->window.start ? move(edges, walk->number, TB_EDGE_START) : TB_OK;
  int64_t duration;
  if (tb_edges_is_slice(walk, &duration)) return take_whole_slice(edges, walk, duration);
  if (head->kind == TB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT) return take_task_state(edges, walk);
  uint64_t key;
  if (!tb_packet_is_value(walk, &key)) return TB_OK;
  struct tb_edge_track *track = get_track(edges, key, values_of(walk));
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

/* ---- counters of two kinds of packets ---------------------------------------------------------------------------- */

/* The value in packets with that key; NULL: there is none. */
static struct tb_edge_track *find_value(struct tb_edges *edges, uint64_t key, uint32_t machine) {
  uint32_t number;
  return tb_map_get(&edges->track_index, key, values_of_machine(machine), &number) ? &edges->tracks[number] : NULL;
}

/* Of memory the kernel's event says it in either case, since it says whose the memory is, too. */
static void settle_memory(struct tb_memory_value *value, struct tb_edge_track *statistic) {
  enum { BYTES_OF_KB = 1024 };
  bool at_start = value->has_value_at_start || statistic->has_value_at_start;
  value->has_value_at_start = statistic->has_value_at_start = at_start;
  if (at_start || !value->has_value || !statistic->has_value) return;
  if (statistic->value_time > value->time) value->size = statistic->value * BYTES_OF_KB;
  statistic->has_value = false;
}

static void settle_value(struct tb_ftrace_track *value, struct tb_edge_track *statistic) {
  bool at_start = value->has_value_at_start || statistic->has_value_at_start;
  value->has_value_at_start = statistic->has_value_at_start = at_start;
  if (at_start || !value->has_value || !statistic->has_value) return;
  if (statistic->value_time > value->value_time)
    value->has_value = false;
  else
    statistic->has_value = false;
}

/* What values in packets and events of the kernel both say comes once: the later of both. */
static void settle_values(struct tb_edges *edges) {
  struct tb_ftrace_edges *ftrace = edges->ftrace;
  for (size_t i = 0; i < ftrace->memory.value_count; i++) {
    struct tb_memory_value *value = &ftrace->memory.values[i];
    uint32_t field = tb_ftrace_memory_field(value->member);
    uint64_t key = tb_packet_values_process_key((uint64_t)value->process, field);
    struct tb_edge_track *statistic = find_value(edges, key, value->machine);
    if (statistic) settle_memory(value, statistic);
  }
  for (size_t i = 0; i < ftrace->track_count; i++) {
    struct tb_ftrace_track *track = &ftrace->tracks[i];
    struct tb_edge_track *statistic = track->stated ? find_value(edges, track->stated, track->value.machine) : NULL;
    if (statistic) settle_value(track, statistic);
  }
}

/* What is still open at the end of the trace, and the values. */
static enum tb_status take_rest(struct tb_edges *edges) {
  enum tb_status status = tb_slice_pairs_end(&edges->slices);
  for (size_t i = 0; i < edges->track_count && status == TB_OK; i++) {
    struct tb_edge_track *track = &edges->tracks[i];
    if (!track->has_value || track->has_value_at_start) continue;
    edges->values_at_start++;
    if (track->in_packet) continue;
    status = track->extra ? state(edges, track) : move(edges, track->value_number, TB_EDGE_START);
  }
  return status;
}

/* ---- the packets at the edges ------------------------------------------------------------------------------------ */

static int compare_packets(const void *a, const void *b) {
  uint64_t x = ((const struct tb_edge_packet *)a)->number, y = ((const struct tb_edge_packet *)b)->number;
  return x < y ? -1 : x > y;
}

static int compare_begins(const void *a, const void *b) {
  uint64_t x = ((const struct tb_edge_begin *)a)->number, y = ((const struct tb_edge_begin *)b)->number;
  return x < y ? -1 : x > y;
}

static void order_begins(struct tb_edges *edges) {
  struct tb_edge_begin *begins = edges->begins;
  if (edges->begin_count) qsort(begins, edges->begin_count, sizeof(*begins), compare_begins);
  for (size_t i = 1; i < edges->begin_count; i++) edges->begins_disordered |= begins[i].time < begins[i - 1].time;
  if (edges->begin_count) edges->begins_disordered |= edges->first_at_start < begins[edges->begin_count - 1].number;
}

/* There is room. */
static void list(struct tb_edges *edges, uint64_t number, enum tb_edge edge, bool stated) {
  uint32_t outlived = 0;
  (void)tb_map_get(&edges->outlived, number, 0, &outlived);
  edges->packets[edges->packet_count++] = (struct tb_edge_packet){number, edge, stated, outlived};
}

static enum tb_status list_packets(struct tb_edges *edges) {
  size_t most = edges->moved.count + edges->stated.count + edges->outlived.count + 1, at = 0;
  void *packets = edges->packets;
  enum tb_status status =
      tb_grow_array(edges->allocator, &packets, &edges->packet_capacity, most, sizeof(*edges->packets), PACKETS_MAX);
  struct tb_map_entry entry;
  edges->packets = packets;
  if (status != TB_OK) return status;
  while (tb_map_next(&edges->moved, &at, &entry))
    list(edges, entry.first, (enum tb_edge)entry.value, tb_map_find(&edges->stated, entry.first, 0) != NULL);
  for (at = 0; tb_map_next(&edges->stated, &at, &entry);)
    if (!entry.second && !tb_map_find(&edges->moved, entry.first, 0)) list(edges, entry.first, TB_EDGE_NONE, true);
  for (at = 0; tb_map_next(&edges->outlived, &at, &entry);)
    if (!tb_map_find(&edges->moved, entry.first, 0) && !tb_map_find(&edges->stated, entry.first, 0))
      list(edges, entry.first, TB_EDGE_NONE, false);
  qsort(edges->packets, edges->packet_count, sizeof(*edges->packets), compare_packets);
  if (edges->packet_count && edges->packets[edges->packet_count - 1].number > edges->last_to_stay)
    edges->last_to_stay = edges->packets[edges->packet_count - 1].number;
  list(edges, UINT64_MAX, TB_EDGE_NONE, false);
  tb_edges_rewind(edges);
  return TB_OK;
}

/* ---- runs of slices ---------------------------------------------------------------------------------------------- */

/* Values of further counters: those before the window are its own at the start. */
static enum tb_status take_run_values(struct tb_edges *edges, const struct tb_walk *walk,
                                      const struct tb_track_events *events, const struct tb_whole_run *whole) {
  const struct tb_event_sequence *sequence = &events->sequences[walk->sequence_number];
  const struct tb_slice_run *run = whole->run;
  struct tb_event_extras sums = {.count = 0};
  for (size_t i = 0; i < run->values && i < sequence->extra_count; i++) {
    sums.uuids[sums.count] = sequence->extras[i];
    sums.values[sums.count++] = (int64_t)run->further[i].sum;
    if (whole->last >= edges->window.start) continue;
    struct tb_edge_track *track = get_track(edges, sequence->extras[i], MIX_EXTRAS);
    if (!track) return TB_NO_MEMORY;
    track->extra = sequence->extras[i];
    take_value(edges, track, tb_whole_run_time(whole, &run->further[i].last), run->first + run->further[i].last.number);
  }
  if (!edges->slices.again) tb_event_runs_add_values(&edges->runs, &sums);
  return TB_OK;
}

/* Takes the events of a run that comes next at once; false: there is none, or they are to be taken one by one. */
static bool take_whole_run(struct tb_edges *edges, struct tb_walk *walk, struct tb_track_events *events,
                           enum tb_status *status) {
  struct tb_whole_run whole;
  if (!tb_whole_run_find(&whole, walk, events, edges)) return false;
  bool inside = tb_window_has(&edges->window, whole.first);
  if (inside) edges->last_to_stay = whole.run->first + whole.run->count - 1;
  extend(edges, whole.first);
  extend(edges, whole.last);
  if (!edges->slices.again) tb_event_runs_add_run(&edges->runs, &whole.events, inside);
  *status = inside ? TB_OK : take_run_values(edges, walk, events, &whole);
  if (*status == TB_OK) *status = tb_whole_run_take_slices(&whole, walk, events, edges);
  (void)tb_walk_pass_events(walk, &whole.events);
  return true;
}

/* Takes the plain events that come next, which most packets are. */
static enum tb_status take_plain_events(struct tb_edges *edges, struct tb_walk *walk, struct tb_track_events *events) {
  struct tb_plain_event event;
  enum tb_status status = TB_OK;
  while (status == TB_OK) {
    if (take_whole_run(edges, walk, events, &status)) continue;
    if (!tb_track_events_next_plain(events, walk, &event)) break;
    if (tb_window_has(&edges->window, walk->host_time)) edges->last_to_stay = walk->number;
    extend(edges, walk->host_time);
    add_to_run(edges, walk, events, &event.packet, event.fields.has & TB_EVENT_HAS_EXTRAS);
    if (event.fields.has & TB_EVENT_HAS_EXTRAS) status = take_extras(edges, walk, events);
    if (event.role == TB_ROLE_COMPLETE && status == TB_OK) status = take_whole_slice(edges, walk, event.duration_ns);
    if (status != TB_OK || (event.role != TB_ROLE_BEGIN && event.role != TB_ROLE_END)) continue;
    struct tb_slice_edge edge = {
        walk->host_time, walk->number, event.fields.name, event.fields.categories, event.role == TB_ROLE_END, 0};
    status = tb_slice_pairs_take(&edges->slices, event.fields.track, 0, &edge);
  }
  return status;
}

/* TB_END, or what failed. */
static enum tb_status read_all(struct tb_edges *edges, struct tb_walk *walk, struct tb_track_events *events) {
  tb_track_events_rewind(events);
  edges->next_slice_run = 0;
  enum tb_status status = tb_walk_start(walk);
  while (status == TB_OK) {
    status = take_plain_events(edges, walk, events);
    if (status == TB_OK) status = tb_walk_next(walk);
    if (status == TB_OK && walk->packet.packet.ptr) status = take_packet(edges, walk, events);
  }
  return status;
}

enum tb_status tb_edges_find(struct tb_edges *edges, struct tb_walk *walk, struct tb_track_events *events,
                             const struct tb_window *window, const struct tb_slice_runs *slice_runs,
                             struct tb_ftrace_edges *ftrace, struct tb_etw_edges *etw) {
  const struct tb_allocator *a = walk->merger.allocator;
  *edges = (struct tb_edges){.allocator = a,
                             .window = *window,
                             .slice_runs = slice_runs,
                             .ftrace = ftrace,
                             .etw = etw,
                             .first = INT64_MAX,
                             .last = INT64_MIN,
                             .first_at_start = UINT64_MAX};
  tb_map_init(&edges->moved, a);
  tb_map_init(&edges->stated, a);
  tb_map_init(&edges->outlived, a);
  tb_map_init(&edges->track_index, a);
  tb_wakelocks_init(&edges->wakelocks, a);
  tb_buffer_init(&edges->scratch, a, 0);
  tb_event_runs_init(&edges->runs, a);
  tb_slice_pairs_init(&edges->slices, a, take_slice, edges);
  edges->slices.outlived = take_outlived;
  enum tb_status status = TB_OK;
  struct tb_map_entry track;
  for (size_t at = 0; status == TB_OK && tb_map_next(&slice_runs->disordered, &at, &track);)
    status = tb_slice_pairs_gather(&edges->slices, track.first, 0);
  if (status == TB_OK) status = read_all(edges, walk, events);
  tb_event_runs_end(&edges->runs);
  if (status == TB_END && tb_slice_pairs_disordered(&edges->slices)) {
    start_again(edges);
    status = read_all(edges, walk, events);
  }
  if (status == TB_END) status = tb_ftrace_edges_settle(ftrace);
  if (status == TB_OK) settle_values(edges);
  if (status == TB_OK) status = take_rest(edges);
  if (status == TB_OK) order_begins(edges);
  if (status == TB_OK) status = list_packets(edges);
  if (status == TB_OK) status = tb_ftrace_edges_end(ftrace);
  if (status == TB_OK) status = tb_etw_edges_end(etw);
  return status == TB_OK ? TB_OK : tb_fail(&walk->merger.error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

void tb_edges_free(struct tb_edges *edges) {
  if (!edges->allocator) return;
  tb_slice_pairs_free(&edges->slices);
  tb_free(edges->allocator, edges->packets, edges->packet_capacity * sizeof(*edges->packets));
  tb_free(edges->allocator, edges->begins, edges->begin_capacity * sizeof(*edges->begins));
  tb_free(edges->allocator, edges->tracks, edges->track_capacity * sizeof(*edges->tracks));
  tb_event_runs_free(&edges->runs);
  tb_map_free(&edges->moved);
  tb_map_free(&edges->stated);
  tb_map_free(&edges->outlived);
  tb_map_free(&edges->track_index);
  tb_wakelocks_free(&edges->wakelocks);
  tb_buffer_free(&edges->scratch);
}
