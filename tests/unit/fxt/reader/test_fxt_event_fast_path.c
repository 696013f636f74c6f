/* SPDX-License-Identifier: Apache-2.0
 *
 * Records that are read the short way, and those that look like them and are not.
 */
#include "support/fxt_builder.h"

static struct fxt_builder b;

static int start(void **state) {
  (void)state;
  b.count = 0;
  fxt_magic(&b);
  fxt_thread(&b, 1, 7, 8);
  fxt_string(&b, 1, "category");
  fxt_string(&b, 2, "name");
  fxt_string(&b, 0x7fff, "last");
  return 0;
}

/* One whole record, without arguments; a COMPLETE ends at `end`. Returns its offset. */
static uint64_t put(unsigned type, unsigned thread, uint64_t category, uint64_t name, uint64_t ts, uint64_t end) {
  fxt_event(&b, type, 0, thread, category, name, ts);
  if (type == TB_FXT_DURATION_COMPLETE) fxt_word(&b, end);
  return fxt_end(&b);
}

/* So many that the record before them is far from the end of what is read at a time. */
static void put_more(void) {
  for (uint64_t i = 0; i < 4; i++) put(TB_FXT_INSTANT, 1, 1, 2, 1000 + i, 0);
}

static void expect(const struct tb_event *event, enum tb_event_type type, char phase, int64_t ts, uint32_t has) {
  assert_int_equal(event->type, type);
  assert_int_equal(event->phase, phase);
  assert_int_equal(event->ts, ts);
  assert_int_equal(event->has, has);
  assert_int_equal(event->track->tid, 8);
}

static void every_type_gives_what_it_says(void **state) {
  (void)state;
  put(TB_FXT_DURATION_BEGIN, 1, 1, 2, 1, 0);
  put(TB_FXT_INSTANT, 1, 0, 0x7fff, 2, 0);
  put(TB_FXT_DURATION_END, 1, 1, 2, 3, 0);
  put(TB_FXT_DURATION_COMPLETE, 1, 1, 0, 4, 9);
  put_more();
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  expect(event, TB_EVENT_SLICE_BEGIN, 'B', 1, TB_HAS_TS | TB_HAS_NAME | TB_HAS_CATEGORIES);
  assert_slice(event->name, "name");
  assert_slice(event->categories, "category");
  event = fxt_next(reader);
  expect(event, TB_EVENT_INSTANT, 'i', 2, TB_HAS_TS | TB_HAS_NAME);
  assert_slice(event->name, "last");
  assert_int_equal(event->categories.len, 0);
  assert_int_equal(event->instant_scope, 't');
  event = fxt_next(reader);
  expect(event, TB_EVENT_SLICE_END, 'E', 3, TB_HAS_TS);
  assert_int_equal(event->name.len, 0);
  assert_int_equal(event->categories.len, 0);
  event = fxt_next(reader);
  expect(event, TB_EVENT_SLICE_COMPLETE, 'X', 4, TB_HAS_TS | TB_HAS_DUR | TB_HAS_NAME | TB_HAS_CATEGORIES);
  assert_int_equal(event->dur, 5);
  assert_int_equal(event->name.len, 0);
  tb_reader_close(reader);
}

static void ticks_of_any_rate_and_provider_become_ns(void **state) {
  (void)state;
  fxt_init(&b, 3);
  put(TB_FXT_DURATION_COMPLETE, 1, 1, 2, 1, 5);
  fxt_provider(&b, 5, "other");
  fxt_thread(&b, 1, 7, 9);
  fxt_string(&b, 2, "of the other");
  put(TB_FXT_INSTANT, 1, 0, 2, 1, 0);
  fxt_section(&b, 0);
  put(TB_FXT_INSTANT, 1, 0, 2, 2, 0);
  fxt_init(&b, 1000);
  put(TB_FXT_INSTANT, 1, 0, 2, 3, 0);
  put_more();
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->ts, 333333333);
  assert_int_equal(event->dur, 1666666666 - 333333333);
  assert_int_equal(event->sequence, 0);
  event = fxt_next_of(reader, TB_EVENT_INSTANT);
  assert_int_equal(event->ts, 1);
  assert_int_equal(event->track->tid, 9);
  assert_int_equal(event->sequence, 5);
  assert_slice(event->name, "of the other");
  event = fxt_next(reader);
  assert_int_equal(event->ts, 666666666);
  assert_int_equal(event->track->tid, 8);
  assert_slice(event->name, "name");
  assert_int_equal(fxt_next(reader)->ts, 3000000);
  tb_reader_close(reader);
}

