/* SPDX-License-Identifier: Apache-2.0
 *
 * The clocks of all inputs, what relates them, and by what each is placed.
 *
 * Nodes are clocks, edges what is known of two. An edge's rank says of what kind it is, best first: what the user says,
 * what snapshots say, wall clocks, guesses. A forest is grown rank by rank: edges of the best rank join what they can,
 * then those of the next join what is left apart. So the worst edge on the way between two clocks is the best possible,
 * and what a better kind relates stays related whatever clock the merged trace has. Among edges of one rank the way
 * with the fewest of them counts.
 *
 *     a ===== b ----- c ===== d        === rank 1, --- rank 2, ... rank 3
 *      `...........................'   (a, d): joined already when rank 3 comes: not used
 */
#ifndef TB_MERGE_CLOCKS_SYNC_GRAPH_H
#define TB_MERGE_CLOCKS_SYNC_GRAPH_H

#include "base/map.h"
#include "merge/clocks/time_bound.h"
#include "merge/clocks/time_map.h"
#include "tracebridge/merge.h"

/* A node's name. Input TB_GRAPH_SHARED: a clock that inputs have in common, of machine or group `group`. */
struct tb_graph_key {
  uint32_t input, group, clock;
};

#define TB_GRAPH_SHARED UINT32_MAX

/* Kinds of relations, best first. */
enum tb_graph_rank {
  TB_RANK_REFERENCE, /* the clock of the merged trace */
  TB_RANK_GIVEN,     /* --offset, manifest */
  TB_RANK_SNAPSHOTS, /* clocks of one input, by its own snapshots */
  TB_RANK_ALIGNED,   /* --align-on */
  TB_RANK_MESSAGES,  /* --align-messages */
  TB_RANK_SAME_BOOT, /* clocks of one machine */
  TB_RANK_CLOCK_SYNC,
  TB_RANK_REALTIME, /* wall clocks */
  TB_RANK_ASSUMED,
  TB_RANKS
};

/* Time of b from time of a. */
struct tb_graph_edge {
  uint32_t a, b;
  enum tb_placement source;
  enum tb_graph_rank rank;
  struct tb_time_anchor *anchors; /* where there are any; else a line */
  size_t anchor_count;
  bool steps; /* the anchors are steps */
  int64_t x0, offset;
  double drift;
  struct tb_time_bound bound; /* on a; without points: exact */
  uint32_t detail;            /* the caller's: which fit this is, from 1; 0: none */
};

struct tb_graph_node {
  struct tb_graph_key key;
  uint32_t first_link, last_link; /* of its edges in the order in which they came, UINT32_MAX ends */
  uint32_t next_edge;             /* the first edge of the way to its root; UINT32_MAX: it is the root */
  uint32_t root;                  /* of its tree, after solving */
};

struct tb_sync_graph {
  const struct tb_allocator *allocator;
  struct tb_map index;
  struct tb_graph_node *nodes;
  size_t node_count, node_capacity;
  struct tb_graph_edge *edges;
  size_t edge_count, edge_capacity;
  struct tb_graph_link {
    uint32_t edge, next;
  } * links; /* two for each edge */
  size_t link_count, link_capacity;
};

void tb_sync_graph_init(struct tb_sync_graph *graph, const struct tb_allocator *allocator);
void tb_sync_graph_free(struct tb_sync_graph *graph);

/* The node of this name, made where there was none. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_sync_graph_node(struct tb_sync_graph *graph, struct tb_graph_key key, uint32_t *node);
/* The node of this name; false where there is none. */
bool tb_sync_graph_find(const struct tb_sync_graph *graph, struct tb_graph_key key, uint32_t *node);
/* Adds an edge; its anchors and bound are copied. */
TB_MUST_CHECK enum tb_status tb_sync_graph_edge(struct tb_sync_graph *graph, const struct tb_graph_edge *edge);

/* Grows the forest. `target` is the root of its tree; each other tree's root is its lowest node. */
TB_MUST_CHECK enum tb_status tb_sync_graph_solve(struct tb_sync_graph *graph, uint32_t target);

/* The way from `node` to the root of its tree: *there maps the node's time to the root's, *back the other way (either
 * may be NULL; both must be initialised and empty). *weakest is the edge of the worst rank, UINT32_MAX where the way is
 * empty. */
TB_MUST_CHECK enum tb_status tb_sync_graph_way(const struct tb_sync_graph *graph, uint32_t node,
                                               struct tb_time_map *there, struct tb_time_map *back, uint32_t *weakest);

/* How far off the way of `node` may be from `first` to `last`, on the node's clock: the bounds of its edges added up.
 * *evidence_ns is the largest bound where all edges have evidence, or the least of all where there is no such time. The
 * bound is to be freed. */
TB_MUST_CHECK enum tb_status tb_sync_graph_bound(const struct tb_sync_graph *graph, uint32_t node, int64_t first,
                                                 int64_t last, struct tb_time_bound *bound, int64_t *evidence_ns);

/* What joins two trees by one edge of the worst rank while others of that rank say something else: how far apart they
 * are. */
struct tb_graph_conflict {
  uint32_t edge; /* that is not used */
  int64_t apart_ns;
};

/* Compares the edges of `rank` that are not used with the ways that are, at their x0, and widens the bounds of the used
 * edges of that rank, and of those that are given, by the difference. *worst: the largest, `apart_ns` 0 where there is
 * none. */
TB_MUST_CHECK enum tb_status tb_sync_graph_compare(struct tb_sync_graph *graph, enum tb_graph_rank rank,
                                                   struct tb_graph_conflict *worst);

/* The next node on the way to the root; UINT32_MAX: this is the root. */
uint32_t tb_sync_graph_next(const struct tb_sync_graph *graph, uint32_t node);

#endif
