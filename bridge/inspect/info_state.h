/* SPDX-License-Identifier: Apache-2.0
 *
 * What is counted while a trace is read for tb_info: tallies of events by track, and of packets by kind, producer
 * and sequence.
 */
#ifndef TB_INSPECT_INFO_STATE_H
#define TB_INSPECT_INFO_STATE_H

#include "base/intern.h"
#include "base/losses.h"
#include "base/map.h"
#include "base/memory.h"
#include "inspect/info_self_time.h"
#include "inspect/recorder_losses.h"
#include "model/record_ops.h"
#include "perfetto/packet/sequence_table.h"
#include "tracebridge/info.h"
#include "tracebridge/packet.h"

/* What is known of one track. */
struct tb_info_track {
  const struct tb_track *track; /* NULL: index not seen */
  struct tb_str name;           /* that metadata events gave it */
  uint64_t events;
  uint64_t all_events, threads; /* of a process: its tracks' events, its threads; made when all is read */
  uint64_t open;                /* slices begun and not ended */
  int64_t last_ts;
  int64_t first_event, last_event; /* its events' times; first > last: none has one */
  struct tb_self_track self;
};

enum tb_info_odd {
  TB_ODD_DISORDER,
  TB_ODD_ORPHAN_END,
  TB_ODD_OPEN,
  TB_ODD_NEGATIVE_DURATION,
  TB_ODD_NEGATIVE_TIME,
  TB_ODD_NO_TIME,
  TB_ODD_DATA_LOSS,
  TB_ODD_UNREADABLE,
  TB_ODD_UNRELATED_CLOCK,
  TB_ODD_UNKNOWN_PACKET,
  TB_ODD_COUNT
};

/* How often a text came; of slices of that name their time without what is in them. */
struct tb_info_tally {
  uint64_t count;
  int64_t self_ns;
};

/* Texts and how often each came. */
struct tb_info_names {
  struct tb_intern table;
  struct tb_info_tally *tallies; /* by id, from 1 on */
  size_t capacity;
};

/* The begin or end of a slice out of a processor's buffer. */
struct tb_info_cpu_point {
  int64_t ts;
  uint32_t track, name, number;
  bool ends;
};

struct tb_info_state {
  struct tb_info info; /* first, so that tb_info_close finds the state */
  const struct tb_allocator *allocator;
  struct tb_arena arena; /* what info points to */
  bool out_of_memory;
  struct tb_info_track *tracks; /* by tb_track.index */
  size_t track_count;
  struct tb_info_clock *clocks;
  size_t clock_count, clock_capacity;
  struct tb_str *metadata;
  size_t metadata_count, metadata_capacity;
  struct tb_info_packets *packets;
  size_t packet_count, packet_capacity;
  struct tb_info_producer *producers;
  size_t producer_count, producer_capacity;
  struct tb_map packet_kinds, producer_ids, machines;
  struct tb_sequence_table sequences;
  uint64_t odd[TB_ODD_COUNT];
  struct tb_info_records record_kinds[TB_RECORD_KINDS_MAX];
  struct tb_info_provider *providers;
  size_t provider_count, provider_capacity;
  struct tb_map provider_ids;
  struct tb_info_names slice_names, categories, counters, counter_names;
  bool names_left_out;          /* there are more than is counted */
  struct tb_map counter_series; /* of counters that are no tracks: ids of the name and the series, and the track */
  struct tb_map flows;          /* by their keys: see inspect/info_flows.c */
  struct tb_info_cpu_point *cpu_points;
  size_t cpu_point_count, cpu_point_capacity;
  bool self_left_out; /* there are more than are kept */
  struct tb_recorder_losses missed;
  struct tb_info_fact *facts;
  struct tb_str *sources;
  uint64_t *buffers;
};

/* Counts one event or packet. Failures of memory set out_of_memory. */
void tb_info_count_event(struct tb_info_state *state, const struct tb_event *event);
void tb_info_count_packet(struct tb_info_state *state, const struct tb_packet *packet);
/* Makes the tracks above one known, which are then found by their index. False without memory. */
bool tb_info_see_above(struct tb_info_state *state, const struct tb_track *track);

/* Parts of them: names of an event, what a packet or an event of metadata says of the recording; and their results. */
void tb_info_count_names(struct tb_info_state *state, struct tb_info_track *track, const struct tb_event *event);
void tb_info_count_flows(struct tb_info_state *state, const struct tb_event *event);
/* `name`: the slice's, where it begins. */
void tb_info_keep_cpu_point(struct tb_info_state *state, const struct tb_event *event, uint32_t name);
void tb_info_gather_cpu_points(struct tb_info_state *state);
void tb_info_add_self(void *state, uint32_t name, int64_t ns); /* a tb_self_add */
void tb_info_read_recorder(struct tb_info_state *state, const struct tb_packet *packet);
void tb_info_read_metadata(struct tb_info_state *state, const struct tb_event *event);
void tb_info_gather_names(struct tb_info_state *state);
void tb_info_gather_recorder(struct tb_info_state *state);

/* Counts one record of the source. */
void tb_info_count_record(void *state, const struct tb_record_note *note);

/* Fills state->info from the tallies, copying what readers own. `losses` are copied. */
void tb_info_gather(struct tb_info_state *state, const struct tb_loss *losses, size_t loss_count,
                    const struct tb_losses *notes);

#endif
