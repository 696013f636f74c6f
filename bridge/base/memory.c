/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/error.h"

struct tb_arena_chunk {
  struct tb_arena_chunk *next;
  size_t size;
};

enum { ARRAY_FIRST_BYTES = 256, ARENA_FIRST_CHUNK = 4096, ARENA_LARGEST_STEP = 1 << 20 };

/* malloc gives large blocks that begin 16 bytes behind a page's start. On AMD's Zen 3 the instruction with which the
 * kernel copies what is read takes three times as long where its target is so little further in its page than the
 * source: so these blocks begin further on. */
enum { LARGE_BLOCK = 64 * 1024, LARGE_LEAD = 48 };

static size_t lead(size_t size) { return size >= LARGE_BLOCK ? LARGE_LEAD : 0; }

static void *system_reallocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  (void)ctx;
  size_t old_lead = ptr ? lead(old_size) : 0, new_lead = lead(new_size);
  char *block = ptr ? (char *)ptr - old_lead : NULL;
  if (new_size == 0) {
    free(block);
    return NULL;
  }
  if (new_size > SIZE_MAX - LARGE_LEAD) return NULL;
  size_t kept = old_size < new_size ? old_size : new_size;
  if (new_lead < old_lead) memmove(block, block + old_lead, kept);
  char *moved = realloc(block, new_size + new_lead);
  if (!moved && new_lead < old_lead) memmove(block + old_lead, block, kept);
  if (!moved) return NULL;
  if (new_lead > old_lead && ptr) memmove(moved + new_lead, moved, kept);
  return moved + new_lead;
}

const struct tb_allocator *tb_default_allocator(void) {
  static const struct tb_allocator system = {system_reallocate, NULL};
  return &system;
}

void *tb_alloc(const struct tb_allocator *a, size_t size) { return a->reallocate(a->ctx, NULL, 0, size ? size : 1); }

void *tb_calloc(const struct tb_allocator *a, size_t size) {
  void *p = tb_alloc(a, size);
  if (p) memset(p, 0, size);
  return p;
}

void tb_ask_for_huge_pages(void *block, size_t bytes) {
#ifdef MADV_HUGEPAGE
  enum { HUGE_PAGE = 2 << 20 };
  size_t before = (HUGE_PAGE - (uintptr_t)block % HUGE_PAGE) % HUGE_PAGE;
  if (bytes < before + HUGE_PAGE) return;
  (void)madvise((char *)block + before, (bytes - before) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#else
  (void)block, (void)bytes;
#endif
}

void *tb_realloc(const struct tb_allocator *a, void *ptr, size_t old_size, size_t new_size) {
  return a->reallocate(a->ctx, ptr, old_size, new_size ? new_size : 1);
}

void tb_free(const struct tb_allocator *a, void *ptr, size_t size) {
  if (ptr) (void)a->reallocate(a->ctx, ptr, size ? size : 1, 0);
}

static void *guarded_reallocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct tb_guard *guard = ctx;
  void *block = guard->source->reallocate(guard->source->ctx, ptr, old_size, new_size);
  if (!block && new_size) atomic_store_explicit(&guard->failed, true, memory_order_relaxed);
  return block;
}

void tb_guard_init(struct tb_guard *guard, const struct tb_allocator *source) {
  guard->allocator = (struct tb_allocator){guarded_reallocate, guard};
  guard->source = source;
  atomic_init(&guard->failed, false);
}

