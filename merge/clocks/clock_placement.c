/* SPDX-License-Identifier: Apache-2.0
 *
 * Placing inputs: builds the clock graph of what is known, finds for each input the cheapest way to the merged trace's clock.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "merge/clocks/clock_names.h"
#include "merge/merger.h"
#include "tracebridge/event.h"

/* How little an edge is trusted, best first. */
enum {
  COST_NONE = 0,
  COST_GIVEN = 1,
  COST_SNAPSHOT = 2,
  COST_ALIGNED = 8,
  COST_MESSAGES = 9,
  COST_SAME_BOOT = 10,
  COST_CLOCK_SYNC = 100,
  COST_REALTIME = 1000,
  COST_ASSUMED = 100000
};

/* Groups of shared clocks: the wall clock, the assumption, and from 2 on the clusters of one boot. */
enum { GROUP_REALTIME, GROUP_ASSUMED, GROUP_BOOTS };

/* Two readings of when a machine was started agree within this, and what its wall clock may be slewed by in between. */
enum { BOOT_NS = 10000000, SLEW_PPM = 50 };

uint32_t tb_source_host(const struct tb_source *s) {
  for (size_t i = 0; i < s->survey.machine_count; i++)
    if (s->survey.machines[i].id == 0) return 0;
  return s->survey.machine_count ? s->survey.machines[0].id : 0;
}

static const struct tb_prescanned_machine *machine_of(const struct tb_source *s, uint32_t id) {
  static const struct tb_prescanned_machine none = {0};
  for (size_t i = 0; i < s->survey.machine_count; i++)
    if (s->survey.machines[i].id == id) return &s->survey.machines[i];
  return &none;
}

int64_t tb_source_time_by_map(const struct tb_source *s, uint32_t machine, int64_t value) {
  const struct tb_prescanned_machine *of = machine_of(s, machine);
  int64_t merged = tb_time_map_apply(&s->there, tb_time_subtract(value, of->ahead));
  return tb_time_add(tb_time_add(merged, of->merged_ahead), s->shift);
}

int64_t tb_source_merged_ahead(const struct tb_source *s, uint32_t machine) {
  return machine_of(s, machine)->merged_ahead;
}

static enum tb_status own_node(struct tb_merger *m, const struct tb_source *s, uint32_t clock, uint32_t *node) {
  struct tb_graph_key key = {s->index, tb_source_host(s), clock};
  return tb_sync_graph_node(&m->graph, key, node);
}

static bool usable(const struct tb_source *s, uint32_t node) {
  const struct tb_input_clock *n = &s->survey.clocks.nodes[node];
  return n->machine == tb_source_host(s) && n->sequence == 0 &&
         (n->clock < TB_INPUT_CLOCK_SEQUENCE_FIRST || n->clock >= TB_INPUT_CLOCK_TRACE_FIRST);
}

/* ---- what the input's own snapshots say -------------------------------------------------------------------------- */

static size_t column_of(const struct tb_input_clock_group *g, uint32_t node) {
  size_t i = 0;
  while (i < g->columns && g->nodes[i] != node) i++;
  return i;
}

/* All readings of both clocks, over all groups of snapshots that hold them. */
static enum tb_status add_relation(struct tb_merger *m, const struct tb_source *s, uint32_t a, uint32_t b) {
  const struct tb_input_clocks *c = &s->survey.clocks;
  size_t rows = 0, n = 0;
  for (size_t g = 0; g < c->group_count; g++)
    if (column_of(&c->groups[g], a) < c->groups[g].columns && column_of(&c->groups[g], b) < c->groups[g].columns)
      rows += c->groups[g].row_count;
  struct tb_time_anchor *anchors = tb_alloc(m->allocator, rows * sizeof(*anchors));
  if (!anchors) return TB_NO_MEMORY;
  for (size_t i = 0; i < c->group_count; i++) {
    const struct tb_input_clock_group *g = &c->groups[i];
    size_t from = column_of(g, a), to = column_of(g, b);
    if (from == g->columns || to == g->columns) continue;
    for (size_t r = 0; r < g->row_count; r++)
      anchors[n++] = (struct tb_time_anchor){g->rows[r * g->columns + from], g->rows[r * g->columns + to]};
  }
  struct tb_graph_edge edge = {
      .source = TB_PLACEMENT_SNAPSHOTS, .cost = COST_SNAPSHOT, .anchors = anchors, .anchor_count = n};
  enum tb_status status = own_node(m, s, c->nodes[a].clock, &edge.a);
  if (status == TB_OK) status = own_node(m, s, c->nodes[b].clock, &edge.b);
  if (status == TB_OK) status = tb_sync_graph_edge(&m->graph, &edge);
  tb_free(m->allocator, anchors, rows * sizeof(*anchors));
  return status;
}

