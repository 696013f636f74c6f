/* SPDX-License-Identifier: Apache-2.0 */
#include "io/write_behind.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "io/ring.h"

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
  struct tb_ring ring;
  atomic_int status; /* of `consume`; set by the thread */
  struct write_slot slots[SLOTS];
};

static void *run(void *ctx) {
  struct tb_write_behind *b = ctx;
  size_t i;
  while ((i = tb_ring_filled_slot(&b->ring)) != TB_RING_CLOSED) {
    if (atomic_load(&b->status) == TB_OK)
      atomic_store(&b->status, b->consume(b->ctx, b->slots[i].bytes, b->slots[i].len));
    tb_ring_release(&b->ring);
  }
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
  atomic_init(&b->status, TB_OK);
  bool whole = true;
  for (size_t i = 0; i < SLOTS; i++) whole &= (b->slots[i].bytes = tb_alloc(allocator, buffer_bytes)) != NULL;
  if (whole && tb_ring_start(&b->ring, SLOTS, 1, run, b)) return b;
  release(b);
  return NULL;
}

enum tb_status tb_write_behind_pass(struct tb_write_behind *b, char **buffer, size_t len) {
  struct write_slot *slot = &b->slots[tb_ring_free_slot(&b->ring)];
  int status = atomic_load(&b->status);
  if (status != TB_OK) return (enum tb_status)status;
  char *empty = slot->bytes;
  *slot = (struct write_slot){*buffer, len};
  *buffer = empty;
  tb_ring_publish(&b->ring, false);
  return TB_OK;
}

enum tb_status tb_write_behind_drain(struct tb_write_behind *b) {
  tb_ring_drain(&b->ring);
  return (enum tb_status)atomic_load(&b->status);
}

void tb_write_behind_stop(struct tb_write_behind *b) {
  if (!b) return;
  tb_ring_stop(&b->ring);
  release(b);
}
