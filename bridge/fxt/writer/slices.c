/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices: duration records of threads, async records of other tracks.
 *
 * A slice that begins is held until it ends, to become one complete record. Readers sort records by time, those of one
 * time by their place in the file, and a complete record's place is then that of its end. So a slice is held only while
 * nothing else of its track depends on its place: anything that happens on the track at the time of its begin, or last
 * thing before its end at the time of that end, makes it a begin and an end, and so does an end at its begin.
 */
#include "base/intern.h"
#include "fxt/writer/open_slices.h"
#include "model/phases.h"
#include "timeline/same_time.h"

enum { MAX_HELD = 64 };

/* What a slice's record contains except type and time. */
struct slice_parts {
  uint64_t id;
  const struct tb_track *thread;
  struct tb_str name, category;
  struct tb_fxt_flat *args;
  uint32_t arg_count;
};

static struct slice_parts parts_of(const struct tb_fxt_open *slice) {
  const struct tb_fxt_slice_extras *extras = tb_fxt_slice_extras(slice);
  return (struct slice_parts){.id = extras->id,
                              .thread = extras->thread,
                              .name = tb_fxt_open_name(slice),
                              .category = tb_fxt_open_category(slice),
                              .args = slice->arg_count ? tb_fxt_open_args(slice) : NULL,
                              .arg_count = slice->arg_count};
}

static void put_duration(struct tb_fxt_writer *w, const struct tb_track *track, unsigned type, int64_t ts,
                         const struct slice_parts *slice, bool has_last, uint64_t last) {
  const struct tb_track *emitter = slice->thread ? slice->thread : track; /* of who emits it */
  struct tb_fxt_event_record record = {.type = type,
                                       .ts = ts,
                                       .process = tb_fxt_process_koid(emitter),
                                       .thread = tb_fxt_thread_koid(emitter),
                                       .category = slice->category,
                                       .name = slice->name,
                                       .args = slice->args,
                                       .arg_count = slice->arg_count,
                                       .has_last = has_last,
                                       .last = last};
  tb_fxt_put_event(w, &record);
}

static bool is_thread(const struct tb_track *track) { return track->type == TB_TRACK_THREAD; }

/* The phase that a writer of ours carries for a slice of a thread that it put on a lane below (docs/MAPPING.md). */
static bool overlaps_on_thread(const struct tb_event *event) {
  return event->track->type == TB_TRACK_CUSTOM && event->track->has_tid && (event->phase == 'X' || event->phase == 'B');
}

static void put_begin(struct tb_fxt_writer *w, const struct tb_track *track, const struct slice_parts *slice,
                      int64_t ts) {
  if (is_thread(track))
    put_duration(w, track, TB_FXT_DURATION_BEGIN, ts, slice, false, 0);
  else
    put_duration(w, track, TB_FXT_ASYNC_BEGIN, ts, slice, true, slice->id);
}

static void put_end(struct tb_fxt_writer *w, const struct tb_track *track, const struct slice_parts *slice,
                    int64_t ts) {
  if (is_thread(track))
    put_duration(w, track, TB_FXT_DURATION_END, ts, slice, false, 0);
  else
    put_duration(w, track, TB_FXT_ASYNC_END, ts, slice, true, slice->id);
}

/* ---- held slices ------------------------------------------------------------------------------------------------- */

/* Writes the begins that are held, outermost first. */
static void write_held(struct tb_fxt_writer *w, const struct tb_track *track, struct tb_fxt_track_state *track_state) {
  for (size_t i = track_state->slices->stack.count - track_state->slices->held_count;
       i < track_state->slices->stack.count; i++) {
    struct tb_fxt_open *slice = &tb_fxt_opened(track_state)[i];
    if (slice->overlaps) continue;
    const struct slice_parts parts = parts_of(slice);
    put_begin(w, track, &parts, slice->open.ts);
    slice->written = true;
    slice->arg_count = 0;
  }
  tb_fxt_count_held(track_state);
}

/* An event at `ts` is about to be written: held begins of that time must be before it. While the track is in order,
 * none of the time is around an earlier one. */
