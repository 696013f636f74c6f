/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/waiting_end.h"

/* An end that says nothing but when. */
static bool is_bare(const struct tb_event *end) {
  return !(end->has & ~(uint32_t)(TB_HAS_TS | TB_HAS_THREAD_TS)) && !end->name.len && !end->categories.len &&
         !end->arg_count && !end->extra_count && !end->flow_count && !end->terminating_flow_count &&
         !end->stack.frame_count && !end->stack.ref.ptr && !end->id.kind && !end->scope.ptr && !end->thread &&
         !end->source_location.function.len && !end->source_location.file.len && !end->log_level;
}

bool tb_waiting_end_keep(struct tb_waiting_end *waiting, const struct tb_event *end) {
  if (waiting->track || !is_bare(end)) return false;
  *waiting = (struct tb_waiting_end){end->track, end->ts, end->thread_ts, end->has};
  return true;
}
