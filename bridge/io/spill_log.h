/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that come one after the other, held in chunks: in memory, or put away in a temporary file where memory is short. A byte has a
 * position, its place among all of them, which stays wherever its chunk is.
 */
#ifndef TB_IO_SPILL_LOG_H
#define TB_IO_SPILL_LOG_H

#include "base/memory.h"
#include "io/spill_file.h"

enum { TB_SPILL_BLOCK_LARGEST = 256 * 1024 };

struct tb_spill_block {
  char *bytes; /* the block; NULL once it is put away */
  size_t size; /* of the block */
  size_t from,
      to; /* what of the block is used; `to` is set when the chunk is no longer the newest: see tb_spill_log_used */
  uint64_t start;  /* position of its first byte */
  uint64_t offset; /* in the file, once it is put away */
};

struct tb_spill_log {
  const struct tb_allocator *allocator;
  struct tb_spill_block *list;
  size_t count, capacity;
  size_t away;                /* the first ones, which are put away */
  char *at, *end;             /* room in the newest chunk; NULL: none is written to */
  uint64_t bias;              /* what makes an address there a position */
  size_t bytes;               /* of the blocks in memory */
  size_t *held;               /* the same over all that share it; NULL: nobody asks */
  struct tb_spill_file *file; /* where chunks were put away */
};

/* A chunk that is looked at; memory for those that have to be read. */
struct tb_spill_window {
  struct tb_buffer buffer;
  size_t chunk;
};

void tb_spill_log_init(struct tb_spill_log *chunks, const struct tb_allocator *allocator);
void tb_spill_log_free(struct tb_spill_log *chunks);

/* Adds a chunk with room for `need` bytes; the first ones are small. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_spill_log_add(struct tb_spill_log *chunks, size_t need);

/* Sees that `need` bytes can be written at chunks->at, which the caller moves on. TB_OK or TB_NO_MEMORY. */
static inline enum tb_status tb_spill_log_room(struct tb_spill_log *chunks, size_t need) {
  return need <= (size_t)(chunks->end - chunks->at) ? TB_OK : tb_spill_log_add(chunks, need);
}

/* The position of an address in the newest chunk. */
static inline uint64_t tb_spill_log_position(const struct tb_spill_log *chunks, const char *at) {
  return chunks->bias + (uint64_t)(uintptr_t)at;
}

/* How many bytes there are in all. */
static inline uint64_t tb_spill_log_total(const struct tb_spill_log *chunks) {
  if (chunks->at) return tb_spill_log_position(chunks, chunks->at);
  const struct tb_spill_block *newest = chunks->count ? &chunks->list[chunks->count - 1] : NULL;
  return newest ? newest->start + (newest->to - newest->from) : 0;
}

/* The bytes of a chunk. */
size_t tb_spill_log_used(const struct tb_spill_log *chunks, size_t chunk);
/* Frees the block, or what is in the file, of a chunk that nobody needs any more. */
void tb_spill_log_drop(struct tb_spill_log *chunks, size_t chunk);

/* Puts all chunks away: their memory is free then. TB_OK; TB_IO or TB_NO_MEMORY, with what could not be put away still in memory. */
TB_MUST_CHECK enum tb_status tb_spill_log_spill(struct tb_spill_log *chunks, struct tb_spill_file *file,
                                                struct tb_error *error);

void tb_spill_window_init(struct tb_spill_window *window, const struct tb_allocator *allocator);
void tb_spill_window_free(struct tb_spill_window *window);
/* The bytes of a chunk, which are valid until the window is used again. TB_OK, TB_IO or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_spill_log_look(const struct tb_spill_log *chunks, size_t chunk,
                                               struct tb_spill_window *window, struct tb_str *bytes,
                                               struct tb_error *error);
/* The chunk that has a position. There has to be one. */
size_t tb_spill_log_find(const struct tb_spill_log *chunks, uint64_t position);

#endif
