/* SPDX-License-Identifier: Apache-2.0 */
#include "protobuf/unpack.h"

#include "protobuf/message_patch.h"

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

/* The field as the descriptor knows it; NULL: it does not. */
static const ProtobufCFieldDescriptor *known_field(const ProtobufCMessageDescriptor *type,
                                                   const struct tb_wire_field *field) {
  return protobuf_c_message_descriptor_get_field(type, field->number);
}

static bool is_message(const ProtobufCFieldDescriptor *known, const struct tb_wire_field *field) {
  return known && known->type == PROTOBUF_C_TYPE_MESSAGE && field->type == TB_WIRE_BYTES;
}

/* Whether the bytes are whole numbers, one behind the other. */
static bool is_packed(struct tb_str bytes, enum tb_wire_type type) {
  if (type != TB_WIRE_VARINT) return bytes.len % (type == TB_WIRE_FIXED32 ? 4 : 8) == 0;
  const char *at = bytes.ptr, *end = bytes.ptr + bytes.len;
  for (uint64_t value; at && at < end;) at = tb_wire_read_varint(at, end, &value);
  return at != NULL || !bytes.len;
}

/* Whether the field is encoded as its type demands. Numbers that repeat may be packed, whatever the descriptor says.
 * Groups are of no type that Perfetto has. */
static bool fits(const ProtobufCFieldDescriptor *known, const struct tb_wire_field *field) {
  if (field->type == TB_WIRE_GROUP) return false;
  if (!known) return true;
  enum tb_wire_type type = tb_message_wire_type(known->type);
  if (field->type == type) return true;
  return known->label == PROTOBUF_C_LABEL_REPEATED && field->type == TB_WIRE_BYTES && is_packed(field->bytes, type);
}

/* *misfits (NULL: not asked for) is set where a field does not fit. */
static enum tb_status check(const ProtobufCMessageDescriptor *type, struct tb_str bytes, unsigned depth,
                            bool *misfits) {
  if (depth > TB_MESSAGE_DEPTH_MAX) return TB_LIMIT;
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (!misfits && field.type != TB_WIRE_BYTES) continue;
    const ProtobufCFieldDescriptor *known = known_field(type, &field);
    if (misfits && !fits(known, &field)) *misfits = true;
    if (!is_message(known, &field)) continue;
    status = check(known->descriptor, field.bytes, depth + 1, misfits);
    if (status != TB_OK) return status;
  }
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

enum tb_status tb_message_check(const ProtobufCMessageDescriptor *type, struct tb_str bytes) {
  return check(type, bytes, 0, NULL);
}

/* ---- fields that do not fit -------------------------------------------------------------------------------------- */

/* Of a message that was checked. */
static enum tb_status leave_out_misfits(struct tb_message_patch *patches, const ProtobufCMessageDescriptor *type,
                                        struct tb_str bytes) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    const ProtobufCFieldDescriptor *known = known_field(type, &field);
    if (!fits(known, &field)) {
      field.bytes.len = (size_t)(cursor.at - field.bytes.ptr); /* of a group, its end too */
      status = tb_message_patches_remove(patches, &field);
    } else if (is_message(known, &field)) {
      struct tb_message_patches_mark mark;
      status = tb_message_patches_begin(patches, &field, &mark);
      if (status == TB_OK) status = leave_out_misfits(patches, known->descriptor, field.bytes);
      if (status == TB_OK) tb_message_patches_end(patches, &field, &mark);
    }
  }
  return status;
}

/* *bytes without these fields, in the arena. */
static enum tb_status without_misfits(struct tb_arena *arena, const ProtobufCMessageDescriptor *type,
                                      struct tb_str *bytes) {
  struct tb_message_patch patches = {.allocator = arena->allocator};
  enum tb_status status = leave_out_misfits(&patches, type, *bytes);
  size_t len = (size_t)((int64_t)bytes->len + patches.growth);
  char *copy = status == TB_OK ? tb_arena_alloc(arena, len) : NULL;
  if (copy) {
    (void)tb_message_patches_apply(&patches, *bytes, copy);
    *bytes = (struct tb_str){copy, len};
  }
  tb_message_patches_free(&patches);
  return copy ? TB_OK : TB_NO_MEMORY;
}

enum tb_status tb_message_read(struct tb_arena *arena, const ProtobufCMessageDescriptor *type, struct tb_str bytes,
                               ProtobufCMessage **message, bool *misfits) {
  bool found = false;
  if (check(type, bytes, 0, &found) != TB_OK) return TB_BAD_DATA;
  if (found && without_misfits(arena, type, &bytes) != TB_OK) return TB_NO_MEMORY;
  if (misfits) *misfits = found;
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