static void make_way(struct tb_fxt_writer *w, const struct tb_track *track, struct tb_fxt_track_state *track_state,
                     int64_t ts) {
  for (size_t i = track_state->slices->stack.count; i-- > 0 && !tb_fxt_opened(track_state)[i].written;) {
    if (tb_fxt_opened(track_state)[i].open.ts == ts) {
      write_held(w, track, track_state);
      return;
    }
    if (tb_fxt_opened(track_state)[i].open.ts < ts && !track_state->unordered) return;
  }
}

/* The current slice is not the one that flow points of this time are of, or will not be open when they are read. */
static void settle_points(struct tb_fxt_writer *w, const struct tb_track *track, struct tb_fxt_track_state *track_state,
                          int64_t ts) {
  const struct tb_fxt_track_more *more = tb_fxt_more(w, track_state);
  if (w->points[more->first_point].ts == ts) write_held(w, track, track_state);
  tb_fxt_settle_flows(w, track_state, ts);
}

static TB_ALWAYS_INLINE void settle(struct tb_fxt_writer *w, const struct tb_track *track,
                                    struct tb_fxt_track_state *track_state, int64_t ts) {
  if (track_state->has_points) settle_points(w, track, track_state, ts);
}

/* What is kept of the track, with its slices in their stack; NULL after a failure. */
static struct tb_fxt_track_state *unpacked_state_of(struct tb_fxt_writer *w, const struct tb_track *track) {
  struct tb_fxt_track_state *track_state = tb_fxt_track_state_of(w, track);
  if (!track_state || !track_state->is_packed) return track_state;
  return tb_fxt_unpack_slices(w, track, track_state) ? track_state : NULL;
}

void tb_fxt_touch(struct tb_fxt_writer *w, const struct tb_track *track, int64_t ts) {
  if (!track || !is_thread(track)) return;
  struct tb_fxt_track_state *track_state = unpacked_state_of(w, track);
  if (!track_state) return;
  settle(w, track, track_state, ts);
  make_way(w, track, track_state, ts);
  if (track_state->last_inner_ts < ts) track_state->last_inner_ts = ts;
}

void tb_fxt_note_arriving(struct tb_fxt_writer *w, const struct tb_track *thread, int64_t ts) {
  if (!is_thread(thread)) return;
  struct tb_fxt_track_state *track_state = unpacked_state_of(w, thread);
  struct tb_fxt_track_more *more = track_state ? tb_fxt_own_more(w, track_state) : NULL;
  if (!more) return;
  more->arriving_ts = ts;
  track_state->has_arriving = true;
}

/* Whether a flow's end of that time waits for the slice that begins; none does any more. */
static bool take_arriving(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state, int64_t ts) {
  bool arrives = track_state->has_arriving && tb_fxt_more(w, track_state)->arriving_ts == ts;
  track_state->has_arriving = false;
  return arrives;
}

/* Keeps the order of begins and ends: where it breaks, nothing is held on this track any more. */
static void keep_order(struct tb_fxt_writer *w, const struct tb_track *track, struct tb_fxt_track_state *track_state,
                       int64_t ts) {
  if (ts < track_state->last_ts && !track_state->unordered) {
    track_state->unordered = true;
    write_held(w, track, track_state);
  }
  track_state->last_ts = ts;
}

/* ---- begin ------------------------------------------------------------------------------------------------------- */

/* Whether the newest slice begins together with one that was written as a begin: some readers put complete records of a
 * time before its begins. */
static bool begins_with_outer(const struct tb_fxt_track_state *track_state) {
  if (track_state->slices->stack.count < 2) return false;
  const struct tb_fxt_open *outer = &tb_fxt_opened(track_state)[track_state->slices->stack.count - 2];
  return outer->written && outer->open.ts == outer[1].open.ts;
}

