/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of ends of slices that are on no thread. An end that has no name in the trace gets its slice's, for readers
 * that match begins and ends by name. Which slice that is, is known only when nothing earlier of the track follows:
 *
 *   in the file       BEGIN a at 10, END at 30, BEGIN b at 20      the END seems to be a's
 *   as readers see    BEGIN a at 10, BEGIN b at 20, END at 30      it is b's
 *
 * An event that steps back in time takes the names of all later ends of its track back, as long as these are not handed
 * on. Without a name an end ends the innermost slice of its category, in the order of time, as it does in the trace.
 */
#include "chrome_json/writer/thread_slices.h"

/* An object's text without the name, which is its first member; the comma before that became its brace. */
static void take_name_back(struct tb_json_writer *w, size_t index) {
  struct tb_buffer *out = &w->out.buffer;
  struct tb_json_end *end = &w->ends[index];
  size_t at = end->at + 1, behind = at + end->name_len;
  memmove(out->data + at, out->data + behind, out->len - behind);
  out->len -= end->name_len;
  for (size_t i = index + 1; i < w->end_count; i++) w->ends[i].at -= end->name_len;
  end->name_len = 0;
}

void tb_json_follow_time(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event) {
  if (tb_json_in_order(state, event)) {
    if (!state->slices->stack.count) state->mixed = false;
    return;
  }
  if (event->ts >= state->last_ts || w->out.status != TB_OK) return;
  state->mixed = true;
  if (event->ts < state->back_to) state->back_to = event->ts;
  /* of those with a name none is later than the one behind it, which would have taken that back */
  while (state->last_end && w->ends[state->last_end - 1].ts > event->ts) {
    size_t index = state->last_end - 1;
    state->last_end = w->ends[index].before;
    take_name_back(w, index);
  }
  if (state->ended_at > event->ts)
    tb_json_lose(w, "which slice an end on no thread is of, where an earlier event of its track comes late", event);
}

void tb_json_note_end_name(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_json_end *end) {
  void *ends = w->ends;
  enum tb_status status =
      tb_grow_array(w->writer->allocator, &ends, &w->end_capacity, w->end_count + 1, sizeof(*w->ends), UINT32_MAX);
  w->ends = ends;
  if (status != TB_OK) {
    (void)tb_json_fail(w, status);
    return;
  }
  w->ends[w->end_count] = *end;
  w->ends[w->end_count++].before = state->last_end;
  state->last_end = (uint32_t)w->end_count;
}

void tb_json_forget_end_names(struct tb_json_writer *w) {
  for (size_t i = 0; i < w->end_count; i++) {
    struct tb_json_track *state = &w->tracks[w->ends[i].track];
    state->last_end = 0;
    if (w->ends[i].name_len && w->ends[i].ts > state->ended_at) state->ended_at = w->ends[i].ts;
  }
  w->end_count = 0;
}
