/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of the Perfetto writer. Events are encoded and staged as they come (perfetto/writer/writer.c); when all are
 * there, the queues are read in time order and written as packet sequences (perfetto/writer/sequence.c). A thread has a
 * sequence of its own; what happens elsewhere (async slices, counters, processes, the trace itself) is on one shared
 * sequence, V8's CPU profiles on another. Each machine has such a state of its own, and all write to one output, each
 * packet with the id of its machine. Each part of the state is a struct of the header of its file, as its functions
 * are.
 */
#ifndef TB_PERFETTO_WRITER_WRITER_H
#define TB_PERFETTO_WRITER_WRITER_H

#include "base/map.h"
#include "model/writer_ops.h"
#include "perfetto/writer/counters.h"
#include "perfetto/writer/encode/callstacks.h"
#include "perfetto/writer/encode/packet_sink.h"
#include "perfetto/writer/encode/track_event_encoder.h"
#include "perfetto/writer/flow_registry.h"
#include "perfetto/writer/ftrace_bundles.h"
#include "perfetto/writer/fxt_passthrough.h"
#include "perfetto/writer/sched_events.h"
#include "perfetto/writer/staged/end_ordered_sequence.h"
#include "perfetto/writer/staged/streamed_sequence.h"
#include "perfetto/writer/staging.h"
#include "perfetto/writer/trace_metadata.h"
#include "perfetto/writer/track_groups.h"
#include "timeline/flow_binder.h"
#include "timeline/sort_queue.h"

/* Index of the shared sequence; threads' sequences follow. Their ids in packets begin behind that of the
 * descriptors' sequence. */
enum { TB_SHARED_SEQUENCE = 0, TB_FIRST_SEQUENCE_ID = 2 };

struct tb_writer_sequence {
  struct tb_stager stager; /* its events */
  struct tb_perfetto_writer *p;
  uint32_t index; /* among the sequences */
  struct tb_interned_uses *uses;
  struct tb_flow_binder binder;
  struct tb_track_state *track; /* the thread; NULL for the shared sequence */
  bool has_thread_times;
  bool thread_times_in_us; /* every thread time so far is a whole number of microseconds */
  bool lossy;              /* the source says that events of it were lost */
  /* it stands for all threads of tb_form_grouped: `index`, `track_index` and `has_thread_times` are those of the thread
   * that was asked for last */
  bool is_grouped;
  uint32_t track_index;
};

/* What is known of a reader's track, by its index; there may be a million. */
struct tb_track_state {
  const struct tb_track *track;        /* NULL: not met yet */
  struct tb_writer_sequence *sequence; /* of a thread, once it has events */
  struct tb_str name;                  /* a copy */
  const struct tb_str *labels;         /* a comma list, a copy; NULL: none */
  uint64_t uuid;
  uint32_t sequence_index; /* of that thread among the sequences */
  uint32_t key;            /* of its own events on the shared sequence, 0: none yet */
  int32_t sort_index;
  /* of a thread that is grouped: its entries concern flows, have thread times; the source lost some */
  bool has_flows : 1, has_thread_times : 1, lossy : 1;
  bool has_sort_index : 1;
  bool is_created : 1;      /* a state says that it begins there: its descriptor comes behind it */
  bool is_used : 1;         /* of no process: something other than a state of the thread names it */
  bool has_state : 1;       /* a state says the thread, and its name as it is now */
  bool has_empty_name : 1;  /* it is in tb_writer_metadata.empty_names */
  uint8_t said_by_metadata; /* enum tb_track_said: a metadata event that is kept whole says it */
};

/* The tracks of the source that were met. */
struct tb_writer_tracks {
  struct tb_track_state *items; /* by index of the track */
  size_t count, capacity;
  struct tb_map main_threads; /* by pid: 1 where the process has a thread whose tid that is */
};

