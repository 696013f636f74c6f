/* SPDX-License-Identifier: Apache-2.0
 *
 * Flows. Of each, points come in any order of time, since it goes from track to track: kept are its first begin, and
 * what goes on with it before that.
 */
#include "toolbox/verify/verifier.h"

enum { FLOWS_MAX = 1 << 30 };

/* NULL without memory. */
static struct tb_verify_flow *find_flow(struct tb_verifier *v, struct tb_flow id) {
  uint32_t place;
  if (tb_map_get(&v->flow_places, id.id, id.kind, &place)) return &v->flows[place];
  void *flows = v->flows;
  enum tb_status status =
      tb_grow_array(v->allocator, &flows, &v->flow_capacity, v->flow_count + 1, sizeof(*v->flows), FLOWS_MAX);
  v->flows = flows;
  if (status != TB_OK || tb_map_put(&v->flow_places, id.id, id.kind, v->flow_count) != TB_OK) return NULL;
  v->flows[v->flow_count] = (struct tb_verify_flow){.began = false};
  return &v->flows[v->flow_count++];
}

static bool is_before(const struct tb_verify_when *a, const struct tb_verify_when *b) {
  if (a->ts != b->ts) return a->ts < b->ts;
  return a->rank != b->rank ? a->rank > b->rank : a->number < b->number;
}

static void begin(struct tb_verify_flow *flow, const struct tb_verify_when *when, uint64_t offset) {
  if (flow->began && !is_before(when, &flow->begin)) return;
  flow->began = true;
  flow->begin = *when;
  flow->begin_offset = offset;
}

static enum tb_status go_on(struct tb_verifier *v, struct tb_verify_flow *flow, const struct tb_verify_when *when,
                            uint64_t offset) {
  flow->ended = true;
  if (flow->began && is_before(&flow->begin, when)) return TB_OK;
  if (v->way == TB_VERIFY_SHAPED) { /* so no earlier begin comes */
    tb_verifier_find(v, TB_FINDS_FLOW_WITHOUT_BEGIN, offset);
    return TB_OK;
  }
  void *steps = v->steps;
  enum tb_status status =
      tb_grow_array(v->allocator, &steps, &v->step_capacity, v->step_count + 1, sizeof(*v->steps), FLOWS_MAX);
  v->steps = steps;
  if (status != TB_OK) return TB_NO_MEMORY;
  v->steps[v->step_count++] = (struct tb_verify_step){*when, (uint64_t)(flow - v->flows), offset};
  return TB_OK;
}

/* Of the ids on a slice, which first begin a flow and then go on with it, whichever comes first. */
static enum tb_status step_numbers(struct tb_verifier *v, const struct tb_event *event,
                                   const struct tb_verify_when *when) {
  enum tb_status status = TB_OK;
  for (uint32_t i = 0; i < event->flow_count; i++) {
    struct tb_verify_flow *flow = find_flow(v, (struct tb_flow){event->flow_ids[i], TB_FLOW_SPACE_NUMBER});
    if (!flow) return TB_NO_MEMORY;
    flow->ended |= flow->began;
    begin(flow, when, event->offset);
  }
  for (uint32_t i = 0; i < event->terminating_flow_count && status == TB_OK; i++) {
    struct tb_verify_flow *flow = find_flow(v, (struct tb_flow){event->terminating_flow_ids[i], TB_FLOW_SPACE_NUMBER});
    if (!flow) return TB_NO_MEMORY;
    const struct tb_verify_when behind = {when->ts, when->rank, when->number + 1}; /* the ids that begin */
    status = go_on(v, flow, &behind, event->offset);
  }
  return status;
}

enum tb_status tb_verify_flow_ids(struct tb_verifier *v, const struct tb_event *event, struct tb_verify_when when) {
  when.number *= 2; /* an event has two places */
  enum tb_status status = step_numbers(v, event, &when);
  bool in = event->has & TB_HAS_FLOW_IN, out = event->has & TB_HAS_FLOW_OUT;
  if (status != TB_OK || event->bind_id.kind == TB_ID_NONE || (!in && !out)) return status;
  struct tb_flow id;
  status = tb_flow_edges_flow(&v->flow_ids, event, &event->bind_id, TB_FLOW_SPACE_ID, true, &id);
  struct tb_verify_flow *flow = status == TB_OK ? find_flow(v, id) : NULL;
  if (!flow) return TB_NO_MEMORY;
  if (in) status = go_on(v, flow, &when, event->offset);
  if (out) begin(flow, &when, event->offset);
  return status;
}

enum tb_status tb_verify_flow_event(struct tb_verifier *v, const struct tb_event *event, struct tb_verify_when when) {
  if (event->has & TB_HAS_FLOWS_DUPLICATED) return TB_OK; /* the slice says it */
  struct tb_flow id;
  enum tb_status status =
      tb_flow_edges_flow(&v->flow_ids, event, &event->id, TB_FLOW_SPACE_NAMED, event->has & TB_HAS_ID_ONLY_MATCH, &id);
  struct tb_verify_flow *flow = status == TB_OK ? find_flow(v, id) : NULL;
  if (!flow) return TB_NO_MEMORY;
  when.number *= 2;
  if (event->type != TB_EVENT_FLOW_BEGIN) return go_on(v, flow, &when, event->offset);
  begin(flow, &when, event->offset);
  return TB_OK;
}

void tb_verify_flows_end(struct tb_verifier *v) {
  for (size_t i = 0; i < v->step_count; i++) {
    const struct tb_verify_step *step = &v->steps[i];
    const struct tb_verify_flow *flow = &v->flows[step->flow];
    if (!flow->began || !is_before(&flow->begin, &step->when))
      tb_verifier_find(v, TB_FINDS_FLOW_WITHOUT_BEGIN, step->offset);
  }
  for (size_t i = 0; i < v->flow_count; i++)
    if (v->flows[i].began && !v->flows[i].ended)
      tb_verifier_find(v, TB_FINDS_FLOW_WITHOUT_END, v->flows[i].begin_offset);
}

void tb_verify_flows_free(struct tb_verifier *v) {
  tb_free(v->allocator, v->flows, v->flow_capacity * sizeof(*v->flows));
  tb_free(v->allocator, v->steps, v->step_capacity * sizeof(*v->steps));
  tb_map_free(&v->flow_places);
  tb_flow_edges_free(&v->flow_ids);
}
