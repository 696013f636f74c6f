/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/input_clocks.h"
#include "base/mix64.h"
#include "base/times.h"

#include "perfetto/clock/remote_clock_sync.h"
#include "perfetto/clock/snapshot.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "tracebridge/event.h"

enum { NODES_MAX = 1 << 22, GROUPS_MAX = 1 << 20, ROWS_MAX = 1 << 26, COLUMNS_MAX = 64 };

void tb_input_clocks_init(struct tb_input_clocks *c, const struct tb_allocator *allocator) {
  *c = (struct tb_input_clocks){.allocator = allocator, .primary = TB_CLOCK_BOOTTIME, .version = 1, .way_version = 1};
  tb_map_init(&c->node_index, allocator);
  tb_map_init(&c->group_index, allocator);
  tb_merge_sequences_init(&c->sequences, allocator);
}

void tb_input_clocks_free(struct tb_input_clocks *c) {
  for (size_t i = 0; i < c->group_count; i++) {
    struct tb_input_clock_group *g = &c->groups[i];
    tb_free(c->allocator, g->nodes, g->columns * sizeof(*g->nodes));
    tb_free(c->allocator, g->rows, g->row_capacity * g->columns * sizeof(*g->rows));
  }
  tb_free(c->allocator, c->groups, c->group_capacity * sizeof(*c->groups));
  tb_free(c->allocator, c->nodes, c->node_capacity * sizeof(*c->nodes));
  tb_free(c->allocator, c->uses, c->use_capacity * sizeof(*c->uses));
  tb_free(c->allocator, c->queue, c->queue_capacity * sizeof(*c->queue));
  tb_map_free(&c->node_index);
  tb_map_free(&c->group_index);
  tb_merge_sequences_free(&c->sequences);
}

void tb_input_clocks_rewind(struct tb_input_clocks *c) {
  tb_merge_sequences_rewind(&c->sequences);
  for (size_t i = 0; i < c->node_count; i++) c->nodes[i].last = 0;
}

/* ---- nodes and groups -------------------------------------------------------------------------------------------- */

static bool of_sequence(uint32_t clock) {
  return clock >= TB_INPUT_CLOCK_SEQUENCE_FIRST && clock < TB_INPUT_CLOCK_TRACE_FIRST;
}

static uint64_t node_key(uint32_t machine, uint32_t sequence, uint32_t clock) {
  return tb_mix64((uint64_t)machine << 32 | sequence) ^ clock;
}

static struct tb_input_clock *find_node(const struct tb_input_clocks *c, uint32_t machine, uint32_t sequence,
                                        uint32_t clock) {
  const uint64_t *at = tb_map_find(&c->node_index, node_key(machine, of_sequence(clock) ? sequence : 0, clock), 0);
  return at ? &c->nodes[*at] : NULL;
}

static enum tb_status add_node(struct tb_input_clocks *c, uint32_t machine, uint32_t sequence, uint32_t clock,
                               uint32_t *index) {
  sequence = of_sequence(clock) ? sequence : 0;
  uint64_t key = node_key(machine, sequence, clock);
  const uint64_t *at = tb_map_find(&c->node_index, key, 0);
  if (at) {
    *index = (uint32_t)*at;
    return TB_OK;
  }
  void *nodes = c->nodes;
  enum tb_status status =
      tb_grow_array(c->allocator, &nodes, &c->node_capacity, c->node_count + 1, sizeof(*c->nodes), NODES_MAX);
  c->nodes = nodes;
  if (status == TB_OK) status = tb_map_put(&c->node_index, key, 0, c->node_count);
  if (status != TB_OK) return status;
  *index = (uint32_t)c->node_count;
  c->nodes[c->node_count++] =
      (struct tb_input_clock){.machine = machine, .clock = clock, .sequence = sequence, .unit = 1};
  return TB_OK;
}

/* Notes that column `column` of the newest group is `node`. */
static enum tb_status add_use(struct tb_input_clocks *c, uint32_t node, size_t column) {
  void *uses = c->uses;
  enum tb_status status =
      tb_grow_array(c->allocator, &uses, &c->use_capacity, c->use_count + 1, sizeof(*c->uses), UINT32_MAX / 2);
  c->uses = uses;
  if (status != TB_OK) return status;
  c->uses[c->use_count++] = (struct tb_input_clock_use){(uint32_t)c->group_count - 1, (uint32_t)column, 0};
  struct tb_input_clock *n = &c->nodes[node];
  *(n->last_use ? &c->uses[n->last_use - 1].next : &n->first_use) = (uint32_t)c->use_count;
  n->last_use = (uint32_t)c->use_count;
  return TB_OK;
}

