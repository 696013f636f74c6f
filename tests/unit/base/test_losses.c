/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/losses.h"

static void a_reason_is_counted_from_its_first_byte_on(void **state) {
  (void)state;
  struct tb_losses losses = {.count = 0};
  tb_losses_add(&losses, "cut off", 70);
  tb_losses_add(&losses, "no time", 80);
  tb_losses_add(&losses, "cut off", 60);
  assert_int_equal(losses.count, 2);
  assert_string_equal(losses.entries[0].reason, "cut off");
  assert_int_equal(losses.entries[0].count, 2);
  assert_int_equal(losses.entries[0].first_offset, 60);
  assert_int_equal(losses.entries[1].count, 1);
}

static void kinds_of_a_reason_are_counted_apart(void **state) {
  (void)state;
  struct tb_losses losses = {.count = 0};
  tb_losses_add_kind(&losses, "packets", TB_STR("ui_state"), 10);
  tb_losses_add_kind(&losses, "packets", TB_STR(""), 20);
  tb_losses_add_kind(&losses, "packets", TB_STR("ui_state"), 30);
  assert_int_equal(losses.count, 2);
  assert_string_equal(losses.entries[0].reason, "packets: ui_state");
  assert_int_equal(losses.entries[0].count, 2);
  assert_string_equal(losses.entries[1].reason, "packets: unknown");
}

static void texts_longer_than_a_reason_are_cut_and_stay_one(void **state) {
  (void)state;
  struct tb_losses losses = {.count = 0};
  char kind[4 * TB_LOSS_REASON_MAX];
  memset(kind, 'k', sizeof(kind));
  for (int i = 0; i < 2; i++) tb_losses_add_kind(&losses, "packets", (struct tb_str){kind, sizeof(kind)}, 0);
  kind[sizeof(kind) - 1] = '\0';
  tb_losses_add(&losses, kind, 0);
  tb_losses_add(&losses, kind, 0);
  assert_int_equal(losses.count, 2);
  assert_int_equal(losses.entries[0].count, 2);
  assert_int_equal(strlen(losses.entries[0].reason), TB_LOSS_REASON_MAX - 1);
  assert_int_equal(losses.entries[1].count, 2);
}

static void more_reasons_than_there_is_room_for_are_one(void **state) {
  (void)state;
  struct tb_losses losses = {.count = 0};
  for (int i = 0; i < TB_LOSSES_MAX + 5; i++) {
    char reason[16];
    snprintf(reason, sizeof(reason), "reason %d", i);
    tb_losses_add(&losses, reason, (uint64_t)i);
  }
  assert_int_equal(losses.count, TB_LOSSES_MAX);
  assert_string_equal(losses.entries[TB_LOSSES_MAX - 1].reason, "other reasons");
  assert_int_equal(losses.entries[TB_LOSSES_MAX - 1].count, 6); /* that which was there too */
  uint64_t all = 0;
  for (size_t i = 0; i < losses.count; i++) all += losses.entries[i].count;
  assert_int_equal(all, TB_LOSSES_MAX + 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reason_is_counted_from_its_first_byte_on),
      cmocka_unit_test(kinds_of_a_reason_are_counted_apart),
      cmocka_unit_test(texts_longer_than_a_reason_are_cut_and_stay_one),
      cmocka_unit_test(more_reasons_than_there_is_room_for_are_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
