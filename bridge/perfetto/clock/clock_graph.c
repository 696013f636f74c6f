/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/clock/clock_graph.h"

#include "base/mix64.h"

enum { NODES_MAX = 1 << 22, GROUPS_MAX = 1 << 20, ROWS_MAX = 1 << 26 };

void tb_clock_graph_init(struct tb_clock_graph *graph, const struct tb_allocator *allocator) {
  *graph = (struct tb_clock_graph){.allocator = allocator, .version = 1, .changes = 1};
  tb_map_init(&graph->node_map, allocator);
  tb_map_init(&graph->machine_map, allocator);
  tb_map_init(&graph->group_map, allocator);
}

void tb_clock_graph_free(struct tb_clock_graph *graph) {
  const struct tb_allocator *allocator = graph->allocator;
  for (size_t i = 0; i < graph->group_count; i++) {
    struct tb_clock_group *group = &graph->groups[i];
    tb_free(allocator, group->nodes, group->columns * sizeof(*group->nodes));
    tb_free(allocator, group->rows, group->row_capacity * group->columns * sizeof(*group->rows));
  }
  tb_free(allocator, graph->nodes, graph->node_capacity * sizeof(*graph->nodes));
  tb_free(allocator, graph->groups, graph->group_capacity * sizeof(*graph->groups));
  tb_free(allocator, graph->uses, graph->use_capacity * sizeof(*graph->uses));
  tb_free(allocator, graph->reached, graph->reached_capacity * sizeof(*graph->reached));
  tb_map_free(&graph->node_map);
  tb_map_free(&graph->machine_map);
  tb_map_free(&graph->group_map);
}

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

bool tb_clock_graph_find(const struct tb_clock_graph *graph, uint32_t machine, uint64_t key, uint32_t *number) {
  return tb_map_get(&graph->node_map, key, machine, number);
}

enum tb_status tb_clock_graph_add_node(struct tb_clock_graph *graph, uint32_t machine, uint64_t key, uint32_t *number) {
  if (tb_map_get(&graph->node_map, key, machine, number)) return TB_OK;
  void *nodes = graph->nodes;
  enum tb_status status = tb_grow_array(graph->allocator, &nodes, &graph->node_capacity, graph->node_count + 1,
                                        sizeof(*graph->nodes), NODES_MAX);
  graph->nodes = nodes;
  if (status == TB_OK) status = tb_map_count_up(&graph->machine_map, machine, 0);
  if (status == TB_OK) status = tb_map_put(&graph->node_map, key, machine, graph->node_count);
  if (status != TB_OK) return status;
  *number = (uint32_t)graph->node_count;
  graph->nodes[graph->node_count++] = (struct tb_clock_node){.key = key, .machine = machine, .unit_multiplier = 1};
  return TB_OK;
}

void tb_clock_graph_clear_sequence(struct tb_clock_graph *graph, uint32_t machine, uint32_t sequence) {
  if (!graph->node_count) return;
  for (uint32_t clock = TB_CLOCK_SEQUENCE_FIRST; clock <= TB_CLOCK_SEQUENCE_LAST; clock++) {
    uint32_t number;
    if (!tb_clock_graph_find(graph, machine, tb_clock_key(clock, sequence), &number)) continue;
    struct tb_clock_node *node = &graph->nodes[number];
    node->dropped = node->incremental;
  }
}

bool tb_clock_graph_has_differences(const struct tb_clock_graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].incremental) return true;
  return false;
}

void tb_clock_graph_rewind(struct tb_clock_graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++) {
    graph->nodes[i].last = 0;
    graph->nodes[i].dropped = false;
  }
  for (size_t i = 0; i < graph->group_count; i++) graph->groups[i].reached = 0;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* A snapshot, its columns in the order of their nodes' numbers. */
struct clock_row {
  uint32_t nodes[TB_CLOCKS_IN_SNAPSHOT_MAX];
  int64_t ns[TB_CLOCKS_IN_SNAPSHOT_MAX];
  size_t columns;
};

static uint64_t hash_columns(const struct clock_row *row) {
  uint64_t hash = row->columns;
  for (size_t i = 0; i < row->columns; i++) hash = tb_mix64(hash ^ row->nodes[i]);
  return hash;
}

