/* SPDX-License-Identifier: Apache-2.0
 *
 * Which end ends which begin, track by track. Tracks whose events come in the order of time are paired as they come.
 * One whose events do not is gathered, sorted, and paired at the end: by another reading of the trace, where that was
 * not known before. Where no track is expected to be in order, what is gathered is paired as soon as it can be. Where
 * events may be a little late, those of a track wait until many others of it came, and are sorted before they are
 * paired; most tracks whose events are far from order are known by then, and need no other reading.
 *
 *   tb_slice_pairs_init … take … (tb_slice_pairs_start_again … take …) … tb_slice_pairs_end … tb_slice_pairs_free
 */
#ifndef TB_TOOLBOX_WALK_SLICE_PAIRS_H
#define TB_TOOLBOX_WALK_SLICE_PAIRS_H

#include "base/map.h"
#include "toolbox/walk/settling.h"

/* A begin or an end. */
struct tb_slice_edge {
  int64_t time;              /* the first member, for tb_sort_by_time */
  uint64_t number;           /* the caller's; in the order of the file */
  uint32_t name, categories; /* 0: none. An end that has a name ends a begin that has no other, and one that has a
                              * category a begin that has the same */
  bool ends;
  uint8_t mark; /* the caller's */
};

/* A slice was found. `end` is NULL where it has none. */
typedef enum tb_status (*tb_slice_pair_sink)(void *ctx, const struct tb_slice_edge *begin,
                                             const struct tb_slice_edge *end);

/* A slice that has no end of its own, but is in one that ended at `outer`: readers end it there, too, as soon as they
 * come to an event of the track behind that, at `seen`. */
typedef enum tb_status (*tb_slice_outlived_sink)(void *ctx, const struct tb_slice_edge *begin,
                                                 const struct tb_slice_edge *outer, int64_t seen);

struct tb_slice_track {
  /* innermost last; in place of what ended though others in it had not, its end, as long as they have not */
  struct tb_slice_edge *open;
  size_t count, capacity;
  size_t outlived; /* how many of them are such ends */
  int64_t reached; /* when its last event was; where it had one */
  bool reached_any;
  bool disordered;                /* an event was before that */
  bool gathers;                   /* its events are gathered, and sorted at the end */
  struct tb_slice_edge *gathered; /* those, or those that wait */
  size_t gathered_count, gathered_capacity;
  bool unsorted;  /* of a track whose events wait, one that waits is before the one that came before it */
  int64_t paired; /* of the same, up to when they were paired */
};

/* Caller-owned. */
struct tb_slice_pairs {
  const struct tb_allocator *allocator;
  struct tb_map index;
  struct tb_slice_track *tracks;
  size_t track_count, track_capacity;
  struct tb_map_recent recent; /* of the track that was looked up last */
  bool again;                  /* this is the other reading */
  bool gathers_all;            /* the caller's: no track is expected to be in order */
  bool waits;                  /* the caller's: events may be a little late; false once so many came that none is */
  bool any_late;               /* one was */
  size_t waiting_room, waited; /* for events that wait, of all tracks; how many no longer do */
  struct tb_settling settling; /* of what is gathered of all tracks, see tb_slice_pairs_settle */
  tb_slice_pair_sink sink;
  tb_slice_outlived_sink outlived; /* the caller's; NULL: slices end by their own ends alone */
  void *ctx;
};

void tb_slice_pairs_init(struct tb_slice_pairs *pairs, const struct tb_allocator *allocator, tb_slice_pair_sink sink,
                         void *ctx);
void tb_slice_pairs_free(struct tb_slice_pairs *pairs);

/* Whether an end may mean an open slice. */
static inline bool tb_slice_edge_may_end(const struct tb_slice_edge *end, const struct tb_slice_edge *open) {
  return !open->ends && (!end->name || !open->name || end->name == open->name) &&
         (!end->categories || end->categories == open->categories);
}

/* For tb_slice_pairs_take. */
TB_MUST_CHECK enum tb_status tb_slice_pairs_take_any(struct tb_slice_pairs *pairs, uint64_t key, uint64_t kind,
                                                     const struct tb_slice_edge *edge);

