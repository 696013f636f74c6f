/* SPDX-License-Identifier: Apache-2.0
 *
 * From one clock to another over the graph: paths, times along them, and the lines by which most times go.
 */
#include <stdlib.h>

#include "base/search.h"
#include "base/times.h"
#include "perfetto/clock/clock_graph.h"

/* Nodes keep their numbers, so that what was found once stays right. */
static bool look_up(struct tb_clock_graph *graph, struct tb_clock_recent *recent, uint32_t machine, uint64_t key,
                    uint32_t *number) {
  if (!recent->known || recent->key != key || recent->machine != machine) {
    uint32_t found;
    if (!tb_clock_graph_find(graph, machine, key, &found)) return false;
    *recent = (struct tb_clock_recent){key, machine, found, true};
  }
  *number = recent->number;
  return true;
}

enum tb_status tb_clock_graph_resolve(struct tb_clock_graph *graph, uint32_t machine, uint64_t key, uint64_t timestamp,
                                      int64_t *ns) {
  uint32_t number;
  *ns = (int64_t)timestamp;
  if (!look_up(graph, &graph->recent[0], machine, key, &number)) return TB_OK;
  struct tb_clock_node *node = &graph->nodes[number];
  if (node->dropped) return TB_UNSUPPORTED;
  *ns = (int64_t)(timestamp * node->unit_multiplier);
  if (node->incremental) *ns = node->last = tb_wrap_add(node->last, *ns);
  return TB_OK;
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

static int compare_reached(const void *a, const void *b) {
  const struct tb_clock_reached *p = a, *q = b;
  return p->rank < q->rank ? -1 : p->rank > q->rank;
}

/* Of clocks that are as near the trace processor goes over the one with the smaller id, of ids of several sequences
 * over the smaller sequence's. */
static uint64_t rank_of(const struct tb_clock_node *node) { return node->key << 32 | node->key >> 32; }

/* Goes on from a clock to those next to it that were not reached yet, each by the first group that has both. */
static size_t search_on(struct tb_clock_graph *graph, uint32_t number, size_t reached) {
  const struct tb_clock_node *from = &graph->nodes[number];
  size_t first = reached;
  if (from->backwards) return reached;
  for (uint32_t u = from->first_use; u; u = graph->uses[u - 1].next) {
    const struct tb_clock_use *use = &graph->uses[u - 1];
    const struct tb_clock_group *group = &graph->groups[use->group];
    if (!group->row_count) continue; /* memory was out for its first */
    for (uint32_t to = 0; to < group->columns; to++) {
      struct tb_clock_node *next = &graph->nodes[group->nodes[to]];
      if (next->search == graph->searches) continue;
      next->search = graph->searches;
      next->reached_from = number;
      next->reached_by = (struct tb_clock_step){use->group, use->column, to};
      graph->reached[reached++] = (struct tb_clock_reached){rank_of(next), group->nodes[to]};
    }
  }
  if (reached - first > 1) qsort(graph->reached + first, reached - first, sizeof(*graph->reached), compare_reached);
  return reached;
}

static void keep_path(struct tb_clock_graph *graph, uint32_t from, uint32_t to) {
  struct tb_clock_node *node = &graph->nodes[from];
  size_t len = 0;
  for (uint32_t at = to; at != from; at = graph->nodes[at].reached_from) len++;
  if (len > TB_CLOCK_PATH_MAX) return;
  node->path_found = true;
  node->path_len = (uint8_t)len;
  for (uint32_t at = to; at != from; at = graph->nodes[at].reached_from)
    node->path[--len] = graph->nodes[at].reached_by;
}

/* Breadth first. */
static enum tb_status find_path(struct tb_clock_graph *graph, uint32_t from, uint32_t to) {
  struct tb_clock_node *node = &graph->nodes[from];
  void *grown = graph->reached;
  enum tb_status status = tb_grow_array(graph->allocator, &grown, &graph->reached_capacity, graph->node_count,
                                        sizeof(*graph->reached), SIZE_MAX / sizeof(*graph->reached));
  graph->reached = grown;
  if (status != TB_OK) return TB_NO_MEMORY;
  node->path_to = to;
  node->path_version = graph->version;
  node->path_groups = graph->group_count;
  node->path_found = false;
  node->search = ++graph->searches;
  graph->reached[0] = (struct tb_clock_reached){rank_of(node), from};
  size_t reached = 1;
  for (size_t at = 0; at < reached && graph->nodes[to].search != graph->searches; at++)
    reached = search_on(graph, graph->reached[at].node, reached);
  if (graph->nodes[to].search == graph->searches) keep_path(graph, from, to);
  return TB_OK;
}

/* Whether the path that is kept is still the one that a search would find: new groups only make a way shorter than
 * several steps. */
static bool knows_path(const struct tb_clock_graph *graph, const struct tb_clock_node *node, uint32_t to) {
  return node->path_version == graph->version && node->path_to == to &&
         (node->path_groups == graph->group_count || (node->path_found && node->path_len == 1));
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* The last row at or before `ns` in the column, else the first. */
static size_t find_row(const struct tb_clock_group *group, size_t column, int64_t ns) {
  size_t low = 0; /* the first row after ns */
  TB_LOWER_BOUND(low, group->row_count, i, tb_clock_group_ns(group, i, column) <= ns);
  return low ? low - 1 : 0;
}

/* Narrows the line by the rows around row `at` of the step: so far it adds line->offset. False where times are so far
 * out that sums of them wrap. */
static bool narrow(const struct tb_clock_group *group, const struct tb_clock_step *step, size_t at,
                   struct tb_clock_line *line) {
  int64_t offset = (int64_t)line->offset, ahead, from = INT64_MIN, to = INT64_MAX;
  int64_t row_from = tb_clock_group_ns(group, at, step->from), row_to = tb_clock_group_ns(group, at, step->to);
  if (at && __builtin_sub_overflow(row_from, offset, &from)) return false;
  if (at + 1 < group->row_count && __builtin_sub_overflow(tb_clock_group_ns(group, at + 1, step->from), offset, &to))
    return false;
  if (__builtin_sub_overflow(row_to, row_from, &ahead)) return false;
  if (__builtin_add_overflow(offset, ahead, &offset)) return false;
  if (from > line->from) line->from = from;
  if (to < line->to) line->to = to;
  line->offset = (uint64_t)offset;
  return true;
}

/* The line of all times of a clock, which adds nothing. */
static struct tb_clock_line whole_line(const struct tb_clock_graph *graph, uint32_t number, uint64_t to) {
  return (struct tb_clock_line){.key = graph->nodes[number].key,
                                .target = to,
                                .changes = graph->changes,
                                .from = INT64_MIN,
                                .to = INT64_MAX,
                                .node = number};
}

/* Goes along the node's path and finds the line on the way. */
static int64_t go_along(struct tb_clock_graph *graph, uint32_t number, uint64_t to, int64_t ns) {
  struct tb_clock_node *node = &graph->nodes[number];
  struct tb_clock_line line = whole_line(graph, number, to);
  for (size_t i = 0; i < node->path_len; i++) {
    const struct tb_clock_step *step = &node->path[i];
    const struct tb_clock_group *group = &graph->groups[step->group];
    size_t at = find_row(group, step->from, ns);
    if (line.changes && !narrow(group, step, at, &line)) line.changes = 0;
    ns = tb_wrap_add(tb_clock_group_ns(group, at, step->to), tb_wrap_sub(ns, tb_clock_group_ns(group, at, step->from)));
  }
  node->line = line;
  return ns;
}

static bool line_holds(const struct tb_clock_graph *graph, const struct tb_clock_line *line, uint64_t target,
                       int64_t ns) {
  return line->changes == graph->changes && line->target == target && ns >= line->from && ns < line->to;
}

enum tb_status tb_clock_graph_convert_node(struct tb_clock_graph *graph, uint32_t number, uint64_t to, int64_t ns,
                                           int64_t *converted) {
  struct tb_clock_node *node = &graph->nodes[number];
  uint32_t target;
  *converted = ns;
  if (line_holds(graph, &node->line, to, ns)) {
    *converted = (int64_t)((uint64_t)ns + node->line.offset);
    return TB_OK;
  }
  if (node->key == to) {
    node->line = whole_line(graph, number, to);
    return TB_OK;
  }
  if (!look_up(graph, &graph->recent[1], node->machine, to, &target)) return TB_UNSUPPORTED;
  if (!knows_path(graph, node, target)) {
    enum tb_status status = find_path(graph, number, target);
    if (status != TB_OK) return status;
  }
  if (!node->path_found) return TB_UNSUPPORTED;
  *converted = go_along(graph, number, to, ns);
  return TB_OK;
}

enum tb_status tb_clock_graph_convert(struct tb_clock_graph *graph, uint32_t machine, uint64_t from, uint64_t to,
                                      int64_t ns, int64_t *converted) {
  uint32_t number;
  *converted = ns;
  if (from == to) return TB_OK;
  if (!look_up(graph, &graph->recent[0], machine, from, &number)) return TB_UNSUPPORTED;
  return tb_clock_graph_convert_node(graph, number, to, ns, converted);
}

void tb_clock_graph_find_line(struct tb_clock_graph *graph, uint32_t machine, uint64_t from, uint64_t to, int64_t ns,
                              struct tb_clock_line *line) {
  uint32_t number;
  line->changes = 0;
  if (!look_up(graph, &graph->recent[0], machine, from, &number)) return;
  if (from == to)
    *line = whole_line(graph, number, to);
  else if (line_holds(graph, &graph->nodes[number].line, to, ns))
    *line = graph->nodes[number].line;
}
