/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers and writers take large blocks, which under AddressSanitizer are mapped and unmapped each time, and that took
 * most of the time. They are kept, poisoned, for the next one of the same size.
 */
#include <pthread.h>
#include <stdlib.h>

#include "calls.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

/* Nothing that costs a call of the system, or memory that is not in the cache, in each sequence. */
const char *__asan_default_options(void);  /* NOLINT(bugprone-reserved-identifier): AddressSanitizer's name */
const char *__asan_default_options(void) { /* NOLINT(bugprone-reserved-identifier) */
  return "quarantine_size_mb=8:malloc_context_size=8:allocator_release_to_os_interval_ms=-1:"
         "clear_shadow_mmap_threshold=67108864";
}

enum { KEPT = 32, LARGE = 1 << 16 };
static struct {
  void *block;
  size_t size;
} kept_blocks[KEPT];
static size_t kept_next;
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

static void *take_kept(size_t size) {
  void *block = NULL;
  (void)pthread_mutex_lock(&kept_lock);
  for (size_t i = 0; i < KEPT && !block; i++)
    if (kept_blocks[i].block && kept_blocks[i].size == size) {
      block = kept_blocks[i].block;
      kept_blocks[i].block = NULL;
    }
  (void)pthread_mutex_unlock(&kept_lock);
  if (block) ASAN_UNPOISON_MEMORY_REGION(block, LARGE);
  return block;
}

/* In the place of the oldest one. */
static void keep(void *block, size_t size) {
  ASAN_POISON_MEMORY_REGION(block, LARGE); /* its first bytes: all of it would take longer */
  (void)pthread_mutex_lock(&kept_lock);
  size_t place = kept_next++ % KEPT;
  void *oldest = kept_blocks[place].block;
  kept_blocks[place].block = block;
  kept_blocks[place].size = size;
  (void)pthread_mutex_unlock(&kept_lock);
  if (oldest) ASAN_UNPOISON_MEMORY_REGION(oldest, LARGE);
  free(oldest);
}

static void *reallocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  (void)ctx;
  if (!ptr && new_size >= LARGE) {
    void *block = take_kept(new_size);
    return block ? block : malloc(new_size);
  }
  if (new_size) return realloc(ptr, new_size);
  if (old_size >= LARGE)
    keep(ptr, old_size);
  else
    free(ptr);
  return NULL;
}
const struct tb_allocator calls_allocator = {reallocate, NULL};
