/* SPDX-License-Identifier: Apache-2.0
 *
 * What a merge keeps of machines whose clocks it gave up.
 *
 * In a merged trace all times are on one clock. When another machine was started, and what its wall clock read, no
 * packet says any more: its own BOOTTIME is gone. So the packet that introduces the machine keeps, in messages of ours
 * (MergeBoot), how its BOOTTIME, or else MONOTONIC, relates to the merged clock, and what its readings said of the wall
 * clock. When the merged trace is merged again, inputs of that boot are found as they were at first:
 *
 *     merge(a, b, c):  c --one boot-- b --wall clock-- a        merge(merge(a, b), c):  c --one boot-- b, kept in ab
 */
#ifndef TB_MERGE_CLOCKS_KEPT_BOOTS_H
#define TB_MERGE_CLOCKS_KEPT_BOOTS_H

#include "merge/clocks/reading_fit.h"

struct tb_merger;
struct tb_source;

/* So long that rounding its ends is no drift. */
#define TB_KEPT_SPAN INT64_C(10000000000000)

/* One clock of one machine of a merged trace. */
struct tb_kept_boot {
  uint32_t machine;
  uint32_t clock;                           /* 0: it keeps the machine's name alone */
  char *name;                               /* of the machine; NULL: unnamed. Owned */
  int64_t own_from, merged_from, merged_to; /* a time of the clock; the trace clock's at it, and TB_KEPT_SPAN later */
  bool has_bound;
  int64_t bound_ns;             /* how far off that may be while the clock was read, ... */
  double growth;                /* ... and how much more for each ns before and behind */
  struct tb_reading_fit wall;   /* REALTIME over the clock */
  struct tb_reading_fit asleep; /* MONOTONIC over BOOTTIME; without segments: unknown */
  uint32_t boot;                /* as tb_source.boot */
};

struct tb_kept_boots {
  struct tb_kept_boot *items;
  size_t count, capacity;
};

void tb_kept_boots_free(struct tb_kept_boots *boots, const struct tb_allocator *allocator);

/* Adds what a packet of `machine` keeps. What is damaged or makes no sense is left out. TB_OK, TB_NO_MEMORY,
 * TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_kept_boots_take(struct tb_kept_boots *boots, const struct tb_allocator *allocator,
                                                uint32_t machine, struct tb_str packet);

/* The name that was kept of a machine; NULL: none. */
const char *tb_kept_boots_name(const struct tb_kept_boots *boots, uint32_t machine);

/* The id in the clock graph of a machine's clock as it was before it was merged. */
static inline uint32_t tb_kept_clock(uint32_t clock) { return clock | UINT32_C(1) << 31; }

/* Adds to the clock graph how an input's kept boots relate to its trace clock. */
TB_MUST_CHECK enum tb_status tb_merger_relate_kept_boots(struct tb_merger *m, const struct tb_source *source);

/* Appends to a packet what is to be kept of the source's host; after placing. */
TB_MUST_CHECK enum tb_status tb_keep_boots(struct tb_merger *m, struct tb_source *source, struct tb_buffer *packet);

#endif
