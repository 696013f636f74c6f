/* SPDX-License-Identifier: Apache-2.0 */
#include "chrome_json/reader/track_table.h"

#include "base/intern.h"
#include "model/tracks.h"

enum { FIRST_SYNTHETIC = 0x70000000, FIRST_CAPACITY = 64 };

/* An entry of `names`. A number of the source is kept by its digits too if it is in the synthetic range. */
struct tb_json_name {
  struct tb_str text;
  bool is_number; /* text is the digits of a number, not a string of the source */
  int64_t number; /* what stands for it; -1: empty entry */
};

static struct tb_map_key key_of_track(const struct tb_track *track) {
  return (struct tb_map_key){(uint64_t)track->type << 32 | (uint32_t)track->pid, (uint64_t)track->tid};
}

static struct tb_map_key key_of(const void *owner, uint32_t index) {
  return key_of_track(((const struct tb_json_tracks *)owner)->tracks[index]);
}

void tb_json_tracks_init(struct tb_json_tracks *tracks, const struct tb_allocator *allocator, size_t max_bytes) {
  *tracks = (struct tb_json_tracks){.allocator = allocator, .next_synthetic = FIRST_SYNTHETIC};
  tb_arena_init(&tracks->arena, allocator, max_bytes);
  tb_index_map_init(&tracks->by_ids, allocator, key_of);
}

