/* SPDX-License-Identifier: Apache-2.0
 *
 * Debug annotations: an event's arguments.
 */
#include "model/carried_fields.h"
#include "perfetto/reader/typed_fields.h"

static const char LOSS_DEPTH[] = "an argument is nested too deep";

static void set_number(struct tb_arg *arg, enum tb_arg_type type, uint64_t value) {
  arg->type = (uint8_t)type;
  arg->u = value;
}

static void set_text(struct tb_arg *arg, enum tb_arg_type type, struct tb_str text) {
  arg->type = (uint8_t)type;
  arg->text = text;
}

/* Closes the argument at `slot`, which has children behind it. A value in addition to them is not kept. */
static void close_container(struct tb_perfetto_reader *r, size_t slot) {
  struct tb_arg *arg = &r->batch->args[slot];
  arg->span = (uint32_t)(r->batch->arg_count - slot);
  if (arg->type != TB_ARG_ARRAY) arg->type = TB_ARG_DICT;
}

/* ---- nested values of before there were dict_entries ------------------------------------------------------------- */

static enum tb_status read_nested(struct tb_perfetto_reader *r, struct tb_str name, struct tb_str bytes,
                                  unsigned depth);

/* The key that belongs to the next value: keys and values are two lists. */
static struct tb_str next_key(struct tb_wire_cursor *keys) {
  struct tb_wire_field field;
  while (tb_wire_read(keys, &field) == TB_OK) {
    if (field.number == TB_DEBUG_ANNOTATION_NESTED_VALUE_DICT_KEYS && field.type == TB_WIRE_BYTES) return field.bytes;
  }
  return (struct tb_str){"", 0};
}

static enum tb_status read_nested_field(struct tb_perfetto_reader *r, size_t slot, const struct tb_wire_field *field,
                                        struct tb_wire_cursor *keys, unsigned depth) {
  struct tb_arg *arg = &r->batch->args[slot];
  switch (field->number) {
    case TB_DEBUG_ANNOTATION_NESTED_VALUE_NESTED_TYPE:
      if (field->value == TB_DEBUG_ANNOTATION_NESTED_VALUE_DICT) arg->type = TB_ARG_DICT;
      if (field->value == TB_DEBUG_ANNOTATION_NESTED_VALUE_ARRAY) arg->type = TB_ARG_ARRAY;
      break;
    case TB_DEBUG_ANNOTATION_NESTED_VALUE_INT_VALUE:
      set_number(arg, TB_ARG_INT, field->value);
      break;
    case TB_DEBUG_ANNOTATION_NESTED_VALUE_DOUBLE_VALUE:
      set_number(arg, TB_ARG_DOUBLE, field->value);
      break;
    case TB_DEBUG_ANNOTATION_NESTED_VALUE_BOOL_VALUE:
      set_number(arg, TB_ARG_BOOL, field->value != 0);
      break;
    case TB_DEBUG_ANNOTATION_NESTED_VALUE_STRING_VALUE:
      set_text(arg, TB_ARG_STRING, field->bytes);
      break;
    case TB_DEBUG_ANNOTATION_NESTED_VALUE_DICT_VALUES:
      arg->type = TB_ARG_DICT;
      return read_nested(r, next_key(keys), field->bytes, depth + 1);
    case TB_DEBUG_ANNOTATION_NESTED_VALUE_ARRAY_VALUES:
      arg->type = TB_ARG_ARRAY;
      return read_nested(r, (struct tb_str){NULL, 0}, field->bytes, depth + 1);
    default:
      break;
  }
  return TB_OK;
}

/* The fields of a nested value into the argument at `slot`. */
static enum tb_status read_nested_into(struct tb_perfetto_reader *r, size_t slot, struct tb_str bytes, unsigned depth) {
  if (depth > TB_PERFETTO_ARG_DEPTH_MAX) return tb_perfetto_lose(r, LOSS_DEPTH);
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes), keys = cursor;
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    status = read_nested_field(r, slot, &field, &keys, depth);
    if (status != TB_OK) return status;
  }
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

static enum tb_status read_nested(struct tb_perfetto_reader *r, struct tb_str name, struct tb_str bytes,
                                  unsigned depth) {
  size_t slot = r->batch->arg_count;
  tb_perfetto_add_arg(r, name);
  enum tb_status status = read_nested_into(r, slot, bytes, depth);
  if (r->batch->arg_count > slot + 1) close_container(r, slot);
  return status;
}

/* ---- what our writer carries ------------------------------------------------------------------------------------- */