struct tb_perfetto_writer {
  struct tb_writer *writer;
  uint32_t machine;                /* the events are of it, and its id is in the packets; 0: the one that recorded */
  struct tb_perfetto_writer *next; /* of another machine, in the order in which they were met; NULL: no more */
  const struct tb_allocator *allocator;
  struct tb_writer_staging staging;
  struct tb_interned interned;
  struct tb_event_encoder encoder;
  struct tb_callstacks stacks;
  struct tb_writer_sequence **sequences; /* NULL: of a thread that is grouped */
  /* The shared sequence, for what is on no thread's track; a second one for what is known only at the end. */
  uint32_t shared;
  uint32_t profiles; /* the sequence of V8's CPU profiles; 0: none yet */
  size_t sequence_count, sequence_capacity;
  struct tb_writer_tracks tracks;
  struct tb_arena arena; /* names, attributes */
  struct tb_writer_groups groups;
  struct tb_writer_counters counters;
  struct tb_writer_flows flow_registry;
  struct tb_flows flows; /* how they join slices */
  struct tb_writer_metadata metadata;
  struct tb_ftrace_text ftrace;
  struct tb_writer_passthrough passthrough;
  struct tb_writer_sched sched;
  struct tb_buffer scratch; /* key texts, JSON text */
  struct tb_str instant;    /* the fields that say of a slice that it is an instant; empty until one is met */
  char instant_fields[TB_CARRIED_LATE_MAX];
  uint64_t order; /* number of the event */
  struct tb_packet_sink sink;
  uint64_t entries, entries_written; /* on all sequences, once all are there; of those sequences that are written */
  uint64_t next_uuid;
  uint32_t trace_clock;
};

/* A sequence that is none of the writer's yet. NULL without memory. */
struct tb_writer_sequence *tb_perfetto_make_sequence(struct tb_perfetto_writer *p, const struct tb_stager_form *form,
                                                     uint32_t index);
/* NULL is ignored. */
void tb_perfetto_free_sequence(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence);

/* The track's state, made when it is met for the first time. NULL without memory. */
struct tb_track_state *tb_perfetto_track_state(struct tb_perfetto_writer *p, const struct tb_track *track);

struct tb_writer_sequence *tb_perfetto_new_thread_sequence(struct tb_perfetto_writer *p, const struct tb_track *track);

/* The sequence of a thread that has had events, else NULL. That of threads that are grouped stands for this thread
 * until the next call. */
static inline struct tb_writer_sequence *tb_perfetto_known_sequence(const struct tb_perfetto_writer *p,
                                                                    const struct tb_track *track) {
  if (track->index >= p->tracks.count) return NULL;
  const struct tb_track_state *state = &p->tracks.items[track->index];
  struct tb_writer_sequence *sequence = state->sequence;
  if (!sequence || !sequence->is_grouped) return sequence;
  sequence->index = state->sequence_index;
  sequence->track_index = track->index;
  sequence->has_thread_times = state->has_thread_times;
  return sequence;
}

/* The sequence of a thread's track, made when it is met for the first time. NULL without memory. */
static inline struct tb_writer_sequence *tb_perfetto_thread_sequence(struct tb_perfetto_writer *p,
                                                                     const struct tb_track *track) {
  struct tb_writer_sequence *sequence = tb_perfetto_known_sequence(p, track);
  return sequence ? sequence : tb_perfetto_new_thread_sequence(p, track);
}

/* Notes what the thread times of an entry are like. */
static inline void tb_perfetto_note_thread_times(struct tb_writer_sequence *sequence,
                                                 const struct tb_staged_event *entry) {
  if (!entry->has_thread_ts) return;
  sequence->has_thread_times = true;
  if (entry->thread_ts % 1000) sequence->thread_times_in_us = false;
  if (entry->has_thread_dur && entry->thread_dur % 1000) sequence->thread_times_in_us = false;
}

/* Gives an entry its event's thread times, of which there are some, and notes what they are like. */
static inline void tb_perfetto_set_thread_times(struct tb_writer_sequence *sequence, const struct tb_event *event,
                                                struct tb_staged_event *entry) {
  entry->has_thread_ts = true;
  entry->thread_ts = event->thread_ts;
  entry->has_thread_dur = event->has & TB_HAS_THREAD_DUR;
  if (entry->has_thread_dur) entry->thread_dur = event->thread_dur;
  tb_perfetto_note_thread_times(sequence, entry);
}

/* The sequence of events of V8's CPU profiles, made when it is needed for the first time. NULL without memory. */
struct tb_writer_sequence *tb_perfetto_profile_sequence(struct tb_perfetto_writer *p);

/* Adds a shared sequence, which from now on gets what is on no thread's track. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_perfetto_add_shared(struct tb_perfetto_writer *p);

/* Whether the order of flow events is their byte offset, which grows from event to event; else it is their number. */
static inline bool tb_perfetto_orders_by_offset(const struct tb_perfetto_writer *p) {
  return p->writer->source.offsets_grow;
}

/* Reports the progress of writing to the user; `entries` of the current sequence are written. TB_OK or TB_CANCELLED. */
TB_MUST_CHECK enum tb_status tb_perfetto_report_progress(struct tb_perfetto_writer *p, uint64_t entries);

#endif
