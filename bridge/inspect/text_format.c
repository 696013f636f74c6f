/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/text_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json/text.h"
#include "protobuf/wire.h"
#include "tracebridge/escape.h"

enum { NUMBER_BYTES = 64 };

/* What one message is printed with. Failures of memory stick in `status`. */
struct printer {
  struct tb_buffer *out;
  const struct tb_text_notes *notes;
  enum tb_status status;
  unsigned depth;  /* of nesting */
  unsigned indent; /* levels before the outermost message */
};

static void put(struct printer *p, const char *text, size_t len) {
  enum tb_status status = tb_buffer_append(p->out, text, len);
  if (p->status == TB_OK) p->status = status;
}

static void put_text(struct printer *p, const char *text) { put(p, text, strlen(text)); }

static void put_indent(struct printer *p) {
  for (unsigned i = 0; i < p->indent + p->depth; i++) put(p, "  ", 2);
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

enum tb_status tb_text_string(struct tb_buffer *out, struct tb_str text) {
  if (text.len > SIZE_MAX / 8) return TB_LIMIT;
  size_t room = text.len * 4 + TB_ESCAPE_MAX;
  enum tb_status status = tb_buffer_reserve(out, room + 2);
  if (status != TB_OK) return status;
  char *to = out->data + out->len;
  *to++ = '"';
  to += tb_escape(TB_ESCAPE_PROTOBUF, &text, to, room);
  *to++ = '"';
  out->len = (size_t)(to - out->data);
  return TB_OK;
}

static void put_string(struct printer *p, struct tb_str text) {
  enum tb_status status = tb_text_string(p->out, text);
  if (p->status == TB_OK) p->status = status;
}

/* ---- fields that the schema does not say anything of ------------------------------------------------------------- */

static enum tb_status check_message(struct tb_str bytes, unsigned depth);

static enum tb_status check_message(struct tb_str bytes, unsigned depth) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  enum tb_status status;
  if (depth == TB_TEXT_DEPTH) return TB_LIMIT;
  while ((status = tb_wire_next(&cursor, &field)) == TB_OK) {
    if (field.type != TB_WIRE_GROUP) continue;
    status = check_message(field.bytes, depth + 1);
    if (status != TB_OK) return status;
  }
  return status == TB_END ? TB_OK : status;
}

static bool is_message(struct tb_str bytes, unsigned depth) {
  return depth < TB_TEXT_DEPTH && check_message(bytes, depth) == TB_OK;
}

static void print_message(struct printer *p, const ProtobufCMessageDescriptor *type, struct tb_str message);

static void print_nested(struct printer *p, const ProtobufCMessageDescriptor *type, struct tb_str message) {
  put_text(p, " {\n");
  p->depth++;
  print_message(p, type, message);
  p->depth--;
  put_indent(p);
  put_text(p, "}\n");
}

static void print_unknown(struct printer *p, const struct tb_wire_field *field) {
  char text[NUMBER_BYTES];
  put_indent(p);
  (void)snprintf(text, sizeof(text), "%" PRIu32, field->number);
  put_text(p, text);
  bool nests = field->type == TB_WIRE_GROUP || (field->type == TB_WIRE_BYTES && field->bytes.len);
  if (nests && is_message(field->bytes, p->depth + 1)) {
    print_nested(p, NULL, field->bytes);
    return;
  }
  put_text(p, ": ");
  switch (field->type) {
    case TB_WIRE_VARINT:
      (void)snprintf(text, sizeof(text), "%" PRIu64 "\n", field->value);
      break;
    case TB_WIRE_FIXED32:
      (void)snprintf(text, sizeof(text), "0x%08" PRIx64 "\n", field->value);
      break;
    case TB_WIRE_FIXED64:
      (void)snprintf(text, sizeof(text), "0x%016" PRIx64 "\n", field->value);
      break;
    default:
      put_string(p, field->bytes);
      (void)snprintf(text, sizeof(text), "\n");
      break;
  }
  put_text(p, text);
}

/* ---- fields of the schema ---------------------------------------------------------------------------------------- */

static enum tb_wire_type wire_type_of(ProtobufCType type) {
  switch (type) {
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
      return TB_WIRE_FIXED32;
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
      return TB_WIRE_FIXED64;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
      return TB_WIRE_BYTES;
    default:
      return TB_WIRE_VARINT;
  }
}

static void format_double(char *text, double value) {
  if (isnan(value) || isinf(value)) {
    (void)snprintf(text, NUMBER_BYTES, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return;
  }
  *tb_json_put_double(text, value) = '\0';
}

static void format_float(char *text, float value) {
  for (int precision = 6; precision <= 9; precision++) {
    (void)snprintf(text, NUMBER_BYTES, "%.*g", precision, (double)value);
    if (strtof(text, NULL) == value) break;
  }
  for (char *at = text; *at; at++) /* the locale's decimal point */
    if (!strchr("0123456789+-einfa", *at)) *at = '.';
}

/* The value as text; false where the schema's type has no form for it. */
static bool format_number(char text[NUMBER_BYTES], const ProtobufCFieldDescriptor *field, uint64_t value) {
  float f;
  uint32_t low = (uint32_t)value;
  switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
      if ((int64_t)value != (int32_t)low) return false;
      (void)snprintf(text, NUMBER_BYTES, "%" PRId32, (int32_t)low);
      return true;
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SINT64:
      if (field->type == PROTOBUF_C_TYPE_SINT32 && value > UINT32_MAX) return false;
      (void)snprintf(text, NUMBER_BYTES, "%" PRId64, tb_wire_zigzag_decode(value));
      return true;
    case PROTOBUF_C_TYPE_SFIXED32:
      (void)snprintf(text, NUMBER_BYTES, "%" PRId32, (int32_t)low);
      return true;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SFIXED64:
      (void)snprintf(text, NUMBER_BYTES, "%" PRId64, (int64_t)value);
      return true;
    case PROTOBUF_C_TYPE_UINT32:
      if (value > UINT32_MAX) return false;
      (void)snprintf(text, NUMBER_BYTES, "%" PRIu32, low);
      return true;
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
      (void)snprintf(text, NUMBER_BYTES, "%" PRIu64, value);
      return true;
    case PROTOBUF_C_TYPE_BOOL:
      (void)snprintf(text, NUMBER_BYTES, "%s", value ? "true" : "false");
      return value <= 1;
    case PROTOBUF_C_TYPE_DOUBLE:
      format_double(text, tb_wire_double(value));
      return true;
    case PROTOBUF_C_TYPE_FLOAT:
      memcpy(&f, &low, sizeof(f));
      format_float(text, f);
      return true;
    default:
      return false;
  }
}

