/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/track_copies.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "model/tracks.h"

struct track_copy {
  struct tb_track own;
  struct tb_track given; /* as the user gave it last: what differs is copied anew */
  struct tb_track_details given_details;
};

void tb_track_copies_init(struct tb_track_copies *copies, const struct tb_allocator *allocator, bool narrows_ids,
                          tb_track_describe describe, void *ctx) {
  *copies = (struct tb_track_copies){.describe = describe, .ctx = ctx, .narrows_ids = narrows_ids};
  tb_narrow_ids_init(&copies->narrow, allocator);
  tb_map_init(&copies->by_index, allocator);
  tb_arena_init(&copies->arena, allocator, 0);
}

void tb_track_copies_free(struct tb_track_copies *copies) {
  tb_map_free(&copies->by_index);
  tb_narrow_ids_free(&copies->narrow);
  tb_arena_free(&copies->arena);
}

static bool copy_text(struct tb_track_copies *copies, struct tb_str *text, struct tb_str from, struct tb_str before) {
  if (from.len == before.len && (!from.len || memcmp(from.ptr, text->ptr, from.len) == 0)) return true;
  *text = tb_arena_copy(&copies->arena, from);
  return text->ptr || !from.len;
}

static bool has_labels(const struct tb_track_details *own, const struct tb_track_details *from) {
  if (own->label_count != from->label_count) return false;
  for (uint32_t i = 0; i < own->label_count; i++)
    if (!tb_str_equal(own->labels[i], from->labels[i])) return false;
  return true;
}

static bool copy_labels(struct tb_track_copies *copies, const struct tb_str **to, const struct tb_track_details *from) {
  struct tb_str *labels = tb_arena_alloc(&copies->arena, from->label_count * sizeof(*labels));
  if (!labels) return false;
  for (uint32_t i = 0; i < from->label_count; i++) {
    labels[i] = tb_arena_copy(&copies->arena, from->labels[i]);
    if (!labels[i].ptr && from->labels[i].len) return false;
  }
  *to = labels;
  return true;
}

/* Takes over the details that the track has now, into those of the copy. */
static bool update_details(struct tb_track_copies *copies, struct tb_track *own, const struct tb_track *track) {
  if (!track->details && !own->details) return true;
  struct tb_track_details *to = tb_track_own_details(&copies->arena, own);
  if (!to) return false;
  const struct tb_track_details before = *to, *from = tb_track_get_details(track);
  to->sort_index = from->sort_index;
  to->label_count = from->label_count;
  to->pid_is_number = from->pid_is_number;
  to->tid_is_number = from->tid_is_number;
  return copy_text(copies, &to->description, from->description, before.description) &&
         copy_text(copies, &to->unit_name, from->unit_name, before.unit_name) &&
         copy_text(copies, &to->pid_text, from->pid_text, before.pid_text) &&
         copy_text(copies, &to->tid_text, from->tid_text, before.tid_text) &&
         (!from->label_count || has_labels(&before, from) || copy_labels(copies, &to->labels, from));
}

/* Makes an id narrow, with its digits where the user gave no text of it. */
static bool narrow(struct tb_track_copies *copies, struct tb_track *own, bool of_thread) {
  int64_t *id = of_thread ? &own->tid : &own->pid;
  if (*id >= INT32_MIN && *id <= INT32_MAX) return true;
  char digits[24];
  int len = snprintf(digits, sizeof(digits), "%" PRId64, *id);
  struct tb_track_details *details = tb_track_own_details(&copies->arena, own);
  if (!details) return false;
  struct tb_str *text = of_thread ? &details->tid_text : &details->pid_text;
  if (!text->len) *text = tb_arena_copy(&copies->arena, (struct tb_str){digits, (size_t)len});
  return text->ptr && tb_narrow_id(&copies->narrow, (uint64_t)*id, id) == TB_OK;
}

static bool narrow_ids(struct tb_track_copies *copies, struct tb_track *own) {
  return !copies->narrows_ids || (narrow(copies, own, false) && narrow(copies, own, true));
}

/* Takes over what the track says now. */
static bool update(struct tb_track_copies *copies, struct track_copy *copy, const struct tb_track *track,
                   const struct tb_track *parent) {
  struct tb_track own = copy->own;
  copy->own = *track;
  copy->own.index = own.index;
  copy->own.parent = parent;
  copy->own.details = own.details;
  copy->own.name = own.name;
  return copy_text(copies, &copy->own.name, track->name, own.name) && update_details(copies, &copy->own, track) &&
         narrow_ids(copies, &copy->own);
}

/* Whether what tells tracks apart differs, and not only was unknown before. */
static bool is_other(const struct tb_track *given, const struct tb_track *track) {
  return given->type != track->type || (given->has_pid && track->has_pid && given->pid != track->pid) ||
         (given->has_tid && track->has_tid && given->tid != track->tid) ||
         (given->uuid && track->uuid && given->uuid != track->uuid);
}

static struct track_copy *find(const struct tb_track_copies *copies, const struct tb_track *track) {
  return tb_map_find_pointer(&copies->by_index, track->index, 0);
}

static bool is_same_place(struct tb_str a, struct tb_str b) { return a.ptr == b.ptr && a.len == b.len; }

static bool has_same_details(const struct tb_track_details *a, const struct tb_track_details *b) {
  return is_same_place(a->description, b->description) && is_same_place(a->unit_name, b->unit_name) &&
         is_same_place(a->pid_text, b->pid_text) && is_same_place(a->tid_text, b->tid_text) && a->labels == b->labels &&
         a->label_count == b->label_count && a->sort_index == b->sort_index && a->pid_is_number == b->pid_is_number &&
         a->tid_is_number == b->tid_is_number;
}

