/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fxt_writing.h"

static struct tb_event state_of_linux(int64_t ts, enum tb_task_state task_state, const char *name) {
  return (struct tb_event){.type = TB_EVENT_THREAD_STATE,
                           .track = &thread,
                           .ts = ts,
                           .has = TB_HAS_TS | TB_HAS_CPU | TB_HAS_NAME | TB_HAS_KERNEL_STATE,
                           .task_state = (uint8_t)task_state,
                           .name = tb_str_from(name)};
}

static void expect_loss(size_t i, const char *reason) {
  size_t count;
  const struct tb_loss *losses = tb_writer_losses(writer, &count);
  assert_in_range(count, i + 1, TB_LOSSES_MAX);
  assert_string_equal(losses[i].reason, reason);
  assert_int_equal(losses[i].count, 1);
}

/* A thread that does not run in a state of that name: the records say only that it does not. */
static void states_that_fxt_has_no_word_for_are_blocked_and_counted(void **state) {
  (void)state;
  struct tb_track waker = {.index = 5, .type = TB_TRACK_THREAD, .tid = 9, .has_tid = true};
  struct tb_event event = state_of_linux(5, TB_TASK_RUNNING, "Running");
  put(event);
  put(state_of_linux(10, TB_TASK_UNKNOWN, "Unknown"));
  expect_loss(0, "states of threads that FXT has no place for: Unknown");
  put(state_of_linux(20, TB_TASK_UNINTERRUPTIBLE_SLEEP, "D"));
  expect_loss(1, "states of threads that FXT has no place for: D");
  event = state_of_linux(30, TB_TASK_RUNNABLE, "R");
  event.has &= ~(uint32_t)TB_HAS_CPU;
  event.thread = &waker;
  put(event);
  expect_loss(2, "who wakes a thread (FXT has no place for it)");
  event = state_of_linux(40, TB_TASK_DEAD, "Z");
  event.has &= ~(uint32_t)TB_HAS_CPU;
  put(event);
  expect_loss(3, "thread states without a processor, written as the first one's (FXT has none)");
  event = state_of_linux(50, TB_TASK_RUNNING, "Running");
  event.cpu = UINT16_MAX + 1;
  put(event);
  expect_loss(4, "processors of thread states past the range of FXT's");
  read_back();
  static const char *const names[] = {"running", "blocked", "blocked", "waking", "dying", "running"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    assert_slice(fxt_next_of(reader, TB_EVENT_THREAD_STATE)->name, names[i]);
  expect_all_read();
}

static void a_thread_that_runs_may_be_woken(void **state) {
  (void)state;
  put(state_of_linux(5, TB_TASK_RUNNING, "Running"));
  struct tb_event event = state_of_linux(10, TB_TASK_RUNNABLE, "R");
  event.has &= ~(uint32_t)TB_HAS_CPU;
  put(event);
  read_back();
  assert_slice(fxt_next_of(reader, TB_EVENT_THREAD_STATE)->name, "running");
  assert_slice(fxt_next_of(reader, TB_EVENT_THREAD_STATE)->name, "waking");
  expect_all_read();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(states_that_fxt_has_no_word_for_are_blocked_and_counted, start, stop),
      cmocka_unit_test_setup_teardown(a_thread_that_runs_may_be_woken, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
