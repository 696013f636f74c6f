/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "timeline/flow_binder.h"
#include "timeline/slice_stack.h"

/* Two queues whose flow points are bound and chained. */
struct fixture {
  struct tb_flows flows;
  struct tb_sort_queue queues[2];
  uint64_t order;
};

static void open_fixture(struct fixture *f) {
  *f = (struct fixture){.order = 0};
  tb_flows_init(&f->flows, tb_default_allocator());
  for (size_t i = 0; i < 2; i++) tb_sort_queue_init(&f->queues[i], tb_default_allocator());
}

static void close_fixture(struct fixture *f) {
  tb_flows_free(&f->flows);
  for (size_t i = 0; i < 2; i++) tb_sort_queue_free(&f->queues[i]);
}

static void add(struct fixture *f, size_t queue, struct tb_staged_event e) {
  e.order = ++f->order;
  assert_int_equal(tb_sort_queue_add(&f->queues[queue], &e), TB_OK);
}

static struct tb_staged_event slice(int64_t ts, int64_t dur) {
  return (struct tb_staged_event){.kind = TB_STAGED_COMPLETE, .ts = ts, .dur = dur};
}

static struct tb_staged_event point(int64_t ts, enum tb_flow_step step) {
  return (struct tb_staged_event){.kind = TB_STAGED_FLOW, .ts = ts, .flow = (uint8_t)step, .flow_key = 1};
}

static void bind_and_chain(struct fixture *f) {
  struct tb_error error = {.code = TB_OK};
  const uint64_t wanted[] = {0, 77};
  for (uint32_t i = 0; i < 2; i++) {
    if (!f->queues[i].sorted) assert_int_equal(tb_sort_queue_index(&f->queues[i]), TB_OK);
    assert_int_equal(tb_flows_bind(&f->flows, &f->queues[i], i, NULL, &error), TB_OK);
  }
  assert_int_equal(tb_flows_link(&f->flows, wanted, 2), TB_OK);
}

static void check_join(const struct tb_slice_flow *flow, uint32_t queue, uint64_t place, bool terminating) {
  assert_int_equal(flow->queue, queue);
  assert_int_equal(flow->place, place);
  assert_int_equal(flow->terminating, terminating);
  assert_int_equal(flow->id, 77);
}

static void joins_the_slices_around_a_start_and_an_end(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f);
  add(&f, 0, slice(0, 100));
  add(&f, 0, slice(10, 20));
  add(&f, 0, point(15, TB_FLOW_OUT)); /* in the inner slice, place 1 */
  add(&f, 1, slice(40, 20));
  add(&f, 1, point(50, TB_FLOW_IN));
  bind_and_chain(&f);
  assert_int_equal(f.flows.edges, 1);
  assert_int_equal(f.flows.slice_count, 2);
  check_join(&f.flows.slices[0], 0, 1, false);
  check_join(&f.flows.slices[1], 1, 0, true);
  close_fixture(&f);
}

static void an_end_without_bp_e_joins_the_next_slice_of_its_track(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f);
  add(&f, 0, slice(0, 100));
  add(&f, 0, point(15, TB_FLOW_OUT));
  add(&f, 1, slice(40, 20));
  add(&f, 1, point(50, TB_FLOW_IN_NEXT));
  add(&f, 1, slice(70, 5));
  bind_and_chain(&f);
  assert_int_equal(f.flows.slice_count, 2);
  check_join(&f.flows.slices[1], 1, 2, true);
  close_fixture(&f);
}

static void counts_points_that_no_slice_takes(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f);
  add(&f, 0, slice(0, 10));
  add(&f, 0, point(5, TB_FLOW_OUT));
  add(&f, 1, point(50, TB_FLOW_IN_NEXT)); /* nothing follows */
  bind_and_chain(&f);
  assert_int_equal(f.flows.edges, 0);
  assert_true(f.flows.unbound_count > 0);
  close_fixture(&f);
}

static void steps_join_one_slice_after_the_other(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f);
  add(&f, 0, slice(0, 10));
  add(&f, 0, point(5, TB_FLOW_OUT));
  add(&f, 1, slice(20, 10));
  add(&f, 1, point(25, TB_FLOW_THROUGH));
  add(&f, 0, slice(40, 10));
  add(&f, 0, point(45, TB_FLOW_IN));
  bind_and_chain(&f);
  assert_int_equal(f.flows.edges, 2);
  close_fixture(&f);
}

/* ---- the stack --------------------------------------------------------------------------------------------------- */

static bool nests(struct tb_slice_stack *s, struct tb_staged_event e, uint64_t place) {
  bool nest, pushed;
  assert_int_equal(tb_slice_stack_begin(s, tb_default_allocator(), &e, place, &nest, &pushed), TB_OK);
  return nest;
}

static void the_stack_drops_what_is_over_when_the_next_slice_begins(void **state) {
  (void)state;
  struct tb_slice_stack s = {0};
  assert_true(nests(&s, slice(0, 100), 0));
  assert_true(nests(&s, slice(10, 10), 1));
  assert_int_equal(tb_slice_stack_top(&s)->place, 1);
  assert_true(nests(&s, slice(20, 80), 2));
  assert_int_equal(s.slices.count, 2);
  assert_false(nests(&s, slice(90, 20), 3)); /* outlasts both */
  assert_int_equal(tb_slice_stack_top(&s)->place, 2);
  tb_slice_stack_free(&s, tb_default_allocator());
}

static void the_stack_cuts_open_slices_only_past_the_end_of_what_is_around_them(void **state) {
  (void)state;
  struct tb_staged_event begin = {.kind = TB_STAGED_BEGIN, .ts = 5};
  for (int64_t ts = 10; ts <= 11; ts++) {
    struct tb_slice_stack s = {0};
    assert_true(nests(&s, slice(0, 10), 0));
    assert_true(nests(&s, begin, 1));
    assert_int_equal(nests(&s, slice(ts, 1), 2), ts == 10);
    tb_slice_stack_free(&s, tb_default_allocator());
  }
}

static void the_stack_takes_slices_of_any_length(void **state) {
  (void)state;
  struct tb_staged_event begin = {.kind = TB_STAGED_BEGIN, .ts = INT64_MIN},
                         end = {.kind = TB_STAGED_END, .ts = INT64_MAX};
  struct tb_slice_stack s = {0};
  struct tb_stack_frame_ref ended;
  assert_true(nests(&s, begin, 0));
  assert_true(tb_slice_stack_end(&s, &end, &ended));
  assert_int_equal(ended.open.ts, INT64_MIN);
  tb_slice_stack_free(&s, tb_default_allocator());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joins_the_slices_around_a_start_and_an_end),
      cmocka_unit_test(an_end_without_bp_e_joins_the_next_slice_of_its_track),
      cmocka_unit_test(counts_points_that_no_slice_takes),
      cmocka_unit_test(steps_join_one_slice_after_the_other),
      cmocka_unit_test(the_stack_drops_what_is_over_when_the_next_slice_begins),
      cmocka_unit_test(the_stack_cuts_open_slices_only_past_the_end_of_what_is_around_them),
      cmocka_unit_test(the_stack_takes_slices_of_any_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
