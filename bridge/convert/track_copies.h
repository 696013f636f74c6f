/* SPDX-License-Identifier: Apache-2.0
 *
 * A writer's own copies of the tracks that its user names. Users may free theirs, or use the memory again, as soon as
 * an event was put; writers keep pointers to tracks until they finish. A track is known by its index, whatever number
 * that is; what it says of itself may become known late, or change by a TB_EVENT_TRACK, but its index is never another
 * track's.
 */
#ifndef TB_CONVERT_TRACK_COPIES_H
#define TB_CONVERT_TRACK_COPIES_H

#include "model/narrow_ids.h"
#include "tracebridge/event.h"

/* Called with a copy that says something new: a name, a sort index, … */
typedef enum tb_status (*tb_track_describe)(void *ctx, const struct tb_track *track);

struct tb_track_copies {
  tb_track_describe describe;
  void *ctx;
  struct tb_map by_index; /* the user's index -> copy */
  struct tb_arena arena;
  uint32_t count; /* the indices of copies are dense */
  /* Ids that are wider are narrow ones in the copies, with their digits as pid_text and tid_text. */
  bool narrows_ids;
  struct tb_narrow_ids narrow;
};

void tb_track_copies_init(struct tb_track_copies *copies, const struct tb_allocator *allocator, bool narrows_ids,
                          tb_track_describe describe, void *ctx);
void tb_track_copies_free(struct tb_track_copies *copies);

/* Gives an event that tb_event_check took copies of its tracks; one that a TB_EVENT_TRACK has is described by that.
 * TB_INVALID where an index is another track's, and nothing has changed; TB_NO_MEMORY; both also in *error; or what
 * `describe` returned. */
TB_MUST_CHECK enum tb_status tb_tracks_copy(struct tb_track_copies *copies, struct tb_event *event,
                                            struct tb_error *error);

#endif