static struct tb_clock_group *find_group(struct tb_clock_graph *graph, const struct clock_row *row, uint64_t hash) {
  uint32_t at = 0;
  (void)tb_map_get(&graph->group_map, hash, 0, &at);
  for (; at; at = graph->groups[at - 1].same_hash) {
    struct tb_clock_group *group = &graph->groups[at - 1];
    if (group->columns == row->columns && memcmp(group->nodes, row->nodes, row->columns * sizeof(*row->nodes)) == 0)
      return group;
  }
  return NULL;
}

/* Notes that column `column` of the newest group is `node`. */
static enum tb_status add_use(struct tb_clock_graph *graph, uint32_t number, size_t column) {
  void *uses = graph->uses;
  enum tb_status status = tb_grow_array(graph->allocator, &uses, &graph->use_capacity, graph->use_count + 1,
                                        sizeof(*graph->uses), UINT32_MAX / 2);
  graph->uses = uses;
  if (status != TB_OK) return status;
  graph->uses[graph->use_count++] = (struct tb_clock_use){(uint32_t)graph->group_count - 1, (uint32_t)column, 0};
  struct tb_clock_node *node = &graph->nodes[number];
  *(node->last_use ? &graph->uses[node->last_use - 1].next : &node->first_use) = (uint32_t)graph->use_count;
  node->last_use = (uint32_t)graph->use_count;
  return TB_OK;
}

static enum tb_status add_group(struct tb_clock_graph *graph, const struct clock_row *row, uint64_t hash) {
  void *groups = graph->groups;
  enum tb_status status = tb_grow_array(graph->allocator, &groups, &graph->group_capacity, graph->group_count + 1,
                                        sizeof(*graph->groups), GROUPS_MAX);
  graph->groups = groups;
  if (status != TB_OK) return status;
  struct tb_clock_group *group = &graph->groups[graph->group_count];
  *group = (struct tb_clock_group){.columns = row->columns};
  group->nodes = tb_alloc(graph->allocator, row->columns * sizeof(*row->nodes));
  if (!group->nodes) return TB_NO_MEMORY;
  memcpy(group->nodes, row->nodes, row->columns * sizeof(*row->nodes));
  (void)tb_map_get(&graph->group_map, hash, 0, &group->same_hash);
  graph->group_count++;
  for (size_t i = 0; status == TB_OK && i < row->columns; i++) status = add_use(graph, row->nodes[i], i);
  return status == TB_OK ? tb_map_put(&graph->group_map, hash, 0, graph->group_count) : status;
}

static bool repeats(const struct tb_clock_group *group, const struct clock_row *row) {
  return group->reached &&
         memcmp(group->rows + (group->reached - 1) * group->columns, row->ns, row->columns * sizeof(*row->ns)) == 0;
}

static enum tb_status add_row(struct tb_clock_graph *graph, struct tb_clock_group *group, const struct clock_row *row) {
  void *rows = group->rows;
  enum tb_status status = tb_grow_array(graph->allocator, &rows, &group->row_capacity, group->row_count + 1,
                                        group->columns * sizeof(*group->rows), ROWS_MAX);
  group->rows = rows;
  if (status != TB_OK) return status;
  int64_t *newest = group->rows + group->row_count * group->columns;
  const int64_t *before = group->row_count ? newest - group->columns : row->ns;
  memcpy(newest, row->ns, row->columns * sizeof(*row->ns));
  for (size_t i = 0; i < row->columns; i++) {
    struct tb_clock_node *node = &graph->nodes[row->nodes[i]];
    if (node->backwards || newest[i] >= before[i]) continue;
    node->backwards = true;
    graph->version++;
  }
  group->reached = ++group->row_count;
  return TB_OK;
}

/* ---- snapshots --------------------------------------------------------------------------------------------------- */

/* Readings on their way into the graph. */
struct snapshot {
  const struct tb_clock_reading_raw *readings;
  uint32_t numbers[TB_CLOCKS_IN_SNAPSHOT_MAX]; /* of their nodes */
  size_t count;
  size_t again;         /* the first reading of a clock that was read before; `count`: none, ... */
  struct clock_row row; /* ... and then the snapshot as a row, its hash, and its group, NULL where that is new */
  uint64_t hash;
  struct tb_clock_group *group;
};

