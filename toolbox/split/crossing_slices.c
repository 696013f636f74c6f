/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/split/crossing_slices.h"

#include "protos/field_numbers.h"
#include "toolbox/split/split_plan.h"

enum { TRACKS_MAX = 1 << 24, PART_SHIFT = 48 };

static uint64_t tied_number(uint64_t tie) { return tie & ((UINT64_C(1) << PART_SHIFT) - 1); }

static uint64_t key_of(const struct tb_walk *walk, uint64_t track) {
  return tb_mix64(track ^ (uint64_t)walk->packet.head.machine << 32) | 1;
}

/* ---- what crosses ------------------------------------------------------------------------------------------------ */

static enum tb_status tie(struct tb_crossing_slices *crossing, const struct tb_slice_edge *end, size_t part) {
  uint32_t number;
  if (!tb_map_get(&crossing->track_index, crossing->track, 0, &number)) return TB_OK;
  const struct tb_track_reached *reached = &crossing->tracks[number];
  if (reached->time != end->time || reached->first_number >= end->number || !reached->needs_order) return TB_OK;
  const uint64_t *tied = tb_map_find(&crossing->ties, crossing->track, (uint64_t)end->time);
  if (tied && *tied >> PART_SHIFT < part) part = (size_t)(*tied >> PART_SHIFT);
  return tb_map_put(&crossing->ties, crossing->track, (uint64_t)end->time, (uint64_t)part << PART_SHIFT | end->number);
}

static enum tb_status take_pair(void *ctx, const struct tb_slice_edge *begin, const struct tb_slice_edge *end) {
  struct tb_crossing_slices *crossing = ctx;
  if (!end) return TB_OK;
  size_t part = tb_split_plan_place(crossing->plan, begin->time, begin->number);
  if (part == tb_split_plan_place(crossing->plan, end->time, end->number)) return TB_OK;
  enum tb_status status = tb_map_put(&crossing->moved, end->number, 0, part);
  return status == TB_OK && crossing->track ? tie(crossing, end, part) : status;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* What an end says is with its begin where the part is converted. */
static bool is_plain_end(const struct tb_crossing_slices *crossing, const struct tb_walk *walk,
                         const struct tb_event_view *view) {
  struct tb_wire_cursor cursor = tb_wire_cursor(walk->packet.head.payload);
  struct tb_wire_field field;
  bool plain = view->role == TB_ROLE_END;
  while (plain && !crossing->plan->other_format && tb_wire_read(&cursor, &field) == TB_OK)
    plain = field.number == TB_TRACK_EVENT_TYPE || field.number == TB_TRACK_EVENT_TRACK_UUID;
  return plain;
}

static enum tb_status come_to(struct tb_crossing_slices *crossing, int64_t time, uint64_t number, bool needs_order) {
  uint32_t at;
  if (tb_map_get(&crossing->track_index, crossing->track, 0, &at)) {
    struct tb_track_reached *reached = &crossing->tracks[at];
    if (reached->time != time) *reached = (struct tb_track_reached){time, number, needs_order};
    reached->needs_order |= needs_order;
    return TB_OK;
  }
  void *tracks = crossing->tracks;
  enum tb_status status = tb_grow_array(crossing->slices.allocator, &tracks, &crossing->capacity, crossing->count + 1,
                                        sizeof(*crossing->tracks), TRACKS_MAX);
  crossing->tracks = tracks;
  if (status == TB_OK) status = tb_map_put(&crossing->track_index, crossing->track, 0, crossing->count);
  if (status == TB_OK) crossing->tracks[crossing->count++] = (struct tb_track_reached){time, number, needs_order};
  return status;
}

enum tb_status tb_crossing_slices_take(struct tb_crossing_slices *crossing, const struct tb_walk *walk,
                                       const struct tb_event_view *view) {
  if (!walk->time.resolved || view->role == TB_ROLE_VALUE || view->role == TB_ROLE_ABOUT) return TB_OK;
  crossing->track = key_of(walk, view->track);
  enum tb_status status = come_to(crossing, walk->host_time, walk->number, !is_plain_end(crossing, walk, view));
  struct tb_slice_edge edge = {
      walk->host_time, walk->number, view->name, view->categories, view->role == TB_ROLE_END, 0};
  if (status == TB_OK && (view->role == TB_ROLE_BEGIN || view->role == TB_ROLE_END))
    status = tb_slice_pairs_take(&crossing->slices, view->track, walk->packet.head.machine, &edge);
  crossing->track = 0;
  return status;
}

size_t tb_crossing_slices_part(const struct tb_crossing_slices *crossing, const struct tb_walk *walk,
                               const struct tb_event_view *view, size_t part) {
  const uint64_t *moved = crossing->moved.count ? tb_map_find(&crossing->moved, walk->number, 0) : NULL;
  if (moved) part = (size_t)*moved;
  if (!crossing->ties.count || !walk->time.resolved || view->role == TB_ROLE_VALUE) return part;
  const uint64_t *tied = tb_map_find(&crossing->ties, key_of(walk, view->track), (uint64_t)walk->host_time);
  return tied && walk->number <= tied_number(*tied) ? (size_t)(*tied >> PART_SHIFT) : part;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void tb_crossing_slices_init(struct tb_crossing_slices *crossing, struct tb_split_plan *plan,
                             const struct tb_allocator *allocator) {
  *crossing = (struct tb_crossing_slices){.plan = plan};
  tb_slice_pairs_init(&crossing->slices, allocator, take_pair, crossing);
  tb_map_init(&crossing->moved, allocator);
  tb_map_init(&crossing->ties, allocator);
  tb_map_init(&crossing->track_index, allocator);
}

void tb_crossing_slices_free(struct tb_crossing_slices *crossing) {
  if (!crossing->plan) return;
  tb_free(crossing->slices.allocator, crossing->tracks, crossing->capacity * sizeof(*crossing->tracks));
  tb_slice_pairs_free(&crossing->slices);
  tb_map_free(&crossing->moved);
  tb_map_free(&crossing->ties);
  tb_map_free(&crossing->track_index);
}

void tb_crossing_slices_start_again(struct tb_crossing_slices *crossing) {
  tb_slice_pairs_start_again(&crossing->slices);
  tb_map_clear(&crossing->moved);
  tb_map_clear(&crossing->ties);
  tb_map_clear(&crossing->track_index);
  crossing->count = 0;
}
