/* SPDX-License-Identifier: Apache-2.0 */
#include "chrome_json/writer/flow_sorter.h"

#include <stdlib.h>

#include "base/error.h"

void tb_json_flow_sorter_init(struct tb_json_flow_sorter *p, const struct tb_allocator *allocator, size_t limit,
                              const char *directory) {
  *p = (struct tb_json_flow_sorter){.allocator = allocator, .limit = limit, .directory = directory};
}

static int compare(const struct tb_json_flow_point *a, const struct tb_json_flow_point *b) {
  if (a->flow != b->flow) return a->flow < b->flow ? -1 : 1;
  if (a->ts != b->ts) return a->ts < b->ts ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

static int compare_void(const void *a, const void *b) { return compare(a, b); }

static void sort(struct tb_json_flow_sorter *p) {
  if (p->count) qsort(p->points, p->count, sizeof(*p->points), compare_void);
}

static enum tb_status spill(struct tb_json_flow_sorter *p, struct tb_error *error) {
  if (!p->count) return TB_OK;
  void *runs = p->runs;
  enum tb_status status =
      tb_grow_array(p->allocator, &runs, &p->run_capacity, p->run_count + 1, sizeof(*p->runs), UINT32_MAX);
  p->runs = runs;
  if (status != TB_OK) return tb_fail(error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  if (!p->file) status = tb_spill_file_create(p->directory, p->allocator, &p->file, error);
  if (status != TB_OK) return status;
  sort(p);
  size_t bytes = p->count * sizeof(*p->points);
  p->runs[p->run_count++] = (struct tb_run){.offset = tb_spill_file_size(p->file), .bytes = bytes, .count = p->count};
  p->count = 0;
  return tb_spill_file_append(p->file, p->points, bytes, error);
}

enum tb_status tb_json_flow_sorter_add(struct tb_json_flow_sorter *p, const struct tb_json_flow_point *point,
                                       struct tb_error *error) {
  if (p->count == p->limit) {
    enum tb_status status = spill(p, error);
    if (status != TB_OK) return status;
  }
  void *points = p->points;
  enum tb_status status = tb_grow_array(p->allocator, &points, &p->capacity, p->count + 1, sizeof(*point), p->limit);
  p->points = points;
  if (status != TB_OK) return tb_fail(error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  p->points[p->count] = *point;
  p->points[p->count++].number = p->total++;
  return TB_OK;
}

/* ---- the points in order ----------------------------------------------------------------------------------------- */

static bool is_whole(const char *at, size_t have, bool all) {
  (void)at, (void)all;
  return have >= sizeof(struct tb_json_flow_point);
}

static const char *read_point(void *record, const char *at) {
  memcpy(record, at, sizeof(struct tb_json_flow_point));
  return at + sizeof(struct tb_json_flow_point);
}

static const struct tb_run_records point_records = {
    sizeof(struct tb_json_flow_point), false, NULL, is_whole, read_point, compare_void};

/* The points in memory are sorted, and those of all runs are merged. */
static enum tb_status start(struct tb_json_flow_sorter *p, struct tb_run_merger **merger, struct tb_error *error) {
  *merger = NULL;
  if (!p->run_count) {
    sort(p);
    return TB_OK;
  }
  enum tb_status status = spill(p, error);
  if (status != TB_OK) return status;
  return tb_run_merger_open(p->file, p->allocator, &point_records, NULL, p->runs, p->run_count, false, merger, error);
}

static enum tb_status next_point(const struct tb_json_flow_sorter *p, struct tb_run_merger *merger, size_t *at,
                                 struct tb_json_flow_point *point, struct tb_error *error) {
  const void *record = NULL;
  if (!merger) {
    if (*at == p->count) return TB_END;
    record = &p->points[(*at)++];
  } else {
    enum tb_status status = tb_run_merger_next(merger, &record, error);
    if (status != TB_OK) return status;
  }
  memcpy(point, record, sizeof(*point));
  return TB_OK;
}

enum tb_status tb_json_flow_sorter_walk(struct tb_json_flow_sorter *p,
                                        enum tb_status (*take)(void *ctx, const struct tb_json_flow_point *point,
                                                               bool last),
                                        void *ctx, struct tb_error *error) {
  struct tb_run_merger *merger;
  struct tb_json_flow_point held = {0}, next = {0};
  size_t at = 0;
  bool has_held = false;
  enum tb_status status = start(p, &merger, error), taken = TB_OK;
  while (status == TB_OK && taken == TB_OK) {
    status = next_point(p, merger, &at, &next, error);
    if (status != TB_OK && status != TB_END) break;
    if (has_held) taken = take(ctx, &held, status == TB_END || next.flow != held.flow);
    held = next;
    has_held = true;
  }
  tb_run_merger_close(merger);
  if (taken != TB_OK) return taken;
  return status == TB_END ? TB_OK : status;
}

void tb_json_flow_sorter_free(struct tb_json_flow_sorter *p) {
  tb_free(p->allocator, p->runs, p->run_capacity * sizeof(*p->runs));
  tb_free(p->allocator, p->points, p->capacity * sizeof(*p->points));
  tb_spill_file_close(p->file);
}
