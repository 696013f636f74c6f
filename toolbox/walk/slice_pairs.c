/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/walk/slice_pairs.h"

#include "base/memory.h"
#include "toolbox/walk/time_sort.h"

enum { TRACKS_MAX = 1 << 24, DEPTH_MAX = 1 << 24, EVENTS_MAX = 1 << 28 };
/* How many events of a track wait at most, and how many where there is no more room for those of all tracks: 8 MB. If
 * none of so many was late by the time that room is made for as many, none will be. */
enum { WAITING_MAX = 1 << 13, WAITING_LEAST = 1 << 6, WAITING_ROOM = 1 << 18, IN_ORDER_ENOUGH = 1 << 15 };

void tb_slice_pairs_init(struct tb_slice_pairs *pairs, const struct tb_allocator *allocator, tb_slice_pair_sink sink,
                         void *ctx) {
  *pairs = (struct tb_slice_pairs){.allocator = allocator, .settling = tb_settling(), .sink = sink, .ctx = ctx};
  tb_map_init(&pairs->index, allocator);
}

void tb_slice_pairs_free(struct tb_slice_pairs *pairs) {
  if (!pairs->allocator) return;
  for (size_t i = 0; i < pairs->track_count; i++) {
    struct tb_slice_track *track = &pairs->tracks[i];
    tb_free(pairs->allocator, track->open, track->capacity * sizeof(*track->open));
    tb_free(pairs->allocator, track->gathered, track->gathered_capacity * sizeof(*track->gathered));
  }
  tb_free(pairs->allocator, pairs->tracks, pairs->track_capacity * sizeof(*pairs->tracks));
  tb_map_free(&pairs->index);
}

static __attribute__((noinline)) struct tb_slice_track *add_track(struct tb_slice_pairs *pairs, uint64_t key,
                                                                  uint64_t kind) {
  void *tracks = pairs->tracks;
  uint32_t number = (uint32_t)pairs->track_count;
  enum tb_status status = tb_grow_array(pairs->allocator, &tracks, &pairs->track_capacity, pairs->track_count + 1,
                                        sizeof(*pairs->tracks), TRACKS_MAX);
  pairs->tracks = tracks;
  if (status != TB_OK || tb_map_put(&pairs->index, key, kind, number) != TB_OK) return NULL;
  pairs->tracks[pairs->track_count++] = (struct tb_slice_track){.reached = INT64_MIN, .paired = INT64_MIN};
  return &pairs->tracks[number];
}

/* NULL where memory is out. */
static inline struct tb_slice_track *get_track(struct tb_slice_pairs *pairs, uint64_t key, uint64_t kind) {
  uint32_t number;
  bool known = tb_map_get_recent(&pairs->index, &pairs->recent, key, kind, &number);
  return known ? &pairs->tracks[number] : add_track(pairs, key, kind);
}

static __attribute__((noinline)) enum tb_status deepen(struct tb_slice_pairs *pairs, struct tb_slice_track *track) {
  void *open = track->open;
  enum tb_status status =
      tb_grow_array(pairs->allocator, &open, &track->capacity, track->count + 1, sizeof(*track->open), DEPTH_MAX);
  track->open = open;
  return status;
}

static inline enum tb_status begin(struct tb_slice_pairs *pairs, struct tb_slice_track *track,
                                   const struct tb_slice_edge *edge) {
  enum tb_status status = track->count < track->capacity ? TB_OK : deepen(pairs, track);
  if (status == TB_OK) track->open[track->count++] = *edge;
  return status;
}

/* The innermost open slice that an end may mean; false where there is none. */
static inline bool find_open(const struct tb_slice_track *track, const struct tb_slice_edge *end, size_t *at) {
  for (*at = track->count; (*at)-- > 0;)
    if (tb_slice_edge_may_end(end, &track->open[*at])) return true;
  return false;
}

