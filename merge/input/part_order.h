/* SPDX-License-Identifier: Apache-2.0
 *
 * Which inputs are parts of one trace, and in which order.
 */
#ifndef TB_MERGE_INPUT_PART_ORDER_H
#define TB_MERGE_INPUT_PART_ORDER_H

#include "merge/merger.h"

static const uint32_t TB_PART_NONE = UINT32_MAX;

/* What says where it is among the parts of its trace. */
enum tb_part_doubt {
  TB_PART_SURE,     /* sequences, or the user's order, which they do not contradict */
  TB_PART_BY_NAME,  /* the user's order is wrong, and only the order of names is not */
  TB_PART_UNORDERED /* nothing: it is not joined */
};

/* By source. */
struct tb_part_link {
  uint32_t begin;  /* the source that its trace begins in: itself where it is no part */
  uint32_t behind; /* what comes behind it in its trace; TB_PART_NONE: nothing */
  enum tb_part_doubt doubt;
};

/* Whether it may be a part: a trace that is read as it is. */
bool tb_part_is_candidate(const struct tb_source *source);

/* Whether what the user says of the two is the same. */
bool tb_part_is_said_alike(const struct tb_source *a, const struct tb_source *b);

/* A candidate that has sequences which the source lacks the state of; NULL: none. */
const struct tb_source *tb_part_namesake(struct tb_merger *merger, const struct tb_source *source);

/* Of a source without a start and without snapshots: a candidate that has a start, and sequences of the same numbers
 * and writers; NULL: none. */
const struct tb_source *tb_part_may_continue(struct tb_merger *merger, const struct tb_source *source);

/* Fills `links`, one for each source. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_part_order_find(struct tb_merger *merger, struct tb_part_link *links);

#endif
