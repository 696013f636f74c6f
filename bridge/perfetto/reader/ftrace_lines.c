/* SPDX-License-Identifier: Apache-2.0
 *
 * Ftrace for targets that have it as text: a line for each event.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "ftrace/described_text.h"
#include "ftrace/line_parser.h"
#include "perfetto/reader/sched.h"

struct lines {
  struct tb_json_emit line; /* while it grows */
  struct tb_map makers;     /* of threads whose process was not known: tid, machine -> tid */
};

static void init_lines(void *state, const struct tb_allocator *allocator) {
  struct lines *lines = state;
  tb_json_emit_init(&lines->line, allocator);
  tb_map_init(&lines->makers, allocator);
}

static void free_lines(void *state, const struct tb_allocator *allocator) {
  struct lines *lines = state;
  (void)allocator;
  tb_json_emit_free(&lines->line);
  tb_map_free(&lines->makers);
}

const struct tb_importer_state tb_ftrace_lines_state = {
    .size = sizeof(struct lines), .init = init_lines, .free = free_lines};

/* A thread whose maker's process was not known when it was made: that came from another CPU, whose events may be
 * later in the file. */
static void find_process(struct tb_perfetto_reader *r, const struct lines *lines,
                         const struct tb_perfetto_track *thread) {
  const uint64_t *maker = tb_map_find(&lines->makers, (uint64_t)thread->track.tid, thread->track.machine);
  const struct tb_perfetto_track *parent = maker ? tb_perfetto_thread(r, NULL, (int64_t)*maker) : NULL;
  if (parent && parent->track.has_pid) (void)tb_perfetto_thread(r, &parent->track.pid, thread->track.tid);
}

/* Starts a line of what `thread` did, and returns it; NULL when memory is exhausted. */
static struct tb_json_emit *begin_line(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu,
                                       struct tb_perfetto_track *thread) {
  const struct tb_track *track = &thread->track;
  struct lines *lines = tb_perfetto_state_of(r, &tb_ftrace_lines_state);
  if (!lines) return NULL;
  if (!track->has_pid && lines->makers.count) find_process(r, lines, thread);
  struct tb_ftrace_line line = {
      .task = track->name, .tid = track->tid, .tgid = track->pid, .has_tgid = track->has_pid, .cpu = cpu, .ts = ts};
  /* lines name threads themselves; JSON's metadata says of one without a process that it is of process 0 */
  if (track->has_pid) tb_perfetto_emit_track(r, thread);
  lines->line.buffer.len = 0;
  tb_ftrace_put_line_head(&lines->line, &line);
  return &lines->line;
}

static void end_line(struct tb_perfetto_reader *r, int64_t ts, struct tb_json_emit *line) {
  TB_JSON_EMIT(line, "\n");
  char *text = line->status == TB_OK ? tb_perfetto_alloc(r, line->buffer.len) : NULL;
  if (!text) {
    r->out_of_memory = true;
    return;
  }
  memcpy(text, line->buffer.data, line->buffer.len);
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_SYSTEM_TRACE);
  event->blob = (struct tb_str){text, line->buffer.len};
  event->has = tb_ftrace_is_timeless(ts, event->blob) ? 0 : TB_HAS_TS;
  event->ts = ts;
}

/* The thread of a state, with the name that the kernel gives it where it has none. */
static struct tb_perfetto_track *named_thread(struct tb_perfetto_reader *r, int64_t ts, int64_t tid,
                                              struct tb_str comm) {
  struct tb_perfetto_track *thread = tb_perfetto_thread(r, NULL, tid);
  if (!thread || !tid || thread->track.name.len || !comm.len) return thread; /* 0 is every CPU's idle thread */
  tb_perfetto_name_track_by(r, thread, comm, (struct tb_name_source){.rank = TB_NAME_EVENT, .ts = ts});
  return thread;
}

