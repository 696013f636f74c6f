/* SPDX-License-Identifier: Apache-2.0
 *
 * A TrackEvent while it becomes an event.
 */
#ifndef TB_PERFETTO_READER_TRACK_EVENT_IMPORTER_H
#define TB_PERFETTO_READER_TRACK_EVENT_IMPORTER_H

#include "perfetto/packet/json_flow_record.h"
#include "perfetto/reader/legacy_event.h"
#include "perfetto/reader/reader.h"
#include "perfetto/reader/track_event_fields.h"

struct tb_track_event_parse {
  struct tb_str payload;
  struct tb_track_event_fields fields;
  struct tb_legacy_event legacy;
  struct tb_perfetto_track *track;
  int64_t ts;
  bool has_thread_ts, has_instructions, has_counters; /* counters: values that become events of their own */
  int64_t thread_ts, instructions;
};

/* ---- counters (perfetto/reader/counter_events.c) ----------------------------------------------------------------- */

extern const char TB_PERFETTO_LOSS_COUNTER[];

/* Makes the event of the counter's value. */
struct tb_event *tb_perfetto_emit_counter(struct tb_perfetto_reader *r, const struct tb_track_event_parse *e);

/* Values of a slice's packet: its thread's times go on the event itself, others become counter events behind it. The
 * first takes the former, the second makes the latter. */
void tb_perfetto_take_extra_counters(struct tb_perfetto_reader *r, struct tb_track_event_parse *e);
enum tb_status tb_perfetto_emit_extra_counters(struct tb_perfetto_reader *r, const struct tb_track_event_parse *e);

/* perfetto/reader/payloads/profile_start.c: moves the start of a CPU profile, in the batch's arguments from `first_arg`
 * on, from MONOTONIC to the trace clock. */
void tb_perfetto_place_profile(struct tb_perfetto_reader *r, size_t first_arg);

/* ---- flows of JSON and FXT (perfetto/reader/flows.c) ------------------------------------------------------------- */

/* One of the packet's JsonFlows. */
struct tb_json_flow {
  struct tb_str letters, categories, name; /* of its kind */
  int64_t delay;
  uint64_t id;
  struct tb_str event; /* ptr NULL: none */
};

/* A walk over those of the current packet. */
struct tb_json_flow_walk {
  struct tb_wire_cursor packet;
  const struct tb_track_event_fields *fields;
  uint32_t implied; /* flow ids of the slice that were taken so far */
};

void tb_perfetto_start_flows(const struct tb_perfetto_reader *r, const struct tb_track_event_parse *e,
                             struct tb_json_flow_walk *walk);
/* TB_OK, TB_END or TB_BAD_DATA. */
enum tb_status tb_perfetto_next_flow(struct tb_perfetto_reader *r, struct tb_json_flow_walk *walk,
                                     struct tb_json_flow *flow);

/* Whether a flow event of that kind ends at the slice that begins after it, and so comes before the slice. */
bool tb_json_flow_comes_first(const struct tb_json_flow *flow);
static inline bool tb_json_flow_is_bind_id(const struct tb_json_flow *flow) {
  return flow->letters.ptr[0] == TB_JSON_FLOW_BIND_ID;
}
/* Whether it is FXT's, and so known by its id alone. */
bool tb_json_flow_is_id_only(const struct tb_json_flow *flow);
/* No flow event, but says of the packet's flow ids alone that they are such. */
static inline bool tb_json_flow_is_remark(const struct tb_json_flow *flow) {
  return flow->letters.ptr[0] == TB_JSON_FLOW_ID_ONLY;
}
/* Puts what the kind says on a flow event, or the bind_id on its slice. */
void tb_json_flow_apply(const struct tb_json_flow *flow, struct tb_event *event);
void tb_json_flow_bind(const struct tb_json_flow *flow, struct tb_event *slice);
/* A flow event that was kept whole gets the id that the flow has now. */
void tb_json_flow_renumber(const struct tb_json_flow *flow, struct tb_event *event);

#endif
