/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines through what two clocks read: by least squares, or between messages that must not run backwards.
 */
#ifndef TB_MERGE_CLOCKS_LINE_FIT_H
#define TB_MERGE_CLOCKS_LINE_FIT_H

#include "merge/clocks/time_map.h"

/* y = x + offset + drift * (x - x0). */
struct tb_line_fit {
  int64_t x0, offset;
  double drift; /* as a fraction: 1e-6 is 1 ppm */
  /* Of tb_line_fit_pairs: half the 95 % confidence interval of the drift; infinite where nothing is known. */
  double drift_error;
  double residual_ns; /* root mean square over the matches used */
  int64_t span_ns;    /* from the first match used to the last, on the clock to be placed */
  int64_t bound_ns;   /* messages: the true offset is at most this far away, anywhere between the first and the last */
  bool has_bound;
  uint64_t used, outliers;
};

/* Least squares over pairs of readings of the same moments. Pairs further from the line than five times the usual scatter are
 * left out (and counted). One pair, or pairs that span no time, give an offset only; so do all pairs without
 * `with_drift`. TB_OK, TB_INVALID (no pair), TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_line_fit_pairs(const struct tb_allocator *allocator, const struct tb_time_anchor *pairs,
                                               size_t count, bool with_drift, struct tb_line_fit *fit);

/* A message between the clock to be placed and the clock that it is placed on. */
struct tb_line_fit_message {
  int64_t own;     /* on the clock to be placed */
  int64_t other;   /* on the other clock */
  uint64_t id;     /* the caller's */
  bool from_other; /* sent on the other clock, received on ours; else the other way round */
  bool unmet;      /* set by tb_line_fit_messages: no line meets it with the rest */
};

/* The line with the widest margin to all messages: convex hulls of both directions, the line between them. Messages that no line
 * meets are marked, fewest first, and left out. With messages in one direction only the line is as near as the fastest
 * of them allows, and has no bound. TB_OK, TB_INVALID (no message), TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_line_fit_messages(const struct tb_allocator *allocator,
                                                  struct tb_line_fit_message *messages, size_t count,
                                                  struct tb_line_fit *fit);

#endif
