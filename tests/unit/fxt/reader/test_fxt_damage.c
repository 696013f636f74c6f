/* SPDX-License-Identifier: Apache-2.0
 *
 * Malformed FXT records, inputs that are cut, inputs that come in pieces.
 */
#include "support/fxt_builder.h"

static struct fxt_builder b;

static int start(void **state) {
  (void)state;
  b.count = 0;
  fxt_magic(&b);
  fxt_thread(&b, 1, 7, 8);
  return 0;
}

/* Reads what was built, followed by one good event: the malformed record is one loss of that reason at that offset,
 * and costs nothing behind it. A strict reader stops there. */
static void expect_malformed(const char *reason, uint64_t offset) {
  fxt_event(&b, TB_FXT_INSTANT, 0, 1, 0, fxt_inline("good"), 42);
  fxt_text(&b, "good");
  fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  while (!(event->has & TB_HAS_NAME) || event->name.len != 4 || memcmp(event->name.ptr, "good", 4) != 0)
    event = fxt_next(reader);
  fxt_expect_end(reader);
  fxt_expect_one_loss(reader, reason, offset);
  tb_reader_close(reader);
  reader = fxt_open(b.words, b.count * 8, true);
  enum tb_status status;
  do status = tb_reader_next(reader, &event);
  while (status == TB_OK);
  assert_int_equal(status, TB_BAD_DATA);
  assert_int_equal(tb_reader_error(reader)->offset, offset);
  tb_reader_close(reader);
}

static void a_string_reference_to_nothing_is_caught(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_INSTANT, 0, 1, 9, 0, 1);
  expect_malformed("a string reference to an entry that was never set", fxt_end(&b));
}

static void an_argument_name_that_refers_to_nothing_is_caught_at_the_argument(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_INSTANT, 1, 1, 0, 0, 1);
  fxt_arg(&b, TB_FXT_ARG_NULL, 1, 5, 0);
  uint64_t offset = fxt_end(&b);
  expect_malformed("a string reference to an entry that was never set", offset + 16);
}

static void an_inline_string_longer_than_its_record_is_caught(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_INSTANT, 0, 1, 0, 0x8000 | 17, 1);
  fxt_text(&b, "only sixteen byt");
  uint64_t offset = fxt_end(&b);
  expect_malformed("an inline string runs past its record", offset + 16);
}

static void a_thread_reference_to_nothing_is_counted_and_the_event_kept(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_INSTANT, 0, 200, 0, 0, 1);
  uint64_t offset = fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->track->pid, 0);
  assert_int_equal(event->track->tid, 0);
  tb_reader_close(reader);
  expect_malformed("a thread reference to an entry that was never set", offset);
}

static void a_record_too_short_for_its_inline_thread_is_caught(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_INSTANT, 0, 0, 0, 0, 1);
  fxt_word(&b, 7);
  expect_malformed("a record too short for its inline thread", fxt_end(&b));
}

static void an_argument_count_that_is_too_large_is_caught_where_arguments_end(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_INSTANT, 2, 1, 0, 0, 1);
  fxt_arg(&b, TB_FXT_ARG_INT32, 1, 0, 1);
  uint64_t offset = fxt_end(&b);
  expect_malformed("fewer arguments than the record says", offset + 24);
}

static void an_argument_of_size_0_is_caught(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_INSTANT, 1, 1, 0, 0, 1);
  fxt_arg(&b, TB_FXT_ARG_INT32, 0, 0, 1);
  uint64_t offset = fxt_end(&b);
  expect_malformed("an argument of size 0", offset + 16);
}

static void an_argument_longer_than_its_record_is_caught(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_INSTANT, 1, 1, 0, 0, 1);
  fxt_arg(&b, TB_FXT_ARG_INT64, 3, 0, 1);
  fxt_word(&b, 1);
  uint64_t offset = fxt_end(&b);
  expect_malformed("an argument runs past its record", offset + 16);
}

static void an_argument_too_short_for_its_value_is_caught(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_INSTANT, 1, 1, 0, 0, 1);
  fxt_arg(&b, TB_FXT_ARG_INT64, 1, 0, 0);
  fxt_word(&b, 1);
  uint64_t offset = fxt_end(&b);
  expect_malformed("an argument too short for its value", offset + 24);
}

static void an_argument_too_short_for_its_blob_is_caught(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_INSTANT, 1, 1, 0, 0, 1);
  fxt_arg(&b, TB_FXT_ARG_BLOB, 2, 0, 0xffffffff);
  fxt_word(&b, 1);
  uint64_t offset = fxt_end(&b);
  expect_malformed("an argument too short for its blob", offset + 24);
}

