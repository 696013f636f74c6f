/* SPDX-License-Identifier: Apache-2.0
 *
 * FXT records other than events: scheduling, logs, blobs.
 */
#include "support/fxt_builder.h"

static struct fxt_builder b;

static int start(void **state) {
  (void)state;
  b.count = 0;
  fxt_magic(&b);
  return 0;
}

static void expect_state(struct tb_reader *reader, int64_t tid, enum tb_task_state state, const char *name,
                         int32_t priority, uint32_t cpu) {
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_THREAD_STATE);
  assert_int_equal(event->track->tid, tid);
  assert_int_equal(event->task_state, state);
  assert_slice(event->name, name);
  assert_int_equal(event->priority, priority);
  assert_true(event->has & TB_HAS_CPU);
  assert_int_equal(event->cpu, cpu);
}

static void put_weight(const char *name, int32_t weight) {
  fxt_arg(&b, TB_FXT_ARG_INT32, 1 + (unsigned)(strlen(name) + 7) / 8, fxt_inline(name), (uint32_t)weight);
  fxt_text(&b, name);
}

static void context_switch(uint32_t state, uint64_t from, uint64_t to, int32_t from_weight, int32_t to_weight) {
  fxt_begin(&b, TB_FXT_SCHEDULING,
            UINT64_C(1) << 60 | UINT64_C(2) << 16 | UINT64_C(65535) << 20 | (uint64_t)state << 36);
  fxt_word(&b, 10), fxt_word(&b, from), fxt_word(&b, to);
  put_weight("outgoing_weight", from_weight);
  put_weight("incoming_weight", to_weight);
  fxt_end(&b);
}

static void a_context_switch_changes_two_threads(void **state) {
  (void)state;
  static const enum tb_task_state states[] = {TB_TASK_RUNNABLE, TB_TASK_RUNNABLE,
                                              TB_TASK_STOPPED,  TB_TASK_INTERRUPTIBLE_SLEEP,
                                              TB_TASK_DEAD,     TB_TASK_DESTROYED};
  static const char *const names[] = {"new", "preempted", "suspended", "blocked", "dying", "dead"};
  for (uint32_t i = 0; i < 6; i++) context_switch(i, 100, 200, -3, 5);
  struct tb_reader *reader = fxt_read(&b);
  for (uint32_t i = 0; i < 6; i++) {
    expect_state(reader, 100, states[i], names[i], -3, 65535);
    expect_state(reader, 200, TB_TASK_RUNNING, "running", 5, 65535);
  }
  fxt_expect_end(reader);
  fxt_expect_no_loss(reader);
  tb_reader_close(reader);
}

static void context_switches_around_damage_are_all_there(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 10; i++) context_switch(TB_FXT_STATE_BLOCKED, 100, 200, -3, 5);
  uint64_t offset = b.count * 8;
  fxt_text(&b, "Segmentation fault (core dumped)");
  for (uint32_t i = 0; i < 10; i++) context_switch(TB_FXT_STATE_BLOCKED, 100, 200, -3, 5);
  struct tb_reader *reader = fxt_read(&b);
  for (uint32_t i = 0; i < 20; i++) {
    expect_state(reader, 100, TB_TASK_INTERRUPTIBLE_SLEEP, "blocked", -3, 65535);
    expect_state(reader, 200, TB_TASK_RUNNING, "running", 5, 65535);
  }
  fxt_expect_end(reader);
  size_t count;
  const struct tb_loss *losses = tb_reader_losses(reader, &count);
  assert_int_equal(count, 2);
  for (size_t i = 0; i < count; i++) assert_int_equal(losses[i].first_offset, offset);
  tb_reader_close(reader);
}

static void idle_threads_have_no_states(void **state) {
  (void)state;
  context_switch(TB_FXT_STATE_BLOCKED, 100, 1, 0, INT32_MIN);
  context_switch(TB_FXT_STATE_BLOCKED, 1, 100, INT32_MIN, 0);
  struct tb_reader *reader = fxt_read(&b);
  expect_state(reader, 100, TB_TASK_INTERRUPTIBLE_SLEEP, "blocked", 0, 65535);
  expect_state(reader, 100, TB_TASK_RUNNING, "running", 0, 65535);
  fxt_expect_end(reader);
  tb_reader_close(reader);
}

