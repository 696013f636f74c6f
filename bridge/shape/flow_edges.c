/* SPDX-License-Identifier: Apache-2.0 */
#include "shape/flow_edges.h"

void tb_flow_edges_init(struct tb_flow_edges *flows, const struct tb_allocator *allocator) {
  tb_intern_init(&flows->texts, allocator);
  tb_map_init(&flows->at, allocator);
  tb_buffer_init(&flows->text, allocator, 0);
}

void tb_flow_edges_free(struct tb_flow_edges *flows) {
  tb_intern_free(&flows->texts);
  tb_map_free(&flows->at);
  tb_buffer_free(&flows->text);
}

static bool add(struct tb_flow_edges *flows, const void *data, size_t len) {
  return tb_buffer_append(&flows->text, data, len) == TB_OK;
}

static bool add_text(struct tb_flow_edges *flows, struct tb_str text) {
  return add(flows, &text.len, sizeof(text.len)) && add(flows, text.ptr, text.len);
}

uint64_t tb_flow_edges_flow(struct tb_flow_edges *flows, const struct tb_event *event, const struct tb_id *id,
                            bool id_only) {
  char head[2] = {(char)id->is_number, (char)id_only};
  flows->text.len = 0;
  bool ok = add(flows, head, sizeof(head)) &&
            (id_only || (add_text(flows, event->categories) && add_text(flows, event->name))) &&
            (id->is_number ? add(flows, &id->value, sizeof(id->value)) : add_text(flows, id->text));
  return ok ? tb_intern_id(&flows->texts, (struct tb_str){flows->text.data, flows->text.len}) : 0;
}

uint64_t tb_flow_edges_at(const struct tb_flow_edges *flows, enum tb_flow_space space, uint64_t flow) {
  const uint64_t *slice = tb_map_find(&flows->at, flow, space);
  return slice ? *slice : 0;
}

enum tb_status tb_flow_edges_step(struct tb_flow_edges *flows, enum tb_flow_space space, uint64_t flow, uint64_t slice,
                                  uint64_t *from) {
  uint64_t *at = tb_map_find(&flows->at, flow, space);
  *from = at ? *at : 0;
  if (!at) return tb_map_put(&flows->at, flow, space, slice);
  *at = slice;
  return TB_OK;
}

void tb_flow_edges_close(struct tb_flow_edges *flows, enum tb_flow_space space, uint64_t flow) {
  tb_map_remove(&flows->at, flow, space);
}
