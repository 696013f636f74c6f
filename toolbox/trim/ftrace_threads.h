/* SPDX-License-Identifier: Apache-2.0
 *
 * What threads are called, and whose they are, by events outside of a window: of those that are in it, what no event in
 * it and no process tree says is said at its start.
 */
#ifndef TB_TOOLBOX_TRIM_FTRACE_THREADS_H
#define TB_TOOLBOX_TRIM_FTRACE_THREADS_H

#include "toolbox/trim/edges.h"
#include "toolbox/walk/ftrace_bundle.h"

struct tb_window_thread {
  int64_t tid;
  uint32_t machine;
  struct tb_str name; /* by events outside: the last before the start, else the last behind the end */
  int64_t name_time;
  bool is_inside, is_named_inside;
  bool is_owned_inside;     /* an event in the window says whose it is */
  bool is_listed, is_named; /* by a process tree */
};

struct tb_ftrace_threads {
  struct tb_window window;
  struct tb_arena arena;
  struct tb_map index; /* tid, machine */
  struct tb_window_thread *threads;
  size_t count, capacity;
};

void tb_ftrace_threads_init(struct tb_ftrace_threads *threads, const struct tb_allocator *allocator,
                            const struct tb_window *window);
void tb_ftrace_threads_free(struct tb_ftrace_threads *threads);

/* Takes in an event: of which thread it is, and what it calls threads. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_ftrace_threads_take(struct tb_ftrace_threads *threads,
                                                    const struct tb_ftrace_bundle *bundle,
                                                    const struct tb_ftrace_event *event);
/* Takes in what a thread is called at `time`. Errors as above. */
TB_MUST_CHECK enum tb_status tb_ftrace_threads_take_name(struct tb_ftrace_threads *threads, uint32_t machine,
                                                         int64_t time, int64_t tid, struct tb_str name);
/* A thread comes at an edge. Errors as above. */
TB_MUST_CHECK enum tb_status tb_ftrace_threads_take_inside(struct tb_ftrace_threads *threads, uint32_t machine,
                                                           int64_t tid);
/* Takes in the walk's current packet, a process tree. Errors as above. */
TB_MUST_CHECK enum tb_status tb_ftrace_threads_take_tree(struct tb_ftrace_threads *threads, const struct tb_walk *walk);

/* Appends packets, framed, of what is to be said of threads whose process is known; `processes`: tid, machine -> pid.
 * Errors as above. */
TB_MUST_CHECK enum tb_status tb_ftrace_threads_append_trees(const struct tb_ftrace_threads *threads,
                                                            const struct tb_walk *walk, const struct tb_map *processes,
                                                            struct tb_buffer *b);

/* Whether the name of a thread is to be said whose process is not known, by an event of which the fields are appended.
 * Errors as above. */
bool tb_ftrace_threads_lacks_name(const struct tb_window_thread *thread, const struct tb_map *processes);
TB_MUST_CHECK enum tb_status tb_ftrace_threads_append_name(const struct tb_window_thread *thread, struct tb_buffer *b);

#endif
