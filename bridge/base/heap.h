/* SPDX-License-Identifier: Apache-2.0
 *
 * A binary heap of numbers, the first one on top. What the numbers are (inputs, runs, lanes) and which comes first is
 * the caller's. Functions are inlined with the caller's order: pass a constant.
 */
#ifndef TB_BASE_HEAP_H
#define TB_BASE_HEAP_H

#include "base/memory.h"

/* Caller-owned. Zero-initialise; `items` has room for what is pushed: see tb_heap_reserve. */
struct tb_heap {
  uint32_t *items;
  size_t count, capacity;
};

struct tb_heap_order {
  /* Whether `a` comes before `b`. */
  bool (*before)(const void *ctx, uint32_t a, uint32_t b);
  /* The item has another place now, for those who remove items from the middle; NULL: nobody asks. */
  void (*moved)(void *ctx, uint32_t item, size_t place);
};

/* Makes room for `count` items. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK static inline enum tb_status tb_heap_reserve(struct tb_heap *heap, const struct tb_allocator *allocator,
                                                           size_t count) {
  void *items = heap->items;
  enum tb_status status = tb_grow_array(allocator, &items, &heap->capacity, count, sizeof(*heap->items), SIZE_MAX / 64);
  heap->items = items;
  return status == TB_OK ? TB_OK : TB_NO_MEMORY;
}

static inline void tb_heap_free(struct tb_heap *heap, const struct tb_allocator *allocator) {
  tb_free(allocator, heap->items, heap->capacity * sizeof(*heap->items));
  *heap = (struct tb_heap){.items = NULL};
}

static TB_ALWAYS_INLINE void tb_heap_place(struct tb_heap *heap, size_t place, uint32_t item,
                                           const struct tb_heap_order *order, void *ctx) {
  heap->items[place] = item;
  if (order->moved) order->moved(ctx, item, place);
}

/* Moves the item up from `place`, which is free, to where it belongs. */
static TB_ALWAYS_INLINE void tb_heap_rise(struct tb_heap *heap, size_t place, uint32_t item,
                                          const struct tb_heap_order *order, void *ctx) {
  for (size_t above; place && order->before(ctx, item, heap->items[above = (place - 1) / 2]); place = above)
    tb_heap_place(heap, place, heap->items[above], order, ctx);
  tb_heap_place(heap, place, item, order, ctx);
}

/* The item at `place` may come earlier or later than it did: moves it to where it belongs. */
static TB_ALWAYS_INLINE void tb_heap_settle(struct tb_heap *heap, size_t place, const struct tb_heap_order *order,
                                            void *ctx) {
  uint32_t item = heap->items[place];
  for (size_t above; place && order->before(ctx, item, heap->items[above = (place - 1) / 2]); place = above)
    tb_heap_place(heap, place, heap->items[above], order, ctx);
  for (size_t child; (child = 2 * place + 1) < heap->count; place = child) {
    if (child + 1 < heap->count && order->before(ctx, heap->items[child + 1], heap->items[child])) child++;
    if (!order->before(ctx, heap->items[child], item)) break;
    tb_heap_place(heap, place, heap->items[child], order, ctx);
  }
  tb_heap_place(heap, place, item, order, ctx);
}

/* There is room. */
static TB_ALWAYS_INLINE void tb_heap_push(struct tb_heap *heap, uint32_t item, const struct tb_heap_order *order,
                                          void *ctx) {
  tb_heap_rise(heap, heap->count++, item, order, ctx);
}

/* Takes the item at `place` out; 0 is the top. The last item, which fills the gap, is late in the order: the gap goes
 * down to the end of the heap, with one comparison a level, and the item comes up from there. */
static TB_ALWAYS_INLINE void tb_heap_remove(struct tb_heap *heap, size_t place, const struct tb_heap_order *order,
                                            void *ctx) {
  uint32_t last = heap->items[--heap->count];
  if (place == heap->count) return;
  for (size_t child; (child = 2 * place + 1) < heap->count; place = child) {
    if (child + 1 < heap->count && order->before(ctx, heap->items[child + 1], heap->items[child])) child++;
    tb_heap_place(heap, place, heap->items[child], order, ctx);
  }
  tb_heap_rise(heap, place, last, order, ctx);
}

#endif
