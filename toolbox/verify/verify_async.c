/* SPDX-License-Identifier: Apache-2.0
 *
 * The streams of async events, one of each id. An id of which nothing is open is forgotten, since a trace may have any
 * number of them; not where what is earlier may come, nor where all is logged.
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

/* A place for a stream. False without memory. */
static bool take_place(struct tb_verifier *v, uint32_t *place) {
  void *async = v->async;
  *place = (uint32_t)v->async_count;
  if (v->free_async) {
    *place = v->free_async - 1;
    v->free_async = v->async[*place].top;
    return true;
  }
  enum tb_status status =
      tb_grow_array(v->allocator, &async, &v->async_capacity, v->async_count + 1, sizeof(*v->async), STREAMS_MAX);
  v->async = async;
  if (status != TB_OK) return false;
  v->async_count++;
  return true;
}

/* The number that the log knows a new stream by. */
static bool note_key(struct tb_verifier *v, struct tb_map_key key, uint32_t *number) {
  void *keys = v->async_keys;
  enum tb_status status = tb_grow_array(v->allocator, &keys, &v->async_key_capacity, v->async_key_count + 1,
                                        sizeof(*v->async_keys), STREAMS_MAX);
  v->async_keys = keys;
  if (status != TB_OK) return false;
  *number = (uint32_t)v->async_key_count;
  v->async_keys[v->async_key_count++] = key;
  return true;
}

static bool find(struct tb_verifier *v, struct tb_map_key key, uint32_t *place) {
  uint32_t number;
  if (tb_map_get(&v->async_ids, key.first, key.second, place)) return true;
  if (!take_place(v, place)) return false;
  number = *place;
  if (v->has_log && v->way == TB_VERIFY_AS_THEY_COME && !note_key(v, key, &number)) return false;
  v->async[*place] = TB_VERIFY_STREAM_START;
  v->async[*place].number = number;
  return tb_map_put(&v->async_ids, key.first, key.second, *place) == TB_OK;
}

/* Whether the event may be earlier than what was forgotten. */
static bool is_late(struct tb_verifier *v, const struct tb_slice_point *point) {
  if (point->ts < v->async_ts) v->keeps_ids = true;
  v->async_ts = point->ts;
  return v->keeps_ids && v->forgot_ids;
}

/* Forgets a stream where nothing is open on it, and nothing earlier comes. */
static void release(struct tb_verifier *v, struct tb_map_key key, uint32_t place) {
  if (v->keeps_ids || !tb_verify_stream_is_idle(&v->async[place])) return;
  tb_map_remove(&v->async_ids, key.first, key.second);
  v->async[place].top = v->free_async;
  v->free_async = place + 1;
  v->forgot_ids = true;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static enum tb_status take(struct tb_verifier *v, const struct tb_verify_async *event) {
  uint32_t place;
  struct tb_slice_point point = event->point;
  enum tb_status status = TB_OK;
  if (v->way == TB_VERIFY_AS_THEY_COME && is_late(v, &point)) status = tb_verify_start_log(v);
  if (status != TB_OK) return status;
  if (!find(v, event->key, &place)) return TB_NO_MEMORY;
  struct tb_verify_stream *stream = &v->async[place];
  point.place = tb_slice_point_place(tb_slice_point_type(&point), stream->number << 1 | TB_ASYNC_STREAM);
  status = tb_verify_take_point(v, stream, &point);
  if (status == TB_OK && v->way == TB_VERIFY_AS_THEY_COME) release(v, event->key, place);
  return status;
}

/* It may be in two lines of the cache. */
static void fetch(const void *item, size_t size) {
  __builtin_prefetch(item);
  __builtin_prefetch((const char *)item + size - 1);
}

/* Where many are open, an event waits for memory three times, one after the other: for all of them together that takes
 * no longer than for one. */
static void fetch_waiting(const struct tb_verifier *v) {
  uint32_t places[TB_ASYNC_WAITING_MAX];
  size_t count = 0;
  for (size_t i = 0; i < v->waiting_count; i++) {
    const struct tb_map_key *key = &v->waiting[i].key;
    if (!tb_map_get(&v->async_ids, key->first, key->second, &places[count])) continue;
    fetch(&v->async[places[count++]], sizeof(*v->async));
  }
  for (size_t i = 0; i < count; i++)
    if (v->async[places[i]].top) fetch(&v->frames[v->async[places[i]].top], sizeof(*v->frames));
}

enum tb_status tb_verify_take_waiting(struct tb_verifier *v) {
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
  tb_map_prefetch(&v->async_ids, waiting->key.first, waiting->key.second);
  return ++v->waiting_count == TB_ASYNC_WAITING_MAX ? tb_verify_take_waiting(v) : TB_OK;
}

/* ---- all streams ------------------------------------------------------------------------------------------------- */

/* What the log has of async streams gets the numbers that these have from now on: their places. */
static void renumber(struct tb_verifier *v) {
  for (size_t i = 0; i < v->log.count; i++) {
    struct tb_slice_point *point = &v->log.points[i];
    uint32_t stream = tb_slice_point_stream(point);
    if (!(stream & TB_ASYNC_STREAM)) continue;
    stream = (uint32_t)v->async_keys[stream >> 1].first << 1 | TB_ASYNC_STREAM;
    point->place = tb_slice_point_place(tb_slice_point_type(point), stream);
  }
}

bool tb_verify_reset_streams(struct tb_verifier *v) {
  uint32_t place;
  for (size_t i = 0; i < v->use_count; i++) v->uses[i].stream = TB_VERIFY_STREAM_START;
  v->frame_count = v->free_frame = 0;
  v->async_count = v->free_async = 0;
  tb_map_clear(&v->async_ids);
  for (size_t i = 0; i < v->async_key_count; i++) {
    if (!find(v, v->async_keys[i], &place)) return false;
    v->async_keys[i].first = place;
  }
  renumber(v);
  v->forgot_ids = false;
  tb_verify_forget_keys(v);
  return true;
}

void tb_verify_forget_keys(struct tb_verifier *v) {
  tb_free(v->allocator, v->async_keys, v->async_key_capacity * sizeof(*v->async_keys));
  v->async_keys = NULL;
  v->async_key_count = v->async_key_capacity = 0;
}
