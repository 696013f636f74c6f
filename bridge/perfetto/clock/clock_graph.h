/* SPDX-License-Identifier: Apache-2.0
 *
 * The clocks of a trace and how to get from one to another.
 *
 * Clocks are nodes; two clocks of one snapshot are joined by an edge, which keeps their readings from all snapshots. A
 * time goes along the shortest path, on each edge by the last reading at or before it, else by the first. A clock that
 * ran backwards may be gone to but not come from.
 */
#ifndef TB_PERFETTO_CLOCK_CLOCK_GRAPH_H
#define TB_PERFETTO_CLOCK_CLOCK_GRAPH_H

#include "base/map.h"

enum { TB_CLOCKS_IN_SNAPSHOT_MAX = 64, TB_CLOCK_SEQUENCE_FIRST = 64, TB_CLOCK_SEQUENCE_LAST = 127 };

/* A clock of the trace is its id; one of a sequence has the sequence above it. */
static inline uint64_t tb_clock_key(uint32_t clock, uint32_t sequence) {
  return clock >= TB_CLOCK_SEQUENCE_FIRST && clock <= TB_CLOCK_SEQUENCE_LAST ? (uint64_t)sequence << 32 | clock : clock;
}

/* Arithmetic on times of hostile traces wraps instead of being undefined. */
static inline int64_t tb_clock_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline int64_t tb_clock_subtract(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }

struct tb_clock_reading_raw {
  uint64_t key;
  int64_t ns; /* the multiplier applied */
  uint64_t unit_multiplier;
  bool incremental;
};

struct tb_clock_pair {
  int64_t from, to;
};

struct tb_clock_edge {
  uint32_t from, to;
  uint64_t set;                /* a hash of the clocks that the snapshots have */
  struct tb_clock_pair *pairs; /* in order of `from`, while the clock runs forwards */
  size_t count, capacity;
  size_t recent;     /* where the last conversion found itself */
  uint32_t next_out; /* of the edges from the same clock, + 1; 0: none */
};

struct tb_clock_node {
  uint64_t key;
  uint64_t unit_multiplier;
  int64_t last; /* of an incremental clock: the last time on it */
  bool incremental, backwards, dropped;
  uint32_t first_out, last_out; /* the edges from it, in the order of their numbers, + 1; 0: none */
  /* the path that was found last, in `path`: where to, and what the graph was then */
  uint32_t path_to, path_version;
  size_t path_edges;
  bool path_found;
  uint8_t path_len;
  uint32_t path[8]; /* edges */
  /* for the search of a path: the search that reached it last, in which round, along which edge */
  uint64_t search;
  uint32_t search_round, search_edge;
};

/* The node of a key that was asked for lately: packets of one sequence come in rows. */
struct tb_clock_recent {
  uint64_t key;
  uint32_t number;
  bool known;
};

/* How a clock's timestamps become times of another, as long as the time stays in [from, to) and the graph does not change: found
 * by tb_clock_graph_find_line, used by tb_clock_graph_use_line. Caller-owned; zero: nothing known. */
struct tb_clock_line {
  uint64_t key, target;
  uint64_t changes; /* of the graph when it was found */
  int64_t from, to;
  uint64_t offset;
  uint32_t node;
};

struct tb_clock_graph {
  struct tb_clock_recent recent[2]; /* of sources, of targets */
  const struct tb_allocator *allocator;
  struct tb_clock_node *nodes;
  size_t node_count, node_capacity;
  struct tb_clock_edge *edges;
  size_t edge_count, edge_capacity;
  uint32_t *reached; /* by the search of a path, in the order of its rounds */
  size_t reached_capacity;
  uint64_t searches;
  struct tb_map node_map, edge_map; /* edges by both nodes, and set */
  uint32_t version;                 /* counts clocks that were found to run backwards, from 1 */
  uint64_t changes;                 /* counts snapshots, from 1 */
};

void tb_clock_graph_init(struct tb_clock_graph *graph, const struct tb_allocator *allocator);
void tb_clock_graph_free(struct tb_clock_graph *graph);

/* Adds a snapshot of `count` readings (more than TB_CLOCKS_IN_SNAPSHOT_MAX are left out). TB_OK; TB_REFUSED where the
 * clock `trace_clock` itself ran backwards (nothing added then); TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_clock_graph_add(struct tb_clock_graph *graph,
                                                const struct tb_clock_reading_raw *readings, size_t count,
                                                uint64_t trace_clock);

/* The incremental clocks of a sequence are unknown until its next snapshot. */
void tb_clock_graph_clear_sequence(struct tb_clock_graph *graph, uint32_t sequence);

/* The time that a packet's timestamp on clock `key` stands for, on that clock: multiplier and increments applied.
 * TB_OK, or TB_UNSUPPORTED where the clock is incremental and nothing says what it starts from. */
TB_MUST_CHECK enum tb_status tb_clock_graph_resolve(struct tb_clock_graph *graph, uint64_t key, uint64_t timestamp,
                                                    int64_t *ns);

/* `ns` of clock `from` on clock `to`. TB_OK; TB_UNSUPPORTED where no path leads there; TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_clock_graph_convert(struct tb_clock_graph *graph, uint64_t from, uint64_t to,
                                                    int64_t ns, int64_t *converted);

/* The line around `ns` of clock `from`, a time that tb_clock_graph_convert took to clock `to`. Where nothing simple can be said
 * the line is of no use. */
void tb_clock_graph_find_line(struct tb_clock_graph *graph, uint64_t from, uint64_t to, int64_t ns,
                              struct tb_clock_line *line);

/* tb_clock_graph_resolve and _convert in one, where the line still holds. False, and nothing changed, where it does not. */
static inline bool tb_clock_graph_use_line(struct tb_clock_graph *graph, const struct tb_clock_line *line, uint64_t key,
                                           uint64_t target, uint64_t timestamp, int64_t *converted) {
  if (line->changes != graph->changes || line->key != key || line->target != target) return false;
  struct tb_clock_node *node = &graph->nodes[line->node];
  uint64_t ns = timestamp * node->unit_multiplier;
  if (node->incremental) ns += (uint64_t)node->last;
  if (node->dropped || (int64_t)ns < line->from || (int64_t)ns >= line->to) return false;
  if (node->incremental) node->last = (int64_t)ns;
  *converted = (int64_t)(ns + line->offset);
  return true;
}

#endif
