/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks of hosts whose clocks are known, and messages that take a known time.
 */
#include "merge/align/message_network.h"

#include <math.h>
#include <stdlib.h>

#include "support/merge_fixture.h"

enum { HOSTS_MAX = 16, MESSAGES_MAX = 4096, CASES = 40 };
#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define S INT64_C(1000000000)
#define SPAN (100 * S)

static struct tb_network_message messages[MESSAGES_MAX];
static struct tb_network_host hosts[HOSTS_MAX];
static size_t message_count, host_count;
static struct {
  int64_t booted;
  double ppm;
} clocks[HOSTS_MAX];

static uint64_t state = 1;
static uint64_t random_below(int64_t limit) {
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (state >> 11) % (uint64_t)limit;
}
static int64_t random_time(int64_t limit) {
  return (int64_t)(((random_below(1 << 30) << 30) | random_below(1 << 30)) % (uint64_t)limit);
}

static int64_t read_clock(uint32_t host, int64_t time) {
  return clocks[host].booted + time + tb_time_round((double)time * clocks[host].ppm * 1e-6);
}

static void free_bounds(void) {
  for (size_t i = 0; i < HOSTS_MAX; i++) tb_time_bound_free(&hosts[i].bound, tb_default_allocator());
  memset(hosts, 0, sizeof(hosts));
}

static int tear_down(void **unused) {
  (void)unused;
  free_bounds();
  return 0;
}

static void start(size_t count) {
  free_bounds();
  host_count = count;
  message_count = 0;
  for (size_t i = 0; i < count; i++) {
    clocks[i].booted = i ? random_time(1000 * S) : 0;
    clocks[i].ppm = i ? (double)random_below(100000) / 1000 - 50 : 0;
  }
}

static void send(uint32_t from, uint32_t to, int64_t time, int64_t takes) {
  messages[message_count++] =
      (struct tb_network_message){from, to, read_clock(from, time), read_clock(to, time + takes), 0, false};
}

static void solve(void) {
  assert_int_equal(tb_message_network_solve(tb_default_allocator(), messages, message_count, hosts, host_count, 200e-6),
                   TB_OK);
}

static int64_t place(uint32_t host, int64_t own) {
  const struct tb_network_host *h = &hosts[host];
  if (h->root == host) return own;
  return own + h->offset + tb_time_round((double)(own - h->x0) * h->drift);
}

/* No message runs backwards, each bound contains the truth, and hosts are within a limit while messages are sent. */
static void judge(int64_t limit) {
  for (size_t i = 0; i < message_count; i++) {
    const struct tb_network_message *m = &messages[i];
    if (!m->unmet) assert_true(place(m->to, m->received) - place(m->from, m->sent) >= -2);
  }
  for (uint32_t i = 1; i < host_count; i++) {
    for (int64_t time = -10 * S; time <= SPAN + 10 * S; time += S) {
      int64_t own = read_clock(i, time), off = llabs(place(i, own) - time);
      assert_true(off <= tb_time_bound_at(&hosts[i].bound, own) + 2);
      if (own >= hosts[i].first && own <= hosts[i].last) assert_true(off <= limit);
    }
  }
}

static void two_hosts_are_placed_in_the_middle_of_what_is_possible(void **unused) {
  (void)unused;
  for (int n = 0; n < CASES; n++) {
    start(2);
    for (int i = 0; i < 200; i++)
      send((uint32_t)i % 2, 1 - (uint32_t)i % 2, random_time(SPAN), 50 * US + random_time(2 * MS));
    solve();
    judge(400 * US);
    assert_false(hosts[1].one_way);
  }
}

/* A drift of 66 ppm would leave each message 0.84 ms, and 10 ppm leave 0.71 ms: ten messages do not tell. */
static void of_few_messages_the_smallest_drifts_count(void **unused) {
  (void)unused;
  static const struct {
    uint32_t from;
    int64_t sent_us, received_us; /* each on its host's clock */
  } seen[] = {{0, 0, 1565009},         {0, 407000, 1972042},    {0, 16108000, 17673178}, {0, 32249000, 33813391},
              {1, 41617770, 40055000}, {0, 42190000, 43753904}, {1, 43511043, 41948000}, {1, 44971824, 43409000},
              {1, 46103222, 44540000}, {1, 53634549, 52072000}};
  start(2);
  for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++)
    messages[message_count++] = (struct tb_network_message){
        seen[i].from, 1 - seen[i].from, seen[i].sent_us * US, seen[i].received_us * US, 0, false};
  solve();
  assert_true(fabs(hosts[1].drift) <= 10e-6);
  for (size_t i = 0; i < message_count; i++)
    assert_true(place(messages[i].to, messages[i].received) >= place(messages[i].from, messages[i].sent));
}

/* Half of what one way takes longer cannot be separated from the clocks' difference; the drift can be known. */
static void a_slow_way_back_bends_no_line(void **unused) {
  (void)unused;
  for (int n = 0; n < CASES; n++) {
    start(2);
    for (int i = 0; i < 50; i++) {
      send(0, 1, random_time(SPAN), 20 * US + random_time(600 * US));
      send(1, 0, random_time(SPAN), 5 * MS + random_time(600 * US));
    }
    solve();
    judge(2800 * US);
  }
}

