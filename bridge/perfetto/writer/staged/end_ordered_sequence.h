/* SPDX-License-Identifier: Apache-2.0
 *
 * An end-ordered sequence: the events of a thread whose slices arrive when they end, as tracing macros write them, so
 * that children come before their parents.
 *
 *   time   0    1    2    3    4    5
 *   a      |------------------------|     arrive:          c  b  a      (by end)
 *   b      |--------------|               read backwards:  a  b  c      (parents first)
 *   c           |----|
 *
 * Nothing is sorted. Entries are stored as they arrive, in a form that can be read from the last one on. At the end
 * one backward pass with a stack of open slices meets every parent before its children, and writes all packets from
 * the last to the first; they are then emitted from the first to the last.
 *
 * Only instants and slices with a duration fit, in the order of their ends. Any other event closes the sequence, and
 * all entries are replayed into the sort queue (see staging.c). So are they if the backward pass finds, before it
 * writes, that the slices do not nest (tb_end_ordered_sequence_nests).
 */
#ifndef TB_PERFETTO_WRITER_STAGED_END_ORDERED_SEQUENCE_H
#define TB_PERFETTO_WRITER_STAGED_END_ORDERED_SEQUENCE_H

#include "io/spill_log.h"
#include "perfetto/writer/encode/track_event_packet.h"
#include "timeline/sort_queue.h"

struct tb_end_ordered_sequence {
  const struct tb_allocator *allocator;
  bool closed;                 /* nothing more is taken */
  struct tb_spill_log entries; /* in the order in which they came; none goes over the end of a chunk */
  uint64_t total;
  int64_t last_end; /* of the newest entry */
};

void tb_end_ordered_sequence_init(struct tb_end_ordered_sequence *end_ordered, const struct tb_allocator *allocator);
void tb_end_ordered_sequence_free(struct tb_end_ordered_sequence *end_ordered);

/* Takes the next entry. Where it is of another kind, or ends before the one that came last, nothing has changed but
 * end_ordered->closed, which is true then, and all is to be replayed. TB_OK in both cases, or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_end_ordered_sequence_put(struct tb_end_ordered_sequence *end_ordered,
                                                         const struct tb_staged_event *entry);

/* Replays all entries in the order in which they came, and frees them. Entries and their bodies are valid during the
 * call. TB_OK, TB_NO_MEMORY, TB_IO, or what `take` returned. */
TB_MUST_CHECK enum tb_status tb_end_ordered_sequence_replay(struct tb_end_ordered_sequence *end_ordered,
                                                            enum tb_status (*take)(void *ctx,
                                                                                   struct tb_staged_event *entry),
                                                            void *ctx, struct tb_error *error);

/* Sets *nests: whether all slices nest, in one order only; where they do not, all is to be replayed. TB_OK,
 * TB_NO_MEMORY or TB_IO. */
TB_MUST_CHECK enum tb_status tb_end_ordered_sequence_nests(struct tb_end_ordered_sequence *end_ordered, bool *nests,
                                                           struct tb_error *error);

/* What gets the packets. `make_room` is called each time `packets` has grown by a block, so that they can be spilled
 * meanwhile. */
struct tb_end_ordered_sequence_sink {
  void *ctx;
  enum tb_status (*start)(void *ctx, int64_t ts, uint64_t bytes);
  enum tb_status (*packets)(void *ctx, struct tb_str packets);
  enum tb_status (*make_room)(void *ctx, struct tb_spill_log *packets);
};

/* Emits the packets of entries that nest, in pieces from the first to the last; `start` is called before, with the time
 * of the first and the bytes of all. The entries are gone then. TB_OK, TB_NO_MEMORY, TB_IO, or what a function
 * returned. */
TB_MUST_CHECK enum tb_status tb_end_ordered_sequence_emit(struct tb_end_ordered_sequence *end_ordered,
                                                          uint32_t sequence_id,
                                                          const struct tb_end_ordered_sequence_sink *sink,
                                                          struct tb_error *error);

#endif
