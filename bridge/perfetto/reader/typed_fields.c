/* SPDX-License-Identifier: Apache-2.0
 *
 * Typed fields as arguments: by what the trace says of its extensions, or by what is known without.
 */
#include "perfetto/reader/typed_fields.h"

#include <stdio.h>

#include "base/utf8.h"

static struct tb_arg *add_typed(struct tb_perfetto_reader *r, struct tb_str name) {
  struct tb_arg *arg = tb_perfetto_add_arg(r, name);
  arg->flags = TB_ARG_TYPED;
  return arg;
}

static void set_float(struct tb_arg *arg, uint64_t bits) {
  float number;
  memcpy(&number, &bits, sizeof(number));
  arg->type = TB_ARG_DOUBLE;
  arg->d = (double)number;
}

static void set_enum(struct tb_perfetto_reader *r, struct tb_arg *arg, uint32_t type, int32_t number) {
  bool known = tb_descriptor_pool_find_value(&r->schema, type, number, &arg->text);
  arg->type = known ? TB_ARG_STRING : TB_ARG_INT;
  if (!known) arg->i = number;
}

static void set_scalar(struct tb_perfetto_reader *r, struct tb_arg *arg, const struct tb_descriptor_field *field,
                       uint64_t value) {
  arg->type = TB_ARG_INT;
  arg->u = value;
  switch (field->type) {
    case TB_DESCRIPTOR_DOUBLE:
      arg->type = TB_ARG_DOUBLE;
      break;
    case TB_DESCRIPTOR_FLOAT:
      set_float(arg, value);
      break;
    case TB_DESCRIPTOR_INT32:
    case TB_DESCRIPTOR_SFIXED32:
      arg->i = (int32_t)value;
      break;
    case TB_DESCRIPTOR_UINT32:
    case TB_DESCRIPTOR_FIXED32:
      arg->u = (uint32_t)value;
      break;
    case TB_DESCRIPTOR_UINT64:
    case TB_DESCRIPTOR_FIXED64:
      arg->type = TB_ARG_UINT;
      break;
    case TB_DESCRIPTOR_SINT32:
    case TB_DESCRIPTOR_SINT64:
      arg->i = tb_wire_zigzag_decode(value);
      break;
    case TB_DESCRIPTOR_BOOL:
      arg->type = TB_ARG_BOOL;
      arg->u = value != 0;
      break;
    case TB_DESCRIPTOR_ENUM:
      set_enum(r, arg, field->type_id, (int32_t)value);
      break;
    default:
      break;
  }
}

static bool is_text(uint32_t type) { return type == TB_DESCRIPTOR_STRING || type == TB_DESCRIPTOR_BYTES; }

static void read_message(struct tb_perfetto_reader *r, size_t slot, uint32_t type, struct tb_str bytes, unsigned depth);

/* A packed list of numbers: each its own argument. */
static void add_packed(struct tb_perfetto_reader *r, const struct tb_descriptor_field *field, struct tb_str packed) {
  size_t size = 0;
  if (field->type == TB_DESCRIPTOR_DOUBLE || field->type == TB_DESCRIPTOR_FIXED64 ||
      field->type == TB_DESCRIPTOR_SFIXED64)
    size = 8;
  if (field->type == TB_DESCRIPTOR_FLOAT || field->type == TB_DESCRIPTOR_FIXED32 ||
      field->type == TB_DESCRIPTOR_SFIXED32)
    size = 4;
  const char *at = packed.ptr, *end = at + packed.len;
  while (at != end) {
    uint64_t value = 0;
    if (size && (size_t)(end - at) < size) return;
    if (size) memcpy(&value, at, size);
    at = size ? at + size : tb_wire_read_varint(at, end, &value);
    if (!at) return;
    set_scalar(r, add_typed(r, (struct tb_str){NULL, 0}), field, value);
  }
}

