/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks that say again what the event of the kernel's before them does. Our reader of Perfetto makes them for readers
 * of text, who know the marks and not the events:
 *
 *   <...>-527 (-----) [000] .... 200.001000000: gpu_frequency: gpu_id=0 state=585000
 *   <...>-0 (-----) [000] .... 200.001000000: tracing_mark_write: C|0|gpufreq|585000
 *
 * Who knows the events, has them twice then.
 */
#ifndef TB_FTRACE_MADE_MARKS_H
#define TB_FTRACE_MADE_MARKS_H

#include "ftrace/line_parser.h"

/* What the last event that was no such mark may be followed by. Zeroed: nothing. */
struct tb_ftrace_made_marks {
  const char *phases; /* of marks */
  int64_t ts;         /* their time */
};

/* Whether an event is such a mark of the one before it; to be asked of each line. */
bool tb_ftrace_is_made_mark(struct tb_ftrace_made_marks *marks, const struct tb_ftrace_text_event *event);

#endif