enum tb_status tb_guard_settle_failed(struct tb_error *error) {
  if (error) error->code = TB_OK;
  return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

/* There may be an array for each of a hundred thousand threads: large items start few. */
static size_t first_capacity(size_t item) {
  return item <= ARRAY_FIRST_BYTES / 16 ? 16 : item <= ARRAY_FIRST_BYTES / 2 ? ARRAY_FIRST_BYTES / item : 2;
}

enum tb_status tb_grow_array(const struct tb_allocator *a, void **ptr, size_t *capacity, size_t needed, size_t item,
                             size_t max_items) {
  if (needed <= *capacity) return TB_OK;
  if (needed > max_items || needed > SIZE_MAX / 2 / item) return TB_LIMIT;
  size_t to = *capacity ? *capacity : first_capacity(item);
  while (to < needed) to = to > SIZE_MAX / 4 / item ? needed : to * 2;
  if (to > max_items) to = max_items;
  void *grown = tb_realloc(a, *ptr, *capacity * item, to * item);
  if (!grown) return TB_NO_MEMORY;
  *ptr = grown;
  *capacity = to;
  return TB_OK;
}

enum tb_status tb_grow_zeroed(const struct tb_allocator *a, void **ptr, size_t *capacity, size_t needed, size_t item,
                              size_t max_items) {
  size_t before = *capacity;
  enum tb_status status = tb_grow_array(a, ptr, capacity, needed, item, max_items);
  if (*capacity > before) memset((char *)*ptr + before * item, 0, (*capacity - before) * item);
  return status;
}

enum tb_status tb_pages_reach(struct tb_pages *pages, size_t index, size_t item, size_t max_items) {
  if (index >= max_items) return TB_LIMIT;
  while (index >= tb_pages_room(pages)) {
    void *list = pages->pages;
    enum tb_status status =
        tb_grow_array(pages->allocator, &list, &pages->capacity, pages->count + 1, sizeof(*pages->pages), SIZE_MAX);
    pages->pages = list;
    void *page = status == TB_OK ? tb_calloc(pages->allocator, TB_PAGE_ITEMS * item) : NULL;
    if (!page) return status == TB_OK ? TB_NO_MEMORY : status;
    pages->pages[pages->count++] = page;
  }
  return TB_OK;
}

void tb_pages_free(struct tb_pages *pages, size_t item) {
  for (size_t i = 0; i < pages->count; i++) tb_free(pages->allocator, pages->pages[i], TB_PAGE_ITEMS * item);
  tb_free(pages->allocator, pages->pages, pages->capacity * sizeof(*pages->pages));
  *pages = (struct tb_pages){.allocator = pages->allocator};
}

void tb_arena_init(struct tb_arena *arena, const struct tb_allocator *allocator, size_t max_total) {
  *arena = (struct tb_arena){.allocator = allocator, .max_total = max_total};
}

void *tb_arena_alloc_slow(struct tb_arena *arena, size_t size) {
  size_t step = arena->chunks ? arena->chunks->size * 2 : ARENA_FIRST_CHUNK;
  if (step > ARENA_LARGEST_STEP) step = ARENA_LARGEST_STEP;
  if (size > SIZE_MAX / 2) return NULL;
  size_t need = size + sizeof(struct tb_arena_chunk);
  if (step < need) step = need;
  if (arena->max_total && (step > arena->max_total || arena->total > arena->max_total - step)) {
    arena->is_limited = true;
    return NULL;
  }
  struct tb_arena_chunk *chunk = tb_alloc(arena->allocator, step);
  if (!chunk) return NULL;
  chunk->next = arena->chunks;
  chunk->size = step;
  arena->chunks = chunk;
  arena->total += step;
  char *p = (char *)(chunk + 1);
  arena->at = p + size;
  arena->end = (char *)chunk + step;
  return p;
}

static void free_chunks(struct tb_arena *arena, struct tb_arena_chunk *chunk) {
  while (chunk) {
    struct tb_arena_chunk *next = chunk->next;
    arena->total -= chunk->size;
    tb_free(arena->allocator, chunk, chunk->size);
    chunk = next;
  }
}

void tb_arena_reset(struct tb_arena *arena) {
  if (!arena->chunks) return;
  free_chunks(arena, arena->chunks->next);
  arena->chunks->next = NULL;
  arena->at = (char *)(arena->chunks + 1);
  arena->end = (char *)arena->chunks + arena->chunks->size;
}

void tb_arena_free(struct tb_arena *arena) {
  free_chunks(arena, arena->chunks);
  arena->chunks = NULL;
  arena->at = arena->end = NULL;
}

struct tb_str tb_arena_copy(struct tb_arena *arena, struct tb_str text) {
  char *p = tb_arena_alloc(arena, text.len + 1);
  if (!p) return (struct tb_str){NULL, 0};
  if (text.len) memcpy(p, text.ptr, text.len);
  p[text.len] = '\0';
  return (struct tb_str){p, text.len};
}

void tb_buffer_init(struct tb_buffer *buffer, const struct tb_allocator *allocator, size_t max) {
  *buffer = (struct tb_buffer){.allocator = allocator, .max = max ? max : SIZE_MAX / 2};
}

enum tb_status tb_buffer_grow(struct tb_buffer *b, size_t more) {
  if (more > b->max || b->len > b->max - more) return TB_LIMIT;
  void *data = b->data;
  enum tb_status status = tb_grow_array(b->allocator, &data, &b->capacity, b->len + more, 1, b->max);
  b->data = data;
  return status;
}

void tb_buffer_free(struct tb_buffer *b) {
  tb_free(b->allocator, b->data, b->capacity);
  b->data = NULL;
  b->len = b->capacity = 0;
}