static enum tb_status add_group(struct tb_input_clocks *c, const uint32_t *nodes, size_t columns, uint64_t hash) {
  void *groups = c->groups;
  enum tb_status status =
      tb_grow_array(c->allocator, &groups, &c->group_capacity, c->group_count + 1, sizeof(*c->groups), GROUPS_MAX);
  c->groups = groups;
  if (status != TB_OK) return status;
  struct tb_input_clock_group *g = &c->groups[c->group_count];
  *g = (struct tb_input_clock_group){.columns = columns};
  g->nodes = tb_alloc(c->allocator, columns * sizeof(*nodes));
  if (!g->nodes) return TB_NO_MEMORY;
  memcpy(g->nodes, nodes, columns * sizeof(*nodes));
  (void)tb_map_get(&c->group_index, hash, 0, &g->same_hash);
  c->group_count++;
  for (size_t i = 0; status == TB_OK && i < columns; i++) status = add_use(c, nodes[i], i);
  if (status == TB_OK) status = tb_map_put(&c->group_index, hash, 0, c->group_count);
  c->version++;
  return status;
}

/* The group with exactly these columns, in this order. */
static struct tb_input_clock_group *find_group(struct tb_input_clocks *c, const uint32_t *nodes, size_t columns,
                                               uint64_t hash) {
  uint32_t at = 0;
  (void)tb_map_get(&c->group_index, hash, 0, &at);
  for (; at; at = c->groups[at - 1].same_hash) {
    struct tb_input_clock_group *g = &c->groups[at - 1];
    if (g->columns == columns && memcmp(g->nodes, nodes, columns * sizeof(*nodes)) == 0) return g;
  }
  return NULL;
}

static enum tb_status add_row(struct tb_input_clocks *c, const uint32_t *nodes, const int64_t *values, size_t columns) {
  uint64_t hash = columns;
  for (size_t i = 0; i < columns; i++) hash = tb_mix64(hash ^ nodes[i]);
  struct tb_input_clock_group *g = find_group(c, nodes, columns, hash);
  if (!g) {
    enum tb_status status = add_group(c, nodes, columns, hash);
    if (status != TB_OK) return status;
    g = &c->groups[c->group_count - 1];
  }
  void *rows = g->rows;
  enum tb_status status =
      tb_grow_array(c->allocator, &rows, &g->row_capacity, g->row_count + 1, columns * sizeof(*g->rows), ROWS_MAX);
  g->rows = rows;
  if (status != TB_OK) return status;
  memcpy(g->rows + g->row_count++ * columns, values, columns * sizeof(*values));
  c->version++;
  return TB_OK;
}

/* ---- reading snapshots ------------------------------------------------------------------------------------------- */

static enum tb_status take_reading(struct tb_input_clocks *c, uint32_t machine, uint32_t sequence,
                                   const struct tb_snapshot_clock *reading, uint32_t *node) {
  enum tb_status status = add_node(c, machine, sequence, (uint32_t)reading->id, node);
  if (status != TB_OK) return status;
  struct tb_input_clock *n = &c->nodes[*node];
  n->unit = reading->unit;
  n->incremental = reading->incremental;
  n->last = tb_snapshot_clock_ns(reading);
  return TB_OK;
}

static bool holds(const uint32_t *nodes, size_t count, uint32_t node) {
  for (size_t i = 0; i < count; i++)
    if (nodes[i] == node) return true;
  return false;
}

static enum tb_status take_snapshot(struct tb_input_clocks *c, struct tb_str bytes, uint32_t machine, uint32_t sequence,
                                    bool learn) {
  uint32_t nodes[COLUMNS_MAX];
  int64_t values[COLUMNS_MAX];
  size_t columns = 0;
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK && field.type == TB_WIRE_VARINT && field.value &&
        !c->primary_named) {
      c->primary = (uint32_t)field.value;
      c->primary_named = true;
      c->way_version++;
      c->version++;
    }
    if (field.number != TB_CLOCK_SNAPSHOT_CLOCKS || field.type != TB_WIRE_BYTES || columns == COLUMNS_MAX) continue;
    struct tb_snapshot_clock reading;
    (void)tb_snapshot_clock_read(field.bytes, &reading); /* of a damaged one, what can be read */
    if (of_sequence((uint32_t)reading.id) && sequence == 0) continue;
    uint32_t node;
    enum tb_status status = take_reading(c, machine, sequence, &reading, &node);
    if (status != TB_OK) return status;
    if (holds(nodes, columns, node)) { /* twice in one snapshot: nobody can say which counts */
      c->bad_snapshots++;
      return TB_OK;
    }
    nodes[columns] = node;
    values[columns++] = c->nodes[node].last;
  }
  return learn && columns > 1 ? add_row(c, nodes, values, columns) : TB_OK;
}

