/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory through a tb_allocator: plain blocks, a bump arena, a growable byte buffer.
 */
#ifndef TB_BASE_MEMORY_H
#define TB_BASE_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "tracebridge/base.h"

/* The allocator to use where the caller gave NULL: malloc, realloc, free. */
const struct tb_allocator *tb_default_allocator(void);

void *tb_alloc(const struct tb_allocator *allocator, size_t size);
void *tb_calloc(const struct tb_allocator *allocator, size_t size); /* zeroed */
void *tb_realloc(const struct tb_allocator *allocator, void *ptr, size_t old_size, size_t new_size);
/* Of memory that a program touches for the first time each page costs a fault, and where pages have 4 KiB this is more
 * than all that is done with an event. So large blocks are asked to have pages of 2 MiB, before they are touched; where
 * the system has none, or the memory is of a kind that cannot have them, it stays as it is. */
void tb_ask_for_huge_pages(void *block, size_t bytes);
void tb_free(const struct tb_allocator *allocator, void *ptr, size_t size);

/* Makes room for `needed` items of `item` bytes in the array *ptr of *capacity items, doubling; at most `max_items`.
 * TB_OK, TB_LIMIT or TB_NO_MEMORY (nothing changed then). */
enum tb_status tb_grow_array(const struct tb_allocator *allocator, void **ptr, size_t *capacity, size_t needed,
                             size_t item, size_t max_items);
/* The same, and what is new is zero. */
enum tb_status tb_grow_zeroed(const struct tb_allocator *allocator, void **ptr, size_t *capacity, size_t needed,
                              size_t item, size_t max_items);

/* ---- guard: an allocator that remembers failures ----------------------------------------------------------------- */

/* The allocator of a reader, a writer or a merge. A function may go on without the memory that it did not get: so the
 * owner of the guard calls tb_guard_settle before it returns a result, and no failed allocation changes one unnoticed.
 * Thread-safe. */
struct tb_guard {
  struct tb_allocator allocator; /* to be passed on; points to the guard, which must not move */
  const struct tb_allocator *source;
  atomic_bool failed;
};

void tb_guard_init(struct tb_guard *guard, const struct tb_allocator *source);

/* Returns `status`, or TB_NO_MEMORY, also in *error, where an allocation failed: any other error came of that. */
enum tb_status tb_guard_settle_failed(struct tb_error *error);
static inline enum tb_status tb_guard_settle(const struct tb_guard *guard, enum tb_status status,
                                             struct tb_error *error) {
  return atomic_load_explicit(&guard->failed, memory_order_relaxed) ? tb_guard_settle_failed(error) : status;
}

/* ---- arena: many small blocks, freed together; blocks are 8-aligned and never move ------------------------------- */

struct tb_arena_chunk;
struct tb_arena {
  const struct tb_allocator *allocator;
  struct tb_arena_chunk *chunks; /* newest first */
  char *at, *end;
  size_t total;     /* bytes of all chunks */
  size_t max_total; /* 0: no limit */
  bool is_limited;  /* a block was refused since it would have been past it */
};

void tb_arena_init(struct tb_arena *arena, const struct tb_allocator *allocator, size_t max_total);
void *tb_arena_alloc_slow(struct tb_arena *arena, size_t size);
/* Forgets all blocks but keeps the newest chunk for reuse. */
void tb_arena_reset(struct tb_arena *arena);
void tb_arena_free(struct tb_arena *arena);

/* NULL when memory or the limit is exhausted. A block of no bytes has an address of its own like any other. */
static inline void *tb_arena_alloc(struct tb_arena *arena, size_t size) {
  size = size ? (size + 7) & ~(size_t)7 : 8;
  if (size > (size_t)(arena->end - arena->at)) return tb_arena_alloc_slow(arena, size);
  void *p = arena->at;
  arena->at += size;
  return p;
}

/* A copy of `text` in the arena, NUL-terminated beyond its length. ptr is NULL when memory is exhausted and text is not
 * empty. */
struct tb_str tb_arena_copy(struct tb_arena *arena, struct tb_str text);

/* ---- pages: an array that grows by an index, whose items never move and take no more than they need -------------- */

enum { TB_PAGE_ITEMS = 16 };

