/* SPDX-License-Identifier: Apache-2.0
 *
 * Links bound flow points to joins of two slices and gives each join its flow id. See flow_binder.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mix64.h"
#include "timeline/flow_binder.h"

enum { LOOK_AHEAD = 256 }; /* points of one time */

struct end_point { /* a slice, as one side of a join */
  int64_t ts;
  uint64_t place;
  uint32_t queue;
};

struct chain {           /* the state of one flow */
  bool started, carried; /* carried: the source slice has the id already, and it was not terminated */
  bool id_given, joined;
  size_t source_point; /* of `source` */
  struct end_point source;
  uint64_t id;
};

struct chainer {
  struct tb_flows *flows;
  struct chain *chains;
  const uint64_t *wanted;
  uint64_t *used; /* open addressing set of the ids given */
  size_t used_slots, used_count;
  uint64_t next_id;
};

static int compare_points(const void *a, const void *b) {
  const struct tb_flow_point *x = a, *y = b;
  if (x->ts != y->ts) return x->ts < y->ts ? -1 : 1;
  if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
  if (x->order != y->order) return x->order < y->order ? -1 : 1;
  return (int)x->step - (int)y->step;
}

static int compare_slices(const void *a, const void *b) {
  const struct tb_slice_flow *x = a, *y = b;
  if (x->queue != y->queue) return x->queue < y->queue ? -1 : 1;
  if (x->place != y->place) return x->place < y->place ? -1 : 1;
  if (x->terminating != y->terminating) return x->terminating ? 1 : -1;
  return x->id < y->id ? -1 : x->id > y->id;
}

static bool insert_used(uint64_t *slots, size_t count, uint64_t id) {
  size_t i = (size_t)(tb_spread64(id) >> 20) & (count - 1);
  while (slots[i]) {
    if (slots[i] == id) return false;
    i = (i + 1) & (count - 1);
  }
  slots[i] = id;
  return true;
}

static bool grow_used(struct chainer *c) {
  size_t to = c->used_slots ? c->used_slots * 2 : 256;
  uint64_t *slots = tb_calloc(c->flows->allocator, to * sizeof(*slots));
  if (!slots) return false;
  for (size_t i = 0; i < c->used_slots; i++)
    if (c->used[i]) (void)insert_used(slots, to, c->used[i]);
  tb_free(c->flows->allocator, c->used, c->used_slots * sizeof(*slots));
  c->used = slots;
  c->used_slots = to;
  return true;
}

/* A number that no other flow has: `wanted` where it is free and not 0, else the next free one. 0 without memory. */
static uint64_t new_id(struct chainer *c, uint64_t wanted) {
  if ((c->used_count + 1) * 2 > c->used_slots && !grow_used(c)) return 0;
  c->used_count++;
  if (wanted && insert_used(c->used, c->used_slots, wanted)) return wanted;
  while (!insert_used(c->used, c->used_slots, c->next_id)) c->next_id++;
  return c->next_id++;
}

static enum tb_status carry(struct chainer *c, const struct end_point *slice, uint64_t id, bool terminating,
                            bool at_end) {
  struct tb_flows *f = c->flows;
  void *slices = f->slices;
  if (tb_grow_array(f->allocator, &slices, &f->slice_capacity, f->slice_count + 1, sizeof(*f->slices),
                    SIZE_MAX / 128) != TB_OK)
    return TB_NO_MEMORY;
  f->slices = slices;
  f->slices[f->slice_count++] = (struct tb_slice_flow){
      .place = slice->place, .id = id, .queue = slice->queue, .terminating = terminating, .at_end = at_end};
  f->any_at_end |= at_end;
  return TB_OK;
}

/* The id that a flow should keep. Perfetto has no flow id 0; if other traces must recognise such a flow, it gets an
 * id that no flow has. */
static uint64_t wish(const struct chainer *c, uint32_t flow) {
  return c->wanted[flow] || !c->flows->first_new_id ? c->wanted[flow] : UINT64_MAX;
}

static enum tb_status give_id(struct chainer *c, struct chain *chain, uint32_t flow) {
  chain->id = new_id(c, chain->id_given ? 0 : wish(c, flow));
  chain->id_given = true;
  chain->carried = true;
  c->flows->points[chain->source_point].id = chain->id;
  return chain->id ? carry(c, &chain->source, chain->id, false, false) : TB_NO_MEMORY;
}

/* Readers take the slice that begins first as the source of a join. At equal times the order in the file decides,
 * which is the order of queues and places here. */
static bool starts_before(const struct end_point *a, const struct end_point *b) {
  if (a->ts != b->ts) return a->ts < b->ts;
  return a->queue != b->queue ? a->queue < b->queue : a->place <= b->place;
}

static enum tb_status join(struct chainer *c, struct chain *chain, size_t point, const struct end_point *to,
                           bool goes_on) {
  struct tb_flow_point *p = &c->flows->points[point], *source = &c->flows->points[chain->source_point];
  c->flows->edges++;
  chain->joined = true;
  if (starts_before(&chain->source, to)) {
    if (!chain->carried && give_id(c, chain, p->flow) != TB_OK) return TB_NO_MEMORY;
    p->id = chain->id;
    if (carry(c, to, chain->id, !goes_on, false) != TB_OK) return TB_NO_MEMORY;
    if (!goes_on) chain->carried = false; /* terminated: another join from this source needs an id of its own */
  } else {
    bool together = to->ts == chain->source.ts; /* then the end of `to` comes after the begin of both */
    uint64_t id = new_id(c, 0);
    if (!id || carry(c, together ? &chain->source : to, id, false, false) != TB_OK ||
        carry(c, together ? to : &chain->source, id, true, together) != TB_OK)
      return TB_NO_MEMORY;
    p->id = id;
    if (!source->id) source->id = id;
    if (goes_on) chain->carried = false;
  }
  if (!goes_on) return TB_OK;
  chain->source = *to;
  chain->source_point = point;
  return TB_OK;
}

