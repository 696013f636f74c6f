/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts for a writer's summary the processes, threads and counters that events show. For targets that keep no track of them.
 */
#ifndef TB_MODEL_TRACK_COUNTS_H
#define TB_MODEL_TRACK_COUNTS_H

#include "base/map.h"
#include "tracebridge/event.h"
#include "tracebridge/writer.h"

/* Wholly public, caller-owned. */
struct tb_tally {
  const struct tb_allocator *allocator;
  unsigned char *met; /* by index of the track */
  size_t met_capacity;
  struct tb_map counters; /* by track and a hash of name, id and series */
};

void tb_tally_init(struct tb_tally *tally, const struct tb_allocator *allocator);
void tb_tally_free(struct tb_tally *tally);
/* Adds to *summary what the event is the first to show. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_tally_take(struct tb_tally *tally, const struct tb_event *event,
                                           struct tb_writer_summary *summary);

#endif
