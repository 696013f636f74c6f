/* SPDX-License-Identifier: Apache-2.0
 *
 * Readings of two clocks whose truth is known (simulated_host.h), with noise, steps and suspends.
 *
 *   test_reading_fit [SETS]   with SETS instead of the tests: how many of so many simulated hosts' bounds are false, as
 *                             the table in docs/BOUNDS.md has it
 */
#include "merge/clocks/reading_fit.h"

#include <stdlib.h>

#include "support/merge_fixture.h"
/* */
#include "simulated_host.h"

enum { CASES = 150 };
static struct tb_reading_fit fit;
static const struct tb_reading_noise *third; /* what a third clock shows; NULL: there is none */

static int tear_down(void **unused) {
  (void)unused;
  tb_reading_fit_free(&fit);
  count = 0;
  return 0;
}

/* Every reading has its residual: one that was used is at most the largest residual away, the farthest of the others
 * so far. */
static void assert_residuals(void) {
  size_t outliers = 0;
  int64_t most = 0, farthest = 0;
  for (size_t i = 0; i < fit.residuals.count; i++) {
    const struct tb_residual *r = &fit.residuals.items[i];
    int64_t off = r->off_ns < 0 ? -r->off_ns : r->off_ns;
    if (i) assert_true(r->time >= fit.residuals.items[i - 1].time);
    outliers += r->is_outlier;
    if (r->is_outlier && off > farthest) farthest = off;
    if (!r->is_outlier && off > most) most = off;
  }
  assert_int_equal(fit.residuals.count, count);
  assert_int_equal(outliers, fit.thrown_out);
  assert_int_equal(farthest, fit.farthest_ns);
  assert_true(most <= fit.largest_residual_ns + 1);
}

static void make_unchecked(enum tb_reading_kind kind) {
  tb_reading_fit_free(&fit);
  assert_int_equal(tb_reading_fit_make(&fit, tb_default_allocator(), pairs, count, kind, third), TB_OK);
}

static void make(enum tb_reading_kind kind) {
  make_unchecked(kind);
  assert_residuals();
}

/* y at x by the main segment. */
static int64_t apply(int64_t x) {
  const struct tb_reading_segment *main = &fit.segments[fit.main];
  return x + main->offset + tb_time_round((double)(x - fit.x0) * fit.drift);
}

static void one_reading_is_an_offset_whose_bound_grows(void **unused) {
  (void)unused;
  pairs[count++] = (struct tb_time_anchor){5 * S, 9 * S};
  make(TB_READING_DRIFTS);
  assert_int_equal(apply(7 * S), 11 * S);
  assert_int_equal(tb_time_bound_at(&fit.bound, 5 * S), TB_READING_LATE_NS + 1);
  assert_int_equal(tb_time_bound_at(&fit.bound, 105 * S), TB_READING_LATE_NS + 1 + 5000000);
}

static void exact_readings_are_a_line_without_doubt(void **unused) {
  (void)unused;
  for (int i = 0; i < 20; i++) pairs[count++] = (struct tb_time_anchor){i * S, EPOCH + i * S + i * 40000};
  make(TB_READING_DRIFTS);
  assert_int_equal(fit.segment_count, 1);
  assert_int_equal(apply(7 * S), EPOCH + 7 * S + 7 * 40000);
  assert_int_equal(apply(100 * S), EPOCH + 100 * S + 100 * 40000);
  assert_true(tb_time_bound_at(&fit.bound, 10 * S) <= 2);
}

static void clocks_that_agree_have_no_drift(void **unused) {
  (void)unused;
  for (int i = 0; i < 20; i++) pairs[count++] = (struct tb_time_anchor){i * S, i * S + 5 + (int64_t)random_below(1000)};
  make(TB_READING_DRIFTS);
  assert_true(fit.drift == 0);
}

/* In each case the line is within what is asked for, and its bound contains the truth, before and behind the readings
 * too. */
static void judge(const struct host *host, int64_t side, int64_t limit) {
  for (int64_t time = -100 * S; time <= 400 * S; time += 10 * S) {
    int64_t off = llabs(apply(own_at(host, time)) - (EPOCH + time + side));
    assert_true(off <= tb_time_bound_at(&fit.bound, own_at(host, time)));
    if (time >= 0 && time <= 300 * S) assert_true(off <= limit);
  }
}

