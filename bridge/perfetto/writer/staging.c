/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer's staging: events that are not emitted yet. Each sequence tries three forms, from the cheapest
 * on:
 *
 *   streamed sequence --replay--> end-ordered sequence --replay--> sort queue
 *   (in order and nested)         (in order of ends)               (any order)
 *
 * An event that does not fit the current form closes it, and everything staged so far is replayed into the next one.
 * All three spill to one temporary file when they exceed the memory budget.
 */
#include <unistd.h>

#include "base/error.h"
#include "perfetto/writer/staging.h"
#include "perfetto/writer/writer.h"
#include "timeline/slice_stack.h"

enum {
  CHECK_EVENTS = 1024, /* the budget is looked at after so many events, or so many bytes of their bodies */
  CHECK_BYTES = 1 << 20,
  MIN_BUDGET = 1 << 20,
  HELD_BUDGET = 64 << 20, /* bytes in spill logs before they are spilled, if the user sets no budget */
  SPILL_SHARE = 4,        /* share of a budget: with less in the logs, spilling is not worth it */
  KEPT_SHARE = 8          /* of all memory with them: by so much blocks that are kept may go over the budget */
};

static enum tb_status open_spill_file(struct tb_perfetto_writer *p, struct tb_error *error) {
  if (p->staging.spill) return TB_OK;
  return tb_spill_file_create(p->writer->options.temporary_directory, p->allocator, &p->staging.spill, error);
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

static enum tb_status take_flow(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence,
                                const struct tb_stack_frame_ref *top, const struct tb_staged_event *entry,
                                uint64_t place) {
  sequence->binder.flows = &p->flows;
  return tb_flows_take(&sequence->binder, top, entry, place, top && top->place == place);
}

static bool concerns_flows(const struct tb_writer_sequence *sequence, const struct tb_staged_event *entry) {
  return entry->flow || sequence->binder.waiting_count;
}

static enum tb_status add_streamed(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence,
                                   struct tb_staged_event *entry) {
  struct tb_streamed_sequence *streamed = &sequence->streamed;
  enum tb_status status = tb_streamed_sequence_put(streamed, entry, sequence->thread_times_in_us, p->instant);
  if (status != TB_OK || streamed->closed || !concerns_flows(sequence, entry)) return status;
  struct tb_stack_frame_ref top;
  bool has_top = tb_streamed_sequence_top(streamed, &top);
  status = tb_streamed_sequence_mark_top(streamed);
  return status == TB_OK ? take_flow(p, sequence, has_top ? &top : NULL, entry, streamed->total - 1) : status;
}

static enum tb_status add_to_queue(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence,
                                   struct tb_staged_event *entry) {
  struct tb_sort_queue *queue = &sequence->queue;
  uint64_t place = queue->total;
  enum tb_status status = tb_sort_queue_add(queue, entry);
  if (status != TB_OK || !tb_sort_queue_in_order(queue) || !concerns_flows(sequence, entry)) return status;
  return take_flow(p, sequence, tb_slice_stack_top(&queue->stack), entry, place);
}

/* The target of a replay. */
struct replaying {
  struct tb_perfetto_writer *p;
  struct tb_writer_sequence *sequence;
};

static enum tb_status replay_to_queue(void *ctx, struct tb_staged_event *entry) {
  struct replaying *to = ctx;
  struct tb_sort_queue *queue = &to->sequence->queue;
  enum tb_status status = tb_sort_queue_add(queue, entry);
  if (status != TB_OK || queue->bytes < to->p->staging.budget / 2) return status;
  status = open_spill_file(to->p, &to->p->writer->error);
  return status == TB_OK ? tb_sort_queue_spill(queue, to->p->staging.spill, &to->p->writer->error) : status;
}

enum tb_status tb_perfetto_replay_end_ordered(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence) {
  struct replaying to = {p, sequence};
  return tb_end_ordered_sequence_replay(&sequence->end_ordered, replay_to_queue, &to, &p->writer->error);
}

/* Puts an entry where slices are that came when they ended. Where it does not fit there, that is closed, and all of
 * them are on the queue now. */
static enum tb_status add_end_ordered(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence,
                                      const struct tb_staged_event *entry) {
  enum tb_status status = tb_end_ordered_sequence_put(&sequence->end_ordered, entry);
  if (status != TB_OK || !sequence->end_ordered.closed) return status;
  return tb_perfetto_replay_end_ordered(p, sequence);
}

static enum tb_status take_entry(void *ctx, struct tb_staged_event *entry) {
  struct replaying *to = ctx;
  const struct tb_end_ordered_sequence *end_ordered = &to->sequence->end_ordered;
  enum tb_status status = end_ordered->closed ? TB_OK : add_end_ordered(to->p, to->sequence, entry);
  return status == TB_OK && end_ordered->closed ? replay_to_queue(ctx, entry) : status;
}

/* Replays the streamed sequence: from packets to entries, at the same places. Flows are bound already. */
static enum tb_status replay_streamed(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence) {
  struct replaying to = {p, sequence};
  return tb_streamed_sequence_replay(&sequence->streamed, p->instant, take_entry, &to, &p->writer->error);
}

enum tb_status tb_perfetto_add_entry(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence,
                                     struct tb_staged_event *entry) {
  p->staging.unchecked += entry->body.len;
  if (!sequence->streamed.closed) {
    enum tb_status status = add_streamed(p, sequence, entry);
    if (status != TB_OK || !sequence->streamed.closed) return status;
    status = replay_streamed(p, sequence);
    if (status != TB_OK) return status;
  }
  if (!sequence->end_ordered.closed) {
    enum tb_status status = add_end_ordered(p, sequence, entry);
    if (status != TB_OK || !sequence->end_ordered.closed) return status;
  }
  return add_to_queue(p, sequence, entry);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Half of the machine's memory. */
static size_t half_of_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0 || (size_t)pages > SIZE_MAX / (size_t)page) return SIZE_MAX;
  return (size_t)pages * (size_t)page / 2;
}

