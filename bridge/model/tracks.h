/* SPDX-License-Identifier: Apache-2.0
 *
 * What is the same of tracks whatever the format.
 */
#ifndef TB_MODEL_TRACKS_H
#define TB_MODEL_TRACKS_H

#include <string.h>

#include "base/memory.h"
#include "tracebridge/event.h"

/* What is kept of fewer tracks is in the cache anyway. */
enum { TB_MANY_TRACKS = 4096 };

/* The process that the track is, or is below; NULL: none. */
static inline const struct tb_track *tb_track_process(const struct tb_track *track) {
  while (track && track->type != TB_TRACK_PROCESS) track = track->parent;
  return track;
}

/* Takes the first item off a comma list, as the Trace Event Format has categories and labels. False: it was empty. */
static inline bool tb_comma_list_next(struct tb_str *list, struct tb_str *item) {
  if (!list->len) return false;
  const char *comma = memchr(list->ptr, ',', list->len);
  *item = (struct tb_str){list->ptr, comma ? (size_t)(comma - list->ptr) : list->len};
  size_t used = item->len + (comma != NULL);
  *list = (struct tb_str){list->ptr + used, list->len - used};
  return true;
}

/* Appends the labels as such a list. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK static inline enum tb_status tb_track_append_labels(const struct tb_track *track, struct tb_buffer *to) {
  const struct tb_track_details *details = tb_track_get_details(track);
  enum tb_status status = TB_OK;
  for (uint32_t i = 0; i < details->label_count && status == TB_OK; i++) {
    if (i) status = tb_buffer_append(to, ",", 1);
    if (status == TB_OK && details->labels[i].len)
      status = tb_buffer_append(to, details->labels[i].ptr, details->labels[i].len);
  }
  return status;
}

/* The details of a track that is being made, which are its own and may be written: made in the arena where it has none.
 * NULL without memory. */
static inline struct tb_track_details *tb_track_own_details(struct tb_arena *arena, struct tb_track *track) {
  if (track->details) return (struct tb_track_details *)(uintptr_t)track->details;
  struct tb_track_details *details = tb_arena_alloc(arena, sizeof(*details));
  if (details) *details = *tb_track_get_details(track);
  track->details = details;
  return details;
}

/* The same, where those that it has are another track's: they are copied. */
static inline struct tb_track_details *tb_track_copy_details(struct tb_arena *arena, struct tb_track *track) {
  const struct tb_track_details *others = tb_track_get_details(track);
  track->details = NULL;
  struct tb_track_details *details = tb_track_own_details(arena, track);
  if (details) *details = *others;
  return details;
}

/* Gives the track, whose details are its own, the texts of ids that another has: of the process, and of the thread
 * where that is asked for. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK static inline enum tb_status tb_track_take_id_texts(struct tb_arena *arena, struct tb_track *track,
                                                                  const struct tb_track *from, bool of_thread) {
  struct tb_str pid = tb_track_get_details(from)->pid_text, tid = tb_track_get_details(from)->tid_text;
  if (!track->details && !pid.ptr && (!of_thread || !tid.ptr)) return TB_OK;
  struct tb_track_details *details = tb_track_own_details(arena, track);
  if (!details) return TB_NO_MEMORY;
  details->pid_text = pid;
  details->pid_is_number = tb_track_get_details(from)->pid_is_number;
  if (!of_thread) return TB_OK;
  details->tid_text = tid;
  details->tid_is_number = tb_track_get_details(from)->tid_is_number;
  return TB_OK;
}

#endif
