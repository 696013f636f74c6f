/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices and flows in the order of time, as the shaper gives them.
 *
 * What overlaps is found as the trace processor finds it: what has ended by the begin of a slice is no longer open; a
 * slice that ends behind the one that it begins in is dropped, so that nothing is inside of it.
 */
#include "toolbox/verify/verifier.h"

enum { OPEN_MAX = 1 << 24, FLOWS_MAX = 1 << 30 };

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static struct tb_verify_track *find_track(struct tb_verifier *v, const struct tb_track *track) {
  if (track->index >= v->track_count) {
    void *tracks = v->tracks;
    enum tb_status status = tb_grow_zeroed(v->allocator, &tracks, &v->track_count, (size_t)track->index + 1,
                                           sizeof(*v->tracks), UINT32_MAX);
    v->tracks = tracks;
    if (status != TB_OK) return NULL;
  }
  return &v->tracks[track->index];
}

static enum tb_status push(struct tb_verifier *v, struct tb_verify_track *track, const struct tb_verify_slice *slice) {
  void *open = track->open;
  enum tb_status status =
      tb_grow_array(v->allocator, &open, &track->capacity, track->count + 1, sizeof(*track->open), OPEN_MAX);
  track->open = open;
  if (status == TB_OK) track->open[track->count++] = *slice;
  return status;
}

static enum tb_status begin_slice(struct tb_verifier *v, const struct tb_event *event) {
  struct tb_verify_track *track = find_track(v, event->track);
  if (!track) return TB_NO_MEMORY;
  bool complete = event->type == TB_EVENT_SLICE_COMPLETE;
  if (complete && event->dur < 0) return TB_OK; /* found as it came */
  while (track->count && track->open[track->count - 1].end <= event->ts) track->count--;
  struct tb_verify_slice slice = {INT64_MAX, event->slice_id, event->offset};
  if (complete) slice.end = tb_slice_end(event->ts, event->dur);
  if (!complete || !track->count || slice.end <= track->open[track->count - 1].end) return push(v, track, &slice);
  tb_verifier_find(v, TB_FINDS_OVERLAP, event->offset);
  return TB_OK;
}

static void end_slice(struct tb_verifier *v, const struct tb_event *event) {
  struct tb_verify_track *track = find_track(v, event->track);
  for (size_t i = track ? track->count : 0; i-- > 0;) {
    if (track->open[i].id != event->slice_id) continue;
    memmove(&track->open[i], &track->open[i + 1], (track->count - i - 1) * sizeof(*track->open));
    track->count--;
    return;
  }
}

static void find_endless(struct tb_verifier *v) {
  for (size_t i = 0; i < v->track_count; i++)
    for (size_t k = 0; k < v->tracks[i].count; k++)
      if (v->tracks[i].open[k].end == INT64_MAX)
        tb_verifier_find(v, TB_FINDS_BEGIN_WITHOUT_END, v->tracks[i].open[k].offset);
}

/* ---- flows ------------------------------------------------------------------------------------------------------- */

/* NULL without memory. */
static struct tb_verify_flow *find_flow(struct tb_verifier *v, struct tb_flow id, uint64_t offset) {
  uint32_t place;
  if (tb_map_get(&v->flow_places, id.id, id.kind, &place)) return &v->flows[place];
  void *flows = v->flows;
  enum tb_status status =
      tb_grow_array(v->allocator, &flows, &v->flow_capacity, v->flow_count + 1, sizeof(*v->flows), FLOWS_MAX);
  v->flows = flows;
  if (status != TB_OK || tb_map_put(&v->flow_places, id.id, id.kind, v->flow_count) != TB_OK) return NULL;
  v->flows[v->flow_count] = (struct tb_verify_flow){.first_offset = offset};
  return &v->flows[v->flow_count++];
}

static enum tb_status step(struct tb_verifier *v, struct tb_flow id, bool begins, bool goes_on, uint64_t offset) {
  struct tb_verify_flow *flow = find_flow(v, id, offset);
  if (!flow) return TB_NO_MEMORY;
  if (goes_on && !flow->began) tb_verifier_find(v, TB_FINDS_FLOW_WITHOUT_BEGIN, offset);
  flow->ended |= goes_on;
  flow->began |= begins;
  return TB_OK;
}

