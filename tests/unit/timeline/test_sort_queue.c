/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "timeline/slice_matcher.h"
#include "timeline/sort_queue.h"

static struct tb_error error;

static struct tb_staged_event entry(enum tb_staged_kind kind, int64_t ts, int64_t dur, const char *body) {
  return (struct tb_staged_event){.kind = (uint8_t)kind, .ts = ts, .dur = dur, .body = {body, strlen(body)}};
}

static void add(struct tb_sort_queue *s, struct tb_staged_event e) {
  assert_int_equal(tb_sort_queue_add(s, &e), TB_OK);
}

/* The bodies in the order of time, with a space after each. */
static void read_all(struct tb_sort_queue *s, struct tb_spill_file *file, char *text, size_t size) {
  struct tb_sort_queue_cursor cursor;
  struct tb_staged_event e;
  size_t len = 0;
  enum tb_status status;
  assert_int_equal(tb_sort_queue_open(s, file, &cursor, &error), TB_OK);
  while ((status = tb_sort_queue_next(&cursor, &e, &error)) == TB_OK)
    len += (size_t)snprintf(text + len, size - len, "%.*s ", (int)e.body.len, e.body.ptr);
  assert_int_equal(status, TB_END);
  text[len] = '\0';
  tb_sort_queue_close(&cursor);
}

static void gives_entries_in_the_order_of_time_and_else_as_they_came(void **state) {
  (void)state;
  struct tb_sort_queue s;
  char text[200];
  tb_sort_queue_init(&s, tb_default_allocator());
  add(&s, entry(TB_STAGED_INSTANT, 30, 0, "a"));
  add(&s, entry(TB_STAGED_INSTANT, -10, 0, "b"));
  add(&s, entry(TB_STAGED_INSTANT, 30, 0, "c"));
  add(&s, entry(TB_STAGED_INSTANT, 5, 0, "d"));
  assert_false(tb_sort_queue_in_order(&s));
  assert_int_equal(tb_sort_queue_index(&s), TB_OK);
  read_all(&s, NULL, text, sizeof(text));
  assert_string_equal(text, "b d a c ");
  tb_sort_queue_free(&s);
}

static void puts_longer_complete_slices_first_and_ends_of_earlier_ones_before_them(void **state) {
  (void)state;
  struct tb_sort_queue s;
  char text[200];
  tb_sort_queue_init(&s, tb_default_allocator());
  add(&s, entry(TB_STAGED_BEGIN, 1, 0, "begin"));
  add(&s, entry(TB_STAGED_INSTANT, 10, 0, "instant"));
  add(&s, entry(TB_STAGED_COMPLETE, 10, 5, "short"));
  add(&s, entry(TB_STAGED_COMPLETE, 10, 50, "long"));
  add(&s, entry(TB_STAGED_END, 10, 0, "end"));
  assert_int_equal(tb_sort_queue_index(&s), TB_OK);
  read_all(&s, NULL, text, sizeof(text));
  assert_string_equal(text, "begin end long short instant ");
  tb_sort_queue_free(&s);
}

static void puts_an_end_before_what_begins_at_its_time_where_its_begin_has_not_come_yet(void **state) {
  (void)state;
  struct tb_sort_queue s;
  char text[200];
  tb_sort_queue_init(&s, tb_default_allocator());
  add(&s, entry(TB_STAGED_COMPLETE, 10, 5, "complete"));
  add(&s, entry(TB_STAGED_END, 10, 0, "end"));
  add(&s, entry(TB_STAGED_BEGIN, 1, 0, "begin"));
  assert_int_equal(tb_sort_queue_index(&s), TB_OK);
  read_all(&s, NULL, text, sizeof(text));
  assert_string_equal(text, "begin end complete ");
  tb_sort_queue_free(&s);
}

static void keeps_what_was_over_before_an_end_of_its_time_in_front_of_it(void **state) {
  (void)state;
  struct tb_sort_queue s;
  char text[200];
  tb_sort_queue_init(&s, tb_default_allocator());
  add(&s, entry(TB_STAGED_BEGIN, 1, 0, "p"));
  add(&s, entry(TB_STAGED_BEGIN, 5, 0, "z"));
  add(&s, entry(TB_STAGED_END, 5, 0, "-z"));
  add(&s, entry(TB_STAGED_INSTANT, 5, 0, "i"));
  add(&s, entry(TB_STAGED_ZERO_LENGTH_SLICE, 5, 0, "zero"));
  add(&s, entry(TB_STAGED_END, 5, 0, "-p"));
  assert_true(tb_sort_queue_in_order(&s));
  add(&s, entry(TB_STAGED_INSTANT, 5, 0, "behind"));
  add(&s, entry(TB_STAGED_COMPLETE, 5, 5, "complete"));
  assert_int_equal(tb_sort_queue_index(&s), TB_OK);
  read_all(&s, NULL, text, sizeof(text));
  assert_string_equal(text, "p z -z i zero -p complete behind ");
  tb_sort_queue_free(&s);
}

