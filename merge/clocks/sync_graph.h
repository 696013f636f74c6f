/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock graph: clocks of all inputs, and what is known of pairs of them. The cheapest way from a clock to the merged
 * trace's clock places an input.
 */
#ifndef TB_MERGE_CLOCKS_SYNC_GRAPH_H
#define TB_MERGE_CLOCKS_SYNC_GRAPH_H

#include "base/map.h"
#include "merge/clocks/time_map.h"
#include "tracebridge/merge.h"

/* A node's name. Input TB_GRAPH_SHARED: a clock that inputs have in common, of machine or group `group`. */
struct tb_graph_key {
  uint32_t input, group, clock;
};

#define TB_GRAPH_SHARED UINT32_MAX

/* What an edge rests on; its cost is how little it is trusted. */
struct tb_graph_edge {
  uint32_t a, b;
  enum tb_placement source;
  uint32_t cost;
  /* time of b from time of a: anchors where there are any, else a line */
  struct tb_time_anchor *anchors;
  size_t anchor_count;
  int64_t x0, offset;
  double drift;
  uint32_t detail; /* the caller's: which fit this is, from 1; 0: none */
};

struct tb_graph_node {
  struct tb_graph_key key;
  uint64_t distance;   /* from the target; UINT64_MAX: none */
  uint32_t next_edge;  /* the first edge of the way to the target */
  uint32_t first_link; /* of its edges, UINT32_MAX ends */
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
/* Adds an edge; its anchors are copied. */
TB_MUST_CHECK enum tb_status tb_sync_graph_edge(struct tb_sync_graph *graph, const struct tb_graph_edge *edge);

/* Finds the cheapest way from every node to `target`. */
TB_MUST_CHECK enum tb_status tb_sync_graph_solve(struct tb_sync_graph *graph, uint32_t target);

/* The way from `node` to the target: *there maps the node's time to the target's, *back the other way (either may be NULL;
 * both must be initialised and empty). *weakest is the edge that is trusted least, UINT32_MAX where the way is empty.
 * TB_INVALID where there is no way. */
TB_MUST_CHECK enum tb_status tb_sync_graph_way(const struct tb_sync_graph *graph, uint32_t node,
                                               struct tb_time_map *there, struct tb_time_map *back, uint32_t *weakest);

#endif
