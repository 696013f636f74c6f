/* SPDX-License-Identifier: Apache-2.0
 *
 * The clocks of a trace and how to get from one to another, for the reader and for merging.
 *
 * Clocks are nodes. Snapshots of the same clocks of one machine are a group: a table with a column for each clock and a
 * row for each snapshot. A time goes along the shortest path of groups, in each by the last row at or before it, else
 * by the first. Of paths of one length the one over the clocks with the smaller ids counts, of groups that relate two
 * clocks the first. A clock that ran backwards within a group may be gone to but not come from. All of this is what the
 * trace processor does, which goes over fewer clocks only.
 */
#ifndef TB_PERFETTO_CLOCK_CLOCK_GRAPH_H
#define TB_PERFETTO_CLOCK_CLOCK_GRAPH_H

#include "base/map.h"

enum { TB_CLOCKS_IN_SNAPSHOT_MAX = 64, TB_CLOCK_SEQUENCE_FIRST = 64, TB_CLOCK_SEQUENCE_LAST = 127 };
enum { TB_CLOCK_PATH_MAX = 8 };

/* Whether the id is of a clock that each sequence has for itself. */
static inline bool tb_clock_of_sequence(uint32_t clock) {
  return clock >= TB_CLOCK_SEQUENCE_FIRST && clock <= TB_CLOCK_SEQUENCE_LAST;
}

/* A clock of a machine is its id; one of a sequence has the sequence above it. */
static inline uint64_t tb_clock_key(uint32_t clock, uint32_t sequence) {
  return tb_clock_of_sequence(clock) ? (uint64_t)sequence << 32 | clock : clock;
}

struct tb_clock_reading_raw {
  uint64_t key;
  int64_t ns; /* the multiplier applied */
  uint64_t unit_multiplier;
  bool incremental;
};

/* How a clock's timestamps become times of another, as long as the time stays in [from, to) and the graph does not
 * change. Caller-owned; zero: nothing known. */
struct tb_clock_line {
  uint64_t key, target;
  uint64_t changes; /* of the graph when it was found */
  int64_t from, to;
  uint64_t offset;
  uint32_t node;
};

/* A step of a path: a group, and the columns from which and to which. */
struct tb_clock_step {
  uint32_t group, from, to;
};

struct tb_clock_node {
  uint64_t key;
  uint32_t machine;
  bool incremental, backwards, dropped;
  uint64_t unit_multiplier;
  int64_t last;                 /* of an incremental clock: the last time on it */
  uint32_t first_use, last_use; /* of the groups that have it, in the order of their numbers, + 1; 0: none */
  /* the path that was found last, in `path`: where to, and what the graph was then */
  uint32_t path_to, path_version;
  size_t path_groups;
  bool path_found;
  uint8_t path_len;
  struct tb_clock_step path[TB_CLOCK_PATH_MAX];
  struct tb_clock_line line; /* of the last conversion from it */
  /* for the search of a path: the search that reached it last, from which clock, by which step */
  uint64_t search;
  uint32_t reached_from;
  struct tb_clock_step reached_by;
};

/* Snapshots of the same clocks, in the order in which they came; a snapshot that repeats the one before it is left
 * out. */
struct tb_clock_group {
  uint32_t *nodes; /* one for each column, in the order of their numbers */
  size_t columns;
  int64_t *rows; /* row after row, ns */
  size_t row_count, row_capacity;
  size_t reached;     /* rows up to the last snapshot: all, but at a second reading */
  uint32_t same_hash; /* another group with its hash, + 1; 0: none */
};

/* That a group has a clock. */
struct tb_clock_use {
  uint32_t group, column;
  uint32_t next; /* of the same clock, + 1; 0: none */
};

/* The node of a key that was asked for lately: packets of one sequence come in rows. */
struct tb_clock_recent {
  uint64_t key;
  uint32_t machine;
  uint32_t number;
  bool known;
};

/* A clock that the search of a path has reached. */
struct tb_clock_reached {
  uint64_t rank;
  uint32_t node;
};

