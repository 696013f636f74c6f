/* SPDX-License-Identifier: Apache-2.0
 *
 * Clauses of the format that no other test holds (docs/FXT.md says which test holds which), and the reasons for which
 * records of the rarer kinds are lost.
 */
#include "support/fxt_builder.h"

static struct fxt_builder b;

static int start(void **state) {
  (void)state;
  b.count = 0;
  fxt_magic(&b);
  fxt_thread(&b, 1, 7, 8);
  fxt_string(&b, 1, "name");
  return 0;
}

static uint64_t put_instant(uint64_t name, uint64_t ts) {
  fxt_event(&b, TB_FXT_INSTANT, 0, 1, 0, name, ts);
  return fxt_end(&b);
}

static void expect_instant(struct tb_reader *reader, const char *name, int64_t ts, int64_t tid) {
  const struct tb_event *event = fxt_next_of(reader, TB_EVENT_INSTANT);
  assert_slice(event->name, name);
  assert_int_equal(event->ts, ts);
  assert_int_equal(event->track->tid, tid);
}

static void expect_all_read(struct tb_reader *reader) {
  fxt_expect_end(reader);
  fxt_expect_no_loss(reader);
  tb_reader_close(reader);
}

/* ---- what is there ----------------------------------------------------------------------------------------------- */

static void records_need_no_magic_before_them(void **state) {
  (void)state;
  put_instant(1, 5);
  struct tb_reader *reader = fxt_open(b.words + 1, (b.count - 1) * 8, false);
  expect_instant(reader, "name", 5, 8);
  expect_all_read(reader);
}

static void a_later_record_replaces_an_entry_and_index_0_is_ignored(void **state) {
  (void)state;
  put_instant(1, 1);
  fxt_string(&b, 0, "of no index");
  fxt_thread(&b, 0, 70, 80);
  put_instant(0, 2);
  fxt_string(&b, 1, "another name");
  fxt_thread(&b, 1, 7, 9);
  put_instant(1, 3);
  fxt_string(&b, 1, "");
  put_instant(1, 4);
  struct tb_reader *reader = fxt_read(&b);
  expect_instant(reader, "name", 1, 8);
  expect_instant(reader, "", 2, 8);
  expect_instant(reader, "another name", 3, 9);
  expect_instant(reader, "", 4, 9);
  expect_all_read(reader);
}

static void the_last_entries_of_both_tables_are_entries(void **state) {
  (void)state;
  fxt_string(&b, TB_FXT_STRING_ENTRIES, "last");
  fxt_thread(&b, TB_FXT_THREAD_ENTRIES, 7, 99);
  fxt_event(&b, TB_FXT_INSTANT, 0, TB_FXT_THREAD_ENTRIES, 0, TB_FXT_STRING_ENTRIES, 5), fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  expect_instant(reader, "last", 5, 99);
  expect_all_read(reader);
}

static void an_inline_text_may_be_empty_and_end_where_a_word_does(void **state) {
  (void)state;
  put_instant(TB_FXT_INLINE, 1);
  fxt_event(&b, TB_FXT_INSTANT, 0, 1, fxt_inline("category"), fxt_inline("sixteen bytes it"), 2);
  fxt_text(&b, "category"), fxt_text(&b, "sixteen bytes it"), fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  expect_instant(reader, "", 1, 8);
  expect_instant(reader, "sixteen bytes it", 2, 8);
  expect_all_read(reader);
}

static void a_section_of_a_provider_never_announced_has_tables_of_its_own(void **state) {
  (void)state;
  fxt_section(&b, 0xffffffff);
  fxt_thread(&b, 1, 7, 10);
  fxt_string(&b, 1, "its own");
  fxt_init(&b, 1000);
  put_instant(1, 1);
  fxt_section(&b, 0);
  put_instant(1, 2);
  fxt_section(&b, 0xffffffff);
  put_instant(1, 3);
  struct tb_reader *reader = fxt_read(&b);
  expect_instant(reader, "its own", 1000000, 10);
  expect_instant(reader, "name", 2, 8);
  expect_instant(reader, "its own", 3000000, 10);
  expect_all_read(reader);
}

