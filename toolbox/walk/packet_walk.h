/* SPDX-License-Identifier: Apache-2.0
 *
 * One trace of any format as Perfetto's packets in the file's order, each with its time on the trace clock. All clock
 * snapshots are known from the start. The input is one of a merge: found, converted and prescanned as that does.
 *
 *   tb_walk_open … tb_walk_start, tb_walk_next … TB_END … tb_walk_start, tb_walk_next … tb_walk_close
 */
#ifndef TB_TOOLBOX_WALK_PACKET_WALK_H
#define TB_TOOLBOX_WALK_PACKET_WALK_H

#include "merge/merger.h"

/* Caller-owned; read what is said of the current packet, and change nothing. */
struct tb_walk {
  struct tb_merger merger; /* its output is where to write, its error and report are those of the walk */
  struct tb_source *source;
  struct tb_raw_packet_reader *packets; /* NULL between two readings */
  /* Where plain track events are read from, one after the other, and of these the sequence that the last one is of with
   * its clock; tb_walk_next_slowly closes both. */
  struct tb_packet_cursor plain;
  struct tb_event_clock events;
  struct tb_clock_cursor clock;
  /* The current packet, without `fields`; its `packet` is empty with ptr NULL where it is a field of Trace that is
   * none. */
  struct tb_raw_packet packet;
  uint64_t number;                    /* of the packet in the trace, from 0 on */
  struct tb_merge_sequence *sequence; /* its */
  size_t sequence_number;             /* of the sequences in the order of their first packets */
  struct tb_merge_packet_time time;   /* on the trace clock of its machine */
  int64_t host_time;                  /* on that of machine 0; where time.resolved */
  bool counted;                       /* it has no timestamp, but its event counts from the one before it */
  /* the clock of its timestamp where that is of its sequence alone or known by snapshots; NULL: another */
  struct tb_clock_node *node;
  uint64_t next, next_progress;
};

/* Opens the trace at `path` ("-": standard input) and scans it once. TB_UNSUPPORTED where it is an archive of several;
 * else what tb_merge returns. Where it fails, walk->merger.report is NULL or the caller's, as after success. */
TB_MUST_CHECK enum tb_status tb_walk_open(struct tb_walk *walk, const char *path,
                                          const struct tb_merge_options *options, struct tb_error *error);
/* The same; the listener gets the packets as they are scanned. */
TB_MUST_CHECK enum tb_status tb_walk_open_listening(struct tb_walk *walk, const char *path,
                                                    const struct tb_merge_options *options,
                                                    const struct tb_prescan_listener *listener, struct tb_error *error);
/* Frees all but walk->merger.report. */
void tb_walk_close(struct tb_walk *walk);

/* Reads what is at `place` in place of the source from here on: as if it had been opened. */
TB_MUST_CHECK enum tb_status tb_walk_turn_to(struct tb_walk *walk, const struct tb_input_place *place);

/* Starts to read from the front. What fails here and below is in walk->merger.error. */
TB_MUST_CHECK enum tb_status tb_walk_start(struct tb_walk *walk);

/* Plain track events of one sequence that come one after the other, as they were found by an earlier reading. */
struct tb_walk_events {
  uint64_t first; /* number of the first packet */
  uint64_t ticks; /* sum of their timestamps as they are in the file */
  uint32_t count, bytes;
  uint32_t sequence; /* its id */
};

/* What a packet adds to such events. */
struct tb_packet_part {
  uint64_t ticks; /* its timestamp as it is in the file */
  uint32_t bytes; /* framed */
  uint32_t sequence;
};

/* For tb_walk_next: any packet; a sequence to which plain track events come, false where it takes more than their
 * timestamps to know their times. */
TB_MUST_CHECK enum tb_status tb_walk_next_slowly(struct tb_walk *walk);
bool tb_walk_enter_sequence(struct tb_walk *walk, uint32_t sequence);

/* Makes what was read by a cursor the walk's packet. */
static inline void tb_walk_set_packet(struct tb_walk *walk, const struct tb_common_packet *common) {
  walk->packet.framed = common->framed;
  walk->packet.packet = common->bytes;
  tb_packet_header_take_common(&walk->packet.head, common->bytes, &common->head);
}

/* The next packet, valid until the next call. TB_END; TB_IO, TB_NO_MEMORY, TB_CANCELLED. */
TB_MUST_CHECK static inline enum tb_status tb_walk_next(struct tb_walk *walk) {
  struct tb_common_packet common;
  const struct tb_packet_common *head = &common.head;
  struct tb_packet_cursor before = walk->plain;
  if (walk->next >= walk->next_progress || !tb_packet_cursor_take(&walk->plain, &common))
    return tb_walk_next_slowly(walk);
  if (!head->timestamp_at || (walk->events.id != head->sequence && !tb_walk_enter_sequence(walk, head->sequence))) {
    walk->plain = before;
    return tb_walk_next_slowly(walk);
  }
  tb_walk_set_packet(walk, &common);
  walk->number = walk->next++;
  walk->time.resolved = tb_input_clocks_read_at_cursor(&walk->source->prescan.clocks, &walk->events, &walk->clock,
                                                       head->timestamp, &walk->host_time);
  walk->time.time = walk->host_time;
  return TB_OK;
}

/* Makes the sequence of events that come next the walk's; false where they are not all at hand. */
bool tb_walk_enter_events(struct tb_walk *walk, const struct tb_walk_events *events);
/* Passes over events of which that was true. Their bytes, valid until the next call. */
struct tb_str tb_walk_pass_events(struct tb_walk *walk, const struct tb_walk_events *events);

/* Whether the current packet is a plain track event (perfetto/packet/packet_header.h): it says nothing to its sequence,
 * and TB_PACKET_AHEAD bytes behind it are readable. */
static inline bool tb_walk_at_plain_event(const struct tb_walk *walk) { return walk->events.id != TB_EVENT_CLOCK_NONE; }

static inline struct tb_packet_part tb_walk_packet_part(const struct tb_walk *walk) {
  const struct tb_raw_packet *packet = &walk->packet;
  return (struct tb_packet_part){packet->head.timestamp, (uint32_t)packet->framed.len, packet->head.sequence};
}

/* How far the trace clock of a machine is ahead of machine 0's. */
int64_t tb_walk_ahead(const struct tb_walk *walk, uint32_t machine);

/* Writes bytes of whole packets, as they are, to the output. */
TB_MUST_CHECK static inline enum tb_status tb_walk_write(struct tb_walk *walk, struct tb_str framed) {
  return tb_output_write(walk->merger.output, framed.ptr, framed.len, &walk->merger.error);
}

/* The current packet, framed, with patches of it, of which there may be none. Valid until the next call of either. */
TB_MUST_CHECK enum tb_status tb_walk_patch(struct tb_walk *walk, const struct tb_message_patch *patches,
                                           struct tb_str *framed);
/* Writes the current packet with patches of it, of which there may be none. */
TB_MUST_CHECK enum tb_status tb_walk_write_patched(struct tb_walk *walk, const struct tb_message_patch *patches);

#endif
