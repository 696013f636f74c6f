/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fxt_builder.h"

static struct fxt_builder b;

static int start(void **state) {
  (void)state;
  b.count = 0;
  fxt_magic(&b);
  return 0;
}

static void indexed_references_give_thread_category_and_name(void **state) {
  (void)state;
  fxt_string(&b, 1, "net");
  fxt_string(&b, 0x7fff, "request");
  fxt_thread(&b, 0xff, 7, 8);
  fxt_event(&b, TB_FXT_INSTANT, 0, 0xff, 1, 0x7fff, 123);
  uint64_t offset = fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_INSTANT);
  assert_int_equal(event->ts, 123);
  assert_int_equal(event->offset, offset);
  assert_slice(event->name, "request");
  assert_slice(event->categories, "net");
  assert_int_equal(event->track->type, TB_TRACK_THREAD);
  assert_int_equal(event->track->pid, 7);
  assert_int_equal(event->track->tid, 8);
  assert_int_equal(event->track->parent->type, TB_TRACK_PROCESS);
  fxt_expect_end(reader);
  fxt_expect_no_loss(reader);
  tb_reader_close(reader);
}

static void inline_references_are_in_the_record(void **state) {
  (void)state;
  fxt_event(&b, TB_FXT_DURATION_COMPLETE, 0, 0, fxt_inline("cat"), fxt_inline("a longer name"), 1000);
  fxt_word(&b, 5);
  fxt_word(&b, 6);
  fxt_text(&b, "cat");
  fxt_text(&b, "a longer name");
  fxt_word(&b, 1500);
  fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_SLICE_COMPLETE);
  assert_int_equal(event->ts, 1000);
  assert_int_equal(event->dur, 500);
  assert_slice(event->name, "a longer name");
  assert_slice(event->categories, "cat");
  assert_int_equal(event->track->tid, 6);
  fxt_expect_end(reader);
  tb_reader_close(reader);
}

static void put_named(unsigned type, uint64_t ticks, uint64_t last_word, bool has_last) {
  fxt_event(&b, type, 0, 1, 0, fxt_inline("name"), ticks);
  fxt_text(&b, "name");
  if (has_last) fxt_word(&b, last_word);
  fxt_end(&b);
}

static void every_event_type_has_its_own_kind(void **state) {
  (void)state;
  static const enum tb_event_type kinds[] = {TB_EVENT_INSTANT,       TB_EVENT_COUNTER,        TB_EVENT_SLICE_BEGIN,
                                             TB_EVENT_SLICE_END,     TB_EVENT_SLICE_COMPLETE, TB_EVENT_ASYNC_BEGIN,
                                             TB_EVENT_ASYNC_INSTANT, TB_EVENT_ASYNC_END,      TB_EVENT_FLOW_BEGIN,
                                             TB_EVENT_FLOW_STEP,     TB_EVENT_FLOW_END};
  fxt_thread(&b, 1, 7, 8);
  for (unsigned type = 0; type < sizeof(kinds) / sizeof(kinds[0]); type++)
    if (type != TB_FXT_COUNTER) put_named(type, 10, 99, type >= TB_FXT_DURATION_COMPLETE);
  struct tb_reader *reader = fxt_read(&b);
  for (unsigned type = 0; type < sizeof(kinds) / sizeof(kinds[0]); type++) {
    if (type == TB_FXT_COUNTER) continue;
    const struct tb_event *event = fxt_next(reader);
    assert_int_equal(event->type, kinds[type]);
    if (type >= TB_FXT_ASYNC_BEGIN) {
      assert_int_equal(event->id.kind, TB_ID_PLAIN);
      assert_true(event->id.is_number);
      assert_int_equal(event->id.value, 99);
    }
    assert_int_equal(!!(event->has & TB_HAS_BIND_ENCLOSING), type == TB_FXT_FLOW_END);
    assert_int_equal(!!(event->has & TB_HAS_NAME), type != TB_FXT_DURATION_END);
  }
  fxt_expect_end(reader);
  tb_reader_close(reader);
}

