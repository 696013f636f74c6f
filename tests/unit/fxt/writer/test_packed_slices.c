/* SPDX-License-Identifier: Apache-2.0 */
#include "fxt/writer/packed_slices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TRACKS = 1000, DEPTH = 3 };

static struct tb_fxt_packed_slices packed;

static int start(void **state) {
  (void)state;
  tb_fxt_packed_slices_init(&packed, tb_default_allocator());
  return 0;
}

static int stop(void **state) {
  (void)state;
  tb_fxt_packed_slices_free(&packed);
  return 0;
}

static enum tb_status push(const char *name, const char *category, int64_t ts, uint32_t *top) {
  const struct tb_fxt_unpacked_slice slice = {.ts = ts, .name = tb_str_from(name), .category = tb_str_from(category)};
  return tb_fxt_packed_slices_push(&packed, &slice, top);
}

static void expect_pop(const char *name, const char *category, int64_t ts, uint32_t *top) {
  struct tb_fxt_unpacked_slice slice = tb_fxt_packed_slices_pop(&packed, top);
  assert_int_equal(slice.ts, ts);
  assert_true(tb_str_equal(slice.name, tb_str_from(name)));
  assert_true(tb_str_equal(slice.category, tb_str_from(category)));
}

static void each_track_has_a_stack_of_its_own(void **state) {
  (void)state;
  static uint32_t tops[TRACKS];
  char name[32];
  memset(tops, 0, sizeof(tops));
  for (int depth = 0; depth < DEPTH; depth++)
    for (int i = 0; i < TRACKS; i++) {
      snprintf(name, sizeof(name), "slice %d", i % 7);
      assert_int_equal(push(name, depth ? "inner" : "", INT64_MIN + i * DEPTH + depth, &tops[i]), TB_OK);
    }
  assert_int_equal(packed.names.count, 14);
  for (int i = 0; i < TRACKS; i++) {
    snprintf(name, sizeof(name), "slice %d", i % 7);
    for (int depth = DEPTH; depth-- > 0;)
      expect_pop(name, depth ? "inner" : "", INT64_MIN + i * DEPTH + depth, &tops[i]);
    assert_int_equal(tops[i], 0);
  }
}

static void places_are_used_again(void **state) {
  (void)state;
  uint32_t first = 0, second = 0;
  for (int i = 0; i < TRACKS; i++) {
    assert_int_equal(push("a", "", i, &first), TB_OK);
    assert_int_equal(push("b", "", i, &second), TB_OK);
    expect_pop("a", "", i, &first);
    expect_pop("b", "", i, &second);
  }
  assert_int_equal(packed.count, 2);
}

static void a_name_and_its_category_are_not_mixed_up(void **state) {
  (void)state;
  uint32_t top = 0;
  assert_int_equal(push("ab", "c", 1, &top), TB_OK);
  assert_int_equal(push("a", "bc", 2, &top), TB_OK);
  assert_int_equal(push("", "abc", 3, &top), TB_OK);
  expect_pop("", "abc", 3, &top);
  expect_pop("a", "bc", 2, &top);
  expect_pop("ab", "c", 1, &top);
}

static void long_names_have_no_place(void **state) {
  (void)state;
  char name[257] = {0};
  uint32_t top = 0;
  memset(name, 'n', 255);
  assert_int_equal(push(name, "", 1, &top), TB_OK);
  assert_int_equal(push(name, "c", 2, &top), TB_LIMIT);
  assert_int_equal(push("c", name, 2, &top), TB_LIMIT);
  name[255] = 'n';
  assert_int_equal(push(name, "", 2, &top), TB_LIMIT);
  assert_int_equal(packed.count, 1);
  name[255] = 0;
  expect_pop(name, "", 1, &top);
  assert_int_equal(top, 0);
}

static void where_names_are_too_many_those_known_are_packed(void **state) {
  (void)state;
  uint32_t top = 0;
  enum tb_status status = TB_OK;
  char name[32];
  for (int i = 0; status == TB_OK && i < 1 << 20; i++) {
    snprintf(name, sizeof(name), "%d", i);
    status = push(name, "", i, &top);
  }
  assert_int_equal(status, TB_LIMIT);
  assert_int_equal(push("0", "", 7, &top), TB_OK);
  expect_pop("0", "", 7, &top);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(each_track_has_a_stack_of_its_own, start, stop),
      cmocka_unit_test_setup_teardown(places_are_used_again, start, stop),
      cmocka_unit_test_setup_teardown(a_name_and_its_category_are_not_mixed_up, start, stop),
      cmocka_unit_test_setup_teardown(long_names_have_no_place, start, stop),
      cmocka_unit_test_setup_teardown(where_names_are_too_many_those_known_are_packed, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
