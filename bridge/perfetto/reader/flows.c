/* SPDX-License-Identifier: Apache-2.0
 *
 * JsonFlow: the flow events that JSON or FXT had for the flows of a slice, and the bind_id, as
 * perfetto/writer/source_flows.c writes them.
 */
#include "base/intern.h"
#include "perfetto/reader/track_event_importer.h"

void tb_perfetto_start_flows(const struct tb_perfetto_reader *r, const struct tb_track_event_parse *e,
                             struct tb_json_flow_walk *walk) {
  *walk = (struct tb_json_flow_walk){.packet = tb_wire_cursor(r->head.bytes), .fields = &e->fields};
}

static bool has_letter(struct tb_str letters, char letter) {
  return letters.len && memchr(letters.ptr, letter, letters.len) != NULL;
}

/* The text up to the next line end, or all; *rest is what is behind it. */
static struct tb_str take_line(struct tb_str *rest) {
  const char *end = rest->len ? memchr(rest->ptr, '\n', rest->len) : NULL;
  struct tb_str line = {rest->ptr, end ? (size_t)(end - rest->ptr) : rest->len};
  size_t used = line.len + (end != NULL);
  *rest = (struct tb_str){rest->ptr + used, rest->len - used};
  return line;
}

static bool take_kind(struct tb_str text, struct tb_json_flow *flow) {
  flow->letters = take_line(&text);
  if (!flow->letters.len || !memchr("stfba", flow->letters.ptr[0], 5)) return false;
  if (has_letter(flow->letters, TB_JSON_FLOW_CATEGORIES)) flow->categories = take_line(&text);
  flow->name = text;
  return true;
}

/* The flow id of the slice at that index: those that go on come first. */
static bool id_at(const struct tb_track_event_fields *fields, uint32_t index, uint64_t *id) {
  if (index < fields->flows.count) {
    *id = fields->flows.items[index];
    return true;
  }
  index -= fields->flows.count;
  if (index >= fields->terminating_flows.count) return false;
  *id = fields->terminating_flows.items[index];
  return true;
}

static enum tb_status read_flow(struct tb_perfetto_reader *r, struct tb_json_flow_walk *walk, struct tb_str message,
                                struct tb_json_flow *flow) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  const struct tb_str *kind = NULL;
  bool has_id = false, has_source_id = false;
  uint64_t source_id = 0;
  enum tb_status status;
  *flow = (struct tb_json_flow){.delay = 0};
  while ((status = tb_wire_next(&cursor, &field)) == TB_OK) {
    if (field.number == TB_JSON_FLOW_KIND_IID)
      kind = tb_perfetto_interned(r, TB_INDEX_DEBUG_ANNOTATION_STRING_VALUES, field.value);
    if (field.number == TB_JSON_FLOW_DELAY) flow->delay = tb_wire_zigzag_decode(field.value);
    if (field.number == TB_JSON_FLOW_EVENT && field.type == TB_WIRE_BYTES) flow->event = field.bytes;
    if (field.number == TB_JSON_FLOW_SOURCE_ID) {
      source_id = field.value;
      has_source_id = true;
    }
    if (field.number != TB_JSON_FLOW_ID) continue;
    flow->id = field.value;
    has_id = true;
  }
  if (status != TB_END) return TB_BAD_DATA;
  if (!message.len || !kind) return TB_OK; /* of a flow that is described with the slice's begin, or of no known kind */
  if (!take_kind(*kind, flow)) return TB_BAD_DATA;
  if (tb_json_flow_is_remark(flow)) return TB_OK;
  if (!has_id && !id_at(walk->fields, walk->implied++, &flow->id)) return TB_BAD_DATA;
  if (has_source_id) flow->id = source_id;
  return TB_OK;
}

enum tb_status tb_perfetto_next_flow(struct tb_perfetto_reader *r, struct tb_json_flow_walk *walk,
                                     struct tb_json_flow *flow) {
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_next(&walk->packet, &field)) == TB_OK) {
    if (field.number != TB_TRACE_PACKET_JSON_FLOWS || field.type != TB_WIRE_BYTES) continue;
    status = read_flow(r, walk, field.bytes, flow);
    if (status != TB_OK || flow->letters.len) return status;
  }
  return status;
}

bool tb_json_flow_is_id_only(const struct tb_json_flow *flow) {
  return has_letter(flow->letters, TB_JSON_FLOW_ID_ONLY);
}

bool tb_json_flow_comes_first(const struct tb_json_flow *flow) {
  return flow->letters.ptr[0] == 'f' && !has_letter(flow->letters, TB_JSON_FLOW_ENCLOSING);
}

void tb_json_flow_apply(const struct tb_json_flow *flow, struct tb_event *event) {
  char phase = flow->letters.ptr[0];
  event->phase = phase;
  event->type = phase == 's' ? TB_EVENT_FLOW_BEGIN : phase == 't' ? TB_EVENT_FLOW_STEP : TB_EVENT_FLOW_END;
  event->has = TB_HAS_TS | TB_HAS_FLOWS_DUPLICATED;
  if (tb_json_flow_is_id_only(flow)) event->has |= TB_HAS_ID_ONLY_MATCH;
  if (has_letter(flow->letters, TB_JSON_FLOW_ENCLOSING)) event->has |= TB_HAS_BIND_ENCLOSING;
  if (has_letter(flow->letters, TB_JSON_FLOW_CATEGORIES)) event->has |= TB_HAS_CATEGORIES;
  if (has_letter(flow->letters, TB_JSON_FLOW_NAME)) event->has |= TB_HAS_NAME;
  event->name = flow->name;
  event->categories = flow->categories;
  event->id = (struct tb_id){.kind = TB_ID_PLAIN, .is_number = true, .value = flow->id};
}

/* A text whose number is another now is of a flow that a merge has separated from one of the same text: only the
 * number distinguishes them. */
static void renumber(struct tb_id *id, uint64_t number) {
  if (!id->is_number && XXH3_64bits(id->text.ptr ? id->text.ptr : "", id->text.len) == number) return;
  id->is_number = true;
  id->value = number;
  id->text = (struct tb_str){NULL, 0};
}

void tb_json_flow_bind(const struct tb_json_flow *flow, struct tb_event *slice) {
  if (has_letter(flow->letters, TB_JSON_FLOW_IN)) slice->has |= TB_HAS_FLOW_IN;
  if (has_letter(flow->letters, TB_JSON_FLOW_OUT)) slice->has |= TB_HAS_FLOW_OUT;
  if (!slice->bind_id.kind) slice->bind_id = (struct tb_id){.kind = TB_ID_PLAIN, .is_number = true};
  renumber(&slice->bind_id, flow->id);
}

void tb_json_flow_renumber(const struct tb_json_flow *flow, struct tb_event *event) {
  event->has |= TB_HAS_FLOWS_DUPLICATED | (tb_json_flow_is_id_only(flow) ? TB_HAS_ID_ONLY_MATCH : 0u);
  if (event->id.kind == TB_ID_NONE) event->id = (struct tb_id){.kind = TB_ID_PLAIN, .is_number = true};
  renumber(&event->id, flow->id);
}
