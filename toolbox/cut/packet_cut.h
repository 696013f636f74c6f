/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the packets of a walk but for some, so that those which stay mean what they did. What a packet that is left
 * out said to its sequence is written before the next one of the sequence that stays; what it added to an incremental
 * clock or counter is added there.
 */
#ifndef TB_TOOLBOX_CUT_PACKET_CUT_H
#define TB_TOOLBOX_CUT_PACKET_CUT_H

#include "toolbox/cut/arg_texts.h"
#include "toolbox/cut/event_runs.h"
#include "toolbox/cut/packet_edit.h"
#include "toolbox/walk/packet_walk.h"
#include "toolbox/walk/track_events.h"

enum tb_cut_fate {
  TB_CUT_KEEP,
  TB_CUT_DROP,
  TB_CUT_MOVE /* to another time */
};

/* What becomes of a packet. */
struct tb_cut_order {
  enum tb_cut_fate fate;
  int64_t host_time;      /* where it moves: to this time of machine 0's trace clock */
  bool absolute;          /* of one that stays on a clock of its sequence: its time is one of the trace clock */
  bool sets_duration;     /* of a legacy event, or of work of a GPU */
  int64_t duration_ns;    /* that becomes its duration then */
  uint32_t keep;          /* field of its payload that stays though it is left out; 0: none */
  bool late;              /* of one that moves: it is written behind others, see tb_cut_write_late */
  struct tb_str replaced; /* what is written in place of the packet, which stays, framed; ptr NULL: the packet */
  struct tb_str annotation, in_place; /* as of tb_packet_edit */
  const uint64_t *stated; /* further counters whose values in it are said by packets of their own, at `host_time` */
  size_t stated_count;
  bool bounds_flows; /* events of flows that JSON had for the packet come in these times of machine 0's trace clock: */
  int64_t flows_from, flows_until;
  uint32_t outlived; /* of an end that stays: so many slices in that one end right before it, which have no own ends */
  const struct tb_event_extras *extras; /* what stays of the values of further counters; NULL: all of them */
  struct tb_event_view view;            /* of a track event, where there are incremental counters, or slices that end
                                         * before it; else not looked at */
};

/* Sums of what was left out. */
struct tb_cut_sums {
  struct tb_map by_key;
  size_t pending; /* how many are not 0 */
};

/* Of one sequence: what was left out and not yet made up for. */
struct tb_cut_sequence {
  struct tb_buffer held;     /* packets of its state alone, written where one that stays may need them */
  size_t held_packets;       /* of these, those that are as they were */
  struct tb_cut_sums clocks; /* by node of a clock, of timestamps */
  struct tb_cut_sums values; /* by uuid of a counter, of increments */
  bool has_late;             /* packets of it are among tb_cut.late */
};

/* A packet that is written late. */
struct tb_late_packet {
  int64_t time; /* of the packet before it moved */
  uint64_t number;
  size_t at, len; /* of its bytes, framed */
};

/* Caller-owned; tb_cut_init, then tb_cut_free. */
struct tb_cut {
  struct tb_walk *walk;
  struct tb_track_events *events;
  struct tb_cut_sequence *sequences; /* by the walk's numbers */
  size_t sequence_count, sequence_capacity;
  size_t held;                          /* bytes of all */
  bool keeps_all;                       /* the caller's: no events go, and so does no text of ftrace that says them, nor
                                         * state that nothing needs */
  bool sheds_args, sheds_flows;         /* the user's: of all track events that stay */
  const struct tb_flow_ends *flow_ends; /* the user's: by which the ids of flows change that stay; NULL: none do */
  struct tb_arg_texts arg_texts;        /* where arguments go */
  struct tb_message_patch patches;
  struct tb_late_packet *late;
  size_t late_count, late_capacity;
  struct tb_buffer late_bytes;
  uint64_t kept, dropped, moved;
};

void tb_cut_init(struct tb_cut *cut, struct tb_walk *walk, struct tb_track_events *events);
void tb_cut_free(struct tb_cut *cut);

/* Whether what was left out of the sequence of the walk's current packet may change packets that stay, or come before
 * them. */
static inline bool tb_cut_has_pending(const struct tb_cut *cut) {
  if (cut->walk->sequence_number >= cut->sequence_count) return false;
  const struct tb_cut_sequence *sequence = &cut->sequences[cut->walk->sequence_number];
  return sequence->held.len || sequence->clocks.pending || sequence->values.pending;
}

/* Writes the packets that are late, in the order of the times that they had: readers take those of one time in the
 * order of the file. Also done before the state of a sequence changes that has such. What fails is in the walk's error.
 */
TB_MUST_CHECK enum tb_status tb_cut_write_late(struct tb_cut *cut);

/* Leaves a plain track event out, as tb_cut_packet does. `counts`: packets that stay may count from it. */
TB_MUST_CHECK enum tb_status tb_cut_leave_out(struct tb_cut *cut, bool counts);

/* Writes a track event that stays as it is; what tb_cut_packet does where nothing is pending. */
TB_MUST_CHECK static inline enum tb_status tb_cut_pass(struct tb_cut *cut) {
  cut->kept++;
  return tb_walk_write(cut->walk, cut->walk->packet.framed);
}

/* Leaves out a run of events, or writes it, of which tb_walk_enter_events was true, as the two above do. */
TB_MUST_CHECK enum tb_status tb_cut_leave_run_out(struct tb_cut *cut, const struct tb_event_run *run, bool counts);
TB_MUST_CHECK static inline enum tb_status tb_cut_pass_run(struct tb_cut *cut, const struct tb_event_run *run) {
  cut->kept += run->events.count;
  return tb_walk_write(cut->walk, tb_walk_pass_events(cut->walk, &run->events));
}

/* Packets that the walk passes over by itself, where nothing comes before them. */
static inline bool tb_cut_has_state_pending(const struct tb_cut *cut) {
  return cut->walk->sequence_number < cut->sequence_count && cut->sequences[cut->walk->sequence_number].held.len;
}
/* What packets that were left out had counted of the clock that the walk's sequence counts on, which is what the next
 * timestamp is to have in addition; taken, or more of it. Nothing of another clock. */
TB_MUST_CHECK enum tb_status tb_cut_take_ticks(struct tb_cut *cut, uint64_t *ticks);
TB_MUST_CHECK enum tb_status tb_cut_leave_ticks_out(struct tb_cut *cut, uint64_t ticks);
/* The same of a counter whose values are increments. */
TB_MUST_CHECK enum tb_status tb_cut_take_value(struct tb_cut *cut, uint64_t uuid, int64_t *value);
TB_MUST_CHECK enum tb_status tb_cut_leave_value_out(struct tb_cut *cut, uint64_t uuid, int64_t value);

/* Does to the walk's current packet what `order` says. What fails is in the walk's error. */
TB_MUST_CHECK enum tb_status tb_cut_packet(struct tb_cut *cut, const struct tb_cut_order *order);

#endif
