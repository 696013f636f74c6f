/* SPDX-License-Identifier: Apache-2.0
 *
 * What of a trace is chosen. A first reading takes all in; the second asks of each packet, in the same order.
 */
#ifndef TB_TOOLBOX_FILTER_CHOICE_H
#define TB_TOOLBOX_FILTER_CHOICE_H

#include "toolbox/cut/event_runs.h"
#include "toolbox/cut/flow_ends.h"
#include "toolbox/cut/ftrace_part.h"
#include "toolbox/cut/packet_cut.h"
#include "toolbox/owners/packet_owner.h"
#include "toolbox/walk/slice_pairs.h"

/* Numbers, of packets or events, that are left out. */
struct tb_number_set {
  uint64_t *words;
  size_t count, capacity;
};

static inline bool tb_number_set_has(const struct tb_number_set *set, uint64_t number) {
  size_t word = (size_t)(number / 64);
  return word < set->count && set->words[word] >> number % 64 & 1;
}

enum { TB_DURATION_CLASSES = 496 }; /* eight for each power of two of nanoseconds */

/* How many slices there are, how many of them stay, and those of these that end, by their duration. */
struct tb_slice_counts {
  uint64_t all, kept;
  uint64_t durations[TB_DURATION_CLASSES];
};

/* Caller-owned; tb_choice_init, then tb_choice_free. */
struct tb_choice {
  struct tb_walk *walk;
  struct tb_track_events *events;
  struct tb_name_patterns categories, names;
  int64_t min_dur; /* of slices; 0: any */
  bool no_args, no_flows;
  bool looks_at_slices; /* they are counted; so they are where something of the above asks for it */
  bool runs_of_tracks;  /* each of the runs below is of one track; none has flows where no_flows is set */
  bool runs_of_any;     /* each is of whatever events, which nobody reads before they are written */
  struct tb_owners owners;
  struct tb_slice_pairs slices, marks; /* of track events, and of atrace */
  struct tb_ftrace_reach reach;
  struct tb_number_set packets, marks_out;
  struct tb_number_set flows;    /* packets with ids of flows, as far as what is chosen may lack their ends */
  struct tb_flow_ends flow_ends; /* at the end those that are left out */
  struct tb_event_runs runs;     /* of track events */
  uint64_t print;                /* events of ftrace so far */
  struct tb_buffer judged;       /* by ids of names: 0 where it was not, else 1 + whether it is chosen */
  struct tb_open_frames frames;
  struct tb_map running; /* machine, cpu -> id of the thread that runs there */
  struct tb_map begun;   /* machine, cpu -> 1 where it had a bundle */
  struct tb_map threads; /* of ftrace: machine, id -> whether it is chosen */
  bool failed;           /* there was no memory for it */
  struct tb_buffer fates, part;
  struct tb_event_extras kept; /* of the current event: what stays in it, and what packets of their own say */
  uint64_t stated[TB_EXTRA_COUNTERS];
  struct tb_slice_counts slice_counts, mark_counts;
};

void tb_choice_init(struct tb_choice *choice, struct tb_walk *walk, struct tb_track_events *events);
void tb_choice_free(struct tb_choice *choice);

/* The shortest duration of a class. */
int64_t tb_duration_class_start(int class);

/* Takes in the trace while the walk is opened, of which the walk's events are: for tb_scan_reader. */
bool tb_choice_take_scanned_event(void *ctx, const struct tb_common_packet *packet, uint64_t number, int64_t time);
bool tb_choice_take_scanned_packet(void *ctx);

/* Reads the trace once, or not at all where it was taken in so; and once more where events of a track are not in the
 * order of time. What fails is in the walk's error. */
TB_MUST_CHECK enum tb_status tb_choice_find(struct tb_choice *choice, bool taken_in);

/* Begins the second reading. */
void tb_choice_rewind(struct tb_choice *choice);
/* Whether the walk's current packet is a plain track event that stays as it is unless tb_cut_has_pending. */
bool tb_choice_keeps(const struct tb_choice *choice);
/* The run that has the packet of that number and whose events stay as they are unless tb_cut_has_pending, or are left
 * out, as *fate says; NULL: there is none. Numbers do not fall from call to call. */
enum tb_run_fate {
  TB_RUN_STAYS,
  TB_RUN_GOES,
  TB_RUN_MIXED /* as tb_choice.packets has it, or arguments go, or ids of flows may change, or the packet is not the
                * first of it */
};
const struct tb_event_run *tb_choice_run_at(struct tb_choice *choice, uint64_t number, enum tb_run_fate *fate);
/* What becomes of the walk's current packet. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_choice_decide(struct tb_choice *choice, struct tb_cut_order *order);

/* ---- for ftrace_choice.c ----------------------------------------------------------------------------------------- */

/* Whether a mark of that name, which has no category, is chosen. */
TB_MUST_CHECK enum tb_status tb_choice_judge_mark(struct tb_choice *choice, struct tb_str name, bool *chosen);
/* A mark begins or ends: the event `choice->print`. */
TB_MUST_CHECK enum tb_status tb_choice_take_mark(struct tb_choice *choice, uint64_t key, uint64_t kind, int64_t time,
                                                 bool ends, struct tb_str name);
TB_MUST_CHECK enum tb_status tb_choice_leave_mark_out(struct tb_choice *choice, uint64_t number);
bool tb_choice_leaves_mark_out(const struct tb_choice *choice, uint64_t number);

#endif
