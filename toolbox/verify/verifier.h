/* SPDX-License-Identifier: Apache-2.0
 *
 * A verification in progress, and its parts: what packets say, what events say as they come, and what slices and flows
 * say in the order of time.
 */
#ifndef TB_TOOLBOX_VERIFY_VERIFIER_H
#define TB_TOOLBOX_VERIFY_VERIFIER_H

#include "base/losses.h"
#include "base/map.h"
#include "inspect/recorder_losses.h"
#include "merge/input/recordings.h"
#include "shape/shaper.h"
#include "toolbox/verify/slice_log.h"
#include "tracebridge/verify.h"

struct tb_finding_tally {
  uint64_t count, first_offset;
};

/* The packet that described a track. */
struct tb_verify_descriptor {
  uint64_t uuid, parent, offset;
  int64_t pid, tid;
  uint32_t machine;
  uint8_t kind;    /* of enum tb_track_type */
  bool is_in_loop; /* it was found to be */
  bool has_parent;
};

/* A clock of a machine, as the last snapshot of one sequence read it: those of several come in no order of time. */
struct tb_verify_clock {
  uint32_t machine, sequence, id;
  int64_t offset; /* ns, from the machine's first clock in the same snapshot */
};

/* When a point of a flow is, compared with others: by time, then by rank (timeline/entry_rank.h), then as they came. */
struct tb_verify_when {
  int64_t ts, rank;
  uint64_t number;
};

/* What has been of a flow so far. */
struct tb_verify_flow {
  struct tb_verify_when begin; /* the first one, and where it is */
  uint64_t begin_offset;
  bool began, ended; /* by events that say so, or by coming again */
};

/* A point of a flow that goes on, of which no begin before it came yet. */
struct tb_verify_step {
  struct tb_verify_when when;
  uint64_t flow, offset; /* `flow`: its place */
};

/* What is open on a track. */
struct tb_verify_slice {
  int64_t end; /* INT64_MAX: not known */
  uint64_t id, offset;
};

/* Of a track of the shaper's. */
struct tb_verify_track {
  struct tb_verify_slice *open;
  size_t count, capacity;
};

/* A slice or an instant on a streamed track: see verify_stream.c. */
struct tb_verify_frame {
  int64_t end; /* INT64_MAX: not known; INT64_MIN: an END was, though it is not the innermost */
  uint64_t offset;
  union {
    uint64_t name; /* of a BEGIN: a hash, 0: none */
    bool dropped;  /* of others: the trace processor does not have it, or not as a slice */
  };
  uint32_t categories; /* as the name */
  uint32_t below;      /* place of the frame that it is in; 0: none */
};

/* Where the events of a streamed track are. */
struct tb_verify_stream {
  int64_t ts, dur; /* of its last event; of the last complete slice at that time, else INT64_MAX */
  uint32_t top;    /* place of the innermost frame; 0: none */
  uint32_t begun;  /* BEGINs at `ts` without an END there; of a free one, the next free one, + 1 */
  uint8_t seen;    /* at `ts`, of enum verify_seen */
  bool swapped;    /* see verify_stream.c */
  bool unsure_if_empty;
};

/* What tells async events of one id apart. As a text it is none that is UTF-8, for its mark. */
struct tb_async_kind {
  uint32_t mark, flags, process, name, categories, scope;
};
struct tb_async_recent {
  struct tb_async_kind kind;
  uint32_t number; /* 0: none */
};
enum { TB_ASYNC_RECENT = 16 };

/* An async event: what tells its id apart, and what it does there. */
struct tb_verify_async {
  struct tb_map_key key;
  struct tb_slice_point point; /* its `place` has no stream yet */
};
enum { TB_ASYNC_WAITING_MAX = 64 };

/* Of a track of the reader's. */
struct tb_verify_use {
  const struct tb_track *track; /* NULL: not used */
  uint64_t first_offset;
  struct tb_verify_stream stream;
};

/* When slices are looked at. Where one way turns out not to do, the trace is read again, and the next one is taken. */
enum tb_verify_way {
  TB_VERIFY_AS_THEY_COME, /* and what they are is kept, as long as it is little */
  TB_VERIFY_LOGGED,       /* at the end, in the order of time: tracks had events in none */
  TB_VERIFY_SHAPED        /* the same, as the shaper has them: whole events */
};

struct tb_verifier {
  struct tb_verification result; /* first, so that tb_verification_free finds it */
  const struct tb_allocator *allocator;
  struct tb_arena arena; /* what the result points to */
  struct tb_finding_tally tallies[TB_FINDS_COUNT];
  /* of ends that the reader knows to end nothing: they are on no stream */
  struct tb_finding_tally unpaired_ends;
  struct tb_error *error;

