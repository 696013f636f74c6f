/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/nanopb.h"

static bool encode_slice(pb_ostream_t *stream, const pb_field_t *field, const struct tb_slice *text) {
  return pb_encode_tag_for_field(stream, field) && pb_encode_string(stream, (const pb_byte_t *)text->ptr, text->len);
}

static bool slice_callback(pb_ostream_t *stream, const pb_field_t *field, void *const *arg) {
  return encode_slice(stream, field, *arg);
}

static bool slices_callback(pb_ostream_t *stream, const pb_field_t *field, void *const *arg) {
  const struct tb_nanopb_slices *list = *arg;
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

pb_callback_t tb_nanopb_slice(const struct tb_slice *text) { return callback(slice_callback, text); }
pb_callback_t tb_nanopb_slices(const struct tb_nanopb_slices *list) { return callback(slices_callback, list); }
pb_callback_t tb_nanopb_varints(const struct tb_nanopb_varints *list) { return callback(varints_callback, list); }

enum tb_status tb_nanopb_append(struct tb_buffer *buffer, const pb_msgdesc_t *fields, const void *message) {
  size_t size;
  if (!pb_get_encoded_size(&size, fields, message)) return TB_LIMIT;
  enum tb_status status = tb_buffer_reserve(buffer, size);
  if (status != TB_OK) return status;
  pb_ostream_t stream = pb_ostream_from_buffer((pb_byte_t *)buffer->data + buffer->len, size);
  if (!pb_encode(&stream, fields, message)) return TB_LIMIT;
  buffer->len += stream.bytes_written;
  return TB_OK;
}
