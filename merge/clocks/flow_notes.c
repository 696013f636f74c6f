/* SPDX-License-Identifier: Apache-2.0
 *
 * Flows between machines of the merged trace, which readers do not join.
 */
#include <inttypes.h>

#include "merge/merger.h"

/* The flow ends of one kind, in the order of their ids. */
struct flow_row {
  const struct tb_mark *at, *end;
};

static struct flow_row row_of(const struct tb_marks *marks, enum tb_mark_kind kind) {
  if (marks->count == 0) return (struct flow_row){NULL, NULL}; /* then there are no items to point into */
  const struct tb_mark *at = marks->items, *last = at + marks->count;
  while (at < last && at->kind != kind) at++;
  struct flow_row row = {at, at};
  while (row.end < last && row.end->kind == kind) row.end++;
  return row;
}

/* Passes over the ends of flow `id`; *machine is that of the ends before, UINT64_MAX for none. False where theirs is
 * another. */
static bool pass_flow(const struct tb_merger *m, struct flow_row *row, uint64_t id, uint64_t *machine) {
  bool same = true;
  for (; row->at < row->end && row->at->id == id; row->at++) {
    const struct tb_source *s = &m->sources[row->at->source];
    if (s->skipped) continue;
    uint64_t of = tb_source_machine_out(s, tb_source_host(s));
    same &= *machine == UINT64_MAX || *machine == of;
    *machine = of;
  }
  return same;
}

static uint64_t count_crossing(const struct tb_merger *m) {
  struct flow_row sent = row_of(&m->marks, TB_MARK_SENT), received = row_of(&m->marks, TB_MARK_RECEIVED);
  uint64_t crossing = 0;
  while (sent.at < sent.end || received.at < received.end) {
    bool first = received.at == received.end || (sent.at < sent.end && sent.at->id <= received.at->id);
    uint64_t id = first ? sent.at->id : received.at->id, machine = UINT64_MAX;
    bool same = pass_flow(m, &sent, id, &machine);
    same &= pass_flow(m, &received, id, &machine);
    crossing += !same;
  }
  return crossing;
}

static bool has_several_machines(const struct tb_merger *m) {
  uint64_t machine = UINT64_MAX;
  for (size_t i = 0; i < m->source_count; i++) {
    const struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    uint64_t of = tb_source_machine_out(s, tb_source_host(s));
    if (machine != UINT64_MAX && of != machine) return true;
    machine = of;
  }
  return false;
}

enum tb_status tb_merger_note_flows(struct tb_merger *m) {
  if (!m->options.share_flows || !has_several_machines(m)) return TB_OK;
  enum tb_status status = m->options.align_messages ? TB_OK : tb_merger_read_flows(m);
  uint64_t crossing = status == TB_OK ? count_crossing(m) : 0;
  if (crossing)
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_FLOWS_NOT_JOINED, TB_MERGE_NO_INPUT,
                             "%" PRIu64
                             " flow%s from one machine to another: Perfetto's trace processor draws arrows "
                             "within one machine only; tb_merge_options.flatten_machines makes one of all",
                             crossing, crossing == 1 ? " goes" : "s go");
  return status;
}
