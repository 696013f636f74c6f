/* SPDX-License-Identifier: Apache-2.0 */
#include "shape/shape_tracks.h"

#include <stdio.h>

#include "base/decimal.h"
#include "model/arg_lookup.h"
#include "model/metadata.h"
#include "model/tracks.h"

enum { IDLE_NAME = 32 };

void tb_shape_tracks_init(struct tb_shape_tracks *tracks, const struct tb_allocator *allocator) {
  *tracks = (struct tb_shape_tracks){.allocator = allocator};
  tb_arena_init(&tracks->arena, allocator, 0);
  tb_intern_init(&tracks->texts, allocator);
  tb_intern_init(&tracks->keys, allocator);
  tb_buffer_init(&tracks->name, allocator, 0);
}

static void free_track(struct tb_shape_tracks *tracks, struct tb_shape_track *track) {
  for (size_t i = 0; i < track->open.count; i++) {
    struct tb_shape_frame *frame = (struct tb_shape_frame *)tb_open_stack_at(&track->open, i);
    tb_free(tracks->allocator, (char *)(uintptr_t)frame->begin.ptr, frame->begin.len);
  }
  tb_open_stack_free(&track->open, tracks->allocator);
  tb_free(tracks->allocator, track->arriving, track->arriving_capacity * sizeof(*track->arriving));
}

void tb_shape_tracks_free(struct tb_shape_tracks *tracks) {
  for (size_t i = 0; i < tracks->count; i++) free_track(tracks, tracks->items[i]);
  tb_free(tracks->allocator, tracks->items, tracks->capacity * sizeof(*tracks->items));
  tb_free(tracks->allocator, tracks->by_source, tracks->source_capacity * sizeof(*tracks->by_source));
  tb_free(tracks->allocator, tracks->by_key, tracks->key_capacity * sizeof(*tracks->by_key));
  tb_intern_free(&tracks->texts);
  tb_intern_free(&tracks->keys);
  tb_buffer_free(&tracks->name);
  tb_arena_free(&tracks->arena);
}

/* Makes `place` a place of the array, which is NULL where it was none. */
static bool make_place(const struct tb_allocator *allocator, struct tb_shape_track ***array, size_t *count,
                       size_t *capacity, size_t place) {
  void *items = *array;
  if (place < *count) return true;
  if (tb_grow_array(allocator, &items, capacity, place + 1, sizeof(**array), UINT32_MAX) != TB_OK) return false;
  *array = items;
  while (*count <= place) (*array)[(*count)++] = NULL;
  return true;
}

static struct tb_shape_track *make_track(struct tb_shape_tracks *tracks) {
  struct tb_shape_track *track = tb_arena_alloc(&tracks->arena, sizeof(*track));
  size_t index = tracks->count;
  if (!track || !make_place(tracks->allocator, &tracks->items, &tracks->count, &tracks->capacity, index)) return NULL;
  *track = (struct tb_shape_track){.track = {.index = (uint32_t)index}};
  track->open.frame_size = sizeof(struct tb_shape_frame);
  tracks->items[index] = track;
  return track;
}

/* ---- the source's tracks ----------------------------------------------------------------------------------------- */

/* An id that the source has given a number of its own, since it fits no int32, is itself again: a koid. */
static void widen(struct tb_str text, int64_t *id) {
  struct tb_decimal number;
  uint64_t value;
  if (!text.len || tb_decimal_parse(text.ptr, text.ptr + text.len, &number) != text.ptr + text.len) return;
  if (number.integer && tb_decimal_to_uint(&number, &value)) *id = (int64_t)value;
}

