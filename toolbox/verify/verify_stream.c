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
#include "model/tracks.h"
#include "timeline/entry_rank.h"
#include "timeline/sort_queue.h"
#include "toolbox/verify/verifier.h"

enum { FRAMES_MAX = 1 << 28, STREAMS_MAX = 1 << 28 };
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
  frame->ended = frame->dropped = false;
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
  while (stream->top && (v->frames[stream->top].end <= ts || v->frames[stream->top].ended)) pop(v, stream);
  if (!stream->top) stream->swapped = false;
}

static uint64_t hash_of(struct tb_str text) { return text.len ? tb_str_hash(text, 0) | 1 : 0; }

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* A complete slice comes before all else at its time, longer ones first. */
static bool is_complete_in_order(struct tb_verify_stream *stream, int64_t dur) {
  if (dur > stream->dur || stream->seen & (SEEN_CROSSED_END | SEEN_OUTSIDE_FLOW)) return false;
  stream->dur = dur;
  stream->seen |= SEEN_COMPLETE;
  stream->swapped |= stream->begun != 0;
  return true;
}

/* Whether the event comes in order on its track, but for what is asked when it was taken. */
static bool is_in_order(struct tb_verify_stream *stream, const struct tb_source_traits *source,
                        const struct tb_event *event) {
  if (!(event->has & TB_HAS_TS) || event->ts < stream->ts) return false;
  if (event->ts != stream->ts) {
    stream->ts = event->ts;
    stream->dur = INT64_MAX;
    stream->begun = 0;
    stream->seen = 0;
  }
  if (event->type != TB_EVENT_SLICE_COMPLETE) return true;
  if (source->complete_first && event->dur > 0) return is_complete_in_order(stream, event->dur);
  stream->seen |= SEEN_SHORT;
  return true;
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static enum tb_status begin_slice(struct tb_verifier *v, struct tb_verify_stream *stream,
                                  const struct tb_event *event) {
  close_finished(v, stream, event->ts);
  struct tb_verify_frame *frame = push(v, stream);
  if (!frame) return TB_NO_MEMORY;
  frame->end = INT64_MAX;
  frame->offset = event->offset;
  frame->name = hash_of(event->name);
  frame->categories = hash_of(event->categories);
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
    if (frame->dropped || frame->ended || frame->end <= stream->ts) continue;
    if (frame->end == INT64_MAX && behind && behind--) continue;
    *overlaps = end > frame->end;
    return TB_OK;
  }
  return TB_OK;
}

static enum tb_status put_complete(struct tb_verifier *v, struct tb_verify_stream *stream, bool complete_first,
                                   const struct tb_event *event) {
  bool overlaps = false, is_negative = event->dur < 0;
  const int64_t end = tb_slice_end(event->ts, is_negative ? 0 : event->dur);
  enum tb_status status = TB_OK;
  close_finished(v, stream, event->ts);
  if (!is_negative) status = find_overlap(v, stream, end, complete_first && event->dur > 0, &overlaps);
  if (status != TB_OK) return status;
  if (overlaps && stream->swapped) return TB_UNSUPPORTED;
  if (overlaps) tb_verifier_find(v, TB_FINDS_OVERLAP, event->offset);
  struct tb_verify_frame *frame = push(v, stream);
  if (!frame) return TB_NO_MEMORY;
  frame->end = end;
  frame->dropped = overlaps || is_negative; /* a negative duration was found as it came */
  stream->unsure_if_empty = false;
  return TB_OK;
}

static enum tb_status put_instant(struct tb_verifier *v, struct tb_verify_stream *stream,
                                  const struct tb_event *event) {
  close_finished(v, stream, event->ts);
  struct tb_verify_frame *frame = push(v, stream);
  if (!frame) return TB_NO_MEMORY;
  frame->end = event->ts;
  frame->dropped = true;
  stream->seen |= SEEN_SHORT;
  stream->unsure_if_empty = false;
  return TB_OK;
}