static void every_argument_type_keeps_its_type_and_value(void **state) {
  (void)state;
  double number = 0.1;
  uint64_t bits;
  memcpy(&bits, &number, 8);
  fxt_thread(&b, 1, 7, 8);
  fxt_string(&b, 1, "k");
  fxt_string(&b, 2, "value");
  fxt_event(&b, TB_FXT_INSTANT, 12, 1, 0, 1, 10);
  fxt_arg(&b, TB_FXT_ARG_NULL, 1, 1, 0);
  fxt_arg(&b, TB_FXT_ARG_INT32, 1, 1, (uint32_t)-5);
  fxt_arg(&b, TB_FXT_ARG_UINT32, 1, 1, 0xfffffff0);
  fxt_arg(&b, TB_FXT_ARG_INT64, 2, 1, 0), fxt_word(&b, (uint64_t)INT64_MIN);
  fxt_arg(&b, TB_FXT_ARG_UINT64, 2, 1, 0), fxt_word(&b, UINT64_MAX);
  fxt_arg(&b, TB_FXT_ARG_DOUBLE, 2, 1, 0), fxt_word(&b, bits);
  fxt_arg(&b, TB_FXT_ARG_STRING, 1, 1, 2);
  fxt_arg(&b, TB_FXT_ARG_STRING, 3, fxt_inline("in"), fxt_inline("line")), fxt_text(&b, "in"), fxt_text(&b, "line");
  fxt_arg(&b, TB_FXT_ARG_POINTER, 2, 1, 0), fxt_word(&b, 0xdeadbeef);
  fxt_arg(&b, TB_FXT_ARG_KOID, 2, 1, 0), fxt_word(&b, UINT64_C(1) << 63 | 3);
  fxt_arg(&b, TB_FXT_ARG_BOOL, 1, 1, 1);
  fxt_arg(&b, TB_FXT_ARG_BLOB, 2, 1, 3), fxt_stream(&b, "a\0b", 3);
  fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  static const uint8_t types[] = {TB_ARG_NULL,   TB_ARG_INT,    TB_ARG_UINT,    TB_ARG_INT,  TB_ARG_UINT, TB_ARG_DOUBLE,
                                  TB_ARG_STRING, TB_ARG_STRING, TB_ARG_POINTER, TB_ARG_KOID, TB_ARG_BOOL, TB_ARG_BLOB};
  static const uint8_t widths[] = {0, 32, 32, 64, 64, 0, 0, 0, 0, 0, 0, 0};
  const struct tb_arg *args = event->args;
  assert_int_equal(event->arg_count, 12);
  for (size_t i = 0; i < 12; i++) {
    assert_int_equal(args[i].type, types[i]);
    assert_int_equal(args[i].width, widths[i]);
    assert_int_equal(args[i].span, 1);
  }
  assert_int_equal(args[1].i, -5);
  assert_int_equal(args[2].u, 0xfffffff0);
  assert_true(args[3].i == INT64_MIN);
  assert_true(args[4].u == UINT64_MAX);
  assert_true(args[5].d == 0.1);
  assert_slice(args[6].name, "k");
  assert_slice(args[6].text, "value");
  assert_slice(args[7].name, "in");
  assert_slice(args[7].text, "line");
  assert_int_equal(args[8].u, 0xdeadbeef);
  assert_true(args[9].u == (UINT64_C(1) << 63 | 3));
  assert_int_equal(args[10].u, 1);
  assert_int_equal(args[11].text.len, 3);
  assert_memory_equal(args[11].text.ptr, "a\0b", 3);
  assert_int_equal(event->extra_count, 1);
  assert_slice(event->extra[0].name, "fxt_types");
  assert_slice(event->extra[0].text, ".........k.b");
  fxt_expect_end(reader);
  fxt_expect_no_loss(reader);
  tb_reader_close(reader);
}

static void types_that_values_show_need_no_remark(void **state) {
  (void)state;
  fxt_thread(&b, 1, 7, 8);
  fxt_event(&b, TB_FXT_INSTANT, 2, 1, 0, 0, 10);
  fxt_arg(&b, TB_FXT_ARG_INT64, 2, 0, 0), fxt_word(&b, UINT64_C(1) << 40);
  fxt_arg(&b, TB_FXT_ARG_UINT32, 1, 0, 4);
  fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  assert_int_equal(fxt_next(reader)->extra_count, 0);
  tb_reader_close(reader);
}

