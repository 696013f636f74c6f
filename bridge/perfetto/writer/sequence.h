/* SPDX-License-Identifier: Apache-2.0
 *
 * A queue on its way to a packet sequence: its packets (sequence_packets.c), and what they are made from
 * (perfetto/writer/sequence.c).
 */
#ifndef TB_PERFETTO_WRITER_SEQUENCE_H
#define TB_PERFETTO_WRITER_SEQUENCE_H

#include "perfetto/writer/writer.h"

/* One queue on its way to packets. */
struct tb_sequence_writer {
  struct tb_perfetto_writer *p;
  struct tb_writer_sequence *sequence;
  uint32_t index, id;
  struct tb_packet_delta stream;
  bool instants_as_slices;             /* see tb_slice_nester */
  const struct tb_track *named_thread; /* by the last thread's descriptor on it; NULL: none */
  uint64_t side_uuid;                  /* of the side track next to a thread's own, 0: none yet */
  uint64_t *lane_uuids;                /* by lane */
  size_t lane_capacity;
  size_t written[TB_INTERNED_KINDS];
  const struct tb_slice_flow *flow, *flow_end;                 /* those of the slices that are still to come */
  const struct tb_source_flow *source_flows, *source_flow_end; /* the source flows of those */
  /* Bytes of packets that were made before (`streamed`, `end_ordered`): written so far, in all; and their entries. */
  uint64_t given, given_total, given_entries;
  struct tb_buffer extra;         /* fields that are added to a body */
  struct tb_buffer packet_fields; /* fields that are added to its packet */
};

static inline bool tb_sequence_is_shared(const struct tb_sequence_writer *w) { return !w->sequence->track; }

enum tb_status tb_sequence_no_memory(struct tb_sequence_writer *w);

/* Writes a packet with a TrackEvent: its head, the fields in `fields` (of the counter, of flows), the body, and what
 * is in w->extra and w->packet_fields. */
TB_MUST_CHECK enum tb_status tb_sequence_put_event(struct tb_sequence_writer *w, const struct tb_event_head *head,
                                                   struct tb_str fields, struct tb_str body);
/* Writes a packet of w->sequence->streamed, and what is in w->extra and w->packet_fields. */
TB_MUST_CHECK enum tb_status tb_sequence_put_extended(struct tb_sequence_writer *w, struct tb_str packet);
/* Writes a packet with another payload than a TrackEvent. */
TB_MUST_CHECK enum tb_status tb_sequence_put_payload(struct tb_sequence_writer *w, int64_t ts, uint32_t field,
                                                     struct tb_str payload);
/* Adds {trace_event: {ph}} to the next packet. */
TB_MUST_CHECK enum tb_status tb_sequence_carry_phase(struct tb_sequence_writer *w, char phase);
/* The same of an end that ends nothing, with its thread's time, where it has one. */
TB_MUST_CHECK enum tb_status tb_sequence_carry_end(struct tb_sequence_writer *w, char phase,
                                                   const struct tb_staged_event *entry);
/* Adds to the next packet the name and categories of a slice's body, by which readers end the right slice. */
TB_MUST_CHECK enum tb_status tb_sequence_add_label(struct tb_sequence_writer *w, struct tb_str body);

/* Sees that w->flow and w->flow_end say which flows the sequence has. */
void tb_sequence_find_flows(struct tb_sequence_writer *w);
/* Adds the flows of the slice that begins at `place` to the next packet; places must not decrease. */
TB_MUST_CHECK enum tb_status tb_sequence_add_flows(struct tb_sequence_writer *w, uint64_t place);
/* Adds those that go with the end of the slice that began at `place`. */
TB_MUST_CHECK enum tb_status tb_sequence_add_end_flows(struct tb_sequence_writer *w, uint64_t place);

/* perfetto/writer/source_flows.c: sets w->source_flows and w->source_flow_end to the source flows of the sequence. */
void tb_sequence_find_source_flows(struct tb_sequence_writer *w);
/* Adds the source flows of the slice that begins at `place`, the first of which is `flow`. */
TB_MUST_CHECK enum tb_status tb_sequence_emit_source_flows(struct tb_sequence_writer *w, uint64_t place,
                                                           const struct tb_slice_flow *flow);
/* Says that the source flows which go with an end are with their slice's begin. */
TB_MUST_CHECK enum tb_status tb_sequence_emit_flows_with_begin(struct tb_sequence_writer *w);

/* Writes the first packets of the sequence, whose first event is at `ts`. */
TB_MUST_CHECK enum tb_status tb_sequence_put_start(struct tb_sequence_writer *w, int64_t ts);

/* Writes one sequence's packets in the order of time. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_sequence(struct tb_perfetto_writer *p, uint32_t index);

#endif
