/* SPDX-License-Identifier: Apache-2.0 */
#include "io/ring.h"

static void destroy(struct tb_ring *r) {
  (void)pthread_cond_destroy(&r->to_fill);
  (void)pthread_cond_destroy(&r->to_empty);
  (void)pthread_mutex_destroy(&r->mutex);
}

bool tb_ring_start(struct tb_ring *r, size_t slots, size_t batch, void *(*run)(void *ctx), void *ctx) {
  *r = (struct tb_ring){.slots = slots, .batch = batch};
  (void)pthread_mutex_init(&r->mutex, NULL);
  (void)pthread_cond_init(&r->to_fill, NULL);
  (void)pthread_cond_init(&r->to_empty, NULL);
  if (pthread_create(&r->thread, NULL, run, ctx) == 0) return true;
  destroy(r);
  return false;
}

static void close_ring(struct tb_ring *r) {
  (void)pthread_mutex_lock(&r->mutex);
  r->closed = true;
  (void)pthread_cond_signal(&r->to_fill);
  (void)pthread_cond_signal(&r->to_empty);
  (void)pthread_mutex_unlock(&r->mutex);
}

void tb_ring_stop(struct tb_ring *r) {
  close_ring(r);
  (void)pthread_join(r->thread, NULL);
  destroy(r);
}

/* ---- the filling side -------------------------------------------------------------------------------------------- */

size_t tb_ring_free_slot(struct tb_ring *r) {
  (void)pthread_mutex_lock(&r->mutex);
  r->filler_waits = r->published - r->released == r->slots;
  while (r->filler_waits && !r->closed) (void)pthread_cond_wait(&r->to_fill, &r->mutex);
  size_t slot = r->closed ? TB_RING_CLOSED : r->published % r->slots;
  (void)pthread_mutex_unlock(&r->mutex);
  return slot;
}

/* Whether the emptying side, which waits, has enough to go on with. */
static bool enough_filled(const struct tb_ring *r) {
  size_t filled = r->published - r->released;
  return r->closed || r->ended || filled >= r->batch || (filled && r->draining);
}

void tb_ring_publish(struct tb_ring *r, bool last) {
  (void)pthread_mutex_lock(&r->mutex);
  r->published++;
  r->ended = last;
  if (r->emptier_waits && enough_filled(r)) (void)pthread_cond_signal(&r->to_empty);
  (void)pthread_mutex_unlock(&r->mutex);
}

void tb_ring_drain(struct tb_ring *r) {
  (void)pthread_mutex_lock(&r->mutex);
  r->draining = r->published != r->released;
  if (r->draining && r->emptier_waits) (void)pthread_cond_signal(&r->to_empty);
  while (r->draining && !r->closed) (void)pthread_cond_wait(&r->to_fill, &r->mutex);
  (void)pthread_mutex_unlock(&r->mutex);
}

/* ---- the emptying side ------------------------------------------------------------------------------------------- */

size_t tb_ring_filled_slot(struct tb_ring *r) {
  (void)pthread_mutex_lock(&r->mutex);
  r->emptier_waits = r->published == r->released && !r->ended && !r->closed;
  while (r->emptier_waits) {
    (void)pthread_cond_wait(&r->to_empty, &r->mutex);
    r->emptier_waits = !enough_filled(r);
  }
  bool none = r->closed || r->published == r->released;
  size_t slot = none ? TB_RING_CLOSED : r->released % r->slots;
  (void)pthread_mutex_unlock(&r->mutex);
  return slot;
}

void tb_ring_release(struct tb_ring *r) {
  (void)pthread_mutex_lock(&r->mutex);
  r->released++;
  size_t filled = r->published - r->released;
  bool wake = (r->filler_waits && r->slots - filled >= r->batch) || (r->draining && !filled);
  if (r->slots - filled >= r->batch) r->filler_waits = false;
  if (!filled) r->draining = false;
  if (wake) (void)pthread_cond_signal(&r->to_fill);
  (void)pthread_mutex_unlock(&r->mutex);
}
