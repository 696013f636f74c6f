/* SPDX-License-Identifier: Apache-2.0
 *
 * The clocks of one input, and the time of each of its packets: the graph of its clocks, and what merging adds to that,
 * the default clocks of sequences, the clocks of packets that name none, and a second reading.
 */
#ifndef TB_MERGE_CLOCKS_INPUT_CLOCKS_H
#define TB_MERGE_CLOCKS_INPUT_CLOCKS_H

#include "merge/clocks/time_map.h"
#include "merge/input/sequence_ids.h"
#include "perfetto/clock/clock_graph.h"
#include "perfetto/packet/packet_header.h"

/* What a RemoteClockSync says of one clock of machine `machine`: what it read, and machine 0's at that time. */
struct tb_input_clock_sync {
  uint32_t machine, clock;
  int64_t ns, host_ns;
};

/* A clock whose times all snapshots together place, and not the latest one alone. */
struct tb_fitted_clock {
  uint32_t node;
  struct tb_time_map to_trace_clock; /* owned */
};
enum { TB_FITTED_CLOCKS = 4 }; /* of one input: those of its host that run evenly */

struct tb_input_clocks {
  const struct tb_allocator *allocator;
  struct tb_clock_graph graph;
  struct tb_input_clock_sync *syncs; /* in the order in which they came */
  size_t sync_count, sync_capacity;
  struct tb_merge_sequences sequences;
  uint32_t primary;       /* the trace clock: primary_trace_clock of the first snapshot, else BOOTTIME */
  bool primary_named;     /* a snapshot named it */
  bool monotonic_assumed; /* what is known of MONOTONIC is a derived snapshot: it says nothing of other inputs' */
  uint64_t bad_snapshots; /* that relate nothing: the trace clock ran backwards, a clock came twice, ... */
  struct tb_fitted_clock fitted[TB_FITTED_CLOCKS];
  size_t fitted_count;
};

void tb_input_clocks_init(struct tb_input_clocks *clocks, const struct tb_allocator *allocator);
void tb_input_clocks_free(struct tb_input_clocks *clocks);

/* Forgets what belongs to a place in the file (defaults, incremental clocks), for a second reading. */
void tb_input_clocks_rewind(struct tb_input_clocks *clocks);

/* Takes in what a packet of `sequence` says of clocks: cleared state, defaults and, where `learn` is set, snapshots and
 * syncs (they are then known from the start at a second reading; increments start anew at each in both). TB_OK,
 * TB_NO_MEMORY or TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_input_clocks_take(struct tb_input_clocks *clocks, const struct tb_packet_header *head,
                                                  struct tb_merge_sequence *sequence, bool learn);

/* From now on times of the machine's clock go by `map`, which is taken over: no longer by the snapshot before them, as
 * readers have it. Nothing changes where no snapshot has the clock, or where readers cannot place its times at all. */
void tb_input_clocks_fit(struct tb_input_clocks *clocks, uint32_t machine, uint32_t clock, struct tb_time_map *map);

/* The fit of a clock that has one; NULL for others. `node` may be NULL. */
const struct tb_fitted_clock *tb_input_clocks_fitted(const struct tb_input_clocks *clocks,
                                                     const struct tb_clock_node *node);
/* The same for a machine's clock. */
const struct tb_fitted_clock *tb_input_clocks_fit_of(const struct tb_input_clocks *clocks, uint32_t machine,
                                                     uint32_t clock);

/* When a packet happened. */
struct tb_merge_packet_time {
  uint32_t clock;     /* the clock that its timestamp is on: the input's trace clock where it names none */
  bool default_clock; /* named by the sequence's defaults */
  bool fitted;        /* the clock has a fit: readers would place the packet elsewhere */
  bool resolved;      /* `time` is set */
  int64_t time;       /* on the input's trace clock */
};

/* For tb_input_clocks_time: what does not come with every packet. Looks a sequence's clock up; the clock of a packet
 * that names none; a timestamp of a clock for which no line is known. */
void tb_input_clocks_look_up(struct tb_input_clocks *clocks, struct tb_merge_sequence *sequence, uint32_t clock);
uint32_t tb_input_clocks_implied(struct tb_input_clocks *clocks, const struct tb_packet_header *head);
bool tb_input_clocks_read_slowly(struct tb_input_clocks *clocks, struct tb_clock_node *node, uint64_t timestamp,
                                 int64_t *time);