static void a_wakeup_makes_a_thread_of_a_known_process_runnable(void **state) {
  (void)state;
  fxt_thread(&b, 1, 7, 100);
  fxt_begin(&b, TB_FXT_SCHEDULING, UINT64_C(2) << 60 | UINT64_C(2) << 16 | UINT64_C(3) << 20);
  fxt_word(&b, 10), fxt_word(&b, 100);
  put_weight("weight", 9);
  fxt_arg(&b, TB_FXT_ARG_KOID, 3, fxt_inline("waker"), 0), fxt_text(&b, "waker"), fxt_word(&b, 55);
  fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->task_state, TB_TASK_RUNNABLE);
  assert_slice(event->name, "waking");
  assert_int_equal(event->priority, 9);
  assert_int_equal(event->cpu, 3);
  assert_int_equal(event->track->pid, 7);
  assert_int_equal(event->arg_count, 1);
  assert_slice(event->args[0].name, "waker");
  tb_reader_close(reader);
}

static void a_legacy_switch_takes_threads_and_priorities_from_its_header(void **state) {
  (void)state;
  fxt_thread(&b, 9, 7, 100);
  fxt_begin(&b, TB_FXT_SCHEDULING,
            UINT64_C(255) << 16 | (uint64_t)TB_FXT_STATE_SUSPENDED << 24 | UINT64_C(9) << 28 | UINT64_C(200) << 44 |
                UINT64_C(17) << 52);
  fxt_word(&b, 10), fxt_word(&b, 8), fxt_word(&b, 300);
  fxt_end(&b);
  fxt_begin(&b, TB_FXT_SCHEDULING, UINT64_C(1) << 16 | UINT64_C(9) << 28 | UINT64_C(9) << 36 | UINT64_C(1) << 44);
  fxt_word(&b, 11);
  fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  expect_state(reader, 100, TB_TASK_STOPPED, "suspended", 200, 255);
  expect_state(reader, 300, TB_TASK_RUNNING, "running", 17, 255);
  expect_state(reader, 100, TB_TASK_RUNNABLE, "new", 1, 1); /* to priority 0: idle */
  fxt_expect_end(reader);
  tb_reader_close(reader);
}

static void a_log_record_keeps_its_message_and_thread(void **state) {
  (void)state;
  fxt_begin(&b, TB_FXT_LOG, UINT64_C(11) << 16);
  fxt_word(&b, 77), fxt_word(&b, 7), fxt_word(&b, 8), fxt_text(&b, "hello world"), fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_LOG);
  assert_int_equal(event->ts, 77);
  assert_int_equal(event->track->tid, 8);
  assert_slice(event->name, "hello world");
  tb_reader_close(reader);
}

static void text_that_is_no_utf8_becomes_what_says_the_most(void **state) {
  (void)state;
  fxt_string(&b, 1,
             "a\xff"
             "b\xe2\x82"
             "c\xe2\x82\xac\xed\xa0\x80");
  fxt_event(&b, TB_FXT_INSTANT, 0, 0, 0, 1, 5), fxt_word(&b, 1), fxt_word(&b, 1), fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  assert_slice(fxt_next(reader)->name,
               "a\xef\xbf\xbd"
               "b\xef\xbf\xbd"
               "c\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  tb_reader_close(reader);
}

static void a_buffer_that_filled_up_is_a_loss_of_its_provider(void **state) {
  (void)state;
  fxt_begin(&b, TB_FXT_METADATA, UINT64_C(3) << 16 | UINT64_C(1234) << 20);
  uint64_t offset = fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_DATA_LOSS);
  assert_int_equal(event->sequence, 1234);
  assert_int_equal(event->offset, offset);
  fxt_expect_end(reader);
  fxt_expect_no_loss(reader);
  tb_reader_close(reader);
}

