/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose memory an rss_stat event is about. Kernels since 5.6 say it by a number for the memory (mm_id), and whether it
 * is the memory of the thread that the event is of. The number is used again once that thread is gone. Bundles of
 * processors come one after the other, so that what is said of a number counts by its time: from there on.
 */
#include "perfetto/reader/importers.h"
#include "perfetto/reader/sched.h"

enum value { VALUE_OWNER, VALUE_KNOWN_SINCE, VALUE_GONE_SINCE, VALUES = 4 };

/* A value that was set, or taken away. */
struct change {
  uint64_t key, kind;
  uint64_t before;
  bool had_before;
};

struct memory {
  struct tb_map values;     /* mm_id -> tid, and since when; tid -> since when it is gone: of each machine */
  struct tb_buffer changes; /* of the current bundle, of struct change */
};

static void init_memory(void *state, const struct tb_allocator *allocator) {
  struct memory *memory = state;
  tb_map_init(&memory->values, allocator);
  tb_buffer_init(&memory->changes, allocator, 0);
}

static void free_memory(void *state, const struct tb_allocator *allocator) {
  struct memory *memory = state;
  (void)allocator;
  tb_map_free(&memory->values);
  tb_buffer_free(&memory->changes);
}

const struct tb_importer_state tb_ftrace_memory_state = {
    .size = sizeof(struct memory), .init = init_memory, .free = free_memory};

static uint64_t kind_of(const struct tb_perfetto_reader *r, enum value of) {
  return (uint64_t)r->head.machine * VALUES + of;
}

static void set_value(struct tb_perfetto_reader *r, struct memory *memory, const struct change *to) {
  if (!to->had_before)
    tb_map_remove(&memory->values, to->key, to->kind);
  else if (tb_map_put(&memory->values, to->key, to->kind, to->before) != TB_OK)
    r->out_of_memory = true;
}

/* Sets a value, or takes it away: NULL. */
static void change_value(struct tb_perfetto_reader *r, struct memory *memory, enum value of, uint64_t key,
                         const uint64_t *value) {
  const uint64_t kind = kind_of(r, of), *before = tb_map_find(&memory->values, key, kind);
  const struct change change = {key, kind, before ? *before : 0, before != NULL};
  const struct change to = {key, kind, value ? *value : 0, value != NULL};
  if (change.had_before == to.had_before && change.before == to.before) return;
  if (tb_buffer_append(&memory->changes, &change, sizeof(change)) != TB_OK) r->out_of_memory = true;
  set_value(r, memory, &to);
}

void tb_perfetto_ftrace_memory_bundle(struct tb_perfetto_reader *r) {
  struct memory *memory = tb_perfetto_state_of(r, &tb_ftrace_memory_state);
  if (!memory) return;
  for (size_t at = memory->changes.len; r->given && at; at -= sizeof(struct change)) {
    struct change change;
    memcpy(&change, memory->changes.data + at - sizeof(change), sizeof(change));
    set_value(r, memory, &change);
  }
  memory->changes.len = 0;
}

/* NULL where it is not known. */
static const uint64_t *get(const struct tb_perfetto_reader *r, const struct memory *memory, enum value of,
                           uint64_t key) {
  return tb_map_find(&memory->values, key, kind_of(r, of));
}

void tb_perfetto_ftrace_memory_gone(struct tb_perfetto_reader *r, int64_t ts, int64_t tid, bool is_gone) {
  struct memory *memory = tb_perfetto_state_of(r, &tb_ftrace_memory_state);
  const uint64_t since = (uint64_t)ts;
  if (memory) change_value(r, memory, VALUE_GONE_SINCE, (uint64_t)tid, is_gone ? &since : NULL);
}

/* The memory is the thread's own at `ts`. */
static void set_owner(struct tb_perfetto_reader *r, struct memory *memory, int64_t ts, uint64_t tid, uint64_t mm_id) {
  const uint64_t *owner = get(r, memory, VALUE_OWNER, mm_id), *since = get(r, memory, VALUE_KNOWN_SINCE, mm_id);
  if (since && (int64_t)*since <= ts && *owner == tid) return;
  if (since && (int64_t)*since > ts && *owner != tid) return; /* it had another before */
  change_value(r, memory, VALUE_OWNER, mm_id, &tid);
  const uint64_t from = (uint64_t)ts;
  change_value(r, memory, VALUE_KNOWN_SINCE, mm_id, &from);
}

int64_t tb_perfetto_ftrace_memory_owner(struct tb_perfetto_reader *r, int64_t ts, int64_t tid, uint64_t mm_id,
                                        bool is_own) {
  struct memory *memory = tb_perfetto_state_of(r, &tb_ftrace_memory_state);
  if (!memory) return -1;
  if (is_own) {
    set_owner(r, memory, ts, (uint64_t)tid, mm_id);
    return tid;
  }
  const uint64_t *owner = get(r, memory, VALUE_OWNER, mm_id), *since = get(r, memory, VALUE_KNOWN_SINCE, mm_id);
  if (!owner || !since || (int64_t)*since > ts) return -1;
  const uint64_t *gone = get(r, memory, VALUE_GONE_SINCE, *owner);
  return gone && (int64_t)*gone <= ts ? -1 : (int64_t)*owner;
}