static void a_counter_gives_a_sample_for_each_series(void **state) {
  (void)state;
  fxt_thread(&b, 1, 7, 8);
  fxt_event(&b, TB_FXT_COUNTER, 3, 1, fxt_inline("cat"), fxt_inline("memory"), 10);
  fxt_text(&b, "cat");
  fxt_text(&b, "memory");
  fxt_arg(&b, TB_FXT_ARG_INT32, 2, fxt_inline("used"), 5), fxt_text(&b, "used");
  fxt_arg(&b, TB_FXT_ARG_STRING, 3, fxt_inline("note"), fxt_inline("low")), fxt_text(&b, "note"), fxt_text(&b, "low");
  fxt_arg(&b, TB_FXT_ARG_UINT64, 3, fxt_inline("a\"b"), 0), fxt_text(&b, "a\"b"), fxt_word(&b, UINT64_MAX);
  fxt_word(&b, 77);
  fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_COUNTER);
  assert_int_equal(event->track->type, TB_TRACK_COUNTER);
  assert_slice(event->track->name, "memory:used:77");
  assert_slice(tb_track_get_details(event->track)->description, "[\"memory\",\"used\",\"77\",\"8\"]");
  assert_int_equal(event->track->parent->pid, 7);
  assert_int_equal(event->thread->tid, 8);
  assert_int_equal(event->args[0].i, 5);
  event = fxt_next(reader);
  assert_slice(event->track->name, "memory:a\"b:77");
  assert_slice(tb_track_get_details(event->track)->description, "[\"memory\",\"a\\\"b\",\"77\",\"8\",\"U\"]");
  assert_true(event->args[0].u == UINT64_MAX);
  event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_INSTANT);
  assert_slice(event->name, "memory");
  assert_slice(event->args[0].text, "low");
  assert_slice(event->extra[0].name, "fxt_counter");
  assert_int_equal(event->extra[0].u, 77);
  fxt_expect_end(reader);
  tb_reader_close(reader);
}

static void tables_and_clocks_belong_to_their_provider(void **state) {
  (void)state;
  fxt_provider(&b, 1, "one");
  fxt_init(&b, 1000);
  fxt_string(&b, 1, "first");
  fxt_thread(&b, 1, 1, 1);
  fxt_provider(&b, 0xffffffff, "two");
  fxt_init(&b, 3);
  fxt_string(&b, 1, "second");
  fxt_thread(&b, 1, 2, 2);
  fxt_event(&b, TB_FXT_INSTANT, 0, 1, 0, 1, 1), fxt_end(&b);
  fxt_section(&b, 1);
  fxt_event(&b, TB_FXT_INSTANT, 0, 1, 0, 1, 1), fxt_end(&b);
  fxt_section(&b, 0xffffffff);
  fxt_event(&b, TB_FXT_INSTANT, 0, 1, 0, 1, 2), fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_TRACE_METADATA);
  assert_slice(event->name, "fxt.provider.1");
  assert_slice(event->args[0].text, "one");
  event = fxt_next_of(reader, TB_EVENT_INSTANT);
  assert_slice(event->name, "second");
  assert_int_equal(event->ts, 333333333);
  assert_int_equal(event->sequence, 0xffffffff);
  event = fxt_next(reader);
  assert_slice(event->name, "first");
  assert_int_equal(event->ts, 1000000);
  assert_int_equal(event->track->pid, 1);
  event = fxt_next(reader);
  assert_int_equal(event->ts, 666666666);
  fxt_expect_end(reader);
  fxt_expect_no_loss(reader);
  tb_reader_close(reader);
}

static void provider_info_empties_the_tables_of_a_provider_that_comes_again(void **state) {
  (void)state;
  fxt_provider(&b, 1, "one");
  fxt_init(&b, 1000);
  fxt_string(&b, 1, "old");
  fxt_provider(&b, 1, "one");
  fxt_event(&b, TB_FXT_INSTANT, 0, 0, 0, 0, 5), fxt_word(&b, 1), fxt_word(&b, 1), fxt_end(&b);
  fxt_event(&b, TB_FXT_INSTANT, 0, 0, 0, 1, 5), fxt_word(&b, 1), fxt_word(&b, 1);
  uint64_t offset = fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  assert_int_equal(fxt_next_of(reader, TB_EVENT_INSTANT)->ts, 5);
  fxt_expect_end(reader);
  size_t count;
  const struct tb_loss *loss = tb_reader_losses(reader, &count);
  assert_int_equal(count, 1);
  assert_int_equal(loss->first_offset, offset);
  tb_reader_close(reader);
}

