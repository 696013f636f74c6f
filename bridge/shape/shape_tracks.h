/* SPDX-License-Identifier: Apache-2.0
 *
 * The tracks of the one shape: a copy of each track of the source, and tracks that the source has none of, for counters
 * and async slices. Indices are dense over both.
 */
#ifndef TB_SHAPE_SHAPE_TRACKS_H
#define TB_SHAPE_SHAPE_TRACKS_H

#include "base/intern.h"
#include "shape/flow_edges.h"
#include "timeline/open_stack.h"
#include "tracebridge/event.h"

/* A slice that is open; see shaper_slices.c. */
struct tb_shape_frame {
  struct tb_open_frame open;
  uint64_t slice_id;
  int64_t end;                    /* where it is known, else INT64_MAX */
  struct tb_str name, categories; /* of the BEGIN's memory, or of the shaper's texts: see tb_shaper_keep_names */
  uint32_t has;                   /* of the BEGIN: name and categories */
  struct tb_str begin; /* the BEGIN, encoded, where it waits for its end; memory of the allocator; else empty */
  int64_t begin_ts;    /* of `begin` */
};

/* A flow's end that waits for a slice. */
struct tb_arriving_flow {
  struct tb_flow flow;
  int64_t ts; /* of the end */
};

/* `track` is first, so that pointers convert. */
struct tb_shape_track {
  struct tb_track track;
  bool is_announced;                 /* came as a TB_EVENT_TRACK since it last changed */
  struct tb_open_stack open;         /* of struct tb_shape_frame */
  struct tb_arriving_flow *arriving; /* flows that end at the next slice */
  size_t arriving_count, arriving_capacity;
  uint64_t group;  /* of events of one time, of the shaper, in which ... */
  size_t begun;    /* ... so many slices began that did not end */
  bool has_unkept; /* names of open slices, from `unkept_from` on, are still in their BEGINs' memory */
  uint32_t unkept_from;
  struct tb_shape_track *next_unkept;
};

struct tb_shape_tracks {
  const struct tb_allocator *allocator;
  struct tb_arena arena;
  struct tb_shape_track **items; /* by index */
  size_t count, capacity;
  struct tb_shape_track **by_source; /* by the source's index; NULL: not met yet */
  size_t source_count, source_capacity;
  struct tb_intern texts; /* of keys */
  struct tb_intern keys;  /* of tracks that the source does not have */
  struct tb_shape_track **by_key;
  size_t key_count, key_capacity;
  struct tb_buffer name; /* that is made */
};

void tb_shape_tracks_init(struct tb_shape_tracks *tracks, const struct tb_allocator *allocator);
void tb_shape_tracks_free(struct tb_shape_tracks *tracks);

/* The copy of a source's track that was met already, else NULL. */
static inline struct tb_shape_track *tb_shape_track_met(const struct tb_shape_tracks *tracks,
                                                        const struct tb_track *source) {
  return source && source->index < tracks->source_count ? tracks->by_source[source->index] : NULL;
}

/* The copy of a source's track, its parents' too. NULL without memory, or where `source` is NULL. */
struct tb_shape_track *tb_shape_track_of(struct tb_shape_tracks *tracks, const struct tb_track *source);
/* Takes over what the source says of a track now. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_shape_track_refresh(struct tb_shape_tracks *tracks, const struct tb_track *source);
/* What a metadata event says of its track: name, labels, sort index. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_shape_track_apply_metadata(struct tb_shape_tracks *tracks,
                                                           const struct tb_event *metadata);

/* The track of the counter that a series of the event is, below the event's. `by_id`: see tb_source_traits. NULL
 * without memory. */
struct tb_shape_track *tb_shape_counter(struct tb_shape_tracks *tracks, const struct tb_event *event,
                                        struct tb_str series, bool by_id);
/* The track of an async event's id. NULL without memory. */
struct tb_shape_track *tb_shape_async(struct tb_shape_tracks *tracks, const struct tb_event *event);
/* The idle thread of a CPU, whose events are all of thread 0. NULL without memory. */
struct tb_shape_track *tb_shape_idle(struct tb_shape_tracks *tracks, const struct tb_event *event);

#endif