static void begin(struct tb_fxt_writer *w, const struct tb_event *event, struct tb_fxt_track_state *track_state) {
  if (track_state->slices->stack.count == TB_FXT_OPEN_MAX)
    tb_fxt_forget_outermost(w, track_state); /* their ends will find none and be written bare */
  struct tb_fxt_open slice;
  if (!tb_fxt_take_slices(w, event->track, track_state) || !tb_fxt_open_slice(w, event, &slice)) return;
  make_way(w, event->track, track_state, event->ts);
  settle(w, event->track, track_state, event->ts);
  struct tb_fxt_slice_extras *extras = (void *)slice.block;
  extras->id = is_thread(event->track) ? 0 : tb_fxt_async_number(w, event);
  extras->source_id = is_thread(event->track) ? 0 : event->id.value;
  extras->phase = is_thread(event->track) ? 0 : event->phase;
  extras->thread = event->thread;
  slice.overlaps = overlaps_on_thread(event);
  tb_fxt_push_slice(w, track_state, &slice);
  if (w->status != TB_OK) return;
  if (is_thread(event->track)) track_state->last_inner_ts = event->ts;
  bool has_flows = event->bind_id.kind != TB_ID_NONE; /* their records follow at once */
  bool is_async = !is_thread(event->track) && !overlaps_on_thread(event);
  if (take_arriving(w, track_state, event->ts) || track_state->unordered || has_flows || is_async ||
      begins_with_outer(track_state) || track_state->slices->held_count > MAX_HELD)
    write_held(w, event->track, track_state);
  if (track_state->unordered) tb_fxt_shrink_slice(w, &tb_fxt_opened(track_state)[track_state->slices->stack.count - 1]);
}

/* ---- end --------------------------------------------------------------------------------------------------------- */

static struct tb_fxt_flat *find_flat(struct tb_fxt_flat *args, uint32_t count, struct tb_str name) {
  for (uint32_t i = 0; i < count; i++)
    if (args[i].type == TB_FXT_ARG_INT64 && tb_str_equal(args[i].name, name)) return &args[i];
  return NULL;
}

static uint32_t drop_flat(struct tb_fxt_flat *args, uint32_t count, struct tb_str name) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++)
    if (!tb_str_equal(args[i].name, name)) args[kept++] = args[i];
  return kept;
}

/* Where begin and end become one record, the end's thread time becomes the slice's duration in it, whatever durations
 * they said. */
static void join_thread_times(struct tb_fxt_writer *w, struct slice_parts *slice) {
  struct tb_str time = tb_carried_path(TB_CARRIED_THREAD_TS), duration = tb_carried_path(TB_CARRIED_THREAD_DUR);
  const struct tb_fxt_flat *began = find_flat(slice->args, slice->arg_count, time);
  if (!began || !find_flat(w->args.items, w->args.count, time)) return;
  uint64_t begin = began->value;
  slice->arg_count = drop_flat(slice->args, slice->arg_count, duration);
  w->args.count = drop_flat(w->args.items, w->args.count, duration);
  struct tb_fxt_flat *ended = find_flat(w->args.items, w->args.count, time);
  ended->name = duration;
  ended->value -= begin;
}

/* Whether a flow event of a slice around this one comes when it has ended. Readers bind a flow to the newest slice of
 * the thread, and to them a complete one is that until another slice begins or ends, be it over or not. Slices around
 * one of a part may be in other parts. */
static bool would_take_flow(const struct tb_fxt_writer *w, const struct tb_fxt_slice_extras *slice, int64_t end) {
  return (w->is_part || slice->outer_flow_ts >= end) && slice->flow_ts < end;
}

/* The name of the argument that a flat one is or is a part of. */
static struct tb_str name_of_tree(struct tb_str path) {
  size_t len = 0;
  while (len < path.len && !memchr(".[:", path.ptr[len], 3)) len++;
  return (struct tb_str){path.ptr, len};
}

/* Whether the argument has those that had no room, or no path, as JSON text. */
static bool is_rest(struct tb_str name) {
  struct tb_str args = tb_carried_path(TB_CARRIED_ARGS);
  return name.len > args.len && memcmp(name.ptr, args.ptr, args.len) == 0 && name.ptr[args.len] == ':';
}

/* Whether the end says something that one record cannot tell from what the begin says: members of its own, and
 * arguments of one name. */
