/* SPDX-License-Identifier: Apache-2.0
 *
 * Placing inputs: builds the clock graph of what is known, and takes each input's way in it to the merged trace's
 * clock.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "merge/clocks/clock_names.h"
#include "merge/merger.h"
#include "tracebridge/event.h"
#include "tracebridge/info.h"

/* Groups of shared clocks: the wall clock, the assumption, and from 2 on the boots. */
enum { GROUP_REALTIME, GROUP_ASSUMED, GROUP_BOOTS };

uint32_t tb_source_host(const struct tb_source *s) {
  for (size_t i = 0; i < s->prescan.machine_count; i++)
    if (s->prescan.machines[i].id == 0) return 0;
  return s->prescan.machine_count ? s->prescan.machines[0].id : 0;
}

static const struct tb_prescanned_machine *machine_of(const struct tb_source *s, uint32_t id) {
  static const struct tb_prescanned_machine none = {0};
  for (size_t i = 0; i < s->prescan.machine_count; i++)
    if (s->prescan.machines[i].id == id) return &s->prescan.machines[i];
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

/* ---- clocks that inputs share ------------------------------------------------------------------------------------ */

static enum tb_status join(struct tb_merger *m, const struct tb_source *s, uint32_t clock, uint32_t group,
                           const struct tb_graph_edge *like) {
  struct tb_graph_key own = {s->index, tb_source_host(s), clock}, shared = {TB_GRAPH_SHARED, group, clock};
  struct tb_graph_edge edge = *like;
  if (!tb_sync_graph_find(&m->graph, own, &edge.a)) return TB_OK;
  enum tb_status status = tb_sync_graph_node(&m->graph, shared, &edge.b);
  return status == TB_OK ? tb_sync_graph_edge(&m->graph, &edge) : status;
}

/* Its trace clock is the one that the user says. */
static enum tb_status name_clock(struct tb_merger *m, const struct tb_source *s) {
  struct tb_graph_edge edge = {.source = TB_PLACEMENT_OFFSET, .rank = TB_RANK_GIVEN};
  if (!s->clock || s->clock == s->prescan.clocks.primary) return TB_OK;
  if (tb_source_reads(s, s->clock)) {
    tb_error_set_file(&m->error, s->name);
    return tb_fail(
        &m->error, TB_INVALID, TB_NO_OFFSET,
        "its times cannot be said to be of %s: it has clock snapshots that say how its clock (%s) relates to that",
        tb_clock_name(s->clock), tb_clock_name(s->prescan.clocks.primary));
  }
  enum tb_status status = own_node(m, s, s->prescan.clocks.primary, &edge.a);
  if (status == TB_OK) status = own_node(m, s, s->clock, &edge.b);
  return status == TB_OK ? tb_sync_graph_edge(&m->graph, &edge) : status;
}

/* Whether its times are wall-clock times themselves, so that nothing was measured between it and another wall clock: by
 * how much they differ no bound of readings says. */
static bool keeps_wall_clock(const struct tb_source *s) {
  return s->clock == TB_CLOCK_REALTIME || s->prescan.clocks.primary == TB_CLOCK_REALTIME;
}

static enum tb_status join_shared(struct tb_merger *m, const struct tb_source *s) {
  struct tb_time_bound_point point = {0, INT64_MAX};
  const struct tb_time_bound unknown = {.points = &point, .count = 1}, none = {0};
  const struct tb_graph_edge wall = {.source = TB_PLACEMENT_REALTIME,
                                     .rank = TB_RANK_REALTIME,
                                     .x0 = tb_source_wall_time(s),
                                     .bound = keeps_wall_clock(s) ? unknown : none};
  const struct tb_graph_edge assumed = {.source = TB_PLACEMENT_ASSUMED, .rank = TB_RANK_ASSUMED, .bound = unknown};
  enum tb_status status = join(m, s, TB_CLOCK_REALTIME, GROUP_REALTIME, &wall);
  for (uint32_t clock = TB_CLOCK_REALTIME_COARSE; clock < TB_CLOCK_TRACE_FILE && status == TB_OK; clock++)
    if (!s->clock || clock == s->clock || clock != s->prescan.clocks.primary)
      status = join(m, s, clock, GROUP_ASSUMED, &assumed);
  return status;
}

/* ---- the merged trace's clock ------------------------------------------------------------------------------------ */

/* Whether the clock graph knows the source by the clock that the merged trace is to have, where the user asks for one:
 * its snapshots read it, or the user says that its times are of it. */
static bool has_trace_clock(const struct tb_merger *m, const struct tb_source *s) {
  struct tb_graph_key key = {s->index, tb_source_host(s), (uint32_t)m->options.trace_clock};
  uint32_t node;
  return !m->options.trace_clock || tb_sync_graph_find(&m->graph, key, &node);
}

/* Whether the clock that is asked for is one of some input's, or offsets, or a manifest, say where all are on it. */
static bool knows_trace_clock(const struct tb_merger *m) {
  bool all_given = true, any_has = !m->options.trace_clock || m->manifest;
  for (size_t i = 0; i < m->source_count; i++) {
    const struct tb_source *s = &m->sources[i];
    if (s->skipped || !tb_source_knows_time(s)) continue;
    all_given &= s->has_offset;
    any_has |= has_trace_clock(m, s);
  }
  return any_has || all_given;
}

/* The source whose clock is the merged trace's: the first that has it, where any does, and that no offset places; else
 * the first that has a clock at all. */
static struct tb_source *reference(struct tb_merger *m) {
  for (int lacking = 0; lacking < 4; lacking++)
    for (size_t i = 0; i < m->source_count && m->reference == UINT32_MAX; i++) {
      const struct tb_source *s = &m->sources[i];
      bool may_have_offset = lacking > 0 || !m->options.trace_clock;
      if (s->skipped || (lacking < 3 && !tb_source_knows_time(s)) || (lacking < 2 && !has_trace_clock(m, s))) continue;
      if (may_have_offset || !s->has_offset) m->reference = (uint32_t)i;
    }
  return m->reference == UINT32_MAX || m->sources[m->reference].skipped ? NULL : &m->sources[m->reference];
}

static enum tb_status set_target(struct tb_merger *m) {
  struct tb_source *first = reference(m);
  if (!first) return tb_fail(&m->error, TB_INVALID, TB_NO_OFFSET, "there is no input left to merge");
  if (!knows_trace_clock(m))
    return tb_fail(&m->error, TB_REFUSED, TB_NO_OFFSET,
                   "no input has the clock %s, which tb_merge_options.trace_clock asks for; tb_merge_input.clock "
                   "FILE=%s says that the times of an input are of it",
                   tb_clock_name((uint32_t)m->options.trace_clock), tb_clock_name((uint32_t)m->options.trace_clock));
  m->trace_clock = m->options.trace_clock ? (uint32_t)m->options.trace_clock : first->prescan.clocks.primary;
  struct tb_graph_key key = {TB_GRAPH_SHARED, UINT32_MAX, 0};
  struct tb_graph_edge edge = {.source = TB_PLACEMENT_REFERENCE, .rank = TB_RANK_REFERENCE};
  enum tb_status status = tb_sync_graph_node(&m->graph, key, &m->target);
  edge.b = m->target;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    if (s->has_offset) {
      struct tb_graph_edge given = {
          .source = TB_PLACEMENT_OFFSET, .rank = TB_RANK_GIVEN, .offset = s->offset, .b = m->target};
      status = own_node(m, s, s->prescan.clocks.primary, &given.a);
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
    edge.bound = a->bound;
    edge.rank = a->kind == TB_PLACEMENT_ALIGNED    ? TB_RANK_ALIGNED
                : a->kind == TB_PLACEMENT_MESSAGES ? TB_RANK_MESSAGES
                                                   : TB_RANK_CLOCK_SYNC;
    status = own_node(m, s, s->prescan.clocks.primary, &edge.a);
    if (status == TB_OK) status = own_node(m, other, other->prescan.clocks.primary, &edge.b);
    if (status == TB_OK) status = tb_sync_graph_edge(&m->graph, &edge);
  }
  return status;
}

static enum tb_status build(struct tb_merger *m) {
  static const uint32_t since_boot[] = {TB_CLOCK_BOOTTIME, TB_CLOCK_MONOTONIC, TB_CLOCK_MONOTONIC_RAW};
  enum tb_status status = TB_OK;
  uint32_t group = GROUP_BOOTS;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    status = tb_merger_relate_input(m, s);
    if (status == TB_OK) status = tb_source_fit_clocks(m, s);
    if (status == TB_OK) status = tb_merger_relate_markers(m, s);
    if (status == TB_OK) status = name_clock(m, s);
    if (status == TB_OK) status = join_shared(m, s);
  }
  if (status == TB_OK) status = tb_merger_relate_by_manifest(m);
  if (status == TB_OK) status = add_alignments(m);
  for (size_t i = 0; i < sizeof(since_boot) / sizeof(since_boot[0]) && status == TB_OK; i++)
    status = tb_merger_join_boots(m, since_boot[i], &group);
  if (status == TB_OK) status = tb_merger_join_markers(m);
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
    in->matches = a->fit.used;
    in->outliers = a->fit.outliers;
  }
  if (in->placement == TB_PLACEMENT_SAME_BOOT && tb_source_boot_reason(m, s)) in->why = tb_source_boot_reason(m, s);
  if (in->placement != TB_PLACEMENT_ASSUMED) return;
  in->why = tb_merge_report_print(m->report, "assumed: its %s clock is the same as the other inputs', at no offset",
                                  tb_clock_name(s->clock ? s->clock : s->prescan.clocks.primary));
}

