/* SPDX-License-Identifier: Apache-2.0
 *
 * A bounded ring of slots between two threads: one fills slots, the other one empties them in the same order. The ring
 * counts slots, makes a side wait, and owns the second thread; what is in a slot is the caller's, in an array of its
 * own.
 *
 *   filling side                              emptying side
 *   while ((i = tb_ring_free_slot(r)) ...)    while ((i = tb_ring_filled_slot(r)) ...)
 *     fill slot i                               use slot i
 *     tb_ring_publish(r, last)                  tb_ring_release(r)
 */
#ifndef TB_IO_RING_H
#define TB_IO_RING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TB_RING_CLOSED SIZE_MAX /* where the number of a slot is asked for */

/* Caller-owned; tb_ring_start, and where that worked tb_ring_stop. The members are the ring's own. */
struct tb_ring {
  size_t slots, batch;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t to_fill, to_empty; /* what each side waits for */
  /* guarded by the mutex */
  size_t published, released; /* slots, counted on and on */
  bool ended;                 /* no more slots will be published */
  bool closed;                /* tb_ring_stop was called */
  bool filler_waits;          /* until some slots are free */
  bool emptier_waits;         /* until some slots are filled */
  bool draining;              /* the filling side waits until all slots are free */
};

/* Starts a thread that runs `run`, which is one of the two sides; the caller is the other one. A side that had to wait
 * goes on when it has work for `batch` slots (1 to `slots`): waking a thread costs as much as some work. False, with
 * nothing to stop, when there is no thread to be had. */
bool tb_ring_start(struct tb_ring *ring, size_t slots, size_t batch, void *(*run)(void *ctx), void *ctx);

/* Closes the ring, and waits for the thread to end: the next slot that it asks for is TB_RING_CLOSED. Slots that were
 * published and not used are dropped. */
void tb_ring_stop(struct tb_ring *ring);

/* ---- the filling side -------------------------------------------------------------------------------------------- */

/* Waits for a free slot; TB_RING_CLOSED when nobody wants more. */
size_t tb_ring_free_slot(struct tb_ring *ring);
/* The free slot is filled. After the `last` one there is no more. */
void tb_ring_publish(struct tb_ring *ring, bool last);
/* Waits until all that was published is released, or the ring is closed. */
void tb_ring_drain(struct tb_ring *ring);

/* ---- the emptying side ------------------------------------------------------------------------------------------- */

/* Waits for a filled slot: the same one until it is released. TB_RING_CLOSED after the last one, or when the ring is
 * closed. */
size_t tb_ring_filled_slot(struct tb_ring *ring);
/* The filled slot is free again. */
void tb_ring_release(struct tb_ring *ring);

#endif
