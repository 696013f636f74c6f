/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds which events of two rows are the same moments, each row on a clock of its own.
 *
 * Two machines saw the same events, barriers of a training run for example, and each noted their times. The clocks
 * differ by an unknown offset, and drift a little. Events may be missing or doubled on either side, and less than half
 * of them may be noted at a wrong time. Neither the numbers of the events nor their times say which belong together.
 * The intervals do:
 *
 *   own    a----b--c---------d---e              intervals 4, 2, 9, 3
 *   other        a----b--c------x---d---e       the same intervals, an offset later, and one event more
 *
 * The search has three steps:
 *
 * 1. Votes (row_votes.h). For a few events of the shorter row, each event of the longer row is tried as the same
 *    moment. That fixes an offset. The events around vote for it: each that has a partner near the time at which the
 *    offset expects one. Offsets with few votes are dropped. What remains is right near its event, and says nothing of
 *    drift yet.
 * 2. Following. A line (offset and drift) is fitted through the pairs near the event. It says where partners further
 *    away are to be looked for. The neighbourhood doubles, pairs are made anew (row_pairs.h), the line is fitted again
 *    (line_fit.h, robust), until the rows' ends are reached. So drift needs no search of its own, and wrong times do
 *    not bend the line: they are further from it than the others' noise.
 * 3. Choice. The line whose number of pairs is least likely by chance (tb_row_score) says how near partners are; with
 *    that, the line with most pairs wins. Where something is known beforehand (struct tb_offset_prior: wall clocks that
 *    are right to within 20 ms, say), it decides as soon as a line that agrees with it has nearly as many pairs as any:
 *    of the lines that agree, those with nearly as many pairs as the best of these, the nearest to it wins. So a row
 *    of equal intervals, which fits itself as well after a shift by one interval, is placed by the wall clocks. Nearly
 *    as many are 90 %, and of few pairs all but twice the root of their number: with events missing on both sides a
 *    shift by one interval may have more pairs than the right one. Where no line agrees with the prior, the nearest
 *    within half a second wins of those with about as many pairs, unless a line leaves no event of either row over.
 *    Few pairs that the prior contradicts are no better than it, and the caller hears of that.
 *
 * Another line with nearly as many pairs makes the match ambiguous. The caller hears of it, and does not have to trust
 * the match. Cost: votes take (events of the longer row) x (a few hundred); each line followed takes both rows'
 * lengths.
 */
#ifndef TB_MERGE_CLOCKS_ROW_MATCH_H
#define TB_MERGE_CLOCKS_ROW_MATCH_H

#include "base/memory.h"
#include "base/times.h"

/* Times of events in their order, on one clock. */
struct tb_event_row {
  const int64_t *times;
  size_t count;
};

/* What is known beforehand of the offset from one clock to the other, as from wall clocks. */
struct tb_offset_prior {
  bool known;
  int64_t x0, offset;     /* the other clock reads x0 + offset when the own reads x0, ... */
  double drift;           /* ... runs by this fraction faster, ... */
  int64_t uncertainty_ns; /* ... and reads this much more or less */
};

/* Event `own` of the one row is event `other` of the other one. */
struct tb_event_pair {
  uint32_t own, other;
};

struct tb_row_match {
  struct tb_event_pair *pairs; /* in the order of time; owned */
  size_t count, capacity;
  /* Events that have no partner: those that come in twos, one of each row between the same pairs and not far apart
   * (one of them is seen at a wrong time), and the rest. */
  struct tb_event_pair *apart; /* these twos, `disagreeing` of them; owned, with the capacity of `pairs` */
  size_t disagreeing, own_alone, other_alone;
  /* Another shift of the rows that nearly as many events agree with. */
  bool is_ambiguous;
  size_t second_count;
  int64_t second_offset; /* at the first of the pairs */
  /* Few events say it, and the prior is known and says another offset: second_offset, where it is not ambiguous. */
  bool is_contradicted;
  double others_apart_ns; /* how far away from the found one such shifts are, of those that were tried */
  bool is_incomplete;     /* there are more such shifts than could be tried */
  /* No more events agree than chance alone makes agree at the best of all shifts: the rows share no moments. */
  bool is_by_chance;
};

/* Finds the shift and drift that most events of both rows agree with; one that agrees with the prior goes before one
 * that does not and that a few events more agree with. `drift_max` (a fraction) is the largest that is looked for.
 * Rows are sorted; neither is empty. There is at least one pair. TB_OK, TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_row_match_find(const struct tb_allocator *allocator, struct tb_event_row own,
                                               struct tb_event_row other, const struct tb_offset_prior *prior,
                                               double drift_max, struct tb_row_match *match);
void tb_row_match_free(struct tb_row_match *match, const struct tb_allocator *allocator);

#endif
