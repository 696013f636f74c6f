/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the JSON writer share that write slices: chrome_json/writer/thread_slices.c those of threads,
 * chrome_json/writer/async_slices.c those of other tracks, with what chrome_json/writer/open_slices.c knows of both.
 */
#ifndef TB_CHROME_JSON_WRITER_THREAD_SLICES_H
#define TB_CHROME_JSON_WRITER_THREAD_SLICES_H

#include "chrome_json/writer/writer.h"

enum { TB_JSON_HELD_KEEP = 64 * 1024 }; /* a larger buffer is freed once it is empty */

/* ---- chrome_json/writer/open_slices.c ---------------------------------------------------------------------------- */

/* The track's open slices, outermost first; and the last of them, where there is one. */
static inline struct tb_json_open *tb_json_opened(const struct tb_json_track *state) {
  return state->slices->stack.frames;
}
static inline struct tb_json_open *tb_json_innermost(const struct tb_json_track *state) {
  return (struct tb_json_open *)state->slices->stack.frames + state->slices->stack.count - 1;
}

/* A part of the track's held text; where it is empty there may be no buffer. */
static inline struct tb_str tb_json_held(const struct tb_json_track *state, size_t from, size_t end) {
  if (from >= end) return (struct tb_str){NULL, 0};
  return (struct tb_str){state->slices->held.buffer.data + from, end - from};
}

/* Writes it. */
static inline void tb_json_emit_held(struct tb_json_emit *to, const struct tb_json_track *state, size_t from,
                                     size_t end) {
  struct tb_str text = tb_json_held(state, from, end);
  if (text.len) tb_json_emit_raw(to, text.ptr, text.len);
}

/* Writes the event's process, thread and id; where it has no id of its own but needs one, the track's. S goes by its
 * name too. */
void tb_json_emit_event_ids(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event,
                            bool on_thread);
/* Whether the event is no earlier than the track's last; notes its time then. */
bool tb_json_in_order(struct tb_json_track *state, const struct tb_event *event);
/* Whether slices of a track that is no thread's are written as those of one. */
bool tb_json_is_overflow(struct tb_json_track *state, const struct tb_event *event);

/* Gives the track slices of its own, and takes them where it needs none any more. False where the writer failed. */
bool tb_json_take_slices(struct tb_json_writer *w, struct tb_json_track *state);
void tb_json_return_slices(struct tb_json_writer *w, struct tb_json_track *state);
/* Opens the event's slice, with its text held; its `rest` and arguments only where `on_thread`, as
 * of a thread's track or one that tb_json_is_overflow takes for it. NULL where the writer failed. */
struct tb_json_open *tb_json_push_slice(struct tb_json_writer *w, struct tb_json_track *state,
                                        const struct tb_event *event, bool on_thread);
/* Takes the innermost slice away, with those below it that have ended already. */
void tb_json_pop_slice(struct tb_json_writer *w, struct tb_json_track *state);

/* ---- chrome_json/writer/end_names.c ------------------------------------------------------------------------------ */

/* To be called before a begin or an end of a track that is no thread's: is it earlier than what came before it? */
void tb_json_follow_time(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event);
/* An end was written to tb_json_writer.out with a name of ours. */
void tb_json_note_end_name(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_json_end *end);

/* ---- chrome_json/writer/async_slices.c --------------------------------------------------------------------------- */

void tb_json_begin_elsewhere(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event);
void tb_json_end_elsewhere(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event);
/* An instant of another track than its thread's; the scope says which, or the track's id. */
void tb_json_instant_elsewhere(struct tb_json_writer *w, struct tb_json_track *state, const struct tb_event *event,
                               char phase);
/* Writes the ends that no begin at `ts` or later can be for, and the first one that is left with the innermost open
 * slice's category where `begins` says that there is one that began at `ts`. Returns whether that was written. */
bool tb_json_write_pending_ends(struct tb_json_writer *w, struct tb_json_track *state, int64_t ts, bool begins);

#endif