static bool has_own_members(const struct tb_fxt_writer *w, const struct tb_event *event,
                            const struct slice_parts *slice) {
  if (event->extra_count || event->has & TB_HAS_THREAD_INSTRUCTIONS) return true;
  for (uint32_t i = 0; i < w->args.count; i++)
    for (uint32_t k = 0; k < slice->arg_count; k++)
      if ((!tb_carried_is_path(slice->args[k].name) &&
           tb_str_equal(name_of_tree(w->args.items[i].name), name_of_tree(slice->args[k].name))) ||
          (is_rest(w->args.items[i].name) && is_rest(slice->args[k].name)))
        return true;
  return false;
}

static void add_mark(struct tb_fxt_writer *w, const struct tb_event *event, const struct tb_fxt_flat *mark) {
  if (w->args.count < TB_FXT_MAX_ARGS)
    w->args.items[w->args.count++] = *mark;
  else
    tb_fxt_lose_event(w, "which slice an end of fifteen arguments ends", event);
}

/* Adds to w->args that the innermost slice never ends: one around it does. */
static void mark_endless(struct tb_fxt_writer *w, const struct tb_event *event,
                         struct tb_fxt_track_state *track_state) {
  const struct tb_fxt_flat no_end = {.name = tb_carried_path(TB_CARRIED_NO_END), .type = TB_FXT_ARG_NULL};
  if (!is_thread(event->track)) return;
  track_state->has_endless = true;
  add_mark(w, event, &no_end);
}

static struct tb_fxt_flat name_of_end(struct tb_str name) {
  return (struct tb_fxt_flat){.name = tb_carried_path(TB_CARRIED_NAME), .text = name, .type = TB_FXT_ARG_STRING};
}

/* An end of what began before the trace did. */
static void put_bare_end(struct tb_fxt_writer *w, const struct tb_event *event) {
  const struct tb_fxt_flat name = name_of_end(event->name);
  if (event->has & TB_HAS_NAME && is_thread(event->track)) add_mark(w, event, &name);
  const struct slice_parts bare = {.thread = event->thread,
                                   .name = event->name,
                                   .category = event->categories,
                                   .args = w->args.items,
                                   .arg_count = w->args.count,
                                   .id = is_thread(event->track) ? 0 : tb_fxt_async_number(w, event)};
  put_end(w, event->track, &bare, event->ts);
}

/* What has no record of its own type. */
static void put_in_instant(struct tb_fxt_writer *w, const struct tb_event *event, enum tb_event_type type, char phase) {
  struct tb_event instant = *event;
  instant.type = type;
  instant.phase = phase;
  w->args.count = 0; /* it flattens them itself */
  tb_fxt_put_other(w, &instant);
  w->args.count = 0;
}

/* An end that names a slice that is not open: an end record would end another one. Where a slice never ended that an
 * end around it closed here, it may be the end of that one, and says so. */
static void put_unmatched_end(struct tb_fxt_writer *w, const struct tb_event *event, bool has_endless) {
  struct tb_event end = *event;
  struct tb_arg *extra = has_endless ? tb_arena_alloc(&w->scratch, (event->extra_count + 1) * sizeof(*extra)) : NULL;
  if (has_endless && !extra) {
    tb_fxt_fail(w, TB_NO_MEMORY);
    return;
  }
  if (has_endless) {
    if (event->extra_count) memcpy(extra, event->extra, event->extra_count * sizeof(*extra));
    extra[end.extra_count++] = (struct tb_arg){.name = tb_carried_key(TB_CARRIED_NO_END), .span = 1};
    end.extra = extra;
  }
  put_in_instant(w, &end, TB_EVENT_OTHER, 'E');
}

/* Ends the innermost slice at the time of `event`, with w->args. Behind a slice that never ends, records of ends have
 * the name of what they end, which is not the innermost. */
