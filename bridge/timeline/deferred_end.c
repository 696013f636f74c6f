/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/deferred_end.h"

/* An end that says nothing but when, and perhaps whose. */
static bool is_bare(const struct tb_event *end) {
  enum { BARE = TB_HAS_TS | TB_HAS_THREAD_TS | TB_HAS_NAME | TB_HAS_CATEGORIES };
  return !(end->has & ~(uint32_t)BARE) && !end->arg_count && !end->extra_count && !end->flow_count &&
         !end->terminating_flow_count && !end->stack.frame_count && !end->stack.ref.ptr && !end->id.kind &&
         !end->scope.ptr && !end->thread && !end->source_location.function.len && !end->source_location.file.len &&
         !end->log_level;
}

bool tb_deferred_end_keep(struct tb_deferred_end *waiting, const struct tb_event *end, bool of_innermost) {
  bool named = end->has & (TB_HAS_NAME | TB_HAS_CATEGORIES) || end->name.len || end->categories.len;
  if (waiting->track || !is_bare(end) || (named && !of_innermost)) return false;
  *waiting = (struct tb_deferred_end){.track = end->track,
                                      .ts = end->ts,
                                      .thread_ts = end->thread_ts,
                                      .has = end->has & ~(uint32_t)(TB_HAS_NAME | TB_HAS_CATEGORIES),
                                      .named = named};
  return true;
}
