/* SPDX-License-Identifier: Apache-2.0
 *
 * Alignments of made-up hosts of which the truth is known: events of one name, and clock_sync events.
 */
#include "merge/align/align.h"

#include <math.h>

#include "support/merge_fixture.h"

/* The other clock reads own + OFFSET + drift * (own - START). */
#define START INT64_C(5000000000000)
#define OFFSET INT64_C(1234567890123)

static uint64_t state;
static double uniform(double from, double to) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return from + (to - from) * (double)(state >> 11) / 9007199254740992.0;
}
static bool chance(double p) { return uniform(0, 1) < p; }

static double drift;
static int64_t truth(int64_t own) { return OFFSET + llround(drift * (double)(own - START)); }

static struct tb_marks marks;
static struct tb_alignment found;
static struct tb_align_options options;

static int set_up(void **unused) {
  (void)unused;
  tb_marks_init(&marks, tb_default_allocator());
  options = (struct tb_align_options){.max_drift = 200e-6};
  found = (struct tb_alignment){0};
  return 0;
}
static int tear_down(void **unused) {
  (void)unused;
  tb_marks_free(&marks);
  tb_alignment_free(&found, tb_default_allocator());
  return 0;
}
static void again(void) {
  (void)tear_down(NULL);
  struct tb_align_options kept = options;
  (void)set_up(NULL);
  options = kept;
}

static void add(uint32_t source, double time) {
  struct tb_mark mark = {.kind = TB_MARK_NAME, .source = source, .time = llround(time)};
  assert_int_equal(tb_marks_add(&marks, &mark), TB_OK);
}
/* An event at an instant of the own clock, on either. */
static void add_own(double own) { add(1, own); }
static void add_other(double own) { add(0, own + (double)truth(llround(own))); }

static void align(void) {
  bool any;
  tb_marks_sort(&marks);
  assert_int_equal(tb_align_names(&marks, 1, 0, &options, &found, &any), TB_OK);
  assert_true(any);
}

/* Matches that count and those that do not, as the fit counted them. */
static void assert_residuals(void) {
  uint64_t outliers = 0;
  for (size_t i = 0; i < found.residuals.count; i++) outliers += found.residuals.items[i].is_outlier;
  assert_int_equal(outliers, found.fit.outliers);
  assert_int_equal(found.residuals.count, found.fit.used + outliers);
}

static double error_at(int64_t own) {
  double there = (double)(found.fit.offset - OFFSET) + found.fit.drift * (double)(own - found.fit.x0);
  return there - drift * (double)(own - START);
}
static void assert_bound_holds(int64_t from, int64_t to) {
  assert_residuals();
  for (int i = -4; i <= 8; i++) {
    int64_t at = from + (to - from) / 4 * i;
    double error = fabs(error_at(at));
    if (error <= (double)tb_time_bound_at(&found.bound, at) + 1) continue;
    fail_msg("%.0f ns off at %d quarters, bound %lld", error, i, (long long)tb_time_bound_at(&found.bound, at));
  }
}

/* What befalls a row of events. */
struct fate {
  int count;
  double span, jitter;
  bool periodic;
  double missing_own, missing_other, doubled; /* shares */
  double late;                                /* share of events seen late on the other clock, ... */
  double least, most;                         /* ... by this */
  bool clustered, both_sides;
};

/* Makes the rows; returns how many events are in both and at their time. */
static int make(const struct fate *f) {
  int good = 0, late_from = (int)(uniform(0, 1 - f->late) * f->count);
  for (int i = 0; i < f->count; i++) {
    double share = f->periodic ? (double)i / (f->count - 1) : uniform(0, 1);
    if (!f->periodic && i < 2) share = i; /* both ends are there */
    double at = (double)START + share * f->span;
    bool own = !chance(f->missing_own), other = !chance(f->missing_other), late;
    if (f->clustered)
      late = share * f->count >= late_from && share * f->count < late_from + f->late * f->count;
    else
      late = chance(f->late);
    double by = late ? uniform(f->least, f->most) * (f->both_sides && chance(0.5) ? -1 : 1) : 0;
    if (own) add_own(at + uniform(-f->jitter, f->jitter));
    if (own && chance(f->doubled)) add_own(at + 20 * f->jitter + 50e3);
    if (other) add_other(at + uniform(-f->jitter, f->jitter) + by);
    if (other && chance(f->doubled)) add_other(at + 20 * f->jitter + 50e3);
    good += own && other && !late;
  }
  return good;
}

