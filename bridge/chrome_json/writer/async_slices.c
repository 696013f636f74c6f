/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices and instants of tracks that are no threads': a slice becomes b and e (or the pair that its phase asks for)
 * with the track's id; its name, category and ids are held for the e, which must repeat them.
 */
#include "chrome_json/writer/thread_slices.h"

/* Ends an object: aside once one of the track is, so that they keep their order. */
static void end_object(struct tb_json_writer *w, struct tb_json_track *state, size_t start, uint64_t flow_number) {
  if (flow_number) state->deferred = true;
  if (state->deferred)
    tb_json_defer_object(w, start, flow_number);
  else
    tb_json_object_end(w, start, 0);
}

/* ---- ends before their begins
 *
 * Begin and end of a slice may come from two sequences, whose packets are one after the other, the end's first.
 * Readers match the two by category, which the begin alone says. So an end without a name waits for the first begin
 * that is earlier than itself. The ends that wait are a queue: a pending_end, then the members of its object.
 * ---------------------------------------------------------------------------------------------------------- */

struct pending_end {
  size_t len;
  int64_t ts;
};

static void keep_pending_end(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event) {
  if (!tb_json_take_slices(w, state)) return;
  struct tb_json_emit *pending_ends = &state->slices->pending_ends;
  struct pending_end end = {.ts = event->ts};
  size_t at = pending_ends->buffer.len;
  tb_json_emit_raw(pending_ends, (const char *)&end, sizeof(end));
  tb_json_emit_phase(pending_ends, 'e');
  tb_json_emit_times(pending_ends, event);
  tb_json_emit_event_ids(w, pending_ends, event, false);
  tb_json_emit_rest(w, pending_ends, event);
  tb_json_emit_args(w, pending_ends, event);
  if (pending_ends->status != TB_OK) {
    (void)tb_json_fail(w, pending_ends->status);
    return;
  }
  end.len = pending_ends->buffer.len - at - sizeof(end);
  memcpy(pending_ends->buffer.data + at, &end, sizeof(end));
}

