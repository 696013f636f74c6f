/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/line_fit.h"

#include <math.h>

#include "support/merge_fixture.h"

/* A known truth: the other clock reads own + OFFSET + DRIFT * (own - START). */
#define START 5000000000000
#define OFFSET 1234567890123
static const double drift = 37.5e-6;

static uint64_t state;
static double uniform(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) / 9007199254740992.0;
}
static double normal(void) {
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += uniform();
  return sum - 6;
}
static int64_t truth(int64_t own) { return OFFSET + llround(drift * (double)(own - START)); }
static int64_t fitted(const struct tb_line_fit *fit, int64_t own) {
  return fit->offset + llround(fit->drift * (double)(own - fit->x0));
}

static void a_thousand_matches_with_jitter_and_outliers_give_offset_and_drift(void **unused) {
  (void)unused;
  enum { N = 1000 };
  struct tb_time_anchor pairs[N];
  state = 1;
  for (int i = 0; i < N; i++) {
    int64_t own = START + (int64_t)(uniform() * 60e9);
    double jitter = 1000 * normal() + (i % 10 == 0 ? 5e7 * uniform() : 0);
    pairs[i] = (struct tb_time_anchor){own, own + truth(own) + llround(jitter)};
  }
  struct tb_line_fit fit;
  assert_int_equal(tb_line_fit_pairs(tb_default_allocator(), pairs, N, true, &fit), TB_OK);
  for (int64_t own = START; own <= START + 60000000000; own += 10000000000)
    assert_true(llabs(fitted(&fit, own) - truth(own)) < 1000);
  assert_true(fabs(fit.drift - drift) < 0.1e-6);
  assert_true(fit.outliers >= 95 && fit.outliers <= 110);
  assert_int_equal(fit.used + fit.outliers, N);
  assert_true(fit.residual_ns > 800 && fit.residual_ns < 1200);
}

static void one_match_gives_an_offset(void **unused) {
  (void)unused;
  struct tb_time_anchor pair = {100, -50};
  struct tb_line_fit fit;
  assert_int_equal(tb_line_fit_pairs(tb_default_allocator(), &pair, 1, true, &fit), TB_OK);
  assert_int_equal(fit.offset, -150);
  assert_true(fit.drift == 0);
  assert_int_equal(fit.used, 1);
}

static void two_matches_give_the_line_through_both(void **unused) {
  (void)unused;
  struct tb_time_anchor pairs[2] = {{0, 1000}, {1000000000, 1000001100}};
  struct tb_line_fit fit;
  assert_int_equal(tb_line_fit_pairs(tb_default_allocator(), pairs, 2, true, &fit), TB_OK);
  assert_int_equal(fitted(&fit, 0), 1000);
  assert_int_equal(fitted(&fit, 1000000000), 1100);
  assert_true(fabs(fit.drift - 100e-9) < 1e-12);
}

static void the_error_of_the_drift_tells_what_matches_are_good_for(void **unused) {
  (void)unused;
  enum { N = 100, ROUNDS = 200 };
  int within = 0;
  state = 11;
  for (int round = 0; round < ROUNDS; round++) {
    struct tb_time_anchor pairs[N];
    int count = 3 + round % (N - 3);
    for (int i = 0; i < count; i++) {
      int64_t own = START + (int64_t)(uniform() * 60e9);
      pairs[i] = (struct tb_time_anchor){own, own + truth(own) + llround(20000 * normal())};
    }
    struct tb_line_fit fit;
    assert_int_equal(tb_line_fit_pairs(tb_default_allocator(), pairs, (size_t)count, true, &fit), TB_OK);
    within += fabs(fit.drift - drift) <= fit.drift_error;
  }
  assert_in_range(within, ROUNDS * 9 / 10, ROUNDS * 99 / 100);
}

static void without_drift_a_fit_is_level(void **unused) {
  (void)unused;
  struct tb_time_anchor pairs[3] = {{0, 1000}, {1000000000, 1000001100}, {2000000000, 2000001200}};
  struct tb_line_fit fit;
  assert_int_equal(tb_line_fit_pairs(tb_default_allocator(), pairs, 3, false, &fit), TB_OK);
  assert_int_equal(fit.offset, 1100);
  assert_true(fit.drift == 0);
  assert_true(fabs(fit.residual_ns - 81.65) < 0.01);
  assert_int_equal(fit.span_ns, 2000000000);
  assert_int_equal(tb_line_fit_pairs(tb_default_allocator(), pairs, 1, true, &fit), TB_OK);
  assert_true(isinf(fit.drift_error));
}

static void no_match_is_invalid(void **unused) {
  (void)unused;
  struct tb_line_fit fit;
  assert_int_equal(tb_line_fit_pairs(tb_default_allocator(), NULL, 0, true, &fit), TB_INVALID);
  assert_int_equal(tb_line_fit_messages(tb_default_allocator(), NULL, 0, &fit), TB_INVALID);
}

