/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON writer's own state and what its parts (json_writer*.c) give each other.
 */
#ifndef TB_CHROME_JSON_WRITER_WRITER_H
#define TB_CHROME_JSON_WRITER_WRITER_H

#include "base/intern.h"
#include "base/map.h"
#include "chrome_json/writer/flow_sorter.h"
#include "io/spool.h"
#include "json/emitter.h"
#include "model/writer_ops.h"
#include "timeline/deferred_end.h"
#include "timeline/open_stack.h"

/* Times of an event; `has` is of enum tb_event_has. */
struct tb_json_times {
  uint32_t has;
  int64_t ts, dur, thread_ts, thread_dur;
};

/* The slices of a track while some are open. A track takes one when a slice begins, and returns it when none is open
 * any more: there may be a million tracks. */
struct tb_json_slices {
  struct tb_open_stack stack; /* of struct tb_json_open */
  struct tb_json_emit held;   /* texts of the open slices, outermost first: see chrome_json/writer/open_slices.c */
  struct tb_json_emit late;   /* slices that have ended and wait for the end of those around them */
  struct tb_json_emit pending_ends; /* ends that came before their begins, from `pending_ends_at` on */
  size_t pending_ends_at;
  struct tb_deferred_end waiting; /* of the innermost open slice */
};

/* What the writer keeps for a track that is not JSON's own. */
struct tb_json_track {
  struct tb_json_slices *slices; /* tb_json_writer.no_slices where none is open and no end waits */
  int64_t last_ts;
  int64_t begun_at;       /* when the slice began that was written as a B last; INT64_MAX: none was */
  uint64_t names_written; /* hash of the metadata events that were last written */
  /* of tracks that are no threads': see chrome_json/writer/end_names.c */
  int64_t back_to; /* the earliest event that came behind later ones; INT64_MAX: none did */
  union {
    int64_t ended_at; /* the last end that was handed on with a name of ours; INT64_MIN: none was */
    int64_t flow_at;  /* of a thread: the last begin of a flow, or end at the next slice; INT64_MIN: none was */
  };
  uint32_t last_end; /* of tb_json_writer.ends, + 1 */
  bool mixed;        /* since nothing was open, an event came behind later ones */
  bool overflow;     /* a track below a thread's, for slices of the thread that overlap others (docs/MAPPING.md) */
  /* an event of this track, which is no thread's, was deferred: all further ones are, to keep their order */
  bool deferred;
  bool described; /* its name was written where JSON has no place for it */
};

/* The end of a slice that is on no thread, with a name that the trace does not give it. */
struct tb_json_end {
  int64_t ts;
  size_t at; /* of its object in tb_json_writer.out */
  uint32_t track, name_len;
  uint32_t before; /* the track's end before it in tb_json_writer.ends, + 1 */
};

/* A slice that is open. Its text is in tb_json_slices.held from `at` on: name, category, ids, rest, arguments. */
struct tb_json_open {
  struct tb_open_frame open;
  size_t at, category_at, ids_at, rest_at, args_at;
  size_t late_at;                     /* where in tb_json_slices.late those are that wait for it */
  int64_t thread_ts, dur, thread_dur; /* the last two of a begin: an X has those of its end */
  uint32_t has;
  char phase;         /* that its begin has */
  bool begins_with_b; /* with a slice around it that is written as a B */
  uint64_t flow_number;
  int64_t flow_ts, outer_flow_ts; /* of the last flow event of it, and of those around it; INT64_MIN: none */
};

/* The text that tb_json_emit_ids wrote for a track last: it is in each of its events. */
struct tb_json_ids {
  const struct tb_track *track; /* NULL: none */
  int64_t pid, tid;             /* the track's, which may become known late */
  bool has_pid, has_tid;
  uint8_t len;
  char text[61]; /* of two numbers and their keys */
};

enum { TB_JSON_IDS_KEPT = 64, TB_JSON_CLOCK_OFFSETS = 63 };

