/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/nesting.h"

#include "timeline/matching.h"

void tb_nesting_init(struct tb_nesting *n, const struct tb_strand *strand, bool matched, uint32_t keys,
                     const struct tb_nesting_sink *sink) {
  *n = (struct tb_nesting){
      .allocator = strand->allocator, .sink = sink, .strand = strand, .matched = matched, .key_count = keys};
}

static void free_end_body(struct tb_nesting *n, struct tb_open_slice *slice) {
  tb_free(n->allocator, (void *)(uintptr_t)slice->end_body.ptr, slice->end_body.len);
  slice->end_body = (struct tb_slice){NULL, 0};
}

void tb_nesting_free(struct tb_nesting *n) {
  for (size_t i = 0; i < n->lane_count; i++) {
    for (size_t k = 0; k < n->lanes[i].open_count; k++) free_end_body(n, &n->lanes[i].open[k]);
    tb_free(n->allocator, n->lanes[i].open, n->lanes[i].open_capacity * sizeof(*n->lanes[i].open));
  }
  tb_free(n->allocator, n->lanes, n->lane_capacity * sizeof(*n->lanes));
  tb_free(n->allocator, n->key_lanes, n->key_count * sizeof(*n->key_lanes));
  tb_free(n->allocator, n->pool_lanes, n->pool_capacity * sizeof(*n->pool_lanes));
  tb_free(n->allocator, n->pool_next, n->pool_next_capacity * sizeof(*n->pool_next));
  n->lanes = NULL;
  n->lane_count = 0;
}

/* ---- ending ------------------------------------------------------------------------------------------------------------- */

/* Ends the lane's slice `i` alone. */
static enum tb_status end_slice(struct tb_nesting *n, struct tb_lane *lane, size_t i, int64_t ts,
                                const struct tb_entry *entry, bool cut) {
  struct tb_open_slice slice = lane->open[i];
  bool innermost = i + 1 == lane->open_count;
  if (!innermost && (lane->buried_ts != ts || i < lane->buried_below)) {
    lane->buried_ts = ts;
    lane->buried_below = i;
  }
  if (slice.complete) n->complete_open--;
  lane->open_count--;
  memmove(&lane->open[i], &lane->open[i + 1], (lane->open_count - i) * sizeof(slice));
  if (lane->open_count == 0) lane->taken = false;
  enum tb_status status = TB_OK;
  if (!slice.whole)
    status = n->sink->end(n->sink->ctx, ts, entry, &slice, innermost, cut, lane, (uint32_t)(lane - n->lanes));
  free_end_body(n, &slice);
  return status;
}

/* The innermost slice of the lane that ends by itself, with only endless slices above it; SIZE_MAX: none. */
static size_t innermost_complete(const struct tb_lane *lane) {
  for (size_t i = lane->open_count; i-- > 0;) {
    if (lane->open[i].complete) return i;
    if (lane->open[i].end != INT64_MAX) return SIZE_MAX;
  }
  return SIZE_MAX;
}

static bool is_momentary(uint8_t kind) {
  return kind == TB_ENTRY_MOMENT || kind == TB_ENTRY_INSTANT || kind == TB_ENTRY_MARK;
}

/* Whether an entry of `kind` at `ts` ends the lane's slice `i`: at its end; with endless slices above it only past its end, as the
 * trace processor does, since their ENDs may still come. What is COMPLETE comes behind those. */
static bool is_over(const struct tb_lane *lane, size_t i, int64_t ts, uint8_t kind) {
  if (is_momentary(kind) && lane->open[i].moment && lane->open[i].end == ts) return false;
  return i + 1 == lane->open_count || kind == TB_ENTRY_COMPLETE ? lane->open[i].end <= ts : lane->open[i].end < ts;
}