/* True where an earlier group holds both clocks: then they are related already. */
static bool earlier_group_has(const struct tb_input_clocks *c, size_t before, uint32_t a, uint32_t b) {
  for (size_t g = 0; g < before; g++)
    if (column_of(&c->groups[g], a) < c->groups[g].columns && column_of(&c->groups[g], b) < c->groups[g].columns)
      return true;
  return false;
}

/* One clock of each snapshot, the trace clock where it is there, is related to the others of it. */
static enum tb_status add_snapshots(struct tb_merger *m, const struct tb_source *s) {
  const struct tb_input_clocks *c = &s->survey.clocks;
  for (size_t i = 0; i < c->group_count; i++) {
    const struct tb_input_clock_group *g = &c->groups[i];
    size_t hub = g->columns;
    for (size_t k = 0; k < g->columns; k++)
      if (usable(s, g->nodes[k]) && (hub == g->columns || c->nodes[g->nodes[k]].clock == c->primary)) hub = k;
    for (size_t k = 0; k < g->columns && hub < g->columns; k++) {
      if (k == hub || !usable(s, g->nodes[k]) || earlier_group_has(c, i, g->nodes[hub], g->nodes[k])) continue;
      enum tb_status status = add_relation(m, s, g->nodes[hub], g->nodes[k]);
      if (status != TB_OK) return status;
    }
  }
  return TB_OK;
}

