/* SPDX-License-Identifier: Apache-2.0 */
#include "io/write_behind.h"

#include <pthread.h>

#include "base/memory.h"

enum { SLOTS = 2 };

struct write_slot {
  char *bytes;
  size_t len;
};

struct tb_write_behind {
  const struct tb_allocator *allocator;
  size_t buffer_bytes;
  tb_consume consume;
  void *ctx;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t passed_one, used_one;
  /* guarded by the mutex */
  bool stop;
  unsigned passed, used; /* slots, counted on and on */
  enum tb_status status; /* of `consume` */
  struct write_slot slots[SLOTS];
};

static void *run(void *ctx) {
  struct tb_write_behind *b = ctx;
  (void)pthread_mutex_lock(&b->mutex);
  for (;;) {
    while (b->passed == b->used && !b->stop) (void)pthread_cond_wait(&b->passed_one, &b->mutex);
    if (b->stop) break;
    struct write_slot slot = b->slots[b->used % SLOTS];
    enum tb_status status = b->status;
    (void)pthread_mutex_unlock(&b->mutex);
    if (status == TB_OK) status = b->consume(b->ctx, slot.bytes, slot.len);
    (void)pthread_mutex_lock(&b->mutex);
    b->status = status;
    b->used++;
    (void)pthread_cond_signal(&b->used_one);
  }
  (void)pthread_mutex_unlock(&b->mutex);
  return NULL;
}

static void release(struct tb_write_behind *b) {
  for (size_t i = 0; i < SLOTS; i++) tb_free(b->allocator, b->slots[i].bytes, b->buffer_bytes);
  tb_free(b->allocator, b, sizeof(*b));
}

struct tb_write_behind *tb_write_behind_start(const struct tb_allocator *allocator, size_t buffer_bytes,
                                              tb_consume consume, void *ctx) {
  struct tb_write_behind *b = tb_calloc(allocator, sizeof(*b));
  if (!b) return NULL;
  b->allocator = allocator;
  b->buffer_bytes = buffer_bytes;
  b->consume = consume;
  b->ctx = ctx;
  bool whole = true;
  for (size_t i = 0; i < SLOTS; i++) whole &= (b->slots[i].bytes = tb_alloc(allocator, buffer_bytes)) != NULL;
  if (!whole) {
    release(b);
    return NULL;
  }
  (void)pthread_mutex_init(&b->mutex, NULL);
  (void)pthread_cond_init(&b->passed_one, NULL);
  (void)pthread_cond_init(&b->used_one, NULL);
  if (pthread_create(&b->thread, NULL, run, b) == 0) return b;
  (void)pthread_cond_destroy(&b->used_one);
  (void)pthread_cond_destroy(&b->passed_one);
  (void)pthread_mutex_destroy(&b->mutex);
  release(b);
  return NULL;
}

enum tb_status tb_write_behind_pass(struct tb_write_behind *b, char **buffer, size_t len) {
  (void)pthread_mutex_lock(&b->mutex);
  while (b->passed - b->used == SLOTS) (void)pthread_cond_wait(&b->used_one, &b->mutex);
  enum tb_status status = b->status;
  if (status == TB_OK) {
    struct write_slot *slot = &b->slots[b->passed % SLOTS];
    char *empty = slot->bytes;
    *slot = (struct write_slot){*buffer, len};
    *buffer = empty;
    b->passed++;
    (void)pthread_cond_signal(&b->passed_one);
  }
  (void)pthread_mutex_unlock(&b->mutex);
  return status;
}

enum tb_status tb_write_behind_drain(struct tb_write_behind *b) {
  (void)pthread_mutex_lock(&b->mutex);
  while (b->passed != b->used) (void)pthread_cond_wait(&b->used_one, &b->mutex);
  enum tb_status status = b->status;
  (void)pthread_mutex_unlock(&b->mutex);
  return status;
}

void tb_write_behind_stop(struct tb_write_behind *b) {
  if (!b) return;
  (void)pthread_mutex_lock(&b->mutex);
  b->stop = true;
  (void)pthread_cond_signal(&b->passed_one);
  (void)pthread_mutex_unlock(&b->mutex);
  (void)pthread_join(b->thread, NULL);
  (void)pthread_cond_destroy(&b->used_one);
  (void)pthread_cond_destroy(&b->passed_one);
  (void)pthread_mutex_destroy(&b->mutex);
  release(b);
}