bool tb_source_node(const struct tb_merger *m, const struct tb_source *s, uint32_t *node) {
  struct tb_graph_key key = {s->index, tb_source_host(s), s->prescan.clocks.primary};
  return tb_sync_graph_find(&m->graph, key, node);
}

static enum tb_status place_one(struct tb_merger *m, struct tb_source *s) {
  uint32_t node, weakest;
  if (!tb_source_node(m, s, &node) || m->graph.nodes[node].root != m->target) return TB_OK;
  enum tb_status status = tb_sync_graph_way(&m->graph, node, &s->there, &s->back, &weakest);
  if (status != TB_OK) return tb_fail(&m->error, status, TB_NO_OFFSET, "cannot place %s", s->name);
  s->placed = true;
  describe(m, s, weakest == UINT32_MAX ? NULL : &m->graph.edges[weakest]);
  return tb_source_fit_clocks(m, s);
}

/* The first merged time of the inputs that are placed. */
static bool first_placed(const struct tb_merger *m, int64_t *first) {
  bool any = false;
  for (size_t i = 0; i < m->source_count; i++) {
    const struct tb_source *s = &m->sources[i];
    if (s->skipped || !s->placed || !s->prescan.has_time) continue;
    int64_t t = tb_time_map_apply(&s->there, s->prescan.first);
    if (!any || t < *first) *first = t;
    any = true;
  }
  return any;
}

