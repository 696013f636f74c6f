/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/track_copies.h"

#include "base/error.h"

struct track_copy {
  struct tb_track own;
  struct tb_track given; /* as the user gave it last: what differs is copied anew */
};

void tb_track_copies_init(struct tb_track_copies *copies, const struct tb_allocator *allocator,
                          tb_track_describe describe, void *ctx) {
  *copies = (struct tb_track_copies){.describe = describe, .ctx = ctx};
  tb_map_init(&copies->by_index, allocator);
  tb_arena_init(&copies->arena, allocator, 0);
}

void tb_track_copies_free(struct tb_track_copies *copies) {
  tb_map_free(&copies->by_index);
  tb_arena_free(&copies->arena);
}

static bool copy_text(struct tb_track_copies *copies, struct tb_str *text, struct tb_str from, struct tb_str before) {
  if (from.len == before.len && (!from.len || memcmp(from.ptr, text->ptr, from.len) == 0)) return true;
  *text = tb_arena_copy(&copies->arena, from);
  return text->ptr || !from.len;
}

static bool copy_labels(struct tb_track_copies *copies, struct track_copy *copy, const struct tb_track *track) {
  struct tb_str *labels = tb_arena_alloc(&copies->arena, track->label_count * sizeof(*labels));
  if (!labels) return false;
  for (uint32_t i = 0; i < track->label_count; i++) {
    labels[i] = tb_arena_copy(&copies->arena, track->labels[i]);
    if (!labels[i].ptr && track->labels[i].len) return false;
  }
  copy->own.labels = labels;
  return true;
}

/* Takes over what the track says now. */
static bool update(struct tb_track_copies *copies, struct track_copy *copy, const struct tb_track *track,
                   const struct tb_track *parent) {
  struct tb_track own = copy->own;
  copy->own = *track;
  copy->own.index = own.index;
  copy->own.parent = parent;
  copy->own.labels = own.labels;
  copy->own.name = own.name;
  copy->own.description = own.description;
  copy->own.unit_name = own.unit_name;
  copy->own.pid_text = own.pid_text;
  copy->own.tid_text = own.tid_text;
  return copy_text(copies, &copy->own.name, track->name, own.name) &&
         copy_text(copies, &copy->own.description, track->description, own.description) &&
         copy_text(copies, &copy->own.unit_name, track->unit_name, own.unit_name) &&
         copy_text(copies, &copy->own.pid_text, track->pid_text, own.pid_text) &&
         copy_text(copies, &copy->own.tid_text, track->tid_text, own.tid_text) &&
         (!track->label_count || copy_labels(copies, copy, track));
}

/* Whether what tells tracks apart differs, and not only was unknown before. */
static bool is_other(const struct tb_track *given, const struct tb_track *track) {
  return given->type != track->type || (given->has_pid && track->has_pid && given->pid != track->pid) ||
         (given->has_tid && track->has_tid && given->tid != track->tid) ||
         (given->uuid && track->uuid && given->uuid != track->uuid);
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
  return track->name.len || track->description.len || track->label_count || track->has_sort_index;
}

/* The copy that has this index, made where there is none; brought up to date. */
static enum tb_status refresh(struct tb_track_copies *copies, struct track_copy *copy, const struct tb_track *track,
                              const struct tb_track *parent, const struct tb_track **own, struct tb_error *error) {
  if (!copy) copy = make(copies, track);
  if (!copy || !update(copies, copy, track, parent)) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  copy->given = *track;
  *own = &copy->own;
  return TB_OK;
}

enum tb_status tb_track_copy(struct tb_track_copies *copies, const struct tb_track *track, bool is_described,
                             const struct tb_track **copy, struct tb_error *error) {
  const struct tb_track *parent = NULL;
  enum tb_status status = track->parent ? tb_track_copy(copies, track->parent, false, &parent, error) : TB_OK;
  if (status != TB_OK) return status;
  struct track_copy *known = tb_map_find_pointer(&copies->by_index, track->index, 0);
  if (known && known->own.parent == parent && memcmp(&known->given, track, sizeof(*track)) == 0) {
    *copy = &known->own;
    return TB_OK;
  }
  if (known && !is_described && is_other(&known->given, track))
    return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "no event: its track's index, %u, is another track's",
                   track->index);
  status = refresh(copies, known, track, parent, copy, error);
  return status == TB_OK && !is_described && says_something(*copy) ? copies->describe(copies->ctx, *copy) : status;
}
