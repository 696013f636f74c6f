/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices and instants of threads, as Perfetto and FXT have them: a slice is held as text until its end is known, and
 * becomes one X. If the events of a track do not come in order, an end names another slice than the innermost, or more
 * is held than memory is for, the slices are written as B and E, which every reader sorts by time.
 */
#include "chrome_json/writer/thread_slices.h"
#include "base/times.h"
#include "chrome_json/writer/merge_args.h"

/* ---- slices held back
 *
 * Of two X of one thread with the same time and duration readers take the first one for the outer one; but the inner
 * one ends first. So an X that begins with the slice around it waits for the end of that. What waits is a chain,
 * innermost first: a late_slice, members of an object, and the same late_slice.
 * ---------------------------------------------------------------------------------------------------------- */

struct late_slice {
  size_t len; /* of the members */
  uint64_t flow_number;
  size_t phase_at, ids_at; /* in the members, which are as those of struct tb_json_open */
  struct tb_json_times times;
  const struct tb_track *thread;
};

/* Removes the object that began at `start` from the output and keeps it in state->slices->late. */
static void hold_back(struct tb_json_writer *w, struct tb_json_track *state, size_t start, struct late_slice late) {
  struct tb_json_emit *to = &state->slices->late;
  late.len = w->out.buffer.len - start;
  tb_json_emit_raw(to, (const char *)&late, sizeof(late));
  tb_json_emit_raw(to, w->out.buffer.data + start, late.len);
  tb_json_emit_raw(to, (const char *)&late, sizeof(late));
  if (to->status != TB_OK) (void)tb_json_fail(w, to->status);
  tb_json_object_cancel(w, start);
}

/* Writes what was held back since `from`, outermost first; to the end of the trace where `deferred`. */
static void write_late(struct tb_json_writer *w, struct tb_json_track *state, size_t from, bool deferred) {
  struct tb_buffer *text = &state->slices->late.buffer;
  while (text->len > from && state->slices->late.status == TB_OK) {
    struct late_slice late;
    text->len -= sizeof(late);
    memcpy(&late, text->data + text->len, sizeof(late));
    text->len -= late.len;
    deferred |= late.flow_number != 0;
    size_t start = tb_json_object_begin(w);
    tb_json_emit_raw(&w->out, text->data + text->len, late.len);
    text->len -= sizeof(late);
    if (deferred)
      tb_json_defer_object(w, start, late.flow_number);
    else
      tb_json_object_end(w, start, 0);
  }
  if (!text->len && text->capacity > TB_JSON_HELD_KEEP) tb_buffer_free(text);
}

static void write_late_begin(struct tb_json_writer *w, const struct late_slice *late, const char *members) {
  struct tb_json_times times = late->times;
  times.has &= ~(uint32_t)(TB_HAS_DUR | TB_HAS_THREAD_DUR);
  size_t start = tb_json_object_begin(w);
  tb_json_emit_raw(&w->out, members, late->phase_at);
  tb_json_emit_phase(&w->out, 'B');
  tb_json_emit_some_times(&w->out, &times);
  tb_json_emit_raw(&w->out, members + late->ids_at, late->len - late->ids_at);
  tb_json_object_end(w, start, late->flow_number);
}

static void write_late_end(struct tb_json_writer *w, const struct late_slice *late) {
  const struct tb_json_times *slice = &late->times;
  struct tb_json_times times = {.has = TB_HAS_TS, .ts = tb_time_add(slice->ts, slice->dur)};
  if (slice->has & TB_HAS_THREAD_TS && slice->has & TB_HAS_THREAD_DUR) times.has |= TB_HAS_THREAD_TS;
  times.thread_ts = tb_wrap_add(slice->thread_ts, slice->thread_dur);
  size_t start = tb_json_object_begin(w);
  tb_json_emit_phase(&w->out, 'E');
  tb_json_emit_some_times(&w->out, &times);
  tb_json_emit_ids(w, &w->out, late->thread); /* the members may have some that are the begin's own */
  tb_json_object_end(w, start, 0);
}