/* A child of the annotation for a field of our own that is a number. */
static void read_carried_number(struct tb_perfetto_reader *r, size_t slot, const struct tb_wire_field *field) {
  enum tb_carried_id id = tb_carried_of_number(field->number);
  bool binds = field->number == TB_DEBUG_ANNOTATION_CARRIED_BINDING, names = false;
  struct tb_arg child = {.i = (int64_t)field->value, .span = 1, .type = TB_ARG_INT};
  if (id == TB_CARRIED_PHASE) {
    char *text = field->value && field->value <= TB_CARRIED_PHASE_LAST ? tb_perfetto_alloc(r, 1) : NULL;
    if (!text) return;
    *text = (char)field->value;
    set_text(&child, TB_ARG_STRING, (struct tb_str){text, 1});
  } else if (id == TB_CARRIED_COUNT) {
    names = field->number == TB_DEBUG_ANNOTATION_CARRIED_BIND_ID;
    if (!binds && !names) return;
    child.flags = TB_ARG_CARRIED;
  }
  r->batch->args[slot].flags |= TB_ARG_CARRIED;
  child.name = binds ? (struct tb_str){NULL, 0} : tb_carried_key(names ? TB_CARRIED_BIND_ID : id);
  *tb_perfetto_add_arg(r, child.name) = child;
}

/* ---- annotations ------------------------------------------------------------------------------------------------- */

/* What an annotation says in fields that only mean something together. */
struct proto_value {
  struct tb_str type, bytes;
  bool present;
  uint64_t name_levels; /* that are part of its name */
};

/* The one entry or item of an argument, NULL where it has none or several. */
static const struct tb_arg *only_child(const struct tb_arg *arg) {
  return arg->span > 1 && arg[1].span + 1 == arg->span ? arg + 1 : NULL;
}

static size_t joined_length(const struct tb_arg *arg, uint64_t levels) {
  size_t len = arg->name.len;
  for (; levels; levels--) {
    bool item = arg->type == TB_ARG_ARRAY;
    arg = only_child(arg);
    if (!arg) return 0;
    len += item ? 3 : 1 + arg->name.len;
  }
  return len;
}

/* Makes levels of the argument at `slot`, the last one read, a part of its name again: our writer made levels of it. */
static void join_name(struct tb_perfetto_reader *r, size_t slot, uint64_t levels) {
  struct tb_arg *arg = &r->batch->args[slot];
  if (levels >= arg->span) return;
  size_t len = joined_length(arg, levels);
  char *text = len ? tb_perfetto_alloc(r, len) : NULL, *at = text;
  if (!text) return;
  if (arg->name.len) memcpy(at, arg->name.ptr, arg->name.len);
  at += arg->name.len;
  for (uint64_t i = 1; i <= levels; i++) {
    bool item = arg[i - 1].type == TB_ARG_ARRAY;
    memcpy(at, item ? "[0]" : ".", item ? 3 : 1);
    at += item ? 3 : 1;
    if (!item && arg[i].name.len) memcpy(at, arg[i].name.ptr, arg[i].name.len);
    at += item ? 0 : arg[i].name.len;
  }
  uint16_t flags = arg->flags;
  r->batch->arg_count -= levels;
  memmove(arg, arg + levels, (r->batch->arg_count - slot) * sizeof(*arg));
  arg->name = (struct tb_str){text, len};
  arg->flags |= flags;
}

static void read_number_field(struct tb_perfetto_reader *r, struct tb_arg *arg, const struct tb_wire_field *field,
                              struct proto_value *proto) {
  switch (field->number) {
    case TB_DEBUG_ANNOTATION_NAME_IID:
      arg->name = tb_perfetto_interned_text(r, TB_INDEX_DEBUG_ANNOTATION_NAMES, field->value);
      break;
    case TB_DEBUG_ANNOTATION_BOOL_VALUE:
      set_number(arg, TB_ARG_BOOL, field->value != 0);
      break;
    case TB_DEBUG_ANNOTATION_UINT_VALUE:
      set_number(arg, TB_ARG_UINT, field->value);
      break;
    case TB_DEBUG_ANNOTATION_INT_VALUE:
      set_number(arg, TB_ARG_INT, field->value);
      break;
    case TB_DEBUG_ANNOTATION_POINTER_VALUE:
      set_number(arg, TB_ARG_POINTER, field->value);
      break;
    case TB_DEBUG_ANNOTATION_DOUBLE_VALUE:
      if (field->type == TB_WIRE_FIXED64) set_number(arg, TB_ARG_DOUBLE, field->value);
      break;
    case TB_DEBUG_ANNOTATION_STRING_VALUE_IID:
      set_text(arg, TB_ARG_STRING, tb_perfetto_interned_text(r, TB_INDEX_DEBUG_ANNOTATION_STRING_VALUES, field->value));
      break;
    case TB_DEBUG_ANNOTATION_NAME_LEVELS:
      proto->name_levels = field->value;
      break;
    case TB_DEBUG_ANNOTATION_PROTO_TYPE_NAME_IID:
      proto->type = tb_perfetto_interned_text(r, TB_INDEX_DEBUG_ANNOTATION_VALUE_TYPE_NAMES, field->value);
      break;
    default:
      break;
  }
}

