/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/clock/clock_graph.h"

enum {
  PATH_MAX = sizeof(((struct tb_clock_node *)0)->path) / sizeof(uint32_t),
  NODES_MAX = 1 << 20,
  EDGES_MAX = 1 << 22
};

void tb_clock_graph_init(struct tb_clock_graph *graph, const struct tb_allocator *allocator) {
  *graph = (struct tb_clock_graph){.allocator = allocator, .version = 1, .changes = 1};
  tb_map_init(&graph->node_map, allocator);
  tb_map_init(&graph->edge_map, allocator);
}

void tb_clock_graph_free(struct tb_clock_graph *graph) {
  const struct tb_allocator *allocator = graph->allocator;
  for (size_t i = 0; i < graph->edge_count; i++) {
    tb_free(allocator, graph->edges[i].pairs, graph->edges[i].capacity * sizeof(struct tb_clock_pair));
  }
  tb_free(allocator, graph->nodes, graph->node_capacity * sizeof(*graph->nodes));
  tb_free(allocator, graph->edges, graph->edge_capacity * sizeof(*graph->edges));
  tb_free(allocator, graph->reached, graph->reached_capacity * sizeof(*graph->reached));
  tb_map_free(&graph->node_map);
  tb_map_free(&graph->edge_map);
}

static enum tb_status find_node(struct tb_clock_graph *graph, uint64_t key, uint32_t *number) {
  if (tb_map_get(&graph->node_map, key, 0, number)) return TB_OK;
  void *nodes = graph->nodes;
  enum tb_status status = tb_grow_array(graph->allocator, &nodes, &graph->node_capacity, graph->node_count + 1,
                                        sizeof(*graph->nodes), NODES_MAX);
  graph->nodes = nodes;
  if (status != TB_OK) return TB_NO_MEMORY;
  *number = (uint32_t)graph->node_count;
  status = tb_map_put(&graph->node_map, key, 0, *number);
  if (status != TB_OK) return status;
  graph->nodes[graph->node_count++] = (struct tb_clock_node){.key = key, .unit_multiplier = 1};
  return TB_OK;
}

static uint64_t edge_key(uint32_t from, uint32_t to) { return (uint64_t)from << 32 | to; }

static enum tb_status find_edge(struct tb_clock_graph *graph, uint32_t from, uint32_t to, uint64_t set,
                                struct tb_clock_edge **edge) {
  uint32_t number;
  if (tb_map_get(&graph->edge_map, edge_key(from, to), set, &number)) {
    *edge = &graph->edges[number];
    return TB_OK;
  }
  void *edges = graph->edges;
  enum tb_status status = tb_grow_array(graph->allocator, &edges, &graph->edge_capacity, graph->edge_count + 1,
                                        sizeof(*graph->edges), EDGES_MAX);
  graph->edges = edges;
  if (status != TB_OK) return TB_NO_MEMORY;
  status = tb_map_put(&graph->edge_map, edge_key(from, to), set, (uint32_t)graph->edge_count);
  if (status != TB_OK) return status;
  *edge = &graph->edges[graph->edge_count++];
  **edge = (struct tb_clock_edge){.from = from, .to = to, .set = set};
  struct tb_clock_node *node = &graph->nodes[from];
  *(node->last_out ? &graph->edges[node->last_out - 1].next_out : &node->first_out) = (uint32_t)graph->edge_count;
  node->last_out = (uint32_t)graph->edge_count;
  return TB_OK;
}

static enum tb_status add_pair(struct tb_clock_graph *graph, struct tb_clock_edge *edge, int64_t from_ns,
                               int64_t to_ns) {
  static const struct tb_clock_pair none = {INT64_MIN, INT64_MIN};
  const struct tb_clock_pair last = edge->count ? edge->pairs[edge->count - 1] : none;
  if (edge->count && last.from == from_ns && last.to == to_ns) return TB_OK; /* says nothing new */
  void *pairs = edge->pairs;
  enum tb_status status =
      tb_grow_array(graph->allocator, &pairs, &edge->capacity, edge->count + 1, sizeof(*edge->pairs), SIZE_MAX / 64);
  edge->pairs = pairs;
  if (status != TB_OK) return TB_NO_MEMORY;
  struct tb_clock_node *from = &graph->nodes[edge->from];
  if (from_ns < last.from && !from->backwards) {
    from->backwards = true;
    graph->version++;
  }
  edge->pairs[edge->count++] = (struct tb_clock_pair){from_ns, to_ns};
  return TB_OK;
}

static void take_reading(struct tb_clock_graph *graph, uint32_t number, const struct tb_clock_reading_raw *reading) {
  struct tb_clock_node *node = &graph->nodes[number];
  node->last = reading->ns;
  node->unit_multiplier = reading->unit_multiplier;
  node->incremental = reading->incremental;
  node->dropped = false;
}