static void a_line_through_noisy_readings_is_right_and_so_is_its_bound(void **unused) {
  (void)unused;
  for (int i = 0; i < CASES; i++) {
    struct host host = {.ppm = random_ppm(), .when = INT64_MAX};
    read_clocks(&host, 0);
    make(TB_READING_DRIFTS);
    assert_int_equal(fit.segment_count, 1);
    assert_int_equal(fit.thrown_out, 0);
    judge(&host, 0, 1000);
    assert_true(tb_time_bound_at(&fit.bound, own_at(&host, 150 * S)) < 5000);
  }
}

static void late_readings_do_not_count(void **unused) {
  (void)unused;
  for (int i = 0; i < CASES; i++) {
    struct host host = {.ppm = random_ppm(), .when = INT64_MAX};
    read_clocks_at_most(&host, i % 2 ? 3 : 30, 4);
    make(TB_READING_DRIFTS);
    if (late_count * 5 <= count * 2) judge(&host, 0, 1500); /* where chance made half of them late nobody can tell */
  }
}

/* Times of y go back to x by the segment that they are in, and the bound of that contains the truth: of a wall clock
 * that is set, of MONOTONIC that stops while the machine sleeps. */
static void times_go_back_by_their_own_segments(void **unused) {
  (void)unused;
  static const int64_t sizes[] = {2 * S, -2 * S, 40 * S, -300000, 0};
  for (int i = 0; i < CASES; i++) {
    struct host host = {random_ppm(), 100 * S + (int64_t)random_below(100 * S), sizes[i % 5]};
    struct tb_time_map map;
    struct tb_time_bound bound;
    size_t exact = 0;
    read_clocks_at_most(&host, 12, 8);
    make(TB_READING_DRIFTS);
    tb_time_map_init(&map, tb_default_allocator());
    assert_int_equal(tb_reading_fit_add_way(&fit, &map, true), TB_OK);
    assert_int_equal(tb_reading_fit_bound_way(&fit, &bound), TB_OK);
    for (int64_t time = -50 * S; time <= 350 * S; time += S) {
      int64_t x = tb_time_map_apply(&map, wall_at(&host, time)), off = llabs(x - own_at(&host, time));
      assert_true(off <= tb_time_bound_at(&bound, x));
      exact += off < 2000;
    }
    assert_true(exact > 300);
    tb_time_bound_free(&bound, tb_default_allocator());
    tb_time_map_free(&map);
  }
}

static void what_was_before_a_sleep_and_behind_it_keeps_its_segment(void **unused) {
  (void)unused;
  struct tb_time_map map;
  for (int i = 0; i < 60; i++) { /* MONOTONIC over BOOTTIME, which sleeps 30 s, and was read late twice */
    int64_t slept = i >= 30 ? 30 * S : 0, late = i == 10 || i == 31 ? 3000000 : 0;
    pairs[count++] = (struct tb_time_anchor){i * 3 * S + slept, i * 3 * S + late};
  }
  make(TB_READING_SAME_RATE);
  tb_time_map_init(&map, tb_default_allocator());
  assert_int_equal(tb_reading_fit_add_way(&fit, &map, true), TB_OK);
  assert_int_equal(tb_time_map_apply(&map, 31 * S), 31 * S);
  assert_int_equal(tb_time_map_apply(&map, 87 * S), 87 * S);
  assert_int_equal(tb_time_map_apply(&map, 94 * S), 124 * S);
  tb_time_map_free(&map);
}