static void add_value(struct tb_perfetto_reader *r, struct tb_str name, const struct tb_descriptor_field *field,
                      const struct tb_wire_field *wire, unsigned depth) {
  size_t slot = r->batch->arg_count;
  struct tb_arg *arg = add_typed(r, name);
  if (field->type == TB_DESCRIPTOR_MESSAGE) {
    arg->type = TB_ARG_DICT;
    if (wire->type == TB_WIRE_BYTES) read_message(r, slot, field->type_id, wire->bytes, depth + 1);
  } else if (is_text(field->type)) {
    /* our schema has bytes for texts too */
    arg->text = tb_wire_text(wire);
    bool is_string = field->type == TB_DESCRIPTOR_STRING || tb_utf8_is_text(arg->text);
    arg->type = is_string ? TB_ARG_STRING : TB_ARG_BLOB;
  } else {
    set_scalar(r, arg, field, wire->value);
  }
  r->batch->args[slot].span = (uint32_t)(r->batch->arg_count - slot);
}

/* Where the values of a repeated field collect: the list that was open, or a new one. */
struct open_list {
  uint32_t number;
  size_t slot;
  bool is_unknown, is_single; /* a field that nothing describes; the only one of its number so far */
};

static void add_to_list(struct tb_perfetto_reader *r, struct open_list *list, const struct tb_descriptor_field *field,
                        const struct tb_wire_field *wire, unsigned depth) {
  if (list->number != wire->number || list->is_unknown) {
    *list = (struct open_list){.number = wire->number, .slot = r->batch->arg_count};
    add_typed(r, field->name)->type = TB_ARG_ARRAY;
  }
  bool packed = wire->type == TB_WIRE_BYTES && field->type != TB_DESCRIPTOR_MESSAGE && !is_text(field->type);
  if (packed) {
    add_packed(r, field, wire->bytes);
  } else {
    add_value(r, (struct tb_str){NULL, 0}, field, wire, depth);
  }
  r->batch->args[list->slot].span = (uint32_t)(r->batch->arg_count - list->slot);
}

/* Debug annotations within a message are arguments with their own names, as if they were its fields. */
static bool is_annotation(const struct tb_perfetto_reader *r, const struct tb_descriptor_field *field,
                          const struct tb_wire_field *wire) {
  return field->type == TB_DESCRIPTOR_MESSAGE && field->type_id == r->types.annotation && wire->type == TB_WIRE_BYTES;
}

/* As the trace processor has it: the name and its iid. */
static void add_histogram_name(struct tb_perfetto_reader *r, uint64_t iid) {
  const struct tb_str *text = tb_perfetto_interned(r, TB_INDEX_HISTOGRAM_NAMES, iid);
  if (!text) return;
  struct tb_arg *name = add_typed(r, TB_STR("name"));
  name->type = TB_ARG_STRING;
  name->text = *text;
}

/* Producers may describe their extensions at the end of the trace. */
static bool find_field(struct tb_perfetto_reader *r, uint32_t type, uint32_t number,
                       struct tb_descriptor_field *field) {
  return tb_descriptor_pool_find_field(&r->schema, type, number, field) ||
         (tb_perfetto_look_ahead(r) && tb_descriptor_pool_find_field(&r->schema, type, number, field));
}

/* A field of a message of the type; false where nothing describes it. */
static bool add_field(struct tb_perfetto_reader *r, struct open_list *list, uint32_t type,
                      const struct tb_wire_field *wire, unsigned depth) {
  struct tb_descriptor_field field;
  if (!find_field(r, type, wire->number, &field) || field.type == TB_DESCRIPTOR_GROUP) return false;
  if (is_annotation(r, &field, wire)) {
    list->number = 0;
    (void)tb_perfetto_annotation(r, wire->bytes, depth + 1); /* damage stays as unnoticed as in other typed messages */
  } else if (field.repeated) {
    add_to_list(r, list, &field, wire, depth);
  } else {
    list->number = 0;
    add_value(r, field.name, &field, wire, depth);
  }
  if (type == r->types.histogram_sample && wire->number == TB_CHROME_HISTOGRAM_SAMPLE_NAME_IID)
    add_histogram_name(r, wire->value);
  return true;
}

