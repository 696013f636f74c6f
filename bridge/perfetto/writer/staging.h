/* SPDX-License-Identifier: Apache-2.0
 *
 * The events while they are held, and the memory that they may take.
 */
#ifndef TB_PERFETTO_WRITER_STAGING_H
#define TB_PERFETTO_WRITER_STAGING_H

#include "io/block_cache.h"
#include "io/spill_log.h"
#include "perfetto/writer/staged/grouped_sequences.h"
#include "timeline/stager.h"

struct tb_perfetto_writer;
struct tb_writer_sequence;

struct tb_writer_staging {
  struct tb_block_cache blocks; /* what logs are made of */
  struct tb_spill_file *spill;
  size_t budget;             /* bytes to hold before queues spill */
  size_t in_logs, in_queues; /* bytes that all sequences hold; the text of ftrace too */
  size_t unchecked;          /* bytes that came since the budget was looked at */
  size_t held_budget;        /* bytes to hold before logs spill, which costs less */
  struct tb_grouped_sequences grouped;
  struct tb_writer_sequence *grouped_sequence; /* of all threads of it; NULL: there are none */
  uint32_t *grouped_tracks;                    /* once all events are there: of each of these sequences its track */
  size_t grouped_count;                        /* of sequences, grouped or not, in grouped_tracks */
};

/* The forms of staging, from the cheapest on: struct tb_streamed_sequence, struct tb_end_ordered_sequence, struct
 * tb_sort_queue. Threads begin with the first, shared sequences with the last. */
extern const struct tb_stager_form tb_form_streamed, tb_form_end_ordered, tb_form_queue;
/* The form of threads that come when there are many already, until all their events are there. */
extern const struct tb_stager_form tb_form_grouped;

/* The form in which the next thread's sequence begins. */
const struct tb_stager_form *tb_perfetto_first_form(const struct tb_perfetto_writer *p);
/* All events are there. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_perfetto_end_grouping(struct tb_perfetto_writer *p);
/* Makes a sequence of its own for a thread of tb_form_grouped, with its entries in another form; sequences in order. */
TB_MUST_CHECK enum tb_status tb_perfetto_ungroup(struct tb_perfetto_writer *p, uint32_t index);
/* Does so for all sequences with flows, and begins anew with the others. */
TB_MUST_CHECK enum tb_status tb_perfetto_ungroup_flows(struct tb_perfetto_writer *p);
void tb_perfetto_free_grouping(struct tb_perfetto_writer *p);

/* Stages an entry of a sequence; binds its flows while they come in order. */
TB_MUST_CHECK enum tb_status tb_perfetto_add_entry(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence,
                                                   struct tb_staged_event *entry);
/* Sets the memory budget: `wanted` bytes; 0: 64 MiB before what needs no sorting spills, half of the machine's memory
 * before queues spill. */
void tb_perfetto_set_budget(struct tb_perfetto_writer *p);
/* Sees to the memory budget every now and then. */
TB_MUST_CHECK enum tb_status tb_perfetto_keep_budget(struct tb_perfetto_writer *p);
/* Spills a log that has grown past its share of the budget. */
TB_MUST_CHECK enum tb_status tb_perfetto_make_room(struct tb_perfetto_writer *p, struct tb_spill_log *log);
/* Notes how much is held. */
void tb_perfetto_note_held(struct tb_perfetto_writer *p);
/* Puts into the summary how much went to the temporary file so far. */
void tb_perfetto_note_spilled(struct tb_perfetto_writer *p);

#endif
