/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/input/split_mark.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/metadata.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

/* The member's value is a string: the recording and the number. */
#define MARK_FORMAT "\"%016" PRIx64 "/%" PRIu32 "\""
static const char attribute_key[] = "json." TB_METADATA_SPLIT_PART;
enum { MARK_TEXT = 40 };

static enum tb_status append_own(const struct tb_split_mark *mark, struct tb_buffer *buffer) {
  enum tb_status status = tb_wire_buffer_open(buffer, TB_TRACE_PACKET_SPLIT_PART);
  size_t body = buffer->len;
  if (status == TB_OK) status = tb_buffer_reserve(buffer, TB_WIRE_VARINT_MAX + sizeof(mark->recording));
  if (status != TB_OK) return status;
  char *at = buffer->data + buffer->len;
  buffer->len += (size_t)(tb_wire_put_fixed64(at, TB_SPLIT_PART_RECORDING, mark->recording) - at);
  status = tb_wire_buffer_uint(buffer, TB_SPLIT_PART_NUMBER, mark->number);
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

static enum tb_status append_attribute(const struct tb_split_mark *mark, struct tb_buffer *buffer) {
  char text[MARK_TEXT];
  int len = snprintf(text, sizeof(text), MARK_FORMAT, mark->recording, mark->number);
  enum tb_status status = tb_wire_buffer_open(buffer, TB_TRACE_PACKET_TRACE_ATTRIBUTES);
  size_t attributes = buffer->len;
  if (status == TB_OK) status = tb_wire_buffer_open(buffer, TB_TRACE_ATTRIBUTES_ATTRIBUTE);
  size_t body = buffer->len;
  if (status == TB_OK)
    status = tb_wire_buffer_bytes(buffer, TB_TRACE_ATTRIBUTES_ATTRIBUTE_KEY, tb_str_from(attribute_key));
  if (status == TB_OK)
    status =
        tb_wire_buffer_bytes(buffer, TB_TRACE_ATTRIBUTES_ATTRIBUTE_STRING_VALUE, (struct tb_str){text, (size_t)len});
  if (status == TB_OK) status = tb_wire_buffer_close(buffer, body);
  return status == TB_OK ? tb_wire_buffer_close(buffer, attributes) : status;
}

enum tb_status tb_split_mark_append(const struct tb_split_mark *mark, bool own, struct tb_buffer *buffer) {
  enum tb_status status = tb_wire_buffer_open(buffer, TB_TRACE_PACKET);
  size_t body = buffer->len;
  if (status == TB_OK) status = own ? append_own(mark, buffer) : append_attribute(mark, buffer);
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

static bool read_own(struct tb_str payload, struct tb_split_mark *mark) {
  struct tb_wire_field f[TB_SPLIT_PART_NUMBER + 1];
  (void)tb_wire_read_fields(payload, f, TB_SPLIT_PART_NUMBER + 1);
  *mark = (struct tb_split_mark){f[TB_SPLIT_PART_RECORDING].value, (uint32_t)f[TB_SPLIT_PART_NUMBER].value};
  return mark->recording != 0;
}

static bool read_attribute(struct tb_str attribute, struct tb_split_mark *mark) {
  struct tb_wire_field f[TB_TRACE_ATTRIBUTES_ATTRIBUTE_STRING_VALUE + 1];
  char text[MARK_TEXT];
  (void)tb_wire_read_fields(attribute, f, TB_TRACE_ATTRIBUTES_ATTRIBUTE_STRING_VALUE + 1);
  struct tb_str key = tb_wire_text(&f[TB_TRACE_ATTRIBUTES_ATTRIBUTE_KEY]);
  struct tb_str value = tb_wire_text(&f[TB_TRACE_ATTRIBUTES_ATTRIBUTE_STRING_VALUE]);
  if (!tb_str_equal(key, tb_str_from(attribute_key)) || value.len >= sizeof(text)) return false;
  memcpy(text, value.ptr, value.len);
  text[value.len] = '\0';
  return sscanf(text, "\"%16" SCNx64 "/%" SCNu32 "\"", &mark->recording, &mark->number) == 2 && mark->recording;
}

bool tb_split_mark_read(uint32_t kind, struct tb_str payload, struct tb_split_mark *mark) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  if (kind == TB_TRACE_PACKET_SPLIT_PART) return read_own(payload, mark);
  if (kind != TB_TRACE_PACKET_TRACE_ATTRIBUTES) return false;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACE_ATTRIBUTES_ATTRIBUTE && field.type == TB_WIRE_BYTES &&
        read_attribute(field.bytes, mark))
      return true;
  return false;
}
