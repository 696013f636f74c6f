/* SPDX-License-Identifier: Apache-2.0
 *
 * The open slices of a track: their stack (timeline/open_stack.h), and the memory that they take.
 */
#ifndef TB_FXT_WRITER_OPEN_SLICES_H
#define TB_FXT_WRITER_OPEN_SLICES_H

#include "fxt/writer/writer.h"

enum { TB_FXT_OPEN_MAX = 1 << 12 }; /* deeper than any program; of slices that never end there may be any number */

/* Outermost first. */
static inline struct tb_fxt_open *tb_fxt_opened(const struct tb_fxt_track_state *track_state) {
  return track_state->slices->stack.frames;
}

/* Counts which slices are held: the innermost ones, up to the first that is written. */
void tb_fxt_count_held(struct tb_fxt_track_state *track_state);

/* Gives the track slices of its own. False where the writer failed. */
bool tb_fxt_take_slices(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state);

/* Pushes a slice; takes its block, or frees it where the writer failed. */
void tb_fxt_push_slice(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state, struct tb_fxt_open *slice);

/* The innermost slice has ended. */
void tb_fxt_pop_slice(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state);

/* Forgets some of TB_FXT_OPEN_MAX slices, the outermost ones. */
void tb_fxt_forget_outermost(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state);

/* Leaves of a slice whose begin is written what its end needs. */
void tb_fxt_shrink_slice(struct tb_fxt_writer *w, struct tb_fxt_open *slice);

#endif
