/* SPDX-License-Identifier: Apache-2.0
 *
 * How clocks of inputs relate by what happened in both: events of one name, messages, clock_sync events.
 */
#ifndef TB_MERGE_CLOCKS_ALIGN_H
#define TB_MERGE_CLOCKS_ALIGN_H

#include "merge/align/line_fit.h"
#include "merge/align/message_network.h"
#include "merge/align/row_match.h"
#include "merge/clocks/residuals.h"
#include "merge/clocks/time_bound.h"
#include "tracebridge/merge.h"

/* Whether the drift that events of one name have is followed. */
enum tb_drift {
  TB_DRIFT_FOLLOWED,
  /* it is larger than it may be, or too few matches in too short a time say so: the offset alone counts */
  TB_DRIFT_LEFT,
  TB_DRIFT_CERTAIN /* the same, but matches leave no doubt that it is larger, and that the offset alone is wrong */
};

/* What a fit found between two inputs: times of `source`'s trace clock to times of `other`'s. */
struct tb_alignment {
  uint32_t source, other;
  enum tb_placement kind; /* ALIGNED, MESSAGES or CLOCK_SYNC */
  struct tb_line_fit fit; /* what counts */
  /* ALIGNED alone: */
  struct tb_line_fit line, level;     /* with the drift, and by the offset alone */
  enum tb_drift drift;                /* which of them `fit` is */
  uint64_t event_count, other_events; /* how many events each input has */
  uint64_t events_alone, other_alone; /* how many of them no event of the other belongs to */
  bool is_ambiguous;    /* another offset matches nearly as many: at the first match, instead of first_offset */
  bool is_contradicted; /* few events match, and wall clocks say the second offset, where it is not ambiguous */
  int64_t first_offset, second_offset;
  uint64_t second_matches;
  double others_apart_ns; /* how far away such offsets are: any of them may be the right one */
  bool is_incomplete;     /* there are more such offsets than could be tried */
  /* How far off the fit may be, on `source`'s trace clock. Owned. */
  struct tb_time_bound bound;
  /* ALIGNED and CLOCK_SYNC: of the matches, in the order of time. Owned. */
  struct tb_residuals residuals;
  uint64_t backwards; /* CLOCK_SYNC: answered before they were asked for, so that they say nothing: not in fit */
  bool one_way;       /* MESSAGES: the bound assumes how long they seem to take */
  bool used;          /* it places an input */
};

/* Frees what it owns. */
void tb_alignment_free(struct tb_alignment *alignment, const struct tb_allocator *allocator);

/* What is known before two inputs are aligned. */
struct tb_align_options {
  struct tb_offset_prior prior; /* of the other's trace clock less the source's */
  double max_drift;             /* that may be followed, as a fraction */
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

/* How many events of the name an input has; marks must be sorted by tb_marks_sort, as for all below. */
size_t tb_marks_named(const struct tb_marks *marks, uint32_t source);

/* By events of one name: which belong together the intervals between them say (row_match.h). False where one of the
 * inputs has none, or no more of them match than by chance. The drift is followed where the matches know it and it is
 * small enough. `alignment` is to be freed, whatever is returned. */
TB_MUST_CHECK enum tb_status tb_align_names(const struct tb_marks *marks, uint32_t source, uint32_t other,
                                            const struct tb_align_options *options, struct tb_alignment *alignment,
                                            bool *found);
/* Flows that one input sent and another received. */
struct tb_messages {
  struct tb_network_message *items; /* owned; hosts are sources */
  size_t count, capacity;
};

/* Adds all messages between inputs. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_marks_messages(const struct tb_marks *marks, struct tb_messages *messages);
/* By clock_sync events: what the receiver wrote down happened between the issuer's asking and its answer. `alignment`
 * is to be freed, whatever is returned. Not found: none, or none but those that alignment->backwards counts. */
TB_MUST_CHECK enum tb_status tb_align_syncs(const struct tb_marks *marks, uint32_t source, uint32_t other,
                                            const struct tb_align_options *options, struct tb_alignment *alignment,
                                            bool *found);

/* align_bound.c: how far off `fit` of an alignment by name may be, of which the first and last match are at these
 * times. */
TB_MUST_CHECK enum tb_status tb_alignment_bound_line(const struct tb_allocator *allocator,
                                                     struct tb_alignment *alignment, int64_t first, int64_t last);

/* By kind, id, source, time. */
void tb_marks_sort(struct tb_marks *marks);

#endif
