/* SPDX-License-Identifier: Apache-2.0 */
#include "model/batch.h"

void tb_batch_init(struct tb_batch *batch, const struct tb_allocator *allocator) {
  *batch = (struct tb_batch){.allocator = allocator};
  tb_arena_init(&batch->arena, allocator, 0);
}

void tb_batch_reset(struct tb_batch *batch) {
  batch->event_count = batch->arg_count = batch->text_len = 0;
  tb_arena_reset(&batch->arena);
}

void tb_batch_free(struct tb_batch *batch) {
  tb_free(batch->allocator, batch->events, batch->event_capacity * sizeof(struct tb_event));
  tb_free(batch->allocator, batch->args, batch->arg_capacity * sizeof(struct tb_arg));
  tb_free(batch->allocator, batch->text, batch->text_capacity ? batch->text_capacity + TB_BATCH_PADDING : 0);
  tb_arena_free(&batch->arena);
  *batch = (struct tb_batch){.allocator = batch->allocator};
}

/* Of a size that the compiler does not know: what it would inline for this one is several times slower than the
 * library's. */
static void clear(void *p, size_t size) {
  __asm__("" : "+r"(size));
  memset(p, 0, size);
}

struct tb_event *tb_batch_add_event(struct tb_batch *batch) {
  if (!batch->events) {
    batch->events = tb_alloc(batch->allocator, TB_BATCH_EVENTS * sizeof(struct tb_event));
    if (!batch->events) return NULL;
    batch->event_capacity = TB_BATCH_EVENTS;
  }
  if (batch->event_count == batch->event_capacity) return NULL;
  struct tb_event *event = &batch->events[batch->event_count++];
  clear(event, sizeof(*event));
  return event;
}