/* The trace clocks of an input's other machines, by how far they are ahead of its host's. */
static enum tb_status add_machines(struct tb_merger *m, const struct tb_source *s) {
  uint32_t host = tb_source_host(s), clock = s->survey.clocks.primary;
  for (size_t i = 0; i < s->survey.machine_count; i++) {
    const struct tb_prescanned_machine *machine = &s->survey.machines[i];
    if (machine->id == host || !machine->ahead) continue;
    struct tb_graph_key key = {s->index, machine->id, clock};
    struct tb_graph_edge edge = {
        .source = TB_PLACEMENT_SNAPSHOTS, .cost = COST_SNAPSHOT, .offset = tb_time_subtract(0, machine->ahead)};
    enum tb_status status = tb_sync_graph_node(&m->graph, key, &edge.a);
    if (status == TB_OK) status = own_node(m, s, clock, &edge.b);
    if (status == TB_OK) status = tb_sync_graph_edge(&m->graph, &edge);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

/* ---- clocks that inputs share ------------------------------------------------------------------------------------ */

static enum tb_status join(struct tb_merger *m, const struct tb_source *s, uint32_t clock, uint32_t group,
                           enum tb_placement why, uint32_t cost) {
  struct tb_graph_key own = {s->index, tb_source_host(s), clock}, shared = {TB_GRAPH_SHARED, group, clock};
  struct tb_graph_edge edge = {.source = why, .cost = cost};
  if (!tb_sync_graph_find(&m->graph, own, &edge.a)) return TB_OK;
  enum tb_status status = tb_sync_graph_node(&m->graph, shared, &edge.b);
  return status == TB_OK ? tb_sync_graph_edge(&m->graph, &edge) : status;
}

static enum tb_status join_shared(struct tb_merger *m, const struct tb_source *s) {
  enum tb_status status = join(m, s, TB_CLOCK_REALTIME, GROUP_REALTIME, TB_PLACEMENT_REALTIME, COST_REALTIME);
  for (uint32_t clock = TB_CLOCK_REALTIME_COARSE; clock < TB_CLOCK_TRACE_FILE && status == TB_OK; clock++)
    status = join(m, s, clock, GROUP_ASSUMED, TB_PLACEMENT_ASSUMED, COST_ASSUMED);
  return status;
}

/* When the wall clock said that a clock read 0, for one input. */
struct boot {
  uint32_t source;
  int64_t epoch, wall;
};

static int compare_i64(const void *a, const void *b) {
  int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
  return p < q ? -1 : p > q;
}

static bool read_boot(const struct tb_merger *m, const struct tb_source *s, uint32_t clock, struct boot *boot) {
  uint32_t host = tb_source_host(s);
  const struct tb_input_clocks *c = &s->survey.clocks;
  const struct tb_input_clock *real = tb_input_clocks_find(c, host, TB_CLOCK_REALTIME);
  const struct tb_input_clock *own = tb_input_clocks_find(c, host, clock);
  if (!real || !own) return false;
  enum { MOST = 1024 };
  int64_t epochs[MOST];
  size_t n = 0;
  for (size_t i = 0; i < c->group_count; i++) {
    const struct tb_input_clock_group *g = &c->groups[i];
    size_t r = column_of(g, (uint32_t)(real - c->nodes)), o = column_of(g, (uint32_t)(own - c->nodes));
    if (r == g->columns || o == g->columns) continue;
    for (size_t row = 0; row < g->row_count && n < MOST; row++) {
      boot->wall = g->rows[row * g->columns + r];
      epochs[n++] = (int64_t)((uint64_t)boot->wall - (uint64_t)g->rows[row * g->columns + o]);
    }
  }
  if (n == 0) return false;
  qsort(epochs, n, sizeof(epochs[0]), compare_i64);
  boot->epoch = epochs[n / 2];
  boot->source = s->index;
  (void)m;
  return true;
}

static int compare_boot(const void *a, const void *b) {
  const struct boot *p = a, *q = b;
  if (p->epoch != q->epoch) return p->epoch < q->epoch ? -1 : 1;
  return p->source < q->source ? -1 : 1;
}

static bool same_name(const char *a, const char *b) { return !a || !b || strcmp(a, b) == 0; }

static bool one_boot(const struct tb_merger *m, const struct boot *a, const struct boot *b) {
  tb_wide apart = (tb_wide)b->epoch - a->epoch, between = (tb_wide)b->wall - a->wall;
  if (apart < 0) apart = -apart;
  if (between < 0) between = -between;
  return apart <= BOOT_NS + between * SLEW_PPM / 1000000 &&
         same_name(m->sources[a->source].machine_name, m->sources[b->source].machine_name);
}

/* Inputs whose wall clock agrees on when their machine was started were recorded on one machine: its clocks are theirs. */
static enum tb_status join_boots(struct tb_merger *m, uint32_t clock, uint32_t *group) {
  struct boot *boots = tb_alloc(m->allocator, m->source_count * sizeof(*boots));
  if (!boots) return TB_NO_MEMORY;
  size_t n = 0;
  for (size_t i = 0; i < m->source_count; i++)
    if (!m->sources[i].skipped && read_boot(m, &m->sources[i], clock, &boots[n])) n++;
  qsort(boots, n, sizeof(*boots), compare_boot);
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < n && status == TB_OK; i++) {
    if (i == 0 || !one_boot(m, &boots[i - 1], &boots[i])) ++*group;
    struct tb_source *s = &m->sources[boots[i].source];
    if (clock == TB_CLOCK_BOOTTIME) s->boot = *group;
    status = join(m, s, clock, *group, TB_PLACEMENT_SAME_BOOT, COST_SAME_BOOT);
  }
  tb_free(m->allocator, boots, m->source_count * sizeof(*boots));
  return status;
}

/* ---- the merged trace's clock ------------------------------------------------------------------------------------ */

/* The source whose clock is the merged trace's: the first that has one, where any has. */
static struct tb_source *reference(struct tb_merger *m) {
  for (int timeless = 0; timeless < 2; timeless++)
    for (size_t i = 0; i < m->source_count && m->reference == UINT32_MAX; i++)
      if (!m->sources[i].skipped && (timeless || tb_source_knows_time(&m->sources[i]))) m->reference = (uint32_t)i;
  return m->reference == UINT32_MAX || m->sources[m->reference].skipped ? NULL : &m->sources[m->reference];
}

static enum tb_status set_target(struct tb_merger *m) {
  struct tb_source *first = reference(m);
  if (!first) return tb_fail(&m->error, TB_INVALID, TB_NO_OFFSET, "there is no input left to merge");
  m->trace_clock = m->options.trace_clock ? (uint32_t)m->options.trace_clock : first->survey.clocks.primary;
  struct tb_graph_key key = {TB_GRAPH_SHARED, UINT32_MAX, 0};
  struct tb_graph_edge edge = {.source = TB_PLACEMENT_REFERENCE, .cost = COST_NONE};
  enum tb_status status = tb_sync_graph_node(&m->graph, key, &m->target);
  edge.b = m->target;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    if (s->has_offset) {
      struct tb_graph_edge given = {
          .source = TB_PLACEMENT_OFFSET, .cost = COST_GIVEN, .offset = s->offset, .b = m->target};
      status = own_node(m, s, s->survey.clocks.primary, &given.a);
      if (status == TB_OK) status = tb_sync_graph_edge(&m->graph, &given);
    } else if (s == first) {
      status = own_node(m, s, m->trace_clock, &edge.a);
      if (status == TB_OK) status = tb_sync_graph_edge(&m->graph, &edge);
    }
  }
  return status;
}