/* Zero but for the allocator it is empty. The size of an item is said to each call. */
struct tb_pages {
  const struct tb_allocator *allocator;
  void **pages;
  size_t count, capacity; /* of pages */
};

/* Makes room for the items up to `index`; new ones are 0. TB_OK, TB_LIMIT or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_pages_reach(struct tb_pages *pages, size_t index, size_t item, size_t max_items);
void tb_pages_free(struct tb_pages *pages, size_t item);

static inline size_t tb_pages_room(const struct tb_pages *pages) { return pages->count * TB_PAGE_ITEMS; }

/* An item for which there is room. */
static inline void *tb_pages_at(const struct tb_pages *pages, size_t index, size_t item) {
  return (char *)pages->pages[index / TB_PAGE_ITEMS] + index % TB_PAGE_ITEMS * item;
}

/* For small functions on the way of every event, where compilers think a call worth the while. */
#define TB_ALWAYS_INLINE inline __attribute__((always_inline))

/* Has `size` bytes brought into the cache, while other work goes on. */
static TB_ALWAYS_INLINE void tb_prefetch(const void *data, size_t size) {
  enum { CACHE_LINE = 64 };
  const char *end = (const char *)data + size;
  for (const char *at = data; at < end; at += CACHE_LINE) __builtin_prefetch(at);
}

/* ---- buffer: bytes in a row that grow, up to a maximum ----------------------------------------------------------- */

struct tb_buffer {
  const struct tb_allocator *allocator;
  char *data;
  size_t len, capacity;
  size_t max; /* 0: SIZE_MAX / 2 */
};

void tb_buffer_init(struct tb_buffer *buffer, const struct tb_allocator *allocator, size_t max);
/* tb_buffer_reserve where the buffer must grow. */
enum tb_status tb_buffer_grow(struct tb_buffer *buffer, size_t more);
/* Makes room for `more` bytes after len. TB_OK, TB_LIMIT or TB_NO_MEMORY. */
static inline enum tb_status tb_buffer_reserve(struct tb_buffer *buffer, size_t more) {
  return more <= buffer->capacity - buffer->len ? TB_OK : tb_buffer_grow(buffer, more);
}
/* In place, so that a few bytes are stored and not copied by a call. */
static TB_ALWAYS_INLINE enum tb_status tb_buffer_append(struct tb_buffer *buffer, const void *data, size_t len) {
  enum tb_status status = tb_buffer_reserve(buffer, len);
  if (status != TB_OK) return status;
  if (len) memcpy(buffer->data + buffer->len, data, len);
  buffer->len += len;
  return TB_OK;
}
void tb_buffer_free(struct tb_buffer *buffer);

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static inline uint64_t tb_load64(const char *p) {
  uint64_t v;
  memcpy(&v, p, sizeof(v));
  return v;
}

static inline uint32_t tb_load32(const char *p) {
  uint32_t v;
  memcpy(&v, p, sizeof(v));
  return v;
}

/* Short texts are compared in place: a call costs more than they do. */
static TB_ALWAYS_INLINE bool tb_str_equal(struct tb_str a, struct tb_str b) {
  if (a.len != b.len) return false;
  if (a.len > 32) return memcmp(a.ptr, b.ptr, a.len) == 0;
  if (a.len >= 8) {
    uint64_t differs = tb_load64(a.ptr) ^ tb_load64(b.ptr);
    differs |= tb_load64(a.ptr + a.len - 8) ^ tb_load64(b.ptr + a.len - 8);
    if (a.len <= 16) return differs == 0;
    differs |= tb_load64(a.ptr + 8) ^ tb_load64(b.ptr + 8);
    return (differs | (tb_load64(a.ptr + a.len - 16) ^ tb_load64(b.ptr + a.len - 16))) == 0;
  }
  if (a.len >= 4)
    return tb_load32(a.ptr) == tb_load32(b.ptr) && tb_load32(a.ptr + a.len - 4) == tb_load32(b.ptr + a.len - 4);
  return a.len == 0 ||
         (a.ptr[0] == b.ptr[0] && a.ptr[a.len / 2] == b.ptr[a.len / 2] && a.ptr[a.len - 1] == b.ptr[a.len - 1]);
}
static inline struct tb_str tb_str_from(const char *text) { return (struct tb_str){text, text ? strlen(text) : 0}; }

#endif
