/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/text_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json/text.h"
#include "protobuf/unpack.h"
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

/* A number, length or tag in as many bytes as it may take: bits past the 64th have no form. */
static bool has_form(const char *varint, size_t len) {
  return len < TB_WIRE_VARINT_MAX || (unsigned char)varint[TB_WIRE_VARINT_MAX - 1] <= 1;
}

static size_t varint_len(const char *at) {
  size_t len = 1;
  while (*at++ & 0x80) len++;
  return len;
}

/* Whether the text of a field makes its bytes again; `after` is the byte after it. */
static bool can_be_said(const struct tb_wire_field *field, const char *after) {
  size_t tag = varint_len(field->start);
  if (!has_form(field->start, tag)) return false;
  if (field->type == TB_WIRE_VARINT) return has_form(field->bytes.ptr, field->bytes.len);
  if (field->type == TB_WIRE_BYTES)
    return has_form(field->start + tag, (size_t)(field->bytes.ptr - field->start) - tag);
  if (field->type != TB_WIRE_GROUP) return true;
  const char *end = field->bytes.ptr + field->bytes.len;
  return (size_t)(after - end) == tb_wire_varint_size((uint64_t)field->number << 3);
}

static enum tb_status check_message(struct tb_str bytes, unsigned depth) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  enum tb_status status;
  if (depth == TB_TEXT_DEPTH) return TB_LIMIT;
  while ((status = tb_wire_next(&cursor, &field)) == TB_OK) {
    if (!can_be_said(&field, cursor.at)) return TB_UNSUPPORTED;
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

/* The comment on how the field is encoded, where that is not as short as it can be; protobuf/text_parser.h has its
 * words. `what` (NULL: nothing) is said first. */
static void put_encoding(struct printer *p, const struct tb_wire_field *field, const char *what) {
  size_t tag = varint_len(field->start), short_tag = tb_wire_varint_size((uint64_t)field->number << 3), width = 0;
  char text[NUMBER_BYTES];
  if (field->type == TB_WIRE_VARINT && field->bytes.len != tb_wire_varint_size(field->value)) width = field->bytes.len;
  if (field->type == TB_WIRE_BYTES) width = (size_t)(field->bytes.ptr - field->start) - tag;
  if (field->type == TB_WIRE_BYTES && width == tb_wire_varint_size(field->bytes.len)) width = 0;
  if (!what && !width && tag == short_tag) return;
  put_text(p, " #=");
  if (what) put_text(p, what);
  if (tag != short_tag) {
    (void)snprintf(text, sizeof(text), "%stag%zu", what ? "," : "", tag);
    put_text(p, text);
  }
  if (!width) return;
  (void)snprintf(text, sizeof(text), "%s%zu", what || tag != short_tag ? "," : "", width);
  put_text(p, text);
}

static void print_nested(struct printer *p, const ProtobufCMessageDescriptor *type, const struct tb_wire_field *field) {
  struct tb_str message = field->bytes;
  put_text(p, " {");
  put_encoding(p, field, field->type == TB_WIRE_GROUP ? "group" : NULL);
  put(p, "\n", 1);
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
    print_nested(p, NULL, field);
    return;
  }
  put_text(p, ": ");
  switch (field->type) {
    case TB_WIRE_VARINT:
      (void)snprintf(text, sizeof(text), "%" PRIu64, field->value);
      break;
    case TB_WIRE_FIXED32:
      (void)snprintf(text, sizeof(text), "0x%08" PRIx64, field->value);
      break;
    case TB_WIRE_FIXED64:
      (void)snprintf(text, sizeof(text), "0x%016" PRIx64, field->value);
      break;
    default:
      put_string(p, field->bytes);
      text[0] = '\0';
      break;
  }
  put_text(p, text);
  put_encoding(p, field, NULL);
  put(p, "\n", 1);
}

/* ---- fields of the schema ---------------------------------------------------------------------------------------- */

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

/* What "nan" is encoded as; others keep their bits. */
static const uint64_t PLAIN_NAN = UINT64_C(0x7ff8000000000000);
static const uint32_t PLAIN_NAN_OF_FLOAT = 0x7fc00000;

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
      return !isnan(tb_wire_double(value)) || value == PLAIN_NAN;
    case PROTOBUF_C_TYPE_FLOAT:
      memcpy(&f, &low, sizeof(f));
      format_float(text, f);
      return !isnan(f) || low == PLAIN_NAN_OF_FLOAT;
    default:
      return false;
  }
}

static const char *enum_name(const ProtobufCFieldDescriptor *field, uint64_t value) {
  if ((int64_t)value != (int32_t)value) return NULL;
  const ProtobufCEnumValue *found = protobuf_c_enum_descriptor_get_value(field->descriptor, (int)(int32_t)value);
  return found ? found->name : NULL;
}

static bool is_declared_packed(const ProtobufCFieldDescriptor *field) {
  return field->flags & PROTOBUF_C_FIELD_FLAG_PACKED;
}