static enum tb_status add_alignments(struct tb_merger *m) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < m->alignment_count && status == TB_OK; i++) {
    const struct tb_alignment *a = &m->alignments[i];
    const struct tb_source *s = &m->sources[a->source], *other = &m->sources[a->other];
    struct tb_graph_edge edge = {
        .source = a->kind, .x0 = a->fit.x0, .offset = a->fit.offset, .drift = a->fit.drift, .detail = (uint32_t)i + 1};
    edge.cost = a->kind == TB_PLACEMENT_ALIGNED    ? COST_ALIGNED
                : a->kind == TB_PLACEMENT_MESSAGES ? COST_MESSAGES
                                                   : COST_CLOCK_SYNC;
    status = own_node(m, s, s->survey.clocks.primary, &edge.a);
    if (status == TB_OK) status = own_node(m, other, other->survey.clocks.primary, &edge.b);
    if (status == TB_OK) status = tb_sync_graph_edge(&m->graph, &edge);
  }
  return status;
}

static enum tb_status build(struct tb_merger *m) {
  enum tb_status status = TB_OK;
  uint32_t node, group = GROUP_BOOTS;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    status = own_node(m, s, s->survey.clocks.primary, &node);
    if (status == TB_OK) status = add_machines(m, s);
    if (status == TB_OK) status = add_snapshots(m, s);
    if (status == TB_OK) status = join_shared(m, s);
  }
  if (status == TB_OK) status = tb_merger_relate_by_manifest(m, COST_GIVEN);
  if (status == TB_OK) status = add_alignments(m);
  if (status == TB_OK) status = join_boots(m, TB_CLOCK_BOOTTIME, &group);
  if (status == TB_OK) status = join_boots(m, TB_CLOCK_MONOTONIC, &group);
  if (status == TB_OK) status = join_boots(m, TB_CLOCK_MONOTONIC_RAW, &group);
  return status == TB_OK ? set_target(m) : status;
}

/* ---- each input's place ------------------------------------------------------------------------------------------ */

static void describe(struct tb_merger *m, struct tb_source *s, const struct tb_graph_edge *weakest) {
  struct tb_merge_input_report *in = tb_source_report(m, s);
  in->placement = weakest ? weakest->source : TB_PLACEMENT_REFERENCE;
  in->why = tb_placement_text(in->placement);
  if (weakest && weakest->detail) {
    const struct tb_alignment *a = &m->alignments[weakest->detail - 1];
    in->has_residual = a->kind != TB_PLACEMENT_MESSAGES;
    in->residual_ns = a->fit.residual_ns;
    in->has_bound = a->fit.has_bound;
    in->bound_ns = a->fit.bound_ns;
    in->matches = a->fit.used;
    in->outliers = a->fit.outliers;
  }
  if (in->placement != TB_PLACEMENT_ASSUMED) return;
  in->why = tb_merge_report_print(m->report, "assumed: its %s clock is the same as the other inputs', at no offset",
                                  tb_clock_name(s->survey.clocks.primary));
}

bool tb_source_node(const struct tb_merger *m, const struct tb_source *s, uint32_t *node) {
  struct tb_graph_key key = {s->index, tb_source_host(s), s->survey.clocks.primary};
  return tb_sync_graph_find(&m->graph, key, node);
}

static enum tb_status place_one(struct tb_merger *m, struct tb_source *s) {
  uint32_t node, weakest;
  if (!tb_source_node(m, s, &node)) return TB_OK;
  enum tb_status status = tb_sync_graph_way(&m->graph, node, &s->there, &s->back, &weakest);
  if (status == TB_INVALID) return TB_OK;
  if (status != TB_OK) return tb_fail(&m->error, status, TB_NO_OFFSET, "cannot place %s", s->name);
  s->placed = true;
  describe(m, s, weakest == UINT32_MAX ? NULL : &m->graph.edges[weakest]);
  return TB_OK;
}

/* The first merged time of the inputs that are placed. */
static bool first_placed(const struct tb_merger *m, int64_t *first) {
  bool any = false;
  for (size_t i = 0; i < m->source_count; i++) {
    const struct tb_source *s = &m->sources[i];
    if (s->skipped || !s->placed || !s->survey.has_time) continue;
    int64_t t = tb_time_map_apply(&s->there, s->survey.first);
    if (!any || t < *first) *first = t;
    any = true;
  }
  return any;
}

