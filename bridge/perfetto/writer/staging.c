/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer's staging: events that are not emitted yet. Each sequence tries three forms, from the cheapest
 * on:
 *
 *   streamed sequence --replay--> end-ordered sequence --replay--> sort queue
 *   (in order and nested)         (in order of ends)               (any order)
 *
 * An event that does not fit the current form is put on the next one, behind everything staged so far
 * (timeline/stager.h). All three spill to one temporary file when they exceed the memory budget.
 */
#include <unistd.h>

#include "base/error.h"
#include "perfetto/writer/staging.h"
#include "perfetto/writer/writer.h"
#include "timeline/slice_stack.h"

enum {
  CHECK_EVENTS = 1024, /* the budget is looked at after so many events, or so many bytes of their bodies */
  CHECK_BYTES = 1 << 20,
  SPILL_SHARE = 4,       /* share of a budget: with less in the logs, spilling is not worth it */
  SEQUENCE_BYTES = 2048, /* about what a thread's sequence takes with few events */
  GROUPED_SHARE = 4,     /* share of a budget for these: further threads are grouped */
  KEPT_SHARE = 8         /* of all memory with them: by so much blocks that are kept may go over the budget */
};

static enum tb_status open_spill_file(struct tb_perfetto_writer *p, struct tb_error *error) {
  if (p->staging.spill) return TB_OK;
  return tb_spill_file_create(p->writer->options.temporary_directory, p->allocator, &p->staging.spill, error);
}

/* ---- forms ------------------------------------------------------------------------------------------------------- */

/* A stager is the first member of its sequence. */
static struct tb_writer_sequence *sequence_of(struct tb_stager *stager) { return (struct tb_writer_sequence *)stager; }

static void init_streamed(struct tb_stager *stager, void *state) {
  struct tb_streamed_sequence *streamed = state;
  const struct tb_writer_sequence *sequence = sequence_of(stager);
  struct tb_writer_staging *staging = &sequence->p->staging;
  tb_streamed_sequence_init(streamed, &staging->blocks.allocator, sequence->index + TB_FIRST_SEQUENCE_ID);
  streamed->complete_first = sequence->p->writer->source.complete_first;
  streamed->packets.held = streamed->notes.held = &staging->in_logs;
}

static void free_streamed(void *state) { tb_streamed_sequence_free(state); }
static uint64_t streamed_entries(const void *state) { return ((const struct tb_streamed_sequence *)state)->total; }

static enum tb_status put_streamed(struct tb_stager *stager, void *state, struct tb_staged_event *entry, bool *fits) {
  struct tb_streamed_sequence *streamed = state;
  const struct tb_writer_sequence *sequence = sequence_of(stager);
  enum tb_status status = tb_streamed_sequence_put(streamed, entry, sequence->thread_times_in_us, sequence->p->instant);
  *fits = !streamed->closed;
  return status;
}

/* From packets to entries, at the same places. Flows are bound already. */
static enum tb_status replay_streamed(struct tb_stager *stager, void *state, tb_stager_take *take, void *ctx,
                                      struct tb_error *error) {
  return tb_streamed_sequence_replay(state, sequence_of(stager)->p->instant, take, ctx, error);
}

static enum tb_status spill_streamed(void *state, struct tb_spill_file *file, struct tb_error *error) {
  return tb_streamed_sequence_spill(state, file, error);
}

static void init_end_ordered(struct tb_stager *stager, void *state) {
  struct tb_end_ordered_sequence *end_ordered = state;
  struct tb_writer_staging *staging = &sequence_of(stager)->p->staging;
  tb_end_ordered_sequence_init(end_ordered, &staging->blocks.allocator);
  end_ordered->entries.held = &staging->in_logs;
}

static void free_end_ordered(void *state) { tb_end_ordered_sequence_free(state); }
static uint64_t end_ordered_entries(const void *state) {
  return ((const struct tb_end_ordered_sequence *)state)->total;
}

static enum tb_status put_end_ordered(struct tb_stager *stager, void *state, struct tb_staged_event *entry,
                                      bool *fits) {
  (void)stager;
  struct tb_end_ordered_sequence *end_ordered = state;
  enum tb_status status = tb_end_ordered_sequence_put(end_ordered, entry);
  *fits = !end_ordered->closed;
  return status;
}

