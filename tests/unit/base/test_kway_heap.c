/* SPDX-License-Identifier: Apache-2.0 */
#include "base/kway_heap.h"

#include "support/merge_fixture.h"

enum { INPUTS = 37, EACH = 50 };

static struct tb_kway heap;

static int set_up(void **unused) {
  (void)unused;
  return tb_kway_init(&heap, tb_default_allocator(), INPUTS) == TB_OK ? 0 : -1;
}

static int tear_down(void **unused) {
  (void)unused;
  tb_kway_free(&heap, tb_default_allocator());
  return 0;
}

static void equal_times_come_in_the_order_of_inputs(void **unused) {
  (void)unused;
  for (uint32_t i = INPUTS; i-- > 0;) tb_kway_push(&heap, i, 5);
  for (uint32_t i = 0; i < INPUTS; i++) {
    assert_int_equal(tb_kway_top(&heap), i);
    tb_kway_drop_top(&heap);
  }
  assert_true(tb_kway_empty(&heap));
}

static void inputs_in_order_come_out_as_one_in_order(void **unused) {
  (void)unused;
  int64_t times[INPUTS] = {0};
  unsigned left[INPUTS];
  uint64_t state = 1, taken = 0;
  for (uint32_t i = 0; i < INPUTS; i++) {
    times[i] = (int64_t)i % 3 - 1;
    left[i] = EACH;
    tb_kway_push(&heap, i, times[i]);
  }
  int64_t last_time = INT64_MIN;
  uint32_t last = 0;
  while (!tb_kway_empty(&heap)) {
    uint32_t top = tb_kway_top(&heap);
    assert_true(last_time < times[top] || (last_time == times[top] && last <= top));
    last_time = times[top];
    last = top;
    taken++;
    state = state * 6364136223846793005u + 1442695040888963407u;
    times[top] += (int64_t)(state >> 62);
    if (--left[top])
      tb_kway_replace_top(&heap, times[top]);
    else
      tb_kway_drop_top(&heap);
  }
  assert_int_equal(taken, INPUTS * EACH);
}

static void the_ends_of_time_are_times_like_others(void **unused) {
  (void)unused;
  tb_kway_push(&heap, 0, INT64_MAX);
  tb_kway_push(&heap, 1, INT64_MIN);
  tb_kway_push(&heap, 2, 0);
  assert_int_equal(tb_kway_top(&heap), 1);
  tb_kway_drop_top(&heap);
  assert_int_equal(tb_kway_top(&heap), 2);
  tb_kway_drop_top(&heap);
  assert_int_equal(tb_kway_top(&heap), 0);
}

static void the_top_stays_on_top_up_to_its_limit(void **unused) {
  (void)unused;
  tb_kway_push(&heap, 5, 10);
  assert_int_equal(tb_kway_limit(&heap), INT64_MAX);
  tb_kway_push(&heap, 7, 30);
  assert_int_equal(tb_kway_limit(&heap), 30);
  tb_kway_push(&heap, 3, 20);
  int64_t limit = tb_kway_limit(&heap);
  assert_int_equal(limit, 19);
  tb_kway_replace_top(&heap, limit);
  assert_int_equal(tb_kway_top(&heap), 5);
  tb_kway_replace_top(&heap, limit + 1);
  assert_int_equal(tb_kway_top(&heap), 3);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(equal_times_come_in_the_order_of_inputs),
      TEST(inputs_in_order_come_out_as_one_in_order),
      TEST(the_ends_of_time_are_times_like_others),
      TEST(the_top_stays_on_top_up_to_its_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