static void a_step_parts_readings_and_bends_no_line(void **unused) {
  (void)unused;
  static const int64_t sizes[] = {2 * S, -2 * S, -40 * S, 50000000, 300000, -300000};
  for (int i = 0; i < CASES; i++) {
    struct host host = {random_ppm(), 100 * S + (int64_t)random_below(100 * S), sizes[i % 6]};
    read_clocks(&host, i % 2 ? 20 : 0);
    make(TB_READING_DRIFTS);
    assert_int_equal(fit.segment_count, 2);
    assert_true(llabs(tb_reading_fit_step(&fit, 1) - host.by) < 3000);
    assert_true(fit.segments[0].last < own_at(&host, host.when) && fit.segments[1].first > own_at(&host, host.when));
    for (int64_t time = 0; time <= 300 * S; time += 10 * S) {
      int64_t off = apply(own_at(&host, time)) - (EPOCH + time);
      assert_true(llabs(off) < 3000 || llabs(off - host.by) < 3000);
      assert_true(llabs(off) <= tb_time_bound_at(&fit.bound, own_at(&host, time)));
    }
  }
}

static void a_clock_that_is_set_and_set_back_has_three_segments(void **unused) {
  (void)unused;
  for (int i = 0; i < 30; i++)
    pairs[count++] = (struct tb_time_anchor){i * S, EPOCH + i * S + (i >= 10 && i < 18 ? S : 0)};
  make(TB_READING_DRIFTS);
  assert_int_equal(fit.segment_count, 3);
  assert_int_equal(tb_reading_fit_step(&fit, 1), S);
  assert_int_equal(tb_reading_fit_step(&fit, 2), -S);
  assert_int_equal(apply(14 * S), EPOCH + 14 * S);
}

/* Readings 5 s apart of a wall clock that is ahead by so much in each. */
static void read_ahead(const int64_t *ahead, size_t n) {
  count = 0;
  for (size_t i = 0; i < n; i++) {
    int64_t time = (int64_t)i * 5 * S;
    pairs[count++] = (struct tb_time_anchor){time + (int64_t)random_below(1000),
                                             EPOCH + time + (int64_t)random_below(1000) + ahead[i]};
  }
}

static void one_reading_or_two_between_two_steps_are_a_segment(void **unused) {
  (void)unused;
  for (int middle = 1; middle <= 2; middle++) {
    int64_t ahead[20];
    for (int i = 0; i < 20; i++) ahead[i] = i < 8 ? 0 : i < 8 + middle ? 2 * S : S;
    read_ahead(ahead, 20);
    make(TB_READING_DRIFTS);
    assert_int_equal(fit.thrown_out, 0);
    assert_int_equal(fit.segment_count, 3);
    assert_true(llabs(tb_reading_fit_step(&fit, 1) - 2 * S) < 2000);
    assert_true(llabs(tb_reading_fit_step(&fit, 2) + S) < 2000);
  }
}

static void two_readings_that_are_seconds_off_are_not_late(void **unused) {
  (void)unused;
  int64_t ahead[20] = {[12] = 40 * S, [13] = 40 * S};
  read_ahead(ahead, 20);
  make(TB_READING_DRIFTS);
  assert_int_equal(fit.thrown_out, 0);
  assert_int_equal(fit.segment_count, 3);
  ahead[12] = ahead[13] = 4000000; /* as a reader that was kept */
  read_ahead(ahead, 20);
  make(TB_READING_DRIFTS);
  assert_int_equal(fit.thrown_out, 2);
  assert_int_equal(fit.segment_count, 1);
}

/* Whatever is behind a step or a sleep of seconds, and near to no other reading's level, is late or on the new one. */
static void late_readings_behind_a_step_may_be_more_than_others(void **unused) {
  (void)unused;
  for (int sleeps = 0; sleeps < 2; sleeps++) {
    count = 0;
    for (int i = 0; i < 28; i++) {
      int64_t gone = i < 20 ? 0 : 34 * S, late = i >= 20 && i % 2 ? 600000 + i * 111000 : 0;
      int64_t x = i * 10 * S + (sleeps ? gone : 0), y = i * 10 * S - (sleeps ? 0 : gone);
      pairs[count++] = (struct tb_time_anchor){x, y + late + (int64_t)random_below(1000)};
    }
    make(sleeps ? TB_READING_SAME_RATE : TB_READING_DRIFTS);
    assert_int_equal(fit.segment_count, 2);
    assert_int_equal(fit.thrown_out, 4);
    assert_true(llabs(tb_reading_fit_step(&fit, 1) + 34 * S) < 1000);
  }
}

