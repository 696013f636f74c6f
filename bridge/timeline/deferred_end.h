/* SPDX-License-Identifier: Apache-2.0
 *
 * Ends of slices that wait. Sources read the clock at several places, so that an end may stand before events that are a
 * little earlier: readers, who sort, see those take place first. So where a writer takes events as they come, an end of
 * the innermost slice waits for the first event of its track that is no earlier.
 */
#ifndef TB_TIMELINE_DEFERRED_END_H
#define TB_TIMELINE_DEFERRED_END_H

#include "tracebridge/event.h"

/* Of one track; all 0 at first. */
struct tb_deferred_end {
  const struct tb_track *track; /* whose end waits; NULL: none does */
  int64_t ts, thread_ts;
  uint32_t has;
  bool named; /* it said whose end it is, so that it waits for the next event at all */
};

/* Lets the end wait: true. False where it says more than when it is, or another waits already: it is to be written now.
 * An end that has a name says more than that, unless the caller knows it to be that of the innermost open slice. */
bool tb_deferred_end_keep(struct tb_deferred_end *waiting, const struct tb_event *end, bool of_innermost);

/* An event at `ts` comes, and the innermost open slice began at `begin`. Where the end that waits is no later, or the
 * event is of another time altogether, before that slice, the end is put into *end, whose other fields must be 0, and
 * waits no more: true. */
static inline bool tb_deferred_end_take(struct tb_deferred_end *waiting, int64_t ts, int64_t begin,
                                        struct tb_event *end) {
  if (!waiting->track || (ts < waiting->ts && ts >= begin && !waiting->named)) return false;
  end->type = TB_EVENT_SLICE_END;
  end->has = waiting->has;
  end->ts = waiting->ts;
  end->thread_ts = waiting->thread_ts;
  end->track = waiting->track;
  end->offset = TB_NO_OFFSET;
  waiting->track = NULL;
  return true;
}

#endif
