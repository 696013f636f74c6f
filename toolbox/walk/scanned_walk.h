/* SPDX-License-Identifier: Apache-2.0
 *
 * A first reading of a trace that takes none of its own: what is read is what the walk scans while it is opened. That
 * cannot be where times are not known by what comes before, or not by that alone; the trace is to be read by the walk
 * then.
 *
 *   tb_scanned_walk_open … begin, take_event, take_packet, … tb_scanned_walk_holds … tb_scanned_walk_free
 */
#ifndef TB_TOOLBOX_WALK_SCANNED_WALK_H
#define TB_TOOLBOX_WALK_SCANNED_WALK_H

#include "toolbox/walk/scan_times.h"
#include "toolbox/walk/track_events.h"

struct tb_scanned_walk;

/* What reads. Where a function returns false, the reading ends and does not hold. What take_event is given is the
 * prescan's own, so that an event takes one call: it begins with tb_scanned_walk_take_event, and sets scanned->failed
 * where it returns false. */
struct tb_scan_reader {
  /* The walk has its allocator and its source, but no prescan. `events` are to be initialised. */
  void (*begin)(void *begin_ctx);
  void *begin_ctx;
  bool (*take_event)(void *scanned, const struct tb_common_packet *packet, uint64_t number, int64_t time);
  /* As after tb_walk_next of a packet; of its time only `resolved` and the walk's host_time are set. */
  bool (*take_packet)(void *ctx);
  void *ctx;
};

/* Caller-owned; zero but for the first three. */
struct tb_scanned_walk {
  struct tb_walk *walk;
  struct tb_track_events *events;
  struct tb_scan_reader reader;
  struct tb_scan_times times;
  uint64_t next;    /* number of the packet that is expected */
  bool any;         /* there was a time of the trace clock ... */
  uint32_t primary; /* ... which was this one */
  bool failed;
  /* of the events that come next: their clock, as of struct tb_prescan_listener, and its number in the graph */
  const struct tb_clock_cursor *clock;
  uint32_t node;
};

/* tb_walk_open, with that reading. */
TB_MUST_CHECK enum tb_status tb_scanned_walk_open(struct tb_scanned_walk *scanned, const char *path,
                                                  const struct tb_merge_options *options, struct tb_error *error);

/* Makes the packet the walk's. EVENT: as after tb_track_events_next_plain of *event; PACKET: as it is for
 * tb_scan_reader.take_packet, which is not called; NONE: the reading ends. */
enum tb_scan_step { TB_SCAN_NONE, TB_SCAN_EVENT, TB_SCAN_PACKET };
enum tb_scan_step tb_scanned_walk_take_event(struct tb_scanned_walk *scanned, const struct tb_common_packet *packet,
                                             uint64_t number, int64_t time, struct tb_plain_event *event);

/* Whether all packets were given, with the times that they have where the walk reads them. */
bool tb_scanned_walk_holds(const struct tb_scanned_walk *scanned);

void tb_scanned_walk_free(struct tb_scanned_walk *scanned);

#endif
