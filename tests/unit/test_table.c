/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include "merge_fixture.h"
#include "sequences.h"

enum { MANY = 5000 };

static void what_was_put_is_found_and_nothing_else(void **unused) {
  (void)unused;
  struct tb_table table;
  tb_table_init(&table, tb_default_allocator());
  assert_null(tb_table_get(&table, 0));
  for (uint64_t i = 0; i < MANY; i++) assert_int_equal(tb_table_put(&table, i << 40 | i, i), TB_OK);
  assert_int_equal(table.count, MANY);
  for (uint64_t i = 0; i < MANY; i++) {
    assert_int_equal(*tb_table_get(&table, i << 40 | i), i);
    if (i) assert_null(tb_table_get(&table, i));
  }
  tb_table_free(&table);
  assert_null(tb_table_get(&table, 0));
}

static void putting_again_replaces(void **unused) {
  (void)unused;
  struct tb_table table;
  tb_table_init(&table, tb_default_allocator());
  assert_int_equal(tb_table_put(&table, 0, 1), TB_OK);
  assert_int_equal(tb_table_put(&table, 0, 0), TB_OK);
  assert_int_equal(table.count, 1);
  assert_int_equal(*tb_table_get(&table, 0), 0);
  tb_table_free(&table);
}

static void scattering_maps_no_two_numbers_to_one(void **unused) {
  (void)unused;
  struct tb_table table;
  tb_table_init(&table, tb_default_allocator());
  for (uint64_t i = 0; i < MANY; i++) {
    assert_null(tb_table_get(&table, tb_scatter(i)));
    assert_int_equal(tb_table_put(&table, tb_scatter(i), i), TB_OK);
  }
  tb_table_free(&table);
}

static void sequences_of_two_machines_with_one_id_are_two(void **unused) {
  (void)unused;
  struct tb_merge_sequences sequences;
  tb_merge_sequences_init(&sequences, tb_default_allocator());
  tb_merge_sequence_get(&sequences, 0, 9)->default_clock = 1;
  tb_merge_sequence_get(&sequences, 3, 9)->default_clock = 2;
  tb_merge_sequence_get(&sequences, 0, 9 + TB_SEQUENCES_RECENT)->default_clock = 3; /* at the same recent place */
  assert_int_equal(tb_merge_sequence_get(&sequences, 0, 9)->default_clock, 1);
  assert_int_equal(tb_merge_sequence_get(&sequences, 3, 9)->default_clock, 2);
  assert_int_equal(tb_merge_sequence_get(&sequences, 0, 9 + TB_SEQUENCES_RECENT)->default_clock, 3);
  assert_int_equal(sequences.count, 3);
  assert_int_equal(sequences.max_id, 9 + TB_SEQUENCES_RECENT);
  tb_merge_sequences_rewind(&sequences);
  assert_int_equal(tb_merge_sequence_get(&sequences, 3, 9)->default_clock, 0);
  assert_int_equal(sequences.count, 3);
  tb_merge_sequences_free(&sequences);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_put_is_found_and_nothing_else),
      cmocka_unit_test(putting_again_replaces),
      cmocka_unit_test(scattering_maps_no_two_numbers_to_one),
      cmocka_unit_test(sequences_of_two_machines_with_one_id_are_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
