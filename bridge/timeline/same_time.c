/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/same_time.h"

static void free_run(struct tb_same_time_run *run, const struct tb_allocator *allocator) {
  tb_free(allocator, run->refs, run->capacity * sizeof(*run->refs));
  tb_free(allocator, run->newest, run->key_capacity * sizeof(*run->newest));
}

void tb_same_time_free(struct tb_same_time *t, const struct tb_allocator *allocator) {
  free_run(&t->latest, allocator);
  free_run(&t->newest, allocator);
  *t = (struct tb_same_time){0};
}

void tb_same_time_clear(struct tb_same_time *t) { t->latest.count = t->newest.count = 0; }

/* The run of a time, which begins anew where it is of another. */
static struct tb_same_time_run *run_at(struct tb_same_time *t, int64_t ts) {
  struct tb_same_time_run *run = ts < t->latest.ts ? &t->newest : &t->latest;
  if (run->ts != ts) {
    run->count = 0;
    run->has_others = false;
    run->ts = ts;
  }
  return run;
}

/* The newest entry of a key, + 1; 0: none. */
static uint32_t newest_of(const struct tb_same_time_run *run, uint32_t key) {
  uint32_t number = key < run->key_capacity ? run->newest[key] : 0;
  return number && number <= run->count && run->refs[number - 1].key == key ? number : 0;
}

static enum tb_status make_room(struct tb_same_time_run *run, const struct tb_allocator *allocator, uint32_t key) {
  void *refs = run->refs, *newest = run->newest;
  enum tb_status status =
      tb_grow_array(allocator, &refs, &run->capacity, run->count + 1, sizeof(*run->refs), UINT32_MAX - 1);
  run->refs = refs;
  if (status == TB_OK)
    status =
        tb_grow_zeroed(allocator, &newest, &run->key_capacity, (size_t)key + 1, sizeof(*run->newest), SIZE_MAX / 8);
  run->newest = newest;
  return status == TB_OK ? TB_OK : TB_NO_MEMORY;
}

enum tb_status tb_same_time_add(struct tb_same_time *t, const struct tb_allocator *allocator, uint32_t key, int64_t ts,
                                char *head, int opens) {
  struct tb_same_time_run *run = run_at(t, ts);
  if ((run->count == run->capacity || key >= run->key_capacity) && make_room(run, allocator, key) != TB_OK)
    return TB_NO_MEMORY;
  uint32_t next = newest_of(run, key);
  run->refs[run->count++] = (struct tb_same_time_ref){head, key, next, (int8_t)opens};
  run->newest[key] = (uint32_t)run->count;
  return TB_OK;
}

void tb_same_time_pass(struct tb_same_time *t, int64_t ts) { run_at(t, ts)->has_others = true; }

bool tb_same_time_raise(struct tb_same_time *t, uint32_t key, int64_t ts, char bit) {
  struct tb_same_time_run *run = run_at(t, ts);
  uint32_t newest = newest_of(run, key);
  size_t raised = 0;
  int open = 0;
  for (uint32_t number = newest; number; number = run->refs[number - 1].next, raised++) {
    const struct tb_same_time_ref *ref = &run->refs[number - 1];
    open += ref->opens;
    if (!ref->head || open > 0) return false;
  }
  if (open) return false; /* an END whose BEGIN is not of this run */
  for (uint32_t number = newest; number; number = run->refs[number - 1].next)
    *run->refs[number - 1].head = (char)(*run->refs[number - 1].head | bit);
  if (newest) run->newest[key] = 0;
  if (raised != run->count || run->has_others) return false;
  run->count = 0;
  return true;
}
