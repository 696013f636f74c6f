/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes and warnings on how inputs were placed: what was assumed, thrown out or not followed, and what did not place
 * them.
 */
#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "merge/merger.h"

enum { BACKWARDS_NOTED = 8 }; /* of a whole merge, one by one */

/* The kinds of edges that placed a source, as bits; notes which alignments are among them. */
static uint32_t find_kinds(struct tb_merger *m, const struct tb_source *s) {
  uint32_t node, kinds = 0;
  if (!tb_source_node(m, s, &node)) return 0;
  for (uint32_t e; (e = m->graph.nodes[node].next_edge) != UINT32_MAX; node = tb_sync_graph_next(&m->graph, node)) {
    const struct tb_graph_edge *edge = &m->graph.edges[e];
    kinds |= UINT32_C(1) << edge->source;
    if (edge->detail) m->alignments[edge->detail - 1].used = true;
  }
  return kinds;
}

/* Whether an input was placed without what the user asked to place inputs by. The one whose clock is the merged trace's
 * is not placed by another, though its snapshots may relate the clock that was asked for to its own. */
static bool is_overruled(struct tb_merger *m, const struct tb_source *s, uint32_t kinds, enum tb_placement asked) {
  enum tb_placement placement = tb_source_report(m, s)->placement;
  return !(kinds & UINT32_C(1) << asked) && s->index != m->reference && placement != TB_PLACEMENT_REFERENCE &&
         placement != TB_PLACEMENT_OFFSET && placement != TB_PLACEMENT_MANIFEST;
}

static void note_source(struct tb_merger *m, const struct tb_source *s, size_t inputs) {
  const struct tb_merge_input_report *in = tb_source_report(m, s);
  const char *name = m->options.align_on;
  uint32_t kinds = find_kinds(m, s);
  if (!tb_source_knows_time(s)) return; /* any place is right */
  if (in->placement == TB_PLACEMENT_ASSUMED)
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_CLOCK_ASSUMED, s->index,
                             "nothing says how its clock relates to the others'; %s", in->why);
  if (in->placement == TB_PLACEMENT_START)
    tb_merge_report_add_note(
        m->report, TB_MERGE_NOTE_PUT_AT_START, s->index,
        "nothing says how its clock relates to the others'; its first event is put at their first");
  if (name && inputs < 2)
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_ALIGNMENT_UNUSED, s->index,
                             "there is no other input to align on '%s' with", name);
  else if (name && !tb_marks_named(&m->marks, s->index))
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_EVENT_MISSING, s->index,
                             "has no event '%s' to align on; placed by: %s", name, in->why);
  else if (name && is_overruled(m, s, kinds, TB_PLACEMENT_ALIGNED))
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_ALIGNMENT_UNUSED, s->index,
                             "its events '%s' did not place it; placed by: %s", name, in->why);
  else if (!name && inputs > 1 && m->options.align_messages && is_overruled(m, s, kinds, TB_PLACEMENT_MESSAGES))
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_ALIGNMENT_UNUSED, s->index, "no message placed it; placed by: %s",
                             in->why);
}

/* What its matches with another input say of drift, and why that is not followed. */
static const char *drift_text(struct tb_merger *m, const struct tb_line_fit *line) {
  double ppm = line->drift * 1e6, error = line->drift_error * 1e6;
  unsigned max = m->options.max_drift_ppm;
  if (!isfinite(error)) return "nothing of drift";
  if (fabs(ppm) <= max)
    return tb_merge_report_print(m->report, "%+.1f ppm of drift, uncertain by %.0f ppm", ppm, error);
  if (error <= max / 4.0) return tb_merge_report_print(m->report, "%+.1f ppm of drift, more than %u ppm", ppm, max);
  return tb_merge_report_print(m->report, "%+.1f ppm of drift, more than %u ppm and uncertain by %.0f ppm", ppm, max,
                               error);
}

static void note_drift(struct tb_merger *m, const struct tb_alignment *a) {
  tb_merge_report_add_note(m->report, TB_MERGE_NOTE_DRIFT_NOT_FOLLOWED, a->source,
                           "placed by the offset alone, residual %.0f ns: %" PRIu64
                           " match%s with %s over %.3f s give%s %s (tb_merge_options.max_drift_ppm follows more, "
                           "tb_merge_input.offset_ns places it by hand)",
                           a->level.residual_ns, a->line.used, a->line.used == 1 ? "" : "es", m->sources[a->other].name,
                           (double)a->line.span_ns / 1e9, a->line.used == 1 ? "s" : "", drift_text(m, &a->line));
}

