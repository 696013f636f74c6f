/* SPDX-License-Identifier: Apache-2.0
 *
 * The sync report: what became of each input, as data, text, JSON and a page.
 */
#ifndef TB_MERGE_REPORT_REPORT_H
#define TB_MERGE_REPORT_REPORT_H

#include "base/memory.h"
#include "merge/report/evidence.h"
#include "tracebridge/merge.h"

struct tb_merge_report {
  struct tb_guard guard;                /* of all of the merge */
  const struct tb_allocator *allocator; /* the guard's */
  struct tb_arena arena;                /* of the texts */
  struct tb_merge_input_report *inputs;
  size_t count, capacity;
  struct tb_merge_summary summary;
  const char *output; /* NULL: a dry run */
  struct tb_merge_note *notes;
  size_t note_count, note_capacity, notes_left_out; /* left out: there were too many */
  struct tb_evidence *evidence;                     /* in the order of inputs */
  size_t evidence_count, evidence_capacity;
  struct tb_evidence_message *messages; /* some of them */
  size_t message_count;
  uint64_t messages_sent, messages_backwards; /* how many there were between inputs, and of these */
  struct tb_convert_report *conversion;       /* NULL: the trace was written as it was merged */
  const char **advice;                        /* lines */
  size_t advice_count, advice_capacity;
  const char *rendered[TB_MERGE_REPORT_FORMAT_COUNT]; /* made when asked for */
};

struct tb_merge_report *tb_merge_report_create(const struct tb_allocator *allocator);

/* A new entry, zeroed but for texts, which are ""; NULL when memory is out. Entries move when one is added. */
struct tb_merge_input_report *tb_merge_report_add(struct tb_merge_report *report, const char *name);

/* Sets what reading an input lost to a copy of these. TB_OK, TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_merge_report_set_losses(struct tb_merge_report *report,
                                                        struct tb_merge_input_report *input,
                                                        const struct tb_loss *losses, size_t count);

/* A text that the report keeps; "" when memory is out. */
const char *tb_merge_report_print(struct tb_merge_report *report, const char *format, ...) TB_PRINTF(2, 3);

/* Adds a note about an input, or TB_MERGE_NO_INPUT. Past a limit, which is lower for those that are no warnings, they
 * are counted alone. */
void tb_merge_report_add_note(struct tb_merge_report *report, enum tb_merge_note_code code, size_t input,
                              const char *format, ...) TB_PRINTF(4, 5);

/* The same for a note whose code, input, time, size and packets are set. */
void tb_merge_report_add_timed_note(struct tb_merge_report *report, const struct tb_merge_note *note,
                                    const char *format, ...) TB_PRINTF(3, 4);

/* Adds what a fit says; `kind`, `of` and points are owned by the report. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_merge_report_add_evidence(struct tb_merge_report *report,
                                                          const struct tb_evidence *evidence);

/* Adds a line to the advice that goes with a refusal. */
void tb_merge_report_advise(struct tb_merge_report *report, const char *format, ...) TB_PRINTF(2, 3);

/* The name of the input that a note is about; NULL where it is about the whole merge. */
const char *tb_merge_note_input(const struct tb_merge_report *report, const struct tb_merge_note *note);

#endif
