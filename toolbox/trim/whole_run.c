/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/whole_run.h"

/* False where its events are on both sides of an edge, or one at the start, or it is not known when they are. */
static bool find_times(struct tb_whole_run *whole, const struct tb_walk *walk, const struct tb_window *window) {
  const struct tb_slice_run *run = whole->run;
  struct tb_clock_cursor clock = walk->clock;
  uint64_t rest = run->last_ticks - (run->counts ? run->first_ticks : 0);
  whole->multiplier = clock.multiplier;
  if (run->counts != (clock.keep != 0) || !tb_clock_cursor_convert(&clock, run->first_ticks, &whole->first) ||
      !tb_clock_cursor_convert(&clock, rest, &whole->last))
    return false;
  if (whole->last < window->start) return whole->first <= whole->last;
  return whole->first > window->start && whole->first <= whole->last &&
         (whole->last < window->end || whole->first >= window->end);
}

/* The track that readers have its events on; false: they have not. */
static bool find_track(struct tb_whole_run *whole, const struct tb_walk *walk, const struct tb_track_events *events) {
  const struct tb_slice_run *run = whole->run;
  size_t number = walk->sequence_number;
  const uint32_t flags = run->needs_state ? TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE : 0;
  if (number >= events->sequence_count || tb_track_events_lack_state_of(events, number, flags)) return false;
  const struct tb_event_sequence *sequence = &events->sequences[number];
  whole->track = run->has_track ? run->track : sequence->default_track;
  return whole->track && (run->has_track || sequence->has_default_track);
}

bool tb_whole_run_find(struct tb_whole_run *whole, struct tb_walk *walk, const struct tb_track_events *events,
                       struct tb_edges *edges) {
  const struct tb_slice_run *run = tb_slice_runs_at(edges->slice_runs, &edges->next_slice_run, walk->next);
  const struct tb_slice_edge *outermost;
  if (!run) return false;
  whole->run = run;
  whole->events = (struct tb_walk_events){run->first, run->last_ticks, run->count, run->bytes, run->sequence};
  if (!tb_walk_enter_events(walk, &whole->events) || !find_track(whole, walk, events) ||
      !find_times(whole, walk, &edges->window) ||
      !tb_slice_pairs_can_take_run(&edges->slices, whole->track, 0, run->ends, &outermost))
    return false;
  return whole->last < edges->window.end || !outermost || outermost->time >= edges->window.end;
}

/* A begin that it leaves open. Its first byte is the walk's next. */
static enum tb_status open_begin(const struct tb_whole_run *whole, const struct tb_walk *walk,
                                 struct tb_track_events *events, struct tb_slice_pairs *slices,
                                 const struct tb_slice_run_place *place) {
  struct tb_event_view view;
  if (!tb_track_events_read_ahead(events, walk, walk->plain.at + place->at, &view)) return TB_NO_MEMORY;
  const struct tb_slice_edge begin = {.time = tb_whole_run_time(whole, place),
                                      .number = whole->run->first + place->number,
                                      .name = view.name,
                                      .categories = view.categories};
  return tb_slice_pairs_open(slices, whole->track, 0, &begin);
}

enum tb_status tb_whole_run_take_slices(const struct tb_whole_run *whole, const struct tb_walk *walk,
                                        struct tb_track_events *events, struct tb_edges *edges) {
  const struct tb_slice_run *run = whole->run;
  const struct tb_slice_run_place *places = edges->slice_runs->places; /* NULL: no run leaves any open */
  enum tb_status status =
      tb_slice_pairs_take_run(&edges->slices, whole->track, 0, run->ends, whole->first, whole->last);
  for (uint32_t i = 0; i < run->open && status == TB_OK; i++)
    status = open_begin(whole, walk, events, &edges->slices, &places[run->open_at + i]);
  return status;
}
