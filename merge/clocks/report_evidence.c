/* SPDX-License-Identifier: Apache-2.0
 *
 * What places the inputs, into the report: residuals of readings and matches, and the messages.
 */
#include "merge/clocks/clock_names.h"
#include "merge/merger.h"

static size_t points_of_fit(const struct tb_merger *m) {
  size_t most = TB_EVIDENCE_POINTS_ALL / (m->source_count + 1);
  if (most > TB_EVIDENCE_POINTS_MAX) return TB_EVIDENCE_POINTS_MAX;
  return most < TB_EVIDENCE_POINTS_LEAST ? TB_EVIDENCE_POINTS_LEAST : most;
}

/* Residuals whose times are on clock `clock` of the source. */
static enum tb_status report_residuals(struct tb_merger *m, const struct tb_source *s, uint32_t clock,
                                       const struct tb_residuals *residuals, const char *kind, const char *of) {
  struct tb_evidence evidence = {.input = s->index, .kind = kind, .of = of};
  if (!residuals->count) return TB_OK;
  for (size_t i = 0; i < residuals->count; i++) evidence.outliers += residuals->items[i].is_outlier;
  evidence.used = residuals->count - evidence.outliers;
  struct tb_evidence_choice choice = tb_evidence_choose(evidence.used, evidence.outliers, points_of_fit(m));
  evidence.points = tb_arena_alloc(&m->report->arena, tb_evidence_chosen(&choice) * sizeof(*evidence.points));
  if (!evidence.points) return TB_NO_MEMORY;
  for (size_t i = 0; i < residuals->count; i++) {
    const struct tb_residual *r = &residuals->items[i];
    if (!tb_evidence_chooses(&choice, r->is_outlier)) continue;
    evidence.points[evidence.count++] =
        (struct tb_evidence_point){.time_ns = tb_source_reading_time(m, s, clock, r->time),
                                   .residual_ns = r->off_ns,
                                   .within_ns = r->within_ns,
                                   .is_outlier = r->is_outlier};
  }
  return tb_merge_report_add_evidence(m->report, &evidence);
}

/* Of clocks that place an input, or that show that its machine slept. */
static enum tb_status report_readings(struct tb_merger *m, const struct tb_source *s) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < s->relations.count && status == TB_OK; i++) {
    const struct tb_clock_relation *r = &s->relations.items[i];
    if (!r->fit.segment_count || !tb_merger_counts_relation(m, r)) continue;
    const char *of = tb_merge_report_print(m->report, "%s against %s", tb_clock_name(r->b), tb_clock_name(r->a));
    status = report_residuals(m, s, r->a, &r->fit.residuals, "readings", of);
  }
  return status;
}

static enum tb_status report_alignments(struct tb_merger *m, const struct tb_source *s) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < m->alignment_count && status == TB_OK; i++) {
    const struct tb_alignment *a = &m->alignments[i];
    if (a->source != s->index || !a->used) continue;
    const char *kind = a->kind == TB_PLACEMENT_ALIGNED ? "matches" : "clock_sync";
    status = report_residuals(m, s, s->prescan.clocks.primary, &a->residuals, kind, m->sources[a->other].name);
  }
  return status;
}

static enum tb_status report_messages(struct tb_merger *m) {
  struct tb_merge_report *report = m->report;
  uint64_t backwards = 0, count = 0;
  for (size_t i = 0; i < m->messages.count; i++) {
    if (!tb_merger_joins_inputs(m, &m->messages.items[i])) continue;
    count++;
    backwards += tb_merger_backwards_by(m, &m->messages.items[i]) > TB_MERGE_ROUNDING_NS;
  }
  struct tb_evidence_choice choice = tb_evidence_choose(count - backwards, backwards, TB_EVIDENCE_MESSAGES_MAX);
  report->messages_sent = count;
  report->messages_backwards = backwards;
  if (!count) return TB_OK;
  report->messages = tb_arena_alloc(&report->arena, tb_evidence_chosen(&choice) * sizeof(*report->messages));
  if (!report->messages) return TB_NO_MEMORY;
  for (size_t i = 0; i < m->messages.count; i++) {
    const struct tb_network_message *message = &m->messages.items[i];
    bool is_backwards = tb_merger_backwards_by(m, message) > TB_MERGE_ROUNDING_NS;
    const struct tb_source *from = &m->sources[message->from], *to = &m->sources[message->to];
    if (!tb_merger_joins_inputs(m, message) || !tb_evidence_chooses(&choice, is_backwards)) continue;
    report->messages[report->message_count++] =
        (struct tb_evidence_message){.from = message->from,
                                     .to = message->to,
                                     .id = message->id,
                                     .sent_ns = tb_source_time(from, tb_source_host(from), message->sent),
                                     .received_ns = tb_source_time(to, tb_source_host(to), message->received),
                                     .is_backwards = is_backwards};
  }
  return TB_OK;
}

enum tb_status tb_merger_report_evidence(struct tb_merger *m) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    const struct tb_source *s = &m->sources[i];
    if (!s->skipped) status = report_readings(m, s);
    if (!s->skipped && status == TB_OK) status = report_alignments(m, s);
  }
  return status == TB_OK ? report_messages(m) : status;
}
