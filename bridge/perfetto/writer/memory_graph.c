/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/writer/memory_graph.h"

#include "base/intern.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { GLOBAL = 0 /* the node above those that belong to no process */ };

void tb_memory_graph_init(struct tb_memory_graph *g, const struct tb_allocator *allocator) {
  *g = (struct tb_memory_graph){.allocator = allocator, .nodes = GLOBAL + 1};
  tb_map_init(&g->children, allocator);
  tb_map_init(&g->guids, allocator);
}

void tb_memory_graph_free(struct tb_memory_graph *g) {
  tb_map_free(&g->children);
  tb_map_free(&g->guids);
  tb_free(g->allocator, g->edges, g->edge_capacity * sizeof(*g->edges));
}

/* ---- nodes and edges --------------------------------------------------------------------------------------------- */

static enum tb_status add_edge(struct tb_memory_graph *g, uint64_t from, uint64_t to, bool owns) {
  void *edges = g->edges;
  enum tb_status status =
      tb_grow_array(g->allocator, &edges, &g->edge_capacity, g->edge_count + 1, sizeof(*g->edges), UINT32_MAX);
  g->edges = edges;
  if (status == TB_OK) g->edges[g->edge_count++] = (struct tb_memory_graph_edge){from, to, owns};
  return status == TB_OK ? TB_OK : TB_NO_MEMORY;
}

/* The node that `name` calls below `above`, which it hangs on. */
static enum tb_status child_of(struct tb_memory_graph *g, uint32_t above, uint64_t name, uint32_t *node) {
  if (tb_map_get(&g->children, above, name, node)) return TB_OK;
  if (g->nodes >= UINT32_MAX - 1) return TB_NO_MEMORY;
  *node = g->nodes++;
  enum tb_status status = tb_map_put(&g->children, above, name, *node);
  return status == TB_OK ? add_edge(g, *node, above, false) : TB_NO_MEMORY;
}

/* The trace processor adds its own tracing's memory to that of these, and makes `tracing` own a part of each. */
static enum tb_status add_overhead(struct tb_memory_graph *g, uint32_t process, uint32_t tracing) {
  uint32_t node;
  enum tb_status status = child_of(g, process, tb_str_hash(TB_STR("malloc"), 0), &node);
  if (status == TB_OK) status = add_edge(g, tracing, node, false);
  if (status == TB_OK) status = child_of(g, process, tb_str_hash(TB_STR("winheap"), 0), &node);
  return status == TB_OK ? add_edge(g, tracing, node, false) : status;
}

/* The node of a path like "malloc/heap"; names of no length are passed over. */
static enum tb_status find_node(struct tb_memory_graph *g, uint64_t pid, struct tb_str path, uint32_t *node) {
  uint32_t process;
  enum tb_status status = child_of(g, GLOBAL, pid, &process);
  if (status != TB_OK) return status;
  *node = process;
  for (size_t i = 0; status == TB_OK && i < path.len; i++) {
    const char *slash = memchr(path.ptr + i, '/', path.len - i);
    size_t len = slash ? (size_t)(slash - path.ptr) - i : path.len - i;
    struct tb_str name = {path.ptr + i, len};
    if (i == 0 && tb_str_equal(name, TB_STR("global")))
      *node = GLOBAL;
    else if (len)
      status = child_of(g, *node, tb_str_hash(name, 0), node);
    i += len;
  }
  if (status == TB_OK && tb_str_equal(path, TB_STR("tracing"))) status = add_overhead(g, process, *node);
  return status;
}

static enum tb_status add_node(struct tb_memory_graph *g, uint64_t pid, struct tb_str message) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  struct tb_str path = {"", 0};
  uint64_t guid = 0;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.number == TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_NODE_ID) guid = field.value;
    if (field.number == TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_NODE_ABSOLUTE_NAME) path = field.bytes;
  }
  uint32_t node, other;
  enum tb_status status = find_node(g, pid, path, &node);
  if (status != TB_OK) return status;
  if (tb_map_get(&g->guids, guid, 0, &other) && other != node) g->ambiguous = true;
  return tb_map_put(&g->guids, guid, 0, node);
}