/* Writes what was held back from `from` to `to`, in a slice that is written as a B, as B and E: of one time readers
 * take an X for the outer one. */
static void write_late_in_begin(struct tb_json_writer *w, const struct tb_json_track *state, size_t from, size_t to) {
  const char *text = state->slices->late.buffer.data;
  struct late_slice late;
  for (size_t at = to; at > from;) {
    memcpy(&late, text + at - sizeof(late), sizeof(late));
    at -= late.len + 2 * sizeof(late);
    write_late_begin(w, &late, text + at + sizeof(late));
  }
  for (size_t at = from; at < to; at += late.len + 2 * sizeof(late)) {
    memcpy(&late, text + at, sizeof(late));
    write_late_end(w, &late);
  }
}

/* ---- slices of threads ------------------------------------------------------------------------------------------- */

/* An open slice as a B. */
static void write_begin(struct tb_json_writer *w, const struct tb_json_track *state, const struct tb_json_open *slice) {
  struct tb_json_times times = {.has = slice->has,
                                .ts = slice->open.ts,
                                .dur = slice->dur,
                                .thread_ts = slice->thread_ts,
                                .thread_dur = slice->thread_dur};
  size_t end = slice == tb_json_innermost(state) ? state->slices->held.buffer.len : slice[1].at;
  size_t start = tb_json_object_begin(w);
  tb_json_emit_held(&w->out, state, slice->at, slice->ids_at);
  tb_json_emit_phase(&w->out, 'B');
  tb_json_emit_some_times(&w->out, &times);
  tb_json_emit_held(&w->out, state, slice->ids_at, end);
  tb_json_object_end(w, start, slice->flow_number);
}

static void write_begins_from(struct tb_json_writer *w, struct tb_json_track *state, size_t first) {
  struct tb_json_slices *slices = state->slices;
  for (size_t i = first; i < slices->stack.count && slices->late.status == TB_OK; i++) {
    struct tb_json_open *slice = &tb_json_opened(state)[i];
    if (slice->phase) continue; /* it is written */
    write_begin(w, state, slice);
    write_late_in_begin(w, state, slice->late_at,
                        i + 1 < slices->stack.count ? slice[1].late_at : slices->late.buffer.len);
    slice->phase = 'B';
    state->begun_at = slice->open.ts;
  }
}

static void write_begins_of_all(struct tb_json_writer *w, struct tb_json_track *state) {
  write_begins_from(w, state, 0);
  tb_buffer_free(&state->slices->late.buffer);
}

/* What is open goes out as it is, and its ends will do so too. */
static void write_begins(struct tb_json_writer *w, struct tb_json_track *state) {
  write_begins_of_all(w, state);
  while (state->slices->stack.count) tb_json_pop_slice(w, state);
}

/* The stack of an end, and the arguments of the innermost slice from its begin and its end. */
static void emit_stack_and_args(struct tb_json_writer *w, const struct tb_json_track *state,
                                const struct tb_event *end) {
  const struct tb_json_open *slice = tb_json_innermost(state);
  const struct tb_buffer *held = &state->slices->held.buffer;
  if (end->stack.frame_count || end->stack.ref.ptr) {
    const struct tb_event stack = {.end_stack = end->stack};
    tb_json_emit_stacks(w, &w->out, &stack);
  }
  w->scratch.buffer.len = 0;
  tb_json_emit_args(w, &w->scratch, end);
  tb_json_emit_merged_args(&w->out, tb_json_held(state, slice->args_at, held->len),
                           (struct tb_str){w->scratch.buffer.data, w->scratch.buffer.len}, end);
}