static void end_innermost(struct tb_fxt_writer *w, const struct tb_event *event, struct tb_fxt_track_state *track_state,
                          bool is_endless) {
  struct tb_fxt_open *slice = &tb_fxt_opened(track_state)[track_state->slices->stack.count - 1];
  settle(w, event->track, track_state, event->ts);
  struct slice_parts parts = parts_of(slice);
  if (event->thread) parts.thread = event->thread;
  bool is_named = track_state->has_endless && !is_endless && (parts.name.len || parts.category.len);
  /* a complete record of no duration would have the next one in it */
  bool is_moment = is_thread(event->track) && event->ts == slice->open.ts;
  bool late = event->ts < slice->open.ts || is_moment ||
              tb_same_time_keeps_place(slice->open.ts, event->ts, track_state->last_inner_ts);
  struct tb_fxt_flat args[TB_FXT_MAX_ARGS];
  if (!slice->written && (late || would_take_flow(w, tb_fxt_slice_extras(slice), event->ts) ||
                          parts.arg_count + w->args.count > TB_FXT_MAX_ARGS || has_own_members(w, event, &parts)))
    write_held(w, event->track, track_state);
  if (slice->written) parts.arg_count = 0;
  if (slice->overlaps && parts.arg_count + w->args.count > TB_FXT_MAX_ARGS) {
    tb_fxt_lose_event(w, "an argument past the fifteenth", event);
    w->args.count = TB_FXT_MAX_ARGS - parts.arg_count;
  }
  const struct tb_fxt_flat name = name_of_end(parts.name);
  if (slice->written && is_named) add_mark(w, event, &name);
  if (!slice->written) join_thread_times(w, &parts);
  if (parts.arg_count) memcpy(args, parts.args, parts.arg_count * sizeof(*args));
  if (w->args.count) memcpy(args + parts.arg_count, w->args.items, w->args.count * sizeof(*args));
  parts.args = args;
  parts.arg_count += w->args.count;
  if (slice->written)
    put_end(w, event->track, &parts, event->ts);
  else
    put_duration(w, event->track, TB_FXT_DURATION_COMPLETE, slice->open.ts, &parts, true, (uint64_t)event->ts);
  w->args.count = 0;
  tb_fxt_pop_slice(w, track_state);
}

/* Whether an end names the slice, by its name and categories, where it has them. */
static bool is_named_by(const void *ctx, const struct tb_open_frame *frame) {
  const struct tb_event *event = ctx;
  const struct tb_fxt_open *slice = (const void *)frame;
  if (event->has & TB_HAS_NAME && event->name.len && !tb_str_equal(tb_fxt_open_name(slice), event->name)) return false;
  return !event->categories.len || tb_str_equal(tb_fxt_open_category(slice), event->categories);
}

/* How many slices an end closes: up to the innermost of its name and categories, where it has them; 0 where it fits
 * none. */
static size_t closed_by(const struct tb_event *event, const struct tb_fxt_track_state *track_state) {
  const struct tb_open_stack *stack = &track_state->slices->stack;
  bool has_name = event->has & TB_HAS_NAME && event->name.len;
  if (!has_name && !event->categories.len) return 1;
  uint64_t name = has_name ? tb_open_name_of(event->name, stack->count) : 0;
  size_t found = tb_open_stack_find(stack, name, 0, is_named_by, event);
  return found ? stack->count - found + 1 : 0;
}

/* Ends a slice of a track that is no thread's where those above it begin later than the end. False: it is for the
 * innermost. */
static bool end_earlier(struct tb_fxt_writer *w, const struct tb_event *event, struct tb_fxt_track_state *track_state) {
  const struct tb_open_stack *stack = &track_state->slices->stack;
  size_t begun = is_thread(event->track) ? 0 : tb_open_stack_begun(stack, event->ts);
  if (begun == 0 || begun == stack->count) return false;
  write_held(w, event->track, track_state);
  settle(w, event->track, track_state, event->ts);
  struct slice_parts parts = parts_of(&tb_fxt_opened(track_state)[begun - 1]);
  if (event->thread) parts.thread = event->thread;
  parts.args = w->args.items;
  parts.arg_count = w->args.count;
  put_end(w, event->track, &parts, event->ts);
  w->args.count = 0;
  tb_fxt_end_outer_slice(w, track_state, begun - 1);
  return true;
}

