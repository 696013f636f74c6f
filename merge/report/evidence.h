/* SPDX-License-Identifier: Apache-2.0
 *
 * What the placement of inputs is seen by: how far readings and matches are from the lines that were fitted, and when
 * messages were sent and received. Of many points a report keeps some, evenly chosen.
 */
#ifndef TB_MERGE_REPORT_EVIDENCE_H
#define TB_MERGE_REPORT_EVIDENCE_H

#include "base/memory.h"

enum {
  TB_EVIDENCE_POINTS_MAX = 2000,   /* of one fit, ... */
  TB_EVIDENCE_POINTS_ALL = 20000,  /* ... and about as many of all fits of a merge, ... */
  TB_EVIDENCE_POINTS_LEAST = 100,  /* ... but of one fit not fewer */
  TB_EVIDENCE_MESSAGES_MAX = 1000, /* of a merge */
};

struct tb_evidence_point {
  int64_t time_ns, residual_ns; /* when, on the merged trace's clock; by how much it is off the line */
  int64_t within_ns;            /* half the wait of a clock_sync event, else 0 */
  bool is_outlier;              /* the fit left it out */
};

/* One fit. */
struct tb_evidence {
  size_t input;                     /* index */
  const char *kind, *of;            /* "readings", "REALTIME against BOOTTIME" */
  uint64_t used, outliers;          /* how many there were */
  struct tb_evidence_point *points; /* some of them, in the order of time */
  size_t count;
};

/* A flow that one input sent and another received. */
struct tb_evidence_message {
  size_t from, to; /* indices of inputs */
  uint64_t id;
  int64_t sent_ns, received_ns; /* on the merged trace's clock */
  bool is_backwards;
};

/* Chooses some of items that come in two kinds: at most `most` of all, evenly of each kind, the rare ones first. */
struct tb_evidence_choice {
  uint64_t count[2], most[2], seen[2];
};
struct tb_evidence_choice tb_evidence_choose(uint64_t usual, uint64_t rare, uint64_t most);
/* Whether the next item, which is of this kind, is chosen. */
bool tb_evidence_chooses(struct tb_evidence_choice *choice, bool is_rare);
/* How many are. */
static inline size_t tb_evidence_chosen(const struct tb_evidence_choice *choice) {
  return (size_t)(choice->most[0] + choice->most[1]);
}

#endif
