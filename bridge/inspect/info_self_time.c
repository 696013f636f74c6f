/* SPDX-License-Identifier: Apache-2.0
 *
 * Each slice adds its time to its name, and takes it off the name of the slice that it is directly in. Slices come in
 * the order of their begins, so that this one is known already, or in that of their ends, so that it is still to come.
 * For the first, a track's slices that have not ended are kept, as a stack; for the second those that are in none of
 * these. When the latter are many, the older half becomes one entry that has their sum: whatever comes later and is
 * around one of them is around all of them, where they come in the order of their ends.
 */
#include "inspect/info_self_time.h"

#include "base/memory.h"

enum { SLICES_MAX = 1024, OPEN_MAX = 1 << 16 };

static uint64_t length(int64_t begin, int64_t end) { return end > begin ? (uint64_t)end - (uint64_t)begin : 0; }

/* Sums wrap, as do lengths of more than INT64_MAX. */
static int64_t less(uint64_t total) { return (int64_t)(0 - total); }

static bool is_inside(const struct tb_self_slice *inner, const struct tb_self_slice *outer) {
  return inner->begin >= outer->begin && inner->end <= outer->end;
}

static void set_reaches(struct tb_self_track *track, size_t from) {
  for (size_t i = from; i < track->count; i++) {
    int64_t before = i ? track->slices[i - 1].reaches : INT64_MIN;
    track->slices[i].reaches = before > track->slices[i].end ? before : track->slices[i].end;
  }
}

/* Joins what has ended before `now` in the older half. */
static void join_older(struct tb_self_track *track, int64_t now) {
  struct tb_self_slice *slices = track->slices;
  size_t kept = 0, half = track->count / 2;
  for (size_t i = 0; i < track->count; i++) {
    struct tb_self_slice *last = kept ? &slices[kept - 1] : NULL;
    bool joins = i < half && last && slices[i].end <= now && last->end <= slices[i].begin && !slices[i].is_child &&
                 !last->is_child;
    if (joins) {
      *last = (struct tb_self_slice){last->begin, slices[i].end, last->total + slices[i].total, 0, 0, false};
    } else if (i >= half || slices[i].end > now || !slices[i].is_child) {
      slices[kept++] = slices[i];
    }
  }
  track->count = kept;
  if (track->count == SLICES_MAX) { /* all are open: the outermost of so many is given up */
    memmove(slices, slices + 1, (SLICES_MAX - 1) * sizeof(*slices));
    track->count--;
  }
  set_reaches(track, 0);
}

/* Takes away what is inside of the slice, of which it is the parent, and what cannot have anything in it any more. */
static void take_children(struct tb_self_track *track, struct tb_self_slice *slice, tb_self_add add, void *ctx) {
  while (track->count) {
    const struct tb_self_slice *top = &track->slices[track->count - 1];
    bool same = top->begin == slice->begin && top->end == slice->end;
    bool inside = is_inside(top, slice) && !same;
    if (!inside && !(top->is_child && top->end <= slice->begin)) break;
    if (inside && !top->is_child && slice->name) add(ctx, slice->name, less(top->total));
    track->count--;
  }
}

static const struct tb_self_slice *find_parent(const struct tb_self_track *track, const struct tb_self_slice *slice) {
  for (size_t i = track->count; i-- && track->slices[i].reaches >= slice->end;)
    if (is_inside(slice, &track->slices[i])) return &track->slices[i];
  return NULL;
}

bool tb_self_track_slice(const struct tb_allocator *allocator, struct tb_self_track *track, int64_t begin, int64_t end,
                         uint32_t name, tb_self_add add, void *ctx) {
  struct tb_self_slice slice = {.begin = begin, .end = end, .total = length(begin, end), .name = name};
  if (name) add(ctx, name, (int64_t)slice.total);
  take_children(track, &slice, add, ctx);
  const struct tb_self_slice *parent = find_parent(track, &slice);
  slice.is_child = parent != NULL;
  if (parent && parent->name) add(ctx, parent->name, less(slice.total));
  if (track->count == SLICES_MAX) join_older(track, begin);
  void *slices = track->slices;
  bool grown =
      tb_grow_array(allocator, &slices, &track->capacity, track->count + 1, sizeof(slice), SLICES_MAX) == TB_OK;
  track->slices = slices;
  if (!grown) return false;
  size_t at = track->count++;
  for (; at && track->slices[at - 1].begin > begin; at--) track->slices[at] = track->slices[at - 1];
  track->slices[at] = slice;
  set_reaches(track, at);
  return true;
}

bool tb_self_track_begin(const struct tb_allocator *allocator, struct tb_self_track *track, int64_t ts, uint32_t name) {
  if (track->open_count == OPEN_MAX) return true; /* of so many that are open nobody asks */
  void *open = track->open;
  bool grown = tb_grow_array(allocator, &open, &track->open_capacity, track->open_count + 1, sizeof(*track->open),
                             OPEN_MAX) == TB_OK;
  track->open = open;
  if (grown) track->open[track->open_count++] = (struct tb_self_begin){ts, name};
  return grown;
}

bool tb_self_track_end(const struct tb_allocator *allocator, struct tb_self_track *track, int64_t ts, tb_self_add add,
                       void *ctx) {
  if (!track->open_count) return true;
  struct tb_self_begin begin = track->open[--track->open_count];
  return tb_self_track_slice(allocator, track, begin.ts, ts, begin.name, add, ctx);
}

void tb_self_track_free(const struct tb_allocator *allocator, struct tb_self_track *track) {
  tb_free(allocator, track->slices, track->capacity * sizeof(*track->slices));
  tb_free(allocator, track->open, track->open_capacity * sizeof(*track->open));
}
