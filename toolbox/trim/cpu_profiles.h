/* SPDX-License-Identifier: Apache-2.0
 *
 * What of V8's CPU profiles is in a window (see perfetto/packet/profile_event.h). Each sample is so much later than the
 * one before it.
 *
 * A chunk of before the window is needed by those in it, and one of behind it may have samples that are in it. So
 * chunks keep their nodes, and the samples that are in the window; the first of these makes up for the times of those
 * before.
 */
#ifndef TB_TOOLBOX_TRIM_CPU_PROFILES_H
#define TB_TOOLBOX_TRIM_CPU_PROFILES_H

#include "base/map.h"
#include "toolbox/trim/edges.h"

/* How far a profile was read. */
struct tb_cpu_profile {
  int64_t reached_us; /* time of its last sample */
  int64_t left_us;    /* how much of that samples were which were left out and not made up for */
};

/* Caller-owned; tb_cpu_profiles_init, then tb_cpu_profiles_free. */
struct tb_cpu_profiles {
  const struct tb_allocator *allocator;
  struct tb_map index; /* pid, id -> place in `items` */
  struct tb_cpu_profile *items;
  size_t count, capacity;
  struct tb_arena arena;
  struct tb_buffer text;
};

void tb_cpu_profiles_init(struct tb_cpu_profiles *profiles, const struct tb_allocator *allocator);
void tb_cpu_profiles_free(struct tb_cpu_profiles *profiles);

/* What of an event stays. */
struct tb_cpu_profile_part {
  bool is_profile;        /* it is one of those above; else nothing below is set */
  bool starts;            /* a "Profile" */
  bool nodes, samples;    /* there are any that stay */
  struct tb_str of;       /* the field in the packet that has the JSON, without its head; ptr NULL: it stays */
  struct tb_str in_place; /* the whole field that takes its place; valid until the next call */
};

/* Reads the walk's current packet, a track event of the phase 'P' whose sequence is of the process `pid`, at a known
 * time; once for each, in the order of the file. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_cpu_profiles_take(struct tb_cpu_profiles *profiles, const struct tb_walk *walk,
                                                  uint64_t pid, const struct tb_window *window,
                                                  struct tb_cpu_profile_part *part);

#endif
