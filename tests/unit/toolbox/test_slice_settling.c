/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toolbox/walk/slice_pairs.h"
#include "toolbox/walk/time_sort.h"

enum { ITEMS = 3000, ROUNDS = 400, MARKS = 1000 };

struct item {
  int64_t time;
  uint32_t place;
};

static void sorts_by_time_and_keeps_the_order_of_one_time(void **state) {
  (void)state;
  struct item items[ITEMS];
  uint64_t random = 1;
  for (uint32_t i = 0; i < ITEMS; i++) {
    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    items[i] = (struct item){(int64_t)(random >> 54) - 512, i};
  }
  assert_int_equal(tb_sort_by_time(tb_default_allocator(), items, ITEMS, sizeof(*items)), TB_OK);
  for (size_t i = 1; i < ITEMS; i++) {
    assert_true(items[i - 1].time <= items[i].time);
    assert_true(items[i - 1].time < items[i].time || items[i - 1].place < items[i].place);
  }
  assert_int_equal(tb_sort_by_time(tb_default_allocator(), NULL, 0, sizeof(*items)), TB_OK);
}

static enum tb_status count_pair(void *ctx, const struct tb_slice_edge *begin, const struct tb_slice_edge *end) {
  size_t *pairs = ctx;
  assert_non_null(end);
  assert_int_equal(end->time, begin->time + 2);
  ++*pairs;
  return TB_OK;
}

static void take(struct tb_slice_pairs *pairs, int64_t time, bool ends) {
  const struct tb_slice_edge edge = {.time = time, .number = (uint64_t)time, .ends = ends};
  assert_int_equal(tb_slice_pairs_take(pairs, 1, 0, &edge), TB_OK);
}

/* Two processors write the marks of a thread, one its begins and the other its ends, which come later. */
static void pairs_what_all_were_heard_of_in_bounded_memory(void **state) {
  (void)state;
  struct tb_slice_pairs pairs;
  size_t found = 0;
  tb_slice_pairs_init(&pairs, tb_default_allocator(), count_pair, &found);
  pairs.gathers_all = true;
  for (int64_t round = 0; round < ROUNDS; round++) {
    for (int64_t i = 0; i < MARKS; i++) take(&pairs, (round * MARKS + i) * 4, false);
    for (int64_t i = 0; i < MARKS; i++) take(&pairs, (round * MARKS + i) * 4 + 2, true);
    assert_int_equal(tb_slice_pairs_settle(&pairs, (round + 1) * MARKS * 4 - 4), TB_OK);
  }
  assert_true(found > (size_t)ROUNDS * MARKS / 2);
  assert_true(pairs.tracks[0].gathered_capacity <= 2 * TB_SETTLE_AT);
  assert_false(pairs.settling.is_late);
  assert_int_equal(tb_slice_pairs_end(&pairs), TB_OK);
  assert_int_equal(found, ROUNDS * MARKS);
  take(&pairs, 1, false);
  assert_true(pairs.settling.is_late);
  tb_slice_pairs_free(&pairs);
}

/* Ends come before all of their begins in the file. */
static void keeps_all_where_it_never_settles(void **state) {
  (void)state;
  struct tb_slice_pairs pairs;
  size_t found = 0;
  tb_slice_pairs_init(&pairs, tb_default_allocator(), count_pair, &found);
  pairs.gathers_all = pairs.settling.never = true;
  for (int64_t i = 1; i <= TB_SETTLE_AT; i++) take(&pairs, i * 4 + 2, true);
  assert_int_equal(tb_slice_pairs_settle(&pairs, INT64_MAX), TB_OK);
  for (int64_t i = 1; i <= TB_SETTLE_AT; i++) take(&pairs, i * 4, false);
  assert_int_equal(found, 0);
  assert_false(pairs.settling.is_late);
  assert_int_equal(tb_slice_pairs_end(&pairs), TB_OK);
  assert_int_equal(found, TB_SETTLE_AT);
  tb_slice_pairs_free(&pairs);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sorts_by_time_and_keeps_the_order_of_one_time),
                                     cmocka_unit_test(pairs_what_all_were_heard_of_in_bounded_memory),
                                     cmocka_unit_test(keeps_all_where_it_never_settles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