static enum tb_status read_bytes_field(struct tb_perfetto_reader *r, size_t slot, const struct tb_wire_field *field,
                                       struct proto_value *proto, unsigned depth) {
  struct tb_arg *arg = &r->batch->args[slot];
  switch (field->number) {
    case TB_DEBUG_ANNOTATION_NAME:
      arg->name = field->bytes;
      break;
    case TB_DEBUG_ANNOTATION_STRING_VALUE:
      set_text(arg, TB_ARG_STRING, field->bytes);
      break;
    case TB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE:
      set_text(arg, TB_ARG_JSON, field->bytes);
      break;
    case TB_DEBUG_ANNOTATION_NESTED_VALUE:
      return read_nested_into(r, slot, field->bytes, depth + 1);
    case TB_DEBUG_ANNOTATION_DICT_ENTRIES:
      arg->type = TB_ARG_DICT;
      return tb_perfetto_annotation(r, field->bytes, depth + 1);
    case TB_DEBUG_ANNOTATION_ARRAY_VALUES:
      arg->type = TB_ARG_ARRAY;
      return tb_perfetto_annotation(r, field->bytes, depth + 1);
    case TB_DEBUG_ANNOTATION_CARRIED:
      arg->flags |= TB_ARG_CARRIED;
      return tb_perfetto_annotation(r, field->bytes, depth + 1);
    case TB_DEBUG_ANNOTATION_PROTO_TYPE_NAME:
      proto->type = field->bytes;
      break;
    case TB_DEBUG_ANNOTATION_PROTO_VALUE:
      proto->bytes = field->bytes;
      proto->present = true;
      break;
    default:
      break;
  }
  return TB_OK;
}

__attribute__((noinline)) static enum tb_status read_field(struct tb_perfetto_reader *r, size_t slot,
                                                           struct tb_wire_cursor *cursor, struct proto_value *proto,
                                                           unsigned depth) {
  struct tb_wire_field field;
  if (tb_wire_read(cursor, &field) != TB_OK) return TB_BAD_DATA;
  if (field.type == TB_WIRE_BYTES) return read_bytes_field(r, slot, &field, proto, depth);
  if (field.number > TB_DEBUG_ANNOTATION_CARRIED) read_carried_number(r, slot, &field);
  read_number_field(r, &r->batch->args[slot], &field, proto);
  return TB_OK;
}

enum common_annotation { OTHER, NAME, BOOL, UINT, INT, STRING };

/* What nearly all annotations are made of, recognised by the one byte of the field's tag. */
static const uint8_t common_fields[256] = {[TB_WIRE_TAG(TB_DEBUG_ANNOTATION_NAME_IID, TB_WIRE_VARINT)] = NAME,
                                           [TB_WIRE_TAG(TB_DEBUG_ANNOTATION_BOOL_VALUE, TB_WIRE_VARINT)] = BOOL,
                                           [TB_WIRE_TAG(TB_DEBUG_ANNOTATION_UINT_VALUE, TB_WIRE_VARINT)] = UINT,
                                           [TB_WIRE_TAG(TB_DEBUG_ANNOTATION_INT_VALUE, TB_WIRE_VARINT)] = INT,
                                           [TB_WIRE_TAG(TB_DEBUG_ANNOTATION_STRING_VALUE, TB_WIRE_BYTES)] = STRING};

/* The byte after a field of that kind at `at`; NULL where it is damaged. */
static inline const char *take_common(struct tb_perfetto_reader *r, struct tb_arg *arg, enum common_annotation kind,
                                      const char *at, const char *end) {
  uint64_t value;
  at = tb_wire_read_varint(at + 1, end, &value);
  if (!at) return NULL;
  switch (kind) {
    case NAME:
      arg->name = tb_perfetto_interned_text(r, TB_INDEX_DEBUG_ANNOTATION_NAMES, value);
      return at;
    case BOOL:
      set_number(arg, TB_ARG_BOOL, value != 0);
      return at;
    case UINT:
      set_number(arg, TB_ARG_UINT, value);
      return at;
    case INT:
      set_number(arg, TB_ARG_INT, value);
      return at;
    default:
      if (value > (uint64_t)(end - at)) return NULL;
      arg->type = TB_ARG_STRING;
      arg->text.ptr = at;
      arg->text.len = (size_t)value;
      return at + value;
  }
}

enum tb_status tb_perfetto_annotation(struct tb_perfetto_reader *r, struct tb_str bytes, unsigned depth) {
  if (depth > TB_PERFETTO_ARG_DEPTH_MAX) return tb_perfetto_lose(r, LOSS_DEPTH);
  size_t slot = r->batch->arg_count;
  struct tb_arg *arg = tb_perfetto_add_arg(r, (struct tb_str){NULL, 0}); /* stays: there is room for all */
  struct proto_value proto = {0};
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  const char *at = cursor.at, *end = cursor.end;
  while (at != end) {
    enum common_annotation common = common_fields[(unsigned char)*at];
    if (common != OTHER) {
      at = take_common(r, arg, common, at, end);
      if (!at) return TB_BAD_DATA;
      continue;
    }
    cursor.at = at;
    enum tb_status status = read_field(r, slot, &cursor, &proto, depth);
    if (status != TB_OK) return status;
    at = cursor.at;
  }
  if (proto.present && !tb_perfetto_proto_value(r, slot, proto.type, proto.bytes, depth)) {
    set_text(&r->batch->args[slot], TB_ARG_BLOB, proto.bytes);
  }
  if (r->batch->arg_count > slot + 1) close_container(r, slot);
  if (proto.name_levels) join_name(r, slot, proto.name_levels);
  return TB_OK;
}
