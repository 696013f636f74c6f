/* SPDX-License-Identifier: Apache-2.0
 *
 * What an input's own snapshots say of its clocks.
 */
#ifndef TB_MERGE_CLOCKS_INPUT_RELATIONS_H
#define TB_MERGE_CLOCKS_INPUT_RELATIONS_H

#include "merge/clocks/reading_fit.h"

struct tb_merger;
struct tb_source;

/* Two clocks of an input's host, by all snapshots that read both. */
struct tb_clock_relation {
  uint32_t a, b;
  uint32_t edge; /* in the clock graph */
  enum tb_reading_kind kind;
  struct tb_reading_fit fit; /* of b over a */
};

struct tb_clock_relations {
  struct tb_clock_relation *items;
  size_t count, capacity;
};

void tb_clock_relations_free(struct tb_clock_relations *relations, const struct tb_allocator *allocator);

/* All readings of clocks `a` and `b` (ids) of the input's host, over all of its snapshots; *pairs is the caller's to
 * free (capacity: *count), NULL where there is none. */
TB_MUST_CHECK enum tb_status tb_source_readings(const struct tb_source *source, const struct tb_allocator *allocator,
                                                uint32_t a, uint32_t b, struct tb_time_anchor **pairs, size_t *count);

/* Whether a snapshot of the input's host reads the clock. */
bool tb_source_reads(const struct tb_source *source, uint32_t clock);

/* What the wall clock of the input's host read in a snapshot; 0 where it says nothing. */
int64_t tb_source_wall_time(const struct tb_source *source);

/* Adds what the input's snapshots and RemoteClockSyncs say to the clock graph. */
TB_MUST_CHECK enum tb_status tb_merger_relate_input(struct tb_merger *m, struct tb_source *source);

/* marker_relations.c: adds what marks of ftrace text say of its clock; and which inputs have that MONOTONIC, after
 * boots are known. */
TB_MUST_CHECK enum tb_status tb_merger_relate_markers(struct tb_merger *m, const struct tb_source *source);
TB_MUST_CHECK enum tb_status tb_merger_join_markers(struct tb_merger *m);

/* fitted_clocks.c: from now on times of packets on other clocks than the trace clock go by all snapshots together,
 * where those know better than the snapshot before a packet, by which readers go; and the input's first and last time
 * do. Before placing, and once more after it, for inputs that are placed by a line. */
TB_MUST_CHECK enum tb_status tb_source_fit_clocks(struct tb_merger *m, struct tb_source *source);
/* The same file: how far off times of packets on such clocks may be before they are the trace clock's, over that; the
 * largest of all clocks that packets are on. Without points where there are none. To be freed. */
TB_MUST_CHECK enum tb_status tb_source_clocks_bound(const struct tb_merger *m, const struct tb_source *source,
                                                    struct tb_time_bound *bound);
/* The same file: whether packets' times go by the relation. */
bool tb_source_reads_by(const struct tb_source *source, const struct tb_clock_relation *relation);
/* The same file: whether a reading of MONOTONIC is between the snapshots around a suspend: its BOOTTIME is what the
 * first of them says, or *size later. */
bool tb_source_may_have_slept(const struct tb_source *source, int64_t monotonic, int64_t *size);

/* Whether a relation that a line was fitted to is on the way of an input to the merged trace's clock, or shows that the
 * machine slept; after placing. */
bool tb_merger_counts_relation(const struct tb_merger *m, const struct tb_clock_relation *relation);
/* A reading of one of the host's clocks as merged time; after placing. */
int64_t tb_source_reading_time(const struct tb_merger *m, const struct tb_source *source, uint32_t clock,
                               int64_t value);

/* Notes on steps, suspends and late readings of relations that placed an input; after placing. */
void tb_merger_note_readings(struct tb_merger *m, const struct tb_source *source);

#endif