static const char *enum_name(const ProtobufCFieldDescriptor *field, uint64_t value) {
  if ((int64_t)value != (int32_t)value) return NULL;
  const ProtobufCEnumValue *found = protobuf_c_enum_descriptor_get_value(field->descriptor, (int)(int32_t)value);
  return found ? found->name : NULL;
}

static bool print_number(struct printer *p, const ProtobufCMessageDescriptor *type,
                         const ProtobufCFieldDescriptor *field, uint64_t value) {
  char text[NUMBER_BYTES];
  const char *shown = text;
  if (field->type == PROTOBUF_C_TYPE_ENUM)
    shown = enum_name(field, value);
  else if (!format_number(text, field, value))
    shown = NULL;
  if (!shown) return false;
  put_indent(p);
  put_text(p, field->name);
  put_text(p, ": ");
  put_text(p, shown);
  if (p->notes && p->notes->note) p->notes->note(p->notes->ctx, type, field, value, p->out);
  put(p, "\n", 1);
  return true;
}

/* The value at the front of a packed field; false where there is none. */
static bool take_packed(const char **at, const char *end, enum tb_wire_type wire, uint64_t *value) {
  if (wire == TB_WIRE_VARINT) {
    const char *next = tb_wire_read_varint(*at, end, value);
    if (next) *at = next;
    return next != NULL;
  }
  size_t size = wire == TB_WIRE_FIXED32 ? 4 : 8;
  if ((size_t)(end - *at) < size) return false;
  *value = 0;
  memcpy(value, *at, size);
  *at += size;
  return true;
}

/* A packed field, if all of it is well-formed. */
static bool print_packed(struct printer *p, const ProtobufCMessageDescriptor *type,
                         const ProtobufCFieldDescriptor *field, struct tb_str bytes) {
  enum tb_wire_type wire = wire_type_of(field->type);
  const char *end = bytes.ptr + bytes.len;
  char text[NUMBER_BYTES];
  uint64_t value;
  for (const char *at = bytes.ptr; at < end;) {
    if (!take_packed(&at, end, wire, &value)) return false;
    if (field->type == PROTOBUF_C_TYPE_ENUM ? !enum_name(field, value) : !format_number(text, field, value))
      return false;
  }
  for (const char *at = bytes.ptr; at < end && take_packed(&at, end, wire, &value);)
    (void)print_number(p, type, field, value);
  return true;
}

static bool print_bytes(struct printer *p, const ProtobufCFieldDescriptor *field, struct tb_str bytes) {
  bool nests = field->type == PROTOBUF_C_TYPE_MESSAGE;
  if (nests && !is_message(bytes, p->depth + 1)) return false;
  put_indent(p);
  put_text(p, field->name);
  if (nests) {
    print_nested(p, field->descriptor, bytes);
    return true;
  }
  put_text(p, ": ");
  put_string(p, bytes);
  put(p, "\n", 1);
  return true;
}

/* Prints a field as the schema has it; false where it has no form for it. */
static bool print_known(struct printer *p, const ProtobufCMessageDescriptor *type, const struct tb_wire_field *wire) {
  const ProtobufCFieldDescriptor *field = type ? protobuf_c_message_descriptor_get_field(type, wire->number) : NULL;
  if (!field) return false;
  enum tb_wire_type wanted = wire_type_of(field->type);
  if (wire->type == TB_WIRE_BYTES && wanted != TB_WIRE_BYTES)
    return field->label == PROTOBUF_C_LABEL_REPEATED && print_packed(p, type, field, wire->bytes);
  if (wire->type != wanted) return false;
  return wanted == TB_WIRE_BYTES ? print_bytes(p, field, wire->bytes) : print_number(p, type, field, wire->value);
}

static void print_message(struct printer *p, const ProtobufCMessageDescriptor *type, struct tb_str message) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  enum tb_status status;
  while (p->status == TB_OK && (status = tb_wire_next(&cursor, &field)) != TB_END) {
    if (status != TB_OK) {
      p->status = TB_BAD_DATA;
      return;
    }
    if (!print_known(p, type, &field)) print_unknown(p, &field);
  }
}

enum tb_status tb_text_message(struct tb_buffer *out, const ProtobufCMessageDescriptor *type, struct tb_str message,
                               unsigned indent, const struct tb_text_notes *notes) {
  struct printer printer = {.out = out, .notes = notes, .indent = indent};
  print_message(&printer, type, message);
  return printer.status;
}
