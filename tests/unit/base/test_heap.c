/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/heap.h"
#include "base/mix64.h"

enum { ITEMS = 200, ROUNDS = 20000 };
#define NOWHERE UINT32_MAX

struct items {
  uint64_t keys[ITEMS];
  uint32_t places[ITEMS]; /* in the heap */
};

static bool before(const void *ctx, uint32_t a, uint32_t b) {
  const struct items *items = ctx;
  return items->keys[a] != items->keys[b] ? items->keys[a] < items->keys[b] : a < b;
}

static void moved(void *ctx, uint32_t item, size_t place) { ((struct items *)ctx)->places[item] = (uint32_t)place; }

static const struct tb_heap_order by_key = {before, moved};

static void check(const struct tb_heap *heap, const struct items *items, size_t in_heap) {
  assert_int_equal(heap->count, in_heap);
  for (uint32_t i = 0; i < ITEMS; i++) {
    if (items->places[i] == NOWHERE) continue;
    assert_int_equal(heap->items[items->places[i]], i);
    assert_false(before(items, i, heap->items[0]));
  }
}

/* Pushes, removes from anywhere and changes keys, in an order that looks random. */
static void the_first_item_is_on_top_whatever_comes_and_goes(void **state) {
  (void)state;
  static struct items items;
  struct tb_heap heap = {.items = NULL};
  size_t in_heap = 0;
  for (uint32_t i = 0; i < ITEMS; i++) items.places[i] = NOWHERE;
  assert_int_equal(tb_heap_reserve(&heap, tb_default_allocator(), ITEMS), TB_OK);
  for (uint64_t round = 0; round < ROUNDS; round++) {
    uint64_t chance = tb_mix64(round);
    uint32_t item = (uint32_t)(chance % ITEMS), place = items.places[item];
    bool stays = chance >> 60 & 1;
    if (place != NOWHERE && !stays) {
      items.places[item] = NOWHERE;
      tb_heap_remove(&heap, place, &by_key, &items);
      in_heap--;
    } else {
      items.keys[item] = chance >> 32 & 63;
      if (place != NOWHERE)
        tb_heap_settle(&heap, place, &by_key, &items);
      else
        tb_heap_push(&heap, item, &by_key, &items);
      in_heap += place == NOWHERE;
    }
    check(&heap, &items, in_heap);
  }
  tb_heap_free(&heap, tb_default_allocator());
  assert_null(heap.items);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_item_is_on_top_whatever_comes_and_goes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
