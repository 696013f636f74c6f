/* SPDX-License-Identifier: Apache-2.0
 *
 * External merge sort, second half: reads several sorted runs of a spill file as one sorted sequence.
 *
 * The first half is the sort queue's (sort_queue.h): whenever its memory is full, it sorts what is there and appends
 * it to the file as one run. A run is sorted, the file is not: runs overlap in time. In the end they are merged:
 *
 *   run 0  [ 1  4  9 ]  ->  1 --+
 *   run 1  [ 2  3  8 ]  ->  2 --+-- heap  ->  1  2  3  4  5  8  9
 *   run 2  [ 5 ]        ->  5 --+
 *
 * Of each run the merger holds one record, the first that was not returned yet, and a buffer of the bytes behind it. A
 * binary heap (base/heap.h) has the runs by those records. tb_run_merger_next returns the record on top; the next call
 * replaces it by the next record of the same run and restores the heap's order. A run at its end leaves the heap. With
 * N records in R runs that is N log R comparisons, one pass over the file, and memory of R buffers, however large the
 * runs are.
 *
 * Records that compare equal come in the order of their runs, and so in the order in which they were added: the sort
 * is stable. Where each run starts at or after the end of the one before (`in_order`), the heap is ordered by the
 * runs' numbers alone, and a run's buffer is filled only when its turn comes.
 */
#ifndef TB_TIMELINE_RUN_MERGER_H
#define TB_TIMELINE_RUN_MERGER_H

#include "io/spill_file.h"

enum { TB_RUN_SLACK = 16 /* bytes behind a record that `read` may look at */ };

/* One sorted run: a range of the file; or bytes in memory, which stay until the merger is closed. */
struct tb_run {
  uint64_t offset, bytes, count;
  const char *memory; /* NULL: it is in the file */
};

/* What the records of runs are. */
struct tb_run_records {
  /* Bytes of a record as `read` makes it. */
  size_t size;
  /* It begins with an int64_t by which records are compared first: most differ in their time. */
  bool begins_with_key;
  /* Prepares the memory that all records of a run are read to, one after the other; NULL: not needed. */
  void (*start)(const void *ctx, void *record);
  /* Whether the record at `at`, of which `have` bytes are there, can be read; `all`: the run has no more bytes. */
  bool (*is_whole)(const char *at, size_t have, bool all);
  /* Reads a record over the one before it. Returns the byte after it. */
  const char *(*read)(void *record, const char *at);
  /* Less than 0 where `a` comes before `b`, 0 where they are equal. */
  int (*compare)(const void *a, const void *b);
};

struct tb_run_merger; /* opaque; tb_run_merger_open, then tb_run_merger_close */

/* Reads `runs` as one, merged; where they are `in_order`, one after the other. File (NULL where all are in memory),
 * records and `ctx` (of `start`) must outlive the merger. TB_OK, TB_IO or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_run_merger_open(struct tb_spill_file *file, const struct tb_allocator *allocator,
                                                const struct tb_run_records *records, const void *ctx,
                                                const struct tb_run *runs, size_t count, bool in_order,
                                                struct tb_run_merger **merger, struct tb_error *error);
/* The next record; valid until the next call. TB_OK, TB_END, TB_IO or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_run_merger_next(struct tb_run_merger *merger, const void **record,
                                                struct tb_error *error);
/* NULL is ignored. */
void tb_run_merger_close(struct tb_run_merger *merger);

#endif