static enum tb_status refuse_drift(struct tb_merger *m, const struct tb_alignment *a) {
  double ppm = a->line.drift * 1e6;
  tb_error_set_file(&m->error, m->sources[a->source].name);
  return tb_fail(
      &m->error, TB_REFUSED, TB_NO_OFFSET,
      "%" PRIu64
      " matches with %.200s drift by %+.1f ppm beyond doubt, more than %u: tb_merge_options.max_drift_ppm %.0f follows "
      "them, tb_merge_input.offset_ns places it by hand",
      a->line.used, m->sources[a->other].name, ppm, m->options.max_drift_ppm, ceil(fabs(ppm)));
}

/* Other events of the same name may be those that belong together. */
static void note_ambiguous(struct tb_merger *m, const struct tb_alignment *a) {
  const char *other = m->sources[a->other].name, *name = m->options.align_on;
  if (a->is_ambiguous && a->line.used < 2)
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_MATCHES_ASSUMED, a->source,
                             "has %" PRIu64 " events '%s' and %s has %" PRIu64
                             ": one of each was matched, at an offset of %" PRId64
                             " ns, which nothing confirms (tb_merge_input.offset_ns places it by hand)",
                             a->event_count, name, other, a->other_events, a->first_offset);
  else if (a->is_ambiguous)
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_ALIGNMENT_AMBIGUOUS, a->source,
                             "%" PRIu64 " of its events '%s' match %s at an offset of %" PRId64 " ns, but %" PRIu64
                             " match as well at an offset of %" PRId64
                             " ns%s: nothing says which is right (tb_merge_input.offset_ns places it by hand)",
                             a->line.used, name, other, a->first_offset, a->second_matches, a->second_offset,
                             a->is_incomplete ? ", and not all others were tried" : "");
  else if (a->is_contradicted)
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_ALIGNMENT_AMBIGUOUS, a->source,
                             "%" PRIu64 " of its events '%s' match %s at an offset of %" PRId64
                             " ns, but by the wall clocks it is %" PRId64
                             " ns: so few do not say which is right (tb_merge_input.offset_ns places it by hand)",
                             a->line.used, name, other, a->first_offset, a->second_offset);
  else if (a->is_incomplete)
    tb_merge_report_add_note(
        m->report, TB_MERGE_NOTE_ALIGNMENT_AMBIGUOUS, a->source,
        "%" PRIu64 " of its events '%s' match %s at an offset of %" PRId64
        " ns, but not all offsets that may be as good were tried (tb_merge_input.offset_ns places it by hand)",
        a->line.used, name, other, a->first_offset);
}

void tb_merger_note_syncs(struct tb_merger *m, const struct tb_alignment *a) {
  tb_merge_report_add_note(m->report, TB_MERGE_NOTE_MATCHES_THROWN_OUT, a->source,
                           "%" PRIu64 " of %" PRIu64
                           " clock_sync events with %s were thrown out: they were answered before they were asked for",
                           a->backwards, a->fit.outliers + a->fit.used + a->backwards, m->sources[a->other].name);
}

static void note_matches(struct tb_merger *m, const struct tb_alignment *a) {
  const char *other = m->sources[a->other].name;
  bool by_name = a->kind == TB_PLACEMENT_ALIGNED;
  if (by_name) note_ambiguous(m, a);
  if (a->events_alone || a->other_alone)
    tb_merge_report_add_note(
        m->report, TB_MERGE_NOTE_EVENTS_UNMATCHED, a->source,
        "%" PRIu64 " of its %" PRIu64 " events '%s' and %" PRIu64 " of the %" PRIu64 " in %s have no counterpart",
        a->events_alone, a->event_count, m->options.align_on, a->other_alone, a->other_events, other);
  if (a->backwards) tb_merger_note_syncs(m, a);
  if (a->fit.outliers)
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_MATCHES_THROWN_OUT, a->source,
                             "%" PRIu64 " of %" PRIu64 " %s with %s were thrown out: %s", a->fit.outliers,
                             a->fit.outliers + a->fit.used, by_name ? "matches" : "clock_sync events", other,
                             by_name ? "they are further off than five times the usual noise"
                                     : "they contradict the others, whatever the drift");
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

