/* SPDX-License-Identifier: Apache-2.0
 *
 * The clocks of one input: what its ClockSnapshots and RemoteClockSyncs say, and the time of each of its packets.
 *
 * Rules as the trace processor has them: a snapshot relates all clocks that it holds; over one relation the last reading at or
 * before a time counts, else the first; of several ways the shortest.
 */
#ifndef TB_MERGE_CLOCKS_INPUT_CLOCKS_H
#define TB_MERGE_CLOCKS_INPUT_CLOCKS_H

#include "base/map.h"
#include "base/memory.h"
#include "merge/input/merge_header.h"
#include "merge/input/sequence_ids.h"

enum { TB_INPUT_CLOCK_SEQUENCE_FIRST = 64, TB_INPUT_CLOCK_TRACE_FIRST = 128 };

/* A clock of the input. */
struct tb_input_clock {
  uint32_t machine, clock;
  uint32_t sequence; /* 0 but for clocks 64 to 127 */
  bool incremental;
  uint64_t unit;                /* ns of one count; at least 1 */
  int64_t last;                 /* incremental: time of the last packet, ns */
  uint32_t first_use, last_use; /* of the groups that have it, in the order in which they came, + 1; 0: none */
  /* the way to the trace clock of its machine, found when asked for: what was known then, and the way */
  uint64_t way_version;
  size_t way_groups;
  bool way_exists;
  uint8_t way_len;
  struct tb_input_clock_step {
    uint32_t group, from, to; /* readings: rows of `group`, columns */
  } way[6];
  /* for the search of a way: the search that reached it last, from which clock, by which step */
  uint64_t search;
  uint32_t reached_from;
  struct tb_input_clock_step reached_by;
  /* from `from` up to `until` its readings only need `ahead` added; known as of `version` */
  int64_t from, until, ahead;
  uint64_t version;
};

/* Snapshots that hold the same clocks: a table, a row for each, in the order in which they came. Values in ns. */
struct tb_input_clock_group {
  uint32_t *nodes; /* one for each column */
  size_t columns;
  int64_t *rows;                  /* row after row */
  size_t row_count, row_capacity; /* in rows */
  uint32_t same_hash;             /* another group with its hash, + 1; 0: none */
};

/* That a group has a clock. */
struct tb_input_clock_use {
  uint32_t group, column;
  uint32_t next; /* of the same clock, + 1; 0: none */
};

struct tb_input_clocks {
  const struct tb_allocator *allocator;
  struct tb_map node_index; /* of machine, sequence and clock */
  struct tb_input_clock *nodes;
  size_t node_count, node_capacity;
  struct tb_input_clock_group *groups;
  size_t group_count, group_capacity;
  struct tb_map group_index; /* by a hash of the columns */
  struct tb_input_clock_use *uses;
  size_t use_count, use_capacity;
  uint32_t *queue; /* of the search of a way */
  size_t queue_capacity;
  uint64_t searches;
  struct tb_merge_sequences sequences;
  uint64_t version;     /* counts what was learned, from 1 */
  uint64_t way_version; /* counts what made all ways unknown, from 1 */
  uint32_t primary;     /* the trace clock: primary_trace_clock of the first snapshot, else BOOTTIME */
  bool primary_named;   /* a snapshot named it */
  uint64_t bad_snapshots;
};

void tb_input_clocks_init(struct tb_input_clocks *clocks, const struct tb_allocator *allocator);
void tb_input_clocks_free(struct tb_input_clocks *clocks);

/* Forgets what belongs to a place in the file (defaults, incremental clocks), for a second reading. */
void tb_input_clocks_rewind(struct tb_input_clocks *clocks);

/* Takes in what a packet of `sequence` says of clocks: cleared state, defaults and, where `learn` is set, snapshots and syncs
 * (they are then known from the start at a second reading; increments start anew at each in both). TB_OK, TB_NO_MEMORY or
 * TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_input_clocks_take(struct tb_input_clocks *clocks, const struct tb_merge_header *head,
                                                  struct tb_merge_sequence *sequence, bool learn);

/* When a packet happened. */
struct tb_merge_packet_time {
  uint32_t clock;     /* the clock that its timestamp is on: the input's trace clock where it names none */
  bool default_clock; /* named by the sequence's defaults */
  bool resolved;      /* `time` is set */
  int64_t time;       /* on the input's trace clock */
};

