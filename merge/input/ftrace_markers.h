/* SPDX-License-Identifier: Apache-2.0
 *
 * What ftrace text says of its clock. Who records it writes marks into it:
 *
 *   TASK-TID [CPU] FLAGS SECONDS: tracing_mark_write: trace_event_clock_sync: parent_ts=SECONDS        on MONOTONIC
 *   TASK-TID [CPU] FLAGS SECONDS: tracing_mark_write: trace_event_clock_sync: realtime_ts=MILLISECONDS of wall time
 *
 * The clock is read before the mark is written: of several marks the one counts that was written soonest.
 */
#ifndef TB_MERGE_INPUT_FTRACE_MARKERS_H
#define TB_MERGE_INPUT_FTRACE_MARKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

struct tb_ftrace_marker {
  bool known;
  int64_t at; /* on the text's clock, ns */
  int64_t reading;
};

/* Zero-initialise. */
struct tb_ftrace_markers {
  struct tb_ftrace_marker monotonic, realtime;
  bool has_lines;
  int64_t first, last; /* of the text's lines, on the text's clock */
};

/* Takes in whole lines of the text. */
void tb_ftrace_markers_take(struct tb_ftrace_markers *markers, struct tb_str text);

#endif