/* ---- what nothing describes: by number, as protoc --decode_raw has it -------------------------------------------- */

static bool is_message(struct tb_str bytes) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
  }
  return status == TB_END;
}

static void add_unknown(struct tb_perfetto_reader *r, struct open_list *list, const struct tb_wire_field *wire,
                        unsigned depth);

/* All fields of a message that nothing describes. */
static void add_unknown_fields(struct tb_perfetto_reader *r, struct tb_str message, unsigned depth) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  struct open_list list = {0};
  while (tb_wire_read(&cursor, &field) == TB_OK) add_unknown(r, &list, &field, depth);
}

static void add_unknown_value(struct tb_perfetto_reader *r, const struct tb_wire_field *wire, unsigned depth) {
  enum { NUMBER_NAME = 24 };
  char *name = tb_perfetto_alloc(r, NUMBER_NAME);
  if (!name) return;
  size_t slot = r->batch->arg_count;
  struct tb_arg *arg =
      add_typed(r, (struct tb_str){name, (size_t)snprintf(name, NUMBER_NAME, "field_%u", (unsigned)wire->number)});
  arg->type = TB_ARG_UINT;
  arg->u = wire->value;
  if (wire->type != TB_WIRE_BYTES && wire->type != TB_WIRE_GROUP) return;
  bool is_text = wire->type == TB_WIRE_BYTES && tb_utf8_is_text(wire->bytes);
  if (is_text || depth >= TB_PERFETTO_ARG_DEPTH_MAX || !is_message(wire->bytes)) {
    arg->type = is_text ? TB_ARG_STRING : TB_ARG_BLOB;
    arg->text = wire->bytes;
    return;
  }
  arg->type = TB_ARG_DICT;
  add_unknown_fields(r, wire->bytes, depth + 1);
  r->batch->args[slot].span = (uint32_t)(r->batch->arg_count - slot);
}

/* The argument at the list's place becomes a list of itself. */
static void wrap_in_list(struct tb_perfetto_reader *r, struct open_list *list) {
  struct tb_arg *first = &r->batch->args[list->slot], only = *first;
  memmove(first + 1, first, (r->batch->arg_count++ - list->slot) * sizeof(*first));
  *first = (struct tb_arg){.name = only.name, .type = TB_ARG_ARRAY, .flags = only.flags};
  first[1].name = (struct tb_str){NULL, 0};
  list->is_single = false;
}

/* Fields of one number, one behind the other, are a list. */
static void add_unknown(struct tb_perfetto_reader *r, struct open_list *list, const struct tb_wire_field *wire,
                        unsigned depth) {
  size_t slot = r->batch->arg_count;
  bool goes_on = list->is_unknown && list->number == wire->number;
  if (goes_on && list->is_single) {
    wrap_in_list(r, list);
    slot++;
  } else if (!goes_on) {
    *list = (struct open_list){.number = wire->number, .slot = slot, .is_unknown = true, .is_single = true};
  }
  add_unknown_value(r, wire, depth);
  if (list->is_single || r->batch->arg_count == slot) return;
  r->batch->args[slot].name = (struct tb_str){NULL, 0};
  r->batch->args[list->slot].span = (uint32_t)(r->batch->arg_count - list->slot);
}

void tb_perfetto_unknown_field(struct tb_perfetto_reader *r, const struct tb_wire_field *wire) {
  add_unknown_value(r, wire, 0);
}