static bool has_same_ids(const struct tb_track *a, const struct tb_track *b) {
  return a->index == b->index && a->type == b->type && a->parent == b->parent && a->pid == b->pid && a->tid == b->tid &&
         a->has_pid == b->has_pid && a->has_tid == b->has_tid && a->uuid == b->uuid && a->machine == b->machine &&
         a->sequence == b->sequence;
}

/* Whether all members are the same; the texts are not looked at, but where they are. */
static bool looks_the_same(const struct tb_track *a, const struct tb_track *b) {
  return has_same_ids(a, b) && is_same_place(a->name, b->name) &&
         has_same_details(tb_track_get_details(a), tb_track_get_details(b)) && a->has_sort_index == b->has_sort_index &&
         a->said_by_metadata == b->said_by_metadata && a->unit == b->unit && a->is_thread_time == b->is_thread_time &&
         a->is_thread_instruction_count == b->is_thread_instruction_count;
}

/* A track as it is now: its details may be other ones later, at the same place. */
static void snapshot(const struct tb_track *track, struct tb_track *to, struct tb_track_details *details) {
  *details = *tb_track_get_details(track);
  *to = *track;
  to->details = details;
}

static struct track_copy *make(struct tb_track_copies *copies, const struct tb_track *track) {
  struct track_copy *copy = tb_arena_alloc(&copies->arena, sizeof(*copy));
  if (!copy) return NULL;
  *copy = (struct track_copy){.own = {.index = copies->count}};
  if (tb_map_put(&copies->by_index, track->index, 0, (uintptr_t)copy) != TB_OK) return NULL;
  copies->count++;
  return copy;
}

/* Whether there is something that a description is for; all else is known by the events. */
static bool says_something(const struct tb_track *track) {
  return track->name.len || tb_track_get_details(track)->description.len || tb_track_get_details(track)->label_count ||
         track->has_sort_index;
}

/* Copies one track, whose parent's copy is `parent`, and describes it where it says something new. */
static enum tb_status refresh(struct tb_track_copies *copies, struct track_copy **copy, const struct tb_track *track,
                              const struct tb_track *parent, bool is_described, struct tb_error *error) {
  if (!*copy) *copy = make(copies, track);
  struct tb_track before = {.index = 0};
  struct tb_track_details details_before;
  if (*copy) snapshot(&(*copy)->own, &before, &details_before);
  if (!*copy || !update(copies, *copy, track, parent))
    return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  snapshot(track, &(*copy)->given, &(*copy)->given_details);
  const struct tb_track *own = &(*copy)->own;
  if (is_described || !says_something(own) || looks_the_same(&before, own)) return TB_OK;
  return copies->describe(copies->ctx, own);
}

/* The parents are copied before. A track that is given anew by a TB_EVENT_TRACK may have other texts at the same place,
 * so that its looks do not tell. */
static enum tb_status copy_track(struct tb_track_copies *copies, const struct tb_track *track, bool is_described,
                                 const struct tb_track **own, struct tb_error *error) {
  const struct tb_track *parent = NULL;
  enum tb_status status = track->parent ? copy_track(copies, track->parent, false, &parent, error) : TB_OK;
  if (status != TB_OK) return status;
  struct track_copy *copy = find(copies, track);
  if (!copy || is_described || copy->own.parent != parent || !looks_the_same(&copy->given, track))
    status = refresh(copies, &copy, track, parent, is_described, error);
  if (copy) *own = &copy->own;
  return status;
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static bool all_look_the_same(const struct tb_track_copies *copies, const struct tb_track *track) {
  for (; track; track = track->parent) {
    const struct track_copy *copy = find(copies, track);
    if (!copy || !looks_the_same(&copy->given, track)) return false;
  }
  return true;
}

/* Whether one of the tracks from `with` on has the index, but is another track. */
static bool is_taken(const struct tb_track *with, const struct tb_track *track) {
  for (; with; with = with->parent)
    if (with->index == track->index && is_other(with, track)) return true;
  return false;
}

static bool has_index_of_a_parent(const struct tb_track *track) {
  for (const struct tb_track *parent = track->parent; parent; parent = parent->parent)
    if (parent->index == track->index) return true;
  return false;
}

/* The track, or the parent of it, whose index is another track's; NULL where none is. `described` may change. */
static const struct tb_track *find_conflict(const struct tb_track_copies *copies, const struct tb_track *track,
                                            const struct tb_track *described, const struct tb_track *of_event) {
  if (all_look_the_same(copies, track)) return NULL;
  for (; track; track = track->parent) {
    const struct track_copy *copy = find(copies, track);
    if (has_index_of_a_parent(track) || is_taken(of_event, track)) return track;
    if (copy && track != described && is_other(&copy->given, track)) return track;
  }
  return NULL;
}

enum tb_status tb_tracks_copy(struct tb_track_copies *copies, struct tb_event *event, struct tb_error *error) {
  const struct tb_track *track = event->track, *thread = event->thread;
  bool is_described = event->type == TB_EVENT_TRACK;
  const struct tb_track *conflict = find_conflict(copies, track, is_described ? track : NULL, NULL);
  if (!conflict) conflict = find_conflict(copies, thread, NULL, track);
  if (conflict)
    return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "no event: its track's index, %u, is another track's",
                   conflict->index);
  enum tb_status status = track ? copy_track(copies, track, is_described, &event->track, error) : TB_OK;
  if (status != TB_OK || !thread) return status;
  return copy_track(copies, thread, false, &event->thread, error);
}
