/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_ahead.h"

#include <pthread.h>

#include "base/memory.h"

enum { SLOTS = 4, SLOT_BYTES = 256 * 1024 };

struct read_slot {
  size_t len;
  enum tb_status status; /* not TB_OK: nothing follows the bytes, and why */
};

struct tb_read_ahead {
  const struct tb_allocator *allocator;
  tb_produce produce;
  void *ctx;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t filled, emptied;
  bool stop;
  unsigned written, read; /* slots, counted on and on; guarded by the mutex */
  struct read_slot slots[SLOTS];
  size_t at; /* bytes used of the slot being read */
  struct tb_error error;
  char *bytes;
};

/* Fills a slot with what is to be had now; false when it is the last one. */
static bool fill_slot(struct tb_read_ahead *a, struct read_slot *slot, char *bytes) {
  slot->len = 0;
  slot->status = a->produce(a->ctx, bytes, SLOT_BYTES, &slot->len, &a->error);
  return slot->status == TB_OK;
}

static void *run(void *ctx) {
  struct tb_read_ahead *a = ctx;
  for (bool more = true; more;) {
    (void)pthread_mutex_lock(&a->mutex);
    while (a->written - a->read == SLOTS && !a->stop) (void)pthread_cond_wait(&a->emptied, &a->mutex);
    bool stop = a->stop;
    unsigned i = a->written % SLOTS;
    (void)pthread_mutex_unlock(&a->mutex);
    if (stop) break;
    more = fill_slot(a, &a->slots[i], a->bytes + (size_t)i * SLOT_BYTES);
    (void)pthread_mutex_lock(&a->mutex);
    a->written++;
    (void)pthread_cond_signal(&a->filled);
    (void)pthread_mutex_unlock(&a->mutex);
  }
  return NULL;
}

static void end_waiting(struct tb_read_ahead *a) {
  (void)pthread_cond_destroy(&a->filled);
  (void)pthread_cond_destroy(&a->emptied);
  (void)pthread_mutex_destroy(&a->mutex);
}

static void release(struct tb_read_ahead *a) {
  tb_free(a->allocator, a->bytes, (size_t)SLOTS * SLOT_BYTES);
  tb_free(a->allocator, a, sizeof(*a));
}

struct tb_read_ahead *tb_read_ahead_start(const struct tb_allocator *allocator, tb_produce produce, void *ctx) {
  struct tb_read_ahead *a = tb_calloc(allocator, sizeof(*a));
  if (!a) return NULL;
  a->allocator = allocator;
  a->produce = produce;
  a->ctx = ctx;
  a->bytes = tb_alloc(allocator, (size_t)SLOTS * SLOT_BYTES);
  if (!a->bytes) {
    release(a);
    return NULL;
  }
  (void)pthread_mutex_init(&a->mutex, NULL);
  (void)pthread_cond_init(&a->filled, NULL);
  (void)pthread_cond_init(&a->emptied, NULL);
  if (pthread_create(&a->thread, NULL, run, a) == 0) return a;
  end_waiting(a);
  release(a);
  return NULL;
}

enum tb_status tb_read_ahead_read(struct tb_read_ahead *a, char *to, size_t capacity, size_t *got,
                                  struct tb_error *error) {
  for (;;) {
    (void)pthread_mutex_lock(&a->mutex);
    while (a->written == a->read) (void)pthread_cond_wait(&a->filled, &a->mutex);
    unsigned i = a->read % SLOTS;
    (void)pthread_mutex_unlock(&a->mutex);
    const struct read_slot *slot = &a->slots[i];
    size_t n = slot->len - a->at < capacity ? slot->len - a->at : capacity;
    memcpy(to, a->bytes + (size_t)i * SLOT_BYTES + a->at, n);
    a->at += n;
    *got = n;
    if (n) return TB_OK;
    if (slot->status != TB_OK) {
      if (error && error->code == TB_OK) *error = a->error;
      return slot->status;
    }
    (void)pthread_mutex_lock(&a->mutex);
    a->read++;
    a->at = 0;
    (void)pthread_cond_signal(&a->emptied);
    (void)pthread_mutex_unlock(&a->mutex);
  }
}

void tb_read_ahead_stop(struct tb_read_ahead *a) {
  if (!a) return;
  (void)pthread_mutex_lock(&a->mutex);
  a->stop = true;
  (void)pthread_cond_signal(&a->emptied);
  (void)pthread_mutex_unlock(&a->mutex);
  (void)pthread_join(a->thread, NULL);
  end_waiting(a);
  release(a);
}