static void end(struct tb_fxt_writer *w, const struct tb_event *event, struct tb_fxt_track_state *track_state) {
  bool has_name = event->has & TB_HAS_NAME && event->name.len;
  if (track_state->slices->stack.count == 0) {
    if (track_state->has_endless && !has_name)
      put_unmatched_end(w, event, true); /* readers would end the slice that never ends */
    else
      put_bare_end(w, event);
    return;
  }
  if (!has_name && !event->categories.len && end_earlier(w, event, track_state)) return;
  size_t count = closed_by(event, track_state);
  if (count == 0) {
    put_unmatched_end(w, event, track_state->has_endless);
    return;
  }
  if (count == 1) {
    end_innermost(w, event, track_state, false);
    return;
  }
  struct tb_fxt_flat own[TB_FXT_MAX_ARGS]; /* of the slice that is meant */
  uint32_t own_count = w->args.count;
  if (own_count) memcpy(own, w->args.items, own_count * sizeof(*own));
  if (count > 1) write_held(w, event->track, track_state); /* what comes back as an X would end nothing but itself */
  while (count-- > 0 && w->status == TB_OK) {
    w->args.count = count ? 0 : own_count;
    if (w->args.count) memcpy(w->args.items, own, own_count * sizeof(*own));
    if (count) mark_endless(w, event, track_state);
    end_innermost(w, event, track_state, count > 0);
  }
}

/* ---- complete ---------------------------------------------------------------------------------------------------- */

static void complete(struct tb_fxt_writer *w, const struct tb_event *event) {
  if (event->dur < 0 || event->dur > INT64_MAX - (event->ts > 0 ? event->ts : 0)) {
    put_in_instant(w, event, TB_EVENT_INSTANT, 'X');
    return;
  }
  struct slice_parts slice = {.thread = event->thread,
                              .name = event->name,
                              .category = event->categories,
                              .args = w->args.items,
                              .arg_count = w->args.count};
  if (is_thread(event->track)) {
    tb_fxt_touch(w, event->track, event->ts);
    put_duration(w, event->track, TB_FXT_DURATION_COMPLETE, event->ts, &slice, true,
                 (uint64_t)(event->ts + event->dur));
    return;
  }
  slice.id = tb_fxt_async_number(w, event);
  put_begin(w, event->track, &slice, event->ts);
  slice.arg_count = 0;
  put_end(w, event->track, &slice, event->ts + event->dur);
}

/* A begin or end out of a processor's buffer: those of other processors that are earlier may come later, so that only
 * readers, who sort, know which end is whose. */
static void put_alone(struct tb_fxt_writer *w, const struct tb_event *event) {
  const struct slice_parts bare = {.thread = event->thread,
                                   .name = event->name,
                                   .category = event->categories,
                                   .args = w->args.items,
                                   .arg_count = w->args.count};
  tb_fxt_touch(w, event->track, event->ts);
  if (event->type == TB_EVENT_SLICE_BEGIN)
    put_begin(w, event->track, &bare, event->ts);
  else
    put_end(w, event->track, &bare, event->ts);
}

static void put_now(struct tb_fxt_writer *w, const struct tb_event *event, struct tb_fxt_track_state *track_state) {
  int64_t ts = event->ts;
  bool is_complete = event->type == TB_EVENT_SLICE_COMPLETE && event->dur > 0;
  if (!is_complete) tb_fxt_write_delayed_flows(w, track_state, event->ts);
  tb_fxt_carry_async(w, event, track_state);
  tb_fxt_flatten(w, event);
  if (event->type == TB_EVENT_SLICE_COMPLETE) {
    settle(w, event->track, track_state, event->ts);
    complete(w, event);
  } else if (event->has & TB_HAS_CPU && is_thread(event->track)) {
    put_alone(w, event);
  } else {
    keep_order(w, event->track, track_state, event->ts);
    if (event->type == TB_EVENT_SLICE_BEGIN) {
      begin(w, event, track_state);
    } else {
      /* behind its end a slice takes no flows any more */
      if (track_state->slices->stack.count)
        ts = tb_fxt_opened(track_state)[track_state->slices->stack.count - 1].open.ts;
      end(w, event, track_state);
    }
  }
  tb_fxt_put_flow_ids(w, event, ts);
}

