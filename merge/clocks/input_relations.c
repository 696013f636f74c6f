/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/input_relations.h"

#include "merge/merger.h"
#include "tracebridge/event.h"

enum { RELATIONS_MAX = 1 << 16 };

void tb_clock_relations_free(struct tb_clock_relations *relations, const struct tb_allocator *allocator) {
  for (size_t i = 0; i < relations->count; i++) tb_reading_fit_free(&relations->items[i].fit);
  tb_free(allocator, relations->items, relations->capacity * sizeof(*relations->items));
  *relations = (struct tb_clock_relations){0};
}

/* ---- readings ---------------------------------------------------------------------------------------------------- */

/* Whether a clock is its host's, and no sequence's own. */
static bool is_usable(const struct tb_source *s, const struct tb_clock_node *clock) {
  if (s->prescan.clocks.monotonic_assumed && tb_clock_node_clock(clock) == TB_CLOCK_MONOTONIC) return false;
  return clock->machine == tb_source_host(s) && !tb_clock_of_sequence(tb_clock_node_clock(clock));
}

/* The column of the host's clock of that id; `columns` where there is none. */
static size_t column_of(const struct tb_source *s, const struct tb_clock_group *group, uint32_t id) {
  size_t i = 0;
  for (; i < group->columns; i++) {
    const struct tb_clock_node *clock = &s->prescan.clocks.graph.nodes[group->nodes[i]];
    if (tb_clock_node_clock(clock) == id && is_usable(s, clock)) break;
  }
  return i;
}

bool tb_source_reads(const struct tb_source *s, uint32_t clock) {
  const struct tb_clock_graph *c = &s->prescan.clocks.graph;
  for (size_t i = 0; i < c->group_count; i++)
    if (column_of(s, &c->groups[i], clock) < c->groups[i].columns) return true;
  return false;
}

enum tb_status tb_source_readings(const struct tb_source *s, const struct tb_allocator *allocator, uint32_t a,
                                  uint32_t b, struct tb_time_anchor **pairs, size_t *count) {
  const struct tb_clock_graph *c = &s->prescan.clocks.graph;
  size_t rows = 0;
  *pairs = NULL;
  for (int filling = 0; filling < 2; filling++) {
    size_t n = 0;
    for (size_t i = 0; i < c->group_count; i++) {
      const struct tb_clock_group *g = &c->groups[i];
      size_t from = column_of(s, g, a), to = column_of(s, g, b);
      if (from == g->columns || to == g->columns) continue;
      for (size_t r = 0; r < g->row_count && filling; r++)
        (*pairs)[n++] = (struct tb_time_anchor){g->rows[r * g->columns + from], g->rows[r * g->columns + to]};
      rows += filling ? 0 : g->row_count;
    }
    if (!filling && rows) *pairs = tb_alloc(allocator, rows * sizeof(**pairs));
    if (!*pairs) break;
  }
  *count = rows;
  return rows && !*pairs ? TB_NO_MEMORY : TB_OK;
}

int64_t tb_source_wall_time(const struct tb_source *s) {
  if (s->clock == TB_CLOCK_REALTIME) return s->prescan.first;
  const struct tb_clock_graph *c = &s->prescan.clocks.graph;
  for (size_t i = 0; i < c->group_count; i++) {
    const struct tb_clock_group *g = &c->groups[i];
    size_t column = column_of(s, g, TB_CLOCK_REALTIME);
    if (column < g->columns && g->row_count) return g->rows[g->row_count / 2 * g->columns + column];
  }
  return s->prescan.markers.realtime.reading;
}

/* ---- relations --------------------------------------------------------------------------------------------------- */

/* Clocks that one oscillator drives; of others what they read at a time is all that is known. */
static bool counts_up(uint32_t clock) {
  return clock == TB_CLOCK_BOOTTIME || clock == TB_CLOCK_MONOTONIC || clock == TB_CLOCK_MONOTONIC_RAW;
}

