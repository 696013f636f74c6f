/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/ftrace_slices.h"

#include "toolbox/walk/time_sort.h"

enum { EVENTS_MAX = 1 << 28 };

enum tb_status tb_ftrace_slices_append(struct tb_ftrace_edges *edges, struct tb_ftrace_slice_edge **list, size_t *count,
                                       size_t *capacity, const struct tb_ftrace_slice_edge *edge) {
  void *items = *list;
  enum tb_status status =
      tb_grow_array(edges->track_index.allocator, &items, capacity, *count + 1, sizeof(**list), EVENTS_MAX);
  *list = items;
  if (status == TB_OK) (*list)[(*count)++] = *edge;
  return status;
}

bool tb_ftrace_slices_may_repeat(const struct tb_ftrace_edges *edges, const struct tb_ftrace_slice_edge *edge) {
  if (edge->time >= edges->window.end) return edge->ends || edge->received;
  return edge->time < edges->window.start && (!edge->ends || edge->received);
}

bool tb_ftrace_slices_sent(const struct tb_ftrace_edges *edges, uint32_t number, uint32_t machine,
                           enum tb_ftrace_transaction *transaction, int64_t *time) {
  const uint64_t *found = edges->transactions.count ? tb_map_find(&edges->transactions, number, machine) : NULL;
  if (!found) return false;
  *transaction = (enum tb_ftrace_transaction)(*found & 3);
  *time = (int64_t)*found >> 2;
  return true;
}

/* ---- pairs, in the order of time --------------------------------------------------------------------------------- */

static enum tb_status repeat(struct tb_ftrace_edges *edges, const struct tb_ftrace_slice_edge *edge) {
  uint64_t *slices = edge->ends ? &edges->slices_at_end : &edges->slices_at_start;
  ++*slices;
  return tb_ftrace_slices_append(edges, &edges->repeated, &edges->repeated_count, &edges->repeated_capacity, edge);
}

/* Whether what is received begins or ends; false: nobody waits for it, or nobody sent it before, and it does not
 * stay. */
static bool resolve_received(const struct tb_ftrace_edges *edges, struct tb_ftrace_slice_edge *edge) {
  enum tb_ftrace_transaction transaction = TB_FTRACE_ONE_WAY;
  int64_t time;
  if (!edge->received) return true;
  if (!tb_ftrace_slices_sent(edges, edge->transaction, edge->kept.machine, &transaction, &time) ||
      transaction == TB_FTRACE_ONE_WAY || time > edge->time)
    return false;
  edge->ends = transaction == TB_FTRACE_REPLY;
  return true;
}

/* A slice from the start on, which ends there or at the end of the window. */
static enum tb_status end_slice(struct tb_ftrace_edges *edges, const struct tb_ftrace_slice_edge *begin,
                                const struct tb_ftrace_slice_edge *end) {
  const struct tb_window *window = &edges->window;
  enum tb_ftrace_transaction transaction;
  int64_t time;
  enum tb_status status = TB_OK;
  if (begin->time >= window->end) return TB_OK;
  if (end->received && tb_ftrace_slices_sent(edges, end->transaction, end->kept.machine, &transaction, &time) &&
      (time <= window->start || time >= window->end))
    status = tb_ftrace_slices_append(edges, &edges->replies, &edges->reply_count, &edges->reply_capacity, end);
  return status != TB_OK || end->time < window->end ? status : repeat(edges, end);
}

/* What is open is so at the start of the window. */
static enum tb_status enter_window(struct tb_ftrace_edges *edges, struct tb_ftrace_track *track) {
  enum tb_status status = TB_OK;
  track->is_inside = true;
  for (size_t i = track->first_open; i < track->open_count && status == TB_OK; i++)
    status = repeat(edges, &track->open[i]);
  return status;
}

/* Takes out, of the open begins, the one that an end is of; false: none. */
static bool close_slice(struct tb_ftrace_track *track, const struct tb_ftrace_slice_edge *end,
                        struct tb_ftrace_slice_edge *begin) {
  if (track->first_open == track->open_count) return false;
  if (end->call && end->call != track->open[track->open_count - 1].call) return false;
  *begin = track->open[track->is_queue ? track->first_open++ : --track->open_count];
  if (track->first_open == track->open_count) track->first_open = track->open_count = 0;
  return true;
}

/* The next event of a track in the order of time. Up to the start, and at it, an end is of nothing that is in the
 * window. */
