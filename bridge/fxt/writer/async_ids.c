/* SPDX-License-Identifier: Apache-2.0
 *
 * The ids of async records, by which alone FXT joins them, and what the records do not say of an event's own.
 */
#include "fxt/writer/open_slices.h"

static bool is_thread(const struct tb_track *track) { return track->type == TB_TRACK_THREAD; }

/* What is kept of the innermost open slice; NULL: there is none. */
static const struct tb_fxt_slice_extras *innermost(const struct tb_fxt_track_state *track_state) {
  if (!track_state || track_state->is_packed || !track_state->slices->stack.count) return NULL;
  return tb_fxt_slice_extras(&tb_fxt_opened(track_state)[track_state->slices->stack.count - 1]);
}

/* What is in a slice of the id has the slice's number, whatever its category, and so has an end. */
uint64_t tb_fxt_async_number(struct tb_fxt_writer *w, const struct tb_event *event) {
  if (event->id.kind == TB_ID_NONE || !event->id.is_number) return tb_fxt_track_number(w, event);
  const struct tb_fxt_slice_extras *outer = innermost(tb_fxt_track_state_of(w, event->track));
  if (outer && (outer->source_id == event->id.value || event->type == TB_EVENT_SLICE_END)) return outer->id;
  return tb_fxt_id_number(w, event, &event->id, false);
}

static void carry_id(struct tb_fxt_writer *w, const struct tb_event *event, const struct tb_fxt_slice_extras *inner) {
  uint64_t number = tb_fxt_async_number(w, event); /* which may be metadata, before what is of the event */
  if (event->id.kind == TB_ID_NONE || !event->id.is_number) return;
  if (event->type == TB_EVENT_SLICE_END && inner && inner->source_id != event->id.value)
    return; /* its slice has another id, or none */
  if (number != event->id.value) tb_fxt_carry_id(w, &event->id);
  tb_fxt_carry_id_kind(w, &event->id);
}

/* The phase that is neither `b` nor `e`: an end's goes by its begin's. */
static void carry_phase(struct tb_fxt_writer *w, const struct tb_event *event,
                        const struct tb_fxt_slice_extras *inner) {
  static const char phases[] = "SFND()"; /* begins, each with its end behind it */
  const char *found = event->phase ? strchr(phases, event->phase) : NULL;
  if (!found && event->type == TB_EVENT_SLICE_END && inner && inner->phase) {
    found = strchr(phases, (int)inner->phase);
    if (found) found++;
  }
  if (found) tb_fxt_carry_text(w, TB_CARRIED_PHASE, (struct tb_str){found, 1});
}

void tb_fxt_carry_async(struct tb_fxt_writer *w, const struct tb_event *event,
                        const struct tb_fxt_track_state *track_state) {
  const struct tb_fxt_slice_extras *inner = innermost(track_state);
  if (!is_thread(event->track)) {
    carry_id(w, event, inner);
    carry_phase(w, event, inner);
  } else if (event->id.kind != TB_ID_NONE && !(event->type == TB_EVENT_SLICE_END && inner)) {
    tb_fxt_carry_id(w, &event->id);
    tb_fxt_carry_id_kind(w, &event->id);
  }
}
