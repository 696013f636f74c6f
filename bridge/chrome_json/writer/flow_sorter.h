/* SPDX-License-Identifier: Apache-2.0
 *
 * Points of flows, gathered in any order and returned flow by flow, in time. Past a limit of memory sorted runs go to
 * a temporary file.
 */
#ifndef TB_CHROME_JSON_WRITER_FLOW_SORTER_H
#define TB_CHROME_JSON_WRITER_FLOW_SORTER_H

#include "timeline/run_merger.h"

struct tb_json_flow_point {
  uint64_t flow;
  int64_t ts;      /* by which the points of a flow are in order */
  int64_t at;      /* when it is written to be, so that readers bind it to its slice */
  uint64_t number; /* in order of arrival */
  uint64_t event;  /* the caller's */
  int64_t pid, tid;
  bool ends; /* the flow ends here */
  bool on_thread;
};

/* Caller-owned; tb_json_flow_sorter_init, then tb_json_flow_sorter_free. */
struct tb_json_flow_sorter {
  const struct tb_allocator *allocator;
  struct tb_json_flow_point *points;
  size_t count, capacity, limit;
  uint64_t total;
  const char *directory;
  struct tb_spill_file *file; /* sorted runs; NULL: none yet */
  struct tb_run *runs;        /* where they are */
  size_t run_count, run_capacity;
};

/* `limit`: points to hold in memory. `directory` must outlive the sorter; NULL: $TMPDIR, else /tmp. */
void tb_json_flow_sorter_init(struct tb_json_flow_sorter *points, const struct tb_allocator *allocator, size_t limit,
                              const char *directory);
TB_MUST_CHECK enum tb_status tb_json_flow_sorter_add(struct tb_json_flow_sorter *points,
                                                     const struct tb_json_flow_point *point, struct tb_error *error);

/* Calls `take` for each point, by flow, time and arrival; `last` says that it is its flow's last. Stops at the first
 * status that is not TB_OK, and returns it. */
TB_MUST_CHECK enum tb_status tb_json_flow_sorter_walk(struct tb_json_flow_sorter *points,
                                                      enum tb_status (*take)(void *ctx,
                                                                             const struct tb_json_flow_point *point,
                                                                             bool last),
                                                      void *ctx, struct tb_error *error);
void tb_json_flow_sorter_free(struct tb_json_flow_sorter *points);

#endif
