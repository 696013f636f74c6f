/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/sync_graph.h"

#include <stdlib.h>

#include "base/mix64.h"

enum { NODES_MAX = 1 << 24, EDGES_MAX = 1 << 24 };
static const uint32_t none = UINT32_MAX;

void tb_sync_graph_init(struct tb_sync_graph *g, const struct tb_allocator *allocator) {
  *g = (struct tb_sync_graph){.allocator = allocator};
  tb_map_init(&g->index, allocator);
}

void tb_sync_graph_free(struct tb_sync_graph *g) {
  for (size_t i = 0; i < g->edge_count; i++) {
    tb_free(g->allocator, g->edges[i].anchors, g->edges[i].anchor_count * sizeof(struct tb_time_anchor));
    tb_time_bound_free(&g->edges[i].bound, g->allocator);
  }
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
  g->nodes[g->node_count++] = (struct tb_graph_node){key, none, none, none, none};
  return TB_OK;
}

static enum tb_status add_link(struct tb_sync_graph *g, uint32_t node, uint32_t edge) {
  void *links = g->links;
  enum tb_status status = tb_grow_array(g->allocator, &links, &g->link_capacity, g->link_count + 1, sizeof(*g->links),
                                        2 * (size_t)EDGES_MAX);
  g->links = links;
  if (status != TB_OK) return status;
  struct tb_graph_node *n = &g->nodes[node];
  *(n->last_link == none ? &n->first_link : &g->links[n->last_link].next) = (uint32_t)g->link_count;
  n->last_link = (uint32_t)g->link_count;
  g->links[g->link_count++] = (struct tb_graph_link){edge, none};
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
  copy.anchor_count = 0;
  status = tb_time_bound_create(&copy.bound, g->allocator, edge->bound.points, edge->bound.count, edge->bound.growth);
  if (status == TB_OK && edge->anchor_count) {
    copy.anchors = tb_alloc(g->allocator, edge->anchor_count * sizeof(*copy.anchors));
    if (!copy.anchors) status = TB_NO_MEMORY;
  }
  if (copy.anchors) {
    memcpy(copy.anchors, edge->anchors, edge->anchor_count * sizeof(*copy.anchors));
    copy.anchor_count = edge->anchor_count;
  }
  g->edges[g->edge_count++] = copy; /* freed with the graph, whole or not */
  if (status != TB_OK) return status;
  status = add_link(g, edge->a, (uint32_t)(g->edge_count - 1));
  return status == TB_OK ? add_link(g, edge->b, (uint32_t)(g->edge_count - 1)) : status;
}

/* ---- the forest -------------------------------------------------------------------------------------------------- */

struct forest {
  struct tb_sync_graph *graph;
  uint32_t *queue;    /* nodes in the order in which a search reached them */
  uint8_t *reached;   /* of nodes, by the search at hand */
  uint8_t *in_forest; /* of edges */
};

static uint32_t other_end(const struct tb_graph_edge *edge, uint32_t node) {
  return edge->a == node ? edge->b : edge->a;
}

/* Puts all nodes of a tree into the queue, those next to `node` first: so of several edges to another tree the one
 * counts that leaves the fewest steps within this one. */
static void reach_tree(struct forest *f, uint32_t node, size_t *end) {
  const struct tb_sync_graph *g = f->graph;
  size_t at = *end;
  f->reached[node] = 1;
  f->queue[(*end)++] = node;
  for (; at < *end; at++) {
    for (uint32_t l = g->nodes[f->queue[at]].first_link; l != none; l = g->links[l].next) {
      uint32_t other = other_end(&g->edges[g->links[l].edge], f->queue[at]);
      if (!f->in_forest[g->links[l].edge] || f->reached[other]) continue;
      f->reached[other] = 1;
      f->queue[(*end)++] = other;
    }
  }
}

/* From the tree of `start` over edges of one rank to other trees, breadth first; each that is reached joins it. */
static void join_trees(struct forest *f, uint32_t start, enum tb_graph_rank rank) {
  struct tb_sync_graph *g = f->graph;
  size_t end = 0;
  if (f->reached[start]) return;
  reach_tree(f, start, &end);
  for (size_t at = 0; at < end; at++) {
    for (uint32_t l = g->nodes[f->queue[at]].first_link; l != none; l = g->links[l].next) {
      uint32_t edge = g->links[l].edge, other = other_end(&g->edges[edge], f->queue[at]);
      if (g->edges[edge].rank != rank || f->reached[other]) continue;
      reach_tree(f, other, &end);
      f->in_forest[edge] = 1;
    }
  }
}

