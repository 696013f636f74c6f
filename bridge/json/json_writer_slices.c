/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices and instants that stand on tracks, as Perfetto and FXT have them.
 *
 * On a thread a slice is held as text until its end is known, and becomes one X. Where the events of a track do not
 * come in order, or an end names another slice than the innermost, the begins and ends in hand go out as B and E, which
 * every reader sorts by time. On any other track a slice becomes b and e (or the pair that its phase asks for) with the
 * track's id; its name, category and ids are held for the e, which must repeat them.
 */
#include "base/error.h"
#include "json/json_writer_state.h"
#include "json/merged_args.h"

enum { OPEN_MAX = 1 << 24, HELD_KEEP = 64 * 1024 };

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
      tb_json_emit_init(&w->tracks[i].early, w->writer->allocator);
    }
  }
  return &w->tracks[track->index];
}

void tb_json_free_tracks(struct tb_json_writer *w) {
  for (size_t i = 0; i < w->track_count; i++) {
    tb_json_emit_free(&w->tracks[i].held);
    tb_json_emit_free(&w->tracks[i].late);
    tb_json_emit_free(&w->tracks[i].early);
    tb_free(w->writer->allocator, w->tracks[i].open, w->tracks[i].open_capacity * sizeof(*w->tracks[i].open));
  }
  tb_free(w->writer->allocator, w->tracks, w->track_count * sizeof(*w->tracks));
}

/* ---- held text
 * ---------------------------------------------------------------------------------------------------------- */

static void emit_held(struct tb_json_emit *to, const struct tb_json_track *state, size_t from, size_t end) {
  if (from < end) tb_json_emit_raw(to, state->held.buffer.data + from, end - from); /* else there may be no buffer */
}

static const struct tb_track *place_of(const struct tb_event *event) {
  return event->thread ? event->thread : event->track;
}

/* The event's process, thread and id; where it has no id of its own but needs one, the track's. S goes by its name too. */
static void emit_ids(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event,
                     bool on_thread) {
  tb_json_emit_ids(w, emit, place_of(event));
  if (event->id.kind || event->scope.ptr) tb_json_emit_id(emit, event);
  if (!on_thread && !event->id.kind && event->phase != 'S') tb_json_emit_track_id(emit, event->track);
}

static bool in_order(struct tb_json_track *state, const struct tb_event *event) {
  if (event->ts < state->last_ts || event->has & TB_HAS_CPU) return false;
  state->last_ts = event->ts;
  return true;
}

static void end_object(struct tb_json_writer *w, size_t start, uint64_t flow_number) {
  if (flow_number)
    tb_json_put_aside(w, start, flow_number);
  else
    tb_json_object_end(w, start);
}

/* The same for a track that is no thread's. */
static void end_elsewhere_object(struct tb_json_writer *w, struct tb_json_track *state, size_t start,
                                 uint64_t flow_number) {
  if (flow_number) state->aside = true;
  if (state->aside)
    tb_json_put_aside(w, start, flow_number);
  else
    tb_json_object_end(w, start);
}

/* Whether slices of the track are written as those of a thread. */
static bool is_on_thread(struct tb_json_track *state, const struct tb_event *event) {
  if (event->track->type == TB_TRACK_CUSTOM && event->type == TB_EVENT_SLICE_BEGIN &&
      (event->phase == 'X' || event->phase == 'B'))
    state->overflow = true;
  return event->track->type == TB_TRACK_THREAD || state->overflow;
}

static struct tb_json_open *push(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event) {
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
  bool on_thread = is_on_thread(state, event);
  *slice = (struct tb_json_open){.at = held->buffer.len,
                                 .late_at = state->late.buffer.len,
                                 .ts = event->ts,
                                 .thread_ts = event->thread_ts,
                                 .has = event->has};
  slice->dur = event->dur;
  slice->thread_dur = event->thread_dur;
  tb_json_emit_name(held, event);
  slice->category_at = held->buffer.len;
  tb_json_emit_category(held, event);
  slice->ids_at = held->buffer.len;
  emit_ids(w, held, event, on_thread);
  slice->rest_at = held->buffer.len;
  if (on_thread) tb_json_emit_rest(w, held, event);
  slice->args_at = held->buffer.len;
  if (on_thread) tb_json_emit_args(w, held, event);
  return slice;
}

