/* SPDX-License-Identifier: Apache-2.0
 *
 * The sync report: what became of each input, as data, text and JSON.
 */
#ifndef TB_MERGE_REPORT_H
#define TB_MERGE_REPORT_H

#include "base/memory.h"
#include "tracebridge/merge.h"

enum { TB_REPORT_NOTES = 32 };

struct tb_merge_report {
  const struct tb_allocator *allocator;
  struct tb_arena arena; /* of the texts */
  struct tb_merge_input_report *inputs;
  size_t count, capacity;
  const char *trace_clock; /* the merged trace's */
  const char *output;      /* NULL: a dry run */
  int64_t shift_ns;        /* by which all was moved so that no time is negative */
  const char *notes[TB_REPORT_NOTES];
  size_t note_count;
  uint64_t packets_out, bytes_out;
  const char *rendered[2]; /* text, JSON; made when asked for */
};

struct tb_merge_report *tb_merge_report_create(const struct tb_allocator *allocator);

/* A new entry, zeroed but for texts, which are ""; NULL when memory is out. Entries move when one is added. */
struct tb_merge_input_report *tb_merge_report_add(struct tb_merge_report *report, const char *name);

/* A text that the report keeps; "" when memory is out. */
const char *tb_merge_report_print(struct tb_merge_report *report, const char *format, ...) TB_PRINTF(2, 3);

/* A note for the whole merge; the same note once only, at most TB_REPORT_NOTES of them. */
void tb_merge_report_note(struct tb_merge_report *report, const char *format, ...) TB_PRINTF(2, 3);

#endif