/* The frame that an END is for, 0: none. */
static enum tb_status find_begin(const struct tb_verifier *v, const struct tb_verify_stream *stream,
                                 const struct tb_event *event, uint32_t *found) {
  uint64_t name = hash_of(event->name), categories = hash_of(event->categories);
  uint32_t place = stream->top;
  *found = 0;
  for (size_t i = 0; place; place = v->frames[place].below) {
    const struct tb_verify_frame *frame = &v->frames[place];
    if (i++ == LOOKED_AT) return TB_UNSUPPORTED;
    if (frame->end != INT64_MAX || frame->ended || (name && name != frame->name) ||
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
                                const struct tb_source_traits *source, const struct tb_event *event) {
  uint32_t found;
  bool is_older = !stream->begun, swapped = stream->swapped;
  close_finished(v, stream, event->ts);
  stream->unsure_if_empty = false;
  enum tb_status status = find_begin(v, stream, event, &found);
  if (status != TB_OK) return status;
  bool is_innermost = found && found == stream->top;
  if (!found)
    tb_verifier_find(v, TB_FINDS_END_WITHOUT_BEGIN, event->offset);
  else if (!is_innermost)
    v->frames[found].ended = true;
  else
    do pop(v, stream);
    while (stream->top && v->frames[stream->top].ended);
  if (!is_older) stream->begun--;
  if (!is_older && !is_innermost) stream->seen |= SEEN_CROSSED_END;
  if (source->complete_first && is_older && !is_older_in_order(stream)) return TB_UNSUPPORTED;
  if (swapped && !stream->top) stream->unsure_if_empty = true;
  if (!found || !tb_verify_has_flow_ids(event)) return TB_OK;
  if (source->complete_first) return TB_UNSUPPORTED; /* where it is among flows depends on other tracks */
  const struct tb_verify_when when = {event->ts, TB_RANK_OTHER, v->result.events};
  return tb_verify_flow_ids(v, event, when);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static struct tb_verify_when when_of(const struct tb_verifier *v, const struct tb_source_traits *source,
                                     const struct tb_event *event) {
  bool ranked = source->complete_first && event->type == TB_EVENT_SLICE_COMPLETE && event->dur > 0;
  return (struct tb_verify_when){event->ts, ranked ? event->dur : TB_RANK_OTHER, v->result.events};
}

static enum tb_status put_flow(struct tb_verifier *v, struct tb_verify_stream *stream,
                               const struct tb_source_traits *source, const struct tb_event *event) {
  bool is_outside = !stream->top && tb_verify_needs_slice(event);
  if (is_outside && stream->unsure_if_empty) return TB_UNSUPPORTED;
  stream->seen |= is_outside ? SEEN_FLOW | SEEN_OUTSIDE_FLOW : SEEN_FLOW;
  return tb_verify_flow_event(v, event, stream->top != 0, when_of(v, source, event));
}

enum tb_status tb_verify_stream_event(struct tb_verifier *v, struct tb_verify_stream *stream,
                                      const struct tb_source_traits *source, const struct tb_event *event) {
  enum tb_status status;
  if (!is_in_order(stream, source, event)) return TB_UNSUPPORTED;
  switch (event->type) {
    case TB_EVENT_SLICE_BEGIN:
    case TB_EVENT_ASYNC_BEGIN:
      status = begin_slice(v, stream, event);
      break;
    case TB_EVENT_SLICE_END:
    case TB_EVENT_ASYNC_END:
      return end_slice(v, stream, source, event);
    case TB_EVENT_SLICE_COMPLETE:
      status = put_complete(v, stream, source->complete_first, event);
      break;
    case TB_EVENT_INSTANT:
    case TB_EVENT_ASYNC_INSTANT:
      status = put_instant(v, stream, event);
      break;
    default:
      return put_flow(v, stream, source, event);
  }
  if (status != TB_OK || !tb_verify_has_flow_ids(event)) return status;
  return tb_verify_flow_ids(v, event, when_of(v, source, event));
}

/* ---- async events ------------------------------------------------------------------------------------------------ */

/* The id of a text, 0 of an empty one. False without memory. */
static bool text_id(struct tb_verifier *v, struct tb_str text, uint32_t *id) {
  *id = text.len ? tb_intern_id(&v->async_texts, text) : 0;
  return *id || !text.len;
}

/* What tells an async event apart, as tb_shape_async has it. */
static bool make_key(struct tb_verifier *v, const struct tb_event *event, struct tb_map_key *key) {
  struct {
    uint32_t mark, kind, process, name, categories, scope; /* the mark is in no text that is UTF-8 */
  } other = {UINT32_MAX, event->id.kind * 2u + event->id.is_number, UINT32_MAX, 0, 0, 0};
  bool is_legacy = event->phase && strchr("STpF", event->phase);
  uint32_t id = 0, number;
  const struct tb_track *process = event->id.kind == TB_ID_LOCAL ? tb_track_process(event->track) : NULL;
  if (process) other.process = process->index;
  if (is_legacy) {
    other.kind |= 1u << 8;
    if (!text_id(v, event->name, &other.name)) return false;
  }
  if (!event->id.is_number && !text_id(v, event->id.text, &id)) return false;
  if (!(event->has & TB_HAS_ID_ONLY_MATCH) && !text_id(v, event->categories, &other.categories)) return false;
  if (!text_id(v, event->scope, &other.scope) ||
      !text_id(v, (struct tb_str){(const char *)&other, sizeof(other)}, &number))
    return false;
  *key = (struct tb_map_key){event->id.is_number ? event->id.value : id, number};
  return true;
}

/* The place of an id's stream; false without memory. */
static bool find_async(struct tb_verifier *v, struct tb_map_key key, uint32_t *place) {
  if (tb_map_get(&v->async_ids, key.first, key.second, place)) return true;
  *place = (uint32_t)v->async_count;
  if (v->free_async) {
    *place = v->free_async - 1;
    v->free_async = v->async[*place].top;
  } else {
    void *async = v->async;
    enum tb_status status =
        tb_grow_array(v->allocator, &async, &v->async_capacity, v->async_count + 1, sizeof(*v->async), STREAMS_MAX);
    v->async = async;
    if (status != TB_OK) return false;
    v->async_count++;
  }
  v->async[*place] = TB_VERIFY_STREAM_START;
  return tb_map_put(&v->async_ids, key.first, key.second, *place) == TB_OK;
}

/* Nothing of the id is open, and nothing earlier comes. */
static void forget_async(struct tb_verifier *v, struct tb_map_key key, uint32_t place) {
  tb_map_remove(&v->async_ids, key.first, key.second);
  v->async[place].top = v->free_async;
  v->free_async = place + 1;
  v->forgot_ids = true;
}

/* TB_UNSUPPORTED: the event may be earlier than what was forgotten. */
static enum tb_status note_async_time(struct tb_verifier *v, const struct tb_event *event) {
  if (event->ts < v->async_ts) v->sorts |= TB_KEEPS_IDS;
  v->async_ts = event->ts;
  v->forgot_too_early = v->sorts & TB_KEEPS_IDS && v->forgot_ids;
  return v->forgot_too_early ? TB_UNSUPPORTED : TB_OK;
}

enum tb_status tb_verify_stream_async(struct tb_verifier *v, const struct tb_source_traits *source,
                                      const struct tb_event *event) {
  struct tb_map_key key;
  uint32_t place;
  enum tb_status status = note_async_time(v, event);
  if (status != TB_OK) return status;
  if (!make_key(v, event, &key) || !find_async(v, key, &place)) return TB_NO_MEMORY;
  struct tb_verify_stream *stream = &v->async[place];
  status = tb_verify_stream_event(v, stream, source, event);
  if (!stream->top && !(stream->seen & SEEN_CROSSED_END) && !(v->sorts & TB_KEEPS_IDS)) forget_async(v, key, place);
  return status;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void find_endless(struct tb_verifier *v, const struct tb_verify_stream *stream) {
  for (uint32_t place = stream->top; place; place = v->frames[place].below)
    if (v->frames[place].end == INT64_MAX && !v->frames[place].ended)
      tb_verifier_find(v, TB_FINDS_BEGIN_WITHOUT_END, v->frames[place].offset);
}

void tb_verify_streams_end(struct tb_verifier *v) {
  struct tb_map_entry id;
  for (size_t i = 0; i < v->use_count; i++) find_endless(v, &v->uses[i].stream);
  for (size_t at = 0; tb_map_next(&v->async_ids, &at, &id);) find_endless(v, &v->async[id.value]);
}

void tb_verify_streams_init(struct tb_verifier *v) {
  tb_intern_init(&v->async_texts, v->allocator);
  tb_map_init(&v->async_ids, v->allocator);
  v->async_ts = INT64_MIN;
}

void tb_verify_streams_free(struct tb_verifier *v) {
  tb_free(v->allocator, v->async, v->async_capacity * sizeof(*v->async));
  tb_free(v->allocator, v->frames, v->frame_capacity * sizeof(*v->frames));
  tb_map_free(&v->async_ids);
  tb_intern_free(&v->async_texts);
}
