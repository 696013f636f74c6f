/* SPDX-License-Identifier: Apache-2.0 */
#include "shape/event_sorter.h"

#include "io/spill_file.h"
#include "shape/event_codec.h"

enum { USUAL_BUDGET = 256 << 20, LEAST_BUDGET = 1 << 20 };

void tb_event_sorter_init(struct tb_event_sorter *sorter, const struct tb_allocator *allocator) {
  *sorter = (struct tb_event_sorter){.allocator = allocator, .budget = USUAL_BUDGET};
  tb_sort_queue_init(&sorter->queue, allocator);
  tb_buffer_init(&sorter->body, allocator, 0);
}

void tb_event_sorter_free(struct tb_event_sorter *sorter) {
  if (sorter->is_open) tb_sort_queue_close(&sorter->cursor);
  tb_sort_queue_free(&sorter->queue);
  tb_spill_file_close(sorter->spill);
  tb_buffer_free(&sorter->body);
}

static enum tb_status spill(struct tb_event_sorter *sorter, struct tb_error *error) {
  enum tb_status status = TB_OK;
  if (!sorter->spill) status = tb_spill_file_create(sorter->directory, sorter->allocator, &sorter->spill, error);
  return status == TB_OK ? tb_sort_queue_spill(&sorter->queue, sorter->spill, error) : status;
}

enum tb_status tb_event_sorter_put(struct tb_event_sorter *sorter, const struct tb_event *event,
                                   struct tb_error *error) {
  sorter->body.len = 0;
  if (tb_event_encode(&sorter->body, event) != TB_OK) return TB_NO_MEMORY;
  bool ranked = sorter->complete_first && event->type == TB_EVENT_SLICE_COMPLETE && event->dur > 0;
  struct tb_staged_event entry = {.ts = event->has & TB_HAS_TS ? event->ts : INT64_MIN,
                                  .dur = ranked ? event->dur : 0,
                                  .kind = ranked ? TB_STAGED_COMPLETE : TB_STAGED_COUNTER,
                                  .key = ranked ? 1 : 0,
                                  .body = {sorter->body.data, sorter->body.len}};
  if (tb_sort_queue_add(&sorter->queue, &entry) != TB_OK) return TB_NO_MEMORY;
  size_t budget = sorter->budget > LEAST_BUDGET ? sorter->budget : LEAST_BUDGET;
  return sorter->queue.bytes > budget ? spill(sorter, error) : TB_OK;
}

static enum tb_status open_cursor(struct tb_event_sorter *sorter, struct tb_error *error) {
  struct tb_sort_queue *queue = &sorter->queue;
  enum tb_status status = TB_OK;
  if (queue->run_count && queue->count) status = spill(sorter, error);
  if (status == TB_OK && !queue->run_count && !queue->sorted) status = tb_sort_queue_index(queue);
  if (status == TB_OK) status = tb_sort_queue_open(queue, sorter->spill, &sorter->cursor, error);
  sorter->is_open = status == TB_OK;
  return status;
}

enum tb_status tb_event_sorter_next(struct tb_event_sorter *sorter, struct tb_arena *arena, struct tb_event *event,
                                    struct tb_error *error) {
  struct tb_staged_event entry;
  enum tb_status status = sorter->is_open ? TB_OK : open_cursor(sorter, error);
  if (status == TB_OK) status = tb_sort_queue_next(&sorter->cursor, &entry, error);
  return status == TB_OK ? tb_event_decode(entry.body, arena, event) : status;
}