/* ---- inputs that nothing places ---------------------------------------------------------------------------------- */

uint32_t tb_source_root(const struct tb_merger *m, const struct tb_source *s) {
  uint32_t node;
  return tb_source_node(m, s, &node) ? m->graph.nodes[node].root : UINT32_MAX;
}

static void drop_unplaced(struct tb_merger *m, struct tb_source *s) {
  struct tb_merge_input_report *in = tb_source_report(m, s);
  s->skipped = in->skipped = m->partial = true;
  in->why = tb_merge_report_print(m->report, "nothing relates its clock (%s) to the others'",
                                  tb_clock_name(s->prescan.clocks.primary));
}

/* The first time of a tree's inputs, on the clock of its root. */
static enum tb_status first_of_tree(struct tb_merger *m, uint32_t root, int64_t *first) {
  bool any = false;
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    const struct tb_source *s = &m->sources[i];
    uint32_t node, weakest;
    if (s->skipped || !s->prescan.has_time || tb_source_root(m, s) != root || !tb_source_node(m, s, &node)) continue;
    struct tb_time_map map;
    tb_time_map_init(&map, m->allocator);
    status = tb_sync_graph_way(&m->graph, node, &map, NULL, &weakest);
    int64_t time = tb_time_map_apply(&map, s->prescan.first);
    if (!any || time < *first) *first = time;
    any = true;
    tb_time_map_free(&map);
  }
  if (!any) *first = 0;
  return status;
}

/* Puts an input at the start, together with those that it is related to. */
static enum tb_status put_at_start(struct tb_merger *m, struct tb_source *s, int64_t start) {
  struct tb_merge_input_report *in = tb_source_report(m, s);
  uint32_t node, weakest, root = tb_source_root(m, s);
  int64_t first = 0, offset = 0;
  enum tb_status status = first_of_tree(m, root, &first);
  if (s->prescan.has_time) offset = tb_time_subtract(start, first);
  if (status == TB_OK) status = tb_time_map_add_line(&s->back, 0, offset, 0, true);
  if (status == TB_OK && tb_source_node(m, s, &node))
    status = tb_sync_graph_way(&m->graph, node, &s->there, &s->back, &weakest);
  if (status == TB_OK) status = tb_time_map_add_line(&s->there, 0, offset, 0, false);
  s->placed = true;
  in->placement = TB_PLACEMENT_START;
  in->why = tb_placement_text(TB_PLACEMENT_START);
  return status;
}

