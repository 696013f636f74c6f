/* SPDX-License-Identifier: Apache-2.0
 *
 * Bundles of ftrace events: each event has a time of its own, on the bundle's clock. The switches and wakings of
 * compact_sched are columns.
 */
#ifndef TB_TOOLBOX_WALK_FTRACE_BUNDLE_H
#define TB_TOOLBOX_WALK_FTRACE_BUNDLE_H

#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "toolbox/walk/packet_walk.h"

/* Caller-owned, filled by tb_ftrace_bundle_read. */
struct tb_ftrace_bundle {
  struct tb_walk *walk;
  struct tb_str bytes, compact;
  uint32_t cpu, machine;
  uint32_t clock; /* enum tb_clock that its times are on when `add` was added; UNKNOWN: nobody knows */
  int64_t add;
  int64_t ahead;       /* of the machine's trace clock */
  uint64_t whole_from; /* where events of its processor were missing before it: up to when; 0: it does not say */
};

/* Of the walk's current packet, which is a bundle. */
void tb_ftrace_bundle_read(struct tb_ftrace_bundle *bundle, struct tb_walk *walk);

/* Whether a field of a bundle is one of its events. */
static inline bool tb_ftrace_is_event(const struct tb_wire_field *field) {
  return field->number == TB_FTRACE_EVENT_BUNDLE_EVENT && field->type == TB_WIRE_BYTES;
}

/* A time in it as time of machine 0's trace clock; false where nothing relates them. */
bool tb_ftrace_bundle_time(const struct tb_ftrace_bundle *bundle, uint64_t raw, int64_t *time);

/* When the first and the last of a bundle's events are, and how many it has; of none `first` is behind `last`. */
struct tb_ftrace_extent {
  int64_t first, last;
  uint64_t count;
};

/* False where that cannot be known without looking at each: their clock is not the trace's, or nobody knows it. */
bool tb_ftrace_bundle_extent(const struct tb_ftrace_bundle *bundle, struct tb_ftrace_extent *extent);

/* Lowers *first and raises *last where events of the bundle are before and behind them. */
void tb_ftrace_bundle_extend(const struct tb_ftrace_bundle *bundle, int64_t *first, int64_t *last);

/* The last switch or waking of compact_sched; INT64_MIN: there is none whose time is known. */
int64_t tb_ftrace_compact_last(const struct tb_ftrace_bundle *bundle);

/* When the last event of each processor was, so far. The events of a processor come in the order of time, most likely,
 * those of several do not. */
struct tb_ftrace_reach {
  struct tb_map processors; /* machine, processor -> time */
};
TB_MUST_CHECK enum tb_status tb_ftrace_reach_take(struct tb_ftrace_reach *reach, const struct tb_ftrace_bundle *bundle,
                                                  int64_t last);
/* Up to when the events of all processors were read, the watermark; INT64_MAX: there is no processor. */
int64_t tb_ftrace_reached_by_all(const struct tb_ftrace_reach *reach);

/* An event of a bundle. */
struct tb_ftrace_event {
  struct tb_str bytes; /* the message */
  uint64_t raw_time;
  int64_t pid;
  uint32_t kind; /* field number of the payload; 0: none */
  struct tb_str payload;
};
void tb_ftrace_event_read(struct tb_str bytes, struct tb_ftrace_event *event);

/* Its time alone, as it is in the bundle; 0: it has none. */
uint64_t tb_ftrace_event_time(struct tb_str bytes);

/* What an rss_stat says. */
struct tb_rss_stat {
  bool says_whose; /* whether the memory is that of the thread which counts it: `is_own` */
  bool is_own;
  uint64_t memory; /* its number (mm_id) */
  uint64_t size;
  uint32_t member;
};
void tb_rss_stat_read(const struct tb_ftrace_event *event, struct tb_rss_stat *stat);

/* The columns of compact_sched: which are of switches, which of wakings. */
bool tb_ftrace_is_switch_column(uint32_t number);
bool tb_ftrace_is_waking_column(uint32_t number);

/* The names that the columns of compact_sched count, the first `room` of them; returns how many. */
size_t tb_ftrace_compact_names(struct tb_str compact, struct tb_str *names, size_t room);

/* The next time of a column of times, which are differences. */
struct tb_number_cursor;
bool tb_ftrace_next_time(struct tb_number_cursor *column, uint64_t *raw);

#endif
