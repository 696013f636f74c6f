/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/error.h"
#include "perfetto/writer/counters.h"
#include "perfetto/writer/cpu_profiles.h"
#include "perfetto/writer/descriptor_packets.h"
#include "perfetto/writer/encode/padding.h"
#include "perfetto/writer/flow_registry.h"
#include "perfetto/writer/ftrace_bundles.h"
#include "perfetto/writer/fxt_passthrough.h"
#include "perfetto/writer/memory_dumps.h"
#include "perfetto/writer/sched_events.h"
#include "perfetto/writer/sequence.h"
#include "perfetto/writer/slice_events.h"
#include "perfetto/writer/staged/streamed_sequence_internal.h"
#include "perfetto/writer/staging.h"
#include "perfetto/writer/trace_metadata.h"
#include "perfetto/writer/track_groups.h"
#include "perfetto/writer/unbound_flows.h"
#include "perfetto/writer/writer.h"
#include "timeline/slice_matcher.h"
#include "timeline/slice_stack.h"

static enum tb_status no_memory(struct tb_perfetto_writer *p) {
  return tb_fail(&p->writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

/* ---- tracks and sequences ---------------------------------------------------------------------------------------- */

struct tb_track_state *tb_perfetto_track_state(struct tb_perfetto_writer *p, const struct tb_track *track) {
  if (track->index >= p->tracks.count) {
    void *tracks = p->tracks.items;
    if (tb_grow_array(p->allocator, &tracks, &p->tracks.capacity, (size_t)track->index + 1, sizeof(*p->tracks.items),
                      UINT32_MAX) != TB_OK)
      return NULL;
    p->tracks.items = tracks;
    size_t count = (size_t)track->index + 1; /* what is behind them takes no memory before it is written */
    memset(p->tracks.items + p->tracks.count, 0, (count - p->tracks.count) * sizeof(*p->tracks.items));
    p->tracks.count = count;
  }
  struct tb_track_state *state = &p->tracks.items[track->index];
  if (state->track) return state;
  state->track = track;
  if (track->type != TB_TRACK_GLOBAL) state->uuid = ++p->next_uuid;
  if (track->type == TB_TRACK_THREAD && track->pid == track->tid &&
      tb_map_put(&p->tracks.main_threads, (uint64_t)track->pid, 0, 1) != TB_OK)
    return NULL;
  if (track->parent && !tb_perfetto_track_state(p, track->parent)) return NULL;
  return &p->tracks.items[track->index];
}

/* A track may have been given another parent after its first event, which no event names. */
static enum tb_status know_parents(struct tb_perfetto_writer *p) {
  for (size_t i = 0; i < p->tracks.count; i++)
    for (const struct tb_track *track = p->tracks.items[i].track; track && track->parent; track = track->parent)
      if (!tb_perfetto_track_state(p, track->parent)) return no_memory(p);
  return TB_OK;
}

struct tb_writer_sequence *tb_perfetto_make_sequence(struct tb_perfetto_writer *p, const struct tb_stager_form *form,
                                                     uint32_t index) {
  struct tb_writer_sequence *sequence = tb_calloc(p->allocator, sizeof(*sequence));
  if (!sequence) return NULL;
  sequence->p = p;
  sequence->index = sequence->binder.queue_index = index;
  sequence->thread_times_in_us = true;
  sequence->is_grouped = form == &tb_form_grouped;
  sequence->uses = sequence->is_grouped ? &p->staging.grouped.uses : tb_calloc(p->allocator, sizeof(*sequence->uses));
  if (sequence->uses && tb_stager_open(&sequence->stager, p->allocator, form) == TB_OK) return sequence;
  tb_perfetto_free_sequence(p, sequence);
  return NULL;
}

static void free_uses(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence) {
  if (!sequence->uses || sequence->is_grouped) return;
  tb_interned_free_uses(sequence->uses, p->allocator);
  tb_free(p->allocator, sequence->uses, sizeof(*sequence->uses));
  sequence->uses = NULL;
}

void tb_perfetto_free_sequence(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence) {
  if (!sequence) return;
  tb_stager_close(&sequence->stager);
  if (sequence->binder.flows) tb_flow_binder_free(&sequence->binder);
  free_uses(p, sequence);
  tb_free(p->allocator, sequence, sizeof(*sequence));
}

/* Adds a sequence; NULL: of a thread that is grouped. */
static enum tb_status add_sequence(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence) {
  void *sequences = p->sequences;
  enum tb_status status = tb_grow_array(p->allocator, &sequences, &p->sequence_capacity, p->sequence_count + 1,
                                        sizeof(*p->sequences), UINT32_MAX);
  p->sequences = sequences;
  if (status != TB_OK) return TB_NO_MEMORY;
  p->sequences[p->sequence_count++] = sequence;
  return TB_OK;
}

static struct tb_writer_sequence *add_own_sequence(struct tb_perfetto_writer *p, const struct tb_stager_form *form) {
  struct tb_writer_sequence *sequence = tb_perfetto_make_sequence(p, form, (uint32_t)p->sequence_count);
  if (sequence && add_sequence(p, sequence) == TB_OK) return sequence;
  tb_perfetto_free_sequence(p, sequence);
  return NULL;
}

static struct tb_writer_sequence *add_grouped_sequence(struct tb_perfetto_writer *p) {
  struct tb_writer_sequence **grouped = &p->staging.grouped_sequence;
  if (!*grouped) *grouped = tb_perfetto_make_sequence(p, &tb_form_grouped, 0);
  return *grouped && add_sequence(p, NULL) == TB_OK ? *grouped : NULL;
}

struct tb_writer_sequence *tb_perfetto_profile_sequence(struct tb_perfetto_writer *p) {
  if (p->profiles) return p->sequences[p->profiles];
  struct tb_writer_sequence *sequence = add_own_sequence(p, &tb_form_queue);
  if (sequence) p->profiles = sequence->index;
  return sequence;
}

enum tb_status tb_perfetto_add_shared(struct tb_perfetto_writer *p) {
  const struct tb_writer_sequence *sequence = add_own_sequence(p, &tb_form_queue);
  if (!sequence) return TB_NO_MEMORY;
  p->shared = sequence->index;
  return TB_OK;
}

struct tb_writer_sequence *tb_perfetto_new_thread_sequence(struct tb_perfetto_writer *p, const struct tb_track *track) {
  struct tb_track_state *state = tb_perfetto_track_state(p, track);
  if (!state) return NULL;
  uint32_t index = (uint32_t)p->sequence_count;
  const struct tb_stager_form *form = tb_perfetto_first_form(p);
  struct tb_writer_sequence *sequence = form == &tb_form_grouped ? add_grouped_sequence(p) : add_own_sequence(p, form);
  if (!sequence) return NULL;
  sequence->track = state; /* set anew before use: the array of states may move */
  state->sequence = sequence;
  state->sequence_index = index;
  return tb_perfetto_known_sequence(p, track);
}

/* ---- machines ---------------------------------------------------------------------------------------------------- */

static struct tb_perfetto_writer *make_machine(struct tb_writer *writer, uint32_t machine);

/* The state of that machine, made when it is met for the first time. NULL without memory. */
static struct tb_perfetto_writer *of_machine(struct tb_perfetto_writer *p, uint32_t machine) {
  while (p->machine != machine && p->next) p = p->next;
  if (p->machine == machine) return p;
  p->next = make_machine(p->writer, machine);
  return p->next;
}

/* ---- the writer's interface -------------------------------------------------------------------------------------- */

/* Whether an event of this type says nothing without a track. */
static bool needs_track(enum tb_event_type type) {
  if (type < TB_EVENT_TRACK) return true;
  return type == TB_EVENT_TRACK || type == TB_EVENT_SAMPLE;
}

/* Objects and contexts, which are async slices of tracks of their own. */
static enum tb_status put_object(struct tb_perfetto_writer *p, const struct tb_event *event) {
  bool is_context = event->type == TB_EVENT_CONTEXT_ENTER || event->type == TB_EVENT_CONTEXT_LEAVE;
  bool begins = event->type == TB_EVENT_OBJECT_CREATE || event->type == TB_EVENT_CONTEXT_ENTER;
  enum tb_staged_kind kind = begins                                    ? TB_STAGED_BEGIN
                             : event->type == TB_EVENT_OBJECT_SNAPSHOT ? TB_STAGED_INSTANT
                                                                       : TB_STAGED_END;
  return tb_perfetto_put_async(p, event, kind, is_context ? TB_GROUP_CONTEXT : TB_GROUP_OBJECT);
}

static enum tb_status put_async(struct tb_perfetto_writer *p, const struct tb_event *event) {
  bool is_legacy = event->phase && strchr("STpF", event->phase);
  enum tb_staged_kind kind = event->type == TB_EVENT_ASYNC_BEGIN ? TB_STAGED_BEGIN
                             : event->type == TB_EVENT_ASYNC_END ? TB_STAGED_END
                                                                 : TB_STAGED_INSTANT;
  return tb_perfetto_put_async(p, event, kind, is_legacy ? TB_GROUP_LEGACY_ASYNC : TB_GROUP_ASYNC);
}

/* What happens at no time, or only now and then. */
static enum tb_status put_rare(struct tb_perfetto_writer *p, const struct tb_event *event) {
  switch (event->type) {
    case TB_EVENT_THREAD_STATE:
      return tb_perfetto_put_thread_state(p, event);
    case TB_EVENT_MEMORY_DUMP:
      return tb_perfetto_put_memory_dump(p, event);
    case TB_EVENT_METADATA:
      return tb_perfetto_put_metadata(p, event);
    case TB_EVENT_TRACE_METADATA:
      return tb_perfetto_put_trace_metadata(p, event);
    case TB_EVENT_STACK_FRAME:
      return tb_callstacks_define(&p->stacks, event);
    case TB_EVENT_CLOCK_SNAPSHOT:
      return tb_perfetto_put_clocks(p, event);
    case TB_EVENT_DATA_LOSS:
      return tb_perfetto_put_data_loss(p, event);
    case TB_EVENT_PACKETS:
      return tb_perfetto_put_packets(p, event);
    case TB_EVENT_BLOB:
      return tb_perfetto_put_blob(p, event);
    case TB_EVENT_SYSTEM_TRACE:
      return tb_perfetto_put_system_trace(p, event);
    default: /* TB_EVENT_FLOW_EDGE does not come here */
      return TB_OK;
  }
}

static enum tb_status dispatch(struct tb_perfetto_writer *p, const struct tb_event *event) {
  if (!event->track && needs_track(event->type)) {
    tb_losses_add(&p->writer->losses, "event of no track", event->offset);
    return TB_OK;
  }
  switch (event->type) {
    case TB_EVENT_SLICE_BEGIN:
    case TB_EVENT_SLICE_END:
    case TB_EVENT_SLICE_COMPLETE:
      return tb_perfetto_put_slice(p, event);
    case TB_EVENT_INSTANT:
    case TB_EVENT_LOG:
      if (event->phase == 'P') return tb_perfetto_put_profile_event(p, event);
      return tb_perfetto_put_slice(p, event);
    case TB_EVENT_COUNTER:
      return tb_perfetto_put_counter(p, event);
    case TB_EVENT_ASYNC_BEGIN:
    case TB_EVENT_ASYNC_INSTANT:
    case TB_EVENT_ASYNC_END:
      return put_async(p, event);
    case TB_EVENT_FLOW_BEGIN:
    case TB_EVENT_FLOW_STEP:
    case TB_EVENT_FLOW_END:
      return tb_perfetto_put_flow(p, event);
    case TB_EVENT_OBJECT_CREATE:
    case TB_EVENT_OBJECT_SNAPSHOT:
    case TB_EVENT_OBJECT_DELETE:
    case TB_EVENT_CONTEXT_ENTER:
    case TB_EVENT_CONTEXT_LEAVE:
      return put_object(p, event);
    case TB_EVENT_ID_LINK: {
      enum tb_status status = tb_perfetto_link_ids(p, event);
      return status == TB_OK ? tb_perfetto_put_deferred_side(p, event, TB_GROUP_CARRIED) : status;
    }
    case TB_EVENT_SAMPLE:
      return tb_perfetto_put_deferred_side(p, event, TB_GROUP_SAMPLES);
    case TB_EVENT_CLOCK_SYNC:
      return tb_perfetto_put_deferred_side(p, event, TB_GROUP_CARRIED);
    case TB_EVENT_OTHER:
      return tb_perfetto_put_deferred_side(p, event, TB_GROUP_SIDE);
    case TB_EVENT_TRACK:
      return tb_perfetto_put_track(p, event->track);
    default:
      return put_rare(p, event);
  }
}

/* A thread of no process that nothing but its states names needs no descriptor, which would give it a process. */
static void note_use(struct tb_perfetto_writer *p, const struct tb_event *event, const struct tb_track *track) {
  if (event->type == TB_EVENT_TRACK || event->type == TB_EVENT_METADATA) return;
  if (event->type == TB_EVENT_THREAD_STATE && event->task_state != TB_TASK_UNKNOWN) return;
  for (; track && !track->has_pid && track->index < p->tracks.count; track = track->parent) {
    struct tb_track_state *state = &p->tracks.items[track->index];
    if (state->is_used) return; /* as those above it */
    state->is_used = true;
  }
}

static enum tb_status put(struct tb_writer *writer, const struct tb_event *event) {
  struct tb_perfetto_writer *p = writer->state;
  uint32_t machine = event->track ? event->track->machine : 0;
  if (machine && !(p = of_machine(p, machine)))
    return tb_fail(&writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  p->order++;
  enum tb_status status = dispatch(p, event);
  if (status == TB_OK && event->track && tb_carries_end_stack(event))
    status = tb_callstacks_refer(&p->stacks, event->end_stack.ref);
  note_use(p, event, event->track);
  note_use(p, event, event->thread);
  if (status == TB_OK) status = tb_perfetto_keep_budget(p);
  if (status == TB_OK) return TB_OK;
  return tb_fail(&writer->error, status, event->offset, "cannot take this event: %s", tb_status_text(status));
}

static void count_tracks(struct tb_perfetto_writer *p) {
  struct tb_writer_summary *summary = &p->writer->summary;
  for (size_t i = 0; i < p->tracks.count; i++) {
    if (!p->tracks.items[i].track) continue;
    summary->processes += p->tracks.items[i].track->type == TB_TRACK_PROCESS;
    summary->threads += p->tracks.items[i].track->type == TB_TRACK_THREAD;
  }
  if (p->counters.count) summary->counters += p->counters.count - 1;
  summary->flows += p->flows.edges;
}

/* Sets which queues turned out not to be in order, and drops what was bound of them. */
static void forget_disordered(struct tb_perfetto_writer *p, bool *disordered) {
  bool any = false;
  for (size_t i = 0; i < p->sequence_count; i++) {
    const struct tb_writer_sequence *sequence = p->sequences[i];
    const struct tb_sort_queue *queue = sequence ? tb_stager_as(&sequence->stager, &tb_form_queue) : NULL;
    disordered[i] = queue && queue->has_flow && !tb_sort_queue_in_order(queue);
    any |= disordered[i];
  }
  if (any) tb_flows_forget(&p->flows, disordered);
}

static enum tb_status bind_all(struct tb_perfetto_writer *p, const bool *disordered) {
  enum tb_status status = TB_OK;
  for (uint32_t i = 0; status == TB_OK && i < p->sequence_count; i++)
    if (disordered[i])
      status = tb_flows_bind(&p->flows, p->sequences[i]->stager.state, i, p->staging.spill, &p->writer->error);
    else if (p->sequences[i] && tb_flow_binder_finish(&p->sequences[i]->binder, &p->flows) != TB_OK)
      status = no_memory(p);
  return status;
}

static enum tb_status bind_flows(struct tb_perfetto_writer *p) {
  bool *disordered = tb_alloc(p->allocator, p->sequence_count * sizeof(*disordered));
  if (!disordered) return no_memory(p);
  forget_disordered(p, disordered);
  enum tb_status status = bind_all(p, disordered);
  tb_free(p->allocator, disordered, p->sequence_count * sizeof(*disordered));
  if (status != TB_OK) return status;
  status = tb_flows_link(&p->flows, p->flow_registry.numbers, (uint32_t)p->flow_registry.texts.count + 1);
  if (status == TB_OK) status = tb_perfetto_write_unbound_flows(p);
  return status == TB_OK ? TB_OK : no_memory(p);
}

/* Whether a complete slice of a streamed sequence has one in it that never ends: packets that were written before that
 * was known end the one by an event, which ends the other with it. */
static bool is_around_endless(const struct tb_streamed_sequence *streamed) {
  bool complete = false;
  for (size_t i = 0; i < streamed->open_count; i++) {
    if (streamed->open[i].end == INT64_MAX && complete) return true;
    complete |= streamed->open[i].end != INT64_MAX && !streamed->open[i].silent;
  }
  return false;
}

/* Sees that a sequence can be read in the order of time: sorts what came when it ended, but does not nest, and what
 * came in no order. */
static enum tb_status order_sequence(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence) {
  struct tb_stager *stager = &sequence->stager;
  const struct tb_streamed_sequence *streamed = tb_stager_as(stager, &tb_form_streamed);
  enum tb_status status = TB_OK;
  if (streamed && is_around_endless(streamed)) status = tb_stager_next(stager, &p->writer->error);
  struct tb_end_ordered_sequence *end_ordered = tb_stager_as(stager, &tb_form_end_ordered);
  bool nests = true;
  if (status == TB_OK && end_ordered) status = tb_end_ordered_sequence_nests(end_ordered, &nests, &p->writer->error);
  if (status == TB_OK && !nests) status = tb_stager_next(stager, &p->writer->error);
  struct tb_sort_queue *queue = tb_stager_as(stager, &tb_form_queue);
  if (queue) queue->needs_matching |= tb_slice_stack_is_around_open(&queue->stack);
  if (status == TB_OK && queue && !queue->run_count && !queue->sorted) status = tb_sort_queue_index(queue);
  if (status == TB_OK && queue) status = tb_order_begins(queue);
  return status == TB_NO_MEMORY ? no_memory(p) : status;
}

static enum tb_status order_sequences(struct tb_perfetto_writer *p) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; status == TB_OK && i < p->sequence_count; i++)
    if (p->sequences[i]) status = order_sequence(p, p->sequences[i]);
  return status;
}

enum tb_status tb_perfetto_report_progress(struct tb_perfetto_writer *p, uint64_t entries) {
  struct tb_writer *writer = p->writer;
  if (!writer->on_write_progress) return TB_OK;
  uint64_t done = p->entries_written + entries, bytes = tb_output_bytes(writer->output);
  double size = done ? (double)bytes * (double)p->entries / (double)done : 0;
  return writer->on_write_progress(writer->on_write_progress_ctx, bytes, (uint64_t)size) ? TB_OK : TB_CANCELLED;
}

/* Makes a grouped sequence one like the others. */
static enum tb_status ungroup(struct tb_perfetto_writer *p, uint32_t index) {
  if (p->sequences[index]) return TB_OK;
  enum tb_status status = tb_perfetto_ungroup(p, index);
  return status == TB_OK ? order_sequence(p, p->sequences[index]) : status == TB_NO_MEMORY ? no_memory(p) : status;
}

static enum tb_status write_sequences(struct tb_perfetto_writer *p) {
  enum tb_status status = TB_OK;
  if (p->staging.grouped_sequence) p->entries = tb_stager_entries(&p->staging.grouped_sequence->stager);
  for (size_t i = 0; i < p->sequence_count; i++)
    if (p->sequences[i]) p->entries += tb_stager_entries(&p->sequences[i]->stager);
  for (uint32_t i = 0; i < p->sequence_count; i++) {
    status = ungroup(p, i);
    if (status != TB_OK) return status;
    uint64_t entries = tb_stager_entries(&p->sequences[i]->stager); /* which are freed as they are written */
    status = tb_perfetto_write_sequence(p, i);
    if (status != TB_OK) return status;
    if (p->sequences[i]->track) {
      tb_perfetto_free_sequence(p, p->sequences[i]);
      p->sequences[i] = NULL;
    }
    p->entries_written += entries;
  }
  return TB_OK;
}

/* A file of 0 bytes is no trace: where there was nothing to write, one packet that starts a sequence makes it one, and
 * says that there is this machine. */
static enum tb_status write_empty_trace(struct tb_perfetto_writer *p, uint64_t before, uint32_t sequence) {
  if (tb_output_bytes(p->writer->output) > before || p->sink.plain.len) return TB_OK;
  char fields[2 * 2 * TB_WIRE_VARINT_MAX];
  char *end = tb_wire_put_uint(fields, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, sequence);
  end = tb_wire_put_uint(end, TB_TRACE_PACKET_SEQUENCE_FLAGS, TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED);
  return tb_packet_sink_put_fields(&p->sink, (struct tb_str){fields, (size_t)(end - fields)});
}

static enum tb_status finish_machine(struct tb_writer *writer, struct tb_perfetto_writer *p) {
  uint64_t before = tb_output_bytes(writer->output);
  tb_perfetto_note_held(p);
  enum tb_status status = know_parents(p);
  for (size_t i = 0; i < p->tracks.count; i++)
    if (p->tracks.items[i].sequence) p->tracks.items[i].sequence->track = &p->tracks.items[i];
  if (status == TB_OK) status = tb_kernel_sched_end(&p->sched.kernel);
  if (status == TB_OK) status = tb_perfetto_end_grouping(p);
  if (status == TB_OK) status = tb_perfetto_ungroup_flows(p);
  if (status == TB_OK) status = order_sequences(p);
  if (status == TB_OK) status = bind_flows(p);
  if (status == TB_OK) status = order_sequences(p); /* of flows that join nothing */
  if (status != TB_OK) return status;
  tb_packet_sink_init(&p->sink, writer->output, writer->options.compress, p->machine, p->allocator, &writer->error);
  status = tb_perfetto_keep_stack_frames(p);
  if (status == TB_OK) status = tb_perfetto_write_preamble(p);
  tb_perfetto_mark_lossy(p);
  if (status == TB_OK) status = write_sequences(p);
  if (status == TB_OK) status = tb_perfetto_write_created_threads(p);
  uint32_t free_id = (uint32_t)p->sequence_count + TB_FIRST_SEQUENCE_ID;
  if (status == TB_OK && !tb_ftrace_text_is_empty(&p->ftrace)) status = tb_perfetto_write_ftrace(p, free_id++);
  if (status == TB_OK) status = tb_perfetto_write_packets(p, free_id);
  if (status == TB_OK) status = write_empty_trace(p, before, free_id);
  if (status == TB_OK) status = tb_packet_sink_flush(&p->sink);
  if (status == TB_OK) count_tracks(p);
  tb_perfetto_note_spilled(p);
  if (status != TB_OK && writer->error.code == TB_OK)
    (void)tb_fail(&writer->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  return status;
}

static enum tb_status finish(struct tb_writer *writer) {
  struct tb_perfetto_writer *first = writer->state;
  enum tb_status status = TB_OK;
  for (struct tb_perfetto_writer *p = first; p && status == TB_OK; p = p->next) {
    p->trace_clock = first->trace_clock;
    status = finish_machine(writer, p);
  }
  return status;
}

/* The trace's clock until a snapshot names one: of Perfetto's own it is the boot clock, which packets that are taken as
 * they are mean too. */
static uint32_t first_clock(const struct tb_writer *writer) {
  if (writer->options.clock) return writer->options.clock;
  return writer->is_own_source ? TB_CLOCK_BOOTTIME : TB_CLOCK_TRACE_FILE;
}

static void free_machine(struct tb_perfetto_writer *p) {
  for (size_t i = 0; i < p->sequence_count; i++) tb_perfetto_free_sequence(p, p->sequences[i]);
  tb_perfetto_free_grouping(p);
  tb_free(p->allocator, p->sequences, p->sequence_capacity * sizeof(*p->sequences));
  tb_free(p->allocator, p->tracks.items, p->tracks.capacity * sizeof(*p->tracks.items));
  tb_interned_free(&p->interned);
  tb_event_encoder_free(&p->encoder);
  tb_callstacks_free(&p->stacks);
  tb_writer_groups_free(&p->groups);
  tb_writer_counters_free(&p->counters, p->allocator);
  tb_writer_flows_free(&p->flow_registry);
  tb_writer_metadata_free(&p->metadata, p->allocator);
  tb_arena_free(&p->arena);
  tb_buffer_free(&p->scratch);
  tb_buffer_free(&p->passthrough.packets);
  tb_kernel_sched_free(&p->sched.kernel);
  tb_buffer_free(&p->passthrough.lossy_providers);
  tb_ftrace_text_free(&p->ftrace);
  tb_flows_free(&p->flows);
  if (p->sched.states.allocator) tb_map_free(&p->sched.states);
  tb_map_free(&p->tracks.main_threads);
  tb_map_free(&p->sched.dying);
  tb_packet_sink_free(&p->sink);
  tb_grouped_sequences_free(&p->staging.grouped);
  tb_spill_file_close(p->staging.spill);
  tb_block_cache_trim(&p->staging.blocks);
  tb_free(p->allocator, p, sizeof(*p));
}

/* NULL without memory. */
static struct tb_perfetto_writer *make_machine(struct tb_writer *writer, uint32_t machine) {
  struct tb_perfetto_writer *p = tb_calloc(writer->allocator, sizeof(*p));
  if (!p) return NULL;
  p->writer = writer;
  p->machine = machine;
  p->allocator = writer->allocator;
  tb_perfetto_set_budget(p);
  tb_block_cache_init(&p->staging.blocks, p->allocator);
  tb_grouped_sequences_init(&p->staging.grouped, p->allocator, &p->staging.in_queues);
  tb_interned_init(&p->interned, p->allocator);
  tb_event_encoder_init(&p->encoder, &p->interned);
  tb_callstacks_init(&p->stacks, p->allocator);
  tb_writer_groups_init(&p->groups, p->allocator);
  tb_writer_flows_init(&p->flow_registry, p->allocator);
  tb_arena_init(&p->arena, p->allocator, 0);
  tb_buffer_init(&p->scratch, p->allocator, 0);
  tb_buffer_init(&p->passthrough.packets, p->allocator, 0);
  tb_kernel_sched_init(&p->sched.kernel, p->allocator, &p->passthrough.packets);
  tb_buffer_init(&p->passthrough.lossy_providers, p->allocator, 0);
  tb_ftrace_text_init(&p->ftrace, &p->staging.blocks.allocator, p->allocator);
  p->ftrace.log.held = &p->staging.in_logs;
  tb_flows_init(&p->flows, p->allocator);
  p->flows.first_new_id = writer->options.first_new_flow_id;
  p->flows.new_ids_above = (uint64_t)machine << 32; /* flows go from machine to machine by their ids */
  p->flows.ends_close = writer->source.flow_ends_close;
  tb_map_init(&p->tracks.main_threads, p->allocator);
  tb_map_init(&p->metadata.empty_names, p->allocator);
  tb_map_init(&p->sched.dying, p->allocator);
  p->trace_clock = first_clock(writer);
  if (add_own_sequence(p, &tb_form_queue)) return p;
  free_machine(p);
  return NULL;
}

static void destroy(struct tb_writer *writer) {
  struct tb_perfetto_writer *next;
  for (struct tb_perfetto_writer *p = writer->state; p; p = next) {
    next = p->next;
    free_machine(p);
  }
}

static enum tb_status create(struct tb_writer *writer) {
  writer->state = make_machine(writer, 0);
  return writer->state ? TB_OK : tb_fail(&writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

const struct tb_writer_ops tb_perfetto_writer_ops = {
    .format = TB_FORMAT_PERFETTO,
    .create = create,
    .put = put,
    .finish = finish,
    .destroy = destroy,
    .padding = tb_perfetto_padding,
    .takes_compress = true,
    .counts_tracks = true,
    .target = {.packets = true, .ftrace_bundles = true, .narrow_ids = true}};
