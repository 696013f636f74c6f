/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that packets are read into, one window after another. Events point into it, so a window is used anew only when
 * the batches that were filled from it are used up.
 */
#ifndef TB_PERFETTO_PACKET_READ_BUFFERS_H
#define TB_PERFETTO_PACKET_READ_BUFFERS_H

#include "base/memory.h"

struct tb_read_buffer {
  char *data;
  size_t capacity;
  uint64_t fill; /* the last batch whose events point into it; 0: none */
};

struct tb_read_buffers {
  const struct tb_allocator *allocator;
  struct tb_read_buffer *items;
  size_t count, capacity, current;
};

void tb_read_buffers_init(struct tb_read_buffers *windows, const struct tb_allocator *allocator);
void tb_read_buffers_free(struct tb_read_buffers *windows);

/* Says that events of batch number `fill` point into the current window. */
static inline void tb_read_buffers_keep(struct tb_read_buffers *windows, uint64_t fill) {
  if (windows->count) windows->items[windows->current].fill = fill;
}

/* Memory of at least `size` bytes, which then is the current window. Those are free to be used that no event points
 * into but of batches up to number `used_up`. NULL when memory is exhausted. */
char *tb_read_buffers_next(struct tb_read_buffers *windows, size_t size, uint64_t used_up);

#endif
