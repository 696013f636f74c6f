/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes events as FXT.
 */
#include "fxt/writer/writer.h"

#include "base/error.h"

/* Everything that happens on a track names the track first, and those around it. */
static void describe_all(struct tb_fxt_writer *w, const struct tb_event *event) {
  const struct tb_track *const tracks[] = {event->track, event->thread};
  for (size_t i = 0; i < 2; i++)
    for (const struct tb_track *track = tracks[i]; track; track = track->parent) tb_fxt_describe(w, track);
}

/* A bind_id with a direction is a record of a flow. */
static bool lacks_direction(const struct tb_event *event) {
  enum { BINDING = TB_HAS_FLOW_IN | TB_HAS_FLOW_OUT | TB_HAS_FLOWS_DUPLICATED };
  return event->bind_id.kind != TB_ID_NONE && !(event->has & BINDING);
}

static void put_event(struct tb_fxt_writer *w, const struct tb_event *event) {
  if (lacks_direction(event)) tb_fxt_lose_event(w, "a bind_id without a direction, which FXT has no place for", event);
  switch (event->type) {
    case TB_EVENT_SLICE_BEGIN:
    case TB_EVENT_SLICE_END:
    case TB_EVENT_SLICE_COMPLETE:
      tb_fxt_put_slice(w, event);
      break;
    case TB_EVENT_COUNTER:
      tb_fxt_put_counter(w, event);
      break;
    case TB_EVENT_THREAD_STATE:
      tb_fxt_put_thread_state(w, event);
      break;
    case TB_EVENT_LOG:
      tb_fxt_put_log(w, event);
      break;
    case TB_EVENT_TRACK:
      tb_fxt_describe(w, event->track);
      break;
    case TB_EVENT_METADATA:
    case TB_EVENT_TRACE_METADATA:
      tb_fxt_put_metadata(w, event);
      break;
    case TB_EVENT_CLOCK_SNAPSHOT:
      tb_fxt_put_clocks(w, event);
      break;
    case TB_EVENT_DATA_LOSS:
      tb_fxt_put_data_loss(w, event);
      break;
    case TB_EVENT_PACKETS:
    case TB_EVENT_BLOB:
      if (!w->provider) tb_fxt_use_process(w, 0);
      tb_fxt_put_blob(w, event);
      break;
    case TB_EVENT_STACK_FRAME:
      tb_fxt_put_stack_frame(w, event);
      break;
    case TB_EVENT_SYSTEM_TRACE:
      if (!w->provider) tb_fxt_use_process(w, 0);
      tb_fxt_lose_event(w, "ftrace text, which FXT has no place for", event);
      break;
    default:
      if (!tb_fxt_put_bare_end(w, event)) tb_fxt_put_other(w, event);
      break;
  }
}

/* Takes metadata of providers, and tracks that come before anything else: they are described when it is known in
 * which provider.
 */
static bool takes_lead(struct tb_fxt_writer *w, const struct tb_event *event) {
  if (tb_fxt_take_provider(w, event)) return true;
  if (w->began || event->type != TB_EVENT_TRACK) return false;
  void *leads = w->leads;
  enum tb_status status = tb_grow_zeroed(w->writer->allocator, &leads, &w->lead_capacity,
                                         (size_t)event->track->index + 1, sizeof(*w->leads), (size_t)UINT32_MAX + 1);
  w->leads = leads;
  if (status == TB_OK)
    w->leads[event->track->index] = event->track;
  else
    tb_fxt_fail(w, status);
  return true;
}

static void free_leads(struct tb_fxt_writer *w) {
  tb_free(w->writer->allocator, w->leads, w->lead_capacity * sizeof(*w->leads));
  w->leads = NULL;
  w->lead_capacity = 0;
}

static void begin(struct tb_fxt_writer *w) {
  if (w->began) return;
  w->began = true;
  for (size_t i = 0; i < w->lead_capacity; i++) tb_fxt_describe(w, w->leads[i]);
  free_leads(w);
}

static enum tb_status put(struct tb_writer *writer, const struct tb_event *event) {
  struct tb_fxt_writer *w = writer->state;
  w->args.count = 0;
  tb_arena_reset(&w->scratch);
  if (event->type != TB_EVENT_COUNTER) tb_fxt_finish_counter(w);
  if (event->type != TB_EVENT_THREAD_STATE) tb_fxt_finish_switch(w);
  if (takes_lead(w, event)) return w->status;
  begin(w);
  describe_all(w, event);
  if (w->status == TB_OK) put_event(w, event);
  if (tb_open_stacks_are_full(&w->slices)) tb_fxt_make_room(w);
  return w->status;
}

