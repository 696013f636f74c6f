/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ftrace/event_parser.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

static struct tb_intern symbols;
static struct tb_buffer encoded;
static struct tb_json_emit printed;

static int start(void **state) {
  (void)state;
  tb_intern_init(&symbols, tb_default_allocator());
  tb_buffer_init(&encoded, tb_default_allocator(), 0);
  tb_json_emit_init(&printed, tb_default_allocator());
  return 0;
}

static int stop(void **state) {
  (void)state;
  tb_intern_free(&symbols);
  tb_buffer_free(&encoded);
  tb_json_emit_free(&printed);
  return 0;
}

static struct tb_str slice_of(const char *text) { return (struct tb_str){text, strlen(text)}; }

static void assert_slice(struct tb_str slice, const char *expected) {
  assert_int_equal(slice.len, strlen(expected));
  assert_memory_equal(slice.ptr, expected, slice.len);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void a_line_says_task_process_cpu_time_and_event(void **state) {
  (void)state;
  static const struct {
    const char *text, *task;
    int64_t tid, tgid; /* tgid -1: not known */
    uint32_t cpu;
    int64_t ts;
    const char *name, *arguments;
  } lines[] = {
      {"  app-31    (   30) [002] d..3   1.500000: sched_wakeup: comm=a", "app", 31, 30, 2, 1500000000, "sched_wakeup",
       "comm=a"},
      {"app-31 (-----) [000] .... 683201.354908: print: hello  \r", "app", 31, -1, 0, 683201354908000, "print",
       "hello"},
      {"kworker/u16:1-77 [004] 316.196720: tracing_mark_write: E|77", "kworker/u16:1", 77, -1, 4, 316196720000,
       "tracing_mark_write", "E|77"},
      {"pool [1] x-y-32 (30) [011] d.s4. 0.000000007: a: b: c", "pool [1] x-y", 32, 30, 11, 7, "a", "b: c"},
      {"test-process-123 (  123) [002] d...316.196740: e: x", "test-process", 123, 123, 2, 316196740000, "e", "x"},
      {"<idle>-0 [000] 3.5: e:", "", 0, -1, 0, 3500000000, "e", ""},
      {"<...>-882 (  882) [1234] .... 10852.771186: event: x", "", 882, 882, 1234, 10852771186000, "event", "x"},
  };
  for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
    struct tb_ftrace_text_event event;
    assert_true(tb_ftrace_parse_line(slice_of(lines[i].text), &event));
    assert_slice(event.line.task, lines[i].task);
    assert_int_equal(event.line.tid, lines[i].tid);
    assert_int_equal(event.line.has_tgid, lines[i].tgid >= 0);
    if (lines[i].tgid >= 0) assert_int_equal(event.line.tgid, lines[i].tgid);
    assert_int_equal(event.line.cpu, lines[i].cpu);
    assert_int_equal(event.line.ts, lines[i].ts);
    assert_slice(event.name, lines[i].name);
    assert_slice(event.arguments, lines[i].arguments);
  }
}

static void a_line_without_an_end_costs_no_more_than_its_length(void **state) {
  (void)state;
  enum { LEN = 4 << 20 };
  static char line[LEN];
  static const char *const patterns[] = {"-1[1]", "x) [1]", "a=", "[", "-1[1] 1."};
  struct tb_ftrace_text_event event;
  for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
    for (size_t k = 0, len = strlen(patterns[i]); k < LEN; k++) line[k] = patterns[i][k % len];
    assert_false(tb_ftrace_parse_line((struct tb_str){line, LEN}, &event));
    event = (struct tb_ftrace_text_event){.name = TB_STR("e"), .arguments = {line, LEN}};
    encoded.len = 0;
    assert_int_equal(tb_ftrace_encode(&event, TB_FTRACE_STATES_4_14, &symbols, &encoded), TB_OK);
  }
}

static void what_is_no_event_is_none(void **state) {
  (void)state;
  static const char *const lines[] = {"",
                                      "# tracer: nop",
                                      "#  app-31 [000] .... 1.5: e: x",
                                      "CPU:1 [LOST 12 EVENTS]",
                                      "app-31 [001] .... 100.5: function <-caller",
                                      "app-31 [001] .... 1005: e: without a point",
                                      "app-31 [001] .... 1.5 e x",
                                      "app [001] .... 1.5: e: no thread",
                                      "app-31 001 .... 1.5: e: no bracket",
                                      "app-31 [001",
                                      "-31 [] 1.5: e: x",
                                      "app-31 (30 [001] .... 1.5"};
  struct tb_ftrace_text_event event;
  for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
    assert_false(tb_ftrace_parse_line(slice_of(lines[i]), &event));
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Encodes an event, and prints it as tb_ftrace_put_event does: "NAME: ARGUMENTS". */
static const char *encode_and_print(const char *name, const char *arguments) {
  const struct tb_ftrace_text_event event = {
      .line = {.tid = 5, .ts = 7}, .name = slice_of(name), .arguments = slice_of(arguments)};
  encoded.len = printed.buffer.len = 0;
  assert_int_equal(tb_ftrace_encode(&event, TB_FTRACE_STATES_4_14, &symbols, &encoded), TB_OK);
  struct tb_wire_cursor cursor = tb_wire_cursor((struct tb_str){encoded.data, encoded.len});
  struct tb_wire_field field;
  unsigned kinds = 0;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.number == TB_FTRACE_EVENT_TIMESTAMP) assert_int_equal(field.value, 7);
    if (field.number == TB_FTRACE_EVENT_PID) assert_int_equal(field.value, 5);
    if (field.type != TB_WIRE_BYTES) continue;
    kinds++;
    assert_true(tb_ftrace_put_event(&printed, field.number, field.bytes, NULL));
  }
  assert_int_equal(kinds, 1);
  tb_json_emit_raw(&printed, "", 1);
  return printed.buffer.data;
}

