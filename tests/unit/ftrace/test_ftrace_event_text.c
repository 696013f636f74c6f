/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>
#include <stdlib.h>

#include "ftrace/event_text.h"
#include "protos/field_numbers.h"

static struct tb_json_emit out;

static int start(void **state) {
  (void)state;
  tb_json_emit_init(&out, tb_default_allocator());
  return 0;
}

static int stop(void **state) {
  (void)state;
  tb_json_emit_free(&out);
  return 0;
}

static void assert_text(const char *expected) {
  tb_json_emit_raw(&out, "", 1);
  assert_int_equal(out.status, TB_OK);
  assert_string_equal(out.buffer.data, expected);
  out.buffer.len = 0;
}

#define ASSERT_EVENT(kind, bytes, expected)                                                            \
  do {                                                                                                 \
    assert_true(tb_ftrace_put_event(&out, (kind), (struct tb_str){(bytes), sizeof(bytes) - 1}, NULL)); \
    assert_text(expected);                                                                             \
  } while (0)

static void a_line_begins_with_task_process_cpu_and_seconds(void **state) {
  (void)state;
  struct tb_ftrace_line line = {TB_STR("app"), 31, 30, true, 2, 1500000000};
  tb_ftrace_put_line_head(&out, &line);
  assert_text("app-31 (30) [002] .... 1.500000000: ");
  line = (struct tb_ftrace_line){TB_STR(""), 31, 0, false, 1234, 7};
  tb_ftrace_put_line_head(&out, &line);
  assert_text("<...>-31 (-----) [1234] .... 0.000000007: ");
  line.task = TB_STR("pool[69]"); /* readers would take 69 for the CPU */
  tb_ftrace_put_line_head(&out, &line);
  assert_text("<...>-31 (-----) [1234] .... 0.000000007: ");
}

/* As the trace processor reads seconds. */
static int64_t read_seconds(const char *text) { return (int64_t)(strtod(strstr(text, ".... ") + 5, NULL) * 1e9); }

static void seconds_read_as_a_double_are_the_exact_nanoseconds(void **state) {
  (void)state;
  unsigned with_a_tenth_digit = 0;
  for (int64_t i = 0; i < 1000; i++) {
    struct tb_ftrace_line line = {.ts = 1090479547211904 + i * 7919};
    tb_ftrace_put_line_head(&out, &line);
    tb_json_emit_raw(&out, "", 1);
    assert_int_equal(read_seconds(out.buffer.data), line.ts);
    const char *point = strchr(strstr(out.buffer.data, ".... ") + 5, '.');
    with_a_tenth_digit += strchr(point, ':') - point > 10;
    out.buffer.len = 0;
  }
  assert_true(with_a_tenth_digit > 0 && with_a_tenth_digit < 1000);
}

static void scheduling_has_the_kernels_words(void **state) {
  (void)state;
  struct tb_ftrace_switch change = {TB_STR("a"), TB_STR("b c"), 1, 2, 120, -3, 1};
  tb_ftrace_put_switch(&out, &change, TB_FTRACE_STATES_4_14);
  assert_text(
      "sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b c next_pid=2 next_prio=-3");
  struct tb_ftrace_waking waking = {TB_STR("a"), 1, 120, 7};
  tb_ftrace_put_waking(&out, &waking);
  assert_text("sched_waking: comm=a pid=1 prio=120 target_cpu=007");
}

