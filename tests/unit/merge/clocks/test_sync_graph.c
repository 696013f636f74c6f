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

static uint32_t join(uint32_t a, uint32_t b, enum tb_graph_rank rank, int64_t offset) {
  struct tb_graph_edge edge = {.a = node(a), .b = node(b), .rank = rank, .offset = offset};
  assert_int_equal(tb_sync_graph_edge(&graph, &edge), TB_OK);
  return (uint32_t)graph.edge_count - 1;
}

/* Where time `own` of an input goes. */
static int64_t place(uint32_t input, int64_t own) {
  uint32_t weakest;
  tb_time_map_free(&there);
  assert_int_equal(tb_sync_graph_way(&graph, node(input), &there, NULL, &weakest), TB_OK);
  return tb_time_map_apply(&there, own);
}

static void the_way_whose_worst_edge_is_best_counts_and_not_the_shortest(void **unused) {
  (void)unused;
  join(1, 0, TB_RANK_REALTIME, 7);
  join(1, 2, TB_RANK_SNAPSHOTS, 100);
  uint32_t worst = join(2, 0, TB_RANK_SAME_BOOT, 200);
  assert_int_equal(tb_sync_graph_solve(&graph, node(0)), TB_OK);
  uint32_t weakest;
  assert_int_equal(tb_sync_graph_way(&graph, node(1), &there, &back, &weakest), TB_OK);
  assert_int_equal(tb_time_map_apply(&there, 5), 305);
  assert_int_equal(tb_time_map_apply(&back, 305), 5);
  assert_int_equal(weakest, worst);
}

static void what_the_user_relates_stays_related_whatever_the_target(void **unused) {
  (void)unused;
  for (uint32_t target = 0; target < 3; target++) {
    tb_sync_graph_free(&graph);
    tb_sync_graph_init(&graph, tb_default_allocator());
    join(0, 9, TB_RANK_REALTIME, 0);
    join(1, 9, TB_RANK_REALTIME, 1000);
    join(2, 9, TB_RANK_REALTIME, 2005);
    join(1, 2, TB_RANK_GIVEN, -1000);
    assert_int_equal(tb_sync_graph_solve(&graph, node(target)), TB_OK);
    assert_int_equal(place(2, -1000), place(1, 0));
  }
}

/* Two clocks of each of two inputs are the same: the one that leaves no more steps counts, whatever was first. */
static void of_edges_between_two_trees_the_one_next_to_the_target_counts(void **unused) {
  (void)unused;
  enum { TARGET, A_BOOT, A_MONO, B_BOOT, B_MONO, SHARED_BOOT, SHARED_MONO };
  join(A_MONO, A_BOOT, TB_RANK_SNAPSHOTS, 300);
  join(B_MONO, B_BOOT, TB_RANK_SNAPSHOTS, 100);
  join(A_MONO, SHARED_MONO, TB_RANK_SAME_BOOT, 0);
  join(B_MONO, SHARED_MONO, TB_RANK_SAME_BOOT, 0);
  join(A_BOOT, SHARED_BOOT, TB_RANK_SAME_BOOT, 0);
  join(B_BOOT, SHARED_BOOT, TB_RANK_SAME_BOOT, 0);
  join(A_BOOT, TARGET, TB_RANK_REFERENCE, 0);
  assert_int_equal(tb_sync_graph_solve(&graph, node(TARGET)), TB_OK);
  assert_int_equal(place(B_BOOT, 7), 7);
  assert_int_equal(place(B_MONO, 7), 107);
}

static void among_edges_of_one_rank_the_fewest_count(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < 20; i++) join(i, i + 1, TB_RANK_MESSAGES, 1);
  join(20, 0, TB_RANK_MESSAGES, -19);
  assert_int_equal(tb_sync_graph_solve(&graph, node(0)), TB_OK);
  uint32_t weakest;
  assert_int_equal(tb_sync_graph_way(&graph, node(20), &there, &back, &weakest), TB_OK);
  assert_int_equal(tb_time_map_apply(&there, 0), -19);
  assert_int_equal(weakest, 20);
}

static void a_chain_of_any_length_is_one_line(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < 300; i++) join(i + 1, i, TB_RANK_MESSAGES, 3);
  assert_int_equal(tb_sync_graph_solve(&graph, node(0)), TB_OK);
  uint32_t weakest;
  assert_int_equal(tb_sync_graph_way(&graph, node(300), &there, &back, &weakest), TB_OK);
  assert_int_equal(tb_time_map_apply(&there, 0), 900);
  assert_int_equal(tb_time_map_apply(&back, 900), 0);
  int64_t offset;
  assert_true(tb_time_map_is_offset(&there, &offset));
}

static void edges_lead_both_ways(void **unused) {
  (void)unused;
  join(0, 1, TB_RANK_GIVEN, 50);
  assert_int_equal(tb_sync_graph_solve(&graph, node(0)), TB_OK);
  uint32_t weakest;
  assert_int_equal(tb_sync_graph_way(&graph, node(1), &there, NULL, &weakest), TB_OK);
  assert_int_equal(tb_time_map_apply(&there, 80), 30);
}

