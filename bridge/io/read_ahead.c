/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_ahead.h"

#include "base/memory.h"
#include "io/ring.h"

enum { SLOTS = 4, SLOT_BYTES = 256 * 1024 };

struct read_slot {
  size_t len;
  enum tb_status status; /* not TB_OK: nothing follows the bytes, and why */
};

struct tb_read_ahead {
  const struct tb_allocator *allocator;
  tb_produce produce;
  void *ctx;
  struct tb_ring ring;
  struct read_slot slots[SLOTS];
  size_t at; /* bytes used of the slot being read */
  struct tb_error error;
  char *bytes;
};

static void *run(void *ctx) {
  struct tb_read_ahead *a = ctx;
  size_t i;
  for (bool more = true; more && (i = tb_ring_free_slot(&a->ring)) != TB_RING_CLOSED;) {
    struct read_slot *slot = &a->slots[i];
    slot->len = 0;
    slot->status = a->produce(a->ctx, a->bytes + i * SLOT_BYTES, SLOT_BYTES, &slot->len, &a->error);
    more = slot->status == TB_OK;
    tb_ring_publish(&a->ring, !more);
  }
  return NULL;
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
  if (a->bytes && tb_ring_start(&a->ring, SLOTS, 1, run, a)) return a;
  release(a);
  return NULL;
}

enum tb_status tb_read_ahead_read(struct tb_read_ahead *a, char *to, size_t capacity, size_t *got,
                                  struct tb_error *error) {
  for (;;) {
    size_t i = tb_ring_filled_slot(&a->ring); /* there is one: the last one is never released */
    const struct read_slot *slot = &a->slots[i];
    size_t n = slot->len - a->at < capacity ? slot->len - a->at : capacity;
    memcpy(to, a->bytes + i * SLOT_BYTES + a->at, n);
    a->at += n;
    *got = n;
    if (n) return TB_OK;
    if (slot->status != TB_OK) {
      if (error && error->code == TB_OK) *error = a->error;
      return slot->status;
    }
    a->at = 0;
    tb_ring_release(&a->ring);
  }
}

void tb_read_ahead_stop(struct tb_read_ahead *a) {
  if (!a) return;
  tb_ring_stop(&a->ring);
  release(a);
}
