/* SPDX-License-Identifier: Apache-2.0
 *
 * The tracks that the JSON writer knows, and the slices that are open on them.
 */
#include "chrome_json/writer/thread_slices.h"

enum { OPEN_MAX = 1 << 24 };

struct tb_json_track *tb_json_track_state(struct tb_json_writer *w, const struct tb_track *track) {
  size_t before = w->track_count;
  if (track->index >= before) {
    void *tracks = w->tracks;
    size_t capacity = before;
    if (tb_grow_array(w->writer->allocator, &tracks, &capacity, (size_t)track->index + 1, sizeof(*w->tracks),
                      UINT32_MAX) != TB_OK) {
      (void)tb_json_fail(w, TB_NO_MEMORY);
      return NULL;
    }
    w->tracks = tracks;
    w->track_count = capacity;
    for (size_t i = before; i < capacity; i++) {
      w->tracks[i] = (struct tb_json_track){.last_ts = INT64_MIN};
      tb_json_emit_init(&w->tracks[i].held, w->writer->allocator);
      tb_json_emit_init(&w->tracks[i].late, w->writer->allocator);
      tb_json_emit_init(&w->tracks[i].pending_ends, w->writer->allocator);
    }
  }
  return &w->tracks[track->index];
}

void tb_json_free_tracks(struct tb_json_writer *w) {
  for (size_t i = 0; i < w->track_count; i++) {
    tb_json_emit_free(&w->tracks[i].held);
    tb_json_emit_free(&w->tracks[i].late);
    tb_json_emit_free(&w->tracks[i].pending_ends);
    tb_open_names_free(&w->tracks[i].names);
    tb_free(w->writer->allocator, w->tracks[i].open, w->tracks[i].open_capacity * sizeof(*w->tracks[i].open));
  }
  tb_free(w->writer->allocator, w->tracks, w->track_count * sizeof(*w->tracks));
}

/* ---- open slices ------------------------------------------------------------------------------------------------- */

void tb_json_emit_event_ids(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event,
                            bool on_thread) {
  tb_json_emit_ids_of(w, emit, event);
  if (event->id.kind || event->scope.ptr) tb_json_emit_id(emit, event);
  if (!on_thread && !event->id.kind && event->phase != 'S') tb_json_emit_track_id(emit, event->track);
}

bool tb_json_in_order(struct tb_json_track *state, const struct tb_event *event) {
  if (event->ts < state->last_ts || event->has & TB_HAS_CPU) return false;
  state->last_ts = event->ts;
  return true;
}

bool tb_json_is_on_thread(struct tb_json_track *state, const struct tb_event *event) {
  if (event->track->type == TB_TRACK_CUSTOM && event->type == TB_EVENT_SLICE_BEGIN &&
      (event->phase == 'X' || event->phase == 'B'))
    state->overflow = true;
  return event->track->type == TB_TRACK_THREAD || state->overflow;
}

static void count_name(struct tb_json_writer *w, struct tb_json_track *state, struct tb_json_open *slice) {
  size_t place = (size_t)(slice - state->open);
  struct tb_str name = {state->held.buffer.data + slice->at, slice->category_at - slice->at};
  slice->name_id = tb_open_name_of(name, place);
  enum tb_status status = tb_open_names_add(&state->names, w->writer->allocator, place, slice->name_id, 0);
  if (status != TB_OK) (void)tb_json_fail(w, status);
}

void tb_json_note_ended(struct tb_json_track *state, size_t index) {
  state->open[index].ended = true;
  tb_open_names_remove(&state->names, index, state->open[index].name_id, 0);
}

struct tb_json_open *tb_json_push_slice(struct tb_json_writer *w, struct tb_json_track *state,
                                        const struct tb_event *event) {
  void *open = state->open;
  enum tb_status status = tb_grow_array(w->writer->allocator, &open, &state->open_capacity, state->open_count + 1,
                                        sizeof(*state->open), OPEN_MAX);
  state->open = open;
  if (status != TB_OK) {
    (void)tb_json_fail(w, status);
    return NULL;
  }
  struct tb_json_open *slice = &state->open[state->open_count++];
  struct tb_json_emit *held = &state->held;
  bool on_thread = tb_json_is_on_thread(state, event);
  *slice = (struct tb_json_open){.at = held->buffer.len,
                                 .late_at = state->late.buffer.len,
                                 .ts = event->ts,
                                 .thread_ts = event->thread_ts,
                                 .has = event->has};
  slice->dur = event->dur;
  slice->thread_dur = event->thread_dur;
  tb_json_emit_name(held, event);
  slice->category_at = held->buffer.len;
  count_name(w, state, slice);
  tb_json_emit_category(held, event);
  slice->ids_at = held->buffer.len;
  tb_json_emit_event_ids(w, held, event, on_thread);
  slice->rest_at = held->buffer.len;
  if (on_thread) tb_json_emit_rest(w, held, event);
  slice->args_at = held->buffer.len;
  if (on_thread) tb_json_emit_args(w, held, event);
  return slice;
}

void tb_json_pop_slice(struct tb_json_writer *w, struct tb_json_track *state) {
  struct tb_buffer *text = &state->held.buffer;
  do {
    const struct tb_json_open *slice = &state->open[--state->open_count];
    if (!slice->ended) tb_open_names_remove(&state->names, state->open_count, slice->name_id, 0);
    text->len = slice->at;
  } while (state->open_count && state->open[state->open_count - 1].ended);
  if (state->held.status != TB_OK) (void)tb_json_fail(w, state->held.status);
  if (!text->len && text->capacity > TB_JSON_HELD_KEEP) tb_buffer_free(text);
}
