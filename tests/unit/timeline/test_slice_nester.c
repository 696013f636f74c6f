/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/failing_allocator.h"
#include "timeline/slice_matcher.h"
#include "timeline/slice_nester.h"

/* The calls of the sink, as text: "B<name>@<ts>/<lane> ", E likewise, "!" before an END without a slice. */
struct calls {
  char text[1000];
  size_t len;
};

static enum tb_status lane_group(void *ctx, const struct tb_staged_event *root, uint32_t *group_id) {
  (void)ctx;
  *group_id = root->key;
  return TB_OK;
}

static void note_call(struct calls *calls, char what, uint32_t name, int64_t ts, uint32_t lane) {
  calls->len += (size_t)snprintf(calls->text + calls->len, sizeof(calls->text) - calls->len, "%c%u@%lld/%u ", what,
                                 name, (long long)ts, lane);
}

static enum tb_status begin(void *ctx, const struct tb_staged_event *e, size_t place, const struct tb_lane *lane,
                            uint32_t lane_index, bool *whole) {
  (void)place;
  (void)whole;
  (void)lane;
  note_call(ctx, 'B', e->name, e->ts, lane_index);
  return TB_OK;
}

static enum tb_status end(void *ctx, int64_t ts, const struct tb_staged_event *entry, const struct tb_open_slice *slice,
                          bool innermost, bool cut, const struct tb_lane *lane, uint32_t lane_index) {
  (void)entry;
  (void)innermost;
  (void)lane;
  note_call(ctx, cut ? 'C' : 'E', slice->name, ts, lane_index);
  return TB_OK;
}

static enum tb_status orphan_end(void *ctx, const struct tb_staged_event *e, bool among_open) {
  note_call(ctx, among_open ? '?' : '!', e->name, e->ts, 0);
  return TB_OK;
}

static struct tb_staged_event entry(enum tb_staged_kind kind, uint32_t name, int64_t ts, int64_t dur) {
  return (struct tb_staged_event){.kind = (uint8_t)kind, .name = name, .ts = ts, .dur = dur};
}

static enum tb_status one_group(void *ctx, const struct tb_staged_event *root, uint32_t *group_id) {
  (void)ctx;
  (void)root;
  *group_id = 0;
  return TB_OK;
}

/* A sink for slices that end in the order in which they began, all on lanes of their own. */
struct lane_check {
  int64_t next_end;
  uint32_t lanes, ended;
};

static enum tb_status begin_checked(void *ctx, const struct tb_staged_event *e, size_t place,
                                    const struct tb_lane *lane, uint32_t lane_index, bool *whole) {
  struct lane_check *check = ctx;
  (void)place;
  (void)whole;
  assert_true(lane->open_count <= 1);
  if (e->kind == TB_STAGED_INSTANT) return TB_OK;
  assert_int_equal(lane_index, check->ended ? 0 : check->lanes);
  if (!check->ended) check->lanes++;
  return TB_OK;
}

static enum tb_status end_checked(void *ctx, int64_t ts, const struct tb_staged_event *entry,
                                  const struct tb_open_slice *slice, bool innermost, bool cut,
                                  const struct tb_lane *lane, uint32_t lane_index) {
  struct lane_check *check = ctx;
  (void)entry;
  (void)slice;
  (void)lane;
  assert_true(innermost && !cut);
  assert_true(ts >= check->next_end);
  if (check->ended < check->lanes) assert_int_equal(lane_index, check->ended);
  check->next_end = ts;
  check->ended++;
  return TB_OK;
}

static enum tb_status orphan_not_expected(void *ctx, const struct tb_staged_event *e, bool among_open) {
  (void)among_open;
  (void)ctx;
  (void)e;
  fail();
  return TB_INVALID;
}

/* COMPLETE slices have no name on a queue: the tests give theirs by key. */
static void nest(struct tb_staged_event *entries, size_t count, const struct tb_slice_nester_sink *sink) {
  struct tb_error error = {.code = TB_OK};
  struct tb_sort_queue s;
  struct tb_sort_queue_cursor cursor;
  struct tb_slice_nester nesting;
  struct tb_staged_event e;
  tb_sort_queue_init(&s, tb_default_allocator());
  for (size_t i = 0; i < count; i++) assert_int_equal(tb_sort_queue_add(&s, &entries[i]), TB_OK);
  if (!s.sorted) assert_int_equal(tb_sort_queue_index(&s), TB_OK);
  assert_int_equal(tb_match_slices(&s, 4), TB_OK);
  tb_slice_nester_init(&nesting, &s, true, 4, sink);
  assert_int_equal(tb_sort_queue_open(&s, NULL, &cursor, &error), TB_OK);
  while (tb_sort_queue_next(&cursor, &e, &error) == TB_OK)
    assert_int_equal(tb_slice_nester_put(&nesting, &e, cursor.place - 1), TB_OK);
  assert_int_equal(tb_slice_nester_finish(&nesting), TB_OK);
  tb_sort_queue_close(&cursor);
  tb_slice_nester_free(&nesting);
  tb_sort_queue_free(&s);
}