static void keeps_what_was_in_a_slice_whose_begin_comes_later_in_the_file(void **state) {
  (void)state;
  struct tb_sort_queue s;
  char text[200];
  tb_sort_queue_init(&s, tb_default_allocator());
  add(&s, entry(TB_STAGED_ZERO_LENGTH_SLICE, 5, 0, "zero"));
  add(&s, entry(TB_STAGED_BEGIN, 1, 0, "p"));
  add(&s, entry(TB_STAGED_BEGIN, 2, 0, "q"));
  add(&s, entry(TB_STAGED_END, 3, 0, "-q"));
  add(&s, entry(TB_STAGED_END, 5, 0, "-p"));
  assert_int_equal(tb_sort_queue_index(&s), TB_OK);
  read_all(&s, NULL, text, sizeof(text));
  assert_string_equal(text, "p q -q zero -p ");
  tb_sort_queue_free(&s);
}

static void ends_before_a_slice_that_is_open_or_complete_at_its_time(void **state) {
  (void)state;
  struct tb_sort_queue s;
  char text[200];
  tb_sort_queue_init(&s, tb_default_allocator());
  s.complete_first = true;
  add(&s, entry(TB_STAGED_BEGIN, 1, 0, "p"));
  add(&s, entry(TB_STAGED_ZERO_LENGTH_SLICE, 5, 0, "zero"));
  add(&s, entry(TB_STAGED_END, 5, 0, "-p"));
  add(&s, entry(TB_STAGED_BEGIN, 6, 0, "q"));
  add(&s, entry(TB_STAGED_COMPLETE, 9, 5, "complete"));
  add(&s, entry(TB_STAGED_INSTANT, 9, 0, "i"));
  add(&s, entry(TB_STAGED_END, 9, 0, "-q"));
  assert_int_equal(tb_sort_queue_index(&s), TB_OK);
  read_all(&s, NULL, text, sizeof(text));
  assert_string_equal(text, "p -p zero q -q complete i ");
  tb_sort_queue_free(&s);
}

static void keeps_every_field_of_an_entry_to_the_ends_of_its_range(void **state) {
  (void)state;
  const int64_t values[] = {0, 1, -1, 0xffff, 0x10000, 0xffffff, 0x1000000, UINT32_MAX, INT64_MAX, INT64_MIN};
  enum { COUNT = sizeof(values) / sizeof(values[0]) };
  struct tb_sort_queue s;
  tb_sort_queue_init(&s, tb_default_allocator());
  for (size_t i = 0; i < COUNT; i++) {
    struct tb_staged_event e = entry(TB_STAGED_COMPLETE, (int64_t)i * 1000, values[i] > 0 ? values[i] : 1, "body");
    e.key = (uint32_t)i + 1; /* no stack is kept for keys */
    e.has_thread_ts = e.has_thread_dur = true;
    e.thread_ts = e.thread_dur = values[i];
    e.flow = TB_FLOW_IN;
    e.flow_key = UINT32_MAX;
    e.order = UINT64_MAX;
    e.end_body = (struct tb_str){"end", 3};
    add(&s, e);
  }
  struct tb_sort_queue_cursor cursor;
  struct tb_staged_event e;
  assert_int_equal(tb_sort_queue_open(&s, NULL, &cursor, &error), TB_OK);
  for (size_t i = 0; i < COUNT; i++) {
    assert_int_equal(tb_sort_queue_next(&cursor, &e, &error), TB_OK);
    assert_int_equal(e.ts, (int64_t)i * 1000);
    assert_int_equal(e.dur, values[i] > 0 ? values[i] : 1);
    assert_true(e.thread_ts == values[i] && e.thread_dur == values[i]);
    assert_int_equal(e.key, i + 1);
    assert_int_equal(e.flow, TB_FLOW_IN);
    assert_int_equal(e.flow_key, UINT32_MAX);
    assert_true(e.order == UINT64_MAX);
    assert_memory_equal(e.body.ptr, "body", e.body.len);
    assert_int_equal(e.end_body.len, 3);
  }
  tb_sort_queue_close(&cursor);
  tb_sort_queue_free(&s);
}

