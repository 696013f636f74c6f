/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the Perfetto writer share. Events are encoded and put on queues as they come (perfetto/writer/writer.c); when all are
 * there, the queues are read in the order of time and written as packet sequences (perfetto/writer/sequence.c). A thread has a sequence of its
 * own; what happens elsewhere (async slices, counters, processes, the trace itself) stands on one shared sequence.
 */
#ifndef TB_PERFETTO_WRITER_WRITER_H
#define TB_PERFETTO_WRITER_WRITER_H

#include "base/map.h"
#include "io/block_cache.h"
#include "model/writer_ops.h"
#include "perfetto/writer/encode/callstacks.h"
#include "perfetto/writer/encode/packet_sink.h"
#include "perfetto/writer/encode/track_event_encoder.h"
#include "perfetto/writer/staged/end_ordered_sequence.h"
#include "perfetto/writer/staged/streamed_sequence.h"
#include "timeline/flow_binder.h"
#include "timeline/sort_queue.h"

/* Index of the shared sequence; threads' sequences follow. Their ids in packets begin behind that of the descriptors' sequence. */
enum { TB_SHARED_SEQUENCE = 0, TB_FIRST_SEQUENCE_ID = 2 };

struct tb_writer_sequence {
  struct tb_streamed_sequence streamed; /* its events, until one comes that is not straight */
  struct tb_end_ordered_sequence
      end_ordered; /* then they all are here, until one comes that does not fit: then they are on the queue */
  struct tb_sort_queue queue;
  struct tb_interned_uses uses;
  struct tb_flow_binder binder;
  struct tb_track_state *track; /* the thread; NULL for the shared sequence */
  bool has_thread_times;
  bool thread_times_in_us; /* every thread time so far is a whole number of microseconds */
  bool lossy;              /* the source says that events of it were lost */
};

/* What is known of a reader's track, by its index. */
struct tb_track_state {
  const struct tb_track *track;        /* NULL: not met yet */
  struct tb_writer_sequence *sequence; /* of a thread, once it has events */
  struct tb_str name;                  /* copies */
  struct tb_str labels;                /* comma list */
  bool has_sort_index;
  int64_t sort_index;
  uint64_t uuid;
  uint32_t key; /* of its own events on the shared sequence, 0: none yet */
};

enum tb_track_group_class {
  TB_GROUP_TRACK,        /* a track of the source, as it is */
  TB_GROUP_SIDE,         /* a track beside its home, for what would disturb it */
  TB_GROUP_SAMPLES,      /* the same, for samples */
  TB_GROUP_ASYNC,        /* b n e */
  TB_GROUP_LEGACY_ASYNC, /* S T p F */
  TB_GROUP_OBJECT,       /* N O D */
  TB_GROUP_CONTEXT,      /* ( ) */
  TB_GROUP_COUNTER,
  TB_GROUP_COUNTER_NAME, /* what a counter's series have in common; of no entry */
  TB_GROUP_KERNEL,       /* scheduling: its entries are COUNTERs, see perfetto/writer/sched_events.c */
  TB_GROUP_STATE,        /* states of JSON's threads: COUNTERs too, see perfetto/writer/sched_events.c */
  TB_GROUP_MEMORY /* one memory dump: its entries are COUNTERs whose body perfetto/writer/memory_dumps.h tells of */
};

/* One group of tracks on the shared sequence: an async id, an object, a counter's series, … */
struct tb_track_group {
  uint8_t class;               /* enum tb_track_group_class */
  bool shared;                 /* several processes use it */
  const struct tb_track *home; /* the track that its tracks stand below; NULL: the trace */
  uint32_t alias;              /* another key that it is one with, 0: none */
  int64_t last_begin_ts;       /* to tell an END at its BEGIN's time; of class MEMORY when it was */
  uint32_t begins_at_ts;
  uint32_t counter;              /* of class COUNTER: index of what is known of it, 0: nothing yet */
  const struct tb_track *thread; /* of class COUNTER_NAME: that emitted its first sample, NULL: none */
};

struct tb_counter {
  const struct tb_track *home;
  struct tb_str name, description, unit_name;
  enum tb_unit unit;
  uint64_t uuid;
  bool has_int, has_double, incremental;
  int64_t last_value;
  uint64_t absolute_bytes, delta_bytes;
};