static void check_nesting(struct tb_staged_event *entries, size_t count, const char *expected) {
  struct calls calls = {.len = 0};
  const struct tb_slice_nester_sink sink = {&calls, lane_group, begin, end, orphan_end};
  nest(entries, count, &sink);
  assert_string_equal(calls.text, expected);
}

static void ends_complete_slices_in_the_order_of_time(void **state) {
  (void)state;
  struct tb_staged_event entries[] = {entry(TB_STAGED_COMPLETE, 0, 0, 10), entry(TB_STAGED_COMPLETE, 0, 2, 3),
                                      entry(TB_STAGED_COMPLETE, 0, 10, 1)};
  check_nesting(entries, 3, "B0@0/0 B0@2/0 E0@5/0 E0@10/0 B0@10/0 E0@11/0 ");
}

static void gives_a_slice_that_overlaps_a_lane_of_its_own(void **state) {
  (void)state;
  struct tb_staged_event entries[] = {entry(TB_STAGED_COMPLETE, 0, 0, 10), entry(TB_STAGED_COMPLETE, 0, 5, 10),
                                      entry(TB_STAGED_COMPLETE, 0, 16, 1)};
  check_nesting(entries, 3, "B0@0/0 B0@5/1 E0@10/0 E0@15/1 B0@16/0 E0@17/0 ");
}

static void keeps_keys_on_lanes_of_their_own(void **state) {
  (void)state;
  struct tb_staged_event entries[] = {entry(TB_STAGED_BEGIN, 7, 0, 0), entry(TB_STAGED_BEGIN, 8, 1, 0),
                                      entry(TB_STAGED_END, 0, 2, 0), entry(TB_STAGED_END, 0, 3, 0)};
  entries[0].key = entries[2].key = 1;
  entries[1].key = entries[3].key = 2;
  check_nesting(entries, 4, "B7@0/0 B8@1/1 E7@2/0 E8@3/1 ");
}

static void puts_BEGIN_and_END_that_cross_on_two_lanes(void **state) {
  (void)state;
  struct tb_staged_event entries[] = {entry(TB_STAGED_BEGIN, 1, 0, 0), entry(TB_STAGED_BEGIN, 2, 1, 0),
                                      entry(TB_STAGED_END, 1, 2, 0), entry(TB_STAGED_END, 2, 3, 0)};
  check_nesting(entries, 4, "B1@0/0 B2@1/1 E1@2/0 E2@3/1 ");
}

static void reports_an_END_without_a_slice(void **state) {
  (void)state;
  struct tb_staged_event entries[] = {entry(TB_STAGED_END, 3, 0, 0), entry(TB_STAGED_COMPLETE, 0, 1, 1)};
  check_nesting(entries, 2, "!3@0/0 B0@1/0 E0@2/0 ");
}

static void says_whether_slices_that_ENDs_end_are_all_that_is_open_at_one_that_ends_none(void **state) {
  (void)state;
  struct tb_staged_event entries[] = {entry(TB_STAGED_COMPLETE, 0, 0, 9), entry(TB_STAGED_END, 1, 1, 0),
                                      entry(TB_STAGED_BEGIN, 2, 2, 0),    entry(TB_STAGED_END, 1, 3, 0),
                                      entry(TB_STAGED_BEGIN, 3, 11, 0),   entry(TB_STAGED_END, 1, 12, 0),
                                      entry(TB_STAGED_END, 3, 13, 0),     entry(TB_STAGED_END, 1, 14, 0)};
  check_nesting(entries, 8, "B0@0/0 !1@1/0 B2@2/0 !1@3/0 E0@9/0 B3@11/0 ?1@12/0 E3@13/0 ?1@14/0 ");
  check_nesting(entries + 4, 4, "B3@11/0 ?1@12/0 E3@13/0 !1@14/0 ");
}

