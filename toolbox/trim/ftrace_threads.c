/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/ftrace_threads.h"

#include "base/memory.h"
#include "base/times.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "toolbox/trim/ftrace_roles.h"
#include "toolbox/walk/atrace.h"

enum { THREADS_MAX = 1 << 24 };

void tb_ftrace_threads_init(struct tb_ftrace_threads *threads, const struct tb_allocator *allocator,
                            const struct tb_window *window) {
  *threads = (struct tb_ftrace_threads){.window = *window};
  tb_arena_init(&threads->arena, allocator, 0);
  tb_map_init(&threads->index, allocator);
}

void tb_ftrace_threads_free(struct tb_ftrace_threads *threads) {
  tb_free(threads->index.allocator, threads->threads, threads->capacity * sizeof(*threads->threads));
  tb_arena_free(&threads->arena);
  tb_map_free(&threads->index);
}

/* NULL where memory is out. */
static struct tb_window_thread *get_thread(struct tb_ftrace_threads *threads, uint32_t machine, int64_t tid) {
  uint32_t number;
  if (tb_map_get(&threads->index, (uint64_t)tid, machine, &number)) return &threads->threads[number];
  void *items = threads->threads;
  enum tb_status status = tb_grow_array(threads->index.allocator, &items, &threads->capacity, threads->count + 1,
                                        sizeof(*threads->threads), THREADS_MAX);
  threads->threads = items;
  if (status != TB_OK || tb_map_put(&threads->index, (uint64_t)tid, machine, threads->count) != TB_OK) return NULL;
  threads->threads[threads->count] = (struct tb_window_thread){.tid = tid, .machine = machine};
  return &threads->threads[threads->count++];
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

enum tb_status tb_ftrace_threads_take_inside(struct tb_ftrace_threads *threads, uint32_t machine, int64_t tid) {
  struct tb_window_thread *thread = get_thread(threads, machine, tid);
  if (thread) thread->is_inside = true;
  return thread ? TB_OK : TB_NO_MEMORY;
}

enum tb_status tb_ftrace_threads_take_name(struct tb_ftrace_threads *threads, uint32_t machine, int64_t time,
                                           int64_t tid, struct tb_str name) {
  struct tb_window_thread *thread = tid > 0 && name.len ? get_thread(threads, machine, tid) : NULL;
  if (tid <= 0 || !name.len) return TB_OK;
  if (!thread) return TB_NO_MEMORY;
  if (tb_window_has(&threads->window, time)) {
    thread->is_inside = thread->is_named_inside = true;
    return TB_OK;
  }
  bool before = time < threads->window.start, had_before = thread->name_time < threads->window.start;
  if (thread->name.len && (before != had_before ? had_before : time < thread->name_time)) return TB_OK;
  thread->name_time = time;
  if (tb_str_equal(thread->name, name)) return TB_OK;
  thread->name = tb_arena_copy(&threads->arena, name);
  return thread->name.ptr ? TB_OK : TB_NO_MEMORY;
}

/* An event in the window, of its thread; one that says whose it is, or begins one. A mark at the start may be left out.
 */
static enum tb_status take_event_inside(struct tb_ftrace_threads *threads, const struct tb_ftrace_bundle *bundle,
                                        const struct tb_ftrace_event *event, int64_t time) {
  bool begins = event->kind == TB_FTRACE_EVENT_TASK_NEWTASK;
  struct tb_window_thread *thread = event->pid > 0 ? get_thread(threads, bundle->machine, event->pid) : NULL;
  if (event->pid > 0 && !thread) return TB_NO_MEMORY;
  if (thread) thread->is_inside = true;
  if (thread && !thread->is_owned_inside && time > threads->window.start)
    thread->is_owned_inside = tb_atrace_process_of(event) != 0;
  if (!begins) return TB_OK;
  thread = get_thread(threads, bundle->machine,
                      (int32_t)tb_wire_find_number(event->payload, TB_TASK_NEWTASK_FTRACE_EVENT_PID));
  if (thread) thread->is_owned_inside = true;
  return thread ? TB_OK : TB_NO_MEMORY;
}

enum tb_status tb_ftrace_threads_take(struct tb_ftrace_threads *threads, const struct tb_ftrace_bundle *bundle,
                                      const struct tb_ftrace_event *event) {
  struct tb_wire_field f[TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID + 1];
  int64_t time;
  if (!tb_ftrace_bundle_time(bundle, event->raw_time, &time)) return TB_OK;
  enum tb_status status =
      tb_window_has(&threads->window, time) ? take_event_inside(threads, bundle, event, time) : TB_OK;
  uint32_t name = event->kind == TB_FTRACE_EVENT_TASK_NEWTASK   ? TB_TASK_NEWTASK_FTRACE_EVENT_COMM
                  : event->kind == TB_FTRACE_EVENT_TASK_RENAME  ? TB_TASK_RENAME_FTRACE_EVENT_NEWCOMM
                  : event->kind == TB_FTRACE_EVENT_SCHED_SWITCH ? TB_SCHED_SWITCH_FTRACE_EVENT_PREV_COMM
                                                                : 0;
  if (!name || status != TB_OK) return status;
  (void)tb_wire_read_fields(event->payload, f, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID + 1);
  uint32_t pid = event->kind == TB_FTRACE_EVENT_SCHED_SWITCH ? TB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID
                                                             : TB_TASK_RENAME_FTRACE_EVENT_PID;
  return tb_ftrace_threads_take_name(threads, bundle->machine, time, (int32_t)f[pid].value, tb_wire_text(&f[name]));
}

enum tb_status tb_ftrace_threads_take_tree(struct tb_ftrace_threads *threads, const struct tb_walk *walk) {
  struct tb_wire_cursor cursor = tb_wire_cursor(walk->packet.head.payload);
  struct tb_wire_field field, f[TB_PROCESS_TREE_THREAD_TGID + 1];
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    bool is_thread = field.number == TB_PROCESS_TREE_THREADS;
    if ((!is_thread && field.number != TB_PROCESS_TREE_PROCESSES) || field.type != TB_WIRE_BYTES) continue;
    (void)tb_wire_read_fields(field.bytes, f, TB_PROCESS_TREE_THREAD_TGID + 1);
    struct tb_window_thread *thread =
        get_thread(threads, walk->packet.head.machine, (int32_t)f[TB_PROCESS_TREE_THREAD_TID].value);
    if (!thread) return TB_NO_MEMORY;
    thread->is_listed = true;
    thread->is_named |= is_thread && f[TB_PROCESS_TREE_THREAD_NAME].number;
  }
  return TB_OK;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* A packet of one entry of a process tree; where the window has no start, at 0, since it holds for all of the trace. */
static enum tb_status append_tree(const struct tb_ftrace_threads *threads, const struct tb_walk *walk, uint32_t machine,
                                  struct tb_str entry, struct tb_buffer *b) {
  int64_t start = threads->window.start == INT64_MIN ? 0 : threads->window.start;
  int64_t time = tb_time_add(start, tb_walk_ahead(walk, machine));
  enum tb_status status = tb_wire_buffer_open(b, TB_TRACE_PACKET);
  size_t packet = b->len;
  if (status == TB_OK) status = tb_wire_buffer_uint(b, TB_TRACE_PACKET_TIMESTAMP, (uint64_t)time);
  if (status == TB_OK)
    status = tb_wire_buffer_uint(b, TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, walk->source->prescan.clocks.primary);
  if (status == TB_OK && machine) status = tb_wire_buffer_uint(b, TB_TRACE_PACKET_MACHINE_ID, machine);
  if (status == TB_OK) status = tb_wire_buffer_bytes(b, TB_TRACE_PACKET_PROCESS_TREE, entry);
  return status == TB_OK ? tb_wire_buffer_close(b, packet) : status;
}

static enum tb_status append_thread(const struct tb_window_thread *thread, int64_t pid, struct tb_buffer *entry) {
  enum tb_status status = tb_wire_buffer_open(entry, TB_PROCESS_TREE_THREADS);
  size_t body = entry->len;
  if (status == TB_OK) status = tb_wire_buffer_uint(entry, TB_PROCESS_TREE_THREAD_TID, (uint64_t)thread->tid);
  if (status == TB_OK && thread->name.len && !thread->is_named_inside)
    status = tb_wire_buffer_bytes(entry, TB_PROCESS_TREE_THREAD_NAME, thread->name);
  if (status == TB_OK) status = tb_wire_buffer_uint(entry, TB_PROCESS_TREE_THREAD_TGID, (uint64_t)pid);
  return status == TB_OK ? tb_wire_buffer_close(entry, body) : status;
}

/* A process that no tree lists, under the name of its first thread, as recorders list one without a command line; one
 * whose name is not known is there by its threads. */
static enum tb_status append_process(const struct tb_window_thread *main_thread, struct tb_buffer *entry) {
  enum tb_status status = tb_wire_buffer_open(entry, TB_PROCESS_TREE_PROCESSES);
  size_t body = entry->len;
  if (status == TB_OK) status = tb_wire_buffer_uint(entry, TB_PROCESS_TREE_PROCESS_PID, (uint64_t)main_thread->tid);
  if (status == TB_OK) status = tb_wire_buffer_bytes(entry, TB_PROCESS_TREE_PROCESS_CMDLINE, main_thread->name);
  return status == TB_OK ? tb_wire_buffer_close(entry, body) : status;
}

/* Its process, where a tree is to say it, or the name; false: none is. */
static bool find_process(const struct tb_window_thread *thread, const struct tb_map *processes, int64_t *pid) {
  const uint64_t *process = tb_map_find(processes, (uint64_t)thread->tid, thread->machine);
  bool lacks_name = thread->name.len && !thread->is_named && !thread->is_named_inside;
  bool is_said = thread->is_listed || thread->is_owned_inside;
  if (!thread->is_inside || (is_said && !lacks_name)) return false;
  if (!process && !thread->is_listed) return false;
  *pid = process ? (int64_t)*process : thread->tid;
  return true;
}

bool tb_ftrace_threads_lacks_name(const struct tb_window_thread *thread, const struct tb_map *processes) {
  return thread->is_inside && thread->name.len && !thread->is_named_inside && !thread->is_listed &&
         !tb_map_find(processes, (uint64_t)thread->tid, thread->machine);
}

enum tb_status tb_ftrace_threads_append_name(const struct tb_window_thread *thread, struct tb_buffer *b) {
  enum tb_status status = tb_wire_buffer_uint(b, TB_FTRACE_EVENT_PID, (uint64_t)thread->tid);
  if (status == TB_OK) status = tb_wire_buffer_open(b, TB_FTRACE_EVENT_TASK_RENAME);
  size_t body = b->len;
  if (status == TB_OK) status = tb_wire_buffer_uint(b, TB_TASK_RENAME_FTRACE_EVENT_PID, (uint64_t)thread->tid);
  if (status == TB_OK) status = tb_wire_buffer_bytes(b, TB_TASK_RENAME_FTRACE_EVENT_NEWCOMM, thread->name);
  return status == TB_OK ? tb_wire_buffer_close(b, body) : status;
}

enum tb_status tb_ftrace_threads_append_trees(const struct tb_ftrace_threads *threads, const struct tb_walk *walk,
                                              const struct tb_map *processes, struct tb_buffer *b) {
  struct tb_map stated; /* pid, machine */
  struct tb_buffer entry;
  enum tb_status status = TB_OK;
  tb_map_init(&stated, threads->index.allocator);
  tb_buffer_init(&entry, threads->index.allocator, 0);
  for (size_t i = 0; i < threads->count && status == TB_OK; i++) {
    const struct tb_window_thread *thread = &threads->threads[i];
    uint32_t number;
    int64_t pid;
    if (!find_process(thread, processes, &pid)) continue;
    entry.len = 0;
    if (tb_map_get(&threads->index, (uint64_t)pid, thread->machine, &number) && !threads->threads[number].is_listed &&
        threads->threads[number].name.len && !tb_map_find(&stated, (uint64_t)pid, thread->machine)) {
      status = append_process(&threads->threads[number], &entry);
      if (status == TB_OK) status = tb_map_put(&stated, (uint64_t)pid, thread->machine, 1);
    }
    if (status == TB_OK) status = append_thread(thread, pid, &entry);
    if (status == TB_OK)
      status = append_tree(threads, walk, thread->machine, (struct tb_str){entry.data, entry.len}, b);
  }
  tb_map_free(&stated);
  tb_buffer_free(&entry);
  return status;
}
