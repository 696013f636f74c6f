/* SPDX-License-Identifier: Apache-2.0
 *
 * How clocks of inputs relate by what happened in both: events of one name, messages, clock_sync events.
 */
#ifndef TB_MERGE_ALIGN_H
#define TB_MERGE_ALIGN_H

#include "fit.h"
#include "tracebridge/merge.h"

enum { TB_UNMET_TOLD = 8 };

/* What a fit found between two inputs: times of `source`'s trace clock to times of `other`'s. */
struct tb_alignment {
  uint32_t source, other;
  enum tb_placement kind; /* ALIGNED, MESSAGES or CLOCK_SYNC */
  struct tb_fit fit;
  struct tb_fit_message unmet[TB_UNMET_TOLD]; /* the first of the messages that no line meets; `id` is the flow's */
  size_t unmet_count;
};

/* An event that may tell something: its time on its input's trace clock. */
enum tb_mark_kind { TB_MARK_NAME, TB_MARK_SENT, TB_MARK_RECEIVED, TB_MARK_SYNC_RECEIVER, TB_MARK_SYNC_ISSUER };

struct tb_mark {
  uint64_t id; /* flow id; hash of the sync_id */
  int64_t time;
  int64_t issued; /* TB_MARK_SYNC_ISSUER: when it was asked for */
  uint32_t source;
  uint8_t kind; /* enum tb_mark_kind */
};

struct tb_marks {
  const struct tb_allocator *allocator;
  struct tb_mark *items;
  size_t count, capacity;
};

void tb_marks_init(struct tb_marks *marks, const struct tb_allocator *allocator);
void tb_marks_free(struct tb_marks *marks);
TB_MUST_CHECK enum tb_status tb_marks_add(struct tb_marks *marks, const struct tb_mark *mark);

/* The i-th event of one input is the i-th of the other (which has others before or after it where their numbers differ). False
 * where one of them has none; marks must be sorted by tb_marks_sort. */
TB_MUST_CHECK enum tb_status tb_align_names(const struct tb_marks *marks, uint32_t source, uint32_t other,
                                            struct tb_alignment *alignment, bool *found);
/* By flows that one input sent and the other received. */
TB_MUST_CHECK enum tb_status tb_align_messages(const struct tb_marks *marks, uint32_t source, uint32_t other,
                                               struct tb_alignment *alignment, bool *found);
/* By clock_sync events: what the receiver wrote down happened between the issuer's asking and its answer. */
TB_MUST_CHECK enum tb_status tb_align_syncs(const struct tb_marks *marks, uint32_t source, uint32_t other,
                                            struct tb_alignment *alignment, bool *found);

/* By kind, id, source, time. */
void tb_marks_sort(struct tb_marks *marks);

#endif