static bool is_fitted(uint32_t a, uint32_t b, enum tb_reading_kind *kind) {
  bool same_rate = a == TB_CLOCK_BOOTTIME && b == TB_CLOCK_MONOTONIC;
  *kind = same_rate ? TB_READING_SAME_RATE : TB_READING_DRIFTS;
  if (same_rate) return true;
  /* MONOTONIC_RAW runs at a rate of its own, and sleeps as MONOTONIC does */
  bool raw = (a == TB_CLOCK_MONOTONIC && b == TB_CLOCK_MONOTONIC_RAW) ||
             (a == TB_CLOCK_MONOTONIC_RAW && b == TB_CLOCK_MONOTONIC);
  return raw || (counts_up(a) && b == TB_CLOCK_REALTIME);
}

static enum tb_status host_node(struct tb_merger *m, const struct tb_source *s, uint32_t clock, uint32_t *node) {
  struct tb_graph_key key = {s->index, tb_source_host(s), clock};
  return tb_sync_graph_node(&m->graph, key, node);
}

static enum tb_status add_edge(struct tb_merger *m, struct tb_source *s, struct tb_graph_edge *edge, uint32_t a,
                               uint32_t b) {
  edge->source = TB_PLACEMENT_SNAPSHOTS;
  edge->rank = TB_RANK_SNAPSHOTS;
  enum tb_status status = host_node(m, s, a, &edge->a);
  if (status == TB_OK) status = host_node(m, s, b, &edge->b);
  return status == TB_OK ? tb_sync_graph_edge(&m->graph, edge) : status;
}

static enum tb_status add_fit_edge(struct tb_merger *m, struct tb_source *s, struct tb_clock_relation *r) {
  const struct tb_reading_fit *fit = &r->fit;
  const struct tb_reading_segment *main = &fit->segments[fit->main];
  struct tb_graph_edge edge = {.x0 = fit->x0, .offset = main->offset, .drift = fit->drift, .bound = fit->bound};
  r->edge = (uint32_t)m->graph.edge_count;
  if (r->kind == TB_READING_DRIFTS || fit->segment_count == 1) return add_edge(m, s, &edge, r->a, r->b);
  struct tb_time_anchor *anchors = tb_alloc(m->allocator, fit->segment_count * sizeof(*anchors));
  if (!anchors) return TB_NO_MEMORY;
  for (size_t i = 0; i < fit->segment_count; i++) {
    const struct tb_reading_segment *segment = &fit->segments[i];
    anchors[i] = (struct tb_time_anchor){segment->first, tb_time_add(segment->first, segment->offset)};
  }
  edge.anchors = anchors;
  edge.anchor_count = fit->segment_count;
  edge.steps = true;
  enum tb_status status = add_edge(m, s, &edge, r->a, r->b);
  tb_free(m->allocator, anchors, fit->segment_count * sizeof(*anchors));
  return status;
}

/* Clocks that no line relates: what they read, and how far apart neighbours are from the offset of either. */
static enum tb_status add_anchor_edge(struct tb_merger *m, struct tb_source *s, uint32_t a, uint32_t b,
                                      struct tb_time_anchor *pairs, size_t count) {
  static const double UNKNOWN_RATE = 50e-6;
  struct tb_time_bound_point points[2] = {{pairs[0].x, TB_READING_BUSY_NS}, {pairs[count - 1].x, TB_READING_BUSY_NS}};
  struct tb_graph_edge edge = {.anchors = pairs, .anchor_count = count};
  edge.bound = (struct tb_time_bound){points, points[1].time > points[0].time ? 2 : 1, UNKNOWN_RATE};
  return add_edge(m, s, &edge, a, b);
}

/* What a host's reading of BOOTTIME and another clock shows of how it reads clocks. */
static enum tb_status read_noise(const struct tb_merger *m, const struct tb_source *s, uint32_t clock,
                                 enum tb_reading_kind kind, struct tb_reading_noise *noise) {
  struct tb_time_anchor *pairs = NULL;
  struct tb_reading_fit fit;
  size_t count = 0;
  *noise = (struct tb_reading_noise){.most = 0};
  enum tb_status status = tb_source_readings(s, m->allocator, TB_CLOCK_BOOTTIME, clock, &pairs, &count);
  if (status != TB_OK || !count) return status;
  status = tb_reading_fit_make(&fit, m->allocator, pairs, count, kind, NULL);
  *noise = fit.noise;
  tb_reading_fit_free(&fit);
  tb_free(m->allocator, pairs, count * sizeof(*pairs));
  return status;
}

