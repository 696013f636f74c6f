/* SPDX-License-Identifier: Apache-2.0 */
#include "shape/event_window.h"

#include "timeline/entry_rank.h"

enum { MOST_HELD = 1 << 28 };

static bool before(const void *ctx, uint32_t a, uint32_t b) {
  const struct tb_event_window *window = ctx;
  const struct tb_window_entry *x = &window->entries[a], *y = &window->entries[b];
  if (x->ts != y->ts) return x->ts < y->ts;
  return x->rank != y->rank ? x->rank > y->rank : x->number < y->number;
}

static const struct tb_heap_order order = {.before = before};

void tb_event_window_init(struct tb_event_window *window, const struct tb_allocator *allocator, uint64_t ns,
                          struct tb_losses *losses) {
  *window = (struct tb_event_window){
      .allocator = allocator, .losses = losses, .ns = ns, .newest = INT64_MIN, .given = INT64_MIN};
  tb_buffer_init(&window->body, allocator, 0);
  tb_event_codec_init(&window->codec, allocator);
}

static void free_body(const struct tb_event_window *window, struct tb_str body) {
  tb_free(window->allocator, (char *)(uintptr_t)body.ptr, body.len);
}

void tb_event_window_free(struct tb_event_window *window) {
  for (size_t i = 0; i < window->order.count; i++) free_body(window, window->entries[window->order.items[i]].body);
  tb_heap_free(&window->order, window->allocator);
  tb_free(window->allocator, window->entries, window->capacity * sizeof(*window->entries));
  tb_free(window->allocator, window->free, window->free_capacity * sizeof(*window->free));
  tb_buffer_free(&window->body);
  tb_event_codec_free(&window->codec);
}

/* A place for an entry, with room for it in the heap and later in the list of free ones. */
static bool find_place(struct tb_event_window *window, uint32_t *place) {
  void *entries = window->entries, *places = window->free;
  if (tb_heap_reserve(&window->order, window->allocator, window->order.count + 1) != TB_OK) return false;
  if (window->free_count) {
    *place = window->free[--window->free_count];
    return true;
  }
  if (tb_grow_array(window->allocator, &places, &window->free_capacity, window->count + 1, sizeof(*window->free),
                    MOST_HELD) != TB_OK)
    return false;
  window->free = places;
  if (tb_grow_array(window->allocator, &entries, &window->capacity, window->count + 1, sizeof(*window->entries),
                    MOST_HELD) != TB_OK)
    return false;
  window->entries = entries;
  *place = (uint32_t)window->count++;
  return true;
}

static bool encode(struct tb_event_window *window, const struct tb_event *event, struct tb_str *body) {
  window->body.len = 0;
  if (tb_event_encode(&window->codec, &window->body, event) != TB_OK) return false;
  size_t size = window->body.len + TB_EVENT_SLACK;
  char *copy = tb_alloc(window->allocator, size);
  if (!copy) return false;
  memcpy(copy, window->body.data, size);
  *body = (struct tb_str){copy, size};
  return true;
}

enum tb_status tb_event_window_put(struct tb_event_window *window, const struct tb_event *event) {
  struct tb_window_entry entry = {.ts = INT64_MIN, .rank = TB_RANK_OTHER, .number = ++window->number};
  uint32_t place;
  if (!encode(window, event, &entry.body)) return TB_NO_MEMORY;
  if (!find_place(window, &place)) {
    free_body(window, entry.body);
    return TB_NO_MEMORY;
  }
  if (event->has & TB_HAS_TS) {
    bool ranked = window->complete_first && event->type == TB_EVENT_SLICE_COMPLETE && event->dur > 0;
    entry.ts = event->ts;
    if (ranked) entry.rank = event->dur;
    if (event->ts > window->newest) window->newest = event->ts;
    if (event->ts < window->given) tb_losses_add(window->losses, "order of an event that comes late", event->offset);
  }
  window->entries[place] = entry;
  tb_heap_push(&window->order, place, &order, window);
  return TB_OK;
}

/* Whether an event of that time comes next, whatever comes still. */
static bool is_due(const struct tb_event_window *window, int64_t ts) {
  return window->ended || ts == INT64_MIN || (uint64_t)window->newest - (uint64_t)ts >= window->ns;
}

enum tb_status tb_event_window_peek(const struct tb_event_window *window, int64_t *ts) {
  if (!window->order.count) return window->ended ? TB_END : TB_AGAIN;
  *ts = window->entries[window->order.items[0]].ts;
  return is_due(window, *ts) ? TB_OK : TB_AGAIN;
}

enum tb_status tb_event_window_next(struct tb_event_window *window, struct tb_arena *arena, struct tb_event *event,
                                    uint64_t *used) {
  int64_t ts;
  enum tb_status status = tb_event_window_peek(window, &ts);
  if (status != TB_OK) return status;
  uint32_t place = window->order.items[0];
  struct tb_window_entry *entry = &window->entries[place];
  tb_heap_remove(&window->order, 0, &order, window);
  status = tb_event_decode_over(&window->codec, entry->body.ptr, ts, arena, event, used);
  free_body(window, entry->body);
  if (entry->ts > window->given) window->given = entry->ts;
  window->free[window->free_count++] = place;
  return status;
}
