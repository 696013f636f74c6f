/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/lane_allocator.h"

enum { OWN_LANES_LOOKED_AT = 64 };

void tb_lanes_init(struct tb_lanes *l, const struct tb_allocator *allocator, size_t keys) {
  *l = (struct tb_lanes){.allocator = allocator, .now = INT64_MIN, .key_count = keys};
}

void tb_lanes_free(struct tb_lanes *l) {
  const struct tb_allocator *a = l->allocator;
  for (size_t i = 0; i < l->count; i++) {
    struct tb_lane *lane = &l->items[i];
    for (size_t k = 0; k < lane->open_count; k++)
      tb_free(a, (void *)(uintptr_t)lane->open[k].end_body.ptr, lane->open[k].end_body.len);
    tb_free(a, lane->open, lane->open_capacity * sizeof(*lane->open));
  }
  for (size_t i = 0; i < l->lane_group_capacity; i++) tb_heap_free(&l->lane_groups[i].free, a);
  tb_free(a, l->items, l->capacity * sizeof(*l->items));
  tb_free(a, l->endings, l->ending_capacity * sizeof(*l->endings));
  tb_free(a, l->lane_groups, l->lane_group_capacity * sizeof(*l->lane_groups));
  tb_free(a, l->last, l->key_count * sizeof(*l->last));
  tb_free(a, l->taken, l->key_count * sizeof(*l->taken));
  tb_free(a, l->furthest, l->key_count * sizeof(*l->furthest));
  tb_free(a, l->cooling, l->cooling_capacity * sizeof(*l->cooling));
  tb_heap_free(&l->ending, a);
  *l = (struct tb_lanes){.allocator = a};
}

static enum tb_status grow_numbers(const struct tb_allocator *a, uint32_t **numbers, size_t *capacity, size_t needed) {
  void *grown = *numbers;
  enum tb_status status = tb_grow_array(a, &grown, capacity, needed, sizeof(**numbers), SIZE_MAX / 64);
  *numbers = grown;
  return status == TB_OK ? TB_OK : TB_NO_MEMORY;
}

/* ---- free lanes -------------------------------------------------------------------------------------------------- */

static bool is_lower(const void *ctx, uint32_t a, uint32_t b) {
  (void)ctx;
  return a < b;
}

static const struct tb_heap_order by_number = {is_lower, NULL};

static enum tb_status add_free(struct tb_lanes *l, uint32_t index) {
  struct tb_lane *lane = &l->items[index];
  struct tb_heap *heap = &l->lane_groups[lane->lane_group].free;
  if (lane->in_free) return TB_OK;
  if (tb_heap_reserve(heap, l->allocator, heap->count + 1) != TB_OK) return TB_NO_MEMORY;
  tb_heap_push(heap, index, &by_number, NULL);
  lane->in_free = true;
  return TB_OK;
}

static void remove_first_free(struct tb_lanes *l, struct tb_heap *heap) {
  l->items[heap->items[0]].in_free = false;
  tb_heap_remove(heap, 0, &by_number, NULL);
}

static enum tb_status cool(struct tb_lanes *l, uint32_t index) {
  if (l->items[index].cooling) return TB_OK;
  if (grow_numbers(l->allocator, &l->cooling, &l->cooling_capacity, l->cooling_count + 1) != TB_OK) return TB_NO_MEMORY;
  l->cooling[l->cooling_count++] = index;
  l->items[index].cooling = true;
  return TB_OK;
}

enum tb_status tb_lanes_advance(struct tb_lanes *l, int64_t ts) {
  if (ts == l->now) return TB_OK;
  l->now = ts;
  while (l->cooling_count) {
    uint32_t index = l->cooling[--l->cooling_count];
    l->items[index].cooling = false;
    if (!l->items[index].taken && add_free(l, index) != TB_OK) return TB_NO_MEMORY;
  }
  return TB_OK;
}

/* ---- which lane -------------------------------------------------------------------------------------------------- */

bool tb_lane_fits(const struct tb_lane *lane, int64_t end) {
  return lane->open_count == 0 || end == INT64_MAX || end <= lane->open[lane->open_count - 1].bound;
}

static uint32_t last_used(const struct tb_lanes *l, uint32_t key) {
  uint32_t last = l->last ? l->last[key] : 0;
  return last && l->items[last - 1].key == key ? last - 1 : TB_NO_LANE;
}

uint32_t tb_lanes_last(const struct tb_lanes *l, uint32_t key) {
  uint32_t last = last_used(l, key);
  return last != TB_NO_LANE && l->items[last].taken ? last : TB_NO_LANE;
}