bool tb_merger_joins_inputs(const struct tb_merger *m, const struct tb_network_message *message) {
  return !m->sources[message->from].skipped && !m->sources[message->to].skipped;
}

int64_t tb_merger_backwards_by(const struct tb_merger *m, const struct tb_network_message *message) {
  tb_wide takes = (tb_wide)tb_time_map_apply(&m->sources[message->to].there, message->received) -
                  tb_time_map_apply(&m->sources[message->from].there, message->sent);
  return tb_time_clamp(-takes);
}

/* Messages to one input. */
struct arrivals {
  uint64_t count, backwards;
  int64_t most;
};

static void note_message(struct tb_merger *m, const struct tb_network_message *message, int64_t by) {
  tb_merge_report_add_note(m->report, TB_MERGE_NOTE_MESSAGE_BACKWARDS, message->to,
                           "flow %" PRIu64 " arrives %" PRId64 " ns before it was sent, from %s", message->id, by,
                           m->sources[message->from].name);
}

/* Checks all messages on the merged clock, whatever placed the inputs. */
static enum tb_status note_backwards(struct tb_merger *m) {
  struct arrivals *to = tb_calloc(m->allocator, m->source_count * sizeof(*to));
  size_t noted = 0;
  if (!to) return TB_NO_MEMORY;
  for (size_t i = 0; i < m->messages.count; i++) {
    const struct tb_network_message *message = &m->messages.items[i];
    struct arrivals *arrivals = &to[message->to];
    if (!tb_merger_joins_inputs(m, message)) continue;
    int64_t by = tb_merger_backwards_by(m, message);
    arrivals->count++;
    if (by <= TB_MERGE_ROUNDING_NS) continue;
    arrivals->backwards++;
    if (by > arrivals->most) arrivals->most = by;
    if (noted++ < BACKWARDS_NOTED) note_message(m, message, by);
  }
  for (uint32_t i = 0; i < m->source_count; i++) {
    if (!to[i].backwards) continue;
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_MESSAGES_BACKWARDS, i,
                             "%" PRIu64 " of the %" PRIu64
                             " messages to it arrive before they were sent, by up to %" PRId64 " ns",
                             to[i].backwards, to[i].count, to[i].most);
  }
  tb_free(m->allocator, to, m->source_count * sizeof(*to));
  return TB_OK;
}

static void note_one_way(struct tb_merger *m, const struct tb_alignment *a) {
  tb_merge_report_add_note(
      m->report, TB_MERGE_NOTE_MESSAGES_ONE_WAY, a->source,
      "messages between it and %s, or others on the way, go one way only: the fastest are taken to "
      "take no time, and the bound assumes that they take no longer than the slowest seem to",
      m->sources[a->other].name);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static enum tb_status note_alignment(struct tb_merger *m, const struct tb_alignment *a) {
  if (!a->used) return TB_OK;
  if (a->kind == TB_PLACEMENT_MESSAGES) {
    if (a->one_way) note_one_way(m, a);
    return TB_OK;
  }
  note_matches(m, a);
  if (a->kind == TB_PLACEMENT_CLOCK_SYNC) return TB_OK;
  if (a->drift == TB_DRIFT_CERTAIN)
    return refuse_drift(m, a);
  else if (a->drift == TB_DRIFT_LEFT)
    note_drift(m, a);
  return TB_OK;
}

enum tb_status tb_merger_note_placement(struct tb_merger *m) {
  enum tb_status status = TB_OK;
  size_t inputs = 0;
  for (size_t i = 0; i < m->source_count; i++) inputs += !m->sources[i].skipped;
  for (size_t i = 0; i < m->source_count; i++)
    if (!m->sources[i].skipped) note_source(m, &m->sources[i], inputs);
  for (size_t i = 0; i < m->alignment_count && status == TB_OK; i++) status = note_alignment(m, &m->alignments[i]);
  return status == TB_OK ? note_backwards(m) : status;
}