static void assert_good(const struct fate *f, int good, int round) {
  int64_t end = START + llround(f->span);
  assert_bound_holds(START, end);
  if ((int)found.fit.used < good * 95 / 100 - 2 || found.drift != TB_DRIFT_FOLLOWED)
    fail_msg("round %d: %d of %d matches, drift %g", round, (int)found.fit.used, good, found.line.drift * 1e6);
  double worst = fmax(fabs(error_at(START)), fabs(error_at(end)));
  if (worst > 2 * f->jitter + 2) fail_msg("round %d: %.0f ns off, jitter %.0f", round, worst, f->jitter);
}

static void rows_that_lack_events_or_have_them_twice_are_matched(void **unused) {
  (void)unused;
  state = 1;
  for (int round = 0; round < 80 / TB_TEST_SHARE; round++) {
    struct fate f = {.count = (int)uniform(40, 600), .span = uniform(30e9, 300e9), .jitter = uniform(0, 50e3)};
    f.missing_own = uniform(0, 0.4);
    f.missing_other = uniform(0, 0.4);
    f.doubled = uniform(0, 0.1);
    drift = uniform(-100e-6, 100e-6);
    again();
    int good = make(&f);
    align();
    assert_good(&f, good, round);
    assert_false(found.is_ambiguous);
  }
}

static void events_at_wrong_times_do_not_bend_the_line(void **unused) {
  (void)unused;
  state = 2;
  for (int round = 0; round < 80 / TB_TEST_SHARE; round++) {
    struct fate f = {.count = (int)uniform(60, 600), .span = uniform(30e9, 300e9), .jitter = uniform(0, 20e3)};
    f.late = uniform(0.2, 0.45);
    f.clustered = chance(0.5);
    f.both_sides = chance(0.3);
    f.least = uniform(1e6, 10e6);
    f.most = f.least + uniform(0, 50e6);
    if (!f.clustered) f.late *= 0.95; /* chance makes it more */
    drift = uniform(-100e-6, 100e-6);
    again();
    int good = make(&f);
    align();
    assert_good(&f, good, round);
  }
}

static void periodic_rows_are_matched_as_wall_clocks_say(void **unused) {
  (void)unused;
  state = 3;
  for (int round = 0; round < 40 / TB_TEST_SHARE; round++) {
    int count = (int)uniform(60, 400);
    struct fate f = {.count = count, .span = 1e8 * (count - 1), .jitter = uniform(0, 50e3), .periodic = true};
    f.missing_own = uniform(0, 0.2);
    f.missing_other = uniform(0, 0.2);
    drift = uniform(-50e-6, 50e-6);
    options.prior = (struct tb_offset_prior){true, START, OFFSET + llround(uniform(-5e6, 5e6)), 0, 20000000};
    again();
    int good = make(&f);
    align();
    assert_good(&f, good, round);
    assert_false(found.is_ambiguous);
  }
}

static void rows_that_share_no_moments_are_not_matched(void **unused) {
  (void)unused;
  state = 21;
  for (int round = 0; round < 60 / TB_TEST_SHARE; round++) {
    double span = uniform(10e9, 300e9);
    drift = 0;
    again();
    for (int i = 0, own = (int)uniform(20, 200); i < own; i++) add_own((double)START + uniform(0, span));
    for (int i = 0, other = (int)uniform(20, 200); i < other; i++) add_other((double)START + uniform(0, span));
    bool any;
    tb_marks_sort(&marks);
    assert_int_equal(tb_align_names(&marks, 1, 0, &options, &found, &any), TB_OK);
    if (any)
      fail_msg("round %d: %d of %d and %d", round, (int)found.fit.used, (int)found.event_count,
               (int)found.other_events);
  }
}

