/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>

enum { MANY = 5000 };

static void what_was_put_is_found_and_nothing_else(void **unused) {
  (void)unused;
  struct tb_map map;
  tb_map_init(&map, tb_default_allocator());
  assert_null(tb_map_find(&map, 0, 0));
  for (uint64_t i = 0; i < MANY; i++) assert_int_equal(tb_map_put(&map, i << 40 | i, i, i), TB_OK);
  assert_int_equal(map.count, MANY);
  for (uint64_t i = 0; i < MANY; i++) {
    assert_int_equal(*tb_map_find(&map, i << 40 | i, i), i);
    if (i) assert_null(tb_map_find(&map, i << 40 | i, 0));
    if (i) assert_null(tb_map_find(&map, i, i));
  }
  tb_map_free(&map);
  assert_null(tb_map_find(&map, 0, 0));
}

static void putting_again_replaces(void **unused) {
  (void)unused;
  struct tb_map map;
  uint32_t value = 7;
  tb_map_init(&map, tb_default_allocator());
  assert_false(tb_map_get(&map, 0, 0, &value));
  assert_int_equal(value, 7);
  assert_int_equal(tb_map_put(&map, 0, 0, 1), TB_OK);
  assert_int_equal(tb_map_put(&map, 0, 0, 0), TB_OK);
  assert_int_equal(map.count, 1);
  assert_true(tb_map_get(&map, 0, 0, &value));
  assert_int_equal(value, 0);
  tb_map_free(&map);
}

/* Keys of one ideal slot are in a row: taking some out of it must leave the others to be found. */
static void what_is_removed_is_gone_and_the_rest_stays(void **unused) {
  (void)unused;
  struct tb_map map;
  tb_map_init(&map, tb_default_allocator());
  for (uint64_t i = 0; i < MANY; i++) assert_int_equal(tb_map_put(&map, i, ~i, i), TB_OK);
  for (uint64_t i = 0; i < MANY; i += 3) tb_map_remove(&map, i, ~i);
  tb_map_remove(&map, MANY, 0); /* never was there */
  for (uint64_t i = 0; i < MANY; i++) {
    const uint64_t *value = tb_map_find(&map, i, ~i);
    assert_int_equal(value != NULL, i % 3 != 0);
    if (value) assert_int_equal(*value, i);
  }
  assert_int_equal(map.count, MANY - (MANY + 2) / 3);
  tb_map_free(&map);
}

static void a_cleared_map_is_empty_and_takes_new_entries(void **unused) {
  (void)unused;
  struct tb_map map;
  tb_map_init(&map, tb_default_allocator());
  for (uint64_t i = 0; i < MANY; i++) assert_int_equal(tb_map_put(&map, i, 0, i), TB_OK);
  tb_map_clear(&map);
  assert_int_equal(map.count, 0);
  assert_null(tb_map_find(&map, 1, 0));
  assert_int_equal(tb_map_put(&map, 1, 0, 9), TB_OK);
  assert_int_equal(*tb_map_find(&map, 1, 0), 9);
  assert_null(tb_map_find(&map, 2, 0));
  tb_map_free(&map);
}

static void the_key_of_two_zeros_is_one_like_others(void **unused) {
  (void)unused;
  struct tb_map map;
  struct tb_map_entry entry;
  size_t at = 0;
  tb_map_init(&map, tb_default_allocator());
  assert_false(tb_map_next(&map, &at, &entry));
  assert_int_equal(tb_map_put(&map, 1, 0, 10), TB_OK);
  assert_null(tb_map_find(&map, 0, 0));
  assert_int_equal(tb_map_put(&map, 0, 0, 20), TB_OK);
  for (uint64_t i = 2; i < MANY; i++) assert_int_equal(tb_map_put(&map, i, 0, 10 * i), TB_OK);
  assert_int_equal(*tb_map_find(&map, 0, 0), 20);
  assert_int_equal(*tb_map_find(&map, 1, 0), 10);
  uint64_t keys = 0, values = 0, zeros = 0;
  for (at = 0; tb_map_next(&map, &at, &entry); zeros += !entry.first) {
    keys += entry.first;
    values += entry.value;
  }
  assert_int_equal(zeros, 1);
  assert_int_equal(keys, (uint64_t)MANY * (MANY - 1) / 2);
  assert_int_equal(values, 10 * keys + 20);
  tb_map_remove(&map, 0, 0);
  tb_map_remove(&map, 0, 0);
  assert_null(tb_map_find(&map, 0, 0));
  assert_int_equal(map.count, MANY - 1);
  assert_int_equal(tb_map_count_up(&map, 0, 0), TB_OK);
  assert_int_equal(map.count, MANY);
  tb_map_clear(&map);
  assert_null(tb_map_find(&map, 0, 0));
  tb_map_free(&map);
}

/* ---- maps whose keys are elsewhere ------------------------------------------------------------------------------- */

static struct tb_map_key key_of(const void *owner, uint32_t index) { return ((const struct tb_map_key *)owner)[index]; }

static void an_index_is_found_by_the_key_that_its_owner_has(void **unused) {
  (void)unused;
  static struct tb_map_key keys[MANY + 1];
  struct tb_index_map map;
  uint32_t index = 7;
  tb_index_map_init(&map, tb_default_allocator(), key_of);
  assert_false(tb_index_map_get(&map, keys, 0, 0, &index));
  for (uint32_t i = 0; i < MANY; i++) {
    keys[i] = (struct tb_map_key){(uint64_t)i << 40 | i, i};
    assert_int_equal(tb_index_map_put(&map, keys, i), TB_OK);
  }
  assert_int_equal(map.count, MANY);
  for (uint32_t i = 0; i < MANY; i++) {
    assert_true(tb_index_map_get(&map, keys, (uint64_t)i << 40 | i, i, &index));
    assert_int_equal(index, i);
    assert_false(tb_index_map_get(&map, keys, i, i + 1, &index));
    assert_int_equal(index, i);
  }
  keys[MANY] = keys[3]; /* another with the same key: the last one counts */
  assert_int_equal(tb_index_map_put(&map, keys, MANY), TB_OK);
  assert_int_equal(map.count, MANY);
  assert_true(tb_index_map_get(&map, keys, keys[3].first, keys[3].second, &index));
  assert_int_equal(index, MANY);
  for (uint32_t i = 4; i < MANY; i += 2) tb_index_map_remove(&map, keys, i);
  tb_index_map_remove(&map, keys, 4);
  tb_index_map_remove(&map, keys, 3); /* another index has its key */
  for (uint32_t i = 4; i < MANY; i++) {
    assert_int_equal(tb_index_map_get(&map, keys, keys[i].first, keys[i].second, &index), i % 2);
    if (i % 2) assert_int_equal(index, i);
  }
  assert_true(tb_index_map_get(&map, keys, keys[3].first, keys[3].second, &index));
  assert_int_equal(index, MANY);
  assert_int_equal(map.count, MANY / 2 + 2);
  tb_index_map_free(&map);
  assert_false(tb_index_map_get(&map, keys, keys[3].first, keys[3].second, &index));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_put_is_found_and_nothing_else),
                                     cmocka_unit_test(putting_again_replaces),
                                     cmocka_unit_test(what_is_removed_is_gone_and_the_rest_stays),
                                     cmocka_unit_test(a_cleared_map_is_empty_and_takes_new_entries),
                                     cmocka_unit_test(the_key_of_two_zeros_is_one_like_others),
                                     cmocka_unit_test(an_index_is_found_by_the_key_that_its_owner_has)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
