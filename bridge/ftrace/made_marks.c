/* SPDX-License-Identifier: Apache-2.0 */
#include "ftrace/made_marks.h"

#include <string.h>

/* perfetto/reader/ftrace_marks.c makes them. Of a gpu_work_period the marks say more: its times are on a clock that
 * text does not tell. */
static const struct {
  struct tb_str name;
  const char *phases;
} kinds[] = {{{"oom_score_adj_update", 20}, "C"},     {{"ion_stat", 8}, "CSF"},
             {{"dma_heap_stat", 13}, "CSF"},          {{"gpu_mem_total", 13}, "C"},
             {{"suspend_resume", 14}, "SF"},          {{"gpu_frequency", 13}, "C"},
             {{"mali_gpu_power_state", 20}, "C"},     {{"wakeup_source_activate", 22}, "S"},
             {{"wakeup_source_deactivate", 24}, "F"}, {{"dma_fence_init", 14}, "S"},
             {{"dma_fence_signaled", 18}, "F"},       {{"dma_fence_wait_start", 20}, "B"},
             {{"dma_fence_wait_end", 18}, "E"}};

static void expect_marks_of(struct tb_ftrace_made_marks *marks, const struct tb_ftrace_text_event *event) {
  *marks = (struct tb_ftrace_made_marks){.phases = NULL};
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
    if (tb_str_equal(kinds[i].name, event->name))
      *marks = (struct tb_ftrace_made_marks){kinds[i].phases, event->line.ts};
}

/* No two events of a processor are of one nanosecond, and the kernel does not print that many decimals. */
bool tb_ftrace_is_made_mark(struct tb_ftrace_made_marks *marks, const struct tb_ftrace_text_event *event) {
  struct tb_str mark = event->arguments;
  bool is_mark = tb_str_equal(event->name, TB_STR("tracing_mark_write"));
  if (is_mark && marks->phases && mark.len > 1 && mark.ptr[1] == '|' &&
      memchr(marks->phases, mark.ptr[0], strlen(marks->phases)) && marks->ts == event->line.ts && event->is_exact)
    return true;
  expect_marks_of(marks, event);
  return false;
}