void tb_perfetto_emit_switch_line(struct tb_perfetto_reader *r, const struct tb_kernel_state *prev, int64_t bits,
                                  const struct tb_kernel_state *next) {
  bool known = prev->tid >= 0;
  const struct tb_system *system = tb_perfetto_state_of(r, &tb_system_state);
  struct tb_ftrace_switch change = {.prev_comm = known ? prev->comm : TB_STR("swapper"),
                                    .prev_tid = known ? prev->tid : 0,
                                    .prev_priority = prev->priority,
                                    .prev_state = known ? bits : 0,
                                    .next_comm = next->comm,
                                    .next_tid = next->tid,
                                    .next_priority = next->priority};
  struct tb_perfetto_track *thread = named_thread(r, next->ts, change.prev_tid, change.prev_comm);
  if (!system || !thread || !named_thread(r, next->ts, next->tid, next->comm)) return;
  struct tb_json_emit *line = begin_line(r, next->ts, next->cpu, thread);
  if (!line) return;
  tb_ftrace_put_switch(line, &change, system->states);
  end_line(r, next->ts, line);
}

void tb_perfetto_emit_waking_line(struct tb_perfetto_reader *r, uint32_t cpu, int64_t waker,
                                  const struct tb_kernel_state *woken, int32_t target_cpu) {
  struct tb_ftrace_waking waking = {woken->comm, woken->tid, woken->priority, target_cpu};
  struct tb_perfetto_track *thread = tb_perfetto_thread(r, NULL, waker < 0 ? 0 : waker);
  if (!thread || !named_thread(r, woken->ts, woken->tid, woken->comm)) return;
  struct tb_json_emit *line = begin_line(r, woken->ts, cpu, thread);
  if (!line) return;
  tb_ftrace_put_waking(line, &waking);
  end_line(r, woken->ts, line);
}

