/* SPDX-License-Identifier: Apache-2.0
 *
 * The mark that a part of a split trace begins with: a packet of ours (SplitPart), or what other formats have a place
 * for, a member of JSON's outermost object.
 */
#ifndef TB_MERGE_INPUT_SPLIT_MARK_H
#define TB_MERGE_INPUT_SPLIT_MARK_H

#include <stdbool.h>

#include "base/memory.h"

/* Which part of a trace it is. */
struct tb_split_mark {
  uint64_t recording; /* 0: it is none */
  uint32_t number;
};

/* Appends the mark as a packet, framed; `own`: as ours, else as TraceAttributes that become the member. TB_OK,
 * TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_split_mark_append(const struct tb_split_mark *mark, bool own, struct tb_buffer *buffer);

/* Reads a payload of either kind; false where it is no mark. */
bool tb_split_mark_read(uint32_t kind, struct tb_str payload, struct tb_split_mark *mark);

#endif
