/* SPDX-License-Identifier: Apache-2.0
 *
 * Tracks of the threads and processes that lines of ftrace text name.
 */
#ifndef TB_FTRACE_TEXT_TRACKS_H
#define TB_FTRACE_TEXT_TRACKS_H

#include "ftrace/task_table.h"
#include "model/reader_ops.h"

struct tb_ftrace_thread;

struct tb_ftrace_tracks {
  struct tb_ftrace_tasks tasks;
  struct tb_ftrace_thread **threads; /* by place of the task; NULL: none yet */
  size_t capacity;
  struct tb_track **processes; /* by the number that `places` has */
  size_t process_count, process_capacity;
  struct tb_map places; /* tgid -> place in processes */
  uint32_t count;       /* of all tracks */
  struct tb_arena arena;
};

void tb_ftrace_tracks_init(struct tb_ftrace_tracks *tracks, const struct tb_allocator *allocator);
void tb_ftrace_tracks_free(struct tb_ftrace_tracks *tracks);

/* *track is that of the thread that wrote the line, NULL where it is an idle one's. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_ftrace_find_track(struct tb_reader *reader, struct tb_ftrace_tracks *tracks,
                                                  const struct tb_ftrace_text_event *event,
                                                  const struct tb_track **track);

#endif
