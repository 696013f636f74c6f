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

static void a_reason_has_a_kind(void **state) {
  (void)state;
  static const struct {
    const char *reason;
    enum tb_loss_kind kind;
  } cases[] = {{"the trace ends in the middle of a packet", TB_LOSS_CUT},
               {TB_LOSS_COMPRESSION, TB_LOSS_CUT},
               {"timestamps on a clock that nothing relates to the trace clock", TB_LOSS_CLOCK},
               {"packets without the incremental state that they need", TB_LOSS_STATE},
               {"end of a slice without its begin", TB_LOSS_UNPAIRED},
               {"event longer than the limit", TB_LOSS_LIMIT},
               {"an argument is nested too deep", TB_LOSS_LIMIT},
               {"Perfetto packets that JSON cannot hold", TB_LOSS_NO_PLACE},
               {"damaged bytes between packets", TB_LOSS_DAMAGED},
               {"damaged bytes, which JSON has no place for", TB_LOSS_NO_PLACE},
               {"event of no track", TB_LOSS_NO_TRACK},
               {"other reasons", TB_LOSS_OTHER}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct tb_losses losses = {.count = 0}, all = {.count = 0};
    tb_losses_add(&losses, cases[i].reason, 0);
    tb_losses_add_all(&all, &losses);
    assert_int_equal(losses.entries[0].kind, cases[i].kind);
    assert_int_equal(all.entries[0].kind, cases[i].kind);
  }
}

static void a_code_has_a_name(void **state) {
  (void)state;
  assert_string_equal(tb_loss_kind_name(TB_LOSS_OTHER), "other");
  assert_string_equal(tb_loss_kind_name(TB_LOSS_CUT), "cut");
  assert_string_equal(tb_loss_kind_name(TB_LOSS_ASSUMED), "assumed");
  assert_string_equal(tb_loss_kind_name((enum tb_loss_kind)(TB_LOSS_ASSUMED + 1)), "other");
  assert_string_equal(tb_loss_kind_name((enum tb_loss_kind) - 1), "other");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reason_is_counted_from_its_first_byte_on),
      cmocka_unit_test(kinds_of_a_reason_are_counted_apart),
      cmocka_unit_test(texts_longer_than_a_reason_are_cut_and_stay_one),
      cmocka_unit_test(more_reasons_than_there_is_room_for_are_one),
      cmocka_unit_test(a_reason_has_a_kind),
      cmocka_unit_test(a_code_has_a_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
