/* SPDX-License-Identifier: Apache-2.0
 *
 * Entries of several sequences that come mixed are read sequence after sequence, each with what it uses, from memory
 * and from a temporary file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "perfetto/writer/staged/grouped_sequences.h"

enum { SEQUENCES = 50, ROUNDS = 20 };

static size_t held;

/* Entry `round` of a sequence uses a name of its own, and in each second round one that all use. */
static void put(struct tb_grouped_sequences *g, uint32_t sequence, uint32_t round) {
  const struct tb_allocator *a = tb_default_allocator();
  struct tb_interned_use *names = &g->uses.kinds[TB_INTERNED_NAMES];
  assert_int_equal(tb_interned_use_iid(a, names, 1000 + sequence), TB_OK);
  if (round % 2) assert_int_equal(tb_interned_use_iid(a, &g->uses.kinds[TB_INTERNED_CATEGORIES], 7), TB_OK);
  char body[2] = {(char)sequence, (char)round};
  const struct tb_staged_event entry = {.kind = TB_STAGED_COMPLETE,
                                        .ts = -5 - (int64_t)round,
                                        .dur = 10,
                                        .flow = round == 3 ? TB_FLOW_OUT : TB_FLOW_NONE,
                                        .flow_key = sequence,
                                        .order = round,
                                        .body = {body, sizeof(body)},
                                        .end_body = {"end", 3}};
  assert_int_equal(tb_grouped_sequences_put(g, sequence, &entry), TB_OK);
  assert_int_equal(names->count, 0);
}

static void put_all(struct tb_grouped_sequences *g, struct tb_spill_file *file) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    for (uint32_t i = 0; i < SEQUENCES; i++) put(g, (i * 7 + round) % SEQUENCES, round);
    if (file && round % 6 == 5) assert_int_equal(tb_sort_queue_spill(&g->queue, file, NULL), TB_OK);
  }
}

static void read_sequence(struct tb_grouped_sequences *g, uint32_t sequence) {
  struct tb_interned_uses uses = {0};
  struct tb_staged_event entry;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    assert_int_equal(tb_grouped_sequences_next(g, sequence, &entry, &uses, NULL), TB_OK);
    assert_int_equal(entry.kind, TB_STAGED_COMPLETE);
    assert_int_equal(entry.ts, -5 - (int64_t)round);
    assert_int_equal(entry.dur, 10);
    assert_int_equal(entry.flow, round == 3 ? TB_FLOW_OUT : TB_FLOW_NONE);
    if (round == 3) assert_int_equal(entry.flow_key, sequence);
    assert_int_equal(entry.body.len, 2);
    assert_int_equal(entry.body.ptr[0], (char)sequence);
    assert_int_equal(entry.body.ptr[1], (char)round);
    assert_true(tb_str_equal(entry.end_body, TB_STR("end")));
  }
  assert_int_equal(tb_grouped_sequences_next(g, sequence, &entry, &uses, NULL), TB_END);
  assert_int_equal(uses.kinds[TB_INTERNED_NAMES].count, 1);
  assert_int_equal(uses.kinds[TB_INTERNED_NAMES].iids[0], 1000 + sequence);
  assert_int_equal(uses.kinds[TB_INTERNED_CATEGORIES].count, 1);
  assert_int_equal(uses.kinds[TB_INTERNED_CATEGORIES].iids[0], 7);
  tb_interned_free_uses(&uses, tb_default_allocator());
}

static void check(struct tb_spill_file *file) {
  struct tb_grouped_sequences grouped;
  tb_grouped_sequences_init(&grouped, tb_default_allocator(), &held);
  put_all(&grouped, file);
  assert_int_equal(tb_grouped_sequences_rewind(&grouped, file, NULL), TB_OK);
  read_sequence(&grouped, 4); /* those before it are passed over */
  read_sequence(&grouped, 30);
  assert_int_equal(tb_grouped_sequences_rewind(&grouped, file, NULL), TB_OK);
  for (uint32_t i = 0; i < SEQUENCES; i++) read_sequence(&grouped, i);
  tb_grouped_sequences_free(&grouped);
  assert_int_equal(held, 0);
}

static void in_memory(void **state) {
  (void)state;
  check(NULL);
}

static void spilled(void **state) {
  (void)state;
  struct tb_spill_file *file;
  assert_int_equal(tb_spill_file_create(NULL, tb_default_allocator(), &file, NULL), TB_OK);
  check(file);
  tb_spill_file_close(file);
}

static void none(void **state) {
  (void)state;
  struct tb_grouped_sequences grouped;
  struct tb_interned_uses uses = {0};
  struct tb_staged_event entry;
  tb_grouped_sequences_init(&grouped, tb_default_allocator(), &held);
  assert_int_equal(tb_grouped_sequences_rewind(&grouped, NULL, NULL), TB_OK);
  assert_int_equal(tb_grouped_sequences_next(&grouped, 0, &entry, &uses, NULL), TB_END);
  tb_grouped_sequences_free(&grouped);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(in_memory), cmocka_unit_test(spilled), cmocka_unit_test(none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
