/* SPDX-License-Identifier: Apache-2.0
 *
 * What events of slices are, without what no finding needs: 32 bytes each, which are kept as they come, and read in the
 * order of time.
 *
 *   add      behind those that are there. When these are a chunk, it is sorted, and goes to a temporary file as a run
 *   next     what is in memory in its order; where there are runs, these are merged (timeline/run_merger.h)
 */
#ifndef TB_TOOLBOX_VERIFY_SLICE_LOG_H
#define TB_TOOLBOX_VERIFY_SLICE_LOG_H

#include "base/memory.h"
#include "timeline/run_merger.h"

enum tb_slice_point_type {
  TB_POINT_BEGIN,
  TB_POINT_END,
  TB_POINT_COMPLETE,
  TB_POINT_INSTANT,
  TB_POINT_FLOW /* of a flow, which has to be in a slice */
};
enum { TB_POINT_TYPE_BITS = 3, TB_POINT_STREAMS = 1 << (32 - TB_POINT_TYPE_BITS) };

struct tb_slice_point {
  int64_t ts; /* first: runs are merged by it */
  uint64_t offset;
  union {
    int64_t dur;   /* of a complete slice */
    uint64_t name; /* of a BEGIN or an END: a hash, 0: none */
  };
  uint32_t categories; /* the same */
  uint32_t place;      /* its type, and which stream it is on: see tb_slice_point_place */
};

static inline uint32_t tb_slice_point_place(enum tb_slice_point_type type, uint32_t stream) {
  return stream << TB_POINT_TYPE_BITS | (uint32_t)type;
}
static inline enum tb_slice_point_type tb_slice_point_type(const struct tb_slice_point *point) {
  return (enum tb_slice_point_type)(point->place & ((1u << TB_POINT_TYPE_BITS) - 1));
}
static inline uint32_t tb_slice_point_stream(const struct tb_slice_point *point) {
  return point->place >> TB_POINT_TYPE_BITS;
}

struct tb_slice_log {
  const struct tb_allocator *allocator;
  const char *directory; /* for the temporary file; NULL: $TMPDIR, else /tmp */
  size_t chunk;          /* points that are sorted at a time */
  struct tb_slice_point *points;
  size_t count, capacity;
  bool unordered; /* the points in memory are */
  /* In their order, once it was asked for: see slice_log.c. NULL: as they came */
  uint64_t *keys;
  size_t key_count, next;
  uint32_t place_bits; /* of a key that are the point's place */
  struct tb_spill_file *spill;
  struct tb_run *runs;
  size_t run_count, run_capacity;
  struct tb_run_merger *merger; /* NULL: all is in memory, or nothing was asked for yet */
};

/* `budget`: bytes that the log may take, 0 for the usual. */
void tb_slice_log_init(struct tb_slice_log *log, const struct tb_allocator *allocator, size_t budget,
                       const char *directory);
/* Nothing is in it any more. */
void tb_slice_log_free(struct tb_slice_log *log);

/* For tb_slice_log_add: where there is no room for another one in memory. */
TB_MUST_CHECK enum tb_status tb_slice_log_add_slow(struct tb_slice_log *log, const struct tb_slice_point *point,
                                                   struct tb_error *error);
/* Keeps a copy. TB_OK, TB_NO_MEMORY or TB_IO. */
TB_MUST_CHECK static inline enum tb_status tb_slice_log_add(struct tb_slice_log *log,
                                                            const struct tb_slice_point *point,
                                                            struct tb_error *error) {
  if (log->count == log->capacity) return tb_slice_log_add_slow(log, point, error);
  log->unordered |= log->count && point->ts < log->points[log->count - 1].ts;
  log->points[log->count++] = *point;
  return TB_OK;
}

/* The next one by time, then as they came; valid until the next call. The first call ends the adding. TB_OK, TB_END,
 * TB_NO_MEMORY or TB_IO. */
TB_MUST_CHECK enum tb_status tb_slice_log_next(struct tb_slice_log *log, const struct tb_slice_point **point,
                                               struct tb_error *error);

#endif
