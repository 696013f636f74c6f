/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices and flows of tracks whose events come in the order of time, as they come. What is found is what the sorted
 * ones (verify_slices.c) would give, whose frames are those of two stacks in one: the shaper's, which has all that
 * opens, and the trace processor's, which has what is not `dropped`.
 *
 * Where complete slices sort first at their time (tb_source_traits), a track may be in order though its events at one
 * time are not, if that changes nothing:
 *
 *   an END of an older slice comes before what is at its time:  whatever that is has ended by the END, or ended with it
 *   a complete slice comes before BEGINs at its time:           it ends within the slice around both, as all behind it
 *                                                               do that begin before it ends (`swapped`)
 *
 * Then they differ in whether a track without open slices still has a frame of one that has ended, to which a flow
 * event binds (`unsure_if_empty`). Whatever else differs needs to be sorted.
 */
#include "timeline/entry_rank.h"
#include "timeline/sort_queue.h"
#include "toolbox/verify/verifier.h"

enum { FRAMES_MAX = 1 << 28 };
enum { LOOKED_AT = 64 }; /* frames of a track: where more are open, sorted slices are found by name */

enum verify_seen {
  SEEN_SHORT = 1,        /* instants, and slices of no duration */
  SEEN_COMPLETE = 2,     /* longer ones */
  SEEN_FLOW = 4,         /* a flow event */
  SEEN_OUTSIDE_FLOW = 8, /* in no slice, where it has to be in one */
  SEEN_CROSSED_END = 16  /* an END of another slice than the innermost */
};

/* ---- frames ------------------------------------------------------------------------------------------------------ */

/* NULL without memory. */
static struct tb_verify_frame *push(struct tb_verifier *v, struct tb_verify_stream *stream) {
  uint32_t place = v->free_frame;
  if (place) {
    v->free_frame = v->frames[place].below;
  } else {
    size_t needed = v->frame_count ? v->frame_count + 1 : 2; /* the first is none */
    void *frames = v->frames;
    if (needed > v->frame_capacity &&
        tb_grow_array(v->allocator, &frames, &v->frame_capacity, needed, sizeof(*v->frames), FRAMES_MAX) != TB_OK)
      return NULL;
    v->frames = frames;
    v->frame_count = needed;
    place = (uint32_t)needed - 1;
  }
  struct tb_verify_frame *frame = &v->frames[place];
  frame->below = stream->top;
  stream->top = place;
  return frame;
}

static void pop(struct tb_verifier *v, struct tb_verify_stream *stream) {
  struct tb_verify_frame *frame = &v->frames[stream->top];
  uint32_t place = stream->top;
  stream->top = frame->below;
  frame->below = v->free_frame;
  v->free_frame = place;
}