static void read_message(struct tb_perfetto_reader *r, size_t slot, uint32_t type, struct tb_str bytes,
                         unsigned depth) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field wire;
  struct open_list list = {0};
  if (depth > TB_PERFETTO_ARG_DEPTH_MAX) return;
  while (tb_wire_read(&cursor, &wire) == TB_OK) {
    if (add_field(r, &list, type, &wire, depth)) continue;
    add_unknown(r, &list, &wire, depth);
  }
  r->batch->args[slot].span = (uint32_t)(r->batch->arg_count - slot);
}

bool tb_perfetto_proto_value(struct tb_perfetto_reader *r, size_t slot, struct tb_str type_name, struct tb_str bytes,
                             unsigned depth) {
  uint32_t type = tb_descriptor_pool_find_type(&r->schema, type_name);
  if (!type && tb_perfetto_look_ahead(r)) type = tb_descriptor_pool_find_type(&r->schema, type_name);
  if (!type) return false;
  r->batch->args[slot].type = TB_ARG_DICT;
  r->batch->args[slot].flags = TB_ARG_TYPED;
  read_message(r, slot, type, bytes, depth);
  return true;
}

/* ---- fields of TrackEvent ---------------------------------------------------------------------------------------- */

static void add_text(struct tb_perfetto_reader *r, struct tb_str name, struct tb_str text) {
  if (text.len == 0) return;
  struct tb_arg *arg = add_typed(r, name);
  arg->type = TB_ARG_STRING;
  arg->text = text;
}

static void add_location(struct tb_perfetto_reader *r, uint64_t iid) {
  const struct tb_str *message = tb_perfetto_interned(r, TB_INDEX_SOURCE_LOCATIONS, iid);
  if (!message) return;
  struct tb_frame place = tb_perfetto_source_location(*message);
  add_text(r, TB_STR("file_name"), place.file);
  add_text(r, TB_STR("function_name"), place.function);
  if (!place.line) return;
  struct tb_arg *line = add_typed(r, TB_STR("line_number"));
  line->type = TB_ARG_INT;
  line->i = place.line;
}

static size_t open_dict(struct tb_perfetto_reader *r, struct tb_str name) {
  size_t slot = r->batch->arg_count;
  add_typed(r, name)->type = TB_ARG_DICT;
  return slot;
}

static void close_dict(struct tb_perfetto_reader *r, size_t slot) {
  r->batch->args[slot].span = (uint32_t)(r->batch->arg_count - slot);
}

void tb_perfetto_log_message(struct tb_perfetto_reader *r, struct tb_str message, struct tb_event *event) {
  struct tb_str body = {"", 0};
  uint64_t location = 0;
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_LOG_MESSAGE_SOURCE_LOCATION_IID) location = field.value;
    if (field.number == TB_LOG_MESSAGE_PRIO && field.value <= TB_LOG_FATAL) event->log_level = (uint8_t)field.value;
    if (field.number != TB_LOG_MESSAGE_BODY_IID) continue;
    const struct tb_str *text = tb_perfetto_interned(r, TB_INDEX_LOG_MESSAGE_BODY, field.value);
    if (text) body = *text;
  }
  bool has_own_name = event->has & TB_HAS_NAME && !tb_str_equal(event->name, body);
  if (event->type == TB_EVENT_INSTANT && !has_own_name) {
    event->type = TB_EVENT_LOG;
    event->has |= TB_HAS_NAME;
    event->name = body;
    body.len = 0;
  }
  if (body.len == 0 && location == 0) return;
  size_t slot = open_dict(r, TB_STR("log_message"));
  add_text(r, TB_STR("message"), body);
  if (location) add_location(r, location);
  close_dict(r, slot);
}

void tb_perfetto_task_execution(struct tb_perfetto_reader *r, struct tb_str message) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_TASK_EXECUTION_POSTED_FROM_IID || field.type != TB_WIRE_VARINT) continue;
    size_t task = open_dict(r, TB_STR("task")), from = open_dict(r, TB_STR("posted_from"));
    add_location(r, field.value);
    close_dict(r, from);
    close_dict(r, task);
    return;
  }
}