static void a_clock_that_nothing_relates_is_the_root_of_its_own_tree(void **unused) {
  (void)unused;
  join(0, 1, TB_RANK_GIVEN, 50);
  uint32_t lonely = node(9), found;
  assert_int_equal(tb_sync_graph_solve(&graph, node(0)), TB_OK);
  assert_int_equal(graph.nodes[lonely].root, lonely);
  assert_int_equal(graph.nodes[node(1)].root, node(0));
  assert_int_equal(tb_sync_graph_next(&graph, lonely), UINT32_MAX);
  assert_false(tb_sync_graph_find(&graph, (struct tb_graph_key){3, 0, 6}, &found));
}

static void bounds_add_up_along_the_way(void **unused) {
  (void)unused;
  struct tb_time_bound_point first[] = {{1000000, 10}, {2000000, 10}}, second[] = {{101500000, 5}};
  struct tb_graph_edge edge = {
      .a = node(1), .b = node(2), .rank = TB_RANK_REALTIME, .offset = 100000000, .bound = {first, 2, 1e-4}};
  assert_int_equal(tb_sync_graph_edge(&graph, &edge), TB_OK);
  edge = (struct tb_graph_edge){.a = node(2), .b = node(0), .rank = TB_RANK_REALTIME, .bound = {second, 1, 1e-5}};
  assert_int_equal(tb_sync_graph_edge(&graph, &edge), TB_OK);
  assert_int_equal(tb_sync_graph_solve(&graph, node(0)), TB_OK);
  struct tb_time_bound bound;
  int64_t evidence_ns;
  assert_int_equal(tb_sync_graph_bound(&graph, node(1), 0, 3000000, &bound, &evidence_ns), TB_OK);
  assert_int_equal(tb_time_bound_at(&bound, 1500000), 15);
  assert_int_equal(tb_time_bound_at(&bound, 1000000), 20);
  assert_in_range(tb_time_bound_at(&bound, 0), 130, 132); /* rounded up */
  assert_in_range(tb_time_bound_at(&bound, 3000000), 130, 132);
  assert_int_equal(evidence_ns, 15);
  tb_time_bound_free(&bound, tb_default_allocator());
}

static void a_jump_of_a_bound_stays_a_jump(void **unused) {
  (void)unused;
  struct tb_time_bound_point points[] = {{0, 1}, {1000, 1}, {1000, 500}, {2000, 500}, {2000, 1}, {3000, 1}};
  struct tb_graph_edge edge = {.a = node(1), .b = node(0), .rank = TB_RANK_SAME_BOOT, .bound = {points, 6, 0}};
  assert_int_equal(tb_sync_graph_edge(&graph, &edge), TB_OK);
  assert_int_equal(tb_sync_graph_solve(&graph, node(0)), TB_OK);
  struct tb_time_bound bound;
  int64_t evidence_ns;
  assert_int_equal(tb_sync_graph_bound(&graph, node(1), 0, 3000, &bound, &evidence_ns), TB_OK);
  assert_int_equal(tb_time_bound_at(&bound, 500), 1);
  assert_int_equal(tb_time_bound_at(&bound, 999), 1);
  assert_int_equal(tb_time_bound_at(&bound, 1000), 500);
  assert_int_equal(tb_time_bound_at(&bound, 2000), 500);
  assert_int_equal(tb_time_bound_at(&bound, 2001), 1);
  assert_int_equal(tb_time_bound_at(&bound, 2500), 1);
  tb_time_bound_free(&bound, tb_default_allocator());
}

static void edges_that_say_something_else_widen_the_bounds_of_those_that_count(void **unused) {
  (void)unused;
  join(0, 9, TB_RANK_REALTIME, 0);
  uint32_t used = join(1, 9, TB_RANK_REALTIME, 0), other = join(2, 9, TB_RANK_REALTIME, 5000);
  uint32_t given = join(1, 2, TB_RANK_GIVEN, 0);
  assert_int_equal(tb_sync_graph_solve(&graph, node(0)), TB_OK);
  struct tb_graph_conflict worst;
  assert_int_equal(tb_sync_graph_compare(&graph, TB_RANK_REALTIME, &worst), TB_OK);
  assert_int_equal(worst.edge, other);
  assert_int_equal(worst.apart_ns, 5000);
  assert_int_equal(tb_time_bound_at(&graph.edges[used].bound, 0), 5000);
  assert_int_equal(tb_time_bound_at(&graph.edges[given].bound, 0), 5000);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(the_way_whose_worst_edge_is_best_counts_and_not_the_shortest),
      TEST(what_the_user_relates_stays_related_whatever_the_target),
      TEST(of_edges_between_two_trees_the_one_next_to_the_target_counts),
      TEST(among_edges_of_one_rank_the_fewest_count),
      TEST(a_chain_of_any_length_is_one_line),
      TEST(edges_lead_both_ways),
      TEST(a_clock_that_nothing_relates_is_the_root_of_its_own_tree),
      TEST(bounds_add_up_along_the_way),
      TEST(a_jump_of_a_bound_stays_a_jump),
      TEST(edges_that_say_something_else_widen_the_bounds_of_those_that_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
