/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/slice_nester.h"

#include "timeline/slice_matcher.h"

void tb_slice_nester_init(struct tb_slice_nester *n, const struct tb_sort_queue *queue, bool matched, uint32_t keys,
                          const struct tb_slice_nester_sink *sink) {
  *n = (struct tb_slice_nester){.allocator = queue->allocator, .sink = sink, .queue = queue, .matched = matched};
  tb_lanes_init(&n->lanes, queue->allocator, keys);
}

void tb_slice_nester_free(struct tb_slice_nester *n) { tb_lanes_free(&n->lanes); }

/* ---- ending ------------------------------------------------------------------------------------------------------ */

/* Ends slice `i` of lane `index` alone. */
static enum tb_status end_slice(struct tb_slice_nester *n, uint32_t index, size_t i, int64_t ts,
                                const struct tb_staged_event *entry, bool cut) {
  struct tb_lane *lane = &n->lanes.items[index];
  struct tb_open_slice slice = lane->open[i];
  bool innermost = i + 1 == lane->open_count;
  if (!innermost && (lane->unwound_at != ts || i < lane->unwound_below)) {
    lane->unwound_at = ts;
    lane->unwound_below = i;
  }
  enum tb_status status = tb_lanes_remove(&n->lanes, index, i);
  if (status == TB_OK && !slice.whole)
    status = n->sink->end(n->sink->ctx, ts, entry, &slice, innermost, cut, lane, index);
  tb_free(n->allocator, (void *)(uintptr_t)slice.end_body.ptr, slice.end_body.len);
  return status;
}

static enum tb_ending_rank rank_that_ends(uint8_t kind) {
  if (kind == TB_STAGED_ZERO_LENGTH_SLICE || kind == TB_STAGED_INSTANT || kind == TB_STAGED_INSTANT_WITH_PHASE)
    return TB_ENDING_INNERMOST;
  return kind == TB_STAGED_COMPLETE ? TB_ENDING_UNWOUND : TB_ENDING_ZERO_LENGTH;
}

/* Ends the complete slices that are closed when an entry of `kind` comes at `ts`, in the order of time over all
 * lanes. A slice closes at its end. If endless slices are above it, it closes only past its end, as in the trace
 * processor, because their ENDs may still come; a COMPLETE entry comes after those. */
