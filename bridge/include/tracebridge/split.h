/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace in parts, each a file that opens by itself: by process, thread, machine, time or size. Any format in and out.
 *
 * Each event is in one part. What says something of the whole trace (names, clocks, configs) is in part 0, and in each
 * other part as far as that needs it. tb_merge of the parts is the trace again: Perfetto parts say that they are of one
 * recording, and what they repeat is taken once.
 *
 * - Processes and threads: part 0, "rest", has what is of none: scheduling and all else of processors, counters of the
 *   system; of threads' parts also what is of a process as a whole. A process that has nothing has no part.
 * - Time: a slice of a track event is where it begins, with its end, however much later that is; all else is where its
 *   time is: scheduling, marks of atrace and values of counters. Part 0 has what has no time.
 * - Size: as many packets as they are in the file, a slice where it begins.
 *
 *     struct tb_split_options options = {.size = sizeof(options), .by = TB_SPLIT_PROCESS};
 *     if (tb_split("trace.json", "parts", &options, NULL, NULL) != TB_OK) return 1;
 */
#ifndef TRACEBRIDGE_SPLIT_H
#define TRACEBRIDGE_SPLIT_H

#include "tracebridge/merge.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tb_split_by { TB_SPLIT_PROCESS, TB_SPLIT_THREAD, TB_SPLIT_MACHINE, TB_SPLIT_TIME, TB_SPLIT_SIZE };

/* Options; zero-initialise, then set `size` to sizeof. NULL in place of options means all defaults: by process. */
struct tb_split_options {
  size_t size;
  const struct tb_allocator *allocator; /* NULL: malloc */
  enum tb_split_by by;
  int64_t window_ns;   /* TIME: how long a part is, from the trace's first event on */
  uint64_t part_bytes; /* SIZE: about so large is a part, before it is compressed */
  const char *suffix;  /* of the parts' names, which says their format: ".json.gz"; NULL: the input's format */
  bool force;          /* a folder that has files is taken all the same, and those of the same names are replaced */
  const char *temporary_directory; /* NULL: $TMPDIR, else /tmp */
  tb_progress progress;            /* NULL: none; of each time that the trace is read */
  void *progress_ctx;
  unsigned threads;                 /* as in struct tb_merge_options */
  tb_temporary_name temporary_name; /* of each part; NULL: not called */
  void *temporary_name_ctx;
  size_t max_junk_bytes;       /* as in struct tb_reader_options */
  enum tb_format input_format; /* as of struct tb_merge_options */
};

/* A file that was written. */
struct tb_split_part {
  const char *name; /* in the folder */
  uint64_t packets; /* that are in this part alone, or have a part there */
  uint64_t bytes;   /* of the file's contents, before they are compressed */
  bool has_start;   /* by time: start_ns is set */
  int64_t start_ns; /* on the trace clock */
};

/* What was done. Zero-initialise, then set `size` to sizeof; tb_split sets the members that it has room for. */
struct tb_split_report {
  size_t size;
  uint64_t packets_in; /* of the trace as Perfetto's packets */
  size_t part_count;
  const struct tb_split_part *parts; /* the rest first, then as they come in the trace */
  /* How the input was read, as of a merge of it alone, and what the format of the last part lost; NULL: not known. */
  struct tb_merge_report *merge;
};
TB_API void tb_split_report_free(struct tb_split_report *report); /* frees what it has, not itself; NULL is ignored */

/* Writes the trace `in` ("-": standard input) as files in the folder `directory`, which is made where it is not there.
 * Names are those of what is in them, and sort. TB_OK; TB_PARTIAL when the parts are there but some of the input was
 * lost; else the code of *error, and no part is there: TB_INVALID (an option), TB_REFUSED (the folder has files, there
 * would be too many parts, or no event has a time), TB_UNSUPPORTED (an archive of several traces), else as tb_merge.
 * *report (may be NULL) is set whatever is returned unless its size is not, TB_INVALID, and to be freed; error may be
 * NULL. */
TB_MUST_CHECK TB_API enum tb_status tb_split(const char *in, const char *directory,
                                             const struct tb_split_options *options, struct tb_split_report *report,
                                             struct tb_error *error);

#ifdef __cplusplus
}
#endif
#endif