bool tb_json_write_pending_ends(struct tb_json_writer *w, struct tb_json_track *state, int64_t ts, bool begins) {
  struct tb_buffer *text = &state->slices->pending_ends.buffer;
  bool own = false;
  while (!own && state->slices->pending_ends_at < text->len && state->slices->pending_ends.status == TB_OK) {
    struct pending_end end;
    memcpy(&end, text->data + state->slices->pending_ends_at, sizeof(end));
    own = begins && end.ts > ts;
    size_t start = tb_json_object_begin(w);
    tb_json_emit_raw(&w->out, text->data + state->slices->pending_ends_at + sizeof(end), end.len);
    if (own) {
      const struct tb_json_open *slice = tb_json_innermost(state);
      tb_json_emit_held(&w->out, state, slice->category_at, slice->ids_at);
    }
    end_object(w, state, start, 0);
    state->slices->pending_ends_at += sizeof(end) + end.len;
  }
  if (state->slices->pending_ends_at > text->len / 2) {
    memmove(text->data, text->data + state->slices->pending_ends_at, text->len - state->slices->pending_ends_at);
    text->len -= state->slices->pending_ends_at;
    state->slices->pending_ends_at = 0;
  }
  if (!text->len) tb_buffer_free(text);
  tb_json_return_slices(w, state);
  return own;
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static char begin_phase(const struct tb_event *event) {
  return event->phase == 'S' || event->phase == 'N' || event->phase == '(' ? event->phase : 'b';
}

static char end_phase(char begin) { return begin == 'S' ? 'F' : begin == 'N' ? 'D' : begin == '(' ? ')' : 'e'; }

void tb_json_begin_elsewhere(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event) {
  tb_json_follow_time(w, state, event);
  struct tb_json_open *slice = tb_json_push_slice(w, state, event, false);
  if (!slice) return;
  slice->phase = begin_phase(event);
  if (!event->id.kind) tb_json_describe(w, event->track);
  state = tb_json_track_state(w, event->track);
  size_t start = tb_json_object_begin(w);
  tb_json_emit_held(&w->out, state, slice->at, slice->ids_at);
  tb_json_emit_phase(&w->out, slice->phase);
  tb_json_emit_times(&w->out, event);
  tb_json_emit_held(&w->out, state, slice->ids_at, slice->rest_at);
  tb_json_emit_rest(w, &w->out, event);
  tb_json_emit_args(w, &w->out, event);
  slice->flow_number = tb_json_keep_flows(w, event);
  end_object(w, state, start, slice->flow_number);
  if (state->slices->pending_ends.buffer.len && tb_json_write_pending_ends(w, state, event->ts, true))
    tb_json_pop_slice(w, state);
}

/* The flows of an end are its slice's, which is written already: only where that has some too it can take more. */
static void keep_flows_of_end(struct tb_json_writer *w, const struct tb_json_open *slice, const struct tb_event *end) {
  if (slice->flow_number)
    (void)tb_json_keep_end_flows(w, end, slice->open.ts, slice->flow_number);
  else if (tb_json_has_flows(end))
    tb_json_lose(w, "flows of the end of a slice that is on no thread's track", end);
}

struct wanted_slice {
  const struct tb_buffer *held, *text;
  int64_t ts;
};

static bool has_name(const void *ctx, const struct tb_open_frame *frame) {
  const struct wanted_slice *wanted = ctx;
  const struct tb_json_open *slice = (const void *)frame;
  size_t len = slice->category_at - slice->at;
  return len == wanted->text->len && memcmp(wanted->text->data, wanted->held->data + slice->at, len) == 0;
}

static bool has_category(const void *ctx, const struct tb_open_frame *frame) {
  const struct wanted_slice *wanted = ctx;
  const struct tb_json_open *slice = (const void *)frame;
  size_t len = slice->ids_at - slice->category_at;
  return frame->ts <= wanted->ts && len == wanted->text->len &&
         memcmp(wanted->text->data, wanted->held->data + slice->category_at, len) == 0;
}

/* The index of the slice that the end closes: the innermost one of its name, where it has one, else the innermost of
 * those that began before it, of its category where it has one. */
static size_t find_open(struct tb_json_writer *w, const struct tb_json_track *state, const struct tb_event *end) {
  const struct tb_open_stack *stack = &state->slices->stack;
  const struct tb_buffer *text = &w->scratch.buffer;
  const struct wanted_slice wanted = {&state->slices->held.buffer, text, end->ts};
  size_t found = 0;
  w->scratch.buffer.len = 0;
  if (end->name.len) {
    tb_json_emit_name(&w->scratch, end);
    uint64_t id = tb_open_name_of((struct tb_str){text->data, text->len}, stack->count);
    found = tb_open_stack_find(stack, id, 0, has_name, &wanted);
    return (found ? found : stack->count) - 1;
  }
  tb_json_emit_category(&w->scratch, end);
  if (text->len) found = tb_open_stack_find(stack, 0, 0, has_category, &wanted);
  if (!found) found = tb_open_stack_begun(stack, end->ts);
  return (found ? found : stack->count) - 1;
}

/* Whether an end says itself what readers find its begin by. */
static bool names_slice(const struct tb_event *end) {
  return end->has & (TB_HAS_NAME | TB_HAS_CATEGORIES) || end->name.len || end->categories.len;
}

/* The name of an end: its own, or its slice's where that is certain so far. `ours`: the length of the latter. */
static void emit_end_name(struct tb_json_writer *w, const struct tb_json_track *state, const struct tb_json_open *slice,
                          const struct tb_event *event, uint32_t *ours) {
  if (event->has & TB_HAS_NAME || event->name.len) {
    tb_json_emit_name(&w->out, event);
    return;
  }
  if (state->mixed) return;
  tb_json_emit_held(&w->out, state, slice->at, slice->category_at);
  *ours = (uint32_t)(slice->category_at - slice->at);
}

static void close_end(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_json_end *end) {
  if (!end->name_len) {
    end_object(w, state, end->at, 0);
  } else if (state->deferred) {
    tb_json_defer_end(w, end);
  } else {
    tb_json_object_end(w, end->at, 0);
    tb_json_note_end_name(w, state, end);
  }
}

void tb_json_end_elsewhere(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event) {
  static const struct tb_json_open none = {0};
  tb_json_follow_time(w, state, event);
  if (!state->slices->stack.count && !event->id.kind && !names_slice(event)) {
    keep_pending_end(w, state, event);
    keep_flows_of_end(w, &none, event);
    return;
  }
  size_t index = state->slices->stack.count ? find_open(w, state, event) : 0;
  const struct tb_json_open *slice = state->slices->stack.count ? &tb_json_opened(state)[index] : &none;
  struct tb_json_end end = {.ts = event->ts, .at = tb_json_object_begin(w), .track = event->track->index};
  emit_end_name(w, state, slice, event, &end.name_len);
  if (event->has & TB_HAS_CATEGORIES || event->categories.len)
    tb_json_emit_category(&w->out, event);
  else
    tb_json_emit_held(&w->out, state, slice->category_at, slice->ids_at);
  tb_json_emit_phase(&w->out, end_phase(slice->phase));
  tb_json_emit_times(&w->out, event);
  if (event->id.kind || !state->slices->stack.count)
    tb_json_emit_event_ids(w, &w->out, event, false);
  else
    tb_json_emit_held(&w->out, state, slice->ids_at, slice->rest_at);
  tb_json_emit_rest(w, &w->out, event);
  tb_json_emit_args(w, &w->out, event);
  close_end(w, state, &end);
  keep_flows_of_end(w, slice, event);
  if (!state->slices->stack.count) return;
  if (tb_open_stack_end(&state->slices->stack, index)) tb_json_pop_slice(w, state);
}

/* ---- instants ---------------------------------------------------------------------------------------------------- */

void tb_json_instant_elsewhere(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event,
                               char phase) {
  bool custom = event->track->type == TB_TRACK_CUSTOM;
  bool implied = phase == 'i' || phase == 'I' || !phase;
  if (custom && implied) phase = 'n';
  if (custom && !event->id.kind && phase == 'n') tb_json_describe(w, event->track);
  state = tb_json_track_state(w, event->track);
  size_t start = tb_json_object_begin(w);
  tb_json_emit_head(&w->out, event);
  tb_json_emit_phase(&w->out, phase ? phase : 'i');
  tb_json_emit_times(&w->out, event);
  tb_json_emit_event_ids(w, &w->out, event, !(custom && phase == 'n'));
  if (event->instant_scope)
    tb_json_emit_scope(&w->out, event->instant_scope);
  else if (!custom && implied)
    tb_json_emit_scope(&w->out, event->track->type == TB_TRACK_PROCESS ? 'p' : 'g');
  tb_json_emit_rest(w, &w->out, event);
  tb_json_emit_args(w, &w->out, event);
  end_object(w, state, start, tb_json_keep_flows(w, event));
}
