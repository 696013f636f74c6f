/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices and flows in the order of time, as the shaper gives them: of tracks whose events come in no order.
 *
 * What overlaps is found as the trace processor finds it: what has ended by the begin of a slice is no longer open; a
 * slice that ends behind the one that it begins in is dropped, so that nothing is inside of it.
 */
#include "toolbox/verify/verifier.h"

enum { OPEN_MAX = 1 << 24 };

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

/* They come in their order. */
static struct tb_verify_when next_when(struct tb_verifier *v) {
  return (struct tb_verify_when){.number = ++v->sorted_points};
}

static enum tb_status step_event(struct tb_verifier *v, const struct tb_event *event) {
  const struct tb_shape_track *track = (const struct tb_shape_track *)event->track; /* its first member */
  if (!track->open.count && tb_verify_needs_slice(event))
    tb_verifier_find(v, TB_FINDS_FLOW_WITHOUT_SLICE, event->offset);
  return tb_verify_flow_event(v, event, next_when(v));
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
  return status == TB_OK && tb_verify_has_flow_ids(event) ? tb_verify_flow_ids(v, event, next_when(v)) : status;
}

enum tb_status tb_verify_slices(struct tb_verifier *v) {
  enum tb_status status = v->has_shaper ? TB_OK : TB_END;
  while (status == TB_OK && (status = tb_shaper_step(&v->shaper, v->error)) == TB_OK) {
    const struct tb_event *event;
    while (status == TB_OK && (event = tb_shaper_take(&v->shaper)) != NULL) status = take(v, event);
  }
  if (status != TB_END) return status;
  find_endless(v);
  for (size_t i = 0; i < v->unpaired.count; i++)
    tb_verifier_find_many(v, tb_finding_of_loss(&v->unpaired.entries[i]), v->unpaired.entries[i].count,
                          v->unpaired.entries[i].first_offset);
  return TB_OK;
}

void tb_verify_slices_free(struct tb_verifier *v) {
  for (size_t i = 0; i < v->track_count; i++)
    tb_free(v->allocator, v->tracks[i].open, v->tracks[i].capacity * sizeof(*v->tracks[i].open));
  tb_free(v->allocator, v->tracks, v->track_count * sizeof(*v->tracks));
  if (v->has_shaper) tb_shaper_free(&v->shaper);
}