/* Ends the complete slices that are over when an entry of `kind` comes at `ts`, in the order of time over all lanes. */
static enum tb_status end_over(struct tb_nesting *n, int64_t ts, uint8_t kind) {
  while (n->complete_open) {
    struct tb_lane *first = NULL;
    size_t first_slice = 0;
    for (size_t i = 0; i < n->lane_count; i++) {
      size_t slice = innermost_complete(&n->lanes[i]);
      if (slice == SIZE_MAX || !is_over(&n->lanes[i], slice, ts, kind)) continue;
      if (first && n->lanes[i].open[slice].end >= first->open[first_slice].end) continue;
      first = &n->lanes[i];
      first_slice = slice;
    }
    if (!first) return TB_OK;
    enum tb_status status = end_slice(n, first, first_slice, first->open[first_slice].end, NULL, false);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

/* ---- lanes -------------------------------------------------------------------------------------------------------------- */

static enum tb_status grow_u32(struct tb_nesting *n, uint32_t **array, size_t *capacity, size_t needed) {
  size_t before = *capacity;
  void *grown = *array;
  enum tb_status status = tb_grow_array(n->allocator, &grown, capacity, needed, sizeof(**array), SIZE_MAX / 64);
  *array = grown;
  if (status == TB_OK && *capacity > before) memset(*array + before, 0, (*capacity - before) * sizeof(**array));
  return status == TB_OK ? TB_OK : TB_NO_MEMORY;
}

static enum tb_status add_lane(struct tb_nesting *n, uint32_t pool, uint32_t *index) {
  void *lanes = n->lanes;
  if (tb_grow_array(n->allocator, &lanes, &n->lane_capacity, n->lane_count + 1, sizeof(*n->lanes), UINT32_MAX / 2) !=
      TB_OK)
    return TB_NO_MEMORY;
  n->lanes = lanes;
  if (grow_u32(n, &n->pool_lanes, &n->pool_capacity, (size_t)pool + 1) != TB_OK ||
      grow_u32(n, &n->pool_next, &n->pool_next_capacity, n->lane_count + 1) != TB_OK)
    return TB_NO_MEMORY;
  uint32_t newest = n->pool_lanes[pool];
  *index = (uint32_t)n->lane_count;
  n->lanes[n->lane_count++] = (struct tb_lane){.pool = pool,
                                               .number = newest ? n->lanes[newest - 1].number + 1 : 0,
                                               .used_ts = INT64_MIN,
                                               .buried_ts = INT64_MAX};
  n->pool_next[*index] = newest;
  n->pool_lanes[pool] = *index + 1;
  return TB_OK;
}

/* Whether a slice that lasts until `end` nests in what is open on the lane. */
static bool fits(const struct tb_lane *lane, int64_t end) {
  for (size_t i = lane->open_count; i-- > 0;)
    if (lane->open[i].end != INT64_MAX) return end == INT64_MAX || end <= lane->open[i].end;
  return true;
}

/* Whether the lane is free for the entry. What another key had on it at the same time would enclose it in the eyes of the trace
 * processor, though it lasts no time. */
static bool is_free(const struct tb_lane *lane, const struct tb_entry *e) {
  return !lane->taken && (lane->key == e->key || lane->used_ts != e->ts);
}

/* The lane for an entry of `key` that lasts until `end`: the one its key used last, another one of its key, a free one of the
 * pool with the lowest number, or a new one. */
static enum tb_status find_lane(struct tb_nesting *n, const struct tb_entry *e, int64_t end, uint32_t *index) {
  if (!n->key_lanes) {
    n->key_lanes = tb_calloc(n->allocator, n->key_count * sizeof(*n->key_lanes));
    if (!n->key_lanes) return TB_NO_MEMORY;
  }
  if (e->key == 0 && n->lane_count && fits(&n->lanes[0], end)) { /* the strand's own track wherever it can be */
    *index = 0;
    return TB_OK;
  }
  uint32_t last = n->key_lanes[e->key];
  if (last && n->lanes[last - 1].taken && n->lanes[last - 1].key == e->key && fits(&n->lanes[last - 1], end)) {
    *index = last - 1;
    return TB_OK;
  }
  uint32_t pool = 0;
  enum tb_status status = n->sink->pool(n->sink->ctx, e, &pool);
  if (status != TB_OK) return status;
  uint32_t own = UINT32_MAX, spare = UINT32_MAX;
  for (uint32_t at = pool < n->pool_capacity ? n->pool_lanes[pool] : 0; at; at = n->pool_next[at - 1]) {
    const struct tb_lane *lane = &n->lanes[at - 1];
    if (is_free(lane, e))
      spare = at - 1;
    else if (lane->taken && lane->key == e->key && fits(lane, end))
      own = at - 1;
  }
  *index = own != UINT32_MAX ? own : spare;
  if (*index == UINT32_MAX) return add_lane(n, pool, index);
  return TB_OK;
}

bool tb_lane_lies_over_end(const struct tb_lane *lane, int64_t ts) {
  if (lane->buried_ts != ts) return false;
  for (size_t i = lane->buried_below; i < lane->open_count; i++)
    if (!lane->open[i].complete) return true;
  return false;
}

/* ---- entries ------------------------------------------------------------------------------------------------------------- */

static int64_t known_end(const struct tb_nesting *n, const struct tb_entry *e, size_t place) {
  if (e->kind == TB_ENTRY_COMPLETE) return tb_slice_end(e->ts, e->dur);
  if (e->kind != TB_ENTRY_BEGIN) return e->ts; /* moments and instants */
  return n->matched ? n->strand->matches[place] : INT64_MAX;
}

static enum tb_status push(struct tb_nesting *n, struct tb_lane *lane, const struct tb_entry *e, int64_t end,
                           size_t place) {
  void *open = lane->open;
  if (tb_grow_array(n->allocator, &open, &lane->open_capacity, lane->open_count + 1, sizeof(*lane->open),
                    SIZE_MAX / 128) != TB_OK)
    return TB_NO_MEMORY;
  lane->open = open;
  struct tb_open_slice *slice = &lane->open[lane->open_count++];
  *slice = (struct tb_open_slice){.end = end, .place = place, .name = e->name, .categories = e->categories};
  slice->complete = e->kind != TB_ENTRY_BEGIN;
  slice->moment = slice->complete && e->kind != TB_ENTRY_COMPLETE;
  if (!n->strand->run_count) slice->body = e->body;
  if (slice->complete) n->complete_open++;
  if (slice->complete && e->has_thread_ts && e->has_thread_dur) {
    slice->has_thread_end = true;
    slice->thread_end = (int64_t)((uint64_t)e->thread_ts + (uint64_t)e->thread_dur);
  }
  if (e->end_body.len) {
    char *copy = tb_alloc(n->allocator, e->end_body.len);
    if (!copy) return TB_NO_MEMORY;
    memcpy(copy, e->end_body.ptr, e->end_body.len);
    slice->end_body = (struct tb_slice){copy, e->end_body.len};
  }
  lane->taken = true;
  return TB_OK;
}

static bool has_end(const struct tb_nesting *n, const struct tb_entry *e) {
  if (e->kind == TB_ENTRY_INSTANT || e->kind == TB_ENTRY_MARK) return n->instants_as_moments;
  return true;
}

static enum tb_status put_begin(struct tb_nesting *n, const struct tb_entry *e, size_t place) {
  int64_t end = known_end(n, e, place);
  uint32_t index;
  enum tb_status status = find_lane(n, e, end, &index);
  if (status != TB_OK) return status;
  n->key_lanes[e->key] = index + 1;
  n->lanes[index].key = e->key;
  n->lanes[index].used_ts = e->ts;
  bool whole = false;
  status = n->sink->begin(n->sink->ctx, e, place, &n->lanes[index], index, &whole);
  if (status != TB_OK || !has_end(n, e)) return status;
  status = push(n, &n->lanes[index], e, end, place);
  if (status == TB_OK) n->lanes[index].open[n->lanes[index].open_count - 1].whole = whole;
  return status;
}

/* Whether END `e` ends `slice`: by the matches where there are some, else by what it says. */
static bool ends(const struct tb_nesting *n, const struct tb_entry *e, size_t place,
                 const struct tb_open_slice *slice) {
  if (slice->complete) return false;
  if (n->matched) return n->strand->matches[place] == (int64_t)slice->place;
  return (!e->name || e->name == slice->name) && (!e->categories || e->categories == slice->categories);
}

static enum tb_status put_end(struct tb_nesting *n, const struct tb_entry *e, size_t place) {
  if (n->matched && n->strand->matches[place] == TB_UNMATCHED) return n->sink->stray(n->sink->ctx, e);
  uint32_t last = n->key_lanes ? n->key_lanes[e->key] : 0;
  for (size_t k = 0; k <= n->lane_count; k++) { /* the key's last lane first, then all */
    if (k == 0 && !last) continue;
    struct tb_lane *lane = &n->lanes[k == 0 ? last - 1 : k - 1];
    if (!lane->taken || lane->key != e->key) continue;
    for (size_t i = lane->open_count; i-- > 0;) {
      if (!ends(n, e, place, &lane->open[i])) continue;
      for (size_t above = lane->open_count;
           above-- > i + 1;) { /* a complete slice that outlasts it: only without matches */
        enum tb_status status = lane->open[above].complete ? end_slice(n, lane, above, e->ts, NULL, true) : TB_OK;
        if (status != TB_OK) return status;
      }
      return end_slice(n, lane, i, e->ts, e, false);
    }
  }
  return n->sink->stray(n->sink->ctx, e);
}

enum tb_status tb_nesting_advance(struct tb_nesting *n, int64_t ts) {
  return n->complete_open ? end_over(n, ts, TB_ENTRY_COUNTER) : TB_OK;
}

enum tb_status tb_nesting_put(struct tb_nesting *n, const struct tb_entry *e, size_t place) {
  if (n->complete_open) {
    enum tb_status status = end_over(n, e->ts, e->kind);
    if (status != TB_OK) return status;
  }
  return e->kind == TB_ENTRY_END ? put_end(n, e, place) : put_begin(n, e, place);
}

enum tb_status tb_nesting_finish(struct tb_nesting *n) { return end_over(n, INT64_MAX, TB_ENTRY_COUNTER); }