static enum tb_status pair(struct tb_ftrace_edges *edges, struct tb_ftrace_track *track,
                           struct tb_ftrace_slice_edge *edge) {
  const struct tb_window *window = &edges->window;
  struct tb_ftrace_slice_edge begin;
  enum tb_status status = TB_OK;
  if (!resolve_received(edges, edge) || edge->time < tb_ftrace_edges_whole_from(edges, edge->kept.machine) ||
      track->is_done)
    return TB_OK;
  bool is_before = edge->time < window->start || (edge->ends && edge->time == window->start);
  if (!track->is_inside && !is_before) status = enter_window(edges, track);
  if (status != TB_OK) return status;
  if (!edge->ends) return tb_ftrace_slices_append(edges, &track->open, &track->open_count, &track->open_capacity, edge);
  track->ends_at_start += !track->is_inside && edge->time == window->start;
  if (close_slice(track, edge, &begin) && track->is_inside) status = end_slice(edges, &begin, edge);
  track->is_done = track->is_queue && track->is_inside && edge->time >= window->end;
  return status;
}

/* Pairs what of a track waits and is before `until`; INT64_MAX: all of it. */
static enum tb_status pair_until(struct tb_ftrace_edges *edges, struct tb_ftrace_track *track, int64_t until) {
  enum tb_status status =
      tb_sort_by_time(edges->track_index.allocator, track->edges, track->count, sizeof(*track->edges));
  size_t i = 0;
  while (status == TB_OK && i < track->count && (track->edges[i].time < until || until == INT64_MAX))
    status = pair(edges, track, &track->edges[i++]);
  track->count -= i;
  edges->settling.waiting -= i;
  if (i && track->count) memmove(track->edges, track->edges + i, track->count * sizeof(*track->edges));
  track->open_count -= track->first_open;
  if (track->first_open)
    memmove(track->open, track->open + track->first_open, track->open_count * sizeof(*track->open));
  track->first_open = 0;
  return status;
}

/* ---- what waits -------------------------------------------------------------------------------------------------- */

enum tb_status tb_ftrace_slices_add(struct tb_ftrace_edges *edges, struct tb_ftrace_track *track,
                                    const struct tb_ftrace_slice_edge *edge) {
  tb_settling_add(&edges->settling, edge->time);
  return tb_ftrace_slices_append(edges, &track->edges, &track->count, &track->capacity, edge);
}

static bool move_bytes(struct tb_arena *arena, struct tb_ftrace_slice_edge *edges, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!edges[i].kept.bytes.ptr) continue;
    edges[i].kept.bytes = tb_arena_copy(arena, edges[i].kept.bytes);
    if (!edges[i].kept.bytes.ptr) return false;
  }
  return true;
}

/* Frees the bytes of events that are of no use any more. */
static enum tb_status free_bytes(struct tb_ftrace_edges *edges) {
  struct tb_arena arena;
  tb_arena_init(&arena, edges->track_index.allocator, 0);
  bool ok = move_bytes(&arena, edges->repeated, edges->repeated_count) &&
            move_bytes(&arena, edges->replies, edges->reply_count) &&
            move_bytes(&arena, edges->works, edges->work_count);
  for (size_t i = 0; i < edges->track_count && ok; i++) {
    struct tb_ftrace_track *track = &edges->tracks[i];
    ok = move_bytes(&arena, track->edges, track->count) && move_bytes(&arena, track->open, track->open_count);
  }
  struct tb_arena old = ok ? edges->arena : arena;
  if (ok) edges->arena = arena;
  tb_arena_free(&old);
  return ok ? TB_OK : TB_NO_MEMORY;
}

enum tb_status tb_ftrace_slices_settle(struct tb_ftrace_edges *edges) {
  int64_t until = tb_ftrace_reached_by_all(&edges->reach);
  enum tb_status status = TB_OK;
  if (!tb_settling_begin(&edges->settling, until)) return TB_OK;
  for (size_t i = 0; i < edges->track_count && status == TB_OK; i++)
    if (edges->tracks[i].count) status = pair_until(edges, &edges->tracks[i], until);
  tb_settling_end(&edges->settling);
  return status == TB_OK ? free_bytes(edges) : status;
}

enum tb_status tb_ftrace_slices_end(struct tb_ftrace_edges *edges) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < edges->track_count && status == TB_OK; i++) {
    struct tb_ftrace_track *track = &edges->tracks[i];
    status = pair_until(edges, track, INT64_MAX);
    if (status == TB_OK && !track->is_inside) status = enter_window(edges, track);
  }
  return status;
}
