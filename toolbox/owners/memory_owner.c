/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/owners/memory_owner.h"

#include "base/memory.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

/* Claims are nearly in the order of time, and few of one memory: so much is looked through. */
enum { CLAIMS_MAX = 1 << 24, LOOK_MAX = 4096 };

void tb_memory_owners_init(struct tb_memory_owners *owners, const struct tb_allocator *allocator) {
  *owners = (struct tb_memory_owners){.allocator = allocator};
  tb_map_init(&owners->last, allocator);
  tb_map_init(&owners->ends, allocator);
}

void tb_memory_owners_free(struct tb_memory_owners *owners) {
  tb_free(owners->allocator, owners->claims, owners->capacity * sizeof(*owners->claims));
  tb_map_free(&owners->last);
  tb_map_free(&owners->ends);
}

/* The number, plus one, of a memory's last claim up to a time; *behind that of the one behind it. 0: none. */
static uint32_t find_claim(const struct tb_memory_owners *owners, uint64_t memory, uint32_t machine, int64_t time,
                           uint32_t *behind) {
  uint32_t at = 0;
  *behind = 0;
  (void)tb_map_get(&owners->last, memory, machine, &at);
  for (int i = 0; at && owners->claims[at - 1].time > time && i < LOOK_MAX; i++) {
    *behind = at;
    at = owners->claims[at - 1].before;
  }
  return at;
}

static enum tb_status claim(struct tb_memory_owners *owners, uint64_t memory, uint32_t machine, int64_t time,
                            int64_t tid) {
  uint32_t behind, before = find_claim(owners, memory, machine, time, &behind);
  if (before && owners->claims[before - 1].tid == tid) return TB_OK;
  void *claims = owners->claims;
  enum tb_status status = tb_grow_array(owners->allocator, &claims, &owners->capacity, owners->count + 1,
                                        sizeof(*owners->claims), CLAIMS_MAX);
  owners->claims = claims;
  if (status != TB_OK) return status;
  owners->claims[owners->count++] = (struct tb_memory_claim){time, tid, before};
  if (!behind) return tb_map_put(&owners->last, memory, machine, owners->count);
  owners->claims[behind - 1].before = (uint32_t)owners->count;
  return TB_OK;
}

enum tb_status tb_memory_owners_take(struct tb_memory_owners *owners, const struct tb_ftrace_bundle *bundle,
                                     const struct tb_ftrace_event *event) {
  int64_t time;
  struct tb_rss_stat stat;
  if (!tb_ftrace_bundle_time(bundle, event->raw_time, &time)) return TB_OK;
  if (event->kind != TB_FTRACE_EVENT_RSS_STAT) {
    int64_t tid = (int32_t)tb_wire_find_number(event->payload, TB_SCHED_PROCESS_FTRACE_EVENT_PID);
    return tb_map_put(&owners->ends, (uint64_t)tid, bundle->machine, (uint64_t)time);
  }
  tb_rss_stat_read(event, &stat);
  return stat.says_whose && stat.is_own ? claim(owners, stat.memory, bundle->machine, time, event->pid) : TB_OK;
}

int64_t tb_memory_owners_find(const struct tb_memory_owners *owners, const struct tb_ftrace_bundle *bundle,
                              const struct tb_ftrace_event *event) {
  int64_t time;
  uint32_t behind;
  struct tb_rss_stat stat;
  tb_rss_stat_read(event, &stat);
  if (!stat.says_whose || stat.is_own || !tb_ftrace_bundle_time(bundle, event->raw_time, &time)) return event->pid;
  uint32_t at = find_claim(owners, stat.memory, bundle->machine, time, &behind);
  if (!at) return event->pid;
  const struct tb_memory_claim *found = &owners->claims[at - 1];
  const uint64_t *end = tb_map_find(&owners->ends, (uint64_t)found->tid, bundle->machine);
  bool ended = end && (int64_t)*end > found->time && (int64_t)*end <= time;
  return ended ? event->pid : found->tid;
}