/* What becomes of `metadata`. */
struct tb_json_metadata {
  struct tb_json_emit members;            /* that come one by one: ,"name":value */
  struct tb_intern names;                 /* of these and of those that the source's own has */
  bool is_whole, is_empty;                /* the source's own is in `top` */
  size_t end;                             /* behind its last brace; 0: it is no object */
  uint32_t clock;                         /* enum tb_clock: of the times, as snapshots say */
  int64_t offsets[TB_JSON_CLOCK_OFFSETS]; /* of the wall clock from it, in the first snapshots */
  size_t offset_count;
  size_t said_at, said_len; /* clock-offset-since-epoch of the source's own, in `top`; said_len 0: there is none */
  int64_t said;             /* the same, in ns */
  const char *said_domain;  /* of the clock that it is of; NULL: one without a name of ours */
};

struct tb_json_writer {
  struct tb_writer *writer;
  bool from_json; /* events are JSON's own: each goes back as it is */
  bool any_event;
  bool async_deferred;     /* an async event with flows was deferred: those after it stay behind it */
  struct tb_json_emit out; /* events that wait for being written */
  struct tb_json_emit scratch;
  struct tb_event bare_end;     /* an end that waited, all other fields 0: clearing one for each takes its time */
  struct tb_json_track *tracks; /* by tb_track.index */
  size_t track_count, track_capacity;
  struct tb_json_slices no_slices;
  struct tb_open_stacks slices; /* of tracks with open slices; where they are full, these are written as B and E */
  struct tb_json_ids ids[TB_JSON_IDS_KEPT]; /* by the lower bits of tb_track.index */
  struct tb_json_end *ends;                 /* in `out` */
  size_t end_count, end_capacity;
  struct tb_json_emit late_flows; /* each its length and its members; see tb_json_hold_flow */
  const struct tb_track *late_flow_track;
  struct tb_intern frame_ids;
  struct tb_str split_part; /* "3" of the third part of a split: its frames are not those of other parts; else empty */
  char split_digits[TB_JSON_INTEGER_MAX];
  uint32_t first_frame; /* behind the numbers of the source's own frames that are called as those that we make */
  struct tb_json_flow_sorter flows;
  uint64_t flow_events; /* events with flows so far */
  /* flows that are known by their id alone: see chrome_json/writer/id_only_flows.c */
  struct tb_json_id_only_flow *id_only;
  size_t id_only_count, id_only_capacity;
  struct tb_map id_only_places; /* (id, 0) -> place in `id_only` */
  struct tb_intern id_only_names;
  struct tb_spool deferred;    /* events that are written last: see chrome_json/writer/flows.c */
  struct tb_json_emit counter; /* a counter event that may get more series: see chrome_json/writer/counters.c */
  size_t counter_name_len;     /* its first bytes: what must be equal for more series to join */
  /* members of the outermost object that are behind the events, each as text without its braces */
  struct tb_spool frames;  /* stackFrames: "id":{…} */
  struct tb_spool samples; /* samples: {…} */
  struct tb_spool system;  /* systemTraceEvents: escaped text */
  bool in_system_line;     /* it ends inside a line */
  struct tb_spool packets; /* of otherData: {"name of the packet":{…}} */
  struct tb_json_emit top; /* any other: ,"key":value */
  struct tb_intern top_names;
  struct tb_intern track_names; /* metadata events `track_name` that the source has, as they were written */
  struct tb_json_metadata metadata;
};

/* Sets the writer's error and returns its code. */
enum tb_status tb_json_fail(struct tb_json_writer *w, enum tb_status status);
void tb_json_lose(struct tb_json_writer *w, const char *reason, const struct tb_event *event);
/* Hands what is in `out` on, once it is much. */
enum tb_status tb_json_flush_some(struct tb_json_writer *w);

/* Text of the kernel's trace file goes to systemTraceEvents. (chrome_json/writer/system_trace.c) */
TB_MUST_CHECK enum tb_status tb_json_put_system(struct tb_json_writer *w, const struct tb_event *event);

/* ---- members of the outermost object (chrome_json/writer/trace_members.c) ---------------------------------------- */

TB_MUST_CHECK enum tb_status tb_json_put_trace_member(struct tb_json_writer *w, const struct tb_event *event);
void tb_json_note_clocks(struct tb_json_writer *w, const struct tb_event *snapshot);
/* Writes the recorder's packets to the output. */
TB_MUST_CHECK enum tb_status tb_json_write_packets(struct tb_json_writer *w);
/* Writes all others to `out`. */
void tb_json_write_trace_members(struct tb_json_writer *w);