static void two_late_readings_that_agree_are_no_sleep(void **unused) {
  (void)unused;
  int64_t slept = 0;
  for (int i = 0; i < 30; i++) {
    slept += i == 18 ? 30 * S : 0;
    int64_t late = i == 18 || i == 19 || i >= 28 ? 1300000 + i / 20 * 500000 : 0; /* behind a sleep, and at the end */
    pairs[count++] = (struct tb_time_anchor){i * 3 * S + slept, i * 3 * S + late + (int64_t)random_below(1000)};
  }
  make(TB_READING_SAME_RATE);
  assert_int_equal(fit.segment_count, 2);
  assert_int_equal(fit.thrown_out, 4);
}

static void suspends_are_segments_of_one_rate(void **unused) {
  (void)unused;
  int64_t slept = 0;
  for (int i = 0; i < 100; i++) { /* MONOTONIC over BOOTTIME: each sleep takes it further back */
    slept += i == 30 ? 30 * S : i == 70 ? S : 0;
    pairs[count++] = (struct tb_time_anchor){i * 3 * S + slept + (int64_t)random_below(1000),
                                             i * 3 * S + (int64_t)random_below(1000)};
  }
  make(TB_READING_SAME_RATE);
  assert_int_equal(fit.segment_count, 3);
  assert_true(fit.drift == 0);
  assert_true(llabs(tb_reading_fit_step(&fit, 1) + 30 * S) < 1000);
  assert_true(llabs(tb_reading_fit_step(&fit, 2) + S) < 1000);
  assert_true(tb_time_bound_at(&fit.bound, 10 * S) < 2000);
  assert_true(tb_time_bound_at(&fit.bound, 100 * S) > 30 * S - 1000); /* between the snapshots around the sleep */
}

static void a_reading_alone_at_an_end_is_behind_a_step(void **unused) {
  (void)unused;
  for (int at_end = 0; at_end < 2; at_end++) {
    count = 0;
    for (int i = 0; i < 20; i++) {
      bool alone = i == (at_end ? 19 : 0);
      pairs[count++] = (struct tb_time_anchor){i * 5 * S + (int64_t)random_below(1000), EPOCH + i * 5 * S - alone * S};
    }
    make(TB_READING_DRIFTS);
    assert_int_equal(fit.segment_count, 2);
    assert_int_equal(fit.thrown_out, 0);
    assert_true(llabs(tb_reading_fit_step(&fit, 1) - (at_end ? -S : S)) < 2000);
    assert_true(llabs(apply(50 * S) - EPOCH - 50 * S) < 2000);
    assert_true(tb_time_bound_at(&fit.bound, 50 * S) > S);
  }
}

static void a_reading_alone_between_two_sleeps_is_no_late_one(void **unused) {
  (void)unused;
  int64_t slept = 0;
  for (int i = 0; i < 60; i++) {
    slept += i == 30 ? 30 * S : i == 31 ? S : i == 59 ? 5 * S : 0;
    int64_t late = i == 10 || i == 58 ? 3000000 : 0; /* MONOTONIC was read later */
    pairs[count++] = (struct tb_time_anchor){i * 3 * S + slept + (int64_t)random_below(1000),
                                             i * 3 * S + (int64_t)random_below(1000) + late};
  }
  make(TB_READING_SAME_RATE);
  assert_int_equal(fit.segment_count, 4);
  assert_true(llabs(tb_reading_fit_step(&fit, 1) + 30 * S) < 1000);
  assert_true(llabs(tb_reading_fit_step(&fit, 2) + S) < 1000);
  assert_true(llabs(tb_reading_fit_step(&fit, 3) + 5 * S) < 1000);
  assert_int_equal(fit.thrown_out, 2);
}