/* Files of ocaml-trace have their threads in front of their provider. */
static void threads_in_front_of_all_providers_are_those_of_each(void **state) {
  (void)state;
  fxt_provider(&b, 1, "tracebridge"); /* the name of which no event tells */
  fxt_string(&b, 1, "name");
  put_instant(1, 1);
  fxt_thread(&b, 1, 7, 11);
  put_instant(1, 2);
  fxt_provider(&b, 0, "tracebridge");
  fxt_string(&b, 1, "name");
  put_instant(1, 3);
  struct tb_reader *reader = fxt_read(&b);
  expect_instant(reader, "name", 1, 8);
  expect_instant(reader, "name", 2, 11);
  expect_instant(reader, "name", 3, 8);
  expect_all_read(reader);
}

static void words_behind_any_record_are_passed_over(void **state) {
  (void)state;
  fxt_begin(&b, TB_FXT_THREAD, 2 << 16), fxt_word(&b, 7), fxt_word(&b, 11), fxt_word(&b, 1), fxt_end(&b);
  fxt_begin(&b, TB_FXT_STRING, 2 << 16 | UINT64_C(3) << 32), fxt_text(&b, "two"), fxt_word(&b, 1), fxt_end(&b);
  fxt_event(&b, TB_FXT_ASYNC_BEGIN, 0, 1, 0, 1, 4), fxt_word(&b, 77), fxt_word(&b, 78), fxt_end(&b);
  fxt_event(&b, TB_FXT_INSTANT, 0, 2, 0, 2, 5), fxt_word(&b, 1), fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  assert_int_equal(fxt_next(reader)->id.value, 77);
  expect_instant(reader, "two", 5, 11);
  expect_all_read(reader);
}

static void bits_that_the_format_reserves_are_not_looked_at(void **state) {
  (void)state;
  fxt_begin(&b, TB_FXT_THREAD, UINT64_C(0xffffffffff) << 24 | 2 << 16), fxt_word(&b, 7), fxt_word(&b, 11), fxt_end(&b);
  fxt_begin(&b, TB_FXT_STRING, 2 << 16 | UINT64_C(1) << 31 | UINT64_C(3) << 32 | UINT64_C(0x1ffff) << 47);
  fxt_text(&b, "two"), fxt_end(&b);
  fxt_begin(&b, TB_FXT_INITIALIZATION, UINT64_C(0xffffffffffff) << 16), fxt_word(&b, 1000), fxt_end(&b);
  fxt_event(&b, TB_FXT_INSTANT, 0, 2, 0, 2, 5), fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  expect_instant(reader, "two", 5000000, 11);
  expect_all_read(reader);
}

/* ---- what is passed over ----------------------------------------------------------------------------------------- */

static void expect_lost(const char *reason, uint64_t offset) {
  put_instant(1, 1000);
  struct tb_reader *reader = fxt_read(&b);
  expect_instant(reader, "name", 1000, 8);
  fxt_expect_end(reader);
  fxt_expect_one_loss(reader, reason, offset);
  tb_reader_close(reader);
  b.count = 0;
  (void)start(NULL);
}

/* A record of `words` words behind its header, all of the value `word`. */
static uint64_t put_record(unsigned type, uint64_t header, unsigned words, uint64_t word) {
  fxt_begin(&b, type, header);
  while (words--) fxt_word(&b, word);
  return fxt_end(&b);
}

static void metadata_of_unknown_kinds_is_passed_over(void **state) {
  (void)state;
  expect_lost("a metadata record of unknown kind", put_record(TB_FXT_METADATA, 9 << 16, 2, 0));
  expect_lost("a provider event of unknown kind",
              put_record(TB_FXT_METADATA, TB_FXT_PROVIDER_EVENT << 16 | UINT64_C(5) << 52, 0, 0));
  expect_lost("a trace info record of unknown kind",
              put_record(TB_FXT_METADATA, TB_FXT_TRACE_INFO << 16 | 3 << 20, 0, 0));
}

