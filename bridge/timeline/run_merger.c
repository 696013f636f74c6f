/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/run_merger.h"

#include "base/error.h"
#include "base/heap.h"

enum { READ_BYTES = 32 * 1024 };
#define NO_RUN UINT32_MAX

struct run_reader {
  struct tb_buffer buffer; /* of a run in the file */
  const char *at;          /* bytes that are not used yet, of the buffer or of the run's memory */
  size_t have;
  uint64_t offset, end; /* what is still in the file */
  uint64_t left;        /* records not read yet, without the current one */
  bool in_memory;       /* all of it is there */
};

struct tb_run_merger {
  struct tb_spill_file *file;
  const struct tb_allocator *allocator;
  const struct tb_run_records *records;
  size_t count;
  struct run_reader *readers;
  char *current;       /* the current record of each run */
  int64_t *keys;       /* of these; 0 where records have none */
  struct tb_heap heap; /* runs with a current record; where they are in order, those that are not read yet too */
  bool in_order;
  bool taken;      /* the record on top was returned */
  uint32_t second; /* the run that comes next where it is known, else NO_RUN */
};

static void *current(const struct tb_run_merger *m, size_t run) { return m->current + run * m->records->size; }

static bool before(const void *ctx, uint32_t a, uint32_t b) {
  const struct tb_run_merger *m = ctx;
  if (m->in_order) return a < b;
  if (m->keys[a] != m->keys[b]) return m->keys[a] < m->keys[b];
  int order = m->records->compare(current(m, a), current(m, b));
  return order ? order < 0 : a < b;
}

static const struct tb_heap_order by_record = {before, NULL};

static enum tb_status read_more(struct tb_run_merger *m, struct run_reader *r, struct tb_error *error) {
  if (r->offset == r->end) return tb_fail(error, TB_IO, TB_NO_OFFSET, "the temporary file was damaged");
  if (r->have) memmove(r->buffer.data, r->at, r->have);
  r->buffer.len = r->have;
  if (tb_buffer_reserve(&r->buffer, READ_BYTES + TB_RUN_SLACK) != TB_OK)
    return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  size_t want = r->buffer.capacity - r->buffer.len - TB_RUN_SLACK;
  if (want > r->end - r->offset) want = (size_t)(r->end - r->offset);
  enum tb_status status = tb_spill_file_get(m->file, r->offset, r->buffer.data + r->buffer.len, want, error);
  if (status != TB_OK) return status;
  r->buffer.len += want;
  r->offset += want;
  r->at = r->buffer.data;
  r->have = r->buffer.len;
  return TB_OK;
}

/* Reads the next record of a run; TB_END after its last one. */
static enum tb_status read_record(struct tb_run_merger *m, uint32_t run, struct tb_error *error) {
  struct run_reader *r = &m->readers[run];
  if (!r->left) return TB_END;
  while (!r->in_memory && (!r->have || !m->records->is_whole(r->at, r->have, r->offset == r->end))) {
    enum tb_status status = read_more(m, r, error);
    if (status != TB_OK) return status;
  }
  void *record = current(m, run);
  const char *after = m->records->read(record, r->at);
  if (m->records->begins_with_key) memcpy(&m->keys[run], record, sizeof(*m->keys));
  if (!r->in_memory) r->have -= (size_t)(after - r->at);
  r->at = after;
  r->left--;
  return TB_OK;
}

/* Runs in order are read when their turn comes. */
static enum tb_status open_readers(struct tb_run_merger *m, const void *ctx, const struct tb_run *runs,
                                   struct tb_error *error) {
  for (uint32_t i = 0; i < m->count; i++) {
    struct run_reader *r = &m->readers[i];
    *r = (struct run_reader){.offset = runs[i].offset, .end = runs[i].offset + runs[i].bytes, .left = runs[i].count};
    if (runs[i].memory) *r = (struct run_reader){.at = runs[i].memory, .left = runs[i].count, .in_memory = true};
    tb_buffer_init(&r->buffer, m->allocator, 0);
    if (m->records->start) m->records->start(ctx, current(m, i));
    enum tb_status status = m->in_order && i ? TB_OK : read_record(m, i, error);
    if (status == TB_OK) tb_heap_push(&m->heap, i, &by_record, m);
    if (status != TB_OK && status != TB_END) return status;
  }
  return TB_OK;
}

enum tb_status tb_run_merger_open(struct tb_spill_file *file, const struct tb_allocator *allocator,
                                  const struct tb_run_records *records, const void *ctx, const struct tb_run *runs,
                                  size_t count, bool in_order, struct tb_run_merger **out, struct tb_error *error) {
  *out = NULL;
  struct tb_run_merger *m = tb_calloc(allocator, sizeof(*m));
  if (!m) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  *m = (struct tb_run_merger){
      .file = file, .allocator = allocator, .records = records, .count = count, .in_order = in_order, .second = NO_RUN};
  m->readers = tb_calloc(allocator, count * sizeof(*m->readers));
  m->current = tb_calloc(allocator, count * records->size);
  m->keys = tb_calloc(allocator, count * sizeof(*m->keys));
  bool whole = m->readers && m->current && m->keys && tb_heap_reserve(&m->heap, allocator, count) == TB_OK;
  enum tb_status status =
      whole ? open_readers(m, ctx, runs, error) : tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  if (status != TB_OK) {
    tb_run_merger_close(m);
    return status;
  }
  *out = m;
  return TB_OK;
}

/* Puts the run on top, which has its next record, where it belongs. Traces are nearly in order: mostly it stays, and is
 * compared with no more than the one run that comes next. */
static void settle_top(struct tb_run_merger *m) {
  struct tb_heap *heap = &m->heap;
  if (heap->count < 2 || m->in_order) return;
  if (m->second == NO_RUN) {
    m->second = heap->items[1];
    if (heap->count > 2 && before(m, heap->items[2], m->second)) m->second = heap->items[2];
  }
  if (before(m, heap->items[0], m->second)) return;
  tb_heap_settle(heap, 0, &by_record, m);
  m->second = NO_RUN;
}

/* Moves the run on top of the heap to its next record; at its end the next run is on top. */
static enum tb_status advance_top(struct tb_run_merger *m, struct tb_error *error) {
  enum tb_status status;
  while (m->heap.count && (status = read_record(m, m->heap.items[0], error)) != TB_OK) {
    if (status != TB_END) return status;
    tb_buffer_free(&m->readers[m->heap.items[0]].buffer);
    tb_heap_remove(&m->heap, 0, &by_record, m);
    m->second = NO_RUN;
    if (!m->in_order) return TB_OK;
  }
  settle_top(m);
  return TB_OK;
}

enum tb_status tb_run_merger_next(struct tb_run_merger *m, const void **record, struct tb_error *error) {
  enum tb_status status = m->taken ? advance_top(m, error) : TB_OK;
  if (status != TB_OK) return status;
  m->taken = m->heap.count;
  if (!m->taken) return TB_END;
  *record = current(m, m->heap.items[0]);
  return TB_OK;
}

void tb_run_merger_close(struct tb_run_merger *m) {
  if (!m) return;
  if (m->readers)
    for (size_t i = 0; i < m->count; i++)
      if (m->readers[i].buffer.allocator) tb_buffer_free(&m->readers[i].buffer);
  tb_free(m->allocator, m->readers, m->count * sizeof(*m->readers));
  tb_free(m->allocator, m->current, m->count * m->records->size);
  tb_free(m->allocator, m->keys, m->count * sizeof(*m->keys));
  tb_heap_free(&m->heap, m->allocator);
  tb_free(m->allocator, m, sizeof(*m));
}
