/* SPDX-License-Identifier: Apache-2.0 */
#include "protobuf/unpack.h"

struct bounded_unpacking {
  struct tb_arena *arena;
  bool out_of_memory;
};

static void *allocate(void *ctx, size_t size) {
  struct bounded_unpacking *unpacking = ctx;
  void *p = tb_arena_alloc(unpacking->arena, size);
  if (!p) unpacking->out_of_memory = true;
  return p;
}

static void release(void *ctx, void *pointer) {
  (void)ctx; /* the arena forgets everything at once */
  (void)pointer;
}

static enum tb_status check(const ProtobufCMessageDescriptor *type, struct tb_str bytes, unsigned depth) {
  if (depth > TB_MESSAGE_DEPTH_MAX) return TB_LIMIT;
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.type != TB_WIRE_BYTES) continue;
    const ProtobufCFieldDescriptor *known = protobuf_c_message_descriptor_get_field(type, field.number);
    if (!known || known->type != PROTOBUF_C_TYPE_MESSAGE) continue;
    status = check(known->descriptor, field.bytes, depth + 1);
    if (status != TB_OK) return status;
  }
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

enum tb_status tb_message_check(const ProtobufCMessageDescriptor *type, struct tb_str bytes) {
  return check(type, bytes, 0);
}

enum tb_status tb_message_read(struct tb_arena *arena, const ProtobufCMessageDescriptor *type, struct tb_str bytes,
                               ProtobufCMessage **message) {
  if (check(type, bytes, 0) != TB_OK) return TB_BAD_DATA;
  struct bounded_unpacking unpacking = {arena, false};
  ProtobufCAllocator allocator = {allocate, release, &unpacking};
  *message = protobuf_c_message_unpack(type, &allocator, bytes.len, (const uint8_t *)bytes.ptr);
  return *message ? TB_OK : unpacking.out_of_memory ? TB_NO_MEMORY : TB_BAD_DATA;
}

enum tb_wire_type tb_message_wire_type(ProtobufCType type) {
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