/* ---- events (chrome_json/writer/event_fields.c) ------------------------------------------------------------------ */

#define TB_JSON_MEMBER(emit, name) TB_JSON_EMIT((emit), ",\"" name "\":")

/* The parts of an event's object, each member with its comma before. `tail` is all that is neither name, category,
 * phase, time nor argument: the ids of process and thread, the scope, the event's own id, and the rest. */
void tb_json_emit_head(struct tb_json_emit *emit, const struct tb_event *event);
void tb_json_emit_name(struct tb_json_emit *emit, const struct tb_event *event);
void tb_json_emit_category(struct tb_json_emit *emit, const struct tb_event *event);
void tb_json_emit_phase(struct tb_json_emit *emit, char phase);
void tb_json_emit_times(struct tb_json_emit *emit, const struct tb_event *event);
/* The same of times that are no one event's. */
void tb_json_emit_some_times(struct tb_json_emit *emit, const struct tb_json_times *times);
void tb_json_emit_tail(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event);
void tb_json_emit_scope(struct tb_json_emit *emit, char scope);
void tb_json_emit_rest(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event);
/* Do the extra members hold the event's args, as its source had them? Then they are what tb_json_emit_args writes. */
bool tb_json_has_own_args(const struct tb_event *event);
void tb_json_emit_args(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event);

/* `,"pid":…,"tid":…` as far as the source names them. */
void tb_json_emit_ids(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_track *track);
/* The same of an event: those that its further members do not say in another way. */
void tb_json_emit_ids_of(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event);
/* Whether an event names a process, be it by a further member. */
bool tb_json_names_process(const struct tb_event *event);
/* `,"id":…` or `,"id2":{…}`, and the scope. */
void tb_json_emit_id(struct tb_json_emit *emit, const struct tb_event *event);
/* A number where the text is a small one, else a string. */
void tb_json_emit_reference(struct tb_json_emit *emit, struct tb_str text);

/* Starts an object in `out`, with the comma that parts it from the one before; the first member's comma becomes the
 * brace when it ends. */
size_t tb_json_object_begin(struct tb_json_writer *w);
/* Where the next call will begin one. */
size_t tb_json_next_object(const struct tb_json_writer *w);
/* `flow_number` as from tb_json_keep_flows: where it has flows it is deferred. */
void tb_json_object_end(struct tb_json_writer *w, size_t start, uint64_t flow_number);
/* Removes the object that began at `start` from the output. */
void tb_json_object_cancel(struct tb_json_writer *w, size_t start);

/* The event as it is, as one object, deferred if it has flows. `phase` 0: phase_text. */
void tb_json_put_whole(struct tb_json_writer *w, const struct tb_event *event, char phase);
/* The same, but always deferred: of two events of one time, readers see the one first that is written first. */
void tb_json_defer_whole(struct tb_json_writer *w, const struct tb_event *event, char phase);
/* Appends the event, which has no flows, to what is held; and writes all that is. */
void tb_json_hold_whole(struct tb_json_writer *w, const struct tb_event *event, char phase, struct tb_json_emit *to);
void tb_json_write_held(struct tb_json_writer *w, struct tb_json_emit *from);

/* ---- stacks (chrome_json/writer/callstacks.c) -------------------------------------------------------------------- */

enum tb_status tb_json_put_stack_frame(struct tb_json_writer *w, const struct tb_event *event);
void tb_json_emit_stacks(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event);

/* ---- slices and instants of tracks (chrome_json/writer/open_slices.c, _slices.c, _elsewhere.c) ------------------- */

/* The state of a track that has none yet, NULL when memory is exhausted. */
struct tb_json_track *tb_json_add_track(struct tb_json_writer *w, const struct tb_track *track);
/* The state of a track, NULL when memory is exhausted. */
static inline struct tb_json_track *tb_json_track_state(struct tb_json_writer *w, const struct tb_track *track) {
  return track->index < w->track_count ? &w->tracks[track->index] : tb_json_add_track(w, track);
}
/* Failures are in the writer's error. */
void tb_json_put_begin(struct tb_json_writer *w, const struct tb_event *event);
void tb_json_put_end(struct tb_json_writer *w, const struct tb_event *event);
void tb_json_put_instant(struct tb_json_writer *w, const struct tb_event *event);
/* Writes slices, where those that are open take more than memory is for. */
void tb_json_make_room(struct tb_json_writer *w);
/* Writes all slices that are still open. */
void tb_json_close_tracks(struct tb_json_writer *w);
/* Holds an event that begins a flow where the innermost slice of its thread begins: readers take a slice without a
 * duration for the flow's only where it is in front of that in the file, and it is written at its end. False where it
 * is not to be held. tb_json_settle_flows, before any further event of any track, writes what need not wait longer. */
