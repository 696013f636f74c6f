/* SPDX-License-Identifier: Apache-2.0 */
#include "ftrace/text_tracks.h"

#include "base/utf8.h"

struct tb_ftrace_thread {
  struct tb_track track;
  struct tb_str name; /* as the text has it */
};

void tb_ftrace_tracks_init(struct tb_ftrace_tracks *t, const struct tb_allocator *allocator) {
  *t = (struct tb_ftrace_tracks){.count = 0};
  tb_ftrace_tasks_init(&t->tasks, allocator);
  tb_map_init(&t->places, allocator);
  tb_arena_init(&t->arena, allocator, 0);
}

void tb_ftrace_tracks_free(struct tb_ftrace_tracks *t) {
  const struct tb_allocator *allocator = t->tasks.allocator;
  tb_free(allocator, t->threads, t->capacity * sizeof(*t->threads));
  tb_free(allocator, t->processes, t->process_capacity * sizeof(*t->processes));
  tb_map_free(&t->places);
  tb_arena_free(&t->arena);
  tb_ftrace_tasks_free(&t->tasks);
}

/* NULL without memory. */
static struct tb_track *find_process(struct tb_ftrace_tracks *t, int64_t pid) {
  uint32_t place;
  if (tb_map_get(&t->places, (uint64_t)pid, 0, &place)) return t->processes[place];
  void *processes = t->processes;
  enum tb_status status = tb_grow_array(t->tasks.allocator, &processes, &t->process_capacity, t->process_count + 1,
                                        sizeof(*t->processes), UINT32_MAX);
  t->processes = processes;
  struct tb_track *track = status == TB_OK ? tb_arena_alloc(&t->arena, sizeof(*track)) : NULL;
  if (!track || tb_map_put(&t->places, (uint64_t)pid, 0, (uint32_t)t->process_count) != TB_OK) return NULL;
  *track = (struct tb_track){.index = t->count++, .type = TB_TRACK_PROCESS, .pid = pid, .has_pid = true};
  return t->processes[t->process_count++] = track;
}

static struct tb_ftrace_thread *find_thread(struct tb_ftrace_tracks *t, const struct tb_ftrace_task *task) {
  size_t place = (size_t)(task - t->tasks.list);
  void *threads = t->threads;
  enum tb_status status =
      tb_grow_zeroed(t->tasks.allocator, &threads, &t->capacity, place + 1, sizeof(*t->threads), UINT32_MAX);
  t->threads = threads;
  if (status != TB_OK) return NULL;
  if (t->threads[place]) return t->threads[place];
  struct tb_ftrace_thread *thread = tb_arena_alloc(&t->arena, sizeof(*thread));
  if (!thread) return NULL;
  *thread = (struct tb_ftrace_thread){
      .track = {.index = t->count++, .type = TB_TRACK_THREAD, .tid = task->tid, .has_tid = true}};
  return t->threads[place] = thread;
}

static enum tb_status set_process(struct tb_reader *reader, struct tb_ftrace_tracks *t, struct tb_track *track,
                                  int64_t pid) {
  struct tb_track *process = find_process(t, pid);
  if (!process) return TB_NO_MEMORY;
  tb_reader_wait(reader);
  track->parent = process;
  track->pid = pid;
  track->has_pid = true;
  return TB_OK;
}

/* A process is called as its main thread. */
static enum tb_status set_name(struct tb_reader *reader, struct tb_ftrace_tracks *t, struct tb_ftrace_thread *thread,
                               struct tb_str name) {
  struct tb_str text = name;
  enum tb_status status = tb_utf8_repair(&t->arena, &text);
  if (status != TB_OK) return status;
  tb_reader_wait(reader);
  thread->name = name;
  thread->track.name = text;
  return TB_OK;
}

static void name_process(struct tb_reader *reader, struct tb_ftrace_tracks *t, const struct tb_track *main_thread) {
  struct tb_track *process = find_process(t, main_thread->pid);
  if (!process || process->name.ptr == main_thread->name.ptr) return;
  tb_reader_wait(reader);
  process->name = main_thread->name;
}

enum tb_status tb_ftrace_find_track(struct tb_reader *reader, struct tb_ftrace_tracks *t,
                                    const struct tb_ftrace_text_event *event, const struct tb_track **track) {
  const struct tb_ftrace_task *task;
  enum tb_status status = tb_ftrace_tasks_note(&t->tasks, event, &task);
  *track = NULL;
  if (status != TB_OK || !task) return status;
  struct tb_ftrace_thread *thread = find_thread(t, task);
  if (!thread) return TB_NO_MEMORY;
  struct tb_track *own = &thread->track;
  if (task->tgid >= 0 && (!own->has_pid || own->pid != task->tgid)) status = set_process(reader, t, own, task->tgid);
  if (status == TB_OK && task->name.ptr != thread->name.ptr) status = set_name(reader, t, thread, task->name);
  if (own->has_pid && own->pid == own->tid) name_process(reader, t, own);
  *track = own;
  return status;
}