static void events_come_back_as_they_were_printed(void **state) {
  (void)state;
  static const struct {
    const char *name, *arguments;
  } events[] = {
      {"cpu_frequency", "state=1800000 cpu_id=3"},
      {"cpu_idle", "state=4294967295 cpu_id=0"},
      {"clock_set_rate", "gpu clk state=600000000 cpu_id=1"},
      {"irq_handler_entry", "irq=19 name=dwc3 usb"},
      {"binder_transaction", "transaction=5161 dest_node=5155 dest_proc=30 dest_thread=0 reply=0 flags=0x10 code=0x3"},
      {"binder_transaction_received", "transaction=5161"},
      {"workqueue_execute_start", "work struct 0xf4b1cd52: function 0x1f"},
      {"workqueue_execute_end", "work struct 0xf4b1cd52: function 0x1f"},
      {"workqueue_execute_end", "work struct 0xf4b1cd52"},
      {"task_rename", "pid=7 oldcomm=a b newcomm=c oom_score_adj=-17"},
      {"thermal_temperature", "id=0 temp=41000 temp_prev=40900 thermal_zone=cpu zone"},
      {"rss_stat", "member=1 size=-4096 curr=1 mm_id=77"},
      {"my_event", "ring=render seqno=-5 note=two words"},
  };
  for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
    char expected[200];
    snprintf(expected, sizeof(expected), "%s: %s", events[i].name, events[i].arguments);
    assert_string_equal(encode_and_print(events[i].name, events[i].arguments), expected);
  }
}

static void what_the_kernel_prints_otherwise_is_understood(void **state) {
  (void)state;
  assert_string_equal(encode_and_print("irq_handler_exit", "irq=19 ret=handled"), "irq_handler_exit: irq=19 ret=1");
  assert_string_equal(encode_and_print("irq_handler_exit", "irq=19 ret=unhandled"), "irq_handler_exit: irq=19 ret=0");
  assert_string_equal(encode_and_print("softirq_entry", "vec=9 [action=RCU]"), "softirq_entry: vec=9");
  assert_string_equal(encode_and_print("rss_stat", "mm_id=7 curr=1 member=0 size=4096B"),
                      "rss_stat: mm_id=7 curr=1 member=0 size=4096");
  assert_string_equal(encode_and_print("sched_process_fork", "comm=bash pid=1 child_comm=sh child_pid=2"),
                      "sched_process_fork: parent_comm=bash parent_pid=1 child_comm=sh child_pid=2");
  assert_string_equal(encode_and_print("softirq_raise", "nothing that the schema knows"), "softirq_raise:");
  assert_string_equal(encode_and_print("binder_transaction", "transaction=5161 des"),
                      "binder_transaction: transaction=5161 des");
  assert_string_equal(encode_and_print("my_event", "no fields at all"), "my_event:");
}

/* The number of a field of the message that is field `kind` of what was encoded. */
static uint64_t number_in(uint32_t kind, uint32_t number) {
  struct tb_wire_cursor cursor = tb_wire_cursor((struct tb_str){encoded.data, encoded.len});
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.number != kind || field.type != TB_WIRE_BYTES) continue;
    struct tb_wire_cursor inner = tb_wire_cursor(field.bytes);
    while (tb_wire_next(&inner, &field) == TB_OK)
      if (field.number == number) return field.value;
  }
  fail_msg("field %u.%u is missing", kind, number);
  return 0;
}

static uint64_t state_of(const char *letters) {
  char arguments[200];
  snprintf(arguments, sizeof(arguments),
           "prev_comm=a b prev_pid=5 prev_prio=120 prev_state=%s ==> next_comm=c next_pid=6 next_prio=110", letters);
  (void)encode_and_print("sched_switch", arguments);
  assert_int_equal(number_in(TB_FTRACE_EVENT_SCHED_SWITCH, TB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID), 5);
  assert_int_equal(number_in(TB_FTRACE_EVENT_SCHED_SWITCH, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PRIO), 110);
  return number_in(TB_FTRACE_EVENT_SCHED_SWITCH, TB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE);
}