/* The next event of the track `key`, `kind`. What the sink returned; TB_NO_MEMORY, TB_LIMIT. Quick for one that begins
 * a slice or ends the innermost one. */
TB_MUST_CHECK static TB_ALWAYS_INLINE enum tb_status tb_slice_pairs_take(struct tb_slice_pairs *pairs, uint64_t key,
                                                                         uint64_t kind,
                                                                         const struct tb_slice_edge *edge) {
  uint32_t number;
  if (pairs->gathers_all || !tb_map_get_recent(&pairs->index, &pairs->recent, key, kind, &number))
    return tb_slice_pairs_take_any(pairs, key, kind, edge);
  struct tb_slice_track *track = &pairs->tracks[number];
  if (pairs->waits) {
    if (track->gathered_count == track->gathered_capacity) return tb_slice_pairs_take_any(pairs, key, kind, edge);
    track->unsorted |= edge->time < track->reached;
    track->reached = edge->time;
    track->gathered[track->gathered_count++] = *edge;
    return TB_OK;
  }
  bool takes = edge->ends ? track->count && tb_slice_edge_may_end(edge, &track->open[track->count - 1])
                          : track->count < track->capacity;
  if (!takes || track->gathers || track->outlived || !track->reached_any || edge->time < track->reached)
    return tb_slice_pairs_take_any(pairs, key, kind, edge);
  track->reached = edge->time;
  if (!edge->ends) {
    track->open[track->count++] = *edge;
    return TB_OK;
  }
  const struct tb_slice_edge slice = track->open[--track->count];
  return pairs->sink(pairs->ctx, &slice, edge);
}

/* Where much is gathered of all tracks (gathers_all), pairs what is before `until`. Errors as of tb_slice_pairs_take.
 */
TB_MUST_CHECK enum tb_status tb_slice_pairs_settle(struct tb_slice_pairs *pairs, int64_t until);

/* Whether the next events of the track can be taken at once by tb_slice_pairs_take_run, which end `ends` slices that
 * are open now; *outermost: that which they end last, NULL: none. */
bool tb_slice_pairs_can_take_run(const struct tb_slice_pairs *pairs, uint64_t key, uint64_t kind, size_t ends,
                                 const struct tb_slice_edge **outermost);
/* Takes events of the track from `first` on up to `last`: `ends` ends of what is open now, which have no name and come
 * to the sink as of `last` and without a number, and behind them begins and their ends, which do not come to it. Begins
 * that they leave open are to be taken by tb_slice_pairs_open then, outermost first. Errors as of tb_slice_pairs_take;
 * so do those of tb_slice_pairs_open. */
TB_MUST_CHECK enum tb_status tb_slice_pairs_take_run(struct tb_slice_pairs *pairs, uint64_t key, uint64_t kind,
                                                     size_t ends, int64_t first, int64_t last);
TB_MUST_CHECK enum tb_status tb_slice_pairs_open(struct tb_slice_pairs *pairs, uint64_t key, uint64_t kind,
                                                 const struct tb_slice_edge *begin);

/* The innermost open slice of a track that is in order so far; NULL: none. Valid until the next call. */
const struct tb_slice_edge *tb_slice_pairs_innermost(const struct tb_slice_pairs *pairs, uint64_t key, uint64_t kind);

/* Before the first event: those of that track are not in order. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_slice_pairs_gather(struct tb_slice_pairs *pairs, uint64_t key, uint64_t kind);

/* Whether a track was not in order that was not gathered: what the sink got is wrong then, and the trace is to be read
 * again after tb_slice_pairs_start_again. */
bool tb_slice_pairs_disordered(const struct tb_slice_pairs *pairs);
void tb_slice_pairs_start_again(struct tb_slice_pairs *pairs);

/* Pairs what was gathered, and gives the sink what is still open. Errors as of tb_slice_pairs_take. */
TB_MUST_CHECK enum tb_status tb_slice_pairs_end(struct tb_slice_pairs *pairs);

#endif
