/* SPDX-License-Identifier: Apache-2.0
 *
 * How long slices lasted without the slices that are directly in them.
 */
#ifndef TB_INSPECT_INFO_SELF_TIME_H
#define TB_INSPECT_INFO_SELF_TIME_H

#include <stdbool.h>

#include "tracebridge/base.h"

/* A slice that others may be in, or that is in one that is still to come. */
struct tb_self_slice {
  int64_t begin, end;
  uint64_t total;  /* of it, or of the slices that it stands for */
  int64_t reaches; /* the latest end of it and those before it */
  uint32_t name;   /* 0: slices one after the other, of which only the sum is known */
  bool is_child;   /* it was taken off the slice that it is in */
};

/* A slice that has not ended. */
struct tb_self_begin {
  int64_t ts;
  uint32_t name;
};

/* Of one track. Zero-initialise; tb_self_track_free. */
struct tb_self_track {
  struct tb_self_slice *slices; /* by their begin */
  size_t count, capacity;
  struct tb_self_begin *open;
  size_t open_count, open_capacity;
};

/* Where the times are added up: by the names' ids, which may become negative for a while. */
typedef void (*tb_self_add)(void *ctx, uint32_t name, int64_t ns);

/* A whole slice. The sums are exact where a track's slices come in the order of their begins or of their ends. False
 * without memory. */
bool tb_self_track_slice(const struct tb_allocator *allocator, struct tb_self_track *track, int64_t begin, int64_t end,
                         uint32_t name, tb_self_add add, void *ctx);

/* The begin and the end of one; `name` 0: it has none. Ends of what did not begin are none. */
bool tb_self_track_begin(const struct tb_allocator *allocator, struct tb_self_track *track, int64_t ts, uint32_t name);
bool tb_self_track_end(const struct tb_allocator *allocator, struct tb_self_track *track, int64_t ts, tb_self_add add,
                       void *ctx);

void tb_self_track_free(const struct tb_allocator *allocator, struct tb_self_track *track);

#endif
