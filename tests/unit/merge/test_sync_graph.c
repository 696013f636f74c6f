/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/sync_graph.h"

#include "support/merge_fixture.h"

static struct tb_sync_graph graph;
static struct tb_time_map there, back;

static int set_up(void **unused) {
  (void)unused;
  tb_sync_graph_init(&graph, tb_default_allocator());
  tb_time_map_init(&there, tb_default_allocator());
  tb_time_map_init(&back, tb_default_allocator());
  return 0;
}
static int tear_down(void **unused) {
  (void)unused;
  tb_sync_graph_free(&graph);
  tb_time_map_free(&there);
  tb_time_map_free(&back);
  return 0;
}

static uint32_t node(uint32_t input) {
  uint32_t index;
  assert_int_equal(tb_sync_graph_node(&graph, (struct tb_graph_key){input, 0, 6}, &index), TB_OK);
  return index;
}

static void join(uint32_t a, uint32_t b, uint32_t cost, int64_t offset) {
  struct tb_graph_edge edge = {.a = node(a), .b = node(b), .cost = cost, .offset = offset};
  assert_int_equal(tb_sync_graph_edge(&graph, &edge), TB_OK);
}

static void the_most_trusted_way_counts_and_not_the_shortest(void **unused) {
  (void)unused;
  join(1, 0, 1000, 7);
  join(1, 2, 10, 100);
  join(2, 0, 20, 200);
  assert_int_equal(tb_sync_graph_solve(&graph, node(0)), TB_OK);
  uint32_t weakest;
  assert_int_equal(tb_sync_graph_way(&graph, node(1), &there, &back, &weakest), TB_OK);
  assert_int_equal(tb_time_map_apply(&there, 5), 305);
  assert_int_equal(tb_time_map_apply(&back, 305), 5);
  assert_int_equal(graph.edges[weakest].cost, 20);
}

static void edges_lead_both_ways(void **unused) {
  (void)unused;
  join(0, 1, 1, 50);
  assert_int_equal(tb_sync_graph_solve(&graph, node(0)), TB_OK);
  uint32_t weakest;
  assert_int_equal(tb_sync_graph_way(&graph, node(1), &there, NULL, &weakest), TB_OK);
  assert_int_equal(tb_time_map_apply(&there, 80), 30);
}

static void a_clock_that_nothing_relates_has_no_way(void **unused) {
  (void)unused;
  join(0, 1, 1, 50);
  uint32_t lonely = node(9), weakest, found;
  assert_int_equal(tb_sync_graph_solve(&graph, node(0)), TB_OK);
  assert_int_equal(tb_sync_graph_way(&graph, lonely, &there, &back, &weakest), TB_INVALID);
  assert_false(tb_sync_graph_find(&graph, (struct tb_graph_key){3, 0, 6}, &found));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(the_most_trusted_way_counts_and_not_the_shortest),
      TEST(edges_lead_both_ways),
      TEST(a_clock_that_nothing_relates_has_no_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