static inline enum tb_status end(struct tb_slice_pairs *pairs, struct tb_slice_track *track,
                                 const struct tb_slice_edge *edge) {
  size_t at;
  if (!find_open(track, edge, &at)) return TB_OK;
  const struct tb_slice_edge slice = track->open[at];
  if (pairs->outlived && at + 1 < track->count) {
    track->open[at] = *edge;
    track->outlived++;
  } else if (--track->count != at) {
    memmove(&track->open[at], &track->open[at + 1], (track->count - at) * sizeof(slice));
  }
  return pairs->sink(pairs->ctx, &slice, edge);
}

/* Takes off what is in a slice that ended before `time`. */
static enum tb_status end_outlived(struct tb_slice_pairs *pairs, struct tb_slice_track *track, int64_t time) {
  enum tb_status status = TB_OK;
  for (size_t i = track->count; track->outlived && i-- > 0;) {
    const struct tb_slice_edge outer = track->open[i];
    bool is_innermost = i + 1 == track->count;
    if (!outer.ends || (is_innermost ? time < outer.time : time <= outer.time)) continue;
    while (--track->count > i)
      if (status == TB_OK) status = pairs->outlived(pairs->ctx, &track->open[track->count], &outer, time);
    track->outlived--;
  }
  return status;
}

static TB_ALWAYS_INLINE enum tb_status put(struct tb_slice_pairs *pairs, struct tb_slice_track *track,
                                           const struct tb_slice_edge *edge) {
  enum tb_status status = track->outlived ? end_outlived(pairs, track, edge->time) : TB_OK;
  if (status != TB_OK) return status;
  return edge->ends ? end(pairs, track, edge) : begin(pairs, track, edge);
}

/* ---- tracks whose events are not in order ------------------------------------------------------------------------ */

static enum tb_status gather(struct tb_slice_pairs *pairs, struct tb_slice_track *track,
                             const struct tb_slice_edge *edge) {
  void *gathered = track->gathered;
  enum tb_status status = tb_grow_array(pairs->allocator, &gathered, &track->gathered_capacity,
                                        track->gathered_count + 1, sizeof(*track->gathered), EVENTS_MAX);
  track->gathered = gathered;
  if (status != TB_OK) return status;
  track->gathered[track->gathered_count++] = *edge;
  if (pairs->gathers_all) tb_settling_add(&pairs->settling, edge->time);
  return TB_OK;
}

/* Pairs what was gathered of a track and is before `until`; INT64_MAX: all of it. */
static enum tb_status put_gathered(struct tb_slice_pairs *pairs, struct tb_slice_track *track, int64_t until) {
  enum tb_status status =
      tb_sort_by_time(pairs->allocator, track->gathered, track->gathered_count, sizeof(*track->gathered));
  size_t i = 0;
  while (status == TB_OK && i < track->gathered_count && (track->gathered[i].time < until || until == INT64_MAX))
    status = put(pairs, track, &track->gathered[i++]);
  track->gathered_count -= i;
  if (pairs->gathers_all) pairs->settling.waiting -= i;
  if (i && track->gathered_count)
    memmove(track->gathered, track->gathered + i, track->gathered_count * sizeof(*track->gathered));
  return status;
}

enum tb_status tb_slice_pairs_settle(struct tb_slice_pairs *pairs, int64_t until) {
  enum tb_status status = TB_OK;
  if (!tb_settling_begin(&pairs->settling, until)) return TB_OK;
  for (size_t i = 0; i < pairs->track_count && status == TB_OK; i++)
    if (pairs->tracks[i].gathered_count) status = put_gathered(pairs, &pairs->tracks[i], until);
  tb_settling_end(&pairs->settling);
  return status;
}

/* One of a track that is expected to be in order. */
static enum tb_status take_next(struct tb_slice_pairs *pairs, struct tb_slice_track *track,
                                const struct tb_slice_edge *edge) {
  if (track->reached_any && edge->time < track->reached) track->disordered = true;
  track->reached = edge->time;
  track->reached_any = true;
  return put(pairs, track, edge);
}

/* ---- tracks whose events wait ------------------------------------------------------------------------------------ */

/* Whether one of those that wait is so late that others may not be in time: before one that came many events before it.
 * Where none is, none is before what was paired, nor is the last one that came in the first half. */