struct tb_clock_graph {
  struct tb_clock_recent recent[2]; /* of sources, of targets */
  const struct tb_allocator *allocator;
  struct tb_clock_node *nodes;
  size_t node_count, node_capacity;
  struct tb_clock_group *groups;
  size_t group_count, group_capacity;
  struct tb_clock_use *uses;
  size_t use_count, use_capacity;
  struct tb_clock_reached *reached; /* by the search of a path, in the order of its rounds */
  size_t reached_capacity;
  uint64_t searches;
  struct tb_map node_map;    /* by key and machine */
  struct tb_map machine_map; /* how many clocks each machine has */
  struct tb_map group_map;   /* by a hash of the columns */
  uint32_t version;          /* counts clocks that were found to run backwards, from 1 */
  uint64_t changes;          /* counts what makes lines invalid, from 1 */
};

void tb_clock_graph_init(struct tb_clock_graph *graph, const struct tb_allocator *allocator);
void tb_clock_graph_free(struct tb_clock_graph *graph);

/* Adds a snapshot of `count` readings of a machine's clocks (more than TB_CLOCKS_IN_SNAPSHOT_MAX are left out). TB_OK;
 * TB_REFUSED where the clock `trace_clock` ran backwards, TB_BAD_DATA where a clock comes twice or one that is no
 * sequence's is incremental: the snapshot relates nothing then, and of the readings only those up to the faulty one
 * count as where their clocks are. TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_clock_graph_add(struct tb_clock_graph *graph, uint32_t machine,
                                                const struct tb_clock_reading_raw *readings, size_t count,
                                                uint64_t trace_clock);

/* For a second reading of a trace whose snapshots are all known: goes back to where the clocks were at its start,
 * ... */
void tb_clock_graph_rewind(struct tb_clock_graph *graph);
/* ... and takes in where they are at a snapshot, as tb_clock_graph_add does, which relates nothing anew. */
TB_MUST_CHECK enum tb_status tb_clock_graph_replay(struct tb_clock_graph *graph, uint32_t machine,
                                                   const struct tb_clock_reading_raw *readings, size_t count,
                                                   uint64_t trace_clock);

/* Said where packets are lost and tb_clock_graph_has_differences. */
#define TB_NOTE_DIFFERENCES \
  "times behind damage that are written as differences are too early, by those of the packets that are lost"
/* Whether there is an incremental clock: each of its times needs all those before it. */
bool tb_clock_graph_has_differences(const struct tb_clock_graph *graph);

/* The incremental clocks of a sequence are unknown until its next snapshot. */
void tb_clock_graph_clear_sequence(struct tb_clock_graph *graph, uint32_t machine, uint32_t sequence);

/* The number of a clock, which keeps it; one that no snapshot had is added. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_clock_graph_add_node(struct tb_clock_graph *graph, uint32_t machine, uint64_t key,
                                                     uint32_t *number);

/* ---- looking at it ----------------------------------------------------------------------------------------------- */

/* The number of a clock; false where it is unknown. */
bool tb_clock_graph_find(const struct tb_clock_graph *graph, uint32_t machine, uint64_t key, uint32_t *number);

/* Whether any clock of the machine is known. */
static inline bool tb_clock_graph_has_machine(const struct tb_clock_graph *graph, uint32_t machine) {
  return tb_map_find(&graph->machine_map, machine, 0) != NULL;
}

static inline uint32_t tb_clock_node_clock(const struct tb_clock_node *node) { return (uint32_t)node->key; }
/* 0 of a clock that is no sequence's. */
static inline uint32_t tb_clock_node_sequence(const struct tb_clock_node *node) { return (uint32_t)(node->key >> 32); }

/* The column of node `number`; false where the group does not have it. */
static inline bool tb_clock_group_column(const struct tb_clock_group *group, uint32_t number, size_t *column) {
  for (size_t i = 0; i < group->columns; i++) {
    if (group->nodes[i] != number) continue;
    *column = i;
    return true;
  }
  return false;
}

