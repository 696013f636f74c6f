/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer: which events are of one flow. Each flow is known by a text: its kind, whether its id is a
 * number, categories and name of a flow of JSON's events, the id.
 */
#include <string.h>

#include "perfetto/writer/flow_registry.h"
#include "perfetto/writer/writer.h"

void tb_writer_flows_init(struct tb_writer_flows *flows, const struct tb_allocator *allocator) {
  flows->allocator = allocator;
  tb_intern_init(&flows->texts, allocator);
  tb_intern_init(&flows->names, allocator);
  tb_map_init(&flows->full_events, allocator);
}

void tb_writer_flows_free(struct tb_writer_flows *flows) {
  tb_free(flows->allocator, flows->numbers, flows->number_capacity * sizeof(*flows->numbers));
  tb_free(flows->allocator, flows->known, flows->known_capacity * sizeof(*flows->known));
  tb_free(flows->allocator, flows->sources, flows->source_capacity * sizeof(*flows->sources));
  tb_intern_free(&flows->texts);
  tb_intern_free(&flows->names);
  tb_map_free(&flows->full_events);
}

static enum tb_status append_names(struct tb_buffer *text, const struct tb_event *event) {
  uint64_t lengths[2] = {event->categories.len, event->name.len};
  enum tb_status status = tb_buffer_append(text, lengths, sizeof(lengths));
  if (status == TB_OK) status = tb_buffer_append(text, event->categories.ptr, event->categories.len);
  return status == TB_OK ? tb_buffer_append(text, event->name.ptr, event->name.len) : status;
}

/* Takes what append_names wrote; returns the byte after it. */
static const char *read_names(const char *at, struct tb_str *categories, struct tb_str *name) {
  uint64_t lengths[2];
  memcpy(lengths, at, sizeof(lengths));
  at += sizeof(lengths);
  *categories = (struct tb_str){at, (size_t)lengths[0]};
  *name = (struct tb_str){at + lengths[0], (size_t)lengths[1]};
  return at + lengths[0] + lengths[1];
}

static uint32_t intern(struct tb_perfetto_writer *p, struct tb_intern *texts) {
  return tb_intern_id(texts, (struct tb_str){p->scratch.data, p->scratch.len});
}

/* Notes what the first event of a flow says in addition. */
static bool know(struct tb_perfetto_writer *p, const struct tb_event *event, const struct tb_id *id, uint32_t flow,
                 enum tb_flow_kind kind) {
  void *numbers = p->flow_registry.numbers, *known = p->flow_registry.known;
  size_t count = (size_t)flow + 1;
  enum tb_status status = tb_grow_array(p->allocator, &numbers, &p->flow_registry.number_capacity, count,
                                        sizeof(*p->flow_registry.numbers), UINT32_MAX);
  p->flow_registry.numbers = numbers;
  if (status == TB_OK)
    status = tb_grow_array(p->allocator, &known, &p->flow_registry.known_capacity, count,
                           sizeof(*p->flow_registry.known), UINT32_MAX);
  p->flow_registry.known = known;
  if (status != TB_OK) return false;
  struct tb_known_flow *now = &p->flow_registry.known[flow];
  *now =
      (struct tb_known_flow){.has = (uint8_t)(event->has & (TB_HAS_NAME | TB_HAS_CATEGORIES)), .kind = (uint8_t)kind};
  p->flow_registry.numbers[flow] = id->is_number ? id->value : XXH3_64bits(id->text.ptr, id->text.len);
  p->flow_registry.count = count;
  if (kind != TB_FLOW_ID_ONLY) return true;
  p->flow_registry.has_id_only = true;
  p->scratch.len = 0;
  if (append_names(&p->scratch, event) != TB_OK) return false;
  now->label = intern(p, &p->flow_registry.names);
  return now->label != 0;
}

uint32_t tb_perfetto_flow(struct tb_perfetto_writer *p, const struct tb_event *event, const struct tb_id *id,
                          enum tb_flow_kind kind) {
  struct tb_buffer *text = &p->scratch;
  text->len = 0;
  char head[2] = {(char)kind, (char)id->is_number};
  enum tb_status status = tb_buffer_append(text, head, 2);
  if (status == TB_OK && kind == TB_FLOW_NAMED) status = append_names(text, event);
  if (status == TB_OK)
    status = id->is_number ? tb_buffer_append(text, &id->value, sizeof(id->value))
                           : tb_buffer_append(text, id->text.ptr, id->text.len);
  uint32_t flow = status == TB_OK ? intern(p, &p->flow_registry.texts) : 0;
  if (!flow || flow < p->flow_registry.count) return flow;
  return know(p, event, id, flow, kind) ? flow : 0;
}

enum tb_flow_kind tb_perfetto_read_flow(const struct tb_perfetto_writer *p, uint32_t flow, struct tb_str *categories,
                                        struct tb_str *name, struct tb_id *id) {
  struct tb_str text = tb_intern_text(&p->flow_registry.texts, flow);
  const struct tb_known_flow *known = &p->flow_registry.known[flow];
  *id = (struct tb_id){.kind = TB_ID_PLAIN, .is_number = text.ptr[1]};
  *categories = *name = (struct tb_str){NULL, 0};
  const char *at = text.ptr + 2;
  if (known->kind == TB_FLOW_NAMED) at = read_names(at, categories, name);
  if (known->kind == TB_FLOW_ID_ONLY)
    (void)read_names(tb_intern_text(&p->flow_registry.names, known->label).ptr, categories, name);
  if (id->is_number)
    memcpy(&id->value, at, sizeof(id->value));
  else
    id->text = (struct tb_str){at, text.len - (size_t)(at - text.ptr)};
  return (enum tb_flow_kind)known->kind;
}
