/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes on what an input's snapshots show: steps of the wall clock, suspends, late readings.
 */
#include <inttypes.h>

#include "merge/merger.h"
#include "tracebridge/event.h"
#include "tracebridge/info.h"

static int64_t size_of(int64_t ns) { return ns < 0 ? tb_time_subtract(0, ns) : ns; }

static bool is_on_way(const struct tb_merger *m, const struct tb_source *s, uint32_t edge) {
  uint32_t node;
  if (!tb_source_node(m, s, &node)) return false;
  for (; node != UINT32_MAX; node = tb_sync_graph_next(&m->graph, node))
    if (m->graph.nodes[node].next_edge == edge) return true;
  return false;
}

/* Whether the relation is on the way of an input to the merged trace's clock. */
static bool is_used(const struct tb_merger *m, uint32_t edge) {
  for (size_t i = 0; i < m->source_count; i++)
    if (!m->sources[i].skipped && is_on_way(m, &m->sources[i], edge)) return true;
  return false;
}

bool tb_merger_counts_relation(const struct tb_merger *m, const struct tb_clock_relation *r) {
  return (r->kind == TB_READING_SAME_RATE && r->fit.segment_count > 1) || is_used(m, r->edge);
}

int64_t tb_source_reading_time(const struct tb_merger *m, const struct tb_source *s, uint32_t clock, int64_t value) {
  struct tb_input_clocks *clocks = &m->sources[s->index].prescan.clocks;
  int64_t time = value;
  (void)tb_input_clocks_convert(clocks, tb_source_host(s), clock, value, &time);
  return tb_source_time(s, tb_source_host(s), time);
}

/* When a step was: where the clock placed its input, by what it read before it was ever set. */
static int64_t step_time(const struct tb_merger *m, const struct tb_source *s, const struct tb_clock_relation *r,
                         int64_t from, int64_t to) {
  int64_t middle = from + (int64_t)(((uint64_t)to - (uint64_t)from) / 2);
  if (r->kind == TB_READING_SAME_RATE || !is_on_way(m, s, r->edge)) return middle;
  return tb_time_add(middle, tb_time_subtract(r->fit.segments[0].offset, r->fit.segments[r->fit.main].offset));
}

static void note_step(struct tb_merger *m, const struct tb_source *s, const struct tb_clock_relation *r,
                      size_t segment) {
  const struct tb_reading_segment *before = &r->fit.segments[segment - 1], *behind = &r->fit.segments[segment];
  int64_t size = tb_reading_fit_step(&r->fit, segment);
  int64_t from = tb_source_reading_time(m, s, r->a, before->last),
          to = tb_source_reading_time(m, s, r->a, behind->first);
  double from_s = (double)from / 1e9, to_s = (double)to / 1e9;
  struct tb_merge_note note = {
      .input = s->index, .has_time = true, .time_ns = step_time(m, s, r, from, to), .size_ns = size};
  if (r->kind == TB_READING_SAME_RATE) {
    note.code = TB_MERGE_NOTE_SUSPEND;
    tb_merge_report_add_timed_note(m->report, &note,
                                   "its machine slept for %.6f s between %.3f and %.3f s of the merged trace",
                                   (double)size_of(size) / 1e9, from_s, to_s);
    return;
  }
  note.code = TB_MERGE_NOTE_CLOCK_STEP;
  tb_merge_report_add_timed_note(m->report, &note,
                                 "its %s clock was set by %+.6f s between %.3f and %.3f s of the merged trace; no "
                                 "duration changes, and all its times "
                                 "are by what it read %s",
                                 tb_clock_id_name(r->b), (double)size / 1e9, from_s, to_s,
                                 r->fit.main >= segment ? "after that" : "before that");
}

static void note_late(struct tb_merger *m, const struct tb_source *s, const struct tb_clock_relation *r) {
  const struct tb_reading_fit *fit = &r->fit;
  if (!fit->thrown_out) return;
  int64_t at = tb_source_reading_time(m, s, r->a, fit->farthest_at);
  struct tb_merge_note note = {.code = TB_MERGE_NOTE_READINGS_THROWN_OUT,
                               .input = s->index,
                               .has_time = true,
                               .time_ns = at,
                               .size_ns = fit->farthest_ns};
  tb_merge_report_add_timed_note(m->report, &note,
                                 "%zu of %zu readings of its %s and %s clocks are late and do not count, the latest by "
                                 "%" PRId64 " ns at %.3f s of the merged trace",
                                 fit->thrown_out, fit->thrown_out + fit->used, tb_clock_id_name(r->a),
                                 tb_clock_id_name(r->b), fit->farthest_ns, (double)at / 1e9);
}

void tb_merger_note_readings(struct tb_merger *m, const struct tb_source *s) {
  for (size_t i = 0; i < s->relations.count; i++) {
    const struct tb_clock_relation *r = &s->relations.items[i];
    if (!r->fit.segment_count) continue;
    bool used = is_used(m, r->edge);
    for (size_t k = 1; k < r->fit.segment_count && (used || r->kind == TB_READING_SAME_RATE); k++)
      note_step(m, s, r, k);
    if (used || tb_source_reads_by(s, r)) note_late(m, s, r);
  }
}
