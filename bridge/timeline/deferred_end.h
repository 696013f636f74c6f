/* SPDX-License-Identifier: Apache-2.0
 *
 * Defers a slice's end until an event of its track comes that is not older. Producers read the clock at several
 * places, so slightly older events may follow an end in the file. Readers sort and see those events first, inside the
 * slice. A writer that emits events as they come therefore keeps the innermost slice's end back until it knows that
 * nothing older follows.
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