void tb_perfetto_emit_mark_line(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid,
                                struct tb_str text) {
  struct tb_perfetto_track *thread = tb_perfetto_marker_thread(r, tid, text);
  if (!thread) return;
  while (text.len && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\0')) text.len--;
  struct tb_json_emit *line = begin_line(r, ts, cpu, thread);
  if (!line) return;
  tb_ftrace_put_mark(line, text);
  end_line(r, ts, line);
}

struct tb_perfetto_track *tb_perfetto_system_track(struct tb_perfetto_reader *r) {
  if (tb_tracks_is_first_machine(&r->tracks, r->head.machine)) return tb_perfetto_find_track(r, 0);
  return tb_perfetto_process(r, 0);
}

bool tb_perfetto_emit_counter_below(struct tb_perfetto_reader *r, int64_t ts, struct tb_perfetto_track *parent,
                                    struct tb_str name, int64_t value) {
  struct tb_perfetto_track *counter = parent ? tb_tracks_named_counter(&r->tracks, parent, name) : NULL;
  if (counter) tb_perfetto_emit_integer(r, counter, ts, value);
  if (parent && !counter) r->out_of_memory = true;
  return true;
}

struct tb_perfetto_track *tb_perfetto_processor_track(struct tb_perfetto_reader *r, uint32_t cpu) {
  char text[32];
  int len = snprintf(text, sizeof(text), "CPU %" PRIu32, cpu);
  struct tb_perfetto_track *system = tb_perfetto_system_track(r), *processor = NULL;
  if (system) processor = tb_tracks_named_custom(&r->tracks, system, (struct tb_str){text, (size_t)len});
  if (system && !processor) r->out_of_memory = true;
  return processor;
}

bool tb_perfetto_emit_cpu_counter(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, struct tb_str name,
                                  int64_t value) {
  return tb_perfetto_emit_counter_below(r, ts, tb_perfetto_processor_track(r, cpu), name, value);
}

bool tb_perfetto_emit_counter_line(struct tb_perfetto_reader *r, int64_t ts, int64_t pid, struct tb_str name,
                                   int64_t value) {
  if (!tb_perfetto_as_text(r)) {
    struct tb_perfetto_track *parent = pid ? tb_perfetto_process(r, pid) : tb_perfetto_system_track(r);
    return tb_perfetto_emit_counter_below(r, ts, parent, name, value);
  }
  if (!name.len || memchr(name.ptr, '|', name.len)) return false;
  struct tb_perfetto_track *thread = tb_perfetto_thread(r, pid ? &pid : NULL, pid);
  if (!thread) return true;
  struct tb_json_emit *line = begin_line(r, ts, 0, thread);
  if (!line) return true;
  tb_ftrace_put_kernel_mark(line,
                            &(const struct tb_ftrace_mark){.phase = 'C', .pid = pid, .name = name, .value = value});
  end_line(r, ts, line);
  return true;
}

bool tb_perfetto_emit_gauge(struct tb_perfetto_reader *r, int64_t pid, int64_t value, const char *format, ...) {
  enum { NAME_SIZE = 250 };
  char name[NAME_SIZE];
  va_list arguments;
  va_start(arguments, format);
  int len = vsnprintf(name, sizeof(name), format, arguments);
  va_end(arguments);
  if (len < 0 || (size_t)len >= sizeof(name)) return false;
  return tb_perfetto_emit_counter_line(r, r->context.ts, pid, (struct tb_str){name, (size_t)len}, value);
}

void tb_perfetto_pass_for_counters(struct tb_perfetto_reader *r) {
  struct tb_batch *batch = r->batch;
  if (!r->full && !r->given && !tb_perfetto_wants_ftrace_instants(r)) {
    size_t kept = batch->event_count;
    while (kept > 0 && batch->events[kept - 1].offset == r->head.offset) kept--;
    for (size_t i = kept; i < batch->event_count; i++)
      if (batch->events[i].type != TB_EVENT_COUNTER) batch->events[kept++] = batch->events[i];
    r->emitted -= batch->event_count - kept;
    batch->event_count = kept;
  }
  tb_perfetto_pass_packet(r);
}

bool tb_perfetto_passes(struct tb_perfetto_reader *r, bool has_ts) {
  if (has_ts && (tb_perfetto_as_text(r) || !r->reader->target.packets)) return false;
  tb_perfetto_pass_packet(r);
  return true;
}

void tb_perfetto_emit_slice_line(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid,
                                 const struct tb_ftrace_mark *mark) {
  if (!tb_perfetto_as_text(r)) {
    struct tb_ftrace_mark event = *mark;
    event.pid = 0; /* a line needs one, whether the thread's process is known or not */
    tb_perfetto_emit_mark(r, ts, cpu, tid, &event);
    return;
  }
  struct tb_perfetto_track *thread = tb_perfetto_thread(r, NULL, tid);
  if (!thread) return;
  struct tb_json_emit *line = begin_line(r, ts, cpu, thread);
  if (!line) return;
  tb_ftrace_put_kernel_mark(line, mark);
  end_line(r, ts, line);
}

/* ---- what tasks are called --------------------------------------------------------------------------------------- */

/* Of TaskNewtaskFtraceEvent and TaskRenameFtraceEvent, whose fields have the same numbers. */
struct task {
  int64_t ts, tid;
  struct tb_str name;
  uint64_t clone_flags;
};

static struct task read_task(struct tb_str message, bool is_new) {
  struct task task = {.name = {"", 0}};
  uint32_t name = is_new ? TB_TASK_NEWTASK_FTRACE_EVENT_COMM : TB_TASK_RENAME_FTRACE_EVENT_NEWCOMM;
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    bool is_text = field.type == TB_WIRE_BYTES;
    if (field.number == TB_TASK_RENAME_FTRACE_EVENT_PID) task.tid = (int32_t)field.value;
    if (field.number == name && is_text) task.name = field.bytes;
    if (is_new && field.number == TB_TASK_NEWTASK_FTRACE_EVENT_CLONE_FLAGS) task.clone_flags = field.value;
  }
  return task;
}

/* Of those who get text a thread is emitted once its process is known, see begin_line. */
static void name_thread(struct tb_perfetto_reader *r, struct tb_perfetto_track *thread, const struct task *task) {
  tb_perfetto_name_track_by(r, thread, task->name, (struct tb_name_source){.rank = TB_NAME_EVENT, .ts = task->ts});
  if (thread->track.has_pid || !tb_perfetto_as_text(r)) tb_perfetto_emit_track(r, thread);
}

static void name_process(struct tb_perfetto_reader *r, struct tb_perfetto_track *process, const struct task *task) {
  if (task->name.len && tb_tracks_rename(&r->tracks, process, task->name, task->ts) != TB_OK) r->out_of_memory = true;
  tb_perfetto_emit_track(r, process);
}

