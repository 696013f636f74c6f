/* SPDX-License-Identifier: Apache-2.0
 *
 * What must be known of an input before the first packet is written: its clocks, ids, extent and damage. Read once,
 * kept small: it grows with the ids and snapshots that the input has, not with its size.
 */
#ifndef TB_MERGE_INPUT_PRESCAN_H
#define TB_MERGE_INPUT_PRESCAN_H

#include "io/input.h"
#include "merge/clocks/input_clocks.h"
#include "merge/clocks/kept_boots.h"
#include "merge/input/ftrace_markers.h"
#include "merge/input/raw_packet_reader.h"
#include "merge/input/recordings.h"
#include "merge/input/split_mark.h"
#include "merge/rewrite/rewrite_fields.h"
#include "tracebridge/base.h"

enum tb_prescanned_track_kind { TB_SURVEYED_OTHER, TB_SURVEYED_PROCESS, TB_SURVEYED_THREAD, TB_SURVEYED_COUNTER };

/* So many tracks above a track are asked for what it is. */
enum { TB_PRESCAN_PARENTS = 32 };

/* What a TrackDescriptor says of its uuid. */
struct tb_prescanned_track {
  uint64_t uuid, parent;
  uint64_t identity; /* the uuid that it is known by where traces are merged: a merge may have given it another one */
  uint64_t name;     /* hash of the name (of a process: its own), 0 for none */
  uint32_t machine;
  int32_t pid;
  int64_t tid;
  uint8_t kind;        /* enum tb_prescanned_track_kind */
  bool is_incremental; /* a counter: values are differences to the one before */
  uint64_t measure;    /* a counter: hash of what its values count, and how; 0 where nothing says */
};

/* Whether a packet is what our Perfetto writer makes thread 0 of process 0 another than the idle thread by: a task
 * state without a time, as no recorder writes. */
static inline bool tb_frees_thread_zero(const struct tb_packet_header *head) {
  return head->kind == TB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT && !head->has_timestamp;
}

/* From when to when there are packets. */
struct tb_prescanned_extent {
  bool any;
  int64_t first, last;
};

/* A machine of the input. */
struct tb_prescanned_machine {
  uint32_t id;
  uint32_t identity;    /* the id that it is known by where traces are merged; 0: `id` */
  int64_t ahead;        /* by how much its clock reads more than the host's, by RemoteClockSync; 0 unknown */
  int64_t merged_ahead; /* and than the merged trace's, in that */
  struct tb_prescanned_extent extent; /* on its own trace clock */
  uint8_t whole_kinds; /* payloads that it has of those that readers take together for a machine, as bits */
};

/* Clocks that any host has: REALTIME to BOOTTIME. */
enum { TB_PRESCAN_MACHINES = 64, TB_PRESCAN_CLOCKS = 8 };

struct tb_prescan {
  struct tb_input_clocks clocks;
  struct tb_prescanned_track *tracks;
  size_t track_count, track_capacity;
  struct tb_map track_index; /* by uuid */
  struct tb_map uuids;       /* of tracks that are known by another: by that */
  struct tb_map pids, tids;  /* seen in descriptors and process trees: machine << 32 | id */
  struct tb_prescanned_machine machines[TB_PRESCAN_MACHINES];
  size_t machine_count;
  bool too_many_machines;
  struct tb_kept_boots boots; /* of machines that a merge introduced */
  uint64_t packets, bytes;
  uint64_t unreadable;              /* of the packets: not well-formed inside */
  uint64_t content;                 /* a hash over what the packets are, to tell inputs apart */
  uint64_t trace_uuid;              /* a hash of what its TraceUuid says; 0: it has none */
  struct tb_recordings recordings;  /* that were put one behind the other */
  struct tb_split_mark split;       /* what tb_split says of it first */
  uint32_t starts_within;           /* the sequence of its first packet where that needs state; 0: it does not */
  bool has_start;                   /* begins as recordings do: a snapshot before all events; or has a config, a uuid */
  bool has_events;                  /* so far */
  bool headless;                    /* packets that need state come before anything that recorders begin with */
  struct tb_ftrace_markers markers; /* where ftrace text is kept in it */
  bool has_time;
  int64_t first, last; /* on the host's trace clock */
  /* of machine 0's packets that say something of a time, on its trace clock as far as it was known when they came */
  struct tb_prescanned_extent shown;
  uint64_t clocks_used; /* clocks below 64 that packets have times on, as bits */
  /* times of machine 0 on its clocks but the trace clock, as they were read */
  struct tb_prescanned_extent clock_extents[TB_PRESCAN_CLOCKS];
  bool has_started;
  int64_t started;                            /* when its recording started, by its service event; on its trace clock */
  bool foreign;                               /* holds fields of Trace that are no packets */
  uint8_t seen_kinds[TB_PAYLOAD_KINDS];       /* payloads seen but for track events, by field number */
  uint8_t known_kinds[TB_PAYLOAD_KINDS];      /* see tb_payload_times_known_all */
  uint8_t unknown_kinds[TB_PAYLOAD_KINDS];    /* payloads seen that may hold times which the table does not know */
  uint64_t losses;                            /* how often something could not be read */
  bool goes_on;                               /* packets follow damage */
  const char *damage;                         /* what the first was, a constant; "" for none */
  uint64_t damage_offset;                     /* and where */
  const struct tb_prescan_listener *listener; /* during tb_prescan_run; NULL: none, or it wants no more */
};

