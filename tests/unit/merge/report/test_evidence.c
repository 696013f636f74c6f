/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/report/evidence.h"

#include "support/merge_fixture.h"

/* How many of `count` items, of which each `rare_each`th is rare, are chosen, of either kind. */
static void choose(uint64_t count, uint64_t rare_each, uint64_t most, uint64_t chosen[2]) {
  uint64_t rare = rare_each ? count / rare_each : 0;
  struct tb_evidence_choice choice = tb_evidence_choose(count - rare, rare, most);
  chosen[0] = chosen[1] = 0;
  for (uint64_t i = 1; i <= count; i++) {
    bool is_rare = rare_each && i % rare_each == 0;
    chosen[is_rare] += tb_evidence_chooses(&choice, is_rare);
  }
  assert_int_equal(chosen[0] + chosen[1], tb_evidence_chosen(&choice));
}

static void few_items_are_all_chosen(void **unused) {
  (void)unused;
  uint64_t chosen[2];
  choose(2000, 4, 2000, chosen);
  assert_int_equal(chosen[0], 1500);
  assert_int_equal(chosen[1], 500);
  choose(0, 0, 2000, chosen);
  assert_int_equal(chosen[0] + chosen[1], 0);
}

static void of_many_the_rare_ones_come_first(void **unused) {
  (void)unused;
  uint64_t chosen[2];
  choose(100000, 1000, 2000, chosen);
  assert_int_equal(chosen[0], 1900);
  assert_int_equal(chosen[1], 100);
  choose(100000, 2, 2000, chosen);
  assert_int_equal(chosen[0], 1000);
  assert_int_equal(chosen[1], 1000);
  choose(100000, 1, 2000, chosen);
  assert_int_equal(chosen[1], 2000);
}

static void chosen_items_are_spread_evenly(void **unused) {
  (void)unused;
  struct tb_evidence_choice choice = tb_evidence_choose(10000, 0, 100);
  for (int part = 0; part < 10; part++) {
    int chosen = 0;
    for (int i = 0; i < 1000; i++) chosen += tb_evidence_chooses(&choice, false);
    assert_int_equal(chosen, 10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_items_are_all_chosen),
      cmocka_unit_test(of_many_the_rare_ones_come_first),
      cmocka_unit_test(chosen_items_are_spread_evenly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