/* A step or an end of a flow that began in another trace. */
static enum tb_status take_from_elsewhere(struct chainer *c, struct chain *chain, size_t point,
                                          const struct end_point *slice) {
  struct tb_flow_point *p = &c->flows->points[point];
  p->joined = true;
  if (!chain->id_given) chain->id = new_id(c, wish(c, p->flow));
  chain->id_given = true;
  if (!chain->id) return TB_NO_MEMORY;
  p->id = chain->id;
  bool goes_on = p->step == TB_FLOW_THROUGH;
  if (goes_on) {
    chain->started = chain->joined = chain->carried = true;
    chain->source = *slice;
    chain->source_point = point;
  }
  return carry(c, slice, chain->id, !goes_on, false);
}

static enum tb_status take(struct chainer *c, size_t point) {
  struct tb_flow_point *p = &c->flows->points[point];
  struct chain *chain = &c->chains[p->flow];
  struct end_point slice = {p->slice_ts, p->place, p->queue};
  if (c->flows->first_new_id && p->has_slice && p->step != TB_FLOW_OUT && !chain->started)
    return take_from_elsewhere(c, chain, point, &slice);
  if (!p->has_slice || (p->step != TB_FLOW_OUT && !chain->started) || (p->step == TB_FLOW_OUT && chain->started))
    return tb_flows_note_unbound(c->flows, p);
  p->joined = true;
  if (p->step != TB_FLOW_OUT) {
    bool goes_on = p->step == TB_FLOW_THROUGH;
    if (!goes_on && c->flows->ends_close) chain->started = false;
    return join(c, chain, point, &slice, goes_on);
  }
  chain->started = true;
  chain->joined = chain->carried = false;
  chain->source = slice;
  chain->source_point = point;
  return TB_OK;
}

/* The begin of a flow may be in a later part than what it meets at the same time: it comes first. */
static void put_begin_first(struct chainer *c, size_t point) {
  struct tb_flow_point *points = c->flows->points, begin;
  size_t end = c->flows->point_count - point > LOOK_AHEAD ? point + LOOK_AHEAD : c->flows->point_count;
  if (points[point].step == TB_FLOW_OUT || c->chains[points[point].flow].started) return;
  for (size_t i = point + 1; i < end && points[i].ts == points[point].ts; i++) {
    if (points[i].flow != points[point].flow || points[i].step != TB_FLOW_OUT) continue;
    begin = points[i];
    memmove(&points[point + 1], &points[point], (i - point) * sizeof(*points));
    points[point] = begin;
    return;
  }
}

static enum tb_status note_unjoined(struct chainer *c, uint32_t flow_count) {
  enum tb_status status = TB_OK;
  for (uint32_t i = 0; status == TB_OK && i < flow_count; i++) {
    if (!c->chains[i].started || c->chains[i].joined) continue;
    if (c->flows->first_new_id) {
      status = give_id(c, &c->chains[i], i);
      continue;
    }
    struct tb_flow_point *source = &c->flows->points[c->chains[i].source_point];
    source->joined = false;
    status = tb_flows_note_unbound(c->flows, source);
  }
  return status;
}

enum tb_status tb_flows_add_unjoined(struct tb_flows *f, const struct tb_flow_point *point) {
  struct chainer c = {.flows = f};
  struct end_point slice = {point->slice_ts, point->place, point->queue};
  enum tb_status status = carry(&c, &slice, point->flow, false, false);
  if (status == TB_OK) f->slices[f->slice_count - 1].unjoined = point->event_step;
  return status;
}

void tb_flows_sort_slices(struct tb_flows *f) {
  if (f->slice_count) qsort(f->slices, f->slice_count, sizeof(*f->slices), compare_slices);
}

enum tb_status tb_flows_link(struct tb_flows *flows, const uint64_t *wanted, uint32_t flow_count) {
  if (flows->point_count == 0) return TB_OK;
  struct chainer c = {.flows = flows,
                      .wanted = wanted,
                      .next_id = flows->first_new_id ? flows->first_new_id : flows->new_ids_above + 1};
  c.chains = tb_calloc(flows->allocator, flow_count * sizeof(*c.chains));
  enum tb_status status = c.chains ? TB_OK : TB_NO_MEMORY;
  qsort(flows->points, flows->point_count, sizeof(*flows->points), compare_points);
  for (size_t i = 0; status == TB_OK && i < flows->point_count; i++) {
    if (flows->of_parts) put_begin_first(&c, i);
    status = take(&c, i);
  }
  if (status == TB_OK) status = note_unjoined(&c, flow_count);
  tb_flows_sort_slices(flows);
  tb_free(flows->allocator, c.chains, flow_count * sizeof(*c.chains));
  tb_free(flows->allocator, c.used, c.used_slots * sizeof(*c.used));
  return status;
}
