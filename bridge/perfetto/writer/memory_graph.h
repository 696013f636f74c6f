/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the graph of allocators of a memory dump can be walked: the trace processor takes every node after the one
 * that it is below and after those that it owns, and does not come to an end where these go in a circle.
 */
#ifndef TB_PERFETTO_WRITER_MEMORY_GRAPH_H
#define TB_PERFETTO_WRITER_MEMORY_GRAPH_H

#include "base/map.h"

struct tb_memory_graph {
  const struct tb_allocator *allocator;
  struct tb_map children; /* number of a node, hash of a name below it -> number of that node */
  struct tb_map guids;    /* -> number of the node */
  struct tb_memory_graph_edge {
    uint64_t from, to; /* numbers of nodes; until tb_memory_graph_check guids where `owns` */
    bool owns;
  } * edges;
  size_t edge_count, edge_capacity;
  uint32_t nodes;
  bool ambiguous; /* two nodes have one guid */
};

void tb_memory_graph_init(struct tb_memory_graph *graph, const struct tb_allocator *allocator);
void tb_memory_graph_free(struct tb_memory_graph *graph);
/* Adds what a ProcessSnapshot of `pid` says. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_memory_graph_add(struct tb_memory_graph *graph, uint64_t pid, struct tb_str fields);
/* *sound: nothing goes in a circle. To be called once. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_memory_graph_check(struct tb_memory_graph *graph, bool *sound);

#endif
