/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages that come seldom, read by protobuf-c into memory that is used again and again.
 */
#ifndef TB_PROTOBUF_UNPACK_H
#define TB_PROTOBUF_UNPACK_H

#include <protobuf-c/protobuf-c.h>

#include "base/memory.h"
#include "protobuf/wire.h"

/* How deep messages may nest: protobuf-c itself would go on until the stack ends. */
enum { TB_MESSAGE_DEPTH_MAX = 32 };

/* Whether the bytes are a message, and what is known in them as messages is so, too. TB_OK; TB_BAD_DATA, or TB_LIMIT
 * where they nest too deep to tell. */
TB_MUST_CHECK enum tb_status tb_message_check(const ProtobufCMessageDescriptor *type, struct tb_str bytes);

/* Reads a message of type `type` into `scratch`; *message points into scratch and into `bytes`' copies there. A field
 * that is encoded otherwise than its type demands (an integer where a text belongs) is passed over, as by protobuf
 * and the trace processor; *misfits (may be NULL) says whether there was one. TB_OK; TB_BAD_DATA where the bytes
 * are no such message or nest too deep; TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_message_read(struct tb_arena *scratch, const ProtobufCMessageDescriptor *type,
                                             struct tb_str bytes, ProtobufCMessage **message, bool *misfits);

/* How a value of that type is encoded; one of several that are packed is TB_WIRE_BYTES. */
enum tb_wire_type tb_message_wire_type(ProtobufCType type);

static inline struct tb_str tb_message_str(ProtobufCBinaryData data) {
  return (struct tb_str){(const char *)data.data, data.len};
}

#endif