static void write_complete(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *end) {
  struct tb_json_open *slice = tb_json_innermost(state);
  bool is_bare = end == &w->bare_end; /* as nearly all of Perfetto's */
  if (!is_bare) slice->flow_number = tb_json_keep_end_flows(w, end, slice->open.ts, slice->flow_number);
  struct tb_json_times times = {
      .has = TB_HAS_TS | TB_HAS_DUR, .ts = slice->open.ts, .dur = tb_time_subtract(end->ts, slice->open.ts)};
  if (slice->has & TB_HAS_THREAD_TS) {
    times.has |= TB_HAS_THREAD_TS;
    times.thread_ts = slice->thread_ts;
    if (end->has & TB_HAS_THREAD_TS) times.has |= TB_HAS_THREAD_DUR;
    times.thread_dur = (int64_t)((uint64_t)end->thread_ts - (uint64_t)slice->thread_ts);
  } else if (slice->has & TB_HAS_THREAD_DUR) {
    times.has |= TB_HAS_THREAD_DUR;
    times.thread_dur = slice->thread_dur;
  }
  size_t start = tb_json_object_begin(w);
  tb_json_emit_held(&w->out, state, slice->at, slice->ids_at);
  size_t phase_at = w->out.buffer.len - start;
  tb_json_emit_phase(&w->out, 'X');
  tb_json_emit_some_times(&w->out, &times);
  size_t ids_at = w->out.buffer.len - start;
  tb_json_emit_held(&w->out, state, slice->ids_at, is_bare ? state->slices->held.buffer.len : slice->args_at);
  if (!is_bare) emit_stack_and_args(w, state, end);
  if (state->slices->stack.count > 1 && slice[-1].open.ts == slice->open.ts) { /* it may hide the slice around it */
    hold_back(w, state, start,
              (struct late_slice){.flow_number = slice->flow_number,
                                  .phase_at = phase_at,
                                  .ids_at = ids_at,
                                  .times = times,
                                  .thread = end->track});
    return;
  }
  tb_json_object_end(w, start, slice->flow_number);
  if (state->slices->late.buffer.len > slice->late_at) write_late(w, state, slice->late_at, slice->flow_number != 0);
}

/* Does the end close the innermost open slice, by its name and its categories where it has any? */
static bool ends_innermost(struct tb_json_writer *w, const struct tb_json_track *state, const struct tb_event *end) {
  bool by_name = end->name.len > 0, by_category = end->categories.len > 0;
  if (!by_name && !by_category) return true;
  const struct tb_json_open *slice = tb_json_innermost(state);
  struct tb_buffer *said = &w->scratch.buffer;
  said->len = 0;
  if (by_name) tb_json_emit_name(&w->scratch, end);
  if (by_category) tb_json_emit_category(&w->scratch, end);
  size_t from = by_name ? slice->at : slice->category_at, to = by_category ? slice->ids_at : slice->category_at;
  return to - from == said->len && memcmp(said->data, state->slices->held.buffer.data + from, said->len) == 0;
}

/* Writes the begins of slices that begin with one around them that was written as a B, where the innermost is such a
 * slice: see write_late_in_begin. A B that came later is in them. */
static void write_begins_with_outer(struct tb_json_writer *w, struct tb_json_track *state, int64_t end) {
  const struct tb_json_open *slices = tb_json_opened(state);
  size_t count = state->slices->stack.count, first = count;
  while (first > 0 && slices[first - 1].begins_with_b && slices[first - 1].open.ts < end &&
         slices[first - 1].open.ts == slices[count - 1].open.ts)
    first--;
  if (first == count) return;
  write_begins_from(w, state, first);
  state->slices->late.buffer.len = tb_json_opened(state)[first].late_at;
}

