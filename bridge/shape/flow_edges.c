/* SPDX-License-Identifier: Apache-2.0 */
#include "shape/flow_edges.h"

void tb_flow_edges_init(struct tb_flow_edges *flows, const struct tb_allocator *allocator) {
  tb_intern_init(&flows->texts, allocator);
  tb_map_init(&flows->at, allocator);
}

void tb_flow_edges_free(struct tb_flow_edges *flows) {
  tb_intern_free(&flows->texts);
  tb_map_free(&flows->at);
}

/* Where in `kind` is what. Two names that differ by more than their lower bits are 2^28 names. */
enum { KIND_TEXT = 1 << 2, KIND_ID_ONLY = 1 << 3, CATEGORIES_AT = 4, NAME_AT = 32 };

/* The id of a text, 0 of an empty one. */
static bool id_of(struct tb_flow_edges *flows, struct tb_str text, uint64_t *id) {
  *id = text.len ? tb_intern_id(&flows->texts, text) : 0;
  return *id || !text.len;
}

enum tb_status tb_flow_edges_flow(struct tb_flow_edges *flows, const struct tb_event *event, const struct tb_id *id,
                                  enum tb_flow_space space, bool id_only, struct tb_flow *flow) {
  uint64_t name = 0, categories = 0;
  *flow = (struct tb_flow){id->value, space};
  if (!id->is_number) {
    if (!id_of(flows, id->text, &flow->id)) return TB_NO_MEMORY;
    flow->kind |= KIND_TEXT;
  }
  if (id_only) flow->kind |= KIND_ID_ONLY;
  if (!id_only && (!id_of(flows, event->name, &name) || !id_of(flows, event->categories, &categories)))
    return TB_NO_MEMORY;
  flow->kind |= categories << CATEGORIES_AT | name << NAME_AT;
  return TB_OK;
}

uint64_t tb_flow_edges_at(const struct tb_flow_edges *flows, struct tb_flow flow) {
  const uint64_t *slice = tb_map_find(&flows->at, flow.id, flow.kind);
  return slice ? *slice : 0;
}

enum tb_status tb_flow_edges_step(struct tb_flow_edges *flows, struct tb_flow flow, uint64_t slice, uint64_t *from) {
  uint64_t *at = tb_map_find(&flows->at, flow.id, flow.kind);
  *from = at ? *at : 0;
  if (!at) return tb_map_put(&flows->at, flow.id, flow.kind, slice);
  *at = slice;
  return TB_OK;
}

void tb_flow_edges_close(struct tb_flow_edges *flows, struct tb_flow flow) {
  tb_map_remove(&flows->at, flow.id, flow.kind);
}
