/* SPDX-License-Identifier: Apache-2.0
 *
 * A spill log: an append-only sequence of bytes in blocks ("chunks"), which can be moved to a temporary file when
 * memory is short. Every byte keeps its position, its number in the sequence, wherever its chunk is.
 *
 *   position   0          128          384              896
 *              | chunk 0  |  chunk 1   |    chunk 2     |  chunk 3 ...   at, end: the free part of chunk 3
 *              `--------- spilled -----'`---- in memory ---------->
 *
 * The first chunks are small, so that many short logs are cheap; later ones are of up to 256 KiB. What is appended
 * by one writer must not cross the end of a chunk: tb_spill_log_room starts a new chunk if the newest one is too
 * full.
 *
 * tb_spill_log_spill writes all chunks in memory to the file and frees them. To read, tb_spill_log_look returns the
 * bytes of one chunk at a time, from memory or through a window on the file. tb_spill_log_drop frees chunks that are
 * not needed again.
 */
#ifndef TB_IO_SPILL_LOG_H
#define TB_IO_SPILL_LOG_H

#include "base/memory.h"
#include "io/spill_file.h"

enum { TB_SPILL_BLOCK_LARGEST = 256 * 1024 };

struct tb_spill_block {
  char *bytes; /* the block; NULL once it is spilled */
  size_t size; /* of the block */
  /* what of the block is used; `to` is set when the chunk is no longer the newest: see tb_spill_log_used */
  size_t from, to;
  uint64_t start;  /* position of its first byte */
  uint64_t offset; /* in the file, once it is spilled */
};

struct tb_spill_log {
  const struct tb_allocator *allocator;
  struct tb_spill_block *list;
  size_t count, capacity;
  size_t away;                /* the first ones, which are spilled */
  char *at, *end;             /* room in the newest chunk; NULL: none is written to */
  uint64_t bias;              /* what makes an address there a position */
  size_t bytes;               /* of the blocks in memory */
  size_t *held;               /* the same over all that share it; NULL: nobody asks */
  struct tb_spill_file *file; /* where chunks were spilled */
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

/* Spills all chunks and frees their memory. TB_OK; TB_IO or TB_NO_MEMORY, with what could not be spilled still
 * in memory. */
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
/* `len` bytes of one chunk from a position on; as tb_spill_log_look. */
TB_MUST_CHECK enum tb_status tb_spill_log_bytes(const struct tb_spill_log *chunks, uint64_t position, size_t len,
                                                struct tb_spill_window *window, struct tb_str *bytes,
                                                struct tb_error *error);

#endif