static void an_argument_of_unknown_type_is_passed_over(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_INSTANT, 2, 1, 0, 0, 1);
  fxt_arg(&b, 13, 3, 0, 0), fxt_word(&b, 1), fxt_word(&b, 2);
  fxt_arg(&b, TB_FXT_ARG_INT32, 1, 0, 6);
  uint64_t offset = fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->arg_count, 1);
  assert_int_equal(event->args[0].i, 6);
  tb_reader_close(reader);
  expect_malformed("an argument of unknown type", offset + 16);
}

static void a_record_too_short_for_its_last_word_is_caught(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_ASYNC_BEGIN, 0, 1, 0, 0, 1);
  expect_malformed("a record too short for its id", fxt_end(&b));
}

static void a_record_without_its_time_is_caught(void **state) {
  (void)state;
  fxt_begin(&b, TB_FXT_EVENT, 1 << 24);
  expect_malformed("a record too short for its time", fxt_end(&b));
}

static void a_time_past_63_bits_is_caught(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_INSTANT, 0, 1, 0, 0, UINT64_C(1) << 63);
  expect_malformed("a time past the range of 63 bits of ns", fxt_end(&b));
}

static void a_duration_that_ends_first_is_caught(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_DURATION_COMPLETE, 0, 1, 0, 0, 10);
  fxt_word(&b, 9);
  expect_malformed("a duration that ends before it begins", fxt_end(&b));
}

static void unknown_records_and_events_are_passed_over_by_size(void **state) {
  (void)state;
  fxt_begin(&b, 12, 0), fxt_word(&b, 1);
  expect_malformed("a record of unknown type", fxt_end(&b));
  (void)start(state);
  fxt_event(&b, 11, 0, 1, 0, 0, 1);
  expect_malformed("an event of unknown type", fxt_end(&b));
  (void)start(state);
  fxt_begin(&b, TB_FXT_SCHEDULING, UINT64_C(3) << 60);
  expect_malformed("a scheduling record of unknown kind", fxt_end(&b));
  (void)start(state);
  fxt_begin(&b, TB_FXT_METADATA, 9 << 16);
  expect_malformed("a metadata record of unknown kind", fxt_end(&b));
}

static void strings_and_names_longer_than_their_records_are_caught(void **state) {
  (void)state;
  fxt_begin(&b, TB_FXT_STRING, 1 << 16 | UINT64_C(9) << 32), fxt_word(&b, 0);
  expect_malformed("a string runs past its record", fxt_end(&b));
  (void)start(state);
  fxt_begin(&b, TB_FXT_METADATA, 1 << 16 | UINT64_C(9) << 52), fxt_word(&b, 0);
  expect_malformed("a provider's name runs past its record", fxt_end(&b));
  (void)start(state);
  fxt_begin(&b, TB_FXT_LOG, 9 << 16 | UINT64_C(1) << 32), fxt_word(&b, 1), fxt_word(&b, 0);
  expect_malformed("a log message runs past its record", fxt_end(&b));
  (void)start(state);
  fxt_begin(&b, TB_FXT_BLOB, UINT64_C(9) << 32 | UINT64_C(1) << 48), fxt_word(&b, 1);
  expect_malformed("a blob runs past its record", fxt_end(&b));
  (void)start(state);
  fxt_begin(&b, TB_FXT_THREAD, 2 << 16), fxt_word(&b, 1);
  expect_malformed("a thread record without its koids", fxt_end(&b));
}

static void initialisations_that_say_nothing_are_caught(void **state) {
  (void)state;
  fxt_begin(&b, TB_FXT_INITIALIZATION, 0);
  expect_malformed("an initialisation without ticks", fxt_end(&b));
  (void)start(state);
  fxt_begin(&b, TB_FXT_INITIALIZATION, 0), fxt_word(&b, 0);
  expect_malformed("an initialisation of 0 ticks per second", fxt_end(&b));
}

static void a_large_blob_longer_than_its_record_is_caught(void **state) {
  (void)state;
  fxt_word(&b, TB_FXT_LARGE | 4 << 4 | UINT64_C(1) << 40);
  uint64_t offset = (b.count - 1) * 8;
  fxt_word(&b, 0);
  fxt_word(&b, UINT64_MAX); /* a size that overflows when padded */
  fxt_word(&b, 0);
  expect_malformed("a large blob runs past its record", offset);
}