/* A period that is shorter than what wall clocks may be apart: the shift nearest to them counts, others are noted. */
static void of_short_periods_the_shift_nearest_to_the_wall_clocks_counts(void **unused) {
  (void)unused;
  state = 13;
  for (int round = 0; round < 40 / TB_TEST_SHARE; round++) {
    struct fate f = {.count = 500, .span = 1e7 * 499, .jitter = 100e3, .periodic = true};
    f.missing_own = f.missing_other = 0.1;
    drift = uniform(-50e-6, 50e-6);
    options.prior = (struct tb_offset_prior){true, START, OFFSET + llround(uniform(-3e6, 3e6)), drift, 20000000};
    again();
    (void)make(&f);
    align();
    assert_true(llabs(found.first_offset - OFFSET) < 2000000);
    assert_true(found.is_ambiguous);
  }
}

/* Wall clocks that are further apart than usual still say which shift is likelier; a warning has another one. */
static void wall_clocks_that_are_kept_badly_place_periodic_rows(void **unused) {
  (void)unused;
  state = 31;
  for (int round = 0; round < 30 / TB_TEST_SHARE; round++) {
    int count = (int)uniform(50, 500);
    struct fate f = {.count = count, .span = 1e8 * (count - 1), .jitter = uniform(0, 1e6), .periodic = true};
    f.missing_own = f.missing_other = uniform(0.02, 0.3);
    f.late = uniform(0, 0.2);
    f.least = 2e6;
    f.most = 90e6;
    drift = uniform(-50e-6, 50e-6);
    double ahead = uniform(25e6, 45e6) * (chance(0.5) ? -1 : 1);
    options.prior = (struct tb_offset_prior){true, START, OFFSET + llround(ahead), drift, 20000000};
    again();
    (void)make(&f);
    align();
    double off = fabs(error_at(START + llround(f.span / 2)));
    if (off > 3 * f.jitter + 1000) fail_msg("round %d: %.0f ns off", round, off);
  }
}

/* Without wall clocks the shift that leaves no event over counts, and others are noted. */
static void of_complete_periodic_rows_no_event_is_left_over(void **unused) {
  (void)unused;
  state = 14;
  drift = 0;
  for (int round = 0; round < 40 / TB_TEST_SHARE; round++) {
    struct fate f = {.count = 500, .span = 1e8 * 499, .jitter = 1e6, .periodic = true};
    again();
    (void)make(&f);
    align();
    assert_true(llabs(found.first_offset - OFFSET) < 5000000);
    assert_int_equal(found.events_alone, 0);
    assert_true(found.is_ambiguous);
  }
}

static void wall_clocks_that_are_wrong_do_not_shift_rows_that_fit_once(void **unused) {
  (void)unused;
  state = 4;
  for (int round = 0; round < 50 / TB_TEST_SHARE; round++) {
    struct fate f = {.count = (int)uniform(20, 300), .span = 60e9, .jitter = 1000};
    drift = uniform(-50e-6, 50e-6);
    options.prior = (struct tb_offset_prior){true, START, OFFSET + 5000000000, 0, 20000000};
    again();
    int good = make(&f);
    align();
    assert_good(&f, good, round);
    assert_false(found.is_ambiguous);
  }
}

static void a_period_that_fits_as_well_is_reported(void **unused) {
  (void)unused;
  state = 5;
  drift = 20e-6;
  for (int i = 0; i < 500; i++) {
    if (i > 0) add_own((double)START + 1e8 * i + uniform(-1000, 1000));
    if (i < 499) add_other((double)START + 1e8 * i + uniform(-1000, 1000));
  }
  align();
  assert_true(found.is_ambiguous);
  assert_true(found.second_matches >= found.fit.used * 9 / 10);
  assert_in_range(llabs(found.first_offset - found.second_offset), 99900000, 100100000);
  assert_bound_holds(START, START + 50000000000);
}