static void end_waiting(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state, int64_t ts, bool is_flow) {
  int64_t begin = track_state->slices->stack.count
                      ? tb_fxt_opened(track_state)[track_state->slices->stack.count - 1].open.ts
                      : INT64_MIN;
  if (!tb_deferred_end_take(&track_state->slices->waiting, ts, begin, &w->bare_end)) return;
  w->args.count = 0;
  if (is_flow) write_held(w, w->bare_end.track, track_state); /* see would_take_flow */
  put_now(w, &w->bare_end, track_state);
  tb_fxt_return_slices(w, track_state); /* an earlier end may have come in between, and have ended the slice */
  w->args.count = 0;
}

void tb_fxt_end_waiting(struct tb_fxt_writer *w, const struct tb_track *track, int64_t ts, bool is_flow) {
  if (track && is_thread(track) && track->index < w->track_state_count && !w->track_states[track->index].is_packed)
    end_waiting(w, &w->track_states[track->index], ts, is_flow);
}

void tb_fxt_note_source_flow(struct tb_fxt_writer *w, const struct tb_event *event) {
  struct tb_fxt_track_state *track_state = unpacked_state_of(w, event->track);
  if (!track_state || !track_state->slices->stack.count) return;
  struct tb_fxt_open *slice = &tb_fxt_opened(track_state)[track_state->slices->stack.count - 1];
  tb_fxt_note_flow_of_slice(w, slice, event->ts);
}

void tb_fxt_put_slice(struct tb_fxt_writer *w, const struct tb_event *event) {
  struct tb_fxt_track_state *track_state = unpacked_state_of(w, event->track);
  if (!track_state) return;
  end_waiting(w, track_state, event->ts, false);
  bool may_wait = event->type == TB_EVENT_SLICE_END && is_thread(event->track) && track_state->slices->stack.count;
  if (may_wait && tb_deferred_end_keep(&track_state->slices->waiting, event, closed_by(event, track_state) == 1))
    return;
  put_now(w, event, track_state);
}

bool tb_fxt_put_bare_end(struct tb_fxt_writer *w, const struct tb_event *event) {
  if (event->type != TB_EVENT_OTHER || !tb_str_equal(event->phase_text, TB_STR("E"))) return false;
  if (!is_thread(event->track) || tb_event_is_untimed(event)) return false;
  struct tb_fxt_track_state *track_state = unpacked_state_of(w, event->track);
  if (!track_state) return false;
  end_waiting(w, track_state, event->ts, false); /* a slice that ended before is not open any more */
  if (track_state->slices->stack.count) return false;
  struct tb_event end = *event;
  end.type = TB_EVENT_SLICE_END;
  tb_fxt_put_slice(w, &end);
  return true;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

void tb_fxt_make_room(struct tb_fxt_writer *w) {
  struct tb_open_stacks *slices = &w->slices;
  for (struct tb_open_stack *stack = slices->first, *next; stack; stack = next) {
    next = stack->next;
    end_waiting(w, &w->track_states[stack->owner], INT64_MAX, false);
  }
  for (struct tb_open_stack *stack = slices->first, *next; stack && slices->bytes > slices->most / 2; stack = next) {
    next = stack->next;
    struct tb_fxt_track_state *track_state = &w->track_states[stack->owner];
    write_held(w, track_state->slices->track, track_state);
    for (size_t i = 0; i < stack->count; i++) tb_fxt_shrink_slice(w, &tb_fxt_opened(track_state)[i]);
    tb_fxt_pack_slices(w, track_state);
  }
  if (slices->bytes > slices->most / 2)
    slices->most = slices->bytes + slices->bytes / 4; /* do not look again too soon */
}

/* ---- the end of the trace ---------------------------------------------------------------------------------------- */

void tb_fxt_finish_slices(struct tb_fxt_writer *w) {
  for (size_t i = 0; i < w->track_state_count; i++) {
    struct tb_fxt_track_state *track_state = &w->track_states[i];
    if (track_state->is_packed) continue; /* all is written */
    end_waiting(w, track_state, INT64_MAX, false);
    for (size_t k = 0; k < track_state->slices->stack.count; k++)
      tb_fxt_opened(track_state)[k].overlaps = false; /* it never ends: an async begin */
    if (track_state->slices->stack.count) write_held(w, track_state->slices->track, track_state);
  }
}
