/* SPDX-License-Identifier: Apache-2.0
 *
 * A record: how many interned ids there are, each with its kind in the low bits, and the entry as a sort queue has it.
 */
#include "perfetto/writer/staged/grouped_sequences.h"

#include "base/error.h"
#include "timeline/entry_codec.h"

enum { KIND_BITS = 3 };

static const struct tb_record_base no_base = {0, 0};

void tb_grouped_sequences_init(struct tb_grouped_sequences *g, const struct tb_allocator *allocator, size_t *held) {
  *g = (struct tb_grouped_sequences){.allocator = allocator};
  tb_sort_queue_init(&g->queue, allocator);
  g->queue.held = held;
  tb_buffer_init(&g->record, allocator, 0);
}

void tb_grouped_sequences_free(struct tb_grouped_sequences *g) {
  if (g->reading) tb_sort_queue_close(&g->cursor);
  tb_sort_queue_free(&g->queue);
  tb_interned_free_uses(&g->uses, g->allocator);
  tb_buffer_free(&g->record);
}

/* ---- putting ----------------------------------------------------------------------------------------------------- */

static enum tb_status put_uses(struct tb_grouped_sequences *g) {
  size_t count = 0;
  for (size_t kind = 0; kind < TB_INTERNED_KINDS; kind++) count += g->uses.kinds[kind].count;
  if (tb_buffer_reserve(&g->record, (count + 1) * TB_WIRE_VARINT_MAX) != TB_OK) return TB_NO_MEMORY;
  char *at = tb_wire_put_varint(g->record.data, count);
  for (size_t kind = 0; kind < TB_INTERNED_KINDS; kind++)
    for (size_t i = 0; i < g->uses.kinds[kind].count; i++)
      at = tb_wire_put_varint(at, (uint64_t)g->uses.kinds[kind].iids[i] << KIND_BITS | kind);
  g->record.len = (size_t)(at - g->record.data);
  tb_interned_clear_uses(&g->uses);
  return TB_OK;
}

enum tb_status tb_grouped_sequences_put(struct tb_grouped_sequences *g, uint32_t index,
                                        const struct tb_staged_event *entry) {
  g->record.len = 0;
  if (put_uses(g) != TB_OK) return TB_NO_MEMORY;
  if (tb_buffer_reserve(&g->record, RECORD_HEAD_MAX) != TB_OK) return TB_NO_MEMORY;
  g->record.len = (size_t)(tb_record_write(g->record.data + g->record.len, entry, 0, no_base) - g->record.data);
  if (tb_buffer_append(&g->record, entry->body.ptr, entry->body.len) != TB_OK ||
      tb_buffer_append(&g->record, entry->end_body.ptr, entry->end_body.len) != TB_OK)
    return TB_NO_MEMORY;
  struct tb_staged_event record = {.ts = index, .kind = TB_STAGED_COUNTER, .body = {g->record.data, g->record.len}};
  return tb_sort_queue_add(&g->queue, &record);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static enum tb_status read_next(struct tb_grouped_sequences *g, struct tb_error *error) {
  enum tb_status status = tb_sort_queue_next(&g->cursor, &g->next, error);
  g->has_next = status == TB_OK;
  return status == TB_END ? TB_OK : status;
}

enum tb_status tb_grouped_sequences_rewind(struct tb_grouped_sequences *g, struct tb_spill_file *file,
                                           struct tb_error *error) {
  if (g->reading) tb_sort_queue_close(&g->cursor);
  g->reading = true;
  g->is_taken = false;
  if (!g->queue.run_count && !g->queue.sorted && tb_sort_queue_index(&g->queue) != TB_OK)
    return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  enum tb_status status = tb_sort_queue_open(&g->queue, file, &g->cursor, error);
  return status == TB_OK ? read_next(g, error) : status;
}

static enum tb_status take(struct tb_grouped_sequences *g, struct tb_staged_event *entry,
                           struct tb_interned_uses *uses) {
  uint64_t count, use;
  const char *at = tb_record_varint(g->next.body.ptr, &count);
  for (uint64_t i = 0; i < count; i++) {
    at = tb_record_varint(at, &use);
    struct tb_interned_use *of_kind = &uses->kinds[use & ((1 << KIND_BITS) - 1)];
    if (tb_interned_use_iid(g->allocator, of_kind, (uint32_t)(use >> KIND_BITS)) != TB_OK) return TB_NO_MEMORY;
  }
  (void)tb_record_read(at, entry, 0, no_base);
  return TB_OK;
}

enum tb_status tb_grouped_sequences_next(struct tb_grouped_sequences *g, uint32_t index, struct tb_staged_event *entry,
                                         struct tb_interned_uses *uses, struct tb_error *error) {
  enum tb_status status = g->is_taken ? read_next(g, error) : TB_OK;
  g->is_taken = false;
  while (status == TB_OK && g->has_next && g->next.ts < (int64_t)index) status = read_next(g, error);
  if (status != TB_OK) return status;
  if (!g->has_next || g->next.ts != (int64_t)index) return TB_END;
  g->is_taken = true;
  return take(g, entry, uses) == TB_OK ? TB_OK : tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}