/* A reading of two or three may be late, and which is unknown: the bound contains the truth whichever is taken. */
static void two_of_three_readings_outvote_no_third(void **unused) {
  (void)unused;
  for (int i = 0; i < CASES; i++) {
    struct host host = {.ppm = random_ppm(), .when = INT64_MAX};
    int64_t times[3] = {(int64_t)random_below(100 * S), (int64_t)random_below(100 * S), (int64_t)random_below(100 * S)};
    int64_t late = 500000 + (int64_t)random_below(4500000);
    int which = (int)random_below(3);
    count = 0;
    for (int k = 0; k < 3; k++)
      pairs[count++] = (struct tb_time_anchor){own_at(&host, times[k] + (int64_t)random_below(1000)),
                                               wall_at(&host, times[k]) + (k == which ? late : 0)};
    make(TB_READING_DRIFTS);
    if (fit.thrown_out) judge(&host, 0, INT64_MAX);
  }
}

/* 10 to 60 readings that are up to 20 or 80 us apart: a segment is none that chance made of some of them. */
static void noise_is_no_step(void **unused) {
  (void)unused;
  for (int i = 0; i < 10 * CASES; i++) {
    struct host host = {.ppm = random_ppm(), .when = INT64_MAX};
    int64_t readings = 10 + (int64_t)random_below(50), noise = i % 2 ? 20000 : 80000;
    count = 0;
    for (int64_t k = 0; k < readings; k++)
      pairs[count++] = (struct tb_time_anchor){own_at(&host, k * 5 * S),
                                               wall_at(&host, k * 5 * S) + (int64_t)random_below((uint64_t)noise)};
    make(TB_READING_DRIFTS);
    assert_int_equal(fit.segment_count, 1);
  }
}

/* Whether the bound contains the truth from before the readings to behind them. */
static bool is_bound_true(const struct host *host) {
  for (int64_t time = -100 * S; time <= 400 * S; time += 20 * S) {
    int64_t x = own_at(host, time), off = llabs(apply(x) - (EPOCH + time));
    if (off > tb_time_bound_at(&fit.bound, x)) return false;
  }
  return true;
}

/* The share of readings that are late by 0.5 to 5 ms: a reader that was stopped behind its read of BOOTTIME. Where
 * `encloses`, MONOTONIC was read last, and is as late. */
static double late_share;
static bool encloses;

static int64_t random_delay(void) {
  return (double)random_below(1000000) < 1e6 * late_share ? (int64_t)random_below(4500000) + 500000 : 0;
}

/* Readings of BOOTTIME, MONOTONIC and REALTIME over 300 s, the latter two up to `noise` off; what MONOTONIC shows. */
static struct tb_reading_noise read_three(const struct host *host, int64_t readings, int64_t noise) {
  struct tb_time_anchor monotonic[READINGS_MAX];
  struct tb_reading_fit other;
  count = 0;
  for (int64_t k = 0; k < readings; k++) {
    int64_t time = (int64_t)random_below(300 * (uint64_t)S);
    int64_t off = (int64_t)random_below(2 * (uint64_t)noise) - noise;
    int64_t other_off = (int64_t)random_below(2 * (uint64_t)noise) - noise;
    int64_t late = late_share > 0 ? random_delay() : 0, other_late = encloses ? late : 0;
    const int64_t own = own_at(host, time);
    monotonic[count] = (struct tb_time_anchor){own, own - 500 * S + other_off + other_late};
    pairs[count++] = (struct tb_time_anchor){own, wall_at(host, time) + off + late};
  }
  const enum tb_reading_kind kind = TB_READING_SAME_RATE;
  assert_int_equal(tb_reading_fit_make(&other, tb_default_allocator(), monotonic, count, kind, NULL), TB_OK);
  struct tb_reading_noise shown = other.noise;
  tb_reading_fit_free(&other);
  shown.encloses = encloses;
  return shown;
}

/* Of `sets` times so many readings, up to `noise` off: how many bounds are false. */
static int count_false_bounds(int sets, int64_t readings, int64_t noise, bool with_third) {
  int false_bounds = 0;
  for (int i = 0; i < sets; i++) {
    struct host host = {.ppm = random_ppm(), .when = INT64_MAX};
    struct tb_reading_noise shown = read_three(&host, readings, noise);
    third = with_third && shown.freedom ? &shown : NULL;
    make_unchecked(TB_READING_DRIFTS);
    false_bounds += !is_bound_true(&host);
  }
  third = NULL;
  return false_bounds;
}