static enum tb_status add_ownership(struct tb_memory_graph *g, struct tb_str message) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  uint64_t source = 0, target = 0;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.number == TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_EDGE_SOURCE_ID) source = field.value;
    if (field.number == TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_EDGE_TARGET_ID) target = field.value;
  }
  return add_edge(g, source, target, true);
}

enum tb_status tb_memory_graph_add(struct tb_memory_graph *g, uint64_t pid, struct tb_str fields) {
  struct tb_wire_cursor cursor = tb_wire_cursor(fields);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.number == TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_ALLOCATOR_DUMPS)
      status = add_node(g, pid, field.bytes);
    else if (field.number == TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_EDGES)
      status = add_ownership(g, field.bytes);
  }
  return status;
}

/* ---- circles ----------------------------------------------------------------------------------------------------- */

/* From guids to numbers of nodes. What is not there is passed over by readers too. Returns whether any owns another. */
static bool resolve(struct tb_memory_graph *g) {
  size_t kept = 0;
  bool any = false;
  for (size_t i = 0; i < g->edge_count; i++) {
    struct tb_memory_graph_edge edge = g->edges[i];
    uint32_t from, to;
    if (edge.owns) {
      any = true;
      if (!tb_map_get(&g->guids, edge.from, 0, &from) || !tb_map_get(&g->guids, edge.to, 0, &to)) continue;
      edge = (struct tb_memory_graph_edge){from, to, false};
    }
    g->edges[kept++] = edge;
  }
  g->edge_count = kept;
  return any;
}

/* Edges by where they come from: those of node n are then targets[first[n + 1]] up to targets[first[n + 2]]. */
static void sort_edges(const struct tb_memory_graph *g, uint32_t *first, uint32_t *targets, uint32_t *incoming) {
  for (size_t i = 0; i < g->edge_count; i++) {
    first[g->edges[i].from + 1]++;
    incoming[g->edges[i].to]++;
  }
  for (uint32_t n = 0; n <= g->nodes; n++) first[n + 1] += first[n];
  for (size_t i = g->edge_count; i-- > 0;) targets[--first[g->edges[i].from + 1]] = (uint32_t)g->edges[i].to;
}

/* Takes away nodes that nothing leads to until none is left, or all that are left are in or behind circles. */
static bool take_away(uint32_t nodes, const uint32_t *first, const uint32_t *targets, uint32_t *incoming,
                      uint32_t *ready) {
  uint32_t count = 0;
  for (uint32_t n = 0; n < nodes; n++)
    if (!incoming[n]) ready[count++] = n;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t e = first[ready[i]]; e < first[ready[i] + 1]; e++)
      if (--incoming[targets[e]] == 0) ready[count++] = targets[e];
  return count == nodes;
}

enum tb_status tb_memory_graph_check(struct tb_memory_graph *g, bool *sound) {
  *sound = true;
  if (!resolve(g)) return TB_OK; /* a tree */
  *sound = false;
  if (g->ambiguous) return TB_OK;
  size_t size = ((size_t)g->nodes + 2) * sizeof(uint32_t), edges_size = (g->edge_count + 1) * sizeof(uint32_t);
  uint32_t *first = tb_calloc(g->allocator, size), *incoming = tb_calloc(g->allocator, size);
  uint32_t *ready = tb_calloc(g->allocator, size), *targets = tb_calloc(g->allocator, edges_size);
  bool room = first && incoming && ready && targets;
  if (room) {
    sort_edges(g, first, targets, incoming);
    *sound = take_away(g->nodes, first + 1, targets, incoming, ready);
  }
  tb_free(g->allocator, first, size);
  tb_free(g->allocator, incoming, size);
  tb_free(g->allocator, ready, size);
  tb_free(g->allocator, targets, edges_size);
  return room ? TB_OK : TB_NO_MEMORY;
}