static void join_rank(struct forest *f, uint32_t target, enum tb_graph_rank rank) {
  struct tb_sync_graph *g = f->graph;
  bool any = false;
  for (size_t i = 0; i < g->edge_count && !any; i++) any = g->edges[i].rank == rank;
  if (!any) return;
  memset(f->reached, 0, g->node_count);
  join_trees(f, target, rank);
  for (uint32_t i = 0; i < g->node_count; i++) join_trees(f, i, rank);
}

/* Sets each node's way to the root of its tree. */
static void set_ways(struct forest *f, uint32_t root) {
  struct tb_sync_graph *g = f->graph;
  size_t end = 0;
  if (f->reached[root]) return;
  f->reached[root] = 1;
  f->queue[end++] = root;
  g->nodes[root].next_edge = none;
  g->nodes[root].root = root;
  for (size_t at = 0; at < end; at++) {
    for (uint32_t l = g->nodes[f->queue[at]].first_link; l != none; l = g->links[l].next) {
      uint32_t edge = g->links[l].edge, other = other_end(&g->edges[edge], f->queue[at]);
      if (!f->in_forest[edge] || f->reached[other]) continue;
      f->reached[other] = 1;
      g->nodes[other].next_edge = edge;
      g->nodes[other].root = root;
      f->queue[end++] = other;
    }
  }
}

enum tb_status tb_sync_graph_solve(struct tb_sync_graph *g, uint32_t target) {
  struct forest f = {g, tb_alloc(g->allocator, g->node_count * sizeof(*f.queue)),
                     tb_calloc(g->allocator, g->node_count), tb_calloc(g->allocator, g->edge_count + 1)};
  bool got = f.queue && f.reached && f.in_forest;
  if (got) {
    for (int rank = 0; rank < TB_RANKS; rank++) join_rank(&f, target, (enum tb_graph_rank)rank);
    memset(f.reached, 0, g->node_count);
    set_ways(&f, target);
    for (uint32_t i = 0; i < g->node_count; i++) set_ways(&f, i);
  }
  tb_free(g->allocator, f.queue, g->node_count * sizeof(*f.queue));
  tb_free(g->allocator, f.reached, g->node_count);
  tb_free(g->allocator, f.in_forest, g->edge_count + 1);
  return got ? TB_OK : TB_NO_MEMORY;
}

/* ---- ways -------------------------------------------------------------------------------------------------------- */

uint32_t tb_sync_graph_next(const struct tb_sync_graph *g, uint32_t node) {
  uint32_t edge = g->nodes[node].next_edge;
  return edge == none ? none : other_end(&g->edges[edge], node);
}

static enum tb_status add_step(struct tb_time_map *map, const struct tb_graph_edge *edge, bool reversed) {
  if (edge->anchor_count && edge->steps)
    return tb_time_map_add_steps(map, edge->anchors, edge->anchor_count, edge->drift, reversed);
  if (edge->anchor_count) return tb_time_map_add(map, edge->anchors, edge->anchor_count, reversed);
  return tb_time_map_add_line(map, edge->x0, edge->offset, edge->drift, reversed);
}

/* A way's nodes but the root, from its start on. */
struct node_way {
  uint32_t *nodes;
  size_t len;
};

static size_t depth_of(const struct tb_sync_graph *g, uint32_t node) {
  size_t depth = 0;
  for (; g->nodes[node].next_edge != none; node = tb_sync_graph_next(g, node)) depth++;
  return depth;
}

static enum tb_status find_way(const struct tb_sync_graph *g, uint32_t node, struct node_way *way) {
  way->len = depth_of(g, node);
  way->nodes = tb_alloc(g->allocator, (way->len + 1) * sizeof(*way->nodes));
  if (!way->nodes) return TB_NO_MEMORY;
  for (size_t i = 0; i < way->len; i++, node = tb_sync_graph_next(g, node)) way->nodes[i] = node;
  return TB_OK;
}

static void free_way(const struct tb_sync_graph *g, struct node_way *way) {
  tb_free(g->allocator, way->nodes, (way->len + 1) * sizeof(*way->nodes));
}

/* The way backwards over its first `len` edges is built from its end. */
static enum tb_status add_back(const struct tb_sync_graph *g, const struct node_way *way, size_t len,
                               struct tb_time_map *back) {
  enum tb_status status = TB_OK;
  while (len-- > 0 && status == TB_OK) {
    const struct tb_graph_edge *edge = &g->edges[g->nodes[way->nodes[len]].next_edge];
    status = add_step(back, edge, edge->a == way->nodes[len]);
  }
  return status;
}