/* Fields that the reader knows by itself and that are no arguments. */
static bool is_own_field(uint32_t number) {
  switch (number) {
    case TB_TRACK_EVENT_CATEGORY_IIDS:
    case TB_TRACK_EVENT_CATEGORIES:
    case TB_TRACK_EVENT_NAME_IID:
    case TB_TRACK_EVENT_NAME:
    case TB_TRACK_EVENT_TYPE:
    case TB_TRACK_EVENT_TRACK_UUID:
    case TB_TRACK_EVENT_COUNTER_VALUE:
    case TB_TRACK_EVENT_DOUBLE_COUNTER_VALUE:
    case TB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS:
    case TB_TRACK_EVENT_EXTRA_COUNTER_VALUES:
    case TB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS:
    case TB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES:
    case TB_TRACK_EVENT_FLOW_IDS_OLD:
    case TB_TRACK_EVENT_FLOW_IDS:
    case TB_TRACK_EVENT_TERMINATING_FLOW_IDS_OLD:
    case TB_TRACK_EVENT_TERMINATING_FLOW_IDS:
    case TB_TRACK_EVENT_CORRELATION_ID:
    case TB_TRACK_EVENT_CORRELATION_ID_STR:
    case TB_TRACK_EVENT_CORRELATION_ID_STR_IID:
    case TB_TRACK_EVENT_CALLSTACK:
    case TB_TRACK_EVENT_CALLSTACK_IID:
    case TB_TRACK_EVENT_CALLSTACK_WEIGHT:
    case TB_TRACK_EVENT_DEBUG_ANNOTATIONS:
    case TB_TRACK_EVENT_TASK_EXECUTION:
    case TB_TRACK_EVENT_LOG_MESSAGE:
    case TB_TRACK_EVENT_SOURCE_LOCATION:
    case TB_TRACK_EVENT_SOURCE_LOCATION_IID:
    case TB_TRACK_EVENT_LEGACY_EVENT:
    case TB_TRACK_EVENT_TIMESTAMP_DELTA_US:
    case TB_TRACK_EVENT_TIMESTAMP_ABSOLUTE_US:
    case TB_TRACK_EVENT_THREAD_TIME_DELTA_US:
    case TB_TRACK_EVENT_THREAD_TIME_ABSOLUTE_US:
    case TB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_DELTA:
    case TB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE:
      return true;
    default:
      return false;
  }
}

void tb_perfetto_message_fields(struct tb_perfetto_reader *r, uint32_t type, struct tb_str message,
                                bool (*is_own)(uint32_t number)) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field wire;
  struct open_list list = {0};
  while (tb_wire_read(&cursor, &wire) == TB_OK) {
    if (is_own(wire.number) || add_field(r, &list, type, &wire, 0)) continue;
    add_unknown(r, &list, &wire, 0);
  }
}

static bool is_none(uint32_t number) {
  (void)number;
  return false;
}

void tb_perfetto_known_fields(struct tb_perfetto_reader *r, uint32_t type, struct tb_str message,
                              bool (*is_own)(uint32_t number)) {
  bool looked_ahead = r->looked_ahead;
  r->looked_ahead = true;
  tb_perfetto_message_fields(r, type, message, is_own ? is_own : is_none);
  r->looked_ahead = looked_ahead;
}

void tb_perfetto_typed_fields(struct tb_perfetto_reader *r, struct tb_str track_event) {
  tb_perfetto_message_fields(r, r->types.track_event, track_event, is_own_field);
}

enum tb_status tb_perfetto_extension_descriptor(struct tb_perfetto_reader *r, struct tb_str payload) {
  enum tb_status status = tb_descriptor_pool_add_extensions(&r->schema, payload);
  if (status == TB_NO_MEMORY) r->out_of_memory = true;
  return status;
}