/* Takes the innermost slice away, with those below it that have ended already. */
static void pop(struct tb_json_writer *w, struct tb_json_track *state) {
  struct tb_buffer *text = &state->held.buffer;
  do text->len = state->open[--state->open_count].at;
  while (state->open_count && state->open[state->open_count - 1].ended);
  if (state->held.status != TB_OK) (void)tb_json_fail(w, state->held.status);
  if (!text->len && text->capacity > HELD_KEEP) tb_buffer_free(text);
}

/* ---- slices held back
 *
 * Of two X of one thread with the same time and duration readers take the first one for the outer one; but the inner one
 * ends first. So an X that begins with the slice around it waits for the end of that. What waits is a chain, innermost
 * first: members of an object, then a late_slice.
 * ---------------------------------------------------------------------------------------------------------- */

struct late_slice {
  size_t len; /* of the members */
  uint64_t flow_number;
};

/* Takes the object that began at `start` back from what is written. */
static void hold_back(struct tb_json_writer *w, struct tb_json_track *state, size_t start, uint64_t flow_number) {
  const struct late_slice late = {w->out.buffer.len - start, flow_number};
  tb_json_emit_raw(&state->late, w->out.buffer.data + start, late.len);
  tb_json_emit_raw(&state->late, (const char *)&late, sizeof(late));
  if (state->late.status != TB_OK) (void)tb_json_fail(w, state->late.status);
  tb_json_object_cancel(w, start);
}

/* Writes what was held back since `from`, outermost first; to the end of the trace where `aside`. */
static void write_late(struct tb_json_writer *w, struct tb_json_track *state, size_t from, bool aside) {
  struct tb_buffer *text = &state->late.buffer;
  while (text->len > from && state->late.status == TB_OK) {
    struct late_slice late;
    text->len -= sizeof(late);
    memcpy(&late, text->data + text->len, sizeof(late));
    text->len -= late.len;
    aside |= late.flow_number != 0;
    size_t start = tb_json_object_begin(w);
    tb_json_emit_raw(&w->out, text->data + text->len, late.len);
    if (aside)
      tb_json_put_aside(w, start, late.flow_number);
    else
      tb_json_object_end(w, start);
  }
  if (!text->len && text->capacity > HELD_KEEP) tb_buffer_free(text);
}

/* Whether the innermost slice, which ends at `end`, may lie over the one around it from begin to end. */
static bool may_hide_outer(const struct tb_json_track *state, int64_t end) {
  if (state->open_count < 2) return false;
  const struct tb_json_open *slice = &state->open[state->open_count - 1];
  return slice[-1].ts == slice->ts && slice->ts < end;
}

/* ---- slices of threads
 * ------------------------------------------------------------------------------------------------------ */

/* An open slice as a B. */
static void write_begin(struct tb_json_writer *w, const struct tb_json_track *state, const struct tb_json_open *slice) {
  struct tb_json_times times = {.has = slice->has,
                                .ts = slice->ts,
                                .dur = slice->dur,
                                .thread_ts = slice->thread_ts,
                                .thread_dur = slice->thread_dur};
  size_t end = slice == &state->open[state->open_count - 1] ? state->held.buffer.len : slice[1].at;
  size_t start = tb_json_object_begin(w);
  emit_held(&w->out, state, slice->at, slice->ids_at);
  tb_json_emit_phase(&w->out, 'B');
  tb_json_emit_some_times(&w->out, &times);
  emit_held(&w->out, state, slice->ids_at, end);
  end_object(w, start, slice->flow_number);
}

/* What is open goes out as it is, and its ends will do so too. */
static void write_begins(struct tb_json_writer *w, struct tb_json_track *state) {
  for (size_t i = 0; i < state->open_count; i++) write_begin(w, state, &state->open[i]);
  write_late(w, state, 0, false);
  while (state->open_count) pop(w, state);
}

/* The stack of an end, and the arguments of the innermost slice from its begin and its end. */
static void emit_stack_and_args(struct tb_json_writer *w, const struct tb_json_track *state,
                                const struct tb_event *end) {
  const struct tb_json_open *slice = &state->open[state->open_count - 1];
  const struct tb_buffer *held = &state->held.buffer;
  if (end == &w->bare_end) { /* as nearly all of Perfetto's */
    emit_held(&w->out, state, slice->args_at, held->len);
    return;
  }
  if (end->stack.frame_count || end->stack.ref.ptr) {
    const struct tb_event stack = {.end_stack = end->stack};
    tb_json_emit_stacks(w, &w->out, &stack);
  }
  w->scratch.buffer.len = 0;
  tb_json_emit_args(w, &w->scratch, end);
  tb_json_emit_merged_args(&w->out, (struct tb_slice){held->data + slice->args_at, held->len - slice->args_at},
                           (struct tb_slice){w->scratch.buffer.data, w->scratch.buffer.len}, end);
}

