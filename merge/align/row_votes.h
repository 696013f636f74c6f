/* SPDX-License-Identifier: Apache-2.0
 *
 * The first step of matching two rows of events (row_match.h): which offsets between them are worth to be followed.
 *
 * A number of seeds, events spread over the shorter row (`pattern`), are taken. For each seed and each event of the
 * longer row (`text`) the question is: if these two are one moment, how many of the 47 events around the seed (31 in
 * long rows) have a partner as well?
 *
 *   pattern        p1   p2 SEED p4      p5         the seed is put on each event of the text in turn;
 *   text     t1      t2   t3 T    t4         t5    here p1, p2 and p4 have a partner within the tolerance, p5 has none
 *
 * How near is near is not known: clocks are read with errors of some microseconds, or of milliseconds. So several
 * tolerances are tried at once, each four times the one before, up to a quarter of the spacing of the text's events.
 * An agreement counts by how unlikely it is by chance (tb_row_score): three partners within 2 us may say more than ten
 * within 20 ms. Of each offset the tolerance with the highest score counts.
 *
 * Votes with less than 60 % of their seed's best score are dropped, and those that a seed elsewhere puts far behind.
 * The rest is sorted: first what the prior expects, then by how many pairs the offset could have at most (`ceiling`,
 * the events in the time that both rows have in common) times the share that agreed. tb_row_match_find follows them in
 * that order and stops when no vote left could change its result.
 *
 * Times are relative, as in row_pairs.h. For one seed the partners of all 47 events are found by as many cursors that
 * move forward with the text, so that a seed costs 48 steps for each event of the text.
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
  bool is_expected;    /* it agrees with the prior, ... */
  bool is_likely;      /* ... or does so nearly */
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

/* How far an offset at x is from what the prior says; whether it agrees with that. */
double tb_offset_prior_apart(const struct tb_offset_prior *prior, double x, double offset);
bool tb_offset_prior_expects(const struct tb_offset_prior *prior, double x, double offset);
/* Whether it is not so far off that the prior is wrong altogether: wall clocks that nobody keeps well. */
bool tb_offset_prior_allows(const struct tb_offset_prior *prior, double x, double offset);

TB_MUST_CHECK enum tb_status tb_row_votes_cast(const struct tb_allocator *allocator, struct tb_event_row own,
                                               struct tb_event_row other, const struct tb_offset_prior *prior,
                                               struct tb_row_votes *votes);
void tb_row_votes_free(struct tb_row_votes *votes, const struct tb_allocator *allocator);

#endif