/* Lanes that keys of one home and name share. */
struct tb_lane_group {
  uint8_t class;
  const struct tb_track *home;
  struct tb_str name;
};

struct tb_attribute {
  struct tb_str key, text;
  bool leads; /* goes before those that do not */
};

/* What tells flows apart. */
enum tb_flow_kind {
  TB_FLOW_BOUND,  /* a bind_id alone */
  TB_FLOW_NAMED,  /* id, categories and name: JSON's flow events */
  TB_FLOW_ID_ONLY /* the id alone: FXT's */
};

struct tb_known_flow {
  uint32_t label; /* of FXT's: categories and name of its first event */
  uint8_t has;    /* TB_HAS_NAME and TB_HAS_CATEGORIES of its first event */
  uint8_t kind;   /* enum tb_flow_kind */
};

/* What JSON or FXT says of a flow that joins slices, beside the slice: a flow event, or the slice's bind_id. */
struct tb_source_flow {
  uint64_t place;
  uint64_t number; /* the id that the flow would like to keep; of FXT's flows the one that the slice has */
  uint64_t order;
  int64_t delay; /* from the slice's begin to the event */
  uint32_t queue, flow;
  uint8_t step; /* enum tb_flow_step of the event */
  bool is_event;
};

struct tb_perfetto_writer {
  struct tb_writer *writer;
  const struct tb_allocator *allocator;
  struct tb_block_cache blocks; /* what chunks are made of */
  struct tb_interned interned;
  struct tb_event_encoder encoder;
  struct tb_callstacks stacks;
  struct tb_writer_sequence **sequences;
  uint32_t
      shared; /* the shared sequence that takes what stands beside tracks: a second one for what is known at the end only */
  size_t sequence_count, sequence_capacity;
  struct tb_track_state *tracks;
  size_t track_count, track_capacity;
  struct tb_arena arena; /* names, attributes */
  struct tb_intern group_texts;
  struct tb_track_group *groups; /* by key id; keys[0] is not used */
  size_t group_count, group_capacity;
  struct tb_counter *counters; /* counters[0] is not used */
  size_t counter_count, counter_capacity;
  struct tb_intern lane_group_texts;
  struct tb_lane_group *lane_groups; /* by pool id; pools[0] is not used */
  size_t lane_group_count, lane_group_capacity;
  struct tb_intern flow_texts;
  uint64_t *flow_numbers; /* by flow: the id that it would like to keep */
  size_t flow_capacity;
  size_t flow_count;                 /* of both arrays; 0 is not used */
  struct tb_known_flow *flows_known; /* by flow */
  size_t flows_known_capacity;
  struct tb_intern flow_names; /* of flows that are known by their ids alone */
  bool has_id_only_flows;      /* there are any */
  struct tb_attribute *attributes;
  size_t attribute_count, attribute_capacity;
  struct tb_clock_reading *clocks; /* of CLOCK_SNAPSHOT events, in rows of clock_row[i] readings */
  size_t clock_count, clock_capacity;
  uint32_t *clock_rows;
  size_t clock_row_count, clock_row_capacity;
  struct tb_spill_log system_trace; /* ftrace text; a line is in one chunk */
  struct tb_buffer system_line;     /* the start of one that is not whole */
  bool system_is_old;               /* it has states that only older kernels print */
  struct tb_buffer packets;         /* serialised packets of the source */
  struct tb_buffer lossy_providers; /* uint32_t: FXT's providers whose buffers filled up */
  struct tb_buffer scratch;         /* key texts, JSON text */
  struct tb_spill_file *spill;
  size_t budget;             /* bytes to hold before queues spill */
  size_t in_logs, in_queues; /* bytes that all sequences hold; system_trace too */
  size_t unchecked;          /* bytes that came since the budget was looked at */
  size_t held_budget;        /* bytes to hold before logs spill, which costs less */
  struct tb_str instant;     /* the fields that say of a slice that it is an instant; empty until one is met */
  char instant_fields[TB_CARRIED_PHASE_MAX];
  uint64_t order; /* number of the event */
  struct tb_flows flows;
  struct tb_map
      full_flow_events; /* by order: a struct tb_event in the arena, of flow events that say more than what a flow is known by */
  struct tb_source_flow *source_flows; /* by queue and place, once all is chained */
  size_t source_flow_count, source_flow_capacity;
  struct tb_map main_threads;  /* by pid: 1 where the process has a thread whose tid that is */
  struct tb_map thread_states; /* by tid: the state that was written last */
  struct tb_map dying_threads; /* by tid: 1 where the last state of scheduling was that */
  struct tb_packet_sink sink;
  uint64_t entries, entries_written; /* on all sequences, once all are there; of those sequences that are written */
  uint64_t next_uuid;
  uint32_t trace_clock;
};