/* `wire`: where the value is a field of its own, and `encoding` NULL; else what is to be said of how it is packed. */
static bool print_number(struct printer *p, const ProtobufCMessageDescriptor *type,
                         const ProtobufCFieldDescriptor *field, uint64_t value, const struct tb_wire_field *wire,
                         const char *encoding) {
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
  if (wire)
    put_encoding(p, wire, is_declared_packed(field) ? "unpacked" : NULL);
  else
    put_text(p, encoding);
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

/* A packed field, if all of it is well-formed, and as short as it can be. */
static bool is_plain_packed(const ProtobufCFieldDescriptor *field, const struct tb_wire_field *wire) {
  struct tb_str bytes = wire->bytes;
  const char *end = bytes.ptr + bytes.len;
  char text[NUMBER_BYTES];
  uint64_t value;
  if ((size_t)(bytes.ptr - wire->start) !=
      tb_wire_varint_size((uint64_t)wire->number << 3) + tb_wire_varint_size(bytes.len))
    return false;
  for (const char *at = bytes.ptr, *before = at; at < end; before = at) {
    enum tb_wire_type type = tb_message_wire_type(field->type);
    if (!take_packed(&at, end, type, &value)) return false;
    if (type == TB_WIRE_VARINT && (size_t)(at - before) != tb_wire_varint_size(value)) return false;
    if (field->type == PROTOBUF_C_TYPE_ENUM ? !enum_name(field, value) : !format_number(text, field, value))
      return false;
  }
  return true;
}

/* `again`: the field before was another one of these. */
static bool print_packed(struct printer *p, const ProtobufCMessageDescriptor *type,
                         const ProtobufCFieldDescriptor *field, const struct tb_wire_field *wire, bool again) {
  static const char *const encodings[2][2] = {{" #=packed", ""}, {" #=packed,first", " #=first"}};
  struct tb_str bytes = wire->bytes;
  const char *end = bytes.ptr + bytes.len;
  uint64_t value;
  if (!is_plain_packed(field, wire)) return false;
  if (!bytes.len) {
    put_indent(p);
    put_text(p, field->name);
    put_text(p, ": [] #=packed\n");
  }
  for (const char *at = bytes.ptr; at < end && take_packed(&at, end, tb_message_wire_type(field->type), &value);) {
    (void)print_number(p, type, field, value, NULL, encodings[again][is_declared_packed(field)]);
    again = false;
  }
  return true;
}

static bool print_bytes(struct printer *p, const ProtobufCFieldDescriptor *field, const struct tb_wire_field *wire) {
  bool nests = field->type == PROTOBUF_C_TYPE_MESSAGE;
  if (nests && !is_message(wire->bytes, p->depth + 1)) return false;
  put_indent(p);
  put_text(p, field->name);
  if (nests) {
    print_nested(p, field->descriptor, wire);
    return true;
  }
  put_text(p, ": ");
  put_string(p, wire->bytes);
  put_encoding(p, wire, NULL);
  put(p, "\n", 1);
  return true;
}

/* Prints a field as the schema has it; false where it has no form for it. *packed: the field before, where that was
 * printed as a packed one. */
static bool print_known(struct printer *p, const ProtobufCMessageDescriptor *type, const struct tb_wire_field *wire,
                        uint32_t *packed) {
  bool again = *packed == wire->number;
  const ProtobufCFieldDescriptor *field = type ? protobuf_c_message_descriptor_get_field(type, wire->number) : NULL;
  *packed = 0;
  if (!field) return false;
  enum tb_wire_type wanted = tb_message_wire_type(field->type);
  if (wire->type == TB_WIRE_BYTES && wanted != TB_WIRE_BYTES) {
    if (field->label != PROTOBUF_C_LABEL_REPEATED || !print_packed(p, type, field, wire, again)) return false;
    *packed = wire->number;
    return true;
  }
  if (wire->type != wanted) return false;
  return wanted == TB_WIRE_BYTES ? print_bytes(p, field, wire) : print_number(p, type, field, wire->value, wire, NULL);
}

static void print_message(struct printer *p, const ProtobufCMessageDescriptor *type, struct tb_str message) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  enum tb_status status;
  uint32_t packed = 0;
  while (p->status == TB_OK && (status = tb_wire_next(&cursor, &field)) != TB_END) {
    if (status != TB_OK) {
      p->status = TB_BAD_DATA;
      return;
    }
    if (!print_known(p, type, &field, &packed)) print_unknown(p, &field);
  }
}

bool tb_text_can_say(struct tb_str message) { return is_message(message, 0); }

enum tb_status tb_text_message(struct tb_buffer *out, const ProtobufCMessageDescriptor *type, struct tb_str message,
                               unsigned indent, const struct tb_text_notes *notes) {
  struct printer printer = {.out = out, .notes = notes, .indent = indent};
  print_message(&printer, type, message);
  return printer.status;
}