/* For tb_input_clocks_time: what does not come with every packet. Looks a sequence's clock up; the clock of a packet that names
 * none; the way to the trace clock, false where there is none. */
void tb_input_clocks_look_up(struct tb_input_clocks *clocks, struct tb_merge_sequence *sequence, uint32_t clock);
uint32_t tb_input_clocks_implied(struct tb_input_clocks *clocks, const struct tb_merge_header *head);
bool tb_input_clocks_convert_node(struct tb_input_clocks *clocks, struct tb_input_clock *node, int64_t value,
                                  int64_t *time);

/* Reads a timestamp on `clock`, whose node is `node`, or NULL where no snapshot had it; once for each packet, in the file's
 * order. True and *time on the input's trace clock; false where nothing relates them. */
static TB_ALWAYS_INLINE bool tb_input_clocks_read(struct tb_input_clocks *clocks, struct tb_input_clock *node,
                                                  uint32_t clock, uint64_t timestamp, int64_t *time) {
  int64_t value = (int64_t)timestamp;
  if (node && (node->incremental || node->unit != 1)) {
    int64_t ns = (int64_t)(timestamp * node->unit);
    value = node->incremental ? (int64_t)((uint64_t)node->last + (uint64_t)ns) : ns;
    if (node->incremental) node->last = value;
  }
  *time = value;
  if (clock == clocks->primary) return true;
  if (!node) return false;
  if (node->version != clocks->version || value < node->from || value >= node->until)
    return tb_input_clocks_convert_node(clocks, node, value, time);
  *time = (int64_t)((uint64_t)value + (uint64_t)node->ahead);
  return true;
}

static inline struct tb_input_clock *tb_input_clocks_of(struct tb_input_clocks *clocks,
                                                        struct tb_merge_sequence *sequence, uint32_t clock) {
  if (sequence->clock != clock || sequence->node_count != clocks->node_count)
    tb_input_clocks_look_up(clocks, sequence, clock);
  return sequence->node ? &clocks->nodes[sequence->node - 1] : NULL;
}

/* The time of a packet of `sequence` that has a timestamp; once for each packet, in the file's order. */
static inline void tb_input_clocks_time(struct tb_input_clocks *clocks, const struct tb_merge_header *head,
                                        struct tb_merge_sequence *sequence, struct tb_merge_packet_time *time) {
  uint32_t clock = head->clock;
  time->default_clock = !clock && sequence->id && sequence->default_clock;
  if (time->default_clock) clock = sequence->default_clock;
  if (!clock) clock = tb_input_clocks_implied(clocks, head);
  time->clock = clock;
  struct tb_input_clock *node = tb_input_clocks_of(clocks, sequence, clock);
  time->resolved = tb_input_clocks_read(clocks, node, clock, head->timestamp, &time->time);
}

/* A sequence of machine 0 and the clock of its track events that name none, for tb_input_clocks_read: the same as long as no
 * other packets come. Wholly public; `id` is TB_EVENT_CLOCK_NONE at first. */
enum { TB_EVENT_CLOCK_NONE = -1 };
struct tb_event_clock {
  int64_t id;                         /* of the sequence */
  struct tb_merge_sequence *sequence; /* NULL: memory was out */
  struct tb_input_clock *node;
  uint32_t clock;
  bool default_clock;
};
void tb_input_clocks_events_of(struct tb_input_clocks *clocks, uint32_t sequence, struct tb_event_clock *events);

/* A reading of clock `clock` of `machine` as time of the trace clock of the same machine; false where nothing relates them. */
bool tb_input_clocks_convert(struct tb_input_clocks *clocks, uint32_t machine, uint32_t clock, int64_t value,
                             int64_t *time);

/* The other way round: a time of the machine's trace clock as a reading of `clock`. */
bool tb_input_clocks_convert_back(struct tb_input_clocks *clocks, uint32_t machine, uint32_t clock, int64_t time,
                                  int64_t *value);

/* The node of a clock that is no sequence's own; NULL where no snapshot had it. */
const struct tb_input_clock *tb_input_clocks_find(const struct tb_input_clocks *clocks, uint32_t machine,
                                                  uint32_t clock);

#endif