/* The track's state, made when it is met for the first time. NULL without memory. */
struct tb_track_state *tb_perfetto_track_state(struct tb_perfetto_writer *p, const struct tb_track *track);

struct tb_writer_sequence *tb_perfetto_new_thread_sequence(struct tb_perfetto_writer *p, const struct tb_track *track);

/* The sequence of a thread that has had events, else NULL. */
static inline struct tb_writer_sequence *tb_perfetto_known_sequence(const struct tb_perfetto_writer *p,
                                                                    const struct tb_track *track) {
  return track->index < p->track_count ? p->tracks[track->index].sequence : NULL;
}

/* The sequence of a thread's track, made when it is met for the first time. NULL without memory. */
static inline struct tb_writer_sequence *tb_perfetto_thread_sequence(struct tb_perfetto_writer *p,
                                                                     const struct tb_track *track) {
  struct tb_writer_sequence *sequence = tb_perfetto_known_sequence(p, track);
  return sequence ? sequence : tb_perfetto_new_thread_sequence(p, track);
}

/* Gives an entry its event's thread times, and notes what they are like. */
static inline void tb_perfetto_set_thread_times(struct tb_writer_sequence *sequence, const struct tb_event *event,
                                                struct tb_staged_event *entry) {
  if (!(event->has & TB_HAS_THREAD_TS)) return;
  sequence->has_thread_times = true;
  entry->has_thread_ts = true;
  entry->thread_ts = event->thread_ts;
  if (event->thread_ts % 1000) sequence->thread_times_in_us = false;
  if (!(event->has & TB_HAS_THREAD_DUR)) return;
  entry->has_thread_dur = true;
  entry->thread_dur = event->thread_dur;
  if (event->thread_dur % 1000) sequence->thread_times_in_us = false;
}

/* Adds a shared sequence, which takes from now on what stands beside tracks. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_perfetto_add_shared(struct tb_perfetto_writer *p);

/* Whether the order of flow events is their byte offset, which grows from event to event; else it is their number. */
static inline bool tb_perfetto_orders_by_offset(const struct tb_perfetto_writer *p) {
  return p->writer->source.offsets_grow;
}

/* ---- perfetto/writer/staging.c: the events while they are held --------------------------------------------------- */

/* Adds an entry to a sequence: to its packets while it comes straight, else to its queue; binds its flows while they come in order. */
TB_MUST_CHECK enum tb_status tb_perfetto_add_entry(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence,
                                                   struct tb_staged_event *entry);
/* Replays sequence->end_ordered into the sort queue. */
TB_MUST_CHECK enum tb_status tb_perfetto_replay_end_ordered(struct tb_perfetto_writer *p,
                                                            struct tb_writer_sequence *sequence);
/* Sets the memory budget: `wanted` bytes; 0: 64 MiB before what needs no sorting spills, half of the machine's memory before queues
 * spill. */
void tb_perfetto_set_budget(struct tb_perfetto_writer *p, size_t wanted);
/* Sees to the memory budget every now and then. */
TB_MUST_CHECK enum tb_status tb_perfetto_keep_budget(struct tb_perfetto_writer *p);
/* Spills a log that has grown past its share of the budget. */
TB_MUST_CHECK enum tb_status tb_perfetto_make_room(struct tb_perfetto_writer *p, struct tb_spill_log *chunks);
/* Notes how much is held. */
void tb_perfetto_note_held(struct tb_perfetto_writer *p);
/* Puts into the summary how much went to the temporary file so far. */
void tb_perfetto_note_spilled(struct tb_perfetto_writer *p);

/* slice_fast_path.c: a slice on its thread's sequence that has no more than a name, categories and arguments. *taken is
 * false, and nothing done, for others. */
TB_MUST_CHECK enum tb_status tb_perfetto_put_plain_slice(struct tb_perfetto_writer *p, const struct tb_event *event,
                                                         bool *taken);

