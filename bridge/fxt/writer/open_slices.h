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

/* Behind its name and categories. */
static inline const char *tb_fxt_open_texts_end(const struct tb_fxt_open *slice) {
  return slice->block ? slice->block + slice->block_size : slice->text + slice->name_len + slice->category_len;
}

static inline struct tb_str tb_fxt_open_name(const struct tb_fxt_open *slice) {
  if (!slice->name_len) return (struct tb_str){NULL, 0};
  return (struct tb_str){tb_fxt_open_texts_end(slice) - slice->category_len - slice->name_len, slice->name_len};
}

static inline struct tb_str tb_fxt_open_category(const struct tb_fxt_open *slice) {
  if (!slice->category_len) return (struct tb_str){NULL, 0};
  return (struct tb_str){tb_fxt_open_texts_end(slice) - slice->category_len, slice->category_len};
}

/* Of one whose record is still to be written; it has extras. */
static inline struct tb_fxt_flat *tb_fxt_open_args(const struct tb_fxt_open *slice) {
  return (void *)(slice->block + sizeof(struct tb_fxt_slice_extras));
}

const struct tb_fxt_slice_extras *tb_fxt_slice_extras(const struct tb_fxt_open *slice);

/* Copies the event's names and w->args into a new slice. False where the writer failed. */
bool tb_fxt_open_slice(struct tb_fxt_writer *w, const struct tb_event *event, struct tb_fxt_open *slice);

/* The time of the slice's last flow event is at least that. */
void tb_fxt_note_flow_of_slice(struct tb_fxt_writer *w, struct tb_fxt_open *slice, int64_t ts);

/* Counts which slices are held: the innermost ones, up to the first that is written. */
void tb_fxt_count_held(struct tb_fxt_track_state *track_state);

/* Gives the track slices of its own. False where the writer failed. */
bool tb_fxt_take_slices(struct tb_fxt_writer *w, const struct tb_track *track, struct tb_fxt_track_state *track_state);

/* Frees them where none is open and no end waits. */
void tb_fxt_return_slices(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state);

/* Pushes a slice; takes its block, or frees it where the writer failed. */
void tb_fxt_push_slice(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state, struct tb_fxt_open *slice);

/* The innermost slice has ended. */
void tb_fxt_pop_slice(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state);

/* Forgets some of TB_FXT_OPEN_MAX slices, the outermost ones. */
void tb_fxt_forget_outermost(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state);

/* Ends a slice that is not the innermost, and whose begin is written. */
void tb_fxt_end_outer_slice(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state, size_t index);

/* Leaves of a slice whose begin is written what its end needs. */
void tb_fxt_shrink_slice(struct tb_fxt_writer *w, struct tb_fxt_open *slice);

/* Packs the track's slices where only their times and names are left; else leaves them as they are. */
void tb_fxt_pack_slices(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state);

/* The opposite, of a track that is packed. False where the writer failed. */
bool tb_fxt_unpack_slices(struct tb_fxt_writer *w, const struct tb_track *track,
                          struct tb_fxt_track_state *track_state);

/* ---- async records (fxt/writer/async_ids.c) ---------------------------------------------------------------------- */

/* The number of async records for what happens on a track that is no thread's: the event's id where it is a number that
 * nothing else has, else another one. */
uint64_t tb_fxt_async_number(struct tb_fxt_writer *w, const struct tb_event *event);

/* Carries the id and the phase that the event's record does not have. A slice of a thread has no id in FXT; that of an
 * end is its begin's, where there is one. */
void tb_fxt_carry_async(struct tb_fxt_writer *w, const struct tb_event *event,
                        const struct tb_fxt_track_state *track_state);

#endif