  struct tb_recorder_losses recorder;
  uint64_t stats_offset; /* of the last packet that counts what was lost */
  uint64_t kernel_stats_offset;
  struct tb_verify_descriptor *descriptors;
  size_t descriptor_count, descriptor_capacity;
  struct tb_recordings recordings;     /* of Perfetto, one behind the other */
  struct tb_merge_sequences sequences; /* for them, ... */
  struct tb_merge_sequence *sequence;  /* ... and that of the last packet; NULL: none yet */
  struct tb_map by_uuid;               /* uuid, machine -> place in descriptors */
  struct tb_map last_readings;         /* tb_snapshot_group, clock -> ns */
  struct tb_verify_clock *clocks;
  size_t clock_count, clock_capacity;

  enum tb_verify_way way, next_way; /* the same, or what the trace has to be read again for */
  bool complete_first;              /* see tb_source_traits */
  struct tb_slice_log log;
  bool has_log;                 /* it has all so far */
  bool end_has_begin;           /* the last END */
  bool ended_with_flows;        /* an END was that flows are at: whether these count depends on the order */
  struct tb_slice_point *group; /* of the log, of one time */
  size_t group_count, group_capacity;
  struct tb_verify_use *uses; /* by index of the reader's track */
  size_t use_count;
  struct tb_intern async_texts; /* what tells async events apart */
  struct tb_map async_ids;      /* id, number of what else tells it apart -> number of its stream */
  struct tb_verify_stream *async;
  size_t async_count, async_capacity;
  uint32_t free_async; /* the first of those that are free, + 1; 0: none */
  size_t async_taken;  /* points of the log, as they came, of which the streams of async events have theirs */
  struct tb_async_recent recent_kinds[TB_ASYNC_RECENT];
  struct tb_verify_async waiting[TB_ASYNC_WAITING_MAX]; /* in the order in which they came */
  size_t waiting_count;
  int64_t async_ts;               /* of the last async event */
  bool forgot_ids;                /* an id without open slices is forgotten, ... */
  bool keeps_ids;                 /* ... unless async events come in no order of time, though those of each id may */
  struct tb_verify_frame *frames; /* [0] is none */
  size_t frame_count, frame_capacity;
  uint32_t free_frame; /* the first of those that are linked by `below`; 0: none */

  bool has_shaper;
  size_t memory_budget;
  const char *temporary_directory;
  struct tb_shaper shaper; /* brings slices and flows into the order of time */
  struct tb_losses unpaired;
  struct tb_verify_track *tracks; /* by index of the shaper's track */
  size_t track_count;
  struct tb_map flow_places;
  struct tb_flow_edges flow_ids;
  struct tb_verify_flow *flows;
  size_t flow_count, flow_capacity;
  struct tb_verify_step *steps;
  size_t step_count, step_capacity;
  uint64_t sorted_points; /* of flows, where all is sorted */
};

/* Counts a finding `count` times, first at `offset`. */
void tb_verifier_find_many(struct tb_verifier *v, enum tb_finding_code code, uint64_t count, uint64_t offset);
static inline void tb_verifier_find(struct tb_verifier *v, enum tb_finding_code code, uint64_t offset) {
  tb_verifier_find_many(v, code, 1, offset);
}

/* What a packet says that the reader, which keeps interned data, gave just now. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_verify_packet(struct tb_verifier *v, const struct tb_packet_reader *packets,
                                              const struct tb_packet *packet);
/* What they say together, once all were seen, and events too. */
void tb_verify_packets_end(struct tb_verifier *v);

/* What an event says; what slices and flows do that are to be sorted is kept for the end. `source`: what its format
 * means. TB_OK, TB_NO_MEMORY, TB_IO; TB_UNSUPPORTED: more has to be sorted, which is noted. */
TB_MUST_CHECK enum tb_status tb_verify_event(struct tb_verifier *v, const struct tb_source_traits *source,
                                             const struct tb_event *event);

/* What an event of slices or flows does on a stream whose events come in order: with `complete_first` as
 * tb_source_traits has it, without it as they come. TB_OK, TB_NO_MEMORY, or TB_UNSUPPORTED: they do not. */
TB_MUST_CHECK enum tb_status tb_verify_stream_take(struct tb_verifier *v, struct tb_verify_stream *stream,
                                                   const struct tb_slice_point *point, bool complete_first);
/* The stream's next events are of this time. */
void tb_verify_stream_start_time(struct tb_verify_stream *stream, int64_t ts);
/* Whether nothing is open, and nothing is known of its time that is still asked for. */
bool tb_verify_stream_is_idle(const struct tb_verify_stream *stream);

/* What the BEGIN or END of an async slice does, together with some that come next. TB_OK, TB_NO_MEMORY, TB_IO;
 * TB_UNSUPPORTED: the trace has to be read again. */
