/* SPDX-License-Identifier: Apache-2.0
 *
 * Flows of slices as s, t and f events, which readers bind to the slice that encloses them. What a point of a flow is
 * (its start, a step, its end) depends on what came before it in time, so they are gathered and written last.
 */
#include "json/json_writer_state.h"

static enum tb_status keep(struct tb_json_writer *w, const struct tb_event *event, const uint64_t *flows,
                           uint32_t count, bool ends) {
  for (uint32_t i = 0; i < count; i++) {
    struct tb_flow_point point = {
        .flow = flows[i], .ts = event->ts, .pid = event->track->pid, .tid = event->track->tid, .ends = ends};
    enum tb_status status = tb_flow_points_add(&w->flows, &point, &w->writer->error);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

enum tb_status tb_json_keep_flows(struct tb_json_writer *w, const struct tb_event *event) {
  if (!event->flow_count && !event->terminating_flow_count) return TB_OK;
  if (event->track->type != TB_TRACK_THREAD) {
    tb_json_lose(w, "a flow of a slice that is on no thread", event);
    return TB_OK;
  }
  enum tb_status status = keep(w, event, event->flow_ids, event->flow_count, false);
  if (status != TB_OK) return status;
  return keep(w, event, event->terminating_flow_ids, event->terminating_flow_count, true);
}

struct chain {
  struct tb_json_writer *w;
  uint64_t id; /* of the chain in hand: a flow's id starts a new one after its end */
  bool open;
};

static enum tb_status write_point(void *ctx, const struct tb_flow_point *point, bool last) {
  struct chain *chain = ctx;
  struct tb_json_writer *w = chain->w;
  if (!chain->open) chain->id++;
  bool ends = point->ends || (last && chain->open);
  char phase = ends ? 'f' : chain->open ? 't' : 's';
  size_t start = tb_json_object_begin(w);
  TB_JSON_EMIT(&w->out, ",\"name\":\"flow\",\"cat\":\"flow\"");
  tb_json_emit_phase(&w->out, phase);
  TB_JSON_EMIT(&w->out, ",\"ts\":");
  tb_json_emit_micros(&w->out, point->ts);
  TB_JSON_EMIT(&w->out, ",\"pid\":");
  tb_json_emit_int(&w->out, point->pid);
  TB_JSON_EMIT(&w->out, ",\"tid\":");
  tb_json_emit_int(&w->out, point->tid);
  TB_JSON_EMIT(&w->out, ",\"id\":");
  tb_json_emit_uint(&w->out, chain->id);
  if (phase == 'f') TB_JSON_EMIT(&w->out, ",\"bp\":\"e\"");
  tb_json_object_end(w, start);
  chain->open = !ends && !last;
  return tb_json_flush_some(w);
}

enum tb_status tb_json_write_flows(struct tb_json_writer *w) {
  struct chain chain = {.w = w};
  return tb_flow_points_walk(&w->flows, write_point, &chain, &w->writer->error);
}
