/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks in the kernel's trace: of drivers and probes by events of their own, and of atrace, which are the text of print
 * events: B|pid|name, E|pid, S|pid|name|cookie, F|pid|name|cookie, G|pid|track|name|cookie, H|pid|track|cookie,
 * C|pid|name|value, I|pid|name, N|pid|track|name.
 */
#ifndef TB_TOOLBOX_WALK_ATRACE_H
#define TB_TOOLBOX_WALK_ATRACE_H

#include "toolbox/walk/ftrace_bundle.h"

enum tb_atrace_role { TB_ATRACE_NONE, TB_ATRACE_BEGIN, TB_ATRACE_END, TB_ATRACE_VALUE, TB_ATRACE_INSTANT };

struct tb_atrace_mark {
  enum tb_atrace_role role;
  struct tb_str name; /* of a slice that begins, a counter or an instant; else empty */
  int64_t pid;        /* that an async one names; -1: none */
  bool is_async;      /* begins and ends match by `key`, else by the event's thread; so do values */
  uint64_t key;
};

/* Whether events of that kind may be marks: print, what drivers mark by events of their own, and probes that are set to
 * functions of the kernel, whose slices are among those of print. */
bool tb_atrace_is_mark(uint32_t kind);
/* What an event of such a kind is. */
void tb_atrace_read(const struct tb_ftrace_event *event, struct tb_atrace_mark *mark);

/* The process that a print event says its thread is of; 0: it says none. */
int64_t tb_atrace_process_of(const struct tb_ftrace_event *event);

#endif