/* Readers read clocks in the order of the snapshot. Whether each snapshot has `b` between the other two. */
static bool is_between(const struct tb_source *s, uint32_t a, uint32_t b, uint32_t third) {
  const struct tb_clock_graph *c = &s->prescan.clocks.graph;
  bool any = false;
  for (size_t i = 0; i < c->group_count; i++) {
    const struct tb_clock_group *g = &c->groups[i];
    size_t at_a = column_of(s, g, a), at_b = column_of(s, g, b), at_third = column_of(s, g, third);
    if (at_a == g->columns || at_b == g->columns) continue;
    if (at_third == g->columns || (at_a < at_b) != (at_b < at_third)) return false;
    any = true;
  }
  return any;
}

/* Whether MONOTONIC reads what BOOTTIME does, or a little more: the machine never slept, and that is how long a
 * snapshot took from the one to the other. */
static enum tb_status took_no_time(const struct tb_merger *m, const struct tb_source *s, bool *at_once) {
  struct tb_time_anchor *pairs = NULL;
  size_t count = 0;
  enum tb_status status = tb_source_readings(s, m->allocator, TB_CLOCK_BOOTTIME, TB_CLOCK_MONOTONIC, &pairs, &count);
  *at_once = count > 0;
  for (size_t i = 0; i < count && status == TB_OK; i++) {
    tb_wide took = (tb_wide)pairs[i].y - pairs[i].x;
    *at_once &= took >= -TB_READING_BUSY_NS / 2 && took <= TB_READING_BUSY_NS / 2;
  }
  tb_free(m->allocator, pairs, count * sizeof(*pairs));
  return status;
}

/* Whether a reader that was stopped between the relation's two clocks would have read the third one late, and that
 * would show. */
static enum tb_status find_enclosing(const struct tb_merger *m, const struct tb_source *s,
                                     const struct tb_clock_relation *r, size_t count, struct tb_reading_noise *third) {
  bool same_rate = r->kind == TB_READING_SAME_RATE, between = is_between(s, r->a, r->b, TB_CLOCK_MONOTONIC);
  if (count >= 2) {
    third->encloses = !same_rate && between;
    return TB_OK;
  }
  enum tb_status status = took_no_time(m, s, &third->encloses);
  third->encloses &= same_rate || between;
  return status;
}

/* Few readings show less of their noise than the third clock's do that was read with them: MONOTONIC's for those of the
 * wall clock, and the wall clock's for MONOTONIC's. */
static enum tb_status fit_relation(const struct tb_merger *m, const struct tb_source *s, struct tb_clock_relation *r,
                                   struct tb_time_anchor *pairs, size_t count) {
  struct tb_reading_noise third = {.most = 0};
  enum tb_status status = TB_OK;
  if (count <= TB_FEW_READINGS)
    status = r->kind == TB_READING_SAME_RATE ? read_noise(m, s, TB_CLOCK_REALTIME, TB_READING_DRIFTS, &third)
                                             : read_noise(m, s, TB_CLOCK_MONOTONIC, TB_READING_SAME_RATE, &third);
  if (status == TB_OK && count <= TB_FEW_READINGS) status = find_enclosing(m, s, r, count, &third);
  if (status != TB_OK) return status;
  const bool shows = third.freedom || third.encloses;
  return tb_reading_fit_make(&r->fit, m->allocator, pairs, count, r->kind, shows ? &third : NULL);
}

static bool is_related(const struct tb_source *s, uint32_t a, uint32_t b) {
  for (size_t i = 0; i < s->relations.count; i++)
    if (s->relations.items[i].a == a && s->relations.items[i].b == b) return true;
  return false;
}

static enum tb_status relate(struct tb_merger *m, struct tb_source *s, uint32_t a, uint32_t b) {
  struct tb_time_anchor *pairs = NULL;
  size_t count = 0;
  void *items = s->relations.items;
  if (is_related(s, a, b)) return TB_OK;
  enum tb_status status = tb_grow_array(m->allocator, &items, &s->relations.capacity, s->relations.count + 1,
                                        sizeof(*s->relations.items), RELATIONS_MAX);
  s->relations.items = items;
  if (status == TB_OK) status = tb_source_readings(s, m->allocator, a, b, &pairs, &count);
  if (status != TB_OK || !count) return status;
  struct tb_clock_relation *r = &s->relations.items[s->relations.count++];
  *r = (struct tb_clock_relation){.a = a, .b = b};
  if (is_fitted(a, b, &r->kind)) {
    status = fit_relation(m, s, r, pairs, count);
    if (status == TB_OK) status = add_fit_edge(m, s, r);
  } else {
    status = add_anchor_edge(m, s, a, b, pairs, count);
  }
  tb_free(m->allocator, pairs, count * sizeof(*pairs));
  return status;
}