void tb_perfetto_set_budget(struct tb_perfetto_writer *p, size_t wanted) {
  p->staging.budget = wanted ? wanted : half_of_memory();
  if (p->staging.budget < MIN_BUDGET) p->staging.budget = MIN_BUDGET;
  p->staging.held_budget = wanted || p->staging.budget < HELD_BUDGET ? p->staging.budget : HELD_BUDGET;
}

static void note_held(struct tb_perfetto_writer *p, size_t held) {
  if (held > p->writer->summary.peak_held_bytes) p->writer->summary.peak_held_bytes = held;
}

void tb_perfetto_note_held(struct tb_perfetto_writer *p) { note_held(p, p->staging.in_logs + p->staging.in_queues); }

void tb_perfetto_note_spilled(struct tb_perfetto_writer *p) {
  if (p->staging.spill) p->writer->summary.spilled_bytes = tb_spill_file_size(p->staging.spill);
}

/* Where nobody set the budget and the file takes no more, chunks stay in memory from now on. */
static enum tb_status spill_failed(struct tb_perfetto_writer *p, enum tb_status status, const struct tb_error *error) {
  if (status == TB_OK) return TB_OK;
  if (p->writer->options.memory_budget || status != TB_IO) {
    p->writer->error = *error;
    return status;
  }
  p->staging.held_budget = SIZE_MAX;
  return TB_OK;
}

static enum tb_status spill_logs(struct tb_perfetto_writer *p) {
  struct tb_error error = {0};
  enum tb_status status = open_spill_file(p, &error);
  for (size_t i = 0; status == TB_OK && i < p->sequence_count; i++) {
    status = tb_streamed_sequence_spill(&p->sequences[i]->streamed, p->staging.spill, &error);
    if (status == TB_OK) status = tb_spill_log_spill(&p->sequences[i]->end_ordered.entries, p->staging.spill, &error);
  }
  if (status == TB_OK) status = tb_spill_log_spill(&p->ftrace.text, p->staging.spill, &error);
  tb_perfetto_note_spilled(p);
  return spill_failed(p, status, &error);
}

enum tb_status tb_perfetto_make_room(struct tb_perfetto_writer *p, struct tb_spill_log *chunks) {
  if (chunks->bytes < p->staging.held_budget / SPILL_SHARE) return TB_OK;
  struct tb_error error = {0};
  enum tb_status status = open_spill_file(p, &error);
  if (status == TB_OK) status = tb_spill_log_spill(chunks, p->staging.spill, &error);
  return spill_failed(p, status, &error);
}

static enum tb_status spill_queues(struct tb_perfetto_writer *p) {
  enum tb_status status = open_spill_file(p, &p->writer->error);
  for (size_t i = 0; status == TB_OK && i < p->sequence_count; i++)
    status = tb_sort_queue_spill(&p->sequences[i]->queue, p->staging.spill, &p->writer->error);
  tb_perfetto_note_spilled(p);
  return status;
}

enum tb_status tb_perfetto_keep_budget(struct tb_perfetto_writer *p) {
  if (p->order % CHECK_EVENTS && p->staging.unchecked < CHECK_BYTES) return TB_OK;
  p->staging.unchecked = 0;
  note_held(p, p->staging.in_logs + p->staging.in_queues);
  if (p->staging.in_logs + p->staging.in_queues >= p->staging.held_budget &&
      p->staging.in_logs >= p->staging.held_budget / SPILL_SHARE) {
    enum tb_status status = spill_logs(p);
    if (status != TB_OK) return status;
  }
  /* memory that queues took meanwhile is not kept for chunks */
  size_t with_kept = p->staging.in_logs + p->staging.in_queues + p->staging.blocks.bytes;
  if (with_kept - with_kept / KEPT_SHARE > p->staging.held_budget) tb_block_cache_trim(&p->staging.blocks);
  return p->staging.in_logs + p->staging.in_queues < p->staging.budget ? TB_OK : spill_queues(p);
}