enum { NOISES = 6 };
static const int64_t noises[NOISES] = {1000, 2000, 5000, 10000, 40000, 100000};

/* The bound contains the truth also where chance puts three or four on a line, or all of them within less than they are
 * off: it may be false once in 10,000 such sets. */
static void bounds_by_few_noisy_readings_are_true(void **unused) {
  enum { SETS = 400, ONCE = 1 };
  (void)unused;
  for (int64_t readings = 1; readings <= 14; readings++)
    for (int i = 0; i < NOISES; i++)
      for (int with_third = 0; with_third < 2; with_third++)
        assert_true(count_false_bounds(SETS, readings, noises[i], with_third) <= ONCE);
}

/* One or two readings, and three, do not show that one was late: the bound has to contain that. */
static void bounds_by_few_readings_contain_a_late_one(void **unused) {
  enum { SETS = 2000 };
  (void)unused;
  late_share = 0.1;
  for (int with_third = 0; with_third < 2; with_third++) {
    for (int64_t readings = 1; readings <= 4; readings++) {
      encloses = with_third && readings > 1;
      int false_bounds = count_false_bounds(SETS, readings, 1000, with_third);
      assert_true(false_bounds <= (readings == 1 ? 0 : SETS / 200));
    }
  }
  late_share = 0;
  encloses = false;
}

/* Not a test: the tables of docs/BOUNDS.md. */
static void print_late_table(int sets) {
  late_share = 0.1;
  for (int with_third = 0; with_third < 2; with_third++) {
    encloses = with_third;
    printf("| %s |", with_third ? "MONOTONIC read behind the two" : "nothing read behind the two");
    for (int64_t readings = 1; readings <= 14; readings++)
      printf(" %d |", count_false_bounds(sets, readings, 1000, with_third && readings > 1));
    printf("\n");
  }
  late_share = 0;
  encloses = false;
}

static void print_table(int sets) {
  for (int with_third = 1; with_third >= 0; with_third--) {
    for (int i = 0; i < NOISES; i++) {
      printf("| up to %d us, %s MONOTONIC |", (int)(noises[i] / 1000), with_third ? "with" : "without");
      for (int64_t readings = 1; readings <= 14; readings++)
        printf(" %d |", count_false_bounds(sets, readings, noises[i], with_third));
      printf("\n");
    }
  }
}

static void two_readings_show_nothing_though_a_third_clock_agrees(void **unused) {
  (void)unused;
  for (int contradicts = 0; contradicts < 2; contradicts++) {
    double off = contradicts ? 3e4 : 0;
    struct tb_reading_noise shown = {.squares = 2 * off * off, .most = off, .freedom = 1};
    count = 0;
    pairs[count++] = (struct tb_time_anchor){0, EPOCH};
    pairs[count++] = (struct tb_time_anchor){100 * S, EPOCH + 100 * S};
    third = &shown;
    make(TB_READING_DRIFTS);
    assert_true(tb_time_bound_at(&fit.bound, S) > 100000);
  }
  third = NULL;
}

/* What a few readings leave open; where the third clock was read with the two they show as much as more do without. */
static void few_readings_of_an_idle_host_are_bound_closely(void **unused) {
  (void)unused;
  for (int i = 0; i < 20 * CASES; i++) {
    int64_t readings = 3 + i % 12;
    struct host host = {.ppm = random_ppm(), .when = INT64_MAX};
    struct tb_reading_noise shown = read_three(&host, readings, 500);
    third = i % 2 ? &shown : NULL;
    size_t freedom = (size_t)readings - 2 + (third ? shown.freedom : 0);
    make(TB_READING_DRIFTS);
    assert_true(is_bound_true(&host));
    int64_t most = freedom >= 5 ? 10000 : freedom >= 3 ? 25000 : 2 * TB_READING_BUSY_NS;
    assert_true(tb_time_bound_at(&fit.bound, fit.error.readings.middle) < most);
  }
  third = NULL;
}