static enum tb_status replay_end_ordered(struct tb_stager *stager, void *state, tb_stager_take *take, void *ctx,
                                         struct tb_error *error) {
  (void)stager;
  return tb_end_ordered_sequence_replay(state, take, ctx, error);
}

static enum tb_status spill_end_ordered(void *state, struct tb_spill_file *file, struct tb_error *error) {
  return tb_spill_log_spill(&((struct tb_end_ordered_sequence *)state)->entries, file, error);
}

static void init_queue(struct tb_stager *stager, void *state) {
  struct tb_sort_queue *queue = state;
  struct tb_perfetto_writer *p = sequence_of(stager)->p;
  tb_sort_queue_init(queue, p->allocator);
  queue->complete_first = p->writer->source.complete_first;
  queue->held = &p->staging.in_queues;
}

static void free_queue(void *state) { tb_sort_queue_free(state); }
static uint64_t queue_entries(const void *state) { return ((const struct tb_sort_queue *)state)->total; }

static enum tb_status put_queue(struct tb_stager *stager, void *state, struct tb_staged_event *entry, bool *fits) {
  (void)stager;
  *fits = true;
  return tb_sort_queue_add(state, entry);
}

static enum tb_status replayed_to_queue(struct tb_stager *stager, void *state, struct tb_error *error) {
  struct tb_sort_queue *queue = state;
  struct tb_perfetto_writer *p = sequence_of(stager)->p;
  if (queue->bytes < p->staging.budget / 2) return TB_OK;
  enum tb_status status = open_spill_file(p, error);
  return status == TB_OK ? tb_sort_queue_spill(queue, p->staging.spill, error) : status;
}

static enum tb_status spill_queue(void *state, struct tb_spill_file *file, struct tb_error *error) {
  return tb_sort_queue_spill(state, file, error);
}

/* Of all threads. */
struct grouped_entries {
  uint64_t count;
};

static void init_grouped(struct tb_stager *stager, void *state) {
  (void)stager;
  *(struct grouped_entries *)state = (struct grouped_entries){0};
}

static void free_grouped(void *state) { (void)state; }
static uint64_t grouped_entries(const void *state) { return ((const struct grouped_entries *)state)->count; }

static enum tb_status put_grouped(struct tb_stager *stager, void *state, struct tb_staged_event *entry, bool *fits) {
  struct tb_writer_sequence *sequence = sequence_of(stager);
  struct tb_track_state *track = &sequence->p->tracks.items[sequence->track_index];
  *fits = true;
  ((struct grouped_entries *)state)->count++;
  track->has_flows |= entry->flow != TB_FLOW_NONE;
  track->has_thread_times |= entry->has_thread_ts;
  return tb_grouped_sequences_put(&sequence->p->staging.grouped, sequence->index, entry);
}

const struct tb_stager_form tb_form_grouped = {.size = sizeof(struct grouped_entries),
                                               .init = init_grouped,
                                               .free = free_grouped,
                                               .entries = grouped_entries,
                                               .put = put_grouped};
const struct tb_stager_form tb_form_queue = {.size = sizeof(struct tb_sort_queue),
                                             .init = init_queue,
                                             .free = free_queue,
                                             .entries = queue_entries,
                                             .put = put_queue,
                                             .replayed = replayed_to_queue,
                                             .spill = spill_queue};
const struct tb_stager_form tb_form_end_ordered = {.size = sizeof(struct tb_end_ordered_sequence),
                                                   .next = &tb_form_queue,
                                                   .init = init_end_ordered,
                                                   .free = free_end_ordered,
                                                   .entries = end_ordered_entries,
                                                   .put = put_end_ordered,
                                                   .replay = replay_end_ordered,
                                                   .spill = spill_end_ordered};
const struct tb_stager_form tb_form_streamed = {.size = sizeof(struct tb_streamed_sequence),
                                                .next = &tb_form_end_ordered,
                                                .init = init_streamed,
                                                .free = free_streamed,
                                                .entries = streamed_entries,
                                                .put = put_streamed,
                                                .replay = replay_streamed,
                                                .spill = spill_streamed};

/* ---- adding ------------------------------------------------------------------------------------------------------ */

