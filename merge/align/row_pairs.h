/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs of events of two rows that are near to a line. Times are relative: each row's to an event in its middle.
 */
#ifndef TB_MERGE_CLOCKS_ROW_PAIRS_H
#define TB_MERGE_CLOCKS_ROW_PAIRS_H

#include "base/search.h"
#include "merge/align/row_match.h"

/* An event at x of the own row is at x + offset + drift * (x - centre) of the other one, give or take a tolerance. */
struct tb_row_line {
  double centre, offset, drift;
  double tolerance, rate; /* tolerance * sqrt(1 + rate * (x - centre)^2), ... */
  double growth;          /* ... plus growth * |x - centre|, ... */
  double most;            /* ... but at most this */
};

static inline double tb_row_line_at(const struct tb_row_line *line, double x) {
  return x + line->offset + line->drift * (x - line->centre);
}

/* How far from the line a pair may be at x. */
double tb_row_line_tolerance(const struct tb_row_line *line, double x);

/* The first event of a row at or after a time. */
static inline size_t tb_event_row_find(struct tb_event_row row, double time) {
  size_t at = 0;
  TB_LOWER_BOUND(at, row.count, i, (double)row.times[i] < time);
  return at;
}

/* Pairs events `from` to `to` of the own row with those of the other one: as many as are near enough, each once and
 * none across another, the nearer ones where there is a choice. `pairs` has room for to - from. Returns how many. */
size_t tb_row_pair(struct tb_event_row own, struct tb_event_row other, const struct tb_row_line *line, size_t from,
                   size_t to, struct tb_event_pair *pairs);

#endif
