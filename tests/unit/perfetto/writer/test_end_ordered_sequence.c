/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices that come when they end; their packets must be those that a tb_streamed_sequence writes of the same entries in
 * the order of time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perfetto/writer/staged/end_ordered_sequence.h"
#include "perfetto/writer/staged/streamed_sequence.h"

enum { SEQUENCE = 300, ENTRIES_MAX = 4000 };

static struct tb_staged_event entries[ENTRIES_MAX];
static size_t entry_count;

static int start(void **state) {
  (void)state;
  entry_count = 0;
  return 0;
}

/* A slice, or an instant where it ends as it begins. Its body says which one it is. */
static void add(int64_t begin, int64_t end) {
  static char bodies[ENTRIES_MAX][4 + TB_PACKET_BYTES_AHEAD];
  assert_true(entry_count < ENTRIES_MAX);
  char *body = bodies[entry_count];
  size_t body_len = (size_t)(tb_wire_put_uint(body, TB_TRACK_EVENT_NAME_IID, 100 + entry_count) - body);
  entries[entry_count] = (struct tb_staged_event){.kind = begin == end ? TB_STAGED_INSTANT : TB_STAGED_COMPLETE,
                                                  .ts = begin,
                                                  .dur = end - begin,
                                                  .order = entry_count,
                                                  .body = {body, body_len}};
  entry_count++;
}

/* ---- what is written --------------------------------------------------------------------------------------------- */

struct written {
  struct tb_buffer bytes;
  int64_t first_ts;
  uint64_t announced;         /* bytes */
  struct tb_spill_file *file; /* NULL: all stays in memory */
};

static enum tb_status see_start(void *ctx, int64_t ts, uint64_t bytes) {
  ((struct written *)ctx)->first_ts = ts;
  ((struct written *)ctx)->announced = bytes;
  return TB_OK;
}

static enum tb_status see_packets(void *ctx, struct tb_str packets) {
  return tb_buffer_append(&((struct written *)ctx)->bytes, packets.ptr, packets.len);
}

static enum tb_status see_packet(void *ctx, struct tb_str packet, uint64_t place, unsigned sides, struct tb_str fields,
                                 struct tb_str end_args) {
  (void)place, (void)sides, (void)fields, (void)end_args;
  return see_packets(ctx, packet);
}

static enum tb_status spill_packets(void *ctx, struct tb_spill_log *packets) {
  struct written *written = ctx;
  return written->file ? tb_spill_log_spill(packets, written->file, NULL) : TB_OK;
}

/* False where the entries do not nest, or not in one way only. With a file, they are spilled after each `step`. */
static bool write_end_ordered(struct written *written, size_t step) {
  struct tb_end_ordered_sequence end_ordered;
  tb_end_ordered_sequence_init(&end_ordered, tb_default_allocator());
  for (size_t i = 0; i < entry_count; i++) {
    assert_int_equal(tb_end_ordered_sequence_put(&end_ordered, &entries[i]), TB_OK);
    if (written->file && step && i % step == 0)
      assert_int_equal(tb_spill_log_spill(&end_ordered.entries, written->file, NULL), TB_OK);
  }
  bool nests;
  assert_int_equal(tb_end_ordered_sequence_nests(&end_ordered, &nests, NULL), TB_OK);
  const struct tb_end_ordered_sequence_sink sink = {written, see_start, see_packets, spill_packets};
  assert_int_equal(tb_end_ordered_sequence_emit(&end_ordered, SEQUENCE, &sink, NULL), nests ? TB_OK : TB_INVALID);
  tb_end_ordered_sequence_free(&end_ordered);
  return nests;
}

static int compare(const void *a, const void *b) {
  const struct tb_staged_event *x = a, *y = b;
  if (x->ts != y->ts) return x->ts < y->ts ? -1 : 1;
  if ((x->kind == TB_STAGED_COMPLETE) != (y->kind == TB_STAGED_COMPLETE)) return x->kind == TB_STAGED_COMPLETE ? -1 : 1;
  if (x->dur != y->dur) return x->dur > y->dur ? -1 : 1;
  return x->order < y->order ? -1 : 1; /* in which they came */
}

static void write_streamed(struct written *written) {
  struct tb_streamed_sequence streamed;
  tb_streamed_sequence_init(&streamed, tb_default_allocator(), SEQUENCE);
  struct tb_str none = {NULL, 0};
  qsort(entries, entry_count, sizeof(entries[0]), compare);
  for (size_t i = 0; i < entry_count; i++) {
    struct tb_staged_event entry = entries[i];
    if (entry.kind == TB_STAGED_INSTANT) entry.dur = 0;
    assert_int_equal(tb_streamed_sequence_put(&streamed, &entry, true, none), TB_OK);
  }
  assert_int_equal(tb_streamed_sequence_finish(&streamed, NULL), TB_OK);
  written->first_ts = streamed.first_ts;
  const struct tb_streamed_sequence_sink sink = {written, see_packets, see_packet};
  assert_int_equal(tb_streamed_sequence_emit(&streamed, &sink, NULL), TB_OK);
  tb_streamed_sequence_free(&streamed);
}