static void large_records_of_unknown_type_or_format_are_passed_over(void **state) {
  (void)state;
  expect_lost("a large record of unknown type", put_record(TB_FXT_LARGE, UINT64_C(1) << 36, 5000, 1));
  expect_lost("a large record of unknown type", put_record(TB_FXT_LARGE, UINT64_C(2) << 40, 5, 1));
}

static void large_blobs_that_end_too_early_are_lost(void **state) {
  (void)state;
  uint64_t bare = (uint64_t)TB_FXT_LARGE_BLOB_BARE << 40;
  expect_lost("a large blob without its header", put_record(TB_FXT_LARGE, bare, 0, 0));
  expect_lost("a large blob without its size", put_record(TB_FXT_LARGE, bare, 1, 0));
}

static void scheduling_of_unknown_kinds_and_states_is_passed_over(void **state) {
  (void)state;
  uint64_t change = (uint64_t)TB_FXT_CONTEXT_SWITCH << 60, wakeup = (uint64_t)TB_FXT_WAKEUP << 60;
  expect_lost("a scheduling record of unknown kind", put_record(TB_FXT_SCHEDULING, UINT64_C(3) << 60, 3, 1));
  expect_lost("a thread state of unknown number", put_record(TB_FXT_SCHEDULING, change | UINT64_C(6) << 36, 3, 1));
  expect_lost("a context switch without its threads", put_record(TB_FXT_SCHEDULING, change, 2, 1));
  expect_lost("a wakeup without its thread", put_record(TB_FXT_SCHEDULING, wakeup, 1, 1));
}

static void objects_that_end_too_early_are_lost(void **state) {
  (void)state;
  expect_lost("an object without its pointer", put_record(TB_FXT_USERSPACE_OBJECT, 1 << 16, 0, 0));
  expect_lost("a record too short for its inline process", put_record(TB_FXT_USERSPACE_OBJECT, 0, 1, 0));
  expect_lost("an object without its koid", put_record(TB_FXT_KERNEL_OBJECT, 1 << 16, 0, 0));
}

static void an_anchor_past_63_bits_of_ns_is_lost(void **state) {
  (void)state;
  fxt_begin(&b, TB_FXT_INITIALIZATION, 0), fxt_word(&b, 1000000000), fxt_word(&b, 0), fxt_word(&b, UINT64_MAX);
  expect_lost("an initialisation's base time is past the range of 63 bits of ns", fxt_end(&b));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(records_need_no_magic_before_them, start),
      cmocka_unit_test_setup(a_later_record_replaces_an_entry_and_index_0_is_ignored, start),
      cmocka_unit_test_setup(the_last_entries_of_both_tables_are_entries, start),
      cmocka_unit_test_setup(an_inline_text_may_be_empty_and_end_where_a_word_does, start),
      cmocka_unit_test_setup(a_section_of_a_provider_never_announced_has_tables_of_its_own, start),
      cmocka_unit_test_setup(threads_in_front_of_all_providers_are_those_of_each, start),
      cmocka_unit_test_setup(words_behind_any_record_are_passed_over, start),
      cmocka_unit_test_setup(bits_that_the_format_reserves_are_not_looked_at, start),
      cmocka_unit_test_setup(metadata_of_unknown_kinds_is_passed_over, start),
      cmocka_unit_test_setup(large_records_of_unknown_type_or_format_are_passed_over, start),
      cmocka_unit_test_setup(large_blobs_that_end_too_early_are_lost, start),
      cmocka_unit_test_setup(scheduling_of_unknown_kinds_and_states_is_passed_over, start),
      cmocka_unit_test_setup(objects_that_end_too_early_are_lost, start),
      cmocka_unit_test_setup(an_anchor_past_63_bits_of_ns_is_lost, start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
