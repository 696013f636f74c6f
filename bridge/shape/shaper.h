/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the one shape of events (tracebridge/reader.h) of a source's own: one event in, any number out.
 *
 *   source's event --tb_shaper_put--> tracks that are new, slices that ended, the event, its flows' edges
 *
 * In the order of time (`sorted`) events are first collected, and what the trace says of its tracks is applied; then
 * they are put one by one as the sorter gives them, those of one time together, since a source may say that complete
 * slices come first at their time, and ENDs of older slices still come before them.
 */
#ifndef TB_SHAPE_SHAPER_H
#define TB_SHAPE_SHAPER_H

#include "base/heap.h"
#include "base/losses.h"
#include "model/capabilities.h"
#include "shape/event_sorter.h"
#include "shape/event_window.h"
#include "shape/flow_edges.h"
#include "shape/shape_tracks.h"
#include "tracebridge/reader.h"

/* A complete slice that has begun: what comes at its end. */
struct tb_pending_end {
  int64_t ts;
  struct tb_shape_frame frame; /* `begin` is the COMPLETE event itself, where that comes then */
  struct tb_shape_track *track;
  int64_t thread_ts;
  bool has_thread_ts;
};

enum { TB_SHAPER_PLACES = 64 };

struct tb_shaper {
  const struct tb_allocator *allocator;
  struct tb_source_traits source;
  enum tb_slice_form slices;
  bool sorted;
  struct tb_losses *losses;
  struct tb_shape_tracks tracks;
  struct tb_flow_edges flows;
  struct tb_intern texts;        /* names and categories of slices that stay open */
  struct tb_shape_track *unkept; /* tracks with open slices whose names are not there yet */
  uint64_t last_slice;           /* the newest slice_id */
  struct tb_pending_end *pending;
  size_t pending_count, pending_capacity;
  struct tb_heap pending_order; /* places in `pending` */
  uint32_t *pending_free;
  size_t pending_free_count, pending_free_capacity;
  struct tb_buffer bytes;
  struct tb_event_codec begins; /* of BEGINs that wait for their ends */

  const struct tb_event **out; /* what the current event became */
  size_t out_count, out_capacity, out_next;
  struct tb_arena scratch; /* of events in `out` that are ours */
  bool has_scratch;        /* there are some */
  bool out_of_memory;

  struct tb_event_sorter sorter;
  struct tb_event_window window; /* in place of the sorter, where `window.ns` is not 0 */
  bool collected;
  bool ended;
  struct tb_event **group; /* the next events: whole times where their order is asked for */
  size_t group_count, group_capacity, group_next;
  struct tb_arena group_memory;    /* of these */
  struct tb_event *places;         /* where the first TB_SHAPER_PLACES of a group are decoded. NULL: none was */
  uint64_t used[TB_SHAPER_PLACES]; /* see tb_event_decode_over */
  uint64_t time_number;            /* of those asked for */
};

void tb_shaper_init(struct tb_shaper *shaper, const struct tb_allocator *allocator,
                    const struct tb_source_traits *source, const struct tb_reader_options *options,
                    struct tb_losses *losses);
void tb_shaper_free(struct tb_shaper *shaper);

/* The next event that is made already; NULL: there is none, put another. */
static inline const struct tb_event *tb_shaper_take(struct tb_shaper *shaper) {
  return shaper->out_next < shaper->out_count ? shaper->out[shaper->out_next++] : NULL;
}
/* What is taken next, where it is there already. */
static inline const struct tb_event *tb_shaper_next(const struct tb_shaper *shaper) {
  return shaper->out_next < shaper->out_count ? shaper->out[shaper->out_next] : NULL;
}

/* Most slices and instants need to be changed in their place alone. Takes of the source's next `count` events those up
 * to the first that is no such one, or of a track that was not announced: it is to be put. Returns how many. What came
 * before stays. */
size_t tb_shaper_put_in_place(struct tb_shaper *shaper, struct tb_event *events, size_t count);

/* An open slice is known by the texts of its BEGIN: they are kept, since the events that were put are no longer. */
void tb_shaper_keep_names(struct tb_shaper *shaper);

/* What came last comes again. */
void tb_shaper_put_back(struct tb_shaper *shaper);

/* Takes the source's next event, which it may change, and which must stay until another is put. TB_OK or
 * TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_shaper_put(struct tb_shaper *shaper, struct tb_event *event);

/* With `sorted`: collects an event. TB_OK, TB_NO_MEMORY or TB_IO. */
TB_MUST_CHECK enum tb_status tb_shaper_collect(struct tb_shaper *shaper, const struct tb_event *event,
                                               struct tb_error *error);
/* With `sorted`, once all are collected: puts the next one. TB_OK, TB_END, TB_NO_MEMORY or TB_IO. With a window also
 * before; TB_AGAIN then where more have to be collected first. */
TB_MUST_CHECK enum tb_status tb_shaper_step(struct tb_shaper *shaper, struct tb_error *error);

/* The source has no more events; what waits for its end comes. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_shaper_end(struct tb_shaper *shaper);

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/* Adds an event to what comes. */
void tb_shaper_emit(struct tb_shaper *shaper, const struct tb_event *event);
/* A copy in scratch memory, to be changed and emitted. NULL without memory, which is noted. */
struct tb_event *tb_shaper_copy(struct tb_shaper *shaper, const struct tb_event *event);
void tb_shaper_announce(struct tb_shaper *shaper, struct tb_shape_track *track);
/* tb_shaper_put_in_place of one event, which is not emitted. */
bool tb_shaper_change(struct tb_shaper *shaper, struct tb_event *event);

/* Slices and instants of a track (shaper_slices.c); the event's track is `track`. */
void tb_shaper_begin(struct tb_shaper *shaper, struct tb_shape_track *track, struct tb_event *event);
void tb_shaper_end_slice(struct tb_shaper *shaper, struct tb_shape_track *track, struct tb_event *event);
/* The slice that a flow's event binds to, for its flow_from: 0 where it is none, or the next one. */
uint64_t tb_shaper_flow_slice(const struct tb_shape_track *track, const struct tb_event *event);
void tb_shaper_flow(struct tb_shaper *shaper, struct tb_shape_track *track, const struct tb_event *event);
/* Ends complete slices up to `ts`. */
void tb_shaper_end_until(struct tb_shaper *shaper, int64_t ts);
/* Emits the BEGINs that waited for their ends, where there are none. */
void tb_shaper_begin_endless(struct tb_shaper *shaper);

#endif
