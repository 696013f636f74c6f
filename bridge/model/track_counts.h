/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts for a writer's summary the processes, threads and counters that events show. For targets that keep no track of
 * them.
 */
#ifndef TB_MODEL_TRACK_COUNTS_H
#define TB_MODEL_TRACK_COUNTS_H

#include "base/map.h"
#include "tracebridge/event.h"
#include "tracebridge/writer.h"

/* Wholly public, caller-owned. */
struct tb_track_counts {
  const struct tb_allocator *allocator;
  unsigned char *met; /* by index of the track */
  size_t met_capacity;
  struct tb_map counters; /* by track and a hash of name, id and series */
};

void tb_track_counts_init(struct tb_track_counts *track_counts, const struct tb_allocator *allocator);
void tb_track_counts_free(struct tb_track_counts *track_counts);
/* Adds to *summary what the event is the first to show. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_track_counts_add(struct tb_track_counts *track_counts, const struct tb_event *event,
                                                 struct tb_writer_summary *summary);

#endif