/* Asked now and then; `read`: bytes so far of the file as it is stored. False: stop, TB_CANCELLED. */
struct tb_prescan_watch {
  bool (*goes_on)(void *ctx, uint64_t read);
  void *ctx;
};

/* A packet that is scanned. */
struct tb_scanned_packet {
  uint64_t number;                          /* in the trace, from 0 on; of a field that is no packet the next one's */
  const struct tb_merge_sequence *sequence; /* NULL: of such a field */
  struct tb_merge_packet_time time;
};

/* Who makes use of an input while it is scanned is given its packets in the order of the file, and may stop that by
 * returning false. Times are as what came before says; what comes behind may say otherwise. */
struct tb_prescan_listener {
  void *ctx;
  void (*begin)(void *ctx, const struct tb_allocator *allocator);
  /* The events that come next are of this sequence, and `time` is by this clock, which is valid until another is
   * turned to; its line may change from one to the next. */
  void (*turn_to)(void *ctx, const struct tb_merge_sequence *sequence, const struct tb_clock_cursor *clock);
  /* One that tb_packet_cursor_take takes. Two such whose numbers follow each other are side by side. */
  bool (*take_event)(void *ctx, const struct tb_common_packet *packet, uint64_t number, int64_t time);
  bool (*take_packet)(void *ctx, const struct tb_scanned_packet *scanned, const struct tb_raw_packet *packet);
};

struct tb_prescan_options {
  size_t max_junk;                            /* bytes of no packet that may be before the first */
  const struct tb_prescan_watch *watch;       /* NULL: none */
  const struct tb_prescan_listener *listener; /* NULL: none */
};

/* Reads the whole input. TB_OK also for damaged ones: `losses` then says so. Else the file cannot be read: TB_IO,
 * TB_NO_MEMORY, TB_LIMIT, and TB_BAD_DATA where not one packet is whole, or more than `max_junk` bytes before the
 * first are of none. To be freed in any case. */
TB_MUST_CHECK enum tb_status tb_prescan_run(struct tb_prescan *prescan, const struct tb_allocator *allocator,
                                            const struct tb_input_place *place,
                                            const struct tb_prescan_options *options, struct tb_error *error);
void tb_prescan_free(struct tb_prescan *prescan);

/* Whether times may be missing from its times: some are written as differences, and packets follow damage. */
bool tb_prescan_loses_differences(const struct tb_prescan *prescan);

/* Sets has_time, first and last: once more after clocks were fitted. */
void tb_prescan_measure(struct tb_prescan *prescan);

/* The track that is known by `identity`; NULL: none. */
const struct tb_prescanned_track *tb_prescan_track(const struct tb_prescan *prescan, uint64_t identity);

/* What one of the input's machines is known by. */
uint32_t tb_prescan_machine(const struct tb_prescan *prescan, uint32_t id);

/* What the uuid stands for, as one number: equal for two inputs where both mean the same track. 0 where no
 * descriptor says. */
uint64_t tb_prescan_identity(const struct tb_prescan *prescan, uint64_t uuid);

#endif