/* What metadata said stays. */
static bool copy_members(struct tb_shape_tracks *tracks, struct tb_shape_track *own, const struct tb_track *source,
                         const struct tb_track *parent) {
  struct tb_track before = own->track;
  own->track = *source;
  own->track.index = before.index;
  own->track.parent = parent;
  widen(tb_track_get_details(source)->pid_text, &own->track.pid);
  widen(tb_track_get_details(source)->tid_text, &own->track.tid);
  if (before.said_by_metadata & TB_TRACK_SAID_NAME) own->track.name = before.name;
  if (before.said_by_metadata & TB_TRACK_SAID_SORT_INDEX) {
    struct tb_track_details *details = tb_track_copy_details(&tracks->arena, &own->track);
    if (!details) return false;
    details->sort_index = tb_track_get_details(&before)->sort_index;
    own->track.has_sort_index = true;
  }
  if (before.said_by_metadata & TB_TRACK_SAID_LABELS) {
    const struct tb_track_details *said = tb_track_get_details(&before);
    struct tb_track_details *details = tb_track_copy_details(&tracks->arena, &own->track);
    if (!details) return false;
    details->labels = said->labels;
    details->label_count = said->label_count;
  }
  own->track.said_by_metadata |= before.said_by_metadata;
  own->is_announced = false;
  return true;
}

struct tb_shape_track *tb_shape_track_of(struct tb_shape_tracks *tracks, const struct tb_track *source) {
  if (!source) return NULL;
  if (source->index < tracks->source_count && tracks->by_source[source->index]) return tracks->by_source[source->index];
  struct tb_shape_track *parent = tb_shape_track_of(tracks, source->parent);
  if ((source->parent && !parent) || !make_place(tracks->allocator, &tracks->by_source, &tracks->source_count,
                                                 &tracks->source_capacity, source->index))
    return NULL;
  struct tb_shape_track *own = make_track(tracks);
  if (!own || !copy_members(tracks, own, source, parent ? &parent->track : NULL)) return NULL;
  return tracks->by_source[source->index] = own;
}

enum tb_status tb_shape_track_refresh(struct tb_shape_tracks *tracks, const struct tb_track *source) {
  struct tb_shape_track *own = tb_shape_track_of(tracks, source);
  struct tb_shape_track *parent = tb_shape_track_of(tracks, source->parent);
  if (!own || (source->parent && !parent)) return TB_NO_MEMORY;
  return copy_members(tracks, own, source, parent ? &parent->track : NULL) ? TB_OK : TB_NO_MEMORY;
}

static bool is_named(const struct tb_event *event, const char *of_process, const char *of_thread) {
  return tb_str_equal(event->name, tb_str_from(event->track->type == TB_TRACK_THREAD ? of_thread : of_process));
}

static bool copy_text(struct tb_shape_tracks *tracks, struct tb_str *to, struct tb_str text) {
  *to = tb_arena_copy(&tracks->arena, text);
  return to->ptr || !text.len;
}

/* A comma list. */
static bool take_labels(struct tb_shape_tracks *tracks, struct tb_track *own, struct tb_str list) {
  uint32_t count = 1;
  for (size_t i = 0; i < list.len; i++) count += list.ptr[i] == ',';
  struct tb_str *labels = tb_arena_alloc(&tracks->arena, count * sizeof(*labels));
  struct tb_track_details *details = tb_track_copy_details(&tracks->arena, own);
  if (!labels || !details || !copy_text(tracks, &list, list)) return false;
  details->labels = labels;
  details->label_count = 0;
  while (tb_comma_list_next(&list, &labels[details->label_count])) details->label_count++;
  return true;
}