static void letters_of_states_are_the_bits_of_the_kernel(void **state) {
  (void)state;
  assert_int_equal(state_of("R"), 0);
  assert_int_equal(state_of("S"), 1);
  assert_int_equal(state_of("D|t"), 10);
  assert_int_equal(state_of("I"), 128);
  assert_int_equal(state_of("R+"), 256);
  assert_int_equal(state_of("2"), 2); /* some tools print the number */
  assert_int_equal(tb_ftrace_find_states(slice_of("prev_state=S ==> prev_state=I")), TB_FTRACE_STATES_4_14);
  assert_int_equal(tb_ftrace_find_states(slice_of("x prev_state=S ==> prev_state=D|W ==> prev_state=I")),
                   TB_FTRACE_STATES_OLD);
}

static void functions_of_the_kernel_are_symbols(void **state) {
  (void)state;
  (void)encode_and_print("sched_blocked_reason", "pid=269 iowait=1 caller=worker_thread+0x534/0x820");
  assert_int_equal(number_in(TB_FTRACE_EVENT_SCHED_BLOCKED_REASON, TB_SCHED_BLOCKED_REASON_FTRACE_EVENT_CALLER), 1);
  (void)encode_and_print("workqueue_execute_start", "work struct 00000000f4b1cd52: function process_one");
  assert_int_equal(number_in(TB_FTRACE_EVENT_WORKQUEUE_EXECUTE_START, TB_WORKQUEUE_FTRACE_EVENT_WORK), 0xf4b1cd52);
  assert_int_equal(number_in(TB_FTRACE_EVENT_WORKQUEUE_EXECUTE_START, TB_WORKQUEUE_FTRACE_EVENT_FUNCTION), 2);
  assert_int_equal(symbols.count, 2);
  assert_slice(symbols.texts[0], "worker_thread+0x534/0x820");
  assert_slice(symbols.texts[1], "process_one");
}

static void marks_keep_their_text_whatever_they_are_called(void **state) {
  (void)state;
  static const char *const names[] = {"tracing_mark_write", "print", "0", "dpu_tracing_mark_write"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    const struct tb_ftrace_text_event event = {.name = slice_of(names[i]), .arguments = TB_STR("B|30|draw")};
    encoded.len = 0;
    assert_int_equal(tb_ftrace_encode(&event, TB_FTRACE_STATES_OLD, &symbols, &encoded), TB_OK);
    assert_non_null(memmem(encoded.data, encoded.len, "B|30|draw\n", 10));
  }
}

static void a_line_without_the_numbers_that_kernels_print_is_cut(void **state) {
  (void)state;
  static const struct {
    const char *name, *arguments;
  } cut[] = {
      {"sched_switch",
       "prev_comm=app prev_pid=31 prev_prio=120 prev_state=S ==> next_comm=Binder_3 next_pid=7 next_pri"},
      {"sched_switch", "prev_comm=app prev_pid=31 prev_prio=120 prev_state=S ==> next_comm=Binder_3 n"},
      {"sched_switch", "prev_comm=app prev_pid=31 prev_prio=120 prev_state=S ==> next_comm=b next_pid= next_prio="},
      {"sched_waking", "comm=worker one pi"},
      {"sched_wakeup", "comm=worker one"},
      {"cpu_frequency", "state=1800000 cpu"},
      {"cpu_idle", "state=4294967295"},
      {"clock_set_rate", "gpu_clk state=600000000 cpu_i"},
  };
  for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
    const struct tb_ftrace_text_event event = {.name = slice_of(cut[i].name), .arguments = slice_of(cut[i].arguments)};
    encoded.len = 0;
    assert_int_equal(tb_ftrace_encode(&event, TB_FTRACE_STATES_OLD, &symbols, &encoded), TB_BAD_DATA);
  }
}

static void binder_commands_are_numbers_and_names_of_them(void **state) {
  (void)state;
  assert_string_equal(encode_and_print("binder_return", "cmd=0x7211 BR_FAILED_REPLY"), "binder_return: cmd=0x7211");
  assert_string_equal(encode_and_print("binder_command", "cmd=0x40406300 BC_TRANSACTION"),
                      "binder_command: cmd=0x40406300");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
  const struct CMUnitTest tests[] = {
      TEST(a_line_says_task_process_cpu_time_and_event),
      TEST(what_is_no_event_is_none),
      TEST(a_line_without_an_end_costs_no_more_than_its_length),
      TEST(a_line_without_the_numbers_that_kernels_print_is_cut),
      TEST(binder_commands_are_numbers_and_names_of_them),
      TEST(events_come_back_as_they_were_printed),
      TEST(what_the_kernel_prints_otherwise_is_understood),
      TEST(letters_of_states_are_the_bits_of_the_kernel),
      TEST(functions_of_the_kernel_are_symbols),
      TEST(marks_keep_their_text_whatever_they_are_called),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
