/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/align/line_fit.h"

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

static void the_error_of_the_drift_shows_what_matches_are_good_for(void **unused) {
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
}

/* Each clock at either end of what its time can be: no offset between them is a number of 64 bits. */
static void times_at_the_ends_of_the_range_make_a_line(void **unused) {
  (void)unused;
  const int64_t ends[] = {INT64_MIN, INT64_MAX, 0, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX - 1, -1};
  enum { N = sizeof(ends) / sizeof(ends[0]) };
  struct tb_time_anchor pairs[N];
  struct tb_line_fit fit;
  for (int shift = 0; shift < N; shift++) {
    for (int i = 0; i < N; i++) {
      pairs[i] = (struct tb_time_anchor){ends[i], ends[(i + shift) % N]};
    }
    for (int with_drift = 0; with_drift < 2; with_drift++) {
      assert_int_equal(tb_line_fit_pairs(tb_default_allocator(), pairs, N, with_drift, &fit), TB_OK);
      assert_true(isfinite(fit.drift));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_thousand_matches_with_jitter_and_outliers_give_offset_and_drift),
      cmocka_unit_test(one_match_gives_an_offset),
      cmocka_unit_test(two_matches_give_the_line_through_both),
      cmocka_unit_test(the_error_of_the_drift_shows_what_matches_are_good_for),
      cmocka_unit_test(without_drift_a_fit_is_level),
      cmocka_unit_test(no_match_is_invalid),
      cmocka_unit_test(times_at_the_ends_of_the_range_make_a_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