static void states_are_the_letters_of_their_kernel(void **state) {
  (void)state;
  const struct {
    int64_t bits;
    enum tb_ftrace_states states;
    const char *letters;
  } cases[] = {{0, TB_FTRACE_STATES_4_14, "R"},    {2, TB_FTRACE_STATES_4_14, "D"},
               {128, TB_FTRACE_STATES_4_14, "I"},  {256, TB_FTRACE_STATES_4_14, "R+"},
               {130, TB_FTRACE_STATES_OLD, "D|K"}, {256, TB_FTRACE_STATES_OLD, "W"},
               {2048, TB_FTRACE_STATES_OLD, "R+"}, {64, TB_FTRACE_STATES_4_14, "P"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct tb_ftrace_switch change = {.prev_state = cases[i].bits};
    tb_ftrace_put_switch(&out, &change, cases[i].states);
    tb_json_emit_raw(&out, "", 1);
    const char *at = strstr(out.buffer.data, "prev_state=") + strlen("prev_state=");
    assert_memory_equal(at, cases[i].letters, strlen(cases[i].letters));
    assert_memory_equal(at + strlen(cases[i].letters), " ==>", 4);
    out.buffer.len = 0;
  }
}

static void marks_of_drivers_are_marks_like_any(void **state) {
  (void)state;
  ASSERT_EVENT(TB_FTRACE_EVENT_TRACING_MARK_WRITE, "\x08\x1e\x12\x01x\x18\x01", "tracing_mark_write: B|30|x");
  ASSERT_EVENT(TB_FTRACE_EVENT_TRACING_MARK_WRITE, "\x08\x1e\x12\x01x\x18\x00", "tracing_mark_write: E|30");
  ASSERT_EVENT(TB_FTRACE_EVENT_DPU_TRACING_MARK_WRITE, "\x08\x1e\x22\x01x\x28\x43\x30\x05",
               "tracing_mark_write: C|30|x|5");
  ASSERT_EVENT(TB_FTRACE_EVENT_DPU_TRACING_MARK_WRITE, "\x08\x1e\x22\x01x\x28\x42", "tracing_mark_write: B|0|x");
  ASSERT_EVENT(TB_FTRACE_EVENT_ZERO, "\x08\x02\x12\x00\x18\x1e", "tracing_mark_write: E|30");
  assert_false(tb_ftrace_put_event(&out, TB_FTRACE_EVENT_ZERO, TB_STR("\x08\x08"), NULL));
}

static void other_events_say_their_fields_by_name(void **state) {
  (void)state;
  ASSERT_EVENT(TB_FTRACE_EVENT_CPU_IDLE, "\x08\xff\xff\xff\xff\x0f\x10\x03", "cpu_idle: state=4294967295 cpu_id=3");
  ASSERT_EVENT(TB_FTRACE_EVENT_CLOCK_SET_RATE, "\x0a\x03mif\x10\x07\x18\x00", "clock_set_rate: mif state=7 cpu_id=0");
  ASSERT_EVENT(TB_FTRACE_EVENT_BINDER_TRANSACTION, "\x08\x05\x18\x28\x28\x01\x38\x10",
               "binder_transaction: transaction=5 dest_node=0 dest_proc=40 dest_thread=0 reply=1 flags=0x10 code=0x0");
  ASSERT_EVENT(TB_FTRACE_EVENT_GENERIC, "\x0a\x01n\x12\x05\x0a\x01k\x20\x02\x12\x06\x0a\x01s\x1a\x01v", "n: k=2 s=v");
  assert_false(tb_ftrace_put_event(&out, TB_FTRACE_EVENT_GENERIC, TB_STR("\x0a\x09two words"), NULL));
  assert_false(tb_ftrace_put_event(&out, 9999, TB_STR("\x08\x01"), NULL));
  assert_int_equal(out.buffer.len, 0);
}

static void no_text_ends_a_line(void **state) {
  (void)state;
  tb_ftrace_put_mark(&out, TB_STR("B|1|a\nb\tc"));
  assert_text("tracing_mark_write: B|1|a b c");
}

static void marks_of_the_kernel_have_a_name_and_a_number_where_their_phase_has(void **state) {
  (void)state;
  static const struct {
    struct tb_ftrace_mark mark;
    const char *text;
  } cases[] = {{{'B', 30, {"a|b", 3}, 9, {"", 0}}, "tracing_mark_write: B|30|a|b"},
               {{'E', 30, {"", 0}, 9, {"", 0}}, "tracing_mark_write: E|30"},
               {{'S', 0, {"fence", 5}, -1, {"", 0}}, "tracing_mark_write: S|0|fence|-1"},
               {{'F', 0, {"fence", 5}, 7, {"", 0}}, "tracing_mark_write: F|0|fence|7"},
               {{'C', 0, {"n", 1}, 2, {"", 0}}, "tracing_mark_write: C|0|n|2"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    tb_ftrace_put_kernel_mark(&out, &cases[i].mark);
    assert_text(cases[i].text);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_line_begins_with_task_process_cpu_and_seconds),
      TEST(seconds_read_as_a_double_are_the_exact_nanoseconds),
      TEST(scheduling_has_the_kernels_words),
      TEST(states_are_the_letters_of_their_kernel),
      TEST(marks_of_drivers_are_marks_like_any),
      TEST(marks_of_the_kernel_have_a_name_and_a_number_where_their_phase_has),
      TEST(other_events_say_their_fields_by_name),
      TEST(no_text_ends_a_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