uint32_t tb_lanes_own(const struct tb_lanes *l, uint32_t key, uint32_t lane_group, int64_t end) {
  uint32_t own = TB_NO_LANE, at = l->taken ? l->taken[key] : 0;
  if (at && end != INT64_MAX && end > l->furthest[key]) return TB_NO_LANE; /* as of slices that overlap each other */
  for (size_t i = 0; at && i < OWN_LANES_LOOKED_AT; i++, at = l->items[at - 1].next_of_key)
    if (at - 1 < own && l->items[at - 1].lane_group == lane_group && tb_lane_fits(&l->items[at - 1], end)) own = at - 1;
  return own;
}

static enum tb_status find_lane_group(struct tb_lanes *l, uint32_t lane_group) {
  size_t before = l->lane_group_capacity;
  void *lane_groups = l->lane_groups;
  if (tb_grow_array(l->allocator, &lane_groups, &l->lane_group_capacity, (size_t)lane_group + 1,
                    sizeof(*l->lane_groups), SIZE_MAX / 64) != TB_OK)
    return TB_NO_MEMORY;
  l->lane_groups = lane_groups;
  if (l->lane_group_capacity > before)
    memset(&l->lane_groups[before], 0, (l->lane_group_capacity - before) * sizeof(*l->lane_groups));
  return TB_OK;
}

static enum tb_status add_lane(struct tb_lanes *l, uint32_t lane_group, uint32_t *index) {
  void *items = l->items;
  if (tb_grow_array(l->allocator, &items, &l->capacity, l->count + 1, sizeof(*l->items), UINT32_MAX / 2) != TB_OK)
    return TB_NO_MEMORY;
  l->items = items;
  void *endings = l->endings;
  if (tb_grow_array(l->allocator, &endings, &l->ending_capacity, l->count + 1, sizeof(*l->endings), UINT32_MAX / 2) !=
      TB_OK)
    return TB_NO_MEMORY;
  l->endings = endings;
  *index = (uint32_t)l->count++;
  l->items[*index] = (struct tb_lane){.lane_group = lane_group,
                                      .number = l->lane_groups[lane_group].count++,
                                      .used_ts = INT64_MIN,
                                      .unwound_at = INT64_MAX};
  return TB_OK;
}

/* Whether nothing is open on the lane, and nothing of another key was on it just now, which would enclose in the eyes
 * of the trace processor what begins there now. */
static bool is_free(const struct tb_lanes *l, const struct tb_lane *lane, uint32_t key) {
  return !lane->taken && (lane->key == key || lane->used_ts != l->now);
}

enum tb_status tb_lanes_spare(struct tb_lanes *l, uint32_t key, uint32_t lane_group, uint32_t *index) {
  if (find_lane_group(l, lane_group) != TB_OK) return TB_NO_MEMORY;
  struct tb_heap *heap = &l->lane_groups[lane_group].free;
  while (heap->count && !is_free(l, &l->items[heap->items[0]], key)) remove_first_free(l, heap);
  *index = heap->count ? heap->items[0] : TB_NO_LANE;
  uint32_t last = last_used(l, key);
  if (last < *index && l->items[last].lane_group == lane_group && is_free(l, &l->items[last], key)) *index = last;
  return *index == TB_NO_LANE ? add_lane(l, lane_group, index) : TB_OK;
}

/* ---- what ends next ---------------------------------------------------------------------------------------------- */

static enum tb_ending_rank rank_of(const struct tb_lane *lane, size_t slice) {
  if (slice + 1 != lane->open_count) return TB_ENDING_UNWOUND;
  return lane->open[slice].zero_length ? TB_ENDING_ZERO_LENGTH : TB_ENDING_INNERMOST;
}

static bool ends_before(const void *ctx, uint32_t a, uint32_t b) {
  const struct tb_lane_ending *endings = ((const struct tb_lanes *)ctx)->endings, *x = &endings[a], *y = &endings[b];
  if (x->end != y->end) return x->end < y->end;
  return x->rank != y->rank ? x->rank < y->rank : a < b;
}

static void note_place(void *ctx, uint32_t index, size_t place) {
  struct tb_lanes *l = ctx;
  l->items[index].ending_place = (uint32_t)place + 1;
}

static const struct tb_heap_order by_ending = {ends_before, note_place};

/* The lane's slices have changed. */
static enum tb_status update_ending(struct tb_lanes *l, uint32_t index) {
  struct tb_lane *lane = &l->items[index];
  struct tb_heap *heap = &l->ending;
  bool ends = lane->open_count && lane->open[lane->open_count - 1].ending != SIZE_MAX;
  size_t place = lane->ending_place;
  if (ends) {
    size_t slice = lane->open[lane->open_count - 1].ending;
    l->endings[index] = (struct tb_lane_ending){lane->open[slice].end, rank_of(lane, slice)};
  }
  if (ends && place) {
    tb_heap_settle(heap, place - 1, &by_ending, l);
  } else if (ends) {
    if (tb_heap_reserve(heap, l->allocator, heap->count + 1) != TB_OK) return TB_NO_MEMORY;
    tb_heap_push(heap, index, &by_ending, l);
  } else if (place) {
    lane->ending_place = 0;
    tb_heap_remove(heap, place - 1, &by_ending, l);
  }
  return TB_OK;
}