/* Appends more than is buffered: what was spilled is in the file then. */
static void fill_file(struct tb_spill_file *file) {
  static const char filler[300 * 1024];
  assert_int_equal(tb_spill_file_append(file, filler, sizeof(filler), &error), TB_OK);
}

static void merges_spilled_runs_to_what_it_would_have_held(void **state) {
  (void)state;
  enum { COUNT = 3000, ROOM = COUNT * 8 };
  static char held[ROOM], spilled[ROOM], body[8];
  struct tb_sort_queue in_memory, on_disk;
  struct tb_spill_file *file;
  assert_int_equal(tb_spill_file_create(NULL, tb_default_allocator(), &file, &error), TB_OK);
  tb_sort_queue_init(&in_memory, tb_default_allocator());
  tb_sort_queue_init(&on_disk, tb_default_allocator());
  for (uint32_t i = 0; i < COUNT; i++) {
    (void)snprintf(body, sizeof(body), "%u", i);
    struct tb_staged_event e =
        entry(i % 3 ? TB_STAGED_INSTANT : TB_STAGED_COMPLETE, (int64_t)(i * 7919 % 500), i % 11 + 1, body);
    e.key = 1;
    add(&in_memory, e);
    add(&on_disk, e);
    if (i % 700 == 699) assert_int_equal(tb_sort_queue_spill(&on_disk, file, &error), TB_OK);
  }
  fill_file(file);
  assert_int_equal(tb_sort_queue_index(&in_memory), TB_OK);
  read_all(&in_memory, NULL, held, sizeof(held));
  read_all(&on_disk, file, spilled, sizeof(spilled));
  assert_true(on_disk.run_count > 4);
  assert_string_equal(held, spilled);
  tb_sort_queue_free(&in_memory);
  tb_sort_queue_free(&on_disk);
  tb_spill_file_close(file);
}

/* A file system may read less than it was asked for, and a signal may come before anything was read. */
static bool interrupted, cut_short;
static unsigned calls;

ssize_t __real_pread(int fd, void *to, size_t len, off_t offset);
ssize_t __wrap_pread(int fd, void *to, size_t len, off_t offset);
ssize_t __wrap_pread(int fd, void *to, size_t len, off_t offset) {
  calls++;
  if (cut_short) return 0;
  if (!interrupted) return __real_pread(fd, to, len, offset);
  if (calls % 2 == 0) return __real_pread(fd, to, len < 100 ? len : 100, offset);
  errno = EINTR;
  return -1;
}

static void reads_runs_back_when_interrupted(void **state) {
  interrupted = true;
  calls = 0;
  merges_spilled_runs_to_what_it_would_have_held(state);
  interrupted = false;
  assert_true(calls > 2);
}

static void says_that_a_run_was_cut_short(void **state) {
  (void)state;
  struct tb_sort_queue s;
  struct tb_sort_queue_cursor cursor;
  struct tb_spill_file *file;
  struct tb_error cut = {.code = TB_OK};
  assert_int_equal(tb_spill_file_create(NULL, tb_default_allocator(), &file, &error), TB_OK);
  tb_sort_queue_init(&s, tb_default_allocator());
  add(&s, entry(TB_STAGED_INSTANT, 1, 0, "a"));
  assert_int_equal(tb_sort_queue_spill(&s, file, &error), TB_OK);
  fill_file(file);
  cut_short = true;
  assert_int_equal(tb_sort_queue_open(&s, file, &cursor, &cut), TB_IO);
  cut_short = false;
  assert_non_null(strstr(cut.message, "cut short"));
  tb_sort_queue_free(&s);
  tb_spill_file_close(file);
}