/* A row that relates each clock of the other machine to the recording one's. */
static enum tb_status take_sync(struct tb_input_clocks *c, struct tb_str bytes, uint32_t machine) {
  struct tb_remote_clock clocks[TB_REMOTE_SYNC_CLOCKS];
  size_t count;
  if (tb_remote_clock_sync_read(bytes, clocks, &count) != TB_OK) c->bad_snapshots++;
  for (size_t i = 0; i < count; i++) {
    if (of_sequence(clocks[i].id)) continue;
    uint32_t nodes[2];
    int64_t values[2] = {clocks[i].ns, (int64_t)((uint64_t)clocks[i].ns - (uint64_t)clocks[i].ahead)};
    enum tb_status status = add_node(c, machine, 0, clocks[i].id, &nodes[0]);
    if (status == TB_OK) status = add_node(c, 0, 0, clocks[i].id, &nodes[1]);
    if (status == TB_OK) status = add_row(c, nodes, values, 2);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

static uint32_t default_clock(struct tb_str defaults) {
  struct tb_wire_cursor cursor = tb_wire_cursor(defaults);
  struct tb_wire_field field;
  uint32_t clock = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID && field.type == TB_WIRE_VARINT)
      clock = (uint32_t)field.value;
  return clock;
}

enum tb_status tb_input_clocks_take(struct tb_input_clocks *c, const struct tb_merge_header *head,
                                    struct tb_merge_sequence *sequence, bool learn) {
  enum tb_status status = TB_OK;
  struct tb_str sync = tb_merge_header_payload(head, TB_TRACE_PACKET_REMOTE_CLOCK_SYNC);
  if (head->cleared) sequence->default_clock = 0;
  if (head->defaults.ptr) sequence->default_clock = default_clock(head->defaults);
  if (head->clock_snapshot.ptr) status = take_snapshot(c, head->clock_snapshot, head->machine, head->sequence, learn);
  if (status == TB_OK && sync.ptr && learn && head->machine) status = take_sync(c, sync, head->machine);
  return status;
}

/* ---- conversion -------------------------------------------------------------------------------------------------- */

static void search_from(struct tb_input_clocks *c, uint32_t at, size_t *reached) {
  for (uint32_t u = c->nodes[at].first_use; u; u = c->uses[u - 1].next) {
    const struct tb_input_clock_use *use = &c->uses[u - 1];
    const struct tb_input_clock_group *group = &c->groups[use->group];
    for (uint32_t to = 0; to < group->columns; to++) {
      struct tb_input_clock *next = &c->nodes[group->nodes[to]];
      if (next->search == c->searches) continue;
      next->search = c->searches;
      next->reached_from = at;
      next->reached_by = (struct tb_input_clock_step){use->group, use->column, to};
      c->queue[(*reached)++] = group->nodes[to];
    }
  }
}

static void set_way(struct tb_input_clocks *c, uint32_t from, uint32_t target) {
  struct tb_input_clock *node = &c->nodes[from];
  size_t len = 0;
  for (uint32_t at = target; at != from; at = c->nodes[at].reached_from) len++;
  if (len > sizeof(node->way) / sizeof(node->way[0])) return;
  node->way_exists = true;
  node->way_len = (uint8_t)len;
  for (uint32_t at = target; at != from; at = c->nodes[at].reached_from) node->way[--len] = c->nodes[at].reached_by;
}

/* Breadth first from node `from` to the trace clock of its machine. */
static void find_way(struct tb_input_clocks *c, uint32_t from, uint32_t target) {
  void *queue = c->queue;
  enum tb_status status =
      tb_grow_array(c->allocator, &queue, &c->queue_capacity, c->node_count, sizeof(*c->queue), NODES_MAX);
  c->queue = queue;
  if (status != TB_OK) return;
  c->nodes[from].search = ++c->searches;
  c->queue[0] = from;
  const struct tb_input_clock *end = &c->nodes[target];
  for (size_t at = 0, reached = 1; at < reached && end->search != c->searches; at++)
    search_from(c, c->queue[at], &reached);
  if (end->search == c->searches) set_way(c, from, target);
}

/* A reading on its way, and from where up to where the one that it started as takes the same way. */
struct clock_walk {
  int64_t value, from, until;
  uint64_t ahead; /* of the reading that it started as */
};

static int64_t back_to_start(const struct clock_walk *walk, int64_t value) {
  return tb_time_subtract(value, (int64_t)walk->ahead);
}

/* The last row at or before the value in column `from`, else the first. Rows come in the order of time. */
static void step(const struct tb_input_clock_group *g, size_t from, size_t to, struct clock_walk *walk) {
  size_t low = 0, high = g->row_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (g->rows[middle * g->columns + from] <= walk->value)
      low = middle + 1;
    else
      high = middle;
  }
  size_t at = low ? low - 1 : 0;
  const int64_t *row = g->rows + at * g->columns;
  int64_t first = at ? back_to_start(walk, row[from]) : INT64_MIN;
  int64_t next = at + 1 < g->row_count ? back_to_start(walk, row[g->columns + from]) : INT64_MAX;
  if (first > walk->from) walk->from = first;
  if (next < walk->until) walk->until = next;
  walk->ahead += (uint64_t)row[to] - (uint64_t)row[from];
  walk->value = (int64_t)((uint64_t)walk->value - (uint64_t)row[from] + (uint64_t)row[to]);
}