/* What is no good is lost by itself, with its offset, and what follows is read. */
static void expect_lost(uint64_t offset, const char *reason, bool gives_event) {
  put_more();
  struct tb_reader *reader = fxt_read(&b);
  if (gives_event) assert_int_equal(fxt_next(reader)->ts, 1);
  for (int64_t i = 0; i < 4; i++) assert_int_equal(fxt_next(reader)->ts, 1000 + i);
  fxt_expect_end(reader);
  size_t count;
  const struct tb_loss *losses = tb_reader_losses(reader, &count);
  assert_int_equal(count, 1);
  assert_string_equal(losses[0].reason, reason);
  assert_int_equal(losses[0].first_offset, offset);
  tb_reader_close(reader);
}

static void a_reference_to_a_string_never_set_is_lost(void **state) {
  (void)state;
  expect_lost(put(TB_FXT_INSTANT, 1, 1, 3, 1, 0), "a string reference to an entry that was never set", false);
}

static void a_reference_to_a_string_of_a_page_never_written_is_lost(void **state) {
  (void)state;
  expect_lost(put(TB_FXT_INSTANT, 1, 0x1000, 2, 1, 0), "a string reference to an entry that was never set", false);
}

static void a_reference_to_a_thread_never_set_leaves_the_event(void **state) {
  (void)state;
  expect_lost(put(TB_FXT_INSTANT, 2, 1, 2, 1, 0), "a thread reference to an entry that was never set", true);
}

static void a_duration_that_ends_before_it_begins_is_lost(void **state) {
  (void)state;
  expect_lost(put(TB_FXT_DURATION_COMPLETE, 1, 1, 2, 1, 0), "a duration that ends before it begins", false);
}

static void a_time_past_63_bits_is_lost(void **state) {
  (void)state;
  expect_lost(put(TB_FXT_DURATION_COMPLETE, 1, 1, 2, 1, UINT64_C(1) << 63), "a time past the range of 63 bits of ns",
              false);
}

static void a_duration_without_its_end_is_lost(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_DURATION_COMPLETE, 0, 1, 1, 2, 1);
  expect_lost(fxt_end(&b), "a record too short for its time", false);
}

static void words_behind_a_record_are_passed_over(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_INSTANT, 0, 1, 1, 2, 1), fxt_word(&b, 5), fxt_word(&b, 6);
  fxt_end(&b);
  put_more();
  struct tb_reader *reader = fxt_read(&b);
  assert_int_equal(fxt_next(reader)->ts, 1);
  assert_int_equal(fxt_next(reader)->ts, 1000);
  fxt_expect_no_loss(reader);
  tb_reader_close(reader);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(every_type_gives_what_it_says, start),
      cmocka_unit_test_setup(ticks_of_any_rate_and_provider_become_ns, start),
      cmocka_unit_test_setup(a_reference_to_a_string_never_set_is_lost, start),
      cmocka_unit_test_setup(a_reference_to_a_string_of_a_page_never_written_is_lost, start),
      cmocka_unit_test_setup(a_reference_to_a_thread_never_set_leaves_the_event, start),
      cmocka_unit_test_setup(a_duration_that_ends_before_it_begins_is_lost, start),
      cmocka_unit_test_setup(a_time_past_63_bits_is_lost, start),
      cmocka_unit_test_setup(a_duration_without_its_end_is_lost, start),
      cmocka_unit_test_setup(words_behind_a_record_are_passed_over, start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