static void write_complete(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *end) {
  struct tb_json_open *slice = &state->open[state->open_count - 1];
  slice->flow_number = tb_json_keep_end_flows(w, end, slice->ts, slice->flow_number);
  struct tb_json_times times = {.has = TB_HAS_TS | TB_HAS_DUR, .ts = slice->ts, .dur = end->ts - slice->ts};
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
  emit_held(&w->out, state, slice->at, slice->ids_at);
  tb_json_emit_phase(&w->out, 'X');
  tb_json_emit_some_times(&w->out, &times);
  emit_held(&w->out, state, slice->ids_at, slice->args_at);
  emit_stack_and_args(w, state, end);
  if (may_hide_outer(state, end->ts)) {
    hold_back(w, state, start, slice->flow_number);
    return;
  }
  end_object(w, start, slice->flow_number);
  write_late(w, state, slice->late_at, slice->flow_number != 0);
}

/* Does the end close the innermost open slice, by its name? */
static bool ends_innermost(struct tb_json_writer *w, const struct tb_json_track *state, const struct tb_event *end) {
  if (!end->name.len) return true;
  const struct tb_json_open *slice = &state->open[state->open_count - 1];
  w->scratch.buffer.len = 0;
  tb_json_emit_name(&w->scratch, end);
  size_t len = slice->category_at - slice->at;
  return len == w->scratch.buffer.len && memcmp(w->scratch.buffer.data, state->held.buffer.data + slice->at, len) == 0;
}

/* An end may bring what an X has no place for but the end of its own. */
static bool needs_own_event(const struct tb_event *end) { return end->extra_count > 0; }

static void end_now(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event) {
  if (in_order(state, event) && state->open_count && !needs_own_event(event) && ends_innermost(w, state, event)) {
    write_complete(w, state, event);
    pop(w, state);
    return;
  }
  write_begins(w, state);
  tb_json_put_whole(w, event, 'E');
}

/* An event at `ts` comes: the end that waits for one may be due. */
static void end_waiting(struct tb_json_writer *w, struct tb_json_track *state, int64_t ts) {
  int64_t begin = state->open_count ? state->open[state->open_count - 1].ts : INT64_MIN;
  if (tb_waiting_end_take(&state->waiting, ts, begin, &w->bare_end)) end_now(w, state, &w->bare_end);
}

void tb_json_end_before_flow(struct tb_json_writer *w, const struct tb_event *event) {
  if (event->track->type != TB_TRACK_THREAD) return;
  struct tb_json_track *state = tb_json_track_state(w, event->track);
  if (!state || !tb_waiting_end_take(&state->waiting, event->ts, INT64_MIN, &w->bare_end)) return;
  /* an X would be the newest slice to readers, which takes the flow, until another begins or ends */
  write_begins(w, state);
  end_now(w, state, &w->bare_end);
}

static void end_on_thread(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event) {
  if (event->has & TB_HAS_PHASE) {
    tb_json_put_whole(w, event, 'E');
    return;
  }
  end_waiting(w, state, event->ts);
  if (!state->open_count || !tb_waiting_end_keep(&state->waiting, event, false)) end_now(w, state, event);
}

static void begin_on_thread(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event) {
  if (event->has & TB_HAS_PHASE && event->phase == 'B') {
    tb_json_put_whole(w, event, 'B');
    return;
  }
  end_waiting(w, state, event->ts);
  if (in_order(state, event)) {
    struct tb_json_open *slice = push(w, state, event);
    if (slice) slice->flow_number = tb_json_keep_flows(w, event);
    return;
  }
  write_begins(w, state);
  tb_json_put_whole(w, event, 'B');
}

/* ---- slices of other tracks
 * --------------------------------------------------------------------------------------------------- */

static char begin_phase(const struct tb_event *event) {
  return event->phase == 'S' || event->phase == 'N' || event->phase == '(' ? event->phase : 'b';
}

static char end_phase(char begin) { return begin == 'S' ? 'F' : begin == 'N' ? 'D' : begin == '(' ? ')' : 'e'; }

/* ---- ends before their begins
 *
 * Begin and end of a slice may come from two sequences, whose packets stand one after the other, the end's first. Readers match
 * the two by category, which the begin alone says. So an end without a name waits for the first begin that is earlier than
 * itself. What waits is a queue: an early_end, then the members of its object.
 * ---------------------------------------------------------------------------------------------------------- */

