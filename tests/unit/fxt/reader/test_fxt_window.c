/* SPDX-License-Identifier: Apache-2.0
 *
 * FXT records by the thousand, over the edges of batches and of what is read at a time; plain ones, which are read the
 * short way, among others.
 */
#include "support/fxt_builder.h"

enum { RECORDS = 4000 };

static struct fxt_builder b;

static int start(void **state) {
  (void)state;
  b.count = 0;
  fxt_magic(&b);
  fxt_thread(&b, 1, 7, 8);
  fxt_string(&b, 1, "category");
  fxt_string(&b, 2, "name");
  return 0;
}

static void put_plain(uint64_t ts) {
  fxt_event(&b, TB_FXT_DURATION_COMPLETE, 0, 1, 1, 2, ts);
  fxt_word(&b, ts + 1);
  fxt_end(&b);
}

static void expect_plain(const struct tb_event *event, int64_t ts) {
  assert_int_equal(event->type, TB_EVENT_SLICE_COMPLETE);
  assert_int_equal(event->has, TB_HAS_TS | TB_HAS_DUR | TB_HAS_NAME | TB_HAS_CATEGORIES);
  assert_int_equal(event->ts, ts);
  assert_int_equal(event->dur, 1);
  assert_slice(event->name, "name");
  assert_slice(event->categories, "category");
  assert_int_equal(event->track->tid, 8);
  assert_null(event->thread);
  assert_int_equal(event->arg_count, 0);
  assert_int_equal(event->extra_count, 0);
  assert_int_equal(event->id.kind, TB_ID_NONE);
  assert_int_equal(event->instant_scope, 0);
}

static void plain_records_come_in_order_over_all_edges(void **state) {
  (void)state;
  uint64_t first = b.count * 8;
  for (uint64_t i = 0; i < RECORDS; i++) put_plain(i);
  struct tb_reader *reader = fxt_read(&b);
  for (uint64_t i = 0; i < RECORDS; i++) {
    const struct tb_event *event = fxt_next(reader);
    expect_plain(event, (int64_t)i);
    assert_int_equal(event->offset, first + i * 24);
  }
  fxt_expect_end(reader);
  fxt_expect_no_loss(reader);
  tb_reader_close(reader);
}

/* An async event has fields that a plain one does not set. */
static void put_other(uint64_t ts) {
  fxt_event(&b, TB_FXT_ASYNC_BEGIN, 1, 1, 1, 2, ts);
  fxt_arg(&b, TB_FXT_ARG_KOID, 2, 0, 0), fxt_word(&b, 5);
  fxt_word(&b, 99);
  fxt_end(&b);
}

static bool is_plain(uint64_t i) { return i * 7 % 11 < 6; }

static void plain_records_keep_nothing_of_others_and_others_nothing_of_them(void **state) {
  (void)state;
  for (uint64_t i = 0; i < RECORDS; i++) {
    if (is_plain(i))
      put_plain(i);
    else
      put_other(i);
  }
  struct tb_reader *reader = fxt_read(&b);
  for (uint64_t i = 0; i < RECORDS; i++) {
    const struct tb_event *event = fxt_next(reader);
    if (is_plain(i)) {
      expect_plain(event, (int64_t)i);
      continue;
    }
    assert_int_equal(event->type, TB_EVENT_ASYNC_BEGIN);
    assert_int_equal(event->dur, 0);
    assert_int_equal(event->id.value, 99);
    assert_int_equal(event->args[0].u, 5);
    assert_int_equal(event->extra_count, 1);
  }
  fxt_expect_end(reader);
  tb_reader_close(reader);
}

static void an_end_has_no_name_whatever_its_record_says(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_INSTANT, 0, 1, 1, 2, 1), fxt_end(&b);
  fxt_event(&b, TB_FXT_DURATION_BEGIN, 0, 1, 0, 2, 2), fxt_end(&b);
  fxt_event(&b, TB_FXT_DURATION_END, 0, 1, 1, 2, 3), fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_INSTANT);
  assert_int_equal(event->instant_scope, 't');
  event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_SLICE_BEGIN);
  assert_int_equal(event->has, TB_HAS_TS | TB_HAS_NAME);
  event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_SLICE_END);
  assert_int_equal(event->has, TB_HAS_TS);
  assert_int_equal(event->name.len, 0);
  tb_reader_close(reader);
}

static void expect_loss(const char *reason, uint64_t offset) {
  put_plain(5);
  struct tb_reader *reader = fxt_read(&b);
  expect_plain(fxt_next_of(reader, TB_EVENT_SLICE_COMPLETE), 5);
  fxt_expect_one_loss(reader, reason, offset);
  tb_reader_close(reader);
}

static void malformed_plain_records_are_caught_at_their_byte(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_DURATION_COMPLETE, 0, 1, 1, 3, 1), fxt_word(&b, 2);
  expect_loss("a string reference to an entry that was never set", fxt_end(&b));
  (void)start(NULL);
  fxt_event(&b, TB_FXT_DURATION_COMPLETE, 0, 1, 1, 2, 2), fxt_word(&b, 1);
  expect_loss("a duration that ends before it begins", fxt_end(&b));
  (void)start(NULL);
  fxt_event(&b, TB_FXT_DURATION_COMPLETE, 0, 1, 1, 2, 2);
  expect_loss("a record too short for its time", fxt_end(&b));
}

static void records_of_the_most_words_are_read_wherever_they_are(void **state) {
  (void)state;
  static char bytes[TB_FXT_MAX_WORDS * 8];
  memset(bytes, 'x', sizeof(bytes));
  enum { PAYLOAD = (TB_FXT_MAX_WORDS - 1) * 8 };
  for (unsigned i = 0; i < 7; i++) {
    fxt_begin(&b, TB_FXT_BLOB, (uint64_t)2 << 16 | (uint64_t)(PAYLOAD & 0x7fff) << 32 | UINT64_C(1) << 48);
    fxt_stream(&b, bytes, PAYLOAD);
    fxt_end(&b);
    put_plain(i);
  }
  assert_int_equal(b.words[b.record - TB_FXT_MAX_WORDS] >> 4 & 0xfff, TB_FXT_MAX_WORDS);
  struct tb_reader *reader = fxt_read(&b);
  for (unsigned i = 0; i < 7; i++) {
    const struct tb_event *event = fxt_next(reader);
    assert_int_equal(event->type, TB_EVENT_BLOB);
    assert_int_equal(event->blob.len, PAYLOAD & 0x7fff);
    assert_int_equal(event->blob.ptr[event->blob.len - 1], 'x');
    expect_plain(fxt_next(reader), i);
  }
  fxt_expect_end(reader);
  fxt_expect_no_loss(reader);
  tb_reader_close(reader);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(plain_records_come_in_order_over_all_edges, start),
      cmocka_unit_test_setup(plain_records_keep_nothing_of_others_and_others_nothing_of_them, start),
      cmocka_unit_test_setup(an_end_has_no_name_whatever_its_record_says, start),
      cmocka_unit_test_setup(malformed_plain_records_are_caught_at_their_byte, start),
      cmocka_unit_test_setup(records_of_the_most_words_are_read_wherever_they_are, start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
