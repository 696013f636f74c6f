/* SPDX-License-Identifier: Apache-2.0
 *
 * A stager goes from form to form when an entry does not fit: all entries are in the next form then, in the order in
 * which they came, whichever entry of the replay does not fit there either.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "timeline/stager.h"

enum { ENTRIES_MAX = 8 };

/* Takes times below a limit; the last of three forms takes all. */
struct taken {
  int64_t ts[ENTRIES_MAX];
  uint64_t count;
};

static int freed, replayed;

static void init(struct tb_stager *stager, void *state) {
  (void)stager;
  memset(state, 0, sizeof(struct taken));
}

static void release(void *state) {
  (void)state;
  freed++;
}

static uint64_t entries(const void *state) { return ((const struct taken *)state)->count; }

static enum tb_status take_below(void *state, const struct tb_staged_event *entry, int64_t limit, bool *fits) {
  struct taken *taken = state;
  *fits = entry->ts < limit;
  if (!*fits) return TB_OK;
  assert_true(taken->count < ENTRIES_MAX);
  taken->ts[taken->count++] = entry->ts;
  return TB_OK;
}

static enum tb_status put_first(struct tb_stager *stager, void *state, struct tb_staged_event *entry, bool *fits) {
  (void)stager;
  return take_below(state, entry, 10, fits);
}

/* Takes less than the first form did. */
static enum tb_status put_second(struct tb_stager *stager, void *state, struct tb_staged_event *entry, bool *fits) {
  (void)stager;
  return take_below(state, entry, 3, fits);
}

static enum tb_status put_last(struct tb_stager *stager, void *state, struct tb_staged_event *entry, bool *fits) {
  (void)stager;
  return take_below(state, entry, INT64_MAX, fits);
}

static enum tb_status replay(struct tb_stager *stager, void *state, tb_stager_take *take, void *ctx,
                             struct tb_error *error) {
  (void)stager;
  (void)error;
  const struct taken *taken = state;
  enum tb_status status = TB_OK;
  for (uint64_t i = 0; status == TB_OK && i < taken->count; i++) {
    struct tb_staged_event entry = {.ts = taken->ts[i]};
    status = take(ctx, &entry);
  }
  return status;
}

static enum tb_status count_replayed(struct tb_stager *stager, void *state, struct tb_error *error) {
  (void)stager;
  (void)state;
  (void)error;
  replayed++;
  return TB_OK;
}

static const struct tb_stager_form last = {.size = sizeof(struct taken),
                                           .init = init,
                                           .free = release,
                                           .entries = entries,
                                           .put = put_last,
                                           .replayed = count_replayed};
static const struct tb_stager_form second = {.size = sizeof(struct taken),
                                             .next = &last,
                                             .init = init,
                                             .free = release,
                                             .entries = entries,
                                             .put = put_second,
                                             .replay = replay};
static const struct tb_stager_form first = {.size = sizeof(struct taken),
                                            .next = &second,
                                            .init = init,
                                            .free = release,
                                            .entries = entries,
                                            .put = put_first,
                                            .replay = replay};

static void put(struct tb_stager *stager, int64_t ts) {
  struct tb_staged_event entry = {.ts = ts};
  assert_int_equal(tb_stager_put(stager, &entry, NULL), TB_OK);
}

static int start(void **state) {
  (void)state;
  freed = replayed = 0;
  return 0;
}

static void stays(void **state) {
  (void)state;
  struct tb_stager stager;
  assert_int_equal(tb_stager_open(&stager, tb_default_allocator(), &first), TB_OK);
  assert_int_equal(tb_stager_entries(&stager), 0);
  put(&stager, 1);
  put(&stager, 9);
  assert_ptr_equal(tb_stager_as(&stager, &first), stager.state);
  assert_null(tb_stager_as(&stager, &last));
  assert_int_equal(tb_stager_entries(&stager), 2);
  tb_stager_close(&stager);
  assert_int_equal(tb_stager_entries(&stager), 0);
  tb_stager_close(&stager);
  assert_int_equal(freed, 1);
}

static void goes_on_one_form(void **state) {
  (void)state;
  struct tb_stager stager;
  assert_int_equal(tb_stager_open(&stager, tb_default_allocator(), &first), TB_OK);
  put(&stager, 2);
  put(&stager, 1);
  assert_int_equal(tb_stager_next(&stager, NULL), TB_OK);
  const struct taken *taken = tb_stager_as(&stager, &second);
  assert_non_null(taken);
  assert_int_equal(taken->count, 2);
  assert_int_equal(taken->ts[0], 2);
  assert_int_equal(taken->ts[1], 1);
  assert_int_equal(freed, 1);
  assert_int_equal(replayed, 0);
  tb_stager_close(&stager);
}

/* 5 does not fit the second form, to which 20 leads; 1 does. */
static void goes_on_in_a_replay(void **state) {
  (void)state;
  static const int64_t times[] = {1, 5, 2, 20, 4};
  enum { COUNT = sizeof(times) / sizeof(times[0]) };
  struct tb_stager stager;
  assert_int_equal(tb_stager_open(&stager, tb_default_allocator(), &first), TB_OK);
  for (size_t i = 0; i < COUNT; i++) put(&stager, times[i]);
  const struct taken *taken = tb_stager_as(&stager, &last);
  assert_non_null(taken);
  assert_int_equal(taken->count, COUNT);
  for (size_t i = 0; i < COUNT; i++) assert_int_equal(taken->ts[i], times[i]);
  assert_int_equal(freed, 2);
  assert_true(replayed >= 3); /* 1, 5, 2: whatever the budget is, it is looked at in a replay */
  tb_stager_close(&stager);
  assert_int_equal(freed, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup(stays, start),
                                     cmocka_unit_test_setup(goes_on_one_form, start),
                                     cmocka_unit_test_setup(goes_on_in_a_replay, start)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
