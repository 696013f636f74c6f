/* SPDX-License-Identifier: Apache-2.0 */
#include "base/kway_heap.h"

#include "support/merge_fixture.h"

enum { INPUTS = 37, EACH = 50 };

static struct tb_kway_entry entries[INPUTS];
static struct tb_kway heap;

static int set_up(void **unused) {
  (void)unused;
  heap = (struct tb_kway){entries, 0};
  return 0;
}

static void equal_times_come_in_the_order_of_inputs(void **unused) {
  (void)unused;
  for (uint32_t i = INPUTS; i-- > 0;) tb_kway_push(&heap, (struct tb_kway_entry){5, i});
  for (uint32_t i = 0; i < INPUTS; i++) {
    assert_int_equal(heap.entries[0].input, i);
    tb_kway_drop_top(&heap);
  }
  assert_int_equal(heap.count, 0);
}

static void inputs_in_order_come_out_as_one_in_order(void **unused) {
  (void)unused;
  int64_t times[INPUTS] = {0};
  unsigned left[INPUTS];
  uint64_t state = 1, taken = 0;
  for (uint32_t i = 0; i < INPUTS; i++) {
    times[i] = (int64_t)i % 3 - 1;
    left[i] = EACH;
    tb_kway_push(&heap, (struct tb_kway_entry){times[i], i});
  }
  struct tb_kway_entry last = {INT64_MIN, 0};
  while (heap.count) {
    struct tb_kway_entry top = heap.entries[0];
    assert_true(last.time < top.time || (last.time == top.time && last.input <= top.input));
    last = top;
    taken++;
    state = state * 6364136223846793005u + 1442695040888963407u;
    times[top.input] += (int64_t)(state >> 62);
    if (--left[top.input])
      tb_kway_replace_top(&heap, (struct tb_kway_entry){times[top.input], top.input});
    else
      tb_kway_drop_top(&heap);
  }
  assert_int_equal(taken, INPUTS * EACH);
}

static void the_ends_of_time_are_times_like_others(void **unused) {
  (void)unused;
  tb_kway_push(&heap, (struct tb_kway_entry){INT64_MAX, 0});
  tb_kway_push(&heap, (struct tb_kway_entry){INT64_MIN, 1});
  tb_kway_push(&heap, (struct tb_kway_entry){0, 2});
  assert_int_equal(heap.entries[0].input, 1);
  tb_kway_drop_top(&heap);
  assert_int_equal(heap.entries[0].input, 2);
  tb_kway_drop_top(&heap);
  assert_int_equal(heap.entries[0].input, 0);
}

static void the_top_stays_on_top_up_to_its_limit(void **unused) {
  (void)unused;
  tb_kway_push(&heap, (struct tb_kway_entry){10, 5});
  assert_int_equal(tb_kway_limit(&heap), INT64_MAX);
  tb_kway_push(&heap, (struct tb_kway_entry){30, 7});
  assert_int_equal(tb_kway_limit(&heap), 30);
  tb_kway_push(&heap, (struct tb_kway_entry){20, 3});
  int64_t limit = tb_kway_limit(&heap);
  assert_int_equal(limit, 19);
  tb_kway_replace_top(&heap, (struct tb_kway_entry){limit, 5});
  assert_int_equal(heap.entries[0].input, 5);
  tb_kway_replace_top(&heap, (struct tb_kway_entry){limit + 1, 5});
  assert_int_equal(heap.entries[0].input, 3);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, set_up)
  const struct CMUnitTest tests[] = {
      TEST(equal_times_come_in_the_order_of_inputs),
      TEST(inputs_in_order_come_out_as_one_in_order),
      TEST(the_ends_of_time_are_times_like_others),
      TEST(the_top_stays_on_top_up_to_its_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