struct early_end {
  size_t len;
  int64_t ts;
};

static void keep_early_end(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event) {
  struct tb_json_emit *early = &state->early;
  struct early_end end = {.ts = event->ts};
  size_t at = early->buffer.len;
  tb_json_emit_raw(early, (const char *)&end, sizeof(end));
  tb_json_emit_phase(early, 'e');
  tb_json_emit_times(early, event);
  emit_ids(w, early, event, false);
  tb_json_emit_rest(w, early, event);
  tb_json_emit_args(w, early, event);
  if (early->status != TB_OK) {
    (void)tb_json_fail(w, early->status);
    return;
  }
  end.len = early->buffer.len - at - sizeof(end);
  memcpy(early->buffer.data + at, &end, sizeof(end));
}

/* Writes the ends that no begin at `ts` or later can be for, and the first one that is left with the innermost open slice's
 * category where `begins` says that there is one that began at `ts`. Returns whether that was written. */
static bool write_early_ends(struct tb_json_writer *w, struct tb_json_track *state, int64_t ts, bool begins) {
  struct tb_buffer *text = &state->early.buffer;
  bool own = false;
  while (!own && state->early_at < text->len && state->early.status == TB_OK) {
    struct early_end end;
    memcpy(&end, text->data + state->early_at, sizeof(end));
    own = begins && end.ts > ts;
    size_t start = tb_json_object_begin(w);
    tb_json_emit_raw(&w->out, text->data + state->early_at + sizeof(end), end.len);
    if (own) {
      const struct tb_json_open *slice = &state->open[state->open_count - 1];
      emit_held(&w->out, state, slice->category_at, slice->ids_at);
    }
    end_elsewhere_object(w, state, start, 0);
    state->early_at += sizeof(end) + end.len;
  }
  if (state->early_at > text->len / 2) {
    memmove(text->data, text->data + state->early_at, text->len - state->early_at);
    text->len -= state->early_at;
    state->early_at = 0;
  }
  if (!text->len) tb_buffer_free(text);
  return own;
}

static void begin_elsewhere(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event) {
  (void)in_order(state, event);
  struct tb_json_open *slice = push(w, state, event);
  if (!slice) return;
  slice->phase = begin_phase(event);
  if (!event->id.kind) tb_json_describe(w, state, event->track);
  size_t start = tb_json_object_begin(w);
  emit_held(&w->out, state, slice->at, slice->ids_at);
  tb_json_emit_phase(&w->out, slice->phase);
  tb_json_emit_times(&w->out, event);
  emit_held(&w->out, state, slice->ids_at, slice->rest_at);
  tb_json_emit_rest(w, &w->out, event);
  tb_json_emit_args(w, &w->out, event);
  slice->flow_number = tb_json_keep_flows(w, event);
  end_elsewhere_object(w, state, start, slice->flow_number);
  if (state->early.buffer.len && write_early_ends(w, state, event->ts, true)) pop(w, state);
}

/* The flows of an end are its slice's, which is written already: only where that has some too it can take more. */
static void keep_flows_of_end(struct tb_json_writer *w, const struct tb_json_open *slice, const struct tb_event *end) {
  if (slice->flow_number)
    (void)tb_json_keep_end_flows(w, end, slice->ts, slice->flow_number);
  else if (tb_json_has_flows(end))
    tb_json_lose(w, "flows of the end of a slice that is on no thread's track", end);
}

/* The place of the slice that the end closes: the innermost one of its name, where it has one. */
static size_t find_open(struct tb_json_writer *w, const struct tb_json_track *state, const struct tb_event *end) {
  const struct tb_buffer *name = &w->scratch.buffer;
  w->scratch.buffer.len = 0;
  tb_json_emit_name(&w->scratch, end);
  for (size_t i = state->open_count; end->name.len && i-- > 0;) {
    const struct tb_json_open *slice = &state->open[i];
    size_t len = slice->category_at - slice->at;
    if (!slice->ended && len == name->len && memcmp(name->data, state->held.buffer.data + slice->at, len) == 0)
      return i;
  }
  return state->open_count - 1;
}

/* Whether an end says itself what readers find its begin by. */
static bool names_slice(const struct tb_event *end) {
  return end->has & (TB_HAS_NAME | TB_HAS_CATEGORIES) || end->name.len || end->categories.len;
}

