/* SPDX-License-Identifier: Apache-2.0
 *
 * Grouped sequences: the events of threads where there are too many threads to stage each by itself. Their entries go
 * to one sort queue, in the order of sequences, and in the order in which they came within each.
 *
 *   as they came   7:a  9:b  7:c  8:d  9:e        (sequence:entry)
 *   read           7:a  7:c  8:d  9:b  9:e
 *
 * So a sequence costs a few bytes while events come. At the end the entries of one sequence after the other are read,
 * staged as those of any other thread, and emitted, before those of the next one are. What is emitted is the same.
 *
 * An entry has the interned ids of its sequence's events in it, so each is stored with those that it is the first to
 * use since the one before it: `uses` is given to whoever encodes an entry, and empty after it was put.
 */
#ifndef TB_PERFETTO_WRITER_STAGED_GROUPED_SEQUENCES_H
#define TB_PERFETTO_WRITER_STAGED_GROUPED_SEQUENCES_H

#include "perfetto/writer/encode/intern_tables.h"
#include "timeline/sort_queue.h"

struct tb_grouped_sequences {
  const struct tb_allocator *allocator;
  struct tb_sort_queue queue;   /* the ts of its entries is the sequence's index, the body a record */
  struct tb_interned_uses uses; /* by the entry that comes next */
  struct tb_buffer record;
  struct tb_sort_queue_cursor cursor;
  bool reading;
  struct tb_staged_event next; /* of the queue */
  bool has_next, is_taken;     /* there is one; it was returned already */
};

void tb_grouped_sequences_init(struct tb_grouped_sequences *grouped, const struct tb_allocator *allocator,
                               size_t *held);
void tb_grouped_sequences_free(struct tb_grouped_sequences *grouped);

/* Adds an entry of the sequence `index`, with `uses`. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_grouped_sequences_put(struct tb_grouped_sequences *grouped, uint32_t index,
                                                      const struct tb_staged_event *entry);

/* Begins to read at the first sequence; entries are not put any more. TB_OK, TB_NO_MEMORY or TB_IO. */
TB_MUST_CHECK enum tb_status tb_grouped_sequences_rewind(struct tb_grouped_sequences *grouped,
                                                         struct tb_spill_file *file, struct tb_error *error);
/* Reads the next entry of the sequence `index`, and adds to `uses` what it uses. Sequences before it are passed over.
 * The entry is valid until the next call. TB_OK; TB_END: there is none; TB_NO_MEMORY or TB_IO. */
TB_MUST_CHECK enum tb_status tb_grouped_sequences_next(struct tb_grouped_sequences *grouped, uint32_t index,
                                                       struct tb_staged_event *entry, struct tb_interned_uses *uses,
                                                       struct tb_error *error);

#endif