enum tb_status tb_shape_track_apply_metadata(struct tb_shape_tracks *tracks, const struct tb_event *metadata) {
  struct tb_shape_track *own = tb_shape_track_of(tracks, metadata->track);
  if (!own) return TB_NO_MEMORY;
  struct tb_str name = tb_metadata_track_name(metadata);
  if (name.ptr) {
    if (!copy_text(tracks, &own->track.name, name)) return TB_NO_MEMORY;
    own->track.said_by_metadata |= TB_TRACK_SAID_NAME;
    own->is_announced = false;
    return TB_OK;
  }
  const struct tb_arg *labels = tb_find_member(metadata->args, metadata->arg_count, TB_STR("labels"));
  if (labels && labels->type == TB_ARG_STRING && is_named(metadata, "process_labels", "")) {
    if (!take_labels(tracks, &own->track, labels->text)) return TB_NO_MEMORY;
    own->track.said_by_metadata |= TB_TRACK_SAID_LABELS;
    own->is_announced = false;
  }
  const struct tb_arg *index = tb_find_member(metadata->args, metadata->arg_count, TB_STR("sort_index"));
  if (index && index->type == TB_ARG_INT && is_named(metadata, "process_sort_index", "thread_sort_index")) {
    struct tb_track_details *details = tb_track_copy_details(&tracks->arena, &own->track);
    if (!details) return TB_NO_MEMORY;
    details->sort_index = index->i;
    own->track.has_sort_index = true;
    own->track.said_by_metadata |= TB_TRACK_SAID_SORT_INDEX;
    own->is_announced = false;
  }
  return TB_OK;
}

/* ---- tracks that the source does not have ------------------------------------------------------------------------ */

/* What tells such a track apart: so small that keys of late are found without a hash of them (base/intern.h). */
struct key {
  uint32_t head;        /* what it is, and of which kind its id is */
  uint32_t source;      /* index of the source's track */
  uint32_t name, other; /* ids of texts: the name; series of a counter, categories and scope of an async slice */
  uint64_t id;          /* a number, or the id of a text */
};
_Static_assert(sizeof(struct key) == 24 && sizeof(struct key) <= TB_INTERN_SHORT, "no padding, and short");

enum { KIND_AT = 8 };

static struct key key_of(char class, const struct tb_track *source) {
  return (struct key){.head = (unsigned char)class, .source = source ? source->index : UINT32_MAX};
}

/* The id of a text, 0 of an empty one. False without memory. */
static bool text_id(struct tb_shape_tracks *tracks, struct tb_str text, uint32_t *id) {
  *id = text.len ? tb_intern_id(&tracks->texts, text) : 0;
  return *id || !text.len;
}

/* The same of two texts, as one. */
static bool pair_id(struct tb_shape_tracks *tracks, struct tb_str first, struct tb_str second, uint32_t *id) {
  struct {
    uint32_t mark, first, second; /* the mark is in no text that is UTF-8 */
  } pair = {UINT32_MAX, 0, 0};
  if (!second.len) return text_id(tracks, first, id);
  if (!text_id(tracks, first, &pair.first) || !text_id(tracks, second, &pair.second)) return false;
  return text_id(tracks, (struct tb_str){(const char *)&pair, sizeof(pair)}, id);
}

static bool add_id(struct tb_shape_tracks *tracks, struct key *key, const struct tb_id *id) {
  uint32_t text = 0;
  key->head |= (id->kind * 2u + id->is_number) << KIND_AT;
  if (!id->is_number && !text_id(tracks, id->text, &text)) return false;
  key->id = id->is_number ? id->value : text;
  return true;
}

/* The track of the key; *is_new where it has to be set up. */
static struct tb_shape_track *track_of_key(struct tb_shape_tracks *tracks, const struct key *key, bool *is_new) {
  uint32_t id = tb_intern_id(&tracks->keys, (struct tb_str){(const char *)key, sizeof(*key)});
  *is_new = false;
  if (!id || !make_place(tracks->allocator, &tracks->by_key, &tracks->key_count, &tracks->key_capacity, id))
    return NULL;
  if (tracks->by_key[id]) return tracks->by_key[id];
  *is_new = true;
  return tracks->by_key[id] = make_track(tracks);
}

/* False without memory. */
static bool set_below(struct tb_shape_tracks *tracks, struct tb_shape_track *own, enum tb_track_type type,
                      const struct tb_track *parent) {
  own->track.type = type;
  own->track.parent = parent;
  if (!parent) return true;
  own->track.pid = parent->pid;
  own->track.tid = parent->tid;
  own->track.has_pid = parent->has_pid;
  own->track.has_tid = parent->has_tid;
  own->track.machine = parent->machine;
  return tb_track_take_id_texts(&tracks->arena, &own->track, parent, true) == TB_OK;
}