static bool reads(const struct tb_source *s, const struct tb_clock_group *group, uint32_t clock) {
  return column_of(s, group, clock) < group->columns;
}

/* What a clock of a snapshot is related to: the wall clock to the one that goes on counting while the machine sleeps,
 * MONOTONIC_RAW to the one that sleeps with it, others to the trace clock. Of BOOTTIME and MONOTONIC, BOOTTIME is the
 * first whichever the trace clock is: a sleep takes the other one back from it. */
static enum tb_status relate_column(struct tb_merger *m, struct tb_source *s, const struct tb_clock_group *group,
                                    uint32_t hub, uint32_t clock) {
  bool boot = reads(s, group, TB_CLOCK_BOOTTIME), mono = reads(s, group, TB_CLOCK_MONOTONIC);
  if (clock == hub) return TB_OK;
  if (counts_up(hub) && clock == TB_CLOCK_REALTIME && (boot || mono))
    return relate(m, s, boot ? TB_CLOCK_BOOTTIME : TB_CLOCK_MONOTONIC, clock);
  if (hub == TB_CLOCK_BOOTTIME && clock == TB_CLOCK_MONOTONIC_RAW && mono)
    return relate(m, s, TB_CLOCK_MONOTONIC, clock);
  if (hub == TB_CLOCK_MONOTONIC_RAW && clock == TB_CLOCK_BOOTTIME && mono)
    return relate(m, s, TB_CLOCK_MONOTONIC, clock);
  if (hub == TB_CLOCK_MONOTONIC && clock == TB_CLOCK_BOOTTIME) return relate(m, s, clock, hub);
  return relate(m, s, hub, clock);
}

static enum tb_status relate_by_snapshots(struct tb_merger *m, struct tb_source *s) {
  const struct tb_clock_graph *c = &s->prescan.clocks.graph;
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < c->group_count && status == TB_OK; i++) {
    const struct tb_clock_group *g = &c->groups[i];
    size_t hub = column_of(s, g, s->prescan.clocks.primary);
    for (size_t k = 0; k < g->columns && hub == g->columns; k++)
      if (is_usable(s, &c->nodes[g->nodes[k]])) hub = k;
    for (size_t k = 0; k < g->columns && hub < g->columns && status == TB_OK; k++)
      if (is_usable(s, &c->nodes[g->nodes[k]]))
        status = relate_column(m, s, g, tb_clock_node_clock(&c->nodes[g->nodes[hub]]),
                               tb_clock_node_clock(&c->nodes[g->nodes[k]]));
  }
  return status;
}

/* The trace clocks of an input's other machines, by how far they are ahead of its host's. */
static enum tb_status relate_machines(struct tb_merger *m, const struct tb_source *s) {
  uint32_t host = tb_source_host(s), clock = s->prescan.clocks.primary;
  for (size_t i = 0; i < s->prescan.machine_count; i++) {
    const struct tb_prescanned_machine *machine = &s->prescan.machines[i];
    if (machine->id == host || !machine->ahead) continue;
    struct tb_graph_key key = {s->index, machine->id, clock};
    struct tb_graph_edge edge = {
        .source = TB_PLACEMENT_SNAPSHOTS, .rank = TB_RANK_SNAPSHOTS, .offset = tb_time_subtract(0, machine->ahead)};
    enum tb_status status = tb_sync_graph_node(&m->graph, key, &edge.a);
    if (status == TB_OK) status = host_node(m, s, clock, &edge.b);
    if (status == TB_OK) status = tb_sync_graph_edge(&m->graph, &edge);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

enum tb_status tb_merger_relate_input(struct tb_merger *m, struct tb_source *s) {
  uint32_t node;
  enum tb_status status = host_node(m, s, s->prescan.clocks.primary, &node);
  if (status == TB_OK) status = relate_machines(m, s);
  if (status == TB_OK) status = tb_merger_relate_kept_boots(m, s);
  return status == TB_OK ? relate_by_snapshots(m, s) : status;
}