static bool is_far_from_order(const struct tb_slice_track *track) {
  const size_t far = track->gathered_count / 4;
  int64_t last = INT64_MIN;
  for (size_t i = far; i < track->gathered_count; i++) {
    if (track->gathered[i - far].time > last) last = track->gathered[i - far].time;
    if (track->gathered[i].time < last) return true;
  }
  return false;
}

/* Puts those that wait in the order of time. */
static enum tb_status sort_waiting(struct tb_slice_pairs *pairs, struct tb_slice_track *track) {
  if (!track->unsorted) return TB_OK;
  track->unsorted = false;
  pairs->any_late = true;
  return tb_sort_by_time(pairs->allocator, track->gathered, track->gathered_count, sizeof(*track->gathered));
}

/* Pairs the first of those that wait, which are in order. */
static enum tb_status pair_waiting(struct tb_slice_pairs *pairs, struct tb_slice_track *track, size_t count) {
  enum tb_status status = TB_OK;
  for (const struct tb_slice_edge *edge = track->gathered; edge < track->gathered + count && status == TB_OK; edge++)
    status = put(pairs, track, edge);
  track->paired = track->gathered[count - 1].time;
  track->gathered_count -= count;
  pairs->waited += count;
  memmove(track->gathered, track->gathered + count, track->gathered_count * sizeof(*track->gathered));
  return status;
}

/* Pairs all that wait where none of any track was late. */
static enum tb_status stop_waiting(struct tb_slice_pairs *pairs) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < pairs->track_count; i++) pairs->any_late |= pairs->tracks[i].unsorted;
  if (pairs->any_late) return TB_OK;
  pairs->waits = false;
  for (size_t i = 0; i < pairs->track_count && status == TB_OK; i++) {
    struct tb_slice_track *track = &pairs->tracks[i];
    track->reached_any = true;
    if (track->gathered_count) status = pair_waiting(pairs, track, track->gathered_count);
  }
  return status;
}

/* Makes room: for more that wait, as long as there may be more, else by pairing the first half. A track that is far
 * from order is gathered from here on. */
static enum tb_status make_room(struct tb_slice_pairs *pairs, struct tb_slice_track *track) {
  const size_t count = track->gathered_count;
  enum tb_status status = TB_OK;
  if (pairs->waiting_room + pairs->waited >= IN_ORDER_ENOUGH && !pairs->any_late) status = stop_waiting(pairs);
  bool may_grow = count < (pairs->waiting_room < WAITING_ROOM ? WAITING_MAX : WAITING_LEAST);
  if (status != TB_OK || !pairs->waits || may_grow) return status;
  track->gathers = track->unsorted && is_far_from_order(track);
  if (track->gathers) return TB_OK;
  status = sort_waiting(pairs, track);
  return status == TB_OK ? pair_waiting(pairs, track, count / 2) : status;
}

static enum tb_status wait(struct tb_slice_pairs *pairs, struct tb_slice_track *track,
                           const struct tb_slice_edge *edge) {
  const size_t room = track->gathered_capacity;
  enum tb_status status = track->gathered_count && !track->gathers ? make_room(pairs, track) : TB_OK;
  if (status != TB_OK || !pairs->waits) return status == TB_OK ? take_next(pairs, track, edge) : status;
  track->unsorted |= edge->time < track->reached;
  track->reached = edge->time;
  status = gather(pairs, track, edge);
  pairs->waiting_room += track->gathered_capacity - room;
  return status;
}

enum tb_status tb_slice_pairs_take_any(struct tb_slice_pairs *pairs, uint64_t key, uint64_t kind,
                                       const struct tb_slice_edge *edge) {
  struct tb_slice_track *track = get_track(pairs, key, kind);
  if (!track) return TB_NO_MEMORY;
  if (pairs->waits) return wait(pairs, track, edge);
  if (pairs->gathers_all || track->gathers) return gather(pairs, track, edge);
  return take_next(pairs, track, edge);
}

/* ---- many at once ------------------------------------------------------------------------------------------------ */

