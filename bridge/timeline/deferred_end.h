/* SPDX-License-Identifier: Apache-2.0
 *
 * Defers a slice's end until an event of its track comes that is not older.
 *
 * Producers read the clock at several places, so that slightly older events may follow an end in the file:
 *
 *   in the file      BEGIN a at 10, END at 20, INSTANT x at 18
 *   as readers see   BEGIN a at 10, INSTANT x at 18, END at 20       x is inside of a
 *
 * Readers sort by time and see x first. A writer that emits events as they come, without a sort queue, would emit the
 * END first. So it keeps one END back (tb_deferred_end_keep), and before each event of the track it asks whether that
 * END is due (tb_deferred_end_take). There are three outcomes:
 *
 * * the event is at or after the END's time: the END is emitted, then the event;
 * * the event is older, and not older than the begin of the innermost open slice: the event is emitted, the END waits
 *   on;
 * * the event is older than that begin: no order of the two is right; the END is emitted, and the event is out of
 *   order.
 *
 * One END per track is kept back, and it keeps times alone. An END with arguments or flows is emitted at once. An END
 * with a name must end a slice of that name: it is kept back only where that is the innermost, and only until the next
 * event.
 */
#ifndef TB_TIMELINE_DEFERRED_END_H
#define TB_TIMELINE_DEFERRED_END_H

#include "tracebridge/event.h"

/* The end that a track keeps back; all 0 at first. */
struct tb_deferred_end {
  const struct tb_track *track; /* whose end is kept back; NULL: none is */
  int64_t ts, thread_ts;
  uint32_t has;
  bool named; /* the end had a name, which must be its slice's: it waits for the very next event */
};

/* Keeps the end back and returns true. Returns false if the end has more than its times, or if another end is kept
 * back already: the caller emits it now. An end with a name is kept back only if the caller knows that it is the
 * innermost open slice's (`of_innermost`). */
bool tb_deferred_end_keep(struct tb_deferred_end *waiting, const struct tb_event *end, bool of_innermost);

/* Called for the track's next event, at `ts`; the innermost open slice began at `begin`. If the end is not later than
 * the event, or if the event is older than that slice, the end is moved into *end, whose other fields must be 0, and
 * the result is true. */
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