static bool write_both_with(struct tb_spill_file *file, size_t step) {
  struct written end_ordered = {.first_ts = -1, .file = file}, streamed = {.first_ts = -1};
  tb_buffer_init(&end_ordered.bytes, tb_default_allocator(), 0);
  tb_buffer_init(&streamed.bytes, tb_default_allocator(), 0);
  bool nests = write_end_ordered(&end_ordered, step);
  if (nests) {
    write_streamed(&streamed);
    assert_int_equal(end_ordered.first_ts, streamed.first_ts);
    assert_int_equal(end_ordered.bytes.len, streamed.bytes.len);
    assert_int_equal(end_ordered.announced, end_ordered.bytes.len);
    assert_memory_equal(end_ordered.bytes.data, streamed.bytes.data, end_ordered.bytes.len);
  }
  tb_buffer_free(&end_ordered.bytes);
  tb_buffer_free(&streamed.bytes);
  return nests;
}

static bool write_both(void) { return write_both_with(NULL, 0); }

/* ---- the tests --------------------------------------------------------------------------------------------------- */

static void parents_come_before_the_children_that_came_first(void **state) {
  (void)state;
  add(20, 30);
  add(40, 45), add(46, 46), add(10, 50), add(60, 70), add(5, 70 + INT64_C(5000000000));
  assert_true(write_both());
}

static void slices_may_touch_and_share_a_begin_or_an_end(void **state) {
  (void)state;
  add(10, 20), add(20, 30), add(20, 30 + 5), add(10, 35), add(35, 40), add(35, 41);
  assert_true(write_both());
}

static void an_instant_where_a_slice_begins_or_after_one_ends_is_in_its_place(void **state) {
  (void)state;
  add(10, 10), add(10, 20), add(20, 20), add(20, 20), add(5, 30);
  assert_true(write_both());
}

static uint32_t draw(uint64_t *random, uint32_t limit) {
  *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (uint32_t)((*random >> 33) % limit);
}

/* A slice and what happens in it, in the order in which macros would write it. */
static int64_t add_tree(uint64_t *random, int64_t now, unsigned depth, uint32_t step) {
  int64_t begin = now;
  for (uint32_t i = depth < 5 ? draw(random, 5) : 0; i && entry_count < ENTRIES_MAX / 2; i--) {
    now += draw(random, step);
    if (draw(random, 4) == 0)
      add(now, now);
    else
      now = add_tree(random, now, depth + 1, step);
  }
  now += 1 + draw(random, step);
  add(begin, now);
  return now;
}

static void trees_of_every_form_give_the_packets_that_they_give_in_order(void **state) {
  (void)state;
  size_t nested = 0;
  for (uint64_t random = 1, i = 0; i < 3000; i++) {
    entry_count = 0;
    uint32_t step = i % 3 == 0 ? 2 : i % 3 == 1 ? 5 : 3000000;
    int64_t now = -50;
    for (uint32_t trees = 1 + draw(&random, 4); trees; trees--)
      now = add_tree(&random, now, 0, step) + draw(&random, step);
    nested += write_both();
  }
  assert_true(nested > 1500); /* the others have slices of the same times, or instants where one ends */
}

static void many_entries_go_over_the_edges_of_chunks_and_blocks(void **state) {
  (void)state;
  for (int64_t i = 0; i < ENTRIES_MAX - 1; i++) add(i * 100, i * 100 + 50);
  add(-1, ENTRIES_MAX * 100);
  assert_true(write_both());
}

static void spilled_entries_give_the_packets_that_they_give_from_memory(void **state) {
  (void)state;
  static const size_t steps[] = {1, 2, 5, 1000};
  struct tb_spill_file *file;
  assert_int_equal(tb_spill_file_create(NULL, tb_default_allocator(), &file, NULL), TB_OK);
  for (uint64_t random = 7, i = 0; i < 400; i++) {
    entry_count = 0;
    int64_t now = 0;
    for (uint32_t trees = 1 + draw(&random, 4); trees; trees--) now = add_tree(&random, now, 0, 3000000) + 1;
    assert_true(write_both_with(file, steps[i % 4]));
  }
  entry_count = 0;
  for (int64_t i = 0; i < ENTRIES_MAX - 1; i++) add(i * 100, i * 100 + 50);
  add(-1, ENTRIES_MAX * 100);
  assert_true(write_both_with(file, 100));
  tb_spill_file_close(file);
}

static void slices_that_overlap_do_not_nest(void **state) {
  (void)state;
  add(10, 20), add(15, 30);
  assert_false(write_both());
}

static void slices_of_the_same_times_are_left_to_the_order_of_the_file(void **state) {
  (void)state;
  add(10, 20), add(10, 20);
  assert_false(write_both());
}

static void an_instant_before_a_slice_that_ends_at_its_time_is_left_to_the_order_of_classes(void **state) {
  (void)state;
  add(20, 20), add(10, 20);
  assert_false(write_both());
}

