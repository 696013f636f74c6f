/* SPDX-License-Identifier: Apache-2.0
 *
 * Events as columns: for each member an array with a row for each event of a batch, texts as numbers of a table. For
 * languages that pay for each call, and for programs that go over one member of many events.
 *
 *     struct tb_columns_options options = {.size = sizeof(options), .columns = TB_COLUMN_TYPE | TB_COLUMN_DUR};
 *     struct tb_reader *reader;
 *     struct tb_columns *columns;
 *     struct tb_column_batch *batch;
 *     int64_t total = 0;
 *     if (tb_reader_open("trace.json", NULL, &reader, NULL) != TB_OK) return 1;
 *     if (tb_columns_open(reader, &options, &columns, NULL) != TB_OK) return 1;
 *     while (tb_columns_next(columns, &batch) == TB_OK) {
 *       for (size_t i = 0; i < batch->count; i++)
 *         if (batch->type[i] == TB_EVENT_SLICE_COMPLETE) total += batch->dur[i];
 *       tb_column_batch_free(batch);
 *     }
 *     printf("%lld ns in complete slices\n", (long long)total);
 *     tb_columns_close(columns);
 *     tb_reader_close(reader);
 */
#ifndef TRACEBRIDGE_COLUMNS_H
#define TRACEBRIDGE_COLUMNS_H

#include "tracebridge/reader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Columns to ask for: the member of struct tb_column_batch of that name, or those that begin so. */
enum tb_column {
  TB_COLUMN_TS = 1 << 0,
  TB_COLUMN_DUR = 1 << 1,
  TB_COLUMN_THREAD_TS = 1 << 2,
  TB_COLUMN_THREAD_DUR = 1 << 3,
  TB_COLUMN_TYPE = 1 << 4,
  TB_COLUMN_HAS = 1 << 5,
  TB_COLUMN_TRACK = 1 << 6,
  TB_COLUMN_THREAD = 1 << 7,
  TB_COLUMN_NAME = 1 << 8,
  TB_COLUMN_CATEGORIES = 1 << 9,
  TB_COLUMN_VALUE = 1 << 10,
  TB_COLUMN_SLICE_ID = 1 << 11,
  TB_COLUMN_FLOW_FROM = 1 << 12,
  TB_COLUMN_CPU = 1 << 13,
  TB_COLUMN_TASK_STATE = 1 << 14,
  TB_COLUMN_PRIORITY = 1 << 15,
  TB_COLUMN_LOG_LEVEL = 1 << 16,
  TB_COLUMN_SEQUENCE = 1 << 17,
  TB_COLUMN_OFFSET = 1 << 18,
  TB_COLUMN_ARG = 1 << 19, /* all that begin with arg_; not among those of 0 */
  TB_COLUMN_ALL = (1 << 20) - 1
};

#define TB_NO_TIME INT64_MIN   /* in a column of times or durations: the event has none */
#define TB_NO_TRACK UINT32_MAX /* in a column of tracks: the event has none */

/* Options; zero-initialise, then set `size` to sizeof. NULL in place of options means all defaults. */
struct tb_columns_options {
  size_t size;
  size_t rows;      /* of a batch at most; 0: 8192 */
  uint64_t columns; /* enum tb_column; 0: all but those of arguments */
};

/* Some events in a row. Made by tb_columns_next and freed by tb_column_batch_free, by which it may also outlive reader
 * and columns. An array has `count` rows and is aligned to 64 bytes; NULL where its column was not asked for. Members
 * of struct tb_event of the same name say what they mean. */
struct tb_column_batch {
  size_t count;
  const int64_t *ts;  /* TB_NO_TIME: none; so the next three */
  const int64_t *dur; /* of COMPLETE slices, and where TB_HAS_DUR is set */
  const int64_t *thread_ts;
  const int64_t *thread_dur;
  const uint8_t *type;    /* enum tb_event_type */
  const uint32_t *has;    /* enum tb_event_has */
  const uint32_t *track;  /* its index: see tb_reader_track; TB_NO_TRACK: none */
  const uint32_t *thread; /* the same of tb_event.thread */
  const uint32_t *name;   /* a text: see tb_columns_text */
  const uint32_t *categories;
  const double *value; /* of a COUNTER its value, of a SAMPLE its weight (1 without one); else a NaN */
  const uint64_t *slice_id;
  const uint64_t *flow_from;
  const uint32_t *cpu;       /* where TB_HAS_CPU is set */
  const uint8_t *task_state; /* enum tb_task_state, of THREAD_STATE */
  const int32_t *priority;   /* where TB_HAS_PRIORITY is set */
  const uint8_t *log_level;  /* enum tb_log_level, of LOG */
  const uint32_t *sequence;
  const uint64_t *offset;
  /* Arguments, a row for each value that is no dict and no array: those of event i are from arg_end[i - 1] (of the
   * first event from 0) up to arg_end[i]. */
  const uint32_t *arg_end;
  size_t arg_count;
  const uint32_t *arg_key;  /* a text: names joined by points, items of arrays by their numbers: "a.b[3]" */
  const uint8_t *arg_type;  /* enum tb_arg_type */
  const int64_t *arg_int;   /* of an integer, a pointer or a bool; of an unsigned one its bits */
  const double *arg_double; /* of a number; else a NaN */
  const uint32_t *arg_text; /* a text, of a string, a value as JSON, or bytes */
};

struct tb_columns; /* opaque; tb_columns_open, then tb_columns_close */

/* Makes columns of what the reader gives from now on. The reader has TB_SHAPE_ONE and is closed after the columns.
 * TB_OK; TB_INVALID, TB_NO_MEMORY: also in *error (may be NULL), *columns is NULL. */
TB_MUST_CHECK TB_API enum tb_status tb_columns_open(struct tb_reader *reader, const struct tb_columns_options *options,
                                                    struct tb_columns **columns, struct tb_error *error);

/* The next events, at least one where it is TB_OK: *batch is the caller's. Memory of batches that were freed is used
 * again. Else *batch is NULL, and statuses are those of tb_reader_next, or TB_NO_MEMORY, after which columns have no
 * more. Events that came before a failure of the reader are given before it. */
TB_MUST_CHECK TB_API enum tb_status tb_columns_next(struct tb_columns *columns, struct tb_column_batch **batch);

/* From any thread. NULL is ignored. */
TB_API void tb_column_batch_free(struct tb_column_batch *batch);

/* The texts that rows name by number, from 0, which is the empty one; there are more after tb_columns_next, and those
 * before stay. A text is valid until the columns are closed; of other numbers it is empty. */
TB_API size_t tb_columns_text_count(const struct tb_columns *columns);
TB_API struct tb_str tb_columns_text(const struct tb_columns *columns, uint32_t text);

/* Frees all but batches that were not freed, and the reader. NULL is ignored. */
TB_API void tb_columns_close(struct tb_columns *columns);

#ifdef __cplusplus
}
#endif
#endif
