/* SPDX-License-Identifier: Apache-2.0 */
#include "protobuf/wire.h"

static enum tb_status read_tag(const char **at, const char *end, uint32_t *number, enum tb_wire_type *type) {
  uint64_t tag;
  const char *p = tb_wire_read_varint(*at, end, &tag);
  if (!p) return end - *at >= TB_WIRE_VARINT_MAX ? TB_BAD_DATA : TB_TRUNCATED;
  unsigned wire = (unsigned)(tag & 7);
  if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff || wire > TB_WIRE_FIXED32) return TB_BAD_DATA;
  *number = (uint32_t)(tag >> 3);
  *type = (enum tb_wire_type)wire;
  *at = p;
  return TB_OK;
}

static enum tb_status read_payload(const char **at, const char *end, struct tb_wire_field *field, unsigned depth);

/* The bytes up to the end tag of group `number`; *at goes past the end tag. */
static enum tb_status read_group(const char **at, const char *end, uint32_t number, struct tb_str *bytes,
                                 unsigned depth) {
  if (depth == TB_WIRE_GROUP_DEPTH) return TB_LIMIT;
  const char *start = *at;
  for (;;) {
    const char *before = *at;
    struct tb_wire_field field;
    if (*at == end) return TB_TRUNCATED;
    enum tb_status status = read_tag(at, end, &field.number, &field.type);
    if (status != TB_OK) return status;
    if (field.type == TB_WIRE_END_GROUP) {
      if (field.number != number) return TB_BAD_DATA;
      *bytes = (struct tb_str){start, (size_t)(before - start)};
      return TB_OK;
    }
    status = read_payload(at, end, &field, depth + 1);
    if (status != TB_OK) return status;
  }
}

static enum tb_status read_fixed(const char **at, const char *end, struct tb_wire_field *field, size_t size) {
  if ((size_t)(end - *at) < size) return TB_TRUNCATED;
  field->value = 0;
  memcpy(&field->value, *at, size);
  field->bytes = (struct tb_str){*at, size};
  *at += size;
  return TB_OK;
}

static enum tb_status read_payload(const char **at, const char *end, struct tb_wire_field *field, unsigned depth) {
  const char *p;
  switch (field->type) {
    case TB_WIRE_VARINT:
    case TB_WIRE_BYTES:
      p = tb_wire_read_varint(*at, end, &field->value);
      if (!p) return end - *at >= TB_WIRE_VARINT_MAX ? TB_BAD_DATA : TB_TRUNCATED;
      field->bytes = (struct tb_str){*at, (size_t)(p - *at)};
      *at = p;
      if (field->type == TB_WIRE_VARINT) return TB_OK;
      if (field->value > (uint64_t)(end - p)) return TB_TRUNCATED;
      field->bytes = (struct tb_str){p, (size_t)field->value};
      *at = p + field->value;
      return TB_OK;
    case TB_WIRE_FIXED64:
      return read_fixed(at, end, field, 8);
    case TB_WIRE_FIXED32:
      return read_fixed(at, end, field, 4);
    case TB_WIRE_GROUP:
      return read_group(at, end, field->number, &field->bytes, depth);
    case TB_WIRE_END_GROUP:
      break;
  }
  return TB_BAD_DATA;
}

enum tb_status tb_wire_next(struct tb_wire_cursor *cursor, struct tb_wire_field *field) {
  if (cursor->at == cursor->end) return TB_END;
  const char *at = cursor->at;
  field->start = at;
  enum tb_status status = read_tag(&at, cursor->end, &field->number, &field->type);
  if (status == TB_OK) status = read_payload(&at, cursor->end, field, 0);
  if (status == TB_OK) cursor->at = at;
  return status;
}

bool tb_wire_has(struct tb_str message, uint32_t number) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == number) return true;
  return false;
}

uint64_t tb_wire_find_number(struct tb_str message, uint32_t number) {
  uint64_t value = 0;
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == number && field.type != TB_WIRE_BYTES) value = field.value;
  return value;
}

struct tb_str tb_wire_find_bytes(struct tb_str message, uint32_t number) {
  struct tb_str bytes = {"", 0};
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == number && field.type == TB_WIRE_BYTES) bytes = field.bytes;
  return bytes;
}

enum tb_status tb_wire_read_fields(struct tb_str message, struct tb_wire_field *fields, size_t count) {
  memset(fields, 0, count * sizeof(*fields));
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK)
    if (field.number < count) fields[field.number] = field;
  return status == TB_END ? TB_OK : status;
}

enum tb_status tb_wire_buffer_open(struct tb_buffer *buffer, uint32_t number) {
  enum tb_status status = tb_buffer_reserve(buffer, TB_WIRE_VARINT_MAX + 1);
  if (status == TB_OK) buffer->len = (size_t)(tb_wire_open_message(buffer->data + buffer->len, number) - buffer->data);
  return status;
}

enum tb_status tb_wire_buffer_close(struct tb_buffer *buffer, size_t start) {
  enum tb_status status = tb_buffer_reserve(buffer, TB_WIRE_VARINT_MAX);
  if (status != TB_OK) return status;
  char *end = tb_wire_close_message(buffer->data + start, buffer->data + buffer->len);
  buffer->len = (size_t)(end - buffer->data);
  return TB_OK;
}

enum tb_status tb_wire_buffer_uint(struct tb_buffer *buffer, uint32_t number, uint64_t value) {
  char field[2 * TB_WIRE_VARINT_MAX];
  return tb_buffer_append(buffer, field, (size_t)(tb_wire_put_uint(field, number, value) - field));
}

enum tb_status tb_wire_buffer_bytes(struct tb_buffer *buffer, uint32_t number, struct tb_str bytes) {
  char head[2 * TB_WIRE_VARINT_MAX];
  char *end = tb_wire_put_varint(tb_wire_put_tag(head, number, TB_WIRE_BYTES), bytes.len);
  enum tb_status status = tb_buffer_append(buffer, head, (size_t)(end - head));
  return status == TB_OK ? tb_buffer_append(buffer, bytes.ptr, bytes.len) : status;
}
