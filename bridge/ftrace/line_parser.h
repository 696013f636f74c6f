/* SPDX-License-Identifier: Apache-2.0
 *
 * A line of the kernel's trace file, as ftrace and atrace print it and systrace keeps it:
 *
 *   TASK-TID (TGID) [CPU] FLAGS SECONDS: NAME: ARGUMENTS
 */
#ifndef TB_FTRACE_LINE_PARSER_H
#define TB_FTRACE_LINE_PARSER_H

#include <stdbool.h>

#include "base/memory.h"

struct tb_ftrace_line {
  struct tb_str task; /* the thread's name, empty where it is not known */
  int64_t tid, tgid;
  bool has_tgid;
  uint32_t cpu;
  int64_t ts;
};

struct tb_ftrace_text_event {
  struct tb_ftrace_line line; /* the task is empty where the text does not know it */
  struct tb_str name, arguments;
  bool is_exact; /* its time has nine decimals, where the kernel prints six */
};

/* Reads a line without its end; its texts point into it. False for what is no event: comments, headers, other tracers'
 * lines. */
bool tb_ftrace_parse_line(struct tb_str text, struct tb_ftrace_text_event *event);

/* Whether a line with that time and text has no time: systrace writes the one that relates clocks with 0, whenever it
 * was. */
bool tb_ftrace_is_timeless(int64_t ts, struct tb_str text);

/* Whether the line begins the trace file's header, which names the tracer. */
bool tb_ftrace_is_header(struct tb_str line);

/* Without the blanks around it. */
struct tb_str tb_ftrace_trimmed(struct tb_str text);

#endif
