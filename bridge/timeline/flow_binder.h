/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds which slices a flow joins. JSON and FXT say flows by events of their own (start, step, end) or by a slice's
 * bind_id; Perfetto says them by ids that two or more slices share. Two passes lead from one to the other:
 *
 *   1. Bind, queue by queue (tb_flows_bind, or tb_flows_take as events come): each flow event becomes a point of the
 *      slice that encloses it, the newest one of its track, as in the trace processor's importer of JSON. A point of
 *      IN_NEXT is kept until the next slice begins. A point that no slice takes is "unbound".
 *   2. Link, over all queues (tb_flows_link, flow_linker.c): the points of each flow, in time order, become joins of
 *      two slices, and each join gets an id for both of its slices.
 *
 *        s          t          f               flow events of one flow
 *        |          |          |
 *     [slice A]  [slice B]  [slice C]          bound: one point each
 *        id 7 -----> 7 -------> 7              linked: A and B carry id 7, C has it as its terminating id
 *
 * The same id serves a whole chain. A new id is needed where a slice is the source of another join after its flow was
 * terminated, and where the target begins before the source: readers take the slice that begins first as the source.
 */
#ifndef TB_TIMELINE_FLOW_BINDER_H
#define TB_TIMELINE_FLOW_BINDER_H

#include "timeline/sort_queue.h"

/* One point of a flow, bound to a slice: entry `place` of queue `queue`. */
struct tb_flow_point {
  int64_t ts;
  int64_t rank;   /* of the slice, for points of one ts: see timeline/entry_rank.h */
  uint64_t order; /* place in the file, for points of one ts and rank */
  int64_t slice_ts;
  uint64_t place;
  uint32_t queue;
  uint32_t flow;
  /* enum tb_flow_step; an IN_NEXT comes twice: when it is met, without a slice, and as IN when it is bound */
  uint8_t step;
  bool has_slice;
  bool is_event;      /* an event of its own, not a slice's bind_id */
  bool joined;        /* once chained: its slice carries an id for it */
  uint8_t event_step; /* of the source's event, which IN_NEXT binds later than it is: its step and ts */
  int64_t event_ts;
  uint64_t id; /* once chained: an id that its slice carries for it, 0 for none */
};

/* A flow id that a slice carries. */
struct tb_slice_flow {
  uint64_t place;
  uint64_t id;
  uint32_t queue;
  bool terminating;
  /* it goes with the slice's end: the other slice of the join begins at the same time but comes later in the file */
  bool at_end;
  uint8_t unjoined; /* not 0: a bind_id that joins nothing; its step, and `id` is the flow's number */
};

struct tb_flows {
  const struct tb_allocator *allocator;
  struct tb_flow_point *points;
  size_t point_count, point_capacity;
  struct tb_slice_flow *slices; /* sorted by queue and place once chained */
  size_t slice_count, slice_capacity;
  bool any_at_end;
  /* not 0: flows may go on in other traces, so slices of points that join nothing here get an id too; the first new
   * id */
  uint64_t first_new_id;
  uint64_t new_ids_above; /* where it is 0: new ids are greater than this */
  bool ends_close;        /* an end closes its flow, so that its id may begin another: FXT's, not JSON's */
  bool of_parts;  /* of a split trace, one behind the other: of one time the order is the parts', not the trace's */
  uint64_t edges; /* joins of two slices */
  /* points that join nothing: without a slice, ends and steps without a start, starts without more */
  struct tb_flow_point *unbound;
  size_t unbound_count, unbound_capacity;
};

void tb_flows_init(struct tb_flows *flows, const struct tb_allocator *allocator);
void tb_flows_free(struct tb_flows *flows);

/* Keeps a point that joins nothing. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_flows_note_unbound(struct tb_flows *flows, const struct tb_flow_point *point);

/* Adds the bind_id of a slice that joins nothing; tb_flows_sort_slices is due then. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_flows_add_unjoined(struct tb_flows *flows, const struct tb_flow_point *point);
void tb_flows_sort_slices(struct tb_flows *flows);

/* Binds the flow points of one queue as its entries come in the order of time. Zero-initialise, then set the first
 * two. */
struct tb_flow_binder {
  struct tb_flows *flows;
  uint32_t queue_index;
  struct tb_flow_point *waiting; /* IN_NEXT without their slice yet */
  size_t waiting_count, waiting_capacity;
};

/* Binds entry `place`, which the queue's slice stack has seen already; `top` is the stack's newest slice, NULL for
 * none, and `pushed` says that it is this entry. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_flows_take(struct tb_flow_binder *binder, const struct tb_stack_frame_ref *top,
                                           const struct tb_staged_event *entry, uint64_t place, bool pushed);
/* Keeps as unbound what still waits for a slice when no more entries come. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_flow_binder_finish(struct tb_flow_binder *binder, struct tb_flows *flows);
void tb_flow_binder_free(struct tb_flow_binder *binder);

/* Drops the points of queues, to bind them anew: of those whose place in `forgotten` is true. */
void tb_flows_forget(struct tb_flows *flows, const bool *forgotten);

/* Binds the flow points of one queue in its order of time, as the trace processor's importer of JSON does: to the
 * slice on top of the track's stack. That may be closed already: closed slices are removed only when a slice begins
 * or ends. */
TB_MUST_CHECK enum tb_status tb_flows_bind(struct tb_flows *flows, struct tb_sort_queue *queue, uint32_t queue_index,
                                           struct tb_spill_file *file, struct tb_error *error);

/* Chains all points and gives ids to the joins: `wanted[flow]` where that number is free. `flow_count` flows. */
TB_MUST_CHECK enum tb_status tb_flows_link(struct tb_flows *flows, const uint64_t *wanted, uint32_t flow_count);

#endif
