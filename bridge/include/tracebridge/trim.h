/* SPDX-License-Identifier: Apache-2.0
 *
 * A window of time of a trace: what happens in [start, end), and what is needed to read it. Any format in and out.
 *
 * Packets pass as they are, what nobody decodes too. A slice that is open at the start begins there, one that is open
 * at the end ends there, with its name, categories and arguments; the last value of each counter before the start
 * comes again there. Descriptions of tracks, processes and threads, clocks and configs stay, whatever their time.
 *
 * Where times are shifted, what other clocks read at an event stays: its date does, too.
 *
 *     struct tb_trim_options options = {.size = sizeof(options)};
 *     if (tb_trim_point_parse("1.5s", &options.start)) return 1;
 *     if (tb_trim("trace.json", "part.perfetto-trace", &options, NULL, NULL) != TB_OK) return 1;
 */
#ifndef TRACEBRIDGE_TRIM_H
#define TRACEBRIDGE_TRIM_H

#include "tracebridge/merge.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tb_trim_point_kind {
  TB_TRIM_POINT_OPEN,  /* no edge */
  TB_TRIM_POINT_AFTER, /* `ns` after the trace's first event */
  TB_TRIM_POINT_CLOCK  /* when `clock` read `ns`: UNKNOWN is the trace's own, REALTIME counts from 1970 */
};

/* An edge of the window. Zero is none. */
struct tb_trim_point {
  enum tb_trim_point_kind kind;
  enum tb_clock clock;
  int64_t ns;
};

/* Reads "1.5s" (after the start; as tb_duration_parse reads it), "BOOTTIME:12.5s" (on that clock; TRACE is
 * the trace's own) or "2023-11-14T22:13:20.5Z" (a date with its zone, "+01:00" as well). NULL, and *point; else, and
 * *point unchanged, a constant that says what was wanted. */
TB_API const char *tb_trim_point_parse(const char *text, struct tb_trim_point *point);

/* Options; zero-initialise, then set `size` to sizeof. NULL in place of options means all defaults: the whole trace. */
struct tb_trim_options {
  size_t size;
  const struct tb_allocator *allocator; /* NULL: malloc */
  struct tb_trim_point start, end;      /* start <= time < end */
  int64_t last_ns; /* only so much up to the last event, and `start` and `end` are not set; 0: all. Not negative */
  const char *temporary_directory; /* NULL: $TMPDIR, else /tmp */
  tb_progress progress;            /* NULL: none; of each time that the trace is read */
  void *progress_ctx;
  unsigned threads;                 /* as in struct tb_merge_options */
  tb_temporary_name temporary_name; /* of the output; NULL: not called */
  void *temporary_name_ctx;
  size_t max_junk_bytes; /* as in struct tb_reader_options */
  int64_t shift_ns;      /* added to all times of the output, on the trace clock; other clocks read what they did */
  bool no_clobber; /* TB_IO where a file of the output's name is there when the trace is whole: it is not replaced */
  enum tb_format input_format;  /* as of struct tb_merge_options */
  enum tb_format output_format; /* as of struct tb_merge_options */
};

/* What was done. Zero-initialise, then set `size` to sizeof; tb_trim sets the members that it has room for. */
struct tb_trim_report {
  size_t size;
  int64_t start_ns, end_ns; /* the window on the trace clock; INT64_MIN and INT64_MAX where it has no edge */
  uint64_t packets_in;      /* of the trace as Perfetto's packets */
  uint64_t packets_out;
  uint64_t slices_at_start; /* that were open there, and begin there */
  uint64_t slices_at_end;
  uint64_t values_at_start; /* of counters */
  uint64_t untimed;         /* packets that stay since nothing relates their clock to the trace's */
  /* How the input was read, as of a merge of it alone, and what the format of the output lost; NULL: not known. It is
   * freed by tb_trim_report_free. */
  struct tb_merge_report *merge;
  struct tb_merge_report *shifted; /* of writing the output, where times were shifted; NULL: they were not */
  int64_t shift_ns; /* added to all times: more than was asked for where the first of them would be below zero */
  uint64_t inside;  /* packets, and events and values in them, that are in the window; 0: the trace is of other times */
};
TB_API void tb_trim_report_free(struct tb_trim_report *report); /* frees what it has, not itself; NULL is ignored */

/* Writes the window of the trace `in` ("-": standard input) to the file `out`, whose name says the format as for
 * tb_merge. TB_OK; TB_PARTIAL when the output is there but some of the input was lost; else the code of *error, and
 * nothing is under the name: TB_INVALID (an option), TB_REFUSED (the output is the input; nothing in the trace says
 * what the clock of an edge read), TB_UNSUPPORTED (an archive of several traces), else as tb_merge. *report (may be
 * NULL) is set whatever is returned, and to be freed; error may be NULL. */
TB_MUST_CHECK TB_API enum tb_status tb_trim(const char *in, const char *out, const struct tb_trim_options *options,
                                            struct tb_trim_report *report, struct tb_error *error);

#ifdef __cplusplus
}
#endif
#endif