static inline int64_t tb_clock_group_ns(const struct tb_clock_group *group, size_t row, size_t column) {
  return group->rows[row * group->columns + column];
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* The time that a packet's timestamp on clock `key` stands for, on that clock: multiplier and increments applied.
 * TB_OK, or TB_UNSUPPORTED where the clock is incremental and nothing says what it starts from. */
TB_MUST_CHECK enum tb_status tb_clock_graph_resolve(struct tb_clock_graph *graph, uint32_t machine, uint64_t key,
                                                    uint64_t timestamp, int64_t *ns);

/* `ns` of a machine's clock `from` on its clock `to`. TB_OK; TB_UNSUPPORTED where no path leads there; TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_clock_graph_convert(struct tb_clock_graph *graph, uint32_t machine, uint64_t from,
                                                    uint64_t to, int64_t ns, int64_t *converted);

/* The same for the clock of node `number`, which keeps the line that was found in its `line`. */
TB_MUST_CHECK enum tb_status tb_clock_graph_convert_node(struct tb_clock_graph *graph, uint32_t number, uint64_t to,
                                                         int64_t ns, int64_t *converted);

/* The line around `ns` of clock `from`, a time that tb_clock_graph_convert took to clock `to`. Where nothing simple can
 * be said the line is of no use. */
void tb_clock_graph_find_line(struct tb_clock_graph *graph, uint32_t machine, uint64_t from, uint64_t to, int64_t ns,
                              struct tb_clock_line *line);

/* Resolves and converts a timestamp of `node` by a line that was found from it. False, and nothing changed, where the
 * line does not lead to `target` or does not hold. */
static TB_ALWAYS_INLINE bool tb_clock_line_use(const struct tb_clock_graph *graph, const struct tb_clock_line *line,
                                               struct tb_clock_node *node, uint64_t target, uint64_t timestamp,
                                               int64_t *converted) {
  if (line->changes != graph->changes || line->target != target) return false;
  uint64_t ns = timestamp * node->unit_multiplier;
  if (node->incremental) ns += (uint64_t)node->last;
  if (node->dropped || (int64_t)ns < line->from || (int64_t)ns >= line->to) return false;
  if (node->incremental) node->last = (int64_t)ns;
  *converted = (int64_t)(ns + line->offset);
  return true;
}

/* A node with its line at hand, for timestamps that are converted one after the other. Wholly public, caller-owned;
 * until tb_clock_cursor_close nobody else may use the node, nor may the graph change. */
struct tb_clock_cursor {
  struct tb_clock_node *node; /* NULL: none */
  uint64_t multiplier;
  uint64_t last; /* the clock's last time where increments count from it, else 0 */
  uint64_t keep; /* all bits where it is incremental, else 0 */
  uint64_t from, span, offset;
};

/* Timestamps of `node` become times of `target` by the node's line where that leads there; else none does. */
static inline void tb_clock_cursor_open(struct tb_clock_cursor *cursor, const struct tb_clock_graph *graph,
                                        struct tb_clock_node *node, uint64_t target) {
  const struct tb_clock_line *line = &node->line;
  bool holds = line->changes == graph->changes && line->target == target && !node->dropped && line->from < line->to;
  *cursor = (struct tb_clock_cursor){.node = node, .multiplier = node->unit_multiplier};
  cursor->keep = node->incremental ? UINT64_MAX : 0;
  cursor->last = (uint64_t)node->last & cursor->keep;
  cursor->from = (uint64_t)line->from;
  cursor->span = holds ? (uint64_t)line->to - (uint64_t)line->from : 0;
  cursor->offset = line->offset;
}

/* tb_clock_line_use by the cursor. */
static TB_ALWAYS_INLINE bool tb_clock_cursor_convert(struct tb_clock_cursor *cursor, uint64_t timestamp,
                                                     int64_t *converted) {
  uint64_t ns = timestamp * cursor->multiplier + cursor->last;
  if (ns - cursor->from >= cursor->span) return false;
  cursor->last = ns & cursor->keep;
  *converted = (int64_t)(ns + cursor->offset);
  return true;
}

static inline void tb_clock_cursor_close(const struct tb_clock_cursor *cursor) {
  if (cursor->node && cursor->keep) cursor->node->last = (int64_t)cursor->last;
}

/* tb_clock_graph_resolve and _convert in one, where the line still holds. False, and nothing changed, where it does
 * not. */
static inline bool tb_clock_graph_use_line(struct tb_clock_graph *graph, const struct tb_clock_line *line, uint64_t key,
                                           uint64_t target, uint64_t timestamp, int64_t *converted) {
  if (line->changes != graph->changes || line->key != key) return false; /* its node is one of this graph's */
  return tb_clock_line_use(graph, line, &graph->nodes[line->node], target, timestamp, converted);
}

#endif
