/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer: flows that join nothing. Perfetto's flows are ids of slices, two of them at least: a flow event that no slice
 * takes, or that no other meets, stands as an instant that says what it was; the bind_id of such a slice stands with its begin.
 */
#include <string.h>

#include "base/error.h"
#include "perfetto/writer_state.h"

/* The parts of a flow's text, see tb_perfetto_flow_of. */
struct flow_text {
  bool by_name;
  struct tb_slice categories, name;
  struct tb_id id;
};

static struct flow_text read_flow(const struct tb_perfetto_writer *p, uint32_t flow) {
  struct tb_slice text = tb_intern_text(&p->flow_texts, flow);
  struct flow_text parts = {.by_name = text.ptr[0]};
  parts.id = (struct tb_id){.kind = TB_ID_PLAIN, .is_number = text.ptr[1]};
  const char *at = text.ptr + 2;
  if (parts.by_name) {
    uint64_t lengths[2];
    memcpy(lengths, at, sizeof(lengths));
    at += sizeof(lengths);
    parts.categories = (struct tb_slice){at, (size_t)lengths[0]};
    parts.name = (struct tb_slice){at + lengths[0], (size_t)lengths[1]};
    at += lengths[0] + lengths[1];
  }
  if (parts.id.is_number)
    memcpy(&parts.id.value, at, sizeof(parts.id.value));
  else
    parts.id.text = (struct tb_slice){at, text.len - (size_t)(at - text.ptr)};
  return parts;
}

static enum tb_status put_event(struct tb_perfetto_writer *p, const struct tb_flow_point *point,
                                const struct flow_text *flow, const struct tb_track *track) {
  static const struct tb_arg encloses = {.name = {"bp", 2}, .text = {"e", 1}, .span = 1, .type = TB_ARG_STRING};
  struct tb_event event = {.type = TB_EVENT_FLOW_END,
                           .phase = 'f',
                           .ts = point->event_ts,
                           .track = track,
                           .name = flow->name,
                           .categories = flow->categories,
                           .id = flow->id};
  event.has = TB_HAS_TS | TB_HAS_NAME | TB_HAS_CATEGORIES;
  if (point->event_step == TB_FLOW_OUT) {
    event.type = TB_EVENT_FLOW_BEGIN;
    event.phase = 's';
  } else if (point->event_step == TB_FLOW_THROUGH) {
    event.type = TB_EVENT_FLOW_STEP;
    event.phase = 't';
  } else if (point->event_step == TB_FLOW_IN) {
    event.extra = &encloses;
    event.extra_count = 1;
  }
  return tb_perfetto_put_aside(p, &event, TB_KEY_SIDE);
}

static enum tb_status carry(struct tb_perfetto_writer *p, const struct tb_flow_point *point) {
  struct flow_text flow = read_flow(p, point->flow);
  const struct tb_track_state *thread = p->sequences[point->strand]->track;
  uint64_t offset = tb_perfetto_orders_by_offset(p) ? point->order : TB_NO_OFFSET;
  uint32_t more;
  if (!point->is_event) return tb_flows_add_unjoined(&p->flows, point);
  if (!flow.by_name || !thread) { /* FXT's are known by their id alone */
    tb_losses_add(&p->writer->losses, "flow events that no slice takes, or without a start", offset);
    return TB_OK;
  }
  if (tb_map_get(&p->rich_flows, point->order, 0, &more))
    tb_losses_add(&p->writer->losses, "arguments and other members of flow events that join nothing", offset);
  return put_event(p, point, &flow, thread->track);
}

enum tb_status tb_perfetto_carry_flows(struct tb_perfetto_writer *p) {
  if (!p->flows.unbound_count) return TB_OK;
  enum tb_status status = tb_perfetto_add_shared(p);
  for (size_t i = 0; status == TB_OK && i < p->flows.unbound_count; i++) status = carry(p, &p->flows.unbound[i]);
  tb_flows_sort_slices(&p->flows);
  return status;
}
