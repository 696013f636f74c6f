/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace without what is damaged in it. Any format in and out.
 *
 * What can be read stays as it is. What cannot is left out: where the file was cut, bytes that are nothing of the
 * format (a damaged block, the rest of an event into which another process wrote), packets whose inside is no message,
 * of bundles of the kernel's events the switches and wakings (compact_sched) where their columns do not fit together.
 * A clock does not run backwards: of the snapshots of the same clocks of a machine as few are left out as it takes, and
 * one in which a clock comes twice. Snapshots that start the incremental clock of a sequence stay.
 * Of several recordings of Perfetto in one file, as cat makes it, each becomes a file of its own, since neither clocks
 * nor sequences and tracks of one are those of another: OUT, then OUT with .2, .3 and so on before what says the format
 * (whole.pftrace, whole.2.pftrace). Other formats have no such state: of them one file has all.
 *
 *     struct tb_repair_report report = {.size = sizeof(report)};
 *     if (tb_repair("crashed.json", "whole.json", NULL, &report, NULL) != TB_OK) return 1;
 */
#ifndef TRACEBRIDGE_REPAIR_H
#define TRACEBRIDGE_REPAIR_H

#include "tracebridge/merge.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options; zero-initialise, then set `size` to sizeof. NULL in place of options means all defaults. */
struct tb_repair_options {
  size_t size;
  const struct tb_allocator *allocator; /* NULL: malloc */
  const char *temporary_directory;      /* NULL: $TMPDIR, else /tmp */
  tb_progress progress;                 /* NULL: none */
  void *progress_ctx;
  unsigned threads;                 /* as in struct tb_merge_options */
  tb_temporary_name temporary_name; /* of the output; NULL: not called */
  void *temporary_name_ctx;
  size_t max_junk_bytes; /* as in struct tb_reader_options */
  bool no_clobber; /* TB_IO where a file of the output's name is there when the trace is whole: it is not replaced */
  enum tb_format input_format;  /* as of struct tb_merge_options */
  enum tb_format output_format; /* as of struct tb_merge_options */
};

/* What was done. Zero-initialise, then set `size` to sizeof; tb_repair sets the members that it has room for. */
struct tb_repair_report {
  size_t size;
  uint64_t packets_in; /* of the trace as Perfetto's packets, as far as their frames can be read */
  uint64_t packets_out;
  uint64_t passed_over; /* places of a Perfetto trace that are nothing of it */
  uint64_t unreadable;  /* packets left out whose inside is damaged; what one said to its sequence stays if it can */
  uint64_t snapshots_left_out; /* since a clock in them runs backwards or comes twice */
  /* How the input was read, as of a merge of it alone (`losses` of its input 0: what could not be read, whatever the
   * format), and what the format of the output lost; NULL: not known. It is freed by tb_repair_report_free. */
  struct tb_merge_report *merge;
  uint64_t recordings;        /* in the input, one behind the other */
  const char *const *outputs; /* the files that were written; they are freed with `merge` */
  size_t output_count;
  uint64_t mended_events; /* of JSON: read from text that is not quite JSON, as when a quote or a comma is missing */
  uint64_t mended_offset; /* of the first of them */
};
TB_API void tb_repair_report_free(struct tb_repair_report *report); /* frees what it has, not itself */

/* Writes what can be read of the trace `in` ("-": standard input) to the file `out`, whose name says the format as for
 * tb_merge. TB_OK, also where something was left out, which *report says; TB_PARTIAL where the format of the output
 * lost something; else the code of *error, and nothing is under the name: TB_REFUSED (the output is the input, or a
 * file of the name that a further recording gets is there already), TB_UNSUPPORTED (an archive of several traces, or
 * several recordings where the output is no file), else as tb_merge.
 * *report (may be NULL) is set whatever is returned, and to be freed; error may be NULL. */
TB_MUST_CHECK TB_API enum tb_status tb_repair(const char *in, const char *out, const struct tb_repair_options *options,
                                              struct tb_repair_report *report, struct tb_error *error);

#ifdef __cplusplus
}
#endif
#endif