TB_MUST_CHECK enum tb_status tb_verify_take_async(struct tb_verifier *v, const struct tb_event *event,
                                                  const struct tb_slice_point *point);
/* What those do that wait. Statuses as above. */
TB_MUST_CHECK enum tb_status tb_verify_take_waiting(struct tb_verifier *v);
/* What a point does on its stream, and into the log with it. Statuses as above. */
TB_MUST_CHECK enum tb_status tb_verify_take_point(struct tb_verifier *v, struct tb_verify_stream *stream,
                                                  const struct tb_slice_point *point);
/* What those of the log do, as long as each stream has its own in the order of time. Statuses as above. */
TB_MUST_CHECK enum tb_status tb_verify_take_logged_async(struct tb_verifier *v);
/* The log has room for another point, or is given up: then the streams of async events take first what waits in it.
 * Statuses as above. */
TB_MUST_CHECK enum tb_status tb_verify_make_room(struct tb_verifier *v);
/* There is no log any more: forgets the async streams of which nothing is open. False without memory. */
bool tb_verify_forget_idle(struct tb_verifier *v);
/* All streams are as they were before the first event. */
void tb_verify_reset_streams(struct tb_verifier *v);

/* Slices and flows came in no order, or what tells this was forgotten: from here on they are logged. TB_OK,
 * TB_NO_MEMORY; TB_UNSUPPORTED: the trace has to be read again. */
TB_MUST_CHECK enum tb_status tb_verify_start_log(struct tb_verifier *v);
/* What they do in the order of time. TB_OK, TB_NO_MEMORY, TB_IO; TB_UNSUPPORTED as above. */
TB_MUST_CHECK enum tb_status tb_verify_logged(struct tb_verifier *v);

/* What is still open. */
void tb_verify_streams_end(struct tb_verifier *v);
void tb_verify_streams_free(struct tb_verifier *v);
void tb_verify_async_init(struct tb_verifier *v);
void tb_verify_async_free(struct tb_verifier *v);
/* Streams by number: of an async one its place among these, else the index of its track, each times 2. */
#define TB_ASYNC_STREAM 1u
/* A track as it is before its first event. */
#define TB_VERIFY_STREAM_START ((struct tb_verify_stream){.ts = INT64_MIN})
/* The stream of a point that is in the log. */
static inline struct tb_verify_stream *tb_verify_stream_of(struct tb_verifier *v, const struct tb_slice_point *point) {
  uint32_t stream = tb_slice_point_stream(point);
  return stream & TB_ASYNC_STREAM ? &v->async[stream >> 1] : &v->uses[stream >> 1].stream;
}
/* Brings into the cache what its next event needs: a stream first, and a while later the frame that it leads to. Either
 * may be in two lines. */
static inline void tb_verify_fetch_stream(const struct tb_verify_stream *stream) {
  __builtin_prefetch(stream);
  __builtin_prefetch((const char *)(stream + 1) - 1);
}
static inline void tb_verify_fetch_frame(const struct tb_verifier *v, const struct tb_verify_stream *stream) {
  if (!stream->top) return;
  __builtin_prefetch(&v->frames[stream->top]);
  __builtin_prefetch((const char *)&v->frames[stream->top + 1] - 1);
}

/* The flows that a slice or an instant is at. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_verify_flow_ids(struct tb_verifier *v, const struct tb_event *event,
                                                struct tb_verify_when when);
/* The flow of a flow event. */
TB_MUST_CHECK enum tb_status tb_verify_flow_event(struct tb_verifier *v, const struct tb_event *event,
                                                  struct tb_verify_when when);
/* Whether the flow event has to be in a slice. */
static inline bool tb_verify_needs_slice(const struct tb_event *event) {
  if (event->has & TB_HAS_FLOWS_DUPLICATED) return false; /* the slice says it */
  return event->type != TB_EVENT_FLOW_END || event->has & TB_HAS_BIND_ENCLOSING;
}
static inline bool tb_verify_has_flow_ids(const struct tb_event *event) {
  return event->flow_count || event->terminating_flow_count || event->bind_id.kind != TB_ID_NONE;
}
void tb_verify_flows_end(struct tb_verifier *v);
void tb_verify_flows_free(struct tb_verifier *v);

/* What slices and flows do in the order of time, those that were sorted. TB_OK, TB_NO_MEMORY or TB_IO. */
TB_MUST_CHECK enum tb_status tb_verify_slices(struct tb_verifier *v);
void tb_verify_slices_free(struct tb_verifier *v);

/* Which finding a reader's loss is. */
enum tb_finding_code tb_finding_of_loss(const struct tb_loss *loss);

#endif
