/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer: flows that Perfetto cannot express. Perfetto's flows are ids that at least two slices share.
 * A flow event that binds to no slice, or that no other event meets, is written as an event that viewers do not show;
 * a bind_id that joins nothing is carried by its slice. The extra data of flows that do join
 * is written by perfetto/writer/source_flows.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/carried_fields.h"
#include "perfetto/writer/flow_registry.h"
#include "perfetto/writer/slice_events.h"
#include "perfetto/writer/unbound_flows.h"
#include "perfetto/writer/writer.h"

/* The member that says of a flow's end that it binds to the slice around it. */
static struct tb_arg encloses(void) {
  return (struct tb_arg){
      .name = tb_carried_key(TB_CARRIED_BIND_ENCLOSING), .text = TB_STR("e"), .span = 1, .type = TB_ARG_STRING};
}

/* ---- flow events that say more than what a flow is known by ------------------------------------------------------ */

/* Whether an event of a flow that is known by its id alone is called otherwise than the flow's first one. */
static bool is_called_otherwise(const struct tb_perfetto_writer *p, const struct tb_event *event, uint32_t flow) {
  struct tb_str categories, name;
  struct tb_id id;
  if (tb_perfetto_read_flow(p, flow, &categories, &name, &id) != TB_FLOW_ID_ONLY) return false;
  return !tb_str_equal(categories, event->categories) || !tb_str_equal(name, event->name);
}

static bool is_full(const struct tb_perfetto_writer *p, const struct tb_event *event, uint32_t flow) {
  enum { KNOWN = TB_HAS_NAME | TB_HAS_CATEGORIES };
  const struct tb_str *categories = &event->categories;
  return event->arg_count || event->extra_count ||
         event->has & (TB_HAS_DUR | TB_HAS_THREAD_TS | TB_HAS_THREAD_DUR | TB_HAS_SCOPE | TB_HAS_USE_ASYNC_TTS) ||
         (event->has & KNOWN) != p->flow_registry.known[flow].has || event->scope.len ||
         event->id.kind != TB_ID_PLAIN || !event->id.is_number || tb_stack_is_there(&event->stack) ||
         tb_stack_is_there(&event->end_stack) ||
         (event->has & TB_HAS_BIND_ENCLOSING && event->type != TB_EVENT_FLOW_END) ||
         (categories->len && memchr(categories->ptr, '\n', categories->len)) || is_called_otherwise(p, event, flow);
}

static bool copy_text(struct tb_arena *arena, struct tb_str *text) {
  if (!text->ptr) return true;
  *text = tb_arena_copy(arena, *text);
  return text->ptr != NULL;
}

static bool copy_frames(struct tb_arena *arena, struct tb_stack *stack) {
  size_t size = stack->frame_count * sizeof(*stack->frames);
  struct tb_frame *frames = stack->frame_count ? tb_arena_alloc(arena, size) : NULL;
  if (!copy_text(arena, &stack->ref) || (stack->frame_count && !frames)) return false;
  if (frames) memcpy(frames, stack->frames, size);
  for (uint32_t i = 0; frames && i < stack->frame_count; i++)
    if (!copy_text(arena, &frames[i].function) || !copy_text(arena, &frames[i].file) ||
        !copy_text(arena, &frames[i].mapping))
      return false;
  stack->frames = frames;
  return true;
}

/* Copies `count` entries to `to`. */
static bool copy_args(struct tb_arena *arena, struct tb_arg *to, const struct tb_arg *args, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    to[i] = args[i];
    if (!copy_text(arena, &to[i].name) || (tb_arg_holds_text(&to[i]) && !copy_text(arena, &to[i].text))) return false;
  }
  return true;
}

static struct tb_event *copy_event(struct tb_arena *arena, const struct tb_event *event) {
  struct tb_event *copy = tb_arena_alloc(arena, sizeof(*copy));
  struct tb_arg *args = tb_arena_alloc(arena, event->arg_count * sizeof(*args));
  struct tb_arg *extra = tb_arena_alloc(arena, (event->extra_count + 1) * sizeof(*extra));
  if (!copy || !args || !extra) return NULL;
  *copy = *event;
  if (!copy_text(arena, &copy->name) || !copy_text(arena, &copy->categories) || !copy_text(arena, &copy->scope) ||
      !copy_text(arena, &copy->id.text) || !copy_text(arena, &copy->bind_id.text) ||
      !copy_frames(arena, &copy->stack) || !copy_frames(arena, &copy->end_stack) ||
      !copy_args(arena, args, event->args, event->arg_count) ||
      !copy_args(arena, extra, event->extra, event->extra_count))
    return NULL;
  copy->args = args;
  copy->extra = extra;
  if (event->has & TB_HAS_BIND_ENCLOSING) extra[copy->extra_count++] = encloses();
  return copy;
}

enum tb_status tb_perfetto_keep_full_flow_event(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence,
                                                const struct tb_event *event, uint32_t flow, uint64_t order) {
  if (!is_full(p, event, flow)) return TB_OK;
  struct tb_event *copy = copy_event(&p->arena, event);
  if (!copy || tb_map_put(&p->flow_registry.full_events, order, 0, (uintptr_t)copy) != TB_OK) return TB_NO_MEMORY;
  p->encoder.body.len = 0; /* only to be interned: the frames of a sequence are written all at once */
  return tb_perfetto_append_stack(p, sequence, &event->stack, &p->encoder.body);
}