/* The names are the trace processor's: "N S", "N id: I S", of FXT "N:S:I". */
static bool name_counter(struct tb_shape_tracks *tracks, struct tb_shape_track *own, const struct tb_event *event,
                         struct tb_str series, bool by_id) {
  bool has_id = event->id.kind != TB_ID_NONE;
  const struct tb_str none = {NULL, 0};
  const struct tb_str parts[] = {event->name,
                                 by_id    ? TB_STR(":")
                                 : has_id ? TB_STR(" id: ")
                                          : none,
                                 by_id    ? series
                                 : has_id ? event->id.text
                                          : none,
                                 by_id ? TB_STR(":") : TB_STR(" "), by_id ? event->id.text : series};
  tracks->name.len = 0;
  for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
    if (tb_buffer_append(&tracks->name, parts[i].ptr, parts[i].len) != TB_OK) return false;
  return copy_text(tracks, &own->track.name, (struct tb_str){tracks->name.data, tracks->name.len});
}

struct tb_shape_track *tb_shape_counter(struct tb_shape_tracks *tracks, const struct tb_event *event,
                                        struct tb_str series, bool by_id) {
  bool is_new;
  struct key key = key_of('C', event->track);
  if (!text_id(tracks, event->name, &key.name) || !add_id(tracks, &key, &event->id) ||
      !text_id(tracks, series, &key.other))
    return NULL;
  struct tb_shape_track *own = track_of_key(tracks, &key, &is_new);
  if (!own || !is_new) return own;
  struct tb_shape_track *parent = tb_shape_track_of(tracks, event->track);
  if (!parent || !name_counter(tracks, own, event, series, by_id)) return NULL;
  return set_below(tracks, own, TB_TRACK_COUNTER, &parent->track) ? own : NULL;
}

/* Async events match by scope, id and categories; those of the first kind (S, T, p, F) by their name too. */
struct tb_shape_track *tb_shape_async(struct tb_shape_tracks *tracks, const struct tb_event *event) {
  bool is_new, alone = event->has & TB_HAS_ID_ONLY_MATCH;
  bool is_legacy = event->phase && strchr("STpF", event->phase);
  const struct tb_track *process = tb_track_process(event->track);
  const struct tb_str none = {NULL, 0};
  struct key key = key_of(is_legacy ? 'S' : 'b', event->id.kind == TB_ID_LOCAL ? process : NULL);
  if (!text_id(tracks, is_legacy ? event->name : none, &key.name) || !add_id(tracks, &key, &event->id) ||
      !pair_id(tracks, alone ? none : event->categories, event->scope, &key.other))
    return NULL;
  struct tb_shape_track *own = track_of_key(tracks, &key, &is_new);
  if (!own || !is_new) return own;
  struct tb_shape_track *parent = tb_shape_track_of(tracks, process);
  if ((process && !parent) || !copy_text(tracks, &own->track.name, event->name)) return NULL;
  return set_below(tracks, own, TB_TRACK_CUSTOM, parent ? &parent->track : NULL) ? own : NULL;
}

struct tb_shape_track *tb_shape_idle(struct tb_shape_tracks *tracks, const struct tb_event *event) {
  bool is_new;
  struct key key = key_of('I', event->track);
  key.id = event->cpu;
  struct tb_shape_track *own = track_of_key(tracks, &key, &is_new);
  if (!own || !is_new) return own;
  struct tb_shape_track *thread = tb_shape_track_of(tracks, event->track);
  char name[IDLE_NAME];
  int len = snprintf(name, sizeof(name), "swapper/%u", event->cpu);
  if (!thread || !copy_text(tracks, &own->track.name, (struct tb_str){name, (size_t)len})) return NULL;
  if (!set_below(tracks, own, TB_TRACK_THREAD, thread->track.parent)) return NULL;
  own->track.tid = 0;
  own->track.has_tid = true;
  own->track.sequence = thread->track.sequence;
  return own;
}
