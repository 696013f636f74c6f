/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of the events of a bundle. What becomes of each is decided first, of all in the order in which they are in it:
 * its events, then the switches and the wakings of compact_sched.
 */
#ifndef TB_TOOLBOX_CUT_FTRACE_PART_H
#define TB_TOOLBOX_CUT_FTRACE_PART_H

#include "toolbox/walk/ftrace_bundle.h"

/* What becomes of an event. Of a switch one of the threads may become the idle one. */
enum tb_ftrace_fate { TB_FTRACE_DROP = 0, TB_FTRACE_KEEP = 1, TB_FTRACE_IDLE_PREV = 2, TB_FTRACE_IDLE_NEXT = 4 };

enum tb_ftrace_row_kind { TB_FTRACE_ROW_EVENT, TB_FTRACE_ROW_SWITCH, TB_FTRACE_ROW_WAKING };

/* An event as it is decided. */
struct tb_ftrace_row {
  enum tb_ftrace_row_kind kind;
  uint64_t raw_time;
  struct tb_str event; /* of an event: the message */
  int64_t pid;         /* of a switch or a waking: the thread that runs next, or wakes */
};

/* Returns bits of enum tb_ftrace_fate. */
typedef uint8_t (*tb_ftrace_decider)(void *ctx, const struct tb_ftrace_bundle *bundle, const struct tb_ftrace_row *row);

enum tb_ftrace_part { TB_FTRACE_ALL, TB_FTRACE_SOME, TB_FTRACE_NONE };

/* Sets *fates to a byte for each event, and *part to how much of the bundle stays: ALL where nothing changes. TB_OK,
 * TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_ftrace_decide(const struct tb_ftrace_bundle *bundle, tb_ftrace_decider decide,
                                              void *ctx, struct tb_buffer *fates, enum tb_ftrace_part *part);
/* The same where all switches and wakings of compact_sched stay. */
TB_MUST_CHECK enum tb_status tb_ftrace_decide_events(const struct tb_ftrace_bundle *bundle, tb_ftrace_decider decide,
                                                     void *ctx, struct tb_buffer *fates, enum tb_ftrace_part *part);

/* Appends a packet, framed, as `packet` but for what becomes of the events of its bundle; `fates` NULL: all stay. Where
 * bundle->whole_from is 0, it does not say up to when events were missing. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_ftrace_append_part(const struct tb_ftrace_bundle *bundle, struct tb_str packet,
                                                   const struct tb_buffer *fates, struct tb_buffer *buffer);

/* To be called for each bundle. Writes to the walk's output, where nothing of the bundle stays though it is the first
 * one of its processor, one without events in its place: the first ones of all processors say from when on readers show
 * events, and another one would be the first. `begun`: the processors that had one. */
TB_MUST_CHECK enum tb_status tb_ftrace_write_first(const struct tb_ftrace_bundle *bundle, enum tb_ftrace_part part,
                                                   struct tb_map *begun);

#endif