/* Of the ids on a slice, which first begin a flow and then go on with it. */
static enum tb_status step_ids(struct tb_verifier *v, const struct tb_event *event) {
  enum tb_status status = TB_OK;
  for (uint32_t i = 0; i < event->flow_count && status == TB_OK; i++) {
    const struct tb_flow id = {event->flow_ids[i], TB_FLOW_SPACE_NUMBER};
    struct tb_verify_flow *flow = find_flow(v, id, event->offset);
    if (!flow) return TB_NO_MEMORY;
    status = step(v, id, true, flow->began, event->offset);
  }
  for (uint32_t i = 0; i < event->terminating_flow_count && status == TB_OK; i++)
    status =
        step(v, (struct tb_flow){event->terminating_flow_ids[i], TB_FLOW_SPACE_NUMBER}, false, true, event->offset);
  bool in = event->has & TB_HAS_FLOW_IN, out = event->has & TB_HAS_FLOW_OUT;
  if (status != TB_OK || event->bind_id.kind == TB_ID_NONE || (!in && !out)) return status;
  struct tb_flow flow;
  status = tb_flow_edges_flow(&v->flow_ids, event, &event->bind_id, TB_FLOW_SPACE_ID, true, &flow);
  return status == TB_OK ? step(v, flow, out, in, event->offset) : status;
}

static enum tb_status step_event(struct tb_verifier *v, const struct tb_event *event) {
  if (event->has & TB_HAS_FLOWS_DUPLICATED) return TB_OK;                           /* the slice says it */
  const struct tb_shape_track *track = (const struct tb_shape_track *)event->track; /* its first member */
  bool begins = event->type == TB_EVENT_FLOW_BEGIN, ends = event->type == TB_EVENT_FLOW_END;
  if (!track->open.count && (!ends || event->has & TB_HAS_BIND_ENCLOSING))
    tb_verifier_find(v, TB_FINDS_FLOW_WITHOUT_SLICE, event->offset);
  struct tb_flow flow;
  enum tb_status status = tb_flow_edges_flow(&v->flow_ids, event, &event->id, TB_FLOW_SPACE_NAMED,
                                             event->has & TB_HAS_ID_ONLY_MATCH, &flow);
  return status == TB_OK ? step(v, flow, begins, !begins, event->offset) : status;
}

static void find_endless_flows(struct tb_verifier *v) {
  for (size_t i = 0; i < v->flow_count; i++)
    if (v->flows[i].began && !v->flows[i].ended)
      tb_verifier_find(v, TB_FINDS_FLOW_WITHOUT_END, v->flows[i].first_offset);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static enum tb_status take(struct tb_verifier *v, const struct tb_event *event) {
  enum tb_status status = TB_OK;
  switch (event->type) {
    case TB_EVENT_SLICE_BEGIN:
    case TB_EVENT_SLICE_COMPLETE:
      status = begin_slice(v, event);
      break;
    case TB_EVENT_SLICE_END:
      end_slice(v, event);
      break;
    case TB_EVENT_INSTANT:
      break;
    case TB_EVENT_FLOW_BEGIN:
    case TB_EVENT_FLOW_STEP:
    case TB_EVENT_FLOW_END:
      return step_event(v, event);
    default:
      return TB_OK;
  }
  return status == TB_OK ? step_ids(v, event) : status;
}

enum tb_status tb_verify_slices(struct tb_verifier *v) {
  enum tb_status status = v->has_shaper ? TB_OK : TB_END;
  while (status == TB_OK && (status = tb_shaper_step(&v->shaper, v->error)) == TB_OK) {
    const struct tb_event *event;
    while (status == TB_OK && (event = tb_shaper_take(&v->shaper)) != NULL) status = take(v, event);
  }
  if (status != TB_END) return status;
  find_endless(v);
  find_endless_flows(v);
  for (size_t i = 0; i < v->unpaired.count; i++)
    tb_verifier_find_many(v, tb_finding_of_loss(&v->unpaired.entries[i]), v->unpaired.entries[i].count,
                          v->unpaired.entries[i].first_offset);
  return TB_OK;
}

void tb_verify_slices_free(struct tb_verifier *v) {
  for (size_t i = 0; i < v->track_count; i++)
    tb_free(v->allocator, v->tracks[i].open, v->tracks[i].capacity * sizeof(*v->tracks[i].open));
  tb_free(v->allocator, v->tracks, v->track_count * sizeof(*v->tracks));
  tb_free(v->allocator, v->flows, v->flow_capacity * sizeof(*v->flows));
  tb_map_free(&v->flow_places);
  tb_flow_edges_free(&v->flow_ids);
  if (v->has_shaper) tb_shaper_free(&v->shaper);
}