static void of_one_event_and_several_nothing_says_which(void **unused) {
  (void)unused;
  add_own((double)START);
  for (int i = 0; i < 3; i++) add_other((double)START + 1e9 * i);
  align();
  assert_int_equal(found.fit.used, 1);
  assert_true(found.is_ambiguous);
  assert_int_equal(found.other_alone, 2);
  assert_bound_holds(START, START);
  again();
  options.prior = (struct tb_offset_prior){true, START, OFFSET + 1000000, 0, 20000000};
  add_own((double)START);
  for (int i = -1; i < 3; i++) add_other((double)START + 1e9 * i);
  align();
  assert_false(found.is_ambiguous);
  assert_int_equal(found.fit.offset, OFFSET);
}

/* Ten matches may seem to have an outlier by how a line through half of them goes; ten good ones hardly ever have
 * one. */
static void few_good_matches_have_no_outlier(void **unused) {
  (void)unused;
  int wrong = 0;
  state = 12;
  for (int round = 0; round < 1000 / TB_TEST_SHARE; round++) {
    struct fate f = {.count = (int)uniform(4, 30), .span = 100e9, .jitter = 1e5};
    drift = uniform(-50e-6, 50e-6);
    again();
    (void)make(&f);
    align();
    wrong += found.fit.outliers > 0;
  }
  assert_in_range(wrong, 0, 3);
}

/* Drift is taken from what few events show only where they show it, and the bound says what that leaves open. */
static void few_events_or_close_ones_have_bounds_that_hold(void **unused) {
  (void)unused;
  state = 6;
  for (int round = 0; round < 400 / TB_TEST_SHARE; round++) {
    double jitter = chance(0.5) ? 1e3 : 1e5, within = pow(10, uniform(7, 11));
    int count = (int)uniform(1, 12);
    double begin = (double)START + uniform(5e9, 50e9);
    drift = uniform(-50e-6, 50e-6);
    again();
    for (int i = 0; i < count; i++) {
      double at = begin + (i == 0 ? 0 : i == 1 ? within : uniform(0, within));
      add_own(at + uniform(-jitter, jitter));
      add_other(at + uniform(-jitter, jitter));
    }
    align();
    assert_bound_holds(START, START + 60000000000);
  }
}

static void long_rows_are_matched(void **unused) {
  (void)unused;
  state = 7;
  drift = -33e-6;
  options.prior.known = false;
  struct fate f = {.count = 30000,
                   .span = 300e9,
                   .jitter = 1000,
                   .missing_own = 0.1,
                   .missing_other = 0.2,
                   .late = 0.3,
                   .least = 1e6,
                   .most = 5e6};
  int good = make(&f);
  align();
  assert_good(&f, good, 0);
  assert_false(found.is_ambiguous);
}

/* ---- clock_sync -------------------------------------------------------------------------------------------------- */

/* The own clock's host is asked at an instant of it, or asks. */
static void add_sync(uint64_t id, double asked, double received, double answered, bool own_asks) {
  double times[3] = {asked, received, answered};
  for (int i = 0; i < 3; i++)
    if ((i == 1) == own_asks) times[i] += (double)truth(llround(times[i]));
  struct tb_mark issuer = {.kind = TB_MARK_SYNC_ISSUER, .id = id, .source = own_asks, .time = llround(times[2])};
  struct tb_mark receiver = {.kind = TB_MARK_SYNC_RECEIVER, .id = id, .source = !own_asks, .time = llround(times[1])};
  issuer.issued = llround(times[0]);
  assert_int_equal(tb_marks_add(&marks, &issuer), TB_OK);
  assert_int_equal(tb_marks_add(&marks, &receiver), TB_OK);
}

static void align_syncs(void) {
  bool any;
  tb_marks_sort(&marks);
  assert_int_equal(tb_align_syncs(&marks, 1, 0, &options, &found, &any), TB_OK);
  assert_true(any);
}

