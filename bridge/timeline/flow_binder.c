/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/flow_binder.h"

#include "base/error.h"
#include "timeline/entry_rank.h"
#include "timeline/slice_stack.h"

void tb_flows_init(struct tb_flows *flows, const struct tb_allocator *allocator) {
  *flows = (struct tb_flows){.allocator = allocator};
}

void tb_flows_free(struct tb_flows *f) {
  tb_free(f->allocator, f->points, f->point_capacity * sizeof(*f->points));
  tb_free(f->allocator, f->slices, f->slice_capacity * sizeof(*f->slices));
  tb_free(f->allocator, f->unbound, f->unbound_capacity * sizeof(*f->unbound));
  *f = (struct tb_flows){.allocator = f->allocator};
}

static enum tb_status add_point(struct tb_flows *f, const struct tb_flow_point *point) {
  void *points = f->points;
  if (tb_grow_array(f->allocator, &points, &f->point_capacity, f->point_count + 1, sizeof(*point), SIZE_MAX / 128) !=
      TB_OK)
    return TB_NO_MEMORY;
  f->points = points;
  f->points[f->point_count++] = *point;
  return TB_OK;
}

static struct tb_flow_point point_of(const struct tb_flow_binder *b, const struct tb_staged_event *e) {
  return (struct tb_flow_point){.ts = e->ts,
                                .rank = tb_entry_rank(e, false),
                                .order = e->order,
                                .flow = e->flow_key,
                                .queue = b->queue_index,
                                .is_event = e->kind == TB_STAGED_FLOW,
                                .event_step = e->flow,
                                .event_ts = e->ts};
}

static enum tb_status bind(struct tb_flow_binder *b, const struct tb_staged_event *e, uint8_t step,
                           const struct tb_stack_frame_ref *slice) {
  struct tb_flow_point point = point_of(b, e);
  point.step = step;
  if (slice) {
    point.has_slice = true;
    point.slice_ts = slice->open.ts;
    point.place = slice->place;
  }
  return add_point(b->flows, &point);
}

static enum tb_status bind_waiting(struct tb_flow_binder *b, const struct tb_stack_frame_ref *slice) {
  for (size_t i = 0; i < b->waiting_count; i++) {
    struct tb_flow_point point = b->waiting[i];
    point.ts = slice->open.ts;
    point.step = TB_FLOW_IN;
    point.has_slice = true;
    point.slice_ts = slice->open.ts;
    point.place = slice->place;
    if (add_point(b->flows, &point) != TB_OK) return TB_NO_MEMORY;
  }
  b->waiting_count = 0;
  return TB_OK;
}

static enum tb_status wait_for_next(struct tb_flow_binder *b, const struct tb_staged_event *e) {
  void *waiting = b->waiting;
  if (tb_grow_array(b->flows->allocator, &waiting, &b->waiting_capacity, b->waiting_count + 1, sizeof(*b->waiting),
                    SIZE_MAX / 128) != TB_OK)
    return TB_NO_MEMORY;
  b->waiting = waiting;
  b->waiting[b->waiting_count++] = point_of(b, e);
  return TB_OK;
}

enum tb_status tb_flows_take(struct tb_flow_binder *b, const struct tb_stack_frame_ref *top,
                             const struct tb_staged_event *e, uint64_t place, bool pushed) {
  if (e->key) { /* an async slice or instant: the flow is its own */
    struct tb_stack_frame_ref own = {.open = {.ts = e->ts}, .place = place};
    return e->flow ? bind(b, e, e->flow, &own) : TB_OK;
  }
  if (e->kind == TB_STAGED_FLOW) return e->flow == TB_FLOW_IN_NEXT ? wait_for_next(b, e) : bind(b, e, e->flow, top);
  if (!pushed) { /* an END, or a slice that the importer drops */
    struct tb_flow_point point = point_of(b, e);
    point.has_slice = true;
    point.place = place;
    return e->flow ? tb_flows_note_unbound(b->flows, &point) : TB_OK;
  }
  enum tb_status status = bind_waiting(b, top);
  return status == TB_OK && e->flow ? bind(b, e, e->flow, top) : status;
}

enum tb_status tb_flows_note_unbound(struct tb_flows *f, const struct tb_flow_point *point) {
  void *unbound = f->unbound;
  if (tb_grow_array(f->allocator, &unbound, &f->unbound_capacity, f->unbound_count + 1, sizeof(*point),
                    SIZE_MAX / 128) != TB_OK)
    return TB_NO_MEMORY;
  f->unbound = unbound;
  f->unbound[f->unbound_count++] = *point;
  return TB_OK;
}

enum tb_status tb_flow_binder_finish(struct tb_flow_binder *b, struct tb_flows *flows) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; status == TB_OK && i < b->waiting_count; i++)
    status = tb_flows_note_unbound(flows, &b->waiting[i]);
  return status;
}

void tb_flow_binder_free(struct tb_flow_binder *b) {
  tb_free(b->flows->allocator, b->waiting, b->waiting_capacity * sizeof(*b->waiting));
  b->waiting = NULL;
  b->waiting_count = b->waiting_capacity = 0;
}

void tb_flows_forget(struct tb_flows *flows, const bool *forgotten) {
  size_t kept = 0;
  for (size_t i = 0; i < flows->point_count; i++)
    if (!forgotten[flows->points[i].queue]) flows->points[kept++] = flows->points[i];
  flows->point_count = kept;
  kept = 0;
  for (size_t i = 0; i < flows->unbound_count; i++)
    if (!forgotten[flows->unbound[i].queue]) flows->unbound[kept++] = flows->unbound[i];
  flows->unbound_count = kept;
}

static enum tb_status step(struct tb_flow_binder *b, struct tb_slice_stack *stack, const struct tb_staged_event *e,
                           uint64_t place) {
  bool nests, pushed = false;
  struct tb_stack_frame_ref ended;
  enum tb_status status = TB_OK;
  if (e->kind == TB_STAGED_END)
    (void)tb_slice_stack_end(stack, e, &ended);
  else if (e->kind != TB_STAGED_FLOW && e->kind != TB_STAGED_COUNTER && !e->key)
    status = tb_slice_stack_begin(stack, b->flows->allocator, e, place, &nests, &pushed);
  return status == TB_OK ? tb_flows_take(b, tb_slice_stack_top(stack), e, place, pushed) : status;
}

enum tb_status tb_flows_bind(struct tb_flows *flows, struct tb_sort_queue *queue, uint32_t queue_index,
                             struct tb_spill_file *file, struct tb_error *error) {
  struct tb_flow_binder b = {.flows = flows, .queue_index = queue_index};
  struct tb_slice_stack stack = {0};
  struct tb_sort_queue_cursor cursor;
  struct tb_staged_event e;
  enum tb_status status = tb_sort_queue_open(queue, file, &cursor, error);
  while (status == TB_OK && (status = tb_sort_queue_next(&cursor, &e, error)) == TB_OK)
    status = step(&b, &stack, &e, cursor.place - 1);
  tb_sort_queue_close(&cursor);
  if (status == TB_END) status = tb_flow_binder_finish(&b, flows);
  tb_slice_stack_free(&stack, flows->allocator);
  tb_flow_binder_free(&b);
  if (status == TB_NO_MEMORY) (void)tb_fail(error, status, TB_NO_OFFSET, "out of memory");
  return status == TB_END ? TB_OK : status;
}
