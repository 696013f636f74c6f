/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "io/read_ahead.h"
#include "io/ring.h"
#include "io/write_behind.h"
#include "tracebridge/convert.h"

enum { SLOTS = 4, NUMBERS = 2000 };

struct numbers {
  struct tb_ring ring;
  int slots[SLOTS];
  int64_t sum;
  int count;
};

/* ---- what is created and destroyed, and a thread that cannot be had ---------------------------------------------- */

static bool no_threads;
static int threads_refused, mutexes, conditions;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg) {
  threads_refused += no_threads;
  return no_threads ? EAGAIN : __real_pthread_create(thread, attr, run, arg);
}

int __real_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr) {
  mutexes++;
  return __real_pthread_mutex_init(mutex, attr);
}

int __real_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex) {
  mutexes--;
  return __real_pthread_mutex_destroy(mutex);
}

int __real_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attr);
int __wrap_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attr);
int __wrap_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attr) {
  conditions++;
  return __real_pthread_cond_init(condition, attr);
}

int __real_pthread_cond_destroy(pthread_cond_t *condition);
int __wrap_pthread_cond_destroy(pthread_cond_t *condition);
int __wrap_pthread_cond_destroy(pthread_cond_t *condition) {
  conditions--;
  return __real_pthread_cond_destroy(condition);
}

static int nothing_left(void **state) {
  (void)state;
  no_threads = false;
  assert_int_equal(mutexes, 0);
  assert_int_equal(conditions, 0);
  return 0;
}

/* ---- both sides -------------------------------------------------------------------------------------------------- */

/* Fills slots with 1, 2, ...; the last one has NUMBERS. */
static void *fill(void *ctx) {
  struct numbers *n = ctx;
  size_t slot;
  for (int i = 1; i <= NUMBERS && (slot = tb_ring_free_slot(&n->ring)) != TB_RING_CLOSED; i++) {
    n->slots[slot] = i;
    tb_ring_publish(&n->ring, i == NUMBERS);
  }
  return NULL;
}

static void *empty(void *ctx) {
  struct numbers *n = ctx;
  size_t slot;
  while ((slot = tb_ring_filled_slot(&n->ring)) != TB_RING_CLOSED) {
    n->sum += n->slots[slot];
    n->count++;
    tb_ring_release(&n->ring);
  }
  return NULL;
}

static void what_a_thread_fills_comes_in_order(void **state) {
  (void)state;
  for (size_t batch = 1; batch <= SLOTS; batch++) {
    struct numbers n = {.sum = 0};
    assert_true(tb_ring_start(&n.ring, SLOTS, batch, fill, &n));
    for (int i = 1; i <= NUMBERS; i++) {
      size_t slot = tb_ring_filled_slot(&n.ring);
      assert_int_equal(slot, (i - 1) % SLOTS);
      assert_int_equal(tb_ring_filled_slot(&n.ring), slot); /* until it is released */
      assert_int_equal(n.slots[slot], i);
      tb_ring_release(&n.ring);
    }
    assert_true(tb_ring_filled_slot(&n.ring) == TB_RING_CLOSED);
    tb_ring_stop(&n.ring);
  }
}

static void what_is_filled_for_a_thread_is_used_up_when_drained(void **state) {
  (void)state;
  for (size_t batch = 1; batch <= SLOTS; batch++) {
    struct numbers n = {.sum = 0};
    assert_true(tb_ring_start(&n.ring, SLOTS, batch, empty, &n));
    tb_ring_drain(&n.ring); /* nothing was published */
    for (int i = 1; i <= NUMBERS; i++) {
      size_t slot = tb_ring_free_slot(&n.ring);
      n.slots[slot] = i;
      tb_ring_publish(&n.ring, false);
      if (i % 7 && i != NUMBERS) continue;
      tb_ring_drain(&n.ring); /* fewer than a batch do, too */
      assert_int_equal(n.count, i);
    }
    assert_int_equal(n.sum, (int64_t)NUMBERS * (NUMBERS + 1) / 2);
    tb_ring_stop(&n.ring);
  }
}

/* Whether the thread waits by then or comes to wait, it ends. */
static void a_thread_that_waits_ends_when_the_ring_is_stopped(void **state) {
  (void)state;
  for (int turn = 0; turn < 50; turn++) {
    struct numbers filled = {.sum = 0}, emptied = {.sum = 0};
    assert_true(tb_ring_start(&filled.ring, SLOTS, 1, fill, &filled));
    assert_true(tb_ring_start(&emptied.ring, SLOTS, SLOTS, empty, &emptied));
    if (turn % 2) assert_true(tb_ring_filled_slot(&filled.ring) == 0);
    if (turn % 2) tb_ring_publish(&emptied.ring, false);
    tb_ring_stop(&filled.ring);
    tb_ring_stop(&emptied.ring);
  }
}

/* ---- without threads --------------------------------------------------------------------------------------------- */

static enum tb_status produce(void *ctx, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  (void)ctx, (void)to, (void)capacity, (void)got, (void)error;
  return TB_END;
}

static enum tb_status consume(void *ctx, const char *bytes, size_t len) {
  (void)ctx, (void)bytes, (void)len;
  return TB_OK;
}

static void without_a_thread_nothing_is_left(void **state) {
  (void)state;
  struct numbers n = {.sum = 0};
  no_threads = true;
  assert_false(tb_ring_start(&n.ring, SLOTS, 1, fill, &n));
  assert_null(tb_read_ahead_start(tb_default_allocator(), produce, NULL));
  assert_null(tb_write_behind_start(tb_default_allocator(), 100, consume, NULL));
  assert_int_equal(threads_refused, 3);
}

static void without_a_thread_a_conversion_is_made_in_one(void **state) {
  (void)state;
  char output[] = "/tmp/test_ring.XXXXXX.pftrace";
  int fd = mkstemps(output, 8);
  assert_true(fd >= 0);
  assert_int_equal(close(fd), 0);
  const struct tb_convert_options options = {.size = sizeof(options), .threads = 2};
  threads_refused = 0;
  no_threads = true;
  assert_int_equal(tb_convert(TB_TEST_DATA "/phases/args.json", output, &options, NULL, NULL), TB_OK);
  assert_true(threads_refused > 0);
  assert_int_equal(unlink(output), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(what_a_thread_fills_comes_in_order, nothing_left),
      cmocka_unit_test_teardown(what_is_filled_for_a_thread_is_used_up_when_drained, nothing_left),
      cmocka_unit_test_teardown(a_thread_that_waits_ends_when_the_ring_is_stopped, nothing_left),
      cmocka_unit_test_teardown(without_a_thread_nothing_is_left, nothing_left),
      cmocka_unit_test_teardown(without_a_thread_a_conversion_is_made_in_one, nothing_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