bool tb_json_hold_flow(struct tb_json_writer *w, const struct tb_event *event, char phase);
void tb_json_settle_flows(struct tb_json_writer *w, const struct tb_event *event);
void tb_json_write_late_flows(struct tb_json_writer *w);
/* To be called before a flow event, which joins the slice that is open: an end that is kept back is written first. */
void tb_json_end_before_flow(struct tb_json_writer *w, const struct tb_event *event);
/* Notes a flow event of the slice that is open, which it may be far behind. */
void tb_json_note_flow(struct tb_json_writer *w, const struct tb_event *event);
void tb_json_free_tracks(struct tb_json_writer *w);

/* Forgets the ends that are in `out`, which is handed on. (chrome_json/writer/end_names.c) */
void tb_json_forget_end_names(struct tb_json_writer *w);

/* ---- tracks (chrome_json/writer/track_metadata.c) ---------------------------------------------------------------- */

/* Metadata events for what a track says of itself, where it is new. */
void tb_json_put_track(struct tb_json_writer *w, const struct tb_track *track);
/* The same for a track that JSON knows by an id only, after those above it. States of tracks may move. */
void tb_json_describe(struct tb_json_writer *w, const struct tb_track *track);
/* Begins the metadata event `track_name` up to the name of the track in its `args`; gives where, for the end. */
size_t tb_json_begin_track_name(struct tb_json_writer *w, const struct tb_track *track);
/* Ends it behind its `args`, and leaves it out where the source has the same as an event of its own, as a trace has
 * that was JSON before. */
void tb_json_end_track_name(struct tb_json_writer *w, size_t start);
/* Writes such an event of the source's. */
void tb_json_put_track_name(struct tb_json_writer *w, const struct tb_event *event);
/* `,"id2":{"local":…}` (or a plain id, where it belongs to no process) for what happens on a track without an id of its
 * own. `has_process`: the object names one otherwise. */
void tb_json_emit_track_id(struct tb_json_emit *emit, const struct tb_track *track, bool has_process);

/* ---- counters (chrome_json/writer/counters.c) -------------------------------------------------------------------- */

enum tb_status tb_json_put_counter(struct tb_json_writer *w, const struct tb_event *event);
void tb_json_flush_counter(struct tb_json_writer *w);

/* ---- flows (chrome_json/writer/flows.c) -------------------------------------------------------------------------- */

/* Whether an event carries flow ids that no flow events repeat. */
bool tb_json_has_flows(const struct tb_event *event);
/* Keeps the flows of a slice or instant, to be written when all are known. Returns the event's number among those with
 * flows, 0 where it has none. */
uint64_t tb_json_keep_flows(struct tb_json_writer *w, const struct tb_event *event);
/* The same of a slice's end, for the slice that began at `begin` and has `number` (0: none so far). Returns its
 * number. */
uint64_t tb_json_keep_end_flows(struct tb_json_writer *w, const struct tb_event *end, int64_t begin, uint64_t number);
/* Ends the object that began at `start` of `out` and defers it to the end of the trace. `number` as from
 * tb_json_keep_flows. */
void tb_json_defer_object(struct tb_json_writer *w, size_t start, uint64_t number);
/* The same of an end whose name is not certain: it goes out without where an earlier event of its track follows. */
void tb_json_defer_end(struct tb_json_writer *w, const struct tb_json_end *end);
enum tb_status tb_json_write_flows(struct tb_json_writer *w);

/* ---- flows of FXT (chrome_json/writer/id_only_flows.c) ----------------------------------------------------------- */

/* Gives an event of a flow that is known by its id alone the id, name and categories by which readers of JSON know
 * the flow. */
void tb_json_name_id_only_flow(struct tb_json_writer *w, struct tb_event *event);
void tb_json_free_id_only_flows(struct tb_json_writer *w);

#endif
