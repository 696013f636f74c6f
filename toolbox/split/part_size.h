/* SPDX-License-Identifier: Apache-2.0
 *
 * How large the part becomes that the packets of a walk go to, one after the other: with what each part repeats.
 */
#ifndef TB_TOOLBOX_SPLIT_PART_SIZE_H
#define TB_TOOLBOX_SPLIT_PART_SIZE_H

#include "toolbox/walk/packet_walk.h"

/* The state of a sequence so far, in bytes, and the part that has it, counted from 1. */
struct tb_sequence_size {
  uint64_t state;
  size_t part;
};

/* Caller-owned; tb_part_size_init, then tb_part_size_free. */
struct tb_part_size {
  const struct tb_allocator *allocator;
  size_t part;                        /* counted from 1 */
  uint64_t own, states, common;       /* packets of its own; state of their sequences; what is in all parts */
  struct tb_sequence_size *sequences; /* by the walk's numbers */
  size_t count, capacity;
};

void tb_part_size_init(struct tb_part_size *size, const struct tb_allocator *allocator);
void tb_part_size_free(struct tb_part_size *size);

/* Takes in the walk's current packet. `is_common`: it is in all parts. `is_absolute`: in all parts but the first, its
 * time is one of the trace clock. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_part_size_take(struct tb_part_size *size, const struct tb_walk *walk, bool is_common,
                                               bool is_absolute);

/* Whether the part has so many bytes, and enough of them are its own. */
bool tb_part_size_is_full(const struct tb_part_size *size, uint64_t bytes);
void tb_part_size_next_part(struct tb_part_size *size);

#endif