static void says_when_slices_do_not_nest(void **state) {
  (void)state;
  const struct {
    struct tb_staged_event entries[3];
    bool needs_matching;
  } cases[] = {
      {{entry(TB_STAGED_COMPLETE, 0, 10, ""), entry(TB_STAGED_COMPLETE, 2, 3, ""), entry(TB_STAGED_COMPLETE, 5, 5, "")},
       false},
      {{entry(TB_STAGED_COMPLETE, 0, 10, ""), entry(TB_STAGED_COMPLETE, 2, 3, ""), entry(TB_STAGED_COMPLETE, 4, 2, "")},
       true},
      {{entry(TB_STAGED_BEGIN, 0, 0, ""), entry(TB_STAGED_COMPLETE, 2, 3, ""), entry(TB_STAGED_END, 5, 0, "")}, false},
      {{entry(TB_STAGED_BEGIN, 0, 0, ""), entry(TB_STAGED_COMPLETE, 2, 3, ""), entry(TB_STAGED_END, 4, 0, "")}, true},
      {{entry(TB_STAGED_COMPLETE, 0, 5, ""), entry(TB_STAGED_BEGIN, 1, 0, ""), entry(TB_STAGED_INSTANT, 6, 0, "")},
       true},
      {{entry(TB_STAGED_COMPLETE, 0, 5, ""), entry(TB_STAGED_BEGIN, 1, 0, ""), entry(TB_STAGED_INSTANT, 5, 0, "")},
       false},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct tb_sort_queue s;
    tb_sort_queue_init(&s, tb_default_allocator());
    for (size_t k = 0; k < 3; k++) add(&s, cases[i].entries[k]);
    if (s.needs_matching != cases[i].needs_matching) fail_msg("case %zu", i);
    tb_sort_queue_free(&s);
  }
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

static struct tb_staged_event named(enum tb_staged_kind kind, int64_t ts, uint32_t key, uint32_t name) {
  struct tb_staged_event e = entry(kind, ts, 0, "");
  e.key = key;
  e.name = name;
  return e;
}

static void matches_an_END_with_the_newest_BEGIN_of_its_key_and_name(void **state) {
  (void)state;
  struct tb_sort_queue s;
  tb_sort_queue_init(&s, tb_default_allocator());
  add(&s, named(TB_STAGED_BEGIN, 0, 1, 5));
  add(&s, named(TB_STAGED_BEGIN, 1, 2, 5));
  add(&s, named(TB_STAGED_BEGIN, 2, 1, 6));
  add(&s, named(TB_STAGED_END, 3, 1, 5)); /* not the newest of its key: that has another name */
  add(&s, named(TB_STAGED_END, 4, 2, 0)); /* no name: any */
  add(&s, named(TB_STAGED_END, 5, 2, 0)); /* none is left */
  add(&s, named(TB_STAGED_BEGIN, 6, 2, 7));
  assert_int_equal(tb_match_slices(&s, 3), TB_OK);
  const int64_t expected[] = {3, 4, INT64_MAX, 0, 1, TB_UNMATCHED, INT64_MAX};
  assert_memory_equal(s.matches, expected, sizeof(expected));
  tb_sort_queue_free(&s);
}

static void matches_in_the_order_of_time(void **state) {
  (void)state;
  struct tb_sort_queue s;
  tb_sort_queue_init(&s, tb_default_allocator());
  add(&s, named(TB_STAGED_END, 20, 1, 0));
  add(&s, named(TB_STAGED_BEGIN, 10, 1, 0));
  assert_int_equal(tb_sort_queue_index(&s), TB_OK);
  assert_int_equal(tb_match_slices(&s, 2), TB_OK);
  assert_int_equal(s.matches[0], 20);
  assert_int_equal(s.matches[1], 0);
  tb_sort_queue_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gives_entries_in_the_order_of_time_and_else_as_they_came),
      cmocka_unit_test(puts_longer_complete_slices_first_and_ends_of_earlier_ones_before_them),
      cmocka_unit_test(puts_an_end_before_what_begins_at_its_time_where_its_begin_has_not_come_yet),
      cmocka_unit_test(keeps_what_was_over_before_an_end_of_its_time_in_front_of_it),
      cmocka_unit_test(keeps_what_was_in_a_slice_whose_begin_comes_later_in_the_file),
      cmocka_unit_test(ends_before_a_slice_that_is_open_or_complete_at_its_time),
      cmocka_unit_test(keeps_every_field_of_an_entry_to_the_ends_of_its_range),
      cmocka_unit_test(merges_spilled_runs_to_what_it_would_have_held),
      cmocka_unit_test(reads_runs_back_when_interrupted),
      cmocka_unit_test(says_that_a_run_was_cut_short),
      cmocka_unit_test(says_when_slices_do_not_nest),
      cmocka_unit_test(matches_an_END_with_the_newest_BEGIN_of_its_key_and_name),
      cmocka_unit_test(matches_in_the_order_of_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