/* ---- blobs ------------------------------------------------------------------------------------------------------- */

static void put_blob(unsigned type, const char *name, const void *bytes, size_t len) {
  fxt_begin(&b, TB_FXT_BLOB, fxt_inline(name) << 16 | (uint64_t)len << 32 | (uint64_t)type << 48);
  fxt_text(&b, name);
  fxt_stream(&b, bytes, len);
  fxt_end(&b);
}

static void blobs_keep_their_name_type_and_bytes(void **state) {
  (void)state;
  put_blob(TB_FXT_BLOB_LAST_BRANCH, "lbr", "\0\1\2", 3);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_BLOB);
  assert_int_equal(event->blob_type, TB_FXT_BLOB_LAST_BRANCH);
  assert_slice(event->name, "lbr");
  assert_int_equal(event->blob.len, 3);
  assert_memory_equal(event->blob.ptr, "\0\1\2", 3);
  tb_reader_close(reader);
}

static void packets_that_blobs_cut_are_put_together(void **state) {
  (void)state;
  static const char trace[] = "\x0a\x02\x40\x01\x0a\x03\x40\x82\x01\x0a\x02\x40\x03";
  put_blob(TB_FXT_BLOB_PERFETTO, "p", trace, 6);     /* one packet and a part */
  put_blob(TB_FXT_BLOB_PERFETTO, "p", trace + 6, 1); /* still not whole */
  put_blob(TB_FXT_BLOB_PERFETTO, "p", trace + 7, 6);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_PACKETS);
  assert_int_equal(event->blob.len, 4);
  assert_memory_equal(event->blob.ptr, trace, 4);
  event = fxt_next(reader);
  assert_int_equal(event->blob.len, 9);
  assert_memory_equal(event->blob.ptr, trace + 4, 9);
  fxt_expect_end(reader);
  fxt_expect_no_loss(reader);
  tb_reader_close(reader);
}

static void a_packet_that_no_blob_ends_is_a_loss(void **state) {
  (void)state;
  put_blob(TB_FXT_BLOB_PERFETTO, "p", "\x0a\x02\x40", 3);
  struct tb_reader *reader = fxt_read(&b);
  fxt_expect_end(reader);
  size_t count;
  assert_string_equal(tb_reader_losses(reader, &count)->reason, "a Perfetto blob ends inside a packet");
  tb_reader_close(reader);
}

static void bytes_that_are_no_packets_are_a_loss(void **state) {
  (void)state;
  put_blob(TB_FXT_BLOB_PERFETTO, "p", "\x12\x01\x40", 3);
  struct tb_reader *reader = fxt_read(&b);
  fxt_expect_nothing_read(reader);
  size_t count;
  assert_string_equal(tb_reader_losses(reader, &count)->reason, "a Perfetto blob that holds no packets");
  tb_reader_close(reader);
}

