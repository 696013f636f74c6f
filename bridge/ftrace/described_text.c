/* SPDX-License-Identifier: Apache-2.0 */
#include "ftrace/described_text.h"

#include "base/utf8.h"
#include "ftrace/event_text.h"
#include "protobuf/wire.h"

static bool find_in(struct tb_descriptor_pool *schema, struct tb_str message, uint32_t kind,
                    struct tb_descriptor_field *event) {
  uint32_t type = tb_descriptor_pool_find_type(schema, message);
  return type && tb_descriptor_pool_find_field(schema, type, kind, event);
}

bool tb_ftrace_find_kind(struct tb_descriptor_pool *schema, uint32_t kind, struct tb_descriptor_field *event) {
  return find_in(schema, TB_STR("perfetto.protos.FtraceEvent"), kind, event) ||
         find_in(schema, TB_STR("perfetto.protos.FtraceEventKinds"), kind, event);
}

static void put_bytes(struct tb_json_emit *out, struct tb_str bytes) {
  static const char digits[] = "0123456789abcdef";
  char *at = tb_json_emit_room(out, 2 * bytes.len);
  if (!at) return;
  for (size_t i = 0; i < bytes.len; i++) {
    *at++ = digits[(unsigned char)bytes.ptr[i] >> 4];
    *at++ = digits[(unsigned char)bytes.ptr[i] & 15];
  }
  tb_json_emit_end(out, at);
}

static void put_number(struct tb_json_emit *out, uint32_t type, uint64_t value) {
  if (type == TB_DESCRIPTOR_INT32 || type == TB_DESCRIPTOR_INT64 || type == TB_DESCRIPTOR_ENUM)
    tb_json_emit_int(out, (int64_t)value);
  else
    tb_json_emit_uint(out, value);
}

/* A packed list of numbers, with commas. */
static void put_packed(struct tb_json_emit *out, uint32_t type, struct tb_str packed) {
  const char *at = packed.ptr, *end = at + packed.len;
  uint64_t value;
  bool any = false;
  while (at != end && (at = tb_wire_read_varint(at, end, &value))) {
    if (any) TB_JSON_EMIT(out, ",");
    any = true;
    put_number(out, type, value);
  }
}

static void put_value(struct tb_json_emit *out, struct tb_descriptor_pool *schema,
                      const struct tb_descriptor_field *known, const struct tb_wire_field *field) {
  struct tb_str text;
  uint32_t type = known->type;
  if (type == TB_DESCRIPTOR_ENUM && tb_descriptor_pool_find_value(schema, known->type_id, (int32_t)field->value, &text))
    tb_ftrace_put_text(out, text);
  else if (field->type != TB_WIRE_BYTES && field->type != TB_WIRE_GROUP)
    put_number(out, type, field->value);
  else if (type == TB_DESCRIPTOR_STRING || (type == 0 && tb_utf8_is_text(field->bytes)))
    tb_ftrace_put_text(out, field->bytes);
  else if (type == 0 || type == TB_DESCRIPTOR_BYTES || type == TB_DESCRIPTOR_MESSAGE)
    put_bytes(out, field->bytes);
  else
    put_packed(out, type, field->bytes);
}

static void put_name(struct tb_json_emit *out, const char *what, uint32_t number) {
  tb_ftrace_put_text(out, tb_str_from(what));
  tb_json_emit_uint(out, number);
}

/* One field, ` NAME=VALUE`; `event` is its message's, or NULL. */
static void put_field(struct tb_json_emit *out, struct tb_descriptor_pool *schema,
                      const struct tb_descriptor_field *event, const struct tb_wire_field *field,
                      const struct tb_iid_index *symbols) {
  struct tb_descriptor_field known = {.name = {NULL, 0}};
  TB_JSON_EMIT(out, " ");
  if (event && tb_descriptor_pool_find_field(schema, event->type_id, field->number, &known))
    tb_ftrace_put_text(out, known.name);
  else
    put_name(out, "field_", field->number);
  TB_JSON_EMIT(out, "=");
  bool is_function = tb_str_equal(known.name, TB_STR("func"));
  const struct tb_str *symbol = is_function && symbols ? tb_iid_index_get(symbols, field->value) : NULL;
  if (symbol)
    tb_ftrace_put_text(out, *symbol);
  else
    put_value(out, schema, &known, field);
}

void tb_ftrace_put_described(struct tb_json_emit *out, struct tb_descriptor_pool *schema, uint32_t kind,
                             struct tb_str payload, const struct tb_iid_index *symbols) {
  struct tb_descriptor_field event;
  bool is_described = tb_ftrace_find_kind(schema, kind, &event);
  if (is_described)
    tb_ftrace_put_text(out, event.name);
  else
    put_name(out, "ftrace_event_", kind);
  TB_JSON_EMIT(out, ":");
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) put_field(out, schema, is_described ? &event : NULL, &field, symbols);
}
