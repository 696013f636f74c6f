/* SPDX-License-Identifier: Apache-2.0 */
#include "ftrace/task_table.h"

void tb_ftrace_tasks_init(struct tb_ftrace_tasks *tasks, const struct tb_allocator *allocator) {
  *tasks = (struct tb_ftrace_tasks){.allocator = allocator};
  tb_map_init(&tasks->places, allocator);
  tb_map_init(&tasks->processes, allocator);
  tb_intern_init(&tasks->names, allocator);
}

void tb_ftrace_tasks_free(struct tb_ftrace_tasks *tasks) {
  if (!tasks->allocator) return;
  tb_free(tasks->allocator, tasks->list, tasks->capacity * sizeof(*tasks->list));
  tb_map_free(&tasks->places);
  tb_map_free(&tasks->processes);
  tb_intern_free(&tasks->names);
}

static struct tb_ftrace_task *find_task(struct tb_ftrace_tasks *tasks, int64_t tid, int64_t ts) {
  uint32_t place;
  if (tb_map_get(&tasks->places, (uint64_t)tid, 0, &place)) return &tasks->list[place];
  void *list = tasks->list;
  enum tb_status status =
      tb_grow_array(tasks->allocator, &list, &tasks->capacity, tasks->count + 1, sizeof(*tasks->list), UINT32_MAX);
  tasks->list = list;
  if (status != TB_OK || tb_map_put(&tasks->places, (uint64_t)tid, 0, tasks->count) != TB_OK) return NULL;
  tasks->list[tasks->count] = (struct tb_ftrace_task){.tid = tid, .tgid = -1, .ts = ts};
  return &tasks->list[tasks->count++];
}

enum tb_status tb_ftrace_tasks_note(struct tb_ftrace_tasks *tasks, const struct tb_ftrace_text_event *event,
                                    const struct tb_ftrace_task **found) {
  const struct tb_ftrace_line *line = &event->line;
  *found = NULL;
  if (!line->tid) return TB_OK;
  struct tb_ftrace_task *task = find_task(tasks, line->tid, line->ts);
  if (!task) return TB_NO_MEMORY;
  if (line->has_tgid && task->tgid != line->tgid) {
    task->tgid = line->tgid;
    if (tb_map_put(&tasks->processes, (uint64_t)task->tgid, 0, 1) != TB_OK) return TB_NO_MEMORY;
  }
  if (line->task.len && !tb_str_equal(line->task, task->name)) {
    uint32_t id = tb_intern_id(&tasks->names, line->task);
    if (!id) return TB_NO_MEMORY;
    task->name = tb_intern_text(&tasks->names, id);
  }
  if (tb_str_equal(event->name, TB_STR("sched_switch"))) task->scheduled = true;
  *found = task;
  return TB_OK;
}
