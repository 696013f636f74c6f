/* SPDX-License-Identifier: Apache-2.0
 *
 * The streams of async events, one of each id. As long as there is a log, the events wait in it, so that nothing is
 * done twice where they turn out to come in no order of time. Without one an id of which nothing is open is forgotten,
 * since a trace may have any number of them; not where what is earlier may come.
 */
#include "model/tracks.h"
#include "toolbox/verify/verifier.h"

enum { STREAMS_MAX = 1 << 28 };

/* The id of a text, 0 of an empty one. False without memory. */
static bool text_id(struct tb_verifier *v, struct tb_str text, uint32_t *id) {
  *id = text.len ? tb_intern_id(&v->async_texts, text) : 0;
  return *id || !text.len;
}

/* The number of what else than its id tells an async event apart: most events have one that came lately. */
static bool number_of(struct tb_verifier *v, const struct tb_async_kind *kind, uint32_t *number) {
  struct tb_async_recent *recent = &v->recent_kinds[(kind->process ^ kind->flags) % TB_ASYNC_RECENT];
  if (!recent->number || memcmp(&recent->kind, kind, sizeof(*kind)) != 0) {
    recent->kind = *kind;
    recent->number = tb_intern_id(&v->async_texts, (struct tb_str){(const char *)kind, sizeof(*kind)});
  }
  *number = recent->number;
  return *number != 0;
}

