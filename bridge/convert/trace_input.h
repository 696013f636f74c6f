/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens inputs for reading a trace: looks into archives that hold one, and into pages that Android's systrace and
 * Catapult's trace2html wrote.
 */
#ifndef TB_CONVERT_TRACE_INPUT_H
#define TB_CONVERT_TRACE_INPUT_H

#include "io/input.h"
#include "tracebridge/reader.h"

/* What in the input is not read. Zero-initialise. */
struct tb_unread_traces {
  uint64_t count;      /* traces */
  const char *text;    /* what to say of them; a constant */
  uint64_t unreadable; /* members of archives of which nothing can be read */
  bool damaged;        /* an archive is: members may be missing */
};

/* What an input is. */
struct tb_trace_format {
  enum tb_format read_as; /* as the caller knows (UNKNOWN: not at all); after opening what a decoder makes of it */
  enum tb_format decoded; /* after opening: what it is, where a decoder (registry.h) makes another one of it */
};

/* As tb_input_open_place, but what is in an archive or a page is read as if it were a file of its own, whose name is
 * the file's, a slash, and the member's. What can be read once only and has to be looked through first goes to a
 * temporary file. TB_UNKNOWN_FORMAT: no trace is in it, or several without one that is to be preferred; where the
 * format is known, the input itself is read then. `format` (NULL: nothing is
 * known) and `unread` may be NULL. */
TB_MUST_CHECK enum tb_status tb_trace_input_open(const struct tb_input_place *place,
                                                 const struct tb_allocator *allocator, unsigned threads,
                                                 struct tb_trace_format *format, struct tb_input **input,
                                                 struct tb_unread_traces *unread, struct tb_error *error);

/* How surely something is a trace: the later, the surer. */
enum tb_trace_rank {
  TB_RANK_NO_TRACE,
  TB_RANK_PERHAPS_TRACE, /* JSON of other programs begins like a trace */
  TB_RANK_HAS_TRACE_INSIDE,
  TB_RANK_TRACE,
  TB_RANK_KERNEL_TRACE
};

/* By its first bytes, some thousands. Of the members of an archive, those that are no trace are passed over, and where
 * one surely is a trace, those that may be one. */
enum tb_trace_rank tb_trace_rank(const char *data, size_t len);

/* Whether the archive that is read from `input` is a bug report of Android, whose one trace tb_trace_input_open
 * finds. */
bool tb_trace_input_is_bug_report(struct tb_input *input, const struct tb_allocator *allocator);

struct tb_reader;

/* What is lost with it, a constant; NULL: nothing that is known. */
const char *tb_unread_loss(const struct tb_unread_traces *unread);

/* Adds it to what the reader notes, and to its losses that an archive is damaged: as tb_reader_lose. */
enum tb_status tb_reader_note_unread(struct tb_reader *reader, const struct tb_unread_traces *unread);

#endif
