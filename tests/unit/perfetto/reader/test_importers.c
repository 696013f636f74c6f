/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perfetto/reader/importers.h"
#include "protos/field_numbers.h"

static void each_row_is_found_by_its_field(void **state) {
  (void)state;
  const struct tb_payload_importer *first;
  size_t count = tb_perfetto_importers(&first);
  assert_true(count > 30);
  for (size_t i = 0; i < count; i++) {
    assert_true(i == 0 || first[i - 1].field < first[i].field); /* the search wants them in order */
    assert_ptr_equal(tb_perfetto_find_importer(first[i].field), &first[i]);
    assert_non_null(first[i].import);
  }
}

static void payloads_that_nobody_imports_have_no_row(void **state) {
  (void)state;
  assert_null(tb_perfetto_find_importer(0));
  assert_null(tb_perfetto_find_importer(TB_TRACE_PACKET_FOR_TESTING));
  assert_null(tb_perfetto_find_importer(UINT32_MAX));
}

static void importers_of_one_thing_share_what_they_keep(void **state) {
  (void)state;
  const struct tb_payload_importer *counters = tb_perfetto_find_importer(TB_TRACE_PACKET_GPU_COUNTER_EVENT);
  const struct tb_payload_importer *stages = tb_perfetto_find_importer(TB_TRACE_PACKET_GPU_RENDER_STAGE_EVENT);
  const struct tb_payload_importer *rails = tb_perfetto_find_importer(TB_TRACE_PACKET_POWER_RAILS);
  const struct tb_payload_importer *bundles = tb_perfetto_find_importer(TB_TRACE_PACKET_FTRACE_EVENTS);
  const struct tb_payload_importer *text = tb_perfetto_find_importer(TB_TRACE_PACKET_FTRACE_TEXT);
  const struct tb_payload_importer *triggers = tb_perfetto_find_importer(TB_TRACE_PACKET_TRIGGER);
  assert_non_null(counters->state);
  assert_ptr_equal(counters->state, stages->state);
  assert_ptr_not_equal(counters->state, rails->state);
  assert_non_null(bundles->state);
  assert_non_null(text->state);
  assert_ptr_not_equal(bundles->state, text->state);
  assert_null(triggers->state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_row_is_found_by_its_field),
      cmocka_unit_test(payloads_that_nobody_imports_have_no_row),
      cmocka_unit_test(importers_of_one_thing_share_what_they_keep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
