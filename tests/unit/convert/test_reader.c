/* SPDX-License-Identifier: Apache-2.0
 *
 * What all readers promise whatever the format.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>

#include "support/event_text.h"
#include "support/source_shape.h"

#define TRACE(name) TB_TEST_TRACES "/" name ".perfetto-trace"
#define JSON TB_TEST_DATA "/phases/args.json"

/* Memory that says how much of it is out. */
struct counted {
  size_t bytes, calls;
};

static void *reallocate(void *ctx, void *p, size_t old_size, size_t new_size) {
  struct counted *counted = ctx;
  counted->bytes += new_size - old_size;
  counted->calls++;
  if (new_size) return realloc(p, new_size);
  free(p);
  return NULL;
}

static void the_allocator_that_was_passed_in_gives_all_memory_and_gets_it_back(void **state) {
  (void)state;
  static const char *const paths[] = {TRACE("events"), TRACE("typed"), JSON};
  for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
    struct counted counted = {0};
    struct tb_allocator allocator = {reallocate, &counted};
    struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE, .allocator = &allocator};
    struct tb_reader *reader;
    const struct tb_event *event;
    assert_int_equal(tb_reader_open(paths[i], &options, &reader, NULL), TB_OK);
    while (tb_reader_next(reader, &event) == TB_OK) {
    }
    assert_true(counted.bytes > 4096);
    tb_reader_close(reader);
    assert_int_equal(counted.bytes, 0);
    assert_true(counted.calls > 2);
  }
}

static void a_text_that_was_kept_is_one_for_equal_texts_and_outlives_its_event(void **state) {
  (void)state;
  struct tb_reader *reader;
  struct tb_str first, again, empty;
  assert_int_equal(tb_reader_open(TRACE("events"), &tb_source_shape, &reader, NULL), TB_OK);
  char text[] = "a text of the caller's";
  assert_int_equal(tb_reader_intern(reader, TB_STR("a text of the caller's"), &first), TB_OK);
  assert_int_equal(tb_reader_intern(reader, (struct tb_str){text, sizeof(text) - 1}, &again), TB_OK);
  assert_ptr_equal(first.ptr, again.ptr);
  assert_ptr_not_equal(again.ptr, text);
  const struct tb_event *event;
  while (tb_reader_next(reader, &event) == TB_OK) {
    struct tb_str kept;
    assert_int_equal(tb_reader_intern(reader, event->name, &kept), TB_OK);
    assert_int_equal(kept.len, event->name.len);
    assert_true(!kept.len || kept.ptr != event->name.ptr);
  }
  text[0] = 'x';
  assert_memory_equal(first.ptr, "a text of the caller's", first.len);
  assert_int_equal(tb_reader_intern(reader, (struct tb_str){NULL, 0}, &empty), TB_OK);
  assert_int_equal(empty.len, 0);
  tb_reader_close(reader);
}

struct work {
  const char *path;
  struct tb_buffer text;
  enum tb_status status;
};

static void *read_again_and_again(void *arg) {
  struct work *work = arg;
  for (int i = 0; i < 50; i++) {
    if (i) tb_buffer_free(&work->text);
    work->status = tb_event_text_of_file(work->path, &tb_source_shape, &work->text);
  }
  return NULL;
}

static void readers_in_two_threads_know_nothing_of_each_other(void **state) {
  (void)state;
  struct work alone[] = {{.path = TRACE("events")}, {.path = TRACE("sequences")}};
  struct work together[] = {{.path = TRACE("events")}, {.path = TRACE("sequences")}};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) (void)read_again_and_again(&alone[i]);
  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, read_again_and_again, &together[i]), 0);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(together[i].status, TB_END);
    assert_string_equal(together[i].text.data, alone[i].text.data);
    tb_buffer_free(&together[i].text);
    tb_buffer_free(&alone[i].text);
  }
}

/* Feeds the beginning and then zeros until the reader has enough of them; how many it took. */
static size_t zeros_until_refused(enum tb_format format, struct tb_str beginning, size_t max) {
  const struct tb_reader_options options = {
      .size = sizeof(options), .shape = TB_SHAPE_SOURCE, .format = format, .max_junk_bytes = max};
  static const char zeros[1 << 14];
  struct tb_reader *reader;
  const struct tb_event *event;
  size_t fed = 0;
  assert_int_equal(tb_reader_create_feed("zeros", &options, &reader, NULL), TB_OK);
  assert_int_equal(tb_reader_feed(reader, beginning.ptr, beginning.len), TB_OK);
  enum tb_status status = TB_AGAIN;
  for (; status == TB_AGAIN; fed += sizeof(zeros)) {
    assert_int_equal(tb_reader_feed(reader, zeros, sizeof(zeros)), TB_OK);
    while ((status = tb_reader_next(reader, &event)) == TB_OK) continue;
  }
  assert_int_equal(status, TB_BAD_DATA);
  assert_non_null(strstr(tb_reader_error(reader)->message, "max_junk_bytes"));
  assert_true(tb_reader_error(reader)->offset <= beginning.len);
  tb_reader_close(reader);
  return fed;
}

static void junk_before_the_first_event_has_a_bound(void **state) {
  (void)state;
  enum { MAX = 4 << 20, SOME = (1 << 20) + (256 << 10) }; /* ftrace: a line and what is read at a time */
  const struct {
    enum tb_format format;
    struct tb_str beginning;
  } inputs[] = {{TB_FORMAT_JSON, {"", 0}},
                {TB_FORMAT_JSON, {"{\"otherData\":{},\"traceEvents\":[", 32}},
                {TB_FORMAT_PERFETTO, {"", 0}},
                {TB_FORMAT_PERFETTO, {"\n\004\120\001\150\001", 6}},
                {TB_FORMAT_FTRACE, {"", 0}}};
  for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
    size_t fed = zeros_until_refused(inputs[i].format, inputs[i].beginning, MAX);
    assert_in_range(fed, MAX, MAX + SOME);
  }
  size_t by_default = zeros_until_refused(TB_FORMAT_JSON, (struct tb_str){"[", 1}, 0);
  assert_in_range(by_default, 64 << 20, (64 << 20) + SOME);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_allocator_that_was_passed_in_gives_all_memory_and_gets_it_back),
      cmocka_unit_test(a_text_that_was_kept_is_one_for_equal_texts_and_outlives_its_event),
      cmocka_unit_test(readers_in_two_threads_know_nothing_of_each_other),
      cmocka_unit_test(junk_before_the_first_event_has_a_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