static void init_with_anchor(uint64_t base_ticks, uint64_t unix_ns) {
  fxt_begin(&b, TB_FXT_INITIALIZATION, 0);
  fxt_word(&b, 1000000000), fxt_word(&b, base_ticks), fxt_word(&b, unix_ns);
  fxt_end(&b);
}

static void an_anchor_that_providers_repeat_is_one_reading(void **state) {
  (void)state;
  for (uint32_t id = 1; id < 4; id++) fxt_provider(&b, id, "tracebridge"), init_with_anchor(100, 5000);
  init_with_anchor(101, 5000);
  struct tb_reader *reader = fxt_read(&b);
  for (int64_t ns = 100; ns < 102; ns++) {
    const struct tb_event *event = fxt_next(reader);
    assert_int_equal(event->type, TB_EVENT_CLOCK_SNAPSHOT);
    assert_int_equal(event->clocks[0].ns, ns);
  }
  fxt_expect_end(reader);
  tb_reader_close(reader);
}

static void four_words_of_initialisation_anchor_the_ticks(void **state) {
  (void)state;
  fxt_begin(&b, TB_FXT_INITIALIZATION, 0);
  fxt_word(&b, 2000000000);
  fxt_word(&b, 3000);
  fxt_word(&b, UINT64_C(1700000000123456789));
  fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_CLOCK_SNAPSHOT);
  assert_int_equal(event->clock_count, 2);
  assert_int_equal(event->clocks[0].clock, TB_CLOCK_TRACE_FILE);
  assert_int_equal(event->clocks[0].ns, 1500);
  assert_int_equal(event->clocks[1].clock, TB_CLOCK_REALTIME);
  assert_true(event->clocks[1].ns == INT64_C(1700000000123456789));
  tb_reader_close(reader);
}

static void koids_of_2_to_the_30_and_more_get_ids_that_meet_no_other(void **state) {
  (void)state;
  static const uint64_t koids[] = {5,
                                   UINT64_C(0x8000000000000005),
                                   UINT64_C(0x0000000180000005),
                                   UINT64_C(0x80000005),
                                   UINT64_C(0xbbbbbbbbbbbbbbbb),
                                   INT32_MAX};
  static const int64_t ids[] = {5, 0x40000005, 0x40000004, 0x40000003, 0x7bbbbbbb, INT32_MAX};
  for (int round = 0; round < 2; round++)
    for (size_t i = 0; i < 6; i++) {
      fxt_event(&b, TB_FXT_INSTANT, 0, 0, 0, 0, 1);
      fxt_word(&b, koids[i]);
      fxt_word(&b, koids[i]);
      fxt_end(&b);
    }
  struct tb_reader *reader = fxt_read(&b);
  for (int round = 0; round < 2; round++)
    for (size_t i = 0; i < 6; i++) {
      const struct tb_event *event = fxt_next(reader);
      assert_int_equal(event->track->pid, ids[i]);
      assert_int_equal(event->track->tid, ids[i]);
      assert_int_equal(event->track->parent->pid, ids[i]);
      if (i == 1) assert_slice(tb_track_get_details(event->track)->tid_text, "9223372036854775813");
      if (i == 0) assert_int_equal(tb_track_get_details(event->track)->pid_text.len, 0);
    }
  tb_reader_close(reader);
}

static void kernel_objects_name_processes_and_threads(void **state) {
  (void)state;
  fxt_begin(&b, TB_FXT_KERNEL_OBJECT, TB_FXT_OBJECT_PROCESS << 16 | fxt_inline("app") << 24);
  fxt_word(&b, 7), fxt_text(&b, "app"), fxt_end(&b);
  fxt_begin(&b, TB_FXT_KERNEL_OBJECT, TB_FXT_OBJECT_THREAD << 16 | fxt_inline("main") << 24 | UINT64_C(1) << 40);
  fxt_word(&b, 8), fxt_text(&b, "main");
  fxt_arg(&b, TB_FXT_ARG_KOID, 3, fxt_inline("process"), 0), fxt_text(&b, "process"), fxt_word(&b, 7);
  fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_TRACK);
  assert_int_equal(event->track->type, TB_TRACK_PROCESS);
  assert_slice(event->track->name, "app");
  event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_TRACK);
  assert_slice(event->track->name, "main");
  assert_int_equal(event->track->pid, 7);
  assert_int_equal(event->track->tid, 8);
  fxt_expect_end(reader);
  tb_reader_close(reader);
}

