/* SPDX-License-Identifier: Apache-2.0
 *
 * In what formats differ, said by the formats themselves: a reader declares what its events mean, a writer what it
 * takes, and neither asks which format the other is of. convert/match.h lets each know what the other declares.
 */
#ifndef TB_MODEL_CAPABILITIES_H
#define TB_MODEL_CAPABILITIES_H

#include <stdbool.h>

/* How sure a format is that an input's first bytes are its own. The surest format gets the input. */
enum tb_detection {
  TB_DETECT_NO,
  TB_DETECT_POSSIBLE, /* nothing speaks against it */
  TB_DETECT_LIKELY,
  TB_DETECT_RECORD, /* whole records, which may start like another format's */
  TB_DETECT_CERTAIN /* more bytes would not change it */
};

/* What the events of a source mean. All false: as of events that a user of the library makes. */
struct tb_source_traits {
  bool flow_ends_close; /* the end of a flow closes it, so that its id may begin another */
  bool counters_by_id;  /* a counter is its name, series and id, whichever thread emits a sample */
  bool unnamed_slices;  /* slices need no name: the target gives them none */
  bool thread_zero;     /* thread 0 of a process is no other name of its main thread */
  bool offsets_grow;    /* an event's offset is greater than those of the events before it */
  bool clock_syncs;     /* it may have clock_sync events */
  bool complete_first;  /* of one time, complete slices come before all other events, and behind ends of earlier ones */
  bool system_text;     /* all its events are lines of the system's own trace, as text (TB_EVENT_SYSTEM_TRACE) */
  bool some_text;       /* some of them may be such lines, in a trace of others */
  bool old_async;       /* async phases of the first kind (S T p F) may be said by their successors (b n e) */
  bool names_tracks;    /* tracks of async slices have names: else each is called as its first slice */
  bool own_states;      /* states of threads have the format's own words, and the idle thread has none */
};

/* What a target takes. All false: events whose meaning they say themselves, as for users of the library. */
struct tb_target_traits {
  bool packets;          /* Perfetto's packets as they are: no events of those that no event says all of */
  bool ftrace_bundles;   /* of those, bundles of ftrace events too, which say more than events of ours */
  bool fxt_blobs;        /* Perfetto's packets that were in blobs of FXT, as they were: do not read them */
  bool system_as_text;   /* the system's own events as lines of text (TB_EVENT_SYSTEM_TRACE) */
  bool system_as_events; /* it has no place for such text: the events that it says */
  bool threads_placed;   /* what happens on a thread names its process: it has to be known before */
  bool one_machine;      /* it knows one machine: process and thread ids of others have to differ from its own */
  /* what the recorder says of itself as members of the trace (TB_EVENT_TRACE_METADATA), a dict of typed fields each:
   * `metadata`, whose members are joined, and `otherData` */
  bool recorder_members;
  bool no_recorder; /* it has no place for what the recorder says of itself: that is noted, and no loss */
  /* texts of it become pseudonyms: of what the recorder says of itself it takes the packet that says the kernel, which
   * may be reduced, and what a source had as ftrace text as events alone */
  bool redacted;
  bool narrow_ids;     /* process and thread ids are int32 */
  bool unsigned_ids;   /* it has no negative process and thread ids */
  bool bind_ids_apart; /* the bind_id of a slice must not be a small number, since flow events are counted with it */
};

#endif
