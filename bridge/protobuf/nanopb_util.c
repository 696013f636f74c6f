/* SPDX-License-Identifier: Apache-2.0 */
#include "protobuf/nanopb_util.h"

#include "protobuf/wire.h"

static bool encode_slice(pb_ostream_t *stream, const pb_field_t *field, const struct tb_str *text) {
  return pb_encode_tag_for_field(stream, field) && pb_encode_string(stream, (const pb_byte_t *)text->ptr, text->len);
}

static bool slice_callback(pb_ostream_t *stream, const pb_field_t *field, void *const *arg) {
  return encode_slice(stream, field, *arg);
}

static bool slices_callback(pb_ostream_t *stream, const pb_field_t *field, void *const *arg) {
  const struct tb_nanopb_strs *list = *arg;
  for (size_t i = 0; i < list->count; i++) {
    if (!encode_slice(stream, field, &list->items[i])) return false;
  }
  return true;
}

static bool varints_callback(pb_ostream_t *stream, const pb_field_t *field, void *const *arg) {
  const struct tb_nanopb_varints *list = *arg;
  for (size_t i = 0; i < list->count; i++) {
    if (!pb_encode_tag(stream, PB_WT_VARINT, field->tag) || !pb_encode_varint(stream, list->items[i])) return false;
  }
  return true;
}

/* nanopb's callback argument is not const though encoding only reads it. */
static pb_callback_t callback(bool (*encode)(pb_ostream_t *, const pb_field_t *, void *const *), const void *arg) {
  pb_callback_t result = {0};
  if (!arg) return result;
  result.funcs.encode = encode;
  memcpy(&result.arg, &arg, sizeof(arg));
  return result;
}

pb_callback_t tb_nanopb_str(const struct tb_str *text) { return callback(slice_callback, text); }
pb_callback_t tb_nanopb_strs(const struct tb_nanopb_strs *list) { return callback(slices_callback, list); }
pb_callback_t tb_nanopb_varints(const struct tb_nanopb_varints *list) { return callback(varints_callback, list); }

/* The stream's state is a buffer that grows, which saves a pass over the message for its size. */
static bool append(pb_ostream_t *stream, const pb_byte_t *bytes, size_t count) {
  return tb_buffer_append(stream->state, bytes, count) == TB_OK;
}

enum tb_status tb_nanopb_append(struct tb_buffer *buffer, const pb_msgdesc_t *fields, const void *message) {
  size_t before = buffer->len;
  pb_ostream_t stream = {.callback = append, .state = buffer, .max_size = SIZE_MAX};
  if (pb_encode(&stream, fields, message)) return TB_OK;
  buffer->len = before;
  return tb_buffer_reserve(buffer, 1) == TB_OK ? TB_LIMIT : TB_NO_MEMORY;
}

enum tb_status tb_nanopb_append_field(struct tb_buffer *buffer, uint32_t number, const pb_msgdesc_t *fields,
                                      const void *message) {
  size_t before = buffer->len;
  enum tb_status status = tb_wire_buffer_open(buffer, number);
  size_t start = buffer->len;
  if (status == TB_OK) status = tb_nanopb_append(buffer, fields, message);
  if (status == TB_OK) status = tb_wire_buffer_close(buffer, start);
  if (status != TB_OK) buffer->len = before;
  return status;
}