static enum tb_status end_closed(struct tb_slice_nester *n, int64_t ts, uint8_t kind) {
  enum tb_status status = tb_lanes_advance(&n->lanes, ts);
  uint32_t index;
  while (status == TB_OK && (index = tb_lanes_closed(&n->lanes, ts, rank_that_ends(kind))) != TB_NO_LANE) {
    const struct tb_lane *lane = &n->lanes.items[index];
    size_t slice = lane->open[lane->open_count - 1].ending;
    status = end_slice(n, index, slice, lane->open[slice].end, NULL, false);
  }
  return status;
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

/* The lane for an entry of `key` that lasts until `end`: the one its key used last, another one of its key, the free
 * one with the lowest number of the lane group, or a new one. */
static enum tb_status find_lane(struct tb_slice_nester *n, const struct tb_staged_event *e, int64_t end,
                                uint32_t *index) {
  struct tb_lanes *lanes = &n->lanes;
  *index = 0;
  if (e->key == 0 && lanes->count && tb_lane_fits(&lanes->items[0], end)) /* the queue's own track wherever it can be */
    return TB_OK;
  *index = tb_lanes_last(lanes, e->key);
  if (*index != TB_NO_LANE && tb_lane_fits(&lanes->items[*index], end)) return TB_OK;
  uint32_t lane_group = 0;
  enum tb_status status = n->sink->lane_group(n->sink->ctx, e, &lane_group);
  if (status != TB_OK) return status;
  *index = tb_lanes_own(lanes, e->key, lane_group, end);
  return *index == TB_NO_LANE ? tb_lanes_spare(lanes, e->key, lane_group, index) : TB_OK;
}

bool tb_lane_is_above_ended_slice(const struct tb_lane *lane, int64_t ts) {
  if (lane->unwound_at != ts) return false;
  for (size_t i = lane->unwound_below; i < lane->open_count; i++)
    if (!lane->open[i].complete) return true;
  return false;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static int64_t known_end(const struct tb_slice_nester *n, const struct tb_staged_event *e, size_t place) {
  if (e->kind == TB_STAGED_COMPLETE) return tb_slice_end(e->ts, e->dur);
  if (e->kind != TB_STAGED_BEGIN) return e->ts; /* moments and instants */
  return n->matched ? n->queue->matches[place] : INT64_MAX;
}

static enum tb_status push(struct tb_slice_nester *n, uint32_t index, const struct tb_staged_event *e, int64_t end,
                           size_t place, bool whole) {
  struct tb_open_slice slice = {
      .end = end, .place = place, .name = e->name, .categories = e->categories, .whole = whole};
  slice.complete = e->kind != TB_STAGED_BEGIN;
  slice.zero_length = slice.complete && e->kind != TB_STAGED_COMPLETE;
  if (!n->queue->run_count) slice.body = e->body;
  if (slice.complete && e->has_thread_ts && e->has_thread_dur) {
    slice.has_thread_end = true;
    slice.thread_end = (int64_t)((uint64_t)e->thread_ts + (uint64_t)e->thread_dur);
  }
  char *copy = e->end_body.len ? tb_alloc(n->allocator, e->end_body.len) : NULL;
  if (e->end_body.len && !copy) return TB_NO_MEMORY;
  if (copy) memcpy(copy, e->end_body.ptr, e->end_body.len);
  slice.end_body = (struct tb_str){copy, e->end_body.len};
  enum tb_status status = tb_lanes_push(&n->lanes, index, &slice);
  if (status != TB_OK) tb_free(n->allocator, copy, e->end_body.len);
  return status;
}

static bool has_end(const struct tb_slice_nester *n, const struct tb_staged_event *e) {
  if (e->kind == TB_STAGED_INSTANT || e->kind == TB_STAGED_INSTANT_WITH_PHASE) return n->instants_as_slices;
  return true;
}

static enum tb_status put_begin(struct tb_slice_nester *n, const struct tb_staged_event *e, size_t place) {
  int64_t end = known_end(n, e, place);
  uint32_t index;
  enum tb_status status = find_lane(n, e, end, &index);
  if (status == TB_OK) status = tb_lanes_use(&n->lanes, index, e->key);
  if (status != TB_OK) return status;
  if (n->matched) n->queue->matches[place] = index; /* which its END asks for */
  bool whole = false;
  struct tb_staged_event begun = *e;
  if (e->kind == TB_STAGED_BEGIN && tb_sort_queue_has_note(n->queue, place, TB_MATCH_NO_THREAD_TIME)) {
    begun.dur = end - e->ts;
    begun.end_body = tb_matched_end_args(n->queue, place);
  }
  status = n->sink->begin(n->sink->ctx, &begun, place, &n->lanes.items[index], index, &whole);
  return status == TB_OK && has_end(n, e) ? push(n, index, e, end, place, whole) : status;
}

/* Whether END `e` ends `slice`: by the matches where there are some, else by what it says. */
static bool ends(const struct tb_slice_nester *n, const struct tb_staged_event *e, size_t place,
                 const struct tb_open_slice *slice) {
  if (slice->complete) return false;
  if (n->matched) return n->queue->matches[place] == (int64_t)slice->place;
  return (!e->name || e->name == slice->name) && (!e->categories || e->categories == slice->categories);
}

/* Ends what `e` ends on the lane; *ended is false where there is nothing that it could. */
static enum tb_status end_on(struct tb_slice_nester *n, uint32_t index, const struct tb_staged_event *e, size_t place,
                             bool *ended) {
  const struct tb_lane *lane = &n->lanes.items[index];
  for (size_t i = lane->open_count; i-- > 0;) {
    if (!ends(n, e, place, &lane->open[i])) continue;
    *ended = true;
    for (size_t above = lane->open_count;
         above-- > i + 1;) { /* a complete slice that outlasts it: only without matches */
      enum tb_status status = lane->open[above].complete ? end_slice(n, index, above, e->ts, NULL, true) : TB_OK;
      if (status != TB_OK) return status;
    }
    return end_slice(n, index, i, e->ts, e, false);
  }
  *ended = false;
  return TB_OK;
}

/* An END that ends nothing. Where slices that END events end are open on the queue's own track, and no others, readers
 * look all the same which of them have ended. */
static enum tb_status put_orphan_end(struct tb_slice_nester *n, const struct tb_staged_event *e) {
  const struct tb_lane *lane = !e->key && n->lanes.count ? &n->lanes.items[0] : NULL;
  const struct tb_open_slice *top = lane && lane->open_count ? &lane->open[lane->open_count - 1] : NULL;
  return n->sink->orphan_end(n->sink->ctx, e, top && top->has_begin && !top->has_complete);
}

/* An END of a queue without matches: what it ends is on its key's last lane, or else on another. */
static enum tb_status put_unmatched_end(struct tb_slice_nester *n, const struct tb_staged_event *e, size_t place) {
  const struct tb_lanes *lanes = &n->lanes;
  uint32_t last = tb_lanes_last(lanes, e->key);
  bool ended = false;
  enum tb_status status = last == TB_NO_LANE ? TB_OK : end_on(n, last, e, place, &ended);
  for (uint32_t at = lanes->taken ? lanes->taken[e->key] : 0; !ended && at;) {
    uint32_t next = lanes->items[at - 1].next_of_key;
    if (at - 1 != last) status = end_on(n, at - 1, e, place, &ended);
    at = next;
  }
  return ended ? status : put_orphan_end(n, e);
}

static enum tb_status put_end(struct tb_slice_nester *n, const struct tb_staged_event *e, size_t place) {
  if (!n->matched) return put_unmatched_end(n, e, place);
  const int64_t *matches = n->queue->matches;
  if (matches[place] == TB_UNMATCHED) return put_orphan_end(n, e);
  bool ended;
  enum tb_status status = end_on(n, (uint32_t)matches[matches[place]], e, place, &ended);
  return ended ? status : put_orphan_end(n, e);
}

enum tb_status tb_slice_nester_advance(struct tb_slice_nester *n, int64_t ts) {
  return end_closed(n, ts, TB_STAGED_COUNTER);
}

enum tb_status tb_slice_nester_put(struct tb_slice_nester *n, const struct tb_staged_event *e, size_t place) {
  enum tb_status status = end_closed(n, e->ts, e->kind);
  if (status != TB_OK) return status;
  return e->kind == TB_STAGED_END ? put_end(n, e, place) : put_begin(n, e, place);
}

enum tb_status tb_slice_nester_finish(struct tb_slice_nester *n) { return end_closed(n, INT64_MAX, TB_STAGED_COUNTER); }