static void end_now(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event) {
  if (tb_json_in_order(state, event) && state->slices->stack.count && ends_innermost(w, state, event)) {
    const struct tb_json_open *slice = tb_json_innermost(state);
    if (slice->begins_with_b) write_begins_with_outer(w, state, event->ts);
    /* a flow event of a slice around it comes when it has ended: an X is the newest slice to readers even then, and
     * would take it */
    bool would_take_flow = slice->outer_flow_ts > event->ts && slice->flow_ts <= event->ts;
    /* further members of an end have no place in an X */
    if (slice->phase || (!event->extra_count && !would_take_flow)) {
      if (slice->phase)
        tb_json_put_whole(w, event, 'E');
      else
        write_complete(w, state, event);
      tb_json_pop_slice(w, state);
      return;
    }
  }
  write_begins(w, state);
  tb_json_put_whole(w, event, 'E');
}

/* An event at `ts` comes: the end that waits for one may be due. */
static void end_waiting(struct tb_json_writer *w, struct tb_json_track *state, int64_t ts) {
  int64_t begin = state->slices->stack.count ? tb_json_innermost(state)->open.ts : INT64_MIN;
  if (tb_deferred_end_take(&state->slices->waiting, ts, begin, &w->bare_end)) end_now(w, state, &w->bare_end);
}

void tb_json_note_flow(struct tb_json_writer *w, const struct tb_event *event) {
  if (event->track->type != TB_TRACK_THREAD) return;
  struct tb_json_track *state = tb_json_track_state(w, event->track);
  if (!state) return;
  bool ends_at_next = event->type == TB_EVENT_FLOW_END && !(event->has & TB_HAS_BIND_ENCLOSING);
  if (event->type == TB_EVENT_FLOW_BEGIN || ends_at_next) state->flow_at = event->ts;
  if (!state->slices->stack.count) return;
  struct tb_json_open *slice = tb_json_innermost(state);
  if (event->ts > slice->flow_ts) slice->flow_ts = event->ts;
}

bool tb_json_hold_flow(struct tb_json_writer *w, const struct tb_event *event, char phase) {
  if (event->track->type != TB_TRACK_THREAD || tb_json_has_flows(event)) return false;
  struct tb_json_track *state = tb_json_track_state(w, event->track);
  if (!state || !state->slices->stack.count) return false;
  const struct tb_json_open *slice = tb_json_innermost(state);
  if (slice->phase || slice->open.ts != event->ts) return false;
  if (w->late_flow_track != event->track) tb_json_write_late_flows(w);
  w->late_flow_track = event->track;
  tb_json_hold_whole(w, event, phase, &w->late_flows);
  return true;
}

void tb_json_settle_flows(struct tb_json_writer *w, const struct tb_event *event) {
  if (event->track != w->late_flow_track || event->type == TB_EVENT_SLICE_END || event->type == TB_EVENT_FLOW_BEGIN)
    return;
  struct tb_json_track *state = tb_json_track_state(w, event->track);
  if (state) end_waiting(w, state, event->ts);
  tb_json_write_late_flows(w);
}

void tb_json_write_late_flows(struct tb_json_writer *w) {
  tb_json_write_held(w, &w->late_flows);
  w->late_flow_track = NULL;
}

void tb_json_end_before_flow(struct tb_json_writer *w, const struct tb_event *event) {
  if (event->track->type != TB_TRACK_THREAD) return;
  struct tb_json_track *state = tb_json_track_state(w, event->track);
  if (!state || !tb_deferred_end_take(&state->slices->waiting, event->ts, INT64_MIN, &w->bare_end)) return;
  /* an X would be the newest slice to readers, which takes the flow, until another begins or ends */
  write_begins(w, state);
  end_now(w, state, &w->bare_end);
}

/* A flow event came before the innermost slice, at the time when that just began: readers take an X for earlier than
 * the flow event, and would join what the slice around it begins, and not what ends here. A slice that has flows itself
 * stays an X: it would be written behind those in it. */