void tb_json_tracks_free(struct tb_json_tracks *tracks) {
  tb_index_map_free(&tracks->by_ids);
  tb_free(tracks->allocator, tracks->tracks, tracks->capacity * sizeof(struct tb_track *));
  tb_free(tracks->allocator, tracks->names, tracks->name_capacity * sizeof(*tracks->names));
  tb_arena_free(&tracks->arena);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static struct tb_json_name *name_slot(struct tb_json_name *names, size_t capacity, struct tb_str text, bool is_number) {
  size_t i = (size_t)tb_str_hash(text, 0);
  for (;; i++) {
    struct tb_json_name *name = &names[i & (capacity - 1)];
    if (name->number < 0 || (name->is_number == is_number && tb_str_equal(name->text, text))) return name;
  }
}

static bool grow_names(struct tb_json_tracks *t) {
  if (t->name_count * 2 < t->name_capacity) return true;
  size_t capacity = t->name_capacity ? t->name_capacity * 2 : FIRST_CAPACITY;
  struct tb_json_name *names = tb_alloc(t->allocator, capacity * sizeof(*names));
  if (!names) return false;
  for (size_t i = 0; i < capacity; i++) names[i].number = -1;
  for (size_t i = 0; i < t->name_capacity; i++) {
    const struct tb_json_name *old = &t->names[i];
    if (old->number >= 0) *name_slot(names, capacity, old->text, old->is_number) = *old;
  }
  tb_free(t->allocator, t->names, t->name_capacity * sizeof(*names));
  t->names = names;
  t->name_capacity = capacity;
  return true;
}

static struct tb_str digits_of(int64_t number, char buffer[24]) {
  char *end = buffer + 24, *p = end;
  uint64_t m = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  do *--p = (char)('0' + m % 10);
  while (m /= 10);
  if (number < 0) *--p = '-';
  return (struct tb_str){p, (size_t)(end - p)};
}

/* The next number that neither was given out nor is used by the source. */
static int64_t new_synthetic(struct tb_json_tracks *t) {
  for (;; t->next_synthetic++) {
    char buffer[24];
    struct tb_str digits = digits_of(t->next_synthetic, buffer);
    if (name_slot(t->names, t->name_capacity, digits, true)->number < 0) return t->next_synthetic++;
  }
}

/* The entry of a text; `own`: the number to give it where it is new, -1 for a synthetic one. NULL: no memory. */
static const struct tb_json_name *intern_name(struct tb_json_tracks *t, struct tb_str text, bool is_number,
                                              int64_t own) {
  if (!grow_names(t)) return NULL;
  struct tb_json_name *name = name_slot(t->names, t->name_capacity, text, is_number);
  if (name->number >= 0) return name;
  struct tb_str copy = tb_arena_copy(&t->arena, text);
  if (!copy.ptr) return NULL;
  int64_t number = own >= t->next_synthetic ? own : new_synthetic(t); /* below next_synthetic all are given out */
  *name = (struct tb_json_name){copy, is_number, number};
  t->name_count++;
  return name;
}

/* What an id becomes: its number, and its text where the number is not the source's own or the source has it as
 * text. */
struct resolved {
  int64_t number;
  struct tb_str text;
  bool is_number; /* the text is the digits of a number */
};

static bool resolve(struct tb_json_tracks *t, const struct tb_json_id *id, bool is_pid, struct resolved *out) {
  const struct tb_json_name *name;
  if (id->kind == TB_JSON_ID_TEXT) {
    name = intern_name(t, id->text, false, -1);
  } else {
    bool fits = !is_pid || (id->number >= INT32_MIN && id->number <= INT32_MAX);
    bool in_range = id->number >= FIRST_SYNTHETIC && id->number <= INT32_MAX;
    *out = (struct resolved){id->number, id->text, false};
    if (fits && !in_range) return true;
    char buffer[24];
    name = intern_name(t, digits_of(id->number, buffer), true, fits ? id->number : -1);
    if (name && name->number == id->number) return true;
  }
  if (!name) return false;
  *out = (struct resolved){name->number, name->text, id->kind == TB_JSON_ID_TEXT ? id->is_digits : !id->text.ptr};
  return true;
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

/* Makes details of the track's own of those that it was wanted with. */
static bool copy_id_texts(struct tb_json_tracks *t, struct tb_track *track) {
  const struct tb_track_details wanted = *tb_track_get_details(track);
  struct tb_str pid = wanted.pid_text, tid = wanted.tid_text;
  track->details = NULL;
  if (!pid.ptr && !tid.ptr) return true;
  t->ids_vary = true;
  struct tb_track_details *details = tb_track_own_details(&t->arena, track);
  if (!details) return false;
  if (pid.ptr) details->pid_text = tb_arena_copy(&t->arena, pid);
  if (tid.ptr) details->tid_text = tb_arena_copy(&t->arena, tid);
  details->pid_is_number = wanted.pid_is_number;
  details->tid_is_number = wanted.tid_is_number;
  return !details->pid_text.ptr == !pid.ptr && !details->tid_text.ptr == !tid.ptr;
}

/* NULL when memory is exhausted. */
static struct tb_track *add_track(struct tb_json_tracks *t, const struct tb_track *wanted) {
  void *tracks = t->tracks;
  enum tb_status status =
      tb_grow_array(t->allocator, &tracks, &t->capacity, t->count + 1, sizeof(struct tb_track *), UINT32_MAX - 1);
  t->tracks = tracks;
  struct tb_track *track = status == TB_OK ? tb_arena_alloc(&t->arena, sizeof(*track)) : NULL;
  if (!track) return NULL;
  *track = *wanted;
  if (wanted->details && !copy_id_texts(t, track)) return NULL;
  track->index = (uint32_t)t->count;
  t->tracks[t->count] = track;
  if (tb_index_map_put(&t->by_ids, t, track->index) != TB_OK) return NULL;
  t->count++;
  return track;
}

/* The track of `wanted`'s type, pid and tid, made after it where it is new. */
static const struct tb_track *intern_track(struct tb_json_tracks *t, const struct tb_track *wanted) {
  struct tb_map_key key = key_of_track(wanted);
  uint32_t index;
  return tb_index_map_get(&t->by_ids, t, key.first, key.second, &index) ? t->tracks[index] : add_track(t, wanted);
}

static const struct tb_track *process_of(struct tb_json_tracks *t, const struct tb_json_id *pid,
                                         const struct resolved *p) {
  const struct tb_track_details details = {.pid_text = p->text, .pid_is_number = p->is_number};
  struct tb_track wanted = {.type = TB_TRACK_PROCESS, .pid = p->number, .details = &details};
  wanted.has_pid = pid->kind != TB_JSON_ID_NONE;
  return intern_track(t, &wanted);
}

const struct tb_track *tb_json_process(struct tb_json_tracks *t, const struct tb_json_id *pid) {
  struct resolved p;
  t->ids_vary |= pid->kind == TB_JSON_ID_NONE;
  if (pid->kind == TB_JSON_ID_NUMBER && t->recent && t->recent->pid == pid->number) return t->recent;
  if (!resolve(t, pid, true, &p)) return NULL;
  const struct tb_track *track = process_of(t, pid, &p);
  if (pid->kind == TB_JSON_ID_NUMBER && p.number == pid->number) t->recent = track;
  return track;
}

const struct tb_track *tb_json_thread(struct tb_json_tracks *t, const struct tb_json_id *pid,
                                      const struct tb_json_id *tid) {
  struct resolved p, i;
  t->ids_vary |= pid->kind == TB_JSON_ID_NONE || tid->kind == TB_JSON_ID_NONE;
  if (!resolve(t, pid, true, &p)) return NULL;
  i = p;
  if (tid->kind != TB_JSON_ID_NONE && !resolve(t, tid, false, &i)) return NULL;
  struct tb_track wanted = {.type = TB_TRACK_THREAD, .pid = p.number, .tid = i.number};
  wanted.parent = process_of(t, pid, &p);
  if (!wanted.parent) return NULL;
  wanted.has_pid = pid->kind != TB_JSON_ID_NONE;
  wanted.has_tid = tid->kind != TB_JSON_ID_NONE;
  const struct tb_track_details details = {
      .pid_text = tb_track_get_details(wanted.parent)->pid_text, /* text or not as its process has it */
      .pid_is_number = tb_track_get_details(wanted.parent)->pid_is_number,
      .tid_text = i.text,
      .tid_is_number = i.is_number};
  wanted.details = &details;
  const struct tb_track *track = intern_track(t, &wanted);
  bool plain = pid->kind == TB_JSON_ID_NUMBER && tid->kind == TB_JSON_ID_NUMBER && p.number == pid->number &&
               i.number == tid->number;
  if (track && plain) t->cache[tb_json_track_slot(track->pid, track->tid)] = track;
  return track;
}

const struct tb_track *tb_json_global(struct tb_json_tracks *t) {
  if (!t->global) {
    struct tb_track wanted = {.type = TB_TRACK_GLOBAL};
    t->global = intern_track(t, &wanted);
  }
  return t->global;
}
