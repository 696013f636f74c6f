/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters whose values are increments, where one reading writes several parts: by how much they grew in packets that a
 * part does not look at. That is added up right before the next packet that it does look at.
 *
 * Of each packet: tb_missed_values_look, tb_missed_values_add_up for each part that looks at it, tb_missed_values_pass.
 */
#ifndef TB_TOOLBOX_SPLIT_MISSED_VALUES_H
#define TB_TOOLBOX_SPLIT_MISSED_VALUES_H

#include "toolbox/cut/packet_cut.h"

enum { TB_MISSED_VALUES_MAX = TB_EXTRA_COUNTERS + 1 };

/* Caller-owned; tb_missed_values_init, then tb_missed_values_free. */
struct tb_missed_values {
  struct tb_map sums;   /* uuid, state of a sequence -> sum of the increments in it so far */
  struct tb_map states; /* the walk's number of a sequence -> that of its state, a new one where that is cleared */
  uint64_t next_state;
  /* of the current packet */
  uint64_t state;
  size_t count;
  uint64_t uuids[TB_MISSED_VALUES_MAX];
  int64_t values[TB_MISSED_VALUES_MAX];
};

void tb_missed_values_init(struct tb_missed_values *missed, const struct tb_allocator *allocator);
void tb_missed_values_free(struct tb_missed_values *missed);

/* Looks at the walk's current packet. `view` NULL: it is no track event. TB_OK, TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_missed_values_look(struct tb_missed_values *missed, struct tb_track_events *events,
                                                   const struct tb_walk *walk, const struct tb_event_view *view);

/* Adds what the part missed to what its cut left out; the cut looks at the packet next. `seen`: how much of each sum it
 * has so far. What fails is in the walk's error. */
TB_MUST_CHECK enum tb_status tb_missed_values_add_up(const struct tb_missed_values *missed, struct tb_map *seen,
                                                     struct tb_cut *cut);

/* Adds the packet's increments to the sums. TB_OK, TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_missed_values_pass(struct tb_missed_values *missed);

#endif
