/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of events of one time, as the trace processor has that of JSON events: those that sort first (see
 * tb_staged_event), then complete slices, longer ones before shorter ones, then all others. All who sort staged events
 * or ask whether they came in order ask here.
 */
#ifndef TB_TIMELINE_ENTRY_RANK_H
#define TB_TIMELINE_ENTRY_RANK_H

#include <stdint.h>

#include "timeline/sort_queue.h"

#define TB_RANK_FIRST INT64_MAX /* of what sorts first */
#define TB_RANK_OTHER (-1)      /* of what is no complete slice */

/* The rank of an entry; `sorts_first` may be known before entry->sorts_first is set. The greater one comes first. */
static inline int64_t tb_entry_rank(const struct tb_staged_event *entry, bool sorts_first) {
  if (entry->kind != TB_STAGED_COMPLETE) return sorts_first ? TB_RANK_FIRST : TB_RANK_OTHER;
  return entry->dur < TB_RANK_FIRST ? entry->dur : TB_RANK_FIRST - 1;
}

/* Whether an event must not come behind the other: it is earlier, or of a rank that is no lower. */
static inline bool tb_entry_in_order(int64_t ts, int64_t rank, int64_t other_ts, int64_t other_rank) {
  return ts != other_ts ? ts < other_ts : rank >= other_rank;
}

#endif