static void end_elsewhere(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event) {
  static const struct tb_json_open none = {0};
  (void)in_order(state, event);
  if (!state->open_count && !event->id.kind && !names_slice(event)) {
    keep_early_end(w, state, event);
    keep_flows_of_end(w, &none, event);
    return;
  }
  size_t place = state->open_count ? find_open(w, state, event) : 0;
  const struct tb_json_open *slice = state->open_count ? &state->open[place] : &none;
  size_t start = tb_json_object_begin(w);
  if (event->has & TB_HAS_NAME || event->name.len)
    tb_json_emit_name(&w->out, event);
  else
    emit_held(&w->out, state, slice->at, slice->category_at);
  if (event->has & TB_HAS_CATEGORIES || event->categories.len)
    tb_json_emit_category(&w->out, event);
  else
    emit_held(&w->out, state, slice->category_at, slice->ids_at);
  tb_json_emit_phase(&w->out, end_phase(slice->phase));
  tb_json_emit_times(&w->out, event);
  if (event->id.kind || !state->open_count)
    emit_ids(w, &w->out, event, false);
  else
    emit_held(&w->out, state, slice->ids_at, slice->rest_at);
  tb_json_emit_rest(w, &w->out, event);
  tb_json_emit_args(w, &w->out, event);
  end_elsewhere_object(w, state, start, 0);
  keep_flows_of_end(w, slice, event);
  if (!state->open_count) return;
  state->open[place].ended = true;
  if (place + 1 == state->open_count) pop(w, state);
}

/* ---- all
 * ----------------------------------------------------------------------------------------------------------------------
 */

enum tb_status tb_json_put_begin(struct tb_json_writer *w, const struct tb_event *event) {
  struct tb_json_track *state = tb_json_track_state(w, event->track);
  if (!state) return w->writer->error.code;
  if (is_on_thread(state, event))
    begin_on_thread(w, state, event);
  else
    begin_elsewhere(w, state, event);
  return w->writer->error.code;
}

enum tb_status tb_json_put_end(struct tb_json_writer *w, const struct tb_event *event) {
  struct tb_json_track *state = tb_json_track_state(w, event->track);
  if (!state) return w->writer->error.code;
  if (is_on_thread(state, event))
    end_on_thread(w, state, event);
  else
    end_elsewhere(w, state, event);
  return w->writer->error.code;
}

/* An instant of another track than its thread's; the scope says which, or the track's id. */
static void instant_elsewhere(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event,
                              char phase) {
  bool custom = event->track->type == TB_TRACK_CUSTOM;
  bool implied = phase == 'i' || phase == 'I' || !phase;
  if (custom && implied) phase = 'n';
  if (custom && !event->id.kind && phase == 'n') tb_json_describe(w, state, event->track);
  size_t start = tb_json_object_begin(w);
  tb_json_emit_head(&w->out, event);
  tb_json_emit_phase(&w->out, phase ? phase : 'i');
  tb_json_emit_times(&w->out, event);
  emit_ids(w, &w->out, event, !(custom && phase == 'n'));
  if (event->instant_scope)
    tb_json_emit_scope(&w->out, event->instant_scope);
  else if (!custom && implied)
    tb_json_emit_scope(&w->out, event->track->type == TB_TRACK_PROCESS ? 'p' : 'g');
  tb_json_emit_rest(w, &w->out, event);
  tb_json_emit_args(w, &w->out, event);
  end_elsewhere_object(w, state, start, tb_json_keep_flows(w, event));
}

enum tb_status tb_json_put_instant(struct tb_json_writer *w, const struct tb_event *event) {
  struct tb_json_track *state = tb_json_track_state(w, event->track);
  if (!state) return w->writer->error.code;
  if (event->track->type != TB_TRACK_THREAD) {
    instant_elsewhere(w, state, event, event->phase);
  } else {
    struct tb_event scoped = *event;
    if (!scoped.phase) scoped.phase = 'i';
    if (scoped.phase == 'i' && !scoped.instant_scope) scoped.instant_scope = 't';
    end_waiting(w, state, event->ts);
    tb_json_put_whole(w, &scoped, scoped.phase);
  }
  return w->writer->error.code;
}

void tb_json_close_tracks(struct tb_json_writer *w) {
  for (size_t i = 0; i < w->track_count; i++) {
    struct tb_json_track *state = &w->tracks[i];
    end_waiting(w, state, INT64_MAX);
    for (size_t k = 0; k < state->open_count; k++)
      if (!state->open[k].phase) write_begin(w, state, &state->open[k]);
    write_late(w, state, 0, false);
    (void)write_early_ends(w, state, 0, false);
    state->open_count = 0;
  }
}