enum tb_status tb_sync_graph_way(const struct tb_sync_graph *g, uint32_t node, struct tb_time_map *there,
                                 struct tb_time_map *back, uint32_t *weakest) {
  struct node_way way;
  enum tb_status status = find_way(g, node, &way);
  *weakest = none;
  for (size_t i = 0; i < way.len && status == TB_OK; i++) {
    const struct tb_graph_edge *edge = &g->edges[g->nodes[way.nodes[i]].next_edge];
    if (*weakest == none || edge->rank > g->edges[*weakest].rank) *weakest = g->nodes[way.nodes[i]].next_edge;
    if (there) status = add_step(there, edge, edge->b == way.nodes[i]);
  }
  if (back && status == TB_OK) status = add_back(g, &way, way.len, back);
  free_way(g, &way);
  return status;
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

/* What a bound at a time of the node is: that of each edge on the way, at the time that the edge's first clock has
 * then. */
static int64_t bound_of_way(const struct tb_sync_graph *g, uint32_t node, const struct tb_time_map *steps,
                            int64_t time) {
  int64_t sum = 0;
  for (uint32_t at = node; g->nodes[at].next_edge != none; at = tb_sync_graph_next(g, at), steps++) {
    const struct tb_graph_edge *edge = &g->edges[g->nodes[at].next_edge];
    int64_t next = tb_time_map_apply(steps, time);
    sum = tb_time_add(sum, tb_time_bound_at(&edge->bound, edge->a == at ? time : next));
    time = next;
  }
  return sum;
}

/* Times of the node at which the bound of an edge on its way bends, and from when to when all edges have evidence. */
struct bends {
  struct tb_time_bound_point *points;
  size_t count;
  int64_t first, last, evidence_first, evidence_last;
};

static void add_bend(struct bends *bends, int64_t time) {
  if (time >= bends->first && time <= bends->last) bends->points[bends->count++].time = time;
}

/* At a jump the bound is the larger one: what it is right before and right after is a bend of its own. */
static void add_bends_at(struct bends *bends, const struct tb_time_bound *bound, size_t point, int64_t time) {
  bool is_jump = tb_time_bound_jumps_at(bound, point);
  if (is_jump) add_bend(bends, tb_time_add(time, -1));
  add_bend(bends, time);
  if (is_jump) add_bend(bends, tb_time_add(time, 1));
}

static enum tb_status find_bends(const struct tb_sync_graph *g, const struct node_way *way, struct tb_time_map *steps,
                                 struct bends *bends) {
  enum tb_status status = TB_OK;
  for (size_t len = 0; len < way->len && status == TB_OK; len++) {
    uint32_t at = way->nodes[len];
    const struct tb_graph_edge *edge = &g->edges[g->nodes[at].next_edge];
    struct tb_time_map back;
    tb_time_map_init(&back, g->allocator);
    tb_time_map_init(&steps[len], g->allocator);
    status = add_step(&steps[len], edge, edge->b == at);
    if (status == TB_OK && edge->bound.count) status = add_back(g, way, edge->a == at ? len : len + 1, &back);
    for (size_t i = 0; i < edge->bound.count && status == TB_OK; i++)
      add_bends_at(bends, &edge->bound, i, tb_time_map_apply(&back, edge->bound.points[i].time));
    if (edge->bound.count && status == TB_OK) {
      int64_t first = tb_time_map_apply(&back, edge->bound.points[0].time);
      int64_t last = tb_time_map_apply(&back, edge->bound.points[edge->bound.count - 1].time);
      if (first > bends->evidence_first) bends->evidence_first = first;
      if (last < bends->evidence_last) bends->evidence_last = last;
    }
    tb_time_map_free(&back);
  }
  return status;
}

/* Between bends the bound of a way is convex or lower than the line: the line contains it. */
static void set_points(const struct tb_sync_graph *g, uint32_t node, const struct tb_time_map *steps,
                       struct bends *bends, int64_t *evidence_ns) {
  size_t kept = 0;
  int64_t most = -1, least = INT64_MAX;
  tb_time_bound_sort(bends->points, bends->count);
  for (size_t i = 0; i < bends->count; i++) {
    int64_t time = bends->points[i].time;
    if (kept && bends->points[kept - 1].time == time) continue;
    int64_t bound = bound_of_way(g, node, steps, time);
    bends->points[kept++] = (struct tb_time_bound_point){time, bound};
    if (time >= bends->evidence_first && time <= bends->evidence_last && bound > most) most = bound;
    if (bound < least) least = bound;
  }
  bends->count = kept;
  *evidence_ns = most >= 0 ? most : least;
}

enum tb_status tb_sync_graph_bound(const struct tb_sync_graph *g, uint32_t node, int64_t first, int64_t last,
                                   struct tb_time_bound *bound, int64_t *evidence_ns) {
  struct node_way way;
  size_t points = 2;
  *bound = (struct tb_time_bound){0};
  *evidence_ns = 0;
  if (find_way(g, node, &way) != TB_OK) return TB_NO_MEMORY;
  for (size_t i = 0; i < way.len; i++)
    points += TB_TIME_BOUND_BENDS * g->edges[g->nodes[way.nodes[i]].next_edge].bound.count;
  struct bends bends = {tb_alloc(g->allocator, points * sizeof(*bends.points)), 0, first, last, INT64_MIN, INT64_MAX};
  struct tb_time_map *steps = tb_calloc(g->allocator, (way.len + 1) * sizeof(*steps));
  enum tb_status status = bends.points && steps ? find_bends(g, &way, steps, &bends) : TB_NO_MEMORY;
  if (status == TB_OK) {
    add_bend(&bends, first);
    add_bend(&bends, last);
    set_points(g, node, steps, &bends, evidence_ns);
    status = tb_time_bound_create(bound, g->allocator, bends.points, bends.count, 0);
  }
  for (size_t i = 0; i < way.len && steps; i++)
    if (steps[i].allocator) tb_time_map_free(&steps[i]);
  tb_free(g->allocator, steps, (way.len + 1) * sizeof(*steps));
  free_way(g, &way);
  tb_free(g->allocator, bends.points, points * sizeof(*bends.points));
  return status;
}

/* ---- conflicts --------------------------------------------------------------------------------------------------- */

static enum tb_status widen(struct tb_sync_graph *g, struct tb_graph_edge *edge, int64_t by) {
  if (edge->bound.count) {
    for (size_t i = 0; i < edge->bound.count; i++)
      edge->bound.points[i].bound_ns = tb_time_add(edge->bound.points[i].bound_ns, by);
    return TB_OK;
  }
  const struct tb_time_bound_point point = {edge->x0, by};
  return tb_time_bound_create(&edge->bound, g->allocator, &point, 1, 0);
}

/* Keeps the largest difference of each used edge of the rank on the ring that an unused one closes; and of those that
 * are given, which nobody can tell from a mistake. */
static void mark_ring(const struct tb_sync_graph *g, uint32_t a, uint32_t b, enum tb_graph_rank rank, int64_t apart,
                      int64_t *widest) {
  size_t left = depth_of(g, a), right = depth_of(g, b);
  while (a != b) {
    uint32_t *deeper = left >= right ? &a : &b;
    *(left >= right ? &left : &right) -= 1;
    uint32_t edge = g->nodes[*deeper].next_edge;
    bool doubted = g->edges[edge].rank == rank || g->edges[edge].rank == TB_RANK_GIVEN;
    if (doubted && apart > widest[edge]) widest[edge] = apart;
    *deeper = tb_sync_graph_next(g, *deeper);
  }
}

static enum tb_status time_of_root(const struct tb_sync_graph *g, uint32_t node, int64_t time, int64_t *at_root) {
  struct tb_time_map map;
  uint32_t weakest;
  tb_time_map_init(&map, g->allocator);
  enum tb_status status = tb_sync_graph_way(g, node, &map, NULL, &weakest);
  *at_root = tb_time_map_apply(&map, time);
  tb_time_map_free(&map);
  return status;
}

enum tb_status tb_sync_graph_compare(struct tb_sync_graph *g, enum tb_graph_rank rank,
                                     struct tb_graph_conflict *worst) {
  int64_t *widest = tb_calloc(g->allocator, (g->edge_count + 1) * sizeof(*widest));
  enum tb_status status = widest ? TB_OK : TB_NO_MEMORY;
  *worst = (struct tb_graph_conflict){none, 0};
  for (uint32_t i = 0; i < g->edge_count && status == TB_OK; i++) {
    const struct tb_graph_edge *edge = &g->edges[i];
    bool used = g->nodes[edge->a].next_edge == i || g->nodes[edge->b].next_edge == i;
    if (edge->rank != rank || used || g->nodes[edge->a].root != g->nodes[edge->b].root) continue;
    int64_t p, q;
    status = time_of_root(g, edge->a, edge->x0, &p);
    if (status == TB_OK) status = time_of_root(g, edge->b, tb_time_add(edge->x0, edge->offset), &q);
    if (status != TB_OK) break;
    int64_t apart = p > q ? tb_time_subtract(p, q) : tb_time_subtract(q, p);
    if (apart > worst->apart_ns) *worst = (struct tb_graph_conflict){i, apart};
    mark_ring(g, edge->a, edge->b, rank, apart, widest);
  }
  for (uint32_t i = 0; i < g->edge_count && status == TB_OK; i++)
    if (widest[i]) status = widen(g, &g->edges[i], widest[i]);
  tb_free(g->allocator, widest, (g->edge_count + 1) * sizeof(*widest));
  return status;
}
