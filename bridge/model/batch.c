/* SPDX-License-Identifier: Apache-2.0 */
#include "model/batch.h"

void tb_batch_init(struct tb_batch *batch, const struct tb_allocator *allocator) {
  *batch = (struct tb_batch){.allocator = allocator};
  tb_arena_init(&batch->arena, allocator, 0);
}

void tb_batch_reset(struct tb_batch *batch) {
  batch->event_count = batch->arg_count = batch->text_len = 0;
  batch->has_clocks = batch->has_text = false;
  tb_arena_reset(&batch->arena);
}

void tb_batch_free(struct tb_batch *batch) {
  tb_free(batch->allocator, batch->events, batch->event_capacity * sizeof(struct tb_event));
  tb_free(batch->allocator, batch->args, batch->arg_capacity * sizeof(struct tb_arg));
  tb_free(batch->allocator, batch->text, batch->text_capacity ? batch->text_capacity + TB_BATCH_PADDING : 0);
  tb_arena_free(&batch->arena);
  *batch = (struct tb_batch){.allocator = batch->allocator};
}

bool tb_batch_make_events(struct tb_batch *batch) {
  if (batch->events) return false;
  batch->events = tb_alloc(batch->allocator, TB_BATCH_EVENTS * sizeof(struct tb_event));
  if (!batch->events) return false;
  batch->event_capacity = TB_BATCH_EVENTS;
  return true;
}
