/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limit_allocator.h"
#include "protobuf/iid_index.h"

static void an_index_finds_dense_and_sparse_iids(void **state) {
  (void)state;
  struct tb_iid_index index;
  tb_iid_index_init(&index, tb_default_allocator());
  uint64_t iids[] = {1, 2, 500, 1000000, UINT64_MAX, 0};
  char texts[] = "abcdef";
  for (size_t i = 0; i < 6; i++) {
    assert_int_equal(tb_iid_index_set(&index, iids[i], (struct tb_str){&texts[i], 1}), TB_OK);
  }
  for (size_t i = 0; i < 6; i++) assert_ptr_equal(tb_iid_index_get(&index, iids[i])->ptr, &texts[i]);
  assert_null(tb_iid_index_get(&index, 3));
  assert_null(tb_iid_index_get(&index, 1000001));
  tb_iid_index_free(&index);
}

static void an_entry_that_is_set_anew_replaces_the_old_one_wherever_it_is(void **state) {
  (void)state;
  struct tb_iid_index index;
  tb_iid_index_init(&index, tb_default_allocator());
  assert_int_equal(tb_iid_index_set(&index, 2000, TB_STR("sparse")), TB_OK);
  for (uint64_t i = 0; i < 1999; i++) assert_int_equal(tb_iid_index_set(&index, i, TB_STR("dense")), TB_OK);
  assert_int_equal(tb_iid_index_set(&index, 2000, TB_STR("new")), TB_OK);
  assert_memory_equal(tb_iid_index_get(&index, 2000)->ptr, "new", 3);
  assert_int_equal(tb_iid_index_set(&index, 7, TB_STR("other")), TB_OK);
  assert_memory_equal(tb_iid_index_get(&index, 7)->ptr, "other", 5);
  tb_iid_index_free(&index);
}

static void a_cleared_index_is_empty(void **state) {
  (void)state;
  struct tb_iid_index index;
  tb_iid_index_init(&index, tb_default_allocator());
  assert_int_equal(tb_iid_index_set(&index, 1, TB_STR("x")), TB_OK);
  assert_int_equal(tb_iid_index_set(&index, UINT64_MAX, TB_STR("y")), TB_OK);
  tb_iid_index_clear(&index);
  assert_null(tb_iid_index_get(&index, 1));
  assert_null(tb_iid_index_get(&index, UINT64_MAX));
  tb_iid_index_free(&index);
}

static void a_budget_refuses_what_is_past_it_and_says_so(void **state) {
  (void)state;
  struct tb_limit_allocator budget;
  tb_limit_allocator_init(&budget, tb_default_allocator(), 100);
  void *p = tb_alloc(&budget.allocator, 60);
  assert_non_null(p);
  assert_null(tb_alloc(&budget.allocator, 41));
  assert_int_equal(tb_limit_allocator_status(&budget), TB_LIMIT);
  tb_free(&budget.allocator, p, 60);
  assert_int_equal(budget.used, 0);
  p = tb_alloc(&budget.allocator, 100);
  assert_non_null(p);
  tb_free(&budget.allocator, p, 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_index_finds_dense_and_sparse_iids),
      cmocka_unit_test(an_entry_that_is_set_anew_replaces_the_old_one_wherever_it_is),
      cmocka_unit_test(a_cleared_index_is_empty),
      cmocka_unit_test(a_budget_refuses_what_is_past_it_and_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
