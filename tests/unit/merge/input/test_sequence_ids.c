/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"
#include "base/mix64.h"

#include "merge/input/sequence_ids.h"
#include "support/merge_fixture.h"

enum { MANY = 5000 };

static void mixing_maps_no_two_numbers_to_one(void **unused) {
  (void)unused;
  struct tb_map table;
  tb_map_init(&table, tb_default_allocator());
  for (uint64_t i = 0; i < MANY; i++) {
    assert_null(tb_map_find(&table, tb_mix64(i), 0));
    assert_int_equal(tb_map_put(&table, tb_mix64(i), 0, i), TB_OK);
  }
  tb_map_free(&table);
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
      cmocka_unit_test(mixing_maps_no_two_numbers_to_one),
      cmocka_unit_test(sequences_of_two_machines_with_one_id_are_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
