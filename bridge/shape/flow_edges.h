/* SPDX-License-Identifier: Apache-2.0
 *
 * Edges of flows, as events come: which slice a flow was at last, and so from where to where it goes. The rules are
 * the trace processor's (FlowTracker): an event binds to the newest slice of its track, a flow's end that does not say
 * so to the next one; a step or an end of a flow that was nowhere is no edge.
 */
#ifndef TB_SHAPE_FLOW_EDGES_H
#define TB_SHAPE_FLOW_EDGES_H

#include "base/intern.h"
#include "base/map.h"
#include "tracebridge/event.h"

struct tb_flow_edges {
  struct tb_intern texts; /* ids that are no numbers, names and categories of flows */
  struct tb_map at;       /* flow -> the slice that it was at last */
};

/* How a flow's id is to be read. */
enum tb_flow_space { TB_FLOW_SPACE_NUMBER, TB_FLOW_SPACE_NAMED, TB_FLOW_SPACE_ID };

/* A flow: its number or the id of its text, and what else tells it apart from others of that number: the space, whether
 * it is a text, categories and name. */
struct tb_flow {
  uint64_t id, kind;
};

void tb_flow_edges_init(struct tb_flow_edges *flows, const struct tb_allocator *allocator);
void tb_flow_edges_free(struct tb_flow_edges *flows);

/* The flow that the event's `id` is one of. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_flow_edges_flow(struct tb_flow_edges *flows, const struct tb_event *event,
                                                const struct tb_id *id, enum tb_flow_space space, bool id_only,
                                                struct tb_flow *flow);

/* The flow is at the slice now: sets *from to the slice where it was, 0 for none. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_flow_edges_step(struct tb_flow_edges *flows, struct tb_flow flow, uint64_t slice,
                                                uint64_t *from);
/* Where it is; 0: nowhere. */
uint64_t tb_flow_edges_at(const struct tb_flow_edges *flows, struct tb_flow flow);
/* The flow is nowhere. */
void tb_flow_edges_close(struct tb_flow_edges *flows, struct tb_flow flow);

#endif