/* Reads a timestamp on `clock`, whose node is `node`, or NULL where no snapshot had it; once for each packet, in the
 * file's order. True and *time on the input's trace clock; false where nothing relates them. */
static TB_ALWAYS_INLINE bool tb_input_clocks_read(struct tb_input_clocks *clocks, struct tb_clock_node *node,
                                                  uint32_t clock, uint64_t timestamp, int64_t *time) {
  *time = (int64_t)timestamp;
  if (!node) return clock == clocks->primary;
  return tb_clock_line_use(&clocks->graph, &node->line, node, clocks->primary, timestamp, time) ||
         tb_input_clocks_read_slowly(clocks, node, timestamp, time);
}

static inline struct tb_clock_node *tb_input_clocks_of(struct tb_input_clocks *clocks,
                                                       struct tb_merge_sequence *sequence, uint32_t clock) {
  if (sequence->clock != clock || sequence->node_count != clocks->graph.node_count)
    tb_input_clocks_look_up(clocks, sequence, clock);
  return sequence->node ? &clocks->graph.nodes[sequence->node - 1] : NULL;
}

/* The time of a packet of `sequence` that has a timestamp; once for each packet, in the file's order. */
static inline void tb_input_clocks_time(struct tb_input_clocks *clocks, const struct tb_packet_header *head,
                                        struct tb_merge_sequence *sequence, struct tb_merge_packet_time *time) {
  uint32_t clock = head->has_clock ? head->clock : 0;
  time->default_clock = !clock && sequence->id && sequence->default_clock;
  if (time->default_clock) clock = sequence->default_clock;
  if (!clock) clock = tb_input_clocks_implied(clocks, head);
  time->clock = clock;
  struct tb_clock_node *node = tb_input_clocks_of(clocks, sequence, clock);
  time->fitted = clocks->fitted_count && tb_input_clocks_fitted(clocks, node);
  time->resolved = tb_input_clocks_read(clocks, node, clock, head->timestamp, &time->time);
}

/* A sequence of machine 0 and the clock of its track events that name none, for tb_input_clocks_read: the same as long
 * as no other packets come. Wholly public; `id` is TB_EVENT_CLOCK_NONE at first. */
enum { TB_EVENT_CLOCK_NONE = -1 };
struct tb_event_clock {
  int64_t id;                         /* of the sequence */
  struct tb_merge_sequence *sequence; /* NULL: memory was out */
  struct tb_clock_node *node;
  uint32_t clock;
  bool default_clock, fitted;
};
void tb_input_clocks_events_of(struct tb_input_clocks *clocks, uint32_t sequence, struct tb_event_clock *events);

/* tb_input_clocks_read for timestamps of one sequence's events, one after the other. */
void tb_input_clocks_open_cursor(struct tb_input_clocks *clocks, const struct tb_event_clock *events,
                                 struct tb_clock_cursor *cursor);
bool tb_input_clocks_read_past_cursor(struct tb_input_clocks *clocks, const struct tb_event_clock *events,
                                      struct tb_clock_cursor *cursor, uint64_t timestamp, int64_t *time);
static TB_ALWAYS_INLINE bool tb_input_clocks_read_at_cursor(struct tb_input_clocks *clocks,
                                                            const struct tb_event_clock *events,
                                                            struct tb_clock_cursor *cursor, uint64_t timestamp,
                                                            int64_t *time) {
  return tb_clock_cursor_convert(cursor, timestamp, time) ||
         tb_input_clocks_read_past_cursor(clocks, events, cursor, timestamp, time);
}

/* A reading of clock `clock` of `machine` as time of the trace clock of the same machine, by its fit where it has one;
 * false where nothing relates them. */
bool tb_input_clocks_convert(struct tb_input_clocks *clocks, uint32_t machine, uint32_t clock, int64_t value,
                             int64_t *time);

/* The other way round: a time of the machine's trace clock as a reading of `clock`, by the snapshot before it, as
 * readers have it. */
bool tb_input_clocks_convert_back(struct tb_input_clocks *clocks, uint32_t machine, uint32_t clock, int64_t time,
                                  int64_t *value);

/* Whether a snapshot or a sync relates any clocks. */
static inline bool tb_input_clocks_related(const struct tb_input_clocks *clocks) {
  return clocks->graph.group_count || clocks->sync_count;
}

/* How much machine `machine`'s trace clock was ahead of machine 0's at the first sync of the two; false where there was
 * none. */
bool tb_input_clocks_ahead(const struct tb_input_clocks *clocks, uint32_t machine, int64_t *ahead);

#endif