static enum tb_status refuse_unplaced(struct tb_merger *m, const struct tb_source *s) {
  const char *clock = tb_clock_name(s->survey.clocks.primary);
  tb_error_set_file(&m->error, s->name);
  if (m->options.align_on && !tb_marks_named(&m->marks, s->index))
    return tb_fail(&m->error, TB_REFUSED, TB_NO_OFFSET,
                   "has no event '%.100s', and nothing else relates its clock (%s) to the others'; use --offset, "
                   "--manifest or --unplaced=start|drop",
                   m->options.align_on, clock);
  return tb_fail(&m->error, TB_REFUSED, TB_NO_OFFSET,
                 "nothing relates its clock (%s) to the others'; use --offset, --manifest, --align-on, "
                 "--align-messages or --unplaced=start|drop",
                 clock);
}

static enum tb_status put_unplaced(struct tb_merger *m, struct tb_source *s, int64_t start) {
  struct tb_merge_input_report *in = tb_source_report(m, s);
  switch (tb_source_knows_time(s) ? m->options.unplaced : TB_UNPLACED_START) { /* without a time any place is right */
    case TB_UNPLACED_DROP:
      s->skipped = in->skipped = m->partial = true;
      in->why = tb_merge_report_print(m->report, "nothing relates its clock (%s) to the others'",
                                      tb_clock_name(s->survey.clocks.primary));
      return TB_OK;
    case TB_UNPLACED_START: {
      int64_t offset = s->survey.has_time ? tb_time_subtract(start, s->survey.first) : 0;
      s->placed = true;
      in->placement = TB_PLACEMENT_START;
      in->why = tb_placement_text(TB_PLACEMENT_START);
      enum tb_status status = tb_time_map_add_line(&s->there, 0, offset, 0, false);
      return status == TB_OK ? tb_time_map_add_line(&s->back, 0, offset, 0, true) : status;
    }
    case TB_UNPLACED_ERROR:
      break;
  }
  return refuse_unplaced(m, s);
}

/* No merged time is negative: where one would be, all move. */
static void shift_all(struct tb_merger *m) {
  int64_t first = 0;
  if (!first_placed(m, &first) || first >= 0) return;
  m->shift = tb_time_subtract(0, first);
  m->report->shift_ns = m->shift;
  tb_merge_report_add_note(m->report, TB_MERGE_NOTE_ALL_MOVED, TB_MERGE_NO_INPUT,
                           "all times were moved by %" PRId64 " ns, so that none is negative", m->shift);
}

/* Payloads whose times, if they have any, stay: their kinds are not in the table. */
static void report_unknown_kinds(struct tb_merger *m, const struct tb_source *s) {
  if (s->fixed && s->moved_by == 0) return;
  for (unsigned kind = 1; kind < TB_PAYLOAD_KINDS; kind++)
    if (s->survey.unknown_kinds[kind])
      tb_merge_report_add_note(m->report, TB_MERGE_NOTE_TIMES_UNKNOWN, s->index,
                               "packets of kind %u were moved as they are: times inside them are not known", kind);
}

static void report_place(struct tb_merger *m, struct tb_source *s) {
  struct tb_merge_input_report *in = tb_source_report(m, s);
  const struct tb_prescan *v = &s->survey;
  in->clock = tb_merge_report_print(m->report, "%s", tb_clock_name(v->clocks.primary));
  in->has_time = v->has_time;
  if (!v->has_time) return;
  in->first_ns = tb_source_time(s, 0, v->first);
  in->last_ns = tb_source_time(s, 0, v->last);
  in->offset_ns = tb_time_subtract(in->first_ns, v->first);
  tb_wide own = (tb_wide)v->last - v->first, merged = (tb_wide)in->last_ns - in->first_ns;
  if (own > 0) in->drift_ppm = ((double)merged - (double)own) / (double)own * 1e6;
}

enum tb_status tb_merger_place(struct tb_merger *m) {
  enum tb_status status = build(m);
  if (status == TB_OK) status = tb_sync_graph_solve(&m->graph, m->target);
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++)
    if (!m->sources[i].skipped) status = place_one(m, &m->sources[i]);
  int64_t start = 0;
  (void)first_placed(m, &start);
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++)
    if (!m->sources[i].skipped && !m->sources[i].placed) status = put_unplaced(m, &m->sources[i], start);
  if (status != TB_OK) return tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  shift_all(m);
  m->report->trace_clock = tb_merge_report_print(m->report, "%s", tb_clock_name(m->trace_clock));
  for (size_t i = 0; i < m->source_count; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    s->fixed = tb_time_map_is_offset(&s->there, &s->moved_by);
    s->moved_by = tb_time_add(s->moved_by, m->shift);
    s->shift = m->shift;
    report_place(m, s);
    report_unknown_kinds(m, s);
  }
  return tb_merger_note_placement(m);
}
