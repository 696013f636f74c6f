/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/flow_binding.h"

#include "base/error.h"

enum { PENDING = -1 };

struct frame {
  int64_t ts, dur; /* PENDING: open */
  uint64_t place;
  uint32_t name, categories;
};

struct binder {
  struct tb_flows *flows;
  uint32_t strand;
  struct frame *stack;
  size_t count, capacity;
  struct tb_flow_point *waiting; /* IN_NEXT without their slice yet */
  size_t waiting_count, waiting_capacity;
};

void tb_flows_init(struct tb_flows *flows, const struct tb_allocator *allocator) {
  *flows = (struct tb_flows){.allocator = allocator};
}

void tb_flows_free(struct tb_flows *f) {
  tb_free(f->allocator, f->points, f->point_capacity * sizeof(*f->points));
  tb_free(f->allocator, f->slices, f->slice_capacity * sizeof(*f->slices));
  *f = (struct tb_flows){.allocator = f->allocator};
}

static enum tb_status add_point(struct tb_flows *f, const struct tb_flow_point *point) {
  void *points = f->points;
  if (tb_grow_array(f->allocator, &points, &f->point_capacity, f->point_count + 1, sizeof(*point), SIZE_MAX / 128) != TB_OK)
    return TB_NO_MEMORY;
  f->points = points;
  f->points[f->point_count++] = *point;
  return TB_OK;
}

/* Takes what is over at `ts` off the stack; false when a slice of `dur` would overlap one that is not over. */
static bool clear_stack(struct binder *b, int64_t ts, int64_t dur) {
  bool open_above = false;
  for (size_t i = b->count; i-- > 0;) {
    struct frame *f = &b->stack[i];
    if (f->dur == PENDING) {
      open_above = true;
      continue;
    }
    int64_t end = f->ts + f->dur;
    if (open_above) {
      if (ts <= end) continue;
      b->count = i;
      open_above = false;
      continue;
    }
    if (end < ts || (end == ts && !(f->dur == 0 && dur == 0))) {
      b->count--;
      continue;
    }
    if (dur != PENDING && ts < end && ts + dur > end) return false;
  }
  return true;
}

static enum tb_status push(struct binder *b, const struct tb_entry *e, uint64_t place, int64_t dur) {
  void *stack = b->stack;
  if (tb_grow_array(b->flows->allocator, &stack, &b->capacity, b->count + 1, sizeof(*b->stack), SIZE_MAX / 128) != TB_OK)
    return TB_NO_MEMORY;
  b->stack = stack;
  b->stack[b->count++] = (struct frame){e->ts, dur, place, e->name, e->categories};
  return TB_OK;
}

static enum tb_status bind(struct binder *b, const struct tb_entry *e, uint8_t step, const struct frame *slice) {
  struct tb_flow_point point = {.ts = e->ts, .order = e->order, .flow = e->flow_key, .step = step, .strand = b->strand};
  if (slice) {
    point.has_slice = true;
    point.slice_ts = slice->ts;
    point.place = slice->place;
  }
  return add_point(b->flows, &point);
}

static enum tb_status bind_waiting(struct binder *b, const struct frame *slice) {
  for (size_t i = 0; i < b->waiting_count; i++) {
    struct tb_flow_point point = b->waiting[i];
    point.ts = slice->ts;
    point.step = TB_FLOW_IN;
    point.has_slice = true;
    point.slice_ts = slice->ts;
    point.place = slice->place;
    if (add_point(b->flows, &point) != TB_OK) return TB_NO_MEMORY;
  }
  b->waiting_count = 0;
  return TB_OK;
}

static enum tb_status wait_for_next(struct binder *b, const struct tb_entry *e) {
  void *waiting = b->waiting;
  if (tb_grow_array(b->flows->allocator, &waiting, &b->waiting_capacity, b->waiting_count + 1, sizeof(*b->waiting),
                    SIZE_MAX / 128) != TB_OK)
    return TB_NO_MEMORY;
  b->waiting = waiting;
  b->waiting[b->waiting_count++] =
      (struct tb_flow_point){.ts = e->ts, .order = e->order, .flow = e->flow_key, .strand = b->strand};
  return TB_OK;
}

static enum tb_status begin_slice(struct binder *b, const struct tb_entry *e, uint64_t place, int64_t dur) {
  if (!clear_stack(b, e->ts, dur)) return TB_OK; /* the importer drops it */
  if (push(b, e, place, dur) != TB_OK) return TB_NO_MEMORY;
  enum tb_status status = bind_waiting(b, &b->stack[b->count - 1]);
  if (status == TB_OK && e->flow) status = bind(b, e, e->flow, &b->stack[b->count - 1]);
  return status;
}

static void end_slice(struct binder *b, const struct tb_entry *e) {
  (void)clear_stack(b, e->ts, PENDING);
  for (size_t i = b->count; i-- > 0;) {
    struct frame *f = &b->stack[i];
    if (f->dur != PENDING || (e->name && f->name != e->name) || (e->categories && f->categories != e->categories)) continue;
    f->dur = e->ts - f->ts;
    if (i + 1 == b->count) b->count--;
    return;
  }
}

static enum tb_status bind_entry(struct binder *b, const struct tb_entry *e, uint64_t place) {
  if (e->key) { /* an async slice or instant: the flow is its own */
    struct frame own = {.ts = e->ts, .place = place};
    return e->flow ? bind(b, e, e->flow, &own) : TB_OK;
  }
  switch (e->kind) {
    case TB_ENTRY_BEGIN: return begin_slice(b, e, place, PENDING);
    case TB_ENTRY_COMPLETE: return begin_slice(b, e, place, e->dur);
    case TB_ENTRY_INSTANT: return begin_slice(b, e, place, 0);
    case TB_ENTRY_END: end_slice(b, e); return TB_OK;
    case TB_ENTRY_FLOW:
      if (e->flow == TB_FLOW_IN_NEXT) return wait_for_next(b, e);
      return bind(b, e, e->flow, b->count ? &b->stack[b->count - 1] : NULL);
    default: return TB_OK;
  }
}

enum tb_status tb_flows_bind(struct tb_flows *flows, struct tb_strand *strand, uint32_t strand_index,
                             struct tb_spill_file *file, struct tb_error *error) {
  struct binder b = {.flows = flows, .strand = strand_index};
  struct tb_strand_cursor cursor;
  struct tb_entry e;
  enum tb_status status = tb_strand_open(strand, file, &cursor, error);
  while (status == TB_OK && (status = tb_strand_next(&cursor, &e, error)) == TB_OK)
    status = bind_entry(&b, &e, cursor.place - 1);
  tb_strand_close(&cursor);
  flows->unbound += b.waiting_count;
  tb_free(flows->allocator, b.stack, b.capacity * sizeof(*b.stack));
  tb_free(flows->allocator, b.waiting, b.waiting_capacity * sizeof(*b.waiting));
  if (status == TB_NO_MEMORY) (void)tb_fail(error, status, TB_NO_OFFSET, "out of memory");
  return status == TB_END ? TB_OK : status;
}