/* Binds the flows of the newest entry, where it came in order so far. */
static enum tb_status bind_newest(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence,
                                  const struct tb_staged_event *entry) {
  struct tb_streamed_sequence *streamed = tb_stager_as(&sequence->stager, &tb_form_streamed);
  const struct tb_sort_queue *queue = tb_stager_as(&sequence->stager, &tb_form_queue);
  struct tb_stack_frame_ref newest;
  const struct tb_stack_frame_ref *top = NULL;
  if (streamed) {
    if (tb_streamed_sequence_top(streamed, &newest)) top = &newest;
    enum tb_status status = tb_streamed_sequence_mark_top(streamed);
    if (status != TB_OK) return status;
  } else if (queue && tb_sort_queue_in_order(queue)) {
    top = tb_slice_stack_top(&queue->stack);
  } else {
    return TB_OK;
  }
  uint64_t place = (streamed ? streamed->total : queue->total) - 1;
  sequence->binder.flows = &p->flows;
  return tb_flows_take(&sequence->binder, top, entry, place, top && top->place == place);
}

static inline bool concerns_flows(const struct tb_writer_sequence *sequence, const struct tb_staged_event *entry) {
  return entry->flow || sequence->binder.waiting_count;
}

enum tb_status tb_perfetto_add_entry(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence,
                                     struct tb_staged_event *entry) {
  p->staging.unchecked += entry->body.len;
  enum tb_status status = tb_stager_put(&sequence->stager, entry, &p->writer->error);
  return status == TB_OK && concerns_flows(sequence, entry) ? bind_newest(p, sequence, entry) : status;
}

/* ---- grouped sequences ------------------------------------------------------------------------------------------- */

const struct tb_stager_form *tb_perfetto_first_form(const struct tb_perfetto_writer *p) {
  return p->sequence_count < p->staging.held_budget / GROUPED_SHARE / SEQUENCE_BYTES ? &tb_form_streamed
                                                                                     : &tb_form_grouped;
}

enum tb_status tb_perfetto_end_grouping(struct tb_perfetto_writer *p) {
  struct tb_writer_staging *staging = &p->staging;
  if (!staging->grouped_sequence) return TB_OK;
  staging->grouped_count = p->sequence_count;
  staging->grouped_tracks = tb_alloc(p->allocator, staging->grouped_count * sizeof(*staging->grouped_tracks));
  if (!staging->grouped_tracks) return TB_NO_MEMORY;
  for (size_t i = 0; i < p->tracks.count; i++)
    if (p->tracks.items[i].sequence) staging->grouped_tracks[p->tracks.items[i].sequence_index] = (uint32_t)i;
  return TB_OK;
}

void tb_perfetto_free_grouping(struct tb_perfetto_writer *p) {
  tb_perfetto_free_sequence(p, p->staging.grouped_sequence);
  tb_free(p->allocator, p->staging.grouped_tracks, p->staging.grouped_count * sizeof(*p->staging.grouped_tracks));
}

enum tb_status tb_perfetto_ungroup(struct tb_perfetto_writer *p, uint32_t index) {
  struct tb_writer_sequence *sequence = tb_perfetto_make_sequence(p, &tb_form_streamed, index);
  if (!sequence) return TB_NO_MEMORY;
  p->sequences[index] = sequence;
  sequence->track = &p->tracks.items[p->staging.grouped_tracks[index]];
  sequence->lossy = sequence->track->lossy;
  struct tb_error *error = &p->writer->error;
  struct tb_staged_event entry;
  enum tb_status status;
  while ((status = tb_grouped_sequences_next(&p->staging.grouped, index, &entry, sequence->uses, error)) == TB_OK) {
    tb_perfetto_note_thread_times(sequence, &entry);
    status = tb_perfetto_add_entry(p, sequence, &entry);
    if (status == TB_OK) status = tb_perfetto_keep_budget(p);
    if (status != TB_OK) return status;
  }
  return status == TB_END ? TB_OK : status;
}

