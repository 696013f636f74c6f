/* SPDX-License-Identifier: Apache-2.0
 *
 * Each field is appended as it is read. What has a length gets one byte for it, which is widened once the length is
 * known, as in wire.h. Values of a packed field that follow each other go into one such field, which is left open until
 * something else comes.
 */
#include "protobuf/text_parser.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "protobuf/text_lexer.h"
#include "protobuf/unpack.h"
#include "protobuf/wire.h"

enum { DEPTH_MAX = 128, NUMBER_MAX = 0x1fffffff };

struct text_parser {
  struct tb_text_cursor cursor;
  const char *start;
  struct tb_buffer *out;
  struct tb_text_result *result;
  struct tb_extension_names *names; /* NULL: no extension is known */
  unsigned depth;
};

/* A message that is being read. */
struct text_message {
  const ProtobufCMessageDescriptor *type; /* NULL: no field is known */
  uint32_t packed;                        /* the packed field that is open; 0: none is */
  size_t packed_start;                    /* of its values in the output */
};

/* A field that is being read: of the schema, or known by its number. */
struct text_field {
  uint32_t number;
  const ProtobufCFieldDescriptor *known; /* NULL: by number */
};

static enum tb_status fail(struct text_parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static enum tb_status fail(struct text_parser *p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  p->result->fault.at = (size_t)(p->cursor.at - p->start);
  (void)vsnprintf(p->result->fault.what, sizeof(p->result->fault.what), format, args);
  va_end(args);
  return TB_BAD_DATA;
}

/* ---- encoding ---------------------------------------------------------------------------------------------------- */

static char *put_wide_varint(char *at, uint64_t value, unsigned width) {
  char *end = tb_wire_put_varint(at, value);
  if ((size_t)(end - at) >= width) return end;
  for (end[-1] |= (char)0x80; end < at + width; end++) *end = (char)0x80;
  end[-1] = 0;
  return end;
}

static enum tb_status put_tag(struct text_parser *p, uint32_t number, enum tb_wire_type type, unsigned width) {
  struct tb_buffer *out = p->out;
  enum tb_status status = tb_buffer_reserve(out, TB_WIRE_VARINT_MAX);
  if (status == TB_OK)
    out->len = (size_t)(put_wide_varint(out->data + out->len, (uint64_t)number << 3 | type, width) - out->data);
  return status;
}

/* A varint, or 4 or 8 bytes. */
static enum tb_status put_value(struct text_parser *p, enum tb_wire_type type, uint64_t value, unsigned width) {
  struct tb_buffer *out = p->out;
  if (type == TB_WIRE_FIXED32) return tb_buffer_append(out, &value, 4);
  if (type == TB_WIRE_FIXED64) return tb_buffer_append(out, &value, 8);
  enum tb_status status = tb_buffer_reserve(out, TB_WIRE_VARINT_MAX);
  if (status == TB_OK) out->len = (size_t)(put_wide_varint(out->data + out->len, value, width) - out->data);
  return status;
}

/* Begins something with a length; *start is where its content goes. */
static enum tb_status open_length(struct text_parser *p, size_t *start) {
  enum tb_status status = tb_buffer_append(p->out, "", 1);
  *start = p->out->len;
  return status;
}

static enum tb_status close_length(struct text_parser *p, size_t start, unsigned width) {
  struct tb_buffer *out = p->out;
  enum tb_status status = tb_buffer_reserve(out, TB_WIRE_VARINT_MAX);
  if (status != TB_OK) return status;
  char head[TB_WIRE_VARINT_MAX];
  size_t len = out->len - start, size = (size_t)(put_wide_varint(head, len, width) - head);
  memmove(out->data + start + size - 1, out->data + start, len);
  memcpy(out->data + start - 1, head, size);
  out->len += size - 1;
  return TB_OK;
}

static enum tb_status close_packed(struct text_parser *p, struct text_message *message) {
  if (!message->packed) return TB_OK;
  message->packed = 0;
  return close_length(p, message->packed_start, 0);
}

static enum tb_status open_packed(struct text_parser *p, struct text_message *message, uint32_t number) {
  enum tb_status status = close_packed(p, message);
  if (status == TB_OK) status = put_tag(p, number, TB_WIRE_BYTES, 0);
  if (status == TB_OK) status = open_length(p, &message->packed_start);
  message->packed = number;
  return status;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* The value of an integer field as it is encoded. */
static bool encode_integer(ProtobufCType type, const struct tb_text_number *n, uint64_t *value) {
  bool is_32 = type == PROTOBUF_C_TYPE_INT32 || type == PROTOBUF_C_TYPE_SINT32 || type == PROTOBUF_C_TYPE_SFIXED32 ||
               type == PROTOBUF_C_TYPE_ENUM;
  bool is_unsigned = type == PROTOBUF_C_TYPE_UINT32 || type == PROTOBUF_C_TYPE_FIXED32 ||
                     type == PROTOBUF_C_TYPE_UINT64 || type == PROTOBUF_C_TYPE_FIXED64;
  bool is_u32 = type == PROTOBUF_C_TYPE_UINT32 || type == PROTOBUF_C_TYPE_FIXED32;
  uint64_t limit = is_u32 ? UINT32_MAX : is_unsigned ? UINT64_MAX : is_32 ? INT32_MAX : INT64_MAX;
  if (n->negative && is_unsigned) return n->magnitude == 0;
  if (n->magnitude > limit + (n->negative ? 1 : 0)) return false;
  *value = n->negative ? 0 - n->magnitude : n->magnitude;
  if (type == PROTOBUF_C_TYPE_SINT32 || type == PROTOBUF_C_TYPE_SINT64) *value = tb_wire_zigzag((int64_t)*value);
  return true;
}

static uint64_t encode_real(ProtobufCType type, double value) {
  uint64_t bits = 0;
  float single = (float)value;
  if (type == PROTOBUF_C_TYPE_FLOAT)
    memcpy(&bits, &single, sizeof(single));
  else
    memcpy(&bits, &value, sizeof(value));
  return bits;
}

static enum tb_status read_enum(struct text_parser *p, const ProtobufCFieldDescriptor *field, uint64_t *value) {
  char name[128];
  struct tb_str word = tb_text_word(&p->cursor);
  if (!field->descriptor || word.len >= sizeof(name)) return fail(p, "%s has no such value", field->name);
  memcpy(name, word.ptr, word.len);
  name[word.len] = '\0';
  const ProtobufCEnumValue *found = protobuf_c_enum_descriptor_get_value_by_name(field->descriptor, name);
  if (!found) return fail(p, "%s has no value %.60s", field->name, name);
  *value = (uint64_t)(int64_t)found->value;
  return TB_OK;
}

static enum tb_status read_bool(struct text_parser *p, const ProtobufCFieldDescriptor *field, uint64_t *value) {
  struct tb_str word = tb_text_word(&p->cursor);
  *value = tb_str_equal(word, TB_STR("true")) || tb_str_equal(word, TB_STR("True")) || tb_str_equal(word, TB_STR("t"));
  if (*value || tb_str_equal(word, TB_STR("false")) || tb_str_equal(word, TB_STR("False")) ||
      tb_str_equal(word, TB_STR("f")))
    return TB_OK;
  return fail(p, "%s is true or false", field->name);
}

/* The next value of a field of the schema that is a number. */
static enum tb_status read_known_number(struct text_parser *p, const ProtobufCFieldDescriptor *field, uint64_t *value) {
  struct tb_text_number n = tb_text_number(&p->cursor);
  bool is_real = field->type == PROTOBUF_C_TYPE_FLOAT || field->type == PROTOBUF_C_TYPE_DOUBLE;
  *value = 0;
  if (n.form == TB_TEXT_NO_NUMBER) {
    if (field->type == PROTOBUF_C_TYPE_ENUM) return read_enum(p, field, value);
    if (field->type == PROTOBUF_C_TYPE_BOOL) return read_bool(p, field, value);
    return fail(p, "%s is a number", field->name);
  }
  if (is_real) {
    *value = encode_real(field->type, n.value);
    return TB_OK;
  }
  if (n.form == TB_TEXT_DECIMAL) return fail(p, "%s is a whole number", field->name);
  if (field->type == PROTOBUF_C_TYPE_BOOL && !n.negative && n.magnitude <= 1) {
    *value = n.magnitude;
    return TB_OK;
  }
  if (field->type == PROTOBUF_C_TYPE_BOOL || !encode_integer(field->type, &n, value))
    return fail(p, "the number is out of the range of %s", field->name);
  return TB_OK;
}

static enum tb_status read_any_number(struct text_parser *p, enum tb_wire_type *type, uint64_t *value) {
  struct tb_text_number n = tb_text_number(&p->cursor);
  if (n.form != TB_TEXT_INTEGER && n.form != TB_TEXT_HEX) return fail(p, "a whole number, text or a message is needed");
  bool is_fixed = n.form == TB_TEXT_HEX && !n.negative && (n.digits == 8 || n.digits == 16);
  *type = !is_fixed ? TB_WIRE_VARINT : n.digits == 8 ? TB_WIRE_FIXED32 : TB_WIRE_FIXED64;
  *value = n.negative ? 0 - n.magnitude : n.magnitude;
  return TB_OK;
}

static enum tb_status parse_number(struct text_parser *p, struct text_message *message, struct text_field field) {
  enum tb_wire_type type = field.known ? tb_message_wire_type(field.known->type) : TB_WIRE_VARINT;
  uint64_t value = 0;
  enum tb_status status = field.known ? read_known_number(p, field.known, &value) : read_any_number(p, &type, &value);
  if (status != TB_OK) return status;
  struct tb_text_encoding encoding = tb_text_encoding_comment(&p->cursor);
  bool declared = field.known && field.known->flags & PROTOBUF_C_FIELD_FLAG_PACKED;
  if (encoding.packed || (declared && !encoding.unpacked)) {
    if (encoding.first || message->packed != field.number) status = open_packed(p, message, field.number);
  } else {
    status = close_packed(p, message);
    if (status == TB_OK) status = put_tag(p, field.number, type, encoding.tag_width);
  }
  return status == TB_OK ? put_value(p, type, value, encoding.width) : status;
}

/* ---- literals ---------------------------------------------------------------------------------------------------- */

static bool is_quote(const struct text_parser *p) {
  return p->cursor.at < p->cursor.end && (*p->cursor.at == '"' || *p->cursor.at == '\'');
}

/* Widens the tag at `tag`, behind which is content from *start on. */
static enum tb_status widen_tag(struct text_parser *p, size_t tag, uint32_t number, unsigned width, size_t *start) {
  struct tb_buffer *out = p->out;
  char wide[TB_WIRE_VARINT_MAX];
  size_t was = *start - 1 - tag;
  size_t size = (size_t)(put_wide_varint(wide, (uint64_t)number << 3 | TB_WIRE_BYTES, width) - wide);
  if (size == was) return TB_OK;
  enum tb_status status = tb_buffer_reserve(out, size - was);
  if (status != TB_OK) return status;
  memmove(out->data + tag + size, out->data + tag + was, out->len - tag - was);
  memcpy(out->data + tag, wide, size);
  out->len += size - was;
  *start += size - was;
  return TB_OK;
}

/* Literals that follow each other are one text. */
static enum tb_status parse_text(struct text_parser *p, struct text_message *message, struct text_field field) {
  struct tb_text_encoding encoding = {0};
  size_t tag, start;
  enum tb_status status = close_packed(p, message);
  if (!is_quote(p)) return fail(p, "%s is text in quotes", field.known ? field.known->name : "it");
  tag = p->out->len;
  if (status == TB_OK) status = put_tag(p, field.number, TB_WIRE_BYTES, 0);
  if (status == TB_OK) status = open_length(p, &start);
  while (status == TB_OK && is_quote(p)) {
    status = tb_text_literal(&p->cursor, p->out);
    if (status == TB_BAD_DATA) return fail(p, "the text in quotes does not end in its line, or has a wrong escape");
    encoding = tb_text_encoding_comment(&p->cursor);
    tb_text_skip(&p->cursor);
  }
  if (status == TB_OK && encoding.tag_width) status = widen_tag(p, tag, field.number, encoding.tag_width, &start);
  return status == TB_OK ? close_length(p, start, encoding.width) : status;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static enum tb_status parse_fields(struct text_parser *p, const ProtobufCMessageDescriptor *type, char close);

/* Behind the brace. */
static enum tb_status parse_message(struct text_parser *p, struct text_message *message, struct text_field field,
                                    char close) {
  struct tb_text_encoding encoding = tb_text_encoding_comment(&p->cursor);
  const ProtobufCMessageDescriptor *type = field.known ? field.known->descriptor : NULL;
  size_t start;
  if (p->depth == DEPTH_MAX) return fail(p, "messages nest too deep");
  enum tb_status status = close_packed(p, message);
  if (status == TB_OK)
    status = put_tag(p, field.number, encoding.group ? TB_WIRE_GROUP : TB_WIRE_BYTES, encoding.tag_width);
  if (status == TB_OK && !encoding.group) status = open_length(p, &start);
  p->depth++;
  if (status == TB_OK) status = parse_fields(p, type, close);
  p->depth--;
  if (status != TB_OK) return status;
  return encoding.group ? put_tag(p, field.number, TB_WIRE_END_GROUP, 0) : close_length(p, start, encoding.width);
}

static enum tb_status parse_value(struct text_parser *p, struct text_message *message, struct text_field field,
                                  bool has_colon) {
  bool is_message = field.known && field.known->type == PROTOBUF_C_TYPE_MESSAGE;
  char close = tb_text_take(&p->cursor, '{') ? '}' : tb_text_take(&p->cursor, '<') ? '>' : 0;
  if (close && (is_message || !field.known)) return parse_message(p, message, field, close);
  if (close || is_message)
    return fail(p, is_message ? "%s is a message: {" : "%s is no message", field.known ? field.known->name : "it");
  if (!has_colon) return fail(p, "a colon is needed");
  bool is_text = field.known ? tb_message_wire_type(field.known->type) == TB_WIRE_BYTES : is_quote(p);
  return is_text ? parse_text(p, message, field) : parse_number(p, message, field);
}

/* Behind a bracket. A list of no numbers may stand for a packed field without values. */
static enum tb_status parse_list(struct text_parser *p, struct text_message *message, struct text_field field) {
  enum tb_status status = TB_OK;
  if (tb_text_take(&p->cursor, ']')) {
    struct tb_text_encoding encoding = tb_text_encoding_comment(&p->cursor);
    return encoding.packed ? open_packed(p, message, field.number) : TB_OK;
  }
  do status = parse_value(p, message, field, true);
  while (status == TB_OK && tb_text_take(&p->cursor, ','));
  if (status != TB_OK || tb_text_take(&p->cursor, ']')) return status;
  return fail(p, "the list is not closed");
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Passes over the value of a field that nobody knows. */
static enum tb_status pass_value(struct text_parser *p) {
  struct tb_text_cursor *c = &p->cursor;
  enum tb_status status = TB_OK;
  size_t before = p->out->len;
  unsigned depth = 0;
  do {
    tb_text_skip(c);
    if (c->at == c->end) return fail(p, "a value is needed");
    if (is_quote(p)) {
      status = tb_text_literal(c, p->out);
      tb_text_skip(c);
    } else if (strchr("{<[", *c->at)) {
      depth++;
      c->at++;
    } else if (strchr("}>]", *c->at)) {
      if (!depth) return fail(p, "a value is needed");
      depth--;
      c->at++;
    } else {
      while (c->at < c->end && !strchr(" \t\r\n#\"'{}<>[],;", *c->at)) c->at++;
      while (depth && c->at < c->end && strchr(",;:", *c->at)) c->at++;
    }
  } while (status == TB_OK && (depth || is_quote(p)));
  p->out->len = before;
  return status == TB_BAD_DATA ? fail(p, "the text in quotes does not end in its line") : status;
}

static enum tb_status pass_unknown(struct text_parser *p, struct tb_str name, const char *of) {
  struct tb_text_result *result = p->result;
  if (!result->unknown++) {
    result->unknown_first.at = (size_t)(name.ptr - p->start);
    (void)snprintf(result->unknown_first.what, sizeof(result->unknown_first.what), "%.*s of %s",
                   (int)(name.len < 80 ? name.len : 80), name.ptr, of);
  }
  (void)tb_text_take(&p->cursor, ':');
  return pass_value(p);
}

static const ProtobufCFieldDescriptor *find_field(const ProtobufCMessageDescriptor *type, struct tb_str word) {
  char name[128];
  if (!type || word.len >= sizeof(name)) return NULL;
  memcpy(name, word.ptr, word.len);
  name[word.len] = '\0';
  return protobuf_c_message_descriptor_get_field_by_name(type, name);
}

static enum tb_status parse_known(struct text_parser *p, struct text_message *message, struct text_field field) {
  bool has_colon = tb_text_take(&p->cursor, ':');
  if (tb_text_take(&p->cursor, '[')) return parse_list(p, message, field);
  return parse_value(p, message, field, has_colon);
}

/* Behind the bracket at `start`. */
static enum tb_status parse_extension(struct text_parser *p, struct text_message *message, const char *start) {
  const char *close = memchr(start, ']', (size_t)(p->cursor.end - start));
  const ProtobufCFieldDescriptor *known = NULL;
  if (!close) return fail(p, "the name of an extension is not closed");
  tb_text_skip(&p->cursor);
  struct tb_str name = {p->cursor.at, p->cursor.at < close ? (size_t)(close - p->cursor.at) : 0};
  while (name.len && name.ptr[name.len - 1] == ' ') name.len--;
  p->cursor.at = close + 1;
  if (p->names && message->type) {
    enum tb_status status = tb_extension_names_find(p->names, message->type, name, &known);
    if (status != TB_OK) return status;
  }
  if (!known) return pass_unknown(p, (struct tb_str){start, (size_t)(close + 1 - start)}, "extensions");
  return parse_known(p, message, (struct text_field){known->id, known});
}

static enum tb_status parse_field(struct text_parser *p, struct text_message *message) {
  tb_text_skip(&p->cursor);
  const char *start = p->cursor.at;
  struct tb_text_number number = tb_text_number(&p->cursor);
  if (number.form == TB_TEXT_INTEGER && !number.negative && number.magnitude - 1 < NUMBER_MAX)
    return parse_known(p, message, (struct text_field){(uint32_t)number.magnitude, NULL});
  p->cursor.at = start;
  struct tb_str name = tb_text_word(&p->cursor);
  if (!name.len && tb_text_take(&p->cursor, '[')) return parse_extension(p, message, start);
  if (!name.len) return fail(p, "the name of a field is needed");
  const ProtobufCFieldDescriptor *known = find_field(message->type, name);
  if (!known) return pass_unknown(p, name, message->type ? message->type->short_name : "a message of unknown type");
  return parse_known(p, message, (struct text_field){known->id, known});
}

/* `close`: what ends the message; 0: the end of the text. */
static enum tb_status parse_fields(struct text_parser *p, const ProtobufCMessageDescriptor *type, char close) {
  struct text_message message = {.type = type};
  for (;;) {
    tb_text_skip(&p->cursor);
    if (p->cursor.at == p->cursor.end ? !close : close && *p->cursor.at == close) break;
    if (p->cursor.at == p->cursor.end) return fail(p, "a message is not closed");
    enum tb_status status = parse_field(p, &message);
    if (status != TB_OK) return status;
    if (!tb_text_take(&p->cursor, ',')) (void)tb_text_take(&p->cursor, ';');
  }
  if (close) p->cursor.at++;
  return close_packed(p, &message);
}

enum tb_status tb_text_parse(struct tb_buffer *out, const ProtobufCMessageDescriptor *type,
                             struct tb_extension_names *names, struct tb_str text, struct tb_text_result *result) {
  struct text_parser parser = {
      .cursor = {text.ptr, text.ptr + text.len}, .start = text.ptr, .out = out, .result = result, .names = names};
  size_t before = out->len;
  *result = (struct tb_text_result){.unknown = 0};
  enum tb_status status = parse_fields(&parser, type, 0);
  if (status != TB_OK) out->len = before;
  return status;
}