static void prefetch(const struct tb_writer *writer, const struct tb_event *event, unsigned stage) {
  const struct tb_fxt_writer *w = writer->state;
  if (!event->track || event->track->index >= w->track_state_count) return;
  const struct tb_fxt_track_state *track_state = &w->track_states[event->track->index];
  if (stage == 0) {
    tb_prefetch(track_state, sizeof(*track_state));
    return;
  }
  if (track_state->is_packed) {
    if (stage == 1) tb_fxt_packed_slices_prefetch(&w->packed, track_state->packed);
    return;
  }
  const struct tb_open_stack *stack = &track_state->slices->stack;
  const struct tb_fxt_open *slices = stack->frames;
  if (stage == 1)
    tb_prefetch(track_state->slices, sizeof(*track_state->slices));
  else if (stack->count && stage == 2)
    tb_prefetch(&slices[stack->count - 1], sizeof(*slices));
  else if (stack->count && slices[stack->count - 1].block)
    tb_prefetch(slices[stack->count - 1].block, 1);
}

static enum tb_status finish(struct tb_writer *writer) {
  struct tb_fxt_writer *w = writer->state;
  begin(w);
  tb_fxt_finish_counter(w);
  tb_fxt_finish_switch(w);
  tb_fxt_finish_delayed_flows(w);
  tb_fxt_finish_slices(w);
  tb_fxt_finish_flows(w);
  return w->status;
}

/* ---- the writer -------------------------------------------------------------------------------------------------- */

static void destroy(struct tb_writer *writer) {
  struct tb_fxt_writer *w = writer->state;
  free_leads(w);
  tb_fxt_free_providers(w);
  tb_fxt_free_slices(w);
  tb_map_free(&w->ids);
  tb_fxt_free_flows(w);
  tb_fxt_free_delayed_flows(w);
  tb_map_free(&w->running);
  tb_free(writer->allocator, w->outgoing.args, w->outgoing.block_size);
  tb_buffer_free(&w->sampling.texts);
  tb_arena_free(&w->scratch);
  tb_free(writer->allocator, w, sizeof(*w));
}

static enum tb_status create(struct tb_writer *writer) {
  struct tb_fxt_writer *w = tb_calloc(writer->allocator, sizeof(*w));
  if (!w) return tb_fail(&writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  w->writer = writer;
  writer->target.packets = writer->options.keep_packets;
  writer->target.no_recorder = !writer->options.keep_packets;
  w->providers.allocator = w->process_providers.allocator = w->said.allocator = w->sequences.allocator =
      w->ids.allocator = w->flows.allocator = w->ends.allocator = w->running.allocator = w->more.allocator =
          writer->allocator;
  tb_fxt_init_slices(w);
  tb_arena_init(&w->scratch, writer->allocator, 0);
  tb_buffer_init(&w->sampling.texts, writer->allocator, 0);
  writer->state = w;
  static const uint64_t magic = TB_FXT_MAGIC;
  enum tb_status status = tb_output_write(writer->output, &magic, sizeof(magic), &writer->error);
  if (status != TB_OK) destroy(writer);
  return status;
}

/* Magic number records, which readers skip, so that no string is where a tar header has its magic. */
static size_t pad_with_magic(char padding[TB_OUTPUT_PADDING_MAX]) {
  static const uint64_t magic = TB_FXT_MAGIC;
  for (size_t at = 0; at < TB_OUTPUT_PADDING_MAX; at += sizeof(magic)) memcpy(padding + at, &magic, sizeof(magic));
  return TB_OUTPUT_PADDING_MAX;
}

const struct tb_writer_ops tb_fxt_writer_ops = {
    .format = TB_FORMAT_FXT,
    .create = create,
    .put = put,
    .prefetch = prefetch,
    .finish = finish,
    .destroy = destroy,
    .padding = pad_with_magic,
    .has_magic = true,
    .takes_keep_packets = true,
    .target = {.fxt_blobs = true, .system_as_events = true, .threads_placed = true, .one_machine = true}};