struct tb_event *tb_perfetto_full_flow_event(const struct tb_perfetto_writer *p, uint64_t order) {
  const uint64_t *found = tb_map_find(&p->flow_registry.full_events, order, 0);
  return found ? (struct tb_event *)(uintptr_t)*found : NULL;
}

/* ---- flows that join nothing ------------------------------------------------------------------------------------- */

/* `extra`: room for a member of the event. */
static void make_event(const struct tb_perfetto_writer *p, const struct tb_flow_point *point, struct tb_event *event,
                       struct tb_arg *extra) {
  *event = (struct tb_event){.type = TB_EVENT_FLOW_END, .phase = 'f', .ts = point->event_ts};
  (void)tb_perfetto_read_flow(p, point->flow, &event->categories, &event->name, &event->id);
  event->has = TB_HAS_TS | p->flow_registry.known[point->flow].has;
  if (point->event_step == TB_FLOW_OUT) {
    event->type = TB_EVENT_FLOW_BEGIN;
    event->phase = 's';
  } else if (point->event_step == TB_FLOW_THROUGH) {
    event->type = TB_EVENT_FLOW_STEP;
    event->phase = 't';
  } else if (point->event_step == TB_FLOW_IN) {
    *extra = encloses();
    event->extra = extra;
    event->extra_count = 1;
  }
}

static enum tb_status carry(struct tb_perfetto_writer *p, const struct tb_flow_point *point) {
  const struct tb_track_state *thread = p->sequences[point->queue]->track;
  if (!point->is_event) return tb_flows_add_unjoined(&p->flows, point);
  if (!thread) {
    uint64_t offset = tb_perfetto_orders_by_offset(p) ? point->order : TB_NO_OFFSET;
    tb_losses_add(&p->writer->losses, "flow events that no slice takes, or without a start", offset);
    return TB_OK;
  }
  struct tb_arg extra;
  struct tb_event plain, *event = tb_perfetto_full_flow_event(p, point->order);
  if (!event) make_event(p, point, event = &plain, &extra);
  event->track = thread->track;
  return tb_perfetto_put_deferred_side(p, event, TB_GROUP_CARRIED);
}

/* ---- flows that join --------------------------------------------------------------------------------------------- */

/* In the order of the ids that the slices carry. */
static int compare_source_flows(const void *a, const void *b) {
  const struct tb_source_flow *x = a, *y = b;
  bool x_ends = x->step >= TB_FLOW_IN, y_ends = y->step >= TB_FLOW_IN;
  if (x->queue != y->queue) return x->queue < y->queue ? -1 : 1;
  if (x->place != y->place) return x->place < y->place ? -1 : 1;
  if (x_ends != y_ends) return x_ends ? 1 : -1;
  if (x->number != y->number) return x->number < y->number ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* Collects the source flows of points that join; the points themselves are not needed any more. */
static enum tb_status collect_source_flows(struct tb_perfetto_writer *p) {
  struct tb_flows *flows = &p->flows;
  if (!flows->point_count) return TB_OK;
  void *source_flows = NULL;
  size_t capacity = 0;
  enum tb_status status = tb_grow_array(p->allocator, &source_flows, &capacity, flows->point_count,
                                        sizeof(*p->flow_registry.sources), SIZE_MAX / 128);
  p->flow_registry.sources = source_flows;
  p->flow_registry.source_capacity = capacity;
  for (size_t i = 0; status == TB_OK && i < flows->point_count; i++) {
    const struct tb_flow_point *point = &flows->points[i];
    if (!point->joined) continue;
    /* an id of FXT may be another flow's before and after */
    bool alone = p->flow_registry.known[point->flow].kind == TB_FLOW_ID_ONLY;
    p->flow_registry.sources[p->flow_registry.source_count++] =
        (struct tb_source_flow){.place = point->place,
                                .number = alone && point->id ? point->id : p->flow_registry.numbers[point->flow],
                                .order = point->order,
                                .delay = (int64_t)((uint64_t)point->event_ts - (uint64_t)point->slice_ts),
                                .queue = point->queue,
                                .flow = point->flow,
                                .step = point->event_step,
                                .is_event = point->is_event};
  }
  if (p->flow_registry.source_count)
    qsort(p->flow_registry.sources, p->flow_registry.source_count, sizeof(*p->flow_registry.sources),
          compare_source_flows);
  tb_free(flows->allocator, flows->points, flows->point_capacity * sizeof(*flows->points));
  flows->points = NULL;
  flows->point_count = flows->point_capacity = 0;
  return status;
}

enum tb_status tb_perfetto_write_unbound_flows(struct tb_perfetto_writer *p) {
  enum tb_status status = collect_source_flows(p);
  if (status != TB_OK || !p->flows.unbound_count) return status;
  status = tb_perfetto_add_shared(p);
  for (size_t i = 0; status == TB_OK && i < p->flows.unbound_count; i++) status = carry(p, &p->flows.unbound[i]);
  tb_flows_sort_slices(&p->flows);
  return status;
}