uint32_t tb_lanes_closed(const struct tb_lanes *l, int64_t ts, enum tb_ending_rank rank) {
  if (!l->ending.count) return TB_NO_LANE;
  uint32_t index = l->ending.items[0];
  const struct tb_lane_ending *next = &l->endings[index];
  return next->end < ts || (next->end == ts && next->rank <= rank) ? index : TB_NO_LANE;
}

/* ---- use --------------------------------------------------------------------------------------------------------- */

static enum tb_status make_keys(struct tb_lanes *l) {
  if (!l->last) l->last = tb_calloc(l->allocator, l->key_count * sizeof(*l->last));
  if (!l->taken) l->taken = tb_calloc(l->allocator, l->key_count * sizeof(*l->taken));
  if (!l->furthest) l->furthest = tb_calloc(l->allocator, l->key_count * sizeof(*l->furthest));
  return l->last && l->taken && l->furthest ? TB_OK : TB_NO_MEMORY;
}

enum tb_status tb_lanes_use(struct tb_lanes *l, uint32_t index, uint32_t key) {
  struct tb_lane *lane = &l->items[index];
  if (make_keys(l) != TB_OK) return TB_NO_MEMORY;
  lane->key = key;
  lane->used_ts = l->now;
  l->last[key] = index + 1;
  return lane->taken ? TB_OK : cool(l, index);
}

static void take(struct tb_lanes *l, uint32_t index) {
  struct tb_lane *lane = &l->items[index];
  uint32_t *newest = &l->taken[lane->key];
  lane->taken = true;
  if (!*newest) l->furthest[lane->key] = INT64_MIN;
  lane->next_of_key = *newest;
  lane->previous_of_key = 0;
  if (*newest) l->items[*newest - 1].previous_of_key = index + 1;
  *newest = index + 1;
}

static enum tb_status release(struct tb_lanes *l, uint32_t index) {
  struct tb_lane *lane = &l->items[index];
  if (lane->next_of_key) l->items[lane->next_of_key - 1].previous_of_key = lane->previous_of_key;
  if (lane->previous_of_key)
    l->items[lane->previous_of_key - 1].next_of_key = lane->next_of_key;
  else
    l->taken[lane->key] = lane->next_of_key;
  lane->taken = false;
  return lane->used_ts == l->now ? cool(l, index) : add_free(l, index);
}

/* For one more slice, and for the lane among those that end: a slice that is on its lane stays there. */
static enum tb_status make_room(struct tb_lanes *l, struct tb_lane *lane) {
  void *open = lane->open;
  /* most lanes of slices that all overlap never have a second one */
  size_t most = lane->open_capacity ? SIZE_MAX / 256 : 1;
  if (tb_grow_array(l->allocator, &open, &lane->open_capacity, lane->open_count + 1, sizeof(*lane->open), most) !=
      TB_OK)
    return TB_NO_MEMORY;
  lane->open = open;
  return tb_heap_reserve(&l->ending, l->allocator, l->ending.count + 1);
}

/* Sets what a slice says of those below it. */
static void look_below(struct tb_lane *lane, size_t i) {
  struct tb_open_slice *slice = &lane->open[i];
  bool endless = slice->end == INT64_MAX;
  slice->ending = slice->complete ? i : endless && i ? slice[-1].ending : SIZE_MAX;
  slice->bound = endless && i ? slice[-1].bound : slice->end;
  slice->has_begin = !slice->complete || (i && slice[-1].has_begin);
  slice->has_complete = (slice->complete && !slice->whole) || (i && slice[-1].has_complete);
}

enum tb_status tb_lanes_push(struct tb_lanes *l, uint32_t index, const struct tb_open_slice *slice) {
  struct tb_lane *lane = &l->items[index];
  if (make_room(l, lane) != TB_OK) return TB_NO_MEMORY;
  lane->open[lane->open_count++] = *slice;
  look_below(lane, lane->open_count - 1);
  if (!lane->taken) take(l, index);
  int64_t bound = lane->open[lane->open_count - 1].bound;
  if (l->furthest[lane->key] < bound) l->furthest[lane->key] = bound;
  return update_ending(l, index);
}

enum tb_status tb_lanes_remove(struct tb_lanes *l, uint32_t index, size_t i) {
  struct tb_lane *lane = &l->items[index];
  lane->open_count--;
  memmove(&lane->open[i], &lane->open[i + 1], (lane->open_count - i) * sizeof(*lane->open));
  for (size_t k = i; k < lane->open_count; k++) look_below(lane, k);
  enum tb_status status = update_ending(l, index);
  return status == TB_OK && lane->open_count == 0 ? release(l, index) : status;
}
