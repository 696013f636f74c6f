/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/ftrace_memory.h"

#include <stdlib.h>

#include "base/memory.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { EVENTS_MAX = 1 << 28, CLONE_THREAD = 0x10000, MEMBERS = 8 };

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
  struct tb_wire_field f[TB_RSS_STAT_FTRACE_EVENT_MM_ID + 1];
  (void)tb_wire_read_fields(event->payload, f, TB_RSS_STAT_FTRACE_EVENT_MM_ID + 1);
  bool says_whose = f[TB_RSS_STAT_FTRACE_EVENT_MM_ID].number && f[TB_RSS_STAT_FTRACE_EVENT_CURR].number;
  made->what = !says_whose ? TB_MEMORY_PLAIN : f[TB_RSS_STAT_FTRACE_EVENT_CURR].value ? TB_MEMORY_OWN : TB_MEMORY_OTHER;
  made->memory = f[TB_RSS_STAT_FTRACE_EVENT_MM_ID].value;
  made->member = (uint32_t)f[TB_RSS_STAT_FTRACE_EVENT_MEMBER].value;
  made->size = f[TB_RSS_STAT_FTRACE_EVENT_SIZE].value;
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
      made->what = flags & CLONE_THREAD ? TB_MEMORY_THREAD : TB_MEMORY_PROCESS;
      made->tid = (int32_t)tb_wire_find_number(event->payload, TB_TASK_NEWTASK_FTRACE_EVENT_PID);
      made->memory = (uint64_t)event->pid;
      return true;
    }
    default:
      return false;
  }
}

enum tb_status tb_ftrace_memory_take(struct tb_ftrace_memory *memory, const struct tb_ftrace_bundle *bundle,
                                     const struct tb_ftrace_event *event) {
  struct tb_memory_event made = {.machine = bundle->machine, .cpu = bundle->cpu, .order = memory->event_count};
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
    if (field.number != TB_PROCESS_TREE_THREADS || field.type != TB_WIRE_BYTES) continue;
    (void)tb_wire_read_fields(field.bytes, f, TB_PROCESS_TREE_THREAD_TGID + 1);
    status = tb_map_put(&memory->processes, f[TB_PROCESS_TREE_THREAD_TID].value, walk->packet.head.machine,
                        f[TB_PROCESS_TREE_THREAD_TGID].value);
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

/* A number that comes again is of another process, or thread. */
static enum tb_status take_thread(struct tb_ftrace_memory *memory, const struct tb_memory_event *event) {
  bool is_process = event->what == TB_MEMORY_PROCESS;
  int64_t process = is_process ? event->tid : process_of(memory, (int64_t)event->memory, event->machine);
  uint32_t number;
  for (uint32_t member = 0; is_process && member < MEMBERS; member++)
    if (tb_map_get(&memory->value_index, (uint64_t)event->tid, (uint64_t)event->machine << 32 | member, &number))
      memory->values[number].has_value = false;
  enum tb_status status = tb_map_put(&memory->processes, (uint64_t)event->tid, event->machine, (uint64_t)process);
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

/* Whose the memory is at the start, which it may be no more. */
static void find_owner(const struct tb_ftrace_memory *memory, struct tb_memory_value *value) {
  const uint64_t *owner = value->memory ? tb_map_find(&memory->owners, value->memory, value->machine) : NULL;
  int64_t tid = owner ? (int64_t)*owner : -1;
  bool owns =
      owner && !is_gone(memory, tid, value->machine) && process_of(memory, tid, value->machine) == value->process;
  value->tid = owns ? tid : value->process;
  if (!owns) value->memory = 0;
}

static int compare_events(const void *a, const void *b) {
  const struct tb_memory_event *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

enum tb_status tb_ftrace_memory_end(struct tb_ftrace_memory *memory, const struct tb_map *whole_from) {
  enum tb_status status = TB_OK;
  if (memory->event_count) qsort(memory->events, memory->event_count, sizeof(*memory->events), compare_events);
  for (size_t i = 0; i < memory->event_count && status == TB_OK; i++) {
    const struct tb_memory_event *event = &memory->events[i];
    const uint64_t *from = whole_from->count ? tb_map_find(whole_from, event->machine, 0) : NULL;
    if (!from || event->time >= (int64_t)*from) status = take_in_order(memory, event);
  }
  for (size_t i = 0; i < memory->value_count; i++) find_owner(memory, &memory->values[i]);
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
