/* SPDX-License-Identifier: Apache-2.0 */
#include "chrome_json/writer/flow_sorter.h"

#include <stdlib.h>

#include "base/error.h"

enum { RUN_POINTS = 2048 }; /* points of a run that are read at once */

struct tb_flow_run {
  uint64_t start, total; /* in the file, and its points */
  uint64_t offset;       /* of the next point that is not in `points` yet */
  uint64_t left;         /* points that are not in `points` yet */
  struct tb_json_flow_point *points;
  size_t at, count;
};

void tb_json_flow_sorter_init(struct tb_json_flow_sorter *p, const struct tb_allocator *allocator, size_t limit,
                              const char *directory) {
  *p = (struct tb_json_flow_sorter){.allocator = allocator, .limit = limit};
  tb_spool_init(&p->file, allocator, 0, directory);
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
  sort(p);
  p->runs[p->run_count++] = (struct tb_flow_run){.start = tb_spool_size(&p->file), .total = p->count};
  status = tb_spool_add(&p->file, p->points, p->count * sizeof(*p->points), error);
  p->count = 0;
  return status;
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

/* ---- reading several runs as one: a heap of them, the one with the least point on top ---------------------------- */

static const struct tb_json_flow_point *top(const struct tb_flow_run *run) { return &run->points[run->at]; }

static void sift_down(struct tb_flow_run *heap, size_t count, size_t i) {
  for (;;) {
    size_t least = i, left = 2 * i + 1, right = left + 1;
    if (left < count && compare(top(&heap[left]), top(&heap[least])) < 0) least = left;
    if (right < count && compare(top(&heap[right]), top(&heap[least])) < 0) least = right;
    if (least == i) return;
    struct tb_flow_run swap = heap[i];
    heap[i] = heap[least];
    heap[least] = swap;
    i = least;
  }
}

static enum tb_status refill(struct tb_json_flow_sorter *p, struct tb_flow_run *run, struct tb_error *error) {
  run->at = 0;
  run->count = run->left < RUN_POINTS ? (size_t)run->left : RUN_POINTS;
  if (!run->count) return TB_OK;
  size_t bytes = run->count * sizeof(*run->points);
  enum tb_status status = tb_spool_read(&p->file, run->offset, run->points, bytes, error);
  run->offset += bytes;
  run->left -= run->count;
  return status;
}

static enum tb_status start_runs(struct tb_json_flow_sorter *p, struct tb_error *error) {
  enum tb_status status = spill(p, error);
  for (size_t i = 0; i < p->run_count && status == TB_OK; i++) {
    struct tb_flow_run *run = &p->runs[i];
    run->offset = run->start;
    run->left = run->total;
    if (!run->points) run->points = tb_alloc(p->allocator, RUN_POINTS * sizeof(struct tb_json_flow_point));
    if (!run->points) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
    status = refill(p, run, error);
  }
  if (status == TB_OK)
    for (size_t i = p->run_count; i-- > 0;) sift_down(p->runs, p->run_count, i);
  return status;
}

/* The least point of all runs to *point; TB_END when there is none. */
static enum tb_status next_of_runs(struct tb_json_flow_sorter *p, size_t *live, struct tb_json_flow_point *point,
                                   struct tb_error *error) {
  if (!*live) return TB_END;
  struct tb_flow_run *run = &p->runs[0];
  *point = *top(run);
  if (++run->at == run->count) {
    enum tb_status status = refill(p, run, error);
    if (status != TB_OK) return status;
    if (!run->count) {
      struct tb_flow_run used = *run;
      p->runs[0] = p->runs[--*live];
      p->runs[*live] = used; /* its memory is freed with the others */
    }
  }
  if (*live) sift_down(p->runs, *live, 0);
  return TB_OK;
}

static enum tb_status next_in_memory(struct tb_json_flow_sorter *p, size_t *at, struct tb_json_flow_point *point) {
  if (*at == p->count) return TB_END;
  *point = p->points[(*at)++];
  return TB_OK;
}

enum tb_status tb_json_flow_sorter_walk(struct tb_json_flow_sorter *p,
                                        enum tb_status (*take)(void *ctx, const struct tb_json_flow_point *point,
                                                               bool last),
                                        void *ctx, struct tb_error *error) {
  enum tb_status status = TB_OK;
  bool in_memory = p->run_count == 0;
  if (in_memory)
    sort(p);
  else
    status = start_runs(p, error);
  size_t cursor = in_memory ? 0 : p->run_count;
  struct tb_json_flow_point held = {0}, next = {0};
  bool has_held = false;
  while (status == TB_OK) {
    status = in_memory ? next_in_memory(p, &cursor, &next) : next_of_runs(p, &cursor, &next, error);
    if (status != TB_OK && status != TB_END) return status;
    if (has_held) {
      enum tb_status taken = take(ctx, &held, status == TB_END || next.flow != held.flow);
      if (taken != TB_OK) return taken;
    }
    held = next;
    has_held = true;
  }
  return status == TB_END ? TB_OK : status;
}

void tb_json_flow_sorter_free(struct tb_json_flow_sorter *p) {
  for (size_t i = 0; i < p->run_count; i++)
    tb_free(p->allocator, p->runs[i].points, RUN_POINTS * sizeof(struct tb_json_flow_point));
  tb_free(p->allocator, p->runs, p->run_capacity * sizeof(*p->runs));
  tb_free(p->allocator, p->points, p->capacity * sizeof(*p->points));
  tb_spool_free(&p->file);
}