/* ---- events by where they go: TB_OK, TB_NO_MEMORY or TB_LIMIT --------------------------------------------------- */

/* Appends the field of a callstack, where there is one, to the fields of an event of that sequence. */
TB_MUST_CHECK enum tb_status tb_perfetto_append_stack(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence,
                                                      const struct tb_stack *stack, struct tb_buffer *body);
TB_MUST_CHECK enum tb_status tb_perfetto_put_on_thread(struct tb_perfetto_writer *p, const struct tb_event *event);
/* On a process' own track, the global one, or a track of the source that is none of a thread. */
TB_MUST_CHECK enum tb_status tb_perfetto_put_on_track(struct tb_perfetto_writer *p, const struct tb_event *event);
TB_MUST_CHECK enum tb_status tb_perfetto_put_async(struct tb_perfetto_writer *p, const struct tb_event *event,
                                                   enum tb_staged_kind kind, enum tb_track_group_class class);
/* Beside its track, with everything carried: what the trace processor knows nothing of, and must not nest. */
TB_MUST_CHECK enum tb_status tb_perfetto_put_deferred_side(struct tb_perfetto_writer *p, const struct tb_event *event,
                                                           enum tb_track_group_class class);
TB_MUST_CHECK enum tb_status tb_perfetto_put_flow(struct tb_perfetto_writer *p, const struct tb_event *event);
/* perfetto/writer/unbound_flows.c: keeps the flow event of that order whole, where it says more than phase, name, categories, id, time and place. */
TB_MUST_CHECK enum tb_status tb_perfetto_keep_full_flow_event(struct tb_perfetto_writer *p,
                                                              struct tb_writer_sequence *sequence,
                                                              const struct tb_event *event, uint32_t flow,
                                                              uint64_t order);
/* That event; NULL where there is none. */
struct tb_event *tb_perfetto_full_flow_event(const struct tb_perfetto_writer *p, uint64_t order);
/* Once flows are chained, puts down what of them joins nothing, and gathers what is told of the others. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_unbound_flows(struct tb_perfetto_writer *p);
TB_MUST_CHECK enum tb_status tb_perfetto_put_counter(struct tb_perfetto_writer *p, const struct tb_event *event);
TB_MUST_CHECK enum tb_status tb_perfetto_put_metadata(struct tb_perfetto_writer *p, const struct tb_event *event);
TB_MUST_CHECK enum tb_status tb_perfetto_put_trace_metadata(struct tb_perfetto_writer *p, const struct tb_event *event);
/* perfetto/writer/ftrace_bundles.c: collects ftrace text; writes it, and the events that it tells of. */
TB_MUST_CHECK enum tb_status tb_perfetto_put_system_trace(struct tb_perfetto_writer *p, const struct tb_event *event);
bool tb_perfetto_has_ftrace(const struct tb_perfetto_writer *p);
TB_MUST_CHECK enum tb_status tb_perfetto_write_ftrace(struct tb_perfetto_writer *p, uint32_t sequence_id);
TB_MUST_CHECK enum tb_status tb_perfetto_put_clocks(struct tb_perfetto_writer *p, const struct tb_event *event);
TB_MUST_CHECK enum tb_status tb_perfetto_put_track(struct tb_perfetto_writer *p, const struct tb_track *track);
TB_MUST_CHECK enum tb_status tb_perfetto_put_thread_state(struct tb_perfetto_writer *p, const struct tb_event *event);
TB_MUST_CHECK enum tb_status tb_perfetto_put_memory_dump(struct tb_perfetto_writer *p, const struct tb_event *event);
TB_MUST_CHECK enum tb_status tb_perfetto_put_data_loss(struct tb_perfetto_writer *p, const struct tb_event *event);
TB_MUST_CHECK enum tb_status tb_perfetto_put_blob(struct tb_perfetto_writer *p, const struct tb_event *event);
/* perfetto/writer/fxt_passthrough.c: marks the sequences of providers that lost events; writes the packet that says so of a sequence, its last. */
void tb_perfetto_mark_lossy(struct tb_perfetto_writer *p);
TB_MUST_CHECK enum tb_status tb_perfetto_write_loss(struct tb_perfetto_writer *p, uint32_t sequence_id);
/* Keeps whole packets of the source; they are written with sequence ids of their own after all others. */
TB_MUST_CHECK enum tb_status tb_perfetto_put_packets(struct tb_perfetto_writer *p, const struct tb_event *event);
TB_MUST_CHECK enum tb_status tb_perfetto_write_packets(struct tb_perfetto_writer *p, uint32_t first_sequence_id);

