/* SPDX-License-Identifier: Apache-2.0
 *
 * Where in a file the recordings begin that were put one behind the other. What shows that another one began may come
 * late: it begins with the snapshots, configuration and the like before that, behind which all is of sequences that
 * begin there, too. What our own writer made begins with packets without times that describe tracks (the preamble).
 */
#ifndef TB_MERGE_INPUT_RECORDINGS_H
#define TB_MERGE_INPUT_RECORDINGS_H

#include "merge/input/sequence_ids.h"
#include "perfetto/packet/recording_starts.h"

/* tb_recordings_init, then tb_recordings_free. */
struct tb_recordings {
  struct tb_recording_starts starts;
  uint64_t *offsets; /* of the recordings behind the first, ascending */
  size_t count, capacity;
  /* the last packets of those that recordings begin with, and what may be of the same recording behind them */
  uint32_t opening; /* counts them, from 1 on; 0: none yet */
  uint64_t opening_offset;
  bool is_whole;         /* all behind them is of sequences that began behind them */
  bool is_opening;       /* the last packet was one of them, ... */
  uint32_t opening_kind; /* ... and of this kind */
  /* the last packets of those that our writer puts in front of sequences, and what may be of them behind */
  uint32_t preamble; /* counts them, from 1 on; 0: none yet */
  uint64_t preamble_offset;
  bool preamble_is_whole;  /* all behind them is of sequences that our writer started behind them */
  bool is_preamble;        /* the last packet was one of them */
  struct tb_map described; /* machine, uuid -> 1: the first tracks that they describe */
};

void tb_recordings_init(struct tb_recordings *recordings, const struct tb_allocator *allocator);
void tb_recordings_free(struct tb_recordings *recordings);

/* Takes in a packet at `offset` of the file that is the first of its sequence, or of what recordings begin with;
 * `seen`: its sequence had packets before. TB_OK, TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_recordings_take(struct tb_recordings *recordings, const struct tb_packet_header *head,
                                                struct tb_merge_sequence *sequence, bool seen, uint64_t offset);

/* Takes in another packet with a payload. TB_OK, TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_recordings_take_other(struct tb_recordings *recordings,
                                                      const struct tb_packet_header *head,
                                                      struct tb_merge_sequence *sequence, uint64_t offset);

/* Takes in plain events of a sequence. */
static inline void tb_recordings_take_events(struct tb_recordings *recordings, struct tb_merge_sequence *sequence) {
  if (!sequence->opening) sequence->opening = recordings->opening;
  recordings->is_whole &= sequence->id && sequence->opening == recordings->opening;
  recordings->preamble_is_whole &= sequence->preamble == recordings->preamble;
  recordings->is_opening = recordings->is_preamble = false;
}

#endif