static void large_blobs_may_be_longer_than_any_record_and_carry_arguments(void **state) {
  (void)state;
  static char bytes[100000];
  for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (char)(i * 7);
  size_t at = b.count;
  fxt_word(&b, TB_FXT_LARGE);
  fxt_word(&b, fxt_inline("cat") | fxt_inline("name") << 16 | UINT64_C(1) << 32);
  fxt_text(&b, "cat"), fxt_text(&b, "name");
  fxt_word(&b, 55), fxt_word(&b, 7), fxt_word(&b, 8);
  fxt_arg(&b, TB_FXT_ARG_INT32, 1, 0, 4);
  fxt_word(&b, sizeof(bytes));
  fxt_stream(&b, bytes, sizeof(bytes));
  b.words[at] |= (uint64_t)(b.count - at) << 4;
  at = b.count;
  fxt_word(&b, TB_FXT_LARGE | UINT64_C(5) << 4 | UINT64_C(1) << 40);
  fxt_word(&b, fxt_inline("bare") << 16);
  fxt_text(&b, "bare"), fxt_word(&b, 2), fxt_text(&b, "hi");
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_BLOB);
  assert_slice(event->categories, "cat");
  assert_slice(event->name, "name");
  assert_true(event->has & TB_HAS_TS);
  assert_int_equal(event->ts, 55);
  assert_int_equal(event->track->tid, 8);
  assert_int_equal(event->args[0].i, 4);
  assert_int_equal(event->blob.len, sizeof(bytes));
  assert_memory_equal(event->blob.ptr, bytes, sizeof(bytes));
  event = fxt_next(reader);
  assert_slice(event->name, "bare");
  assert_slice(event->blob, "hi");
  assert_false(event->has & TB_HAS_TS);
  fxt_expect_end(reader);
  fxt_expect_no_loss(reader);
  tb_reader_close(reader);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static void a_counter_that_is_named_by_its_name_alone_gets_it_back(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_COUNTER, 1, 0, 0, fxt_inline("queue"), 5), fxt_word(&b, 7), fxt_word(&b, 0);
  fxt_text(&b, "queue");
  fxt_arg(&b, TB_FXT_ARG_INT32, 4, fxt_inline(TB_FXT_OWN_SERIES), 3), fxt_text(&b, TB_FXT_OWN_SERIES);
  fxt_word(&b, 0);
  fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next_of(reader, TB_EVENT_COUNTER);
  assert_slice(event->track->name, "queue");
  assert_int_equal(tb_track_get_details(event->track)->description.len, 0);
  assert_int_equal(event->track->pid, 7);
  assert_int_equal(event->args[0].i, 3);
  fxt_expect_end(reader);
  fxt_expect_no_loss(reader);
  tb_reader_close(reader);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static void expect_ns(uint64_t ticks, uint64_t ticks_per_second, int64_t ns) {
  b.count = 0;
  fxt_magic(&b);
  fxt_init(&b, ticks_per_second);
  fxt_event(&b, TB_FXT_INSTANT, 0, 0, 0, 0, ticks), fxt_word(&b, 1), fxt_word(&b, 1), fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  assert_true(fxt_next(reader)->ts == ns);
  tb_reader_close(reader);
}

static void ticks_become_ns_exactly(void **state) {
  (void)state;
  expect_ns(5420471585973, 2595546438, 2088373957258); /* a product of halves would be 58 ns off */
  expect_ns(UINT64_MAX, UINT64_MAX, 1000000000);
  expect_ns(UINT64_MAX - 1, UINT64_MAX, 999999999);
  expect_ns(UINT64_MAX, 2000000000, INT64_C(9223372036854775807));
  expect_ns(1, 3, 333333333);
  expect_ns(UINT64_C(1) << 63, UINT64_C(1) << 40, INT64_C(8388608000000000));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(a_context_switch_changes_two_threads, start),
      cmocka_unit_test_setup(context_switches_around_damage_are_all_there, start),
      cmocka_unit_test_setup(idle_threads_have_no_states, start),
      cmocka_unit_test_setup(a_wakeup_makes_a_thread_of_a_known_process_runnable, start),
      cmocka_unit_test_setup(a_legacy_switch_takes_threads_and_priorities_from_its_header, start),
      cmocka_unit_test_setup(a_log_record_keeps_its_message_and_thread, start),
      cmocka_unit_test_setup(text_that_is_no_utf8_becomes_what_says_the_most, start),
      cmocka_unit_test_setup(a_buffer_that_filled_up_is_a_loss_of_its_provider, start),
      cmocka_unit_test_setup(blobs_keep_their_name_type_and_bytes, start),
      cmocka_unit_test_setup(packets_that_blobs_cut_are_put_together, start),
      cmocka_unit_test_setup(a_packet_that_no_blob_ends_is_a_loss, start),
      cmocka_unit_test_setup(bytes_that_are_no_packets_are_a_loss, start),
      cmocka_unit_test_setup(large_blobs_may_be_longer_than_any_record_and_carry_arguments, start),
      cmocka_unit_test_setup(a_counter_that_is_named_by_its_name_alone_gets_it_back, start),
      cmocka_unit_test_setup(ticks_become_ns_exactly, start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