static void objects_explain_the_pointers_and_koids_that_mean_them(void **state) {
  (void)state;
  fxt_begin(&b, TB_FXT_USERSPACE_OBJECT, fxt_inline("Widget") << 24 | UINT64_C(1) << 40);
  fxt_word(&b, 0x1000), fxt_word(&b, 7), fxt_text(&b, "Widget");
  fxt_arg(&b, TB_FXT_ARG_INT32, 2, fxt_inline("size"), 3), fxt_text(&b, "size"), fxt_end(&b);
  fxt_begin(&b, TB_FXT_KERNEL_OBJECT, UINT64_C(4) << 16 | fxt_inline("channel") << 24);
  fxt_word(&b, 55), fxt_text(&b, "channel"), fxt_end(&b);
  fxt_event(&b, TB_FXT_INSTANT, 3, 0, 0, 0, 1), fxt_word(&b, 7), fxt_word(&b, 8);
  fxt_arg(&b, TB_FXT_ARG_POINTER, 3, fxt_inline("p"), 0), fxt_text(&b, "p"), fxt_word(&b, 0x1000);
  fxt_arg(&b, TB_FXT_ARG_KOID, 3, fxt_inline("k"), 0), fxt_text(&b, "k"), fxt_word(&b, 55);
  fxt_arg(&b, TB_FXT_ARG_POINTER, 3, fxt_inline("q"), 0), fxt_text(&b, "q"), fxt_word(&b, 0x2000);
  fxt_end(&b);
  struct tb_reader *reader = fxt_read(&b);
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_METADATA);
  assert_slice(event->name, "fxt.userspace_object");
  assert_int_equal(event->track->pid, 7);
  assert_int_equal(event->args[0].u, 0x1000);
  assert_slice(event->args[1].text, "Widget");
  assert_int_equal(event->args[2].type, TB_ARG_DICT);
  assert_int_equal(event->args[2].span, 2);
  assert_int_equal(event->args[3].i, 3);
  event = fxt_next(reader);
  assert_slice(event->name, "fxt.kernel_object");
  assert_int_equal(event->args[0].u, 55);
  assert_int_equal(event->args[1].u, 4);
  event = fxt_next(reader);
  assert_int_equal(event->arg_count, 8);
  assert_slice(event->args[1].name, "p:object");
  assert_int_equal(event->args[1].flags, TB_ARG_DERIVED);
  assert_int_equal(event->args[1].span, 3);
  assert_slice(event->args[2].text, "Widget");
  assert_slice(event->args[3].name, "size");
  assert_slice(event->args[5].name, "k:object");
  assert_slice(event->args[6].text, "channel");
  assert_slice(event->args[7].name, "q");
  assert_slice(event->extra[0].text, ".-k-.");
  fxt_expect_end(reader);
  tb_reader_close(reader);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(indexed_references_give_thread_category_and_name, start),
      cmocka_unit_test_setup(inline_references_are_in_the_record, start),
      cmocka_unit_test_setup(every_event_type_has_its_own_kind, start),
      cmocka_unit_test_setup(every_argument_type_keeps_its_type_and_value, start),
      cmocka_unit_test_setup(types_that_values_show_need_no_remark, start),
      cmocka_unit_test_setup(a_counter_gives_a_sample_for_each_series, start),
      cmocka_unit_test_setup(tables_and_clocks_belong_to_their_provider, start),
      cmocka_unit_test_setup(provider_info_empties_the_tables_of_a_provider_that_comes_again, start),
      cmocka_unit_test_setup(an_anchor_that_providers_repeat_is_one_reading, start),
      cmocka_unit_test_setup(four_words_of_initialisation_anchor_the_ticks, start),
      cmocka_unit_test_setup(koids_of_2_to_the_30_and_more_get_ids_that_meet_no_other, start),
      cmocka_unit_test_setup(kernel_objects_name_processes_and_threads, start),
      cmocka_unit_test_setup(objects_explain_the_pointers_and_koids_that_mean_them, start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