static enum tb_status put_unplaced(struct tb_merger *m, struct tb_source *s, int64_t start) {
  if (!tb_source_knows_time(s)) return put_at_start(m, s, start); /* any place is right */
  switch (m->options.unplaced) {
    case TB_UNPLACED_DROP:
      drop_unplaced(m, s);
      return TB_OK;
    case TB_UNPLACED_START:
      return put_at_start(m, s, start);
    case TB_UNPLACED_ERROR:
      break;
  }
  return tb_merger_refuse(m, s, start);
}

/* No merged time is negative: where one would be, all move. */
static void shift_all(struct tb_merger *m) {
  int64_t first = 0;
  if (!first_placed(m, &first) || first >= 0) return;
  m->shift = tb_time_subtract(0, first);
  m->report->summary.shift_ns = m->shift;
  tb_merge_report_add_note(m->report, TB_MERGE_NOTE_ALL_MOVED, TB_MERGE_NO_INPUT,
                           "all times were moved by %" PRId64 " ns, so that none is negative", m->shift);
}

/* Payloads whose times, if they have any, stay: their kinds are not in the table. */
static void report_unknown_kinds(struct tb_merger *m, const struct tb_source *s) {
  if (s->fixed && s->moved_by == 0) return;
  for (unsigned kind = 1; kind < TB_PAYLOAD_KINDS; kind++)
    if (s->prescan.unknown_kinds[kind])
      tb_merge_report_add_note(m->report, TB_MERGE_NOTE_TIMES_UNKNOWN, s->index,
                               "packets of kind %u were moved as they are: times inside them are not known", kind);
}

static int compare_bound(const void *a, const void *b) {
  const struct tb_merge_bound *p = a, *q = b;
  return p->time_ns < q->time_ns ? -1 : p->time_ns > q->time_ns;
}

/* The times at which a bound bends, and both sides of its jumps. */
static size_t add_bends(const struct tb_time_bound *bound, const struct tb_prescanned_extent *within,
                        struct tb_merge_bound *points) {
  size_t n = 0;
  for (size_t i = 0; i < bound->count; i++) {
    int64_t around = tb_time_bound_jumps_at(bound, i) ? 1 : 0, time = bound->points[i].time;
    for (int64_t by = -around; by <= around; by++) {
      int64_t at = tb_time_add(time, by);
      if (at >= within->first && at <= within->last) points[n++].time_ns = at;
    }
  }
  return n;
}

/* The sum of two bounds at the bends of both, in the order of time: at most TB_TIME_BOUND_BENDS for each of their
 * points. */
static size_t add_up(const struct tb_source *s, const struct tb_prescanned_extent *within,
                     const struct tb_time_bound *way, const struct tb_time_bound *more, struct tb_merge_bound *points) {
  size_t n = add_bends(way, within, points), kept = 0;
  n += add_bends(more, within, points + n);
  qsort(points, n, sizeof(*points), compare_bound);
  for (size_t i = 0; i < n; i++) {
    int64_t time = points[i].time_ns, bound = tb_time_bound_at(way, time);
    if (i + 1 < n && points[i + 1].time_ns == time) continue;
    bound = tb_time_add(bound, tb_time_bound_at(more, time));
    points[kept++] = (struct tb_merge_bound){tb_source_time(s, tb_source_host(s), time), bound};
  }
  return kept;
}

struct tb_prescanned_extent tb_source_extent(const struct tb_source *s) {
  const struct tb_ftrace_markers *text = &s->prescan.markers;
  struct tb_prescanned_extent extent = {s->prescan.has_time, s->prescan.first, s->prescan.last};
  if (s->format != TB_FORMAT_FTRACE || !text->has_lines) return extent;
  if (!extent.any || text->first < extent.first) extent.first = text->first;
  if (!extent.any || text->last > extent.last) extent.last = text->last;
  extent.any = true;
  return extent;
}

