/* SPDX-License-Identifier: Apache-2.0
 *
 * What is the same of tracks whatever the format.
 */
#ifndef TB_MODEL_TRACKS_H
#define TB_MODEL_TRACKS_H

#include <string.h>

#include "tracebridge/event.h"

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

#endif
