/* SPDX-License-Identifier: Apache-2.0
 *
 * What is read as FXT where that was asked for: traces without the magic number, and nothing else that looks like a
 * record.
 */
#include "support/fxt_builder.h"

static struct fxt_builder b;

static int start(void **state) {
  (void)state;
  b.count = 0;
  return 0;
}

static void put_event(void) {
  fxt_event(&b, TB_FXT_INSTANT, 0, 0, 0, fxt_inline("event"), 42);
  fxt_word(&b, 7), fxt_word(&b, 8), fxt_text(&b, "event"), fxt_end(&b);
}

static void expect_refused(const void *bytes, size_t len) {
  struct tb_reader *reader = fxt_open(bytes, len, false);
  const struct tb_event *event;
  assert_int_equal(tb_reader_next(reader, &event), TB_UNKNOWN_FORMAT);
  assert_non_null(strstr(tb_reader_error(reader)->message, "does not begin as FXT"));
  tb_reader_close(reader);
}

static void expect_event(struct tb_reader *reader) {
  assert_slice(fxt_next_of(reader, TB_EVENT_INSTANT)->name, "event");
  fxt_expect_end(reader);
  tb_reader_close(reader);
}

static void records_need_no_magic_number(void **state) {
  (void)state;
  fxt_init(&b, 1000), fxt_string(&b, 1, "text"), fxt_thread(&b, 1, 7, 8);
  put_event();
  expect_event(fxt_read(&b));
}

static void what_comes_before_a_magic_number_may_be_damaged(void **state) {
  (void)state;
  fxt_begin(&b, 11, 0), fxt_word(&b, 0), fxt_end(&b);
  fxt_magic(&b);
  put_event();
  expect_event(fxt_read(&b));
}

static void a_damaged_magic_number_hides_no_records(void **state) {
  (void)state;
  fxt_word(&b, TB_FXT_MAGIC ^ 1 << 20);
  fxt_init(&b, 1000);
  put_event();
  expect_event(fxt_read(&b));
}

static void a_record_that_the_input_ends_in_is_none(void **state) {
  (void)state;
  put_event();
  expect_refused(b.words, (b.count - 1) * 8);
}

static void text_that_could_be_a_record_is_none(void **state) {
  (void)state;
  char text[1400];
  memset(text, 'a', sizeof(text));
  memcpy(text, "1\n", 2); /* the header of 163 words that say ticks per second */
  expect_refused(text, sizeof(text));
}

static void zeros_and_a_few_bytes_are_no_trace(void **state) {
  (void)state;
  const char zeros[64] = "";
  expect_refused(zeros, sizeof(zeros));
  expect_refused("1\n", 2);
}

static void more_good_records_than_bad_ones_are_wanted(void **state) {
  (void)state;
  fxt_word(&b, 0x10), fxt_word(&b, 0x10); /* metadata of no kind */
  put_event();
  expect_refused(b.words, b.count * 8);
}

static void pieces_are_waited_for(void **state) {
  (void)state;
  put_event();
  put_event();
  struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE, .format = TB_FORMAT_FXT};
  struct tb_reader *reader;
  const struct tb_event *event;
  assert_int_equal(tb_reader_create_feed("pieces", &options, &reader, NULL), TB_OK);
  const char *bytes = (const char *)b.words;
  for (size_t i = 0; i < b.count * 8; i++) {
    assert_int_equal(tb_reader_feed(reader, bytes + i, 1), TB_OK);
    assert_int_equal(tb_reader_next(reader, &event), TB_AGAIN);
  }
  tb_reader_feed_end(reader);
  assert_slice(fxt_next(reader)->name, "event");
  expect_event(reader);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(records_need_no_magic_number, start),
      cmocka_unit_test_setup(what_comes_before_a_magic_number_may_be_damaged, start),
      cmocka_unit_test_setup(a_damaged_magic_number_hides_no_records, start),
      cmocka_unit_test_setup(a_record_that_the_input_ends_in_is_none, start),
      cmocka_unit_test_setup(text_that_could_be_a_record_is_none, start),
      cmocka_unit_test_setup(zeros_and_a_few_bytes_are_no_trace, start),
      cmocka_unit_test_setup(more_good_records_than_bad_ones_are_wanted, start),
      cmocka_unit_test_setup(pieces_are_waited_for, start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