static void a_chain_adds_up_its_bounds(void **unused) {
  (void)unused;
  for (int n = 0; n < 5; n++) {
    start(14);
    for (uint32_t k = 0; k + 1 < 14; k++)
      for (int i = 0; i < 20; i++)
        send(k + (uint32_t)i % 2, k + 1 - (uint32_t)i % 2, random_time(SPAN), 50 * US + random_time(MS));
    solve();
    judge(14 * MS);
    for (uint32_t k = 1; k < 14; k++) assert_int_equal(hosts[k].root, 0);
  }
}

static void a_ring_knows_more_than_its_pairs(void **unused) {
  (void)unused;
  for (int n = 0; n < 5; n++) {
    start(5);
    for (uint32_t k = 0; k < 5; k++) {
      for (int i = 0; i < 50; i++) send(k, (k + 1) % 5, random_time(SPAN), 20 * US + random_time(300 * US));
      for (int i = 0; i < 50; i++) send((k + 1) % 5, k, random_time(SPAN), 6 * MS + random_time(300 * US));
    }
    solve();
    judge(300 * US);
  }
}

static void messages_that_contradict_the_others_are_left_out(void **unused) {
  (void)unused;
  for (int n = 0; n < CASES; n++) {
    start(3);
    for (int i = 0; i < 300; i++)
      send((uint32_t)i % 3, (uint32_t)(i + 1 + i / 3 % 2) % 3, random_time(SPAN), 50 * US + random_time(MS));
    for (int i = 0; i < 10; i++) send((uint32_t)i % 3, (uint32_t)(i + 1) % 3, random_time(SPAN), -50 * MS);
    solve();
    judge(600 * US);
    for (size_t i = 0; i < message_count; i++) assert_int_equal(messages[i].unmet, i >= 300);
  }
}

static void a_first_message_that_is_false_by_hours_moves_nothing(void **unused) {
  (void)unused;
  for (int n = 0; n < CASES; n++) {
    start(3);
    const int64_t off = (n % 2 ? 1 : -1) * (2000 + (int64_t)random_below(8000)) * S;
    for (uint32_t k = 0; k < 2; k++) {
      send(k, k + 1, random_time(SPAN), 100 * US);
      *(n % 4 < 2 ? &messages[message_count - 1].received : &messages[message_count - 1].sent) += off;
    }
    for (int i = 0; i < 300; i++)
      send((uint32_t)i % 3, (uint32_t)(i + 1 + i / 3 % 2) % 3, random_time(SPAN), 50 * US + random_time(MS));
    solve();
    judge(600 * US);
    for (size_t i = 2; i < message_count; i++) assert_false(messages[i].unmet);
  }
}

static void messages_one_way_give_drift_and_a_bound_that_is_assumed(void **unused) {
  (void)unused;
  for (int n = 0; n < CASES; n++) {
    start(2);
    for (int i = 0; i < 100; i++) send(0, 1, random_time(SPAN), 50 * US + random_time(2 * MS));
    solve();
    judge(MS);
    assert_true(hosts[1].one_way);
  }
}

static void one_message_places_with_no_drift(void **unused) {
  (void)unused;
  start(2);
  send(0, 1, 30 * S, 300 * US);
  send(1, 0, 30 * S + 500 * US, 300 * US);
  solve();
  judge(300 * US);
  assert_true(hosts[1].drift < 1e-5 && hosts[1].drift > -1e-5);
}

static void hosts_without_messages_are_their_own_roots(void **unused) {
  (void)unused;
  start(5);
  send(3, 4, S, US);
  send(4, 3, 2 * S, US);
  solve();
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(hosts[i].root, i);
  assert_int_equal(hosts[4].root, 3);
}

static void hostile_times_end(void **unused) {
  (void)unused;
  const int64_t ends[] = {INT64_MIN, INT64_MAX, 0, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX - 1, -1};
  enum { N = sizeof(ends) / sizeof(ends[0]) };
  for (int shift = 0; shift < N; shift++) {
    start(3);
    for (int i = 0; i < N; i++)
      messages[message_count++] = (struct tb_network_message){(uint32_t)i % 3,       (uint32_t)(i + 1) % 3, ends[i],
                                                              ends[(i + shift) % N], (uint64_t)i,           false};
    enum tb_status status =
        tb_message_network_solve(tb_default_allocator(), messages, message_count, hosts, host_count, 200e-6);
    assert_true(status == TB_OK || status == TB_UNSUPPORTED);
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(two_hosts_are_placed_in_the_middle_of_what_is_possible),
      TEST(of_few_messages_the_smallest_drifts_count),
      TEST(a_slow_way_back_bends_no_line),
      TEST(a_chain_adds_up_its_bounds),
      TEST(a_ring_knows_more_than_its_pairs),
      TEST(messages_that_contradict_the_others_are_left_out),
      TEST(a_first_message_that_is_false_by_hours_moves_nothing),
      TEST(messages_one_way_give_drift_and_a_bound_that_is_assumed),
      TEST(one_message_places_with_no_drift),
      TEST(hosts_without_messages_are_their_own_roots),
      TEST(hostile_times_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
