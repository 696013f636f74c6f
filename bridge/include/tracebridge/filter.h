/* SPDX-License-Identifier: Apache-2.0
 *
 * Some of a trace: of some processes, threads, categories, names, counters, without what is short, without arguments
 * or flows, or as much of it as fits into a file of some size. Any format in and out.
 *
 * Each choice is of its own kind of thing, and what is of another kind stays: processes choose among what belongs to a
 * process, names among slices and instants. A slice goes with its end, and what is inside of it stays. Names, clocks,
 * descriptions and configs stay, and so do packets that nobody decodes, unless their process is not chosen. Of the
 * kernel's scheduling what is left says that a processor is idle while a thread runs that is not chosen; what that and
 * a chosen one send each other by binder stays, of both.
 *
 *     const char *const names[] = {"Render*", "!RenderIdle"};
 *     struct tb_filter_options options = {.size = sizeof(options), .names = names, .name_count = 2};
 *     if (tb_filter("trace.json", "part.perfetto-trace", &options, NULL, NULL) != TB_OK) return 1;
 */
#ifndef TRACEBRIDGE_FILTER_H
#define TRACEBRIDGE_FILTER_H

#include "tracebridge/merge.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options; zero-initialise, then set `size` to sizeof. NULL in place of options means all defaults: the whole trace.
 *
 * Patterns are globs of the shell, and `!` is in front of one whose names are not wanted. What has several names is
 * chosen where one of them matches a pattern without `!`, or there is none, and none matches one with `!`. */
struct tb_filter_options {
  size_t size;
  const struct tb_allocator *allocator; /* NULL: malloc */
  /* of processes and threads by all names that the trace has for them, or by their numbers */
  const char *const *processes, *const *threads;
  size_t process_count, thread_count;
  const char *const *categories; /* of slices and instants; one that has none matches "" */
  size_t category_count;
  const char *const *names; /* of slices and instants, marks of atrace too */
  size_t name_count;
  const char *const *counters; /* of counters on tracks of their own, and of atrace */
  size_t counter_count;
  int64_t min_dur_ns; /* slices that end sooner are left out; 0: none. Instants stay */
  bool no_args;       /* of track events, without what other formats need to be as they were */
  bool no_flows;      /* of track events */
  /* The output has at most so many bytes; 0: any. What is left out until it fits: arguments, flows, then slices, the
   * short ones first. A converted trace is measured before it is compressed. Not for "-". */
  uint64_t max_bytes;
  const char *temporary_directory; /* NULL: $TMPDIR, else /tmp */
  tb_progress progress;            /* NULL: none; of each time that the trace is read */
  void *progress_ctx;
  unsigned worker_threads;          /* `threads` of struct tb_merge_options */
  tb_temporary_name temporary_name; /* of the output; NULL: not called */
  void *temporary_name_ctx;
  size_t max_junk_bytes; /* as in struct tb_reader_options */
  bool no_clobber; /* TB_IO where a file of the output's name is there when the trace is whole: it is not replaced */
  enum tb_format input_format;  /* as of struct tb_merge_options */
  enum tb_format output_format; /* as of struct tb_merge_options */
};

/* Which patterns something of the trace matched, with `!` or without: bit i is of the i-th one, up to the 64th. */
struct tb_filter_matched {
  uint64_t processes, threads, categories, names, counters;
};

/* What was done. Zero-initialise, then set `size` to sizeof; tb_filter sets the members that it has room for. */
struct tb_filter_report {
  size_t size;
  uint64_t packets_in; /* of the trace as Perfetto's packets */
  uint64_t packets_out;
  /* slices of track events and atrace; those whose name, category and duration are kept, of whichever process */
  uint64_t slices_in, slices_out;
  /* What was left out for the sake of the size, besides what the options say. */
  bool left_out_args, left_out_flows;
  int64_t min_dur_ns; /* of slices that stay; INT64_MAX: none of those that end */
  /* How the input was read, as of a merge of it alone, and what the format of the output lost; NULL: not known. It is
   * freed by tb_filter_report_free. */
  struct tb_merge_report *merge;
  struct tb_filter_matched matched;
};
TB_API void tb_filter_report_free(struct tb_filter_report *report); /* frees what it has, not itself */

/* Writes what the options choose of the trace `in` ("-": standard input) to the file `out`, whose name says the format
 * as for tb_merge. TB_OK; TB_PARTIAL when the output is there but some of the input was lost; else the code of *error,
 * and nothing is under the name: TB_INVALID (an option), TB_REFUSED (the output is the input, or cannot be so small),
 * TB_UNSUPPORTED (an archive of several traces), else as tb_merge. *report (may be NULL) is set whatever is returned,
 * and to be freed; error may be NULL. */
TB_MUST_CHECK TB_API enum tb_status tb_filter(const char *in, const char *out, const struct tb_filter_options *options,
                                              struct tb_filter_report *report, struct tb_error *error);

#ifdef __cplusplus
}
#endif
#endif
