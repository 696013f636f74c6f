/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>

#include "chrome_json/writer/flow_sorter.h"
#include "io/spool.h"

struct seen {
  uint64_t count, flows;
  struct tb_json_flow_point before;
  bool was_last;
};

static enum tb_status check(void *ctx, const struct tb_json_flow_point *point, bool last) {
  struct seen *seen = ctx;
  if (seen->count) {
    assert_int_equal(seen->was_last, point->flow != seen->before.flow);
    if (point->flow == seen->before.flow) {
      assert_true(point->ts > seen->before.ts || (point->ts == seen->before.ts && point->number > seen->before.number));
    } else {
      assert_true(point->flow > seen->before.flow);
    }
  }
  assert_int_equal(point->pid, (int64_t)point->flow * 3);
  seen->before = *point;
  seen->was_last = last;
  seen->count++;
  seen->flows += last;
  return TB_OK;
}

static void add_and_walk(uint64_t count, size_t limit) {
  struct tb_json_flow_sorter points;
  struct tb_error error = {0};
  struct seen seen = {0};
  tb_json_flow_sorter_init(&points, tb_default_allocator(), limit, NULL);
  uint64_t seed = 7;
  for (uint64_t i = 0; i < count; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    struct tb_json_flow_point point = {.flow = seed >> 40 & 1023, .ts = (int64_t)(seed >> 20 & 255)};
    point.pid = (int64_t)point.flow * 3;
    assert_int_equal(tb_json_flow_sorter_add(&points, &point, &error), TB_OK);
  }
  assert_int_equal(tb_json_flow_sorter_walk(&points, check, &seen, &error), TB_OK);
  assert_int_equal(seen.count, count);
  seen = (struct seen){0};
  assert_int_equal(tb_json_flow_sorter_walk(&points, check, &seen, &error), TB_OK);
  assert_int_equal(seen.count, count);
  assert_true(seen.flows <= 1024);
  if (count) assert_true(seen.was_last);
  tb_json_flow_sorter_free(&points);
}

static void points_in_memory_come_by_flow_and_time(void **state) {
  (void)state;
  add_and_walk(0, 100);
  add_and_walk(1, 100);
  add_and_walk(50000, 100000);
}

static void points_past_the_limit_come_in_the_same_order(void **state) {
  (void)state;
  add_and_walk(50000, 5000);
  add_and_walk(50001, 700);
  add_and_walk(20000, 20000);
  add_and_walk(20001, 20000);
}

static void a_spool_returns_what_it_was_given_and_spilled(void **state) {
  (void)state;
  struct tb_spool spool;
  struct tb_error error = {0};
  tb_spool_init(&spool, tb_default_allocator(), 10, NULL);
  assert_true(tb_spool_empty(&spool));
  assert_int_equal(tb_spool_add(&spool, "0123456", 7, &error), TB_OK);
  assert_int_equal(tb_spool_spilled(&spool), 0);
  assert_int_equal(tb_spool_add(&spool, "789abcdefghijkl", 15, &error), TB_OK);
  assert_int_equal(tb_spool_spilled(&spool), 7);
  char text[12] = {0};
  assert_int_equal(tb_spool_read(&spool, 4, text, 11, &error), TB_OK);
  assert_string_equal(text, "456789abcde");
  assert_int_equal(tb_spool_size(&spool), 22);
  tb_spool_free(&spool);
}

static void a_spool_that_cannot_make_its_file_says_so(void **state) {
  (void)state;
  struct tb_spool spool;
  struct tb_error error = {0};
  tb_spool_init(&spool, tb_default_allocator(), 1, "/nonexistent");
  assert_int_equal(tb_spool_add(&spool, "ab", 2, &error), TB_OK);
  assert_int_equal(tb_spool_add(&spool, "cd", 2, &error), TB_IO);
  assert_int_equal(error.code, TB_IO);
  tb_spool_free(&spool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_in_memory_come_by_flow_and_time),
      cmocka_unit_test(points_past_the_limit_come_in_the_same_order),
      cmocka_unit_test(a_spool_returns_what_it_was_given_and_spilled),
      cmocka_unit_test(a_spool_that_cannot_make_its_file_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