/* The same for the same clocks in any order. */
static uint64_t hash_set(const struct tb_clock_reading_raw *readings, size_t count) {
  uint64_t sum = count;
  for (size_t i = 0; i < count; i++) {
    uint64_t h = (readings[i].key + 1) * 0x9e3779b97f4a7c15u;
    sum += (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
  }
  return sum;
}

/* True where the trace clock reads less than in the set's last snapshot. */
static bool trace_clock_ran_back(const struct tb_clock_graph *graph, const struct tb_clock_reading_raw *readings,
                                 const uint32_t *numbers, size_t count, uint64_t set, uint64_t trace_clock) {
  for (size_t i = 0; i < count; i++) {
    if (readings[i].key != trace_clock) continue;
    uint32_t edge;
    uint32_t other = numbers[i == 0 ? count - 1 : 0];
    if (!tb_map_get(&graph->edge_map, edge_key(numbers[i], other), set, &edge)) return false;
    const struct tb_clock_edge *found = &graph->edges[edge];
    return found->count && readings[i].ns < found->pairs[found->count - 1].from;
  }
  return false;
}

enum tb_status tb_clock_graph_add(struct tb_clock_graph *graph, const struct tb_clock_reading_raw *readings,
                                  size_t count, uint64_t trace_clock) {
  uint32_t numbers[TB_CLOCKS_IN_SNAPSHOT_MAX];
  graph->changes++;
  if (count > TB_CLOCKS_IN_SNAPSHOT_MAX) count = TB_CLOCKS_IN_SNAPSHOT_MAX;
  if (count == 0) return TB_OK;
  for (size_t i = 0; i < count; i++) {
    enum tb_status status = find_node(graph, readings[i].key, &numbers[i]);
    if (status != TB_OK) return status;
  }
  uint64_t set = hash_set(readings, count);
  if (trace_clock_ran_back(graph, readings, numbers, count, set, trace_clock)) return TB_REFUSED;
  for (size_t i = 0; i < count; i++) take_reading(graph, numbers[i], &readings[i]);
  for (size_t i = 0; i < count * count; i++) {
    size_t from = i / count, to = i % count;
    struct tb_clock_edge *edge;
    if (numbers[from] == numbers[to]) continue;
    enum tb_status status = find_edge(graph, numbers[from], numbers[to], set, &edge);
    if (status == TB_OK) status = add_pair(graph, edge, readings[from].ns, readings[to].ns);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

void tb_clock_graph_clear_sequence(struct tb_clock_graph *graph, uint32_t sequence) {
  if (!graph->node_count) return;
  for (uint32_t clock = TB_CLOCK_SEQUENCE_FIRST; clock <= TB_CLOCK_SEQUENCE_LAST; clock++) {
    uint32_t number;
    if (!tb_map_get(&graph->node_map, tb_clock_key(clock, sequence), 0, &number)) continue;
    struct tb_clock_node *node = &graph->nodes[number];
    node->dropped = node->incremental;
  }
}

/* Nodes keep their numbers, so that what was found once stays right. */
static bool look_up(struct tb_clock_graph *graph, struct tb_clock_recent *recent, uint64_t key, uint32_t *number) {
  if (!recent->known || recent->key != key) {
    uint32_t found;
    if (!tb_map_get(&graph->node_map, key, 0, &found)) return false;
    *recent = (struct tb_clock_recent){key, found, true};
  }
  *number = recent->number;
  return true;
}

enum tb_status tb_clock_graph_resolve(struct tb_clock_graph *graph, uint64_t key, uint64_t timestamp, int64_t *ns) {
  uint32_t number;
  *ns = (int64_t)timestamp;
  if (!look_up(graph, &graph->recent[0], key, &number)) return TB_OK;
  struct tb_clock_node *node = &graph->nodes[number];
  if (node->dropped) return TB_UNSUPPORTED;
  *ns = (int64_t)(timestamp * node->unit_multiplier);
  if (node->incremental) *ns = node->last = tb_clock_add(node->last, *ns);
  return TB_OK;
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

static void keep_path(struct tb_clock_graph *graph, uint32_t from, uint32_t to) {
  struct tb_clock_node *node = &graph->nodes[from];
  size_t len = graph->nodes[to].search_round;
  node->path_found = true;
  node->path_len = (uint8_t)len;
  for (uint32_t at = to; at != from; at = graph->edges[node->path[len]].from)
    node->path[--len] = graph->nodes[at].search_edge;
}

/* Goes on from a clock of one round to those of the next, each of which keeps the first of the edges that lead to it. */
static void search_on(struct tb_clock_graph *graph, uint32_t number, size_t *reached) {
  const struct tb_clock_node *from = &graph->nodes[number];
  if (from->backwards) return;
  for (uint32_t i = from->first_out; i; i = graph->edges[i - 1].next_out) {
    struct tb_clock_node *to = &graph->nodes[graph->edges[i - 1].to];
    bool is_new = to->search != graph->searches;
    if (!is_new && (to->search_round != from->search_round + 1 || to->search_edge <= i - 1)) continue;
    if (is_new) graph->reached[(*reached)++] = graph->edges[i - 1].to;
    to->search = graph->searches;
    to->search_round = from->search_round + 1;
    to->search_edge = i - 1;
  }
}

/* Goes out round by round: the first round that reaches `to` has the shortest path. */
static enum tb_status find_path(struct tb_clock_graph *graph, uint32_t from, uint32_t to) {
  struct tb_clock_node *node = &graph->nodes[from];
  node->path_to = to;
  node->path_version = graph->version;
  node->path_edges = graph->edge_count;
  node->path_found = false;
  void *grown = graph->reached;
  enum tb_status status = tb_grow_array(graph->allocator, &grown, &graph->reached_capacity, graph->node_count,
                                        sizeof(*graph->reached), NODES_MAX);
  graph->reached = grown;
  if (status != TB_OK) return TB_NO_MEMORY;
  node->search = ++graph->searches;
  node->search_round = 0;
  graph->reached[0] = from;
  size_t at = 0, reached = 1;
  for (uint32_t round = 0; round < PATH_MAX && at < reached && graph->nodes[to].search != graph->searches; round++)
    for (size_t end = reached; at < end; at++) search_on(graph, graph->reached[at], &reached);
  if (graph->nodes[to].search == graph->searches) keep_path(graph, from, to);
  return TB_OK;
}

/* Whether the path that is kept is still the one that a search would find: new edges only make a way shorter than several. */
static bool knows_path(const struct tb_clock_graph *graph, const struct tb_clock_node *node, uint32_t to) {
  return node->path_version == graph->version && node->path_to == to &&
         (node->path_edges == graph->edge_count || (node->path_found && node->path_len == 1));
}

static int64_t go_along(struct tb_clock_edge *edge, int64_t ns) {
  const struct tb_clock_pair *pairs = edge->pairs;
  size_t i = edge->recent;
  if (!(pairs[i].from <= ns && (i + 1 == edge->count || ns < pairs[i + 1].from))) {
    size_t low = 0, high = edge->count; /* the first pair after ns is in [low, high] */
    while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (pairs[middle].from <= ns) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    i = edge->recent = low ? low - 1 : 0;
  }
  return tb_clock_add(pairs[i].to, tb_clock_subtract(ns, pairs[i].from));
}

enum tb_status tb_clock_graph_convert(struct tb_clock_graph *graph, uint64_t from, uint64_t to, int64_t ns,
                                      int64_t *converted) {
  *converted = ns;
  if (from == to) return TB_OK;
  uint32_t from_number, to_number;
  if (!look_up(graph, &graph->recent[0], from, &from_number)) return TB_UNSUPPORTED;
  if (!look_up(graph, &graph->recent[1], to, &to_number)) return TB_UNSUPPORTED;
  struct tb_clock_node *node = &graph->nodes[from_number];
  if (!knows_path(graph, node, to_number)) {
    enum tb_status status = find_path(graph, from_number, to_number);
    if (status != TB_OK) return status;
  }
  if (!node->path_found) return TB_UNSUPPORTED;
  for (size_t i = 0; i < node->path_len; i++) *converted = go_along(&graph->edges[node->path[i]], *converted);
  return TB_OK;
}

/* Narrows the line by the stretch of `edge` on which `ns`, which is the line's source and `offset`, stands. False where times are
 * so far out that sums of them wrap. */
static bool narrow(const struct tb_clock_edge *edge, int64_t ns, struct tb_clock_line *line) {
  const struct tb_clock_pair *pairs = edge->pairs;
  size_t i = edge->recent;
  int64_t offset = (int64_t)line->offset, step, from = INT64_MIN, to = INT64_MAX;
  if (i && __builtin_sub_overflow(pairs[i].from, offset, &from)) return false;
  if (i + 1 < edge->count && __builtin_sub_overflow(pairs[i + 1].from, offset, &to)) return false;
  if (__builtin_sub_overflow(pairs[i].to, pairs[i].from, &step)) return false;
  if (__builtin_add_overflow(offset, step, &offset)) return false;
  if (i && ns < pairs[i].from) return false;
  if (from > line->from) line->from = from;
  if (to < line->to) line->to = to;
  line->offset = (uint64_t)offset;
  return true;
}

void tb_clock_graph_find_line(struct tb_clock_graph *graph, uint64_t from, uint64_t to, int64_t ns,
                              struct tb_clock_line *line) {
  uint32_t number;
  line->changes = 0;
  if (!look_up(graph, &graph->recent[0], from, &number)) return;
  const struct tb_clock_node *node = &graph->nodes[number];
  *line = (struct tb_clock_line){.key = from, .target = to, .from = INT64_MIN, .to = INT64_MAX, .node = number};
  if (from != to) {
    if (!node->path_found || !knows_path(graph, node, node->path_to)) return;
    for (size_t i = 0; i < node->path_len; i++) {
      struct tb_clock_edge *edge = &graph->edges[node->path[i]];
      int64_t next = go_along(edge, ns); /* finds the stretch, too */
      if (!narrow(edge, ns, line)) return;
      ns = next;
    }
  }
  line->changes = graph->changes;
}