/* Takes off what ended by `ts`. */
static void close_finished(struct tb_verifier *v, struct tb_verify_stream *stream, int64_t ts) {
  while (stream->top && v->frames[stream->top].end <= ts) pop(v, stream);
  if (!stream->top) stream->swapped = false;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* A complete slice comes before all else at its time, longer ones first. */
static bool is_complete_in_order(struct tb_verify_stream *stream, int64_t dur) {
  if (dur > stream->dur || stream->seen & (SEEN_CROSSED_END | SEEN_OUTSIDE_FLOW)) return false;
  stream->dur = dur;
  stream->seen |= SEEN_COMPLETE;
  stream->swapped |= stream->begun != 0;
  return true;
}

void tb_verify_stream_start_time(struct tb_verify_stream *stream, int64_t ts) {
  if (ts == stream->ts) return;
  stream->ts = ts;
  stream->dur = INT64_MAX;
  stream->begun = 0;
  stream->seen = 0;
}

/* Whether the event comes in order on its track, but for what is asked when it is taken. */
static bool is_in_order(struct tb_verify_stream *stream, const struct tb_slice_point *point, bool complete_first) {
  if (point->ts < stream->ts) return false;
  tb_verify_stream_start_time(stream, point->ts);
  if (tb_slice_point_type(point) != TB_POINT_COMPLETE) return true;
  if (complete_first && point->dur > 0) return is_complete_in_order(stream, point->dur);
  stream->seen |= SEEN_SHORT;
  return true;
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static enum tb_status begin_slice(struct tb_verifier *v, struct tb_verify_stream *stream,
                                  const struct tb_slice_point *point) {
  close_finished(v, stream, point->ts);
  struct tb_verify_frame *frame = push(v, stream);
  if (!frame) return TB_NO_MEMORY;
  frame->end = INT64_MAX;
  frame->offset = point->offset;
  frame->name = point->name;
  frame->categories = point->categories;
  stream->begun++;
  stream->unsure_if_empty = false;
  return TB_OK;
}

/* Whether the innermost slice that began before those BEGINs that come behind a complete slice of their time, and has
 * not ended, ends before `end`. TB_UNSUPPORTED where it is too far down. */
static enum tb_status find_overlap(const struct tb_verifier *v, const struct tb_verify_stream *stream, int64_t end,
                                   bool complete_first, bool *overlaps) {
  uint32_t behind = complete_first ? stream->begun : 0, place = stream->top;
  *overlaps = false;
  for (size_t i = 0; place; place = v->frames[place].below) {
    const struct tb_verify_frame *frame = &v->frames[place];
    if (i++ == LOOKED_AT) return TB_UNSUPPORTED;
    const bool is_open = frame->end == INT64_MAX;
    if (frame->end <= stream->ts || (!is_open && frame->dropped)) continue;
    if (is_open && behind && behind--) continue;
    *overlaps = end > frame->end;
    return TB_OK;
  }
  return TB_OK;
}

static enum tb_status put_complete(struct tb_verifier *v, struct tb_verify_stream *stream,
                                   const struct tb_slice_point *point, bool complete_first) {
  bool overlaps = false, is_negative = point->dur < 0;
  const int64_t end = tb_slice_end(point->ts, is_negative ? 0 : point->dur);
  enum tb_status status = TB_OK;
  close_finished(v, stream, point->ts);
  if (!is_negative) status = find_overlap(v, stream, end, complete_first && point->dur > 0, &overlaps);
  if (status != TB_OK) return status;
  if (overlaps && stream->swapped) return TB_UNSUPPORTED;
  if (overlaps) tb_verifier_find(v, TB_FINDS_OVERLAP, point->offset);
  struct tb_verify_frame *frame = push(v, stream);
  if (!frame) return TB_NO_MEMORY;
  frame->end = end;
  frame->dropped = overlaps || is_negative; /* a negative duration was found as it came */
  stream->unsure_if_empty = false;
  return TB_OK;
}

static enum tb_status put_instant(struct tb_verifier *v, struct tb_verify_stream *stream,
                                  const struct tb_slice_point *point) {
  close_finished(v, stream, point->ts);
  struct tb_verify_frame *frame = push(v, stream);
  if (!frame) return TB_NO_MEMORY;
  frame->end = point->ts;
  frame->dropped = true;
  stream->seen |= SEEN_SHORT;
  stream->unsure_if_empty = false;
  return TB_OK;
}

/* The frame that an END is for, 0: none. */
static enum tb_status find_begin(const struct tb_verifier *v, const struct tb_verify_stream *stream,
                                 const struct tb_slice_point *point, uint32_t *found) {
  const uint64_t name = point->name;
  const uint32_t categories = point->categories;
  uint32_t place = stream->top;
  *found = 0;
  for (size_t i = 0; place; place = v->frames[place].below) {
    const struct tb_verify_frame *frame = &v->frames[place];
    if (i++ == LOOKED_AT) return TB_UNSUPPORTED;
    if (frame->end != INT64_MAX || (name && name != frame->name) ||
        (categories && frame->categories && categories != frame->categories))
      continue;
    *found = place;
    return TB_OK;
  }
  return TB_OK;
}

/* An END of a slice that began before its time, which comes before all else at its time where a complete slice of
 * another track begins then. */
static bool is_older_in_order(struct tb_verify_stream *stream) {
  bool is_empty = !stream->top;
  if (stream->seen & (SEEN_COMPLETE | SEEN_CROSSED_END) || (is_empty && stream->seen & SEEN_FLOW)) return false;
  stream->unsure_if_empty |= is_empty && stream->seen & SEEN_SHORT;
  return true;
}

static enum tb_status end_slice(struct tb_verifier *v, struct tb_verify_stream *stream,
                                const struct tb_slice_point *point, bool complete_first) {
  uint32_t found;
  bool is_older = !stream->begun, swapped = stream->swapped;
  close_finished(v, stream, point->ts);
  stream->unsure_if_empty = false;
  enum tb_status status = find_begin(v, stream, point, &found);
  if (status != TB_OK) return status;
  bool is_innermost = found && found == stream->top;
  v->end_has_begin = found != 0;
  if (!found)
    tb_verifier_find(v, TB_FINDS_END_WITHOUT_BEGIN, point->offset);
  else if (!is_innermost)
    v->frames[found].end = INT64_MIN;
  else
    do pop(v, stream);
    while (stream->top && v->frames[stream->top].end == INT64_MIN);
  if (!is_older) stream->begun--;
  if (!is_older && !is_innermost) stream->seen |= SEEN_CROSSED_END;
  if (complete_first && is_older && !is_older_in_order(stream)) return TB_UNSUPPORTED;
  if (swapped && !stream->top) stream->unsure_if_empty = true;
  return TB_OK;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* A flow event that has to be in a slice. */
static enum tb_status put_flow(struct tb_verifier *v, struct tb_verify_stream *stream,
                               const struct tb_slice_point *point) {
  stream->seen |= SEEN_FLOW;
  if (stream->top) return TB_OK;
  if (stream->unsure_if_empty) return TB_UNSUPPORTED;
  stream->seen |= SEEN_OUTSIDE_FLOW;
  tb_verifier_find(v, TB_FINDS_FLOW_WITHOUT_SLICE, point->offset);
  return TB_OK;
}

enum tb_status tb_verify_stream_take(struct tb_verifier *v, struct tb_verify_stream *stream,
                                     const struct tb_slice_point *point, bool complete_first) {
  if (!is_in_order(stream, point, complete_first)) return TB_UNSUPPORTED;
  switch (tb_slice_point_type(point)) {
    case TB_POINT_BEGIN:
      return begin_slice(v, stream, point);
    case TB_POINT_END:
      return end_slice(v, stream, point, complete_first);
    case TB_POINT_COMPLETE:
      return put_complete(v, stream, point, complete_first);
    case TB_POINT_INSTANT:
      return put_instant(v, stream, point);
    default:
      return put_flow(v, stream, point);
  }
}

bool tb_verify_stream_is_idle(const struct tb_verify_stream *stream) {
  return !stream->top && !(stream->seen & SEEN_CROSSED_END);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void find_endless(struct tb_verifier *v, const struct tb_verify_stream *stream) {
  for (uint32_t place = stream->top; place; place = v->frames[place].below)
    if (v->frames[place].end == INT64_MAX) tb_verifier_find(v, TB_FINDS_BEGIN_WITHOUT_END, v->frames[place].offset);
}

void tb_verify_streams_end(struct tb_verifier *v) {
  for (size_t i = 0; i < v->use_count; i++) find_endless(v, &v->uses[i].stream);
  for (size_t i = 0; i < v->async_count; i++) find_endless(v, &v->async[i]);
}

void tb_verify_streams_free(struct tb_verifier *v) {
  tb_free(v->allocator, v->frames, v->frame_capacity * sizeof(*v->frames));
  tb_verify_async_free(v);
  tb_free(v->allocator, v->group, v->group_capacity * sizeof(*v->group));
  tb_slice_log_free(&v->log);
}
