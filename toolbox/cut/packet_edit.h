/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes of one packet that stays when others are left out.
 */
#ifndef TB_TOOLBOX_CUT_PACKET_EDIT_H
#define TB_TOOLBOX_CUT_PACKET_EDIT_H

#include "protobuf/message_patch.h"
#include "toolbox/cut/flow_ends.h"
#include "toolbox/walk/event_fields.h"
#include "toolbox/walk/track_events.h"

struct tb_packet_edit {
  bool set_timestamp, set_clock;
  uint64_t timestamp;
  uint32_t clock;
  bool sheds_extras;             /* of a track event: the values of further counters are left out, ... */
  struct tb_event_extras extras; /* ... but for these */
  bool sheds_args, sheds_flows;  /* of the same, too */
  bool sheds_interned;           /* of interned data what arguments alone refer to */
  struct tb_str again;           /* entries of it that what stays of them needs; len 0: none */
  bool inserts_timestamp;        /* `timestamp` and `clock` in place of the time that the event has of its own */
  int64_t add_to_thread_time, add_to_instructions; /* to what the event counts of its thread */
  bool sheds_thread_counts;                        /* all of that is left out; with inserts_timestamp */
  uint64_t own_annotation;              /* iid of the annotation's name that stays then; 0: none is interned */
  bool sets_duration;                   /* of a legacy event, or of work of a GPU */
  int64_t duration_ns;                  /* that becomes its duration then */
  int64_t add_to_value;                 /* to the value of a counter, an increment */
  const struct tb_flow_ends *flow_ends; /* by which ids of flows change; NULL: none do */
  bool bounds_flows;                    /* events of flows that JSON had for the packet come in these times: */
  int64_t flows_from, flows_until;      /* of machine 0's trace clock, as ... */
  int64_t moved_to;                     /* ... that of the packet, once it has moved */
  struct tb_str annotation;             /* the bytes of an annotation's value that changes; ptr NULL: none does */
  struct tb_str in_place;               /* the whole field that takes its place */
  const struct tb_walk *walk;           /* of whose current packet they are then */
  size_t extra_count; /* values of further counters that change: each by that of its place here; 0: none does */
  int64_t add_to_extras[TB_EXTRA_COUNTERS];
};

/* Sets *patches to the changes. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_packet_edit_make(const struct tb_packet_edit *edit, struct tb_str packet,
                                                 struct tb_message_patch *patches);

/* A value of a counter, or the end of the innermost slice, as a packet of its own. */
struct tb_event_packet {
  uint32_t sequence, machine, clock; /* the clock of its timestamp */
  uint64_t timestamp, uuid;
  bool ends;
  int64_t value; /* of a counter */
};
TB_MUST_CHECK enum tb_status tb_packet_edit_append_event(const struct tb_event_packet *event, struct tb_buffer *buffer);

/* Whether a field of a track event is the annotation that has what other formats need, which stays of its arguments. */
bool tb_packet_edit_is_own_annotation(const struct tb_packet_edit *edit, const struct tb_wire_field *field);

/* Appends a packet, framed, of what this one says to its sequence alone: its state, without its time and payload, and
 * with `sheds_args` without what arguments alone refer to. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_packet_edit_append_state(struct tb_str packet, bool sheds_args,
                                                         struct tb_buffer *buffer);

/* The same with those fields of the payload `kind` that `keep` is the number of. */
TB_MUST_CHECK enum tb_status tb_packet_edit_append_described(struct tb_str packet, uint32_t kind, uint32_t keep,
                                                             bool sheds_args, struct tb_buffer *buffer);

/* Appends the time, the sequence and the machine of a packet that comes in place of the walk's current one, at
 * `host_time` of machine 0's trace clock. Errors as above. */
TB_MUST_CHECK enum tb_status tb_packet_edit_append_head(const struct tb_walk *walk, int64_t host_time,
                                                        struct tb_buffer *buffer);

#endif
