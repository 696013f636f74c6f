/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/read_buffers.h"

enum { WINDOWS_MAX = 1 << 16 };

void tb_read_buffers_init(struct tb_read_buffers *windows, const struct tb_allocator *allocator) {
  *windows = (struct tb_read_buffers){.allocator = allocator};
}

void tb_read_buffers_free(struct tb_read_buffers *windows) {
  for (size_t i = 0; i < windows->count; i++)
    tb_free(windows->allocator, windows->items[i].data, windows->items[i].capacity);
  tb_free(windows->allocator, windows->items, windows->capacity * sizeof(*windows->items));
  tb_read_buffers_init(windows, windows->allocator);
}

/* A free window, the largest of them, so that few grow; NULL where there is none. */
static struct tb_read_buffer *find_free(struct tb_read_buffers *windows, uint64_t used_up) {
  struct tb_read_buffer *best = NULL;
  for (size_t i = 0; i < windows->count; i++) {
    struct tb_read_buffer *window = &windows->items[i];
    if (window->fill <= used_up && (!best || window->capacity > best->capacity)) best = window;
  }
  return best;
}

static struct tb_read_buffer *add(struct tb_read_buffers *windows) {
  void *items = windows->items;
  if (tb_grow_array(windows->allocator, &items, &windows->capacity, windows->count + 1, sizeof(*windows->items),
                    WINDOWS_MAX) != TB_OK)
    return NULL;
  windows->items = items;
  windows->items[windows->count] = (struct tb_read_buffer){NULL, 0, 0};
  return &windows->items[windows->count++];
}

char *tb_read_buffers_next(struct tb_read_buffers *windows, size_t size, uint64_t used_up) {
  struct tb_read_buffer *window = find_free(windows, used_up);
  if (!window) window = add(windows);
  if (!window) return NULL;
  if (window->capacity < size) { /* what it held is not needed any more */
    tb_free(windows->allocator, window->data, window->capacity);
    window->capacity = 0;
    window->data = tb_alloc(windows->allocator, size);
    if (!window->data) return NULL;
    window->capacity = size;
  }
  window->fill = 0;
  windows->current = (size_t)(window - windows->items);
  return window->data;
}
