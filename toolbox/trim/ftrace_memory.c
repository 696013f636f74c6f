/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/ftrace_memory.h"

#include <stdlib.h>

#include "base/memory.h"
#include "ftrace/event_text.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "toolbox/trim/ftrace_roles.h"
#include "toolbox/walk/atrace.h"

enum { SETTLE_AT = 1 << 17, EVENTS_MAX = 1 << 28, MEMBERS = 8 };

void tb_ftrace_memory_init(struct tb_ftrace_memory *memory, const struct tb_allocator *allocator, int64_t start) {
  *memory = (struct tb_ftrace_memory){.allocator = allocator, .start = start};
  tb_map_init(&memory->processes, allocator);
  tb_map_init(&memory->owners, allocator);
  tb_map_init(&memory->gone, allocator);
  tb_map_init(&memory->value_index, allocator);
}

void tb_ftrace_memory_free(struct tb_ftrace_memory *memory) {
  tb_free(memory->allocator, memory->events, memory->event_capacity * sizeof(*memory->events));
  tb_free(memory->allocator, memory->values, memory->value_capacity * sizeof(*memory->values));
  tb_map_free(&memory->processes);
  tb_map_free(&memory->owners);
  tb_map_free(&memory->gone);
  tb_map_free(&memory->value_index);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void read_value(const struct tb_ftrace_event *event, struct tb_memory_event *made) {
  struct tb_rss_stat stat;
  tb_rss_stat_read(event, &stat);
  made->what = !stat.says_whose ? TB_MEMORY_PLAIN : stat.is_own ? TB_MEMORY_OWN : TB_MEMORY_OTHER;
  made->memory = stat.memory;
  made->member = stat.member;
  made->size = stat.size;
}

/* False where the event is none of those. */
static bool read_event(const struct tb_ftrace_event *event, struct tb_memory_event *made) {
  switch (event->kind) {
    case TB_FTRACE_EVENT_RSS_STAT:
      made->tid = event->pid;
      read_value(event, made);
      return made->member < MEMBERS && (int64_t)made->size >= 0;
    case TB_FTRACE_EVENT_SCHED_PROCESS_FREE:
      made->what = TB_MEMORY_GONE;
      made->tid = (int32_t)tb_wire_find_number(event->payload, TB_SCHED_PROCESS_FTRACE_EVENT_PID);
      return true;
    case TB_FTRACE_EVENT_TASK_NEWTASK: {
      uint64_t flags = tb_wire_find_number(event->payload, TB_TASK_NEWTASK_FTRACE_EVENT_CLONE_FLAGS);
      made->what = flags & TB_FTRACE_CLONE_THREAD ? TB_MEMORY_THREAD : TB_MEMORY_PROCESS;
      made->tid = (int32_t)tb_wire_find_number(event->payload, TB_TASK_NEWTASK_FTRACE_EVENT_PID);
      made->memory = (uint64_t)event->pid;
      return true;
    }
    default:
      return false;
  }
}

/* The first mark that says whose a thread is counts, as readers take it for all times. */
static enum tb_status take_mark(struct tb_ftrace_memory *memory, const struct tb_ftrace_bundle *bundle,
                                const struct tb_ftrace_event *event) {
  if (event->pid <= 0 || tb_map_find(&memory->processes, (uint64_t)event->pid, bundle->machine)) return TB_OK;
  int64_t process = tb_atrace_process_of(event);
  return process ? tb_map_put(&memory->processes, (uint64_t)event->pid, bundle->machine, (uint64_t)process) : TB_OK;
}

enum tb_status tb_ftrace_memory_take(struct tb_ftrace_memory *memory, const struct tb_ftrace_bundle *bundle,
                                     const struct tb_ftrace_event *event) {
  if (event->kind == TB_FTRACE_EVENT_PRINT) return take_mark(memory, bundle, event);
  struct tb_memory_event made = {.machine = bundle->machine, .cpu = bundle->cpu, .order = memory->taken++};
  if (!read_event(event, &made) || !tb_ftrace_bundle_time(bundle, event->raw_time, &made.time) ||
      made.time > memory->start)
    return TB_OK;
  void *items = memory->events;
  enum tb_status status = tb_grow_array(memory->allocator, &items, &memory->event_capacity, memory->event_count + 1,
                                        sizeof(*memory->events), EVENTS_MAX);
  memory->events = items;
  if (status == TB_OK) memory->events[memory->event_count++] = made;
  return status;
}

enum tb_status tb_ftrace_memory_take_tree(struct tb_ftrace_memory *memory, const struct tb_walk *walk) {
  struct tb_wire_cursor cursor = tb_wire_cursor(walk->packet.head.payload);
  struct tb_wire_field field, f[TB_PROCESS_TREE_THREAD_TGID + 1];
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    bool is_thread = field.number == TB_PROCESS_TREE_THREADS;
    if ((!is_thread && field.number != TB_PROCESS_TREE_PROCESSES) || field.type != TB_WIRE_BYTES) continue;
    (void)tb_wire_read_fields(field.bytes, f, TB_PROCESS_TREE_THREAD_TGID + 1);
    uint32_t pid = is_thread ? TB_PROCESS_TREE_THREAD_TGID : TB_PROCESS_TREE_PROCESS_PID;
    status =
        tb_map_put(&memory->processes, f[TB_PROCESS_TREE_THREAD_TID].value, walk->packet.head.machine, f[pid].value);
  }
  return status;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static int64_t process_of(const struct tb_ftrace_memory *memory, int64_t tid, uint32_t machine) {
  const uint64_t *process = tb_map_find(&memory->processes, (uint64_t)tid, machine);
  return process ? (int64_t)*process : tid;
}

static bool is_gone(const struct tb_ftrace_memory *memory, int64_t tid, uint32_t machine) {
  const uint64_t *gone = tb_map_find(&memory->gone, (uint64_t)tid, machine);
  return gone && *gone;
}

static enum tb_status put_value(struct tb_ftrace_memory *memory, const struct tb_memory_event *event, int64_t owner) {
  const struct tb_memory_value key = {
      .process = process_of(memory, owner, event->machine), .machine = event->machine, .member = event->member};
  uint64_t kind = (uint64_t)key.machine << 32 | key.member;
  uint32_t number;
  if (!tb_map_get(&memory->value_index, (uint64_t)key.process, kind, &number)) {
    void *items = memory->values;
    enum tb_status status = tb_grow_array(memory->allocator, &items, &memory->value_capacity, memory->value_count + 1,
                                          sizeof(*memory->values), EVENTS_MAX);
    memory->values = items;
    if (status == TB_OK) status = tb_map_put(&memory->value_index, (uint64_t)key.process, kind, memory->value_count);
    if (status != TB_OK) return status;
    number = (uint32_t)memory->value_count;
    memory->values[memory->value_count++] = key;
  }
  struct tb_memory_value *value = &memory->values[number];
  value->has_value_at_start |= event->time == memory->start;
  if (event->time == memory->start) return TB_OK;
  value->has_value = true;
  value->time = event->time;
  value->tid = owner;
  value->memory = event->what == TB_MEMORY_PLAIN ? 0 : event->memory;
  value->size = event->size;
  value->cpu = event->cpu;
  return TB_OK;
}

/* Whose memory that of another thread is, unless that is gone. */
static enum tb_status take_other(struct tb_ftrace_memory *memory, const struct tb_memory_event *event) {
  const uint64_t *owner = tb_map_find(&memory->owners, event->memory, event->machine);
  if (!owner) return TB_OK;
  int64_t tid = (int64_t)*owner;
  if (!is_gone(memory, tid, event->machine)) return put_value(memory, event, tid);
  tb_map_remove(&memory->owners, event->memory, event->machine);
  return TB_OK;
}

/* A thread is of the process of the one that made it, or that of the one that it made: either may be known. */
static enum tb_status put_process(struct tb_ftrace_memory *memory, const struct tb_memory_event *event) {
  struct tb_map *processes = &memory->processes;
  uint64_t tid = (uint64_t)event->tid;
  if (event->what == TB_MEMORY_PROCESS) return tb_map_put(processes, tid, event->machine, tid);
  const uint64_t *of_parent = tb_map_find(processes, event->memory, event->machine);
  if (of_parent) return tb_map_put(processes, tid, event->machine, *of_parent);
  const uint64_t *of_child = tb_map_find(processes, tid, event->machine);
  return of_child ? tb_map_put(processes, event->memory, event->machine, *of_child) : TB_OK;
}

/* A number that comes again is of another process, or thread. */
static enum tb_status take_thread(struct tb_ftrace_memory *memory, const struct tb_memory_event *event) {
  bool is_process = event->what == TB_MEMORY_PROCESS;
  uint32_t number;
  for (uint32_t member = 0; is_process && member < MEMBERS; member++)
    if (tb_map_get(&memory->value_index, (uint64_t)event->tid, (uint64_t)event->machine << 32 | member, &number))
      memory->values[number].has_value = false;
  enum tb_status status = put_process(memory, event);
  return status == TB_OK ? tb_map_put(&memory->gone, (uint64_t)event->tid, event->machine, 0) : status;
}

static enum tb_status take_in_order(struct tb_ftrace_memory *memory, const struct tb_memory_event *event) {
  enum tb_status status = TB_OK;
  switch (event->what) {
    case TB_MEMORY_GONE:
      return tb_map_put(&memory->gone, (uint64_t)event->tid, event->machine, 1);
    case TB_MEMORY_THREAD:
    case TB_MEMORY_PROCESS:
      return take_thread(memory, event);
    case TB_MEMORY_OTHER:
      return take_other(memory, event);
    case TB_MEMORY_OWN:
      status = tb_map_put(&memory->owners, event->memory, event->machine, (uint64_t)event->tid);
      break;
    case TB_MEMORY_PLAIN:
    default:
      break;
  }
  if (status != TB_OK || is_gone(memory, event->tid, event->machine)) return status;
  return put_value(memory, event, event->tid);
}

/* A value of a thread of which nothing said yet whose it is: of its process, if that has no later one. */
static void join_process(const struct tb_ftrace_memory *memory, struct tb_memory_value *value) {
  const uint64_t *process = tb_map_find(&memory->processes, (uint64_t)value->process, value->machine);
  uint32_t number;
  if (!process || (int64_t)*process == value->process) return;
  value->process = (int64_t)*process;
  if (!tb_map_get(&memory->value_index, *process, (uint64_t)value->machine << 32 | value->member, &number)) return;
  struct tb_memory_value *other = &memory->values[number];
  value->has_value_at_start |= other->has_value_at_start;
  if (other->has_value && other->time > value->time)
    value->has_value = false;
  else
    other->has_value = false;
}

/* Whose the memory is at the start, which it may be no more. */
static void find_owner(const struct tb_ftrace_memory *memory, struct tb_memory_value *value) {
  const uint64_t *owner = value->memory ? tb_map_find(&memory->owners, value->memory, value->machine) : NULL;
  int64_t tid = owner ? (int64_t)*owner : -1;
  bool owns =
      owner && !is_gone(memory, tid, value->machine) && process_of(memory, tid, value->machine) == value->process;
  value->tid = owns ? tid : value->process;
  if (!owns) value->memory = 0;
}

static bool is_carried(const struct tb_memory_value *value) { return value->has_value && !value->has_value_at_start; }

/* Of a memory that no value is of, since its process had others later: readers know its owner still. One of several
 * values that say the same of another memory says it. */
static void carry_owner(struct tb_ftrace_memory *memory, const struct tb_map_entry *owner) {
  uint32_t machine = (uint32_t)owner->second, number;
  uint64_t process = (uint64_t)process_of(memory, (int64_t)owner->value, machine);
  struct tb_memory_value *spare = NULL, *known[MEMBERS];
  size_t count = 0;
  if (is_gone(memory, (int64_t)owner->value, machine)) return;
  for (uint32_t member = 0; member < MEMBERS; member++) {
    if (!tb_map_get(&memory->value_index, process, (uint64_t)machine << 32 | member, &number)) continue;
    struct tb_memory_value *value = &memory->values[number];
    if (!is_carried(value)) continue;
    if (value->memory == owner->first) return;
    for (size_t i = 0; i < count; i++)
      if (known[i]->memory == value->memory) spare = value;
    known[count++] = value;
  }
  if (!spare) return;
  spare->memory = owner->first;
  spare->tid = (int64_t)owner->value;
}

static int compare_events(const void *a, const void *b) {
  const struct tb_memory_event *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* Of all but `left` events, the first in time. */
static enum tb_status settle(struct tb_ftrace_memory *memory, const struct tb_map *whole_from, size_t left) {
  enum tb_status status = TB_OK;
  size_t i = 0;
  if (memory->event_count) qsort(memory->events, memory->event_count, sizeof(*memory->events), compare_events);
  for (; i + left < memory->event_count && status == TB_OK; i++) {
    const struct tb_memory_event *event = &memory->events[i];
    const uint64_t *from = whole_from->count ? tb_map_find(whole_from, event->machine, 0) : NULL;
    if (!from || event->time >= (int64_t)*from) status = take_in_order(memory, event);
  }
  memory->event_count -= i;
  if (i && memory->event_count)
    memmove(memory->events, memory->events + i, memory->event_count * sizeof(*memory->events));
  return status;
}

enum tb_status tb_ftrace_memory_settle(struct tb_ftrace_memory *memory, const struct tb_map *whole_from) {
  return memory->event_count < SETTLE_AT ? TB_OK : settle(memory, whole_from, SETTLE_AT / 2);
}

enum tb_status tb_ftrace_memory_end(struct tb_ftrace_memory *memory, const struct tb_map *whole_from) {
  enum tb_status status = settle(memory, whole_from, 0);
  for (size_t i = 0; i < memory->value_count; i++) {
    join_process(memory, &memory->values[i]);
    find_owner(memory, &memory->values[i]);
  }
  struct tb_map_entry owner;
  for (size_t at = 0; tb_map_next(&memory->owners, &at, &owner);) carry_owner(memory, &owner);
  return status;
}

uint32_t tb_ftrace_memory_field(uint32_t member) {
  static const uint32_t fields[MEMBERS] = {TB_PROCESS_STATS_PROCESS_RSS_FILE_KB, TB_PROCESS_STATS_PROCESS_RSS_ANON_KB,
                                           TB_PROCESS_STATS_PROCESS_VM_SWAP_KB, TB_PROCESS_STATS_PROCESS_RSS_SHMEM_KB};
  return member < MEMBERS ? fields[member] : 0;
}

enum tb_status tb_ftrace_memory_append(const struct tb_memory_value *value, struct tb_buffer *b) {
  enum tb_status status = tb_wire_buffer_uint(b, TB_FTRACE_EVENT_PID, (uint64_t)value->tid);
  if (status == TB_OK) status = tb_wire_buffer_open(b, TB_FTRACE_EVENT_RSS_STAT);
  size_t body = b->len;
  if (status == TB_OK) status = tb_wire_buffer_uint(b, TB_RSS_STAT_FTRACE_EVENT_MEMBER, value->member);
  if (status == TB_OK) status = tb_wire_buffer_uint(b, TB_RSS_STAT_FTRACE_EVENT_SIZE, value->size);
  if (status == TB_OK && value->memory) status = tb_wire_buffer_uint(b, TB_RSS_STAT_FTRACE_EVENT_CURR, 1);
  if (status == TB_OK && value->memory) status = tb_wire_buffer_uint(b, TB_RSS_STAT_FTRACE_EVENT_MM_ID, value->memory);
  return status == TB_OK ? tb_wire_buffer_close(b, body) : status;
}