/* What tells an async event apart, as tb_shape_async has it. */
static bool make_key(struct tb_verifier *v, const struct tb_event *event, struct tb_map_key *key) {
  struct tb_async_kind kind = {UINT32_MAX, event->id.kind * 2u + event->id.is_number, UINT32_MAX, 0, 0, 0};
  bool is_legacy = event->phase == 'S' || event->phase == 'T' || event->phase == 'p' || event->phase == 'F';
  uint32_t id = 0, number;
  const struct tb_track *process = event->id.kind == TB_ID_LOCAL ? tb_track_process(event->track) : NULL;
  if (process) kind.process = process->index;
  if (is_legacy) {
    kind.flags |= 1u << 8;
    if (!text_id(v, event->name, &kind.name)) return false;
  }
  if (!event->id.is_number && !text_id(v, event->id.text, &id)) return false;
  if (!(event->has & TB_HAS_ID_ONLY_MATCH) && !text_id(v, event->categories, &kind.categories)) return false;
  if (!text_id(v, event->scope, &kind.scope) || !number_of(v, &kind, &number)) return false;
  *key = (struct tb_map_key){event->id.is_number ? event->id.value : id, number};
  return true;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* A number for a stream. False without memory. */
static bool take_number(struct tb_verifier *v, uint32_t *number) {
  void *async = v->async;
  *number = (uint32_t)v->async_count;
  if (v->free_async) {
    *number = v->free_async - 1;
    v->free_async = v->async[*number].begun;
    return true;
  }
  enum tb_status status =
      tb_grow_array(v->allocator, &async, &v->async_capacity, v->async_count + 1, sizeof(*v->async), STREAMS_MAX);
  v->async = async;
  if (status != TB_OK) return false;
  v->async_count++;
  return true;
}

static bool find(struct tb_verifier *v, struct tb_map_key key, uint32_t *number) {
  if (tb_map_get(&v->async_ids, key.first, key.second, number)) return true;
  if (!take_number(v, number)) return false;
  v->async[*number] = TB_VERIFY_STREAM_START;
  return tb_map_put(&v->async_ids, key.first, key.second, *number) == TB_OK;
}

/* Whether the event may be earlier than what was forgotten. */
static bool is_late(struct tb_verifier *v, const struct tb_slice_point *point) {
  if (point->ts < v->async_ts) v->keeps_ids = true;
  v->async_ts = point->ts;
  return v->keeps_ids && v->forgot_ids;
}

/* Whether the stream can be forgotten: nothing is open on it, and nothing earlier comes. */
static bool is_idle(const struct tb_verifier *v, uint32_t number) {
  return !v->keeps_ids && tb_verify_stream_is_idle(&v->async[number]);
}

/* The stream is there for another id. */
static void release(struct tb_verifier *v, uint32_t number) {
  v->async[number].begun = v->free_async;
  v->free_async = number + 1;
  v->forgot_ids = true;
}

bool tb_verify_forget_idle(struct tb_verifier *v) {
  struct tb_map kept;
  struct tb_map_entry id;
  bool ok = true;
  tb_map_init(&kept, v->allocator);
  for (size_t at = 0; ok && tb_map_next(&v->async_ids, &at, &id);)
    if (is_idle(v, (uint32_t)id.value))
      release(v, (uint32_t)id.value);
    else
      ok = tb_map_put(&kept, id.first, id.second, id.value) == TB_OK;
  tb_map_free(&v->async_ids);
  v->async_ids = kept;
  return ok;
}

void tb_verify_reset_streams(struct tb_verifier *v) {
  for (size_t i = 0; i < v->use_count; i++) v->uses[i].stream = TB_VERIFY_STREAM_START;
  for (size_t i = 0; i < v->async_count; i++) v->async[i] = TB_VERIFY_STREAM_START;
  v->frame_count = v->free_frame = 0;
}

void tb_verify_async_init(struct tb_verifier *v) {
  tb_intern_init(&v->async_texts, v->allocator);
  tb_map_init(&v->async_ids, v->allocator);
  v->async_ts = INT64_MIN;
}

void tb_verify_async_free(struct tb_verifier *v) {
  tb_free(v->allocator, v->async, v->async_capacity * sizeof(*v->async));
  tb_map_free(&v->async_ids);
  tb_intern_free(&v->async_texts);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static enum tb_status take(struct tb_verifier *v, const struct tb_verify_async *event) {
  uint32_t number;
  struct tb_slice_point point = event->point;
  enum tb_status status = tb_verify_make_room(v);
  if (status == TB_OK && v->way == TB_VERIFY_AS_THEY_COME && is_late(v, &point)) status = tb_verify_start_log(v);
  if (status != TB_OK) return status;
  if (!find(v, event->key, &number)) return TB_NO_MEMORY;
  point.place = tb_slice_point_place(tb_slice_point_type(&point), number << 1 | TB_ASYNC_STREAM);
  if (v->has_log) return tb_slice_log_add(&v->log, &point, v->error);
  status = tb_verify_stream_take(v, &v->async[number], &point, v->complete_first);
  if (status == TB_UNSUPPORTED) return tb_verify_start_log(v);
  if (status != TB_OK || !is_idle(v, number)) return status;
  tb_map_remove(&v->async_ids, event->key.first, event->key.second);
  release(v, number);
  return TB_OK;
}

/* Where many are open, an event waits for memory several times, one after the other: for all of them together that
 * takes no longer than for one. */
static void fetch_waiting(const struct tb_verifier *v) {
  uint32_t numbers[TB_ASYNC_WAITING_MAX];
  size_t count = 0;
  for (size_t i = 0; i < v->waiting_count; i++)
    tb_map_prefetch(&v->async_ids, v->waiting[i].key.first, v->waiting[i].key.second);
  if (v->has_log) return; /* their streams are not looked at yet */
  for (size_t i = 0; i < v->waiting_count; i++) {
    const struct tb_map_key *key = &v->waiting[i].key;
    if (tb_map_get(&v->async_ids, key->first, key->second, &numbers[count]))
      tb_verify_fetch_stream(&v->async[numbers[count++]]);
  }
  for (size_t i = 0; i < count; i++) tb_verify_fetch_frame(v, &v->async[numbers[i]]);
}

static enum tb_status take_waiting(struct tb_verifier *v) {
  enum tb_status status = TB_OK;
  fetch_waiting(v);
  for (size_t i = 0; status == TB_OK && i < v->waiting_count; i++) status = take(v, &v->waiting[i]);
  v->waiting_count = 0;
  return status;
}

enum tb_status tb_verify_take_async(struct tb_verifier *v, const struct tb_event *event,
                                    const struct tb_slice_point *point) {
  struct tb_verify_async *waiting = &v->waiting[v->waiting_count];
  if (!make_key(v, event, &waiting->key)) return TB_NO_MEMORY;
  waiting->point = *point;
  return ++v->waiting_count == TB_ASYNC_WAITING_MAX ? take_waiting(v) : TB_OK;
}

/* ---- from the log ------------------------------------------------------------------------------------------------ */

enum { FRAMES_AHEAD = 8, STREAMS_AHEAD = 16 };

static bool is_async(const struct tb_slice_point *point) { return tb_slice_point_stream(point) & TB_ASYNC_STREAM; }

/* For what comes soon behind a point of the log. */
static void fetch_ahead(struct tb_verifier *v, size_t i) {
  const struct tb_slice_point *points = v->log.points;
  if (i + STREAMS_AHEAD >= v->log.count) return;
  if (is_async(&points[i + STREAMS_AHEAD])) tb_verify_fetch_stream(tb_verify_stream_of(v, &points[i + STREAMS_AHEAD]));
  if (is_async(&points[i + FRAMES_AHEAD])) tb_verify_fetch_frame(v, tb_verify_stream_of(v, &points[i + FRAMES_AHEAD]));
}

/* Whether those that wait come in the order of time on each stream, though not all together. */
static bool are_in_order(struct tb_verifier *v) {
  const struct tb_slice_point *points = v->log.points;
  bool are = true;
  for (size_t i = v->async_taken; are && i < v->log.count; i++) {
    fetch_ahead(v, i);
    if (!is_async(&points[i])) continue;
    struct tb_verify_stream *stream = tb_verify_stream_of(v, &points[i]);
    are = points[i].ts >= stream->ts;
    stream->ts = points[i].ts;
  }
  for (size_t i = 0; i < v->async_count; i++) v->async[i].ts = INT64_MIN;
  return are;
}

enum tb_status tb_verify_take_logged_async(struct tb_verifier *v) {
  enum tb_status status = TB_OK;
  if (v->way != TB_VERIFY_AS_THEY_COME || !v->has_log || !v->async_count) return TB_OK;
  if (v->keeps_ids && !v->async_taken && !are_in_order(v)) return tb_verify_start_log(v);
  for (; status == TB_OK && v->async_taken < v->log.count; v->async_taken++) {
    const struct tb_slice_point *point = &v->log.points[v->async_taken];
    fetch_ahead(v, v->async_taken);
    if (is_async(point)) status = tb_verify_stream_take(v, tb_verify_stream_of(v, point), point, v->complete_first);
  }
  return status == TB_UNSUPPORTED ? tb_verify_start_log(v) : status;
}

enum tb_status tb_verify_take_waiting(struct tb_verifier *v) {
  enum tb_status status = take_waiting(v);
  return status == TB_OK ? tb_verify_take_logged_async(v) : status;
}