static void syncs_have_bounds_that_hold(void **unused) {
  (void)unused;
  state = 8;
  for (int round = 0; round < 300 / TB_TEST_SHARE; round++) {
    int count = (int)uniform(1, 40);
    drift = uniform(-95e-6, 95e-6);
    again();
    for (int i = 0; i < count; i++) {
      double at = (double)START + uniform(0, 60e9), wait = pow(10, uniform(2, 7));
      add_sync((uint64_t)i, at, at + wait * uniform(0, 1), at + wait, chance(0.5));
    }
    align_syncs();
    assert_bound_holds(START, START + 60000000000);
    assert_int_equal(found.fit.outliers, 0);
    assert_int_equal(found.fit.used, count);
  }
}

static void one_sync_is_known_to_half_its_wait_and_drifts(void **unused) {
  (void)unused;
  drift = 0;
  add_sync(1, (double)START, (double)START + 10, (double)START + 20000, false);
  align_syncs();
  assert_true(found.fit.drift < 1e-12 && found.fit.drift > -1e-12);
  assert_in_range(found.fit.bound_ns, 10000, 10001);
  assert_in_range(tb_time_bound_at(&found.bound, START + 1000000000), 110000, 110003);
}

static void a_sync_that_contradicts_the_others_is_the_one_left_out(void **unused) {
  (void)unused;
  state = 9;
  for (int round = 0; round < 50 / TB_TEST_SHARE; round++) {
    int count = (int)uniform(5, 120), wrong = count / 3;
    drift = uniform(-50e-6, 50e-6);
    again();
    for (int i = 0; i < count; i++) {
      double at = (double)START + 60e9 * i / count, wait = uniform(20e3, 200e3),
             off = i < wrong ? uniform(20e6, 90e6) : 0;
      add_sync((uint64_t)i, at, at + wait * uniform(0, 1) + off, at + wait, false);
    }
    align_syncs();
    assert_int_equal(found.fit.outliers, wrong);
    assert_bound_holds(START, START + 60000000000);
  }
}

/* A clock that was set back in between: it says nothing of the other one. */
static void a_sync_that_was_answered_before_it_was_asked_for_says_nothing(void **unused) {
  (void)unused;
  bool any;
  drift = 0;
  add_sync(1, (double)START + 30e6, (double)START + 10e6, (double)START + 20e6, false);
  tb_marks_sort(&marks);
  assert_int_equal(tb_align_syncs(&marks, 1, 0, &options, &found, &any), TB_OK);
  assert_false(any);
  assert_int_equal(found.backwards, 1);
  add_sync(2, (double)START + 50e6, (double)START + 50e6 + 300, (double)START + 51e6, false);
  align_syncs();
  assert_int_equal(found.fit.used, 1);
  assert_bound_holds(START, START + 60000000000);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(rows_that_lack_events_or_have_them_twice_are_matched),
      TEST(events_at_wrong_times_do_not_bend_the_line),
      TEST(periodic_rows_are_matched_as_wall_clocks_say),
      TEST(rows_that_share_no_moments_are_not_matched),
      TEST(of_short_periods_the_shift_nearest_to_the_wall_clocks_counts),
      TEST(wall_clocks_that_are_kept_badly_place_periodic_rows),
      TEST(of_complete_periodic_rows_no_event_is_left_over),
      TEST(wall_clocks_that_are_wrong_do_not_shift_rows_that_fit_once),
      TEST(a_period_that_fits_as_well_is_reported),
      TEST(of_one_event_and_several_nothing_says_which),
      TEST(few_good_matches_have_no_outlier),
      TEST(few_events_or_close_ones_have_bounds_that_hold),
      TEST(long_rows_are_matched),
      TEST(syncs_have_bounds_that_hold),
      TEST(one_sync_is_known_to_half_its_wait_and_drifts),
      TEST(a_sync_that_contradicts_the_others_is_the_one_left_out),
      TEST(a_sync_that_was_answered_before_it_was_asked_for_says_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
