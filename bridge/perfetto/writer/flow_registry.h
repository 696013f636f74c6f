/* SPDX-License-Identifier: Apache-2.0
 *
 * Which events are of one flow, and the source flows of slices.
 */
#ifndef TB_PERFETTO_WRITER_FLOW_REGISTRY_H
#define TB_PERFETTO_WRITER_FLOW_REGISTRY_H

#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "tracebridge/event.h"

struct tb_perfetto_writer;

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

/* A source flow, of a flow that joins slices: the source's flow event, or the slice's bind_id. */
struct tb_source_flow {
  uint64_t place;
  uint64_t number; /* the id that the flow would like to keep; of FXT's flows the one that the slice has */
  uint64_t order;
  int64_t delay; /* from the slice's begin to the event */
  uint32_t queue, flow;
  uint8_t step; /* enum tb_flow_step of the event */
  bool is_event;
};

struct tb_writer_flows {
  const struct tb_allocator *allocator;
  struct tb_intern texts;
  uint64_t *numbers; /* by flow: the id that it would like to keep */
  size_t number_capacity;
  size_t count;                /* of both arrays; 0 is not used */
  struct tb_known_flow *known; /* by flow */
  size_t known_capacity;
  struct tb_intern names; /* of flows that are known by their ids alone */
  bool has_id_only;       /* there are any */
  /* By order: a struct tb_event in the writer's arena, of flow events that say more than what a flow is known by. */
  struct tb_map full_events;
  struct tb_source_flow *sources; /* by queue and place, once all is chained */
  size_t source_count, source_capacity;
};

void tb_writer_flows_init(struct tb_writer_flows *flows, const struct tb_allocator *allocator);
void tb_writer_flows_free(struct tb_writer_flows *flows);

/* The flow of an event that has the id. 0 without memory; flows count from 1. */
uint32_t tb_perfetto_flow(struct tb_perfetto_writer *p, const struct tb_event *event, const struct tb_id *id,
                          enum tb_flow_kind kind);
/* What a flow is known by, and where that is the id alone how its first event was called. */
enum tb_flow_kind tb_perfetto_read_flow(const struct tb_perfetto_writer *p, uint32_t flow, struct tb_str *categories,
                                        struct tb_str *name, struct tb_id *id);

#endif