static void big_endian_is_refused_in_a_sentence(void **state) {
  (void)state;
  static const unsigned char bytes[] = {0x00, 0x16, 0x54, 0x78, 0x46, 0x04, 0x00, 0x10};
  struct tb_reader *reader = fxt_open(bytes, sizeof(bytes), false);
  const struct tb_event *event;
  assert_int_equal(tb_reader_next(reader, &event), TB_UNSUPPORTED);
  assert_string_equal(tb_reader_error(reader)->message,
                      "is an FXT trace of a big-endian machine, which cannot be read");
  tb_reader_close(reader);
}

/* ---- cuts and pieces ----------------------------------------------------------------------------------------------
 */

static void build_some_of_all(void) {
  fxt_provider(&b, 1, "p");
  fxt_thread(&b, 1, 7, 8);
  fxt_string(&b, 1, "name");
  for (unsigned i = 0; i < 3; i++) {
    fxt_event(&b, TB_FXT_DURATION_COMPLETE, 1, 1, 0, 1, 10 + i);
    fxt_arg(&b, TB_FXT_ARG_STRING, 3, fxt_inline("arg"), fxt_inline("value")), fxt_text(&b, "arg"),
        fxt_text(&b, "value");
    fxt_word(&b, 20 + i);
    fxt_end(&b);
  }
  fxt_begin(&b, TB_FXT_LOG, 5 << 16 | UINT64_C(1) << 32), fxt_word(&b, 50), fxt_text(&b, "hello"), fxt_end(&b);
}

/* Reads the first event and those from `from` on, and sees that `words` from `offset` on were passed over. */
static void expect_found_again(int64_t from, int64_t to, uint64_t offset, uint64_t words) {
  struct tb_reader *reader = fxt_read(&b);
  assert_int_equal(fxt_next(reader)->ts, 5);
  for (int64_t ts = from; ts <= to; ts++) assert_int_equal(fxt_next(reader)->ts, ts);
  fxt_expect_end(reader);
  size_t count;
  const struct tb_loss *loss = tb_reader_losses(reader, &count);
  assert_int_equal(count, 2);
  assert_string_equal(loss[0].reason, "a record of size 0");
  assert_int_equal(loss[0].count, 1);
  assert_int_equal(loss[0].first_offset, offset);
  assert_string_equal(loss[1].reason, "words of 8 bytes passed over, up to where records go on");
  assert_int_equal(loss[1].count, words);
  assert_int_equal(loss[1].first_offset, offset);
  tb_reader_close(reader);
}

static void add_instants(int64_t from, int64_t to) {
  for (int64_t ts = from; ts <= to; ts++) fxt_event(&b, TB_FXT_INSTANT, 0, 1, 0, 0, (uint64_t)ts), fxt_end(&b);
}

static void behind_a_size_of_0_records_are_found_again(void **state) {
  for (int64_t last = 6; last <= 9; last++) { /* fewer than make a chain, too, where the input ends with them */
    (void)start(state);
    add_instants(5, 5);
    uint64_t offset = b.count * 8;
    fxt_word(&b, TB_FXT_EVENT);
    add_instants(6, last);
    expect_found_again(6, last, offset, 1);
  }
}

/* What is left of a record whose header was overwritten is no record, whatever is in it. */
static void what_is_left_of_a_record_is_passed_over(void **state) {
  (void)state;
  add_instants(5, 5);
  uint64_t offset = b.count * 8, first = b.count;
  fxt_event(&b, TB_FXT_DURATION_COMPLETE, 2, 0, fxt_inline("sixteen letters!"), fxt_inline("name"), 6);
  fxt_word(&b, 1), fxt_word(&b, 2); /* the thread's koids */
  fxt_text(&b, "sixteen letters!"), fxt_text(&b, "name");
  fxt_arg(&b, TB_FXT_ARG_INT64, 2, 0, 0), fxt_word(&b, TB_FXT_THREAD | 3 << 4 | 1 << 16); /* as a record's header */
  fxt_arg(&b, TB_FXT_ARG_STRING, 3, fxt_inline("arg"), fxt_inline("value")), fxt_text(&b, "arg"), fxt_text(&b, "value");
  fxt_word(&b, 8);
  fxt_end(&b);
  uint64_t words = b.count - first;
  b.words[first] &= ~UINT64_C(0xfff0);
  add_instants(7, 20);
  expect_found_again(7, 20, offset, words);
}