/* The bound over the input's time, on the merged trace's clock. Nothing is said where nothing is known. */
static enum tb_status report_bound(struct tb_merger *m, struct tb_source *s) {
  struct tb_merge_input_report *in = tb_source_report(m, s);
  const struct tb_prescanned_extent within = tb_source_extent(s);
  uint32_t node;
  if (!within.any || in->placement == TB_PLACEMENT_START || !tb_source_node(m, s, &node)) return TB_OK;
  if (tb_prescan_loses_differences(&s->prescan)) return TB_OK; /* any of its times may be behind the damage */
  struct tb_time_bound way, more = {0};
  int64_t evidence_ns;
  enum tb_status status = tb_sync_graph_bound(&m->graph, node, within.first, within.last, &way, &evidence_ns);
  if (status == TB_OK) status = tb_source_clocks_bound(m, s, &more);
  if (status == TB_OK && way.count && evidence_ns != INT64_MAX) {
    struct tb_merge_bound *points =
        tb_arena_alloc(&m->report->arena, TB_TIME_BOUND_BENDS * (way.count + more.count) * sizeof(*points));
    if (!points) status = TB_NO_MEMORY;
    if (points) in->bound_count = add_up(s, &within, &way, &more, points);
    in->bounds = points;
    in->has_bound = points != NULL;
    in->bound_ns = evidence_ns;
  }
  tb_time_bound_free(&more, m->allocator);
  tb_time_bound_free(&way, m->allocator);
  return status;
}

static void report_place(struct tb_merger *m, struct tb_source *s) {
  struct tb_merge_input_report *in = tb_source_report(m, s);
  const struct tb_prescanned_extent own = tb_source_extent(s);
  in->has_time = own.any;
  if (!own.any) return;
  in->first_ns = tb_source_time(s, 0, own.first);
  in->last_ns = tb_source_time(s, 0, own.last);
  in->offset_ns = tb_time_subtract(in->first_ns, own.first);
  tb_wide lasted = (tb_wide)own.last - own.first, merged = (tb_wide)in->last_ns - in->first_ns;
  if (lasted > 0) in->drift_ppm = ((double)merged - (double)lasted) / (double)lasted * 1e6;
}

/* By how much what the user says may contradict itself: what rounding makes of it. */
enum { GIVEN_APART_NS = 1000 };

/* What the user says of the clocks may say two things of one. */
static enum tb_status check_given(struct tb_merger *m) {
  struct tb_graph_conflict given;
  enum tb_status status = tb_sync_graph_compare(&m->graph, TB_RANK_GIVEN, &given);
  if (status != TB_OK || given.apart_ns <= GIVEN_APART_NS) return status;
  const struct tb_graph_edge *edge = &m->graph.edges[given.edge];
  uint32_t a = m->graph.nodes[edge->a].key.input, b = m->graph.nodes[edge->b].key.input;
  tb_error_set_file(&m->error, m->sources[a].name);
  return tb_fail(&m->error, TB_INVALID, TB_NO_OFFSET,
                 "the offsets that tb_merge_input.offset_ns and the manifest give contradict each other: it is %" PRId64
                 " ns from where they put it by way of %.150s",
                 given.apart_ns, b == TB_GRAPH_SHARED ? "the merged trace's clock" : m->sources[b].name);
}

enum tb_status tb_merger_place(struct tb_merger *m) {
  struct tb_graph_conflict walls;
  enum tb_status status = build(m);
  if (status == TB_OK) status = tb_sync_graph_solve(&m->graph, m->target);
  if (status == TB_OK) status = check_given(m);
  if (status == TB_OK) status = tb_sync_graph_compare(&m->graph, TB_RANK_REALTIME, &walls);
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++)
    if (!m->sources[i].skipped) status = place_one(m, &m->sources[i]);
  int64_t start = 0;
  (void)first_placed(m, &start);
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++)
    if (!m->sources[i].skipped && !m->sources[i].placed) status = put_unplaced(m, &m->sources[i], start);
  if (status != TB_OK) return tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  shift_all(m);
  m->report->summary.trace_clock = tb_merge_report_print(m->report, "%s", tb_clock_name(m->trace_clock));
  for (size_t i = 0; i < m->source_count; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    s->fixed = tb_time_map_is_offset(&s->there, &s->moved_by);
    s->moved_by = tb_time_add(s->moved_by, m->shift);
    s->shift = m->shift;
    report_place(m, s);
    report_unknown_kinds(m, s);
    tb_merger_note_readings(m, s);
    tb_merger_note_boot(m, s);
    if (status == TB_OK) status = report_bound(m, s);
  }
  if (status == TB_OK) status = tb_merger_note_placement(m);
  if (status == TB_OK) status = tb_merger_report_evidence(m);
  return status == TB_OK ? TB_OK : tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}