bool tb_slice_pairs_can_take_run(const struct tb_slice_pairs *pairs, uint64_t key, uint64_t kind, size_t ends,
                                 const struct tb_slice_edge **outermost) {
  uint32_t number;
  *outermost = NULL;
  if (pairs->gathers_all) return false;
  if (!tb_map_get(&pairs->index, key, kind, &number)) return true;
  const struct tb_slice_track *track = &pairs->tracks[number];
  if (track->outlived || track->gathers) return false;
  if (ends && track->count) *outermost = &track->open[track->count > ends ? track->count - ends : 0];
  return true;
}

enum tb_status tb_slice_pairs_take_run(struct tb_slice_pairs *pairs, uint64_t key, uint64_t kind, size_t ends,
                                       int64_t first, int64_t last) {
  struct tb_slice_track *track = get_track(pairs, key, kind);
  const struct tb_slice_edge end = {.time = last, .ends = true};
  enum tb_status status = TB_OK;
  if (!track) return TB_NO_MEMORY;
  if (track->reached_any && first < track->reached) track->disordered = true;
  track->reached = last;
  track->reached_any = true;
  for (; ends && track->count && status == TB_OK; ends--) {
    const struct tb_slice_edge slice = track->open[--track->count];
    status = pairs->sink(pairs->ctx, &slice, &end);
  }
  return status;
}

enum tb_status tb_slice_pairs_open(struct tb_slice_pairs *pairs, uint64_t key, uint64_t kind,
                                   const struct tb_slice_edge *edge) {
  struct tb_slice_track *track = get_track(pairs, key, kind);
  return track ? begin(pairs, track, edge) : TB_NO_MEMORY;
}

const struct tb_slice_edge *tb_slice_pairs_innermost(const struct tb_slice_pairs *pairs, uint64_t key, uint64_t kind) {
  uint32_t number;
  if (!tb_map_get(&pairs->index, key, kind, &number) || !pairs->tracks[number].count) return NULL;
  return &pairs->tracks[number].open[pairs->tracks[number].count - 1];
}

enum tb_status tb_slice_pairs_gather(struct tb_slice_pairs *pairs, uint64_t key, uint64_t kind) {
  struct tb_slice_track *track = get_track(pairs, key, kind);
  if (!track) return TB_NO_MEMORY;
  track->gathers = true;
  return TB_OK;
}

/* Of a track that does not wait, or of one that was gathered late, or at the end of the trace. */
static bool is_disordered(const struct tb_slice_track *track) {
  for (size_t i = 0; track->unsorted && i < track->gathered_count; i++)
    if (track->gathered[i].time < track->paired) return true;
  return track->disordered;
}

bool tb_slice_pairs_disordered(const struct tb_slice_pairs *pairs) {
  for (size_t i = 0; i < pairs->track_count; i++)
    if (is_disordered(&pairs->tracks[i])) return true;
  return false;
}

void tb_slice_pairs_start_again(struct tb_slice_pairs *pairs) {
  pairs->again = pairs->any_late = true;
  pairs->settling.waiting = 0;
  for (size_t i = 0; i < pairs->track_count; i++) {
    struct tb_slice_track *track = &pairs->tracks[i];
    track->gathers |= is_disordered(track);
    track->count = track->outlived = track->gathered_count = 0;
    track->reached_any = track->unsorted = track->disordered = false;
    track->reached = track->paired = INT64_MIN;
  }
}

enum tb_status tb_slice_pairs_end(struct tb_slice_pairs *pairs) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < pairs->track_count && status == TB_OK; i++) {
    struct tb_slice_track *track = &pairs->tracks[i];
    status = put_gathered(pairs, track, INT64_MAX);
    tb_free(pairs->allocator, track->gathered, track->gathered_capacity * sizeof(*track->gathered));
    track->gathered = NULL;
    track->gathered_capacity = 0;
    for (size_t j = 0; j < track->count && status == TB_OK; j++)
      if (!track->open[j].ends) status = pairs->sink(pairs->ctx, &track->open[j], NULL);
  }
  return status;
}