/* ---- perfetto/writer/flow_registry.c ----------------------------------------------------------------------------- */

/* The flow of an event that has the id. 0 without memory; flows count from 1. */
uint32_t tb_perfetto_flow(struct tb_perfetto_writer *p, const struct tb_event *event, const struct tb_id *id,
                          enum tb_flow_kind kind);
/* What a flow is known by, and where that is the id alone how its first event was called. */
enum tb_flow_kind tb_perfetto_read_flow(const struct tb_perfetto_writer *p, uint32_t flow, struct tb_str *categories,
                                        struct tb_str *name, struct tb_id *id);

/* ---- perfetto/writer/track_groups.c ------------------------------------------------------------------------------ */

/* The key of an event on the shared sequence, 0 without memory. */
uint32_t tb_perfetto_async_group(struct tb_perfetto_writer *p, const struct tb_event *event,
                                 enum tb_track_group_class class);
uint32_t tb_perfetto_track_group(struct tb_perfetto_writer *p, const struct tb_track *track,
                                 enum tb_track_group_class class);
/* The key of the series `series` of a counter event; `number` is its place in the event. */
uint32_t tb_perfetto_counter_group(struct tb_perfetto_writer *p, const struct tb_event *event, struct tb_str series);
/* Sets *thread to the thread that emitted the counter's first sample, NULL for none. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_perfetto_counter_thread(struct tb_perfetto_writer *p, const struct tb_event *event,
                                                        const struct tb_track **thread);
/* The key of a memory dump. */
uint32_t tb_perfetto_memory_group(struct tb_perfetto_writer *p, const struct tb_event *event);
/* Notes that two ids are one. */
enum tb_status tb_perfetto_link_ids(struct tb_perfetto_writer *p, const struct tb_event *event);
/* The key that stands for `key` after all links. */
uint32_t tb_perfetto_resolve_group(const struct tb_perfetto_writer *p, uint32_t key);
/* The pool of a key for a tree that starts with a slice called `name`; 0 without memory. */
uint32_t tb_perfetto_lane_group(struct tb_perfetto_writer *p, uint32_t key, struct tb_str name);

/* ---- perfetto/writer/descriptor_packets.c ------------------------------------------------------------------------ */

/* Writes the descriptors of all tracks that have a state, the trace's attributes and clocks. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_preamble(struct tb_perfetto_writer *p);
/* Writes the descriptor of a track without a process or thread of its own. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_lane(struct tb_perfetto_writer *p, uint64_t uuid,
                                                    const struct tb_track *home, struct tb_str name);
TB_MUST_CHECK enum tb_status tb_perfetto_write_counter_track(struct tb_perfetto_writer *p,
                                                             const struct tb_counter *counter);
TB_MUST_CHECK enum tb_status tb_perfetto_write_thread_time_track(struct tb_perfetto_writer *p, uint64_t uuid,
                                                                 uint64_t parent, bool in_us);
/* Writes the first packet of a sequence: cleared state, defaults, its clock that starts at `ts`. uuids of 0 are left out. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_sequence_start(struct tb_perfetto_writer *p, uint32_t sequence_id,
                                                              int64_t ts, uint64_t track_uuid, uint64_t counter_uuid);

/* ---- perfetto/writer/interned_data_packets.c --------------------------------------------------------------------- */

/* Writes the entries of `uses` from written[kind] on, and moves written[]. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_interned(struct tb_perfetto_writer *p, uint32_t sequence_id,
                                                        const struct tb_interned_uses *uses,
                                                        size_t written[TB_INTERNED_KINDS]);

/* Tells the user how far the writing is, `entries` of the sequence in hand being written. TB_OK or TB_CANCELLED. */
TB_MUST_CHECK enum tb_status tb_perfetto_report_progress(struct tb_perfetto_writer *p, uint64_t entries);

/* ---- perfetto/writer/sequence.c ---------------------------------------------------------------------------------- */

/* Writes one sequence's packets in the order of time. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_sequence(struct tb_perfetto_writer *p, uint32_t index);

#endif