enum { MESSAGES = 2000 };

static void make_messages(struct tb_line_fit_message *messages, bool both_ways) {
  state = 7;
  for (int i = 0; i < MESSAGES; i++) {
    int64_t own = START + (int64_t)(uniform() * 60e9), delay = 20000 + (int64_t)(uniform() * 200000);
    bool from_other = !both_ways || i % 2;
    messages[i] = (struct tb_line_fit_message){own, own + truth(own) + (from_other ? -delay : delay), (uint64_t)i,
                                               from_other, false};
  }
}

static void no_message_runs_backwards_and_the_bound_holds_the_truth(void **unused) {
  (void)unused;
  static struct tb_line_fit_message messages[MESSAGES];
  make_messages(messages, true);
  struct tb_line_fit fit;
  assert_int_equal(tb_line_fit_messages(tb_default_allocator(), messages, MESSAGES, &fit), TB_OK);
  assert_int_equal(fit.outliers, 0);
  for (int i = 0; i < MESSAGES; i++) {
    int64_t mapped = messages[i].own + fitted(&fit, messages[i].own);
    if (messages[i].from_other)
      assert_true(messages[i].other <= mapped);
    else
      assert_true(mapped <= messages[i].other);
    assert_true(llabs(fitted(&fit, messages[i].own) - truth(messages[i].own)) <= fit.bound_ns);
  }
  assert_true(fit.has_bound && fit.bound_ns < 100000);
  assert_true(fabs(fit.drift - drift) < 1e-6);
}

static void a_message_that_cannot_be_met_is_the_one_marked(void **unused) {
  (void)unused;
  static struct tb_line_fit_message messages[MESSAGES];
  make_messages(messages, true);
  messages[77].other += messages[77].from_other ? 10000000 : -10000000;
  struct tb_line_fit fit;
  assert_int_equal(tb_line_fit_messages(tb_default_allocator(), messages, MESSAGES, &fit), TB_OK);
  assert_int_equal(fit.outliers, 1);
  for (int i = 0; i < MESSAGES; i++) assert_int_equal(messages[i].unmet, i == 77);
}

static void messages_in_one_direction_have_no_bound(void **unused) {
  (void)unused;
  static struct tb_line_fit_message messages[MESSAGES];
  make_messages(messages, false);
  struct tb_line_fit fit;
  assert_int_equal(tb_line_fit_messages(tb_default_allocator(), messages, MESSAGES, &fit), TB_OK);
  assert_false(fit.has_bound);
  for (int i = 0; i < MESSAGES; i++) assert_true(messages[i].other <= messages[i].own + fitted(&fit, messages[i].own));
}

/* Each clock at either end of what its time can be: no offset between them is a number of 64 bits. */
static void times_at_the_ends_of_the_range_make_a_line(void **unused) {
  (void)unused;
  const int64_t ends[] = {INT64_MIN, INT64_MAX, 0, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX - 1, -1};
  enum { N = sizeof(ends) / sizeof(ends[0]) };
  struct tb_time_anchor pairs[N];
  struct tb_line_fit_message messages[N];
  struct tb_line_fit fit;
  for (int shift = 0; shift < N; shift++) {
    for (int i = 0; i < N; i++) {
      pairs[i] = (struct tb_time_anchor){ends[i], ends[(i + shift) % N]};
      messages[i] = (struct tb_line_fit_message){ends[i], ends[(i + shift) % N], (uint64_t)i, i % 2, false};
    }
    for (int with_drift = 0; with_drift < 2; with_drift++) {
      assert_int_equal(tb_line_fit_pairs(tb_default_allocator(), pairs, N, with_drift, &fit), TB_OK);
      assert_true(isfinite(fit.drift));
    }
    assert_int_equal(tb_line_fit_messages(tb_default_allocator(), messages, N, &fit), TB_OK);
    assert_true(isfinite(fit.drift));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_thousand_matches_with_jitter_and_outliers_give_offset_and_drift),
      cmocka_unit_test(one_match_gives_an_offset),
      cmocka_unit_test(two_matches_give_the_line_through_both),
      cmocka_unit_test(the_error_of_the_drift_tells_what_matches_are_good_for),
      cmocka_unit_test(without_drift_a_fit_is_level),
      cmocka_unit_test(no_match_is_invalid),
      cmocka_unit_test(no_message_runs_backwards_and_the_bound_holds_the_truth),
      cmocka_unit_test(a_message_that_cannot_be_met_is_the_one_marked),
      cmocka_unit_test(messages_in_one_direction_have_no_bound),
      cmocka_unit_test(times_at_the_ends_of_the_range_make_a_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
