/* SPDX-License-Identifier: Apache-2.0
 *
 * Text, lists and whole messages for nanopb's encoder. What a callback points to must live until the message is
 * encoded.
 */
#ifndef TB_PROTOBUF_NANOPB_UTIL_H
#define TB_PROTOBUF_NANOPB_UTIL_H

#include <pb_encode.h>

#include "base/memory.h"

/* A list of text or bytes fields. */
struct tb_nanopb_strs {
  const struct tb_str *items;
  size_t count;
};

/* A list of varint fields, each with a tag of its own, as Perfetto's importer wants them. */
struct tb_nanopb_varints {
  const uint64_t *items;
  size_t count;
};

/* Callbacks for a bytes field; a NULL pointer leaves the field out. */
pb_callback_t tb_nanopb_str(const struct tb_str *text);
pb_callback_t tb_nanopb_strs(const struct tb_nanopb_strs *list);
pb_callback_t tb_nanopb_varints(const struct tb_nanopb_varints *list);

/* Appends the message to `buffer`, without a length before it. TB_OK, TB_LIMIT or TB_NO_MEMORY (buffer->len unchanged
 * then). */
TB_MUST_CHECK enum tb_status tb_nanopb_append(struct tb_buffer *buffer, const pb_msgdesc_t *fields,
                                              const void *message);
/* The same as field `number` of another message, with its tag and length. */
TB_MUST_CHECK enum tb_status tb_nanopb_append_field(struct tb_buffer *buffer, uint32_t number,
                                                    const pb_msgdesc_t *fields, const void *message);

#endif
