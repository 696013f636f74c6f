/* SPDX-License-Identifier: Apache-2.0
 *
 * Shifts of two rows of events that may be the right ones: for some events of the shorter row each event of the longer
 * one is tried as its partner, and the events around it say how many of them find a partner then. Times are relative,
 * as in row_pairs.h.
 */
#ifndef TB_MERGE_CLOCKS_ROW_VOTES_H
#define TB_MERGE_CLOCKS_ROW_VOTES_H

#include "merge/align/row_match.h"

struct tb_row_vote {
  uint32_t own, other; /* taken for one moment */
  double tolerance;    /* within which the events around agree, ... */
  double share;        /* ... which share of them, ... */
  double score;        /* ... and how much more than by chance */
  double reach;        /* how far away in time those are that were asked */
  size_t ceiling;      /* no more pairs than this can be in the time that both rows have in common */
  bool is_expected;    /* it agrees with the prior */
};

struct tb_row_votes {
  struct tb_row_vote *items; /* the most promising first; owned */
  size_t count, capacity;
  size_t left_out;
  double most; /* events further away than this are taken for others */
};

/* How much more than by chance it is that of `tried` events `agreed` do: the logarithm of a likelihood ratio.
 * `chance` is that of one event. */
double tb_row_score(double agreed, double tried, double chance);
/* That an event finds a partner within a tolerance by chance. */
double tb_row_chance(struct tb_event_row other, double tolerance);

/* Whether an offset at x agrees with the prior. */
bool tb_offset_prior_expects(const struct tb_offset_prior *prior, double x, double offset);

TB_MUST_CHECK enum tb_status tb_row_votes_cast(const struct tb_allocator *allocator, struct tb_event_row own,
                                               struct tb_event_row other, const struct tb_offset_prior *prior,
                                               struct tb_row_votes *votes);
void tb_row_votes_free(struct tb_row_votes *votes, const struct tb_allocator *allocator);

#endif