/* Whether the node's way is still the one that a search would find: new groups only make a way shorter than several steps. */
static bool knows_way(const struct tb_input_clocks *c, const struct tb_input_clock *node) {
  return node->way_version == c->way_version &&
         (node->way_groups == c->group_count || (node->way_exists && node->way_len == 1));
}

/* Sees that the node's way to the trace clock is known; false where there is none. */
static bool has_way(struct tb_input_clocks *c, struct tb_input_clock *node) {
  if (knows_way(c, node)) return node->way_exists;
  const struct tb_input_clock *target = find_node(c, node->machine, 0, c->primary);
  node->way_version = c->way_version;
  node->way_groups = c->group_count;
  node->way_exists = false;
  if (target) find_way(c, (uint32_t)(node - c->nodes), (uint32_t)(target - c->nodes));
  return node->way_exists;
}

bool tb_input_clocks_convert_node(struct tb_input_clocks *c, struct tb_input_clock *node, int64_t value,
                                  int64_t *time) {
  *time = value;
  if (node->clock == c->primary) return true;
  if (!has_way(c, node)) return false;
  struct clock_walk walk = {value, INT64_MIN, INT64_MAX, 0};
  for (size_t i = 0; i < node->way_len; i++)
    step(&c->groups[node->way[i].group], node->way[i].from, node->way[i].to, &walk);
  node->from = walk.from;
  node->until = walk.until;
  node->ahead = (int64_t)walk.ahead;
  node->version = c->version;
  *time = walk.value;
  return true;
}

bool tb_input_clocks_convert_back(struct tb_input_clocks *c, uint32_t machine, uint32_t clock, int64_t time,
                                  int64_t *value) {
  *value = time;
  if (clock == c->primary) return true;
  struct tb_input_clock *node = find_node(c, machine, 0, clock);
  if (!node || !has_way(c, node)) return false;
  struct clock_walk walk = {time, INT64_MIN, INT64_MAX, 0};
  for (size_t i = node->way_len; i-- > 0;)
    step(&c->groups[node->way[i].group], node->way[i].to, node->way[i].from, &walk);
  *value = walk.value;
  return true;
}

void tb_input_clocks_look_up(struct tb_input_clocks *c, struct tb_merge_sequence *sequence, uint32_t clock) {
  const struct tb_input_clock *node = find_node(c, sequence->machine, sequence->id, clock);
  sequence->clock = clock;
  sequence->node = node ? (uint32_t)(node - c->nodes) + 1 : 0;
  sequence->node_count = (uint32_t)c->node_count;
}

void tb_input_clocks_events_of(struct tb_input_clocks *c, uint32_t sequence, struct tb_event_clock *events) {
  struct tb_merge_sequence *s = tb_merge_sequence_get(&c->sequences, 0, sequence);
  *events = (struct tb_event_clock){.id = sequence, .sequence = s};
  if (!s) return;
  events->default_clock = s->id && s->default_clock;
  events->clock = events->default_clock ? s->default_clock : c->primary;
  events->node = tb_input_clocks_of(c, s, events->clock);
}

uint32_t tb_input_clocks_implied(struct tb_input_clocks *c, const struct tb_merge_header *head) {
  bool chrome = head->kind == TB_TRACE_PACKET_CHROME_EVENTS || head->kind == TB_TRACE_PACKET_CHROME_METADATA;
  return chrome && find_node(c, head->machine, 0, TB_CLOCK_MONOTONIC) ? TB_CLOCK_MONOTONIC : c->primary;
}

bool tb_input_clocks_convert(struct tb_input_clocks *c, uint32_t machine, uint32_t clock, int64_t value,
                             int64_t *time) {
  if (clock == c->primary) {
    *time = value;
    return true;
  }
  struct tb_input_clock *node = find_node(c, machine, 0, clock);
  return node && tb_input_clocks_convert_node(c, node, value, time);
}

const struct tb_input_clock *tb_input_clocks_find(const struct tb_input_clocks *c, uint32_t machine, uint32_t clock) {
  return find_node(c, machine, 0, clock);
}
