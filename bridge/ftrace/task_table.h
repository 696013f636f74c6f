/* SPDX-License-Identifier: Apache-2.0
 *
 * What lines of ftrace text say of tasks: threads, their names and the processes that they are of.
 */
#ifndef TB_FTRACE_TASK_TABLE_H
#define TB_FTRACE_TASK_TABLE_H

#include "base/intern.h"
#include "base/map.h"
#include "ftrace/line_parser.h"

struct tb_ftrace_task {
  int64_t tid, tgid; /* tgid -1: not known */
  struct tb_str name;
  int64_t ts;     /* of its first line */
  bool scheduled; /* it was switched from, which says its name */
};

/* Wholly public; its tasks are in the order in which they came. */
struct tb_ftrace_tasks {
  const struct tb_allocator *allocator;
  struct tb_map places;    /* tid -> place in `list` */
  struct tb_map processes; /* by tgid */
  struct tb_intern names;
  struct tb_ftrace_task *list;
  size_t count, capacity;
};

void tb_ftrace_tasks_init(struct tb_ftrace_tasks *tasks, const struct tb_allocator *allocator);
void tb_ftrace_tasks_free(struct tb_ftrace_tasks *tasks);

/* Notes the task that wrote the line. *task is its entry, valid until the next call; NULL for idle tasks, which are of
 * no process. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_ftrace_tasks_note(struct tb_ftrace_tasks *tasks,
                                                  const struct tb_ftrace_text_event *event,
                                                  const struct tb_ftrace_task **task);

#endif