/* Zeros, as a file system leaves where blocks were not written, longer than what is read at a time. */
static void a_hole_of_zeros_is_passed_over(void **state) {
  (void)state;
  enum { WORDS = 20000 };
  add_instants(5, 5);
  uint64_t offset = b.count * 8;
  for (int i = 0; i < WORDS; i++) fxt_word(&b, 0);
  add_instants(6, 9);
  expect_found_again(6, 9, offset, WORDS);
}

static void zeros_at_the_end_are_counted(void **state) {
  (void)state;
  add_instants(5, 5);
  uint64_t offset = b.count * 8;
  for (int i = 0; i < 10; i++) fxt_word(&b, 0);
  expect_found_again(6, 5, offset, 10);
}

/* Wherever in a trace with records of all kinds a header is lost, all that is behind its record is read. */
static void any_record_cut_into_is_passed_over(void **state) {
  (void)state;
  build_some_of_all();
  static struct fxt_builder whole;
  whole = b;
  for (size_t at = 1, next; at < whole.count; at = next) {
    next = at + (size_t)tb_fxt_field(whole.words[at], 4, 15);
    b = whole;
    b.words[at] &= ~UINT64_C(0xfff0);
    struct tb_reader *reader = fxt_open(b.words, b.count * 8, false);
    const struct tb_event *event;
    enum tb_status status;
    while ((status = tb_reader_next(reader, &event)) == TB_OK) continue;
    size_t count;
    const struct tb_loss *loss = tb_reader_losses(reader, &count);
    assert_true(count >= 2);
    assert_int_equal(loss[0].first_offset, at * 8);
    assert_int_equal(loss[1].count, next - at);
    tb_reader_close(reader);
  }
}

static void a_trace_cut_at_every_byte_keeps_every_whole_record(void **state) {
  (void)state;
  build_some_of_all();
  for (size_t len = 8; len <= b.count * 8; len++) {
    size_t whole = 0, events = 0;
    for (size_t at = 0; at * 8 + 8 <= len; at += (size_t)tb_fxt_field(b.words[at], 4, 15)) {
      if ((at + (size_t)tb_fxt_field(b.words[at], 4, 15)) * 8 > len) break;
      unsigned type = b.words[at] & 15;
      events += type == TB_FXT_EVENT || type == TB_FXT_LOG || (type == TB_FXT_METADATA && at > 0);
      events += type == TB_FXT_THREAD && events; /* a provider with a name names a process */
      whole = (at + (size_t)tb_fxt_field(b.words[at], 4, 15)) * 8;
    }
    struct tb_reader *reader = fxt_open(b.words, len, false);
    for (size_t i = 0; i < events; i++) (void)fxt_next(reader);
    if (whole == 8 && len > 8)
      fxt_expect_nothing_read(reader);
    else
      fxt_expect_end(reader);
    size_t count;
    const struct tb_loss *loss = tb_reader_losses(reader, &count);
    assert_int_equal(count, whole != len);
    if (loss) {
      assert_string_equal(loss->reason, "the input ends inside a record");
      assert_int_equal(loss->first_offset, whole);
    }
    tb_reader_close(reader);
  }
}

static void a_trace_fed_byte_by_byte_reads_the_same(void **state) {
  (void)state;
  build_some_of_all();
  struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE};
  struct tb_reader *reader;
  assert_int_equal(tb_reader_create_feed("pieces", &options, &reader, NULL), TB_OK);
  const struct tb_event *event;
  size_t events = 0;
  for (size_t i = 0; i < b.count * 8; i++) {
    assert_int_equal(tb_reader_next(reader, &event), TB_AGAIN);
    assert_int_equal(tb_reader_feed(reader, (const char *)b.words + i, 1), TB_OK);
    enum tb_status status;
    while ((status = tb_reader_next(reader, &event)) == TB_OK) {
      events++;
      if (event->type == TB_EVENT_SLICE_COMPLETE) assert_slice(event->args[0].text, "value");
    }
    assert_int_equal(status, TB_AGAIN);
  }
  tb_reader_feed_end(reader);
  fxt_expect_end(reader);
  assert_int_equal(events, 6);
  fxt_expect_no_loss(reader);
  tb_reader_close(reader);
}