static enum tb_status find_nodes(struct tb_clock_graph *graph, uint32_t machine, struct snapshot *s) {
  s->again = s->count;
  for (size_t i = 0; i < s->count; i++) {
    enum tb_status status = tb_clock_graph_add_node(graph, machine, s->readings[i].key, &s->numbers[i]);
    if (status != TB_OK) return status;
    for (size_t k = 0; k < i && s->again == s->count; k++)
      if (s->numbers[k] == s->numbers[i]) s->again = i;
  }
  return TB_OK;
}

static void sort_columns(const struct snapshot *s, struct clock_row *row) {
  row->columns = s->count;
  for (size_t i = 0; i < s->count; i++) {
    size_t at = i;
    for (; at && row->nodes[at - 1] > s->numbers[i]; at--) {
      row->nodes[at] = row->nodes[at - 1];
      row->ns[at] = row->ns[at - 1];
    }
    row->nodes[at] = s->numbers[i];
    row->ns[at] = s->readings[i].ns;
  }
}

/* True where the clock of node `number` reads less than in the group's last snapshot. */
static bool ran_back(const struct tb_clock_group *group, uint32_t number, int64_t ns) {
  size_t column;
  return group && group->reached && tb_clock_group_column(group, number, &column) &&
         ns < tb_clock_group_ns(group, group->reached - 1, column);
}

static void take_reading(struct tb_clock_node *node, const struct tb_clock_reading_raw *reading) {
  node->last = reading->ns;
  node->unit_multiplier = reading->unit_multiplier;
  node->incremental = reading->incremental;
  node->dropped = false;
}

/* Where the clocks are now, up to a reading that is at fault. */
static enum tb_status take_readings(struct tb_clock_graph *graph, const struct snapshot *s, uint64_t trace_clock) {
  for (size_t i = 0; i < s->count; i++) {
    const struct tb_clock_reading_raw *reading = &s->readings[i];
    if (reading->incremental && !tb_clock_of_sequence((uint32_t)reading->key)) return TB_BAD_DATA;
    take_reading(&graph->nodes[s->numbers[i]], reading);
    if (i == s->again) return TB_BAD_DATA;
    if (reading->key == trace_clock && ran_back(s->group, s->numbers[i], reading->ns)) return TB_REFUSED;
  }
  return TB_OK;
}

static enum tb_status take_snapshot(struct tb_clock_graph *graph, uint32_t machine, struct snapshot *s,
                                    uint64_t trace_clock) {
  if (s->count > TB_CLOCKS_IN_SNAPSHOT_MAX) s->count = TB_CLOCKS_IN_SNAPSHOT_MAX;
  s->group = NULL;
  enum tb_status status = find_nodes(graph, machine, s);
  if (status != TB_OK) return status;
  if (s->again == s->count) {
    sort_columns(s, &s->row);
    s->hash = hash_columns(&s->row);
    s->group = find_group(graph, &s->row, s->hash);
  }
  return take_readings(graph, s, trace_clock);
}

enum tb_status tb_clock_graph_add(struct tb_clock_graph *graph, uint32_t machine,
                                  const struct tb_clock_reading_raw *readings, size_t count, uint64_t trace_clock) {
  struct snapshot s = {.readings = readings, .count = count};
  graph->changes++;
  enum tb_status status = take_snapshot(graph, machine, &s, trace_clock);
  if (status != TB_OK || s.count < 2 || (s.group && repeats(s.group, &s.row))) return status;
  if (!s.group) {
    status = add_group(graph, &s.row, s.hash);
    if (status != TB_OK) return status;
    s.group = &graph->groups[graph->group_count - 1];
  }
  return add_row(graph, s.group, &s.row);
}

enum tb_status tb_clock_graph_replay(struct tb_clock_graph *graph, uint32_t machine,
                                     const struct tb_clock_reading_raw *readings, size_t count, uint64_t trace_clock) {
  struct snapshot s = {.readings = readings, .count = count};
  enum tb_status status = take_snapshot(graph, machine, &s, trace_clock);
  bool next = status == TB_OK && s.group && !repeats(s.group, &s.row);
  if (next && s.group->reached < s.group->row_count) s.group->reached++;
  return status;
}
