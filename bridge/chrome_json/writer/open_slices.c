/* SPDX-License-Identifier: Apache-2.0
 *
 * The tracks that the JSON writer knows, and the slices that are open on them.
 */
#include "chrome_json/writer/thread_slices.h"

enum { OPEN_MAX = 1 << 24 };

struct tb_json_track *tb_json_add_track(struct tb_json_writer *w, const struct tb_track *track) {
  void *tracks = w->tracks;
  enum tb_status status = tb_grow_array(w->writer->allocator, &tracks, &w->track_capacity, (size_t)track->index + 1,
                                        sizeof(*w->tracks), UINT32_MAX);
  w->tracks = tracks;
  if (status != TB_OK) {
    (void)tb_json_fail(w, TB_NO_MEMORY);
    return NULL;
  }
  while (w->track_count <= track->index) /* what is behind takes no memory before it is written */
    w->tracks[w->track_count++] = (struct tb_json_track){.slices = &w->no_slices,
                                                         .last_ts = INT64_MIN,
                                                         .begun_at = INT64_MAX,
                                                         .back_to = INT64_MAX,
                                                         .ended_at = INT64_MIN};
  return &w->tracks[track->index];
}

static void free_slices(const void *ctx, struct tb_open_stack *stack) {
  (void)ctx;
  struct tb_json_slices *slices = (struct tb_json_slices *)stack;
  tb_json_emit_free(&slices->held);
  tb_json_emit_free(&slices->late);
  tb_json_emit_free(&slices->pending_ends);
}

void tb_json_free_tracks(struct tb_json_writer *w) {
  tb_open_stacks_free(&w->slices, free_slices, NULL);
  tb_free(w->writer->allocator, w->tracks, w->track_capacity * sizeof(*w->tracks));
}

bool tb_json_take_slices(struct tb_json_writer *w, struct tb_json_track *state) {
  if (state->slices != &w->no_slices) return true;
  struct tb_open_stack *stack = tb_open_stacks_take(&w->slices, (uint32_t)(state - w->tracks));
  if (!stack) {
    (void)tb_json_fail(w, TB_NO_MEMORY);
    return false;
  }
  state->slices = (struct tb_json_slices *)stack;
  if (state->slices->held.buffer.allocator) return true;
  tb_json_emit_init(&state->slices->held, w->writer->allocator);
  tb_json_emit_init(&state->slices->late, w->writer->allocator);
  tb_json_emit_init(&state->slices->pending_ends, w->writer->allocator);
  return true;
}

void tb_json_return_slices(struct tb_json_writer *w, struct tb_json_track *state) {
  struct tb_json_slices *slices = state->slices;
  if (slices == &w->no_slices || slices->stack.count || slices->late.buffer.len || slices->pending_ends.buffer.len ||
      slices->waiting.track)
    return;
  tb_open_stacks_return(&w->slices, &slices->stack);
  state->slices = &w->no_slices;
}

/* ---- open slices ------------------------------------------------------------------------------------------------- */

void tb_json_emit_event_ids(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event,
                            bool on_thread) {
  tb_json_emit_ids_of(w, emit, event);
  if (event->id.kind || event->scope.ptr) tb_json_emit_id(emit, event);
  if (!on_thread && !event->id.kind && event->phase != 'S')
    tb_json_emit_track_id(emit, event->track, tb_json_names_process(event));
}

bool tb_json_in_order(struct tb_json_track *state, const struct tb_event *event) {
  if (event->ts < state->last_ts || event->has & TB_HAS_CPU) return false;
  state->last_ts = event->ts;
  return true;
}

bool tb_json_is_overflow(struct tb_json_track *state, const struct tb_event *event) {
  if (event->track->type == TB_TRACK_CUSTOM && event->type == TB_EVENT_SLICE_BEGIN &&
      (event->phase == 'X' || event->phase == 'B'))
    state->overflow = true;
  return state->overflow;
}

struct tb_json_open *tb_json_push_slice(struct tb_json_writer *w, struct tb_json_track *state,
                                        const struct tb_event *event, bool on_thread) {
  if (!tb_json_take_slices(w, state)) return NULL;
  struct tb_open_stack *stack = &state->slices->stack;
  struct tb_json_emit *held = &state->slices->held;
  size_t at = held->buffer.len;
  tb_json_emit_name(held, event);
  size_t category_at = held->buffer.len;
  struct tb_str name = tb_json_held(state, at, category_at);
  const struct tb_open_frame open = {.ts = event->ts, .name = tb_open_name_of(name, stack->count)};
  struct tb_json_open *slice = (void *)tb_open_stack_push(stack, w->writer->allocator, &open, OPEN_MAX);
  if (!slice) {
    (void)tb_json_fail(w, stack->count < OPEN_MAX ? TB_NO_MEMORY : TB_LIMIT);
    return NULL;
  }
  slice->phase = 0;
  slice->begins_with_b = event->ts == state->begun_at;
  slice->flow_number = 0;
  slice->flow_ts = slice->outer_flow_ts = INT64_MIN;
  if (stack->count > 1)
    slice->outer_flow_ts = slice[-1].flow_ts > slice[-1].outer_flow_ts ? slice[-1].flow_ts : slice[-1].outer_flow_ts;
  slice->at = at;
  slice->late_at = state->slices->late.buffer.len;
  slice->thread_ts = event->thread_ts;
  slice->has = event->has;
  slice->dur = event->dur;
  slice->thread_dur = event->thread_dur;
  slice->category_at = category_at;
  tb_json_emit_category(held, event);
  slice->ids_at = held->buffer.len;
  tb_json_emit_event_ids(w, held, event, on_thread);
  slice->rest_at = held->buffer.len;
  if (on_thread) tb_json_emit_rest(w, held, event);
  slice->args_at = held->buffer.len;
  if (on_thread) tb_json_emit_args(w, held, event);
  w->slices.bytes += sizeof(*slice) + held->buffer.len - at;
  return slice;
}

void tb_json_pop_slice(struct tb_json_writer *w, struct tb_json_track *state) {
  struct tb_json_slices *slices = state->slices;
  struct tb_buffer *text = &slices->held.buffer;
  size_t before = slices->stack.count, end = text->len;
  tb_open_stack_pop(&slices->stack);
  text->len = tb_json_opened(state)[slices->stack.count].at;
  w->slices.bytes -= (before - slices->stack.count) * sizeof(struct tb_json_open) + end - text->len;
  if (slices->held.status != TB_OK) (void)tb_json_fail(w, slices->held.status);
  if (!text->len && text->capacity > TB_JSON_HELD_KEEP) tb_buffer_free(text);
  if (!slices->stack.count) tb_json_return_slices(w, state);
}