enum tb_status tb_perfetto_ungroup_flows(struct tb_perfetto_writer *p) {
  struct tb_error *error = &p->writer->error;
  if (!p->staging.grouped.queue.total) return TB_OK;
  enum tb_status status = tb_grouped_sequences_rewind(&p->staging.grouped, p->staging.spill, error);
  bool any = false;
  for (uint32_t i = 0; status == TB_OK && i < p->staging.grouped_count; i++) {
    if (p->sequences[i] || !p->tracks.items[p->staging.grouped_tracks[i]].has_flows) continue;
    any = true;
    status = tb_perfetto_ungroup(p, i);
  }
  if (status == TB_OK && any) status = tb_grouped_sequences_rewind(&p->staging.grouped, p->staging.spill, error);
  return status;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Half of the machine's memory. */
static size_t half_of_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0 || (size_t)pages > SIZE_MAX / (size_t)page) return SIZE_MAX;
  return (size_t)pages * (size_t)page / 2;
}

void tb_perfetto_set_budget(struct tb_perfetto_writer *p) {
  p->staging.budget = tb_writer_budget(p->writer, half_of_memory());
  size_t in_order = tb_writer_budget(p->writer, TB_WRITER_MEMORY_USUAL);
  p->staging.held_budget = in_order < p->staging.budget ? in_order : p->staging.budget;
}

static void note_held(struct tb_perfetto_writer *p, size_t held) {
  if (held > p->writer->summary.peak_held_bytes) p->writer->summary.peak_held_bytes = held;
}

/* What the sequences of all machines hold: the budget is for all of them. */
static size_t held(const struct tb_perfetto_writer *p) {
  size_t bytes = 0;
  for (p = p->writer->state; p; p = p->next) bytes += p->staging.in_logs + p->staging.in_queues;
  return bytes;
}

void tb_perfetto_note_held(struct tb_perfetto_writer *p) { note_held(p, held(p)); }

void tb_perfetto_note_spilled(struct tb_perfetto_writer *p) {
  struct tb_writer_summary *summary = &p->writer->summary;
  uint64_t bytes = 0;
  for (p = p->writer->state; p; p = p->next)
    if (p->staging.spill) bytes += tb_spill_file_size(p->staging.spill);
  if (bytes) summary->spilled_bytes = bytes;
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

/* Spills the sort queues, or all other forms. */
static enum tb_status spill_stagers(struct tb_perfetto_writer *p, bool queues, struct tb_error *error) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; status == TB_OK && i < p->sequence_count; i++) {
    struct tb_stager *stager = p->sequences[i] ? &p->sequences[i]->stager : NULL;
    if (stager && stager->state && stager->form->spill && (stager->form == &tb_form_queue) == queues)
      status = stager->form->spill(stager->state, p->staging.spill, error);
  }
  return status;
}

static enum tb_status spill_logs(struct tb_perfetto_writer *p) {
  struct tb_error error = {0};
  enum tb_status status = open_spill_file(p, &error);
  if (status == TB_OK) status = spill_stagers(p, false, &error);
  if (status == TB_OK) status = tb_spill_log_spill(&p->ftrace.log, p->staging.spill, &error);
  if (status == TB_OK && !p->staging.grouped.reading)
    status = tb_sort_queue_spill(&p->staging.grouped.queue, p->staging.spill, &error);
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
  if (status == TB_OK) status = spill_stagers(p, true, &p->writer->error);
  tb_perfetto_note_spilled(p);
  return status;
}

static enum tb_status spill_all_queues(struct tb_perfetto_writer *p) {
  enum tb_status status = TB_OK;
  for (p = p->writer->state; p && status == TB_OK; p = p->next) status = spill_queues(p);
  return status;
}

static enum tb_status check_budget(struct tb_perfetto_writer *p) {
  p->staging.unchecked = 0;
  note_held(p, held(p));
  if (held(p) >= p->staging.held_budget &&
      p->staging.in_logs + p->staging.grouped.queue.bytes >= p->staging.held_budget / SPILL_SHARE) {
    enum tb_status status = spill_logs(p);
    if (status != TB_OK) return status;
  }
  /* memory that queues took meanwhile is not kept for chunks */
  size_t with_kept = held(p) + p->staging.blocks.bytes;
  if (with_kept - with_kept / KEPT_SHARE > p->staging.held_budget) tb_block_cache_trim(&p->staging.blocks);
  return held(p) < p->staging.budget ? TB_OK : spill_all_queues(p);
}

enum tb_status tb_perfetto_keep_budget(struct tb_perfetto_writer *p) {
  return p->order % CHECK_EVENTS && p->staging.unchecked < CHECK_BYTES ? TB_OK : check_budget(p);
}