/* A thread goes by a new name, and the process whose first one it is with it. */
static void rename_task(struct tb_perfetto_reader *r, const struct task *task) {
  struct tb_perfetto_track *thread = tb_perfetto_thread(r, NULL, task->tid);
  if (thread && !thread->track.has_pid && tb_tracks_has_process(&r->tracks, task->tid, r->head.machine))
    thread = tb_perfetto_thread(r, &task->tid, task->tid);
  if (!thread) return;
  name_thread(r, thread, task);
  if (!thread->track.has_pid || thread->track.pid != task->tid) return;
  struct tb_perfetto_track *process = tb_perfetto_process(r, task->tid);
  if (process) name_process(r, process, task);
}

/* A new thread of the one that made it, or a new process. */
static void add_task(struct tb_perfetto_reader *r, int64_t maker, const struct task *task) {
  const struct tb_perfetto_track *parent = tb_perfetto_thread(r, NULL, maker);
  bool joins = task->clone_flags & TB_FTRACE_CLONE_THREAD;
  if (!parent) return;
  if (joins && !parent->track.has_pid) {
    struct lines *lines = tb_perfetto_state_of(r, &tb_ftrace_lines_state);
    if (lines && tb_map_put(&lines->makers, (uint64_t)task->tid, r->head.machine, (uint64_t)maker) != TB_OK)
      r->out_of_memory = true;
    return;
  }
  int64_t pid = joins ? parent->track.pid : task->tid;
  struct tb_perfetto_track *thread = tb_perfetto_thread(r, &pid, task->tid);
  if (!thread) return;
  name_thread(r, thread, task); /* which names it: its lines may all have come before, without the process */
  struct tb_perfetto_track *process = joins ? NULL : tb_perfetto_process(r, pid);
  /* of another CPU a later name may have come before */
  const struct task named = {.ts = task->ts, .name = thread->track.name};
  if (process && !process->track.name.len) name_process(r, process, &named);
}

void tb_perfetto_apply_task(struct tb_perfetto_reader *r, int64_t ts, int64_t tid, uint32_t kind,
                            struct tb_str payload) {
  bool is_new = kind == TB_FTRACE_EVENT_TASK_NEWTASK;
  if (!is_new && kind != TB_FTRACE_EVENT_TASK_RENAME) return;
  struct task task = read_task(payload, is_new);
  task.ts = ts;
  if (is_new)
    add_task(r, tid, &task);
  else
    rename_task(r, &task);
}

bool tb_perfetto_emit_event_line(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid, uint32_t kind,
                                 struct tb_str payload) {
  struct tb_perfetto_track *thread = tb_perfetto_thread(r, NULL, tid);
  if (!thread) return true;
  const struct tb_sequence_state *sequence = r->context.sequence;
  const struct tb_iid_index *symbols = sequence ? sequence->indexes[TB_INDEX_KERNEL_SYMBOLS] : NULL;
  struct tb_json_emit *line = begin_line(r, ts, cpu, thread);
  if (!line) return true;
  if (tb_ftrace_is_known(kind)) {
    if (!tb_ftrace_put_event(line, kind, payload, symbols)) return false;
  } else {
    tb_ftrace_put_described(line, &r->schema, kind, payload, symbols);
  }
  end_line(r, ts, line);
  tb_perfetto_mark_event(r, ts, cpu, tid, kind, payload);
  tb_perfetto_apply_task(r, ts, tid, kind, payload);
  return true;
}

void tb_perfetto_emit_frequency_line(struct tb_perfetto_reader *r, uint32_t cpu, uint64_t khz) {
  char payload[2 * (1 + TB_WIRE_VARINT_MAX)];
  char *end = tb_wire_put_uint(payload, TB_CPU_FREQUENCY_FTRACE_EVENT_STATE, khz);
  end = tb_wire_put_uint(end, TB_CPU_FREQUENCY_FTRACE_EVENT_CPU_ID, cpu);
  struct tb_str event = {payload, (size_t)(end - payload)};
  if (tb_perfetto_as_text(r))
    (void)tb_perfetto_emit_event_line(r, r->context.ts, cpu, 0, TB_FTRACE_EVENT_CPU_FREQUENCY, event);
  else if (tb_perfetto_wants_ftrace_instants(r))
    (void)tb_perfetto_emit_ftrace_instant(r, r->context.ts, cpu, 0, TB_FTRACE_EVENT_CPU_FREQUENCY, event);
  else
    (void)tb_perfetto_emit_ftrace_event(r, r->context.ts, cpu, 0, TB_FTRACE_EVENT_CPU_FREQUENCY, event);
}
