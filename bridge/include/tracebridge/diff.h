/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether two traces say the same, whatever their formats, and what differs. Both are read once and brought into the
 * order of time; memory grows with their tracks and with arguments that differ (262,144 of them at most), and events
 * beyond a budget go to temporary files.
 *
 *     struct tb_difference *found;
 *     enum tb_status status = tb_diff("before.json", "after.perfetto-trace", NULL, &found, NULL);
 *     if (status != TB_OK && status != TB_PARTIAL) return 1;
 *     puts(found->is_equal ? "equal" : "different");
 *     tb_difference_free(found);
 */
#ifndef TRACEBRIDGE_DIFF_H
#define TRACEBRIDGE_DIFF_H

#include "tracebridge/convert.h"
#include "tracebridge/escape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is compared, X(id, name). Rows are equal where these are:
 *   slices     begin, track, name and categories of slices and instants
 *   ends       end, begin, track and name of slices that end
 *   args       time, track, key, type and value of an argument of a slice (the time of its begin) or another event, and
 *              the slice's or event's name, once for each slice; fields of slices that not all formats have as such are
 *              arguments too: log_level, source_location, correlation_id, thread_ts, instruction counts, stack. A
 *              number is the same as an integer and as a fraction
 *   counters   time, track, name and value
 *   flows      time; of both slices that it joins name, begin and track
 *   events     type, time, track and name of all else that happens: states of threads, with the CPU and the priority,
 *              logs, samples, with weight, CPU and stack; of objects and memory dumps the process
 *   processes, threads   ids, name and labels
 *   tracks     type, process, thread and name of all other tracks
 * A process or thread without a name and an event is no row, nor is another track without an event. A track is known by
 * process and thread id, one of its own by its parent and its name. Ids of tracks, flows, sequences and interned texts,
 * the order in the file, and what a trace says of its recording are not compared. tb_difference.not_compared has what
 * else is not.
 *
 * Of two formats what one of them does not have is not compared:
 *   names of tracks of async slices, where only Perfetto and ftrace have them; such a track is its process', and what
 *   an id has that processes share is of the process that says it
 *   whether what has no thread is of process 0 or of none; processes and threads without a name
 *   how many tracks of one name slices are spread over, such as those for slices that overlap; so neither which one of
 *   a thread's slices a flow joins, nor the begin of a thread's slice that ends; an END that ends nothing
 *   the words for states of threads where one trace is FXT, and idle threads: the states are compared, and the CPU of
 *   threads that do not wait for one
 *   whether a number is a pointer or a koid; of stacks all but the functions
 *   how a counter's name has its series and its id: "N:S:I" of FXT is "N id: I S", of id 0 "N S"; "N value" is "N"
 * Events that one format has as text or as instants (the kernel's, other packets of Perfetto) are compared as such. */
#define TB_DIFF_TABLE_LIST(X) \
  X(SLICES, "slices")         \
  X(ENDS, "ends")             \
  X(ARGS, "args")             \
  X(COUNTERS, "counters")     \
  X(FLOWS, "flows")           \
  X(EVENTS, "events")         \
  X(PROCESSES, "processes")   \
  X(THREADS, "threads")       \
  X(TRACKS, "tracks")

enum tb_diff_table {
#define TB_DIFF_TABLE_ENUM(id, name) TB_DIFF_##id,
  TB_DIFF_TABLE_LIST(TB_DIFF_TABLE_ENUM)
#undef TB_DIFF_TABLE_ENUM
      TB_DIFF_TABLE_COUNT
};

enum { TB_DIFF_TABLE_ROOM = 32 }; /* of struct tb_difference: more tables may come */

/* A constant; NULL where there is no such table. */
TB_API const char *tb_diff_table_name(enum tb_diff_table table);

/* Rows of a table: of both traces, and those that have no equal in the other. */
struct tb_diff_count {
  uint64_t rows[2], only[2];
};

/* A row without an equal. */
struct tb_diff_row {
  enum tb_diff_table table;
  unsigned side; /* 0: of the first trace; 1: of the second */
  bool has_ts;
  int64_t ts;
  uint64_t offset;    /* in the decompressed input, TB_NO_OFFSET where it is of no one event */
  struct tb_str text; /* what it says, for people */
};

enum { TB_DIFF_ROWS = 20 }; /* of each table and trace; more are counted alone */

/* Public to read, owned by the library: tb_diff, then tb_difference_free. */
struct tb_difference {
  struct tb_str files[2]; /* FILE/MEMBER where it is in an archive */
  enum tb_format formats[2];
  bool is_equal;
  struct tb_diff_count tables[TB_DIFF_TABLE_ROOM];
  const struct tb_diff_row *rows; /* the first of each table, in the order of tables, then of time */
  size_t row_count;
  const struct tb_loss *losses[2]; /* of each reading: what was lost is not compared */
  size_t loss_counts[2];
  /* Parts of one could not be read: what is equal is the rest. Ends without a begin that both have are none. */
  bool is_partial;
  const char *const *not_compared; /* what traces of these formats may say that the rows do not, for people */
  size_t not_compared_count;
};

struct tb_diff_options {
  size_t size;                            /* sizeof */
  const struct tb_reader_options *reader; /* of both; shape, slices and sorted are not asked. NULL: all defaults */
};

/* Compares the traces `first` and `second` (one of them may be "-", standard input). TB_OK: *difference is set, to be
 * freed by the caller, and says whether they are equal. TB_PARTIAL: the same, but parts of one could not be read. Any
 * other: it is NULL, and *error (which may be NULL) says why; codes as tb_reader_open and tb_reader_next. `options` may
 * be NULL. */
TB_MUST_CHECK TB_API enum tb_status tb_diff(const char *first, const char *second,
                                            const struct tb_diff_options *options, struct tb_difference **difference,
                                            struct tb_error *error);

/* NULL is ignored. */
TB_API void tb_difference_free(struct tb_difference *difference);

/* Writes text for people, or one JSON object for programs, to `sink`. TB_OK; TB_CANCELLED where the sink stopped;
 * TB_INVALID where one is NULL; TB_NO_MEMORY. */
TB_MUST_CHECK TB_API enum tb_status tb_difference_text(const struct tb_difference *difference, tb_text_sink sink,
                                                       void *ctx);
TB_MUST_CHECK TB_API enum tb_status tb_difference_json(const struct tb_difference *difference, tb_text_sink sink,
                                                       void *ctx);

#ifdef __cplusplus
}
#endif
#endif
