/* SPDX-License-Identifier: Apache-2.0
 *
 * Flow events of JSON that wait for their slice. A flow record binds to the slice that is open when it is read, those
 * of one time in the order of the file. In JSON complete slices of a time come before all else of it, wherever they are
 * in the file, and often that is behind the flow event. So flow events are written late: when the thread's slices begin
 * or end in another way at their time, or when so many others wait that the slice will hardly come.
 */
#include "fxt/writer/writer.h"

enum { WAITING_MOST = 4096 };

static struct tb_fxt_flow_point *place_of(const struct tb_fxt_writer *w, uint64_t number) {
  return &w->delayed.ring[number % WAITING_MOST];
}

/* All that came before those do too: flows are linked in the order of the file. */
static void write_up_to(struct tb_fxt_writer *w, uint64_t number) {
  for (; w->delayed.first < number; w->delayed.first++) {
    struct tb_fxt_flow_point *point = place_of(w, w->delayed.first);
    tb_fxt_put_flow_point(w, point->held->type, point);
    tb_fxt_free_held_flow(w, point->held);
  }
}

void tb_fxt_write_delayed_flows(struct tb_fxt_writer *w, const struct tb_fxt_track_state *track_state, int64_t ts) {
  const struct tb_fxt_track_more *more = tb_fxt_more(w, track_state);
  if (track_state->has_delayed && more->delayed_ts == ts) write_up_to(w, more->delayed_end);
}

void tb_fxt_finish_delayed_flows(struct tb_fxt_writer *w) { write_up_to(w, w->delayed.end); }

static bool make_room(struct tb_fxt_writer *w) {
  if (!w->delayed.ring) w->delayed.ring = tb_alloc(w->writer->allocator, WAITING_MOST * sizeof(*w->delayed.ring));
  if (!w->delayed.ring) tb_fxt_fail(w, TB_NO_MEMORY);
  if (w->delayed.end - w->delayed.first == WAITING_MOST) write_up_to(w, w->delayed.first + 1);
  return w->delayed.ring;
}

bool tb_fxt_delay_flow(struct tb_fxt_writer *w, const struct tb_event *event, const struct tb_track *thread,
                       unsigned type, uint64_t id) {
  if (!w->writer->source.complete_first || thread->type != TB_TRACK_THREAD) return false;
  tb_fxt_touch(w, thread, event->ts);
  struct tb_fxt_track_state *track_state = tb_fxt_track_state_of(w, thread);
  struct tb_fxt_track_more *more = track_state ? tb_fxt_own_more(w, track_state) : NULL;
  struct tb_fxt_held_flow *held = more && make_room(w) ? tb_fxt_copy_flow(w, event, type) : NULL;
  if (!held) return true; /* the writer failed */
  *place_of(w, w->delayed.end++) = (struct tb_fxt_flow_point){.id = id,
                                                              .process = tb_fxt_process_koid(thread),
                                                              .thread = tb_fxt_thread_koid(thread),
                                                              .ts = event->ts,
                                                              .held = held};
  more->delayed_ts = event->ts;
  more->delayed_end = w->delayed.end;
  track_state->has_delayed = true;
  return true;
}

void tb_fxt_free_delayed_flows(struct tb_fxt_writer *w) {
  for (; w->delayed.first < w->delayed.end; w->delayed.first++)
    tb_fxt_free_held_flow(w, place_of(w, w->delayed.first)->held);
  tb_free(w->writer->allocator, w->delayed.ring, w->delayed.ring ? WAITING_MOST * sizeof(*w->delayed.ring) : 0);
}