/* As a phone read them: five agree within a microsecond, and the last but one was 0.2 ms late. */
static void one_late_reading_of_six_does_not_bend_the_others_line(void **unused) {
  (void)unused;
  static const int64_t read_at[] = {0, 48124, 226077576, 2801555359, 8004642003, 8136258704};
  static const int64_t ahead[] = {0, -502, -173, 206, 192313, 387};
  for (int i = 0; i < 6; i++) pairs[count++] = (struct tb_time_anchor){read_at[i], EPOCH + read_at[i] + ahead[i]};
  make(TB_READING_DRIFTS);
  assert_int_equal(fit.thrown_out, 1);
  assert_true(fit.drift == 0);
  assert_true(tb_time_bound_at(&fit.bound, 4 * S) < 15000);
}

static void three_readings_on_a_line_may_be_so_by_chance(void **unused) {
  (void)unused;
  for (int i = 0; i < 3; i++) pairs[count++] = (struct tb_time_anchor){i * S, EPOCH + i * S + i * 40000};
  make(TB_READING_DRIFTS);
  assert_true(tb_time_bound_at(&fit.bound, S) > 100000);
}

static void noisier_readings_are_still_a_line(void **unused) {
  (void)unused;
  for (int i = 0; i < CASES; i++) {
    struct host host = {.ppm = random_ppm(), .when = INT64_MAX};
    count = 0;
    for (int k = 0; k < 60; k++)
      pairs[count++] = (struct tb_time_anchor){own_at(&host, k * 5 * S),
                                               wall_at(&host, k * 5 * S) + (int64_t)random_below(80000) - 40000};
    make(TB_READING_DRIFTS);
    assert_int_equal(fit.segment_count, 1);
    judge(&host, 0, 40000);
  }
}

static void hostile_readings_end(void **unused) {
  (void)unused;
  pairs[count++] = (struct tb_time_anchor){INT64_MIN, INT64_MAX};
  pairs[count++] = (struct tb_time_anchor){INT64_MAX, INT64_MIN};
  pairs[count++] = (struct tb_time_anchor){0, INT64_MIN};
  make_unchecked(TB_READING_DRIFTS); /* differences of these times saturate */
  make_unchecked(TB_READING_SAME_RATE);
  count = 0;
  tb_reading_fit_free(&fit);
  assert_int_equal(tb_reading_fit_make(&fit, tb_default_allocator(), pairs, 0, TB_READING_DRIFTS, NULL), TB_INVALID);
}

int main(int argc, char **argv) {
  if (argc > 1) {
    print_table(atoi(argv[1]));
    print_late_table(atoi(argv[1]));
    return 0;
  }
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(one_reading_is_an_offset_whose_bound_grows),
      TEST(exact_readings_are_a_line_without_doubt),
      TEST(clocks_that_agree_have_no_drift),
      TEST(a_line_through_noisy_readings_is_right_and_so_is_its_bound),
      TEST(late_readings_do_not_count),
      TEST(times_go_back_by_their_own_segments),
      TEST(what_was_before_a_sleep_and_behind_it_keeps_its_segment),
      TEST(a_step_parts_readings_and_bends_no_line),
      TEST(a_clock_that_is_set_and_set_back_has_three_segments),
      TEST(one_reading_or_two_between_two_steps_are_a_segment),
      TEST(two_readings_that_are_seconds_off_are_not_late),
      TEST(late_readings_behind_a_step_may_be_more_than_others),
      TEST(two_late_readings_that_agree_are_no_sleep),
      TEST(suspends_are_segments_of_one_rate),
      TEST(a_reading_alone_at_an_end_is_behind_a_step),
      TEST(a_reading_alone_between_two_sleeps_is_no_late_one),
      TEST(two_of_three_readings_outvote_no_third),
      TEST(noise_is_no_step),
      TEST(bounds_by_few_noisy_readings_are_true),
      TEST(bounds_by_few_readings_contain_a_late_one),
      TEST(two_readings_show_nothing_though_a_third_clock_agrees),
      TEST(few_readings_of_an_idle_host_are_bound_closely),
      TEST(one_late_reading_of_six_does_not_bend_the_others_line),
      TEST(three_readings_on_a_line_may_be_so_by_chance),
      TEST(noisier_readings_are_still_a_line),
      TEST(hostile_readings_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
