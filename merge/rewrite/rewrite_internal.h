/* SPDX-License-Identifier: Apache-2.0
 *
 * A packet being rewritten: what the files of the rewriting share.
 */
#ifndef TB_MERGE_REWRITE_REWRITE_INTERNAL_H
#define TB_MERGE_REWRITE_REWRITE_INTERNAL_H

#include "merge/rewrite/rewrite.h"
#include "perfetto/packet/profile_event.h"

/* The clock of the times in a bundle of ftrace. */
enum tb_ftrace_clock {
  TB_FTRACE_ON_BOOTTIME,
  TB_FTRACE_ON_ITS_OWN, /* which the input has for itself in the merged trace: they stay */
  TB_FTRACE_ON_ANOTHERS /* MONOTONIC_RAW, which in the merged trace reads as another input has it */
};

struct tb_edit {
  const struct tb_field_tree *tree;
  struct tb_remap *map;
  const struct tb_merge_edit *packet;
  struct tb_message_patch *patches;
  const struct tb_field_node *track_event; /* the node of track events */
  enum tb_ftrace_clock ftrace;             /* of the bundle at hand */
  bool names_track, has_legacy;            /* the track event */
  uint64_t track;                          /* that it names last */
};

/* merge/rewrite/rewrite_clocks.c: a ClockSnapshot of a machine, and the content of a RemoteClockSync. */
TB_MUST_CHECK enum tb_status tb_edit_snapshot(struct tb_edit *edit, uint32_t machine, struct tb_str in);
TB_MUST_CHECK enum tb_status tb_edit_sync(struct tb_edit *edit, struct tb_str in);

/* merge/rewrite/rewrite_profiles.c: where a track event says when a CPU profile begins. False: it does not. */
struct tb_profile_start {
  struct tb_profile_event event;
  struct tb_str digits;
  int64_t ns;
};
bool tb_find_profile_start(struct tb_str event, struct tb_profile_start *start);
TB_MUST_CHECK enum tb_status tb_edit_profile_start(struct tb_edit *edit, const struct tb_profile_start *start);

#endif