static void expect_refused(struct tb_staged_event entry) {
  struct tb_end_ordered_sequence end_ordered;
  tb_end_ordered_sequence_init(&end_ordered, tb_default_allocator());
  struct tb_staged_event before = {.kind = TB_STAGED_COMPLETE, .ts = 10, .dur = 10};
  assert_int_equal(tb_end_ordered_sequence_put(&end_ordered, &before), TB_OK);
  assert_false(end_ordered.closed);
  assert_int_equal(tb_end_ordered_sequence_put(&end_ordered, &entry), TB_OK);
  assert_true(end_ordered.closed);
  assert_int_equal(end_ordered.total, 1);
  assert_int_equal(tb_end_ordered_sequence_put(&end_ordered, &before), TB_OK);
  assert_true(end_ordered.closed);
  assert_int_equal(end_ordered.total, 1);
  tb_end_ordered_sequence_free(&end_ordered);
}

static void other_kinds_and_other_orders_are_refused(void **state) {
  (void)state;
  static const char body[513];
  expect_refused((struct tb_staged_event){.kind = TB_STAGED_BEGIN, .ts = 30});
  expect_refused((struct tb_staged_event){.kind = TB_STAGED_END, .ts = 30});
  expect_refused((struct tb_staged_event){.kind = TB_STAGED_FLOW, .ts = 30});
  expect_refused((struct tb_staged_event){.kind = TB_STAGED_ZERO_LENGTH_SLICE, .ts = 30});
  expect_refused((struct tb_staged_event){.kind = TB_STAGED_COMPLETE, .ts = 5, .dur = 14});
  expect_refused((struct tb_staged_event){.kind = TB_STAGED_INSTANT, .ts = 19});
  expect_refused((struct tb_staged_event){.kind = TB_STAGED_COMPLETE, .ts = 30, .dur = INT64_MAX});
  expect_refused((struct tb_staged_event){.kind = TB_STAGED_COMPLETE, .ts = 30, .dur = 5, .has_thread_ts = true});
  expect_refused((struct tb_staged_event){.kind = TB_STAGED_COMPLETE, .ts = 30, .dur = 5, .flow = TB_FLOW_OUT});
  expect_refused((struct tb_staged_event){.kind = TB_STAGED_COMPLETE, .ts = 30, .dur = 5, .end_body = {"a", 1}});
  expect_refused(
      (struct tb_staged_event){.kind = TB_STAGED_COMPLETE, .ts = 30, .dur = 5, .body = {body, sizeof(body)}});
}

static size_t taken;

static enum tb_status expect_next(void *ctx, struct tb_staged_event *entry) {
  (void)ctx;
  const struct tb_staged_event *expected = &entries[taken++];
  assert_int_equal(entry->kind, expected->kind);
  assert_int_equal(entry->ts, expected->ts);
  assert_int_equal(entry->dur, expected->dur);
  assert_int_equal(entry->body.len, expected->body.len);
  assert_memory_equal(entry->body.ptr, expected->body.ptr, expected->body.len);
  return TB_OK;
}

static void what_is_replayed_comes_as_it_came(void **state) {
  (void)state;
  for (int64_t i = 0; i < ENTRIES_MAX; i++) add(i, i % 7 ? i + 3 + (i % 5 ? 0 : INT64_C(1) << 40) : i);
  struct tb_end_ordered_sequence end_ordered;
  tb_end_ordered_sequence_init(&end_ordered, tb_default_allocator());
  size_t put = 0;
  for (size_t i = 0; i < entry_count; i++) { /* those that come when they end */
    struct tb_staged_event entry = entries[i];
    int64_t end = entry.ts + entry.dur;
    if (end >= end_ordered.last_end) {
      assert_int_equal(tb_end_ordered_sequence_put(&end_ordered, &entry), TB_OK);
      entries[put++] = entry;
    }
  }
  taken = 0;
  assert_int_equal(tb_end_ordered_sequence_replay(&end_ordered, expect_next, NULL, NULL), TB_OK);
  assert_int_equal(taken, put);
  assert_true(end_ordered.closed);
  assert_int_equal(end_ordered.entries.bytes, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(parents_come_before_the_children_that_came_first, start),
      cmocka_unit_test_setup(slices_may_touch_and_share_a_begin_or_an_end, start),
      cmocka_unit_test_setup(an_instant_where_a_slice_begins_or_after_one_ends_is_in_its_place, start),
      cmocka_unit_test_setup(trees_of_every_form_give_the_packets_that_they_give_in_order, start),
      cmocka_unit_test_setup(many_entries_go_over_the_edges_of_chunks_and_blocks, start),
      cmocka_unit_test_setup(spilled_entries_give_the_packets_that_they_give_from_memory, start),
      cmocka_unit_test_setup(slices_that_overlap_do_not_nest, start),
      cmocka_unit_test_setup(slices_of_the_same_times_are_left_to_the_order_of_the_file, start),
      cmocka_unit_test_setup(an_instant_before_a_slice_that_ends_at_its_time_is_left_to_the_order_of_classes, start),
      cmocka_unit_test_setup(other_kinds_and_other_orders_are_refused, start),
      cmocka_unit_test_setup(what_is_replayed_comes_as_it_came, start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