static void gives_a_freed_lane_to_another_key_only_past_its_time(void **state) {
  (void)state;
  struct tb_staged_event entries[] = {entry(TB_STAGED_COMPLETE, 1, 0, 5), entry(TB_STAGED_COMPLETE, 2, 1, 4),
                                      entry(TB_STAGED_INSTANT, 3, 5, 0), entry(TB_STAGED_INSTANT, 4, 5, 0),
                                      entry(TB_STAGED_INSTANT, 5, 6, 0)};
  for (uint32_t i = 0; i < 5; i++) entries[i].key = i % 3 + 1; /* all of one lane group, as async tracks are */
  struct calls calls = {.len = 0};
  const struct tb_slice_nester_sink sink = {&calls, one_group, begin, end, orphan_end};
  nest(entries, 5, &sink);
  assert_string_equal(calls.text, "B0@0/0 B0@1/1 E0@5/0 E0@5/1 B0@5/0 B0@5/1 B0@6/0 ");
}

/* Lanes by the thousand: each slice overlaps all others, ends in the order that they began in, and what comes then has
 * the first lane. */
static void takes_thousands_of_slices_side_by_side(void **state) {
  (void)state;
  enum { SLICES = 3000 };
  static struct tb_staged_event entries[2 * SLICES + 1];
  for (int64_t i = 0; i < SLICES; i++) {
    entries[i] = entry(i % 2 ? TB_STAGED_BEGIN : TB_STAGED_COMPLETE, (uint32_t)i + 1, i, SLICES);
    entries[SLICES + i] = entry(i % 2 ? TB_STAGED_END : TB_STAGED_INSTANT, (uint32_t)i + 1, SLICES + i, 0);
  }
  entries[2 * SLICES] = entry(TB_STAGED_COMPLETE, 0, 2 * SLICES, 1);
  struct lane_check check = {.next_end = 0};
  const struct tb_slice_nester_sink sink = {&check, lane_group, begin_checked, end_checked, orphan_not_expected};
  nest(entries, 2 * SLICES + 1, &sink);
  assert_int_equal(check.lanes, SLICES);
  assert_int_equal(check.ended, SLICES + 1);
}

/* Puts entries until there is no memory, or all of them. */
static enum tb_status put_all(struct tb_sort_queue *s, const struct tb_slice_nester_sink *sink) {
  struct tb_sort_queue_cursor cursor = {0};
  struct tb_slice_nester nesting;
  struct tb_staged_event e;
  struct tb_error error = {.code = TB_OK};
  tb_slice_nester_init(&nesting, s, false, 4, sink);
  enum tb_status status = tb_sort_queue_open(s, NULL, &cursor, &error);
  while (status == TB_OK && (status = tb_sort_queue_next(&cursor, &e, &error)) == TB_OK)
    status = tb_slice_nester_put(&nesting, &e, cursor.place - 1);
  if (status == TB_END) status = tb_slice_nester_finish(&nesting);
  tb_sort_queue_close(&cursor);
  tb_slice_nester_free(&nesting);
  return status;
}

static void memory_that_runs_out_is_an_error_and_all_is_freed_once(void **state) {
  (void)state;
  enum { SLICES = 20 };
  enum tb_status status = TB_NO_MEMORY;
  for (size_t at = 0; status != TB_OK; at++) {
    struct faults faults = {.at = SIZE_MAX};
    const struct tb_allocator allocator = faulty_allocator(&faults);
    struct tb_sort_queue s;
    struct calls calls = {.len = 0};
    const struct tb_slice_nester_sink sink = {&calls, lane_group, begin, end, orphan_end};
    tb_sort_queue_init(&s, &allocator);
    for (int64_t i = 0; i < SLICES; i++) {
      struct tb_staged_event e = entry(TB_STAGED_COMPLETE, 0, i, SLICES);
      e.end_body = (struct tb_str){"what ends", 9};
      assert_int_equal(tb_sort_queue_add(&s, &e), TB_OK);
    }
    faults.at = faults.calls + at;
    status = put_all(&s, &sink);
    assert_int_equal(status, faults.calls > faults.at ? TB_NO_MEMORY : TB_OK);
    tb_sort_queue_free(&s);
    assert_int_equal(faults.held, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends_complete_slices_in_the_order_of_time),
      cmocka_unit_test(gives_a_slice_that_overlaps_a_lane_of_its_own),
      cmocka_unit_test(keeps_keys_on_lanes_of_their_own),
      cmocka_unit_test(puts_BEGIN_and_END_that_cross_on_two_lanes),
      cmocka_unit_test(reports_an_END_without_a_slice),
      cmocka_unit_test(says_whether_slices_that_ENDs_end_are_all_that_is_open_at_one_that_ends_none),
      cmocka_unit_test(gives_a_freed_lane_to_another_key_only_past_its_time),
      cmocka_unit_test(takes_thousands_of_slices_side_by_side),
      cmocka_unit_test(memory_that_runs_out_is_an_error_and_all_is_freed_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
