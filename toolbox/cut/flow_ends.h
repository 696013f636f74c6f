/* SPDX-License-Identifier: Apache-2.0
 *
 * Ends of flows that are left out. Readers join the events that have one flow's id, in the order of time, up to the one
 * that ends the flow; behind it the id is another flow's. Where that one is left out, what has the id behind it gets
 * another id, so that it is not joined with what was before.
 *
 *   first reading:   tb_flow_ends_init … tb_flow_ends_add … tb_flow_ends_settle
 *   second reading:  tb_flow_ends_id … tb_flow_ends_free
 */
#ifndef TB_TOOLBOX_CUT_FLOW_ENDS_H
#define TB_TOOLBOX_CUT_FLOW_ENDS_H

#include "toolbox/walk/track_events.h"

struct tb_flow_end {
  uint64_t id;
  int64_t time;
  uint64_t number;  /* of its packet */
  uint32_t machine; /* this, and the rest as of tb_event_view */
  bool from_uuid, of_process, of_all;
  uint64_t from;
};

/* Caller-owned; tb_flow_ends_init, then tb_flow_ends_free. */
struct tb_flow_ends {
  const struct tb_allocator *allocator;
  struct tb_flow_end *items;
  size_t count, capacity;
};

void tb_flow_ends_init(struct tb_flow_ends *ends, const struct tb_allocator *allocator);
void tb_flow_ends_free(struct tb_flow_ends *ends);

/* Adds the flows that the walk's event ends; of `event` all but the id is set. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_flow_ends_add(struct tb_flow_ends *ends, const struct tb_walk *walk,
                                              const struct tb_flow_end *event);

/* Once all are added, and before the first tb_flow_ends_id: forgets those that stay. */
void tb_flow_ends_settle(struct tb_flow_ends *ends, bool (*stays)(const void *ctx, const struct tb_flow_end *end),
                         const void *ctx);

/* What the id of a flow becomes at that time and packet of a machine: itself where no end of it was left out before. */
uint64_t tb_flow_ends_id(const struct tb_flow_ends *ends, const struct tb_flow_end *here);

#endif
