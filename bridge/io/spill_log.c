/* SPDX-License-Identifier: Apache-2.0 */
#include "io/spill_log.h"

#include "base/error.h"
#include "base/search.h"

enum { FIRST_CHUNK = 128, READ_SLACK = 16 /* behind a window's bytes: varints may be read with what follows them */ };

void tb_spill_log_init(struct tb_spill_log *c, const struct tb_allocator *allocator) {
  *c = (struct tb_spill_log){.allocator = allocator};
}

void tb_spill_log_free(struct tb_spill_log *c) {
  if (!c->allocator) return;
  for (size_t i = c->away; i < c->count; i++) tb_spill_log_drop(c, i);
  tb_free(c->allocator, c->list, c->capacity * sizeof(*c->list));
  *c = (struct tb_spill_log){.allocator = c->allocator, .held = c->held};
}

void tb_spill_log_drop(struct tb_spill_log *c, size_t chunk) {
  struct tb_spill_block *dropped = &c->list[chunk];
  if (!dropped->bytes) {
    if (chunk < c->away) tb_spill_file_forget(c->file, dropped->offset, dropped->to - dropped->from);
    return;
  }
  c->bytes -= dropped->size;
  if (c->held) *c->held -= dropped->size;
  tb_free(c->allocator, dropped->bytes, dropped->size);
  dropped->bytes = NULL;
}

static bool is_newest(const struct tb_spill_log *c, size_t chunk) { return chunk + 1 == c->count && c->at; }

size_t tb_spill_log_used(const struct tb_spill_log *c, size_t chunk) {
  const struct tb_spill_block *asked = &c->list[chunk];
  return (is_newest(c, chunk) ? (size_t)(c->at - asked->bytes) : asked->to) - asked->from;
}

/* Nothing more is written to the newest chunk. */
static void seal(struct tb_spill_log *c) {
  if (!c->at) return;
  struct tb_spill_block *newest = &c->list[c->count - 1];
  newest->to = (size_t)(c->at - newest->bytes);
  c->at = c->end = NULL;
}

/* Twice the size of the one before if that was filled, half of it if that was spilled with little in it. */
static size_t next_size(const struct tb_spill_log *c, bool filled, size_t need) {
  size_t size = FIRST_CHUNK;
  if (c->count) {
    const struct tb_spill_block *newest = &c->list[c->count - 1];
    bool little = newest->to - newest->from < newest->size / 4;
    size = filled ? newest->size * 2 : little ? newest->size / 2 : newest->size;
  }
  if (size < FIRST_CHUNK) size = FIRST_CHUNK;
  if (size > TB_SPILL_BLOCK_LARGEST) size = TB_SPILL_BLOCK_LARGEST;
  while (size < need && size < TB_SPILL_BLOCK_LARGEST) size *= 2;
  return size < need ? need : size;
}

enum tb_status tb_spill_log_add(struct tb_spill_log *c, size_t need) {
  if (need > SIZE_MAX / 2) return TB_NO_MEMORY;
  void *list = c->list;
  enum tb_status status =
      tb_grow_array(c->allocator, &list, &c->capacity, c->count + 1, sizeof(*c->list), SIZE_MAX / 128);
  c->list = list;
  if (status != TB_OK) return TB_NO_MEMORY;
  uint64_t start = tb_spill_log_total(c);
  bool filled = c->at != NULL;
  seal(c);
  size_t size = next_size(c, filled, need);
  char *bytes = tb_alloc(c->allocator, size);
  if (!bytes) return TB_NO_MEMORY;
  c->list[c->count++] = (struct tb_spill_block){.bytes = bytes, .size = size, .start = start};
  c->at = bytes;
  c->end = bytes + size;
  c->bias = start - (uint64_t)(uintptr_t)bytes;
  c->bytes += size;
  if (c->held) *c->held += size;
  return TB_OK;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

enum tb_status tb_spill_log_spill(struct tb_spill_log *c, struct tb_spill_file *file, struct tb_error *error) {
  seal(c);
  c->file = file;
  while (c->away < c->count) {
    struct tb_spill_block *chunk = &c->list[c->away];
    if (chunk->bytes) {
      enum tb_status status =
          tb_spill_file_put(file, chunk->bytes + chunk->from, chunk->to - chunk->from, &chunk->offset, error);
      if (status != TB_OK) return status;
    }
    tb_spill_log_drop(c, c->away);
    c->away++;
  }
  return TB_OK;
}

void tb_spill_window_init(struct tb_spill_window *w, const struct tb_allocator *allocator) {
  tb_buffer_init(&w->buffer, allocator, 0);
  w->chunk = SIZE_MAX;
}

void tb_spill_window_free(struct tb_spill_window *w) { tb_buffer_free(&w->buffer); }

enum tb_status tb_spill_log_look(const struct tb_spill_log *c, size_t chunk, struct tb_spill_window *w,
                                 struct tb_str *bytes, struct tb_error *error) {
  const struct tb_spill_block *asked = &c->list[chunk];
  size_t len = tb_spill_log_used(c, chunk);
  if (asked->bytes) {
    *bytes = (struct tb_str){asked->bytes + asked->from, len};
    return TB_OK;
  }
  if (w->chunk != chunk) {
    w->chunk = SIZE_MAX;
    w->buffer.len = 0;
    if (tb_buffer_reserve(&w->buffer, len + READ_SLACK) != TB_OK)
      return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
    enum tb_status status = tb_spill_file_get(c->file, asked->offset, w->buffer.data, len, error);
    if (status != TB_OK) return status;
    w->chunk = chunk;
  }
  *bytes = (struct tb_str){w->buffer.data, len};
  return TB_OK;
}

size_t tb_spill_log_find(const struct tb_spill_log *c, uint64_t position) {
  size_t after = 1; /* the first chunk that begins after it */
  TB_LOWER_BOUND(after, c->count, i, c->list[i].start <= position);
  return after - 1;
}

enum tb_status tb_spill_log_bytes(const struct tb_spill_log *c, uint64_t position, size_t len,
                                  struct tb_spill_window *w, struct tb_str *bytes, struct tb_error *error) {
  size_t chunk = tb_spill_log_find(c, position);
  struct tb_str all = {NULL, 0};
  enum tb_status status = tb_spill_log_look(c, chunk, w, &all, error);
  if (status == TB_OK) *bytes = (struct tb_str){all.ptr + (position - c->list[chunk].start), len};
  return status;
}
