/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/sync_graph.h"
#include "base/mix64.h"

enum { NODES_MAX = 1 << 24, EDGES_MAX = 1 << 24 };
static const uint32_t none = UINT32_MAX;

void tb_sync_graph_init(struct tb_sync_graph *g, const struct tb_allocator *allocator) {
  *g = (struct tb_sync_graph){.allocator = allocator};
  tb_map_init(&g->index, allocator);
}

void tb_sync_graph_free(struct tb_sync_graph *g) {
  for (size_t i = 0; i < g->edge_count; i++)
    tb_free(g->allocator, g->edges[i].anchors, g->edges[i].anchor_count * sizeof(struct tb_time_anchor));
  tb_free(g->allocator, g->nodes, g->node_capacity * sizeof(*g->nodes));
  tb_free(g->allocator, g->edges, g->edge_capacity * sizeof(*g->edges));
  tb_free(g->allocator, g->links, g->link_capacity * sizeof(*g->links));
  tb_map_free(&g->index);
}

static uint64_t hash_key(struct tb_graph_key key) {
  return tb_mix64((uint64_t)key.input << 32 | key.group) ^ key.clock;
}

bool tb_sync_graph_find(const struct tb_sync_graph *g, struct tb_graph_key key, uint32_t *node) {
  const uint64_t *at = tb_map_find(&g->index, hash_key(key), 0);
  if (at) *node = (uint32_t)*at;
  return at != NULL;
}

enum tb_status tb_sync_graph_node(struct tb_sync_graph *g, struct tb_graph_key key, uint32_t *node) {
  if (tb_sync_graph_find(g, key, node)) return TB_OK;
  void *nodes = g->nodes;
  enum tb_status status =
      tb_grow_array(g->allocator, &nodes, &g->node_capacity, g->node_count + 1, sizeof(*g->nodes), NODES_MAX);
  g->nodes = nodes;
  if (status == TB_OK) status = tb_map_put(&g->index, hash_key(key), 0, g->node_count);
  if (status != TB_OK) return status;
  *node = (uint32_t)g->node_count;
  g->nodes[g->node_count++] = (struct tb_graph_node){key, UINT64_MAX, none, none};
  return TB_OK;
}

static enum tb_status add_link(struct tb_sync_graph *g, uint32_t node, uint32_t edge) {
  void *links = g->links;
  enum tb_status status = tb_grow_array(g->allocator, &links, &g->link_capacity, g->link_count + 1, sizeof(*g->links),
                                        2 * (size_t)EDGES_MAX);
  g->links = links;
  if (status != TB_OK) return status;
  g->links[g->link_count] = (struct tb_graph_link){edge, g->nodes[node].first_link};
  g->nodes[node].first_link = (uint32_t)g->link_count++;
  return TB_OK;
}

enum tb_status tb_sync_graph_edge(struct tb_sync_graph *g, const struct tb_graph_edge *edge) {
  void *edges = g->edges;
  enum tb_status status =
      tb_grow_array(g->allocator, &edges, &g->edge_capacity, g->edge_count + 1, sizeof(*g->edges), EDGES_MAX);
  g->edges = edges;
  if (status != TB_OK) return status;
  struct tb_graph_edge copy = *edge;
  copy.anchors = NULL;
  if (edge->anchor_count) {
    copy.anchors = tb_alloc(g->allocator, edge->anchor_count * sizeof(*copy.anchors));
    if (!copy.anchors) return TB_NO_MEMORY;
    memcpy(copy.anchors, edge->anchors, edge->anchor_count * sizeof(*copy.anchors));
  }
  g->edges[g->edge_count++] = copy;
  status = add_link(g, edge->a, (uint32_t)(g->edge_count - 1));
  return status == TB_OK ? add_link(g, edge->b, (uint32_t)(g->edge_count - 1)) : status;
}

/* A queue of nodes whose distance fell; costs are few and small, so that little is looked at twice. */
struct queue {
  uint32_t *nodes;
  bool *waiting;
  size_t capacity, head, count;
};

static void push(struct queue *q, uint32_t node) {
  if (q->waiting[node]) return;
  q->waiting[node] = true;
  q->nodes[(q->head + q->count++) % q->capacity] = node;
}

static void relax(struct tb_sync_graph *g, struct queue *q, uint32_t node) {
  for (uint32_t l = g->nodes[node].first_link; l != none; l = g->links[l].next) {
    const struct tb_graph_edge *edge = &g->edges[g->links[l].edge];
    uint32_t other = edge->a == node ? edge->b : edge->a;
    uint64_t distance = g->nodes[node].distance + edge->cost;
    if (distance >= g->nodes[other].distance) continue;
    g->nodes[other].distance = distance;
    g->nodes[other].next_edge = g->links[l].edge;
    push(q, other);
  }
}

enum tb_status tb_sync_graph_solve(struct tb_sync_graph *g, uint32_t target) {
  for (size_t i = 0; i < g->node_count; i++) {
    g->nodes[i].distance = UINT64_MAX;
    g->nodes[i].next_edge = none;
  }
  struct queue q = {tb_alloc(g->allocator, g->node_count * sizeof(*q.nodes)),
                    tb_calloc(g->allocator, g->node_count * sizeof(*q.waiting)), g->node_count, 0, 0};
  bool got = q.nodes && q.waiting;
  if (got) {
    g->nodes[target].distance = 0;
    push(&q, target);
    while (q.count) {
      uint32_t node = q.nodes[q.head];
      q.head = (q.head + 1) % q.capacity;
      q.count--;
      q.waiting[node] = false;
      relax(g, &q, node);
    }
  }
  tb_free(g->allocator, q.nodes, g->node_count * sizeof(*q.nodes));
  tb_free(g->allocator, q.waiting, g->node_count * sizeof(*q.waiting));
  return got ? TB_OK : TB_NO_MEMORY;
}

static enum tb_status add_step(struct tb_time_map *map, const struct tb_graph_edge *edge, bool reversed) {
  if (edge->anchor_count) return tb_time_map_add(map, edge->anchors, edge->anchor_count, reversed);
  return tb_time_map_add_line(map, edge->x0, edge->offset, edge->drift, reversed);
}

enum tb_status tb_sync_graph_way(const struct tb_sync_graph *g, uint32_t node, struct tb_time_map *there,
                                 struct tb_time_map *back, uint32_t *weakest) {
  uint32_t way[TB_TIME_STAGES * 2];
  bool reversed[TB_TIME_STAGES * 2];
  size_t len = 0;
  *weakest = none;
  if (g->nodes[node].distance == UINT64_MAX) return TB_INVALID;
  while (g->nodes[node].next_edge != none) {
    if (len == TB_TIME_STAGES * 2) return TB_LIMIT;
    const struct tb_graph_edge *edge = &g->edges[g->nodes[node].next_edge];
    if (*weakest == none || edge->cost > g->edges[*weakest].cost) *weakest = g->nodes[node].next_edge;
    way[len] = g->nodes[node].next_edge;
    reversed[len++] = edge->b == node;
    node = edge->a == node ? edge->b : edge->a;
  }
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < len && there && status == TB_OK; i++) status = add_step(there, &g->edges[way[i]], reversed[i]);
  for (size_t i = len; i-- > 0 && back && status == TB_OK;) status = add_step(back, &g->edges[way[i]], !reversed[i]);
  return status;
}
