/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>

#include "ftrace/described_text.h"
#include "ftrace/event_text.h"

/* Fields of FtraceEvent that are no struct of ours, and one that is nobody's. */
enum { SYS_ENTER = 329, KFREE_SKB = 367, FUNCGRAPH_ENTRY = 437, LATER = 9999 };

static struct tb_json_emit out;
static struct tb_limit_allocator budget;
static struct tb_intern names;
static struct tb_descriptor_pool schema;

static int start(void **state) {
  (void)state;
  tb_json_emit_init(&out, tb_default_allocator());
  tb_limit_allocator_init(&budget, tb_default_allocator(), 1 << 20);
  tb_intern_init(&names, &budget.allocator);
  tb_descriptor_pool_init(&schema, &budget, &names);
  return 0;
}

static int stop(void **state) {
  (void)state;
  tb_descriptor_pool_free(&schema);
  tb_intern_free(&names);
  tb_json_emit_free(&out);
  return 0;
}

static void assert_event(uint32_t kind, struct tb_str payload, const struct tb_iid_index *symbols,
                         const char *expected) {
  assert_false(tb_ftrace_is_known(kind));
  tb_ftrace_put_described(&out, &schema, kind, payload, symbols);
  tb_json_emit_raw(&out, "", 1);
  assert_int_equal(out.status, TB_OK);
  assert_string_equal(out.buffer.data, expected);
  out.buffer.len = 0;
}

static void a_described_kind_has_its_name_and_those_of_its_fields(void **state) {
  (void)state;
  assert_event(KFREE_SKB, TB_STR("\x08\x05\x10\x80\x10"), NULL, "kfree_skb: location=5 protocol=2048");
  assert_event(SYS_ENTER, TB_STR("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x01\x10\x02"), NULL,
               "sys_enter: id=-1 args=1 args=2");
  assert_event(SYS_ENTER, TB_STR("\x12\x03\x01\x80\x01"), NULL, "sys_enter: args=1,128");
}

static void what_nothing_describes_is_called_by_number(void **state) {
  (void)state;
  assert_event(KFREE_SKB, TB_STR("\x78\x05"), NULL, "kfree_skb: field_15=5");
  assert_event(LATER, TB_STR("\x08\x07\x12\x03one\x1a\x02\x01\xff"), NULL,
               "ftrace_event_9999: field_1=7 field_2=one field_3=01ff");
  assert_event(LATER, TB_STR(""), NULL, "ftrace_event_9999:");
}

static void a_text_does_not_end_the_line(void **state) {
  (void)state;
  assert_event(LATER, TB_STR("\x0a\x03\x61\nb"), NULL, "ftrace_event_9999: field_1=a b");
}

static void a_function_has_its_symbol(void **state) {
  (void)state;
  struct tb_iid_index symbols;
  tb_iid_index_init(&symbols, tb_default_allocator());
  assert_int_equal(tb_iid_index_set(&symbols, 7, TB_STR("do_it")), TB_OK);
  assert_event(FUNCGRAPH_ENTRY, TB_STR("\x08\x02\x10\x07"), &symbols, "funcgraph_entry: depth=2 func=do_it");
  assert_event(FUNCGRAPH_ENTRY, TB_STR("\x08\x02\x10\x08"), &symbols, "funcgraph_entry: depth=2 func=8");
  tb_iid_index_free(&symbols);
}

static void damage_ends_the_line(void **state) {
  (void)state;
  assert_event(KFREE_SKB, TB_STR("\x08\x05\x10"), NULL, "kfree_skb: location=5");
  assert_event(SYS_ENTER, TB_STR("\x12\x02\x01\x80"), NULL, "sys_enter: args=1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_described_kind_has_its_name_and_those_of_its_fields, start, stop),
      cmocka_unit_test_setup_teardown(what_nothing_describes_is_called_by_number, start, stop),
      cmocka_unit_test_setup_teardown(a_text_does_not_end_the_line, start, stop),
      cmocka_unit_test_setup_teardown(a_function_has_its_symbol, start, stop),
      cmocka_unit_test_setup_teardown(damage_ends_the_line, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