static void a_record_longer_than_allowed_is_passed_over(void **state) {
  (void)state;
  uint64_t offset = b.count * 8;
  fxt_word(&b, TB_FXT_LARGE | UINT64_C(1000) << 4 | UINT64_C(1) << 40);
  for (int i = 0; i < 999; i++) fxt_word(&b, 0);
  fxt_event(&b, TB_FXT_INSTANT, 0, 1, 0, 0, 5), fxt_end(&b);
  struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE, .max_record_bytes = 4096};
  struct tb_reader *reader;
  assert_int_equal(tb_reader_create_feed("long", &options, &reader, NULL), TB_OK);
  for (size_t i = 0; i < b.count; i++) assert_int_equal(tb_reader_feed(reader, &b.words[i], 8), TB_OK);
  tb_reader_feed_end(reader);
  assert_int_equal(fxt_next(reader)->ts, 5);
  fxt_expect_end(reader);
  size_t count;
  const struct tb_loss *loss = tb_reader_losses(reader, &count);
  assert_int_equal(count, 1);
  assert_string_equal(loss->reason, "a record longer than allowed");
  assert_int_equal(loss->first_offset, offset);
  tb_reader_close(reader);
}

static void tables_past_their_limit_fail_the_reader(void **state) {
  (void)state;
  for (unsigned i = 1; i < 2000; i++) fxt_provider(&b, i, ""), fxt_string(&b, 1, "x");
  struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE, .max_interned_bytes = 1 << 20};
  struct tb_reader *reader;
  assert_int_equal(tb_reader_create_feed("hungry", &options, &reader, NULL), TB_OK);
  assert_int_equal(tb_reader_feed(reader, b.words, b.count * 8), TB_OK);
  tb_reader_feed_end(reader);
  const struct tb_event *event;
  enum tb_status status;
  do status = tb_reader_next(reader, &event);
  while (status == TB_OK);
  assert_int_equal(status, TB_LIMIT);
  tb_reader_close(reader);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(a_string_reference_to_nothing_is_caught, start),
      cmocka_unit_test_setup(an_argument_name_that_refers_to_nothing_is_caught_at_the_argument, start),
      cmocka_unit_test_setup(an_inline_string_longer_than_its_record_is_caught, start),
      cmocka_unit_test_setup(a_thread_reference_to_nothing_is_counted_and_the_event_kept, start),
      cmocka_unit_test_setup(a_record_too_short_for_its_inline_thread_is_caught, start),
      cmocka_unit_test_setup(an_argument_count_that_is_too_large_is_caught_where_arguments_end, start),
      cmocka_unit_test_setup(an_argument_of_size_0_is_caught, start),
      cmocka_unit_test_setup(an_argument_longer_than_its_record_is_caught, start),
      cmocka_unit_test_setup(an_argument_too_short_for_its_value_is_caught, start),
      cmocka_unit_test_setup(an_argument_too_short_for_its_blob_is_caught, start),
      cmocka_unit_test_setup(an_argument_of_unknown_type_is_passed_over, start),
      cmocka_unit_test_setup(a_record_too_short_for_its_last_word_is_caught, start),
      cmocka_unit_test_setup(a_record_without_its_time_is_caught, start),
      cmocka_unit_test_setup(a_time_past_63_bits_is_caught, start),
      cmocka_unit_test_setup(a_duration_that_ends_first_is_caught, start),
      cmocka_unit_test_setup(unknown_records_and_events_are_passed_over_by_size, start),
      cmocka_unit_test_setup(strings_and_names_longer_than_their_records_are_caught, start),
      cmocka_unit_test_setup(initialisations_that_say_nothing_are_caught, start),
      cmocka_unit_test_setup(a_large_blob_longer_than_its_record_is_caught, start),
      cmocka_unit_test_setup(behind_a_size_of_0_records_are_found_again, start),
      cmocka_unit_test_setup(what_is_left_of_a_record_is_passed_over, start),
      cmocka_unit_test_setup(a_hole_of_zeros_is_passed_over, start),
      cmocka_unit_test_setup(zeros_at_the_end_are_counted, start),
      cmocka_unit_test_setup(any_record_cut_into_is_passed_over, start),
      cmocka_unit_test_setup(big_endian_is_refused_in_a_sentence, start),
      cmocka_unit_test_setup(a_trace_cut_at_every_byte_keeps_every_whole_record, start),
      cmocka_unit_test_setup(a_trace_fed_byte_by_byte_reads_the_same, start),
      cmocka_unit_test_setup(a_record_longer_than_allowed_is_passed_over, start),
      cmocka_unit_test_setup(tables_past_their_limit_fail_the_reader, start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
