/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer's events while they are held: as packets where they come straight, as entries that need no sorting
 * where slices come when they end, else on strands, which spill when memory is short.
 */
#include "base/error.h"
#include "perfetto/writer_state.h"
#include "timeline/slice_stack.h"

enum { CHECK_EVENTS = 1024, STRAIGHT_SHARE = 3 /* of the budget: taking packets back needs as much again and more */ };

/* ---- adding ----------------------------------------------------------------------------------------------------------------------------- */

static enum tb_status take_flow(struct tb_perfetto_writer *p, struct tb_sequence *sequence,
                                const struct tb_stack_frame_ref *top, const struct tb_entry *entry, uint64_t place) {
  sequence->binder.flows = &p->flows;
  return tb_flows_take(&sequence->binder, top, entry, place, top && top->place == place);
}

static bool concerns_flows(const struct tb_sequence *sequence, const struct tb_entry *entry) {
  return entry->flow || sequence->binder.waiting_count;
}

static enum tb_status add_straight(struct tb_perfetto_writer *p, struct tb_sequence *sequence, struct tb_entry *entry) {
  struct tb_straight *straight = &sequence->straight;
  enum tb_status status = tb_straight_put(straight, entry, sequence->thread_times_in_us, p->instant);
  if (status != TB_OK || !concerns_flows(sequence, entry)) return status;
  struct tb_stack_frame_ref top;
  bool has_top = tb_straight_top(straight, &top);
  status = tb_straight_mark_top(straight);
  return status == TB_OK ? take_flow(p, sequence, has_top ? &top : NULL, entry, straight->total - 1) : status;
}

static enum tb_status add_to_strand(struct tb_perfetto_writer *p, struct tb_sequence *sequence,
                                    struct tb_entry *entry) {
  struct tb_strand *strand = &sequence->strand;
  uint64_t place = strand->total;
  enum tb_status status = tb_strand_add(strand, entry);
  if (status != TB_OK || !tb_strand_in_order(strand) || !concerns_flows(sequence, entry)) return status;
  return take_flow(p, sequence, tb_slice_stack_top(&strand->stack), entry, place);
}

static enum tb_status take_to_strand(void *ctx, struct tb_entry *entry) { return tb_strand_add(ctx, entry); }

enum tb_status tb_perfetto_take_ended_back(struct tb_sequence *sequence) {
  return tb_ended_take_back(&sequence->ended, take_to_strand, &sequence->strand);
}

/* Puts an entry where slices stand that come when they end. TB_END: it cannot, and all of them are on the strand now. */
static enum tb_status add_ended(struct tb_sequence *sequence, const struct tb_entry *entry) {
  enum tb_status status = tb_ended_put(&sequence->ended, entry);
  if (status != TB_END) return status;
  status = tb_perfetto_take_ended_back(sequence);
  return status == TB_OK ? TB_END : status;
}

static enum tb_status take_entry(void *ctx, struct tb_entry *entry) {
  struct tb_sequence *sequence = ctx;
  enum tb_status status = sequence->ended.over ? TB_END : add_ended(sequence, entry);
  return status == TB_END ? tb_strand_add(&sequence->strand, entry) : status;
}

/* From packets to entries, at the same places. Flows are bound already. */
static enum tb_status take_back(struct tb_perfetto_writer *p, struct tb_sequence *sequence) {
  return tb_straight_take_back(&sequence->straight, p->instant, take_entry, sequence);
}

enum tb_status tb_perfetto_add_entry(struct tb_perfetto_writer *p, struct tb_sequence *sequence,
                                     struct tb_entry *entry) {
  if (!sequence->straight.over) {
    enum tb_status status = add_straight(p, sequence, entry);
    if (status != TB_END) return status;
    status = take_back(p, sequence);
    if (status != TB_OK) return status;
  }
  if (!sequence->ended.over) {
    enum tb_status status = add_ended(sequence, entry);
    if (status != TB_END) return status;
  }
  return add_to_strand(p, sequence, entry);
}

/* ---- memory ----------------------------------------------------------------------------------------------------------------------------- */

static size_t held_bytes(const struct tb_perfetto_writer *p) {
  size_t bytes = 0;
  for (size_t i = 0; i < p->sequence_count; i++)
    bytes += p->sequences[i]->strand.bytes + p->sequences[i]->straight.bytes + p->sequences[i]->ended.bytes;
  return bytes;
}

void tb_perfetto_note_held(struct tb_perfetto_writer *p) {
  size_t held = held_bytes(p);
  if (held > p->writer->summary.peak_held_bytes) p->writer->summary.peak_held_bytes = held;
}

static enum tb_status take_all_back(struct tb_perfetto_writer *p) {
  enum tb_status status = TB_OK;
  p->none_straight = true;
  for (size_t i = 0; status == TB_OK && i < p->sequence_count; i++) {
    struct tb_sequence *sequence = p->sequences[i];
    if (!sequence->straight.over) status = take_back(p, sequence);
    if (status == TB_OK) status = tb_perfetto_take_ended_back(sequence);
  }
  return status;
}

static enum tb_status spill_all(struct tb_perfetto_writer *p) {
  struct tb_writer *writer = p->writer;
  if (!p->spill) {
    enum tb_status status =
        tb_spill_file_create(writer->options.temporary_directory, p->allocator, &p->spill, &writer->error);
    if (status != TB_OK) return status;
  }
  for (size_t i = 0; i < p->sequence_count; i++) {
    enum tb_status status = tb_strand_spill(&p->sequences[i]->strand, p->spill, &writer->error);
    if (status != TB_OK) return status;
  }
  writer->summary.spilled_bytes = tb_spill_file_size(p->spill);
  return TB_OK;
}

enum tb_status tb_perfetto_keep_budget(struct tb_perfetto_writer *p) {
  if (p->order % CHECK_EVENTS) return TB_OK;
  size_t held = held_bytes(p);
  if (held > p->writer->summary.peak_held_bytes) p->writer->summary.peak_held_bytes = held;
  if (!p->none_straight && held >= p->budget / STRAIGHT_SHARE) return take_all_back(p);
  return held < p->budget ? TB_OK : spill_all(p);
}