static void write_behind_flow(struct tb_json_writer *w, struct tb_json_track *state) {
  if (tb_json_innermost(state)->flow_number) return;
  if (tb_json_innermost(state)->begins_with_b)
    write_begins_with_outer(w, state, INT64_MAX);
  else
    write_begins_from(w, state, state->slices->stack.count - 1);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

void tb_json_put_begin(struct tb_json_writer *w, const struct tb_event *event) {
  struct tb_json_track *state = tb_json_track_state(w, event->track);
  if (!state) return;
  if (event->track->type != TB_TRACK_THREAD && !tb_json_is_overflow(state, event)) {
    tb_json_begin_elsewhere(w, state, event);
    return;
  }
  end_waiting(w, state, event->ts);
  if (event->has & TB_HAS_EXPLICIT_PHASE && event->phase == 'B') {
    if (state->slices->stack.count && tb_json_innermost(state)->open.ts == event->ts)
      write_begins_with_outer(w, state, INT64_MAX);
    tb_json_put_whole(w, event, 'B');
    state->begun_at = event->ts;
  } else if (tb_json_in_order(state, event)) {
    struct tb_json_open *slice = tb_json_push_slice(w, state, event, true);
    if (!slice) return;
    slice->flow_number = tb_json_keep_flows(w, event);
    if (state->flow_at == event->ts && event->ts != INT64_MIN && event->track->type == TB_TRACK_THREAD)
      write_behind_flow(w, state);
  } else {
    write_begins(w, state);
    tb_json_put_whole(w, event, 'B');
  }
}

void tb_json_put_end(struct tb_json_writer *w, const struct tb_event *event) {
  struct tb_json_track *state = tb_json_track_state(w, event->track);
  if (!state) return;
  if (event->track->type != TB_TRACK_THREAD && !tb_json_is_overflow(state, event)) {
    tb_json_end_elsewhere(w, state, event);
    return;
  }
  end_waiting(w, state, event->ts); /* of one time readers take ends as they are written */
  if (event->has & TB_HAS_EXPLICIT_PHASE)
    tb_json_put_whole(w, event, 'E');
  else if (!state->slices->stack.count || !tb_deferred_end_keep(&state->slices->waiting, event, false))
    end_now(w, state, event);
}

void tb_json_put_instant(struct tb_json_writer *w, const struct tb_event *event) {
  struct tb_json_track *state = tb_json_track_state(w, event->track);
  if (!state) return;
  if (event->track->type != TB_TRACK_THREAD) {
    tb_json_instant_elsewhere(w, state, event, event->phase);
    return;
  }
  struct tb_event scoped = *event;
  if (!scoped.phase) scoped.phase = 'i';
  if (scoped.phase == 'i' && !scoped.instant_scope) scoped.instant_scope = 't';
  end_waiting(w, state, event->ts);
  tb_json_put_whole(w, &scoped, scoped.phase);
}

/* First the ends that wait, as of all threads that have come to their end; then the begins of what is open. Those on no
 * thread's track are written already: only their ends free memory. */
void tb_json_make_room(struct tb_json_writer *w) {
  struct tb_open_stacks *slices = &w->slices;
  for (struct tb_open_stack *stack = slices->first, *next; stack; stack = next) {
    next = stack->next;
    end_waiting(w, &w->tracks[stack->owner], INT64_MAX);
  }
  for (struct tb_open_stack *stack = slices->first, *next; stack && slices->bytes > slices->most / 2; stack = next) {
    struct tb_json_track *state = &w->tracks[stack->owner];
    next = stack->next;
    if (stack->count && !(tb_json_opened(state)->phase && tb_json_innermost(state)->phase)) write_begins(w, state);
  }
  if (slices->bytes > slices->most / 2) slices->most = slices->bytes * 2; /* do not look again too soon */
}

void tb_json_close_tracks(struct tb_json_writer *w) {
  for (size_t i = 0; i < w->track_count; i++) {
    struct tb_json_track *state = &w->tracks[i];
    end_waiting(w, state, INT64_MAX);
    write_begins_of_all(w, state);
    (void)tb_json_write_pending_ends(w, state, 0, false);
  }
}
